package survey

import (
	"math"
	"slices"
	"sync/atomic"

	"mybot/localization"
	"mybot/robot"
)

const (
	compassSamples = 50  // compass readings whose mean gives the orientation of map: one second
	maxReadings    = 256 // between the localizer and the sketch: five seconds
)

// A sketchReading is a reading on its way from the localizer to the sketch.
type sketchReading struct {
	at robot.Pose // of base_link, in map
	robot.Reading
}

// A sketchLink is the state shared by a Sketcher and its SketchLocalizer. Any
// goroutine may use all of it.
type sketchLink struct {
	readings chan sketchReading      // nil = nothing is being drawn
	compass  atomic.Pointer[float64] // rad, compass heading minus the yaw in map; nil = not known yet
}

// A SketchLocalizer localizes a robot without a lidar and a map, by wheels and
// compass, in a frame that is base_link where it began. One goroutine uses it.
type SketchLocalizer struct {
	*sketchLink
	odom *localization.Odometry

	samples  int // number of compass readings,
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
	case l.readings <- sketchReading{l.Estimate().Pose, r}:
	default: // poses do not depend on it, so the sketch only misses an echo
	}
}

// headingInMap converts a compass heading to a yaw in map, NaN = not known yet: the
// first compass readings give the orientation of map.
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

// Estimate returns the robot's pose in map.
func (l *SketchLocalizer) Estimate() robot.Estimate {
	e := l.odom.Estimate()
	if e.Trust == robot.TrustLost { // a person can see in the sketch where the robot is
		e.Trust = robot.TrustUnsure
	}
	return e
}

// SetPose does nothing: on a sketch no person knows the pose better.
func (l *SketchLocalizer) SetPose(robot.Pose) {}

// Compass returns compass heading minus the yaw in map, in rad; ok is false if it
// is not known. Any goroutine may call it.
func (l *SketchLocalizer) Compass() (more float64, ok bool) {
	if m := l.compass.Load(); m != nil {
		return *m, true
	}
	return 0, false
}
