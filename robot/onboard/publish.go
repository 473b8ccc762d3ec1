package onboard

import (
	"cmp"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/guard"
)

// describeState returns the state after a tick. by is the source that moved the robot; nil
// = none.
func (c *Core) describeState(r robot.Reading, by source, seen guard.Sight) robot.State {
	s := robot.State{
		Time:     r.Time,
		Mode:     c.nameMode(by),
		Estimate: c.estimate,
		Twist:    c.measured,
		Ranges:   slices.Clone(r.Ranges),
		Echoes:   c.echoes.all,
		Lidars:   c.lidars.describeFault(),
		Nearest:  c.nearest,
		Guard:    seen.Guard,
		Drive:    robot.DriveState{Asked: c.order.asked, Given: c.given, Result: c.order.answer},
		Held:     c.teleop.held,
		Goal:     c.navigator.run.describeGoal(),
		Queue:    c.queue.describeQueue(),
		Stop:     c.stop,
		Bump:     r.Bump,
		OK:       r.OK,
		EStop:    r.EStop,
		Refuses:  r.Refuses,
		Base:     c.link,
		Head:     r.Head,
		Slow:     c.handLimit(),
		Joints:   c.describeJoints(),
		Battery:  r.Battery,
	}
	if c.desc.Battery == (robot.BatteryPack{}) || !c.heard {
		s.Battery = robot.UnknownBattery()
	}
	if c.isManual(by) {
		s.Play = c.teleop.describePlay()
	}
	c.jobs.describeRun(&s)
	c.scripts.describeAnnouncements(&s)
	c.scripts.describeNotice(&s)
	s.Scripts = c.scripts.describe()
	s.Watched = c.scripts.watched.seen
	return s
}

// describeSilence returns the state while no readings arrive: the last measurements, from
// last, and what the core has decided since. It does not change the core. now is by the
// readings' clock.
func (c *Core) describeSilence(now time.Time, last robot.State) robot.State {
	s := c.describeState(c.reading, nil, c.guard.Idle())
	s.Ranges, s.Tick = last.Ranges, last.Tick
	s.Drive.Given = robot.Twist{}
	// The loop has found that readings stay away, even if the last one is not older than
	// ReadingGap yet.
	s.Drive.Result = cmp.Or(c.refuseWithoutReadings(now), c.refuseInSilence(now.Sub(c.reading.Time)))
	if !c.heard {
		s.Estimate = c.loc.Estimate()
	}
	return s
}

// explainRequest explains in the state how limits and guard changed the request of a driver
// or the queue.
func (c *Core) explainRequest(s *robot.State, by source, seen guard.Sight) {
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
	if reason := c.teleop.describeDetour(); reason != "" && by == &c.teleop {
		s.Drive.Result = robot.Result{Word: robot.Modified, Reason: reason}
	}
}

// isManual reports whether a driver moves the robot, directly or through the queue.
func (c *Core) isManual(by source) bool { return by == &c.teleop || by == &c.queue }

// nameMode returns the robot's mode.
func (c *Core) nameMode(by source) robot.Mode {
	goal := &c.navigator.run
	switch {
	case c.stop != nil:
		return robot.ModeStopped
	case c.isManual(by):
		return robot.ModeManual
	case c.jobs.runPhase() == robot.RunRunning:
		return robot.ModeJob
	case goal.isUnderWay():
		return robot.ModeGoal
	case goal.goal.Phase == robot.GoalPaused, c.jobs.runPhase() != robot.RunEnded:
		return robot.ModePaused
	case c.reading.Battery.Charging && c.measured.IsStill():
		return robot.ModeCharging
	}
	return robot.ModeReady
}
