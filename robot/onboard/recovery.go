package onboard

import (
	"errors"
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// replanPath plans a new path from the robot's pose.
func (n *navigator) replanPath(now time.Time) {
	g := &n.run
	path, err := n.planPath(now, g.goal.Pose)
	var blocked robot.Blocked
	switch {
	case errors.Is(err, robot.ErrPlanning):
	case err == nil:
		g.setOut(path)
	case g.unplanned:
		n.endGoal(planFailed(err))
	case errors.As(err, &blocked):
		n.waitForObstacle(now, blocked.At, false, blocked.Reason)
	default:
		g.pause(planFailed(err).Reason)
	}
}

// followPath follows the path and handles obstacles on it.
func (n *navigator) followPath(r robot.Reading) robot.Twist {
	g, now, here := &n.run, r.Time, n.estimate.Pose
	maxSpeed := n.desc.Safe.Linear
	var lane robot.Lane
	if n.estimate.Trust == robot.TrustOK {
		lane = g.path.Watch(r, n.rays, here)
	} else {
		maxSpeed = math.Min(maxSpeed, limits.UnsureSpeed)
	}
	if lane.Early && now.Sub(g.earlyAt) >= limits.ReplanEvery {
		g.earlyAt = now
		n.startDetour(now, lane.Face, true)
	}
	t, p := g.path.Follow(now, here, n.measured, maxSpeed)
	g.clearance = p.Clearance
	g.goal.Done, g.goal.Left, g.goal.Time, g.goal.Across = p.Done, p.Left, p.Time, p.Across
	if (g.attempts > 0 || !g.blockedSince.IsZero()) && here.Point().Sub(g.stuckAt).Norm() > limits.StuckRadius {
		g.attempts, g.blockedSince = 0, time.Time{}
	}
	switch {
	case p.Arrived:
		n.endGoal(robot.Result{Word: robot.Success})
	case p.Lost:
		g.path = nil
	case lane.Blocked && !lane.Early:
		n.startDetour(now, lane.Face, false)
	case p.Waiting > limits.HeldAfter && n.held != nil && !n.mayBeOnMap(*n.held):
		n.avoidHeld(now, *n.held, t.Linear == 0)
	case p.Waiting > limits.StuckAfter, p.Over && n.measured.IsStill():
		n.overcomeObstacle(now, p.Over)
	case p.Waiting > limits.LookAfter && n.held != nil && t.Linear > 0:
		return n.turnSonarToObstacle(t)
	default:
		return t
	}
	return robot.Twist{}
}

// turnSonarToObstacle replaces the angular part of t. It turns the nearest sonar to the
// obstacle that holds the robot, unless a sonar or lidar sees that place already, so that a
// new echo can confirm or clear what the guard only remembers. The guard stops such a turn
// as soon as it would come nearer, so the robot turns in small steps.
func (n *navigator) turnSonarToObstacle(t robot.Twist) robot.Twist {
	at := n.desc.Drivetrain.Axle(n.estimate.Pose).Inverse().Apply(*n.held)
	if n.guard.LooksByLidar(at) {
		return t
	}
	off, half := n.guard.NearestSonar(at)
	if t.Angular = 0; math.Abs(off) >= half/2 {
		t.Angular = math.Copysign(limits.LookTurn, off)
	}
	return t
}

// startDetour reports an obstacle in the lane to the planner and starts a detour, if that
// is not much longer.
func (n *navigator) startDetour(now time.Time, face robot.Point, early bool) {
	g := &n.run
	g.maxLength = g.goal.Left + math.Max(limits.DetourLength, limits.DetourShare*g.goal.Left)
	n.noteObstacle(now, face)
	g.detourFor, g.early = &face, early
	n.planDetour(now)
}

// planDetour takes the detour once it is planned. Until then the robot stands, unless the
// obstacle is still far ahead: then it continues on its path, and keeps it if there is no
// detour or only a much longer one.
func (n *navigator) planDetour(now time.Time) {
	g := &n.run
	path, err := n.planPath(now, g.goal.Pose)
	switch {
	case errors.Is(err, robot.ErrPlanning):
	case err == nil && path.Route().Length <= g.maxLength:
		g.setOut(path)
	case g.early:
		g.detourFor = nil
	default:
		n.waitForObstacle(now, *g.detourFor, true, "")
	}
}

// avoidHeld drives around the obstacle for which the guard holds the robot. If the robot
// cannot turn, or is held again, it backs off first.
func (n *navigator) avoidHeld(now time.Time, face robot.Point, turning bool) {
	g := &n.run
	if turning || g.attempts > 0 {
		n.noteObstacle(now, face)
		n.overcomeObstacle(now, false)
		return
	}
	g.stuckAt = n.estimate.Pose.Point()
	g.attempts++
	n.startDetour(now, face, false)
}

// noteObstacle reports to the planner the obstacle at the point face, in map.
func (n *navigator) noteObstacle(now time.Time, face robot.Point) {
	n.planner.Block(now, n.estimate.Pose.Point(), face)
	n.run.notedAt = now
}

// overcomeObstacle handles a robot that makes no progress because the guard holds it, or
// that ended beside its goal. It backs off and plans again, and after StuckAttempts it
// waits.
func (n *navigator) overcomeObstacle(now time.Time, over bool) {
	g := &n.run
	g.stuckAt = n.estimate.Pose.Point()
	g.attempts++
	switch {
	case g.attempts > limits.StuckAttempts && n.atGoal():
		n.endGoal(robot.Result{Word: robot.Success})
	case g.attempts > limits.StuckAttempts:
		g.attempts = 0
		ahead := n.estimate.Pose.Apply(robot.Point{X: n.desc.Body.Length/2 + limits.StopDistance})
		n.waitForObstacle(now, ahead, false, "")
	case over:
		g.path = nil
	default:
		g.path, g.backUntil = nil, now.Add(limits.BackOffTime)
	}
}

// canBackOff reports whether the map leaves room to back off: sonars may miss walls behind
// at a slant.
func (n *navigator) canBackOff() bool {
	rear := n.guard.Footprint().Rear()
	return !n.mayBeOnMap(n.desc.Drivetrain.Axle(n.estimate.Pose).Apply(robot.Point{X: rear + limits.BackOffMargin}))
}

// atGoal reports whether the robot is as close to its goal as it can get.
func (n *navigator) atGoal() bool {
	off := n.run.goal.Pose.Inverse().Compose(n.estimate.Pose)
	return off.Point().Norm() <= limits.GoalNear && math.Abs(off.Theta) <= limits.GoalNearTurn
}

// waitForObstacle makes the robot wait for the obstacle at the point at, in map. inLane
// means that it stands in the lane of the path, which the navigator continues to watch;
// otherwise the robot takes any path to the goal that opens, however long. reason describes
// the obstacle; empty = not known.
func (n *navigator) waitForObstacle(now time.Time, at robot.Point, inLane bool, reason string) {
	g := &n.run
	if g.blockedSince.IsZero() {
		g.blockedSince = now
	}
	g.stuckAt = n.estimate.Pose.Point()
	g.blockedAt, g.replannedAt, g.detourFor, g.unplanned, g.blockedBy = at, now, nil, false, reason
	if !inLane {
		g.path, g.maxLength = nil, math.Inf(1)
	}
	g.goal.Phase, g.goal.Result, g.goal.Time = robot.GoalBlocked, robot.Result{}, 0
	g.goal.Blocked = &robot.Blockage{At: at, Waited: now.Sub(g.blockedSince).Seconds(), Reason: g.blockedBy}
}

// waitBlocked checks whether a blocked robot can continue. The longer it has waited, the
// longer a detour it accepts.
func (n *navigator) waitBlocked(r robot.Reading) {
	g, now, here := &n.run, r.Time, n.estimate.Pose
	waited := now.Sub(g.blockedSince).Seconds()
	g.goal.Blocked = &robot.Blockage{At: g.blockedAt, Waited: waited, Reason: g.blockedBy}
	if g.path != nil && n.estimate.Trust == robot.TrustOK {
		if lane := g.path.Watch(r, n.rays, here); lane.Seen && now.Sub(g.notedAt) >= limits.ReplanEvery {
			n.noteObstacle(now, lane.Face)
		}
	}
	if now.Sub(g.replannedAt) < limits.ReplanEvery {
		return
	}
	path, err := n.planPath(now, g.goal.Pose)
	if errors.Is(err, robot.ErrPlanning) {
		return
	}
	g.replannedAt = now
	var blocked robot.Blocked
	switch {
	case err == nil && path.Route().Length <= g.maxLength+limits.DetourGrowth*waited:
		g.setOut(path)
	case errors.As(err, &blocked):
		g.blockedBy = blocked.Reason
	}
}

// stopDistance returns the distance, in m, at which the guard stops the robot on its way to
// the goal. Paths lead past door posts and to places before walls; those are on the map,
// and there the guard allows the path's own clearance. With a lidar the local controller
// plans around what it sees, so the shortest distance applies unless no lidar sees in the
// direction of t.
func (n *navigator) stopDistance(t robot.Twist) float64 {
	if n.local != nil && n.reading.Time.Sub(n.scannedAt) < limits.BlindLidarAfter && n.guard.SeesByLidar(t) {
		return limits.NearStopDistance
	}
	return robot.Clamp(n.run.clearance-n.reach, limits.NearStopDistance, limits.StopDistance)
}
