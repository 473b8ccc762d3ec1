package pioneer

import (
	"math"

	"mybot/robot"
)

// maxLeap is the longest plausible distance between two packets, in m: farther than
// any of these robots drives in a second.
const maxLeap = 2.5

// An odometer converts the poses of a robot, which wrap around, to travel of its
// wheels. The zero odometer has seen no pose.
type odometer struct {
	seen    bool
	x, y    uint16
	heading int16
}

// Advance returns how far each wheel has rolled since the previous SIP, in m. For a
// pose that has leapt it returns zero: the robot was switched off meanwhile, or its
// origin was set. unit is m per unit of distance; the poses are those of the axle.
func (o *odometer) Advance(s SIP, unit, wheelBase float64) robot.Wheels {
	from := robot.Pose{Theta: headingAngle(o.heading)}
	to := robot.Pose{X: unit * float64(wrapAt(s.X-o.x, 15)), Y: unit * float64(wrapAt(s.Y-o.y, 15)), Theta: headingAngle(s.Heading)}
	first := !o.seen
	*o = odometer{seen: true, x: s.X, y: s.Y, heading: s.Heading}
	if first || to.Point().Norm() > maxLeap {
		return robot.Wheels{}
	}
	return robot.Drivetrain{WheelBase: wheelBase}.TravelBetween(from, to)
}

// headingAngle returns a heading in rad.
func headingAngle(heading int16) float64 { return float64(heading) * 2 * math.Pi / 4096 }

// wrapAt returns the difference of two counters with the given number of bits,
// which may have wrapped around.
func wrapAt(difference uint16, bits int) int {
	size := 1 << bits
	d := int(difference) & (size - 1)
	if d >= size/2 {
		d -= size
	}
	return d
}
