package session

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/session/lease"
	"mybot/session/protocol"
)

var copyRoom = robot.Route{
	Number: 5, Goal: robot.Pose{X: 12.1, Y: 3.35}, Line: []robot.Point{{X: 4.5, Y: 7.3}, {X: 12.1, Y: 3.35}},
	Via: []string{"III"}, Length: 19.8, Time: 52,
}

// on is a goal that the robot drives to on the route.
func on(route *robot.Route) *robot.Goal {
	return &robot.Goal{Number: 1, Pose: route.Goal, Name: "Copy room", Phase: robot.GoalDriving, Left: 10, Route: route}
}

// shows publishes states with a goal and a speed.
func (tb *table) shows(g *robot.Goal, speed float64) {
	tb.t.Helper()
	tb.hub.latest.Store(&robot.State{Time: tb.now, Twist: robot.Twist{Linear: speed}, Goal: g, Battery: robot.Battery{Charge: 1}})
	tb.hub.step(tb.now) // the first state after an order may be older than the order
	tb.hub.latest.Store(&robot.State{Time: tb.now, Twist: robot.Twist{Linear: speed}, Goal: g, Battery: robot.Battery{Charge: 1}})
	tb.hub.step(tb.now)
}

// logs returns the log events among the queued frames.
func (p *page) logs() (lines []string) {
	p.t.Helper()
	for _, m := range p.hear() {
		if m["kind"] == "log" {
			lines = append(lines, fmt.Sprint(m["icon"], ": ", m["text"]))
		}
	}
	return lines
}

func TestARequestIsCarriedOutAndAnswered(t *testing.T) {
	for _, tc := range []struct {
		frame, does, log string
		route            bool
	}{
		{`{"type":"plan","id":1,"goal":[12.1,3.35,1]}`, `plan 12.1 3.35 1`, ``, true},
		{`{"type":"goto","id":1,"lease":1,"goal":[12.1,3.35,1],"name":"Copy room"}`, `go to 12.1 3.35 1 "Copy room"`, "goal: Ana sent the robot to Copy room.", true},
		{`{"type":"goto","id":1,"lease":1,"goal":[12.15,3.35,1]}`, `go to 12.15 3.35 1 ""`, "goal: Ana sent the robot to x 12.2 y 3.4.", true},
		{`{"type":"goal","id":1,"lease":1,"action":"pause"}`, `pause: Paused by Ana.`, ``, false},
		{`{"type":"goal","id":1,"lease":1,"action":"resume"}`, `resume`, "goal: Ana resumed the drive.", false},
		{`{"type":"goal","id":1,"lease":1,"action":"cancel"}`, `cancel: Cancelled by Ana.`, ``, false},
		{`{"type":"goal","id":1,"lease":1,"action":"around"}`, `go around`, "goal: Ana had the drive replanned around the obstacle.", false},
		{`{"type":"pose","id":1,"lease":1,"pose":[4.5,7.3,0]}`, `set pose 4.5 7.3 0`, "map: Ana set the position.", false},
	} {
		t.Run(tc.does, func(t *testing.T) {
			tb := newTable(t)
			tb.robot.route = &copyRoom
			ana := tb.join("Ana")
			tb.robot.take()
			ana.say("%s", tc.frame)
			equal(t, "the robot", tb.robot.take(), tc.does)
			var answer, log []string
			for _, m := range ana.hear() {
				switch {
				case m["type"] == "result":
					_, route := m["route"]
					answer = append(answer, fmt.Sprint(m["id"], m["word"], m["reason"], route))
				case m["kind"] == "log":
					log = append(log, fmt.Sprint(m["icon"], ": ", m["text"]))
				}
			}
			equal(t, "the answer", answer, fmt.Sprint(1.0, "SUCCESS", "", tc.route))
			if strings.Join(log, "\n") != tc.log {
				t.Errorf("the log says %q, want %q", log, tc.log)
			}
		})
	}
}

func TestWhoMayNotSendTheRobotIsToldWhoMay(t *testing.T) {
	const pose = "[1,2,0]"
	errands := map[string]string{ // frames by what they do, with %d for the lease
		"goto":   `{"type":"goto","id":1,"lease":%d,"goal":` + pose + `}`,
		"pause":  `{"type":"goal","id":1,"lease":%d,"action":"pause"}`,
		"resume": `{"type":"goal","id":1,"lease":%d,"action":"resume"}`,
		"cancel": `{"type":"goal","id":1,"lease":%d,"action":"cancel"}`,
		"around": `{"type":"goal","id":1,"lease":%d,"action":"around"}`,
		"pose":   `{"type":"pose","id":1,"lease":%d,"pose":` + pose + `}`,
		"put":    `{"type":"world","id":1,"lease":%d,"action":"put","kind":"obstacle","at":[1,2],"radius":0.3}`,
		"carry":  `{"type":"world","id":1,"lease":%d,"action":"carry","pose":` + pose + `}`,
		"charge": `{"type":"world","id":1,"lease":%d,"action":"battery","charge":0.29}`,
	}
	refused := func(p *page) string {
		for _, m := range p.hear() {
			if m["type"] == "result" {
				return fmt.Sprint(m["word"], " ", m["reason"], " ", m["old"], " ", m["holder"])
			}
		}
		return "not answered"
	}
	for name, frame := range errands {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t)
			w := &fakeWorld{}
			tb.hub.coordinator.world = w
			ana, jin, oda := tb.join("Ana"), tb.join("Jin"), tb.joinAs("Oda", Observer)
			tb.robot.take()
			jin.say(frame, 1)
			answer(t, "who does not have control", refused(jin), "ERROR Ana has control. You can watch and stop the robot. <nil> <nil>")
			oda.say(frame, 1)
			answer(t, "an observer", refused(oda), "ERROR Ana has control. You can watch and stop the robot. <nil> <nil>")
			jin.say(frame, 0)
			answer(t, "an old lease", refused(jin), "INTERRUPTED Ana has control. lease 1")
			ana.say(frame, 2)
			answer(t, "a lease to come", refused(ana), `ERROR "lease" is ahead of the epoch; it should be the one last heard. <nil> <nil>`)
			equal(t, "the robot", tb.robot.take())

			jin.control("request")
			tb.hub.coordinator.standing = false
			ana.control("give", `,"to":%d`, jin.you)
			tb.robot.take()
			for _, p := range []*page{ana, jin} {
				p.say(frame, 1)
				if got := refused(p); strings.HasPrefix(got, "SUCCESS") {
					t.Errorf("%s, while control passes: %s", p.browser, got)
				}
			}
			equal(t, "the robot, while control passes", tb.robot.take())
			tb.stand()
			ana.hear()
			ana.say(frame, 1)
			answer(t, "who gave control away", refused(ana), "INTERRUPTED Jin has control. lease 2")
			equal(t, "the robot", tb.robot.take())
			if w.changes != nil {
				t.Errorf("the world was changed: %v", w.changes)
			}
			jin.hear()
			jin.say(frame, 2)
			if got := refused(jin); !strings.HasPrefix(got, "SUCCESS") {
				t.Errorf("who has control now: %s", got)
			}
			if len(tb.robot.take())+len(w.changes) != 1 {
				t.Error("nothing came of it")
			}
		})
	}
}

func TestWhileStoppedNothingSetsOut(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.say(`{"type":"stop"}`)
	tb.robot.take()
	ana.hear()
	for frame, want := range map[string]string{
		`{"type":"goto","id":1,"lease":1,"goal":[1,2,3]}`:     "PANIC Stopped by Ana. Ana can release it.",
		`{"type":"goal","id":1,"lease":1,"action":"resume"}`:  "PANIC Stopped by Ana. Ana can release it.",
		`{"type":"goal","id":1,"lease":1,"action":"around"}`:  "PANIC Stopped by Ana. Ana can release it.",
		`{"type":"plan","id":1,"goal":[1,2,3]}`:               "SUCCESS",
		`{"type":"goal","id":1,"lease":1,"action":"pause"}`:   "SUCCESS",
		`{"type":"goal","id":1,"lease":1,"action":"cancel"}`:  "SUCCESS",
		`{"type":"pose","id":1,"lease":1,"pose":[4.5,7.3,0]}`: "SUCCESS",
	} {
		ana.say("%s", frame)
		equal(t, frame, ana.results(), want)
	}
	for _, did := range tb.robot.take() {
		if strings.HasPrefix(did, "go") || did == "resume" {
			t.Errorf("the robot was asked to %s", did)
		}
	}
	t.Run("nor when the stop is still on its way", func(t *testing.T) {
		tb := newTable(t)
		ana := tb.join("Ana")
		tb.robot.take()
		ana.hear()
		ana.user.receiveAt([]byte(`{"type":"goto","id":1,"lease":1,"goal":[1,2,3]}`), tb.now)
		tb.hub.alarm.raised.Add(1)
		tb.hub.step(tb.now)
		equal(t, "Ana", ana.results(), "PANIC The robot is being stopped.")
		equal(t, "the robot", tb.robot.take())
	})
}

func TestAPlanIsForOperatorsAndCosts(t *testing.T) {
	tb := newTable(t)
	tb.join("Ana")
	jin, oda := tb.join("Jin"), tb.joinAs("Oda", Observer)
	tb.robot.take()
	oda.hear()
	oda.say(`{"type":"plan","id":1,"goal":[1,2,3]}`)
	if heard := oda.hear(); len(heard) != 1 || heard[0]["old"] != nil {
		t.Errorf("an observer heard %v", heard)
	}
	oda.say(`{"type":"plan","id":1,"goal":[1,2,3]}`)
	equal(t, "an observer", oda.results(), "ERROR You are here as an observer. You can watch and stop the robot, not send it anywhere.")
	equal(t, "the robot", tb.robot.take())
	ask := func(p *page, times int) (planned int) {
		p.hear()
		for range times {
			p.say(`{"type":"plan","id":1,"goal":[1,2,3]}`)
		}
		for _, r := range p.results() {
			if r == "SUCCESS" {
				planned++
			} else if r != "BUSY Too many routes and jobs are asked for. At most 10 per second are planned for one person." {
				t.Errorf("a plan is answered %s", r)
			}
		}
		return planned
	}
	if got := ask(jin, 50); got != plansPerSecond {
		t.Errorf("%d ways are planned at once, want %d", got, plansPerSecond)
	}
	if got := len(tb.robot.take()); got != plansPerSecond {
		t.Errorf("the robot planned %d", got)
	}
	tb.pass(300 * time.Millisecond)
	if got := ask(jin, 50); got != 3 {
		t.Errorf("%d ways are planned 0.3 s later, want 3", got)
	}
	all := 0
	for i := range 10 {
		all += ask(tb.join(fmt.Sprint("Guest", i)), 10)
	}
	if all > allPlansPerSecond {
		t.Errorf("for many people %d ways are planned at once, want at most %d", all, allPlansPerSecond)
	}
}

func TestOthersWhoAskForRoutesDoNotKeepTheDriverFromAGoal(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana") // has control
	others := []*page{tb.join("Jin"), tb.join("Oda"), tb.join("Mina")}
	for range 3 {
		for _, p := range others {
			for range plansPerSecond {
				p.say(`{"type":"plan","id":1,"goal":[1,2,3]}`)
			}
		}
		ana.hear()
		ana.say(`{"type":"goto","id":2,"lease":1,"goal":[1,2,3]}`)
		equal(t, "Ana", ana.results(), "SUCCESS")
		tb.pass(time.Second)
	}
}

func TestARefusedGoalIsToldWithItsReason(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.hear()
	tb.robot.refuse = &robot.Result{Word: robot.Error, Reason: "Position unknown. Drive to a corridor or set the position."}
	ana.say(`{"type":"goto","id":7,"lease":1,"goal":[1,2,3]}`)
	heard := ana.hear()
	if len(heard) != 1 || heard[0]["id"] != 7.0 || heard[0]["reason"] != tb.robot.refuse.Reason || heard[0]["route"] != nil {
		t.Errorf("Ana heard %v", heard)
	}
	if !tb.hub.coordinator.standing {
		t.Error("the robot is thought to have set out")
	}
}

func TestAStateFromBeforeALineWasLostDoesNotCountAsStandstill(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.say(`{"type":"goto","id":1,"lease":1,"goal":[1,2,3]}`)
	lost := robot.State{Time: tb.now, Base: &robot.BaseLink{Why: "The cable is out.", Since: tb.now}}
	for range 3 {
		tb.hub.Publish(lost)
		tb.pass(time.Second)
	}
	ana.control("release")
	if tb.hub.coordinator.lease.Settled() {
		t.Error("control is free before the robot was measured standing")
	}
	lost.Base = &robot.BaseLink{Up: true, Since: tb.now}
	tb.hub.Publish(lost)
	tb.pass(time.Second)
	tb.hub.Publish(lost)
	tb.pass(time.Second)
	if !tb.hub.coordinator.lease.Settled() {
		t.Error("control is not free although the robot was measured standing")
	}
}

func TestAStateFromBeforeTheRobotSetOutDoesNotCountAsStandstill(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.user.receiveAt([]byte(`{"type":"goto","id":1,"lease":1,"goal":[1,2,3]}`), tb.now)
	tb.hub.latest.Store(&robot.State{Time: tb.now, Battery: robot.Battery{Charge: 1}})
	tb.hub.step(tb.now)
	ana.control("release")
	if tb.hub.coordinator.lease.Settled() {
		t.Error("control is free before the robot was measured standing")
	}
	tb.stand()
	if !tb.hub.coordinator.lease.Settled() {
		t.Error("control is not free although the robot stands")
	}
}

func TestAChangeOfControlPausesTheGoalAndALeaveDoesNot(t *testing.T) {
	begin := func(t *testing.T) (tb *table, ana, jin *page) {
		tb = newTable(t)
		ana, jin = tb.join("Ana"), tb.join("Jin")
		ana.say(`{"type":"goto","id":1,"lease":1,"goal":[12.1,3.35,0],"name":"Copy room"}`)
		tb.shows(on(&copyRoom), 0.4)
		tb.robot.take()
		return tb, ana, jin
	}
	for name, change := range map[string]func(tb *table, ana, jin *page){
		"halt and pause: Ana released control.": func(_ *table, ana, _ *page) { ana.control("release") },
		"halt and pause: Ana gave control to Jin.": func(_ *table, ana, jin *page) {
			jin.control("request")
			ana.control("give", `,"to":%d`, jin.you)
		},
		"halt and pause: Boss, an admin, took control.": func(tb *table, _, _ *page) {
			tb.joinAs("Boss", Admin).control("take")
		},
		"halt and pause: Ana may no longer drive.": func(tb *table, ana, _ *page) {
			ana.user.revoked.Store(true)
			tb.hub.post(ana.user)
			tb.hub.step(tb.now)
		},
	} {
		t.Run(name, func(t *testing.T) {
			tb, ana, jin := begin(t)
			change(tb, ana, jin)
			equal(t, "the robot", tb.robot.take(), name)
			if tb.hub.coordinator.lease.Settled() {
				t.Error("control passes on while the robot moves")
			}
			paused := on(&copyRoom)
			paused.Phase = robot.GoalPaused
			tb.shows(paused, 0)
			if !tb.hub.coordinator.lease.Settled() {
				t.Error("control does not pass on although the robot stands")
			}
			equal(t, "the robot, afterwards", tb.robot.take())
		})
	}

	t.Run("a holder who leaves halts the hand alone", func(t *testing.T) {
		tb, ana, jin := begin(t)
		ana.user.Leave()
		tb.hub.step(tb.now)
		equal(t, "the robot", tb.robot.take(), "halt: Ana left.")
		tb.pass(lease.Grace)
		equal(t, "the robot, when the grace is over", tb.robot.take(), "halt: Ana left. Nobody has control.")
		jin.told("Control is offered to Jin.", nil) // it does not wait until the path has been driven
		jin.say(`{"type":"goal","id":1,"lease":%d,"action":"cancel"}`, jin.lease)
		equal(t, "who has not accepted", jin.results(), "ERROR Nobody has control. You can watch and stop the robot.")
		answer(t, "Jin accepts", jin.control("accept"), "SUCCESS")
		equal(t, "the robot, when somebody accepts", tb.robot.take(), "halt and pause: Jin accepted control.")
		jin.told("Jin accepted control. Control passes to Jin when the robot has stopped.", nil)
		paused := on(&copyRoom)
		paused.Phase = robot.GoalPaused
		tb.shows(paused, 0)
		jin.told("Jin accepted control.", jin)
		jin.say(`{"type":"goal","id":1,"lease":%d,"action":"resume"}`, jin.lease)
		equal(t, "the robot, when it is resumed", tb.robot.take(), "resume")
	})
	t.Run("a holder who comes back in time finds it under way", func(t *testing.T) {
		tb, ana, _ := begin(t)
		ana.user.Leave()
		tb.pass(5 * time.Second)
		back := tb.join("Ana")
		if back.holder != back.you {
			t.Error("control is lost")
		}
		equal(t, "the robot", tb.robot.take(), "halt: Ana left.")
		back.say(`{"type":"goal","id":1,"lease":%d,"action":"pause"}`, back.lease)
		equal(t, "the robot", tb.robot.take(), "pause: Paused by Ana.")
	})
	t.Run("who opens the page while it is under way only watches, until taking control", func(t *testing.T) {
		tb, ana, jin := begin(t)
		ana.user.Leave()
		jin.user.Leave()
		tb.pass(time.Minute)
		tb.robot.take()
		kim := tb.join("Kim")
		if kim.holder != 0 {
			t.Error("who opens the page has control")
		}
		equal(t, "the robot", tb.robot.take())
		answer(t, "Kim takes control", kim.control("take"), "SUCCESS")
		equal(t, "the robot", tb.robot.take(), "halt and pause: Kim has control.")
	})
	t.Run("whose paused goal nobody minds, the first one drives", func(t *testing.T) {
		tb, ana, jin := begin(t)
		ana.user.Leave()
		jin.user.Leave()
		paused := on(&copyRoom)
		paused.Phase = robot.GoalPaused
		tb.shows(paused, 0)
		tb.pass(time.Minute)
		if kim := tb.join("Kim"); kim.holder != kim.you {
			t.Error("the first one has no control")
		}
	})
}

func TestWhoIsRevokedWhileAwayLosesControlAtOnce(t *testing.T) {
	tb := newTable(t)
	var kept entries
	tb.hub.coordinator.audit = &kept
	ana := tb.connectAs(Identity{Browser: "Ana", Role: Operator, Grant: "g1"})
	ana.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","name":"Ana","build":"0.1.0"}`)
	jin := tb.join("Jin")
	ana.user.Leave()
	tb.pass(time.Second)
	tb.robot.take()
	tb.hub.Revoke("g2")
	tb.hub.step(tb.now)
	equal(t, "the robot, for somebody else's grant", tb.robot.take())
	tb.hub.Revoke("g1")
	tb.hub.step(tb.now)
	equal(t, "the robot", tb.robot.take(), "halt and pause: Ana may no longer drive.")
	jin.told("Control is offered to Jin.", nil)
	if last := strings.Join(kept.lines, "\n"); !strings.Contains(last, `01 role | "Ana" (1, device g1) | Ana's access has been revoked.`) {
		t.Errorf("the record is\n%s", last)
	}
}

func TestARouteIsToldWhenItChangesAndToWhoComes(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	routes := func(p *page) (numbers []any) {
		for _, m := range p.hear() {
			if m["kind"] == "route" {
				numbers = append(numbers, m["route"].(map[string]any)["n"])
			}
		}
		return numbers
	}
	expect := func(what string, got []any, want ...any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
			t.Errorf("%s: routes %v, want %v", what, got, want)
		}
	}
	routes(ana)
	routes(jin)
	tb.shows(nil, 0)
	expect("no goal", routes(ana))
	tb.shows(on(&copyRoom), 0.4)
	expect("it sets out", routes(ana), 5.0)
	expect("it sets out, who watches", routes(jin), 5.0)
	same := copyRoom
	tb.shows(on(&same), 0.4)
	expect("the same route", routes(ana))
	arrives := func(name string) *page {
		p := tb.connect(name)
		p.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","build":"0.1.0"}`)
		return p
	}
	expect("who comes", routes(arrives("Kim")), 5.0)
	around := copyRoom
	around.Number = 6
	blocked := on(&around)
	blocked.Phase = robot.GoalBlocked
	tb.shows(blocked, 0)
	expect("another route", routes(ana), 6.0)
	ended := on(&around)
	ended.Phase = robot.GoalEnded
	tb.shows(ended, 0)
	expect("it ends", routes(ana))
	expect("who comes when it has ended", routes(arrives("Zoe")))
	next := around
	next.Number = 7
	tb.shows(on(&next), 0.4)
	expect("the next goal", routes(ana), 7.0)
}

func TestTheLogTellsHowAGoalGoes(t *testing.T) {
	goal := func(phase robot.GoalPhase, change ...func(*robot.Goal)) *robot.Goal {
		g := on(&copyRoom)
		g.Phase = phase
		for _, c := range change {
			c(g)
		}
		return g
	}
	ends := func(word robot.Word, reason string, off float64) func(*robot.Goal) {
		return func(g *robot.Goal) { g.Result, g.Off = robot.Result{Word: word, Reason: reason}, off }
	}
	waits := func(s float64) func(*robot.Goal) {
		return func(g *robot.Goal) { g.Blocked = &robot.Blockage{Waited: s} }
	}
	second := func(g *robot.Goal) { g.Number++ }
	nameless := func(g *robot.Goal) { g.Name = "" }
	for _, tc := range []struct {
		name string
		sees []*robot.Goal
		want []string
	}{
		{"arrived", []*robot.Goal{goal("driving"), goal("ended", ends(robot.Success, "", 0.018))}, []string{"goal: Arrived at Copy room, 2 cm off."}},
		{"arrived somewhere", []*robot.Goal{goal("ended", ends(robot.Success, "", 0.018), nameless)}, []string{"goal: Arrived at x 12.1 y 3.4, 2 cm off."}},
		{"arrived, as far as it knows", []*robot.Goal{goal("ended", ends(robot.Modified, "It may be 0.8 m off.", 0.018))}, []string{"goal: Arrived at Copy room. It may be 0.8 m off."}},
		{"given up", []*robot.Goal{goal("driving"), goal("ended", ends(robot.Interrupted, "Cancelled by Ana.", 3))}, []string{"goal: Gave up Copy room: Cancelled by Ana."}},
		{"not reached", []*robot.Goal{goal("ended", ends(robot.Error, "No way leads there.", 3))}, []string{"warn: Did not reach Copy room: No way leads there."}},
		{"once", []*robot.Goal{goal("ended", ends(robot.Success, "", 0)), goal("ended", ends(robot.Success, "", 0))}, []string{"goal: Arrived at Copy room, 0 cm off."}},
		{"twice in the same place", []*robot.Goal{goal("ended", ends(robot.Success, "", 0)), goal("ended", ends(robot.Success, "", 0), second)}, []string{"goal: Arrived at Copy room, 0 cm off.", "goal: Arrived at Copy room, 0 cm off."}},
		{"far off", []*robot.Goal{goal("ended", ends(robot.Success, "", 1.24))}, []string{"goal: Arrived at Copy room, 1.2 m off."}},
		{"paused, and again", []*robot.Goal{goal("paused", ends("", "Paused by Ana.", 0)), goal("paused", ends("", "Paused by Ana.", 0)), goal("driving"), goal("paused", ends("", "Stopped by Jin.", 0))}, []string{"goal: The drive to Copy room is paused: Paused by Ana.", "goal: The drive to Copy room is paused: Stopped by Jin."}},
		{"blocked for a moment", []*robot.Goal{goal("blocked", waits(9.9)), goal("driving")}, nil},
		{"blocked", []*robot.Goal{goal("blocked", waits(9.9)), goal("blocked", waits(10)), goal("blocked", waits(10.1))}, []string{"warn: The way to Copy room is blocked."}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tb := newTable(t)
			ana := tb.join("Ana")
			ana.hear()
			for _, g := range tc.sees {
				tb.shows(g, 0)
			}
			equal(t, "the log", ana.logs(), tc.want...)
		})
	}
}

func TestAGoalIsEncodedAsThePageReadsIt(t *testing.T) {
	start := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	show := func(g *robot.Goal) (goal map[string]any) {
		var m struct{ Goal map[string]any }
		if err := json.Unmarshal(protocol.Encode(protocol.StateOf(robot.State{Goal: g}, 1, 0, 0, start, nil)), &m); err != nil {
			t.Fatal(err)
		}
		return m.Goal
	}
	if got := show(nil); got != nil {
		t.Errorf("no goal is %v", got)
	}
	g := on(&copyRoom)
	g.Off = 0.02
	g.Blocked = &robot.Blockage{At: robot.Point{X: 1, Y: 2}, Waited: 11}
	if got := show(g); got["behavior"] != nil || got["off"] != nil || got["route"] != 5.0 || got["word"] != "" || fmt.Sprint(got["blocked"]) != "map[at:[1 2] waited:11]" {
		t.Errorf("under way it is %v", got)
	}
	g.Behavior = robot.Behavior{State: "yield", Sentence: "The robot waits until a person has passed.", Lane: -0.3}
	if got := show(g)["behavior"]; fmt.Sprint(got) != "map[lane:-0.3 sentence:The robot waits until a person has passed. state:yield]" {
		t.Errorf("its behavior is %v", got)
	}
	g = on(&copyRoom)
	g.Phase, g.Off, g.Result, g.Route = robot.GoalEnded, 0.02, robot.Result{Word: robot.Success}, nil
	if got := show(g); got["off"] != 0.02 || got["route"] != 0.0 || got["word"] != "SUCCESS" || got["blocked"] != nil {
		t.Errorf("ended it is %v", got)
	}
	for trust, want := range map[robot.Trust]string{robot.TrustOK: "OK", robot.TrustUnsure: "UNSURE", robot.TrustLost: "LOST"} {
		s := protocol.Encode(protocol.StateOf(robot.State{Estimate: robot.Estimate{Trust: trust}}, 1, 0, 0, start, nil))
		if !strings.Contains(string(s), `"trust":"`+want+`"`) {
			t.Errorf("%v is told as %s", trust, s)
		}
	}
}

// A fakeWorld obeys, or refuses.
type fakeWorld struct {
	changes []protocol.WorldChange
	state   WorldState
	refuse  *robot.Result
}

func (w *fakeWorld) Change(c protocol.WorldChange) robot.Result {
	if w.refuse != nil {
		return *w.refuse
	}
	w.changes = append(w.changes, c)
	if put, ok := c.(protocol.PutThing); ok {
		w.state.Things = append(w.state.Things, Thing{len(w.state.Things) + 1, put.Kind, put.At, put.Radius})
	}
	return robot.Result{Word: robot.Success}
}

func (w *fakeWorld) World() WorldState { return w.state }

func TestTheSimulatedWorldIsChangedAndTold(t *testing.T) {
	tb := newTable(t)
	w := &fakeWorld{state: WorldState{Closed: []bool{false, true}}}
	tb.hub.coordinator.world = w
	ana := tb.join("Ana")
	worlds := func(p *page) (told []string) {
		for _, m := range p.hear() {
			if m["kind"] == "world" {
				told = append(told, fmt.Sprint(len(m["things"].([]any)), m["doors"]))
			}
		}
		return told
	}
	jin := tb.connect("Jin")
	jin.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","build":"0.1.0"}`)
	equal(t, "a welcome", worlds(jin), "0 [map[closed:false] map[closed:true]]")
	const put = `{"type":"world","id":1,"lease":1,"action":"put","kind":"obstacle","at":[11.2,7.4],"radius":0.25}`
	ana.hear()
	ana.say(put)
	tb.pass(time.Second)
	equal(t, "everybody, after a change", worlds(jin), "1 [map[closed:false] map[closed:true]]")
	equal(t, "the log", ana.logs(), "map: Ana put an obstacle at x 11.2 y 7.4.")
	for range 10 {
		ana.say(`{"type":"world","id":1,"lease":1,"action":"move","thing":1,"at":[11.2,7.4]}`)
	}
	tb.pass(time.Second)
	if got := len(worlds(jin)); got != 2 {
		t.Errorf("a hand that drags is told %d times, want at once and when it rests", got)
	}
	equal(t, "the log", ana.logs())

	t.Run("but not too much of it", func(t *testing.T) {
		for len(w.state.Things) < maxThings {
			ana.say(put)
		}
		ana.hear()
		ana.say(put)
		equal(t, "one more", ana.results(), "ERROR There are 64 objects already; remove one first.")
	})
	t.Run("and what it refuses is said", func(t *testing.T) {
		w.refuse = &robot.Result{Word: robot.Error, Reason: "The robot stands there."}
		tb.pass(time.Second)
		ana.hear()
		jin.hear()
		ana.say(`{"type":"world","id":1,"lease":1,"action":"door","door":0,"closed":true}`)
		equal(t, "Ana", ana.results(), "ERROR The robot stands there.")
		tb.pass(time.Second)
		equal(t, "everybody", worlds(jin))
	})
	t.Run("and a real one is not there", func(t *testing.T) {
		tb := newTable(t)
		ana := tb.join("Ana")
		ana.say(put)
		equal(t, "Ana", ana.results(), "NA This robot is not simulated, so its world cannot be changed here.")
		tb.shows(nil, 0)
		if got := worlds(ana); got != nil {
			t.Errorf("a world was told: %v", got)
		}
	})
}

func TestASavedMapIsToldToAllWhoAreHereAndWhoCome(t *testing.T) {
	tb := newTable(t)
	var kept entries
	tb.hub.coordinator.audit = &kept
	ana := tb.join("Ana")
	ana.hear()
	tb.hub.MapSaved(Identity{Browser: "Ana", Role: Operator}, json.RawMessage(`[]`), json.RawMessage(`[]`), json.RawMessage(`[{"name":"Sofa","pose":[1,2,3]}]`))
	tb.hub.step(tb.now)
	heard := ana.hear()
	if kinds(heard) != "event:map event:log" || heard[1]["text"] != "Ana saved the map." || len(heard[0]["places"].([]any)) != 1 {
		t.Errorf("Ana heard %v", heard)
	}
	jin := tb.connect("Jin")
	jin.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","build":"0.1.0"}`)
	if got := kinds(jin.hear()); !strings.HasPrefix(got, "welcome event:map") {
		t.Errorf("who comes hears %s", got)
	}
	if last := kept.lines[len(kept.lines)-2]; last != `00 settings | "Ana" (1, this computer) | Ana saved the map.` {
		t.Errorf("the record is %q", kept.lines)
	}
}

func TestAPositionOffTheMapIsRefused(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	tb.hub.coordinator.floorplan = func() *robot.Floorplan {
		return &robot.Floorplan{Grid: robot.Grid{Width: 50, Height: 20, Resolution: 0.5, Origin: robot.Point{X: -1, Y: 2}, Cells: make([]robot.Cell, 1000)}}
	}
	const why = "ERROR The position x %s is not on the map; x should be from -1.0 to 24.0 m and y from 2.0 to 12.0 m."
	for _, c := range []struct{ pose, off string }{
		{"[-0.9,2.1,0]", ""},
		{"[23.9,11.9,0]", ""},
		{"[24,5,0]", "24.0 y 5.0"},
		{"[-1.1,5,0]", "-1.1 y 5.0"},
		{"[5,1.9,0]", "5.0 y 1.9"},
		{"[99999,5,0]", "99999.0 y 5.0"},
	} {
		want, does := "SUCCESS ", 1
		if c.off != "" {
			want, does = fmt.Sprintf(why, c.off), 0
		}
		tb.robot.take()
		ana.hear()
		ana.say(`{"type":"pose","id":1,"lease":1,"pose":%s}`, c.pose)
		if did := tb.robot.take(); len(did) != does {
			t.Errorf("at %s the robot did %q", c.pose, did)
		}
		for _, m := range ana.hear() {
			if got := fmt.Sprint(m["word"], " ", m["reason"]); m["type"] == "result" && got != want {
				t.Errorf("%s is answered %q, want %q", c.pose, got, want)
			}
		}
		tb.pass(time.Second)
	}
}

func TestAnotherFloorIsToldToAllWhoAreHereAndWhoComeBack(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.hear()
	for want := 2; want <= 3; want++ { // the server started with the first
		tb.hub.UseFloor("Attic", want == 3)
		tb.hub.step(tb.now)
		if is := tb.hub.Robot(); is.Place != "Attic" || slices.Contains(is.Parts, robot.PartMap) != (want == 3) {
			t.Errorf("on floor %d the robot is %+v", want, is)
		}
		if heard := ana.hear(); kinds(heard) != "event:floor" || heard[0]["build"] != float64(want) || heard[0]["mapping"] != false || tb.hub.CountFloors() != uint64(want) {
			t.Errorf("Ana heard %v of floor %d", heard, want)
		}
	}
	tb.hub.LeaveFloor("no map")
	tb.hub.step(tb.now)
	if heard := ana.hear(); kinds(heard) != "event:floor" || heard[0]["build"] != 4.0 || heard[0]["mapping"] != true || slices.Contains(tb.hub.Robot().Parts, robot.PartMap) {
		t.Errorf("Ana heard %v of the floor that is being mapped", heard)
	}
	jin := tb.connect("Jin")
	jin.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","build":"0.1.0"}`)
	if heard := jin.hear(); !strings.HasPrefix(kinds(heard), "welcome event:floor") || heard[1]["build"] != 4.0 || heard[1]["mapping"] != true {
		t.Errorf("who comes hears %v", heard)
	}
}

func TestARequestCountsAsInput(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	tb.pass(lease.IdleAfter - lease.AnswerTimeout/2)
	jin.control("request")
	tb.pass(lease.AnswerTimeout / 2)
	ana.say(`{"type":"goto","id":1,"lease":1,"goal":[1,2,3]}`)
	tb.pass(lease.AnswerTimeout / 2)
	jin.told("Ana did not answer and keeps control.", ana)
}
