package session

import (
	"fmt"
	"time"

	"mybot/robot"
	"mybot/session/lease"
	"mybot/session/protocol"
)

// movesPerSecond limits how often a person may move joints, per second and per
// burst.
const movesPerSecond = 20

// moveJoints moves joints for the holder or for the borrower of the arm.
func (c *coordinator) moveJoints(who *person, cmd protocol.MoveJoints, now time.Time) robot.Result {
	if r := c.mayUse(who, lease.Arm, cmd.Lease, cmd.Loan, now); !r.Done() {
		return r
	}
	if r := c.mayMove(); !r.Done() {
		return r
	}
	if !who.jointBudget.spendToken(now, movesPerSecond) {
		return newRefusal(robot.Busy, fmt.Sprintf("The joints are moved too often. Send at most %d commands per second.", movesPerSecond))
	}
	return c.robot.Do(cmd.MoveJoints)
}
