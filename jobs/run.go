package jobs

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mybot/robot"
)

// Defaults of a step.
const (
	blockedFor = 120 * time.Second // MOVE: how long it may be blocked before it fails
	shownFor   = 5 * time.Second   // MESSAGE without OK
	retries    = 2
	firstVoice = "en"
)

// leftEvery is how often the remaining times are updated.
const leftEvery = 500 * time.Millisecond

// perRun is how many numbers for speeches and messages a run has.
const perRun = 1_000_000

// A Run executes a job, one step after the other. At most one step begins per tick.
type Run struct {
	steps     []PreparedStep
	run       robot.Run
	shown     *robot.Run // the last result of State; nil = outdated
	updatedAt time.Time  // when the remaining times were updated
	last      time.Time  // time of the last log entry
	down      bool       // whether the OK switch was down at the last tick; a switch that is down when the run begins must be released first

	// About the current step.
	goal      uint64        // number of the last goal; a MOVE ends with its goal
	saidCount int           // VOICE: number of sentences said
	silent    bool          // VOICE: a screen or the base should have said a sentence, but did not
	until     time.Time     // when the sentence, message, wait or pause before a retry ends; zero = never
	rest      time.Duration // time until then, while paused; 0 = no end
	speech    *robot.Speech
	message   *robot.Message
	voiced    uint64 // last number of a speech
	written   uint64 // last number of a message
}

// NewRun returns the run of a prepared job. The steps are read-only. Begin starts
// the run.
func NewRun(number uint64, job Job, steps []PreparedStep) *Run {
	r := &Run{steps: steps, down: true, voiced: number * perRun, written: number * perRun}
	r.run = robot.Run{Number: number, Job: job.ID, Name: job.Name, Steps: make([]robot.StepRun, len(steps))}
	for i, s := range steps {
		r.run.Steps[i] = robot.StepRun{State: robot.StepWaiting, Expect: s.Expect, Left: s.Expect}
	}
	return r
}

// Number returns the number of the run.
func (r *Run) Number() uint64 { return r.run.Number }

// State returns the state of the run: the same pointer until something changes.
// Tick updates the remaining times twice a second.
func (r *Run) State() *robot.Run {
	if r.shown == nil {
		shown := r.run
		shown.Steps = slices.Clone(r.run.Steps)
		shown.Log = slices.Clip(r.run.Log)
		shown.Left = 0
		for _, s := range shown.Steps[shown.Step:] {
			shown.Left += s.Left
		}
		if shown.Phase == robot.RunEnded {
			shown.Left = 0
		}
		r.shown = &shown
	}
	return r.shown
}

// Speech returns what is being said; nil = nothing. Numbers increase from run to
// run.
func (r *Run) Speech() *robot.Speech { return r.speech }

// Message returns what is being shown; nil = nothing. Numbers increase from run to
// run.
func (r *Run) Message() *robot.Message { return r.message }

// Begin starts the first step. The state shows how that goes.
func (r *Run) Begin(now time.Time, b Body) robot.Result {
	if r.run.Phase != "" {
		return errorResult("This run has already begun.")
	}
	r.run.Began = now
	r.setPhase(now, robot.RunRunning, robot.Result{})
	if len(r.steps) == 0 {
		r.finishRun(now)
		return robot.Result{Word: robot.Success}
	}
	r.startStep(now, b)
	r.updateTimes(now, b)
	return robot.Result{Word: robot.Success}
}

// Tick advances the run; ok says that the OK switch is down. Call it with the time
// of every reading.
func (r *Run) Tick(now time.Time, ok bool, b Body) {
	pressed := ok && !r.down
	r.down = ok
	if r.run.Phase != robot.RunRunning {
		return
	}
	if pressed {
		r.pressOK(now, "OK was touched on the robot.")
	}
	if r.run.Phase == robot.RunRunning {
		r.continueStep(now, b)
	}
	if r.run.Phase == robot.RunRunning && r.currentStep().State == robot.StepWaiting {
		r.startStep(now, b)
	}
	r.updateTimes(now, b)
}

// Pause makes the run wait for Resume. It remembers the rest of a wait, the
// sentence in progress and the goal. It has no effect on a run that is not running.
func (r *Run) Pause(now time.Time, reason string, b Body) {
	if r.run.Phase != robot.RunRunning {
		return
	}
	reason = cmp.Or(reason, "The job was paused.")
	if g := b.Goal(); r.isDriving(g) && g.Phase != robot.GoalPaused {
		b.PauseGoal(reason)
	}
	r.waitForResume(now, reason)
}

// Resume continues a paused run. If the goal is refused the run stays paused.
func (r *Run) Resume(now time.Time, b Body) robot.Result {
	switch r.run.Phase {
	case robot.RunRunning:
		return robot.Result{Word: robot.Success}
	case robot.RunStuck:
		return errorResult("Step %d failed. Retry it or skip it.", r.run.Step+1)
	case robot.RunPaused:
	default:
		return noRun()
	}
	answer := robot.Result{Word: robot.Success}
	switch r.currentStep().State {
	case robot.StepPaused:
		if answer = r.continueRest(now, b); !answer.Done() {
			return answer
		}
		r.setState(now, robot.StepRunning, robot.Result{})
	case robot.StepRetriable:
		r.setEnd(now)
	}
	r.setPhase(now, robot.RunRunning, robot.Result{})
	return answer
}

// Skip ends the current step without doing it. It must be the nth, counted from 1,
// unless nth is 0. The next step begins at the next tick, or when a paused run is
// resumed.
func (r *Run) Skip(now time.Time, nth int, reason string, b Body) robot.Result {
	if no := r.refuseStep(nth); no.Word != "" {
		return no
	}
	reason = cmp.Or(reason, "The step was skipped.")
	r.giveUp(b, reason)
	if r.run.Phase == robot.RunStuck {
		r.setPhase(now, robot.RunRunning, robot.Result{})
	}
	r.skipStep(now, robot.Result{Word: robot.Interrupted, Reason: reason})
	return robot.Result{Word: robot.Success}
}

// Retry tries the current step again, which must be RETRIABLE; nth is as for Skip.
// It returns how the attempt began.
func (r *Run) Retry(now time.Time, nth int, b Body) robot.Result {
	if no := r.refuseStep(nth); no.Word != "" {
		return no
	}
	if r.currentStep().State != robot.StepRetriable {
		return errorResult("Step %d has not failed; there is nothing to retry.", r.run.Step+1)
	}
	if r.run.Phase != robot.RunRunning {
		r.setPhase(now, robot.RunRunning, robot.Result{})
	}
	return r.startStep(now, b)
}

// End ends the run. The remaining steps stay WAITING.
func (r *Run) End(now time.Time, reason string, b Body) robot.Result {
	if !r.underWay() {
		return noRun()
	}
	why := robot.Result{Word: robot.Interrupted, Reason: cmp.Or(reason, "The job was ended.")}
	r.giveUp(b, why.Reason)
	if r.currentStep().State != robot.StepWaiting {
		r.setState(now, robot.StepFailed, why)
	}
	r.endRun(now, why)
	return robot.Result{Word: robot.Success}
}

// PressOK presses the OK switch on behalf of "the screen" or "Ana".
func (r *Run) PressOK(now time.Time, by string) robot.Result {
	switch r.run.Phase {
	case robot.RunRunning:
	case robot.RunPaused, robot.RunStuck:
		return robot.Result{Word: robot.Busy, Reason: "The job is paused. OK counts once it is resumed."}
	default:
		return errorResult("Nothing is waiting for OK.")
	}
	if !r.pressOK(now, "OK was touched by "+cmp.Or(by, "someone")+".") {
		return errorResult("Nothing is waiting for OK.")
	}
	return robot.Result{Word: robot.Success}
}

// FinishSpeech notes that the screen, or the base, has finished a speech.
func (r *Run) FinishSpeech(now time.Time, number uint64) {
	if r.speech != nil && !r.speech.Aloud && r.speech.Number == number {
		r.saidCount++
		r.saySentence(now)
	}
}

// ReplaceSteps replaces the steps after the current one by those of a run that has
// not begun. Its steps up to the current one must be the same.
func (r *Run) ReplaceSteps(_ time.Time, other *Run) robot.Result {
	if !r.underWay() {
		return noRun()
	}
	fixed := r.run.Step + 1
	same := len(other.steps) >= fixed && slices.EqualFunc(r.steps[:fixed], other.steps[:fixed], func(a, b PreparedStep) bool { return a.Step.Equal(b.Step) })
	switch {
	case !same && fixed == 1:
		return errorResult("Step 1 is under way and cannot be changed.")
	case !same:
		return errorResult("Steps 1 to %d are done or under way and cannot be changed.", fixed)
	}
	r.steps = slices.Concat(r.steps[:fixed], other.steps[fixed:])
	r.run.Steps = slices.Concat(r.run.Steps[:fixed], other.run.Steps[fixed:])
	r.run.Edition++
	r.shown = nil
	return robot.Result{Word: robot.Success}
}

// CutOff returns a run that was in progress when the robot was switched off as
// ended.
func CutOff(run robot.Run, now time.Time, reason string) robot.Run {
	r := Run{run: run, steps: make([]PreparedStep, len(run.Steps))}
	r.run.Steps, r.run.Log = slices.Clone(run.Steps), slices.Clip(run.Log)
	if n := len(run.Log); n > 0 {
		r.last = run.Log[n-1].At
	}
	if r.run.Phase == robot.RunEnded {
		return run
	}
	why := robot.Result{Word: robot.Interrupted, Reason: reason}
	if r.run.Step < len(r.run.Steps) && r.currentStep().State != robot.StepWaiting {
		r.setState(now, robot.StepFailed, why)
	}
	if r.run.Phase == "" {
		r.setPhase(now, robot.RunRunning, robot.Result{})
	}
	r.endRun(now, why)
	return *r.State()
}

func (r *Run) underWay() bool {
	return r.run.Phase != "" && r.run.Phase != robot.RunEnded
}

// currentStep returns the current step.
func (r *Run) currentStep() *robot.StepRun { return &r.run.Steps[r.run.Step] }

// finishRun ends a run with no steps left.
func (r *Run) finishRun(now time.Time) {
	how, odd := robot.Result{Word: robot.Success}, 0
	for i, s := range r.run.Steps {
		if s.Result.Word == robot.Success {
			continue
		}
		if odd++; odd == 1 {
			how = robot.Result{Word: robot.Modified, Reason: fmt.Sprintf("Step %d: %s", i+1, s.Result.Reason)}
		} else {
			how.Reason = fmt.Sprintf("%d steps were not done as asked.", odd)
		}
	}
	r.endRun(now, how)
}

func (r *Run) endRun(now time.Time, how robot.Result) {
	r.clearStep()
	r.run.Ended = now
	r.setPhase(now, robot.RunEnded, how)
}

// setPhase changes the phase of the run.
func (r *Run) setPhase(now time.Time, to robot.RunPhase, why robot.Result) {
	r.logTransition(now, -1, string(r.run.Phase), string(to), why)
	r.run.Phase, r.run.Result = to, why
}

// setState changes the state of the current step.
func (r *Run) setState(now time.Time, to robot.ActionState, why robot.Result) {
	s := r.currentStep()
	r.logTransition(now, r.run.Step, string(s.State), string(to), why)
	s.State = to
	switch to {
	case robot.StepFinished, robot.StepFailed:
		s.Result, s.Left, s.Ended = why, 0, now
	case robot.StepRetriable:
		s.Result = why
	case robot.StepInitializing:
		s.Result = robot.Result{}
	}
}

func (r *Run) logTransition(now time.Time, step int, from, to string, why robot.Result) {
	if now.After(r.last) {
		r.last = now
	}
	r.run.Log = append(r.run.Log, robot.Transition{At: r.last, Step: step, From: from, To: to, Word: why.Word, Reason: why.Reason})
	r.shown = nil
}

// updateTimes updates the remaining times.
func (r *Run) updateTimes(now time.Time, b Body) {
	if r.run.Phase != robot.RunRunning || r.shown != nil && now.Sub(r.updatedAt) < leftEvery {
		return
	}
	r.currentStep().Left = r.timeLeft(now, b)
	r.updatedAt, r.shown = now, nil
}

// timeLeft returns the remaining time of the current step, in s.
func (r *Run) timeLeft(now time.Time, b Body) float64 {
	ready := r.steps[r.run.Step]
	switch ready.Step.Type {
	case Move:
		if g := b.Goal(); r.isDriving(g) && g.Phase == robot.GoalDriving {
			return g.Time
		}
		return r.currentStep().Left
	case Voice:
		if r.speech == nil {
			return 0
		}
		left := max(r.speech.At.Add(r.speech.Duration).Sub(now), 0)
		for _, s := range ready.Speech.Sentences[r.saidCount+1:] {
			left += s.Duration
		}
		return left.Seconds()
	case Message:
		if ready.Step.OK {
			return 0
		}
	}
	return max(r.until.Sub(now), 0).Seconds()
}

func asDuration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func errorResult(format string, args ...any) robot.Result {
	return robot.Result{Word: robot.Error, Reason: fmt.Sprintf(format, args...)}
}

func noRun() robot.Result { return errorResult("No job is under way.") }
