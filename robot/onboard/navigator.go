package onboard

import (
	"cmp"
	"errors"
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/guard"
	"mybot/robot/limits"
	"mybot/robot/obstacle"
)

// sentAway is why driving by hand ends when the robot gets a goal.
const sentAway = "The robot was sent to a goal."

// The reasons of a goal that was paused or cancelled without one.
const (
	goalPaused  = "The goal was paused."
	goalGivenUp = "The goal was cancelled."
)

// navigator drives to goals: it asks its planner for a path, follows it, and handles
// obstacles and other trouble.
type navigator struct {
	*situation
	others  others
	planner robot.Planner // nil = there are no paths
	noPaths string        // why there is no planner; "" = there is no map
	run     goalRun
	local   *localDrive
}

// Do executes a command about goals.
func (n *navigator) Do(now time.Time, cmd robot.Command) (r robot.Result, ok bool) {
	reason := sentAway
	switch cmd := cmd.(type) {
	case robot.Plan:
		return n.previewPath(now, cmd.Goal), true
	case robot.GoTo:
		r = n.goTo(now, cmd)
	case robot.Pause:
		r, reason = n.pauseGoal(now, cmd.Reason), goalPaused
	case robot.Resume:
		r = n.resumeGoal(now)
	case robot.Cancel:
		r, reason = n.cancelGoal(cmd.Reason), goalGivenUp
	case robot.GoAround:
		r = n.goAround(now)
	default:
		return r, false
	}
	if r.Done() {
		n.others.flushQueue(reason)
		switch cmd.(type) {
		case robot.GoTo, robot.Cancel:
			n.others.pauseJob(now, cmp.Or(n.run.goal.Result.Reason, reason)) // a cancelled goal has a reason
		}
	}
	return r, true
}

// Interrupt pauses the goal until Resume.
func (n *navigator) Interrupt(_ time.Time, reason string) {
	if n.run.lost { // from now on only a person can resume it
		n.run.lost, n.run.goal.Result.Reason = false, reason
	}
	n.run.pause(reason)
}

// continueFound resumes a goal that was paused because the position was lost. The position
// must have been known for KnownAgain, and no command may have paused the goal since. A job
// resumes its own goal.
func (n *navigator) continueFound(now time.Time) {
	g := &n.run
	if !g.lost {
		return
	}
	if n.estimate.Trust != robot.TrustOK || n.refuseGoal(now).Word != "" || n.others.drivesByHand(now) {
		g.lostAt = now
	}
	if now.Sub(g.lostAt) >= limits.KnownAgain {
		g.lost, g.wellAt = false, now
		g.goal.Phase, g.goal.Result = robot.GoalDriving, robot.Result{}
	}
}

func (n *navigator) endGoal(r robot.Result) {
	g := &n.run
	g.enterPhase(robot.GoalEnded, r)
	g.goal.Off = n.estimate.Pose.Point().Sub(g.goal.Pose.Point()).Norm()
	if r.Done() {
		g.goal.Left, g.goal.Time = 0, 0
	}
}

// usePlanner replaces the planner, because the map changed. If a goal is under way, the
// navigator plans its path again.
func (n *navigator) usePlanner(p robot.Planner) {
	g := &n.run
	n.planner = p
	switch {
	case p == nil && g.goal.Number > 0 && g.goal.Phase != robot.GoalEnded:
		n.endGoal(failedResult("There is no longer a map."))
	case g.isUnderWay():
		g.path, g.replannedAt, g.begun, g.looks = nil, time.Time{}, false, false
	}
}

// walls returns the distances to the walls of the map; nil if there is no map.
func (n *navigator) walls() obstacle.Walls {
	if n.planner == nil {
		return nil
	}
	return (*plannedWalls)(n)
}

// plannedWalls are the walls that a navigator's planner knows.
type plannedWalls navigator

// At returns the distance from a point in map to the nearest wall, in m.
func (w *plannedWalls) At(p robot.Point) float64 { return w.planner.Clearance(p) }

// Propose returns the motion toward the goal.
func (n *navigator) Propose(r robot.Reading) (v velocityRequest, ok bool) {
	t, ok := n.pursueGoal(r)
	return newVelocityRequest(t, r.Time, limits.RequestValidity, guard.Approach{Stop: n.stopDistance(t), Autonomous: true}), ok
}

// planPath plans a path from the robot's pose.
func (n *navigator) planPath(now time.Time, goal robot.Pose) (robot.Path, error) {
	if !robot.Finite(goal.X, goal.Y, goal.Theta) {
		return nil, robot.Refusal(failedResult("The goal %v is not a place. Give x and y in metres and theta in radians.", goal))
	}
	path, err := n.planner.Plan(now, n.estimate.Pose, goal)
	if !errors.Is(err, robot.ErrPlanning) {
		n.reply(robot.Reply{Kind: robot.PlanReply, Call: n.plans, Path: path, Err: err})
	}
	n.plans++
	return path, err
}

// isBlocked reports whether only an obstacle keeps the planner from finding a path.
func isBlocked(err error) bool {
	_, ok := errors.AsType[robot.Blocked](err)
	return ok
}

// planFailed returns the answer to a command for which there is no path; without a word
// while the planner still works on it.
func planFailed(err error) robot.Result {
	if errors.Is(err, robot.ErrPlanning) {
		return robot.Result{}
	}
	var r robot.Refusal
	if errors.As(err, &r) {
		return robot.Result(r)
	}
	return failedResult("No route was found: %v.", err)
}

// refusePlanning returns why no path can be planned now; the empty word = it can.
func (n *navigator) refusePlanning(now time.Time) robot.Result {
	switch never := RefuseGoals(n.desc); {
	case n.planner == nil:
		return n.refuseWithoutPlanner()
	case never.Word != "":
		return never
	case n.refuseWithoutReadings(now).Word != "":
		return n.refuseWithoutReadings(now)
	case n.estimate.Trust == robot.TrustLost:
		return robot.Result{Word: robot.Error, Reason: lostReason}
	}
	return robot.Result{}
}

// refuseGoal returns why the robot cannot start toward a goal now; the empty word = it can.
func (n *navigator) refuseGoal(now time.Time) robot.Result {
	if no := n.refuseMotion(now); no.Word != "" {
		return no
	}
	if no := n.refusePlanning(now); no.Word != "" {
		return no
	}
	return n.refuseWithoutSight()
}

// previewPath answers with the route to the goal, without driving it.
func (n *navigator) previewPath(now time.Time, goal robot.Pose) robot.Result {
	if no := n.refusePlanning(now); no.Word != "" {
		return no
	}
	path, err := n.planPath(now, goal)
	if err != nil {
		return planFailed(err)
	}
	route := path.Route()
	return robot.Result{Word: robot.Success, Route: &route}
}

// goTo sends the robot to a goal if there is a path.
func (n *navigator) goTo(now time.Time, g robot.GoTo) robot.Result {
	r, _ := n.setOutTo(now, g)
	return r
}

// setOutTo is goTo; err is the planner's if there is no path.
func (n *navigator) setOutTo(now time.Time, g robot.GoTo) (r robot.Result, err error) {
	if no := n.refuseGoal(now); no.Word != "" {
		return no, nil
	}
	path, err := n.planPath(now, g.Goal)
	if err != nil {
		return planFailed(err), err
	}
	n.replaceGoal(now, g)
	n.run.setOut(path)
	return robot.Result{Word: robot.Success, Route: n.run.goal.Route}, nil
}

// replaceGoal replaces the current goal, and ends driving by hand.
func (n *navigator) replaceGoal(now time.Time, next robot.GoTo) {
	n.others.leaveTeleop(sentAway)
	n.run.replaceBy(now, next)
}

// sendToGoal sends the robot to a goal of a job, of a script or of the queue. A goal whose
// path is still being planned counts as under way, and ends if there is no path; the job,
// script or queue observes that. While only an obstacle is in the way, the robot waits for it.
func (n *navigator) sendToGoal(now time.Time, g robot.GoTo) robot.Result {
	r, err := n.setOutTo(now, g)
	if !errors.Is(err, robot.ErrPlanning) && !isBlocked(err) {
		return r
	}
	n.replaceGoal(now, g)
	n.run.goal.Phase, n.run.unplanned = robot.GoalDriving, true
	n.run.goal.Left = g.Goal.Point().Sub(n.estimate.Pose.Point()).Norm()
	return robot.Result{Word: robot.Success}
}

// resendToGoal is sendToGoal for the paused goal.
func (n *navigator) resendToGoal(now time.Time) robot.Result {
	r := n.resumeGoal(now)
	if r.Word != "" {
		return r
	}
	n.others.leaveTeleop(sentAway)
	n.run.goal.Phase, n.run.goal.Result = robot.GoalDriving, robot.Result{}
	return robot.Result{Word: robot.Success}
}

// pauseGoal stops the robot on its way.
func (n *navigator) pauseGoal(now time.Time, reason string) robot.Result {
	if !n.run.isUnderWay() && n.run.goal.Phase != robot.GoalPaused {
		return failedResult("The robot has no goal.")
	}
	n.others.pauseGoal(now, cmp.Or(reason, goalPaused))
	return robot.Result{Word: robot.Success}
}

// resumeGoal resumes the paused goal on a new path.
func (n *navigator) resumeGoal(now time.Time) robot.Result {
	g := &n.run
	switch g.goal.Phase {
	case robot.GoalDriving:
		return robot.Result{Word: robot.Success}
	case robot.GoalBlocked:
		g.replannedAt = time.Time{}
		return robot.Result{Word: robot.Success}
	case robot.GoalPaused:
	default:
		return failedResult("There is no goal to resume.")
	}
	if no := n.refuseGoal(now); no.Word != "" {
		return no
	}
	path, err := n.planPath(now, g.goal.Pose)
	g.wellAt = now
	var blocked robot.Blocked
	switch {
	case err == nil:
		n.others.leaveTeleop(sentAway)
		g.setOut(path)
		return robot.Result{Word: robot.Success}
	case errors.As(err, &blocked):
		g.waitFor(blocked)
		return robot.Result{Word: robot.Modified, Reason: blocked.Reason + " The robot waits for it."}
	}
	return planFailed(err)
}

func (n *navigator) cancelGoal(reason string) robot.Result {
	g := &n.run
	if !g.isUnderWay() && g.goal.Phase != robot.GoalPaused {
		return failedResult("There is no goal to cancel.")
	}
	n.endGoal(robot.Result{Word: robot.Interrupted, Reason: cmp.Or(reason, goalGivenUp)})
	return robot.Result{Word: robot.Success}
}

// goAround takes any path around the obstacle, however long.
func (n *navigator) goAround(now time.Time) robot.Result {
	g := &n.run
	if g.goal.Phase != robot.GoalBlocked {
		return failedResult("Nothing is blocking the route.")
	}
	if no := n.refuseGoal(now); no.Word != "" {
		return no
	}
	path, err := n.planPath(now, g.goal.Pose)
	if err != nil {
		return planFailed(err)
	}
	g.setOut(path)
	n.local.machine.TakeWay(now)
	return robot.Result{Word: robot.Success, Route: g.goal.Route}
}

// pursueGoal returns the motion toward the goal; ok is false if no goal is under way.
func (n *navigator) pursueGoal(r robot.Reading) (t robot.Twist, ok bool) {
	g, now := &n.run, r.Time
	g.clearance = math.Inf(1)
	n.continueFound(now)
	if !g.isUnderWay() {
		return t, false
	}
	if reason := cmp.Or(n.unsafeReason(), n.blindAheadReason()); reason != "" {
		if g.goal.Phase == robot.GoalDriving {
			g.path, g.begun = nil, false
		}
		if now.Sub(g.wellAt) > limits.GoalTrouble {
			lost := reason == lostReason && !n.others.hasJobGoal()
			if lost {
				reason = lostGoal
			}
			g.pause(reason)
			g.lost, g.lostAt = lost, now
		}
		return t, true
	}
	g.wellAt = now
	if n.estimate.Trust == robot.TrustOK && n.planner.Observe(r, n.rays, n.estimate.Pose) {
		n.reply(robot.Reply{Kind: robot.GoneReply})
		g.replannedAt = time.Time{}
	}
	return n.behave(r), true
}

// isOnMap reports whether an echo at a point in the axle frame may come from the map.
// Without a map it may: walls and obstacles look the same, and a driver along a wall is not
// diverted from it.
func (n *navigator) isOnMap(p robot.Point) bool {
	return n.planner == nil || n.mayBeOnMap(n.desc.Drivetrain.Axle(n.estimate.Pose).Apply(p))
}

// mayBeOnMap reports whether an echo at a point in map may come from something on the floor
// plan.
func (n *navigator) mayBeOnMap(at robot.Point) bool { return n.planner.Clearance(at) < limits.MapMaybe }
