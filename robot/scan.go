package robot

import (
	"math"
	"time"
)

// A Scan is one turn of a lidar, as the lidar measured it: the robot may have
// moved between its first and its last beam. Package robot/scan makes points of
// it; beside it only package recording reads Ranges.
type Scan struct {
	Lidar  int           // index into Description.Lidars
	Time   time.Time     // of the first beam, by the clock of Reading.Time
	Lasts  time.Duration // from the first beam to the last; 0 = all at once
	Ranges []float64     // m, one per beam; +Inf = nothing within reach, NaN = no measurement. Shared and read-only
}

// A Lidar is one laser scanner: where it sits and what it sees.
type Lidar struct {
	Pose     Pose     // of its centre in base_link
	Height   float64  // m, of the scan plane above the floor
	Link     string   // the link or named frame it is on; "" = base_link
	From     float64  // rad, of the first beam, in the frame of the lidar
	Step     float64  // rad from beam to beam; negative = clockwise
	Beams    int      // per scan
	Min, Max float64  // m, the ranges it measures
	Rate     float64  // Hz, scans
	Mask     []Sector // in these directions it sees the robot itself
}

// A Sector is a range of directions in the frame of a lidar, from From
// counter-clockwise to To.
type Sector struct{ From, To float64 } // rad

// Bearing returns the direction of a beam in the frame of the lidar, in rad; it
// is not wrapped.
func (l Lidar) Bearing(beam int) float64 { return l.From + float64(beam)*l.Step }

// IsMasked reports whether the lidar sees the robot itself in a beam.
func (l Lidar) IsMasked(beam int) bool {
	bearing := l.Bearing(beam)
	for _, s := range l.Mask {
		if s.Contains(bearing) {
			return true
		}
	}
	return false
}

func (l Lidar) masksAll() bool {
	for beam := range l.Beams {
		if !l.IsMasked(beam) {
			return false
		}
	}
	return true
}

// Contains reports whether a direction, in rad in the frame of the lidar, lies in
// the sector. Both ends belong to it.
func (s Sector) Contains(bearing float64) bool {
	const slack = 1e-9 // rad
	return turnLeft(bearing-s.From+slack) <= turnLeft(s.To-s.From)+2*slack
}

// turnLeft returns the angle equal to a, in rad, in [0, 2 pi).
func turnLeft(a float64) float64 {
	if a = math.Mod(a, 2*math.Pi); a < 0 {
		a += 2 * math.Pi
	}
	return a
}
