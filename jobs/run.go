package jobs

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mybot/robot"
)

// What a step does when it does not say.
const (
	blockedFor = 120 * time.Second // MOVE: it has failed when something is in the way for longer
	shownFor   = 5 * time.Second   // MESSAGE without OK
	retries    = 2
	firstVoice = "en"
)

// leftEvery is how often what is left is told anew.
const leftEvery = 500 * time.Millisecond

// perRun is how many speeches and messages a run has numbers for.
const perRun = 1_000_000

// A Run does a job, one step after the other. At most one step begins in each
// tick.
type Run struct {
	job   Job
	steps []PreparedStep
	run   robot.Run
	shown *robot.Run // run as State returned it last; nil = it has changed since
	told  time.Time  // when what is left was told
	last  time.Time  // of what was logged
	down  bool       // the OK switch, at the last tick; one that is down when the run begins has to be let go first

	// Of the current step.
	goal    uint64        // the number of the last goal; it has ended when a MOVE has
	said    int           // VOICE: sentences that are said
	silent  bool          // VOICE: a screen should have said a sentence, and did not
	until   time.Time     // when the sentence, message, wait or pause before the next try ends; zero = it does not
	rest    time.Duration // until then, while paused; 0 = it does not end
	speech  *robot.Speech
	message *robot.Message
	voiced  uint64 // numbers of speeches that were given
	written uint64 // and of messages
}

// NewRun returns the run of a job that was made ready. Nobody writes to the
// steps. It begins with Begin.
func NewRun(number uint64, job Job, steps []PreparedStep) *Run {
	r := &Run{job: job, steps: steps, down: true, voiced: number * perRun, written: number * perRun}
	r.run = robot.Run{Number: number, Job: job.ID, Name: job.Name, Steps: make([]robot.StepRun, len(steps))}
	for i, s := range steps {
		r.run.Steps[i] = robot.StepRun{State: robot.StepWaiting, Expect: s.Expect, Left: s.Expect}
	}
	return r
}

// Number returns the number of the run.
func (r *Run) Number() uint64 { return r.run.Number }

// State returns how the run stands: the same pointer until something changes.
// What is left is brought up to date twice a second, by Tick.
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

// Speech returns what is being said; nil = nothing. The numbers grow from run to
// run.
func (r *Run) Speech() *robot.Speech { return r.speech }

// Message returns what is being shown; nil = nothing. The numbers grow from run
// to run.
func (r *Run) Message() *robot.Message { return r.message }

// Begin begins the run with its first step. How that goes is told by the state.
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

// Tick takes the run on; ok says that the OK switch is down. It is to be called
// with the time of every reading.
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

// Pause has the run wait until Resume. What is left of a wait, the sentence that
// is being said and the way are kept. A run that does not run is left as it is.
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

// Resume continues a run that is paused. When the way to the goal is refused
// the run stays paused.
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
		if answer = r.goOn(now, b); !answer.Done() {
			return answer
		}
		r.setState(now, robot.StepRunning, robot.Result{})
	case robot.StepRetriable:
		r.setEnd(now)
	}
	r.setPhase(now, robot.RunRunning, robot.Result{})
	return answer
}

// Skip gives the current step up, which has to be the nth, counted from 1, unless
// nth is 0. The next one begins with the next tick, or when a run that is paused
// is resumed.
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

// Retry tries the current step again, which is RETRIABLE; nth is as for Skip. The
// answer is how that began.
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

// End gives the run up. The steps behind the current one stay WAITING.
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

// PressOK is the OK switch, touched by "the screen" or "Ana".
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

// FinishSpeech says that the screen has said the speech to its end.
func (r *Run) FinishSpeech(now time.Time, number uint64) {
	if r.speech != nil && !r.speech.Aloud && r.speech.Number == number {
		r.said++
		r.saySentence(now)
	}
}

// ReplaceSteps replaces the steps behind the current one by those of a run that has
// not begun. Its steps up to there have to be the same.
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

// CutOff returns a run that was under way when its robot went off, as one that
// ended then.
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

// finishRun ends a run of which no step is left.
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

// setPhase changes that of the run.
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

// updateTimes says what is left.
func (r *Run) updateTimes(now time.Time, b Body) {
	if r.run.Phase != robot.RunRunning || r.shown != nil && now.Sub(r.told) < leftEvery {
		return
	}
	r.currentStep().Left = r.timeLeft(now, b)
	r.told, r.shown = now, nil
}

// timeLeft returns how long the current step will take, in s.
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
		for _, s := range ready.Speech.Sentences[r.said+1:] {
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
