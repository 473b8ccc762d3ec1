package app

import (
	"strings"
	"sync"
	"testing"
	"time"

	"mybot/robot"
	"mybot/script/library"
	"mybot/session"
	"mybot/session/access"
)

// shelf is a store of scripts that is always empty.
type shelf struct{}

func (shelf) Scripts() (map[string][]byte, uint64, error) { return nil, 0, nil }
func (shelf) PutScript(string, []byte) error              { return nil }
func (shelf) DeleteScript(string, uint64) error           { return nil }

// noGrants is a store that is always empty.
type noGrants struct{}

func (noGrants) Grants() ([]access.Grant, error) { return nil, nil }
func (noGrants) PutGrant(access.Grant) error     { return nil }
func (noGrants) DeleteGrant(string) error        { return nil }

// entries is an audit log in memory.
type entries struct {
	mu    sync.Mutex
	lines []string
}

func (e *entries) AppendEntry(_ time.Time, kind, who, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines = append(e.lines, kind+" "+who+": "+text)
}

func (e *entries) count(part string) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, l := range e.lines {
		if strings.Contains(l, part) {
			n++
		}
	}
	return n
}

// save saves a script with its mark.
func (s *scriptedServer) save(name, text string, starts bool) library.Script {
	s.t.Helper()
	one, err := s.saved.Save(library.Script{Name: name, Text: text}, "Ana")
	if err == nil {
		one, err = s.saved.SetStarts(one.ID, one.Revision, starts)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return one
}

const walks = "loop { goto(9, 7.3) | goto(6, 7.3) }, n = 0; every (1s) n++,"

// What starts with the robot runs, but moves nothing before Resume; a stop of before stays.
// A script with a fault is reported and keeps no other from starting.
func TestScriptsStartWithTheRobotAndAreHeld(t *testing.T) {
	for name, stopped := range map[string]bool{"a robot that is ready": false, "a robot that was stopped before": true} {
		t.Run(name, func(t *testing.T) { startsHeld(t, stopped) })
	}
}

func startsHeld(t *testing.T, stopped bool) {
	withScripts(t, func(t *testing.T, s *scriptedServer) {
		ana := session.Identity{Browser: "ana", Role: session.Operator}
		broken := s.save("Broken", "x = 1;\nat battery.val < 20 dock();", true)
		s.save("Patrol", walks+" echo \"here\";", true)
		s.save("Other", "echo \"other\";", false)
		if stopped {
			s.loop.Stop("Jin")
			time.Sleep(time.Second)
		}
		s.startScripts(t.Context())
		if d := s.comes(3 * time.Second); d > 0.001 {
			t.Errorf("it comes %.3f m", d)
		}
		lines := s.lines()
		for _, want := range []string{"broken !!! It does not start with the robot: line 2, column 4: ", "patrol \"here\"", "patrol *** It started with the robot, and no one has let it move the robot since."} {
			if !strings.Contains(lines, want) {
				t.Errorf("it says\n%s, want %q", lines, want)
			}
		}
		if strings.Contains(lines, "other") {
			t.Errorf("a script without the mark has started: %s", lines)
		}
		if why := s.startFaults.StartFault(broken); !strings.HasPrefix(why, "line 2, column 4: expected (") {
			t.Errorf("the page says %q", why)
		}
		broken.Text = "x = 1;"
		if broken, _ = s.saved.Save(broken, "Ana"); s.startFaults.StartFault(broken) != "" {
			t.Error("a script that was repaired still has the fault")
		}
		state, _ := s.newestState()
		if (state.Stop != nil) != stopped {
			t.Errorf("the stop is %+v", state.Stop)
		}
		lease := s.control(ana)
		if r := s.hub.Command(t.Context(), ana, session.Order{Lease: lease, Command: robot.ClearStop{}}); stopped && !r.Done() {
			t.Fatal(r)
		}
		if d := s.comes(3 * time.Second); d > 0.001 {
			t.Errorf("after the release of the stop it comes %.3f m", d)
		}
		if err := s.hub.ResumeScripts(t.Context(), ana, lease); err != nil {
			t.Error(err)
		}
		if d := s.comes(5 * time.Second); d < 0.3 {
			t.Errorf("after Resume it comes %.3f m", d)
		}
	})
}

// A patrol continues a minute (here in place of 5 min) after a visitor, and never without the permission of an admin, the
// access of who started it, or after a STOP.
func TestAPatrolContinuesAfterAVisitor(t *testing.T) {
	withScripts(t, func(t *testing.T, s *scriptedServer) {
		ana, ben := session.Identity{Browser: "ana", Role: session.Operator}, session.Identity{Browser: "ben", Role: session.Operator}
		one := s.save("Patrol", walks, false)
		now := time.Now()
		link, err := s.access.OneTime(now, session.Admin, "")
		if err != nil {
			t.Fatal(err)
		}
		_, admin, err := s.access.Redeem(now, "10.0.0.2", link, "Cleo")
		if err != nil {
			t.Fatal(err)
		}
		permit := func(by string) {
			_, err := s.saved.PermitStandby(one.ID, one.Revision, by)
			if by == "" {
				_, err = s.saved.EndStandby(one.ID)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		permit(admin.ID)
		start := func() {
			t.Helper()
			if err := s.hub.StartScript(t.Context(), ana, s.control(ana), session.Script{ID: one.ID, Name: one.Name, Text: one.Text, Program: s.program(one.Text)}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			if r := s.hub.GiveUpControl(t.Context(), ana); !r.Done() {
				t.Fatal(r)
			}
		}
		visit := func() {
			t.Helper()
			s.control(ben)
			time.Sleep(3 * time.Second)
			if r := s.hub.GiveUpControl(t.Context(), ben); !r.Done() {
				t.Fatal(r)
			}
			time.Sleep(time.Second)
		}
		start()
		visit()
		if d := s.comes(51 * time.Second); d > 0.001 {
			t.Errorf("in less than a minute it comes %.3f m", d)
		}
		if state, _ := s.newestState(); state.Message == nil || state.Message.Text != "The robot moves again in 10 s unless someone takes control." || state.Speech == nil {
			t.Errorf("the robot shows %+v and says %+v", state.Message, state.Speech)
		}
		if d := s.comes(7 * time.Second); d > 0.001 {
			t.Errorf("in less than a minute it comes %.3f m", d)
		}
		if d := s.comes(8 * time.Second); d < 0.3 || s.audit.count("continues by itself") != 1 {
			t.Errorf("after a minute it comes %.3f m; %v", d, s.audit.lines)
		}
		for name, c := range map[string]struct{ end, again func() }{
			"without the switch":                 {func() { permit("") }, func() { permit(admin.ID) }},
			"with a permission that no one gave": {func() { permit("gone") }, func() { permit(admin.ID) }},
			"after a STOP": {func() {
				s.hub.Stop("Jin", session.Identity{})
				time.Sleep(time.Second)
				lease := s.control(ben)
				s.hub.Command(t.Context(), ben, session.Order{Lease: lease, Command: robot.ClearStop{}})
				s.hub.GiveUpControl(t.Context(), ben)
			}, func() {}},
			"with another text": {func() {
				one.Text += " "
				one, _ = s.saved.Save(one, "Ben")
				permit(admin.ID) // the admin saw the new text, and the old one runs
			}, func() {}},
		} {
			visit()
			c.end()
			if d := s.comes(150 * time.Second); d > 0.001 {
				t.Errorf("%s it comes %.3f m", name, d)
			}
			c.again()
			if err := s.hub.StopScript(t.Context(), ana, one.ID); err != nil {
				t.Fatal(err)
			}
			start()
		}
		visit()
		if _, err := s.access.Revoke(admin.ID); err != nil {
			t.Fatal(err)
		}
		if d := s.comes(150 * time.Second); d > 0.001 || s.scriptPermits().StandsBy(one.ID) {
			t.Errorf("when the access of the admin has ended it comes %.3f m", d)
		}
		if n := s.audit.count("continues by itself"); n != 1 {
			t.Errorf("the audit log says %d times that it continues", n)
		}
	})
}
