package session

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// permits says which scripts may stand by: those of on, unless the grant of who licensed
// them is in ended.
type permits struct{ on, ended map[string]bool }

func (p permits) MayStandBy(id, text, licensed string) bool {
	return p.on[id] && !p.ended[licensed] && text == patrolText
}

// auditLines is an audit log in memory.
type auditLines struct{ lines []string }

func (a *auditLines) AppendEntry(_ time.Time, kind, who, text string) {
	a.lines = append(a.lines, kind+" "+who+": "+text)
}

// A standbyCase is a hub whose script patrol Ana has licensed and Ben, who is gone, has held.
type standbyCase struct {
	*Hub
	t        *testing.T
	robot    *fakeRobot
	permits  permits
	ana, ben Identity
	log      auditLines
}

func runStandby(t *testing.T, test func(c *standbyCase)) {
	t.Helper()
	c := &standbyCase{robot: &fakeRobot{}, permits: permits{map[string]bool{"patrol": true}, map[string]bool{}}}
	c.ana, c.ben = Identity{Browser: "ana", Role: Operator, Grant: "g1"}, Identity{Browser: "ben", Role: Operator, Grant: "g2"}
	cfg := testConfig(c.robot)
	cfg.Standby, cfg.Audit = c.permits, &c.log
	run(t, cfg, func(t *testing.T, h *Hub) {
		c.Hub, c.t = h, t
		errorIs(t, "started", h.StartScript(t.Context(), c.ana, c.take(c.ana), Script{"patrol", "Patrol", patrolText, patrol}), "")
		c.state(robot.ScriptUnit{Name: "patrol"})
		c.give(c.ana)
		c.take(c.ben)
		c.state(c.held())
		c.robot.take()
		c.give(c.ben)
		c.state(c.held())
		test(c)
	})
}

func (c *standbyCase) take(by Identity) uint64 {
	c.t.Helper()
	term, err := c.TakeControl(c.t.Context(), by, by.Browser, 60)
	if err != nil || !term.Done() {
		c.t.Fatal(term, err)
	}
	return term.Lease
}

func (c *standbyCase) give(by Identity) {
	c.t.Helper()
	if r := c.GiveUpControl(c.t.Context(), by); !r.Done() {
		c.t.Fatal(r)
	}
}

func (c *standbyCase) held() robot.ScriptUnit {
	return robot.ScriptUnit{Name: "patrol", Held: true, Why: "ben has control.", Yields: true}
}

// due is the state of a script that was announced, and whose time has come.
func (c *standbyCase) due() robot.ScriptUnit {
	u := c.held()
	u.Announced, u.ContinuesAt = true, time.Now()
	return u
}

// state publishes a state of a robot that stands, with the script.
func (c *standbyCase) state(u robot.ScriptUnit) {
	c.Publish(robot.State{Time: time.Now(), Battery: robot.UnknownBattery(), Scripts: &robot.ScriptState{Units: []robot.ScriptUnit{u}}})
	synctest.Wait()
}

// did returns what the hub has told the robot about standing by.
func (c *standbyCase) did() string {
	return strings.Join(slices.DeleteFunc(c.robot.take(), func(d string) bool {
		return !strings.HasPrefix(d, "LetStandBy") && !strings.HasPrefix(d, "ContinueUnit")
	}), "; ")
}

func (c *standbyCase) hears(what, want string) {
	c.t.Helper()
	if did := c.did(); did != want {
		c.t.Errorf("%s: the robot hears %q, want %q", what, did, want)
	}
}

func TestTheHubContinuesAScriptOnlyWhileControlIsFree(t *testing.T) {
	runStandby(t, func(c *standbyCase) {
		c.hears("when Ben has left", "LetStandBy {Units:[patrol] Epoch:4 After:5m0s}")
		c.state(c.held())
		c.hears("later", "")
		u := c.held()
		u.Announced, u.ContinuesAt = true, time.Now().Add(10*time.Second)
		c.state(u)
		c.hears("before its time", "")
		c.take(c.ben)
		c.hears("when Ben takes control", "LetStandBy {Units:[] Epoch:4 After:5m0s}")
		c.state(c.due())
		c.hears("while Ben has control", "")
		c.give(c.ben)
		c.state(c.due())
		c.hears("when its time has come", "LetStandBy {Units:[patrol] Epoch:6 After:5m0s}; ContinueUnit {Unit:patrol Epoch:6}")
		if n := len(c.log.lines); c.log.lines[n-1] != "script robot: The script Patrol continues by itself: no one has had control for 5 min. Device g1 had let it move the robot." {
			t.Errorf("the audit log ends with %q", c.log.lines[n-1])
		}
		c.state(robot.ScriptUnit{Name: "patrol"})
		c.robot.take()
		c.take(c.ben) // holds it, though Ben is the person who had control last
		if did := c.robot.take(); !slices.Contains(did, "HoldUnits {Unit: Reason:ben has control.}, handover true") {
			t.Errorf("the robot did %q", did)
		}
	})
}

// Each of these ends that a script stands by.
func TestTheHubLetsNoScriptStandByWithoutPermissionAndLicence(t *testing.T) {
	for name, c := range map[string]struct {
		end    func(c *standbyCase)
		listed bool // it may stay in the list, but does not continue
	}{
		"the switch, or the admin's access": {end: func(c *standbyCase) { c.permits.on["patrol"] = false }},
		"access that has expired":           {end: func(c *standbyCase) { c.permits.ended["g1"] = true }},
		"the access of who started it":      {end: func(c *standbyCase) { c.Revoke("g1") }},
		"a map in progress":                 {end: func(c *standbyCase) { c.ShowMapping(protocol.MappingEvent{}, "A map is being made.") }},
		"a new start without control": {end: func(c *standbyCase) {
			errorIs(c.t, "start", c.StartScript(c.t.Context(), c.ben, 0, Script{"patrol", "Patrol", patrolText, patrol}), "")
		}},
		"a stop": {end: func(c *standbyCase) { c.Stop("Jin", Identity{}) }, listed: true},
		"a hold that the robot has not taken yet": {end: func(c *standbyCase) { c.coordinator.holdDue = robot.HoldUnits{Reason: "Revoked."} }, listed: true},
	} {
		runStandby(t, func(s *standbyCase) {
			s.did()
			c.end(s)
			synctest.Wait()
			s.state(s.due())
			want := "LetStandBy {Units:[] Epoch:4 After:5m0s}"
			if c.listed {
				want = ""
			}
			s.hears(name, want)
		})
	}
}

// A robot that does not hear that control was taken hears it later, and continues nothing.
func TestARobotThatHangsWhileControlIsTakenContinuesNothing(t *testing.T) {
	runStandby(t, func(c *standbyCase) {
		c.did()
		c.robot.hang.Lock()
		go c.TakeControl(c.t.Context(), c.ben, "ben", 60) //nolint:errcheck // the commands say it
		time.Sleep(5 * time.Second)
		c.robot.hang.Unlock()
		time.Sleep(5 * time.Second)
		c.state(c.due())
		c.hears("afterwards", "LetStandBy {Units:[] Epoch:5 After:5m0s}")
	})
}

// A robot that does not hear that the permission has ended may hear the next command.
func TestARobotThatHangsWhileThePermissionEndsContinuesNothing(t *testing.T) {
	runStandby(t, func(c *standbyCase) {
		c.did()
		c.robot.hang.Lock()
		c.permits.on["patrol"] = false
		c.state(c.due())
		time.Sleep(robotWait + robotWait/2)
		c.robot.hang.Unlock()
		time.Sleep(robotWait)
		c.state(c.due())
		c.hears("afterwards", "LetStandBy {Units:[] Epoch:4 After:5m0s}")
	})
}

// A hold that is not for a visitor stays one, even if the robot takes it after a handover.
func TestAHoldThatWaitsIsNotTakenForAHandover(t *testing.T) {
	runStandby(t, func(c *standbyCase) {
		c.robot.take()
		c.robot.hang.Lock()
		c.Revoke("g1")
		time.Sleep(2 * time.Second)
		go c.TakeControl(c.t.Context(), Identity{Browser: "cleo", Role: Operator}, "cleo", 60) //nolint:errcheck // the commands say it
		time.Sleep(2 * time.Second)
		c.robot.hang.Unlock()
		time.Sleep(5 * time.Second)
		did := c.robot.take()
		if i := slices.IndexFunc(did, func(d string) bool { return strings.HasPrefix(d, "HoldUnits") }); i < 0 || strings.HasSuffix(did[i], "handover true") {
			t.Errorf("the robot did %q", did)
		}
	})
}
