package robot

import "math"

// The gains of the path-following controller (Kanayama, Kimura, Miyazaki and
// Noguchi 1990, with one of our own for turning on the spot).
const (
	gainAlong  = 1.5                   // 1/s, kx
	gainAcross = 6.0                   // 1/m2, ky
	gainTurn   = 2 * 2.449489742783178 // 1/m, kth = 2 sqrt(ky): back to the path without swinging
	gainSpot   = 1.0                   // 1/s, kw, our own
)

// A Deviation is where a reference on a path is, seen from the robot's axle.
type Deviation struct {
	Along, Across float64 // m: the reference is ahead, to the left
	Turn          float64 // rad: the reference is turned to the left
}

// DeviationFrom returns where the reference is, seen from the axle's pose at.
func DeviationFrom(at, reference Pose) Deviation {
	e := at.Inverse().Compose(reference)
	return Deviation{Along: e.X, Across: e.Y, Turn: e.Theta}
}

// Follow returns the twist at M that leads back to a reference which moves with the
// twist ref. Kanayama's law is for driving ahead: backwards the turn must be damped
// by the same sign, so there the speed's amount counts.
func (e Deviation) Follow(ref Twist) Twist {
	v := ref.Linear
	return Twist{
		Linear:  v*math.Cos(e.Turn) + gainAlong*e.Along,
		Angular: ref.Angular + v*gainAcross*e.Across + math.Abs(v)*gainTurn*math.Sin(e.Turn) + gainSpot*e.Turn,
	}
}

// Curvature returns the same law for a path that has no time: the curvature, in
// 1/m, by which a robot that drives ahead comes back to its path, in addition to
// the path's own.
func (e Deviation) Curvature() float64 { return gainTurn*math.Sin(e.Turn) + gainAcross*e.Across }
