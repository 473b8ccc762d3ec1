// Package bases has the experiments about bases at the end of a line: real processes,
// sockets and terminals, in real time.
package bases
