package session

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
	"mybot/script"
	"mybot/session/lease"
)

const patrolText = "loop { forward(1) | turn(180) }"

var patrol, _ = script.Parse(patrolText)

// moving is a state in which a script moves the robot.
func moving(units ...robot.ScriptUnit) robot.State {
	s := robot.State{Time: time.Now(), Twist: robot.Twist{Linear: 0.3}, Battery: robot.UnknownBattery()}
	s.Scripts = &robot.ScriptState{Moving: true, Units: units}
	return s
}

// errorIs checks the sentence of an error; "" = there is none.
func errorIs(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil && want != "" || err != nil && (want == "" || !strings.HasPrefix(err.Error(), want)) {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

func TestAnOperatorStartsAScriptAndControlLicensesIt(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		ana, ben, eve := Identity{Browser: "ana", Role: Operator}, Identity{Browser: "ben", Role: Operator, Name: "Ben"}, Identity{Browser: "eve", Role: Observer}
		page := join(t, h, "ana").read().hello("t")
		time.Sleep(lease.StandTimeout)
		synctest.Wait()
		f.take()
		epoch := h.Stats().Epoch
		errorIs(t, "an observer", h.StartScript(t.Context(), eve, 0, Script{"patrol", "Patrol", patrolText, patrol}), "Only operators run scripts.")
		errorIs(t, "without control", h.StartScript(t.Context(), ben, epoch, Script{"patrol", "Patrol", patrolText, patrol}), "You do not have control.")
		errorIs(t, "a wrong lease", h.StartScript(t.Context(), ana, epoch+1, Script{"patrol", "Patrol", patrolText, patrol}), `"lease" is ahead of the epoch`)
		errorIs(t, "held", h.StartScript(t.Context(), ben, 0, Script{"night", "night", patrolText, patrol}), "")
		errorIs(t, "licensed", h.StartScript(t.Context(), ana, epoch, Script{"patrol", "Patrol", patrolText, patrol}), "")
		errorIs(t, "an observer resumes", h.ResumeScripts(t.Context(), eve, epoch), "Only operators run scripts.")
		errorIs(t, "nobody in control resumes", h.ResumeScripts(t.Context(), ben, epoch), "You do not have control.")
		errorIs(t, "the holder resumes", h.ResumeScripts(t.Context(), ana, epoch), "")
		errorIs(t, "any operator stops", h.StopScript(t.Context(), ben, "patrol"), "")
		equal(t, "the robot", f.take(), "start night, held true", "start patrol, held false", "NoteUsers {Control:Guest 1 Count:1}", "ResumeUnits {Unit:}", "CloseUnit {Unit:patrol}")
		h.Stop("Jin", Identity{})
		errorIs(t, "stopped", h.StartScript(t.Context(), ana, epoch, Script{"patrol", "Patrol", patrolText, patrol}), "Stopped by Jin.")
		errorIs(t, "stopped, resumed", h.ResumeScripts(t.Context(), ana, epoch), "Stopped by Jin.")
		errorIs(t, "stopped, held", h.StartScript(t.Context(), ana, 0, Script{"patrol", "Patrol", patrolText, patrol}), "")
		equal(t, "the stopped robot", f.take(), "start patrol, held true")
		h.Publish(moving(robot.ScriptUnit{Name: "night", Held: true, Why: "Stopped by Jin.", Tags: []robot.ScriptTag{{Name: "look", Statements: 2}}}))
		synctest.Wait()
		page.Leave()
		if got := strings.Join(page.all(), "\n"); !strings.Contains(got, `"kind":"scripts","held":"","moving":true,"units":[{"name":"night","held":true,"why":"Stopped by Jin.","by":"Ben","tags":[{"name":"look","frozen":false,"blocked":false,"statements":2}],"yields":false,"continues_at":null}]`) || !strings.Contains(got, "started the script Patrol.") {
			t.Errorf("the page hears\n%s", got)
		}
	})
}

// The person who licensed a script leaves: it continues. The next person in control holds it;
// the same person does not.
func TestAPersonLeavesAndTheScriptGoesOnUntilAnotherTakesControl(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		ana, ben := Identity{Browser: "ana", Role: Operator}, Identity{Browser: "ben", Role: Operator}
		take := func(by Identity) Term {
			t.Helper()
			term, err := h.TakeControl(t.Context(), by, by.Browser, 60)
			if err != nil || !term.Done() {
				t.Fatal(term, err)
			}
			return term
		}
		first := take(ana)
		errorIs(t, "started", h.StartScript(t.Context(), ana, first.Lease, Script{"patrol", "Patrol", patrolText, patrol}), "")
		h.Publish(moving(robot.ScriptUnit{Name: "patrol"}))
		synctest.Wait()
		f.take()
		began := time.Now()
		if r := h.GiveUpControl(t.Context(), ana); !r.Done() || time.Since(began) > 0 {
			t.Errorf("control ends with %v after %v; it should not wait for the robot to stand", r, time.Since(began))
		}
		synctest.Wait()
		s := moving(robot.ScriptUnit{Name: "patrol"})
		s.Scripts.Errand = true
		h.Publish(s)
		synctest.Wait()
		if did := f.take(); slices.ContainsFunc(did, func(d string) bool { return strings.HasPrefix(d, "HoldUnits") }) {
			t.Errorf("the robot: %q", did)
		}
		// A page that is opened meanwhile does not take control.
		eve := join(t, h, "ben").read().hello("t")
		synctest.Wait()
		if h.HasControl(ben) {
			t.Error("who opens the page while a script moves the robot has control")
		}
		eve.Leave()
		take(ana)
		h.Publish(s)
		synctest.Wait()
		if r := h.GiveUpControl(t.Context(), ana); !r.Done() {
			t.Fatal(r)
		}
		did := f.take()
		if slices.ContainsFunc(did, func(d string) bool {
			return strings.HasPrefix(d, "HoldUnits") || strings.HasPrefix(d, "halt and pause")
		}) {
			t.Errorf("the same person took and released control; the robot: %q", did)
		}
		go h.TakeControl(t.Context(), ben, "ben", 60) //nolint:errcheck // looked at below
		synctest.Wait()
		if did := f.take(); len(did) == 0 || !strings.HasPrefix(did[0], "HoldUnits {Unit: Reason:ben has control.}") {
			t.Errorf("another person took control; the robot: %q", did)
		}
	})
}

func TestAConnectionTakesControlForItsUnitAndGivesItBack(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		program, ana := Identity{Browser: "", Remote: "127.0.0.1", Role: Operator}, Identity{Browser: "ana", Role: Operator}
		stand := func() { // nothing moves the robot any more
			for range 2 {
				h.Publish(robot.State{Time: time.Now(), Battery: robot.UnknownBattery()})
				synctest.Wait()
			}
		}
		unit, err := h.OpenScriptUnit(t.Context(), program)
		errorIs(t, "open", err, "")
		errorIs(t, "motoron", h.TakeScriptControl(t.Context(), unit), "")
		errorIs(t, "commands", h.GiveScriptCommands(t.Context(), unit, script.Commands{}), "")
		equal(t, "the robot", slices.DeleteFunc(f.take(), func(d string) bool { return strings.HasPrefix(d, "halt") }),
			"OpenUnit {Unit:U1 Held:true}", "HoldUnits {Unit: Reason:Program U1 has control.}, handover true", "NoteUsers {Control:Program U1 Count:0}", "ResumeUnits {Unit:U1}", "robot.GiveCommands")
		time.Sleep(5 * time.Minute) // longer than any term
		if _, err := h.OpenScriptUnit(t.Context(), Identity{Role: Observer}); err == nil {
			t.Error("an observer opens a unit")
		}
		other, _ := h.OpenScriptUnit(t.Context(), ana)
		errorIs(t, "a second one", h.TakeScriptControl(t.Context(), other), "Program U1 has control.")
		h.HoldScriptUnit(unit, "Nothing was heard from it.")
		h.ResumeScriptUnit(unit)
		errorIs(t, "motoroff", h.ReleaseScriptControl(t.Context(), unit), "")
		equal(t, "the robot", f.take(), "OpenUnit {Unit:U2 Held:true}", "SilenceUnit {Unit:U1 Reason:Nothing was heard from it.}", "SilenceUnit {Unit:U1 Reason:}",
			"HoldUnits {Unit:U1 Reason:The connection has given control back.}", "halt and pause: Program U1 released control.", "NoteUsers {Control: Count:0}")

		// Who has control gives it to a unit of the same person.
		stand()
		term, _ := h.TakeControl(t.Context(), ana, "Ana", 60)
		f.take()
		errorIs(t, "motoron of the holder", h.TakeScriptControl(t.Context(), other), "")
		equal(t, "the robot", f.take(), "ResumeUnits {Unit:U2}")
		if !h.HasControl(ana) || !term.Done() {
			t.Error("Ana has lost control")
		}
		stand()
		h.GiveUpControl(t.Context(), ana)

		// A connection that closes takes its unit and its control with it.
		errorIs(t, "motoron", h.TakeScriptControl(t.Context(), unit), "")
		f.take()
		stand()
		h.CloseScriptUnit(unit)
		synctest.Wait()
		if did := f.take(); did[0] != "CloseUnit {Unit:U1}" || h.Stats().Epoch == 0 || *h.driver.Load() != "" {
			t.Errorf("the robot: %q, %q has control", did, *h.driver.Load())
		}
		errorIs(t, "a unit that is gone", h.TakeScriptControl(t.Context(), unit), "There is no connection U1.")
	})
}

// The unit of a console moves the robot under the control of its person only: it takes none.
func TestTheUnitOfAConsoleIsLicensedByTheControlOfItsPerson(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		ana, ben := Identity{Browser: "ana", Role: Operator}, Identity{Browser: "ben", Role: Operator}
		if term, err := h.TakeControl(t.Context(), ana, "Ana", 60); err != nil || !term.Done() {
			t.Fatal(term, err)
		}
		var units []string
		for _, by := range []Identity{ana, ben} {
			unit, err := h.OpenScriptUnit(t.Context(), by)
			errorIs(t, "open", err, "")
			units = append(units, unit)
		}
		f.take()
		errorIs(t, "without control", h.LicenseScriptUnit(t.Context(), units[1]), "")
		equal(t, "without control the robot", f.take())
		errorIs(t, "in control", h.LicenseScriptUnit(t.Context(), units[0]), "")
		equal(t, "in control the robot", f.take(), "NoteUsers {Control:Ana Count:0}", "ResumeUnits {Unit:U1}")
		h.Stop("Jin", Identity{})
		errorIs(t, "stopped", h.LicenseScriptUnit(t.Context(), units[0]), "Stopped by Jin.")
		equal(t, "the stopped robot", f.take())
		errorIs(t, "a unit that is gone", h.LicenseScriptUnit(t.Context(), "U9"), "There is no connection U9.")
	})
}

// A script continues without the person who licensed it, but not after that person's access
// is revoked; the access of others does not matter.
func TestRevokingWhoLicensedAScriptHoldsIt(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		ana := Identity{Browser: "ana", Role: Operator, Grant: "g1"}
		term, err := h.TakeControl(t.Context(), ana, "Ana", 60)
		if err != nil || !term.Done() {
			t.Fatal(term, err)
		}
		errorIs(t, "started", h.StartScript(t.Context(), ana, term.Lease, Script{"patrol", "Patrol", patrolText, patrol}), "")
		if r := h.GiveUpControl(t.Context(), ana); !r.Done() {
			t.Fatal(r)
		}
		time.Sleep(time.Hour) // until the hub has forgotten Ana
		h.Publish(moving(robot.ScriptUnit{Name: "patrol"}))
		synctest.Wait()
		f.take()
		h.Revoke("g2")
		synctest.Wait()
		equal(t, "another person is revoked; the robot", f.take())
		h.Revoke("g1")
		synctest.Wait()
		equal(t, "Ana is revoked; the robot", f.take(), "HoldUnits {Unit: Reason:The access of the person who started or resumed them has been revoked.}")
	})
}

// A robot that does not answer for a while is held, and a closed unit ended, as soon as it
// does.
func TestAHoldThatTheRobotDidNotTakeIsTriedAgain(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		ana := Identity{Browser: "ana", Role: Operator, Grant: "g1"}
		term, err := h.TakeControl(t.Context(), ana, "Ana", 60)
		if err != nil || !term.Done() {
			t.Fatal(term, err)
		}
		errorIs(t, "started", h.StartScript(t.Context(), ana, term.Lease, Script{"patrol", "Patrol", patrolText, patrol}), "")
		unit, err := h.OpenScriptUnit(t.Context(), Identity{Browser: "ben", Role: Operator})
		errorIs(t, "open", err, "")
		if r := h.GiveUpControl(t.Context(), ana); !r.Done() {
			t.Fatal(r)
		}
		synctest.Wait()
		f.take()
		f.hang.Lock()
		h.Revoke("g1")
		go h.CloseScriptUnit(unit)
		time.Sleep(2 * time.Second)
		if h.HoldScriptUnit("U9", "Nothing was heard from it.") {
			t.Error("a robot that does not answer has held a unit")
		}
		if did := f.take(); len(did) > 0 {
			t.Errorf("a robot that hangs did %q", did)
		}
		f.hang.Unlock()
		time.Sleep(2 * time.Second)
		did := f.take()
		for _, want := range []string{"CloseUnit {Unit:U1}", "HoldUnits {Unit: Reason:The access of the person who started or resumed them has been revoked.}"} {
			if !slices.Contains(did, want) {
				t.Errorf("the robot that answers again did %q, not %q", did, want)
			}
		}
	})
}

func TestHaltByTheHolderHoldsScripts(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		ana := Identity{Browser: "ana", Role: Operator}
		term, _ := h.TakeControl(t.Context(), ana, "Ana", 60)
		errorIs(t, "started", h.StartScript(t.Context(), ana, term.Lease, Script{"patrol", "Patrol", patrolText, patrol}), "")
		f.take()
		if r := h.Command(t.Context(), ana, Order{Lease: term.Lease, Command: robot.Halt{}}); !r.Done() {
			t.Fatal(r)
		}
		if did := f.take(); len(did) == 0 || did[0] != "HoldUnits {Unit: Reason:Ana halted the robot.}" {
			t.Errorf("the robot did %q", did)
		}
	})
}

// A caller who is gone starts nothing.
func TestAScriptWhoseCallerIsGoneDoesNotStart(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := h.StartScript(ctx, Identity{Browser: "ana", Role: Operator}, 0, Script{"patrol", "Patrol", patrolText, patrol}); err == nil {
			t.Error("no error")
		}
		synctest.Wait()
		if did := f.take(); len(did) > 0 {
			t.Errorf("the robot did %q", did)
		}
	})
}

// Scripts that tell everyone something all the time do not fill the outboxes of pages.
func TestAlertsOfScriptsAreFew(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		page := join(t, h, "ana").read().hello("t")
		for range 1000 {
			h.AlertByScript("patrol", "A door is open.")
		}
		synctest.Wait()
		page.Leave()
		if n := strings.Count(strings.Join(page.all(), "\n"), "A door is open."); n == 0 || n > 2*alertsPerSecond {
			t.Errorf("the page hears %d of 1000 alerts", n)
		}
	})
}
