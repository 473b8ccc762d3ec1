package localization

import "math"

// What a sonar tells is a mixture: the thing that should answer, or the one
// along its axis though it is slanted; something in front of it that is not on
// the map; something behind it because what should answer turned the sound
// away; and anything. The shares are weights of unit peaks, not masses, and
// the tails are heavy on purpose: one beam never decides.
const (
	hitShare   = 0.75  // a thing that is on the map
	shortShare = 0.08  // a range that is too short
	longShare  = 0.05  // a range that is too long
	anyShare   = 0.03  // any range
	hitSigma   = 0.08  // m, standard deviation of a hit close by: the cell, the lines, the sonar
	hitGrowth  = 0.015 // of the range, more of it
	wideShare  = 0.2   // of the hits that are off by more than that,
	wideFactor = 3.0   // this many times more
	quietHit   = 0.12  // chance that nothing is heard where something should answer
	quietNone  = 0.70  // and where nothing should
	silent     = levels + 1
)

// likelihoods holds for one kind of sonar how likely each range is when it
// should be at a level: by measured level, then by expected one.
type likelihoods struct {
	hit  [silent + 1][256]float32 // that the expected thing is met
	tail [silent + 1][256]float32 // that it is something else
}

func newLikelihoods(b beam) *likelihoods {
	l := &likelihoods{}
	step := b.Max / levels
	for z := range silent {
		measured := float64(z) * step
		sigma := hitSigma + hitGrowth*measured
		for e := range levels + 1 {
			off := measured - float64(e)*step
			if e < levels { // else nothing is there to be met
				l.hit[z][e] = float32(hitShare * ((1-wideShare)*bell(off/sigma) + wideShare*bell(off/(wideFactor*sigma))))
			}
			tail := anyShare
			switch {
			case z < e:
				tail += shortShare
			case z > e:
				tail += longShare
			}
			l.tail[z][e] = float32(tail)
		}
	}
	for e := range levels + 1 {
		l.tail[silent][e] = quietHit
		if e == levels {
			l.tail[silent][e] = quietNone
		}
	}
	return l
}

func bell(x float64) float64 { return math.Exp(-x * x / 2) }

// measured returns the range r of a sonar that reaches most, both in m, as a
// level; silent for one without echo.
func measured(r, most float64) int {
	if math.IsInf(r, 1) || r > most {
		return silent
	}
	return int(level(r, most))
}

// manner is how the sonars of this robot behave in this building: the share of
// the hits that come from what stands along the axis, though the nearest thing
// that faces the sonar is another one. It is small for wide beams and smooth
// walls, and large for narrow beams or rough walls.
type manner struct{ axis float64 }

const (
	startAxis = 0.25
	leastAxis = 0.10
	mostAxis  = 0.90
	axisPace  = 0.01 // of what one telling echo changes
)

// rows are the likelihoods of one echo by what is expected.
type rows struct{ answer, axis [256]float32 }

// fill makes the rows of the measured level z.
func (r *rows) fill(l *likelihoods, z int, m manner) {
	hit, tail := &l.hit[z], &l.tail[z]
	along, nearest := float32(m.axis), float32(1-m.axis)
	for e := range hit {
		r.answer[e] = nearest*hit[e] + tail[e]
		r.axis[e] = along * hit[e]
	}
}

// learn takes an echo that was measured at level z where answer and axis were
// expected.
func (m *manner) learn(l *likelihoods, z int, answer, axis uint8) {
	a, x := float64(l.hit[z][answer])*(1-m.axis), float64(l.hit[z][axis])*m.axis
	if a+x < hitShare/10 || math.Abs(float64(answer)-float64(axis)) < levels/12 {
		return
	}
	m.axis = max(leastAxis, min(mostAxis, m.axis+axisPace*(x/(a+x)-m.axis)))
}
