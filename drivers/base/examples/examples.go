package examples

import (
	"embed"
	"slices"
)

// An Example is the program of a base.
type Example struct {
	Name string // in mybot base example
	What string // a short description
	Text string // content of its file
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
	//go:embed speaker.py
	speakerText string
)

// Arduino holds the folder arduino: the example, and the files that build it and
// run it in an emulator.
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
		{"speaker", "a speaker and a display beside a base that drives", speakerText},
	}
}

// Find returns the example with the name.
func Find(name string) (Example, bool) {
	all := All()
	i := slices.IndexFunc(all, func(e Example) bool { return e.Name == name })
	if i < 0 {
		return Example{}, false
	}
	return all[i], true
}
