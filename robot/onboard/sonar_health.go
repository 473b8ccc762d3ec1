package onboard

import (
	"math"
	"slices"
	"time"

	"mybot/robot"
)

const (
	ringOfSonars  = 8                      // sonars, all round, that a robot must have to be judged
	echoesLost    = 4                      // echoes, from more than one side, whose loss at once is a fault
	echoNear      = 0.7                    // of a sonar's range: an echo from within it does not get lost by a few centimetres
	echoesLostIn  = 500 * time.Millisecond // from the last of those echoes to the last echo at all: sonars ping in turn
	echoesLostFor = 500 * time.Millisecond // without any echo
)

// sonarHealth notices sonars that all lose their echoes at once, because their power or
// their controller fails: they report "nothing within reach", and the guard would take the
// floor for free. Walls leave a ring of sonars little by little.
type sonarHealth struct {
	surrounded time.Time // when echoes last came from more than one side
	heard      time.Time // when the last echo came
	dead       bool      // they lost all echoes at once

	sides  []float64 // scratch: rad, directions of near echoes
	silent []float64 // read-only: the ranges of sonars that are out of order
}

// judgeRanges returns the ranges of a reading, or those of sonars that are out of order.
func (h *sonarHealth) judgeRanges(now time.Time, sonars []robot.Sonar, ranges []float64) []float64 {
	if len(sonars) < ringOfSonars || len(ranges) != len(sonars) {
		return ranges
	}
	sides, echo := h.sides[:0], false
	for i, r := range ranges {
		echo = echo || r <= sonars[i].Max
		if r <= echoNear*sonars[i].Max {
			sides = append(sides, robot.WrapAngle(sonars[i].Pose.Theta))
		}
	}
	h.sides = sides
	if echo {
		h.dead, h.heard = false, now
		if len(sides) >= echoesLost && widestGap(sides) <= 1.1*math.Pi {
			h.surrounded = now
		}
		return ranges
	}
	if !h.dead && !h.surrounded.IsZero() && now.Sub(h.heard) >= echoesLostFor && h.heard.Sub(h.surrounded) <= echoesLostIn {
		h.dead, h.silent = true, slices.Repeat([]float64{math.NaN()}, len(ranges))
	}
	if !h.dead {
		return ranges
	}
	return h.silent
}

// widestGap returns the widest angle between neighbours of directions, in rad. It sorts
// them.
func widestGap(directions []float64) float64 {
	slices.Sort(directions)
	gap := directions[0] + 2*math.Pi - directions[len(directions)-1]
	for i := 1; i < len(directions); i++ {
		gap = math.Max(gap, directions[i]-directions[i-1])
	}
	return gap
}
