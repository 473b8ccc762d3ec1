package onboard

import (
	"fmt"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// Arrive records that a reading with the time stamp, by the readings' clock, arrived at the
// time at, by this computer's clock. The caller passes this reading to Tick next.
func (c *Core) Arrive(at, stamp time.Time) {
	switch gap := at.Sub(c.arrived); {
	case c.arrived.IsZero():
	case gap > limits.ReadingSilence:
		// The reading may have waited for this goroutine and date from before the gap: by
		// its time an old request would still be valid.
		c.loopStalled(gap)
	default:
		c.expireSources(at.Add(-c.ahead))
	}
	c.arrived, c.ahead, c.baseSilent = at, at.Sub(stamp), false
	c.scripts.wallAhead = at.Round(0).Sub(stamp.Round(0))
}

// byReadings converts the times of a command to the readings' clock. A time of day is
// compared with the wall clock at the newest arrival, because this computer's clock may
// have been set since.
func (c *Core) byReadings(cmd robot.Command) robot.Command {
	if later, ok := cmd.(robot.Enqueue); ok && !later.At.IsZero() && !c.arrived.IsZero() {
		later.At = c.arrived.Add(later.At.Sub(c.arrived) - c.ahead)
		return later
	}
	return cmd
}

// loopStalled handles a control loop that did not run, or had no reading, for longer than
// the base holds a command. The base has braked, so driving restarts from zero, and no
// script continues by itself; after a stall longer than GoalTrouble the goal pauses too.
func (c *Core) loopStalled(by time.Duration) {
	reason := "This computer is too busy: the control loop was held up."
	if c.baseSilent {
		reason = fmt.Sprintf("The base reported nothing for %.1f s.", by.Seconds())
	}
	c.teleop.Interrupt(c.reading.Time, reason)
	c.queue.interruptDrive(reason)
	c.joints.lapsed = reason
	c.scripts.endStandby("")
	if by > limits.GoalTrouble {
		c.pauseGoal(c.reading.Time, reason)
		c.scripts.Interrupt(c.reading.Time, reason)
	}
	c.given = robot.Twist{}
}

// expireSources drops a driver's request that has expired at the time now. A reading that
// waited for this goroutine has an older time, at which the request may still be valid.
func (c *Core) expireSources(now time.Time) { c.teleop.expireRequest(now) }
