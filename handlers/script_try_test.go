package handlers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mybot/jobs"
	"mybot/jobs/rehearsal"
	"mybot/robot"
	"mybot/script"
)

// A tryout takes trials in place of a virtual robot.
type tryout struct {
	asked rehearsal.ScriptTrial
	out   rehearsal.Trial
	fails error
}

func (t *tryout) TryScript(_ context.Context, s rehearsal.ScriptTrial) (rehearsal.Trial, error) {
	t.asked = s
	return t.out, t.fails
}

func TestAScriptIsTriedFromWhereTheRobotIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trials := &tryout{out: rehearsal.Trial{
			Time: 60, Why: "The time of the trial was over.", At: robot.Pose{X: 1.23456},
			Lines: []rehearsal.TrialLine{{T: 1.5, By: rehearsal.ByScript, Tag: "low", Text: "no", Fault: true, Pos: script.Pos{Line: 2, Column: 3}}},
			Lanes: []rehearsal.TrialLane{{Lane: rehearsal.Lane{Kind: rehearsal.TagLane, Name: "low", Frozen: true}, Begin: 1, End: 2}},
			Path:  []jobs.RehearsedPoint{{T: 0.1, Pose: robot.Pose{X: 1, Y: 2, Theta: 0.5}}},
		}}
		s := &stage{}
		d := newTestServer(t, withStage(t, s, &scriptShelf{}), func(c *Config) { c.Scripts.Trials = trials })
		d.state.Estimate.Pose, d.state.Battery = robot.Pose{X: 3, Y: 4, Theta: 1}, robot.Battery{Charge: 0.6}
		post := func(sent string, status int, say ...string) {
			t.Helper()
			got := d.ask("POST", "/api/v1/scripts/try", body(sent))
			if answer := text(t, got); got.StatusCode != status || !mentions(answer, say...) {
				t.Errorf("%.100s is answered %s: %s", sent, got.Status, answer)
			}
		}
		post(`{"name":"My patrol","text":"dock();","what_if":"ok.val = 1;","seconds":60}`, 200,
			`"time":60,"ended":false,"why":"The time of the trial was over.","at":[1.2346,0,0]`,
			`{"t":1.5,"by":"script","tag":"low","text":"no","fault":true,"line":2,"column":3}`,
			`{"kind":"tag","name":"low","begin":1,"end":2,"frozen":true}`, `"path":[[0.1,1,2,0.5]],"left_out":0`)
		if a := trials.asked; a.Unit != "my_patrol" || a.Program == nil || a.WhatIf == nil || a.From != d.state.Estimate.Pose || a.Charge != 0.6 || a.Lasts != time.Minute || !a.Clock.Equal(time.Now()) {
			t.Errorf("tried is %+v", a)
		}
		if got := d.ask("POST", "/api/v1/scripts", body(batteryScript)); got.StatusCode != http.StatusCreated {
			t.Fatal(got.Status)
		}
		post(`{"id":"low_battery"}`, 200)
		if a := trials.asked; a.Unit != "low_battery" || a.WhatIf != nil || a.Lasts != usualTrial {
			t.Errorf("of a saved script is tried %+v", a)
		}
		post(`{"id":"low_battery","text":"wait 3 4;"}`, 400, "The script has a fault in line 1, column 8")
		post(`{"id":"gone"}`, 404, `There is no script "gone"; /api/v1/scripts lists the scripts.`)
		trials.fails = robot.Refusal{Word: robot.Busy, Reason: "Too many scripts are being tried."}
		post(`{"text":""}`, 409, "Too many scripts are being tried.")
		trials.fails = fmt.Errorf("trial: %w", context.DeadlineExceeded)
		post(`{"text":""}`, 503, "The trial takes longer than 60 s of the robot's computer. Try less time.")
		trials.fails = errors.New("broken")
		post(`{"text":""}`, 500, "The robot's log says why.")
		d.state = nil
		post(`{"text":""}`, 503, "The robot has not reported its state yet.")
		if done := s.take(); done != "" {
			t.Errorf("the real scripts were asked to %s", done)
		}
	})
}

// The largest answer is within the bound that the page and the documents count on.
func TestTheAnswerToATrialHasAtMost1MiB(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := rehearsal.Trial{Why: strings.Repeat("\x01", 1<<10)}
		for range 1000 {
			out.Lines = append(out.Lines, rehearsal.TrialLine{T: 7199.999, By: rehearsal.ByWhatIf, Text: strings.Repeat("<", 48), Fault: true, Pos: script.Pos{Line: 65535, Column: 65535}})
		}
		for range 2000 {
			out.Lanes = append(out.Lanes, rehearsal.TrialLane{Lane: rehearsal.Lane{Kind: rehearsal.MessageLane, Name: strings.Repeat("<", 24)}, Begin: 7199.9999, End: 7199.9999})
		}
		for range 5000 {
			out.Path = append(out.Path, jobs.RehearsedPoint{T: 7199.9999, Pose: robot.Pose{X: -123.45678, Y: -123.45678, Theta: -math.Pi}})
		}
		d := newTestServer(t, withStage(t, &stage{}, &scriptShelf{}), func(c *Config) { c.Scripts.Trials = &tryout{out: out} })
		got := d.ask("POST", "/api/v1/scripts/try", body(`{"text":""}`))
		answer := text(t, got)
		if n := len(answer); n > 1<<20 {
			t.Errorf("the answer has %d bytes", n)
		}
		b := openDocument(t)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(answer))
		if err == nil {
			err = b.holds("#/paths/~1api~1v1~1scripts~1try/post/responses/200/content/application~1json/schema", value)
		}
		if err != nil {
			t.Error(err)
		}
	})
}
