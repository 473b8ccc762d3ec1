package scripts

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"mybot/script"
)

func TestARandomProgramHasNoFault(t *testing.T) {
	for seed := range uint64(2000) {
		text := randomProgram(rand.New(rand.NewPCG(seed, 17)))
		if _, faults := script.Parse(text); len(faults) > 0 {
			t.Fatalf("seed %d: %v in\n%s", seed, faults[0], text)
		}
	}
}

// A rule of the licence that is taken out of Core shows here; so the lab was proven.
func TestNoRandomProgramMovesTheRobotWithoutALicence(t *testing.T) {
	programs := "12"
	if testing.Short() {
		programs = "4"
	}
	out, _, err := commands.Run(t, "scripts", "--json", "--programs", programs, "--seed", "1")
	var o licenceOutcome
	if err != nil || json.Unmarshal([]byte(out), &o) != nil {
		t.Fatalf("%s, %v", out, err)
	}
	if o.Moving < 2 || o.Without+o.BeforeResume+o.Differences+o.Panics > 0 || o.Examples != 7 || o.ExamplesHeld != 7 || len(o.Odd) > 0 {
		t.Errorf("%+v", o)
	}
	if !(o.TickCost < 500 && o.StepCost > 0 && o.Rehearsal > 1) {
		t.Errorf("%+v", o)
	}
}
