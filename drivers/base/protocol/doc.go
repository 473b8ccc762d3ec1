// Package protocol is mybot.base version 1: the lines between Mybot and a base,
// which protocol.md beside it describes. It writes and reads both directions: a
// driver of a base sends ToBase and receives FromBase, and a base written in Go
// does the opposite.
//
// It is pure: no goroutine, no clock and no I/O. A Splitter makes lines of the
// bytes that came; DecodeFromBase and DecodeToBase make a message of a line, or
// say in a sentence what is wrong with it; AppendLine writes a message as a line.
package protocol
