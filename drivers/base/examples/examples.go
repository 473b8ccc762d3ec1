package examples

import (
	"embed"
	"slices"
)

// An Example is a program that is a base.
type Example struct {
	Name string // in mybot base example
	What string // it is, in a few words
	Text string // of its file
}

var (
	//go:embed base.py
	pythonText string
	//go:embed arduino/base.ino
	arduinoText string
	//go:embed lidar.py
	lidarText string
	//go:embed gripper.py
	gripperText string
)

// Arduino holds the folder arduino: the example, and what builds it and runs it in an
// emulator.
//
//go:embed arduino/Makefile arduino/base.ino arduino/simulate.c
var Arduino embed.FS

// All returns the examples.
func All() []Example {
	return []Example{
		{"python", "two wheels, on standard input and output, over TCP or at a serial port", pythonText},
		{"arduino", "two wheels with encoders, at the serial port of an ATmega328P", arduinoText},
		{"lidar", "a lidar beside a base that drives", lidarText},
		{"gripper", "a joint beside a base that drives", gripperText},
	}
}

// Find returns the example of a name.
func Find(name string) (Example, bool) {
	all := All()
	i := slices.IndexFunc(all, func(e Example) bool { return e.Name == name })
	if i < 0 {
		return Example{}, false
	}
	return all[i], true
}
