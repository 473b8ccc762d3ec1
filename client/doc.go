// Package client is the Go client of a robot: typed requests over REST, a
// connection over the WebSocket like that of a browser, and the pairings of one
// user with robots. The command line, experiments and tests use it.
//
// Several goroutines may use a Client at once, but only one may use a Conn, except
// for Send, which any goroutine may call. Errors are sentences for the user.
package client
