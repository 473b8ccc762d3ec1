package onboard

import (
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// Sentences about a robot that is unsure of its position at its goal.
const (
	looksAround = "The robot is not sure of its position and looks around before it reports that it has arrived."
	notSure     = "The robot is not sure of its position, so it may not be at its goal. Drive it to a corridor or set the position."
)

// arrive ends the goal with SUCCESS, unless the localizer doubts the position: then the robot
// may stand elsewhere, and looks around first.
func (n *navigator) arrive() {
	if n.mayBeElsewhere() {
		n.run.looks, n.run.lookedAt = true, time.Time{}
		return
	}
	n.endGoal(robot.Result{Word: robot.Success})
}

// mayBeElsewhere reports whether the localizer doubts the position although its error ellipse
// is small. Where only the ellipse has grown, as in dead reckoning, the robot is near its
// goal, and looking around would not help.
func (n *navigator) mayBeElsewhere() bool {
	major, _, _ := n.estimate.Covariance.Position()
	return n.estimate.Trust != robot.TrustOK && major <= limits.PositionUnsure
}

// lookAroundAtGoal returns the motion of a robot that looks around at its goal: it turns on
// the spot. As soon as it is sure of its position, or has been found elsewhere, it plans the
// path to its goal again. If it is not after limits.LookAround, the goal fails.
func (n *navigator) lookAroundAtGoal(now time.Time) robot.Twist {
	g := &n.run
	if !g.lookedAt.IsZero() {
		g.looked += max(0, now.Sub(g.lookedAt))
	}
	g.lookedAt = now
	switch {
	case n.leapt, n.estimate.Trust == robot.TrustOK:
		g.looks, g.path, g.begun = false, nil, false
		return robot.Twist{}
	case g.looked >= limits.LookAround:
		n.endGoal(robot.Result{Word: robot.Error, Reason: notSure})
		return robot.Twist{}
	}
	g.goal.Phase, g.goal.Blocked = robot.GoalDriving, nil
	g.goal.Behavior = robot.Behavior{State: n.local.order.State.String(), Sentence: looksAround}
	return robot.Twist{Angular: limits.FreeTurnSpeed}
}
