package playout

import (
	"math"
	"time"
)

// minSeen is how many commands must have come before their rate is known.
const minSeen = 10

// A Start decides when a finite motion begins that arrives over a network:
// RoboTalk's playback mode (Yang 2005, section V.C, and its patent). The clocks
// need not agree. Its commands are evenly spaced in time, more or less.
//
// It begins when more than (Re - Ra) D commands are there, with Re the rate at
// which they will be executed, Ra the one at which they arrive and D the
// duration, plus a margin of three standard deviations of what the arrivals
// may still do: 3 sigma sqrt(left) (1 + sqrt(left/seen)) Ra, with sigma that
// of the gap between two arrivals.
type Start struct {
	Duration float64 // s, known from the client

	seen        int
	first, last float64 // s, start times within the motion
	began       time.Time
	before      float64 // s since began, of the newest arrival
	mean, m2    float64 // of the gaps, s and s2 (Welford)
}

// Take counts a command that arrives now and is to start at t, in s.
func (s *Start) Take(now time.Time, t float64) {
	if s.seen == 0 {
		s.began, s.first, s.last = now, t, t
	}
	s.first, s.last = math.Min(s.first, t), math.Max(s.last, t)
	at := now.Sub(s.began).Seconds()
	if s.seen > 0 {
		gap := at - s.before
		d := gap - s.mean
		s.mean += d / float64(s.seen)
		s.m2 += d * (gap - s.mean)
	}
	s.before = at
	s.seen++
}

// Ready reports whether the motion may begin. Then T = now - t of the first
// command shifts all that are there and all that come.
func (s *Start) Ready() bool {
	k := float64(s.seen - 1)
	span := s.last - s.first
	switch {
	case s.seen == 0:
		return false
	case span >= s.Duration-1e-9:
		return true // all of it is there
	case s.seen <= minSeen || span <= 0:
		return false
	}
	execute := k / span
	arrive := k / s.before // +Inf when all came at once
	if arrive >= execute && s.m2 == 0 {
		return true
	}
	left := math.Max(0, execute*s.Duration-k)
	sigma := math.Sqrt(s.m2 / k)
	margin := 3 * sigma * math.Sqrt(left) * (1 + math.Sqrt(left/k)) * arrive
	return float64(s.seen) > (execute-arrive)*s.Duration+margin
}
