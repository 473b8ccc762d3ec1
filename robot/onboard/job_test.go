package onboard

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/jobs"
	"mybot/robot"
)

// preparedRuns holds the runs that a test has prepared, by number.
type preparedRuns map[uint64]*jobs.Run

func (s preparedRuns) Take(number uint64) (*jobs.Run, bool) {
	r, ok := s[number]
	delete(s, number)
	return r, ok
}

func moveTo(x, y float64, place string) jobs.PreparedStep {
	return jobs.PreparedStep{Step: jobs.Step{Type: jobs.Move, Place: place}, Goal: robot.Pose{X: x, Y: y}, Expect: 10}
}

func sayFor(aloud bool, sentences ...time.Duration) jobs.PreparedStep {
	r := jobs.PreparedStep{Step: jobs.Step{Type: jobs.Voice, Text: "Hello!"}, Speech: jobs.PreparedSpeech{Aloud: aloud}}
	for i, d := range sentences {
		r.Speech.Sentences = append(r.Speech.Sentences, jobs.Sentence{Text: fmt.Sprintf("Sentence %d.", i+1), Duration: d})
		r.Expect += d.Seconds()
	}
	return r
}

func sayByBase(sentences ...time.Duration) jobs.PreparedStep {
	r := sayFor(false, sentences...)
	r.Speech.ByBase = true
	return r
}

func showFor(seconds float64, ok bool) jobs.PreparedStep {
	return jobs.PreparedStep{Step: jobs.Step{Type: jobs.Message, Text: "Touch OK.", OK: ok, Seconds: seconds}}
}

func waitFor(seconds float64, ok bool) jobs.PreparedStep {
	return jobs.PreparedStep{Step: jobs.Step{Type: jobs.Wait, Seconds: seconds, OK: ok}, Expect: seconds}
}

// worker returns a robot on an open floor with a job that is ready as number 1,
// and another one as number 2.
func worker(steps ...jobs.PreparedStep) *plant {
	p := newPlant(robot.Pose{})
	p.core.usePlanner(&floor{})
	s := preparedRuns{}
	for n := range uint64(2) {
		s[n+1] = jobs.NewRun(n+1, jobs.Job{ID: "round", Name: "Round"}, steps)
	}
	p.core.UseJobs(s)
	return p
}

// order gives an order that has to be taken.
func (p *plant) order(t *testing.T, cmd robot.Command) {
	t.Helper()
	if r := p.core.Do(p.now, cmd); r.Word != robot.Success {
		t.Fatalf("%T is answered %v", cmd, r)
	}
}

// reaches waits until the step, from 0, is in the state.
func (p *plant) reaches(t *testing.T, step int, state robot.ActionState) {
	t.Helper()
	for range 60 * 50 {
		if r := p.state.Run; r != nil && r.Steps[step].State == state {
			return
		}
		p.tick()
	}
	t.Fatalf("step %d does not become %s in a minute: %+v", step+1, state, *p.state.Run)
}

// stands reports whether the robot stays where it is for a time.
func (p *plant) stands(d time.Duration) bool {
	p.wait(2 * time.Second) // to brake
	before := p.motion.Axle
	for range int(d / (20 * time.Millisecond)) {
		if p.tick(); !p.told.IsZero() {
			return false
		}
	}
	return p.motion.Axle == before
}

// kinds are jobs that begin with a step of each kind, and drive on after it.
func kinds() map[string][]jobs.PreparedStep {
	drives := moveTo(4, 0, "Sofa")
	return map[string][]jobs.PreparedStep{
		"a MOVE":                {drives, waitFor(1, false)},
		"a VOICE":               {sayFor(true, 4*time.Second), drives},
		"a VOICE by the screen": {sayFor(false, 4*time.Second), drives},
		"a VOICE by the base":   {sayByBase(4 * time.Second), drives},
		"a MESSAGE":             {showFor(4, false), drives},
		"a MESSAGE for OK":      {showFor(0, true), drives},
		"a WAIT":                {waitFor(4, false), drives},
		"a pause before a try": {{
			Step: jobs.Step{Type: jobs.Move, Place: "Moon", OnFailure: jobs.FailRetry, RetryAfter: 4},
			Goal: robot.Pose{X: 100},
		}, drives},
	}
}

func TestAStopPausesEveryKindOfStepAndNothingMovesUntilItIsResumed(t *testing.T) {
	for name, steps := range kinds() {
		t.Run(name, func(t *testing.T) {
			p := worker(steps...)
			p.order(t, robot.RunJob{Run: 1})
			p.wait(time.Second)
			p.order(t, robot.Stop{By: "Jin"})
			p.tick()
			if s := p.state; s.Mode != robot.ModeStopped || s.Run.Phase != robot.RunPaused || s.Run.Result.Reason != "The robot is stopped by Jin." || s.Speech != nil || s.Message != nil {
				t.Fatalf("after the stop it is %s, with the run %+v, speech %v and message %v", s.Mode, *s.Run, s.Speech, s.Message)
			}
			for _, cmd := range []robot.Command{robot.ResumeRun{}, robot.RetryStep{}, robot.SkipStep{}, robot.RunJob{Run: 2}, robot.OK{By: "Ana"}, robot.Resume{}} {
				if r := p.core.Do(p.now, cmd); r.Word != robot.Panic && r.Word != robot.Busy {
					t.Errorf("stopped, and %T is answered %v", cmd, r)
				}
			}
			p.order(t, robot.ClearStop{})
			p.core.Do(p.now, robot.OK{By: "Ana"})
			p.core.Do(p.now, robot.Spoken{Number: 1_000_001})
			p.ok = true // the switch
			if !p.stands(10*time.Second) || p.state.Run.Phase != robot.RunPaused || p.state.Mode != robot.ModePaused {
				t.Fatalf("released, it is %s and the run %+v, at %v", p.state.Mode, *p.state.Run, p.motion.Axle)
			}
			p.ok = false
			p.order(t, robot.ResumeRun{})
			p.tick()
			if p.state.Run.Phase != robot.RunRunning || p.state.Mode != robot.ModeJob {
				t.Fatalf("resumed, it is %s and the run %+v", p.state.Mode, *p.state.Run)
			}
		})
	}
}

func TestADriverPausesEveryKindOfStep(t *testing.T) {
	for name, steps := range kinds() {
		t.Run(name, func(t *testing.T) {
			p := worker(steps...)
			p.order(t, robot.RunJob{Run: 1})
			p.wait(time.Second)
			p.order(t, drive(0, 0)) // the driver asks for no motion
			if p.tick(); p.state.Run.Phase != robot.RunRunning {
				t.Fatalf("a driver who asks for no motion pauses it: %+v", *p.state.Run)
			}
			p.drive(-0.2, 0, time.Second)
			if p.state.Run.Phase != robot.RunPaused || p.state.Run.Result.Reason != "The robot was driven by hand." || p.state.Mode != robot.ModeManual {
				t.Fatalf("driven by hand it is %s and the run %+v", p.state.Mode, *p.state.Run)
			}
			if !p.stands(8*time.Second) || p.state.Run.Phase != robot.RunPaused {
				t.Errorf("let go, it goes on by itself: %+v", *p.state.Run)
			}
		})
	}
}

func TestDrivingAVirtualRobotPausesAJob(t *testing.T) {
	p := worker(waitFor(10, false))
	p.page = newPage(p.desc, p.centre(), p.now)
	p.order(t, robot.RunJob{Run: 1})
	if p.wait(time.Second); p.state.Run.Phase != robot.RunRunning {
		t.Fatalf("a virtual robot that stands pauses it: %+v", *p.state.Run)
	}
	p.page.want = robot.Twist{Linear: 0.2}
	p.wait(time.Second)
	if r := p.state.Run; r.Phase != robot.RunPaused || r.Result.Reason != drivenByHand || p.state.Mode != robot.ModeManual {
		t.Errorf("it is %s and the run %+v", p.state.Mode, *r)
	}
}

func TestALostLinkDoesNotStopAJobAndAChangeOfControlPausesIt(t *testing.T) {
	p := worker(moveTo(2, 0, "Sofa"), waitFor(1, false))
	p.order(t, robot.RunJob{Run: 1})
	p.wait(time.Second)
	p.order(t, robot.Halt{Reason: "The connection was lost."})
	p.tick()
	if p.state.Run.Phase != robot.RunRunning || p.state.Mode != robot.ModeJob {
		t.Fatalf("the link is lost and the run is %+v", *p.state.Run)
	}
	p.wait(time.Second)
	p.order(t, robot.Halt{Reason: "Ana took control.", Goal: true})
	if p.tick(); p.state.Run.Phase != robot.RunPaused || p.state.Run.Result.Reason != "Ana took control." {
		t.Fatalf("control went to somebody else and the run is %+v", *p.state.Run)
	}
	if !p.stands(5 * time.Second) {
		t.Error("it drives on")
	}
	p.order(t, robot.ResumeRun{})
	p.reaches(t, 1, robot.StepFinished)
	if r := p.state.Run; r.Phase != robot.RunEnded || r.Result.Word != robot.Success {
		t.Errorf("the run ended as %+v", *r)
	}
}

func TestWhatAnotherUserWantsOfTheRobotPausesTheJob(t *testing.T) {
	path := []robot.Waypoint{{T: 0, Twist: robot.Twist{Linear: 0.2}, Want: robot.Twist{Linear: 0.2}}, {T: 1, Pose: robot.Pose{X: 0.2}}}
	for _, c := range []struct {
		cmd  robot.Command
		goal bool // the goal of the job continues
	}{
		{robot.Halt{Goal: true}, false},
		{robot.SetPose{Pose: robot.Pose{X: 1}}, false},
		{robot.GoTo{Goal: robot.Pose{X: 3}}, true},
		{robot.Pause{}, false},
		{robot.Replay{Lease: 1, Hold: 1, Number: 1, Points: path}, false},
		{robot.Enqueue{ID: 1, Command: robot.Drive{Twist: robot.Twist{Linear: 0.1}, Valid: time.Second}}, false},
		{robot.Enqueue{ID: 1, Command: robot.GoTo{Goal: robot.Pose{X: 3}}}, true},
		{robot.PauseRun{Reason: "Paused by Ana."}, false},
	} {
		t.Run(fmt.Sprintf("%T", c.cmd), func(t *testing.T) {
			p := worker(waitFor(3, false), moveTo(2, 0, "Sofa"))
			p.order(t, robot.RunJob{Run: 1})
			p.wait(200 * time.Millisecond)
			p.order(t, c.cmd)
			p.tick()
			if r := p.state.Run; r.Phase != robot.RunPaused || r.Result.Reason == "" || r.Steps[0].State != robot.StepPaused {
				t.Fatalf("the run is %+v", *r)
			}
			if g := p.state.Goal; c.goal && (g == nil || g.Phase != robot.GoalDriving || p.state.Mode != robot.ModeGoal) {
				t.Fatalf("the goal is %+v, the robot %s", g, p.state.Mode)
			}
			p.wait(10 * time.Second)
			if p.state.Run.Phase != robot.RunPaused {
				t.Errorf("the run goes on by itself: %+v", *p.state.Run)
			}
		})
	}
}

func TestAJobReplacesTheGoalOfAUser(t *testing.T) {
	for name, cmd := range map[string]robot.Command{"under way": robot.Plan{Goal: robot.Pose{X: 1}}, "paused": robot.Pause{}} {
		t.Run(name, func(t *testing.T) {
			p := worker(waitFor(1, false))
			p.order(t, robot.GoTo{Goal: robot.Pose{X: 5}})
			p.order(t, robot.Enqueue{ID: 7, After: time.Hour, Command: robot.GoTo{}})
			p.wait(time.Second)
			p.core.Do(p.now, cmd)
			p.order(t, robot.RunJob{Run: 1})
			p.tick()
			if g := p.state.Goal; g.Phase != robot.GoalEnded || g.Result.Word != robot.Interrupted || g.Result.Reason != jobBegan {
				t.Errorf("the goal is %+v", *g)
			}
			if q := p.state.Queue; name == "under way" && (!q.Idle() || q.Answers[0].Word != robot.Interrupted) {
				t.Errorf("the queue is %+v", *q)
			}
			if !p.stands(time.Second) {
				t.Error("it drives on to the old goal")
			}
		})
	}
}

func TestAJobIsResumedInPlaceOfTheGoalThatPausedIt(t *testing.T) {
	for name, steps := range map[string][]jobs.PreparedStep{"a MOVE": {moveTo(2, 0, "Sofa")}, "a WAIT": {waitFor(3, false), moveTo(2, 0, "Sofa")}} {
		t.Run(name, func(t *testing.T) {
			p := worker(steps...)
			p.order(t, robot.RunJob{Run: 1})
			p.wait(time.Second)
			p.order(t, robot.GoTo{Goal: robot.Pose{Y: 5}})
			p.wait(time.Second)
			p.order(t, robot.Pause{}) // the goal
			p.order(t, robot.Resume{})
			if p.tick(); p.state.Goal.Phase != robot.GoalDriving || p.state.Run.Phase != robot.RunPaused {
				t.Fatalf("resumed is not the goal, which was paused last: %+v, %+v", *p.state.Goal, *p.state.Run)
			}
			p.order(t, robot.ResumeRun{})
			p.tick()
			if g := p.state.Goal; g.Phase == robot.GoalDriving && g.Pose.Y == 5 {
				t.Fatalf("the job goes on and the robot too, to %+v", *g)
			}
			p.reaches(t, len(steps)-1, robot.StepFinished)
			if at := p.centre(); at.Point().Sub(robot.Point{X: 2}).Norm() > 0.1 {
				t.Errorf("the job ends at %v", at)
			}
		})
	}
}

func TestAStepThatIsTriedAgainAndFailsAgainHasTheRobotForItself(t *testing.T) {
	tries := moveTo(100, 0, "Moon")
	tries.Step.OnFailure, tries.Step.Retries, tries.Step.RetryAfter = jobs.FailRetry, 5, 4
	p := worker(tries)
	p.order(t, robot.RunJob{Run: 1})
	p.tick()
	p.order(t, robot.GoTo{Goal: robot.Pose{Y: 5}})
	p.wait(time.Second)
	if r := p.state.Run; r.Phase != robot.RunPaused || r.Steps[0].State != robot.StepRetriable || p.stands(time.Second) {
		t.Fatalf("on its way to somebody's goal the run is %+v", *r)
	}
	if r := p.core.Do(p.now, robot.RetryStep{}); r.Word != robot.Error {
		t.Fatalf("a try that fails is answered %v", r)
	}
	p.tick()
	if r, g := p.state.Run, p.state.Goal; r.Phase != robot.RunRunning || g.Phase != robot.GoalEnded || g.Result != (robot.Result{Word: robot.Interrupted, Reason: jobContinued}) {
		t.Errorf("the run is %+v, the goal %+v", *r, *g)
	}
	if !p.stands(time.Second) {
		t.Error("the robot drives on to somebody's goal while the job waits for its next try")
	}
}

func TestAnOrderForAStepThatIsNotTheCurrentOneChangesNothing(t *testing.T) {
	p := worker(waitFor(60, false), waitFor(60, false), waitFor(60, false))
	p.order(t, robot.RunJob{Run: 1})
	p.tick()
	refused := func(cmd robot.Command, at, meant int) {
		t.Helper()
		before := p.core.jobs.run.State()
		want := robot.Result{Word: robot.Error, Reason: fmt.Sprintf("The job is at step %d, not at step %d. Look again, then choose.", at, meant)}
		if r := p.core.Do(p.now, cmd); r != want || p.core.jobs.run.State() != before {
			t.Errorf("%+v is answered %v and leaves %+v", cmd, r, *p.core.jobs.run.State())
		}
	}
	refused(robot.SkipStep{Nth: 2}, 1, 2)
	refused(robot.RetryStep{Nth: 3}, 1, 3)
	p.order(t, robot.SkipStep{Nth: 1})
	refused(robot.SkipStep{Nth: 1}, 2, 1)
	p.order(t, robot.PauseRun{})
	refused(robot.SkipStep{Nth: 1}, 2, 1)
	p.order(t, robot.SkipStep{})
	p.order(t, robot.SkipStep{Nth: 3})
	if r := p.core.jobs.run.State(); r.Phase != robot.RunEnded {
		t.Errorf("the run is %+v", *r)
	}
}

func TestResumeGoesOnWithTheJobWhosePathWasPaused(t *testing.T) {
	p := worker(moveTo(2, 0, "Sofa"))
	p.order(t, robot.RunJob{Run: 1})
	p.wait(time.Second)
	p.order(t, robot.Pause{Reason: "Paused by Ana."})
	p.wait(2 * time.Second)
	route := p.state.Goal.Number
	p.order(t, robot.Resume{})
	p.reaches(t, 0, robot.StepFinished)
	if p.state.Goal.Number != route || p.state.Run.Steps[0].Tries != 1 {
		t.Errorf("it was begun anew: goal %d, %+v", p.state.Goal.Number, p.state.Run.Steps[0])
	}
}

func TestAGoalThatAUserGaveUpPausesTheJobWhichGoesThereWhenItIsResumed(t *testing.T) {
	p := worker(moveTo(2, 0, "Sofa"))
	p.order(t, robot.RunJob{Run: 1})
	p.wait(time.Second)
	p.order(t, robot.Cancel{Reason: "Cancelled by Ana."})
	p.tick()
	if r := p.state.Run; r.Phase != robot.RunPaused || r.Result.Reason != "Cancelled by Ana." {
		t.Fatalf("the run is %+v", *r)
	}
	p.order(t, robot.ResumeRun{})
	p.reaches(t, 0, robot.StepFinished)
}

func TestAJobBeginsOnlyWhereItCan(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(p *plant)
		word robot.Word
		part string
	}{
		{"without jobs", func(p *plant) { p.core.UseJobs(nil) }, robot.NA, "cannot run jobs"},
		{"stopped", func(p *plant) { p.core.Do(p.now, robot.Stop{By: "Jin"}) }, robot.Panic, "Release the stop first."},
		{"lost", func(p *plant) { p.core.loc.(*believed).trust = robot.TrustLost; p.tick() }, robot.Error, lostReason},
		{"busy", func(p *plant) { p.core.Do(p.now, robot.RunJob{Run: 2}) }, robot.Busy, "The job Round is under way. End it first."},
		{"not ready", func(p *plant) { p.core.UseJobs(preparedRuns{}) }, robot.Error, "Run 1 is not ready."},
		{"silent", func(p *plant) { p.now = p.now.Add(time.Second) }, robot.Error, "The base has reported nothing for"},
		{"held by its goal", func(p *plant) { p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 3}}) }, robot.Success, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := worker(moveTo(2, 0, "Sofa"))
			c.set(p)
			if r := p.core.Do(p.now, robot.RunJob{Run: 1}); r.Word != c.word || !strings.Contains(r.Reason, c.part) {
				t.Errorf("it is answered %v", r)
			}
		})
	}
	p := worker(moveTo(2, 0, "Sofa"))
	for _, cmd := range []robot.Command{robot.PauseRun{}, robot.ResumeRun{}, robot.SkipStep{}, robot.RetryStep{}, robot.EndRun{}, robot.OK{}, robot.Spoken{}, robot.ChangeRun{Ready: 2}} {
		if r := p.core.Do(p.now, cmd); r.Word != robot.Error || r.Reason != noJob {
			t.Errorf("without a job %T is answered %v", cmd, r)
		}
	}
}

func TestAJobWithoutAPathNeedsNoMap(t *testing.T) {
	p := worker(sayFor(true, time.Second), waitFor(1, false))
	p.core.usePlanner(nil)
	p.order(t, robot.RunJob{Run: 1})
	p.reaches(t, 1, robot.StepFinished)
}

func TestAJobWaitsWhileTheRobotIsLostAndPausesWhenThatLasts(t *testing.T) {
	p := worker(waitFor(2, false), moveTo(2, 0, "Sofa"))
	p.order(t, robot.RunJob{Run: 1})
	p.wait(time.Second)
	p.core.loc.(*believed).trust = robot.TrustLost
	p.wait(2 * time.Second)
	if p.state.Run.Phase != robot.RunRunning || p.state.Run.Step != 0 {
		t.Fatalf("lost for 2 s the run is %+v", *p.state.Run)
	}
	p.wait(2 * time.Second)
	if r := p.state.Run; r.Phase != robot.RunPaused || r.Result.Reason != lostReason {
		t.Fatalf("lost for 4 s the run is %+v", *r)
	}
	if r := p.core.Do(p.now, robot.ResumeRun{}); r.Word != robot.Error || r.Reason != lostReason {
		t.Errorf("lost, it is resumed: %v", r)
	}
	p.core.loc.(*believed).trust = robot.TrustOK
	if !p.stands(3 * time.Second) {
		t.Error("found again, it goes on by itself")
	}
	p.order(t, robot.ResumeRun{})
	p.reaches(t, 1, robot.StepFinished)
}

func TestAControlLoopThatWasHeldUpForLongPausesTheJobAndTheGoal(t *testing.T) {
	for gap, want := range map[time.Duration]robot.RunPhase{time.Second: robot.RunRunning, 5 * time.Second: robot.RunPaused} {
		p := worker(moveTo(4, 0, "Sofa"))
		p.order(t, robot.RunJob{Run: 1})
		p.wait(time.Second)
		p.core.loopStalled(gap)
		p.wait(time.Second)
		if r := p.state.Run; r.Phase != want || (p.state.Goal.Phase == robot.GoalPaused) != (want == robot.RunPaused) {
			t.Errorf("held up for %v, the run is %s and the goal %s", gap, r.Phase, p.state.Goal.Phase)
		}
	}
}

func TestTheOKSwitchEndsAMessageThatWaitsForIt(t *testing.T) {
	p := worker(showFor(0, true), waitFor(5, true), waitFor(1, false))
	p.order(t, robot.RunJob{Run: 1})
	p.wait(time.Second)
	if m := p.state.Message; m == nil || !m.OK || m.Text != "Touch OK." {
		t.Fatalf("it shows %+v", m)
	}
	p.ok = true
	p.wait(time.Second) // held down, it counts once
	if r := p.state.Run; r.Step != 1 || p.state.Message.Text != "" {
		t.Fatalf("the switch is down and the run is %+v", *r)
	}
	p.ok = false
	p.wait(time.Second)
	p.order(t, robot.OK{By: "Ana"})
	if p.tick(); p.state.Run.Step != 2 || p.state.Run.Steps[1].Result.Reason != "OK was touched by Ana." {
		t.Errorf("the run is %+v", *p.state.Run)
	}
}

func TestAnOKForAMessageThatIsGoneAnswersNoOther(t *testing.T) {
	p := worker(showFor(0, true), showFor(0, true))
	p.order(t, robot.RunJob{Run: 1})
	p.tick()
	first := robot.OK{By: "the screen", Message: p.state.Message.Number}
	p.order(t, first)
	p.tick() // the second message comes
	if r := p.core.Do(p.now, first); r.Word != robot.Error || !strings.Contains(r.Reason, "no longer shown") {
		t.Errorf("it is answered %v", r)
	}
	p.tick()
	if s := p.state; s.Run.Step != 1 || s.Message == nil || s.Message.Number == first.Message {
		t.Errorf("the run is %+v", *s.Run)
	}
}

func TestTheStepsThatAreToComeCanBeChanged(t *testing.T) {
	p := worker(waitFor(2, false), waitFor(1, false))
	p.core.UseJobs(preparedRuns{
		1: jobs.NewRun(1, jobs.Job{Name: "Round"}, []jobs.PreparedStep{waitFor(2, false), waitFor(1, false)}),
		2: jobs.NewRun(2, jobs.Job{Name: "Round"}, []jobs.PreparedStep{waitFor(2, false), moveTo(1, 0, "Sofa")}),
	})
	p.order(t, robot.RunJob{Run: 1})
	p.order(t, robot.ChangeRun{Ready: 2})
	if r := p.core.Do(p.now, robot.ChangeRun{Ready: 3}); r.Word != robot.Error || !strings.Contains(r.Reason, "not ready") {
		t.Errorf("a change that is not ready is answered %v", r)
	}
	p.reaches(t, 1, robot.StepFinished)
	if p.state.Run.Edition != 1 || p.centre().X < 0.9 {
		t.Errorf("the run is %+v, at %v", *p.state.Run, p.centre())
	}
}

func TestTheRunOfAStateIsTheSameUntilSomethingChanges(t *testing.T) {
	p := worker(waitFor(10, false))
	p.order(t, robot.RunJob{Run: 1})
	p.tick()
	changes, last := 0, p.state.Run
	for range 5 * 50 {
		if p.tick(); p.state.Run != last {
			changes, last = changes+1, p.state.Run
		}
	}
	if changes < 8 || changes > 12 {
		t.Errorf("in 5 s of a wait the run changed %d times, and what is left is told twice a second", changes)
	}
}

// In any order of commands, a robot that was stopped moves only after a command that
// continues its motion, and a paused job moves nothing.
func TestNoOrderOfWordsMovesARobotThatWasStoppedOrWhoseJobIsPaused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var steps []jobs.PreparedStep
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 6), 1, 5).Draw(t, "steps") {
			steps = append(steps, []jobs.PreparedStep{
				moveTo(3, 1, "Sofa"), moveTo(-2, 0, "Desk"), moveTo(99, 0, "Moon"),
				sayFor(true, time.Second, time.Second), sayFor(false, time.Second), showFor(0, true), waitFor(1, true),
			}[n])
			steps[len(steps)-1].Step.OnFailure = rapid.SampledFrom([]jobs.OnFailure{jobs.FailStop, jobs.FailSkip, jobs.FailRetry}).Draw(t, "fails")
		}
		p := newPlant(robot.Pose{})
		p.core.usePlanner(&floor{})
		ready := preparedRuns{}
		p.core.UseJobs(ready)
		begun := uint64(0)
		var hand time.Time // until then a person drives
		still := false     // no motion has been asked for since a stop
		orders := rapid.SliceOfN(rapid.IntRange(0, 19), 1, 60).Draw(t, "orders")
		for _, n := range orders {
			begun++
			ready[begun] = jobs.NewRun(begun, jobs.Job{Name: "Round"}, steps)
			cmd := []robot.Command{
				robot.RunJob{Run: begun},
				robot.RunJob{Run: begun},
				robot.RunJob{Run: begun},
				robot.PauseRun{},
				robot.ResumeRun{},
				robot.ResumeRun{},
				robot.SkipStep{},
				robot.RetryStep{},
				robot.EndRun{},
				robot.OK{},
				robot.ChangeRun{Ready: begun},
				robot.Stop{By: "Jin"},
				robot.ClearStop{},
				robot.ClearStop{},
				robot.Halt{Goal: true},
				robot.Drive{Twist: robot.Twist{Linear: 0.2}},
				robot.GoTo{Goal: robot.Pose{X: 1}},
				robot.Pause{},
				robot.Resume{},
				robot.Cancel{},
			}[n]
			r := p.core.Do(p.now, cmd)
			taken := r.Word == robot.Success || r.Word == robot.Modified
			if !taken && r.Reason == "" {
				t.Fatalf("%T is answered %v without a reason", cmd, r.Word)
			}
			switch cmd.(type) {
			case robot.Stop:
				still = true
			case robot.RunJob, robot.ResumeRun, robot.SkipStep, robot.RetryStep, robot.Drive, robot.GoTo, robot.Resume:
				still = still && !taken
			}
			if _, drives := cmd.(robot.Drive); drives {
				hand = p.now.Add(robot.DriveValid)
			}
			p.ok = rapid.Bool().Draw(t, "switch")
			for range rapid.IntRange(1, 150).Draw(t, "ticks") {
				before := p.told
				p.tick()
				s := p.state
				faster := math.Abs(p.told.Linear) > math.Abs(before.Linear)+1e-12 || math.Abs(p.told.Angular) > math.Abs(before.Angular)+1e-12
				rests := s.Run != nil && s.Run.Phase != robot.RunRunning && (s.Goal == nil || s.Goal.Phase != robot.GoalDriving) && !s.Time.Before(hand)
				switch {
				case still && faster:
					t.Fatalf("after a stop it is told %v after %v; the run %+v", p.told, before, s.Run)
				case s.Stop != nil && !p.told.IsZero():
					t.Fatalf("stopped, it is told %v", p.told)
				case s.Stop != nil && s.Run != nil && s.Run.Phase == robot.RunRunning:
					t.Fatalf("stopped, the run is %+v", *s.Run)
				case rests && faster:
					t.Fatalf("the job is %s and it is told %v after %v, with the goal %+v", s.Run.Phase, p.told, before, s.Goal)
				}
			}
		}
		if run := p.state.Run; run != nil {
			for n, tr := range run.Log {
				if !jobs.IsLegalChange(tr.From, tr.To) || n > 0 && tr.At.Before(run.Log[n-1].At) {
					t.Fatalf("transition %d is %+v", n+1, tr)
				}
			}
		}
	})
}
