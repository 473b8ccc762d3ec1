package session

import (
	"slices"
	"time"
)

// STOP asks nobody and is never refused. Who presses it again and again, while
// the others release it, takes the robot away from them; they can be sent away,
// by the person who has control, with all that they may come back by.

// A device that stops a driving robot so often in so long is named to who has
// control.
const (
	manyStops   = 3
	stopsWithin = time.Minute
)

// mostStoppers is how many devices are watched at a time.
const mostStoppers = 1000

// A stopper event tells who has control that somebody stops the robot again and
// again: device is what that person may be sent away by.
type StopperEvent struct {
	Type   string `json:"type"`
	Kind   string `json:"kind"`
	ID     int    `json:"id"` // 0 = without a page
	Name   string `json:"name"`
	Device string `json:"device"`
	Stops  int    `json:"stops"` // in the last minute
}

// stoppers are the stops of the last minute, by grant.
type stoppers map[string][]time.Time

// addStop notes a stop that stood the robot, and returns how many there were.
func (s stoppers) addStop(grant string, at time.Time) int {
	s.forgetOld(at)
	if _, known := s[grant]; !known && len(s) >= mostStoppers {
		return 0
	}
	s[grant] = append(s[grant], at)
	return len(s[grant])
}

func (s stoppers) forgetOld(now time.Time) {
	for grant, times := range s {
		times = slices.DeleteFunc(times, func(t time.Time) bool { return now.Sub(t) >= stopsWithin })
		if len(times) == 0 {
			delete(s, grant)
		} else {
			s[grant] = times
		}
	}
}

// removableGrants returns those who have stopped the robot often enough to be sent away.
func (s stoppers) removableGrants(now time.Time) (grants []string) {
	for grant, times := range s {
		if len(times) >= manyStops && now.Sub(times[len(times)-manyStops]) < stopsWithin {
			grants = append(grants, grant)
		}
	}
	return grants
}

// countStop tells who has control of somebody who stops the robot again and
// again. Who needs no grant, at the robot's own computer, cannot be sent away.
func (c *crew) countStop(stop stopSignal) {
	if stop.from.Grant == "" {
		return
	}
	n := c.stoppers.addStop(stop.from.Grant, stop.at)
	holder := c.people.byID(c.lease.Holder)
	if n < manyStops || holder == nil || holder.user == nil {
		return
	}
	e := StopperEvent{Type: "event", Kind: "stopper", Name: stop.by, Device: stop.from.Grant, Stops: n}
	if who := c.people.personOf(stop.user); who != nil {
		e.ID = who.id
	}
	holder.user.sendFrame(encodeValue(e))
}

// MayRemove tells whether this one may send the bearer of the grant away: who
// has control may, when that person has stopped the robot three times within a
// minute.
func (h *Hub) MayRemove(by Identity, grant string) bool {
	driver, grants := h.driver.Load(), h.stopperGrants.Load()
	return driver != nil && *driver != "" && *driver == by.Browser && grants != nil && slices.Contains(*grants, grant)
}
