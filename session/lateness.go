package session

import (
	"math"
	"time"
)

// forgetAfter is how long the fastest frame counts at least; it counts at most
// twice as long, because the network may have changed permanently.
const forgetAfter = 5 * time.Second

// lateness computes when a page made what it sent, by the robot's clock. The two
// clocks need not agree: the fastest frame counts as having no delay, and every
// other frame is late by how much later it came.
type lateness struct {
	since  time.Time // zero counts from then on
	zero   time.Time // the page's zero according to the fastest frame
	before time.Time // the same, for the period before since
}

// madeAt returns when a frame that arrived at time at with timestamp t, in s of the
// page's clock, was made; the zero time = unknown.
func (l *lateness) madeAt(at time.Time, t float64) time.Time {
	if math.Abs(t) > 1e9 {
		return time.Time{}
	}
	age := time.Duration(t * float64(time.Second))
	zero := at.Add(-age)
	switch {
	case l.since.IsZero():
		l.since, l.zero, l.before = at, zero, zero
	case at.Sub(l.since) >= forgetAfter:
		l.since, l.zero, l.before = at, zero, l.zero
	case zero.Before(l.zero):
		l.zero = zero
	}
	if l.before.Before(l.zero) {
		return l.before.Add(age)
	}
	return l.zero.Add(age)
}
