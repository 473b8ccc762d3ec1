package playout

import (
	"math"
	"time"
)

// minSeen is how many commands must arrive before Start estimates their rate.
const minSeen = 10

// A Start decides when to begin a finite motion that arrives over a network: RoboTalk's
// playback mode (Yang 2005, section V.C, and its patent). The clocks need not agree. It
// assumes roughly even spacing of the commands in time.
//
// The motion begins when more than (Re - Ra) D commands have arrived, where Re is the rate
// of execution, Ra the rate of arrival and D the duration, plus a margin of three standard
// deviations of the remaining arrivals: 3 sigma sqrt(left) (1 + sqrt(left/seen)) Ra, where
// sigma is the standard deviation of the gap between two arrivals.
type Start struct {
	Duration float64 // s, known from the client

	seen        int
	first, last float64 // s, start times within the motion
	began       time.Time
	before      float64 // s from began to the newest arrival
	mean, m2    float64 // of the gaps, s and s2 (Welford)
}

// Take records the arrival of a command whose start time within the motion is t, in s.
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

// Ready reports whether the motion may begin. The offset from the first command's time to
// now then applies to all commands.
func (s *Start) Ready() bool {
	k := float64(s.seen - 1)
	span := s.last - s.first
	switch {
	case s.seen == 0:
		return false
	case span >= s.Duration-1e-9:
		return true // the whole motion has arrived
	case s.seen <= minSeen || span <= 0:
		return false
	}
	execute := k / span
	arrive := k / s.before // +Inf if all arrived at once
	if arrive >= execute && s.m2 == 0 {
		return true
	}
	left := math.Max(0, execute*s.Duration-k)
	sigma := math.Sqrt(s.m2 / k)
	margin := 3 * sigma * math.Sqrt(left) * (1 + math.Sqrt(left/k)) * arrive
	return float64(s.seen) > (execute-arrive)*s.Duration+margin
}
