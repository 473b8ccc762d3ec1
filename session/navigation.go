package session

import (
	"fmt"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// navigation is where the robot drives by itself. routeEvent is the event of the
// route of goal, nil while the robot drives to no goal.
type navigation struct {
	goal       *robot.Goal // newest that was seen; nil = none yet
	routeEvent []byte

	planBudget   budget // of all users together
	absentPerson person // stands for all who ask for routes and are not connected
}

// navigate carries out a plan, goto, goal or pose command.
func (c *coordinator) navigate(who *person, lease uint64, cmd robot.Command, now time.Time) robot.Result {
	const again = "Look again, then send it again."
	if _, plan := cmd.(robot.Plan); plan {
		if !who.mayDrive() {
			return refusal(robot.Error, "You are here as an observer. You can watch and stop the robot, not send it anywhere.")
		}
	} else if r := c.mayCommand(who, lease, again); !r.Done() {
		return r
	}
	if r := c.refuseWhileMapping(cmd); r.Word != "" {
		return r
	}
	switch cmd.(type) {
	case robot.GoTo, robot.Resume, robot.GoAround:
		if r := c.mayMove(); !r.Done() {
			return r
		}
	}
	text := ""
	switch order := cmd.(type) {
	case robot.Pause:
		order.Reason = "Paused by " + who.name + "."
		return c.robot.Do(order)
	case robot.Cancel:
		order.Reason = "Cancelled by " + who.name + "."
		return c.robot.Do(order)
	case robot.SetPose:
		text = who.name + " set the position."
	case robot.GoTo:
		text = who.name + " sent the robot to " + placeName(order.Name, order.Goal) + "."
	case robot.Resume:
		text = who.name + " resumed the drive" + c.goalPhrase() + "."
	case robot.GoAround:
		text = who.name + " had the drive" + c.goalPhrase() + " replanned around the obstacle."
	}
	if r := c.mayPlan(who, now); !r.Done() {
		return r
	}
	r := c.robot.Do(cmd)
	if !r.Done() {
		return r
	}
	switch cmd.(type) {
	case robot.GoTo, robot.Resume, robot.GoAround:
		c.standing, c.ordersPending = false, true
		c.logEvent(protocol.IconGoal, text, now)
	case robot.SetPose:
		c.logEvent(protocol.IconMap, text, now)
	}
	return r
}

// mayPlan returns Success when another path may be planned for the person, or the
// refusal.
func (c *coordinator) mayPlan(who *person, now time.Time) robot.Result {
	if !who.planBudget.spend(now, plansPerSecond) || !c.planBudget.spend(now, allPlansPerSecond) {
		return refusal(robot.Busy, fmt.Sprintf("Too many routes are asked for. At most %d per second are planned for one person.", plansPerSecond))
	}
	return robot.Result{Word: robot.Success}
}

// placeName names a goal in a sentence.
func placeName(name string, goal robot.Pose) string {
	if name != "" {
		return name
	}
	return fmt.Sprintf("x %.1f y %.1f", goal.X, goal.Y)
}

// goalPhrase names the current goal for a sentence.
func (n *navigation) goalPhrase() string {
	if n.goal == nil {
		return ""
	}
	return " to " + placeName(n.goal.Name, n.goal.Pose)
}

// isUnderWay reports whether the robot drives to a goal by itself, or runs a job.
func (c *coordinator) isUnderWay() bool {
	return c.run != nil && c.run.Phase == robot.RunRunning ||
		c.goal != nil && (c.goal.Phase == robot.GoalDriving || c.goal.Phase == robot.GoalBlocked)
}

// observeGoal looks at the goal of a new state and sends a new route at once.
func (c *coordinator) observeGoal(g *robot.Goal) {
	old := c.goal
	c.goal = g
	switch {
	case g == nil || g.Phase == robot.GoalEnded || g.Route == nil:
		c.routeEvent = nil
	case c.routeEvent == nil || old == nil || old.Route == nil || old.Route.Number != g.Route.Number:
		c.routeEvent = protocol.Encode(protocol.RouteEvent{Route: protocol.RouteOf(g.Route)})
		c.broadcast(c.routeEvent)
	}
}
