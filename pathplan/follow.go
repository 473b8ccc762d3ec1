package pathplan

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

const (
	window      = 0.8 // m of route ahead in which the follower searches the nearest point
	headingGain = 2.5 // 1/s, for turns on the spot
)

// follower computes the twists that follow a route, from the estimate of each tick.
// Only one goroutine may use it.
type follower struct {
	route   *Route
	train   robot.Drivetrain
	limit   robot.Limit
	along   float64 // m of route driven
	at      int     // index of the waypoint before along
	phase   phase
	turning bool    // on the spot, towards the route
	by      float64 // rad, the planned turn on the spot; only its sign counts
	heldUp  bool    // the robot has made no progress for a while
}

// phase is the part of a route that a follower executes.
type phase uint8

// The phases of a route.
const (
	turning   phase = iota // on the spot, to face the route
	driving                // along the route
	finishing              // at the end of the route, to the goal's heading
	backing                // backwards into the goal
	arrived                // at the goal
)

// newFollower returns a follower at the start of a route.
func newFollower(route *Route, desc robot.Description) *follower {
	return &follower{route: route, train: desc.Drivetrain, limit: desc.Safe, by: route.StartTurn}
}

// followRoute returns the twist of M for base_link at pose, in map, while M moves with
// twist. maxSpeed is an additional speed limit, in m/s. The path sets Waiting and
// Arrived of the progress.
func (f *follower) followRoute(pose robot.Pose, twist robot.Twist, maxSpeed float64) (robot.Twist, robot.Progress) {
	m := f.train.Axle(pose)
	f.along, f.at = f.route.nearestAlong(m.Point(), f.along, min(f.route.drivenLength(), f.along+window), f.at)
	here, _ := f.route.waypointAt(f.along, f.at)
	off := m.Point().Sub(here.Point)
	sin, cos := math.Sincos(here.Heading)
	across := -sin*off.X + cos*off.Y
	last := f.route.Points[len(f.route.Points)-1].Point
	left := f.route.drivenLength() - f.along
	p := robot.Progress{Done: f.along, Left: left + f.route.Back, Across: across, Clearance: f.clearanceAhead(), Lost: math.Abs(across) > limits.RouteLost}

	// Past the end, along stays at the end; whether M has passed it follows from how far
	// the end is ahead of M.
	ahead := left
	if left < spacing {
		end := last.Sub(m.Point())
		msin, mcos := math.Sincos(m.Theta)
		ahead = mcos*end.X + msin*end.Y
	}
	p.Exact = left < limits.RouteExact
	// Where it is held up close to its goal, it turns there.
	isHeldUp := f.heldUp && f.route.Back == 0 && last.Sub(m.Point()).Norm() <= limits.GoalNear
	if f.phase < finishing && (isHeldUp || ahead < 0.01 || left < 1e-9 && last.Sub(m.Point()).Norm() < limits.ArriveWithin/2) {
		f.phase, f.by = finishing, f.route.GoalTurn
	}
	if f.phase >= finishing {
		return f.finishAt(m, maxSpeed, p)
	}
	aim, _ := f.route.waypointAt(min(f.route.drivenLength(), f.along+limits.RouteLookAhead), f.at)
	bearing := robot.WrapAngle(math.Atan2(aim.Point.Y-m.Y, aim.Point.X-m.X) - m.Theta)
	largest := limits.RouteTurnFrom
	if f.along < spacing {
		largest = limits.RouteStartTurnFrom
	}
	if !f.turning && math.Abs(bearing) > largest && left > limits.RouteLookAhead/2 {
		f.turning = true
	}
	if f.turning {
		if math.Abs(bearing) > robot.Radians(5) {
			f.phase, p.Exact = turning, p.Exact || f.along < spacing
			p.Time = turnTime(bearing, f.limit) + f.timeLeft()
			return f.turnBy(bearing), p
		}
		f.turning, f.by = false, 0
	}
	f.phase = driving
	p.Time = f.timeLeft()
	return f.driveAlong(here, m, across, ahead, maxSpeed, twist), p
}

// clearanceAhead returns the smallest clearance in the next metre of the route, in m.
func (f *follower) clearanceAhead() float64 {
	minClearance := f.route.Points[f.at].Clear
	for _, w := range f.route.Points[f.at+1:] {
		if w.Along > f.along+1 {
			break
		}
		minClearance = min(minClearance, w.Clear)
	}
	return minClearance
}

// timeLeft estimates the time for the rest of the route, in s.
func (f *follower) timeLeft() float64 {
	if f.route.drivenLength() == 0 {
		return turnTime(f.route.GoalTurn, f.limit)
	}
	start := turnTime(f.route.StartTurn, f.limit)
	end := turnTime(f.route.GoalTurn, f.limit)
	return (f.route.Time-start-end)*(1-f.along/f.route.drivenLength()) + end
}

// driveAlong returns the twist that follows the route: its curvature as feedforward,
// with feedback on the cross-track and heading errors.
func (f *follower) driveAlong(here Waypoint, m robot.Pose, across, ahead, maxSpeed float64, twist robot.Twist) robot.Twist {
	// The turn rate takes time to build up: use the mean curvature over the distance
	// that the robot drives meanwhile.
	v := math.Max(math.Abs(twist.Linear), limits.RouteCreep)
	bend := f.meanBend(f.along, f.along+v*f.limit.Angular/f.limit.AngularAcceleration)
	off := robot.WrapAngle(here.Heading - m.Theta)
	next, _ := f.route.waypointAt(min(f.route.drivenLength(), f.along+v*0.1), f.at)
	speed := math.Min(maxSpeed, math.Max(limits.RouteCreep, next.Speed))
	if f.along < spacing {
		speed = math.Min(maxSpeed, math.Max(speed, startSpeed))
	}
	speed = math.Min(speed, math.Sqrt(2*accelerationShare*f.limit.LinearAcceleration*math.Max(0, ahead))+0.01)
	speed *= math.Max(0.2, math.Cos(off))
	// The turn rate follows the actual speed: a robot that is slowed down must not turn
	// ahead of the bend.
	turn := math.Min(speed, math.Abs(twist.Linear)+limits.RouteCreep/2)*bend + speed*robot.Deviation{Across: -across, Turn: off}.Curvature()
	return f.limit.Clamp(robot.Twist{Linear: speed, Angular: turn})
}

// meanBend returns the mean curvature between two positions along the route, in 1/m.
func (f *follower) meanBend(from, to float64) float64 {
	const parts = 4
	sum := 0.0
	n := f.at
	for k := range parts + 1 {
		var w Waypoint
		w, n = f.route.waypointAt(min(f.route.drivenLength(), from+(to-from)*float64(k)/parts), n)
		sum += w.Bend
	}
	return sum / (parts + 1)
}

// turnBy returns the twist of a turn on the spot by an angle, in rad. If the plan
// turns the long way round, it does so unless the short way is at most 45 deg.
func (f *follower) turnBy(angle float64) robot.Twist {
	if f.by != 0 && angle*f.by < 0 && math.Abs(angle) > math.Pi/4 {
		angle += math.Copysign(2*math.Pi, f.by)
	}
	// The robot must be able to brake within the remaining angle.
	maxSpeed := math.Min(turnShare*f.limit.Angular, math.Sqrt(accelerationShare*f.limit.AngularAcceleration*math.Abs(angle)))
	w := math.Max(-maxSpeed, math.Min(maxSpeed, headingGain*angle))
	if math.Abs(angle) > robot.Radians(1) { // the motors do not respond to a lower rate
		w = math.Copysign(math.Max(math.Abs(w), robot.Radians(3)), angle)
	}
	return robot.Twist{Angular: w}
}

// finishAt turns to the heading of the goal, backs into it if planned, and stops.
func (f *follower) finishAt(m robot.Pose, maxSpeed float64, p robot.Progress) (robot.Twist, robot.Progress) {
	angle := robot.WrapAngle(f.route.Goal.Theta - m.Theta)
	p.Left, p.Time = 0, turnTime(angle, f.limit)
	if f.phase == finishing {
		p.Left = f.route.Back
		p.Time += f.route.Back / limits.RouteBackSpeed
		if math.Abs(angle) >= limits.ArriveHeading/3 {
			return f.turnBy(angle), p
		}
		f.phase = backing
	}
	if f.phase == backing {
		// In the frame of the goal, the axle comes in from +x, facing away.
		at := f.train.Axle(f.route.Goal).Inverse().Compose(m)
		if f.route.Back > 0 && at.X > 0.01 {
			p.Left, p.Time = at.X, at.X/limits.RouteBackSpeed
			v := math.Min(maxSpeed, math.Min(limits.RouteBackSpeed, math.Sqrt(2*accelerationShare*f.limit.LinearAcceleration*at.X)+0.01))
			turn := v * robot.Deviation{Across: at.Y, Turn: angle}.Curvature()
			return f.limit.Clamp(robot.Twist{Linear: -v, Angular: turn}), p
		}
		f.phase = arrived
	}
	p.Left, p.Time, p.Over = 0, 0, true
	return robot.Twist{}, p
}

// arrival checks whether a robot is at its goal: close enough, at the right heading
// and at rest.
type arrival struct {
	Within  float64 // m
	Heading float64 // rad
}

// newArrival returns the standard tolerances, from the limits.
func newArrival() arrival { return arrival{Within: limits.ArriveWithin, Heading: limits.ArriveHeading} }

// isThere reports whether base_link, in map and moving with twist, is at its goal.
func (a arrival) isThere(pose, goal robot.Pose, twist robot.Twist) bool {
	return pose.Point().Sub(goal.Point()).Norm() <= a.Within &&
		math.Abs(robot.WrapAngle(pose.Theta-goal.Theta)) <= a.Heading &&
		math.Abs(twist.Linear) < 0.01 && math.Abs(twist.Angular) < robot.Radians(2)
}

// progressWatch measures how long a robot makes no progress. The zero value is ready
// for use.
type progressWatch struct {
	since time.Time
	at    robot.Pose
	known bool
}

// waitingFor returns how long base_link, at pose in map, has hardly moved.
func (p *progressWatch) waitingFor(now time.Time, pose robot.Pose) time.Duration {
	if !p.known || pose.Point().Sub(p.at.Point()).Norm() > limits.WaitMove || math.Abs(robot.WrapAngle(pose.Theta-p.at.Theta)) > limits.WaitTurn {
		*p = progressWatch{since: now, at: pose, known: true}
	}
	return now.Sub(p.since)
}
