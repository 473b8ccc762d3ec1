//go:build !windows

package handlers

import "syscall"

// canWriteDirectly says whether a socket takes what fits into its send buffer
// without waiting.
const canWriteDirectly = true

// writeDirectly writes what fits and returns how much that was.
func writeDirectly(fd uintptr, p []byte) int {
	n, _ := syscall.Write(int(fd), p) //nolint:gosec // a file is a small number
	return n
}
