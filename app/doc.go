// Package app wires one running robot server: the control loop over a driver,
// the people around it, the URLs, and what must last. The program, the lab and
// the tests all start a robot through Serve.
//
// Contract: Serve owns the listener and the driver, starts every goroutine of
// the server and returns when all of them have ended. Nothing here keeps state
// between two servers, so several may run in one process.
package app
