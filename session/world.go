package session

import "mybot/robot"

// A World is the simulated world around the robot, as people change it while
// it runs: app's adapter to drivers/sim. The hub's goroutine alone calls it and
// waits for it, so it answers at once. Numbers are finite and radii within
// leastRadius and mostRadius when they get here; whether a thing, a door or the
// place is there, and whether there is room for what is asked, the world says.
type World interface {
	// Change does one thing to the world: Success, or a refusal with a
	// sentence that says why.
	Change(WorldChange) robot.Result
	// World returns what there is beside the floor plan. Nobody writes to it
	// afterwards.
	World() WorldState
}

// A WorldChange is one thing that people do to a simulated world: a closed
// set. Positions are in map.
type WorldChange interface{ worldChange() }

type (
	// PutThing adds a thing.
	PutThing struct {
		Kind   ThingKind
		At     robot.Point
		Radius float64 // m
	}
	// MoveThing moves one to another place.
	MoveThing struct {
		Thing int // its number
		At    robot.Point
	}
	// RemoveThing takes one away.
	RemoveThing struct{ Thing int }
	// SetDoor closes or opens a door.
	SetDoor struct {
		Door   int // index into Floorplan.Doors
		Closed bool
	}
	// Carry picks the robot up, puts it down at another pose and tells it
	// nothing.
	Carry struct{ Pose robot.Pose } // of base_link
)

func (PutThing) worldChange()    {}
func (MoveThing) worldChange()   {}
func (RemoveThing) worldChange() {}
func (SetDoor) worldChange()     {}
func (Carry) worldChange()       {}

// ThingKind is what a thing is.
type ThingKind string

// The things that people can put into the world.
const (
	Obstacle ThingKind = "obstacle" // a round thing that stands in the way
	Magnet   ThingKind = "magnet"   // a round place where the compass is wrong
)

// A Thing is something that was put into the world.
type Thing struct {
	Number int // counts from 1, and is never given again
	Kind   ThingKind
	At     robot.Point // of its middle, in map
	Radius float64     // m
}

// WorldState is what a simulated world holds beside the floor plan.
type WorldState struct {
	Things []Thing
	Closed []bool // for each of Floorplan.Doors
}

// Bounds of what people put into the world.
const (
	leastRadius = 0.05 // m
	mostRadius  = 2.0  // m
	mostThings  = 64
)
