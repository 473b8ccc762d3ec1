package sim

import (
	"math"
	"math/rand/v2"

	"mybot/robot"
)

// base is the chassis: the motion of the motors and the resulting motion of the
// robot.
type base struct {
	pose     robot.Pose   // of C in map
	twist    robot.Twist  // at M, as the motors turn
	ground   robot.Twist  // at M, over the floor
	turned   robot.Wheels // m that each wheel has rolled since the start
	counted  robot.Wheels // m of whole ticks reported since the start
	slip     robot.Wheels // current share of each wheel's travel that is lost
	touching bool         // the hull touches something
	rng      *rand.Rand
}

const (
	// gap is the distance at which things stop the hull, in m.
	gap = 0.001
	// touch is the distance at which the bumper detects a thing, in m.
	touch = 0.005
	// slipTime is the time scale on which slip changes, in s.
	slipTime = 0.3
)

// rollWheels turns the wheels for dt seconds toward the wanted twist and returns
// the travel that the encoders have counted. The motors respect the hardware's
// accelerations; over the floor the wheels have other sizes and slip.
func (w *World) rollWheels(want robot.Twist, dt float64) robot.Wheels {
	b, m := &w.base, w.scene.Wheels
	nominal := w.desc.Drivetrain
	before := nominal.Wheels(b.twist)
	b.twist = w.desc.Hardware.Slew(b.twist, want, dt)
	after := nominal.Wheels(b.twist)

	b.slip.Left = randomWalk(b.slip.Left, m.Slip, dt, b.rng)
	b.slip.Right = randomWalk(b.slip.Right, m.Slip, dt, b.rng)
	hard := w.desc.Hardware.LinearAcceleration * dt
	travel := robot.Wheels{
		Left:  after.Left * dt * (1 + m.LeftRadius) * (1 - b.slip.Left - m.Grip*(math.Abs(after.Left)-math.Abs(before.Left))/hard),
		Right: after.Right * dt * (1 + m.RightRadius) * (1 - b.slip.Right - m.Grip*(math.Abs(after.Right)-math.Abs(before.Right))/hard),
	}
	actual := nominal
	actual.WheelBase *= 1 + m.WheelBase

	share := 1.0
	if travel != (robot.Wheels{}) {
		share = w.freeShare(func(f float64) robot.Pose {
			return actual.Roll(b.pose, robot.Wheels{Left: f * travel.Left, Right: f * travel.Right})
		})
		b.pose = actual.Roll(b.pose, robot.Wheels{Left: share * travel.Left, Right: share * travel.Right})
	}
	b.ground = actual.Twist(travel).Scale(share / dt)
	b.turned.Left += after.Left * dt * share
	b.turned.Right += after.Right * dt * share
	if share < 1 { // the motors stall
		b.twist = robot.Twist{}
	}
	b.touching = w.measureClearance(b.pose) < touch
	return w.countTicks()
}

// randomWalk returns the next value of a noise of standard deviation sigma with the
// time scale slipTime.
func randomWalk(now, sigma, dt float64, rng *rand.Rand) float64 {
	keep := math.Exp(-dt / slipTime)
	return keep*now + sigma*math.Sqrt(1-keep*keep)*rng.NormFloat64()
}

// countTicks returns the whole ticks counted since the last call, as the travel of
// wheels of nominal radius; without encoders, the rolled distance.
func (w *World) countTicks() robot.Wheels {
	b := &w.base
	now := b.turned
	if e := w.desc.Encoder; e != (robot.Encoder{}) {
		tick := 2 * math.Pi * e.WheelRadius / float64(e.Ticks)
		now = robot.Wheels{
			Left:  math.Floor(b.turned.Left/tick) * tick,
			Right: math.Floor(b.turned.Right/tick) * tick,
		}
	}
	counted := robot.Wheels{Left: now.Left - b.counted.Left, Right: now.Right - b.counted.Right}
	b.counted = now
	return counted
}

// freeShare returns the share of a motion, 0 to 1, that the hull can make before a
// thing stops it. A motion away from a thing is not limited by it, nor is one
// inside a thing that already overlaps the hull.
func (w *World) freeShare(motion func(share float64) robot.Pose) float64 {
	near := w.solidsNear(w.base.pose)
	if len(near) == 0 {
		return 1
	}
	hull := w.placeHull(w.base.pose)
	from := make([]float64, len(near))
	for i, s := range near {
		from[i] = hullDistance(hull, s)
	}
	held := func(share float64) bool {
		hull := w.placeHull(motion(share))
		for i, s := range near {
			if d := hullDistance(hull, s); d < gap && d < from[i]-1e-9 {
				return true
			}
		}
		return false
	}
	if !held(1) {
		return 1
	}
	low, high := 0.0, 1.0
	for range 12 {
		if mid := (low + high) / 2; held(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return low
}

// measureClearance returns the distance, in m, from the hull at the pose to the
// nearest thing or person near it; +Inf if there is none.
func (w *World) measureClearance(p robot.Pose) float64 {
	least := math.Inf(1)
	var hull []robot.Point
	for _, s := range w.solidsNear(p) {
		if hull == nil {
			hull = w.placeHull(p)
		}
		least = min(least, hullDistance(hull, s))
	}
	return least
}

// solidsNear returns the things and people within a step of the hull.
func (w *World) solidsNear(p robot.Pose) []solid {
	c := p.Point()
	reach := w.reach + touch + 2*w.desc.Hardware.Linear*w.period.Seconds()
	near := w.solids.solidsWithin(c, reach)
	for i := range w.walkers {
		if s := w.walkers[i].solid(); s.distanceTo(c) < reach {
			near = append(near, s)
		}
	}
	return near
}

// placeHull returns the hull's corners in map for a robot at p.
func (w *World) placeHull(p robot.Pose) []robot.Point {
	out := make([]robot.Point, len(w.hull))
	for i, q := range w.hull {
		out[i] = p.Apply(q)
	}
	return out
}

// bodyOutline returns the body's corners in base_link, counter-clockwise.
func bodyOutline(b robot.Body) []robot.Point {
	if len(b.Hull) > 2 {
		return b.Hull
	}
	x, y := b.Length/2, b.Width/2
	return []robot.Point{{X: x, Y: y}, {X: -x, Y: y}, {X: -x, Y: -y}, {X: x, Y: -y}}
}
