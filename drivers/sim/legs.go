package sim

import (
	"math"
	"math/rand/v2"

	"mybot/robot"
)

// The legs of people who stand and walk, for a lidar below their knees.
const (
	kneeHeight = 0.5  // m: a lidar in a higher plane sees the whole body
	shinRadius = 0.06 // m
	shinAside  = 0.10 // m from the centre of the body to a leg, sideways
	shinSwing  = 0.25 // m by which a leg is ahead of or behind the body, at most
	stepCycle  = 1.4  // m between two steps of the same leg
)

// A stance is how a person's legs stand.
type stance struct {
	heading float64 // rad, in map, the direction that the person faces
	phase   float64 // rad, of the walk
	walks   bool    // the person walks: one leg is ahead
	rng     *rand.Rand
}

func newStance(rng *rand.Rand) stance {
	return stance{heading: 2 * math.Pi * rng.Float64(), phase: 2 * math.Pi * rng.Float64(), rng: rng}
}

// walk moves the legs by a distance, in m, in the direction of a unit vector in
// map.
func (s *stance) walk(distance float64, d robot.Point) {
	s.heading, s.walks = math.Atan2(d.Y, d.X), true
	s.phase = math.Mod(s.phase+2*math.Pi*distance/stepCycle, 2*math.Pi)
}

// stop puts the legs side by side; who stops walking turns by a random angle.
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

// meetWalker returns the distance at which a lidar beam at a height, in m, hits a
// person.
func meetWalker(p *walker, height float64, o, d robot.Point) (distance float64, ok bool) {
	if !p.Legs || height >= kneeHeight {
		s := p.solid()
		h, ok := s.meetRay(o, d)
		return h.distance, ok
	}
	distance = math.Inf(1)
	for _, leg := range p.legs() {
		if h, met := leg.meetRay(o, d); met && h.distance < distance {
			distance, ok = h.distance, true
		}
	}
	return distance, ok
}
