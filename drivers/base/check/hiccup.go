package check

import "time"

// A hiccup is an interval in which this computer did not schedule a program that was ready
// to run. Delays in it say nothing about the base.
type hiccup struct{ from, to time.Time }

const (
	// hiccupEvery is the period of the test for hiccups; a test that is late by hiccupFrom
	// detects one.
	hiccupEvery, hiccupFrom = 5 * time.Millisecond, 10 * time.Millisecond
	// hiccupEcho is how long after a hiccup programs may still be late, because other
	// programs are waiting too.
	hiccupEcho = 20 * time.Millisecond
)

// hiccups collects the hiccups of an interval.
type hiccups struct {
	last time.Time // of the last test
	all  []hiccup
}

// look tests for a hiccup. The caller calls it every hiccupEvery, if this computer is on
// time.
func (h *hiccups) look(now time.Time) {
	if now.Sub(h.last) >= hiccupEvery+hiccupFrom {
		h.all = append(h.all, hiccup{h.last, now})
	}
	h.last = now
}

// watchHiccups starts to record hiccups. The function stop ends that and returns them.
func watchHiccups() (stop func() []hiccup) {
	h := hiccups{last: time.Now()}
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(hiccupEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ticker.C:
				h.look(time.Now())
			}
		}
	}()
	return func() []hiccup {
		close(ended)
		<-done
		h.look(time.Now())
		return h.all
	}
}

// overlaps reports whether a hiccup, or its echo, falls into an interval.
func overlaps(hiccups []hiccup, from, to time.Time) bool {
	for _, h := range hiccups {
		if h.from.Before(to) && h.to.Add(hiccupEcho).After(from) {
			return true
		}
	}
	return false
}
