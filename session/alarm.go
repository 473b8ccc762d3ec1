package session

import (
	"sync"
	"sync/atomic"
	"time"
)

// mostAlarms is how many stops may wait for the hub; the robot has had them
// all, so of more than these only the answers are lost.
const mostAlarms = 256

// A raise is one pressed stop.
type raise struct {
	by   string
	at   time.Time
	user *User    // nil = from outside the page
	from Identity // who it was, as far as the connection or the request told
	id   uint64   // of the command that wants an answer; 0 = none
}

// An alarm brings stops to the hub after the robot has had them. It counts
// them before the robot does, so that the hub, which alone releases the stop,
// can tell that one is on its way.
type alarm struct {
	raised  atomic.Uint64 // stops begun
	settled uint64        // stops the hub has heard of; the hub's own

	mu      sync.Mutex
	waiting []raise
	lost    uint64
}

// raise stops the robot, then leaves word for the hub.
func (a *alarm) raise(r Robot, stop raise) {
	a.raised.Add(1)
	r.Stop(stop.by)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.waiting) < mostAlarms {
		a.waiting = append(a.waiting, stop)
	} else {
		a.lost++
	}
}

// pending tells whether there are stops that take has not returned.
func (a *alarm) pending() bool { return a.raised.Load() != a.settled }

// take returns the stops that wait.
func (a *alarm) take() []raise {
	a.mu.Lock()
	defer a.mu.Unlock()
	waiting := a.waiting
	a.settled += uint64(len(waiting)) + a.lost
	a.waiting, a.lost = nil, 0
	return waiting
}
