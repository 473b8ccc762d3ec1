package onboard

import (
	"time"

	"mybot/robot"
)

// goalRun is the goal of a robot, the path there, and what has become of it. While
// the goal is driven to, path is set, or nil until the robot stands and it is
// planned; while it is blocked, blockedSince and blockedAt are set; detourFor is
// set only while the goal is driven to. Paused or ended it has none of them.
type goalRun struct {
	goal   robot.Goal  // Number 0 = there was none yet
	shown  *robot.Goal // goal as it was published last
	routes uint64

	path      robot.Path   // nil = it is planned when the robot stands
	lost      bool         // it was paused because the position was lost, and nobody has said anything since;
	lostAt    time.Time    // the position was not known then, or the robot could not move
	begun     bool         // the table of behaviors is at work on it
	unplanned bool         // no path was found yet: a goal to which there is none ends
	detourFor *robot.Point // nil = nothing; in map, what a way around is being planned for
	early     bool         // that is so far ahead that the robot drives on meanwhile
	clearance float64      // m that the path leaves now; +Inf = the robot is on none
	wellAt    time.Time    // all was well with base and position
	attempts  int          // how often the robot was stuck
	stuckAt   robot.Point
	backUntil time.Time // until then it backs off

	blockedSince time.Time
	blockedAt    robot.Point // in map
	blockedBy    string      // what that is; empty = not known
	maxLength    float64     // m that the way around may be at first
	notedAt      time.Time   // the planner was told of it
	replannedAt  time.Time   // a way around was looked for
	earlyAt      time.Time   // a way around was looked for while the old one still led on
}

// isUnderWay reports whether the robot is on its way, or waits on it.
func (g *goalRun) isUnderWay() bool {
	return g.goal.Phase == robot.GoalDriving || g.goal.Phase == robot.GoalBlocked
}

// describeGoal returns the goal for a state: nil when there was none.
func (g *goalRun) describeGoal() *robot.Goal {
	if g.goal.Number == 0 {
		return nil
	}
	if g.shown == nil || *g.shown != g.goal {
		now := g.goal
		g.shown = &now
	}
	return g.shown
}

// replaceBy takes a goal in place of the one before it.
func (g *goalRun) replaceBy(now time.Time, next robot.GoTo) {
	g.enterPhase(robot.GoalEnded, robot.Result{})
	g.goal.Number, g.goal.Pose, g.goal.Name = g.goal.Number+1, next.Goal, next.Name
	g.goal.Left, g.goal.Time, g.goal.Route = 0, 0, nil
	g.wellAt = now
}

// setOut sends the robot on a path to its goal.
func (g *goalRun) setOut(path robot.Path) {
	route := path.Route()
	g.routes++
	route.Number = g.routes
	g.path, g.unplanned, g.detourFor = path, false, nil
	g.goal = robot.Goal{
		Number: g.goal.Number, Pose: g.goal.Pose, Name: g.goal.Name, Phase: robot.GoalDriving,
		Left: route.Length, Time: route.Time, Route: &route,
	}
}

// pause makes the robot stand until Resume, when it is under way.
func (g *goalRun) pause(reason string) {
	if g.isUnderWay() {
		g.enterPhase(robot.GoalPaused, robot.Result{Reason: reason})
	}
}

// enterPhase makes the robot stand in a phase in which nothing of the goal moves it.
func (g *goalRun) enterPhase(phase robot.GoalPhase, why robot.Result) {
	g.path, g.unplanned, g.detourFor, g.begun, g.lost = nil, false, nil, false, false
	g.goal.Behavior = robot.Behavior{}
	g.goal.Phase, g.goal.Blocked, g.goal.Across, g.goal.Result = phase, nil, 0, why
	g.backUntil, g.blockedSince, g.attempts = time.Time{}, time.Time{}, 0
}
