package store

import (
	"log/slog"
	"time"
)

// logAgain is the shortest time between two log lines about the same failure.
const logAgain = time.Minute

// A FailureLog logs that a repeated operation fails: at once, then at most once a
// minute with the number of failures, and when it succeeds again. The zero value
// has seen no failure; one goroutine uses it.
type FailureLog struct {
	failures int       // since the last logged recovery
	logged   time.Time // when a failure was last logged
	failing  bool      // the last line was about a failure
}

// NoteOutcome notes the outcome of one attempt. what is a sentence about a failure.
func (f *FailureLog) NoteOutcome(log *slog.Logger, what string, err error, now time.Time) {
	due := f.logged.IsZero() || now.Sub(f.logged) >= logAgain
	switch {
	case err != nil:
		if f.failures++; due {
			log.Error(what, "error", err, "times", f.failures)
			f.logged, f.failing = now, true
		}
	case f.failing:
		log.Info("this works again", "what", what, "failures", f.failures)
		f.failing, f.failures = false, 0
	}
}
