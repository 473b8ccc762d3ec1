package library

import "mybot/robot"

// Marks of a script: what the robot does with it by itself. They are not part of its text,
// so they do not come with a file, and changing them makes no new revision.

// SetStarts sets whether a script starts with the robot, and returns it. revision is that of
// the text that the user saw, 0 = any; the error is ErrStale if the script was saved since.
func (l *Library) SetStarts(id string, revision uint64, on bool) (Script, error) {
	return l.mark(id, revision, func(s *saved) { s.Starts = on })
}

// PermitStandby permits a script to stand by, as SetStarts sets that it starts. by is the
// admin, as session.Owner returns it.
func (l *Library) PermitStandby(id string, revision uint64, by string) (Script, error) {
	return l.mark(id, revision, func(s *saved) { s.Standby = &permit{by} })
}

// EndStandby ends the permission to stand by, and returns the script.
func (l *Library) EndStandby(id string) (Script, error) {
	return l.mark(id, 0, func(s *saved) { s.Standby = nil })
}

// StandbyOf returns who permits a script to stand by, and the text that is permitted; ok is
// false if no one does.
func (l *Library) StandbyOf(id string) (by, text string, ok bool) {
	s, _, ok := l.find(id)
	if !ok || s.Standby == nil {
		return "", "", false
	}
	return s.Standby.By, s.Text, true
}

// mark changes the marks of a script, if it still has the revision; 0 = any.
func (l *Library) mark(id string, revision uint64, set func(*saved)) (Script, error) {
	l.changing.Lock()
	defer l.changing.Unlock()
	s, at, ok := l.find(id)
	if !ok {
		return Script{}, robot.Refusef("This script no longer exists.")
	}
	if revision != 0 && s.Revision != revision {
		return Script{}, ErrStale
	}
	set(&s)
	return s.Script, l.put(s, at, true)
}
