package faults

import (
	"testing"

	"mybot/lab/internal/experiment/experimenttest"
)

// The kernel sends nothing more to the disk from one moment to the next; what
// was acknowledged by then is there after it. The control shows that what was
// not synced is not.
func TestWhatWasAcknowledgedIsThereAfterAPowerCut(t *testing.T) {
	if missing := powerMissing(); missing != "" {
		t.Skip(missing)
	}
	experimenttest.StartChildren(t)
	o := &powerOutcome{Cuts: 12, Seed: 1}
	if err := o.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Log(o)
	if o.Lost > 0 || o.Acknowledged < o.Cuts {
		t.Errorf("of %d acknowledged writes %d are lost: %q", o.Acknowledged, o.Lost, o.Losses)
	}
	if o.ControlLost == 0 {
		t.Error("the power cut loses nothing at all")
	}
}

func TestAPowerLedgerNoticesWhatIsLost(t *testing.T) {
	l := newPowerLedger()
	for _, line := range []string{"try map 1", "ack map 1", "try map 2", "ack map 2", "try map 3", "try pose 5"} {
		if err := l.readLine(line); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		found map[string]uint64
		lost  int
	}{
		{map[string]uint64{"map": 2}, 0},
		{map[string]uint64{"map": 3, "pose": 5}, 0},
		{map[string]uint64{"map": 1}, 1},
		{map[string]uint64{}, 1},
		{map[string]uint64{"map": 4}, 1},
	} {
		after := powerLedger{acked: l.acked, tried: l.tried}
		if after.compareWith(1, c.found); len(after.losses) != c.lost {
			t.Errorf("%v is %d losses, not %d: %q", c.found, len(after.losses), c.lost, after.losses)
		}
	}
	if l.readLine("hello") == nil {
		t.Error("nonsense is taken for a line")
	}
}
