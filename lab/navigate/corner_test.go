package navigate

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"mybot/lab/internal/experiment/experimenttest"
	"mybot/lab/internal/testbed"
)

func TestTheCornerOfTheCorridorTellsTheLocalizersApart(t *testing.T) {
	experimenttest.ComputesLong(t)
	picture := filepath.Join(t.TempDir(), "fig5b.svg")
	out, _, err := commands.Run(t, "fig5b", "--json", "--seeds", "1", "--svg", picture)
	if err != nil {
		t.Fatal(err)
	}
	var o fig5bOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	rows := map[string]fig5bRow{}
	for _, r := range o.Rows {
		rows[r.Method] = r
	}
	if mcl := rows["mcl"]; mcl.Arrived != 1 || mcl.After > 0.06 || mcl.Before > 0.06 || mcl.Worst > 0.15 || mcl.Before == 0 {
		t.Errorf("with MCL: %+v", mcl)
	}
	if odometry := rows["odometry"]; odometry.After <= odometry.Before || odometry.After < 2*rows["mcl"].After {
		t.Errorf("with odometry: %+v", odometry)
	}
	if paths := experimenttest.CountPaths(t, picture); paths < 1+2*len(testbed.LocalizerNames) {
		t.Errorf("the picture has %d lines", paths)
	}
}
