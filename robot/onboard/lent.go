package onboard

import (
	"fmt"
	"math"

	"mybot/robot"
	"mybot/robot/limits"
)

// This file limits the robot while a borrower moves its head or arm.

// armRests is why a lent arm does not move.
const armRests = "The arm is lent: it moves only while the robot stands."

// lentLimit returns the speed limit because of a lent part, for driving by hand or
// autonomously; nil = none. A head that does not report its angles counts as looking aside.
func (c *Core) lentLimit(byHand bool) *robot.HandLimit {
	part, why := "", ""
	switch {
	case byHand && c.lent.Head && c.desc.Head != nil && !(math.Abs(c.reading.Head.Pan) <= limits.LentHeadAside):
		part, why = "head", "The head is lent and looks aside: at most %.1f m/s. Look ahead to drive faster."
	case c.lent.Arm && c.isArmOut():
		part, why = "arm", "The arm is lent and out of its home: at most %.1f m/s."
	default:
		return nil
	}
	return &robot.HandLimit{Speed: limits.LentSpeed, Why: fmt.Sprintf(why, limits.LentSpeed), Lent: part}
}

// limitLent limits t to the speed of lentLimit, on the same arc. why is the sentence that
// explains it; "" = t is unchanged.
func (c *Core) limitLent(t robot.Twist, byHand bool) (slower robot.Twist, why string) {
	v := math.Abs(t.Linear)
	if v <= limits.LentSpeed {
		return t, ""
	}
	limit := c.lentLimit(byHand)
	if limit == nil {
		return t, ""
	}
	return t.Scale(limit.Speed / v), limit.Why
}

// isArmOut reports whether a joint is away from its home position, or does not report its
// position. Continuous joints do not count.
func (c *Core) isArmOut() bool {
	for i, j := range c.desc.Joints {
		if at := c.jointAt(i); !j.IsEndless() && !(math.Abs(at-j.Home) <= nearJoint(j)) {
			return true
		}
	}
	return false
}

// drives reports whether the robot moves, or is about to because of a request.
func (c *Core) drives(request velocityRequest) bool {
	return !request.twist.IsZero() || !c.given.IsZero() || !c.measured.IsStill()
}

// holdLentArm holds a lent arm while the robot drives.
func (c *Core) holdLentArm(request velocityRequest) {
	if c.lent.Arm && c.drives(request) {
		c.holdJoints(armRests)
	}
}
