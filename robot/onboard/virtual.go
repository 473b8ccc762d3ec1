package onboard

import (
	"log/slog"
	"time"

	"mybot/robot"
)

// A VirtualLoop is a loop in virtual time and without goroutines: the caller passes
// the time, the orders and the readings, and looks at what reaches the driver. It is
// for tests of what people can do to a robot. One goroutine calls it; Loop is for
// everything else. Its core must plan no paths.
type VirtualLoop struct {
	state *loopState
	at    time.Time
}

// NewVirtualLoop returns a loop whose time begins at start.
func NewVirtualLoop(driver robot.Driver, core *Core, start time.Time) *VirtualLoop {
	v := &VirtualLoop{at: start}
	l := NewLoop(driver, core, func(robot.State) {}, slog.New(slog.DiscardHandler))
	l.now, l.epoch = func() time.Time { return v.at }, start
	v.state = newLoopState(l)
	v.state.pulse.Stop()
	return v
}

// Do carries out an order, and a stop before it that waits.
func (v *VirtualLoop) Do(now time.Time, cmd robot.Command) robot.Result {
	v.at = now
	o := order{cmd: cmd, at: now, stops: v.state.latch.countStops(), answer: make(chan robot.Result, 1)}
	v.state.carryOutStop()
	v.state.takeOrder(o)
	return <-o.answer
}

// Read takes a reading, whose time is now.
func (v *VirtualLoop) Read(r robot.Reading) {
	v.at = r.Time
	v.state.carryOutStop()
	v.state.processReading(r)
	v.state.pulse.Stop()
}

// Stop is Loop.Stop; Wake carries it out.
func (v *VirtualLoop) Stop(by string) { v.state.Stop(by) }

// Wake has the loop carry out a stop that waits.
func (v *VirtualLoop) Wake(now time.Time) {
	v.at = now
	v.state.carryOutStop()
}

// State returns the state after the newest reading.
func (v *VirtualLoop) State() robot.State { return v.state.last }
