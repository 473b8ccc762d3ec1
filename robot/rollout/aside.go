package rollout

import (
	"math"

	"mybot/robot"
	"mybot/robot/limits"
)

// Parameters of the search for a place to stand aside, set by hand and tried with seeds below
// 1,000 in the office.
const (
	asideTurns     = 16    // directions in which the robot may turn before it backs up
	asideStraight  = 0.4   // m between the places at which a straight motion may bend
	asidePerTurn   = 0.45  // m of motion that 1 rad of a turn on the spot costs
	asideOff       = 0.95  // m from the lines on which people want to pass: a place nearer to them costs
	asidePerOff    = 2.0   // m of motion for each m that it is nearer,
	asideOffMin    = 0.45  // m from these lines, at least: in a corridor 2.1 m wide the robot stands along the wall and can still turn
	asideLine      = 5.0   // m, length of these lines: longer than any motion aside
	asideMargin    = 0.05  // m, least distance of the hull to standing obstacles on the way
	asideRaster    = 0.015 // m by which a motion from a tight place may seem to come nearer, since the obstacles are known on a raster
	roomMin        = 0.3   // m that the robot drives to a place to turn, at least, where the obstacles known here leave room already
	asideTurnRoom  = 0.08  // m around the hull that a turn on the spot needs
	asideSight     = 0.05  // m, least distance of a line of sight to standing obstacles
	asidePersonGap = 0.35  // m that people keep from the robot
	asideSpeed     = 0.3   // m/s
	asideBraking   = 0.25  // m/s2 before the end
)

// asideRadii are the radii of the bends, in m.
var asideRadii = [...]float64{0.5, 0.8, 1.2, 2}

// asideSearch is a search for a place to stand aside, or for one to turn.
type asideSearch struct {
	c        *Controller
	out      Obstacles
	people   []robot.Track
	from     robot.Pose             // of M, facing the direction of travel
	heading  float64                // rad, direction of the path that people come along
	toTurn   bool                   // any place where the robot can turn will do
	mayBegin func(robot.Twist) bool // whether a motion may begin with a twist; nil = it may
	min, max float64                // m, length of the motion
	start    float64                // m, clearance of the hull at the start
	straight bool                   // the motion may begin straight
	best     asideWay
}

// asideWay is a motion in the direction of travel: a turn on the spot, a straight part, and
// a bend of a quarter circle at most.
type asideWay struct {
	turn, straight, bend, length float64 // rad, m, 1/m, m in total
	cost                         float64 // m
}

// at returns the pose at a distance along the motion.
func (w *asideWay) at(from robot.Pose, s float64) robot.Pose {
	p := robot.Pose{X: from.X, Y: from.Y, Theta: from.Theta + w.turn}
	sin, cos := math.Sincos(p.Theta)
	on := math.Min(s, w.straight)
	p.X, p.Y = p.X+on*cos, p.Y+on*sin
	if w.bend != 0 {
		turned := math.Max(0, s-w.straight) * w.bend
		sin2, cos2 := math.Sincos(p.Theta + turned)
		p.X, p.Y, p.Theta = p.X+(sin2-sin)/w.bend, p.Y+(cos-cos2)/w.bend, p.Theta+turned
	}
	p.Theta = robot.WrapAngle(p.Theta)
	return p
}

// FindAside finds a place beside the way of the people nearby, who want to pass where the
// robot stands, and appends the path there to points: it backs up, after a turn on the spot
// if need be. pose is that of M in map; heading is the direction of the robot's own path,
// along which people come. There is room for a person to pass at the place, and for the
// robot to turn. Without such a place it appends nothing. Only a controller that drives
// backward can follow the path.
func (c *Controller) FindAside(pose robot.Pose, heading float64, out Obstacles, people []robot.Track, points []robot.PathPoint) []robot.PathPoint {
	a := asideSearch{c: c, out: out, people: people, heading: heading, min: limits.AsideMin, max: limits.AsideMax}
	a.begin(robot.Pose{X: pose.X, Y: pose.Y, Theta: robot.WrapAngle(pose.Theta + math.Pi)})
	a.tryBends()
	a.try(asideWay{straight: a.max})
	if a.out.Clearance(pose.Point()) >= c.reach()+asideTurnRoom {
		for n := range asideTurns - 1 {
			a.try(asideWay{turn: robot.WrapAngle(2 * math.Pi * float64(n+1) / asideTurns), straight: a.max})
		}
	}
	return a.appendBest(points)
}

// FindRoom finds the nearest place where the robot can turn on the spot, and appends the
// path there to points; without such a place nothing. pose is that of M in map. The robot
// moves in the controller's direction of travel, on a straight part and a bend, and begins
// with a twist that mayBegin allows.
func (c *Controller) FindRoom(pose robot.Pose, out Obstacles, people []robot.Track, mayBegin func(robot.Twist) bool, points []robot.PathPoint) []robot.PathPoint {
	a := asideSearch{c: c, out: out, people: people, toTurn: true, mayBegin: mayBegin, min: limits.Nearer, max: limits.FreeMax}
	if c.backward {
		pose.Theta = robot.WrapAngle(pose.Theta + math.Pi)
	}
	if out.Clearance(pose.Point()) >= c.reach()+asideTurnRoom {
		a.min = roomMin // here there seems to be room, and yet the robot is stuck
	}
	a.begin(pose)
	a.try(asideWay{straight: a.max}) // first, so that it wins a tie
	a.tryBends()
	return a.appendBest(points)
}

// begin begins a search at a pose of M that faces the direction of travel.
func (a *asideSearch) begin(from robot.Pose) {
	a.from, a.start, a.best = from, a.clearance(from), asideWay{cost: math.Inf(1)}
	a.straight = a.mayBeginWith(0)
}

// tryBends tries all motions with a bend.
func (a *asideSearch) tryBends() {
	for straight := 0.0; straight < a.max; straight += asideStraight {
		for _, radius := range asideRadii {
			a.try(asideWay{straight: straight, bend: 1 / radius})
			a.try(asideWay{straight: straight, bend: -1 / radius})
		}
	}
}

// reach returns the distance of the farthest point of the hull from M, in m.
func (c *Controller) reach() float64 {
	far := 0.0
	for _, d := range c.hull {
		far = math.Max(far, math.Hypot(d.ahead, d.aside)+d.radius)
	}
	return far
}

// clearance returns the distance of the hull from standing obstacles, in m.
func (a *asideSearch) clearance(p robot.Pose) float64 {
	far := math.Inf(1)
	for _, d := range a.c.hull {
		far = math.Min(far, a.out.Clearance(p.Apply(robot.Point{X: d.ahead, Y: d.aside}))-d.radius)
	}
	return far
}

// mayBeginWith reports whether a motion may begin with a bend, in 1/m.
func (a *asideSearch) mayBeginWith(bend float64) bool {
	if a.mayBegin == nil {
		return true
	}
	t := robot.Twist{Linear: limits.BackOffSpeed, Angular: limits.BackOffSpeed * bend}
	if a.c.backward {
		t.Linear = -t.Linear
	}
	return a.mayBegin(t)
}

// try follows a motion and keeps its best end, if that is better than the best so far.
func (a *asideSearch) try(w asideWay) {
	if w.straight > 0 && !a.straight || w.straight == 0 && !a.mayBeginWith(w.bend) {
		return
	}
	most := math.Min(a.max, w.straight+math.Pi/2/math.Abs(w.bend)) // a straight motion has no end of its bend
	for s := Spacing; s <= most+1e-9; s += Spacing {
		p := w.at(a.from, s)
		if far := a.clearance(p); far < asideMargin && far < a.start-asideRaster || a.meets(p.Point(), a.c.wide+limits.NearStopDistance) {
			return
		}
		if s < a.min {
			continue
		}
		cost := s + asidePerTurn*math.Abs(w.turn)
		if cost >= a.best.cost {
			return
		}
		more, ok := a.judge(p.Point())
		if cost += more; ok && cost < a.best.cost {
			w.length, w.cost = s, cost
			a.best = w
		}
	}
}

// judge returns the cost of a place, in m of motion; ok is false if it is of no use.
func (a *asideSearch) judge(at robot.Point) (cost float64, ok bool) {
	if a.toTurn {
		return 0, a.out.Clearance(at) >= a.c.reach()+asideTurnRoom
	}
	off := a.offLines(at)
	if off < asideOffMin || !a.hasRoom(at) {
		return 0, false
	}
	return asidePerOff * math.Max(0, asideOff-off), true
}

// meets reports whether a place is within gap of a person and nearer to them than the robot
// is now.
func (a *asideSearch) meets(at robot.Point, gap float64) bool {
	for i := range a.people {
		p := &a.people[i]
		if far := at.Sub(p.At).Norm(); far < p.Radius+gap && far < a.from.Point().Sub(p.At).Norm() {
			return true
		}
	}
	return false
}

// offLines returns the distance from a place to the nearest line on which people may want
// to pass: that of the robot's path, and from each person the line on which they walk, or
// against the robot's path if they stand.
func (a *asideSearch) offLines(at robot.Point) float64 {
	sin, cos := math.Sincos(a.heading)
	here := a.from.Point()
	way := robot.Point{X: asideLine * cos, Y: asideLine * sin}
	off := robot.Segment{A: here.Sub(way), B: here.Add(way)}.Distance(at)
	for i := range a.people {
		p := &a.people[i]
		if here.Sub(p.At).Norm() > limits.AsideRange {
			continue
		}
		by := robot.Point{X: -way.X, Y: -way.Y}
		if p.Moving {
			f := asideLine / p.Speed()
			by = robot.Point{X: f * p.Velocity.X, Y: f * p.Velocity.Y}
		}
		off = math.Min(off, robot.Segment{A: p.At, B: p.At.Add(by)}.Distance(at))
	}
	return off
}

// hasRoom reports whether the robot can turn at a place, no one walks there, and a person
// can pass on one side of it.
func (a *asideSearch) hasRoom(at robot.Point) bool {
	if a.out.Clearance(at) < a.c.reach()+asideTurnRoom {
		return false
	}
	if !a.seesPeople(at) {
		return false
	}
	for i := range a.people {
		p := &a.people[i]
		for t := 0.0; t <= 2; t++ {
			if at.Sub(p.Predict(t)).Norm() < p.Radius+a.c.wide+asidePersonGap {
				return false
			}
		}
	}
	sin, cos := math.Sincos(a.heading)
	return a.isFreeBeside(at, robot.Point{X: -sin, Y: cos}) || a.isFreeBeside(at, robot.Point{X: sin, Y: -cos})
}

// seesPeople reports whether the robot at a place sees the people near where it is now, so
// that it notices when they are gone.
func (a *asideSearch) seesPeople(at robot.Point) bool {
	for i := range a.people {
		p := &a.people[i]
		if p.At.Sub(a.from.Point()).Norm() > limits.AsideRange {
			continue
		}
		leg := p.At.Sub(at)
		parts := math.Ceil(leg.Norm() / Spacing)
		for n := range int(parts) {
			f := float64(n) / parts
			q := at.Add(robot.Point{X: f * leg.X, Y: f * leg.Y})
			if a.out.Clearance(q) < asideSight && !a.isNearPerson(q) {
				return false
			}
		}
	}
	return true
}

// isNearPerson reports whether a person stands at a point, who may soon be gone.
func (a *asideSearch) isNearPerson(at robot.Point) bool {
	for i := range a.people {
		if p := &a.people[i]; at.Sub(p.At).Norm() < p.Radius+Spacing {
			return true
		}
	}
	return false
}

// isFreeBeside reports whether a person can pass beside a place, toward a side.
func (a *asideSearch) isFreeBeside(at, side robot.Point) bool {
	beside := a.c.wide + asidePersonGap + limits.TrackRadius
	for off := a.c.wide; off < beside; off += Spacing {
		if a.out.Clearance(at.Add(robot.Point{X: off * side.X, Y: off * side.Y})) < Spacing {
			return false
		}
	}
	return a.out.Clearance(at.Add(robot.Point{X: beside * side.X, Y: beside * side.Y})) >= limits.TrackRadius
}

// appendBest appends the points of the best motion, if there is one.
func (a *asideSearch) appendBest(points []robot.PathPoint) []robot.PathPoint {
	if math.IsInf(a.best.cost, 1) {
		return points
	}
	for n := range int(a.best.length/Spacing+1e-6) + 1 {
		s := Spacing * float64(n)
		p := robot.PathPoint{Pose: a.best.at(a.from, s), Along: s, Speed: math.Min(asideSpeed, math.Sqrt(2*asideBraking*math.Max(0, a.best.length-s)))}
		if s >= a.best.straight {
			p.Bend = a.best.bend
		}
		p.Clear = a.out.Clearance(p.Pose.Point())
		points = append(points, p)
	}
	return points
}
