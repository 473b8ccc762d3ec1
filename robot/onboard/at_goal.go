package onboard

import (
	"fmt"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// Sentences about a robot that is unsure of its position at its goal.
const (
	arrivedUnsure = "The robot is not sure of its position: it may be %.1f m from its goal."
	looksAround   = "The robot is not sure of its position and looks around before it reports that it has arrived."
	notSure       = "The robot is not sure of its position, so it may not be at its goal. Drive it to a corridor or set the position."
)

// arrive ends the goal with SUCCESS if the position is certain. Where only the error ellipse
// has grown, as in dead reckoning, the robot is near its goal, looking around would not help,
// and the answer says how near. If the localizer doubts the position although its ellipse is
// small, the robot may stand elsewhere, and looks around first.
func (n *navigator) arrive() {
	major, _, _ := n.estimate.Covariance.Position()
	switch {
	case major > limits.PositionUnsure:
		n.endGoal(robot.Result{Word: robot.Modified, Reason: fmt.Sprintf(arrivedUnsure, 2*major)})
	case n.estimate.Trust != robot.TrustOK:
		n.run.looks, n.run.lookedAt = true, time.Time{}
	default:
		n.endGoal(robot.Result{Word: robot.Success})
	}
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
