package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/session/lease"
	"mybot/session/protocol"
)

func equal(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n  %s\nwant:\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestTheFirstPersonDrivesAndTheOthersWatch(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	equal(t, "the robot", tb.robot.take(), "halt and pause: Ana has control.")
	jin := tb.join("Jin")
	if ana.you != 1 || jin.you != 2 || ana.holder != 1 || jin.holder != 1 || jin.lease != 1 {
		t.Fatalf("Ana %+v, Jin %+v", ana, jin)
	}

	ana.press(0, 0)
	ana.press(0.3, -0.2)
	equal(t, "the robot", tb.robot.take(), "drive 0 0 for 250ms", "drive 0.3 -0.2 for 250ms")
	equal(t, "Ana", ana.results())

	jin.press(0, 0)
	jin.press(0.3, 0)
	equal(t, "the robot", tb.robot.take())
	equal(t, "Jin, once for the run", jin.results(), "ERROR Ana has control. You can watch and stop the robot.")
	jin.say(`{"type":"control","id":1,"action":"take"}`)
	equal(t, "Jin", jin.results(), "BUSY Ana has control. It can be taken when nobody has it.")
	jin.say(`{"type":"control","id":2,"action":"release"}`)
	equal(t, "Jin", jin.results(), "ERROR You do not have control. Ana has control.")
	equal(t, "the robot", tb.robot.take())
}

func TestAWelcomeTellsWhatAPageNeeds(t *testing.T) {
	tb := newTable(t)
	tb.join("Ana")
	jin := tb.connect("Jin")
	jin.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","build":"0.1.0"}`)
	frames := jin.frames()
	want := `{"type":"welcome","protocol":"mybot.v1","build":"0.1.0","you":2,"role":"operator","camera":false,"simulator":true,"hold":2,` +
		`"robot":{"name":"Mybot","place":"3rd floor, KAIST EE","length":0.52,"width":0.45,"height":0,"hull":[[-0.26,-0.225],[0.26,-0.225],[0.26,0.225],[-0.26,0.225]],"safe":[0.5,0.785398],"drive":[0.45,0.706858],"slew":[0.416,1.25664],"axle":0.08,"sonars":[[0.2,0,0]],"beam":0.3491,"range":5,"period_ms":100,"wheel_base":0,"parts":["sonars"]},` +
		`"lease":{"epoch":1,"holder":1,"since":"2026-11-20T14:00:00Z"},` +
		`"people":[{"id":1,"name":"Ana","role":"operator","order":1,"control":true,"asks":false,"here":true,"rtt_ms":null},{"id":2,"name":"Guest 2","role":"operator","order":2,"control":false,"asks":false,"here":true,"rtt_ms":null}],"stop":null}`
	if string(frames[0]) != want {
		t.Errorf("\n%s\nwant\n%s", frames[0], want)
	}
}

func TestOnlyWhoMayDriveOrSeeIsToldOfTheRelays(t *testing.T) {
	tb := newTable(t)
	tb.hub.coordinator.welcomeTemplate.Relays = []protocol.Relay{{URL: "turn:relay.example:3478", Username: "mybot", Password: "secret"}}
	for _, c := range []struct {
		id   Identity
		told bool
	}{
		{Identity{Browser: "Ana", Role: Operator}, true},
		{Identity{Browser: "Eve", Role: Observer}, false},
		{Identity{Browser: "Kim", Role: Observer, Camera: true}, true},
	} {
		p := tb.connectAs(c.id)
		p.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","build":"0.1.0"}`)
		const want = `"relays":[{"urls":"turn:relay.example:3478","username":"mybot","credential":"secret"}]`
		if got := string(p.frames()[0]); strings.Contains(got, want) != c.told || strings.Contains(got, "secret") != c.told {
			t.Errorf("%s is told %s", c.id.Browser, got)
		}
	}
}

func TestAPressBeginsWithANeutralSample(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	tb.robot.take()
	ana.press(0.3, 0)
	ana.press(0.3, 0)
	equal(t, "the robot", tb.robot.take())
	equal(t, "Ana", ana.results(), "INTERRUPTED A press begins with a neutral sample. Let go and press again.")
	ana.press(0, 0)
	ana.press(0.3, 0)
	equal(t, "the robot", tb.robot.take(), "drive 0 0 for 250ms", "drive 0.3 0 for 250ms")
	ana.press(0, 0)
	tb.pass(time.Minute)
	ana.press(0.3, 0)
	equal(t, "no number has changed, so the next press is as good", tb.robot.take(), "drive 0 0 for 250ms", "drive 0.3 0 for 250ms")
	equal(t, "Ana", ana.results())
}

func TestAStreamThatBreaksOffIsGivenUp(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.press(0, 0)
	ana.press(0.3, 0)
	tb.robot.take()
	before := ana.hold
	tb.pass(249 * time.Millisecond)
	equal(t, "the robot", tb.robot.take())
	tb.pass(time.Millisecond)
	equal(t, "the robot", tb.robot.take(), "halt: The page stopped sending drive samples. Let go and press again.")

	ana.press(0.3, 0) // the page has not received the new number yet
	equal(t, "Ana", ana.results(), "INTERRUPTED The robot has stopped following your driving. Let go and press again.")
	if ana.hold != before+1 {
		t.Errorf("hold is %d, was %d", ana.hold, before)
	}
	ana.press(0.3, 0) // now it has, but the key is still pressed
	equal(t, "Ana", ana.results(), "INTERRUPTED A press begins with a neutral sample. Let go and press again.")
	equal(t, "the robot", tb.robot.take())

	t.Run("a hand that let go breaks nothing off", func(t *testing.T) {
		ana.press(0, 0)
		ana.press(0.3, 0)
		ana.press(0, 0)
		tb.robot.take()
		tb.pass(time.Minute)
		equal(t, "the robot", tb.robot.take())
	})
	t.Run("the gap counts by when the samples arrived", func(t *testing.T) {
		ana.press(0.3, 0)
		tb.robot.take()
		ana.hear()
		tb.now = tb.now.Add(300 * time.Millisecond) // the hub has not stepped in between
		ana.press(0.3, 0)
		equal(t, "the robot", tb.robot.take(), "halt: The page stopped sending drive samples. Let go and press again.")
	})
}

func TestADriveSampleHasToBeInOrder(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	tb.robot.take()
	ana.say(`{"type":"control","id":1,"action":"release"}`)
	ana.say(`{"type":"control","id":2,"action":"take"}`)
	ana.hear()
	ana.press(0, 0)
	tb.robot.take()
	for _, tc := range []struct {
		name, lease, hold, seq, want string
	}{
		{"an old lease", "1", "4", "10", "INTERRUPTED Control changed, and you have it. Let go and press again."},
		{"a lease of the future", "4", "4", "10", `ERROR "lease" is ahead of the epoch; it should be the one last heard.`},
		{"an old hold number", "3", "3", "10", "INTERRUPTED The robot has stopped following your driving. Let go and press again."},
		{"a hold number of the future", "3", "5", "10", `ERROR drive: "hold" is ahead of the number the robot gave out; it should be the one last heard.`},
		{"a sample twice", "3", "4", "1", `ERROR drive: "seq" does not count up; it should be larger than in the sample before.`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ana.say(`{"type":"drive","lease":%s,"hold":%s,"seq":%s,"t":1,"v":0.3,"w":0}`, tc.lease, tc.hold, tc.seq)
			equal(t, "Ana", ana.results(), tc.want)
			equal(t, "the robot", tb.robot.take())
		})
	}
}

func TestOnlyTheLastOfTheSamplesThatArriveTogetherIsExecuted(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	tb.robot.take()
	for i, v := range []float64{0, 0.1, 0.2, 0.3} {
		ana.user.receiveAt([]byte(strings.NewReplacer("S", string(rune('1'+i)), "V", number2(v), "H", "2").Replace(
			`{"type":"drive","lease":1,"hold":H,"seq":S,"t":1,"v":V,"w":0}`)), tb.now)
	}
	tb.hub.step(tb.now.Add(100 * time.Millisecond))
	equal(t, "the robot", tb.robot.take(), "drive 0.3 0 for 150ms")
	if taken := tb.hub.coordinator.gate.Executed(); taken != 4 {
		t.Errorf("sample %d was taken", taken)
	}
}

func number2(x float64) string { b, _ := protocol.Number(x).MarshalJSON(); return string(b) }

func TestASampleThatWaitedTooLongIsNotExecuted(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.press(0, 0)
	tb.robot.take()
	ana.user.receiveAt([]byte(`{"type":"drive","lease":1,"hold":2,"seq":9,"t":1,"v":0.3,"w":0}`), tb.now)
	tb.now = tb.now.Add(250 * time.Millisecond)
	tb.hub.step(tb.now)
	equal(t, "the robot", tb.robot.take(), "halt: The page stopped sending drive samples. Let go and press again.")
	equal(t, "Ana", ana.results(), "INTERRUPTED The sample waited too long and was not executed.")

	ana.press(0, 0)
	ana.press(0.3, 0)
	tb.robot.take()
	ana.user.receiveAt([]byte(`{"type":"drive","lease":1,"hold":3,"seq":99,"t":1,"v":0,"w":0}`), tb.now)
	tb.now = tb.now.Add(200 * time.Millisecond)
	tb.hub.step(tb.now)
	equal(t, "letting go counts however late it is", tb.robot.take(), "drive 0 0 for 250ms")
}

func TestWhatTheRobotRefusesEndsThePress(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.press(0, 0)
	tb.robot.take()
	tb.robot.refuse = &robot.Result{Word: robot.Busy, Reason: "The robot is starting."}
	ana.press(0.3, 0)
	equal(t, "Ana", ana.results(), "BUSY The robot is starting.")
	tb.robot.refuse = nil
	ana.press(0.3, 0)
	equal(t, "Ana", ana.results(), "INTERRUPTED A press begins with a neutral sample. Let go and press again.")
	equal(t, "the robot", tb.robot.take())
}

func TestAnyoneStopsAndOnlyTheHolderReleases(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	ana.press(0, 0)
	ana.press(0.3, 0)
	tb.robot.take()
	ana.hear()

	jin.say(`{"type":"stop","id":7}`)
	equal(t, "stops", tb.robot.stops, "Jin")
	if got := kinds(ana.hear()); got != "hold event:stop event:log" {
		t.Errorf("Ana heard %s", got)
	}
	equal(t, "Jin", jin.results(), "SUCCESS")

	ana.press(0, 0)
	ana.press(0.3, 0)
	equal(t, "Ana", ana.results(), "PANIC Stopped by Jin. Ana can release it.")
	jin.say(`{"type":"unstop","id":8,"lease":1}`)
	equal(t, "Jin", jin.results(), "ERROR Ana has control. Only the person who has control can release the stop.")
	ana.say(`{"type":"unstop","id":1,"lease":0}`)
	equal(t, "Ana", ana.results(), "INTERRUPTED Control changed. Look again, then release the stop.")
	if tb.robot.stopped() != "Jin" {
		t.Fatal("the robot is not stopped any more")
	}
	ana.say(`{"type":"stop","id":2}`)
	equal(t, "Ana, who stops once more", ana.results(), "SUCCESS")

	ana.say(`{"type":"unstop","id":3,"lease":1}`)
	equal(t, "the robot", tb.robot.take(), "clear stop")
	equal(t, "Ana", ana.results(), "SUCCESS")
	ana.press(0.3, 0)
	equal(t, "Ana, whose hand was never off", ana.results(), "INTERRUPTED A press begins with a neutral sample. Let go and press again.")
	ana.press(0, 0)
	ana.press(0.3, 0)
	equal(t, "the robot", tb.robot.take(), "drive 0 0 for 250ms", "drive 0.3 0 for 250ms")
	ana.say(`{"type":"unstop","id":4,"lease":1}`)
	equal(t, "Ana, who releases what is not stopped", ana.results(), "SUCCESS")
}

func TestAStopThatCrossesAReleaseIsNotReleasedUnseen(t *testing.T) {
	tb := newTable(t)
	ana, jin, kim := tb.join("Ana"), tb.join("Jin"), tb.join("Kim")
	release := func(what, want string) {
		t.Helper()
		ana.hear()
		ana.say(`{"type":"unstop","id":1,"lease":1}`)
		equal(t, what, ana.results(), want)
	}
	jin.say(`{"type":"stop","id":7}`)
	kim.say(`{"type":"stop","id":8}`)
	release("a release that crosses Kim's press", "INTERRUPTED Kim has just pressed STOP as well. Look again, then release the stop.")
	if tb.robot.stopped() == "" {
		t.Fatal("the robot is not stopped any more")
	}
	tb.pass(newStopFor)
	release("a second later", "SUCCESS")

	jin.say(`{"type":"stop","id":9}`)
	jin.say(`{"type":"stop","id":9}`) // the same press, by another way
	ana.say(`{"type":"stop","id":2}`)
	release("of one person's press, and of her own", "SUCCESS")
}

func TestWhatWasSentBeforeTheReleaseOfAStopIsWorthNothing(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.say(`{"type":"stop","id":1}`)
	ana.hear()
	neutral := fmt.Sprintf(`{"type":"drive","lease":1,"hold":%d,"seq":1,"t":1,"v":0,"w":0}`, ana.hold)
	moving := fmt.Sprintf(`{"type":"drive","lease":1,"hold":%d,"seq":2,"t":1,"v":0.3,"w":0}`, ana.hold)
	ana.say(`{"type":"unstop","id":2,"lease":1}`)
	tb.robot.take()
	ana.say("%s", neutral) // long on its way
	ana.say("%s", moving)
	equal(t, "the robot", tb.robot.take())
}

func TestAStopFromOutsideThePagesIsToldLikeAnyOther(t *testing.T) {
	for name, stop := range map[string]func(tb *table){
		"by a form": func(tb *table) { tb.hub.Stop("the form", Identity{}) },
		"by the robot itself": func(tb *table) {
			tb.hub.Publish(robot.State{Stop: &robot.StopState{By: "the form", At: tb.now}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t)
			ana := tb.join("Ana")
			before := ana.hold
			stop(tb)
			tb.hub.step(tb.now)
			var event map[string]any
			for _, m := range ana.hear() {
				if m["kind"] == "stop" {
					event = m
				}
			}
			if event == nil || event["stopped"] != true || event["by"] != "the form" || event["id"] != 0.0 {
				t.Errorf("Ana heard %v", event)
			}
			if ana.hold != before+1 {
				t.Errorf("hold is %d, was %d", ana.hold, before)
			}
			ana.say(`{"type":"unstop","id":4,"lease":1}`)
			equal(t, "Ana", ana.results(), "SUCCESS")
		})
	}
}

func TestAStateFromBeforeTheReleaseDoesNotStopAgain(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	tb.hub.Stop("the form", Identity{})
	tb.hub.step(tb.now)
	ana.user.receiveAt([]byte(`{"type":"unstop","id":4,"lease":1}`), tb.now)
	tb.hub.Publish(robot.State{Mode: robot.ModeStopped, Stop: &robot.StopState{By: "the form", At: tb.now}})
	tb.hub.step(tb.now)
	if tb.hub.coordinator.stopped != nil {
		t.Error("an old state stopped the robot for the people")
	}
}

func TestAStopDuringTheReleaseHolds(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	tb.hub.Stop("the form", Identity{})
	tb.hub.step(tb.now)
	tb.robot.onClear = func() {
		// Pressed after the robot received the release, and reported before it took
		// effect.
		tb.hub.alarm.raiseStop(tb.robot, stopSignal{by: "Jin", at: tb.now})
		tb.robot.mu.Lock()
		tb.robot.by = ""
		tb.robot.mu.Unlock()
	}
	ana.hear()
	ana.say(`{"type":"unstop","id":4,"lease":1}`)
	tb.hub.step(tb.now)
	if tb.robot.stopped() == "" || tb.hub.coordinator.stopped == nil || tb.hub.coordinator.stopped.by != "Jin" {
		t.Errorf("the robot is stopped by %q, for the people by %+v", tb.robot.stopped(), tb.hub.coordinator.stopped)
	}
	ana.press(0, 0)
	ana.press(0.3, 0)
	for _, line := range tb.robot.take() {
		if strings.HasPrefix(line, "drive") {
			t.Error(line)
		}
	}
}

func TestAStopThatIsBeingSentCountsAlready(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.press(0, 0)
	tb.robot.take()
	tb.hub.alarm.raised.Add(1) // begun, and not yet reported to the hub
	ana.press(0.3, 0)
	equal(t, "Ana", ana.results(), "PANIC The robot is being stopped.")
	ana.say(`{"type":"unstop","id":1,"lease":1}`)
	equal(t, "Ana", ana.results(), "PANIC The robot is being stopped again.")
	equal(t, "the robot", tb.robot.take())
	tb.hub.Publish(robot.State{Stop: &robot.StopState{By: "Jin", At: tb.now}})
	tb.hub.step(tb.now)
	if tb.hub.coordinator.stopped != nil {
		t.Error("the state told of the stop before the one who pressed it could be named")
	}
}

func TestControlIsReleasedAndTakenWithTheRobotStanding(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	ana.press(0, 0)
	ana.press(0.3, 0)
	tb.robot.take()
	jin.hear()
	ana.say(`{"type":"control","id":1,"action":"release"}`)
	equal(t, "the robot", tb.robot.take(), "halt and pause: Ana released control.")
	heard := jin.hear()
	if kinds(heard) != "hold event:lease" || jin.holder != ana.you || heard[1]["passing"] == nil ||
		heard[1]["reason"] != "Ana released control. Control becomes free when the robot has stopped." {
		t.Errorf("while the robot still moves Jin heard %v", heard)
	}
	ana.press(0, 0)
	equal(t, "Ana", ana.results(), "SUCCESS", "INTERRUPTED Control is changing hands; the robot must stop first. Let go and press again.")
	tb.stand()
	if got := kinds(jin.hear()); got != "event:lease event:log" || jin.holder != 0 || jin.lease != 2 {
		t.Errorf("Jin heard %s; %d has control, epoch %d", got, jin.holder, jin.lease)
	}
	ana.press(0, 0)
	equal(t, "Ana", ana.results(), "INTERRUPTED Nobody has control.")
	tb.pass(time.Hour)
	if jin.hear(); jin.holder != 0 {
		t.Fatal("control was given silently")
	}
	jin.say(`{"type":"control","id":1,"action":"take"}`)
	equal(t, "Jin", jin.results(), "SUCCESS")
	equal(t, "the robot", tb.robot.take(), "halt and pause: Jin has control.")
	if ana.hear(); ana.holder != jin.you || ana.lease != 3 {
		t.Errorf("%d has control, epoch %d", ana.holder, ana.lease)
	}
	ana.seq = 1
	ana.say(`{"type":"drive","lease":1,"hold":2,"seq":99,"t":1,"v":0.3,"w":0}`)
	equal(t, "Ana, whose packet was long on its way", ana.results(), "INTERRUPTED Jin has control.")
	jin.press(0, 0)
	jin.press(0.1, 0)
	equal(t, "the robot", tb.robot.take(), "drive 0 0 for 250ms", "drive 0.1 0 for 250ms")
	jin.say(`{"type":"control","id":2,"action":"take"}`)
	equal(t, "Jin, who has it already", jin.results(), "SUCCESS")
	equal(t, "the robot", tb.robot.take())
}

func TestTheRobotStopsWhenItsHolderVanishesAndControlIsFreeTenSecondsLater(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	ana.press(0, 0)
	ana.press(0.3, 0)
	tb.robot.take()
	jin.hear()

	ana.user.Leave()
	tb.hub.step(tb.now)
	equal(t, "the robot", tb.robot.take(), "halt: Ana left.")
	tb.stand()
	heard := jin.hear()
	if kinds(heard) != "hold event:lease event:log" || heard[1]["free_in"] != 10.0 || heard[1]["reason"] != "Ana left. Control will be free in 10 s." || jin.holder != ana.you {
		t.Errorf("Jin heard %v", heard)
	}
	tb.pass(2 * time.Second)
	jin.say(`{"type":"control","id":1,"action":"take"}`)
	equal(t, "Jin", jin.results(), "BUSY Ana has control. It can be taken when nobody has it.")

	tb.pass(8 * time.Second)
	equal(t, "the robot", tb.robot.take(), "halt: Ana left. Nobody has control.")
	heard = jin.hear()
	if got := kinds(heard); got != "hold event:lease event:log event:lease event:log event:people" || jin.holder != 0 || jin.lease != 2 {
		t.Errorf("Jin heard %s", got)
	}
	if row := heard[5]["people"].([]any); len(row) != 1 {
		t.Errorf("the row is %v", row)
	}
	tb.pass(time.Hour)
	if jin.hear(); jin.holder != 0 {
		t.Error("control was given silently")
	}

	t.Run("who comes back later watches", func(t *testing.T) {
		again := tb.join("Ana")
		if again.you != ana.you || again.holder != 0 {
			t.Errorf("%+v", again)
		}
	})
}

func TestWhoComesBackInTimeFindsControlAsItWas(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	ana.press(0, 0)
	tb.pass(time.Second) // the connection was dead for a second before that was detected
	ana.user.Leave()
	tb.pass(5 * time.Second)
	tb.robot.take()
	jin.hear()

	back := tb.connect("Ana")
	back.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","build":"0.1.0"}`)
	heard := back.hear()
	if heard[0]["type"] != "welcome" || back.you != ana.you || back.holder != ana.you {
		t.Fatalf("%v", heard)
	}
	if b := heard[0]["back"].(map[string]any); b["after"] != 6.0 || b["control"] != true {
		t.Errorf("back is %v", b)
	}
	lease := jin.hear()[0]
	if _, waiting := lease["free_in"]; waiting || lease["kind"] != "lease" || lease["epoch"] != 1.0 {
		t.Errorf("Jin heard %v", lease)
	}
	if row := heard[0]["people"].([]any); row[0].(map[string]any)["name"] != "Ana" {
		t.Errorf("the place in line was lost: %v", row)
	}
	back.press(0, 0)
	back.press(0.2, 0)
	equal(t, "the robot", tb.robot.take(), "drive 0 0 for 250ms", "drive 0.2 0 for 250ms")
	tb.pass(20 * time.Second)
	if back.hear(); back.holder != ana.you {
		t.Error("control was lost though the holder was back")
	}
}

func TestTheSameTabReplacesItsOldConnection(t *testing.T) {
	tb := newTable(t)
	old := tb.join("Ana")
	tb.pass(time.Second)
	old.press(0, 0)
	old.press(0.3, 0)
	tb.robot.take()
	ana := tb.join("Ana")
	equal(t, "the robot", tb.robot.take(), "halt: Ana connected again.")
	if reason, again := old.bye(); reason != "This robot is open in another tab." || again {
		t.Errorf("%q, %v", reason, again)
	}
	if ana.you != old.you || ana.holder != ana.you || ana.lease != old.lease || ana.hold != old.hold+1 {
		t.Errorf("old %+v, new %+v", old, ana)
	}
	old.press(0, 0)
	old.press(0.3, 0)
	equal(t, "the robot", tb.robot.take())
	ana.press(0, 0)
	old.user.Leave()
	tb.hub.step(tb.now)
	ana.press(0.2, 0)
	equal(t, "the end of the old one changes nothing", tb.robot.take(), "drive 0 0 for 250ms", "drive 0.2 0 for 250ms")
}

func TestWhoReleasedControlDoesNotGetItBackByReloading(t *testing.T) {
	tb := newTable(t)
	tb.join("Ana").say(`{"type":"control","id":1,"action":"release"}`)
	ana := tb.join("Ana")
	if ana.holder != 0 {
		t.Fatal("control was given silently")
	}
	ana.user.Leave()
	tb.pass(lease.Grace)
	if ana = tb.join("Ana"); ana.holder != ana.you {
		t.Error("the first one to connect does not have control")
	}
}

func TestTheRowIsInOrderOfConnection(t *testing.T) {
	tb := newTable(t)
	ana, jin, kim := tb.join("Ana"), tb.join("Jin"), tb.join("Kim")
	row := func() string {
		t.Helper()
		tb.pass(time.Second)
		var b strings.Builder
		for _, m := range kim.hear() {
			if m["kind"] != "people" {
				continue
			}
			b.Reset()
			for i, e := range m["people"].([]any) {
				e := e.(map[string]any)
				if e["order"] != float64(i+1) {
					t.Errorf("%v is at place %d", e, i+1)
				}
				b.WriteString(e["name"].(string))
				if e["control"] == true {
					b.WriteString("*")
				}
				if e["here"] == false {
					b.WriteString("?")
				}
				b.WriteString(" ")
			}
		}
		return b.String()
	}
	if got := row(); got != "Ana* Jin Kim " {
		t.Errorf("the row is %s", got)
	}
	jin.user.Leave()
	if got := row(); got != "Ana* Jin? Kim " {
		t.Errorf("the row is %s", got)
	}
	tb.pass(lease.Grace)
	jin2 := tb.join("Jin")
	if got := row(); got != "Ana* Kim Jin " || jin2.you != jin.you {
		t.Errorf("the row is %s", got)
	}
	ana.say(`{"type":"rename","id":1,"name":"Anna"}`)
	equal(t, "Ana", ana.results(), "SUCCESS")
	if got := row(); got != "Anna* Kim Jin " {
		t.Errorf("the row is %s", got)
	}
	jin2.say(`{"type":"clock","t1":12.5,"rtt_ms":310.2}`)
	if got := row(); got != "Anna* Kim Jin " {
		t.Errorf("a round trip was not told: %s", got)
	}
	clocks := slices.DeleteFunc(jin2.hear(), func(m map[string]any) bool { return m["type"] != "clock" })
	if len(clocks) != 1 || clocks[0]["t1"] != 12.5 {
		t.Errorf("the clock was answered with %v", clocks)
	}
	jin2.say(`{"type":"clock","t1":13,"rtt_ms":310.4}`)
	if got := row(); got != "" {
		t.Errorf("nothing has changed, and yet: %s", got)
	}
}

func TestHelloComesFirstOnceAndInTime(t *testing.T) {
	tb := newTable(t)
	p := tb.connect("Ana")
	for _, frame := range []string{
		`{"type":"drive","lease":0,"hold":1,"seq":1,"t":1,"v":0,"w":0}`,
		`{"type":"control","id":1,"action":"take"}`,
		`{"type":"unstop","id":1,"lease":0}`,
		`{"type":"rename","id":1,"name":"Ana"}`,
	} {
		p.say("%s", frame)
		equal(t, frame, p.results(), `ERROR The first frame should be a "hello".`)
	}
	equal(t, "the robot", tb.robot.take())
	tb.pass(4999 * time.Millisecond)
	if got := kinds(p.hear()); got != "" {
		t.Errorf("too early: %s", got)
	}
	tb.pass(time.Millisecond)
	if reason, again := p.bye(); reason != "No hello came within 5 s." || !again {
		t.Errorf("%q, %v", reason, again)
	}
	select {
	case <-p.user.Done():
	default:
		t.Error("the user is not done")
	}

	ana := tb.join("Ana")
	tb.pass(time.Minute)
	ana.hear()
	ana.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","build":"0.1.0"}`)
	equal(t, "Ana", ana.results(), "ERROR hello: it was sent already; it should be sent once per connection.")

	strange := tb.connect("Zoe")
	strange.say(`{"type":"hello","protocol":"mybot.v9","tab":"t","build":"0.1.0"}`)
	if reason, again := strange.bye(); reason != "This page speaks mybot.v9 and the robot speaks mybot.v1. Reload the page." || again {
		t.Errorf("%q, %v", reason, again)
	}
}

func TestAPageThatHasNotSaidHelloMayStop(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	p := tb.connect("Zoe")
	p.say(`{"type":"stop","id":1}`)
	if tb.robot.stopped() != "someone" {
		t.Errorf("stopped by %q", tb.robot.stopped())
	}
	equal(t, "Zoe", p.results(), "SUCCESS")
	ana.press(0, 0)
	equal(t, "Ana", ana.results(), "PANIC Stopped by someone. Ana can release it.")
}

func TestTheLogTellsWhatHappensToTheRobotOnce(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	lines := func(s robot.State) (got []string) {
		tb.hub.Publish(s)
		tb.pass(time.Second)
		for _, m := range ana.hear() {
			if m["kind"] == "log" {
				got = append(got, m["icon"].(string)+" "+m["text"].(string))
			}
		}
		return got
	}
	full := robot.Battery{Charge: 0.9}
	equal(t, "at first", lines(robot.State{Battery: full}))
	equal(t, "a bump", lines(robot.State{Battery: full, Bump: true}), "warn The bumper is touching something.")
	equal(t, "still", lines(robot.State{Battery: full, Bump: true}))
	equal(t, "gone", lines(robot.State{Battery: full}))
	equal(t, "low", lines(robot.State{Battery: robot.Battery{Charge: 0.249}}), "battery Battery below 25%.")
	equal(t, "a little better", lines(robot.State{Battery: robot.Battery{Charge: 0.251}}))
	equal(t, "low again", lines(robot.State{Battery: robot.Battery{Charge: 0.249}}))
	equal(t, "very low", lines(robot.State{Battery: robot.Battery{Charge: 0.09}}), "battery Battery below 10%.")
	equal(t, "docked", lines(robot.State{Battery: robot.Battery{Charge: 0.09, Charging: true}}), "battery The robot is charging.")
	equal(t, "undocked", lines(robot.State{Battery: robot.Battery{Charge: 0.2}}), "battery The robot is no longer charging.", "battery Battery below 25%.")
	for _, c := range []struct {
		state robot.State
		want  string
	}{
		{robot.State{Mode: robot.ModeManual}, "The robot has left its charger, driven by hand."},
		{robot.State{Mode: robot.ModeGoal, Goal: &robot.Goal{Number: 1, Name: "Sofa"}}, "The robot has left its charger on the way to Sofa."},
		{robot.State{Mode: robot.ModeJob, Run: &robot.Run{Number: 1, Name: "Paper to Jin"}}, `The robot has left its charger for the job "Paper to Jin".`},
	} {
		lines(robot.State{Battery: robot.Battery{Charge: 0.9, Charging: true}})
		c.state.Battery = full
		equal(t, string(c.state.Mode), lines(c.state), "battery "+c.want)
	}
}

// TestABaseThatFlickersFillsNoLog has bumper and charger change at every state.
func TestABaseThatFlickersFillsNoLog(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	const seconds = 10
	n, last := 0, ""
	publish := func(s robot.State) {
		s.Time = tb.now
		tb.hub.Publish(s)
		tb.pass(20 * time.Millisecond)
		for _, m := range ana.hear() {
			if m["kind"] == "log" {
				n, last = n+1, m["text"].(string)
			}
		}
	}
	for i := range 50 * seconds {
		publish(robot.State{Bump: i%2 == 0, Battery: robot.Battery{Charge: 0.9, Charging: i%2 == 0}})
	}
	tb.pass(time.Second)
	publish(robot.State{Battery: robot.Battery{Charge: 0.9, Charging: true}})
	if n < seconds || n > 2*seconds+2 || last != "The robot is charging." {
		t.Errorf("%d lines in %d s, the last one %q", n, seconds, last)
	}
}

func TestOfACrowdThatLeftTheLatestAreKnownAgain(t *testing.T) {
	p := people{known: map[string]*person{}}
	for i := range maxRemembered + 100 {
		who, _, _ := p.enterRow(strconv.Itoa(i))
		who.leftAt = noon.Add(time.Duration(i) * time.Millisecond)
	}
	if p.removeAbsent(noon.Add(time.Minute), 0); len(p.row) != 0 || len(p.known) != maxRemembered {
		t.Errorf("%d in the row, %d known", len(p.row), len(p.known))
	}
	if p.known["99"] != nil || p.known["100"] == nil {
		t.Error("the wrong ones were forgotten")
	}
}

func TestPeopleWhoLeftLongAgoAreForgotten(t *testing.T) {
	tb := newTable(t)
	tb.join("Ana")
	for range 3 {
		tb.join("Jin").user.Leave()
		tb.pass(lease.Grace)
	}
	if n := len(tb.hub.coordinator.people.known); n != 2 {
		t.Errorf("%d people are known", n)
	}
	tb.pass(rememberedFor + time.Second)
	tb.join("Kim").user.Leave()
	tb.pass(lease.Grace)
	if n := len(tb.hub.coordinator.people.known); n != 2 {
		t.Errorf("%d people are known", n)
	}
}

func TestWhoSendsMuchWritesLittleDown(t *testing.T) {
	tb := newTable(t)
	var kept entries
	tb.hub.coordinator.audit = &kept
	ana := tb.join("Ana")
	eve := tb.joinAs("Eve", Observer)
	kept.lines = nil
	for i := range 1000 { // for ten seconds
		eve.say(`{"type":"rename","id":%d,"name":"Eve %d"}`, i+1, i)
		ana.say(`{"type":"control","id":%d,"action":%q}`, i+1, []string{"release", "take"}[i%2])
		tb.pass(10 * time.Millisecond)
		eve.hear()
		ana.hear()
	}
	renames := 0
	for _, line := range kept.lines {
		if strings.Contains(line, " settings |") {
			renames++
		}
	}
	if others := len(kept.lines) - renames; renames > 11 || renames < 9 || others > 2*56 {
		t.Errorf("of 1000 names and as many changes of control, %d and %d lines are in the record", renames, others)
	}
	tb.pass(time.Second)
	eve.say(`{"type":"rename","id":1,"name":"Eve"}`)
	eve.say(`{"type":"rename","id":2,"name":"Zoe"}`)
	equal(t, "Eve", eve.results(), "SUCCESS", "BUSY The name was changed less than a second ago. Try again in a moment.")
	ana.say(`{"type":"stop"}`)
	if tb.hub.coordinator.stopped == nil {
		t.Error("who has asked too much of control cannot stop the robot")
	}
}

func TestACrowdThatComesAndGoesDoesNotFillTheLog(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	lines := 0
	for range 300 { // for ten seconds
		tb.joinAs("Eve", Observer).user.Leave()
		tb.pass(time.Second / 30)
		lines += len(ana.logs())
	}
	if lines > 115 || lines < 90 {
		t.Errorf("300 visits of one person are %d lines, want 10 a second", lines)
	}
	tb.pass(time.Second)
	ana.hear()
	tb.join("Jin").user.Leave()
	tb.pass(lease.Grace)
	if got := ana.logs(); !slices.Contains(got, "person: Jin is here.") || !slices.Contains(got, "person: Jin left.") {
		t.Errorf("after that nobody is told of: %q", got)
	}
}
