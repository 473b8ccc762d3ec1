package drive

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/experiment/experimenttest"
)

func TestTheGuardKeepsAHandThatDoesNotLookOffWalls(t *testing.T) {
	experimenttest.ComputesLong(t)
	var o guardOutcome
	out, _, err := commands.Run(t, "guard", "--json", "--seeds", "1", "--minutes", "1", "--sensor", "all")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if len(o.Rows) != 12 {
		t.Fatalf("there are %d rows", len(o.Rows))
	}
	for _, r := range o.Rows {
		if r.Drives != 1 || !(r.Way > 2) || !(r.Speed > 0) {
			t.Errorf("%s among %s drives %+v", r.Robot, r.Scene, r)
		}
		if seesAll := r.Robot != "lidar" || r.Scene == "walls" || r.Scene == "people"; seesAll && r.Bumps > 0 {
			t.Errorf("%s among %s touched something %d times", r.Robot, r.Scene, r.Bumps)
		}
	}
	if !strings.Contains(o.String(), "lidar+sonar  glass") {
		t.Errorf("as text it is\n%s", o)
	}
	if _, _, err := commands.Run(t, "guard", "--sensor", "radar"); !errors.Is(err, experiment.ErrUsage) || !strings.Contains(err.Error(), "it must be sonar, lidar, both or all") {
		t.Errorf("an unknown sensor: %v", err)
	}
}
