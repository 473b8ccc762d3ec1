// Package protocol is mybot.base version 1: the lines between Mybot and a base, as
// described in protocol.md. It encodes and decodes both directions: a driver of a
// base sends ToBase and receives FromBase, and a base written in Go does the
// opposite.
//
// It is pure: no goroutine, no clock and no I/O. A Splitter splits bytes into
// lines; DecodeFromBase and DecodeToBase decode a line to a message, or return a
// sentence about its fault; AppendLine encodes a message as a line.
package protocol
