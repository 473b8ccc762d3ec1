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

// spokenWithin is how long a screen may take to say a sentence.
func spokenWithin(about time.Duration) time.Duration { return 2*about + 3*time.Second }

// leftEvery is how often what is left is told anew.
const leftEvery = 500 * time.Millisecond

// perRun is how many speeches and messages a run has numbers for.
const perRun = 1_000_000

// A Run does a job, one step after the other. At most one step begins in each
// tick.
type Run struct {
	job   Job
	steps []Ready
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
func NewRun(number uint64, job Job, steps []Ready) *Run {
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
		return failed("This run has begun already.")
	}
	r.run.Began = now
	r.phase(now, robot.RunRunning, robot.Result{})
	if len(r.steps) == 0 {
		r.finish(now)
		return robot.Result{Word: robot.Success}
	}
	r.start(now, b)
	r.refresh(now, b)
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
		r.touch(now, "OK was touched on the robot.")
	}
	if r.run.Phase == robot.RunRunning {
		r.work(now, b)
	}
	if r.run.Phase == robot.RunRunning && r.step().State == robot.StepWaiting {
		r.start(now, b)
	}
	r.refresh(now, b)
}

// Pause has the run wait until Resume. What is left of a wait, the sentence that
// is being said and the way are kept. A run that does not run is left as it is.
func (r *Run) Pause(now time.Time, reason string, b Body) {
	if r.run.Phase != robot.RunRunning {
		return
	}
	reason = cmp.Or(reason, "The job was paused.")
	if g := b.Goal(); r.drives(g) && g.Phase != robot.GoalPaused {
		b.PauseGoal(reason)
	}
	r.hold(now, reason)
}

// Resume goes on with a run that is paused. When the way to the goal is refused
// the run stays paused.
func (r *Run) Resume(now time.Time, b Body) robot.Result {
	switch r.run.Phase {
	case robot.RunRunning:
		return robot.Result{Word: robot.Success}
	case robot.RunStuck:
		return failed("Step %d failed. Retry it or skip it.", r.run.Step+1)
	case robot.RunPaused:
	default:
		return noRun()
	}
	answer := robot.Result{Word: robot.Success}
	switch r.step().State {
	case robot.StepPaused:
		if answer = r.goOn(now, b); !done(answer) {
			return answer
		}
		r.enter(now, robot.StepRunning, robot.Result{})
	case robot.StepRetriable:
		r.ends(now)
	}
	r.phase(now, robot.RunRunning, robot.Result{})
	return answer
}

// Skip gives the current step up. The next one begins with the next tick, or
// when a run that is paused is resumed.
func (r *Run) Skip(now time.Time, reason string, b Body) robot.Result {
	if !r.underWay() {
		return noRun()
	}
	reason = cmp.Or(reason, "The step was skipped.")
	r.giveUp(b, reason)
	if r.run.Phase == robot.RunStuck {
		r.phase(now, robot.RunRunning, robot.Result{})
	}
	r.skip(now, robot.Result{Word: robot.Interrupted, Reason: reason})
	return robot.Result{Word: robot.Success}
}

// Retry tries the current step again, which is RETRIABLE. The answer is how that
// began.
func (r *Run) Retry(now time.Time, b Body) robot.Result {
	if !r.underWay() {
		return noRun()
	}
	if r.step().State != robot.StepRetriable {
		return failed("Step %d has not failed; there is nothing to try again.", r.run.Step+1)
	}
	if r.run.Phase != robot.RunRunning {
		r.phase(now, robot.RunRunning, robot.Result{})
	}
	return r.start(now, b)
}

// End gives the run up. The steps behind the current one stay WAITING.
func (r *Run) End(now time.Time, reason string, b Body) robot.Result {
	if !r.underWay() {
		return noRun()
	}
	why := robot.Result{Word: robot.Interrupted, Reason: cmp.Or(reason, "The job was ended.")}
	r.giveUp(b, why.Reason)
	if r.step().State != robot.StepWaiting {
		r.enter(now, robot.StepFailed, why)
	}
	r.end(now, why)
	return robot.Result{Word: robot.Success}
}

// OK is the OK switch, touched by somebody: "the screen", "Ana".
func (r *Run) OK(now time.Time, by string) robot.Result {
	switch r.run.Phase {
	case robot.RunRunning:
	case robot.RunPaused, robot.RunStuck:
		return robot.Result{Word: robot.Busy, Reason: "The job is paused. OK counts when it goes on."}
	default:
		return failed("Nothing waits for OK.")
	}
	if !r.touch(now, "OK was touched by "+cmp.Or(by, "somebody")+".") {
		return failed("Nothing waits for OK.")
	}
	return robot.Result{Word: robot.Success}
}

// Spoken says that the screen has said the speech to its end.
func (r *Run) Spoken(now time.Time, number uint64) {
	if r.speech != nil && !r.speech.Aloud && r.speech.Number == number {
		r.said++
		r.say(now)
	}
}

// Change replaces the steps behind the current one by those of a run that has
// not begun. Its steps up to there have to be the same.
func (r *Run) Change(_ time.Time, other *Run) robot.Result {
	if !r.underWay() {
		return noRun()
	}
	fixed := r.run.Step + 1
	same := len(other.steps) >= fixed && slices.EqualFunc(r.steps[:fixed], other.steps[:fixed], func(a, b Ready) bool { return a.Step.Equal(b.Step) })
	switch {
	case !same && fixed == 1:
		return failed("Step 1 is under way. It has to stay as it is.")
	case !same:
		return failed("Steps 1 to %d are done or under way. They have to stay as they are.", fixed)
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
	r := Run{run: run, steps: make([]Ready, len(run.Steps))}
	r.run.Steps, r.run.Log = slices.Clone(run.Steps), slices.Clip(run.Log)
	if n := len(run.Log); n > 0 {
		r.last = run.Log[n-1].At
	}
	if r.run.Phase == robot.RunEnded {
		return run
	}
	why := robot.Result{Word: robot.Interrupted, Reason: reason}
	if r.run.Step < len(r.run.Steps) && r.step().State != robot.StepWaiting {
		r.enter(now, robot.StepFailed, why)
	}
	if r.run.Phase == "" {
		r.phase(now, robot.RunRunning, robot.Result{})
	}
	r.end(now, why)
	return *r.State()
}

func (r *Run) underWay() bool {
	return r.run.Phase != "" && r.run.Phase != robot.RunEnded
}

// step returns the current step.
func (r *Run) step() *robot.StepRun { return &r.run.Steps[r.run.Step] }

// drives tells whether the goal is the current step's and the robot is not
// there yet.
func (r *Run) drives(g robot.Goal) bool {
	return r.goal != 0 && g.Number == r.goal && g.Phase != robot.GoalEnded
}

// start begins the current step.
func (r *Run) start(now time.Time, b Body) robot.Result {
	s := r.step()
	if s.Tries++; s.Began.IsZero() {
		s.Began = now
	}
	r.said, r.silent = 0, false
	r.enter(now, robot.StepInitializing, robot.Result{})
	step := r.steps[r.run.Step].Step
	switch step.Type {
	case Move:
		if answer := r.goTo(b); answer.Word == robot.Panic {
			r.hold(now, answer.Reason)
			return answer
		} else if !done(answer) {
			r.fail(now, answer.Reason)
			return answer
		} else {
			r.enter(now, robot.StepRunning, robot.Result{})
			return answer
		}
	case Message:
		r.rest = seconds(step.Seconds)
		if r.rest == 0 && !step.OK {
			r.rest = shownFor
		}
	case Wait:
		r.rest = seconds(step.Seconds)
	}
	r.enter(now, robot.StepRunning, robot.Result{})
	return r.goOn(now, b)
}

// goTo sends the robot to the goal of the current step.
func (r *Run) goTo(b Body) robot.Result {
	ready := r.steps[r.run.Step]
	answer := b.GoTo(robot.GoTo{Goal: ready.Goal, Name: ready.Step.Place})
	if done(answer) {
		r.goal = b.Goal().Number
	}
	return answer
}

// goOn does what is left of the current step.
func (r *Run) goOn(now time.Time, b Body) robot.Result {
	step := r.steps[r.run.Step].Step
	switch step.Type {
	case Move:
		switch g := b.Goal(); {
		case !r.drives(g):
			return r.goTo(b)
		case g.Phase == robot.GoalPaused:
			return b.ResumeGoal()
		}
	case Voice:
		r.say(now)
	case Message, Wait:
		r.ends(now)
		if step.Type == Message || step.OK { // the screen has its OK button
			r.written++
			r.message = &robot.Message{Number: r.written, Text: step.Text, OK: step.OK, Until: r.until}
		}
	}
	return robot.Result{Word: robot.Success}
}

// ends sets the time at which what the step waits for ends.
func (r *Run) ends(now time.Time) {
	r.until = time.Time{}
	if r.rest > 0 {
		r.until = now.Add(r.rest)
	}
}

// say says the next sentence.
func (r *Run) say(now time.Time) {
	ready := r.steps[r.run.Step]
	if r.said >= len(ready.Said.Sentences) {
		r.speech, r.until = nil, now
		return
	}
	sentence := ready.Said.Sentences[r.said]
	r.voiced++
	r.speech = &robot.Speech{
		Number: r.voiced, Text: sentence.Text, Voice: cmp.Or(ready.Step.Voice, firstVoice), Speed: cmp.Or(ready.Step.Speed, 1),
		At: now, Duration: sentence.Duration, Aloud: ready.Said.Aloud,
	}
	r.until = now.Add(sentence.Duration)
	if !ready.Said.Aloud {
		r.until = now.Add(spokenWithin(sentence.Duration))
	}
}

// work sees how the current step gets on.
func (r *Run) work(now time.Time, b Body) {
	over := !r.until.IsZero() && !now.Before(r.until)
	ready := r.steps[r.run.Step]
	switch s := r.step(); {
	case s.State == robot.StepRetriable && over:
		r.start(now, b)
	case s.State != robot.StepRunning:
	case ready.Step.Type == Move:
		r.watch(now, b)
	case !over:
	case ready.Step.Type == Voice:
		r.spoke(now, ready.Said)
	case ready.Step.OK && ready.Step.Type == Message:
		r.succeed(now, robot.Result{Word: robot.Modified, Reason: fmt.Sprintf("Nobody touched OK within %g s.", ready.Step.Seconds)})
	default:
		r.succeed(now, robot.Result{Word: robot.Success})
	}
}

// spoke comes at the end of a sentence.
func (r *Run) spoke(now time.Time, said Said) {
	if r.speech != nil {
		r.silent = !said.Aloud
		r.said++
		r.say(now)
	}
	switch {
	case r.speech != nil:
	case r.silent:
		r.succeed(now, robot.Result{Word: robot.Modified, Reason: "The robot has no voice, and no screen of it spoke."})
	case !said.Aloud && len(said.Sentences) > 0:
		r.succeed(now, robot.Result{Word: robot.Modified, Reason: cmp.Or(said.Reason, "The robot has no voice. Its screen spoke.")})
	default:
		r.succeed(now, robot.Result{Word: robot.Success})
	}
}

// watch sees how the robot gets on to its goal.
func (r *Run) watch(now time.Time, b Body) {
	g := b.Goal()
	most := cmp.Or(seconds(r.steps[r.run.Step].Step.Seconds), blockedFor)
	switch {
	case g.Number != r.goal:
		r.hold(now, "The robot was sent to another goal.")
	case g.Phase == robot.GoalPaused:
		r.hold(now, cmp.Or(g.Result.Reason, "The goal was paused."))
	case g.Phase == robot.GoalBlocked && g.Blocked != nil && g.Blocked.Waited > most.Seconds():
		reason := fmt.Sprintf("The way was blocked for longer than %g s.", most.Seconds())
		b.CancelGoal(reason)
		r.fail(now, reason)
	case g.Phase != robot.GoalEnded:
	case done(g.Result):
		r.succeed(now, robot.Result{Word: g.Result.Word, Reason: g.Result.Reason})
	case g.Result.Word == robot.Interrupted:
		r.hold(now, cmp.Or(g.Result.Reason, "The goal was given up."))
	default:
		r.fail(now, cmp.Or(g.Result.Reason, "The goal was not reached."))
	}
}

// touch is the OK switch; false = nothing waits for it.
func (r *Run) touch(now time.Time, reason string) bool {
	step := r.steps[r.run.Step].Step
	if r.step().State != robot.StepRunning || !step.OK || step.Type != Message && step.Type != Wait {
		return false
	}
	r.succeed(now, robot.Result{Word: robot.Success, Reason: reason})
	return true
}

// hold has the run wait for Resume.
func (r *Run) hold(now time.Time, reason string) {
	r.rest = 0
	if !r.until.IsZero() {
		r.rest = max(r.until.Sub(now), 1)
	}
	r.clear()
	why := robot.Result{Reason: reason}
	if s := r.step(); s.State == robot.StepRunning || s.State == robot.StepInitializing {
		r.enter(now, robot.StepPaused, why)
	}
	r.phase(now, robot.RunPaused, why)
}

// fail is the end of a try.
func (r *Run) fail(now time.Time, reason string) {
	step, why := r.steps[r.run.Step].Step, robot.Result{Word: robot.Error, Reason: reason}
	r.clear()
	if step.OnFailure == FailSkip {
		r.skip(now, why)
		return
	}
	r.enter(now, robot.StepRetriable, why)
	if step.OnFailure == FailRetry && r.step().Tries <= cmp.Or(step.Retries, retries) {
		r.until = now.Add(seconds(step.RetryAfter))
		return
	}
	r.phase(now, robot.RunStuck, robot.Result{Reason: reason})
}

// skip ends the current step without its being done.
func (r *Run) skip(now time.Time, why robot.Result) {
	r.step().Skipped = true
	r.enter(now, robot.StepFailed, why)
	r.next(now)
}

// succeed ends the current step.
func (r *Run) succeed(now time.Time, how robot.Result) {
	r.enter(now, robot.StepFinished, how)
	r.next(now)
}

func (r *Run) next(now time.Time) {
	r.clear()
	if r.run.Step++; r.run.Step == len(r.run.Steps) {
		r.finish(now)
	}
}

// giveUp ends the goal of the current step.
func (r *Run) giveUp(b Body, reason string) {
	if r.drives(b.Goal()) {
		b.CancelGoal(reason)
	}
	r.clear()
}

func (r *Run) clear() { r.until, r.speech, r.message = time.Time{}, nil, nil }

// finish ends a run of which no step is left.
func (r *Run) finish(now time.Time) {
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
	r.end(now, how)
}

func (r *Run) end(now time.Time, how robot.Result) {
	r.clear()
	r.run.Ended = now
	r.phase(now, robot.RunEnded, how)
}

// phase changes that of the run.
func (r *Run) phase(now time.Time, to robot.RunPhase, why robot.Result) {
	r.log(now, -1, string(r.run.Phase), string(to), why)
	r.run.Phase, r.run.Result = to, why
}

// enter changes the state of the current step.
func (r *Run) enter(now time.Time, to robot.ActionState, why robot.Result) {
	s := r.step()
	r.log(now, r.run.Step, string(s.State), string(to), why)
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

func (r *Run) log(now time.Time, step int, from, to string, why robot.Result) {
	if now.After(r.last) {
		r.last = now
	}
	r.run.Log = append(r.run.Log, robot.Transition{At: r.last, Step: step, From: from, To: to, Word: why.Word, Reason: why.Reason})
	r.shown = nil
}

// refresh says what is left.
func (r *Run) refresh(now time.Time, b Body) {
	if r.run.Phase != robot.RunRunning || r.shown != nil && now.Sub(r.told) < leftEvery {
		return
	}
	r.step().Left = r.left(now, b)
	r.told, r.shown = now, nil
}

// left returns how long the current step will take, in s.
func (r *Run) left(now time.Time, b Body) float64 {
	ready := r.steps[r.run.Step]
	switch ready.Step.Type {
	case Move:
		if g := b.Goal(); r.drives(g) && g.Phase == robot.GoalDriving {
			return g.Time
		}
		return r.step().Left
	case Voice:
		if r.speech == nil {
			return 0
		}
		left := max(r.speech.At.Add(r.speech.Duration).Sub(now), 0)
		for _, s := range ready.Said.Sentences[r.said+1:] {
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

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// done tells whether the answer is that it was done.
func done(r robot.Result) bool { return r.Word == robot.Success || r.Word == robot.Modified }

func failed(format string, args ...any) robot.Result {
	return robot.Result{Word: robot.Error, Reason: fmt.Sprintf(format, args...)}
}

func noRun() robot.Result { return failed("No job is under way.") }
