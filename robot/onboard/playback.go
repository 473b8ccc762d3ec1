package onboard

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
)

// Where a recorded motion may be played: the robot stands this near its start.
const (
	startsWithin = 0.3         // m
	startsTurned = math.Pi / 6 // rad
)

// replay begins to play a recorded motion. It is followed like a path that is
// driven by hand, and ends like one.
func (c *Core) replay(now time.Time, cmd robot.Replay) robot.Result {
	if no := c.refuseMotion(now); no.Word != "" {
		return no
	}
	switch {
	case len(cmd.Points) == 0:
		return failed("The motion is empty.")
	case c.estimate.Trust == robot.TrustLost:
		return failed(lost)
	case !still(c.measured) || !c.given.IsZero():
		return busy("The robot is moving. Let it stop, then replay the motion.")
	}
	away := c.estimate.Pose.Inverse().Compose(cmd.Points[0].Pose)
	if far, turned := away.Point().Norm(), math.Abs(robot.WrapAngle(away.Theta)); !(far <= startsWithin && turned <= startsTurned) {
		return failed("The motion begins %.1f m from here, turned by %.0f deg. Send the robot to its start first.", far, robot.Degrees(turned))
	}
	if r := c.hand.player.Play(now, playout.Motion{Points: cmd.Points}, cmd.Lease, cmd.Hold, c.estimate.Pose); r.Word != robot.Success {
		return r
	}
	c.flush("A motion is being replayed.")
	c.hand.motion = cmd.Number
	c.wishes[manual] = velocityRequest{}
	c.asked, c.answer = robot.Twist{}, robot.Result{Word: robot.Success}
	c.pause(now, "A motion is being replayed.")
	return c.answer
}

// endReplay ends a motion that is no longer followed: a hand is followed again.
func (h *teleop) endReplay() {
	if h.motion != 0 && !h.status.Active {
		h.motion = 0
		h.player.SetOptions(playout.Options{})
	}
}
