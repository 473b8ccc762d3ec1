package handlers

import "time"

// A clock gives the time by which grants and links age. It runs evenly from the
// time at which the program began, so that setting the computer's clock neither
// ends them nor makes them valid again.
type clock struct{ wall, began time.Time }

func newClock(wall time.Time) clock {
	began := time.Now()
	if wall.IsZero() {
		wall = began
	}
	return clock{wall.Round(0), began}
}

func (c clock) now() time.Time { return c.wall.Add(time.Since(c.began)) }
