package pathplan

import (
	"math"
	"time"

	"mybot/robot"
)

// Gains of the path-following controller (Kanayama et al. 1990).
const (
	acrossGain  = 6.0                   // 1/m2
	gainTurn    = 2 * 2.449489742783178 // 1/m, 2 sqrt(acrossGain): the error dies out without swinging
	headingGain = 2.5                   // 1/s, turning on the spot
)

const (
	arriveWithin  = 0.05         // m
	ArriveHeading = math.Pi / 60 // rad, 3 deg
	lookAhead     = 0.3          // m along the route to where it first aims
	window        = 0.8          // m of route among which the robot looks for its place
	backSpeed     = 0.15         // m/s backwards
	lost          = 0.6          // m off the route: it must be planned anew
)

// A Follower drives along a route. It is fed with the estimate of each tick
// and is used by one goroutine.
type Follower struct {
	route   *Route
	train   robot.Drivetrain
	limit   robot.Limit
	along   float64 // m of route done
	at      int     // the waypoint before it
	phase   Phase
	turning bool    // on the spot, towards the route
	by      float64 // rad left of the turn on the spot as planned; only its sign counts
}

// Phase is what a follower is at.
type Phase uint8

// The phases of a route.
const (
	Turning   Phase = iota // on the spot, to face the route
	Driving                // along the route
	Finishing              // at the end of the route, to the goal's heading
	Backing                // backwards into the goal
	Arrived                // at the goal
)

// Progress is how far a follower has come.
type Progress struct {
	Phase     Phase
	Done      float64 // m along the route
	Left      float64 // m to go
	Time      float64 // s to go, about
	Across    float64 // m off the route, left positive
	Clearance float64 // m from the robot's centre to what is known to stand there, at least, over the next metre
	Lost      bool    // so far off the route that it must be planned anew
}

// NewFollower returns a follower at the start of a route.
func NewFollower(route *Route, desc robot.Description) *Follower {
	return &Follower{route: route, train: desc.Drivetrain, limit: desc.Safe, by: route.StartTurn}
}

// Follow returns the twist at M that is right when base_link is at pose, in
// map, and M moves with twist. most bounds the speed, in m/s, below the safe one.
func (f *Follower) Follow(pose robot.Pose, twist robot.Twist, maxSpeed float64) (robot.Twist, Progress) {
	m := f.train.Axle(pose)
	f.along, f.at = f.route.nearest(m.Point(), f.along, min(f.route.driven(), f.along+window), f.at)
	here, _ := f.route.at(f.along, f.at)
	off := m.Point().Sub(here.Point)
	sin, cos := math.Sincos(here.Heading)
	across := -sin*off.X + cos*off.Y
	last := f.route.Points[len(f.route.Points)-1].Point
	left := f.route.driven() - f.along
	p := Progress{Done: f.along, Left: left, Across: across, Clearance: f.clearance(), Lost: math.Abs(across) > lost}

	// Past the end the place on the route stays at the end: what is ahead tells.
	ahead := left
	if left < spacing {
		end := last.Sub(m.Point())
		msin, mcos := math.Sincos(m.Theta)
		ahead = mcos*end.X + msin*end.Y
	}
	if f.phase < Finishing && (ahead < 0.01 || left < 1e-9 && last.Sub(m.Point()).Norm() < arriveWithin/2) {
		f.phase, f.by = Finishing, f.route.GoalTurn
	}
	if f.phase >= Finishing {
		return f.finish(m, maxSpeed, p)
	}
	aim, _ := f.route.at(min(f.route.driven(), f.along+lookAhead), f.at)
	bearing := robot.WrapAngle(math.Atan2(aim.Point.Y-m.Y, aim.Point.X-m.X) - m.Theta)
	largest := RouteTurnFrom
	if f.along < spacing {
		largest = RouteStartTurnFrom
	}
	if !f.turning && math.Abs(bearing) > largest && left > lookAhead/2 {
		f.turning = true
	}
	if f.turning {
		if math.Abs(bearing) > robot.Radians(5) {
			p.Phase, p.Time = Turning, turnTime(bearing, f.limit)+f.rest()
			f.phase = Turning
			return f.spin(bearing), p
		}
		f.turning, f.by = false, 0
	}
	f.phase = Driving
	p.Phase, p.Time = Driving, f.rest()
	return f.drive(here, m, across, ahead, maxSpeed, twist), p
}

// clearance is the least clearance of the next metre of the route, in m.
func (f *Follower) clearance() float64 {
	least := f.route.Points[f.at].Clear
	for _, w := range f.route.Points[f.at+1:] {
		if w.Along > f.along+1 {
			break
		}
		least = min(least, w.Clear)
	}
	return least
}

// rest is about how long the rest of the route takes, in s.
func (f *Follower) rest() float64 {
	if f.route.driven() == 0 {
		return turnTime(f.route.GoalTurn, f.limit)
	}
	start := turnTime(f.route.StartTurn, f.limit)
	end := turnTime(f.route.GoalTurn, f.limit)
	return (f.route.Time-start-end)*(1-f.along/f.route.driven()) + end
}

// drive follows the route: its bend, and what takes the errors back.
func (f *Follower) drive(here Waypoint, m robot.Pose, across, ahead, maxSpeed float64, twist robot.Twist) robot.Twist {
	// The motors need time to turn faster: the bend is that of the stretch
	// during which they do.
	v := math.Max(math.Abs(twist.Linear), creep)
	bend := f.meanBend(f.along, f.along+v*f.limit.Angular/f.limit.AngularAcceleration)
	off := robot.WrapAngle(here.Heading - m.Theta)
	next, _ := f.route.at(min(f.route.driven(), f.along+v*0.1), f.at)
	speed := math.Min(maxSpeed, math.Max(creep, next.Speed))
	if f.along < spacing { // at rest at the start the plan's speed is none
		speed = math.Min(maxSpeed, math.Max(speed, 0.2))
	}
	speed = math.Min(speed, math.Sqrt(2*accelerationShare*f.limit.LinearAcceleration*math.Max(0, ahead))+0.01)
	speed *= math.Max(0.2, math.Cos(off))
	// Whoever is held up does not come round the bend.
	turn := math.Min(speed, math.Abs(twist.Linear)+creep/2)*bend + speed*(gainTurn*math.Sin(off)-acrossGain*across)
	return f.limit.Clamp(robot.Twist{Linear: speed, Angular: turn})
}

// meanBend is the mean curvature between two lengths of the route, in 1/m.
func (f *Follower) meanBend(from, to float64) float64 {
	const parts = 4
	sum := 0.0
	n := f.at
	for k := range parts + 1 {
		var w Waypoint
		w, n = f.route.at(min(f.route.driven(), from+(to-from)*float64(k)/parts), n)
		sum += w.Bend
	}
	return sum / (parts + 1)
}

// spin turns on the spot by an angle. As long as the far way round is planned
// and most of it is left, it is taken.
func (f *Follower) spin(angle float64) robot.Twist {
	if f.by != 0 && angle*f.by < 0 && math.Abs(angle) > math.Pi/4 {
		angle += math.Copysign(2*math.Pi, f.by)
	}
	// It must be able to brake within what is left.
	maxSpeed := math.Min(turnShare*f.limit.Angular, math.Sqrt(accelerationShare*f.limit.AngularAcceleration*math.Abs(angle)))
	w := math.Max(-maxSpeed, math.Min(maxSpeed, headingGain*angle))
	if math.Abs(angle) > robot.Radians(1) { // what the motors do not even begin with is no turn
		w = math.Copysign(math.Max(math.Abs(w), robot.Radians(3)), angle)
	}
	return robot.Twist{Angular: w}
}

// finish turns to the heading of the goal, goes backwards into it if that is
// planned, and stands.
func (f *Follower) finish(m robot.Pose, maxSpeed float64, p Progress) (robot.Twist, Progress) {
	angle := robot.WrapAngle(f.route.Goal.Theta - m.Theta)
	p.Phase, p.Left, p.Time = f.phase, 0, turnTime(angle, f.limit)
	if f.phase == Finishing {
		p.Left = f.route.Back
		p.Time += f.route.Back / backSpeed
		if math.Abs(angle) >= ArriveHeading/3 {
			return f.spin(angle), p
		}
		f.phase = Backing
	}
	if f.phase == Backing {
		// Seen from the goal the axle comes along +x, turned away from its way.
		at := f.train.Axle(f.route.Goal).Inverse().Compose(m)
		if f.route.Back > 0 && at.X > 0.01 {
			p.Phase, p.Left, p.Time = Backing, at.X, at.X/backSpeed
			v := math.Min(maxSpeed, math.Min(backSpeed, math.Sqrt(2*accelerationShare*f.limit.LinearAcceleration*at.X)+0.01))
			turn := v * (acrossGain*at.Y + gainTurn*math.Sin(angle))
			return f.limit.Clamp(robot.Twist{Linear: -v, Angular: turn}), p
		}
		f.phase = Arrived
	}
	p.Phase, p.Time = Arrived, 0
	return robot.Twist{}, p
}

// An Arrival judges whether a robot is at its goal: near enough, turned right
// and standing.
type Arrival struct {
	Within  float64 // m
	Heading float64 // rad
}

// NewArrival returns the usual judge: 5 cm and 3 deg.
func NewArrival() Arrival { return Arrival{Within: arriveWithin, Heading: ArriveHeading} }

// There tells whether base_link, in map and moving with twist, is at its goal.
func (a Arrival) There(pose, goal robot.Pose, twist robot.Twist) bool {
	return pose.Point().Sub(goal.Point()).Norm() <= a.Within &&
		math.Abs(robot.WrapAngle(pose.Theta-goal.Theta)) <= a.Heading &&
		math.Abs(twist.Linear) < 0.01 && math.Abs(twist.Angular) < robot.Radians(2)
}

// A Patience judges whether a robot still gets on. The zero one is ready.
type Patience struct {
	since time.Time
	at    robot.Pose
	known bool
}

// What counts as getting on.
const (
	patienceMove = 0.1                // m
	WaitTurn     = 10 * math.Pi / 180 // rad
)

// Waiting returns for how long base_link, at pose in map, has hardly moved.
func (p *Patience) Waiting(now time.Time, pose robot.Pose) time.Duration {
	if !p.known || pose.Point().Sub(p.at.Point()).Norm() > patienceMove || math.Abs(robot.WrapAngle(pose.Theta-p.at.Theta)) > WaitTurn {
		*p = Patience{since: now, at: pose, known: true}
	}
	return now.Sub(p.since)
}
