// Package bridge serves a robot.Driver as a base: its clients drive it by the lines of
// mybot.base. So the simulator can be a robot at the end of a line, in its own
// process, and an existing driver becomes a base.
//
// Serve runs these goroutines: one that owns the base (package firmware) and calls
// the driver, one that reads from the driver, one that accepts connections, and a
// reader and a writer for each connection. All have ended when it returns.
package bridge
