package rollout

import (
	"math"

	"mybot/robot"
	"mybot/robot/limits"
)

// Parameters of the control law that follows a lane.
const (
	lookAhead  = 0.5  // s, look-ahead for the speed of the path
	maxAcross  = 0.6  // m, largest offset from the lane that counts: from farther away the robot approaches at 47 deg
	brakeShare = 0.7  // share of the deceleration that the law uses, as in path planning
	turnShare  = 0.9  // share of the turn rate, likewise
	keepSpeed  = 0.7  // least share of the speed that remains when the robot would have to turn faster than it can
	rest       = 0.02 // m/s, slower counts as standing
)

// rollout is one candidate trajectory.
type rollout struct {
	c *Controller
	s *Situation

	pose  robot.Pose // of M
	twist robot.Twist
	along float64 // m, position along the path

	cost   [terms]float64
	gain   float64
	early  float64 // s before the end of the rollout at which the robot is at the end of the path
	ok     bool
	turns  bool
	passes bool // close to an obstacle, where the guard slows the robot
	hit    Term // what it comes too near to before its end: Tight, Near; Progress = nothing

	wall, person float64 // m, least distance to standing obstacles and to moving ones
}

// begin measures the robot's current clearance. If the robot already stands nearer than
// allowed, only rollouts that come nearer still are excluded; otherwise it could not move
// in a tight place.
func (r *rollout) begin() {
	r.pose, r.twist, r.along = r.s.Pose, r.s.Twist, r.s.Along
	still, people := r.clearance(0)
	r.wall, r.person = math.Min(wall, still-0.005), math.Min(person, people-0.005)
}

// run simulates the robot toward a lane, at maxSpeed at most.
func (r *rollout) run(lane, maxSpeed float64) {
	r.restart()
	for k := range r.c.steps {
		speed := maxSpeed
		if r.passes {
			speed = math.Min(speed, limits.PassingSpeed)
		}
		want, turns := r.law(lane, speed)
		r.turns = r.turns || k == 0 && turns
		if !r.step(k, r.c.steps, want) {
			return
		}
	}
	r.finish(r.c.steps)
}

// restart puts the simulated robot where the real one is.
func (r *rollout) restart() {
	r.pose, r.twist, r.along, r.ok, r.turns, r.passes = r.s.Pose, r.s.Twist, r.s.Along, true, false, false
	r.cost, r.hit, r.early = [terms]float64{}, Progress, 0
}

// step simulates step k of a rollout, in which the robot wants the twist; it reports whether
// the robot comes too near to nothing.
func (r *rollout) step(k, steps int, want robot.Twist) bool {
	c, horizon := r.c, period*float64(steps)
	r.twist = c.limit.Slew(r.twist, want, period)
	r.move()
	t := period * float64(k+1)
	still, people := r.clearance(t)
	r.passes = still < limits.ScanPassingMargin
	left := r.s.End - r.along
	if r.early == 0 && left < Spacing/2 {
		r.early = horizon - t
	}
	if left < r.s.Exact {
		still = math.Inf(1)
	}
	if r.moves() && (still < r.wall || people < r.person) {
		r.hit = Tight
		if people < r.person {
			r.hit = Near
			r.cost[Near] += c.cost[Near] * touching
		}
		r.ok = t >= decide
		r.cost[Collision] = c.cost[Collision] * (1 - t/horizon)
		r.gain = r.along - r.s.Along - rollback
		r.cost[Progress] = -c.cost[Progress] * r.gain
		return false
	}
	r.judge(still, people, t)
	return true
}

// finish adds what follows from where the rollout ends. Time that is left at the end of the
// path counts as progress; otherwise a slow rollout would cost no more than a fast one there.
func (r *rollout) finish(steps int) {
	for i := range r.discs() {
		r.cost[Near] += r.c.cost[Near] * r.meeting(&r.discs()[i], period*float64(steps))
	}
	r.gain = r.along - r.s.Along + r.early*r.c.limit.Linear
	r.cost[Progress] = -r.c.cost[Progress] * r.gain
}

// meeting returns how near the robot comes to a moving obstacle after the end of the
// rollout, if both keep their velocities then, as an equivalent duration of contact in s.
// So the robot avoids an approaching person in time.
func (r *rollout) meeting(d *robot.Track, t float64) float64 {
	here := r.here(0)
	v := robot.Point{X: here.cos * r.twist.Linear, Y: here.sin * r.twist.Linear}
	off, by := d.Predict(math.Min(t, limits.TrackPrediction)).Sub(r.pose.Point()), d.Velocity.Sub(v)
	speed2 := by.Dot(by)
	if speed2 < closing*closing {
		return 0
	}
	soon := -off.Dot(by) / speed2
	if soon <= 0 || soon > meetingTime {
		return 0
	}
	miss := math.Hypot(off.X+soon*by.X, off.Y+soon*by.Y) - d.Radius - r.c.wide
	lack := robot.Clamp(1-miss/nearBelow, 0, 1)
	return touching * lack * lack * (1 - soon/meetingTime)
}

// judge adds the cost of the step that ends t seconds from now, with the clearances still
// and people.
func (r *rollout) judge(still, people, t float64) {
	lack := math.Max(0, 1-still/tightBelow)
	r.cost[Tight] += r.c.cost[Tight] * math.Abs(r.twist.Linear) * period * lack * lack
	lack = math.Max(0, 1-people/nearBelow)
	r.cost[Near] += r.c.cost[Near] * period * lack * lack
	if !r.moves() {
		return
	}
	for i := range r.discs() {
		r.cost[InFront] += r.c.cost[InFront] * period * inFront(&r.discs()[i], r.pose.Point(), t)
	}
}

// inFront returns how much a point is in front of a moving obstacle, from 0 to 1: less, the
// later the obstacle gets there.
func inFront(d *robot.Track, at robot.Point, t float64) float64 {
	speed := d.Speed()
	if speed < limits.TrackStands {
		return 0
	}
	off := at.Sub(d.Predict(math.Min(t, limits.TrackPrediction)))
	along, across := off.Dot(d.Velocity)/speed, math.Abs(d.Velocity.Cross(off))/speed
	if along <= 0 || across > frontAside {
		return 0
	}
	return math.Max(0, 1-along/speed/frontTime)
}

// meets reports whether the robot came too near to something.
func (r *rollout) meets() bool { return r.hit != Progress }

// moves reports whether the robot does not stand.
func (r *rollout) moves() bool {
	return math.Abs(r.twist.Linear) > rest || math.Abs(r.twist.Angular) > 2*rest
}

func (r *rollout) discs() []robot.Track { return r.s.Obstacles.Discs() }

func (r *rollout) total() float64 {
	sum := 0.0
	for _, c := range r.cost {
		sum += c
	}
	return sum
}

// here returns the interpolated point of the path at a distance ahead of the robot, in m.
func (r *rollout) here(ahead float64) place {
	path := r.c.path
	x := robot.Clamp((r.along+ahead-r.c.start)/Spacing, 0, float64(len(path)-1))
	n := int(x)
	a, b := &path[n], &path[min(n+1, len(path)-1)]
	f := x - float64(n)
	return place{
		at:  robot.Point{X: a.at.X + f*(b.at.X-a.at.X), Y: a.at.Y + f*(b.at.Y-a.at.Y)},
		sin: a.sin + f*(b.sin-a.sin), cos: a.cos + f*(b.cos-a.cos),
		heading: a.heading + f*(b.heading-a.heading), bend: a.bend + f*(b.bend-a.bend), speed: a.speed + f*(b.speed-a.speed),
		narrow: a.narrow,
	}
}

// law returns the twist that leads to a lane at maxSpeed at most, and whether it turns on
// the spot. It is the law for a path without obstacles, applied to a parallel path.
func (r *rollout) law(lane, maxSpeed float64) (t robot.Twist, turns bool) {
	l, v := &r.c.limit, math.Abs(r.twist.Linear)
	here := r.here(0)
	if here.narrow {
		lane = robot.Clamp(lane, -narrowLane, narrowLane)
	}
	lane = robot.Clamp(lane, -r.maxAside(), r.maxAside())
	off := r.pose.Point().Sub(here.at)
	across := robot.Clamp(lane-(here.cos*off.Y-here.sin*off.X), -maxAcross, maxAcross)
	turn := robot.WrapAngle(here.heading - r.pose.Theta)
	largest := limits.RouteTurnFrom
	if v < rest {
		largest = limits.RouteStartTurnFrom
	}
	if math.Abs(turn) > largest && turn*across >= -limits.RouteStartTurnFrom*maxAcross {
		w := math.Min(turnShare*l.Angular, math.Sqrt(brakeShare*l.AngularAcceleration*math.Abs(turn)))
		return robot.Twist{Angular: math.Copysign(w, turn)}, true
	}
	// The motors need time to turn faster, so the law uses the mean curvature of the
	// stretch meanwhile.
	ahead := math.Max(v, limits.RouteCreep) * l.Angular / l.AngularAcceleration
	bend := (r.here(ahead).heading - here.heading) / math.Max(ahead, Spacing/2)
	bend /= math.Max(0.3, 1-lane*bend)
	curvature := robot.Deviation{Across: across, Turn: turn}.Curvature()
	speed := math.Min(maxSpeed, math.Max(limits.RouteCreep, r.here(0.1*v).speed))
	// A robot that would drive on past the end would drive toward what stands behind it.
	speed = math.Min(speed, math.Sqrt(2*brakeShare*l.LinearAcceleration*math.Max(0, r.s.End-r.along)))
	speed *= math.Max(0.2, math.Cos(turn))
	w := turnShare * l.Angular
	if need := math.Abs(bend+curvature) * speed; need > w {
		speed *= math.Max(keepSpeed, w/need)
	}
	// A robot that is slower than commanded must turn less to stay on the bend.
	turning := math.Min(speed, v+limits.RouteCreep/2)*bend + speed*curvature
	return robot.Twist{Linear: speed, Angular: robot.Clamp(turning, -w, w)}, false
}

// maxAside returns the largest offset of a lane at the robot's position, in m. The end of
// the path must be driven as planned, so lanes lead back to the path before it.
func (r *rollout) maxAside() float64 {
	return endTaper * math.Max(0, r.s.End-r.along-2*limits.RouteExact)
}

// move advances the pose by one step, and the position along the path.
func (r *rollout) move() {
	v, w := r.twist.Linear, r.twist.Angular
	sin, cos := math.Sincos(r.pose.Theta + w*period/2)
	r.pose.X += v * period * cos
	r.pose.Y += v * period * sin
	r.pose.Theta = robot.WrapAngle(r.pose.Theta + w*period)
	here := r.here(0)
	off := r.pose.Point().Sub(here.at)
	by := here.cos*off.X + here.sin*off.Y
	// Beside a bend, a metre of the robot's motion is more or less than a metre of the
	// path.
	by /= math.Max(0.3, 1-(here.cos*off.Y-here.sin*off.X)*here.bend)
	last := r.s.Path[len(r.s.Path)-1].Along
	r.along = robot.Clamp(r.along+robot.Clamp(by, -0.1, 2*r.c.limit.Linear*period), r.s.Path[0].Along, last)
}

// clearance returns the distance of the hull from standing and from moving obstacles t
// seconds from now, in m.
func (r *rollout) clearance(t float64) (still, people float64) {
	still, people = math.Inf(1), math.Inf(1)
	sin, cos := math.Sincos(r.pose.Theta)
	discs := r.discs()
	ahead := math.Min(t, limits.TrackPrediction)
	for _, h := range r.c.hull {
		p := robot.Point{X: r.pose.X + cos*h.ahead - sin*h.aside, Y: r.pose.Y + sin*h.ahead + cos*h.aside}
		still = math.Min(still, r.s.Obstacles.Clearance(p)-h.radius)
		for i := range discs {
			d := &discs[i]
			q := d.Predict(ahead)
			people = math.Min(people, math.Hypot(p.X-q.X, p.Y-q.Y)-d.Radius-h.radius-limits.TrackSpread*ahead)
		}
	}
	return still, people
}
