package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/session/lease"
)

// fakeJobs prepares every job at once, or fails with err.
type fakeJobs struct {
	list  []jobs.Job
	made  []jobs.PreparedRun // by number, from 1
	froms []robot.Pose
	told  []string // calls that concern runs
	err   error
	wait  chan struct{} // Prepare waits for it; nil = it does not wait
}

func (f *fakeJobs) List() []jobs.Job { return f.list }

func (f *fakeJobs) Prepare(ctx context.Context, from robot.Pose, job jobs.Job) (uint64, error) {
	if f.wait != nil {
		select {
		case <-f.wait:
		case <-ctx.Done():
			return 0, robot.Refusal{Word: robot.Error, Reason: "The job was given up."}
		}
	}
	if f.err != nil {
		return 0, f.err
	}
	f.froms = append(f.froms, from)
	f.made = append(f.made, jobs.PreparedRun{Job: job, Ways: [][]robot.Point{{{X: 1, Y: 2}, {X: 3, Y: 4}}}})
	return uint64(len(f.made)), nil
}

func (f *fakeJobs) PrepareChange(ctx context.Context, run uint64, from robot.Pose, job jobs.Job) (uint64, error) {
	f.told = append(f.told, fmt.Sprint("prepare a change of ", run))
	return f.Prepare(ctx, from, job)
}

func (f *fakeJobs) Prepared(run uint64) (jobs.PreparedRun, bool) {
	if run == 0 || run > uint64(len(f.made)) {
		return jobs.PreparedRun{}, false
	}
	return f.made[run-1], true
}

func (f *fakeJobs) Discard(run uint64) { f.told = append(f.told, fmt.Sprint("drop ", run)) }

func (f *fakeJobs) ReplaceSteps(run, ready uint64) {
	f.told = append(f.told, fmt.Sprint("change ", run, " ", ready))
}

// newJobTable is a table that runs jobs.
func newJobTable(t testing.TB) (*table, *fakeJobs) {
	tb, kept := newTable(t), &fakeJobs{}
	tb.hub.cfg.Jobs, tb.hub.coordinator.jobs = kept, kept
	return tb, kept
}

// runs publishes states with a pose and the run r.
func (tb *table) runs(r *robot.Run) {
	tb.t.Helper()
	for range 2 { // the first state after an order may be older than the order
		tb.hub.latest.Store(&robot.State{Time: tb.now, Estimate: robot.Estimate{Pose: robot.Pose{X: 1, Y: 2}}, Run: r, Battery: robot.Battery{Charge: 1}})
		tb.hub.step(tb.now)
	}
}

// prepare prepares the jobs whose preparation is queued.
func (tb *table) prepare() {
	for len(tb.hub.prepareRequests) > 0 {
		tb.hub.post(tb.hub.prepare(tb.t.Context(), <-tb.hub.prepareRequests))
	}
	tb.hub.step(tb.now)
}

// errandFrame requests a job of two steps.
const errandFrame = `{"type":"job","id":7,"lease":%d,"action":"run","job":"paper-to-jin","name":"Paper to Jin","steps":[{"type":"MOVE","place":"Sofa"},{"type":"WAIT","seconds":5}]}`

// doing returns a run in the given phase and step.
func doing(phase robot.RunPhase, step int, log ...robot.Transition) *robot.Run {
	return &robot.Run{
		Number: 1, Job: "paper-to-jin", Name: "Paper to Jin", Phase: phase, Step: step,
		Steps: []robot.StepRun{{State: robot.StepRunning}, {State: robot.StepWaiting}}, Log: log,
	}
}

// answers returns the results among the queued frames, with the number of the run.
func (p *page) answers() (lines []string) {
	p.t.Helper()
	for _, m := range p.hear() {
		if m["type"] == "result" {
			lines = append(lines, strings.TrimSpace(fmt.Sprint(m["id"], " ", m["word"], " ", m["reason"], " ", m["run"])))
		}
	}
	return lines
}

func TestAJobIsMadeReadyAndThenRun(t *testing.T) {
	tb, kept := newJobTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	tb.robot.take()
	ana.say(errandFrame, 1)
	equal(t, "before the robot has told where it is", ana.answers(), "7 BUSY The robot is starting. <nil>")
	tb.runs(nil)
	jin.hear()
	ana.say(errandFrame, 1)
	equal(t, "before it is ready", ana.answers())
	equal(t, "the robot", tb.robot.take())
	tb.prepare()
	equal(t, "the answer", ana.answers(), "7 SUCCESS  1")
	equal(t, "the robot", tb.robot.take(), "RunJob {Run:1}")
	equal(t, "the log", jin.logs(), "goal: Ana started the job Paper to Jin.")
	if made := kept.made[0]; made.Job.ID != "paper-to-jin" || len(made.Job.Steps) != 2 || kept.froms[0] != (robot.Pose{X: 1, Y: 2}) {
		t.Errorf("%+v from %v", made, kept.froms[0])
	}
	tb.runs(doing(robot.RunRunning, 0))
	ana.say(errandFrame, 1)
	equal(t, "another job meanwhile", ana.answers(), "7 BUSY The job Paper to Jin is under way. End it first. <nil>")
	ana.say(`{"type":"job","id":8,"lease":1,"action":"end"}`)
	ana.say(errandFrame, 1)
	tb.prepare()
	equal(t, "another job at once after the end", ana.answers(), "8 SUCCESS  <nil>", "7 SUCCESS  2")
	equal(t, "what the keeper was told", kept.told)
}

func TestAJobThatWasPreparedStartsAlthoughOthersAskForManyRoutesMeanwhile(t *testing.T) {
	tb, kept := newJobTable(t)
	tb.robot.route = &copyRoom
	ana := tb.join("Ana")
	tb.runs(nil)
	ana.say(errandFrame, 1)
	for n := range 3 {
		p := tb.join(fmt.Sprint("Guest ", n))
		for range plansPerSecond {
			p.say(`{"type":"plan","id":1,"goal":[1,2,3]}`)
		}
	}
	tb.prepare()
	equal(t, "the answer", ana.answers(), "7 SUCCESS  1")
	equal(t, "what the keeper was told", kept.told)
}

func TestAJobCountsOnceAsItsPreparation(t *testing.T) {
	tb, _ := newJobTable(t)
	ana := tb.join("Ana")
	tb.runs(nil)
	began := 0
	for n := range uint64(plansPerSecond + 5) {
		ana.say(`{"type":"job","id":7,"lease":1,"action":"run","name":"Wait","steps":[{"type":"WAIT","seconds":5}]}`)
		tb.prepare()
		switch got := strings.Join(ana.answers(), "; "); got {
		case fmt.Sprintf("7 SUCCESS  %d", n+1):
			began++
		case "7 BUSY Too many routes and jobs are asked for. At most 10 per second are planned for one person. <nil>":
		default:
			t.Errorf("job %d is answered %s", n+1, got)
		}
		ana.say(`{"type":"job","id":8,"lease":1,"action":"end"}`)
		ana.answers()
	}
	if began != plansPerSecond {
		t.Errorf("%d jobs began at once, want %d", began, plansPerSecond)
	}
}

func TestOnlyWhoHasControlRunsJobs(t *testing.T) {
	tb, _ := newJobTable(t)
	ana, jin, oda := tb.join("Ana"), tb.join("Jin"), tb.joinAs("Oda", Observer)
	tb.runs(nil)
	tb.robot.take()
	for _, action := range []string{`"run","name":"A","steps":[{"type":"WAIT","seconds":1}]`, `"change","steps":[{"type":"WAIT","seconds":1}]`, `"pause"`, `"resume"`, `"skip"`, `"retry"`, `"end"`, `"ok"`} {
		for _, p := range []*page{jin, oda} {
			p.say(`{"type":"job","id":1,"lease":%d,"action":%s}`, 1, action)
			equal(t, action, p.results(), "ERROR Ana has control. You can watch and stop the robot.")
		}
		ana.say(`{"type":"job","id":1,"lease":%d,"action":%s}`, 0, action)
		equal(t, action, ana.results(), "INTERRUPTED Control changed, and you have it. Look again, then send it again.")
	}
	jin.say(`{"type":"look","id":1,"lease":1,"pan":0.5,"tilt":0}`)
	equal(t, "the head", jin.results(), "ERROR Ana has control. You can watch and stop the robot.")
	tb.prepare()
	equal(t, "the robot", tb.robot.take())

	jin.say(`{"type":"stop"}`)
	ana.results()
	for _, action := range []string{`"run","name":"A","steps":[{"type":"WAIT","seconds":1}]`, `"resume"`, `"skip"`, `"retry"`, `"ok"`} {
		ana.say(`{"type":"job","id":1,"lease":%d,"action":%s}`, 1, action)
		equal(t, action+" while the robot is stopped", ana.results(), "PANIC Stopped by Jin. Ana can release it.")
	}
	ana.say(`{"type":"look","id":1,"lease":1,"pan":0.5,"tilt":0}`)
	equal(t, "the head of a stopped robot", ana.results(), "PANIC Stopped by Jin. Ana can release it.")
	equal(t, "the stopped robot", tb.robot.take())
	for _, action := range []string{`"pause"`, `"end"`} {
		ana.say(`{"type":"job","id":1,"lease":%d,"action":%s}`, 1, action)
		equal(t, action+" while the robot is stopped", ana.results(), "SUCCESS")
	}
}

func TestAJobThatIsReadyTooLateDoesNotBegin(t *testing.T) {
	for name, tc := range map[string]struct {
		meanwhile func(tb *table, ana, jin *page)
		answer    string
	}{
		"stopped": {func(_ *table, _, jin *page) { jin.say(`{"type":"stop"}`) }, "PANIC Stopped by Jin. Ana can release it."},
		"stopped and released": {func(_ *table, ana, jin *page) {
			jin.say(`{"type":"stop"}`)
			ana.say(`{"type":"unstop","id":3,"lease":1}`)
		}, "INTERRUPTED The robot was driven or stopped while the job was being prepared. Run it again."},
		"control went to Jin": {func(tb *table, ana, jin *page) {
			jin.control("request")
			ana.control("give", `,"to":%d`, jin.you)
			tb.stand()
		}, "INTERRUPTED Jin has control."},
		"control went away and came back": {func(tb *table, ana, _ *page) {
			ana.control("release")
			tb.stand()
			ana.control("take")
			tb.stand()
		}, "INTERRUPTED Control changed, and you have it. Look again, then send it again."},
		"another job began": {func(tb *table, _, _ *page) { tb.runs(doing(robot.RunRunning, 0)) }, "BUSY The job Paper to Jin is under way. End it first."},
		"the robot does not want to": {func(tb *table, _, _ *page) {
			tb.robot.refuse = &robot.Result{Word: robot.Error, Reason: "Position is not known."}
		}, "ERROR Position is not known."},
	} {
		t.Run(name, func(t *testing.T) {
			tb, kept := newJobTable(t)
			ana, jin := tb.join("Ana"), tb.join("Jin")
			tb.runs(nil)
			ana.say(errandFrame, 1)
			tc.meanwhile(tb, ana, jin)
			ana.results()
			tb.robot.take()
			tb.prepare()
			equal(t, "the answer", ana.results(), tc.answer)
			if did := tb.robot.take(); slices.ContainsFunc(did, func(line string) bool { return strings.HasPrefix(line, "RunJob") }) {
				t.Errorf("the robot: %v", did)
			}
			equal(t, "what the keeper was told", kept.told, "drop 1")
		})
	}
	t.Run("its page has gone", func(t *testing.T) {
		tb, kept := newJobTable(t)
		ana := tb.join("Ana")
		tb.runs(nil)
		ana.say(errandFrame, 1)
		ana.user.Leave()
		tb.hub.step(tb.now)
		tb.robot.take()
		tb.prepare()
		equal(t, "the robot", tb.robot.take())
		equal(t, "what the keeper was told", kept.told, "drop 1")
	})
	t.Run("it is not ready", func(t *testing.T) {
		tb, kept := newJobTable(t)
		ana := tb.join("Ana")
		tb.runs(nil)
		kept.err = robot.Refusal{Word: robot.Error, Reason: `Step 1: there is no place "Sofa" on the map.`}
		ana.say(errandFrame, 1)
		tb.prepare()
		equal(t, "the answer", ana.results(), `ERROR Step 1: there is no place "Sofa" on the map.`)
		equal(t, "what the keeper was told", kept.told)
	})
}

func TestARunIsSteeredByItsHolder(t *testing.T) {
	for _, tc := range []struct{ action, does, log string }{
		{"pause", "PauseRun {Reason:Paused by Ana.}", ""},
		{"resume", "ResumeRun {}", "goal: Ana resumed the job."},
		{"skip", "SkipStep {Reason:Skipped by Ana. Nth:0}", "goal: Ana skipped step 2."},
		{"retry", "RetryStep {Nth:0}", "goal: Ana retried step 2."},
		{"end", "EndRun {Reason:Ended by Ana.}", ""},
		{"ok", "OK {By:Ana Message:0}", "goal: Ana touched OK."},
	} {
		tb, _ := newJobTable(t)
		ana := tb.join("Ana")
		tb.runs(doing(robot.RunRunning, 1))
		ana.hear()
		tb.robot.take()
		ana.say(`{"type":"job","id":1,"lease":1,"action":%q}`, tc.action)
		equal(t, tc.action, tb.robot.take(), tc.does)
		if log := strings.Join(ana.logs(), "\n"); log != tc.log {
			t.Errorf("%s: the log says %q, want %q", tc.action, log, tc.log)
		}
	}
}

func TestAnOrderForAStepAndAnOKForAMessageNameTheOneTheyMean(t *testing.T) {
	for _, tc := range []struct{ rest, does string }{
		{`"skip","step":0`, "SkipStep {Reason:Skipped by Ana. Nth:1}"},
		{`"retry","step":1`, "RetryStep {Nth:2}"},
		{`"ok","message":17000003`, "OK {By:Ana Message:17000003}"},
	} {
		tb, _ := newJobTable(t)
		ana := tb.join("Ana")
		tb.runs(doing(robot.RunRunning, 1))
		tb.robot.take()
		ana.say("%s", `{"type":"job","id":1,"lease":1,"action":`+tc.rest+`}`)
		equal(t, tc.rest, tb.robot.take(), tc.does)
	}
	tb, _ := newJobTable(t)
	ana := tb.join("Ana")
	tb.runs(doing(robot.RunRunning, 1))
	ana.hear()
	ana.say(`{"type":"job","id":1,"lease":1,"action":"skip","step":0}`)
	equal(t, "the log of a skip that came while step 2 had begun", ana.logs(), "goal: Ana skipped step 1.")
}

func TestTheLaterStepsOfARunAreChanged(t *testing.T) {
	tb, kept := newJobTable(t)
	ana := tb.join("Ana")
	tb.runs(nil)
	const change = `{"type":"job","id":8,"lease":1,"action":"change","steps":[{"type":"MOVE","place":"Sofa"},{"type":"WAIT","seconds":9}]}`
	ana.say(change)
	equal(t, "without a run", ana.results(), "ERROR No job is under way that could be changed.")
	ana.say(errandFrame, 1)
	tb.prepare()
	tb.runs(doing(robot.RunPaused, 0))
	ana.hear()
	tb.robot.take()
	ana.say(change)
	tb.prepare()
	equal(t, "the robot", tb.robot.take(), "ChangeRun {Ready:2}")
	equal(t, "what the keeper was told", kept.told, "prepare a change of 1", "change 1 2")
	if made := kept.made[1].Job; made.Name != "Paper to Jin" || made.ID != "paper-to-jin" || made.Steps[1].Seconds != 9 {
		t.Errorf("%+v", made)
	}
	equal(t, "the answer", ana.answers(), "8 SUCCESS  1")

	ana.say(change)
	next := doing(robot.RunRunning, 0)
	next.Number, next.Name = 2, "Another"
	tb.runs(next)
	ana.hear()
	tb.robot.take()
	tb.prepare()
	if does := tb.robot.take(); len(does) > 0 {
		t.Errorf("for a change of the job before, the robot does %q", does)
	}
	equal(t, "the answer", ana.answers(), "8 ERROR The job that was to be changed has ended. Another one is under way. <nil>")
}

func TestARunGoesOnWithoutItsHolderAndPausesWhenControlPasses(t *testing.T) {
	tb, _ := newJobTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	tb.runs(doing(robot.RunRunning, 0))
	tb.robot.take()
	ana.user.Leave()
	tb.pass(lease.Grace + time.Second)
	for _, line := range tb.robot.take() {
		if strings.HasPrefix(line, "halt and pause") {
			t.Errorf("the holder stays away: %s", line)
		}
	}
	jin.user.Leave()
	tb.pass(lease.Grace + time.Second)
	zoe := tb.join("Zoe")
	if zoe.holder != 0 {
		t.Errorf("%d got control just by coming while a job runs", zoe.holder)
	}
	zoe.control("take")
	equal(t, "the robot", tb.robot.take(), "halt and pause: Zoe has control.")
	tb.stand()
	zoe.hear()
	if zoe.holder != zoe.you {
		t.Errorf("control is with %d", zoe.holder)
	}
	zoe.user.Leave()
	tb.pass(lease.Grace + time.Second)
	tb.runs(doing(robot.RunPaused, 0))
	if ana := tb.join("Ana"); ana.holder != ana.you {
		t.Error("a job that is paused keeps the first one from control")
	}
}

func TestEveryUserHearsOfEveryChangeOfARun(t *testing.T) {
	tb, kept := newJobTable(t)
	ana, oda := tb.join("Ana"), tb.joinAs("Oda", Observer)
	tb.runs(nil)
	ana.say(errandFrame, 1)
	tb.prepare()
	oda.hear()
	events := func(p *page) (lines []string) {
		for _, m := range p.hear() {
			if m["kind"] != "run" {
				continue
			}
			r := m["run"].(map[string]any)
			step := r["steps"].([]any)[0].(map[string]any)
			lines = append(lines, fmt.Sprintln(r["n"], r["phase"], r["step"], r["changes"], step["type"], step["place"], step["state"], r["ways"]))
		}
		return lines
	}
	first := doing(robot.RunRunning, 0, robot.Transition{Step: 0})
	tb.runs(first)
	equal(t, "the first", events(oda), "1 running 0 1 MOVE Sofa RUNNING [[[1 2] [3 4]]]\n")
	same := *first
	same.Left = 3
	tb.runs(&same)
	equal(t, "when only the time left has changed", events(oda))
	tb.runs(doing(robot.RunRunning, 1, first.Log[0], robot.Transition{Step: 1}))
	equal(t, "the next step", events(oda), "1 running 1 2 MOVE Sofa RUNNING [[[1 2] [3 4]]]\n")
	kept.list = []jobs.Job{{ID: "a", Name: "A", Steps: make([]jobs.Step, 2), Revision: 4}}
	late := tb.connect("Zoe")
	late.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","build":"0.1.0"}`)
	var kinds []string
	for _, m := range late.hear() {
		if m["kind"] == "run" || m["kind"] == "jobs" {
			kinds = append(kinds, fmt.Sprint(m["kind"]))
		}
	}
	equal(t, "who comes later", kinds, "jobs", "run")
	ended := doing(robot.RunEnded, 2, first.Log...)
	ended.Result = robot.Result{Word: robot.Success}
	tb.runs(ended)
	equal(t, "the end", events(oda), "1 ended 2 3 MOVE Sofa RUNNING [[[1 2] [3 4]]]\n")
	tb.hub.JobsChanged()
	tb.hub.step(tb.now)
	if heard := oda.hear(); len(heard) == 0 || heard[len(heard)-1]["kind"] != "jobs" || fmt.Sprint(heard[len(heard)-1]["jobs"]) != "[map[changed:0001-01-01T00:00:00Z id:a name:A revision:4 steps:2]]" {
		t.Errorf("%v", heard)
	}
}

func TestTheLogTellsOfARunInPlainWords(t *testing.T) {
	ends := func(word robot.Word, reason string) *robot.Run {
		r := doing(robot.RunEnded, 2)
		r.Result = robot.Result{Word: word, Reason: reason}
		return r
	}
	paused := func(reason string) *robot.Run {
		r := doing(robot.RunPaused, 0)
		r.Result.Reason = reason
		return r
	}
	fails := func(to robot.ActionState, word robot.Word, reason string) robot.Transition {
		return robot.Transition{Step: 1, From: "RUNNING", To: string(to), Word: word, Reason: reason}
	}
	for name, tc := range map[string]struct {
		runs []*robot.Run
		log  []string
	}{
		"done":              {[]*robot.Run{doing(robot.RunRunning, 0), ends(robot.Success, ""), ends(robot.Success, "")}, []string{"goal: Job finished."}},
		"done in part":      {[]*robot.Run{ends(robot.Modified, "Step 2: Skipped by Ana.")}, []string{"goal: Job finished: Step 2: Skipped by Ana."}},
		"ended":             {[]*robot.Run{ends(robot.Interrupted, "Ended by Ana.")}, []string{"goal: Job ended: Ended by Ana."}},
		"failed":            {[]*robot.Run{ends(robot.Error, "The map is gone.")}, []string{"warn: Job failed: The map is gone."}},
		"paused":            {[]*robot.Run{paused("Ana drove by hand."), paused("Ana drove by hand.")}, []string{"goal: Job paused: Ana drove by hand."}},
		"paused twice":      {[]*robot.Run{paused("A."), doing(robot.RunRunning, 0), paused("A.")}, []string{"goal: Job paused: A.", "goal: Job paused: A."}},
		"a step that fails": {[]*robot.Run{doing(robot.RunStuck, 1, fails(robot.StepRetriable, robot.Error, "No route."))}, []string{"warn: Step 2 of the job failed: No route."}},
		"one that fails and is skipped": {
			[]*robot.Run{doing(robot.RunRunning, 1, fails(robot.StepFailed, robot.Error, "No route."))},
			[]string{"warn: Step 2 of the job failed and was skipped: No route."},
		},
		"one that somebody skips": {[]*robot.Run{doing(robot.RunRunning, 1, fails(robot.StepFailed, robot.Interrupted, "Skipped by Ana."))}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			tb, _ := newJobTable(t)
			ana := tb.join("Ana")
			for _, r := range tc.runs {
				tb.runs(r)
			}
			equal(t, "the log", ana.logs(), tc.log...)
		})
	}
}

func TestWhatAJobDoesWithItsGoalsIsToldOfTheJob(t *testing.T) {
	tb, _ := newJobTable(t)
	ana := tb.join("Ana")
	show := func(g robot.Goal, r *robot.Run) {
		g.Name = "Sofa"
		tb.hub.latest.Store(&robot.State{Time: tb.now, Goal: &g, Run: r, Battery: robot.Battery{Charge: 1}})
		tb.hub.step(tb.now)
	}
	running := doing(robot.RunRunning, 0)
	show(robot.Goal{Number: 1, Phase: robot.GoalDriving}, running)
	show(robot.Goal{Number: 1, Phase: robot.GoalPaused, Result: robot.Result{Reason: "Paused by Ana."}}, running)
	show(robot.Goal{Number: 2, Phase: robot.GoalDriving}, running)
	show(robot.Goal{Number: 2, Phase: robot.GoalEnded, Result: robot.Result{Word: robot.Interrupted}}, running)
	equal(t, "the log", ana.logs())
	show(robot.Goal{Number: 3, Phase: robot.GoalEnded, Result: robot.Result{Word: robot.Success}, Off: 0.03}, running)
	equal(t, "the log", ana.logs(), "goal: Arrived at Sofa, 3 cm off.")
}

func TestTheHeadTurnsTwentyTimesASecondAtMost(t *testing.T) {
	tb, _ := newJobTable(t)
	ana := tb.join("Ana")
	tb.robot.take()
	for range partMovesPerSecond {
		ana.say(`{"type":"look","id":1,"lease":1,"pan":0.5,"tilt":-0.2}`)
	}
	if did := tb.robot.take(); len(did) != partMovesPerSecond || did[0] != "Look {HeadAngles:{Pan:0.5 Tilt:-0.2}}" {
		t.Errorf("%v", did)
	}
	ana.results()
	ana.say(`{"type":"look","id":1,"lease":1,"pan":0.5,"tilt":-0.2}`)
	equal(t, "one more", ana.results(), "BUSY The head is turned too often. Send at most 20 commands per second.")
	tb.pass(100 * time.Millisecond)
	ana.say(`{"type":"look","id":1,"lease":1,"pan":0.4,"tilt":-0.2}`)
	equal(t, "a little later", ana.results(), "SUCCESS")
}

func TestTheHolderMovesJointsTwentyTimesASecondAtMost(t *testing.T) {
	tb, _ := newJobTable(t)
	ana, ben := tb.join("Ana"), tb.join("Ben")
	tb.robot.take()
	const move = `{"type":"joints","id":1,"lease":1,"at":{"shoulder":0.5}}`
	for range partMovesPerSecond {
		ana.say(move)
	}
	if did := tb.robot.take(); len(did) != partMovesPerSecond || did[0] != "MoveJoints {At:map[shoulder:0.5]}" {
		t.Errorf("%v", did)
	}
	ana.results()
	ana.say(move)
	equal(t, "one more", ana.results(), "BUSY The joints are moved too often. Send at most 20 commands per second.")
	ben.say(move)
	equal(t, "who has no control", ben.results(), "ERROR Ana has control. You can watch and stop the robot.")
	tb.pass(time.Second)
	ana.say(`{"type":"joints","id":1,"lease":0,"at":{"shoulder":0.5}}`)
	equal(t, "an old lease", ana.results(), "INTERRUPTED Control changed, and you have it. Try again.")
	ben.say(`{"type":"stop"}`)
	tb.robot.take()
	ana.say(move)
	equal(t, "a stopped robot", ana.results(), "PANIC Stopped by Ben. Ana can release it.")
	equal(t, "the robot", tb.robot.take())
}

func TestTheRobotsOwnScreenNeedsNoControl(t *testing.T) {
	f, kept := &fakeRobot{}, &fakeJobs{}
	cfg := testConfig(f)
	cfg.Jobs = kept
	run(t, cfg, func(t *testing.T, h *Hub) {
		screen := Identity{Browser: "screen", Role: Observer}
		do := func(o Order, want robot.Word, reason string) {
			t.Helper()
			if r := h.Command(t.Context(), screen, o); r.Word != want || r.Reason != reason {
				t.Errorf("%+v gave %+v, want %s %q", o, r, want, reason)
			}
		}
		do(Order{Command: robot.OK{By: "the screen", Message: 4}, AtRobot: true}, robot.Success, "")
		do(Order{Command: robot.Spoken{Number: 3}, AtRobot: true}, robot.Success, "")
		equal(t, "the robot", f.take(), "OK {By:the screen Message:4}", "Spoken {Number:3}")
		do(Order{Command: robot.OK{By: "somebody"}}, robot.Error, "You are not connected. Take control first, by POST /api/v1/control or in the page. Nobody has control.")
		do(Order{Command: robot.EndRun{}, AtRobot: true}, robot.Error, "You are not connected. Take control first, by POST /api/v1/control or in the page. Nobody has control.")
		h.Stop("Jin", Identity{})
		do(Order{Command: robot.OK{By: "the screen"}, AtRobot: true}, robot.Panic, "Stopped by Jin. The next person to take control can release it.")
		equal(t, "the stopped robot", f.take())

		if s := h.Screen(); s != (Screen{}) {
			t.Errorf("%+v", s)
		}
		ana := join(t, h, "ana").read().hello("t")
		join(t, h, "jin").read().hello("t")
		time.Sleep(lease.StandTimeout)
		synctest.Wait()
		if s := h.Screen(); s != (Screen{Driver: "Guest 1", Here: 2}) {
			t.Errorf("%+v", s)
		}
		ana.Leave()
		synctest.Wait()
		if s := h.Screen(); s != (Screen{Driver: "Guest 1", Away: true, Here: 1}) {
			t.Errorf("%+v", s)
		}
	})
}

// errNoRoom is the reason why a job of the tests is not prepared.
var errNoRoom = errors.New("no room")

func TestAProgramRunsAJobLikeAPage(t *testing.T) {
	f, kept := &fakeRobot{}, &fakeJobs{}
	cfg := testConfig(f)
	cfg.Jobs = kept
	var last error
	run(t, cfg, func(t *testing.T, h *Hub) {
		kept.wait = make(chan struct{})
		ana := Identity{Browser: "ana", Role: Operator}
		definition := jobs.Job{Name: "A", Steps: []jobs.Step{{Type: jobs.Wait, Seconds: 1}}}
		refused := func(err error, word robot.Word) bool {
			no := robot.Refusal{}
			return errors.As(err, &no) && no.Word == word
		}
		if _, err := h.RunJob(t.Context(), ana, 1, definition); !refused(err, robot.Error) || !strings.Contains(err.Error(), "not connected") {
			t.Errorf("who is not connected is answered %v", err)
		}
		join(t, h, "ana").read().hello("t")
		h.Publish(robot.State{Time: time.Now()})
		synctest.Wait()
		f.take()
		var number uint64
		begin := func() {
			go func() { number, last = h.RunJob(context.Background(), ana, 1, definition) }()
			synctest.Wait()
		}
		begin()
		equal(t, "before it is ready", f.take())
		kept.wait <- struct{}{}
		synctest.Wait()
		if number != 1 || last != nil {
			t.Errorf("%d, %v", number, last)
		}
		equal(t, "the robot", f.take(), "RunJob {Run:1}")

		short, giveUp := context.WithCancel(context.Background())
		go func() { _, last = h.RunJob(short, ana, 1, definition) }()
		synctest.Wait()
		giveUp()
		kept.wait <- struct{}{}
		synctest.Wait()
		if !refused(last, robot.Interrupted) {
			t.Errorf("who gave up is answered %v", last)
		}
		kept.err = fmt.Errorf("there is no room: %w", errNoRoom)
		begin()
		kept.wait <- struct{}{}
		synctest.Wait()
		if !errors.Is(last, errNoRoom) {
			t.Errorf("why a job is not ready is told as %v", last)
		}
		kept.err = nil
		equal(t, "the robot, whose job nobody waits for", f.take())
		begin()
	})
	if no := (robot.Refusal{}); !errors.As(last, &no) || no.Reason != "The job was given up." && no.Word != robot.Busy {
		t.Errorf("while the robot shuts down it is answered %v", last)
	}
}

func TestAGoalThatIsReplacedWasGivenUp(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	first, second := on(&copyRoom), on(&copyRoom)
	second.Number, second.Name = 2, "Sofa"
	tb.shows(first, 0)
	ana.hear()
	tb.shows(second, 0)
	equal(t, "the log", ana.logs(), "goal: Gave up Copy room: the robot was sent elsewhere.")
	over := *second
	over.Phase, over.Result = robot.GoalEnded, robot.Result{Word: robot.Success}
	tb.shows(&over, 0)
	ana.hear()
	third := *first
	third.Number = 3
	tb.shows(&third, 0)
	equal(t, "after one that was reached", ana.logs())
}

func TestABlockageIsToldOnce(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	drives := on(&copyRoom)
	blocked := func(waited float64) {
		g := *drives
		g.Phase, g.Blocked = robot.GoalBlocked, &robot.Blockage{Waited: waited}
		tb.shows(&g, 0)
	}
	var told []string
	for i := range 60 { // every 5 s the robot looks for a detour
		if blocked(float64(i)); i%5 == 0 {
			tb.shows(drives, 0)
		}
		told = append(told, ana.logs()...)
		ana.user.out.acknowledgeState(math.MaxUint64)
		tb.pass(time.Second)
	}
	equal(t, "the log", told, "warn: The way to Copy room is blocked.")
	tb.shows(drives, 0.3)
	tb.pass(2 * time.Second)
	blocked(10)
	equal(t, "the next one", ana.logs(), "warn: The way to Copy room is blocked.")
}
