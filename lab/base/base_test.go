package base

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAFullBatteryLastsFiveHours(t *testing.T) {
	out, _, err := commands.Run(t, "battery", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var o batteryOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	t.Log(out)
	if !(o.Hours >= 4.5 && o.Hours <= 5.5) {
		t.Errorf("the battery lasts %v h; want 5 h within a tenth", o.Hours)
	}
	if o.Seed != 1 || !(o.Metres > 1000) {
		t.Errorf("the outcome is %+v", o)
	}
}

func TestOdometryLosesASquareOnlyWithSlip(t *testing.T) {
	out, _, err := commands.Run(t, "square", "--json", "--seed", "3", "--seeds", "2")
	if err != nil {
		t.Fatal(err)
	}
	var o squareOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if len(o.Seeds) != 2 || o.Seeds[0] != 3 || o.Seeds[1] != 4 || len(o.Runs) != 8 {
		t.Errorf("the seeds are %v and there are %d runs; they must be 3 and 4, and 8", o.Seeds, len(o.Runs))
	}
	if e := o.Ideal.Worst; !(e.Position < 0.01 && e.Heading < 0.2) {
		t.Errorf("without slip odometry is off by %+v", e)
	}
	if e := o.Real.Mean; !(e.Position > 0.05 && e.Position < 1.5) {
		t.Errorf("with slip odometry is off by %+v on average", e)
	}
	if !(o.Real.Fused.Heading < o.Real.Mean.Heading) {
		t.Errorf("with the compass the heading is off by %v deg, without it by %v deg", o.Real.Fused.Heading, o.Real.Mean.Heading)
	}
	again, _, err := commands.Run(t, "square", "--json", "--seed", "3", "--seeds", "2")
	if err != nil || again != out {
		t.Errorf("the same seeds give another outcome: %v\n%s", err, again)
	}
}

func TestTheOutcomeIsAlsoToldInWords(t *testing.T) {
	out, _, err := commands.Run(t, "square", "--seeds", "1")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Without slip: wheels alone 0.00", "With slip: wheels alone 0.", "       1  with    left"} {
		if !strings.Contains(out, want) {
			t.Errorf("the text lacks %q:\n%s", want, out)
		}
	}
}
