package session

import (
	"fmt"
	"time"

	"mybot/robot"
)

// looksPerSecond is how often the holder may turn the head in a second, and in
// one burst.
const looksPerSecond = 20

// turnHead turns the head for the holder.
func (c *coordinator) turnHead(who *person, lease uint64, cmd robot.Look, now time.Time) robot.Result {
	if r := c.mayCommand(who, lease, "Try again."); !r.Done() {
		return r
	}
	if r := c.mayMove(); !r.Done() {
		return r
	}
	if !who.lookBudget.spendToken(now, looksPerSecond) {
		return newRefusal(robot.Busy, fmt.Sprintf("The head is turned too often. Send at most %d commands per second.", looksPerSecond))
	}
	return c.robot.Do(cmd)
}
