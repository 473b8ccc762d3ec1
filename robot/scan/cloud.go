// Package scan turns the scans of lidars into points of base_link, without the
// skew that the robot's motion during a scan puts into them. Everything that
// uses a lidar uses these points.
package scan

import (
	"time"

	"mybot/robot"
)

// A Cloud is one scan as it would have been, had all its beams been measured at
// Time. Beams without a measurement and masked beams are left out.
type Cloud struct {
	Lidar  int         // index into Description.Lidars
	Time   time.Time   // of the reading that brought the scan
	Last   time.Time   // when its last beam was measured
	Origin robot.Point // m, of the lidar in base_link at Time
	Beams  []Beam      // in the order of the scan; shared and read-only
}

// A Beam is one beam of a Cloud.
type Beam struct {
	End  robot.Point // m, in base_link at Cloud.Time: where the echo came from, or Max away when there was none
	Echo bool        // something is at End; else the way to End is free
}
