package robot

import "math"

// A Track is something near the robot that has been followed for a while: a disc, and
// how it moves. What stands has the velocity 0.
type Track struct {
	At       Point   // m, its middle, in map
	Velocity Point   // m/s
	Radius   float64 // m
	Sigma    float64 // m, standard deviation of At in each direction
	Moving   bool    // it moves, as a person does who walks
}

// Predict returns where the middle of the track is after t seconds at constant velocity.
func (t Track) Predict(after float64) Point {
	return Point{X: t.At.X + after*t.Velocity.X, Y: t.At.Y + after*t.Velocity.Y}
}

// Speed returns how fast it moves, in m/s.
func (t Track) Speed() float64 { return math.Hypot(t.Velocity.X, t.Velocity.Y) }
