package session

import (
	"fmt"
	"time"

	"mybot/robot"
	"mybot/session/lease"
	"mybot/session/protocol"
)

// looksPerSecond limits how often a person may turn the head, per second and per
// burst.
const looksPerSecond = 20

// turnHead turns the head for the holder or for its borrower.
func (c *coordinator) turnHead(who *person, cmd protocol.Look, now time.Time) robot.Result {
	if r := c.mayUse(who, lease.Head, cmd.Lease, cmd.Loan, now); !r.Done() {
		return r
	}
	if r := c.mayMove(); !r.Done() {
		return r
	}
	if !who.lookBudget.spendToken(now, looksPerSecond) {
		return newRefusal(robot.Busy, fmt.Sprintf("The head is turned too often. Send at most %d commands per second.", looksPerSecond))
	}
	return c.robot.Do(cmd.Look)
}
