package session

import (
	"encoding/json"
	"fmt"
	"time"

	"mybot/robot"
)

// Where the robot goes by itself, where it is, and what stands around it: what
// the holder may do to that, and what everybody hears of it.

// navigate carries out a plan, goto, goal or pose command.
func (c *crew) navigate(who *person, lease uint64, cmd robot.Command, now time.Time) robot.Result {
	const again = "Look again, then send it again."
	if _, plan := cmd.(robot.Plan); plan {
		if !who.mayDrive() {
			return refusal(robot.Error, "You are here as an observer. You can watch and stop the robot, not send it anywhere.")
		}
	} else if r := c.mayCommand(who, lease, again); !done(r) {
		return r
	}
	switch cmd.(type) {
	case robot.GoTo, robot.Resume, robot.GoAround:
		if r := c.mayMove(); !done(r) {
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
	if r := c.mayPlan(who, now); !done(r) {
		return r
	}
	r := c.robot.Do(cmd)
	if !done(r) {
		return r
	}
	switch cmd.(type) {
	case robot.GoTo, robot.Resume, robot.GoAround:
		c.standing, c.ordered = false, true
		c.logEvent(iconGoal, text, now)
	case robot.SetPose:
		c.logEvent(iconMap, text, now)
	}
	return r
}

// mayPlan tells whether another way may be planned for the person, which costs
// the control loop time.
func (c *crew) mayPlan(who *person, now time.Time) robot.Result {
	if !who.planBudget.take(now, plansPerSecond) || !c.plans.take(now, allPlansPerSecond) {
		return refusal(robot.Busy, fmt.Sprintf("Too many routes are asked for. At most %d per second are planned for one person.", plansPerSecond))
	}
	return robot.Result{Word: robot.Success}
}

// placeName is what a goal is called in a sentence.
func placeName(name string, goal robot.Pose) string {
	if name != "" {
		return name
	}
	return fmt.Sprintf("x %.1f y %.1f", goal.X, goal.Y)
}

// goalPhrase names the goal there is, for a sentence.
func (c *crew) goalPhrase() string {
	if c.goal == nil {
		return ""
	}
	return " to " + placeName(c.goal.Name, c.goal.Pose)
}

// isUnderWay tells whether the robot is on its way to a goal, by itself, or does
// a job.
func (c *crew) isUnderWay() bool {
	return c.run != nil && c.run.Phase == robot.RunRunning ||
		c.goal != nil && (c.goal.Phase == robot.GoalDriving || c.goal.Phase == robot.GoalBlocked)
}

// observeGoal looks at the goal of a new state: a new route is told at once.
func (c *crew) observeGoal(g *robot.Goal) {
	old := c.goal
	c.goal = g
	switch {
	case g == nil || g.Phase == robot.GoalEnded || g.Route == nil:
		c.route = nil
	case c.route == nil || old == nil || old.Route == nil || old.Route.Number != g.Route.Number:
		c.route = encodeValue(routeEvent{"event", "route", RouteOf(g.Route)})
		c.broadcast(c.route)
	}
}

// changeWorld carries out a world command.
func (c *crew) changeWorld(who *person, cmd world, now time.Time) robot.Result {
	if c.world == nil {
		return refusal(robot.NA, "This robot is not simulated, so its world cannot be changed here.")
	}
	if r := c.mayCommand(who, cmd.Lease, "Try again."); !done(r) {
		return r
	}
	text := ""
	switch change := cmd.Change.(type) {
	case PutThing:
		if len(c.world.World().Things) >= mostThings {
			return refusal(robot.Error, fmt.Sprintf("There are %d objects already; remove one first.", mostThings))
		}
		text = fmt.Sprintf("%s put an %s at x %.1f y %.1f.", who.name, change.Kind, change.At.X, change.At.Y)
		if change.Kind == Magnet {
			text = fmt.Sprintf("%s put a magnet at x %.1f y %.1f.", who.name, change.At.X, change.At.Y)
		}
	case RemoveThing:
		text = fmt.Sprintf("%s removed thing %d.", who.name, change.Thing)
	case SetDoor:
		text = who.name + " opened a door."
		if change.Closed {
			text = who.name + " closed a door."
		}
	case Carry:
		text = who.name + " carried the robot away."
	}
	r := c.world.Change(cmd.Change)
	if done(r) {
		c.worldly = true
		if text != "" { // a thing that is dragged moves often
			c.logEvent(iconMap, text, now)
		}
	}
	return r
}

// worldEach is the time between two events about the world, which a hand that
// drags changes often.
const worldEach = 50 * time.Millisecond

// worldDue returns when the world is to be told; false = it has been.
func (c *crew) worldDue() (at time.Time, ok bool) {
	return c.worldAt.Add(worldEach), c.worldly
}

// encodeWorld returns the event that tells the world; nil = it is the real one.
func (c *crew) encodeWorld() []byte {
	if c.world == nil {
		return nil
	}
	return encodeValue(worldOf(c.world.World()))
}

// A savedMap is a map that somebody saved, as the page has it.
type savedMap struct {
	by    Identity
	event []byte
}

// MapSaved tells everybody who is here, and who comes, that the person has
// saved another map: its via points, edges and places, in the JSON that the
// page's floor plan has for them. It never waits.
func (h *Hub) MapSaved(by Identity, via, edges, places json.RawMessage) {
	event := encodeValue(MapEvent{"event", "map", via, edges, places})
	h.mu.Lock()
	h.charts = append(h.charts, savedMap{by, event})
	h.mu.Unlock()
	h.wakeUp()
}

// handleSavedMap tells of a map that was saved.
func (c *crew) handleSavedMap(m savedMap, now time.Time) {
	c.chart = m.event
	c.broadcast(m.event)
	who, name := c.people.byBrowser(m.by.Browser), m.by.displayName()
	if who != nil {
		name = who.name
	}
	c.logEvent(iconMap, name+" saved the map.", now)
	c.auditPerson(now, "settings", who, name+" saved the map.")
}
