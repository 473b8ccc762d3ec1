package base

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mybot/drivers/base/protocol"
	"mybot/robot"
)

// minPlausible is the smallest range, in mm, that is not taken for one in metres: no sensor
// measures so near.
const minPlausible = 20

// senses are the last measurements of a base's sensors, and the presses of switches
// since the last reading.
type senses struct {
	desc    robot.Description
	ranges  []float64
	heading float64
	bump    pressed
	ok      pressed
	eStop   pressed
	refuses string // at the moment
	refused string // at any time since the last reading
	head    robot.HeadAngles
	joints  []float64 // NaN = not reported yet; nil = no joints
	battery robot.Battery
}

// pressed is the state of a switch.
type pressed struct{ is, was bool } // at the moment, and at any time since the last reading

func newSenses(desc robot.Description) senses {
	s := senses{desc: desc, ranges: make([]float64, len(desc.Sonars)), heading: math.NaN(), battery: robot.UnknownBattery()}
	for i := range s.ranges {
		s.ranges[i] = math.NaN()
	}
	for range desc.Joints {
		s.joints = append(s.joints, math.NaN())
	}
	return s
}

// checkLine returns the fault of a line for this robot.
func (s *senses) checkLine(m protocol.Senses) error {
	if m.Ranges != nil && len(m.Ranges) != len(s.desc.Sonars) {
		return fmt.Errorf("the base reports %d ranges, but its description has %d sonars; there must be one range for each", len(m.Ranges), len(s.desc.Sonars))
	}
	for name, at := range m.Joints {
		i := s.desc.Joint(name)
		if i < 0 {
			return fmt.Errorf("the base reports the joint %q, which its description does not have", name)
		}
		if err := checkJoint(s.desc.Joints[i], at); err != nil {
			return err
		}
	}
	return nil
}

// checkJoint returns what is wrong with a position of a joint: one that is farther outside
// its limits than half of the way between them is in another unit.
func checkJoint(j robot.Joint, at float64) error {
	slack := (j.Max - j.Min) / 2
	if at >= j.Min-slack && at <= j.Max+slack {
		return nil
	}
	unit := "rad"
	if j.Kind == robot.Slide {
		unit = "m"
	}
	return fmt.Errorf("the base reports the joint %q at %.4g %s, but it goes from %.4g to %.4g; a turn is reported in rad, a slide in m", j.Name, at, unit, j.Min, j.Max)
}

// mergeLine takes what a line reports; the rest remains as it was.
func (s *senses) mergeLine(m protocol.Senses) {
	if m.Ranges != nil {
		ranges := make([]float64, len(m.Ranges)) // the old slice belongs to a reading
		for i, mm := range m.Ranges {
			ranges[i] = readRange(mm, s.desc.Sonars[i].Min, s.desc.Sonars[i].Max)
		}
		s.ranges = ranges
	}
	if m.Compass != nil && s.desc.Compass {
		s.heading = robot.WrapAngle(*m.Compass + s.desc.CompassOffset)
	}
	s.bump.set(m.Bump)
	s.ok.set(m.OK)
	s.eStop.set(m.EStop)
	if m.Refuses != nil {
		s.refuses = shorten(*m.Refuses)
		s.refused = cmp.Or(s.refuses, s.refused)
	}
	if m.Head != nil {
		s.head = *m.Head
	}
	if len(m.Joints) > 0 {
		s.joints = slices.Clone(s.joints) // the old slice belongs to a reading
		for name, at := range m.Joints {
			s.joints[s.desc.Joint(name)] = at
		}
	}
	if b := m.Battery; b != nil {
		setIfReported(&s.battery.Volts, b.Volts)
		setIfReported(&s.battery.Amperes, b.Amperes)
		setIfReported(&s.battery.Charge, b.Charge)
		setIfReported(&s.battery.Charging, b.Charging)
	}
}

// setIfReported replaces a value if there is a newer one.
func setIfReported[T any](value, newest *T) {
	if newest != nil {
		*value = *newest
	}
}

func (p *pressed) set(newest *bool) {
	if newest != nil {
		p.is = *newest
		p.was = p.was || p.is
	}
}

// take returns whether the switch is pressed or was pressed since the last call.
func (p *pressed) take() bool {
	was := p.was || p.is
	p.was = false
	return was
}

// fillReading writes the sensors into a reading.
func (s *senses) fillReading(r *robot.Reading) {
	r.Ranges, r.Heading, r.Head, r.Joints, r.Battery = s.ranges, s.heading, s.head, s.joints, s.battery
	r.Bump, r.OK, r.EStop, r.Refuses = s.bump.take(), s.ok.take(), s.eStop.take(), cmp.Or(s.refuses, s.refused)
	s.refused = ""
}

// readRange converts a range to m, clamped to the sensor's nearest; beyond its
// farthest it is +Inf.
func readRange(mm int, nearest, farthest float64) float64 {
	switch m := float64(mm) / 1000; {
	case mm == protocol.NoEcho, m > farthest:
		return math.Inf(1)
	case mm == protocol.OutOfOrder:
		return math.NaN()
	default:
		return max(m, nearest)
	}
}

// readBeams converts the ranges of a scan to m. A range below the lidar's minimum
// is no measurement; one far beyond its maximum is left for package robot/scan to
// judge.
func readBeams(mm []int, l robot.Lidar) ([]float64, error) {
	const rounding, beyond = 0.0005, 10 // m, times Max
	ranges := make([]float64, len(mm))
	measured, tiny := 0, 0
	for i, r := range mm {
		m := float64(r) / 1000
		if r > 0 {
			if measured++; r < minPlausible {
				tiny++
			}
		}
		switch {
		case r == protocol.NoEcho, m > l.Max && m <= beyond*l.Max:
			ranges[i] = math.Inf(1)
		case r == protocol.OutOfOrder, m < l.Min-rounding:
			ranges[i] = math.NaN()
		default:
			ranges[i] = max(m, l.Min)
		}
	}
	if 2*tiny > measured {
		return nil, fmt.Errorf("%d of its %d ranges are less than %d mm; mm must be in millimetres, not in metres", tiny, measured, minPlausible)
	}
	return ranges, nil
}

// A gyro replaces the rotation from the wheels by that of a gyroscope, because
// skidding wheels report too much. While the wheels stand it is ignored, because it
// drifts.
type gyro struct {
	yaw   *float64 // last yaw that was used; nil = none yet
	fresh *float64 // newer yaw, not yet used
	given float64  // rad of rotation reported since yaw, from the wheels
	moved bool     // the wheels have moved since yaw
}

// takeYaw takes a yaw for the next travel.
func (g *gyro) takeYaw(yaw *float64) {
	if yaw != nil {
		g.fresh = yaw
	}
}

// correctTravel returns the travel with the rotation from the gyroscope. Without a new yaw,
// the wheels are used until the next one.
func (g *gyro) correctTravel(d robot.Drivetrain, travel robot.Wheels, yaw *float64) robot.Wheels {
	g.takeYaw(yaw)
	by := d.Twist(travel)
	g.moved = g.moved || travel != robot.Wheels{}
	if g.fresh == nil {
		g.given += by.Angular
		return travel
	}
	if g.yaw != nil {
		if !g.moved {
			by.Angular = 0
		} else {
			by.Angular = robot.WrapAngle(*g.fresh-*g.yaw) - g.given
		}
	}
	g.yaw, g.fresh, g.given, g.moved = g.fresh, nil, 0, travel != robot.Wheels{}
	return d.Wheels(by)
}
