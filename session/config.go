package session

import (
	"log/slog"
	"time"

	"mybot/link"
	"mybot/robot"
	"mybot/session/protocol"
)

// Names stores the names that users give themselves, by browser.
type Names interface {
	NameOf(browser string) string // "" = none is known
	SetName(browser, name string) error
}

// Audit records who did what: audit.Log. kind is lease, role, stop, script or settings; who
// is a person's name, number and device, or "robot". AppendEntry does not wait.
type Audit interface {
	AppendEntry(at time.Time, kind, who, text string)
}

// Config configures a hub.
type Config struct {
	Robot         Robot
	Description   robot.Description
	Place         string                  // name of the floor plan, for users
	Build         string                  // the server's build
	Simulator     bool                    // there is no real robot
	HasCamera     bool                    // the robot has a camera,
	HasMicrophone bool                    // and a microphone
	HasMap        bool                    // of the floor, at the start
	Relays        []protocol.Relay        // that pages need to reach the robot by WebRTC
	Period        time.Duration           // between two states; 0 = 100 ms
	Names         Names                   // nil = names are not stored
	Audit         Audit                   // nil = there is no audit log
	Motions       Motions                 // nil = drives are not recorded
	Plan          func() *robot.Floorplan // returns the map in use, for the names of drives; nil = no map
	Jobs          Jobs                    // nil = there are no jobs
	Standby       Standby                 // nil = no script stands by
	StandByAfter  time.Duration           // without control, until a script that stands by continues; 0 = limits.StandBy
	World         World                   // simulated, changed by users; nil = the real world
	Network       *link.Network           // simulated, changed by users; nil = a real network
	Log           *slog.Logger
}

// A World is the simulated world around the robot, as users change it: app's
// adapter to drivers/sim. Only the hub's goroutine calls it, so it must answer at
// once. The hub has checked that numbers are finite and radii within bounds; the
// world checks that the thing, door or place exists and that there is room for the
// change.
type World interface {
	// Change applies one change: Success, or a refusal with a sentence that says
	// why.
	Change(protocol.WorldChange) robot.Result
	// World returns what the world holds beside the floor plan. The result does not
	// change afterwards.
	World() WorldState
}

// A Thing is an object that a user put into the world.
type Thing struct {
	Number int // counts from 1 and is never reused
	Kind   protocol.ThingKind
	At     robot.Point // its centre, in map
	Radius float64     // m
}

// WorldState is what a simulated world holds beside the floor plan.
type WorldState struct {
	Things []Thing
	Closed []bool // for each of Floorplan.Doors
}
