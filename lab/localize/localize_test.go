package localize

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/experiment/experimenttest"
	"mybot/lab/internal/testbed"
	"mybot/robot"
)

// localized runs lab localize and returns its outcome.
func localized(t *testing.T, args ...string) localizeOutcome {
	t.Helper()
	out, _, err := commands.Run(t, append([]string{"localize", "--json"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	var o localizeOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// row returns the row of a method.
func (o localizeOutcome) row(t *testing.T, method string) localizeRow {
	t.Helper()
	for _, r := range o.Rows {
		if r.Method == method {
			return r
		}
	}
	t.Fatalf("there is no row for %s", method)
	return localizeRow{}
}

func TestAllLocalizersRunSideBySide(t *testing.T) {
	o := localized(t, "--scenario", "hard", "--lasts", "60s", "--seed", "3", "--seeds", "2")
	if len(o.Rows) != len(testbed.LocalizerNames) || len(o.Seeds) != 2 || o.Seeds[1] != 4 {
		t.Fatalf("%+v", o)
	}
	for _, r := range o.Rows {
		if r.Runs != 2 || r.Worst < r.RMSE || !(r.RMSE > 0) {
			t.Errorf("%+v", r)
		}
	}
	mcl := o.row(t, "mcl")
	if mcl.RMSE > 0.12 || mcl.Lost > 0.005 || mcl.Heading > 3 || mcl.Jumps != 0 {
		t.Errorf("MCL is %+v", mcl)
	}
	if mcl.Allocs > 0.5 {
		t.Errorf("MCL makes %v allocations an update", mcl.Allocs)
	}
	if odometry := o.row(t, "odometry"); odometry.RMSE < mcl.RMSE {
		t.Errorf("odometry is better than MCL: %+v", odometry)
	}
}

func TestAKidnappedRobotIsFoundAndCounted(t *testing.T) {
	experimenttest.ComputesLong(t)
	o := localized(t, "--scenario", "kidnap", "--lasts", "130s", "--methods", "odometry,mcl")
	if r := o.row(t, "mcl"); r.Carried != 2 || r.Found != 2 || r.FoundIn > 10 || r.RMSE > 0.1 {
		t.Errorf("MCL is %+v", r)
	}
	if r := o.row(t, "odometry"); r.Carried != 2 || r.Found != 0 || r.Lost < 0.3 || len(r.LostIn) != 1 {
		t.Errorf("odometry is %+v", r)
	}
	o = localized(t, "--scenario", "global", "--lasts", "30s", "--methods", "mcl")
	if r := o.row(t, "mcl"); r.Carried != 1 || r.Found != 1 || r.FoundIn > 10 {
		t.Errorf("from an unknown start MCL is %+v", r)
	}
}

func TestALogTellsWhatTheRunDid(t *testing.T) {
	experimenttest.ComputesLong(t)
	dir := t.TempDir()
	log, picture := filepath.Join(dir, "run.log"), filepath.Join(dir, "run.svg")
	run := localized(t, "--scenario", "nominal", "--lasts", "60s", "--methods", "mcl", "--write-log", log)
	replay := localized(t, "--log", log, "--svg", picture)
	if replay.Sonar != "the log tells" || len(replay.Rows) != len(testbed.LocalizerNames) {
		t.Errorf("the replay is %+v", replay)
	}
	a, b := run.row(t, "mcl"), replay.row(t, "mcl")
	if b.RMSE > 0.1 || b.RMSE > 3*a.RMSE+0.02 {
		t.Errorf("in the run MCL has an error of %v m, in its log %v m", a.RMSE, b.RMSE)
	}
	again := localized(t, "--log", log).row(t, "mcl")
	if again.RMSE != b.RMSE || again.Max != b.Max {
		t.Errorf("the same log gives %v m and %v m", b.RMSE, again.RMSE)
	}
	if paths := experimenttest.CountPaths(t, picture); paths < 1+len(testbed.LocalizerNames) {
		t.Errorf("the picture has %d paths", paths)
	}
}

func TestALogThatDoesNotTellItsSonarsIsFitted(t *testing.T) {
	experimenttest.ComputesLong(t)
	log := filepath.Join(t.TempDir(), "run.log")
	localized(t, "--scenario", "nominal", "--lasts", "40s", "--methods", "mcl", "--write-log", log)
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "#") {
			kept = append(kept, line)
		}
	}
	if err := os.WriteFile(log, []byte(strings.Join(kept, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	o := localized(t, "--log", log, "--methods", "mcl")
	if strings.Contains(o.Sonar, "centre") || strings.Contains(o.Sonar, " 2 deg") || o.row(t, "mcl").RMSE > 0.1 {
		t.Errorf("%s: %+v", o.Sonar, o.Rows)
	}
}

func TestAWrongLogIsToldByItsLine(t *testing.T) {
	dir := t.TempDir()
	good := "0 1 2 0 0 0 0 0 1 1.5 0 -1\n"
	for text, want := range map[string]string{
		"":                                 "has 0 lines",
		good + "0 1 x 0 0 0 0 0 1 1 1 1\n": `line 2: "x" is not a number`,
		good + "0 1 2\n":                   "line 2 has 3 numbers",
		good + "0 1 2 0 0 0 0 0 1 1.5\n":   "line 2 has 1 ranges and the first one has 3",
		"# sonar x 0.1 y 0 theta 0 beam 0.3 min 0.1 max 5\n" + strings.Repeat(good, 20): "describes 1 sonars and has 3 ranges",
	} {
		log := filepath.Join(dir, "wrong.log")
		if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := commands.Run(t, "localize", "--log", log); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; it must say %q", text, err, want)
		}
	}
}

func TestAWrongCallOfLocalizeIsToldWhatWouldBeRight(t *testing.T) {
	for call, want := range map[string]string{
		"localize --scenario easy":             `--scenario is "easy"; it must be nominal`,
		"localize --methods mcl,gps":           `no method "gps"`,
		"localize --seeds 0":                   "--seeds is 0",
		"localize --lasts 1s":                  "--lasts is 1s",
		"localize --world mars":                "hears-less",
		"localize --worlds --log a":            "no log",
		"localize --log a --write-log b":       "exclude each other",
		"localize --sensor radar":              `--sensor is "radar"; it must be sonar, lidar or both`,
		"localize --sensor lidar --log a":      "--sensor goes with no log",
		"localize --sensor both --robot mybot": "has 12 sonars and 0 lidars",
		"localize --robot /nowhere/at/all":     "no such file",
		"localize --map /nowhere/at/all":       "map.yaml",
	} {
		if _, _, err := commands.Run(t, strings.Fields(call)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("lab %s: %v; it must say %q", call, err, want)
		}
	}
}

func TestEveryWorldIsRunAndJudged(t *testing.T) {
	experimenttest.ComputesLong(t)
	out, _, err := commands.Run(t, "localize", "--worlds", "--json", "--lasts", "61s", "--seed", "5")
	if err != nil {
		t.Fatal(err)
	}
	var o worldsOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if len(o.Worlds) != len(sim.Deviations()) || len(o.Seeds) != 1 {
		t.Fatalf("%+v", o)
	}
	for n, r := range o.Worlds {
		if r.World != sim.Deviations()[n].Name || !(r.RMSE > 0) || !(r.Inside > 0) || r.Carried != 1 {
			t.Errorf("%+v", r)
		}
	}
	// After the only kidnap there is one second left, within the slack.
	if r := o.Worlds[0]; r.Off != 0 || r.Doubts != 1 || r.RMSE > 0.1 || r.Inside < 0.8 {
		t.Errorf("nominal is %+v", r)
	}
}

func TestAnEstimateThatIsOffHasToSaySoWithinThreeSeconds(t *testing.T) {
	frames := make([]frame, 1000) // 20 s
	r := localizeRun{
		estimates: make([]robot.Pose, 1000), off: make([]float64, 1000), turned: make([]float64, 1000), since: make([]float64, 1000),
		counted: make([]bool, 1000), inside: make([]bool, 1000), said: make([]bool, 1000), doubted: make([]bool, 1000),
	}
	for i := range frames {
		frames[i].reading.Time = time.Unix(0, 0).Add(time.Duration(i) * 20 * time.Millisecond)
		if i >= 500 { // from 10 s on it is a metre off, and from 15 s on it reports so
			r.estimates[i].X, r.doubted[i] = 1, i >= 750
		}
	}
	r.compareWithTruth(frames, "nominal")
	row := sumRuns("nominal", "mcl", []localizeRun{r}, []uint64{1})
	if math.Abs(row.Off-7) > 0.1 || math.Abs(row.Doubts-5.0/7) > 0.02 || row.Crying != 0 {
		t.Errorf("the estimate is off for %v s, reports doubt for %v of it, and false doubt for %v", row.Off, row.Doubts, row.Crying)
	}
}

func TestAStartThatIsHalfAMetreOffIsMended(t *testing.T) {
	experimenttest.ComputesLong(t)
	o := localized(t, "--scenario", "off", "--lasts", "40s", "--seeds", "3", "--methods", "odometry,mcl")
	if r := o.row(t, "mcl"); r.Carried != 3 || r.Found != 3 || r.FoundIn > 10 || r.RMSE > 0.1 {
		t.Errorf("MCL is %+v", r)
	}
	if r := o.row(t, "odometry"); r.RMSE < 0.3 {
		t.Errorf("odometry, which cannot correct itself, is %+v", r)
	}
}

func TestABuildingOfEqualDoorsIsDrawnFromItsSeed(t *testing.T) {
	a, b, other := doorsPlan(30, 1), doorsPlan(30, 1), doorsPlan(30, 2)
	if !reflect.DeepEqual(a, b) || reflect.DeepEqual(a.Lines, other.Lines) {
		t.Error("the same seed draws another building, or another seed the same one")
	}
	roads, err := testbed.NewRoads(a)
	if err != nil {
		t.Fatal(err)
	}
	if rooms := 12; len(roads.LargestPart()) < rooms+rooms/2 {
		t.Errorf("%d via points are connected; %d rooms have one each, and one before each pair of doors", len(roads.LargestPart()), rooms)
	}
}

func TestKidnapsAmongEqualDoorsReportTheDistanceUntilTheRobotIsFound(t *testing.T) {
	experimenttest.ComputesLong(t)
	o := localized(t, "--doors", "24", "--scenario", "kidnap", "--methods", "mcl", "--lasts", "130s", "--seed", "3")
	r := o.row(t, "mcl")
	if r.Carried != 2 || r.Within > r.Found || r.Found > 0 && !(r.FoundWay > 0) || !(r.Dearest >= r.P99All) {
		t.Errorf("%+v", r)
	}
	if r.Doubts < 0.95 {
		t.Errorf("the share of the time off in which MCL reported doubt is %.0f %%", 100*r.Doubts)
	}
}

func TestBadDoorsAreRefused(t *testing.T) {
	for _, args := range [][]string{{"--doors", "10"}, {"--doors", "NaN"}, {"--doors", "1000"}, {"--doors", "30", "--map", "."}} {
		if _, _, err := commands.Run(t, append([]string{"localize"}, args...)...); !errors.Is(err, experiment.ErrUsage) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestEachSensorLocalizesAlone(t *testing.T) {
	experimenttest.ComputesLong(t)
	for _, sensor := range []string{"sonar", "lidar", "both"} {
		o := localized(t, "--sensor", sensor, "--scenario", "hard", "--lasts", "40s", "--methods", "mcl")
		r := o.row(t, "mcl")
		if o.Sensor != sensor || r.RMSE > 0.1 || r.Lost > 0 {
			t.Errorf("with %s MCL is %+v", o.Sensor, r)
		}
		if hasCrowd := r.Crowd > 0; hasCrowd != (sensor != "sonar") || r.Crowd > 0.3 {
			t.Errorf("with %s %.2f of the beams end at people", sensor, r.Crowd)
		}
	}
	if o := localized(t, "--scenario", "nominal", "--lasts", "10s", "--methods", "odometry"); o.Sensor != "sonar" {
		t.Errorf("Mybot localizes by %s", o.Sensor)
	}
}

func TestARobotCarriedAwayIsFoundByItsLidar(t *testing.T) {
	experimenttest.ComputesLong(t)
	o := localized(t, "--sensor", "lidar", "--scenario", "kidnap", "--lasts", "130s", "--methods", "mcl")
	if r := o.row(t, "mcl"); r.Carried != 2 || r.Found != 2 || r.FoundMax > 5 || r.RMSE > 0.05 {
		t.Errorf("MCL is %+v", r)
	}
}

func TestInAMapJustMadeARobotIsLocalizedAsItIsInItsOwn(t *testing.T) {
	experimenttest.ComputesLong(t)
	o := localized(t, "--made", "--sensor", "lidar", "--methods", "mcl", "--scenario", "kidnap", "--lasts", "130s", "--seed", "2")
	if r := o.row(t, "mcl"); !o.Made || r.Carried != 2 || r.Found != 2 || r.RMSE <= 0 || r.RMSE > 0.03 || r.Crying > 0.05 || r.FoundMax > 5 {
		t.Errorf("%+v", r)
	}
}

func TestAMapIsMadeByALidarInABuilding(t *testing.T) {
	for args, want := range map[string]string{
		"--made --log x":         "--made goes with no log",
		"--made --worlds":        "--made goes with no log, not with --worlds",
		"--made --doors 30":      "not with --doors",
		"--made --sensor sonar":  "has no lidar",
		"--made --write-log /no": "--made goes with no log",
	} {
		if _, _, err := commands.Run(t, append([]string{"localize"}, strings.Fields(args)...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", args, err, want)
		}
	}
}
