package lease

import (
	"testing"
	"time"

	"mybot/robot"
)

func TestTheGateLetsThroughWhatIsFresh(t *testing.T) {
	neutral, press := Sample{Neutral: true}, Sample{}
	for _, c := range []struct {
		name  string
		gate  Gate
		s     Sample
		epoch uint64
		seq   uint64
		word  robot.Word
		heard int64 // seq of the gate afterwards
	}{
		{"a neutral sample begins a press", Gate{epoch: 2, seq: -1}, neutral, 2, 0, robot.Success, 0},
		{"nothing else does", Gate{epoch: 2, seq: -1}, press, 2, 0, robot.Interrupted, 0},
		{"a turn neither", Gate{epoch: 2, seq: -1}, Sample{}, 2, 0, robot.Interrupted, 0},
		{"a press continues", Gate{epoch: 2, seq: 6, armed: true}, press, 2, 7, robot.Success, 7},
		{"and may skip numbers", Gate{epoch: 2, seq: 6, armed: true}, press, 2, 70, robot.Success, 70},
		{"the same number again", Gate{epoch: 2, seq: 6, armed: true}, press, 2, 6, robot.Error, 6},
		{"a number from before", Gate{epoch: 2, seq: 6, armed: true}, neutral, 2, 5, robot.Error, 6},
		{"an old epoch", Gate{epoch: 2, seq: 6, armed: true}, neutral, 1, 7, robot.Interrupted, 6},
		{"an epoch that was never given out", Gate{epoch: 2, seq: 6, armed: true}, neutral, 3, 7, robot.Error, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.s.Epoch, c.s.Seq = c.epoch, c.seq
			if r := c.gate.Admit(c.s); r.Word != c.word || (r.Reason == "") != (c.word == robot.Success) {
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
	g := Gate{epoch: 1, seq: -1}
	press := Sample{Epoch: 1, Seq: 4, Valid: 100 * time.Millisecond}
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
	g.NoteSample(Sample{Epoch: 1, Seq: 5, Neutral: true}, now, true)
	if broken(time.Hour, false); !g.armed || g.executed != 5 {
		t.Errorf("%+v", g)
	}
	g.NoteSample(press, now, true)
	g.NoteSample(press, now, false)
	if broken(time.Hour, false); g.armed {
		t.Error("a press continues that the robot refused")
	}
	g.NoteSample(press, now, true)
	if g.NextEpoch(); g != (Gate{epoch: 2, seq: -1}) {
		t.Errorf("the next epoch is %+v", g)
	}
}
