package pioneer

import (
	"math"

	"mybot/robot"
)

// maxLeap is the longest way between two packets that is believed, in m: farther than
// any of these robots drives in a second.
const maxLeap = 2.5

// An odometer turns the poses of a robot, which wrap, into travel of its wheels. The
// zero odometer has seen no pose.
type odometer struct {
	seen    bool
	x, y    uint16
	heading int16
	theta   float64 // rad
}

// Advance returns how far each wheel has rolled since the SIP before, in m. Of a pose
// that has leapt it returns nothing: the robot was switched off meanwhile, or its origin
// was set.
func (o *odometer) Advance(s SIP, unit, wheelBase float64) robot.Wheels {
	dx, dy := unit*float64(wrapAt(s.X-o.x, 15)), unit*float64(wrapAt(s.Y-o.y, 15))
	turn := float64(wrapAt(uint16(s.Heading-o.heading), 12)) * 2 * math.Pi / 4096
	first := !o.seen
	middle := o.theta + turn/2
	o.seen, o.x, o.y, o.heading = true, s.X, s.Y, s.Heading
	o.theta = float64(s.Heading) * 2 * math.Pi / 4096
	if first || math.Hypot(dx, dy) > maxLeap {
		return robot.Wheels{}
	}
	sin, cos := math.Sincos(middle)
	way := dx*cos + dy*sin
	if half := turn / 2; half != 0 {
		way *= half / math.Sin(half) // the chord of the arc was measured
	}
	return robot.Wheels{Left: way - turn*wheelBase/2, Right: way + turn*wheelBase/2}
}

// wrapAt returns a difference of two counters of so many bits, which may have wrapped.
func wrapAt(difference uint16, bits int) int {
	size := 1 << bits
	d := int(difference) & (size - 1)
	if d >= size/2 {
		d -= size
	}
	return d
}
