// Package scan converts the scans of lidars into points in base_link, and removes the
// skew from the robot's motion during a scan. All code that uses a lidar uses these
// points.
package scan

import (
	"time"

	"mybot/robot"
)

// A Cloud is one scan, corrected as if all its beams had been measured at Time. It has no
// masked beams and no beams without a measurement.
type Cloud struct {
	Lidar  int         // index into Description.Lidars
	Time   time.Time   // of the reading that brought the scan
	Last   time.Time   // when its last beam was measured
	Origin robot.Point // m, of the lidar in base_link at Time
	Beams  []Beam      // in the order of the scan; shared and read-only
}

// A Beam is one beam of a Cloud.
type Beam struct {
	End  robot.Point // m, in base_link at Cloud.Time: the source of the echo, or the point at Max if there was none
	Echo bool        // something is at End; otherwise the beam is free up to End
}
