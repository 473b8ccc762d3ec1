package session

import (
	"time"

	"mybot/robot"
)

// enqueueCommand adds a command to the robot's queue for the holder. While the
// queue is not empty, the robot does not count as standing.
func (c *coordinator) enqueueCommand(who *person, lease uint64, o robot.Enqueue, now time.Time) robot.Result {
	if r := c.mayCommand(who, lease, "Look again, then send it again."); !r.Done() {
		return r
	}
	if r := c.mayMove(); !r.Done() {
		return r
	}
	if _, far := o.Command.(robot.GoTo); far {
		if r := c.refuseWhileMapping(o.Command); r.Word != "" {
			return r
		}
		if r := c.mayPlan(who, now); !r.Done() {
			return r
		}
	}
	o.Client = who.id
	r := c.robot.Do(o)
	if r.Done() {
		c.standing, c.ordersPending = false, true
	}
	return r
}
