package session

import (
	"fmt"
	"time"

	"mybot/link"
	"mybot/robot"
	"mybot/session/protocol"
)

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

// maxThings is how many things users may put into the world.
const maxThings = 64

// worldOf returns the world as it is sent.
func worldOf(w WorldState) protocol.WorldEvent {
	m := protocol.WorldEvent{Things: make([]protocol.Thing, len(w.Things)), Doors: make([]protocol.Door, len(w.Closed))}
	for i, t := range w.Things {
		m.Things[i] = protocol.Thing{Thing: t.Number, Kind: t.Kind, At: protocol.PointOf(t.At), Radius: protocol.Number(t.Radius)}
	}
	for i, closed := range w.Closed {
		m.Doors[i] = protocol.Door{Closed: closed}
	}
	return m
}

// surroundings is what users change around the robot: a simulated world and network,
// and the map. worldChanged is set from a change until it is sent at worldSentAt.
type surroundings struct {
	world        World         // nil = there is a real one
	network      *link.Network // nil = there is a real one
	worldChanged bool
	worldSentAt  time.Time // last
	lastMapEvent []byte    // event of the map that was saved last; nil = none was
}

// changeWorld carries out a world command.
func (c *coordinator) changeWorld(who *person, cmd protocol.World, now time.Time) robot.Result {
	if c.world == nil {
		return refusal(robot.NA, "This robot is not simulated, so its world cannot be changed here.")
	}
	if r := c.mayCommand(who, cmd.Lease, "Try again."); !r.Done() {
		return r
	}
	text := ""
	switch change := cmd.Change.(type) {
	case protocol.PutThing:
		if len(c.world.World().Things) >= maxThings {
			return refusal(robot.Error, fmt.Sprintf("There are %d objects already; remove one first.", maxThings))
		}
		text = fmt.Sprintf("%s put an %s at x %.1f y %.1f.", who.name, change.Kind, change.At.X, change.At.Y)
		if change.Kind == protocol.Magnet {
			text = fmt.Sprintf("%s put a magnet at x %.1f y %.1f.", who.name, change.At.X, change.At.Y)
		}
	case protocol.RemoveThing:
		text = fmt.Sprintf("%s removed thing %d.", who.name, change.Thing)
	case protocol.SetDoor:
		text = who.name + " opened a door."
		if change.Closed {
			text = who.name + " closed a door."
		}
	case protocol.Carry:
		text = who.name + " carried the robot away."
	case protocol.PressOK:
		text = who.name + " pressed the OK switch."
	}
	r := c.world.Change(cmd.Change)
	if r.Done() {
		c.worldChanged = true
		if text != "" { // a thing that is dragged moves often
			c.logEvent(protocol.IconMap, text, now)
		}
	}
	return r
}

// worldEach is the time between two events about the world, which changes often while
// a user drags a thing.
const worldEach = 50 * time.Millisecond

// worldDue returns when the world is to be sent; false = it has been.
func (s *surroundings) worldDue() (at time.Time, ok bool) {
	return s.worldSentAt.Add(worldEach), s.worldChanged
}

// encodeWorld returns the event of the simulated world; nil = there is a real one.
func (s *surroundings) encodeWorld() []byte {
	if s.world == nil {
		return nil
	}
	return protocol.Encode(worldOf(s.world.World()))
}
