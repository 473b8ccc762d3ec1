//go:build linux || darwin

package recording

import "syscall"

// freeBytes returns how many bytes of a folder's disk are free for programs, and
// how many it has in total.
func freeBytes(dir string) (free, whole int64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), int64(s.Blocks) * int64(s.Bsize), nil //nolint:gosec,unconvert // they fit, and differ from system to system
}
