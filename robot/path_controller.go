package robot

import "math"

// The gains of the path-following controller (Kanayama, Kimura, Miyazaki and Noguchi 1990,
// with a gain of our own for turning on the spot).
const (
	gainAlong  = 1.5                   // 1/s, kx
	gainAcross = 6.0                   // 1/m2, ky
	gainTurn   = 2 * 2.449489742783178 // 1/m, kth = 2 sqrt(ky): critically damped
	gainSpot   = 1.0                   // 1/s, kw, our own
)

// A Deviation is the pose of a reference on a path, in the robot's axle frame.
type Deviation struct {
	Along, Across float64 // m: the reference is ahead and to the left
	Turn          float64 // rad: the reference is turned to the left
}

// DeviationFrom returns the reference in the axle frame; at is the axle's pose, in the same
// frame as reference.
func DeviationFrom(at, reference Pose) Deviation {
	e := at.Inverse().Compose(reference)
	return Deviation{Along: e.X, Across: e.Y, Turn: e.Theta}
}

// Follow returns the twist at M that leads to a reference which moves with the twist ref.
// Kanayama's law is for driving forward. In reverse the turn must be damped with the same
// sign, so that term uses the absolute speed.
func (e Deviation) Follow(ref Twist) Twist {
	v := ref.Linear
	return Twist{
		Linear:  v*math.Cos(e.Turn) + gainAlong*e.Along,
		Angular: ref.Angular + v*gainAcross*e.Across + math.Abs(v)*gainTurn*math.Sin(e.Turn) + gainSpot*e.Turn,
	}
}

// Curvature returns the same law for a path without time: the curvature, in 1/m, that leads
// a robot driving forward back to its path, in addition to the path's own.
func (e Deviation) Curvature() float64 { return gainTurn*math.Sin(e.Turn) + gainAcross*e.Across }
