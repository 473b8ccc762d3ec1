// Package base drives your own robots: a base at the end of a line. A Driver
// connects to it and reconnects; a Composite is one robot that consists of several
// bases.
//
// Each base has these goroutines: the reader and the writer of a line; the
// supervisor, which opens lines and runs the conversations over them; and, for a
// child process, those that watch it. Close waits for all of them. The pure parts
// have no goroutine: clock, odometer, senses and translator convert lines to
// readings.
//
// Package protocol defines the lines, package firmware is what a base decides, and
// package bridge serves a driver as a base.
package base
