package playout

import (
	"math"

	"mybot/robot"
	"mybot/robot/limits"
)

// An ObstacleMap holds the obstacles around a robot.
type ObstacleMap interface {
	// Risk returns the probability, 0 to 1, that the hull comes closer than margin, in
	// m, to an obstacle when the axle takes the poses. The poses are in the axle's
	// present frame.
	Risk(poses []robot.Pose, margin float64) float64
}

// Parameters of a detour.
const (
	asideTries = 12 // to each side
	asideStep  = limits.AvoidAside / asideTries
	maxBend    = 2.2  // 1/m, largest change of the slope along the path
	steepest   = 0.7  // largest slope
	fine       = 0.02 // m of the path, longest integration step
	sights     = 1.7  // m of the path, the look-ahead
	sightStep  = 0.1  // m between two poses of the look-ahead
	maxSights  = 24   // poses of the look-ahead
	passing    = 4    // poses to check for passing an obstacle beside the robot
	lookEvery  = 0.1  // s between two choices of a detour

	inTheWay  = 0.03 // risk from which the robot leaves the path
	noPath    = 0.5  // risk from which a detour is impossible
	unsure    = 0.05 // risk from which the robot drives at AvoidCarefulSpeed
	leftAside = 0.05 // m off the path from which a robot that stands there reports a HOLD
)

// detour is the lateral offset of the reference from the driven path, to avoid an
// obstacle. Its slope is continuous, so the robot leaves the path and returns to it
// tangentially. The zero detour is the path itself.
type detour struct {
	aside    float64 // m to the left of the path
	slope    float64 // of aside over the distance along the path, which is negative backwards
	to       float64 // m, target of aside
	risk     float64 // that the detour touches an obstacle
	maxSpeed float64 // m/s; 0 = only the safe speed limits
	begun    bool    // the robot has left the path and has not yet caught up
}

// onPath reports whether the detour is the path itself.
func (d *detour) onPath() bool { return d.aside == 0 && d.slope == 0 && d.to == 0 }

// advanceBy moves the detour on by h metres of the path, in steps of at most fine.
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
	// The slope from which maxBend just levels out at to.
	want := math.Copysign(math.Min(steepest, math.Sqrt(2*maxBend*math.Abs(left))), left*h)
	d.slope += max(-most, min(most, want-d.slope))
	d.aside = max(-limits.AvoidAside, min(limits.AvoidAside, d.aside+d.slope*h))
}

// slopeRate returns the change of the slope along the path, in 1/m, in the direction of
// the speed v.
func (d detour) slopeRate(v float64) float64 {
	h := math.Copysign(1e-3, v)
	next := d
	next.stepBy(h)
	return (next.slope - d.slope) / h
}

// shiftMotion returns the motion of M on the detour that corresponds to m on the path.
func (d detour) shiftMotion(m robot.Motion) robot.Motion {
	if d.onPath() {
		return m
	}
	sin, cos := math.Sincos(m.Axle.Theta)
	v, w := m.Twist.Linear, m.Twist.Angular
	on := v - w*d.aside // m/s parallel to the path, at the offset
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

// maxRate returns the play-out rate at which a reference with twist t reaches the speed
// limit of the detour.
func (d *detour) maxRate(t robot.Twist) float64 {
	if d.maxSpeed == 0 {
		return math.Inf(1)
	}
	return d.maxSpeed / max(1e-9, math.Abs(t.Linear))
}

// outlook is the look-ahead: the path ahead, and scratch space for a detour beside it.
type outlook struct {
	path  []robot.Motion
	poses []robot.Pose
	from  robot.Pose // from map to the axle's frame
	close bool       // an obstacle is beside the hull, so the tail must not swing out
}

// riskOf returns the risk that the detour to an offset comes closer than margin, in m,
// to an obstacle within the first parts poses of the path ahead.
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

// chooseSide chooses the target of the detour. It leaves a blocked path by the cheapest
// offset, prefers to keep the present side, and returns once the obstacle is passed.
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
	if risk > noPath { // plan only the first half of the look-ahead
		to, risk = d.cheapestAside(m, o, all/2)
	}
	if risk > unsure && o.close {
		if r := o.riskOf(m, *d, d.to, limits.AvoidMargin, min(all, passing)); r < inTheWay {
			to, risk = d.to, r // pass the obstacle beside the hull first
		}
	}
	if risk > noPath && d.onPath() {
		d.risk, d.maxSpeed, d.begun = risk, 0, false
		return // stay on the path: the guard slows and stops the robot
	}
	d.to, d.risk, d.maxSpeed, d.begun = to, risk, limits.AvoidSpeed, true
	if risk >= unsure {
		d.maxSpeed = limits.AvoidCarefulSpeed
	}
}

// marginFor returns the margin of a detour; back tells that it leads back towards the
// path, when the tail swings out.
func (o *outlook) marginFor(margin float64, back bool) float64 {
	if o.close && back {
		return limits.AvoidTailMargin
	}
	return margin
}

// cheapestAside returns the offset with the least cost over the first parts poses of the
// path ahead, and its risk.
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
		if cost >= best { // the term below only adds to it
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

// appendAhead appends the path from tau over the look-ahead: the known part, then the
// motion that the newest drive sample asks for.
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
