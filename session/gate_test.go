package session

import (
	"testing"
	"time"

	"mybot/robot"
)

func TestTheGateLetsThroughWhatIsFresh(t *testing.T) {
	neutral, press := drive{}, drive{V: 0.3}
	for _, c := range []struct {
		name  string
		gate  Gate
		d     drive
		epoch uint64
		seq   uint64
		word  robot.Word
		heard int64 // seq of the gate afterwards
	}{
		{"a neutral sample begins a press", Gate{hold: 2, seq: -1}, neutral, 2, 0, robot.Success, 0},
		{"nothing else does", Gate{hold: 2, seq: -1}, press, 2, 0, robot.Interrupted, 0},
		{"a turn neither", Gate{hold: 2, seq: -1}, drive{W: -0.3}, 2, 0, robot.Interrupted, 0},
		{"a press goes on", Gate{hold: 2, seq: 6, armed: true}, press, 2, 7, robot.Success, 7},
		{"and may skip numbers", Gate{hold: 2, seq: 6, armed: true}, press, 2, 70, robot.Success, 70},
		{"the same number again", Gate{hold: 2, seq: 6, armed: true}, press, 2, 6, robot.Error, 6},
		{"a number from before", Gate{hold: 2, seq: 6, armed: true}, neutral, 2, 5, robot.Error, 6},
		{"an old hold", Gate{hold: 2, seq: 6, armed: true}, neutral, 1, 7, robot.Interrupted, 6},
		{"a hold that nobody gave out", Gate{hold: 2, seq: 6, armed: true}, neutral, 3, 7, robot.Error, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.d.DriveEpoch, c.d.Seq = c.epoch, c.seq
			if r := c.gate.Admit(c.d); r.Word != c.word || (r.Reason == "") != (c.word == robot.Success) {
				t.Errorf("%+v, want %s", r, c.word)
			}
			if c.gate.seq != c.heard {
				t.Errorf("the gate heard %d, want %d", c.gate.seq, c.heard)
			}
		})
	}
}

func TestTheGateKnowsWhenAStreamBreaksOff(t *testing.T) {
	now := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	g := Gate{hold: 1, seq: -1}
	press := drive{DriveEpoch: 1, Seq: 4, V: 0.3, Valid: 100 * time.Millisecond}
	broken := func(after time.Duration, want bool) {
		t.Helper()
		if got := g.IsBroken(now.Add(after)); got != want {
			t.Errorf("after %v it is broken: %v", after, got)
		}
	}
	broken(time.Hour, false)
	g.NoteSample(press, now, true)
	if !g.armed || g.executed != 4 {
		t.Errorf("%+v", g)
	}
	broken(100*time.Millisecond-1, false)
	broken(100*time.Millisecond, true)
	g.NoteLateSample(press, now.Add(50*time.Millisecond))
	broken(150*time.Millisecond-1, false)
	broken(150*time.Millisecond, true)
	g.NoteSample(drive{DriveEpoch: 1, Seq: 5}, now, true)
	if broken(time.Hour, false); !g.armed || g.executed != 5 {
		t.Errorf("%+v", g)
	}
	g.NoteSample(press, now, true)
	g.NoteSample(press, now, false)
	if broken(time.Hour, false); g.armed {
		t.Error("a press goes on that the robot refused")
	}
	g.NoteSample(press, now, true)
	if g.NextEpoch(); g != (Gate{hold: 2, seq: -1}) {
		t.Errorf("the next hold is %+v", g)
	}
}

func TestARobotStandsBelowItsCreepingSpeed(t *testing.T) {
	for _, c := range []struct {
		twist robot.Twist
		want  bool
	}{
		{robot.Twist{}, true},
		{robot.Twist{Linear: 0.0099, Angular: -0.0199}, true},
		{robot.Twist{Linear: stillLinear}, false},
		{robot.Twist{Linear: -stillLinear}, false},
		{robot.Twist{Angular: stillAngular}, false},
		{robot.Twist{Angular: -stillAngular}, false},
	} {
		if got := isStanding(c.twist); got != c.want {
			t.Errorf("%v stands: %v", c.twist, got)
		}
	}
}

func TestAnOrderIsAsLongAndAsGoodAsASampleOfAPage(t *testing.T) {
	for _, c := range []struct {
		name  string
		drive robot.Drive
		word  robot.Word
	}{
		{"as long as it may", robot.Drive{Valid: MaxValid}, robot.Success},
		{"longer", robot.Drive{Valid: MaxValid + 1}, robot.Error},
		{"as long as it does by itself", robot.Drive{}, robot.Success},
		{"backwards in time", robot.Drive{Valid: -1}, robot.Error},
	} {
		t.Run(c.name, func(t *testing.T) {
			tb := newTable(t)
			ana := tb.join("Ana")
			r := tb.hub.coordinator.executeOrder(order{Order: Order{Lease: ana.lease, DriveEpoch: ana.hold, Seq: 1, Command: c.drive}, by: Identity{Browser: "Ana"}}, tb.now)
			if r.Word != c.word {
				t.Errorf("%+v, want %s", r, c.word)
			}
			if did := tb.robot.take(); (len(did) > 1) != (c.word == robot.Success) {
				t.Errorf("the robot did %q", did)
			}
		})
	}
}
