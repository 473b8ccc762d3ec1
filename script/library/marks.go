package library

import (
	"time"

	"mybot/robot"
)

// Marks of a script: what the robot does with it by itself. They are not part of its text,
// so they do not come with a file, and changing them makes no new revision.

// SetStarts sets whether a script starts with the robot, and returns it.
func (l *Library) SetStarts(id string, on bool) (Script, error) {
	return l.mark(id, func(s *saved) { s.Starts = on })
}

// SetStandby permits a script to stand by, or ends that. by is the admin, as session.Owner
// returns it.
func (l *Library) SetStandby(id string, on bool, by string) (Script, error) {
	return l.mark(id, func(s *saved) {
		if s.Standby = nil; on {
			s.Standby = &permit{by}
		}
	})
}

// StandbyOf returns who permits a script to stand by, and when its text was saved; ok is
// false if no one does.
func (l *Library) StandbyOf(id string) (by string, since time.Time, ok bool) {
	s, _, ok := l.find(id)
	if !ok || s.Standby == nil {
		return "", time.Time{}, false
	}
	return s.Standby.By, s.Changed, true
}

func (l *Library) mark(id string, set func(*saved)) (Script, error) {
	l.changing.Lock()
	defer l.changing.Unlock()
	s, at, ok := l.find(id)
	if !ok {
		return Script{}, robot.Refusef("This script no longer exists.")
	}
	set(&s)
	return s.Script, l.put(s, at, true)
}
