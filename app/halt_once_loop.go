package app

import (
	"context"
	"sync/atomic"
	"time"

	"mybot/robot"
	"mybot/robot/onboard"
)

// A haltOnceLoop is the control loop as the hub commands it. The hub outlives the
// loop by a moment: a Halt then succeeds, because the loop has halted the robot as
// it ended.
type haltOnceLoop struct {
	*onboard.Loop
	stops  *stopFile   // nil = a stop is not saved
	refuse string      // why commands are refused, except to stop, to halt and to clear a stop; "" = none is
	halted atomic.Bool // the loop has ended and the robot stands
}

// Stop stops the robot. It does not wait; another goroutine saves the stop.
func (l *haltOnceLoop) Stop(by string) {
	if l.stops != nil {
		l.stops.noteStop(by, time.Now())
	}
	l.Loop.Stop(by)
}

// Do executes the command in the loop.
func (l *haltOnceLoop) Do(ctx context.Context, cmd robot.Command) robot.Result {
	switch cmd := cmd.(type) {
	case robot.Stop:
		l.Stop(cmd.By)
		return robot.Result{Word: robot.Success}
	case robot.Halt:
		if l.halted.Load() {
			return robot.Result{Word: robot.Success}
		}
	case robot.ClearStop:
		if l.stops == nil {
			return l.Loop.Do(ctx, cmd)
		}
		raised := l.stops.countStops()
		r := l.Loop.Do(ctx, cmd)
		if r.Word == robot.Success {
			l.stops.noteRelease(raised)
		}
		return r
	}
	if _, halt := cmd.(robot.Halt); l.refuse != "" && !halt {
		return robot.Result{Word: robot.NA, Reason: l.refuse}
	}
	return l.Loop.Do(ctx, cmd)
}
