// Package watch prints the lines of a base: it connects as Mybot would, sends
// hello, and a ping every second, but never a drive line, and prints every line of
// both directions with its time, and the fault of a line that cannot be decoded.
package watch
