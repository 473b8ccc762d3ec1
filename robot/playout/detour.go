package playout

import (
	"math"

	"mybot/robot"
	"mybot/robot/limits"
)

// An ObstacleMap knows what is around a robot: what its sonars have heard.
type ObstacleMap interface {
	// Risk tells how likely it is, 0 to 1, that the hull of a robot whose axle
	// takes the poses comes nearer than margin, in m, to an obstacle. The poses are
	// in the frame of the axle where it is now.
	Risk(poses []robot.Pose, margin float64) float64
}

// How a robot avoids an obstacle.
const (
	asideTries = 12 // to each side
	asideStep  = limits.AvoidAside / asideTries
	maxBend    = 2.2  // 1/m, how fast the slope changes at most
	steepest   = 0.7  // slope
	fine       = 0.02 // m of the path, one step on a detour
	sights     = 1.7  // m of the path that it looks ahead
	sightStep  = 0.1  // m
	maxSights  = 24
	passing    = 4   // parts of that, past what is at the robot's side
	lookEvery  = 0.1 // s

	inTheWay  = 0.03 // risk from which it leaves the path
	noPath    = 0.5  // risk from which no detour is possible
	unsure    = 0.05 // risk from which it goes carefully
	leftAside = 0.05 // m off the path from which a robot that stands there says so
)

// detour is a smooth path at the side of the driven one and back: how far the reference is
// led to the left of the virtual robot. Its slope is continuous, so the robot
// leaves the path and comes back to it along a tangent. The zero detour is the
// path itself.
type detour struct {
	aside    float64 // m
	slope    float64 // of aside over the distance along the path, which is negative backwards
	to       float64 // m, the aside that it goes for
	risk     float64 // that the detour touches an obstacle
	maxSpeed float64 // m/s; 0 = as fast as is safe
	begun    bool    // it has left the path, and not yet caught up
}

// onPath reports whether it is the path itself.
func (d *detour) onPath() bool { return d.aside == 0 && d.slope == 0 && d.to == 0 }

// advanceBy goes on by h metres of the path, in steps that are fine enough.
func (d *detour) advanceBy(h float64) {
	n := math.Ceil(math.Abs(h) / fine)
	for range int(n) {
		d.stepBy(h / n)
	}
}

func (d *detour) stepBy(h float64) {
	left, most := d.to-d.aside, maxBend*math.Abs(h)
	if math.Abs(left) < 0.002 && math.Abs(d.slope) <= 2*most {
		d.aside, d.slope = d.to, 0
		return
	}
	// The slope from which the bend just ends at to.
	want := math.Copysign(math.Min(steepest, math.Sqrt(2*maxBend*math.Abs(left))), left*h)
	d.slope += max(-most, min(most, want-d.slope))
	d.aside = max(-limits.AvoidAside, min(limits.AvoidAside, d.aside+d.slope*h))
}

// slopeRate returns how fast the slope changes along the path, in 1/m, for one who
// moves with the speed v.
func (d detour) slopeRate(v float64) float64 {
	h := math.Copysign(1e-3, v)
	next := d
	next.stepBy(h)
	return (next.slope - d.slope) / h
}

// shiftMotion returns the motion of M on the detour where it is m on the path.
func (d detour) shiftMotion(m robot.Motion) robot.Motion {
	if d.onPath() {
		return m
	}
	sin, cos := math.Sincos(m.Axle.Theta)
	v, w := m.Twist.Linear, m.Twist.Angular
	on := v - w*d.aside // m/s along the path, at its side
	return robot.Motion{
		Axle: robot.Pose{
			X: m.Axle.X - d.aside*sin, Y: m.Axle.Y + d.aside*cos,
			Theta: robot.WrapAngle(m.Axle.Theta + math.Atan(d.slope)),
		},
		Twist: robot.Twist{
			Linear:  math.Copysign(math.Hypot(on, v*d.slope), v),
			Angular: w + v*d.slopeRate(v)/(1+d.slope*d.slope),
		},
	}
}

// maxRate returns the rate at which a reference that moves with t is as fast
// as is wise.
func (d *detour) maxRate(t robot.Twist) float64 {
	if d.maxSpeed == 0 {
		return math.Inf(1)
	}
	return d.maxSpeed / max(1e-9, math.Abs(t.Linear))
}

// outlook is the path ahead, and a detour at its side.
type outlook struct {
	path  []robot.Motion
	poses []robot.Pose
	from  robot.Pose // from map to the axle's frame
	close bool       // an obstacle is at the side of the hull: its tail must not swing out
}

// riskOf returns how likely the detour to an aside comes nearer than margin to
// something on the next so many parts of the path.
func (o *outlook) riskOf(m ObstacleMap, d detour, to, margin float64, parts int) float64 {
	d.to = to
	o.poses = o.poses[:0]
	for i := range o.path[:parts] {
		if i > 0 {
			d.advanceBy(stretchOf(o.path[i-1].Axle, o.path[i].Axle))
		}
		o.poses = append(o.poses, o.from.Compose(d.shiftMotion(o.path[i]).Axle))
	}
	return m.Risk(o.poses, margin)
}

// chooseSide decides where the detour goes. It leaves the path when that is not free,
// for the smallest aside that is, and rather goes on than changes its side. It
// comes back when the obstacle is behind.
func (d *detour) chooseSide(m ObstacleMap, o *outlook) {
	o.close = d.begun && o.riskOf(m, *d, d.to, limits.AvoidTailMargin, 1) > inTheWay
	margin := limits.AvoidMargin
	if d.begun {
		margin = limits.AvoidWideMargin
	}
	all := len(o.path)
	if o.riskOf(m, *d, 0, o.marginFor(margin, d.aside != 0), all) < inTheWay {
		d.to, d.risk, d.maxSpeed = 0, 0, 0
		if !d.onPath() {
			d.maxSpeed = limits.AvoidSpeed
		}
		return
	}
	to, risk := d.cheapestAside(m, o, all)
	if risk > noPath { // first things first
		to, risk = d.cheapestAside(m, o, all/2)
	}
	if risk > unsure && o.close {
		if r := o.riskOf(m, *d, d.to, limits.AvoidMargin, min(all, passing)); r < inTheWay {
			to, risk = d.to, r // past this one first
		}
	}
	if risk > noPath && d.onPath() {
		d.risk, d.maxSpeed, d.begun = risk, 0, false
		return // as if nothing could be avoided: the guard slows and stops the robot
	}
	d.to, d.risk, d.maxSpeed, d.begun = to, risk, limits.AvoidSpeed, true
	if risk >= unsure {
		d.maxSpeed = limits.AvoidCarefulSpeed
	}
}

// marginFor returns the margin of a detour that leads back to the path.
func (o *outlook) marginFor(margin float64, back bool) float64 {
	if o.close && back {
		return limits.AvoidTailMargin
	}
	return margin
}

// cheapestAside returns the aside that costs least over the next parts of the path, and
// the risk that it takes.
func (d *detour) cheapestAside(m ObstacleMap, o *outlook, parts int) (to, risk float64) {
	best := math.Inf(1)
	for k := -asideTries; k <= asideTries; k++ {
		a := float64(k) * asideStep
		back := a*math.Copysign(1, d.aside) < math.Abs(d.aside)-asideStep/2
		r := o.riskOf(m, *d, a, o.marginFor(limits.AvoidMargin, back), parts)
		cost := 2*r + 0.3*math.Abs(a) + 0.15*math.Abs(a-d.to)
		if a*d.aside < 0 {
			cost += 0.1 + 0.4*math.Abs(d.aside)
		}
		if cost >= best { // no more care makes it less
			continue
		}
		if cost += 0.3 * o.riskOf(m, *d, a, limits.AvoidWideMargin, parts); cost < best {
			best, to, risk = cost, a, r
		}
	}
	return to, risk
}

// stretchOf returns how far b is ahead of a, in m.
func stretchOf(a, b robot.Pose) float64 {
	d := b.Point().Sub(a.Point())
	sin, cos := math.Sincos(a.Theta)
	return math.Copysign(d.Norm(), d.X*cos+d.Y*sin)
}

// appendAhead appends how the path goes on from tau, for as long as sights: as it is
// known, and then as the driver steers now.
func (p *path) appendAhead(motions []robot.Motion, tau float64) []robot.Motion {
	m, _ := p.motionAt(tau)
	motions = append(motions, m)
	newest := p.newestKnot()
	for gone := 0.0; gone < sights && len(motions) < maxSights; {
		dt := min(0.3, sightStep/max(1e-3, math.Abs(m.Twist.Linear)))
		if tau += dt; tau <= newest.t {
			m, _ = p.motionAt(tau)
		} else {
			m = robot.Step(m, newest.want, p.limit, dt)
		}
		gone += math.Abs(stretchOf(motions[len(motions)-1].Axle, m.Axle))
		motions = append(motions, m)
	}
	return motions
}
