package onboard

import (
	"log/slog"
	"time"

	"mybot/robot"
)

// A VirtualLoop is a loop in virtual time and without goroutines: the caller passes the
// time, the orders and the readings, and observes the driver. It serves tests of how users
// can affect a robot; everything else uses Loop. Only one goroutine may call it. Its core
// must plan no paths.
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

// Do executes a waiting stop, then an order.
func (v *VirtualLoop) Do(now time.Time, cmd robot.Command) robot.Result {
	v.at = now
	o := order{cmd: cmd, at: now, stops: v.state.latch.countStops(), answer: make(chan robot.Result, 1)}
	v.state.carryOutStop()
	v.state.takeOrder(o)
	return <-o.answer
}

// Read processes a reading, whose time becomes the loop's time.
func (v *VirtualLoop) Read(r robot.Reading) {
	v.at = r.Time
	v.state.carryOutStop()
	v.state.processReading(r)
	v.state.pulse.Stop()
}

// Stop is Loop.Stop; Wake executes it.
func (v *VirtualLoop) Stop(by string) { v.state.Stop(by) }

// Wake executes a waiting stop.
func (v *VirtualLoop) Wake(now time.Time) {
	v.at = now
	v.state.carryOutStop()
}

// State returns the state after the newest reading.
func (v *VirtualLoop) State() robot.State { return v.state.last }
