package playout

import (
	"math"
	"slices"
	"time"
)

const (
	remembered = 200  // newest packets, from which the jitter is estimated
	minWait    = 0.05 // s
	maxWait    = 0.5  // s
	// stale is the gap between two arrivals, in s, after which the older delays are
	// useless: the two clocks drift apart by up to 100 ppm.
	stale = 60.0
	// otherClock is the change of delay between two packets, in s, that shows that the
	// second one is from another page, whose clock has another zero.
	otherClock = 10.0
)

// jitter estimates the variation of packet delay. The clocks of the two ends need not
// agree, since only differences count.
type jitter struct {
	epoch  time.Time
	delays [remembered]float64 // s, arrival by the robot's clock since epoch minus T
	sorted [remembered]float64
	count  int // packets since epoch
	last   float64
	wait   float64 // s, J of docs/driving.md
}

func newJitter() jitter { return jitter{wait: minWait} }

// addArrival adds the arrival of a packet with virtual time t, in s.
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

// measureLateness returns how much longer, in s, a packet with virtual time t that
// arrives now took than the fastest one; 0 if it has another clock than those before it.
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

// arrivalTime returns the virtual time of a packet that arrives now with the smallest
// delay seen.
func (j *jitter) arrivalTime(now time.Time) float64 {
	return now.Sub(j.epoch).Seconds() - j.sorted[0]
}
