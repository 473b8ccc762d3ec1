package robottest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"
)

// sysCachestat is cachestat(2), the same number everywhere since Linux 6.5.
const sysCachestat = 451

// unsynced returns the number of pages of the file that are in memory and not yet on the disk;
// ok is false if the kernel does not report it.
func unsynced(t *testing.T, path string) (pages uint64, ok bool) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it was only looked at
	var all [2]uint64  // offset and length; 0 = to the end
	var stat struct{ cached, dirty, writeback, evicted, recently uint64 }
	_, _, no := syscall.Syscall6(sysCachestat, file.Fd(), uintptr(unsafe.Pointer(&all)), uintptr(unsafe.Pointer(&stat)), 0, 0, 0)
	return stat.dirty + stat.writeback, no == 0
}

// MustBeSynced checks that the whole file has reached the disk, so that a power cut now would
// lose nothing. It skips the test if neither the kernel nor the file system reports it.
func MustBeSynced(t *testing.T, path string) {
	t.Helper()
	control := filepath.Join(t.TempDir(), "control")
	if err := os.WriteFile(control, make([]byte, 8192), 0o600); err != nil {
		t.Fatal(err)
	}
	if pages, ok := unsynced(t, control); !ok || pages == 0 {
		t.Skip("this kernel or file system does not tell what has not reached the disk")
	}
	if pages, _ := unsynced(t, path); pages > 0 {
		t.Errorf("%d pages of %s have not reached the disk", pages, filepath.Base(path))
	}
}
