package onboard

import (
	"time"

	"mybot/robot"
	"mybot/script"
)

// watched are the values of the scripts that people watch. Without any, a tick does nothing
// for them.
type watched struct {
	of    []*script.Watched
	seen  *robot.WatchedValues // newest; nil = not evaluated yet
	count int                  // how often they were evaluated
}

// watchEvery is the time between two evaluations of what people watch.
const watchEvery = 200 * time.Millisecond

// lookAtWatched evaluates what people watch, if it is due.
func (s *scripted) lookAtWatched(now time.Time) {
	w := &s.watched
	if len(w.of) == 0 {
		return
	}
	if w.seen != nil {
		if since := now.Sub(w.seen.Time); since >= 0 && since < watchEvery {
			return
		}
	}
	w.seen = &robot.WatchedValues{Time: now, Of: w.of, Values: s.machine.Look(s.time(now), w.of, w.count)}
	w.count++
}
