package onboard

import (
	"time"

	"mybot/robot"
)

// longestWish is how long a wish lives at most, whoever made it and whatever
// it says about itself: Core's own dead-man.
const longestWish = 500 * time.Millisecond

// source is one that may wish for motion. The order is the priority: the
// first source with a fresh wish has its way.
type source int

const (
	manual source = iota
	queued
	goal
	sources
)

// velocityRequest is a motion that a source wants, until it expires. The zero wish wants
// nothing.
type velocityRequest struct {
	twist robot.Twist // at M
	until time.Time
}

func newVelocityRequest(t robot.Twist, now time.Time, valid time.Duration) velocityRequest {
	return velocityRequest{twist: t, until: now.Add(min(valid, longestWish))}
}

func (w velocityRequest) isZero() bool { return w.until.IsZero() }

// wishes holds the newest wish of every source.
type wishes [sources]velocityRequest

// pick returns the wish of the first source that has a fresh one.
func (ws *wishes) pick(now time.Time) (velocityRequest, source, bool) {
	for s, w := range ws {
		if now.Before(w.until) {
			return w, source(s), true
		}
	}
	return velocityRequest{}, 0, false
}

// flush forgets every wish.
func (ws *wishes) flush() { *ws = wishes{} }
