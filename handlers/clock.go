package handlers

import "time"

// A clock gives the time by which grants and links age. It advances steadily from
// the start of the program, so that setting the computer's clock neither ends
// grants nor revives them.
type clock struct{ wall, began time.Time }

func newClock(wall time.Time) clock {
	began := time.Now()
	if wall.IsZero() {
		wall = began
	}
	return clock{wall.Round(0), began}
}

func (c clock) now() time.Time { return c.wall.Add(time.Since(c.began)) }
