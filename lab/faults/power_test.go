package faults

import (
	"testing"

	"mybot/lab/internal/experiment/experimenttest"
)

// The kernel stops all writes to the disk at once; acknowledged data is there afterwards. The
// control shows that data without a sync is not.
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
		t.Error("the power cut loses no data at all")
	}
}

func TestAPowerLedgerNoticesWhatIsLost(t *testing.T) {
	l := newPowerLedger()
	before, after := "try map 1\nack map 1\ntry map 2\nack map 2\ntry ma", "p 3\nack map 3\ntry pose 5\ntry po"
	if err := l.readLines([]byte(before), []byte(after)); err != nil {
		t.Fatal(err)
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
	if l.readLines([]byte("hello\n"), nil) == nil || l.readLines(nil, []byte("ack map\n")) == nil {
		t.Error("nonsense is accepted as a line")
	}
}
