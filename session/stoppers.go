package session

import (
	"slices"
	"time"
)

// STOP needs no permission and is never refused. A user who presses it repeatedly,
// while others release it, deprives them of the robot; the holder may remove that
// user's device.

// A device that stops a robot that was not stopped this often within this time is reported
// to the holder.
const (
	maxStops    = 3
	stopsWithin = time.Minute
)

// maxStoppers is how many devices are watched at a time.
const maxStoppers = 1000

// stoppers are the stops of the last minute, by grant.
type stoppers map[string][]time.Time

// addStop records a stop of a robot that was not stopped, and returns how many the grant
// has; 0 = it is not watched, because too many others are.
func (s stoppers) addStop(grant string, at time.Time) int {
	s.forgetOld(at)
	if _, known := s[grant]; !known && len(s) >= maxStoppers {
		return 0
	}
	s[grant] = append(s[grant], at)
	return len(s[grant])
}

func (s stoppers) forgetOld(now time.Time) {
	for grant, times := range s {
		times = slices.DeleteFunc(times, func(t time.Time) bool { return now.Sub(t) >= stopsWithin })
		if len(times) == 0 {
			delete(s, grant)
		} else {
			s[grant] = times
		}
	}
}

// removableGrants returns those that have stopped the robot often enough to be removed.
func (s stoppers) removableGrants(now time.Time) (grants []string) {
	for grant, times := range s {
		if len(times) >= maxStops && now.Sub(times[len(times)-maxStops]) < stopsWithin {
			grants = append(grants, grant)
		}
	}
	return grants
}
