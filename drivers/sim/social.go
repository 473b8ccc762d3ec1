package sim

import (
	"math"

	"mybot/robot"
)

// How people walk who ignore the robot, and those who walk side by side: the
// social-force model of Helbing and Molnar, "Social force model for pedestrian
// dynamics", Physical Review E 51 (1995), with round people.
const (
	relaxes      = 0.5  // s, relaxation time of the velocity
	shuns        = 7.0  // m/s2, repulsion by another person at contact: 2.1 m2/s2 over shunRange
	shunRange    = 0.3  // m of gap over which that repulsion falls to 1/e
	shunsWall    = 5.0  // m/s2, repulsion by a wall at contact
	wallRange    = 0.1  // m, likewise. The paper's 10 m2/s2 over 0.2 m would keep people of 0.25 m radius out of doors
	seesBehind   = 0.5  // share of the repulsion by things more than 100 degrees off their direction
	hurries      = 1.3  // times their speed, at most
	brushes      = 0.05 // m, the smallest gap between two such people
	stopReached  = 0.3  // m from a stop that counts as arrival
	besideGap    = 0.15 // m between two who walk side by side
	behindGap    = 0.2  // m, if there is no room side by side
	besideNear   = 0.1  // m from their place beside the other at which they stand when the other does
	leaderWaits  = 2.0  // m to the companion, beyond which they wait
	swapsAfter   = 1.5  // s without progress of the pair, after which the lead changes
	startleGap   = 0.10 // m from the hull: they come no closer by themselves
	startleDelay = 0.3  // s that the robot rolls on before it brakes, in their judgement
)

// walksSocially reports whether a person walks by the social-force model.
func (p *walker) walksSocially() bool { return p.Inattentive || p.Beside > 0 || p.leads }

// walkSocially moves person i for dt seconds by the forces on them.
func (w *World) walkSocially(i int, dt float64) {
	p := &w.walkers[i]
	want, stands := w.wantedVelocity(i, dt)
	if stands {
		p.velocity = robot.Point{}
		p.stance.stop()
		return
	}
	push := w.repulsionOn(i, want)
	v := robot.Point{
		X: p.velocity.X + dt*((want.X-p.velocity.X)/relaxes+push.X),
		Y: p.velocity.Y + dt*((want.Y-p.velocity.Y)/relaxes+push.Y),
	}
	if speed, limit := v.Norm(), hurries*p.Speed; speed > limit {
		v = robot.Point{X: v.X * limit / speed, Y: v.Y * limit / speed}
	}
	speed, heading := v.Norm(), math.Atan2(v.Y, v.X)
	for _, turn := range [...]float64{0, 0.25 * math.Pi, -0.25 * math.Pi, 0.45 * math.Pi, -0.45 * math.Pi} {
		d, distance := unitVector(heading+turn), speed*math.Cos(turn)*dt
		at := p.at.Add(robot.Point{X: distance * d.X, Y: distance * d.Y})
		if distance > 0 && w.isPassable(i, at) {
			p.at, p.velocity = at, robot.Point{X: distance / dt * d.X, Y: distance / dt * d.Y}
			p.stance.walk(distance, d)
			return
		}
	}
	p.velocity = robot.Point{}
	p.stance.stop()
}

// wantedVelocity returns the velocity that person i wants, in m/s in map, and whether they
// want to stand.
func (w *World) wantedVelocity(i int, dt float64) (want robot.Point, stands bool) {
	p := &w.walkers[i]
	if p.Beside > 0 {
		return w.wantedVelocityBeside(i)
	}
	if p.pause > 0 {
		p.pause -= dt
		return want, true
	}
	to := p.Route[p.next].Point.Sub(p.at)
	if to.Norm() <= stopReached {
		p.pause = p.Route[p.next].Pause * (0.5 + p.rng.Float64())
		p.nextStop()
		return want, p.pause > 0
	}
	p.noteProgress(to.Norm(), dt)
	if k := w.companionOf(i); k >= 0 {
		apart := w.walkers[k].at.Sub(p.at).Norm()
		if p.alone = apart > leaderWaits && (p.alone || p.lost > patience/2); apart > leaderWaits && !p.alone {
			return want, true
		}
		if p.pairLost += dt; p.lost == 0 {
			p.pairLost = 0
		}
		if p.pairLost > swapsAfter && apart < p.Radius+w.walkers[k].Radius+2*besideGap {
			w.swapLead(i, k)
			return want, true
		}
	}
	if p.lost > patience {
		p.back = !p.back
		p.nextStop()
		return want, true
	}
	return robot.Point{X: to.X / to.Norm() * p.Speed, Y: to.Y / to.Norm() * p.Speed}, false
}

// wantedVelocityBeside is wantedVelocity for a person who walks beside another: to their left, or
// behind them if there is no room.
func (w *World) wantedVelocityBeside(i int) (want robot.Point, stands bool) {
	p := &w.walkers[i]
	o := &w.walkers[p.Beside-1]
	ahead := unitVector(o.stance.heading)
	if !o.stance.walks { // a standing person may turn, but the companion does not walk around them for that
		if p.at.Sub(o.at).Norm() < p.Radius+o.Radius+4*besideGap {
			return want, true
		}
	} else {
		p.beside = ahead
	}
	apart := p.Radius + o.Radius + besideGap
	place := o.at.Add(robot.Point{X: -p.beside.Y * apart, Y: p.beside.X * apart})
	for _, s := range w.solids.solidsWithin(place, p.Radius+besideGap) {
		if s.distanceTo(place) < p.Radius+besideGap {
			apart = p.Radius + o.Radius + behindGap
			place = o.at.Add(robot.Point{X: -p.beside.X * apart, Y: -p.beside.Y * apart})
			break
		}
	}
	to := place.Sub(p.at)
	if !o.stance.walks && to.Norm() < besideNear {
		return want, true
	}
	speed := min(hurries*p.Speed, to.Norm()/relaxes)
	if o.stance.walks {
		speed = min(hurries*p.Speed, o.Speed+to.Norm()/relaxes-besideNear)
	}
	ahead = robot.Point{X: to.X + ahead.X*o.Speed*relaxes, Y: to.Y + ahead.Y*o.Speed*relaxes}
	if !o.stance.walks {
		ahead = to
	}
	n := max(ahead.Norm(), 1e-9)
	return robot.Point{X: ahead.X / n * speed, Y: ahead.Y / n * speed}, false
}

// companionOf returns the person who walks beside person i; -1 = none.
func (w *World) companionOf(i int) int {
	if w.walkers[i].leads {
		for k := range w.walkers {
			if w.walkers[k].Beside == i+1 {
				return k
			}
		}
	}
	return -1
}

// swapLead lets person k, who walked beside person i, lead, because they block each
// other.
func (w *World) swapLead(i, k int) {
	p, o := &w.walkers[i], &w.walkers[k]
	o.Route, o.next, o.back, o.Speed, o.Beside, o.leads = p.Route, p.next, p.back, p.Speed, 0, true
	o.least, o.lost, o.pairLost, o.pause = p.least, p.lost, 0, 0
	p.Beside, p.leads, p.pairLost = k+1, false, 0
}

// repulsionOn returns the acceleration, in m/s2, by which other people and things repel
// person i.
func (w *World) repulsionOn(i int, want robot.Point) (push robot.Point) {
	p := &w.walkers[i]
	add := func(away robot.Point, gap, strength, reach float64) {
		if n := away.Norm(); n > 1e-6 {
			f := strength * math.Exp(-max(0, gap)/reach) / n
			if speed := want.Norm(); speed > 0 && -(want.X*away.X+want.Y*away.Y) < math.Cos(robot.Radians(100))*speed*n {
				f *= seesBehind
			}
			push = push.Add(robot.Point{X: f * away.X, Y: f * away.Y})
		}
	}
	for k := range w.walkers {
		o := &w.walkers[k]
		if k == i || p.Beside == k+1 || o.Beside == i+1 {
			continue
		}
		if away := p.at.Sub(o.at); away.Norm() < p.Radius+o.Radius+4*shunRange {
			add(away, away.Norm()-p.Radius-o.Radius, shuns, shunRange)
		}
	}
	if away := p.at.Sub(w.base.pose.Point()); !p.Inattentive && away.Norm() < w.reach+p.Radius+respect+4*shunRange {
		add(away, hullDistance(w.placeHull(w.base.pose), p.solid())-respect, shuns, shunRange)
	}
	for _, s := range w.solids.solidsWithin(p.at, p.Radius+4*wallRange) {
		add(p.at.Sub(s.nearestPoint(p.at)), s.distanceTo(p.at)-p.Radius, shunsWall, wallRange)
	}
	return push
}

// nearestPoint returns the point of a face, or the centre of a round thing, that
// repels a person at p.
func (s solid) nearestPoint(p robot.Point) robot.Point {
	leg := s.b.Sub(s.a)
	if s.radius > 0 || leg == (robot.Point{}) {
		return s.a
	}
	v := p.Sub(s.a)
	f := robot.Clamp((v.X*leg.X+v.Y*leg.Y)/(leg.X*leg.X+leg.Y*leg.Y), 0, 1)
	return s.a.Add(robot.Point{X: f * leg.X, Y: f * leg.Y})
}

// isStartling reports whether a step of person p to the point at would bring them so
// close to the robot that it could not brake in time: no one walks right in front
// of a moving robot, and people who ignore it stop dead beside it. A person who
// already stands there may walk away.
func (w *World) isStartling(p *walker, at robot.Point) bool {
	drives := w.base.ground
	speed := math.Abs(drives.Linear)
	rolls := startleDelay + speed/w.desc.Hardware.LinearAcceleration/2 // s at this speed, until it stands
	if at.Sub(w.base.pose.Point()).Norm() > w.reach+speed*rolls+p.Radius+startleGap {
		return false
	}
	parts := 1 + int(speed*rolls/0.05)
	for n := range parts + 1 {
		dt := rolls * float64(n) / float64(parts)
		hull := w.placeHull(w.desc.Drivetrain.Roll(w.base.pose, w.desc.Drivetrain.Wheels(robot.Twist{Linear: drives.Linear * dt, Angular: drives.Angular * dt})))
		then := hullDistance(hull, solid{a: at, radius: p.Radius})
		if then < startleGap && then < hullDistance(hull, solid{a: p.at, radius: p.Radius})-1e-9 {
			return true
		}
	}
	return false
}
