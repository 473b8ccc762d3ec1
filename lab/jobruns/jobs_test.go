package jobruns

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"mybot/jobs"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/experiment/experimenttest"
	"mybot/robot"
)

func TestRandomJobsMakeNoIllegalTransition(t *testing.T) {
	out, _, err := commands.Run(t, "jobs", "--json", "--runs", "3", "--kills", "0", "--seed", "45")
	if err != nil {
		t.Fatal(err)
	}
	var o jobsOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if o.Illegal != 0 || o.Moved != 0 || o.Bumps != 0 || o.Transitions < 20 || o.Calm < 1 || o.Calm > 2 || o.ErrorP95 > 0.1 || o.ErrorP95 == 0 {
		t.Errorf("the outcome is %s", out)
	}
}

func TestARunWithAnIllegalTransitionIsFound(t *testing.T) {
	at := time.Unix(1e6, 0)
	good := robot.Run{Phase: robot.RunEnded, Steps: []robot.StepRun{{State: robot.StepFinished, Began: at, Ended: at.Add(4 * time.Second), Expect: 5}}}
	for _, t := range [][3]string{{"job", "", "running"}, {"", "WAITING", "INITIALIZING"}, {"", "INITIALIZING", "RUNNING"}, {"", "RUNNING", "FINISHED"}, {"job", "running", "ended"}} {
		step := 0
		if t[0] != "" {
			step = -1
		}
		good.Log = append(good.Log, robot.Transition{At: at, Step: step, From: t[1], To: t[2]})
	}
	for name, c := range map[string]struct {
		spoil func(*robot.Run)
		want  string
	}{
		"good":     {func(*robot.Run) {}, ""},
		"illegal":  {func(r *robot.Run) { r.Log[3].To = "WAITING" }, `from "RUNNING" to "WAITING"`},
		"a gap":    {func(r *robot.Run) { r.Log[2] = robot.Transition{At: at, From: "WAITING", To: "INITIALIZING"} }, `from "WAITING", but it was "INITIALIZING"`},
		"too soon": {func(r *robot.Run) { r.Log[2].At = at.Add(-time.Second) }, "is before the one before it"},
		"the end":  {func(r *robot.Run) { r.Log = r.Log[:4] }, "The run is ended, its log says running."},
		"a step":   {func(r *robot.Run) { r.Steps[0].State = robot.StepFailed }, "Step 1 is FAILED, the log says FINISHED."},
	} {
		run := good
		run.Log, run.Steps = append([]robot.Transition(nil), good.Log...), append([]robot.StepRun(nil), good.Steps...)
		c.spoil(&run)
		o := jobRun{steps: []jobs.Step{{Type: jobs.Move}}}
		o.checkLog(&run)
		if said := strings.Join(o.illegal, " "); (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
			t.Errorf("%s: the log says %q", name, said)
		}
		if name == "good" && (o.executed != 4 || o.predicted != 5) {
			t.Errorf("the run took %g s, expected %g s", o.executed, o.predicted)
		}
		if name == "good" && !slices.Equal(o.moves, []float64{0.25}) {
			t.Errorf("the error of its MOVE was %v, want 0.25: 5 s were expected and 4 s taken", o.moves)
		}
	}
}

func TestWhatAServerAcknowledgedOfJobsIsThereAfterItWasKilled(t *testing.T) {
	experimenttest.StartChildren(t)
	out, _, err := commands.Run(t, "jobs", "--json", "--runs", "0", "--kills", "4")
	if err != nil {
		t.Fatal(err)
	}
	var o jobsOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if o.Kills != 4 || o.Lost != 0 || o.Definitions < 4 || o.killOutcome.Transitions < 4 {
		t.Errorf("the outcome is %s", out)
	}
}

func TestTheErrorOfThePredictionIsWhatTheRunsGive(t *testing.T) {
	var o jobsOutcome
	o.countRuns([]jobRun{
		{calm: true, result: robot.Result{Word: robot.Success}, executed: 100, predicted: 80, moves: []float64{0.5, 0.1}},
		{calm: true, result: robot.Result{Word: robot.Modified}, executed: 50, predicted: 60, moves: []float64{0.3}},
		{calm: true, result: robot.Result{Word: robot.Interrupted}, executed: 40, predicted: 20},
		{executed: 100, predicted: 1, moves: []float64{9}}, // a person interfered
	})
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"median", o.Error, 0.2},
		{"95th percentile", o.ErrorP95, 0.5},
		{"worst", o.ErrorWorst, 0.5},
		{"MOVE, median", o.MoveError, 0.3},
		{"MOVE, 95th percentile", o.MoveP95, 0.5},
		{"executed to predicted, 5th percentile", o.Ratio.P5, 50.0 / 60},
		{"median", o.Ratio.Median, 1.25},
		{"95th", o.Ratio.P95, 2},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", c.what, c.got, c.want)
		}
	}
	if o.Calm != 3 || o.Done != 1 || o.Modified != 1 || o.Interrupted != 2 {
		t.Errorf("%+v", o)
	}
}

func TestARunThatWasCutOffMustComeBackInterrupted(t *testing.T) {
	for _, c := range []struct {
		was, now ranRun
		good     bool
	}{
		{ranRun{Phase: robot.RunRunning}, ranRun{Phase: robot.RunEnded, Word: robot.Interrupted}, true},
		{ranRun{Phase: robot.RunPaused}, ranRun{Phase: robot.RunEnded, Word: robot.Interrupted}, true},
		{ranRun{Phase: robot.RunRunning}, ranRun{Phase: robot.RunEnded, Word: robot.Error}, false},
		{ranRun{Phase: robot.RunRunning}, ranRun{Phase: robot.RunEnded, Word: robot.Success}, false},
		{ranRun{Phase: robot.RunRunning}, ranRun{Phase: robot.RunEnded}, false},
		{ranRun{Phase: robot.RunRunning}, ranRun{Phase: robot.RunRunning, Word: robot.Interrupted}, false},
		{ranRun{Phase: robot.RunEnded, Word: robot.Modified}, ranRun{Phase: robot.RunEnded, Word: robot.Modified}, true},
		{ranRun{Phase: robot.RunEnded, Word: robot.Modified}, ranRun{Phase: robot.RunEnded, Word: robot.Interrupted}, false},
	} {
		if cameBack(&c.was, &c.now) != c.good {
			t.Errorf("%s %s to %s %s counts as %v", c.was.Phase, c.was.Word, c.now.Phase, c.now.Word, !c.good)
		}
	}
}

func TestAWrongCallOfJobsIsRefused(t *testing.T) {
	for _, args := range [][]string{{"--runs", "-1"}, {"--kills", "10001"}, {"--people", "11"}, {"--world", "lidar-nan"}} {
		if _, _, err := commands.Run(t, append([]string{"jobs"}, args...)...); !errors.Is(err, experiment.ErrUsage) || !strings.Contains(err.Error(), args[0]) {
			t.Errorf("%v: %v", args, err)
		}
	}
}
