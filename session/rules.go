package session

import (
	"fmt"
	"time"

	"mybot/robot"
)

// mayMove returns Success if no stop prevents motion, or else the refusal.
func (c *coordinator) mayMove() robot.Result {
	switch {
	case c.stopped != nil:
		return newRefusal(robot.Panic, "Stopped by "+c.stopped.by+". "+c.whoReleases()+" release it.")
	case c.alarm.isPending():
		return newRefusal(robot.Panic, "The robot is being stopped.")
	}
	return robot.Result{Word: robot.Success}
}

// mayCommand returns Success if the person has control under the lease and the
// robot accepts commands, or else the refusal, which says who has control. again
// says what to do if that has just changed.
func (c *coordinator) mayCommand(who *person, lease uint64, again string) robot.Result {
	switch {
	case c.lease.Holder != who.id && lease < c.lease.Epoch:
		return newRefusal(robot.Interrupted, c.whoHolds())
	case c.lease.Holder != who.id:
		return newRefusal(robot.Error, c.whoHolds()+" You can watch and stop the robot.")
	case lease < c.lease.Epoch:
		return newRefusal(robot.Interrupted, "Control changed, and you have it. "+again)
	case !c.lease.Settled():
		return newRefusal(robot.Interrupted, "Control is changing hands; the robot must stop first. "+again)
	case lease > c.lease.Epoch:
		return newRefusal(robot.Error, `"lease" is ahead of the epoch; it should be the one last heard.`)
	}
	return robot.Result{Word: robot.Success}
}

// mayPlan returns Success if another path may be planned, or another job prepared,
// for the person, or else the refusal. It counts what it permits.
func (c *coordinator) mayPlan(who *person, now time.Time) robot.Result {
	hasControl := who.id != 0 && who.id == c.lease.Holder // whose budget others do not use up
	if !who.planBudget.spendToken(now, plansPerSecond) || !c.planBudget.spendToken(now, allPlansPerSecond) && !hasControl {
		return newRefusal(robot.Busy, fmt.Sprintf("Too many routes and jobs are asked for. At most %d per second are planned for one person.", plansPerSecond))
	}
	return robot.Result{Word: robot.Success}
}

// refuseWhileMapping refuses, during mapping, commands that need the map in use; an
// empty word = no refusal.
func (m *mapmaking) refuseWhileMapping(cmd robot.Command) robot.Result {
	switch cmd.(type) {
	case robot.Plan, robot.GoTo, robot.Resume, robot.GoAround, robot.SetPose, robot.RunJob, robot.ResumeRun:
		if m.noGoals != "" {
			return newRefusal(robot.NA, m.noGoals)
		}
	}
	return robot.Result{}
}

// whoReleases says who can release the stop.
func (c *coordinator) whoReleases() string {
	if who := c.people.byID(c.lease.Holder); who != nil {
		return who.name + " can"
	}
	return "The next person to take control can"
}

// isUnderWay reports whether the robot drives to a goal by itself or runs a job.
func (c *coordinator) isUnderWay() bool {
	return c.run != nil && c.run.Phase == robot.RunRunning ||
		c.goal != nil && (c.goal.Phase == robot.GoalDriving || c.goal.Phase == robot.GoalBlocked)
}

// haltDriving ends manual driving: it halts the robot first, then begins a new
// drive epoch. A drive to a goal continues, unless goal says that it pauses.
func (c *coordinator) haltDriving(reason string, goal bool) {
	c.robot.Do(robot.Halt{Reason: reason, Goal: goal})
	c.gate.NextEpoch()
	c.sendDriveReset(reason)
}
