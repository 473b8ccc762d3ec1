package session

import (
	"log/slog"
	"time"

	"mybot/link"
	"mybot/robot"
	"mybot/session/protocol"
)

// Names stores the names that users gave themselves, by browser.
type Names interface {
	NameOf(browser string) string // "" = none is known
	SetName(browser, name string) error
}

// Audit records what must be known afterwards: audit.Log. Kind is lease, role,
// stop or settings; who is a person's name and number, or "robot". Append does
// not wait.
type Audit interface {
	AppendEntry(at time.Time, kind, who, text string)
}

// Config is what a hub is made of.
type Config struct {
	Robot         Robot
	Description   robot.Description
	Place         string                  // where the robot is, for users: the floor plan's name
	Build         string                  // the server's build
	Simulator     bool                    // no real robot is there
	HasCamera     bool                    // the robot has a camera,
	HasMicrophone bool                    // and a microphone
	HasMap        bool                    // of the floor, when the server starts
	Relays        []protocol.Relay        // that pages need to reach it by WebRTC
	Period        time.Duration           // between two states; 0 = 100 ms
	Names         Names                   // nil = names are forgotten
	Audit         Audit                   // nil = nothing is recorded
	Motions       Motions                 // nil = drives are not recorded
	Plan          func() *robot.Floorplan // the map in use, for the names of drives; nil = there is none
	Jobs          Jobs                    // nil = none are run
	World         World                   // that users may change; nil = there is a real one
	Network       *link.Network           // that users may change; nil = there is a real one
	Log           *slog.Logger
}

// A World is the simulated world around the robot, as users change it: app's adapter
// to drivers/sim. Only the hub's goroutine calls it and waits for it, so it answers
// at once. Numbers are finite and radii within their bounds; the world checks whether
// the thing, door or place exists and whether there is space for what is asked.
type World interface {
	// Change does one thing to the world: Success, or a refusal with a
	// sentence that says why.
	Change(protocol.WorldChange) robot.Result
	// World returns what there is beside the floor plan. Nobody writes to it
	// afterwards.
	World() WorldState
}

// A Thing is something that was put into the world.
type Thing struct {
	Number int // counts from 1, and is never given again
	Kind   protocol.ThingKind
	At     robot.Point // of its middle, in map
	Radius float64     // m
}

// WorldState is what a simulated world holds beside the floor plan.
type WorldState struct {
	Things []Thing
	Closed []bool // for each of Floorplan.Doors
}
