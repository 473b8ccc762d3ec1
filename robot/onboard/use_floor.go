package onboard

import (
	"cmp"
	"context"
	"math"

	"mybot/robot"
)

// A Floor is a floor plan that comes into use while the robot runs, with a frame of its
// own.
type Floor struct {
	Planner  robot.Planner                  // nil = there are no paths
	NoPaths  string                         // sentence why there is no planner; "" = there is no map
	Localize func(robot.Estimate) Localizer // returns the localizer for the new frame, given the estimate in the old frame
}

// A speedLimiter is a Localizer that limits the robot's speed.
type speedLimiter interface {
	// SpeedLimit returns the highest speed that the localizer allows, in m/s, and a
	// sentence that says why; +Inf = no limit.
	SpeedLimit() (speed float64, why string)
}

// UseFloor changes the core to another floor, as Core.useFloor does, and waits like Do.
func (l *Loop) UseFloor(ctx context.Context, f Floor) robot.Result {
	return l.giveOrder(ctx, order{floor: &f})
}

// useFloor changes to another floor, which may have another frame. The robot must stand
// without a goal or job, because their poses refer to the old frame.
func (c *Core) useFloor(f Floor) robot.Result {
	const reason = "Another map came into use."
	goal := c.navigator.run.goal
	switch {
	case !c.measured.IsStill() || !c.given.IsZero():
		return failedResult("The robot is moving. Try again once it has stopped.")
	case c.jobs.runPhase() != robot.RunEnded:
		return failedResult("A job is running or paused. End it first.")
	case goal.Number > 0 && goal.Phase != robot.GoalEnded:
		return failedResult("The robot is on its way to a goal, or paused on it. Cancel the goal first.")
	}
	c.flushQueue(reason)
	c.leaveTeleop(reason)
	c.scripts.Interrupt(c.reading.Time, reason)
	c.scripts.forgetFloor(c.reading.Time, "another map came into use")
	c.navigator.usePlanner(f.Planner)
	c.navigator.noPaths = f.NoPaths
	c.loc = f.Localize(c.estimate)
	c.estimate = c.loc.Estimate()
	c.echoes = echoes{}
	return robot.Result{Word: robot.Success}
}

// limitSpeed limits t to the localizer's speed limit, on the same arc. why is the sentence
// that explains it; "" = t is unchanged.
func (c *Core) limitSpeed(t robot.Twist) (slower robot.Twist, why string) {
	s, ok := c.loc.(speedLimiter)
	if !ok {
		return t, ""
	}
	speed, why := s.SpeedLimit()
	if speed != c.speedLimit {
		c.speedLimit = speed
		c.reply(robot.Reply{Kind: robot.SpeedReply, Speed: speed})
	}
	if v := math.Abs(t.Linear); v > speed {
		f := speed / v
		return robot.Twist{Linear: f * t.Linear, Angular: f * t.Angular}, why
	}
	return t, ""
}

// refuseWithoutPlanner returns why there are no paths.
func (n *navigator) refuseWithoutPlanner() robot.Result {
	return robot.Result{Word: robot.NA, Reason: cmp.Or(n.noPaths, "There is no map, so the robot goes nowhere by itself. Drive it by hand, or make a map.")}
}

// doFloor executes an order about the floor; ok is false for other orders.
func (h *loopState) doFloor(o order) (r robot.Result, ok bool) {
	switch {
	case o.floor != nil:
		if r = h.core.refuseWithoutReadings(h.readingTime()); r.Word == "" {
			r = h.core.useFloor(*o.floor)
		}
		h.observeFloor(robot.FloorChange{Frame: true, Planner: o.floor.Planner != nil}, r)
		return r, true
	case o.renew:
		h.core.usePlanner(o.planner)
		r = robot.Result{Word: robot.Success}
		h.observeFloor(robot.FloorChange{Planner: o.planner != nil}, r)
		return r, true
	}
	return r, false
}

// observeFloor shows a successful change of the floor to the observer.
func (h *loopState) observeFloor(change robot.FloorChange, answer robot.Result) {
	if h.observe != nil && answer.Word == robot.Success {
		change.Estimate = h.core.estimate
		h.observe.ObserveFloor(h.now(), change)
	}
}
