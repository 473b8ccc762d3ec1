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
			metre := 2 * math.Pi * desc.Encoder.WheelRadius / float64(desc.Encoder.Ticks)
			return robot.Wheels{Left: float64(now.Left-before.Left) * metre, Right: float64(now.Right-before.Right) * metre}, nil
		}
	case protocol.PoseTotals:
		if before, ok := last.(protocol.PoseTotals); ok {
			return desc.Drivetrain.TravelBetween(robot.Pose(before), robot.Pose(now)), nil
		}
	}
	return robot.Wheels{}, fmt.Errorf("the base reported %s and now reports %s; every reading must have the same of the two", nameTotals(last), nameTotals(totals))
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
