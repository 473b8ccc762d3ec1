// Package firmware is the part between line and motors that every base needs: the
// rules of mybot.base (protocol.md of package protocol). It decides which drive
// lines are executed and for how long, who may talk to the base, and what the base
// answers.
//
// It is pure: no goroutine, no clock and no I/O. The program around it passes it
// connections and lines with the time, and asks for the twist of the motors; it can
// serve as a model for a base in another language.
package firmware
