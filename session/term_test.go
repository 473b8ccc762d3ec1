package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"mybot/robot"
)

var (
	lamp  = Identity{Browser: "lamp", Role: Operator, Grant: "g1"}
	shell = Identity{Browser: "shell", Role: Operator}
)

// wants has a program request control; the channel delivers the answer.
func (tb *table) wants(by Identity, w controlRequest) chan Term {
	told := make(chan Term, 1)
	w.notify = func(t Term) { told <- t }
	tb.hub.post(order{control: &w, by: by, answer: make(chan outcome, 1)})
	tb.hub.step(tb.now)
	return told
}

// takes has a program take control for some seconds, which must be answered at
// once.
func (tb *table) takes(by Identity, seconds float64) Term {
	tb.t.Helper()
	told := tb.wants(by, controlRequest{name: "Lamp", term: time.Duration(seconds * float64(time.Second))})
	if len(told) == 0 {
		tb.t.Fatal("the program is not answered")
	}
	return <-told
}

// gives has a program send a command.
func (tb *table) gives(by Identity, o Order) robot.Result {
	answer := make(chan outcome, 1)
	tb.hub.post(order{Order: o, by: by, cancelled: func() error { return nil }, answer: answer})
	tb.hub.step(tb.now)
	return (<-answer).Result
}

func is(t *testing.T, what string, got robot.Result, want robot.Word, reason string) {
	t.Helper()
	if got.Word != want || !strings.Contains(got.Reason, reason) || want == robot.Success && got.Reason != "" {
		t.Errorf("%s is answered %s %q, want %s %q", what, got.Word, got.Reason, want, reason)
	}
}

func TestAProgramHasControlForItsTermAndNoLonger(t *testing.T) {
	tb := newTable(t)
	tb.robot.route = &copyRoom
	goTo := func(lease uint64) Order { return Order{Lease: lease, Command: robot.GoTo{Goal: robot.Pose{X: 12}}} }
	is(t, "before", tb.gives(lamp, goTo(1)), robot.Error, "Take control first")
	term := tb.takes(lamp, 10)
	is(t, "taking", term.Result, robot.Success, "")
	if term.Lease != 1 || term.Left != 10 || term.DriveEpoch != tb.hub.coordinator.gate.Epoch() {
		t.Errorf("the term is %+v", term)
	}
	tb.robot.take()
	is(t, "a goal", tb.gives(lamp, goTo(term.Lease)), robot.Success, "")
	is(t, "an old lease", tb.gives(lamp, goTo(0)), robot.Interrupted, "Control changed")
	tb.stand()
	tb.pass(9 * time.Second)
	if again := tb.takes(lamp, 4); again.Left != 4 || again.Lease != term.Lease || again.DriveEpoch != term.DriveEpoch {
		t.Errorf("renewed it is %+v", again)
	}
	tb.pass(3900 * time.Millisecond)
	is(t, "just before the end", tb.gives(lamp, goTo(1)), robot.Success, "")
	tb.stand()
	tb.pass(200 * time.Millisecond)
	is(t, "after it", tb.gives(lamp, goTo(1)), robot.Error, "Nobody has control.")
	tb.pass(time.Second)
	if again := tb.takes(lamp, 4); again.Lease <= term.Lease {
		t.Errorf("the lease of another term is %d", again.Lease)
	}
	is(t, "the lease of before", tb.gives(lamp, goTo(1)), robot.Interrupted, "Control changed")
}

func TestAProgramThatGivesControlUpIsAnsweredOnceControlIsFree(t *testing.T) {
	tb := newTable(t)
	term := tb.takes(lamp, 10)
	for seq, v := range []float64{0, 0.3} {
		o := Order{Lease: term.Lease, DriveEpoch: term.DriveEpoch, Seq: uint64(seq), Command: robot.Drive{Twist: robot.Twist{Linear: v}}}
		is(t, "a sample", tb.gives(lamp, o), robot.Success, "")
	}
	told := tb.wants(lamp, controlRequest{})
	if len(told) > 0 {
		t.Errorf("it is answered while the robot moves: %+v", <-told)
	}
	is(t, "giving it up again", (<-tb.wants(lamp, controlRequest{})).Result, robot.Busy, "Control becomes free when the robot has stopped.")
	tb.stand()
	if len(told) == 0 {
		t.Fatal("it is not answered when the robot stands")
	}
	is(t, "giving it up", (<-told).Result, robot.Success, "")
	if l := &tb.hub.coordinator.lease; l.Holder != 0 {
		t.Errorf("person %d has control", l.Holder)
	}
}

func TestATermThatEndsLeavesTheGoalAndStopsTheDriver(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.control("release")
	tb.stand()
	tb.pass(15 * time.Second) // no one requests control
	term := tb.takes(lamp, 10)
	ana.hear()
	if p := tb.hub.coordinator.people.wireEntries(&tb.hub.coordinator.lease); len(p) != 2 || !p[1].Control || !p[1].Here || p[1].Name != "Lamp" {
		t.Errorf("the row is %+v", p)
	}
	at := func(seq uint64, v float64) Order {
		return Order{Lease: term.Lease, DriveEpoch: term.DriveEpoch, Seq: seq, Command: robot.Drive{Twist: robot.Twist{Linear: v}}}
	}
	is(t, "a sample that moves", tb.gives(lamp, at(1, 0.3)), robot.Interrupted, "begins with a neutral sample")
	is(t, "a neutral one", tb.gives(lamp, at(2, 0)), robot.Success, "")
	tb.pass(9900 * time.Millisecond)
	is(t, "the next", tb.gives(lamp, at(3, 0.3)), robot.Success, "")
	tb.robot.take()
	tb.pass(150 * time.Millisecond)
	equal(t, "the robot", tb.robot.take(), "halt: Lamp did not renew control. Nobody has control.")
	is(t, "a late sample", tb.gives(lamp, at(4, 0.3)), robot.Interrupted, "Control is changing hands")
	tb.stand()
	is(t, "a later one", tb.gives(lamp, at(5, 0.3)), robot.Error, "Take control first")
	var told []string
	for _, m := range ana.hear() {
		if m["kind"] == "lease" {
			_, grace := m["free_in"]
			told = append(told, fmt.Sprint(m["reason"], " ", grace))
		}
	}
	if s := strings.Join(told, "\n"); !strings.Contains(s, "Lamp did not renew control. Nobody has control.") || strings.Contains(s, "true") {
		t.Errorf("the page is told:\n%s", s)
	}
}

func TestOneHasControlThePageOrTheProgram(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	is(t, "beside a page", tb.takes(lamp, 10).Result, robot.Busy, "Ana has control. It can be taken when nobody has it.")
	if n := len(tb.hub.coordinator.people.row); n != 1 {
		t.Errorf("who was refused is in the row: %d people", n)
	}
	ana.control("release")
	tb.stand()
	is(t, "a free one", tb.takes(lamp, 10).Result, robot.Success, "")
	is(t, "another program", tb.takes(shell, 10).Result, robot.Busy, "Lamp has control.")
	is(t, "giving up what one does not have", (<-tb.wants(shell, controlRequest{})).Result, robot.Error, "You do not have control. Lamp has control.")
	ana.hear()
	ana.say(`{"type":"control","id":9,"action":"take"}`)
	if got := strings.Join(ana.results(), "\n"); !strings.Contains(got, "BUSY Lamp has control.") {
		t.Errorf("a page that takes it is told %q", got)
	}
	jin := tb.join("Jin")
	if jin.holder == jin.you {
		t.Error("a page that comes has control")
	}
	lee := tb.joinAs("Lee", Admin)
	lee.control("take")
	tb.stand()
	lee.hear()
	if lee.holder != lee.you {
		t.Error("an admin cannot take it")
	}
	is(t, "a program that lost it", tb.gives(lamp, Order{Lease: 3, Command: robot.GoTo{}}), robot.Error, "Lee has control.")
	is(t, "renewing what was lost", tb.takes(lamp, 10).Result, robot.Busy, "Lee has control.")
}

func TestAProgramGetsControlWhenTheRobotStands(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.press(0, 0)
	ana.press(0.3, 0)
	tb.hub.coordinator.ordersPending = false
	tb.hub.coordinator.observeState(robot.State{Twist: robot.Twist{Linear: 0.3}}, false)
	ana.control("release")
	told, second := tb.wants(lamp, controlRequest{name: "Lamp", term: 10 * time.Second}), tb.wants(shell, controlRequest{term: 10 * time.Second})
	tb.pass(500 * time.Millisecond)
	if len(told) > 0 || len(second) > 0 {
		t.Fatal("answered before the robot stands")
	}
	tb.stand()
	if len(told) == 0 || len(second) == 0 {
		t.Fatal("not answered when the robot stands")
	}
	if term := <-told; term.Word != robot.Success || term.Left != 10 {
		t.Errorf("the answer is %+v", term)
	}
	is(t, "the second", (<-second).Result, robot.Busy, "Lamp has control.")

	term := tb.takes(lamp, 10)
	tb.gives(lamp, Order{Lease: term.Lease, Command: robot.GoTo{}})
	release := tb.wants(lamp, controlRequest{})
	third := tb.wants(shell, controlRequest{name: "Shell", term: 5 * time.Second})
	if len(third) > 0 || tb.hub.coordinator.lease.Holder == 0 {
		t.Fatal("control is free before the robot stands")
	}
	tb.pass(4 * time.Second) // it never publishes that it stands
	if len(release) == 0 || len(third) == 0 {
		t.Fatal("not answered in time")
	}
	is(t, "a command while it may move", tb.gives(shell, Order{Lease: (<-third).Lease, Command: robot.GoTo{}}), robot.Interrupted, "must stop first")
}

func TestAProgramThatIsRevokedWhileItWaitsForControlGetsNone(t *testing.T) {
	for name, revoke := range map[string]func(tb *table, ana *page, ask func(by Identity)){
		"for control to be free": func(tb *table, ana *page, ask func(by Identity)) {
			ana.control("release")
			ask(lamp)
			tb.hub.step(tb.now)
			tb.hub.Revoke("g1")
		},
		"for the robot to stand": func(tb *table, ana *page, ask func(by Identity)) {
			ana.control("release")
			tb.stand()
			tb.hub.coordinator.observeState(robot.State{Twist: robot.Twist{Linear: 0.3}}, false)
			ask(lamp)
			tb.hub.step(tb.now)
			tb.hub.Revoke("g1")
		},
		"in the queue": func(tb *table, ana *page, ask func(by Identity)) {
			ana.control("release")
			tb.stand()
			ask(lamp)
			tb.hub.Revoke("g1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t)
			ana := tb.join("Ana")
			ana.press(0, 0)
			ana.press(0.3, 0)
			tb.hub.coordinator.ordersPending = false
			tb.hub.coordinator.observeState(robot.State{Twist: robot.Twist{Linear: 0.3}}, false)
			answer := make(chan outcome, 1)
			told := make(chan Term, 1)
			revoke(tb, ana, func(by Identity) {
				tb.hub.post(order{control: &controlRequest{term: 10 * time.Second, notify: func(t Term) { told <- t }}, by: by, answer: answer})
			})
			tb.hub.step(tb.now)
			tb.stand()
			tb.stand()
			if holder := tb.hub.coordinator.people.byID(tb.hub.coordinator.lease.Holder); holder != nil && holder.grant == "g1" || len(told) > 0 {
				t.Error("it has control after it was revoked")
			}
			if len(answer) == 0 {
				t.Fatal("it is not answered")
			}
			is(t, "it", (<-answer).Result, robot.Error, "This access has been revoked.")
		})
	}
}

func TestAProgramThatHangsUpWhileItWaitsForControlGetsNone(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.press(0, 0)
	ana.press(0.3, 0)
	tb.hub.coordinator.ordersPending = false
	tb.hub.coordinator.observeState(robot.State{Twist: robot.Twist{Linear: 0.3}}, false)
	ana.control("release")
	ctx, hangUp := context.WithCancel(t.Context())
	answer := make(chan outcome, 1)
	tb.hub.post(order{control: &controlRequest{term: 10 * time.Second, notify: func(Term) {}}, by: lamp, cancelled: ctx.Err, answer: answer})
	tb.hub.step(tb.now)
	hangUp()
	tb.stand()
	is(t, "it", (<-answer).Result, robot.Interrupted, "The command was cancelled")
	is(t, "another program", tb.takes(shell, 10).Result, robot.Success, "")
}

func TestAProgramThatGivesUpControlHaltsTheRobot(t *testing.T) {
	tb := newTable(t)
	tb.takes(lamp, 10)
	tb.robot.take()
	is(t, "giving up", (<-tb.wants(lamp, controlRequest{})).Result, robot.Success, "")
	equal(t, "the robot", tb.robot.take(), "halt and pause: Lamp released control.")
	is(t, "afterwards", tb.gives(lamp, Order{Lease: 1, Command: robot.GoTo{}}), robot.Error, "Nobody has control.")
	is(t, "somebody else", tb.takes(shell, 10).Result, robot.Success, "")
}

func TestAProgramThatDoesNothingIsAskedAway(t *testing.T) {
	tb := newTable(t)
	tb.takes(lamp, 60)
	ana := tb.join("Ana")
	for range 4 {
		tb.pass(20 * time.Second)
		tb.takes(lamp, 60)
	}
	ana.control("request")
	tb.pass(31 * time.Second)
	ana.hear()
	ana.control("accept")
	tb.stand()
	ana.hear()
	if ana.holder != ana.you {
		t.Error("renewing alone keeps control from who asks for it")
	}
}

func TestAnyUserStopsAProgramAndWhatItDroveIsGone(t *testing.T) {
	tb := newTable(t)
	term := tb.takes(lamp, 10)
	oda := tb.joinAs("Oda", Observer)
	oda.say(`{"type":"stop","id":1}`)
	is(t, "a goal", tb.gives(lamp, Order{Lease: term.Lease, Command: robot.GoTo{}}), robot.Panic, "Stopped by Oda.")
	is(t, "the release", tb.gives(lamp, Order{Lease: term.Lease, Command: robot.ClearStop{}}), robot.Success, "")
	is(t, "a sample with the number of before", tb.gives(lamp, Order{Lease: term.Lease, DriveEpoch: term.DriveEpoch, Seq: 1, Command: robot.Drive{}}), robot.Interrupted, "stopped following")
	tb.hub.Revoke("g1")
	tb.hub.step(tb.now)
	tb.stand()
	is(t, "who was revoked", tb.gives(lamp, Order{Lease: term.Lease, Command: robot.GoTo{}}), robot.Error, "This access has been revoked.")
	is(t, "somebody else", tb.gives(shell, Order{Command: robot.GoTo{}}), robot.Error, "Nobody has control.")
}

func TestPathsArePlannedForAProgramThatIsNotConnected(t *testing.T) {
	tb := newTable(t)
	tb.robot.route = &copyRoom
	tb.join("Ana")
	tb.robot.take()
	plan := Order{Command: robot.Plan{Goal: robot.Pose{X: 12.1, Y: 3.35}}}
	if r := tb.gives(shell, plan); r.Word != robot.Success || r.Route == nil {
		t.Errorf("the way is %+v", r)
	}
	equal(t, "the robot", tb.robot.take(), "plan 12.1 3.35 0")
	is(t, "an observer", tb.gives(Identity{Browser: "oda", Role: Observer}, plan), robot.Error, "You are here as an observer.")
	for range plansPerSecond {
		tb.gives(shell, plan)
	}
	is(t, "too many", tb.gives(lamp, plan), robot.Busy, "Too many routes")
	if len(tb.hub.coordinator.people.row) != 1 {
		t.Error("who only asks for a way is in the row")
	}
}
