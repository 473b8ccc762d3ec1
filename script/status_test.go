package script

import (
	"fmt"
	"testing"
)

func TestAMachineListsWhatRunsUnderEachTag(t *testing.T) {
	h := newHost(t)
	h.send(0, "patrol: { leg: wait(1h) & wait(1h) }, freeze patrol; block nap; freeze idle;")
	if got := fmt.Sprint(h.Units()); got != "[{A false false [{leg false false 1 0} {patrol true false 3 0} {idle true false 0 0} {nap false true 0 0}] 0 0}]" {
		t.Errorf("it lists %s", got)
	}
	changes := h.Changes()
	h.until(200)
	if h.Changes() != changes {
		t.Error("the list changes while nothing happens")
	}
	h.send(210, "stop patrol;")
	if got := fmt.Sprint(h.Units()); h.Changes() == changes || got != "[{A false false [{idle true false 0 0} {nap false true 0 0} {patrol true false 0 0}] 0 0}]" {
		t.Errorf("after a stop it lists %s", got)
	}
}

func TestAMachineListsWhenWhatRunsUnderATagEnds(t *testing.T) {
	h := newHost(t)
	h.send(0, "a: { wait(5s) & timeout (3s) wait(1h) }, b: every (2s) noop, c: x = 5 time:4000, d: loop noop, e: y = inf speed:1,")
	is := func(what, want string) {
		t.Helper()
		got := ""
		for _, tag := range h.Units()[0].Tags {
			got += fmt.Sprintf("%s %d ", tag.Name, tag.Until.Milliseconds())
		}
		if got != want {
			t.Errorf("%s it lists %s, want %s", what, got, want)
		}
	}
	h.until(100)
	is("at first", "a 3000 b 2000 c 4000 d 0 e 0 ")
	changes := h.Changes()
	h.until(2100)
	is("after a turn of b", "a 3000 b 4000 c 4000 d 0 e 0 ")
	if h.Changes() == changes {
		t.Error("a turn of an every does not count as a change")
	}
	h.send(2100, "freeze a, freeze b, freeze c,")
	is("while they are frozen", "a 0 b 0 c 0 d 0 e 0 ")
	h.send(2600, "unfreeze a, unfreeze b, unfreeze c,")
	is("half a second later", "a 3500 b 4500 c 4500 d 0 e 0 ")
	h.until(3600)
	is("after the timeout", "a 5500 b 4500 c 4500 d 0 e 0 ")
}

func TestAMachineListsTheCommandsThatWaitForTheOneBefore(t *testing.T) {
	h := newHost(t)
	h.send(0, "wait(1s);")
	if u := h.Units()[0]; u.Waits != 0 {
		t.Errorf("nothing waits, and it lists %+v", u)
	}
	h.send(300, "1; 2;")
	h.send(400, "3,")
	if u := h.Units()[0]; u.Waits != 3 || u.WaitsSince != Milliseconds(300) {
		t.Errorf("three commands wait, and it lists %+v", u)
	}
	changes := h.Changes()
	h.until(1000)
	if u := h.Units()[0]; u.Waits != 0 || h.Changes() == changes {
		t.Errorf("then it lists %+v", u)
	}
}

func TestWhatTheHostRefusesToMoveIsAFaultWithItsSentence(t *testing.T) {
	why := "The head is lent."
	m := New(Config{
		Devices:   []Device{{Name: "headPan", Moves: true, FollowsAtOnce: true}, {Name: "led", FollowsAtOnce: true}},
		Functions: []Function{{Name: "goto", Min: 1, Max: 1, Moves: true}},
		Refuse: func(name string) string {
			if name == "headPan.val" || name == "goto" {
				return why
			}
			return "It is not a thing that moves."
		},
	})
	if err := m.Open(0, "A", false); err != nil {
		t.Fatal(err)
	}
	m.Say(0, "A", "led.val = 1; headPan.val = 5; goto(3);")
	if got := sayAll(m); fmt.Sprint(got) != "[A !!! line 1, column 14: The head is lent. A !!! line 1, column 31: goto: The head is lent.]" {
		t.Errorf("it says %s", got)
	}
	// A held command is judged when it begins.
	m.Hold(0, "")
	m.Say(Milliseconds(10), "A", "goto(3),")
	why = ""
	m.Resume(Milliseconds(20), "")
	if asks := m.Asks(); len(asks) != 1 {
		t.Errorf("it asks %v", asks)
	}
}

func TestFunctionsOfTheRobotMayBeWrittenInTheLanguage(t *testing.T) {
	m := New(Config{
		Devices: []Device{{Name: "turn", Moves: true, FollowsAtOnce: true}, {Name: "stop", ReadOnly: true}},
		Library: "def turn(a) { turn.val = turn.val + a time:100; } def bad(x) { echo nix + x; }",
	})
	if err := m.Open(0, "A", false); err != nil {
		t.Fatal(err)
	}
	m.Say(0, "A", "turn(90deg) | turn.val;\nstop.val; if (stop.val == 0) echo \"free\";  bad(1); def turn(x) { echo x; }; undef turn;")
	run(m, 20, 200)
	want := "[A 90.000000 A 0.000000 A \"free\" A !!! line 2, column 44: nix is not known. A !!! line 2, column 56: turn is a function of the robot; choose another name A !!! line 2, column 83: turn is a function of the robot; it stays]"
	if got := fmt.Sprint(sayAll(m)); got != want {
		t.Errorf("it says %s", got)
	}
}

func TestADeviceThatOneUnitSetsIsMeasuredForOthers(t *testing.T) {
	m := New(Config{Devices: []Device{{Name: "ok", SetBy: "A", FollowsAtOnce: true}}})
	for _, name := range []string{"A", "B"} {
		if err := m.Open(0, name, false); err != nil {
			t.Fatal(err)
		}
	}
	m.Tick(0)
	m.Say(0, "B", "ok.val = 1;")
	m.Say(0, "A", "ok.val = 0;")
	if got := m.Outputs(); len(got) != 1 || got[0].Name != "ok.val" {
		t.Errorf("the host receives %v", got)
	}
	if said := sayAll(m); len(said) != 1 || said[0] != "B !!! line 1, column 1: ok.val is measured; it cannot be set" {
		t.Errorf("they are told %q", said)
	}
}
