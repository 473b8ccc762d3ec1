package session

import (
	"fmt"
	"time"

	"mybot/robot"
	"mybot/session/lease"
	"mybot/session/protocol"
)

// partMovesPerSecond limits how often a person may turn the head, and how often the joints:
// this many times a second, and as many at once.
const partMovesPerSecond = 20

// turnHead turns the head for the holder or for its borrower.
func (c *coordinator) turnHead(who *person, cmd protocol.Look, now time.Time) robot.Result {
	r := c.mayUse(who, lease.Head, cmd.Lease, cmd.Loan, now)
	return c.movePart(r, &who.lookBudget, "The head is turned", cmd.Look, now)
}

// moveJoints moves joints for the holder or for the borrower of the arm.
func (c *coordinator) moveJoints(who *person, cmd protocol.MoveJoints, now time.Time) robot.Result {
	r := c.mayUse(who, lease.Arm, cmd.Lease, cmd.Loan, now)
	return c.movePart(r, &who.jointBudget, "The joints are moved", cmd.MoveJoints, now)
}

// movePart has the robot move a part that the person may use if r is done. moved begins the
// sentence about a budget that is spent.
func (c *coordinator) movePart(r robot.Result, b *budget, moved string, cmd robot.Command, now time.Time) robot.Result {
	if !r.Done() {
		return r
	}
	if r := c.mayMove(); !r.Done() {
		return r
	}
	if !b.spendToken(now, partMovesPerSecond) {
		return newRefusal(robot.Busy, fmt.Sprintf("%s too often. Send at most %d commands per second.", moved, partMovesPerSecond))
	}
	return c.robot.Do(cmd)
}
