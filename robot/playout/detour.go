package playout

import (
	"math"

	"mybot/robot"
	"mybot/robot/limits"
)

// An ObstacleMap knows what is around a robot: what its sonars have heard.
type ObstacleMap interface {
	// Risk tells how likely it is, 0 to 1, that the hull of a robot whose axle
	// takes the way comes nearer than margin, in m, to something. The poses are
	// in the frame of the axle where it is now.
	Risk(way []robot.Pose, margin float64) float64
}

// How a robot goes round something.
const (
	asideTries = 12 // to each side
	asideStep  = limits.AvoidAside / asideTries
	bend       = 2.2  // 1/m, how fast the slope changes at most
	steepest   = 0.7  // slope
	fine       = 0.02 // m of the path, one step on a detour
	sights     = 1.7  // m of the path that it looks ahead
	sightStep  = 0.1  // m
	mostSights = 24
	passing    = 4   // parts of that, past what is beside the robot
	lookEvery  = 0.1 // s

	inTheWay  = 0.03 // risk from which it leaves the path
	noWay     = 0.5  // risk from which there is no way round
	unsure    = 0.05 // risk from which it goes carefully
	leftAside = 0.05 // m beside the path that a robot which stands there tells
)

// detour is a smooth way beside the path and back: how far the reference is
// led to the left of the virtual robot. Its slope is continuous, so the robot
// leaves the path and comes back to it along a tangent. The zero detour is the
// path itself.
type detour struct {
	aside float64 // m
	slope float64 // of aside to the way along the path, backwards negative way
	to    float64 // m, the aside that it goes for
	risk  float64 // that the way there touches something
	most  float64 // m/s; 0 = as fast as is safe
	begun bool    // it has left the path, and not yet caught up
}

// onPath reports whether it is the path itself.
func (d *detour) onPath() bool { return d.aside == 0 && d.slope == 0 && d.to == 0 }

// along goes on by h metres of the path, in steps that are fine enough.
func (d *detour) along(h float64) {
	n := math.Ceil(math.Abs(h) / fine)
	for range int(n) {
		d.step(h / n)
	}
}

func (d *detour) step(h float64) {
	left, most := d.to-d.aside, bend*math.Abs(h)
	if math.Abs(left) < 0.002 && math.Abs(d.slope) <= 2*most {
		d.aside, d.slope = d.to, 0
		return
	}
	// The slope from which the bend just ends at to.
	want := math.Copysign(math.Min(steepest, math.Sqrt(2*bend*math.Abs(left))), left*h)
	d.slope += max(-most, min(most, want-d.slope))
	d.aside = max(-limits.AvoidAside, min(limits.AvoidAside, d.aside+d.slope*h))
}

// curve returns how fast the slope changes along the path, in 1/m, for one who
// moves with the speed v.
func (d detour) curve(v float64) float64 {
	h := math.Copysign(1e-3, v)
	next := d
	next.step(h)
	return (next.slope - d.slope) / h
}

// shift returns the motion of M beside the path where it is m on the path.
func (d detour) shift(m robot.Motion) robot.Motion {
	if d.onPath() {
		return m
	}
	sin, cos := math.Sincos(m.Axle.Theta)
	v, w := m.Twist.Linear, m.Twist.Angular
	on := v - w*d.aside // m/s along the path, beside it
	return robot.Motion{
		Axle: robot.Pose{
			X: m.Axle.X - d.aside*sin, Y: m.Axle.Y + d.aside*cos,
			Theta: robot.WrapAngle(m.Axle.Theta + math.Atan(d.slope)),
		},
		Twist: robot.Twist{
			Linear:  math.Copysign(math.Hypot(on, v*d.slope), v),
			Angular: w + v*d.curve(v)/(1+d.slope*d.slope),
		},
	}
}

// fastest returns the rate at which a reference that moves with t is as fast
// as is wise.
func (d *detour) fastest(t robot.Twist) float64 {
	if d.most == 0 {
		return math.Inf(1)
	}
	return d.most / max(1e-9, math.Abs(t.Linear))
}

// outlook is the path ahead, and a way beside it.
type outlook struct {
	path  []robot.Motion
	way   []robot.Pose
	from  robot.Pose // from map to the axle's frame
	close bool       // something is beside the hull: its tail must not swing out
}

// risk returns how likely the detour to an aside comes nearer than margin to
// something on the next so many parts of the path.
func (o *outlook) risk(m ObstacleMap, d detour, to, margin float64, parts int) float64 {
	d.to = to
	o.way = o.way[:0]
	for i := range o.path[:parts] {
		if i > 0 {
			d.along(stretchOf(o.path[i-1].Axle, o.path[i].Axle))
		}
		o.way = append(o.way, o.from.Compose(d.shift(o.path[i]).Axle))
	}
	return m.Risk(o.way, margin)
}

// look decides where the detour goes. It leaves the path when that is not free,
// for the least aside that is, and rather goes on than to change its side. It
// comes back when what it goes round is behind.
func (d *detour) look(m ObstacleMap, o *outlook) {
	o.close = d.begun && o.risk(m, *d, d.to, limits.AvoidTailMargin, 1) > inTheWay
	margin := limits.AvoidMargin
	if d.begun {
		margin = limits.AvoidWideMargin
	}
	all := len(o.path)
	if o.risk(m, *d, 0, o.keep(margin, d.aside != 0), all) < inTheWay {
		d.to, d.risk, d.most = 0, 0, 0
		if !d.onPath() {
			d.most = limits.AvoidSpeed
		}
		return
	}
	to, risk := d.least(m, o, all)
	if risk > noWay { // first things first
		to, risk = d.least(m, o, all/2)
	}
	if risk > unsure && o.close {
		if r := o.risk(m, *d, d.to, limits.AvoidMargin, min(all, passing)); r < inTheWay {
			to, risk = d.to, r // past this one first
		}
	}
	if risk > noWay && d.onPath() {
		d.risk, d.most, d.begun = risk, 0, false
		return // as if nothing could be gone round: the guard slows and stops the robot
	}
	d.to, d.risk, d.most, d.begun = to, risk, limits.AvoidSpeed, true
	if risk >= unsure {
		d.most = limits.AvoidCarefulSpeed
	}
}

// keep returns the margin of a way that leads back to the path.
func (o *outlook) keep(margin float64, back bool) float64 {
	if o.close && back {
		return limits.AvoidTailMargin
	}
	return margin
}

// least returns the aside that costs least over the next parts of the path, and
// the risk that it takes.
func (d *detour) least(m ObstacleMap, o *outlook, parts int) (to, risk float64) {
	best := math.Inf(1)
	for k := -asideTries; k <= asideTries; k++ {
		a := float64(k) * asideStep
		back := a*math.Copysign(1, d.aside) < math.Abs(d.aside)-asideStep/2
		r := o.risk(m, *d, a, o.keep(limits.AvoidMargin, back), parts)
		cost := 2*r + 0.3*math.Abs(a) + 0.15*math.Abs(a-d.to)
		if a*d.aside < 0 {
			cost += 0.1 + 0.4*math.Abs(d.aside)
		}
		if cost >= best { // no more care makes it less
			continue
		}
		if cost += 0.3 * o.risk(m, *d, a, limits.AvoidWideMargin, parts); cost < best {
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

// ahead appends how the path goes on from tau, for as long as sights: as it is
// known, and then as the hand steers now.
func (p *path) ahead(way []robot.Motion, tau float64) []robot.Motion {
	m, _ := p.at(tau)
	way = append(way, m)
	newest := p.newest()
	for gone := 0.0; gone < sights && len(way) < mostSights; {
		dt := min(0.3, sightStep/max(1e-3, math.Abs(m.Twist.Linear)))
		if tau += dt; tau <= newest.t {
			m, _ = p.at(tau)
		} else {
			m = robot.Step(m, newest.want, p.limit, dt)
		}
		gone += math.Abs(stretchOf(way[len(way)-1].Axle, m.Axle))
		way = append(way, m)
	}
	return way
}
