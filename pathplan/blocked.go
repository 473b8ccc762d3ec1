package pathplan

import (
	"math"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

const (
	silence = 3 // or so many times as long nothing at all
)

// thing is something in the way that is not on the floor plan.
type thing struct {
	at      robot.Point // its middle, in map
	until   time.Time
	through time.Duration // for so long the sonars have looked through it
}

// Block notes that something not on the floor plan stands at a point of map,
// as seen from the robot at from: the edges that pass it are shut and the grid
// has an obstacle there, for Blocking.
func (p *Planner) Block(now time.Time, from, face robot.Point) {
	if way := face.Sub(from); way.Norm() > 1e-6 {
		f := limits.BlockedDepth / way.Norm()
		face = face.Add(robot.Point{X: f * way.X, Y: f * way.Y})
	}
	// Seen from nearer or from another side a thing is elsewhere: what is known
	// now takes the place of what was.
	p.keepThings(func(t thing) bool { return now.Before(t.until) && t.at.Sub(face).Norm() > limits.BlockedSame })
	t := thing{at: face, until: now.Add(limits.BlockedLife)}
	p.things = append(p.things, t)
	p.stamp(t)
}

// Unblock forgets all that is in the way.
func (p *Planner) Unblock() { p.keepThings(func(thing) bool { return false }) }

// Observe takes what the sonars hear with base_link at pose, in map: what is in the
// way goes when they look through it for long enough. It reports whether something
// went.
func (p *Planner) Observe(r robot.Reading, pose robot.Pose) (gone bool) {
	dt := max(0, min(r.Time.Sub(p.saw), limits.BlockedLookTime/10))
	p.saw = r.Time
	for n := range p.things {
		t := &p.things[n]
		looks, silent := false, true
		for i, d := range r.Ranges[:min(len(r.Ranges), len(p.desc.Sonars))] {
			s := p.desc.Sonars[i]
			v := pose.Compose(s.Pose).Inverse().Apply(t.at)
			far := v.Norm()
			if far > limits.BlockedLookRange || math.Abs(math.Atan2(v.Y, v.X)) > s.Beam/2+math.Atan2(limits.BlockedRadius/2, far) {
				continue
			}
			if !(d > far+limits.BlockedRadius) { // it is there, or hidden
				looks = false
				break
			}
			looks, silent = true, silent && d >= s.Max
		}
		switch {
		case !looks:
			t.through = 0
		case silent:
			t.through += dt / silence
		default:
			t.through += dt
		}
		gone = gone || t.through >= limits.BlockedLookTime
	}
	if gone {
		p.keepThings(func(t thing) bool { return t.through < limits.BlockedLookTime })
	}
	return gone
}

// forget takes away what has been in the way long enough.
func (p *Planner) forget(now time.Time) {
	p.keepThings(func(t thing) bool { return now.Before(t.until) })
}

// keepThings takes away what is in the way but for some.
func (p *Planner) keepThings(which func(thing) bool) {
	left := slices.DeleteFunc(slices.Clone(p.things), func(t thing) bool { return !which(t) })
	if len(left) == len(p.things) {
		return
	}
	for _, t := range p.things {
		p.window(t.at, func(n int, c Cell) {
			p.clear.far[n] = p.base.far[n]
			p.field.Set(c, p.base.far[n] >= enough(p.hard))
		})
	}
	p.graph.Open()
	p.things = left
	for _, t := range left {
		p.stamp(t)
	}
}

func (p *Planner) stamp(t thing) {
	p.window(t.at, func(n int, c Cell) {
		far := p.clear.Point(Centre(c)).Sub(t.at).Norm() - limits.BlockedRadius
		if far := grains(far); far < p.clear.far[n] {
			p.clear.far[n] = far
			p.field.Set(c, far >= enough(p.hard))
		}
	})
	p.graph.Shut(t.at, limits.BlockedRadius+p.keep, t.until)
}

// window visits the cells whose clearance a thing may change where it matters.
func (p *Planner) window(at robot.Point, visit func(n int, c Cell)) {
	reach := limits.BlockedRadius + limits.RouteKeepOff + p.clear.Resolution
	low := p.clear.Cell(robot.Point{X: at.X - reach, Y: at.Y - reach})
	high := p.clear.Cell(robot.Point{X: at.X + reach, Y: at.Y + reach})
	for j := max(0, low.J); j <= min(p.clear.Height-1, high.J); j++ {
		for i := max(0, low.I); i <= min(p.clear.Width-1, high.I); i++ {
			visit(j*p.clear.Width+i, Cell{i, j})
		}
	}
}

// temporary makes a refusal of a goal, robot.Blocked when only things in the way
// take the place.
func (p *Planner) temporary(goal robot.Pose, reason string) error {
	refusal := refuse("%s", reason)
	if p.base.cell(p.base.Cell(goal.Point())) >= p.hard-grain {
		for _, t := range p.things {
			if t.at.Sub(goal.Point()).Norm() < limits.BlockedRadius+p.hard+p.clear.Resolution {
				return robot.Blocked{Refusal: refuse("Something stands at the goal."), At: t.at}
			}
		}
	}
	return refusal
}

// across returns the first thing that a path leads too close to.
func (p *Planner) across(path []robot.Point) (thing, bool) {
	for n := 1; n < len(path); n++ {
		for _, t := range p.things {
			if (robot.Segment{A: path[n-1], B: path[n]}).Distance(t.at) < limits.BlockedRadius+p.hard {
				return t, true
			}
		}
	}
	return thing{}, false
}

// what names a thing in the way: the door that it stands in, or where it is.
func (p *Planner) what(t thing) string {
	for _, d := range p.plan.Doors {
		if l := d.Leaf(d.Closed); l.Distance(t.at) < limits.BlockedRadius+limits.BlockedDepth {
			if d.Name == "" {
				return "a door is closed"
			}
			return "the door of " + d.Name + " is closed"
		}
	}
	return "something is in the way " + p.where(t.at)
}
