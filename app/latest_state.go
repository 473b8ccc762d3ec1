package app

import (
	"sync"
	"sync/atomic"

	"mybot/robot"
)

// A latestState holds the newest state of the robot and passes every state to the
// observers. Only the control loop calls publish; observers are added before it
// runs.
type latestState struct {
	newest    atomic.Pointer[robot.State] // nil = no state yet
	observers []func(robot.State)         // called in order, in the control loop: they must not wait

	first    sync.Once
	reported chan struct{} // closed with the first measured state
}

func newLatestState() *latestState { return &latestState{reported: make(chan struct{})} }

func (l *latestState) publish(s robot.State) {
	l.newest.Store(&s)
	for _, observe := range l.observers {
		observe(s)
	}
	if !s.IsSilent() {
		l.first.Do(func() { close(l.reported) })
	}
}

// load returns the newest state; ok is false before the first one.
func (l *latestState) load() (s robot.State, ok bool) {
	if newest := l.newest.Load(); newest != nil {
		return *newest, true
	}
	return robot.State{}, false
}
