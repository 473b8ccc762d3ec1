package pathplan

import (
	"math"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

const (
	silence    = 3 // or so many times as long nothing at all
	minPassing = 3 // rays of a scan that must lead past the middle of an obstacle that is gone
)

// obstacle is something that is not on the floor plan.
type obstacle struct {
	at      robot.Point   // its middle, in map
	radius  float64       // m
	since   time.Time     // it was noted first
	noted   time.Time     // and last; it is certain for BlockedLife from then on,
	until   time.Time     // and believed until then where there is another way
	through time.Duration // for so long the sonars have looked through it
	free    time.Time     // since when every scan shows that nothing is there; zero = it does not
	gone    bool          // it is forgotten with this reading
}

// Block notes that something not on the floor plan stands at a point of map,
// as seen from the robot at from: the edges that pass it are shut and the grid
// has an obstacle there, for BlockedLife. What has stood there for a while is believed
// for longer where there is another way: else a robot on a long way around turns back as
// soon as it may have gone, and finds it again.
func (p *Planner) Block(now time.Time, from, face robot.Point) {
	if leg := face.Sub(from); leg.Norm() > 1e-6 {
		f := limits.BlockedDepth / leg.Norm()
		face = face.Add(robot.Point{X: f * leg.X, Y: f * leg.Y})
	}
	t := obstacle{at: face, radius: limits.BlockedRadius, since: now, noted: now}
	// Seen from nearer or from another side an obstacle is elsewhere: what is known
	// now takes the place of what was.
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

// BlockPoints notes what lidars see at points of map, as Block does, but as large as it
// is: in place of all that was noted near them.
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

// Unblock forgets all that is in the way.
func (p *Planner) Unblock() { p.keepObstacles(func(obstacle) bool { return false }) }

// Observe takes what the sonars hear and the rays of the lidars with base_link at
// pose, in map: what is in the path goes when they look through it for long enough.
// It reports whether something went.
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

// heard is what the sonars near a point that look there make of it.
type heard struct {
	through bool // at least one looks through it, and none hears something at it or before it
	silent  bool // none of those that look through it hears anything at all
	heard   bool // one hears something at it
}

// listenTo tells what the sonars make of a point of map.
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
		if !(d > far+limits.BlockedRadius) { // it is there, or hidden
			hidden = true
			h.heard = h.heard || d > far-limits.BlockedRadius
			continue
		}
		h.through, h.silent = true, h.silent && d >= s.Max
	}
	h.through = h.through && !hidden
	return h
}

// raysPass reports whether the rays of a scan see that nothing stands at a point of
// map: enough of them lead past its middle, and none ends at what an obstacle there
// would cover, but for what is on the floor plan.
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

// dropExpired takes away what has been in the way long enough.
func (p *Planner) dropExpired(now time.Time) {
	p.keepObstacles(func(t obstacle) bool { return now.Before(t.until) })
}

// dropDoubtful takes away what was not noted for BlockedLife, and reports whether there
// was something. It does not while something else has been in the way for less than
// BlockedLife: that is likelier to go, a person for instance.
func (p *Planner) dropDoubtful(now time.Time) bool {
	if slices.ContainsFunc(p.obstacles, func(t obstacle) bool { return now.Sub(t.since) < limits.BlockedLife }) {
		return false
	}
	before := len(p.obstacles)
	p.keepObstacles(func(t obstacle) bool { return now.Sub(t.noted) < limits.BlockedLife })
	return len(p.obstacles) < before
}

// keepObstacles takes away what is in the way but for some.
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

// visitAround visits the cells whose clearance an obstacle may change where it matters.
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

// refuseGoal makes a refusal of a goal, robot.Blocked when only obstacles
// take the place.
func (p *Planner) refuseGoal(goal robot.Pose, reason string) error {
	refusal := refusalOf("%s", reason)
	if p.base.middleOf(p.base.cellAt(goal.Point())) >= p.hard-grain {
		for _, t := range p.obstacles {
			if t.at.Sub(goal.Point()).Norm() < t.radius+p.hard+p.clear.Resolution {
				return robot.Blocked{Refusal: refusalOf("Something stands at the goal."), At: t.at}
			}
		}
	}
	return refusal
}

// obstacleOn returns the first obstacle that a path leads too close to.
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

// describeObstacle names an obstacle: the door that it stands in, or where it is.
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
