package session

import (
	"fmt"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// maxThings is how many things users may put into the world.
const maxThings = 64

// worldOf returns the wire form of the world.
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

// changeWorld carries out a world command.
func (c *coordinator) changeWorld(who *person, cmd protocol.World, now time.Time) robot.Result {
	if c.world == nil {
		return newRefusal(robot.NA, "This robot is not simulated, so its world cannot be changed here.")
	}
	if r := c.mayCommand(who, cmd.Lease, "Try again."); !r.Done() {
		return r
	}
	text := ""
	switch change := cmd.Change.(type) {
	case protocol.PutThing:
		if len(c.world.World().Things) >= maxThings {
			return newRefusal(robot.Error, fmt.Sprintf("There are %d objects already; remove one first.", maxThings))
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
	case protocol.SetCharge:
		text = fmt.Sprintf("%s set the battery to %.0f %%.", who.name, 100*change.Charge)
	}
	r := c.world.Change(cmd.Change)
	if r.Done() {
		c.worldChanged = true
		if text != "" { // a dragged thing moves often
			c.logEvent(protocol.IconMap, text, now)
		}
	}
	return r
}

// worldEach is the time between two world events, because the world changes often
// while a user drags a thing.
const worldEach = 50 * time.Millisecond

// worldDue returns when the world must be sent; false = it has been.
func (s *surroundings) worldDue() (at time.Time, ok bool) {
	return s.worldSentAt.Add(worldEach), s.worldChanged
}

// encodeWorld returns the event with the simulated world; nil = the real world.
func (s *surroundings) encodeWorld() []byte {
	if s.world == nil {
		return nil
	}
	return protocol.Encode(worldOf(s.world.World()))
}
