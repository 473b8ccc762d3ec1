package jobruns

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"mybot/jobs"
	"mybot/lab/internal/testbed"
	"mybot/media/voice"
	"mybot/pathplan"
	"mybot/robot"
)

// jobRun is the outcome of one random job.
type jobRun struct {
	calm        bool // no person interfered
	result      robot.Result
	late        bool // it was ended because it took too long
	transitions int
	illegal     []string
	moved       int
	bumps       int
	executed    float64 // s, of the steps that do not wait for a person
	predicted   float64 // s, of the same
	steps       []jobs.Step
	moves       []float64 // |executed - predicted| / executed of each MOVE
	rehearsal   jobs.Rehearsal
	rehearsing  time.Duration // real time
}

// The actions of people during a job.
const (
	calmShare   = 0.4 // share of the jobs without interference
	maxSteps    = 6
	jobLasts    = 10 * time.Minute
	interferes  = 9.0 // s, mean time between two interferences
	helpsIn     = 4.0 // s, mean time until a person presses resume, retry or OK
	drivesFor   = time.Second
	setsOut     = 0.05 // m, motion of a robot that should stand
	brakesIn    = time.Second
	besideLane  = 0.2  // m, standard deviation
	screenPaces = 0.08 // standard deviation of a screen's speaking time, relative
)

// runJob draws a job and runs it. In a job without interference, at most the given number of
// people walk around; the job is the same with and without them.
func runJob(ctx context.Context, f *testbed.Floor, seed uint64, people int) (jobRun, error) {
	rng := rand.New(rand.NewPCG(seed, 61))
	o := jobRun{calm: rng.Float64() < calmShare}
	scene := testbed.NewScene("nominal", f.Plan, f.Roads, rng)
	if !o.calm && rng.IntN(2) == 0 {
		scene = testbed.NewScene("people", f.Plan, f.Roads, rng)
	}
	if o.calm && people > 0 {
		scene.People = testbed.NewScene("people", f.Plan, f.Roads, rand.New(rand.NewPCG(seed, 62))).People
		scene.People = scene.People[:min(people, len(scene.People))]
	}
	planner := pathplan.NewPlanner(f.Plan, f.Desc)
	scene.Start = drawPose(f, planner, rng)
	scene.People = testbed.KeepAway(scene.People, scene.Start)
	r, err := f.NewRover(scene, f.NewMCL(scene.Start, seed), seed)
	if err != nil {
		return o, err
	}
	d := newPreparer(f, voice.NewSilent()) // silent, so that the outcome is the same on every computer
	r.Core.UseJobs(d)
	begin := time.Now()
	todo := drawJob(f, planner, rng, o.calm)
	o.steps = todo.Steps
	number, rehearsal, err := d.prepareRun(ctx, r.State.Estimate.Pose, todo)
	if err != nil {
		return o, err
	}
	o.rehearsal, o.rehearsing = rehearsal, time.Since(begin)
	if answer := r.Do(robot.RunJob{Run: number}); answer.Word != robot.Success {
		return o, fmt.Errorf("lab: jobs: seed %d: %w", seed, robot.Refusal(answer))
	}
	p := jobPeople{Rover: r, rng: rng, calm: o.calm}
	if err := p.runUntilEnd(ctx, &o); err != nil {
		return o, err
	}
	o.checkLog(p.State.Run)
	o.bumps = r.Bumps
	return o, nil
}

// drawPose draws a pose to which people could send a robot: on the lanes of the floor or a
// little beside them.
func drawPose(f *testbed.Floor, planner *pathplan.Planner, rng *rand.Rand) robot.Pose {
	for {
		at := f.Roads.RandomPoint(rng).Add(robot.Point{X: besideLane * rng.NormFloat64(), Y: besideLane * rng.NormFloat64()})
		if p := (robot.Pose{X: at.X, Y: at.Y, Theta: robot.WrapAngle(2 * math.Pi * rng.Float64())}); planner.IsDrivable(at) {
			return p
		}
	}
}

// drawJob draws a job. No step fails in a job without interference.
func drawJob(f *testbed.Floor, planner *pathplan.Planner, rng *rand.Rand, calm bool) jobs.Job {
	job := jobs.Job{Name: "Random"}
	for range 1 + rng.IntN(maxSteps) {
		var s jobs.Step
		switch k := rng.IntN(10); {
		case k < 4:
			s = drawMove(f, planner, rng, calm)
		case k < 6:
			texts := []string{"Hello!", "Here is a message.", "The paper is ready. I am going back to my dock.", "Mind the step. Mind the door. I am coming through."}
			s = jobs.Step{Type: jobs.Voice, Text: texts[rng.IntN(len(texts))], Speed: 0.7 + 0.6*rng.Float64()}
		case k < 8:
			s = jobs.Step{Type: jobs.Message, Text: "Touch OK.", OK: rng.IntN(2) == 0, Seconds: float64(rng.IntN(3)) * 10}
		default:
			s = jobs.Step{Type: jobs.Wait, Seconds: 1 + math.Round(290*rng.Float64())/10, OK: rng.IntN(2) == 0}
		}
		job.Steps = append(job.Steps, s)
	}
	return job
}

// drawMove draws a MOVE; if it may fail, one in five leads into a wall.
func drawMove(f *testbed.Floor, planner *pathplan.Planner, rng *rand.Rand, calm bool) jobs.Step {
	s := jobs.Step{Type: jobs.Move, Seconds: 30}
	if rng.IntN(2) == 0 {
		s.Place = f.Plan.Places[rng.IntN(len(f.Plan.Places))].Name
	} else {
		p := drawPose(f, planner, rng)
		s.Pose = &[3]float64{p.X, p.Y, p.Theta}
	}
	if calm {
		return s
	}
	s.OnFailure = []jobs.OnFailure{jobs.FailStop, jobs.FailSkip, jobs.FailRetry}[rng.IntN(3)]
	if s.OnFailure == jobs.FailRetry {
		s.Retries, s.RetryAfter = 1+rng.IntN(2), 3*rng.Float64()
	}
	if rng.IntN(5) == 0 {
		wall := f.Plan.Lines[rng.IntN(len(f.Plan.Lines))]
		s.Place, s.Pose = "", &[3]float64{wall.A.X, wall.A.Y, 0}
	}
	return s
}

// jobPeople are the people around a robot that runs a job.
type jobPeople struct {
	*testbed.Rover
	rng  *rand.Rand
	calm bool

	idea    time.Time // of the next interference; zero = not drawn yet
	answer  time.Time // when a person answers; zero = the robot waits for nothing
	drives  time.Time // end of driving by stick
	pace    float64   // of the screen's speech
	speech  uint64
	stands  robot.Point // where it stood when it had to
	resting time.Time   // since when it must stand; zero = it may move
}

// runUntilEnd runs until the job is over.
func (p *jobPeople) runUntilEnd(ctx context.Context, o *jobRun) error {
	began, seen := p.Now, 0
	for p.State.Run == nil || p.State.Run.Phase != robot.RunEnded {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := p.Step(); err != nil {
			return err
		}
		if run := p.State.Run; len(run.Log) < seen {
			o.illegal = append(o.illegal, "The log of the run became shorter.")
		} else {
			seen = len(run.Log)
		}
		p.checkStandstill(o)
		if s := p.State.Speech; s != nil && s.Number != p.speech {
			p.speech, p.pace = s.Number, math.Max(0.7, 1+screenPaces*p.rng.NormFloat64())
		}
		speakOnScreen(p.Rover, p.pace)
		p.answerRobot()
		if !p.calm {
			p.interfereAtRandom()
		}
		if p.Now.Sub(began) > jobLasts {
			o.late = true
			p.Do(robot.EndRun{Reason: "It took too long."})
			if err := p.Step(); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkStandstill checks that a robot with a paused job stands.
func (p *jobPeople) checkStandstill(o *jobRun) {
	g := p.State.Goal
	rests := p.State.Run.Phase == robot.RunPaused && p.Now.After(p.drives) && (g == nil || g.Phase == robot.GoalPaused || g.Phase == robot.GoalEnded)
	switch {
	case !rests:
		p.resting = time.Time{}
	case p.resting.IsZero():
		p.resting = p.Now
	case p.Now.Sub(p.resting) < brakesIn:
		p.stands = p.Truth.Pose.Point()
	case p.Truth.Pose.Point().Sub(p.stands).Norm() > setsOut && !p.Truth.Contact:
		o.moved++
		p.stands = p.Truth.Pose.Point()
	}
}

// answerRobot does what people do when the robot waits for them.
func (p *jobPeople) answerRobot() {
	run := p.State.Run
	asks := p.State.Message != nil && p.State.Message.OK && (p.State.Message.Text != "" || !p.calm) // a WAIT that OK may end has no text
	if run.Phase == robot.RunRunning && !asks {
		p.answer = time.Time{}
		return
	}
	if p.answer.IsZero() {
		p.answer = p.drawTime(helpsIn)
	}
	if p.Now.Before(p.answer) || p.Now.Before(p.drives) {
		return
	}
	p.answer = time.Time{}
	p.Do(robot.ClearStop{})
	switch {
	case asks:
		p.Do(robot.OK{By: "Ana"})
	case run.Phase == robot.RunPaused:
		p.Do(robot.ResumeRun{})
	case p.rng.IntN(2) == 0:
		p.Do(robot.RetryStep{})
	default:
		p.Do(robot.SkipStep{Reason: "Skipped by Ana."})
	}
}

// drawTime returns a time that is s seconds from now, on average.
func (p *jobPeople) drawTime(s float64) time.Time {
	return p.Now.Add(time.Duration(s * p.rng.ExpFloat64() * float64(time.Second)))
}

// interfereAtRandom does what people do when they interfere.
func (p *jobPeople) interfereAtRandom() {
	if p.Now.Before(p.drives) {
		p.Do(robot.Drive{Twist: robot.Twist{Linear: 0.15, Angular: 0.2}})
		return
	}
	if p.idea.IsZero() {
		p.idea = p.drawTime(interferes)
	}
	if p.Now.Before(p.idea) {
		return
	}
	p.idea = time.Time{}
	switch p.rng.IntN(12) {
	case 0, 1, 2:
		p.Do(robot.PauseRun{Reason: "Paused by Ana."})
	case 3:
		p.Do(robot.Stop{By: "Jin"})
	case 4:
		p.drives = p.Now.Add(drivesFor)
	case 5:
		p.Do(robot.SkipStep{Reason: "Skipped by Ana."})
	case 6:
		p.Do(robot.Halt{Reason: "Ben took control.", Goal: true})
	case 7:
		p.Do(robot.Cancel{Reason: "Cancelled by Ana."})
	case 8:
		p.Do(robot.OK{By: "Ana"})
	case 9:
		p.Do(robot.Pause{Reason: "Paused by Ana."})
	case 10:
		p.Do(robot.GoTo{Goal: p.State.Estimate.Pose.Compose(robot.Pose{X: 0.5})})
	case 11:
		if p.rng.IntN(3) == 0 {
			p.Do(robot.EndRun{Reason: "Ended by Ana."})
		}
	}
}

// checkLog checks the log of a run that has ended.
func (o *jobRun) checkLog(run *robot.Run) {
	o.result, o.transitions = run.Result, len(run.Log)
	at := map[int]string{-1: ""}
	for n := range run.Steps {
		at[n] = string(robot.StepWaiting)
	}
	for n, t := range run.Log {
		switch {
		case !jobs.IsLegalChange(t.From, t.To):
			o.illegal = append(o.illegal, fmt.Sprintf("Transition %d of step %d is from %q to %q.", n+1, t.Step+1, t.From, t.To))
		case t.From != at[t.Step]:
			o.illegal = append(o.illegal, fmt.Sprintf("Transition %d of step %d is from %q, but it was %q.", n+1, t.Step+1, t.From, at[t.Step]))
		case n > 0 && t.At.Before(run.Log[n-1].At):
			o.illegal = append(o.illegal, fmt.Sprintf("Transition %d is before the one before it.", n+1))
		}
		at[t.Step] = t.To
	}
	if at[-1] != string(run.Phase) {
		o.illegal = append(o.illegal, fmt.Sprintf("The run is %s, its log says %s.", run.Phase, at[-1]))
	}
	for n, s := range run.Steps {
		if at[n] != string(s.State) {
			o.illegal = append(o.illegal, fmt.Sprintf("Step %d is %s, the log says %s.", n+1, s.State, at[n]))
		}
		if s.State == robot.StepFinished && !s.Ended.IsZero() && s.Expect > 0.1 {
			took := s.Ended.Sub(s.Began).Seconds()
			o.executed += took
			o.predicted += s.Expect
			if n < len(o.steps) && o.steps[n].Type == jobs.Move {
				o.moves = append(o.moves, math.Abs(took-s.Expect)/took)
			}
		}
	}
}
