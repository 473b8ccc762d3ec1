package carmen

import (
	"math"

	"mybot/robot"
)

const (
	maxSamples = 60   // pairs of scans that a spread is judged by
	minSamples = 8    // or the usual spread is taken
	sampleWay  = 0.3  // m and
	sampleTurn = 0.1  // rad, one of which lies between the scans of a pair
	maxSample  = 1.5  // m, or rad; a pair farther apart is not used
	clearly    = 0.75 // of the error of the usual spread, that another one must not exceed
)

// A spread is how the beams of a scan are spread: of n beams, beam i looks to
// from + i view / (n - 1), or view / n when the beams go all round, in rad.
type spread struct{ from, view float64 }

// angleStep returns the angle from beam to beam, in rad.
func (s spread) angleStep(beams int) float64 {
	if s.view > 2*math.Pi-1e-6 {
		return s.view / float64(beams)
	}
	return s.view / math.Max(1, float64(beams-1))
}

// usualSpread is the spread that CARMEN assumes for a number of beams, and for some
// numbers that it does not know that of the lidar which has them.
func usualSpread(beams int) spread {
	view := 180.0
	switch beams {
	case 180, 360: // the last beam is left out
		view -= view / float64(beams)
	case 400, 401:
		view = 0.25 * float64(beams-1)
		return spread{from: robot.Radians(-50), view: robot.Radians(view)}
	case 541, 1081:
		view = 270
	case 682, 683:
		view = 240
	}
	if view < 180 {
		return spread{from: -math.Pi / 2, view: robot.Radians(view)}
	}
	return spread{from: -robot.Radians(view) / 2, view: robot.Radians(view)}
}

// otherSpreads are tried against the usual one.
var otherSpreads = []spread{
	{-math.Pi / 2, math.Pi},
	{robot.Radians(-95), robot.Radians(190)},
	{robot.Radians(-120), robot.Radians(240)},
	{robot.Radians(-135), robot.Radians(270)},
	{0, 2 * math.Pi},
	{-math.Pi, 2 * math.Pi},
	{robot.Radians(-60), robot.Radians(120)},
	{robot.Radians(-50), robot.Radians(100)},
}

// A sampler collects pairs of scans with motion between them.
type sampler struct {
	pairs  []pair
	at     robot.Pose // of the scan that waits for a second one
	ranges []float64
}

type pair struct {
	motion robot.Pose // of base_link from a to b, roughly
	a, b   []float64
}

func (s *sampler) addScan(at robot.Pose, ranges []float64) {
	if len(s.pairs) >= maxSamples {
		return
	}
	m := motionBetween(s.at, at)
	way, turn := m.Point().Norm(), math.Abs(m.Theta)
	if s.ranges != nil && way < sampleWay && turn < sampleTurn {
		return
	}
	now := append([]float64(nil), ranges...)
	if s.ranges != nil && way < maxSample && turn < maxSample && len(s.ranges) == len(now) {
		s.pairs = append(s.pairs, pair{m, s.ranges, now})
	}
	s.at, s.ranges = at, now
}

// findSpread returns the spread by which the first scans of the pairs predict the
// second ones best: the usual one unless another is clearly better.
func (s *sampler) findSpread(lidar robot.Pose, noEcho float64) spread {
	if len(s.pairs) == 0 {
		return usualSpread(len(s.ranges))
	}
	best := usualSpread(len(s.pairs[0].a))
	if len(s.pairs) < minSamples {
		return best
	}
	least := clearly * s.predictionError(best, lidar, noEcho)
	for _, other := range otherSpreads {
		if e := s.predictionError(other, lidar, noEcho); e < least {
			best, least = other, e
		}
	}
	return best
}

// predictionError returns by how much the second scans of the pairs differ from what
// the first ones and the motion predict, in m a beam; differences count up to 0.5 m.
func (s *sampler) predictionError(spread spread, lidar robot.Pose, noEcho float64) float64 {
	const most = 0.5
	sum, n := 0.0, 0
	for _, p := range s.pairs {
		beams := len(p.a)
		step := spread.angleStep(beams)
		bFromA := lidar.Inverse().Compose(p.motion.Inverse()).Compose(lidar)
		predicted := make([]float64, beams)
		for i, d := range p.a {
			if !(d >= minRange && d < math.Min(noEcho, 20)) {
				continue
			}
			sin, cos := math.Sincos(spread.from + float64(i)*step)
			q := bFromA.Apply(robot.Point{X: d * cos, Y: d * sin})
			j := math.Round(math.Mod(math.Atan2(q.Y, q.X)-spread.from+4*math.Pi, 2*math.Pi) / step)
			if j >= float64(beams) {
				continue
			}
			if k := int(j); predicted[k] == 0 || q.Norm() < predicted[k] {
				predicted[k] = q.Norm()
			}
		}
		for k, d := range predicted {
			if d > 0 && p.b[k] >= minRange && p.b[k] < noEcho {
				sum += math.Min(most, math.Abs(d-p.b[k]))
				n++
			}
		}
	}
	if n < minSamples*10 {
		return most
	}
	return sum / float64(n)
}
