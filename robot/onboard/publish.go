package onboard

import (
	"slices"

	"mybot/robot"
	"mybot/robot/guard"
)

// publish returns the state after a tick in which the source by moved the robot.
func (c *Core) publish(r robot.Reading, by source, seen guard.Sight) robot.State {
	s := robot.State{
		Time:     r.Time,
		Mode:     c.mode(by),
		Estimate: c.estimate,
		Twist:    c.measured,
		Ranges:   slices.Clone(r.Ranges),
		Echoes:   c.echoes.all,
		Lidars:   c.lidars.sentence(),
		Nearest:  c.guard.Nearest(),
		Guard:    seen.Guard,
		Drive:    robot.DriveState{Asked: c.order.asked, Given: c.given, Result: c.order.answer},
		Held:     c.teleop.held,
		Goal:     c.navigator.run.publish(),
		Queue:    c.queue.publish(),
		Stop:     c.stop,
		Bump:     r.Bump,
		OK:       r.OK,
		Head:     r.Head,
		Battery:  r.Battery,
	}
	if c.isManual(by) {
		s.Play = c.teleop.play()
	}
	c.jobs.publish(&s)
	return s
}

// explain says in the state what became of what a driver or the queue asked for.
func (c *Core) explain(s *robot.State, by source, seen guard.Sight) {
	if c.isManual(by) && c.slowedBy != "" {
		s.Drive.Result = robot.Result{Word: robot.Modified, Reason: c.slowedBy}
	}
	if c.isManual(by) && seen.Guard.Active {
		c.teleop.slowed = c.guard.Explain(seen)
		s.Drive.Result = robot.Result{Word: robot.Modified, Reason: c.teleop.slowed}
		if by == &c.queue {
			c.queue.running.result = s.Drive.Result
		}
	}
	if reason := c.teleop.avoids(); reason != "" && by == &c.teleop {
		s.Drive.Result = robot.Result{Word: robot.Modified, Reason: reason}
	}
}

// isManual reports whether a driver moves the robot, directly or by the queue.
func (c *Core) isManual(by source) bool { return by == &c.teleop || by == &c.queue }

// mode says in one word what the robot does.
func (c *Core) mode(by source) robot.Mode {
	goal := &c.navigator.run
	switch {
	case c.stop != nil:
		return robot.ModeStopped
	case c.isManual(by):
		return robot.ModeManual
	case c.jobs.phase() == robot.RunRunning:
		return robot.ModeJob
	case goal.isUnderWay():
		return robot.ModeGoal
	case goal.goal.Phase == robot.GoalPaused, c.jobs.phase() != robot.RunEnded:
		return robot.ModePaused
	case c.reading.Battery.Charging && c.measured.IsStill():
		return robot.ModeCharging
	}
	return robot.ModeReady
}
