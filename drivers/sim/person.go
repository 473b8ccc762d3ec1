package sim

import (
	"math"
	"math/rand/v2"

	"mybot/robot"
)

// walker is a person on their route.
type walker struct {
	Person
	at    robot.Point // in map
	next  int         // index of the stop that they walk to
	back  bool        // they walk the route in reverse
	side  float64     // side on which they pass obstacles: 1 left, -1 right
	pause float64     // s that they will still stand at a stop
	least float64     // m, the shortest distance to that stop so far
	lost  float64     // s without getting closer
	turns int         // changes of side without getting closer
	rng   *rand.Rand

	stance stance

	velocity robot.Point // m/s in map, of those who walk socially
	leads    bool        // someone walks beside them
	alone    bool        // the companion is stuck, so they no longer wait
	pairLost float64     // s without progress of the pair since its last change of lead
	beside   robot.Point // last direction of the person whom they walk beside, a unit vector in map
}

const (
	// respect is the distance, in m, that people leave to the robot.
	respect = 0.35
	// patience is how long, in s, people wait for a free path before they turn
	// back.
	patience = 6.0
)

// detours are the directions, in rad, that people try if the straight one is
// blocked: first all on their preferred side, then those on the other.
var detours = [...]float64{
	0,
	0.2 * math.Pi, 0.4 * math.Pi, 0.5 * math.Pi, 0.6 * math.Pi,
	-0.2 * math.Pi, -0.4 * math.Pi, -0.5 * math.Pi, -0.6 * math.Pi,
}

func newWalkers(people []Person, rng, legs *rand.Rand) []walker {
	var out []walker
	for _, p := range people {
		if len(p.Route) > 0 {
			if p.Beside < 0 || p.Beside > len(out) {
				p.Beside = 0
			}
			if p.Beside > 0 {
				out[p.Beside-1].leads = true
			}
			out = append(out, walker{Person: p, at: p.Route[0].Point, next: 1 % len(p.Route), side: 1, least: math.Inf(1), rng: rng, stance: newStance(legs)})
		}
	}
	return out
}

// solid returns the person as a solid thing.
func (p *walker) solid() solid { return solid{a: p.at, radius: p.Radius} }

// walkPeople moves all people for dt seconds.
func (w *World) walkPeople(dt float64) {
	for i := range w.walkers {
		if w.walkers[i].walksSocially() {
			w.walkSocially(i, dt)
		} else {
			w.walkPerson(i, dt)
		}
	}
}

// walkPerson moves person i along their route. People keep their distance from the
// robot, each other and all things; they walk around obstacles, wait if they
// cannot, and turn back if that takes too long.
func (w *World) walkPerson(i int, dt float64) {
	p := &w.walkers[i]
	if p.pause > 0 {
		p.pause -= dt
		p.stance.stop()
		return
	}
	to := p.Route[p.next].Point.Sub(p.at)
	distance := p.Speed * dt
	if to.Norm() <= distance {
		p.stance.stop()
		p.pause = p.Route[p.next].Pause * (0.5 + p.rng.Float64())
		p.nextStop()
		return
	}
	if p.noteProgress(to.Norm(), dt); p.lost > patience {
		p.back = !p.back
		p.nextStop()
		return
	}
	straight := math.Atan2(to.Y, to.X)
	for _, turn := range detours {
		if turn < 0 && p.turns > 0 {
			p.stance.stop()
			return
		}
		d := unitVector(straight + p.side*turn)
		at := p.at.Add(robot.Point{X: distance * d.X, Y: distance * d.Y})
		if w.isPassable(i, at) {
			if turn < 0 {
				p.side = -p.side
				p.turns++
			}
			p.at = at
			p.stance.walk(distance, d)
			return
		}
	}
	p.stance.stop()
}

// noteProgress records the person's distance to their stop, in m, after dt seconds.
func (p *walker) noteProgress(away, dt float64) {
	if p.lost += dt; away < p.least-0.05 {
		p.least, p.lost, p.turns = away, 0, 0
	}
}

// nextStop makes the route's next stop the destination.
func (p *walker) nextStop() {
	step := 1
	if p.back {
		step = len(p.Route) - 1
	}
	p.next = (p.next + step) % len(p.Route)
	p.least, p.lost, p.turns = math.Inf(1), 0, 0
}

// isPassable reports whether person i may step to the point at, without coming
// closer to anything than they like.
func (w *World) isPassable(i int, at robot.Point) bool {
	p := &w.walkers[i]
	if p.Inattentive {
		if w.isStartling(p, at) {
			return false
		}
	} else if w.isImpolite(p, at) {
		return false
	}
	keeps := 0.1
	if p.walksSocially() {
		keeps = brushes
	}
	for k := range w.walkers {
		if k == i {
			continue
		}
		o := &w.walkers[k]
		if then := at.Sub(o.at).Norm(); then < p.Radius+o.Radius+keeps && then < p.at.Sub(o.at).Norm() {
			return false
		}
	}
	for _, s := range w.solids.solidsWithin(at, p.Radius) {
		if s.distanceTo(at) < s.distanceTo(p.at) {
			return false
		}
	}
	return true
}

// isImpolite reports whether a step of person p to the point at would bring them
// closer to the robot than considerate people like.
func (w *World) isImpolite(p *walker, at robot.Point) bool {
	if at.Sub(w.base.pose.Point()).Norm() >= w.reach+p.Radius+respect {
		return false
	}
	hull := w.placeHull(w.base.pose)
	now, then := hullDistance(hull, solid{a: p.at, radius: p.Radius}), hullDistance(hull, solid{a: at, radius: p.Radius})
	return then < respect && then < now-1e-9
}
