package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
)

func TestAUnitEndsWhatItsOwnUserRunsAndWithControlWhatAnyoneRuns(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		ana := Identity{Browser: "ana", Role: Operator, Grant: "g1", Name: "Ana"}
		ben := Identity{Browser: "ben", Role: Operator, Grant: "g2", Name: "Ben"}
		near, too := Identity{Browser: "x", Role: Operator, Remote: "127.0.0.1"}, Identity{Browser: "y", Role: Operator, Remote: "127.0.0.1"}
		open := func(by Identity) string {
			unit, err := h.OpenScriptUnit(t.Context(), by)
			errorIs(t, "open", err, "")
			return unit
		}
		anas, again, bens, nears, toos := open(ana), open(ana), open(ben), open(near), open(too)
		errorIs(t, "a script", h.StartScript(t.Context(), ana, 0, Script{"patrol", "Patrol", patrolText, patrol}), "")
		check := func(when, by, unit string, may bool) {
			t.Helper()
			err := h.PermitKillAll(t.Context(), by, unit)
			switch {
			case may:
				errorIs(t, when+", "+by+" ends "+unit, err, "")
			case err == nil || !strings.HasSuffix(err.Error(), "Only that user, or the person in control of the robot, ends what it runs."):
				t.Errorf("%s, %s ends %s: %v", when, by, unit, err)
			}
		}
		for _, c := range []struct {
			by, unit string
			may      bool
		}{
			{anas, again, true},
			{anas, "patrol", true},
			{"patrol", anas, true},
			{nears, toos, true},
			{anas, bens, false},
			{bens, "patrol", false},
			{"patrol", bens, false},
			{nears, anas, false},
			{anas, nears, false},
			{anas, "robot", false}, // units without a user
			{"robot", anas, false},
			{"robot", "robot2", false},
		} {
			check("nobody has control", c.by, c.unit, c.may)
		}
		errorIs(t, "the sentence", h.PermitKillAll(t.Context(), anas, bens), bens+" belongs to Ben. Only")

		if term, err := h.TakeControl(t.Context(), ben, "Ben", 60); err != nil || !term.Done() {
			t.Fatal(term, err)
		}
		for _, unit := range []string{anas, nears, "patrol", "robot"} {
			check("Ben has control", bens, unit, true)
		}
		check("Ben has control", anas, nears, false)
		if r := h.GiveUpControl(t.Context(), ben); !r.Done() {
			t.Fatal(r)
		}
		check("Ben has given it up", bens, anas, false)

		for range 2 { // so that the robot stands
			h.Publish(robot.State{Time: time.Now(), Battery: robot.UnknownBattery()})
			synctest.Wait()
		}
		errorIs(t, "motoron", h.TakeScriptControl(t.Context(), anas), "")
		check("a connection has control", anas, bens, true)
		check("a connection has control", again, nears, false)
	})
}

func TestAConnectionIsStoppedByItsOwnUserAndTheHolderOfControlOnly(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		ana := Identity{Browser: "ana", Role: Operator, Grant: "g1", Name: "Ana"}
		ben := Identity{Browser: "ben", Role: Operator, Grant: "g2", Name: "Ben"}
		near := Identity{Browser: "x", Role: Operator, Remote: "127.0.0.1"}
		unit, err := h.OpenScriptUnit(t.Context(), ana)
		errorIs(t, "open", err, "")
		f.take()
		for _, by := range []Identity{ben, near} {
			errorIs(t, by.Browser, h.StopScript(t.Context(), by, unit), unit+" belongs to Ana. Only that user, or the person in control of the robot, ends")
		}
		equal(t, "the robot, after the refusals", f.take())
		errorIs(t, "its user", h.StopScript(t.Context(), Identity{Browser: "tablet", Role: Operator, Grant: "g1"}, unit), "")
		if term, err := h.TakeControl(t.Context(), ben, "Ben", 60); err != nil || !term.Done() {
			t.Fatal(term, err)
		}
		errorIs(t, "the holder of control", h.StopScript(t.Context(), ben, unit), "")
		did := slices.DeleteFunc(f.take(), func(d string) bool { return !strings.HasPrefix(d, "CloseUnit") })
		equal(t, "the robot", did, "CloseUnit {Unit:"+unit+"}", "CloseUnit {Unit:"+unit+"}")
	})
}

func TestWhoStartedAUnitIsForgottenWhenItHasEndedButNotBeforeTheRobotReportsIt(t *testing.T) {
	now := time.Unix(1000, 0)
	c := &coordinator{}
	c.startedBy, c.scripts = map[string]scriptStarter{"U101": {at: now.Add(-time.Second)}}, &robot.ScriptState{Units: []robot.ScriptUnit{{Name: "U7"}}}
	for n := range 100 {
		c.startedBy[fmt.Sprintf("U%d", n+1)] = scriptStarter{at: now.Add(-time.Hour)}
	}
	c.forgetEndedUnits(now)
	if got := slices.Sorted(maps.Keys(c.startedBy)); !slices.Equal(got, []string{"U101", "U7"}) {
		t.Errorf("it knows who started %q", got)
	}
	c.forgetEndedUnits(now.Add(time.Hour))
	if len(c.startedBy) != 2 {
		t.Errorf("of two units it knows who started %d", len(c.startedBy))
	}
}
