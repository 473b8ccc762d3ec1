package session

import (
	"fmt"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// handleNavigate executes a plan, goto, goal or pose command.
func (c *coordinator) handleNavigate(who *person, lease uint64, cmd robot.Command, now time.Time) robot.Result {
	const again = "Look again, then send it again."
	if _, plan := cmd.(robot.Plan); plan {
		if !who.mayDrive() {
			return newRefusal(robot.Error, "You are here as an observer. You can watch and stop the robot, not send it anywhere.")
		}
	} else if r := c.mayCommand(who, lease, again); !r.Done() {
		return r
	}
	if r := c.refuseWhileMapping(cmd); r.Word != "" {
		return r
	}
	switch order := cmd.(type) {
	case robot.GoTo, robot.Resume, robot.GoAround:
		if r := c.mayMove(); !r.Done() {
			return r
		}
	case robot.SetPose:
		if r := c.refuseOffMap(order.Pose.Point()); r.Word != "" {
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

// refuseOffMap refuses a position outside the map in use; an empty word = no refusal.
func (c *coordinator) refuseOffMap(p robot.Point) robot.Result {
	if c.floorplan == nil {
		return robot.Result{}
	}
	g := &c.floorplan().Grid
	if _, _, ok := g.Index(p); ok || len(g.Cells) == 0 {
		return robot.Result{}
	}
	end := g.CellMiddle(g.Width, g.Height).Sub(g.CellMiddle(0, 0)).Add(g.Origin)
	return newRefusal(robot.Error, fmt.Sprintf("The position x %.1f y %.1f is not on the map; x should be from %.1f to %.1f m and y from %.1f to %.1f m.", p.X, p.Y, g.Origin.X, end.X, g.Origin.Y, end.Y))
}

// goalPhrase names the current goal for a sentence.
func (n *navigation) goalPhrase() string {
	if n.goal == nil {
		return ""
	}
	return " to " + placeName(n.goal.Name, n.goal.Pose)
}

// observeGoal examines the goal of a new state and sends a new route at once.
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
