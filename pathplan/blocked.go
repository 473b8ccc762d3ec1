package pathplan

import (
	"math"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

const (
	silence    = 3 // time counts 1/silence while the sonars that see through have no echo at all
	minPassing = 3 // rays of a scan that must pass the middle of an obstacle to show that it is gone
)

// obstacle is something that is not on the floor plan.
type obstacle struct {
	at      robot.Point   // its centre, in map
	radius  float64       // m
	since   time.Time     // when it was first reported
	noted   time.Time     // when it was last reported; certain for BlockedLife from then
	until   time.Time     // when it expires; after BlockedLife it counts only if there is another route
	through time.Duration // how long the sonars have seen through it
	free    time.Time     // since when every scan shows it free; zero = the last one did not
	gone    bool          // this reading removes it
}

// Block adds an obstacle that is not on the floor plan. face is the point in map at
// which the robot at from perceives it. Block closes the edges that pass the obstacle
// and marks it in the grid, for BlockedLife. An obstacle that has stood for a while
// lasts longer if there is another route: otherwise a robot on a long detour would turn
// back as soon as the obstacle expired, and meet it again.
func (p *Planner) Block(now time.Time, from, face robot.Point) {
	if leg := face.Sub(from); leg.Norm() > 1e-6 {
		f := limits.BlockedDepth / leg.Norm()
		face = face.Add(robot.Point{X: f * leg.X, Y: f * leg.Y})
	}
	t := obstacle{at: face, radius: limits.BlockedRadius, since: now, noted: now}
	// The position of an obstacle changes with the robot's distance and direction: the
	// new report replaces older ones.
	p.keepObstacles(func(o obstacle) bool {
		if !now.Before(o.until) {
			return false
		}
		same := o.at.Sub(face).Norm() <= limits.BlockedSame
		if same && o.since.Before(t.since) {
			t.since = o.since
		}
		return !same
	})
	t.until = now.Add(limits.BlockedLife + min(limits.BlockedMaxTrust, limits.BlockedTrust*now.Sub(t.since)))
	p.obstacles = append(p.obstacles, t)
	p.stampObstacle(t)
}

// BlockPoints adds obstacles that lidars see at points in map, as Block does, but at
// their actual size. They replace all earlier obstacles near them.
func (p *Planner) BlockPoints(now time.Time, points []robot.Point) {
	var seen []obstacle
	for _, at := range points {
		near := func(o obstacle) bool { return o.at.Sub(at).Norm() < limits.BlockedApart }
		if len(seen) < limits.BlockedPoints && !slices.ContainsFunc(seen, near) {
			seen = append(seen, obstacle{at: at, radius: limits.BlockedPoint, since: now, noted: now})
		}
	}
	p.keepObstacles(func(o obstacle) bool {
		if !now.Before(o.until) {
			return false
		}
		same := false
		for i := range seen {
			if t := &seen[i]; o.at.Sub(t.at).Norm() <= limits.BlockedSame {
				same = true
				if o.since.Before(t.since) {
					t.since = o.since
				}
			}
		}
		return !same
	})
	for _, t := range seen {
		t.until = now.Add(limits.BlockedLife + min(limits.BlockedMaxTrust, limits.BlockedTrust*now.Sub(t.since)))
		p.obstacles = append(p.obstacles, t)
		p.stampObstacle(t)
	}
}

// Unblock removes all obstacles.
func (p *Planner) Unblock() { p.keepObstacles(func(obstacle) bool { return false }) }

// Observe takes the sonar ranges of a reading and the lidar rays, with base_link at
// pose, in map. It removes obstacles that the sensors have seen through for long
// enough, and reports whether it removed any.
func (p *Planner) Observe(r robot.Reading, rays []robot.Ray, pose robot.Pose) (gone bool) {
	dt := max(0, min(r.Time.Sub(p.saw), limits.BlockedLookTime/10))
	p.saw = r.Time
	for n := range p.obstacles {
		t := &p.obstacles[n]
		v := p.listenTo(r.Ranges, pose, t.at)
		switch {
		case !v.through:
			t.through = 0
		case v.silent:
			t.through += dt / silence
		default:
			t.through += dt
		}
		if len(rays) > 0 {
			switch {
			case v.heard || !p.raysPass(rays, pose, t.at):
				t.free = time.Time{}
			case t.free.IsZero():
				t.free = r.Time
			}
		}
		t.gone = t.through >= limits.BlockedLookTime || !t.free.IsZero() && r.Time.Sub(t.free) >= limits.BlockedSeeTime
		gone = gone || t.gone
	}
	if gone {
		p.keepObstacles(func(t obstacle) bool { return !t.gone })
	}
	return gone
}

// heard is the result of the sonars that face a nearby point.
type heard struct {
	through bool // at least one sees past it, and none has an echo at it or before it
	silent  bool // none of those that see past it has any echo
	heard   bool // one has an echo at it
}

// listenTo returns what the sonars detect at a point in map.
func (p *Planner) listenTo(ranges []float64, pose robot.Pose, at robot.Point) heard {
	h := heard{silent: true}
	hidden := false
	for i, d := range ranges[:min(len(ranges), len(p.desc.Sonars))] {
		s := p.desc.Sonars[i]
		v := pose.Compose(s.Pose).Inverse().Apply(at)
		far := v.Norm()
		if far > limits.BlockedLookRange || math.Abs(math.Atan2(v.Y, v.X)) > s.Beam/2+math.Atan2(limits.BlockedRadius/2, far) {
			continue
		}
		if !(d > far+limits.BlockedRadius) { // the point is occupied or occluded
			hidden = true
			h.heard = h.heard || d > far-limits.BlockedRadius
			continue
		}
		h.through, h.silent = true, h.silent && d >= s.Max
	}
	h.through = h.through && !hidden
	return h
}

// raysPass reports whether the rays of a scan show that no obstacle stands at a point in
// map: enough of them pass its middle, and none ends within an obstacle's radius, except
// at walls of the floor plan.
func (p *Planner) raysPass(rays []robot.Ray, pose robot.Pose, at robot.Point) bool {
	middle, passed := pose.Inverse().Apply(at), 0
	for _, r := range rays {
		way, to := r.To.Sub(r.From), middle.Sub(r.From)
		far, long := to.Norm(), way.Norm()
		if long == 0 || far > limits.BlockedSeeRange {
			continue
		}
		along, across := to.Dot(way)/long, math.Abs(way.Cross(to))/long
		switch {
		case r.Echo && r.To.Sub(middle).Norm() < limits.BlockedRadius && p.base.At(pose.Apply(r.To)) >= limits.MapNear:
			return false
		case along > 0 && across < limits.BlockedRadius/2 && long > along+limits.BlockedRadius:
			passed++
		}
	}
	return passed >= minPassing
}

// dropExpired removes the obstacles that have expired.
func (p *Planner) dropExpired(now time.Time) {
	p.keepObstacles(func(t obstacle) bool { return now.Before(t.until) })
}

// dropDoubtful removes obstacles that were not reported for BlockedLife, and reports
// whether there were any: those at the goal, which no route leads around; if there are
// none, all of them, unless some obstacle has been known for less than BlockedLife: that
// one, a person for instance, is likelier to go away.
func (p *Planner) dropDoubtful(now time.Time, goal robot.Point) bool {
	before := len(p.obstacles)
	p.keepObstacles(func(t obstacle) bool { return now.Sub(t.noted) < limits.BlockedLife || !p.covers(t, goal) })
	if len(p.obstacles) < before {
		return true
	}
	if slices.ContainsFunc(p.obstacles, func(t obstacle) bool { return now.Sub(t.since) < limits.BlockedLife }) {
		return false
	}
	p.keepObstacles(func(t obstacle) bool { return now.Sub(t.noted) < limits.BlockedLife })
	return len(p.obstacles) < before
}

// keepObstacles removes the obstacles for which which returns false.
func (p *Planner) keepObstacles(which func(obstacle) bool) {
	left := slices.DeleteFunc(slices.Clone(p.obstacles), func(t obstacle) bool { return !which(t) })
	if len(left) == len(p.obstacles) {
		return
	}
	for _, t := range p.obstacles {
		p.visitAround(t, func(n int, c Cell) {
			p.clear.far[n] = p.base.far[n]
			p.field.setFree(c, p.base.far[n] >= minGrains(p.hard))
		})
	}
	p.graph.openAll()
	p.obstacles, p.clear.noted = left, len(left) > 0
	for _, t := range left {
		p.stampObstacle(t)
	}
}

func (p *Planner) stampObstacle(t obstacle) {
	p.clear.noted = true
	p.visitAround(t, func(n int, c Cell) {
		far := p.clear.pointAt(MiddleOf(c)).Sub(t.at).Norm() - t.radius
		if far := toGrains(far); far < p.clear.far[n] {
			p.clear.far[n] = far
			p.field.setFree(c, far >= minGrains(p.hard))
		}
	})
	p.graph.closeNear(t.at, t.radius+p.keep, t.until)
}

// visitAround visits the cells whose clearance an obstacle may change to less than
// limits.RouteKeepOff.
func (p *Planner) visitAround(t obstacle, visit func(n int, c Cell)) {
	at, reach := t.at, t.radius+limits.RouteKeepOff+p.clear.Resolution
	low := p.clear.cellAt(robot.Point{X: at.X - reach, Y: at.Y - reach})
	high := p.clear.cellAt(robot.Point{X: at.X + reach, Y: at.Y + reach})
	for j := max(0, low.J); j <= min(p.clear.Height-1, high.J); j++ {
		for i := max(0, low.I); i <= min(p.clear.Width-1, high.I); i++ {
			visit(j*p.clear.Width+i, Cell{i, j})
		}
	}
}

// refuseGoal returns the refusal of a goal, as robot.Blocked if only an obstacle stands
// there.
func (p *Planner) refuseGoal(goal robot.Pose, reason string) error {
	refusal := robot.Refusef("%s", reason)
	if p.base.middleOf(p.base.cellAt(goal.Point())) >= p.hard-grain {
		for _, t := range p.obstacles {
			if p.covers(t, goal.Point()) {
				return robot.Blocked{Refusal: robot.Refusef("Something stands at the goal."), At: t.at}
			}
		}
	}
	return refusal
}

// covers reports whether an obstacle leaves no room for the robot at a point.
func (p *Planner) covers(t obstacle, at robot.Point) bool {
	return t.at.Sub(at).Norm() < t.radius+p.hard+p.clear.Resolution
}

// obstacleOn returns the first obstacle that a path passes too closely.
func (p *Planner) obstacleOn(path []robot.Point) (obstacle, bool) {
	for n := 1; n < len(path); n++ {
		for _, t := range p.obstacles {
			if (robot.Segment{A: path[n-1], B: path[n]}).Distance(t.at) < t.radius+p.hard {
				return t, true
			}
		}
	}
	return obstacle{}, false
}

// describeObstacle describes an obstacle by the door that it stands in, or by its place.
func (p *Planner) describeObstacle(t obstacle) string {
	for _, d := range p.plan.Doors {
		if l := d.Leaf(d.Closed); l.Distance(t.at) < limits.BlockedRadius+limits.BlockedDepth {
			if d.Name == "" {
				return "a door is closed"
			}
			return "the door of " + d.Name + " is closed"
		}
	}
	return "something is in the way " + p.namePoint(t.at)
}
