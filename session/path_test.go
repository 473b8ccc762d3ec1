package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mybot/robot"
)

// steer sends a sample with a virtual robot at x, made at the page's time t.
func (p *page) steer(t, v, x float64) {
	p.say("%s", p.onPath(t, v, x))
}

func (p *page) onPath(t, v, x float64) string {
	p.seq++
	return fmt.Sprintf(`{"type":"drive","lease":%d,"hold":%d,"seq":%d,"t":%g,"v":%g,"w":0,"valid":0.25,"vr":[%g,2,0.5,%g,0,%g]}`, p.lease, p.hold, p.seq, t, v, x, v, x)
}

// holds returns the hold events among the queued frames.
func (p *page) holds() []map[string]any {
	var holds []map[string]any
	for _, m := range p.hear() {
		if m["type"] == "hold" {
			holds = append(holds, m)
		}
	}
	return holds
}

func TestEverySampleOfAPathReachesTheRobot(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	tb.robot.did = nil
	ana.steer(5, 0, 1)
	tb.now = tb.now.Add(50 * time.Millisecond)
	// Three samples arrive together, the oldest 30 ms late.
	for i := range 3 {
		ana.user.receiveAt([]byte(ana.onPath(float64(502+i)/100, 0.3, 1+0.1*float64(i))), tb.now)
	}
	tb.hub.step(tb.now)
	if len(tb.robot.did) != 4 {
		t.Fatalf("the robot did %v", tb.robot.did)
	}
	want := robot.Follow{
		Lease: ana.lease, Hold: ana.hold, Seq: uint64(ana.seq), T: 5.04, Want: robot.Twist{Linear: 0.3}, Twist: robot.Twist{Linear: 0.3},
		Pose: robot.Pose{X: 1.2, Y: 2, Theta: 0.5}, S: 1.2, Valid: 250 * time.Millisecond,
	}
	got := tb.robot.did[3].(robot.Follow)
	if late := tb.now.Sub(got.Made); late < 9*time.Millisecond || late > 11*time.Millisecond {
		t.Errorf("a sample of 40 ms after the first one arrived 50 ms after it, and is taken for %v late", late)
	}
	if got.Made = (time.Time{}); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the robot got\n%+v\nwant\n%+v", got, want)
	}
	if lines := ana.results(); len(lines) > 0 {
		t.Error(lines)
	}
}

func TestTheRulesForSamplesHoldForPathsToo(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	lease, hold := ana.lease, ana.hold
	tb.robot.did = nil
	for _, c := range []struct {
		by          *page
		lease, hold uint64
		v           float64
		want        string
	}{
		{ana, lease, hold, 0.3, "INTERRUPTED A press begins with a neutral sample."},
		{jin, lease, hold, 0, "ERROR Ana has control."},
		{ana, lease, hold + 1, 0, `ERROR drive: "hold" is ahead`},
		{ana, lease, hold - 1, 0, "INTERRUPTED The robot has stopped following"},
		{ana, lease - 1, hold, 0, "INTERRUPTED Control changed"},
	} {
		c.by.hear()
		c.by.lease, c.by.hold = c.lease, c.hold
		c.by.steer(1, c.v, 0)
		if got := c.by.results(); len(got) != 1 || !strings.HasPrefix(got[0], c.want) || len(tb.robot.did) > 0 {
			t.Errorf("%q, want %q; the robot did %v", got, c.want, tb.robot.did)
		}
	}
}

func TestAGapInAPathIsLeftToTheRobotForAWhile(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.steer(1, 0, 0)
	ana.steer(1.05, 0.3, 0)
	tb.robot.did = nil
	hold, last := ana.hold, tb.now
	// The robot holds by itself after 2.5 s without a fresh sample, and publishes
	// where it stands. If it has not after 4 s, the path is dropped.
	for _, gap := range []time.Duration{2500 * time.Millisecond, 3999 * time.Millisecond} {
		if tb.pass(gap - tb.now.Sub(last)); len(ana.holds()) > 0 || len(tb.robot.did) > 0 {
			t.Fatalf("after a gap of %v the robot did %v, hold %d", gap, tb.robot.did, ana.hold)
		}
	}
	tb.pass(time.Millisecond)
	if got := ana.holds(); len(got) != 1 || ana.hold != hold+1 || len(tb.robot.did) != 1 {
		t.Errorf("after a gap of 4 s: %v, the robot did %v", got, tb.robot.did)
	}
	// After a neutral sample there is no gap.
	ana.steer(5, 0, 0)
	ana.steer(5.05, 0.3, 0)
	ana.steer(5.1, 0, 0.1)
	tb.pass(time.Minute)
	if got := ana.holds(); len(got) > 0 {
		t.Error(got)
	}
}

func TestWhatTheRobotHoldsAtIsToldWithItsPose(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.steer(1, 0, 0)
	ana.steer(1.05, 0.3, 0)
	hold := ana.hold
	show := func(s robot.State) {
		s.Battery.Charge = 1
		tb.hub.Publish(s)
		tb.hub.step(tb.now)
	}
	at := tb.now.Add(2 * time.Second)
	held := &robot.Held{Lease: ana.lease, Hold: hold, Reason: "Something is 0.35 m ahead.", Pose: robot.Pose{X: 4, Y: 5, Theta: 1}, At: at}
	for range 3 { // later states show it
		show(robot.State{Time: at.Add(time.Second), Held: held})
	}
	got := ana.holds()
	if len(got) != 1 || got[0]["reason"] != held.Reason || got[0]["t"] != 2.0 || fmt.Sprint(got[0]["pose"]) != "[4 5 1]" || ana.hold != hold+1 {
		t.Fatalf("%v, the hold is %d", got, ana.hold)
	}
	tb.robot.did = nil
	ana.hold = hold
	ana.steer(1.1, 0.3, 0)
	if lines := ana.hear(); len(tb.robot.did) > 0 || len(lines) != 1 || lines[0]["word"] != "INTERRUPTED" || lines[0]["old"] != "hold" {
		t.Errorf("a sample of before: %v, the robot did %v", lines, tb.robot.did)
	}
	// The hub announces the hold of a stop when it handles the stop, not when a
	// state shows it earlier.
	before := tb.hub.coordinator.gate.Epoch()
	tb.hub.alarm.raiseStop(tb.robot, stopSignal{by: "Jin", at: tb.now})
	tb.hub.coordinator.observeState(robot.State{Held: &robot.Held{Lease: ana.lease, Hold: before}, Stop: &robot.StopState{By: "Jin"}}, false)
	if tb.hub.coordinator.gate.Epoch() != before {
		t.Error("the hold of a stop was told twice")
	}
	tb.hub.step(tb.now)
	if tb.hub.coordinator.gate.Epoch() != before+1 {
		t.Error("the hold of a stop was not told")
	}
	// A hold of an earlier stream is stale.
	show(robot.State{Held: held})
	if tb.hub.coordinator.gate.Epoch() != before+1 {
		t.Error("an old hold was told again")
	}
}

func TestEveryHoldTellsWhereTheRobotIs(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	tb.hub.Stop("a form", Identity{})
	tb.hub.step(tb.now)
	if got := ana.holds(); len(got) != 1 || got[0]["pose"] != nil || got[0]["t"] != nil {
		t.Errorf("before the robot was seen: %v", got)
	}
	tb.hub.Publish(robot.State{
		Time: tb.now.Add(time.Second), Battery: robot.Battery{Charge: 1}, Stop: &robot.StopState{By: "a form"},
		Estimate: robot.Estimate{Pose: robot.Pose{X: 7, Y: 8, Theta: -1}},
	})
	tb.hub.step(tb.now)
	ana.say(`{"type":"unstop","id":1,"lease":%d}`, ana.lease)
	if got := ana.holds(); len(got) != 1 || fmt.Sprint(got[0]["pose"], got[0]["t"]) != "[7 8 -1] 1" {
		t.Errorf("%v", got)
	}
}
