package robot

import "time"

// A Scan is one turn of a lidar, as the lidar measured it: the robot may have
// moved between its first and its last beam. Package robot/scan makes points of
// it; no other package reads Ranges.
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
