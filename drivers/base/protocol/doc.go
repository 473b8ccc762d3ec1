// Package protocol is mybot.base version 1: the lines between Mybot and a base.
//
// It is pure: no goroutine, no clock and no I/O. A Splitter makes lines of the
// bytes that came.
package protocol
