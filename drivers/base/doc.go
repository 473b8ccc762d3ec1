// Package base drives robots of one's own: the base at the end of a line. A Driver
// connects to it again and again, and a Composite is one robot of several bases.
//
// Four goroutines are at work for each base: the reader and the writer of a line, the
// supervisor, which opens lines and has the conversation over them, and, for a program
// that Mybot starts, those that mind it. Close waits for all of them. What is pure has
// no goroutine: clock, odometer, senses and translator make readings of lines.
//
// What is said on a line is in package protocol, what a base decides in package
// firmware, and package bridge makes a base of a driver.
package base
