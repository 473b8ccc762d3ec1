// Package client is a client of port 54000, the line protocol of scripts (Baillie 2004,
// section 6): it sends commands, asks and waits for values, and calls functions for the lines
// under a tag.
//
// Dial starts the goroutine that reads the robot's lines and calls the callbacks, one after
// the other; Close ends it. Any goroutine may call the methods of a Client, callbacks too,
// except that a callback must not wait for an answer.
//
// Samples are the text in which values of devices over time are recorded and played.
package client
