//go:build !windows

package handlers

import "syscall"

// canWriteDirectly says whether a non-blocking write can fill a socket's send
// buffer.
const canWriteDirectly = true

// writeDirectly writes what fits and returns how many bytes that was.
func writeDirectly(fd uintptr, p []byte) int {
	n, _ := syscall.Write(int(fd), p) //nolint:gosec // a file is a small number
	return n
}
