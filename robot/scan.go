package robot

import (
	"math"
	"time"
)

// A Scan is one revolution of a lidar, as measured: the robot may have moved between the
// first and the last beam. Package robot/scan computes points from it; apart from it only
// package recording reads Ranges.
type Scan struct {
	Lidar  int           // index into Description.Lidars
	Time   time.Time     // of the first beam, by the clock of Reading.Time
	Lasts  time.Duration // from the first beam to the last; 0 = simultaneous
	Ranges []float64     // m, one per beam; +Inf = nothing within range, NaN = no measurement. Shared and read-only
}

// A Lidar is one laser scanner: its mounting and its beams.
type Lidar struct {
	Pose     Pose     // of its centre in base_link
	Height   float64  // m, of the scan plane above the floor
	Link     string   // the link or named frame it is on; "" = base_link
	From     float64  // rad, first beam, in the lidar's frame
	Step     float64  // rad from beam to beam; negative = clockwise
	Beams    int      // per scan
	Min, Max float64  // m, range of measurement
	Rate     float64  // Hz, of the scans
	Mask     []Sector // directions in which it sees the robot itself
}

// A Sector is a range of directions in the lidar's frame, from From counter-clockwise to
// To.
type Sector struct{ From, To float64 } // rad

// Bearing returns the direction of a beam in the lidar's frame, in rad, not wrapped.
func (l Lidar) Bearing(beam int) float64 { return l.From + float64(beam)*l.Step }

// IsMasked reports whether a beam of the lidar sees the robot itself.
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

// Contains reports whether a direction, in rad in the lidar's frame, lies in the sector,
// including its ends.
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
