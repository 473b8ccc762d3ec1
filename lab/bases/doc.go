// Package bases has the experiments about bases on a line: real processes, sockets and
// terminals, in real time.
package bases
