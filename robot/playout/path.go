package playout

import (
	"math"
	"slices"

	"mybot/robot"
	"mybot/robot/limits"
)

const (
	longestBridge = 1.0  // s of virtual time, the longest gap that a cubic bridges
	maxKnots      = 2048 // knots of a path
)

// link tells how a path continues from one knot to the next.
type link uint8

const (
	broken   link = iota // it does not continue
	foretold             // prediction by Step from the first knot reaches the next
	bridged              // a cubic joins the two
)

// knot is one sample on the path.
type knot struct {
	seq    uint64
	t      float64 // s
	motion robot.Motion
	want   robot.Twist
	valid  float64 // s that want counts without a successor
	s      float64 // m, arc length
	next   link
}

// path is the known path of the virtual robot: the path generator. Its knots are in
// order of seq and of t.
type path struct {
	limit robot.Limit // of the virtual robot
	knots []knot
	end   int // index of the last knot that the path reaches without a break
}

func (p *path) clearKnots() { p.knots, p.end = p.knots[:0], 0 }

func (p *path) isEmpty() bool { return len(p.knots) == 0 }

// insertKnot inserts a knot in order. It returns false if the knot's time contradicts
// its sequence number. It ignores a knot that the path already has, or one before the
// first knot.
func (p *path) insertKnot(k knot) (ok bool) {
	i, there := slices.BinarySearchFunc(p.knots, k.seq, func(a knot, seq uint64) int {
		switch {
		case a.seq < seq:
			return -1
		case a.seq > seq:
			return 1
		}
		return 0
	})
	if there || i == 0 && len(p.knots) > 0 {
		return true
	}
	if i > 0 && k.t < p.knots[i-1].t || i < len(p.knots) && k.t > p.knots[i].t {
		return false
	}
	p.knots = slices.Insert(p.knots, i, k)
	if i > 0 {
		p.joinNext(i - 1)
	}
	if i+1 < len(p.knots) {
		p.joinNext(i)
	}
	p.findEnd()
	return true
}

func (p *path) findEnd() {
	for p.end = 0; p.end+1 < len(p.knots) && p.knots[p.end].next != broken; p.end++ {
	}
}

// joinNext decides how the path continues from knot i to the next. A knot that matches
// the prediction needs no bridge, however long the gap: the virtual robot stood, or the
// watchdog stopped it.
func (p *path) joinNext(i int) {
	a, b := &p.knots[i], &p.knots[i+1]
	gap := b.t - a.t
	m := p.predictMotion(a, gap)
	apart := m.Axle.Point().Sub(b.motion.Axle.Point()).Norm()
	turned := math.Abs(robot.WrapAngle(m.Axle.Theta - b.motion.Axle.Theta))
	faster := math.Abs(m.Twist.Linear - b.motion.Twist.Linear)
	spins := math.Abs(m.Twist.Angular - b.motion.Twist.Angular)
	distance := b.motion.Axle.Point().Sub(a.motion.Axle.Point()).Norm()
	turn := math.Abs(robot.WrapAngle(b.motion.Axle.Theta - a.motion.Axle.Theta))
	rests := p.restTime(a) <= b.t && b.want.IsZero() && b.motion.Twist.IsZero()
	switch {
	case rests && distance < limits.FollowAnew:
		a.next = foretold // the virtual robot stood, and starts again where the robot stands
	case apart < 0.002 && turned < 0.005 && faster < 0.02 && spins < 0.04:
		a.next = foretold
	case gap < longestBridge && distance <= 1.5*p.limit.Linear*gap+0.02 && turn <= 1.5*p.limit.Angular*gap+0.04:
		a.next = bridged
	default:
		a.next = broken // the robot cannot move like that
	}
}

// predictMotion returns the motion dt seconds after the knot if no sample follows: the
// wanted twist lasts while it is valid, then the speed decays at the slew limits of
// Step. This is the watchdog in virtual time; the page's virtual robot does the same.
func (p *path) predictMotion(k *knot, dt float64) robot.Motion {
	m := k.motion
	for done := 0.0; done < dt-1e-9; {
		want := k.want
		if done >= k.valid-1e-9 {
			want = robot.Twist{}
		}
		if want.IsZero() && m.Twist.IsZero() {
			break
		}
		step := math.Min(robot.Tick, dt-done)
		m = robot.Step(m, want, p.limit, step)
		done += step
	}
	return m
}

// restTime returns the virtual time at which the knot's motion has stopped if no sample
// follows.
func (p *path) restTime(k *knot) float64 {
	t := k.t
	v, w := k.motion.Twist, p.limit.Clamp(k.want)
	if !w.IsZero() {
		t += k.valid
		v = p.limit.Slew(v, w, k.valid)
	}
	if p.limit.TurningRadius > 0 {
		v.Angular = 0 // a robot that steers like a car only turns while it rolls
	}
	brake := math.Max(math.Abs(v.Linear)/p.limit.LinearAcceleration, math.Abs(v.Angular)/p.limit.AngularAcceleration)
	return t + math.Ceil(brake/robot.Tick-1e-6)*robot.Tick
}

// dropBefore drops the knots before the virtual time tau, except the last one, from which
// the path continues.
func (p *path) dropBefore(tau float64) {
	n := 0
	for n+1 < len(p.knots) && p.knots[n+1].t <= tau && n < p.end {
		n++
	}
	if n > 0 {
		p.knots = p.knots[:copy(p.knots, p.knots[n:])]
		p.end -= n
	}
}

// newestKnot returns the last knot that the path reaches without a break.
func (p *path) newestKnot() *knot { return &p.knots[p.end] }

// motionAt returns the reference at the virtual time tau, and the arc length there in m.
// Before the first knot the reference stands at it.
func (p *path) motionAt(tau float64) (m robot.Motion, s float64) {
	i := 0
	for i < p.end && p.knots[i+1].t <= tau {
		i++
	}
	a := &p.knots[i]
	if tau <= a.t {
		if tau < a.t {
			return robot.Motion{Axle: a.motion.Axle}, a.s
		}
		return a.motion, a.s
	}
	if i < p.end && a.next == bridged {
		b := &p.knots[i+1]
		f := (tau - a.t) / (b.t - a.t)
		return hermiteMotion(a, b, tau-a.t), a.s + f*(b.s-a.s)
	}
	m = p.predictMotion(a, tau-a.t)
	return m, a.s + m.Axle.Point().Sub(a.motion.Axle.Point()).Norm()
}

// standsUntil returns the virtual time until which the reference stands from tau on: tau
// itself if it moves, +Inf if it stands to the end of the known path.
func (p *path) standsUntil(tau float64) (until float64) {
	i := 0
	for i < p.end && p.knots[i+1].t <= tau {
		i++
	}
	for until = math.Max(tau, p.knots[0].t); ; i++ {
		k := &p.knots[i]
		switch {
		case i < p.end && k.next == bridged, until < p.restTime(k):
			return until
		case i == p.end:
			return math.Inf(1)
		}
		until = p.knots[i+1].t
	}
}

// hermiteMotion returns the motion dt seconds after a on the cubic from a to b that has
// the velocities of both at its ends. The heading has a cubic of its own, and the twist
// is the derivative of both.
func hermiteMotion(a, b *knot, dt float64) robot.Motion {
	h := b.t - a.t
	u := dt / h
	sinA, cosA := math.Sincos(a.motion.Axle.Theta)
	sinB, cosB := math.Sincos(b.motion.Axle.Theta)
	va, vb := a.motion.Twist.Linear, b.motion.Twist.Linear
	x, dx := cubicAt(a.motion.Axle.X, va*cosA, b.motion.Axle.X, vb*cosB, h, u)
	y, dy := cubicAt(a.motion.Axle.Y, va*sinA, b.motion.Axle.Y, vb*sinB, h, u)
	turn := robot.WrapAngle(b.motion.Axle.Theta - a.motion.Axle.Theta)
	th, w := cubicAt(0, a.motion.Twist.Angular, turn, b.motion.Twist.Angular, h, u)
	theta := robot.WrapAngle(a.motion.Axle.Theta + th)
	sin, cos := math.Sincos(theta)
	return robot.Motion{
		Axle:  robot.Pose{X: x, Y: y, Theta: theta},
		Twist: robot.Twist{Linear: cos*dx + sin*dy, Angular: w},
	}
}

// cubicAt returns the value and the rate, at the fraction u, of the cubic from p to q
// that takes h seconds and has the rates v and w at its ends.
func cubicAt(p, v, q, w, h, u float64) (value, rate float64) {
	u2, u3 := u*u, u*u*u
	value = (2*u3-3*u2+1)*p + (u3-2*u2+u)*h*v + (3*u2-2*u3)*q + (u3-u2)*h*w
	rate = (6*u2-6*u)/h*p + (3*u2-4*u+1)*v + (6*u-6*u2)/h*q + (3*u2-2*u)*w
	return value, rate
}
