package session

import (
	"math"
	"time"
)

// forgetAfter is for how long the quickest frame counts at least; it counts for
// twice as long at most, since the network may have changed for good.
const forgetAfter = 5 * time.Second

// lateness computes when a page made what it sent, by the robot's clock. The clocks
// need not agree: the frame that came quickest is taken to have no delay, and every
// other one is as late as it came after that.
type lateness struct {
	since  time.Time // zero counts from then on
	zero   time.Time // the page's zero, as the quickest frame has it
	before time.Time // the same, of the time before since
}

// madeAt returns when a frame was made that arrived at the time at and says t, in
// s of the page's clock; the zero time = unknown.
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
