package playout

import (
	"math"

	"mybot/robot"
)

// The gains of the path-following controller (Kanayama, Kimura, Miyazaki and
// Noguchi 1990, with one of our own for turning on the spot).
const (
	gainAlong  = 1.5               // 1/s, kx
	gainAcross = 6.0               // 1/m2, ky
	gainSpot   = 1.0               // 1/s, kw
	gainTurn   = 4.898979485566356 // 1/m, kth = 2 sqrt(ky): back to the path without swinging
)

const (
	farOff    = 0.5                // m from the reference: the robot gives up
	farTurned = 60 * math.Pi / 180 // rad
)

// A Deviation is where the reference is, seen from the robot's axle.
type Deviation struct {
	Along, Across float64 // m: the reference is ahead, to the left
	Turn          float64 // rad: the reference is turned to the left
}

// DeviationFrom returns where the reference is, seen from the axle's pose at.
func DeviationFrom(at, reference robot.Pose) Deviation {
	e := at.Inverse().Compose(reference)
	return Deviation{Along: e.X, Across: e.Y, Turn: e.Theta}
}

// far tells whether the robot has lost its path.
func (e Deviation) far() bool {
	return math.Hypot(e.Along, e.Across) > farOff || math.Abs(e.Turn) > farTurned
}

// Follow returns the twist at M that leads back to a reference which moves
// with the twist ref. Kanayama's law is for driving ahead: backwards the turn
// must be damped by the same sign, so there the speed's amount counts.
func (e Deviation) Follow(ref robot.Twist) robot.Twist {
	v := ref.Linear
	return robot.Twist{
		Linear:  v*math.Cos(e.Turn) + gainAlong*e.Along,
		Angular: ref.Angular + v*gainAcross*e.Across + math.Abs(v)*gainTurn*math.Sin(e.Turn) + gainSpot*e.Turn,
	}
}
