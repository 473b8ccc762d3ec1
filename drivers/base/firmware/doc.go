// Package firmware is the part of a base that every base needs, between its line
// and its motors: the rules of mybot.base (protocol.md of package protocol). It
// decides which drive lines are executed and for how long, who may speak to the
// base, and what the base answers.
//
// It is pure: no goroutine, no clock and no I/O. The program around it hands it
// connections and lines together with the time, and asks what the motors have to
// do; a base in another language can be read off it.
package firmware
