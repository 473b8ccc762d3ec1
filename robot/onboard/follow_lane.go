package onboard

import (
	"math"

	"mybot/robot"
	"mybot/robot/behavior"
	"mybot/robot/limits"
)

// followLane returns the motion of a robot without a lidar along its path, and adds to the
// facts what keeps it from driving there. Such a robot has no other lane than the path,
// because an echo may come from anywhere in the width of its beam; t is the twist along it.
func (n *navigator) followLane(r robot.Reading, t robot.Twist, p robot.Progress, f *behavior.Facts) robot.Twist {
	l := n.local
	var lane robot.Lane
	if n.estimate.Trust == robot.TrustOK {
		lane = n.run.path.Watch(r, n.estimate.Pose)
	}
	held := n.held != nil && !n.mayBeOnMap(*n.held)
	switch l.hears = lane.Seen || held; {
	case lane.Seen:
		l.face = lane.Face
	case held:
		l.face = *n.held
	}
	if n.held != nil && p.Waiting > limits.HeldAfter && n.atGoal() {
		n.arrive()
		return robot.Twist{}
	}
	turns := t.Linear == 0 && t.Angular != 0
	f.Held = turns && n.held != nil && p.Waiting > limits.WaitLook && !n.atGoal()
	f.Turning = turns && !f.Held
	f.HeldAhead = !turns && n.held != nil
	f.Blocked = lane.Blocked || held && p.Waiting > limits.HeldAfter
	// A robot that waits drives on only when its planner has found a path again.
	f.Gains = !f.Blocked && l.order.State == behavior.Follow
	if p.Waiting > limits.LookAfter && n.held != nil && t.Linear > 0 {
		return n.turnSonarToObstacle(t)
	}
	return t
}

// turnSonarToObstacle replaces the angular part of t. It turns the nearest sonar to the
// obstacle that holds the robot, unless a sonar faces that place already, so that a new echo
// can confirm or clear what the guard only remembers. The guard stops such a turn as soon as
// it would come nearer, so the robot turns in small steps.
func (n *navigator) turnSonarToObstacle(t robot.Twist) robot.Twist {
	at := n.desc.Drivetrain.Axle(n.estimate.Pose).Inverse().Apply(*n.held)
	off, half := n.guard.NearestSonar(at)
	if t.Angular = 0; math.Abs(off) >= half/2 {
		t.Angular = math.Copysign(limits.LookTurn, off)
	}
	return t
}

// atGoal reports whether the robot is as close to its goal as it can get.
func (n *navigator) atGoal() bool { return n.isWithin(limits.GoalNear, limits.GoalNearTurn) }

// isWithin reports whether the robot is at most distance, in m, from its goal, and at most turn,
// in rad, from the goal's heading.
func (n *navigator) isWithin(distance, turn float64) bool {
	off := n.run.goal.Pose.Inverse().Compose(n.estimate.Pose)
	return off.Point().Norm() <= distance && math.Abs(off.Theta) <= turn
}

// stopDistance returns the distance, in m, at which the guard stops the robot on its way to
// the goal. Paths lead past door posts and to places before walls; those are on the map,
// and there the guard allows the path's own clearance. With a lidar the local controller
// plans around what it sees, so the shortest distance applies unless no lidar sees in the
// direction of t. While a robot without one frees itself, the clearance of the map where it
// stands applies, because it leaves the path.
func (n *navigator) stopDistance(t robot.Twist) float64 {
	if n.local.hasLidar && n.reading.Time.Sub(n.scannedAt) < limits.BlindLidarAfter && n.guard.SeesByLidar(t) {
		return limits.NearStopDistance
	}
	if !n.local.hasLidar && n.local.order.State == behavior.Free {
		return n.local.near
	}
	return robot.Clamp(n.run.clearance-n.reach, limits.NearStopDistance, limits.StopDistance)
}
