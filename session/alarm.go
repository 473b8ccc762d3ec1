package session

import (
	"sync"
	"sync/atomic"
	"time"
)

// maxAlarms is how many stops may wait for the hub; the robot has had them
// all, so of more than these only the answers are lost.
const maxAlarms = 256

// A stopSignal is one pressed stop.
type stopSignal struct {
	by   string
	at   time.Time
	user *User    // nil = from outside the page
	from Identity // who it was, as far as the connection or the request told
	id   uint64   // of the command that wants an answer; 0 = none
}

// An alarm brings stops to the hub after the robot has had them. It counts
// them before the robot does, so that the hub, which alone releases the stop,
// knows that one is on its way.
type alarm struct {
	raised  atomic.Uint64 // stops begun
	handled uint64        // stops that take has returned; the hub's own

	mu      sync.Mutex
	signals []stopSignal
	lost    uint64
}

// raiseStop stops the robot, then queues the signal for the hub.
func (a *alarm) raiseStop(r Robot, stop stopSignal) {
	a.raised.Add(1)
	r.Stop(stop.by)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.signals) < maxAlarms {
		a.signals = append(a.signals, stop)
	} else {
		a.lost++
	}
}

// isPending reports whether there are stops that take has not returned.
func (a *alarm) isPending() bool { return a.raised.Load() != a.handled }

// takeSignals returns the stops that wait.
func (a *alarm) takeSignals() []stopSignal {
	a.mu.Lock()
	defer a.mu.Unlock()
	waiting := a.signals
	a.handled += uint64(len(waiting)) + a.lost
	a.signals, a.lost = nil, 0
	return waiting
}
