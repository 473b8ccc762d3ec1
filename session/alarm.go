package session

import (
	"sync"
	"sync/atomic"
	"time"
)

// maxAlarms is how many stops may wait for the hub. The robot has already executed
// every one of them, so a stop beyond this number only loses its answer.
const maxAlarms = 256

// A stopSignal is one pressed stop.
type stopSignal struct {
	by   string
	at   time.Time
	user *User    // nil = from outside the page
	from Identity // who pressed it, as far as the connection or the request shows
	id   uint64   // of the command to answer; 0 = none
}

// An alarm brings stops to the hub after the robot has executed them. It counts a
// stop before the robot gets it, so that the hub, which alone releases stops, knows
// that one is coming.
type alarm struct {
	raised  atomic.Uint64 // stops begun
	handled uint64        // stops that takeSignals has returned; belongs to the hub

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

// isPending reports whether there are stops that takeSignals has not returned.
func (a *alarm) isPending() bool { return a.raised.Load() != a.handled }

// takeSignals returns the waiting stops.
func (a *alarm) takeSignals() []stopSignal {
	a.mu.Lock()
	defer a.mu.Unlock()
	waiting := a.signals
	a.handled += uint64(len(waiting)) + a.lost
	a.signals, a.lost = nil, 0
	return waiting
}
