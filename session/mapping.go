package session

import (
	"time"

	"mybot/session/protocol"
)

// A mappingReport is the progress of a map.
type mappingReport struct {
	event   protocol.MappingEvent
	noGoals string
}

func (m mappingReport) handle(h *Hub, _ time.Time) {
	c := &h.coordinator
	c.mapping, c.noGoals = m.event, m.noGoals
	c.sendMapping()
}

// ShowMapping shows the progress of a map to all users, including those who join
// later. noGoals is the sentence that refuses goals, jobs and a new position during
// mapping; "" = no mapping is in progress. It never waits. It is not called
// concurrently.
func (h *Hub) ShowMapping(m protocol.MappingEvent, noGoals string) {
	h.mapping.Store(&m) // for requests that arrive before the hub has handled it
	h.post(mappingReport{m, noGoals})
}

// Mapping returns the newest mapping event in the form that pages receive; nil = none.
func (h *Hub) Mapping() []byte {
	newest := h.mapping.Load()
	if newest == nil {
		return nil
	}
	event := *newest
	if by := h.mapper.Load(); by != nil {
		event.By = *by
	}
	return protocol.Encode(event)
}

// A floorChange is a change of the floor plan in use.
type floorChange struct {
	place  string
	hasMap bool
	mapped bool // a map is being made of it
	build  uint64
}

func (f floorChange) handle(h *Hub, _ time.Time) {
	c := &h.coordinator
	c.floorEvent = protocol.Encode(protocol.FloorEvent{Build: f.build, Mapping: f.mapped})
	is := h.cfg.describeRobot(f.place, f.hasMap)
	h.robot.Store(&is)
	c.welcomeTemplate.Robot = is
	c.lastMapEvent = nil // it was about the previous floor plan
	c.broadcast(c.floorEvent)
	if w := c.encodeWorld(); w != nil {
		c.broadcast(w)
	}
}

// UseFloor informs all users, including those who are away, that the floor plan of
// the place is in use, or that there is no map. It never waits.
func (h *Hub) UseFloor(place string, hasMap bool) {
	h.post(floorChange{place: place, hasMap: hasMap, build: h.floors.Add(1) + 1})
}

// LeaveFloor informs all users, including those who are away, that no floor plan is in
// use because a map is being made. It never waits.
func (h *Hub) LeaveFloor(place string) {
	h.post(floorChange{place: place, mapped: true, build: h.floors.Add(1) + 1})
}

// CountFloors returns the Build of the newest FloorEvent: 1 at first, and one more with
// each UseFloor and LeaveFloor.
func (h *Hub) CountFloors() uint64 { return h.floors.Load() + 1 }

// An announcement informs everyone of what a user did.
type announcement struct {
	by   Identity
	text string // what the user did, as in "began a map."
}

func (a announcement) handle(h *Hub, now time.Time) {
	c := &h.coordinator
	who, name := c.people.byBrowser(a.by.Browser), a.by.displayName()
	if who != nil {
		name = who.name
	}
	c.logEvent(protocol.IconMap, name+" "+a.text, now)
	c.auditPerson(now, "settings", who, name+" "+a.text)
}

// NoteMapping informs all users and the audit log of what a user did about a map,
// as in "began a map.". It never waits.
func (h *Hub) NoteMapping(by Identity, text string) { h.post(announcement{by, text}) }
