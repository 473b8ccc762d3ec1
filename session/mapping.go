package session

import (
	"time"

	"mybot/session/protocol"
)

// A mappingReport is how far a map is that is being made.
type mappingReport struct {
	event   protocol.MappingEvent
	noGoals string
}

func (m mappingReport) handle(h *Hub, _ time.Time) {
	c := &h.coordinator
	c.mapping, c.noGoals = m.event, m.noGoals
	c.sendMapping()
}

// ShowMapping has all users, also those who join later, told how far a map is. noGoals
// is the sentence by which goals, jobs and a new position are refused while it is made;
// "" = none is made. It never waits.
func (h *Hub) ShowMapping(m protocol.MappingEvent, noGoals string) {
	frame := protocol.Encode(m)
	h.mapping.CompareAndSwap(nil, &frame) // for who asks before the hub has looked at it
	h.post(mappingReport{m, noGoals})
}

// Mapping returns the newest event about mapping as pages get it; nil = there is none.
func (h *Hub) Mapping() []byte {
	if frame := h.mapping.Load(); frame != nil {
		return *frame
	}
	return nil
}

// A floorChange is another floor plan that came into use.
type floorChange struct {
	place  string
	hasMap bool
	build  uint64
}

func (f floorChange) handle(h *Hub, _ time.Time) {
	c := &h.coordinator
	c.floorEvent = protocol.Encode(protocol.FloorEvent{Build: f.build})
	is := h.cfg.describeRobot(f.place, f.hasMap)
	h.robot.Store(&is)
	c.welcomeTemplate.Robot = is
	c.lastMapEvent = nil // it was about the floor plan before
	c.broadcast(c.floorEvent)
	if w := c.encodeWorld(); w != nil {
		c.broadcast(w)
	}
}

// UseFloor has all users told that another floor plan is in use, that of the place, or
// that there is no map; also those who were away. It never waits.
func (h *Hub) UseFloor(place string, hasMap bool) {
	h.post(floorChange{place, hasMap, h.floors.Add(1) + 1})
}

// CountFloors returns how many floor plans have been in use since the hub began.
func (h *Hub) CountFloors() uint64 { return h.floors.Load() + 1 }

// A deed is something that a user did and that all are told.
type deed struct {
	by   Identity
	text string // what the user did, as in "began a map."
}

func (d deed) handle(h *Hub, now time.Time) {
	c := &h.coordinator
	who, name := c.people.byBrowser(d.by.Browser), d.by.displayName()
	if who != nil {
		name = who.name
	}
	c.logEvent(protocol.IconMap, name+" "+d.text, now)
	c.auditPerson(now, "settings", who, name+" "+d.text)
}

// NoteMapping has all users, and the audit log, told what a user did about a map, as in
// "began a map.". It never waits.
func (h *Hub) NoteMapping(by Identity, text string) { h.post(deed{by, text}) }
