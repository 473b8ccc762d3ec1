package script

import (
	"fmt"
	"strings"
	"testing"
)

// A host is a robot for tests: a head that follows when the test says so, wheels
// that follow at once, a battery that only the robot sets, and functions.
type host struct {
	*Machine
	t    *testing.T
	now  int64 // ms
	said []string
	told map[string]Value
	asks []Ask
}

func newHost(t *testing.T) *host {
	t.Helper()
	h := &host{t: t, told: map[string]Value{}, Machine: New(Config{
		Devices: []Device{
			{Name: "headPan", Unit: "deg", Min: -91, Max: 91, Moves: true, Tolerance: 2},
			{Name: "wheelL", Unit: "deg", Moves: true, FollowsAtOnce: true},
			{Name: "battery", Unit: "%", Min: 0, Max: 100, ReadOnly: true, Initial: Number(80)},
			{Name: "goal", Field: "phase", ReadOnly: true, Initial: Text("idle")},
			{Name: "display", FollowsAtOnce: true, Initial: Text("")},
			{Name: "speaker", FollowsAtOnce: true, Initial: Text("")},
		},
		Functions: []Function{
			{Name: "goto", Min: 1, Max: 3, Moves: true, Lasts: true},
			{Name: "say", Min: 1, Max: 2},
			{Name: "camera.val"},
			{Name: "load", Min: 1, Max: 1},
		},
		Seed: 1,
	})}
	if err := h.Open(0, "A", false); err != nil {
		t.Fatal(err)
	}
	return h
}

// send lets the connection A say a text at a time, after the ticks up to it.
func (h *host) send(ms int64, text string) {
	h.t.Helper()
	h.until(ms)
	if !h.Say(Milliseconds(ms), "A", text+"\n") {
		h.t.Fatalf("at %d ms there is no connection A", ms)
	}
	h.drain()
}

// until runs the ticks up to a time.
func (h *host) until(ms int64) {
	for ; h.now <= ms; h.now += 20 {
		h.Tick(Milliseconds(h.now))
		h.drain()
	}
}

func (h *host) drain() {
	for _, l := range h.Lines() {
		h.said = append(h.said, l.String())
	}
	for _, o := range h.Outputs() {
		h.told[o.Name] = o.Value
	}
	h.asks = append(h.asks, h.Asks()...)
}

// expect checks what was said since the last check.
func (h *host) expect(want ...string) {
	h.t.Helper()
	if got := strings.Join(h.said, "\n"); got != strings.Join(want, "\n") {
		h.t.Errorf("the machine says\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	h.said = nil
}

// expectTold checks what a device was asked for last.
func (h *host) expectTold(name, want string) {
	h.t.Helper()
	if got := h.told[name].String(); got != want {
		h.t.Errorf("%s was told %s; want %s", name, got, want)
	}
}

func TestHeldMotionKeepsWhatIsLeftAndEverythingElseContinues(t *testing.T) {
	h := newHost(t)
	h.send(0, "m+report: wheelL.val = 100 time:1000, x = 0; x = 100 time:1000, every (500ms) echo time,")
	h.send(400, "wheelL.val; x;")
	h.Hold(Milliseconds(400), "")
	h.send(800, "wheelL.val; x;")
	h.expectTold("wheelL.val", "40.000000")
	h.send(900, "wheelL.val = 7;")
	h.send(1200, "wheelL.val; x;")
	h.expect("[000000000:m] *** start", "[000000000:notag] 0.000000", "[000000400:notag] 40.000000", "[000000400:notag] 40.000000",
		"[000000500:notag] 500.000000", "[000000800:notag] 40.000000", "[000000800:notag] 80.000000",
		"[000000900:m] *** stop", // a newer command ends it
		"[000001000:notag] 1000.000000")
	h.until(1400)
	h.expectTold("wheelL.val", "40.000000") // also what takes no time waits
	h.Resume(Milliseconds(1410), "")
	h.drain()
	h.expectTold("wheelL.val", "7.000000")
	h.expect("[000001410:notag] 7.000000", "[000001410:notag] 100.000000")
}

func TestHeldMotionContinuesAsIfTheTimeBetweenHadNotBeen(t *testing.T) {
	h := newHost(t)
	h.send(0, "wheelL.val = 100 time:1000 | echo time,")
	h.until(300)
	h.Hold(Milliseconds(310), "")
	h.until(5300)
	h.Resume(Milliseconds(5310), "")
	h.send(5400, "wheelL.val;")
	h.until(6100)
	h.expect("[000005400:notag] 40.000000", "[000006000:notag] 6000.000000")
}

func TestAQueuedMotionThatWasHeldBeginsWithResumeAndNotEarlier(t *testing.T) {
	h := newHost(t)
	h.send(0, "blend[queue] wheelL.val; a: wheelL.val = 1000 time:10000, b+end: wheelL.val = 100 time:1000,")
	h.until(900)
	h.Hold(Milliseconds(900), "")
	h.send(1000, "stop a;")
	h.until(4980)
	h.Resume(Milliseconds(5000), "")
	h.send(5500, "wheelL.val;")
	h.until(6100)
	h.expect("[000005500:notag] 95.000000", "[000006000:b] *** stop")
}

func TestHeldAndFrozenMotionNeedsBothToContinue(t *testing.T) {
	h := newHost(t)
	h.send(0, "m: { wheelL.val = 100 time:1000 | echo time },")
	h.Hold(Milliseconds(100), "")
	h.send(200, "freeze m;")
	h.Resume(Milliseconds(300), "")
	h.send(400, "wheelL.val;")
	h.send(500, "unfreeze m;")
	h.until(1500)
	h.expect("[000000400:notag] 10.000000", "[000001400:m] 1400.000000")
}

func TestOnlySensorsSetWhatTheyMeasure(t *testing.T) {
	h := newHost(t)
	h.send(0, "battery.val; battery.val = 5; goal.phase; at (battery.val < 20 ~ 2) echo \"low\";")
	h.expect("[000000000:notag] 80.000000", "[000000000:notag] !!! line 1, column 14: battery.val is measured; it cannot be set", `[000000000:notag] "idle"`)
	h.until(100)
	h.Measure("battery.val", Number(19))
	h.Measure("goal.phase", Text("driving"))
	h.send(200, "battery.val; goal.phase;")
	h.expect(`[000000140:notag] "low"`, "[000000200:notag] 19.000000", `[000000200:notag] "driving"`)
	if len(h.told) != 0 {
		t.Errorf("the host was told %v; nothing was set", h.told)
	}
}

func TestACommandIsOverWhenItsDeviceHasFollowed(t *testing.T) {
	h := newHost(t)
	h.send(0, "headPan.val = 40 | echo time; headPan.val = 80 | echo \"never\"; echo time;")
	h.expectTold("headPan.val", "40.000000")
	h.until(200)
	h.expect()
	h.Measure("headPan.val", Number(38.5))
	h.until(220)
	h.expect("[000000220:notag] 220.000000")
	h.expectTold("headPan.val", "80.000000")
	h.until(1300)
	h.expect("[000001220:notag] !!! line 1, column 31: headPan.val did not follow: it is at 38.5, not at 80", "[000001220:notag] 1220.000000")
}

func TestAFunctionOfTheRobotIsAskedForAndAnswered(t *testing.T) {
	h := newHost(t)
	h.send(0, `s+report: say("hello") | echo "said"; echo time;`)
	if len(h.asks) != 1 || h.asks[0].Name != "say" || h.asks[0].Unit != "A" || h.asks[0].Values[0].String() != `"hello"` {
		t.Fatalf("asked for %+v", h.asks)
	}
	h.until(300)
	if !h.Answer(Milliseconds(310), h.asks[0].ID, Value{}, "") || h.Answer(Milliseconds(311), h.asks[0].ID, Value{}, "") {
		t.Error("an answer must count once")
	}
	h.drain()
	h.expect("[000000000:s] *** start", "[000000310:s] *** stop", `[000000310:notag] "said"`, "[000000310:notag] 310.000000")

	h.send(400, `say("again"); echo time;`)
	h.until(10500)
	h.expect("[000010400:notag] !!! line 1, column 1: say had no answer for 10 s", "[000010400:notag] 10400.000000")
	if last := h.asks[len(h.asks)-1]; !last.Cancelled || last.Name != "say" {
		t.Errorf("the host does not learn that nobody waits: %+v", last)
	}
	h.send(11000, `say(); x = say("1"); goto("dock") | echo "there";`)
	h.Answer(Milliseconds(11010), h.asks[len(h.asks)-1].ID, Value{}, "the way is blocked")
	h.drain()
	h.expect("[000011000:notag] !!! line 1, column 1: say takes 1 to 2 values, not 0",
		"[000011000:notag] !!! line 1, column 12: say takes time, so it cannot be used in a value; call it as a command",
		"[000011010:notag] !!! line 1, column 22: goto: the way is blocked")
}

func TestAGoalIsHeldWithMotionAndCancelledWithItsTag(t *testing.T) {
	h := newHost(t)
	h.Hold(0, "")
	h.send(0, `g: goto("dock"), say("waiting"),`)
	if len(h.asks) != 1 || h.asks[0].Name != "say" {
		t.Fatalf("while motion is held, asked for %+v", h.asks)
	}
	h.Resume(Milliseconds(100), "")
	h.until(100)
	if len(h.asks) != 2 || h.asks[1].Name != "goto" {
		t.Fatalf("after resume, asked for %+v", h.asks)
	}
	h.send(60_000, "stop g;")
	if last := h.asks[len(h.asks)-1]; !last.Cancelled || last.Name != "goto" {
		t.Errorf("after stop, asked for %+v", last)
	}
}

func TestPicturesAndSoundHaveTheirBytesBehindTheLine(t *testing.T) {
	h := newHost(t)
	h.send(0, "camera.val;")
	picture := strings.Repeat("x", 5347)
	h.Answer(Milliseconds(10), h.asks[0].ID, Binary("jpeg 208 160", []byte(picture)), "")
	lines := h.Lines()
	if len(lines) != 1 || lines[0].String() != "[000000010:notag] BIN 5347 jpeg 208 160" || string(lines[0].Data) != picture {
		t.Errorf("a picture says %v", lines)
	}
	// The bytes of a sound come right behind its ; and may look like commands.
	sound := "RIFF;{(\"" + strings.Repeat("y", 2040)
	h.Say(Milliseconds(20), "A", "speaker.val = BIN 2048 wav;"+sound[:1000])
	h.drain()
	h.expect()
	h.Say(Milliseconds(30), "A", sound[1000:]+"echo time;")
	h.drain()
	h.expect("[000000030:notag] 30.000000")
	if format, data, ok := h.told["speaker.val"].Binary(); !ok || format != "wav" || string(data) != sound {
		t.Errorf("the speaker was told %v %s %d bytes", ok, format, len(data))
	}
}

func TestTheSameOrdersGiveTheSameLines(t *testing.T) {
	var first string
	for range 3 {
		h := newHost(t)
		h.send(0, "def f(x) { echo random(0, x) } every (70ms) f(9), group g {headPan, wheelL}; g.val = 5 time:200, nix; devices;")
		h.send(333, "x = [1, 2]; x; info g; info f; info headPan; info x; connections;")
		h.until(2000)
		if got := fmt.Sprint(h.said); first == "" {
			first = got
		} else if got != first {
			t.Errorf("once it says\n%s\nand once\n%s", first, got)
		}
	}
}

func TestAHeldWayContinuesFromWhereTheRobotIsThen(t *testing.T) {
	m := New(Config{Devices: []Device{{Name: "drive", Unit: "m", Moves: true, Tolerance: 0.02, Odometric: true}}})
	if err := m.Open(0, "A", false); err != nil {
		t.Fatal(err)
	}
	last := 0.0
	ride := func(from, to int64, follow bool) {
		for ms := from; ms <= to; ms += 20 {
			m.Tick(Milliseconds(ms))
			for _, o := range m.Outputs() {
				last, _ = o.Value.Number()
			}
			if follow {
				m.Measure("drive.val", Number(last))
			}
		}
	}
	ride(0, 0, true)
	m.Say(0, "A", "drive.val = drive.val + 1 speed:0.5 | echo drive.val;")
	ride(20, 1000, true)
	m.Hold(Milliseconds(1001), "")
	m.Measure("drive.val", Number(3)) // somebody drives by hand
	ride(1020, 5000, false)
	if last < 0.49 || last > 0.51 {
		t.Errorf("while it is held it is asked to be at %v", last)
	}
	m.Resume(Milliseconds(5001), "")
	ride(5020, 7000, true)
	if last < 3.49 || last > 3.51 {
		t.Errorf("half a metre was left, and it ends at %v", last)
	}
	if said := sayAll(m); len(said) != 1 || !strings.HasPrefix(said[0], "A 3.") {
		t.Errorf("it says %q", said)
	}
}

func TestWhatAFunctionStopsInAValueIsNotDone(t *testing.T) {
	h := newHost(t)
	h.send(0, `def f() { stop t; return 1 } t: echo f(); t: { x = f() | echo "never" }; echo "on"; u: echo f();`)
	h.send(10, "at (f() == 1) echo \"at\"; t: at (f() == 1) echo \"never\"; x;")
	h.expect(`[000000000:notag] "on"`, "[000000000:u] 1.000000", `[000000010:notag] "at"`, "[000000010:notag] !!! line 1, column 57: x is not known.")
}

func TestMotionIsHeldForOneUnitAndNotForAnother(t *testing.T) {
	h := newHost(t)
	if err := h.Open(0, "B", true); err != nil {
		t.Fatal(err)
	}
	h.Say(0, "B", "wheelL.val = 50 time:100; display.val = \"done\";")
	h.send(0, "wheelL.val;")
	h.until(1000)
	h.expectTold("display.val", "nothing") // B waits for its motion
	if !h.IsHeld("B") || h.IsHeld("A") {
		t.Error("B is held and A is not")
	}
	h.send(1000, "wheelL.val = 20 time:100; wheelL.val;") // the newest command ends that of B
	h.until(1200)
	h.expectTold("wheelL.val", "20.000000")
	h.expectTold("display.val", `"done"`)
	h.Say(Milliseconds(1201), "B", "blend[mix] wheelL.val; wheelL.val = 100 time:200, wheelL.val = 60 time:200,")
	h.until(1300)
	h.Hold(Milliseconds(1301), "A")
	h.Say(Milliseconds(1302), "A", "wheelL.val = 5;")
	h.until(1400)
	h.expectTold("wheelL.val", "20.000000")
	h.Resume(Milliseconds(1401), "B")
	h.until(2000)
	h.Resume(Milliseconds(2001), "")
	h.drain()
	h.expectTold("wheelL.val", "5.000000")
	h.expect("[000000000:notag] 0.000000", "[000001100:notag] 20.000000")
}
