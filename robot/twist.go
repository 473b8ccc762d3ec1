package robot

import "math"

// A Twist is the velocity of the robot: the speed of the axle point M along x, and the turn
// rate. Drivetrain.Rate gives the resulting motion of base_link.
type Twist struct {
	Linear  float64 `json:"linear"`  // m/s, forward
	Angular float64 `json:"angular"` // rad/s, counter-clockwise
}

// IsZero reports whether the twist is standstill.
func (t Twist) IsZero() bool { return t == Twist{} }

// IsFinite reports whether neither part is NaN or infinite.
func (t Twist) IsFinite() bool { return Finite(t.Linear, t.Angular) }

// IsStill reports whether a measured twist is that of a standing robot: less than 0.01 m/s
// and 0.02 rad/s.
func (t Twist) IsStill() bool { return math.Abs(t.Linear) < 0.01 && math.Abs(t.Angular) < 0.02 }

// Scale returns the twist with both components multiplied by f, which preserves the
// curvature.
func (t Twist) Scale(f float64) Twist { return Twist{t.Linear * f, t.Angular * f} }

// LimitTurning reduces the turn rate of t to a turning radius of the axle point of at least
// radius, in m: a car cannot turn in place. A radius of 0 limits nothing.
func (t Twist) LimitTurning(radius float64) Twist {
	if radius > 0 {
		most := math.Abs(t.Linear) / radius
		t.Angular = Clamp(t.Angular, -most, most)
	}
	return t
}

// A Limit holds the largest speeds and accelerations of a motion.
type Limit struct {
	Linear              float64 `json:"linear"`                  // m/s
	Angular             float64 `json:"angular"`                 // rad/s
	LinearAcceleration  float64 `json:"linearAcceleration"`      // m/s2
	AngularAcceleration float64 `json:"angularAcceleration"`     // rad/s2
	TurningRadius       float64 `json:"turningRadius,omitempty"` // m, smallest turning radius, used only by Step; 0 = turns in place
}

// ForTeleop returns the limits of the virtual robot for a robot with the limits l: 0.9 of
// its speeds and 0.8 of its accelerations. Without this margin the robot could never catch
// up.
func (l Limit) ForTeleop() Limit {
	return Limit{
		Linear:              0.9 * l.Linear,
		Angular:             0.9 * l.Angular,
		LinearAcceleration:  0.8 * l.LinearAcceleration,
		AngularAcceleration: 0.8 * l.AngularAcceleration,
	}
}

// Clamp limits t to the speeds of l. It scales both components by the same factor, so that
// the curvature stays the same.
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

// Slew returns the twist nearest to want that the accelerations of l can reach from now
// within dt seconds.
func (l Limit) Slew(now, want Twist, dt float64) Twist {
	return Twist{
		Linear:  stepTowards(now.Linear, want.Linear, l.LinearAcceleration*dt),
		Angular: stepTowards(now.Angular, want.Angular, l.AngularAcceleration*dt),
	}
}

func stepTowards(now, want, most float64) float64 {
	return now + Clamp(want-now, -most, most)
}
