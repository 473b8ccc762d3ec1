package store

import (
	"log/slog"
	"time"
)

// logAgain is how often at most the log says that something does not work.
const logAgain = time.Minute

// A FailureLog logs that something that is tried again and again does not work:
// at once, then at most once a minute with how often, and when it works again.
// Its zero value has seen no failure; one goroutine uses it.
type FailureLog struct {
	failures int       // since the log last said that it works again
	logged   time.Time // when it last said that it does not
	failing  bool      // it said so last
}

// NoteOutcome takes the outcome of one attempt. what is a sentence about a failure.
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
