// Package app wires one running robot server: the control loop over a driver, the
// users, the URLs and the storage. The program, the lab and the tests all start a
// robot through Serve.
//
// Contract: Serve owns the listener and the driver, starts every goroutine of the
// server and returns when all of them have ended. The package has no state of its
// own, so several servers may run in one process.
package app
