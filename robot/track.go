package robot

import "math"

// A Track is an obstacle near the robot that has been observed for a while: a disc with a
// velocity. The estimated velocity of a standing one is small, not 0.
type Track struct {
	At       Point   // m, centre, in map
	Velocity Point   // m/s, in map
	Radius   float64 // m
	Sigma    float64 // m, standard deviation of At in each direction
	Moving   bool    // it moves, like a walking person
	MetAt    float64 // m, its distance from the robot when it last moved
}

// Predict returns the centre of the track after the given seconds, at constant velocity.
func (t Track) Predict(after float64) Point {
	return Point{X: t.At.X + after*t.Velocity.X, Y: t.At.Y + after*t.Velocity.Y}
}

// Speed returns the speed of the track, in m/s.
func (t Track) Speed() float64 { return math.Hypot(t.Velocity.X, t.Velocity.Y) }
