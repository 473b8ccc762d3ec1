package base

import (
	"errors"
	"fmt"
	"math"

	"mybot/drivers/base/protocol"
	"mybot/robot"
)

// An odometer converts the totals of a base to travel. The zero odometer starts at
// the first totals.
type odometer struct {
	last protocol.Totals // nil = none yet
}

// advance returns how far each wheel has rolled since the previous totals, in m.
// After an error it restarts at the new totals.
func (o *odometer) advance(desc robot.Description, totals protocol.Totals) (robot.Wheels, error) {
	last := o.last
	o.last = totals
	if last == nil {
		last = totals
	}
	switch now := totals.(type) {
	case protocol.WheelTotals:
		if before, ok := last.(protocol.WheelTotals); ok {
			return robot.Wheels{Left: now.Left - before.Left, Right: now.Right - before.Right}, nil
		}
	case protocol.TickTotals:
		if desc.Encoder.Ticks == 0 {
			return robot.Wheels{}, errors.New("the base counts ticks, but its description has no encoder; give it one, or report wheels in m")
		}
		if before, ok := last.(protocol.TickTotals); ok {
			return robot.Wheels{Left: desc.Encoder.Travel(now.Left - before.Left), Right: desc.Encoder.Travel(now.Right - before.Right)}, nil
		}
	case protocol.PoseTotals:
		if before, ok := last.(protocol.PoseTotals); ok {
			return desc.Drivetrain.TravelBetween(robot.Pose(before), robot.Pose(now)), nil
		}
	}
	return robot.Wheels{}, fmt.Errorf("the base reported %s and now reports %s; every reading must have the same of the two", nameTotals(last), nameTotals(totals))
}

// explainJump says why the wheels seem to have rolled farther between two readings than
// fastest, the farthest in m that they can.
func explainJump(m protocol.Reading, desc robot.Description, travel robot.Wheels, took protocol.Millis, fastest float64) error {
	advice := "the totals must grow by what the wheels roll"
	if _, counts := m.Totals.(protocol.TickTotals); counts {
		lap := desc.Encoder.Travel(1 << 16)
		fits := func(x float64) bool { return math.Abs(x) <= fastest || math.Abs(math.Abs(x)-lap) <= fastest }
		if fits(travel.Left) && fits(travel.Right) {
			advice = "ticks wrap at 16 bits; they must wrap at 32"
		}
	}
	return fmt.Errorf("the wheels have rolled %.2f m and %.2f m in %d ms; the motors can do %.2f m: %s", travel.Left, travel.Right, took, fastest, advice)
}

// isAnew reports whether the totals restart at zero.
func (o *odometer) isAnew(totals protocol.Totals) bool {
	switch totals {
	case protocol.WheelTotals{}, protocol.TickTotals{}, protocol.PoseTotals{}:
		return o.last != nil && totals != o.last
	}
	return false
}

func nameTotals(t protocol.Totals) string {
	switch t.(type) {
	case protocol.WheelTotals:
		return "wheels"
	case protocol.TickTotals:
		return "ticks"
	}
	return "odom"
}
