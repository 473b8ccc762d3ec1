// Package watch shows what a base says: it connects as Mybot would, says hello and
// sends a ping every second, never a drive line, and prints every line of both
// directions with its time, and what is wrong with a line that cannot be read.
package watch
