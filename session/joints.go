package session

import (
	"fmt"
	"time"

	"mybot/robot"
)

// movesPerSecond is how often the holder may move joints in a second, and in one burst.
const movesPerSecond = 20

// moveJoints moves joints for the holder.
func (c *coordinator) moveJoints(who *person, lease uint64, cmd robot.MoveJoints, now time.Time) robot.Result {
	if r := c.mayCommand(who, lease, "Try again."); !r.Done() {
		return r
	}
	if r := c.mayMove(); !r.Done() {
		return r
	}
	if !who.jointBudget.spendToken(now, movesPerSecond) {
		return newRefusal(robot.Busy, fmt.Sprintf("The joints are moved too often. Send at most %d commands per second.", movesPerSecond))
	}
	return c.robot.Do(cmd)
}
