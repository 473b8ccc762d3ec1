package carmen

import (
	"math"
	"slices"

	"mybot/robot"
)

const (
	maxSamples     = 60   // pairs of scans for judging a spread
	minSamples     = 8    // below this the usual spread is used
	sampleDistance = 0.3  // m or
	sampleTurn     = 0.1  // rad, smallest motion between the scans of a pair
	maxSample      = 1.5  // m, or rad; pairs farther apart are not used
	clearly        = 0.75 // share of the usual spread's error that another one must not exceed
)

// A spread is how the beams of a scan are spread: beam i of n points to from + i
// view / (n - 1), or i view / n if the beams go all around, in rad.
type spread struct{ from, view float64 }

// angleStep returns the angle between beams, in rad.
func (s spread) angleStep(beams int) float64 {
	if s.view > 2*math.Pi-1e-6 {
		return s.view / float64(beams)
	}
	return s.view / math.Max(1, float64(beams-1))
}

// usualSpread returns the spread that CARMEN assumes for a number of beams, or, for
// some numbers unknown to CARMEN, that of the lidar with that number.
func usualSpread(beams int) spread {
	view := 180.0
	switch beams {
	case 180, 360: // the last beam is missing
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

// otherSpreads are the alternatives to the usual one.
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

// lidarSteps are the angles between the beams of common lidars, in rad. Beams that are so
// far apart, half of them on either side, are further alternatives.
var lidarSteps = []float64{
	robot.Radians(1.0 / 6), robot.Radians(0.25), robot.Radians(1.0 / 3), 2 * math.Pi / 1024, robot.Radians(0.5), robot.Radians(1),
}

// A sampler collects pairs of scans with motion between them.
type sampler struct {
	pairs  []pair
	at     robot.Pose // of the scan that waits for its partner
	ranges []float64
}

type pair struct {
	motion robot.Pose // of base_link from a to b, approximately
	a, b   []float64
}

func (s *sampler) addScan(at robot.Pose, ranges []float64) {
	if len(s.pairs) >= maxSamples {
		return
	}
	m := motionBetween(s.at, at)
	distance, turn := m.Point().Norm(), math.Abs(m.Theta)
	if s.ranges != nil && distance < sampleDistance && turn < sampleTurn {
		return
	}
	now := append([]float64(nil), ranges...)
	if s.ranges != nil && distance < maxSample && turn < maxSample && len(s.ranges) == len(now) {
		s.pairs = append(s.pairs, pair{m, s.ranges, now})
	}
	s.at, s.ranges = at, now
}

// findSpread returns the spread with which the first scans of the pairs predict the
// second ones best: the usual one, unless another is clearly better.
func (s *sampler) findSpread(lidar robot.Pose, noEcho float64) spread {
	if len(s.pairs) == 0 {
		return usualSpread(len(s.ranges))
	}
	best := usualSpread(len(s.pairs[0].a))
	if len(s.pairs) < minSamples {
		return best
	}
	others := slices.Clone(otherSpreads)
	for _, step := range lidarSteps {
		if view := step * float64(len(s.pairs[0].a)-1); view > math.Pi/6 && view < 2*math.Pi {
			others = append(others, spread{-view / 2, view})
		}
	}
	least := clearly * s.predictionError(best, lidar, noEcho)
	for _, other := range others {
		if e := s.predictionError(other, lidar, noEcho); e < least {
			best, least = other, e
		}
	}
	return best
}

// predictionError returns the mean difference per beam, in m, between the second
// scans of the pairs and their prediction from the first ones and the motion;
// differences are limited to 0.5 m.
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
