package session

import (
	"fmt"
	"time"

	"mybot/robot"
	"mybot/session/lease"
	"mybot/session/protocol"
)

// limbsPerSecond limits how often a person may turn the head, and how often move joints, per
// second and per burst.
const limbsPerSecond = 20

// turnHead turns the head for the holder or for its borrower.
func (c *coordinator) turnHead(who *person, cmd protocol.Look, now time.Time) robot.Result {
	r := c.mayUse(who, lease.Head, cmd.Lease, cmd.Loan, now)
	return c.moveLimb(r, &who.lookBudget, "The head is turned", cmd.Look, now)
}

// moveJoints moves joints for the holder or for the borrower of the arm.
func (c *coordinator) moveJoints(who *person, cmd protocol.MoveJoints, now time.Time) robot.Result {
	r := c.mayUse(who, lease.Arm, cmd.Lease, cmd.Loan, now)
	return c.moveLimb(r, &who.jointBudget, "The joints are moved", cmd.MoveJoints, now)
}

// moveLimb has the robot move a part that the person may use if r is done. moved begins the
// sentence about a budget that is spent.
func (c *coordinator) moveLimb(r robot.Result, b *budget, moved string, cmd robot.Command, now time.Time) robot.Result {
	if !r.Done() {
		return r
	}
	if r := c.mayMove(); !r.Done() {
		return r
	}
	if !b.spendToken(now, limbsPerSecond) {
		return newRefusal(robot.Busy, fmt.Sprintf("%s too often. Send at most %d commands per second.", moved, limbsPerSecond))
	}
	return c.robot.Do(cmd)
}
