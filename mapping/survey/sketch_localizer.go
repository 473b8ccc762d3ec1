package survey

import (
	"math"
	"slices"
	"sync/atomic"

	"mybot/localization"
	"mybot/robot"
)

const (
	compassSamples = 50  // readings of the compass whose mean says how map is turned: a second
	maxReadings    = 256 // between the localizer and the sketch: five seconds
)

// A heard is a reading on its way from the localizer to the sketch.
type heard struct {
	at robot.Pose // of base_link, in map
	robot.Reading
}

// A sketchLink is what a Sketcher and its SketchLocalizer share. All of it is safe for any
// goroutine.
type sketchLink struct {
	readings chan heard              // nil = nobody draws
	compass  atomic.Pointer[float64] // rad, what it shows more than the yaw in map; nil = not known yet
}

// A SketchLocalizer tells where a robot without a lidar is on a floor of which there is
// no map: by wheels and compass, in a frame that is base_link where it began. One
// goroutine uses it.
type SketchLocalizer struct {
	*sketchLink
	odom *localization.Odometry

	samples  int // readings of the compass,
	sin, cos float64
}

// NewSketchLocalizer returns the localizer of a robot that begins now.
func NewSketchLocalizer(desc robot.Description) *SketchLocalizer {
	return &SketchLocalizer{sketchLink: &sketchLink{}, odom: localization.NewOdometry(desc, robot.Pose{})}
}

// Update takes the next reading.
func (l *SketchLocalizer) Update(r robot.Reading) {
	own := r
	own.Heading = l.headingInMap(r.Heading)
	l.odom.Update(own)
	if l.readings == nil {
		return
	}
	r.Ranges, r.Scans = slices.Clone(r.Ranges), nil
	select {
	case l.readings <- heard{l.Estimate().Pose, r}:
	default: // poses do not depend on it, so the sketch lacks an echo and nothing else
	}
}

// headingInMap returns the yaw in map by what the compass shows, NaN = it is not known: by
// the first readings of the compass it becomes known how map is turned.
func (l *SketchLocalizer) headingInMap(compass float64) float64 {
	more := l.compass.Load()
	if more == nil && robot.Finite(compass) {
		sin, cos := math.Sincos(compass - l.odom.Estimate().Pose.Theta)
		l.samples, l.sin, l.cos = l.samples+1, l.sin+sin, l.cos+cos
		if l.samples == compassSamples {
			mean := math.Atan2(l.sin, l.cos)
			l.compass.Store(&mean)
		}
	}
	if more == nil {
		return math.NaN()
	}
	return robot.WrapAngle(compass - *more)
}

// Estimate returns where the robot is in map.
func (l *SketchLocalizer) Estimate() robot.Estimate {
	e := l.odom.Estimate()
	if e.Trust == robot.TrustLost { // a person sees where it is by the sketch
		e.Trust = robot.TrustUnsure
	}
	return e
}

// SetPose is for people who know better where the robot is. On a sketch nobody does.
func (l *SketchLocalizer) SetPose(robot.Pose) {}

// Compass returns what the compass shows more than the yaw in map, in rad; ok is false
// where that is not known. Any goroutine may call it.
func (l *SketchLocalizer) Compass() (more float64, ok bool) {
	if m := l.compass.Load(); m != nil {
		return *m, true
	}
	return 0, false
}
