package sim

import (
	"math"
	"math/rand/v2"

	"mybot/robot"
)

// How people with legs stand and walk, as a lidar below their knees sees it.
const (
	kneeHeight = 0.5  // m: a lidar that looks along a higher plane sees the whole body
	shinRadius = 0.06 // m
	shinAside  = 0.10 // m from the middle of the body to a leg, sideways
	shinSwing  = 0.25 // m that a leg is ahead of the body or behind it, at most
	stepCycle  = 1.4  // m of way from a step of the left leg to the next one of it
)

// A stance is how the legs of a person stand.
type stance struct {
	heading float64 // rad, in map, where the person looks
	phase   float64 // rad, of the walk
	walks   bool    // the person walks: one leg is ahead
	rng     *rand.Rand
}

func newStance(rng *rand.Rand) stance {
	return stance{heading: 2 * math.Pi * rng.Float64(), phase: 2 * math.Pi * rng.Float64(), rng: rng}
}

// walk moves the legs by a way, in m, in a direction in map, a unit vector.
func (s *stance) walk(way float64, d robot.Point) {
	s.heading, s.walks = math.Atan2(d.Y, d.X), true
	s.phase = math.Mod(s.phase+2*math.Pi*way/stepCycle, 2*math.Pi)
}

// stop puts the legs side by side. Who stops turns to something.
func (s *stance) stop() {
	if s.walks {
		s.heading, s.walks = robot.WrapAngle(s.heading+s.rng.NormFloat64()), false
	}
}

// legs returns the two legs of a person.
func (p *walker) legs() [2]solid {
	sin, cos := math.Sincos(p.stance.heading)
	swing := 0.0
	if p.stance.walks {
		swing = shinSwing * math.Sin(p.stance.phase)
	}
	leg := func(side float64) solid {
		x, y := side*swing, side*shinAside
		return solid{a: p.at.Add(robot.Point{X: cos*x - sin*y, Y: sin*x + cos*y}), radius: shinRadius}
	}
	return [2]solid{leg(1), leg(-1)}
}

// meetWalker returns where a beam of a lidar at a height, in m, meets a person.
func meetWalker(p *walker, height float64, o, d robot.Point) (way float64, ok bool) {
	if !p.Legs || height >= kneeHeight {
		s := p.solid()
		h, ok := s.meetRay(o, d)
		return h.way, ok
	}
	way = math.Inf(1)
	for _, leg := range p.legs() {
		if h, met := leg.meetRay(o, d); met && h.way < way {
			way, ok = h.way, true
		}
	}
	return way, ok
}
