package onboard

import (
	"fmt"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// takeReading checks a reading, passes it to the localizer, guard and obstacle layer unless
// it is faulty, and returns the time since the last reading, in s.
func (c *Core) takeReading(r robot.Reading) float64 {
	period := 1 / c.desc.Rate
	step := time.Duration(period * float64(time.Second))
	first := !c.heard
	if !first {
		step = r.Time.Sub(c.reading.Time)
	}
	c.heard, c.fault, c.reading = true, "", r
	c.reading.Ranges, c.reading.Scans = nil, nil
	c.clouds, c.scanFaults, c.rays = nil, nil, c.rays[:0]
	dt := step.Seconds()
	if fault := c.judgeReading(r, dt); fault != "" {
		c.reportFault(fault)
		c.measured = robot.Twist{}
		return period
	}
	foreseen := c.desc.Drivetrain.Roll(c.estimate.Pose, r.Travel)
	c.clouds, c.scanFaults = c.deskewer.Observe(r)
	c.rays = appendRays(c.rays, c.clouds)
	c.noteRanges(r, first)
	c.lidars.observeScans(r.Time, len(c.desc.Lidars), c.clouds, c.scanFaults)
	c.loc.Update(r)
	if s, ok := c.loc.(scanLocalizer); ok && len(c.clouds) > 0 {
		s.ObserveScans(c.clouds)
	}
	c.guard.Observe(r, c.clouds...)
	if first || !c.guard.IsBlindAhead() {
		c.aheadAt = r.Time
	}
	c.nearest = c.guard.Nearest()
	c.teleop.tracker.Observe(r.Time, c.teleop.follows)
	c.estimate = c.loc.Estimate()
	p := c.estimate.Pose
	if len(c.clouds) > 0 {
		c.scannedAt = r.Time
	}
	if robot.Finite(p.X, p.Y, p.Theta) {
		c.obstacles.Observe(r, c.clouds, p, c.navigator.walls())
	}
	c.echoes.observeClouds(r.Time, c.clouds, p)
	c.leapt = !first && p.Point().Sub(foreseen.Point()).Norm() > limits.PositionJump
	if !robot.Finite(p.X, p.Y, p.Theta) {
		c.reportFault("The position came out as no number; the robot has stopped.")
	}
	switch {
	case first:
		return period
	case step <= 0 || step > limits.ReadingGap:
		c.reportFault(fmt.Sprintf("The time of the base's readings jumped by %.2f s; the robot has stopped.", dt))
		c.measured = robot.Twist{}
		return period
	}
	c.measureTwist(r.Travel, dt)
	return dt
}

// reportFault stops the robot because of a fault. The fault is the answer in the state
// until the next command, or until the robot moves again by itself.
func (c *Core) reportFault(reason string) {
	c.fault = reason
	c.teleop.Interrupt(c.reading.Time, reason)
	c.queue.interruptDrive(reason)
	c.holdJoints(reason)
	c.order.answer = robot.Result{Word: robot.Error, Reason: reason}
}
