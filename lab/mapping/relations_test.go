package mapping

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/experiment/experimenttest"
	"mybot/robot"
)

var commands = experimenttest.New(map[string]func(context.Context, experiment.Call) error{"mapping": MeasureMapping, "relations": MeasureRelations, "mapping-logs": MeasureLogs})

// roomScan returns the ranges of a lidar with 181 beams in a room with a pillar.
func roomScan(at robot.Pose) []float64 {
	walls := [][4]float64{
		{-4, -3, 4, -3},
		{4, -3, 4, 3},
		{4, 3, -4, 3},
		{-4, 3, -4, -3},
		{-0.5, -0.4, 0.5, -0.4},
		{0.5, -0.4, 0.5, 0.6},
		{0.5, 0.6, -0.5, 0.6},
		{-0.5, 0.6, -0.5, -0.4},
	}
	ranges := make([]float64, 181)
	for k := range ranges {
		sin, cos := math.Sincos(at.Theta + robot.Radians(float64(k-90)))
		ranges[k] = 80
		for _, w := range walls {
			ax, ay := w[2]-w[0], w[3]-w[1]
			det := ax*sin - ay*cos
			if math.Abs(det) < 1e-12 {
				continue
			}
			far := (ax*(w[1]-at.Y) - ay*(w[0]-at.X)) / det
			share := (cos*(w[1]-at.Y) - sin*(w[0]-at.X)) / det
			if far > 0 && share >= 0 && share <= 1 {
				ranges[k] = min(ranges[k], far)
			}
		}
	}
	return ranges
}

// writeDrive writes a log of three rounds around the pillar, with true poses, and a file of
// poses in another frame in which each scan k has the error off(k).
func writeDrive(t *testing.T, off func(k int) robot.Pose) (log, poses string) {
	t.Helper()
	var l, p strings.Builder
	frame := robot.Pose{X: 7, Y: -2, Theta: 0.8}
	for k := range 120 {
		a := 6 * math.Pi * float64(k) / 120
		at := robot.Pose{X: 2 * math.Cos(a), Y: 2 * math.Sin(a), Theta: robot.WrapAngle(a + math.Pi/2)}
		fmt.Fprintf(&l, "FLASER 181 %s %.6f %.6f %.6f %.6f %.6f %.6f %d r %d\n", strings.Trim(fmt.Sprint(roomScan(at)), "[]"), at.X, at.Y, at.Theta, at.X, at.Y, at.Theta, k, k)
		q := frame.Compose(at).Compose(off(k))
		fmt.Fprintf(&p, "%d %.6f %.6f %.6f\n", k, q.X, q.Y, q.Theta)
	}
	dir := t.TempDir()
	log, poses = filepath.Join(dir, "log"), filepath.Join(dir, "poses")
	for name, text := range map[string]string{log: l.String(), poses: p.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return log, poses
}

// measure returns the rows of the experiment by name; "" has the RMS error.
func measure(t *testing.T, off func(k int) robot.Pose) map[string]relationRow {
	t.Helper()
	log, poses := writeDrive(t, off)
	out, _, err := commands.Run(t, "relations", "--log", log, "--poses", poses, "--json")
	if err != nil {
		t.Fatal(err)
	}
	var o relationsOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	rows := map[string]relationRow{"": {Way: o.RMS}}
	for _, r := range o.Rows {
		rows[r.Pairs+", "+r.By+", "+r.Poses] = r
	}
	return rows
}

func TestTruePosesAgreeWithTheScans(t *testing.T) {
	experimenttest.ComputesLong(t)
	rows := measure(t, func(int) robot.Pose { return robot.Pose{} })
	for name, most := range map[string]float64{
		"": 1e-4, "successive, poses in the log, ours": 1e-4, "loops, poses in the log, ours": 1e-4,
		"successive, verified relations, ours": 0.004, "loops, verified relations, ours": 0.004, "loops, verified relations, log's": 0.004,
	} {
		if r, ok := rows[name]; !ok || r.Way > most || name != "" && r.N < 50 {
			t.Errorf("%q: %d pairs, %.4f m off; at most %.4f", name, r.N, r.Way, most)
		}
	}
}

func TestPosesThatAreOffAreMeasuredByTheScans(t *testing.T) {
	experimenttest.ComputesLong(t)
	// Every second scan is 4 cm ahead of its true pose.
	rows := measure(t, func(k int) robot.Pose { return robot.Pose{X: 0.04 * float64(k%2)} })
	if r := rows["successive, verified relations, ours"]; r.N < 50 || math.Abs(r.Way-0.04) > 0.005 {
		t.Errorf("%d pairs, %.4f m off; the poses were moved by 0.04 m", r.N, r.Way)
	}
	if r := rows["successive, verified relations, log's"]; r.Way > 0.004 {
		t.Errorf("the true poses are %.4f m off", r.Way)
	}
}

func TestRelationsSayWhatTheyNeed(t *testing.T) {
	log, poses := writeDrive(t, func(int) robot.Pose { return robot.Pose{} })
	short := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(short, []byte("1 2 3 4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wild := filepath.Join(t.TempDir(), "wild")
	if err := os.WriteFile(wild, []byte("1 2 NaN 4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ log, poses, want string }{
		{log, wild, "line 1: \"NaN\" is no finite number; a line is t x y theta"},
		{log, "", "--log LOG and --poses FILE are needed"},
		{log, short, "has 1 poses, and the log 120 scans"},
		{log, log, "a line is t x y theta"},
		{poses, poses, "this is not a CARMEN log"},
	} {
		if _, _, err := commands.Run(t, "relations", "--log", c.log, "--poses", c.poses); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}
