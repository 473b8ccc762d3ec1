//go:build linux || darwin

package recording

import "syscall"

// freeBytes returns how many bytes of the disk of a folder are free for programs, and
// how many it has.
func freeBytes(dir string) (free, whole int64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), int64(s.Blocks) * int64(s.Bsize), nil //nolint:gosec,unconvert // they fit, and differ from system to system
}
