package bases

import (
	"testing"

	"mybot/lab/internal/experiment/experimenttest"
)

func TestARobotWhoseCableIsPulledComesBackAndWaits(t *testing.T) {
	experimenttest.StartChildren(t)
	o := experimenttest.Outcome[cableOutcome](t, commands, "cable", "--trials", "4", "--side", "4")
	t.Log(o)
	if o.Trials != 4 || o.Moved != 0 || o.Ended != 0 || o.NoReason != 0 || o.NotDriven != 0 || o.Back.Worst >= backIn.Seconds() {
		t.Errorf("the outcome is %+v", o)
	}
}
