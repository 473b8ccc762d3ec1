//go:build !linux

package robottest

import "testing"

// MustBeSynced skips the test: only Linux reports what has reached the disk.
func MustBeSynced(t *testing.T, _ string) {
	t.Helper()
	t.Skip("what has reached the disk is known on Linux alone")
}
