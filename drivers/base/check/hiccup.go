package check

import "time"

// A hiccup is a time for which this computer had nothing left for a program that wanted
// to run. What is late then says nothing about the base.
type hiccup struct{ from, to time.Time }

const (
	// hiccupEvery is how often it is looked for hiccups, hiccupFrom how late that is at
	// least when there is one.
	hiccupEvery, hiccupFrom = 5 * time.Millisecond, 10 * time.Millisecond
	// hiccupEcho is for how long after a hiccup programs may still be late: others wait too.
	hiccupEcho = 20 * time.Millisecond
)

// hiccups are those of a while.
type hiccups struct {
	last time.Time // that was looked at
	all  []hiccup
}

// look is called every hiccupEvery, if this computer is on time.
func (h *hiccups) look(now time.Time) {
	if now.Sub(h.last) >= hiccupEvery+hiccupFrom {
		h.all = append(h.all, hiccup{h.last, now})
	}
	h.last = now
}

// watchHiccups looks for hiccups until it is stopped. Stopping it returns them.
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

// overlaps reports whether one of the hiccups, or its echo, falls into a time.
func overlaps(hiccups []hiccup, from, to time.Time) bool {
	for _, h := range hiccups {
		if h.from.Before(to) && h.to.Add(hiccupEcho).After(from) {
			return true
		}
	}
	return false
}
