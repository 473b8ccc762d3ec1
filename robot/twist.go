package robot

import "math"

// A Twist is how the robot moves: the velocity of the axle point M, which is
// along x, and the turning. Drivetrain.Rate gives what base_link does then.
type Twist struct {
	Linear  float64 `json:"linear"`  // m/s, forward
	Angular float64 `json:"angular"` // rad/s, counter-clockwise
}

// IsZero reports whether the twist asks for standstill.
func (t Twist) IsZero() bool { return t == Twist{} }

// IsFinite reports whether neither part is NaN or infinite.
func (t Twist) IsFinite() bool { return Finite(t.Linear, t.Angular) }

// IsStill reports whether the twist, as measured, is that of a robot that stands:
// slower than 0.01 m/s and 0.02 rad/s.
func (t Twist) IsStill() bool { return math.Abs(t.Linear) < 0.01 && math.Abs(t.Angular) < 0.02 }

// Scale returns the twist with both parts multiplied by f, so that the
// curvature of the path stays.
func (t Twist) Scale(f float64) Twist { return Twist{t.Linear * f, t.Angular * f} }

// LimitTurning returns t as a robot can drive it whose steering allows no smaller
// turning radius, in m, of the axle point: it turns less, and never in place. A radius
// of 0 limits nothing.
func (t Twist) LimitTurning(radius float64) Twist {
	if radius > 0 {
		most := math.Abs(t.Linear) / radius
		t.Angular = Clamp(t.Angular, -most, most)
	}
	return t
}

// A Limit bounds a motion: the largest speeds and how fast they may change.
type Limit struct {
	Linear              float64 `json:"linear"`                  // m/s
	Angular             float64 `json:"angular"`                 // rad/s
	LinearAcceleration  float64 `json:"linearAcceleration"`      // m/s2
	AngularAcceleration float64 `json:"angularAcceleration"`     // rad/s2
	TurningRadius       float64 `json:"turningRadius,omitempty"` // m, the smallest, of Step alone; 0 = it turns in place
}

// ForTeleop returns the limits of the virtual robot of a robot that is driven within
// l: 0.9 of its speeds and 0.8 of its accelerations. Without that head-room the
// robot could never catch up.
func (l Limit) ForTeleop() Limit {
	return Limit{
		Linear:              0.9 * l.Linear,
		Angular:             0.9 * l.Angular,
		LinearAcceleration:  0.8 * l.LinearAcceleration,
		AngularAcceleration: 0.8 * l.AngularAcceleration,
	}
}

// Clamp returns t within the speeds of l. Both parts are scaled by the same
// factor, so that the robot turns less far rather than along another curve.
func (l Limit) Clamp(t Twist) Twist {
	f := 1.0
	if v := math.Abs(t.Linear); v > l.Linear {
		f = math.Min(f, l.Linear/v)
	}
	if w := math.Abs(t.Angular); w > l.Angular {
		f = math.Min(f, l.Angular/w)
	}
	if f == 1 {
		return t
	}
	return t.Scale(f)
}

// Slew returns the twist nearest to want that can be reached from now within
// dt seconds by the accelerations of l.
func (l Limit) Slew(now, want Twist, dt float64) Twist {
	return Twist{
		Linear:  stepTowards(now.Linear, want.Linear, l.LinearAcceleration*dt),
		Angular: stepTowards(now.Angular, want.Angular, l.AngularAcceleration*dt),
	}
}

func stepTowards(now, want, most float64) float64 {
	return now + Clamp(want-now, -most, most)
}
