package onboard

import (
	"time"

	"mybot/robot"
)

// goalRun is the robot's goal, the path to it and its progress. While the goal is under way,
// path is set, or nil until the robot stands and the navigator plans one. A paused or ended
// goal has none.
type goalRun struct {
	goal   robot.Goal  // Number 0 = no goal yet
	shown  *robot.Goal // the last published goal
	routes uint64

	path      robot.Path // nil = the navigator plans one when the robot stands
	lost      bool       // paused because the position was lost; no command has paused it since
	lostAt    time.Time  // last time since then at which the robot could not continue
	begun     bool       // the behavior machine has started this goal
	unplanned bool       // no path was found yet; if planning fails, the goal ends
	clearance float64    // m, of the path at the robot; +Inf = no path
	wellAt    time.Time  // last time at which base and position were fine
	attempts  int        // how often the robot ended beside its goal

	looks    bool          // it stands at its goal, is unsure of its position, and looks around
	lookedAt time.Time     // when it last did; zero = it begins to
	looked   time.Duration // for how long it has

	replannedAt time.Time // when another path was last requested; zero = an obstacle has gone since
}

// isUnderWay reports whether the robot is driving to the goal, or waiting because it is
// blocked.
func (g *goalRun) isUnderWay() bool {
	return g.goal.Phase == robot.GoalDriving || g.goal.Phase == robot.GoalBlocked
}

// describeGoal returns the goal for a state; nil = there was none.
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

func (g *goalRun) replaceBy(now time.Time, next robot.GoTo) {
	g.enterPhase(robot.GoalEnded, robot.Result{})
	g.goal.Number, g.goal.Pose, g.goal.Name = g.goal.Number+1, next.Goal, next.Name
	g.goal.Left, g.goal.Time, g.goal.Route = 0, 0, nil
	g.wellAt = now
}

// setOut starts driving to the goal on a path.
func (g *goalRun) setOut(path robot.Path) {
	route := path.Route()
	g.routes++
	route.Number = g.routes
	g.path, g.unplanned = path, false
	g.goal = robot.Goal{
		Number: g.goal.Number, Pose: g.goal.Pose, Name: g.goal.Name, Phase: robot.GoalDriving,
		Left: route.Length, Time: route.Time, Route: &route,
	}
}

// waitFor makes the robot wait for an obstacle, until the navigator finds a path.
func (g *goalRun) waitFor(b robot.Blocked) {
	g.goal.Phase, g.goal.Result, g.goal.Time = robot.GoalBlocked, robot.Result{}, 0
	g.goal.Blocked = &robot.Blockage{At: b.At, Reason: b.Reason}
}

// pause stops the robot until Resume, if a goal is under way.
func (g *goalRun) pause(reason string) {
	if g.isUnderWay() {
		g.enterPhase(robot.GoalPaused, robot.Result{Reason: reason})
	}
}

// enterPhase enters a phase in which the goal does not move the robot: paused or ended.
func (g *goalRun) enterPhase(phase robot.GoalPhase, why robot.Result) {
	g.path, g.unplanned, g.begun, g.lost = nil, false, false, false
	g.goal.Behavior = robot.Behavior{}
	g.goal.Phase, g.goal.Blocked, g.goal.Across, g.goal.Result = phase, nil, 0, why
	g.attempts, g.looks, g.looked = 0, false, 0
}
