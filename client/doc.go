// Package client is the Go client of a robot: typed requests over REST, the
// connection that a browser has over the WebSocket, and the pairings of one user
// with robots. The command line, experiments and tests use it.
//
// A Client may be used by several goroutines at once; a Conn by one, but for
// Send, which any goroutine may call. Errors are sentences for the user.
package client
