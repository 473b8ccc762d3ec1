package app

import (
	"context"
	"sync"
	"time"

	"mybot/script"
	scripts "mybot/script/library"
	"mybot/session"
	"mybot/session/access"
)

// startFaults says why scripts did not start with the robot.
type startFaults struct {
	mu  sync.Mutex
	why map[string]startFault // by id
}

type startFault struct {
	revision uint64
	text     string
}

func (f *startFaults) note(s scripts.Script, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.why == nil {
		f.why = map[string]startFault{}
	}
	f.why[s.ID] = startFault{s.Revision, text}
}

// StartFault returns why a script did not start with the robot, unless it has been saved
// since; "" = it did, or should not.
func (f *startFaults) StartFault(s scripts.Script) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one := f.why[s.ID]; one.revision == s.Revision {
		return one.text
	}
	return ""
}

// startScripts starts the scripts that start with the robot, once it reports. One that
// cannot start does not keep others from it.
func (s *server) startScripts(ctx context.Context) {
	if s.cfg.ReadOnly != "" {
		return
	}
	select {
	case <-ctx.Done():
		return
	case <-s.states.reported:
	}
	for _, one := range s.saved.List() {
		if !one.Starts {
			continue
		}
		err := s.startScript(ctx, one)
		if err == nil || ctx.Err() != nil {
			continue
		}
		s.log.Error("a script does not start with the robot", "script", one.ID, "error", err)
		s.startFaults.note(one, err.Error())
		s.scripts.takeLines([]script.Line{{Unit: one.ID, Tag: "error", Text: "!!! It does not start with the robot: " + err.Error()}})
	}
}

func (s *server) startScript(ctx context.Context, one scripts.Script) error {
	program, faults := script.Parse(one.Text)
	if len(faults) > 0 {
		return faults[0]
	}
	return s.hub.StartScriptWithRobot(ctx, session.Script{ID: one.ID, Name: one.Name, Text: one.Text, Program: program})
}

// permits says which scripts may stand by: those that an admin permits, while the access of
// that admin and of who let the script move the robot last.
type permits struct {
	saved  *scripts.Library
	access *access.Authenticator
	now    func() time.Time
}

// StandsBy reports whether an admin whose access has not ended permits a script to stand by.
func (p permits) StandsBy(id string) bool {
	by, _, ok := p.saved.StandbyOf(id)
	return ok && p.lasts(by, session.Admin)
}

// MayStandBy reports whether a running script may continue by itself. It runs the text that
// was permitted.
func (p permits) MayStandBy(id, text, licensed string) bool {
	by, permitted, ok := p.saved.StandbyOf(id)
	return ok && text == permitted && p.lasts(by, session.Admin) && p.lasts(licensed, session.Operator)
}

// lasts reports whether a grant is valid, for at least a role. Users at the robot's own
// computer need none.
func (p permits) lasts(grant string, least session.Role) bool {
	if grant == "" || grant == session.Owner("") {
		return true
	}
	g, ok := p.access.FindGrant(p.now(), grant)
	return ok && g.Role >= least
}

// scriptPermits returns what says which scripts may stand by. A step of the computer's clock
// revives no access that has expired.
func (s *server) scriptPermits() permits {
	began := time.Now()
	return permits{s.saved, s.access, func() time.Time { return began.Add(time.Since(began)) }}
}
