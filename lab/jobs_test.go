package lab

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"mybot/robot"
)

func TestRandomJobsMakeNoIllegalTransition(t *testing.T) {
	out, _, err := run(t, "jobs", "--json", "--runs", "3", "--kills", "0", "--seed", "45")
	if err != nil {
		t.Fatal(err)
	}
	var o jobsOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if o.Illegal != 0 || o.Moved != 0 || o.Bumps != 0 || o.Transitions < 20 || o.Calm < 1 || o.Calm > 2 || o.ErrorP95 > 0.1 || o.ErrorP95 == 0 {
		t.Errorf("the jobs came out as %s", out)
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
		var o jobRun
		o.judge(&run)
		if said := strings.Join(o.illegal, " "); (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
			t.Errorf("%s: it is said %q", name, said)
		}
		if name == "good" && (o.executed != 4 || o.predicted != 5) {
			t.Errorf("it took %g s, expected were %g s", o.executed, o.predicted)
		}
	}
}

func TestWhatAServerAcknowledgedOfJobsIsThereAfterItWasKilled(t *testing.T) {
	t.Setenv("MYBOT_TEST_BE_THE_PROGRAM", "1")
	out, _, err := run(t, "jobs", "--json", "--runs", "0", "--kills", "4")
	if err != nil {
		t.Fatal(err)
	}
	var o jobsOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if o.Kills != 4 || o.Lost != 0 || o.Definitions < 4 || o.killOutcome.Transitions < 4 {
		t.Errorf("the killed servers came out as %s", out)
	}
}

func TestWrongNumbersOfJobsAreRefused(t *testing.T) {
	for _, args := range [][]string{{"--runs", "-1"}, {"--kills", "10001"}} {
		if _, _, err := run(t, append([]string{"jobs"}, args...)...); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), args[0]) {
			t.Errorf("%v: %v", args, err)
		}
	}
}
