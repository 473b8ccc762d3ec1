package robot

import "math"

// A Twist is how the robot moves: the velocity of the axle point M, which is
// along x, and the turning. Drivetrain.Rate gives what base_link does then.
type Twist struct {
	Linear  float64 `json:"linear"`  // m/s, forward
	Angular float64 `json:"angular"` // rad/s, counter-clockwise
}

// IsZero tells whether the twist asks for standstill.
func (t Twist) IsZero() bool { return t == Twist{} }

// IsFinite tells whether neither part is NaN or infinite.
func (t Twist) IsFinite() bool {
	return !math.IsNaN(t.Linear) && !math.IsInf(t.Linear, 0) && !math.IsNaN(t.Angular) && !math.IsInf(t.Angular, 0)
}

// Scale returns the twist with both parts multiplied by f, so that the
// curvature of the path stays.
func (t Twist) Scale(f float64) Twist { return Twist{t.Linear * f, t.Angular * f} }

// A Limit bounds a motion: the largest speeds and how fast they may change.
type Limit struct {
	Linear              float64 `json:"linear"`              // m/s
	Angular             float64 `json:"angular"`             // rad/s
	LinearAcceleration  float64 `json:"linearAcceleration"`  // m/s2
	AngularAcceleration float64 `json:"angularAcceleration"` // rad/s2
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
		Linear:  approach(now.Linear, want.Linear, l.LinearAcceleration*dt),
		Angular: approach(now.Angular, want.Angular, l.AngularAcceleration*dt),
	}
}

func approach(now, want, most float64) float64 {
	return now + math.Max(-most, math.Min(most, want-now))
}
