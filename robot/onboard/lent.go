package onboard

import (
	"fmt"
	"math"

	"mybot/robot"
	"mybot/robot/limits"
)

// What a robot does while somebody who does not drive it moves a part of it.

// armRests is why a lent arm does not move.
const armRests = "The arm is lent: it moves only while the robot stands."

// lentLimit returns how fast the robot is driven, by hand or not, because of what is lent;
// nil = as fast as it may be. A head that does not report where it looks may look aside.
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

// limitLent returns the twist as slow as lentLimit says, on the same arc. A sentence says
// why it is slower; "" = it is not.
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

// isArmOut reports whether a joint is not at its home, as far as the base says where it
// is. A joint that turns without end has no home to be out of.
func (c *Core) isArmOut() bool {
	for i, j := range c.desc.Joints {
		if at := c.jointAt(i); !j.IsEndless() && !(math.Abs(at-j.Home) <= nearJoint(j)) {
			return true
		}
	}
	return false
}

// drives reports whether the robot moves, or is about to by a request.
func (c *Core) drives(request velocityRequest) bool {
	return !request.twist.IsZero() || !c.given.IsZero() || !c.measured.IsStill()
}

// holdLentArm has a lent arm stay where it is while the robot drives.
func (c *Core) holdLentArm(request velocityRequest) {
	if c.lent.Arm && c.drives(request) {
		c.holdJoints(armRests)
	}
}
