package playout

import (
	"math"
	"slices"
	"time"
)

const (
	remembered = 200 // packets that the jitter is taken from
	minWait    = 0.05
	maxWait    = 0.5
	// stale is how long, in s, arrivals may lie apart before the old ones say
	// nothing any more: two clocks drift by up to 100 ppm.
	stale = 60.0
	// otherClock is how much later or sooner, in s, than the one before it a
	// packet comes that is of another page: that one's clock began anew.
	otherClock = 10.0
)

// jitter is how unevenly packets arrive. The clocks of both ends need not
// agree: only differences count.
type jitter struct {
	epoch  time.Time
	delays [remembered]float64 // s, arrival by the robot's clock since epoch minus T
	sorted [remembered]float64
	count  int // ever
	last   float64
	wait   float64 // s, J of docs/driving.md
}

func newJitter() jitter { return jitter{wait: minWait} }

// addArrival counts the arrival of a packet of the virtual time t.
func (j *jitter) addArrival(now time.Time, t float64) {
	if j.count == 0 {
		j.epoch = now
	}
	at := now.Sub(j.epoch).Seconds()
	if at-j.last > stale || j.count > 0 && math.Abs(at-t-j.delays[(j.count-1)%remembered]) > otherClock {
		*j = jitter{epoch: now, wait: j.wait}
		at = 0
	}
	j.last = at
	j.delays[j.count%remembered] = at - t
	j.count++
	n := min(j.count, remembered)
	s := j.sorted[:n]
	copy(s, j.delays[:n])
	slices.Sort(s)
	j.wait = max(minWait, min(maxWait, s[(n-1)*95/100]-s[0]))
}

// measureLateness returns by how many s more than the quickest packet one of the virtual
// time t comes now; 0 when it is of another clock than those before it.
func (j *jitter) measureLateness(now time.Time, t float64) float64 {
	if j.count == 0 {
		return 0
	}
	at := now.Sub(j.epoch).Seconds()
	if at-j.last > stale || math.Abs(at-t-j.delays[(j.count-1)%remembered]) > otherClock {
		return 0
	}
	return at - t - j.sorted[0]
}

// arrivalTime returns the virtual time that a packet would have which arrived now
// without waiting anywhere: now minus the smallest delay.
func (j *jitter) arrivalTime(now time.Time) float64 {
	return now.Sub(j.epoch).Seconds() - j.sorted[0]
}
