package bridge

import (
	"math"
	"reflect"
	"time"

	"mybot/drivers/base/protocol"
	"mybot/robot"
)

// allSensesEvery is how often, in ms, a reading includes all sensors; the other
// readings have only the changes.
const allSensesEvery = 1000

// A translator converts a driver's readings to lines.
type translator struct {
	desc   robot.Description
	epoch  time.Time // zero of the base's clock
	totals protocol.WheelTotals
	sent   protocol.Senses // what Mybot knows
	stops  bool            // the driver has reported an emergency stop, so the base has one
	allAt  protocol.Millis // when all sensors were last sent
	any    bool            // sensors have been sent since forget
}

// millis converts a time to the base's clock.
func (t *translator) millis(at time.Time) protocol.Millis {
	return protocol.Millis(at.Sub(t.epoch).Milliseconds())
}

// resendAll makes the next reading include all sensors, because another Mybot has
// connected.
func (t *translator) resendAll() { t.any = false }

// translate returns the contents of a reading: its time, the totals of the wheels,
// the sensors, and the scans. Call it for every reading, even without a connection,
// because the totals grow.
func (t *translator) translate(r robot.Reading) (at protocol.Millis, s protocol.Senses, scans []protocol.Scan) {
	at = t.millis(r.Time)
	t.totals.Left += r.Travel.Left
	t.totals.Right += r.Travel.Right
	s = t.readSenses(r)
	if now := s; t.any && at-t.allAt < allSensesEvery {
		s = changedSenses(t.sent, now)
		t.sent = now
	} else {
		t.sent, t.allAt, t.any = now, at, true
	}
	for _, scan := range r.Scans {
		if first := t.millis(scan.Time); first >= 0 {
			scans = append(scans, protocol.Scan{At: first, Lidar: scan.Lidar, Lasts: scan.Lasts.Milliseconds(), Ranges: toMillimetres(scan.Ranges)})
		}
	}
	return at, s, scans
}

// readSenses returns all sensors that the robot has.
func (t *translator) readSenses(r robot.Reading) (s protocol.Senses) {
	if len(t.desc.Sonars) > 0 {
		s.Ranges = toMillimetres(r.Ranges)
	}
	if t.desc.Compass && robot.Finite(r.Heading) {
		s.Compass = new(roundTo(r.Heading, 4))
	}
	if t.desc.Bumper {
		s.Bump = new(r.Bump)
	}
	if t.stops = t.stops || r.EStop; t.stops {
		s.EStop = new(r.EStop)
	}
	if t.desc.OKSwitch {
		s.OK = new(r.OK)
	}
	if t.desc.Head != nil {
		s.Head = &robot.HeadAngles{Pan: roundTo(r.Head.Pan, 4), Tilt: roundTo(r.Head.Tilt, 4)}
	}
	for i, j := range t.desc.Joints {
		if i < len(r.Joints) && robot.Finite(r.Joints[i]) {
			if s.Joints == nil {
				s.Joints = map[string]float64{}
			}
			s.Joints[j.Name] = roundTo(r.Joints[i], 4)
		}
	}
	if b := r.Battery; b != (robot.Battery{}) && !(math.IsNaN(b.Volts) && math.IsNaN(b.Charge)) {
		s.Battery = &protocol.Battery{
			Volts: known(b.Volts, 2), Amperes: known(b.Amperes, 1), Charge: known(b.Charge, 3), Charging: new(b.Charging),
		}
	}
	return s
}

// known returns a measurement, rounded to a number of decimals; nil = it is unknown.
func known(v float64, decimals int) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return new(roundTo(v, decimals))
}

// changedSenses returns the senses in now that differ from before, without the battery,
// whose figures change all the time.
func changedSenses(before, now protocol.Senses) protocol.Senses {
	now.Battery = nil
	b, n := reflect.ValueOf(&before).Elem(), reflect.ValueOf(&now).Elem()
	for i := range n.NumField() {
		if reflect.DeepEqual(b.Field(i).Interface(), n.Field(i).Interface()) {
			n.Field(i).SetZero()
		}
	}
	return now
}

// toMillimetres converts ranges to the form of a line.
func toMillimetres(ranges []float64) []int {
	mm := make([]int, len(ranges))
	for i, r := range ranges {
		switch {
		case math.IsInf(r, 1):
			mm[i] = protocol.NoEcho
		case !robot.Finite(r) || r < 0:
			mm[i] = protocol.OutOfOrder
		default:
			mm[i] = max(1, int(math.Round(1000*r))) // 0 would mean no echo
		}
	}
	return mm
}

func roundTo(x float64, decimals int) float64 {
	scale := math.Pow10(decimals)
	return math.Round(x*scale) / scale
}
