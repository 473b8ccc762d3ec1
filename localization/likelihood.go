package localization

import "math"

// A sonar's range is modelled as a mixture of: the object that should return the
// echo, or the one along the axis despite its slant; an unmapped object in front of
// it; an object behind it, because the first one deflected the sound; and an
// arbitrary range. How often a sonar gets no echo, or one from behind, is learned
// (sonarModel). The shares are weights of unit peaks, not probabilities, and the
// tails are heavy on purpose, so that no single beam decides.
const (
	hitShare   = 0.75  // an object on the map
	shortShare = 0.08  // a range that is too short
	anyShare   = 0.03  // an arbitrary range
	hitSigma   = 0.08  // m, standard deviation of a near hit: from cells, lines and the sonar
	hitGrowth  = 0.015 // further standard deviation, as a share of the range
	wideShare  = 0.2   // share of the hits that are less accurate
	wideFactor = 3.0   // by this factor
	quietNone  = 0.70  // probability of silence where nothing should return an echo
	noEcho     = levels + 1
)

// likelihoods holds, for one kind of sonar, the likelihood of each measured level
// for each expected one.
type likelihoods struct {
	hit  [noEcho + 1][256]float32 // of hitting the expected object
	tail [noEcho + 1][256]float32 // of anything else
	far  [noEcho + 1][256]float32 // 1 where the echo comes from behind the expected object, or is missing
}

func newLikelihoods(b beam) *likelihoods {
	l := &likelihoods{}
	step := b.Max / levels
	for z := range noEcho {
		measured := float64(z) * step
		sigma := hitSigma + hitGrowth*measured
		for e := range levels + 1 {
			off := measured - float64(e)*step
			if e < levels { // otherwise there is nothing to hit
				l.hit[z][e] = float32(hitShare * ((1-wideShare)*gaussianOf(off/sigma) + wideShare*gaussianOf(off/(wideFactor*sigma))))
			}
			tail := anyShare
			switch {
			case z < e:
				tail += shortShare
			case z > e:
				l.far[z][e] = 1
			}
			l.tail[z][e] = float32(tail)
		}
	}
	for e := range levels + 1 {
		if e < levels {
			l.far[noEcho][e] = 1
		} else {
			l.tail[noEcho][e] = quietNone
		}
	}
	return l
}

func gaussianOf(x float64) float64 { return math.Exp(-x * x / 2) }

// measuredLevel converts the range r of a sonar with the reach maxRange, both in m,
// to a level; noEcho if there is no echo.
func measuredLevel(r, maxRange float64) int {
	if math.IsInf(r, 1) || r > maxRange {
		return noEcho
	}
	return int(levelOf(r, maxRange))
}

// sonarModel is the learned behaviour of this robot's sonars in this building. It
// learns only where the pose is certain.
type sonarModel struct {
	// axis is the share of hits from objects along the axis although another object
	// that faces the sonar is nearer. It is small for wide beams and smooth walls,
	// and large for narrow beams or rough walls.
	axis  float64
	quiet float64 // probability of silence where something should return an echo
	long  float64 // share of ranges that are too long
}

const (
	startAxis = 0.25
	minAxis   = 0.10
	maxAxis   = 0.90
	axisPace  = 0.01 // weight of a new significant echo

	startQuiet = 0.25
	minQuiet   = 0.12
	maxQuiet   = 0.70
	startLong  = 0.08
	minLong    = 0.05
	maxLong    = 0.15
	longWeight = 0.5   // a long range counts less than a missing echo, because it has a tail of its own
	quietPace  = 0.002 // weight of a new echo
)

// rows are the likelihoods of one echo by expected level.
type rows struct{ answer, axis [256]float32 }

// fillFrom computes the rows for the measured level z.
func (r *rows) fillFrom(l *likelihoods, z int, m sonarModel) {
	hit, tail := &l.hit[z], &l.tail[z]
	along, nearest := float32(m.axis), float32(1-m.axis)
	far, beyond := &l.far[z], float32(m.long)
	if z == noEcho {
		beyond = float32(m.quiet)
	}
	for e := range hit {
		r.answer[e] = nearest*hit[e] + tail[e] + beyond*far[e]
		r.axis[e] = along * hit[e]
	}
}

// learnEcho learns from an echo that was measured at level z where answer and axis
// were expected.
func (m *sonarModel) learnEcho(l *likelihoods, z int, answer, axis uint8) {
	if answer < levels {
		quiet, long := 0.0, 0.0
		if z == noEcho {
			quiet = 1
		} else if z > int(answer) && l.hit[z][answer] < hitShare/20 && l.hit[z][axis] < hitShare/20 {
			long = 1
		}
		m.quiet = max(minQuiet, min(maxQuiet, m.quiet+quietPace*(quiet-m.quiet)))
		m.long = max(minLong, min(maxLong, m.long+quietPace*(longWeight*long-m.long)))
	}
	if z == noEcho {
		return
	}
	a, x := float64(l.hit[z][answer])*(1-m.axis), float64(l.hit[z][axis])*m.axis
	if a+x < hitShare/10 || math.Abs(float64(answer)-float64(axis)) < levels/12 {
		return
	}
	m.axis = max(minAxis, min(maxAxis, m.axis+axisPace*(x/(a+x)-m.axis)))
}
