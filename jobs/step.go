package jobs

import (
	"cmp"
	"fmt"
	"time"

	"mybot/robot"
)

// How the current step of a run gets on, and what becomes of it.

// spokenWithin is how long a screen may take to say a sentence.
func spokenWithin(about time.Duration) time.Duration { return 2*about + 3*time.Second }

// elsewhere says why nothing can be done to the nth step, counted from 1, as to
// the current one; 0 = whichever that is. The empty word = it can.
func (r *Run) elsewhere(nth int) robot.Result {
	switch current := r.run.Step + 1; {
	case !r.underWay():
		return noRun()
	case nth != 0 && nth != current:
		return failed("The job is at step %d, not at step %d. Look again, then choose.", current, nth)
	}
	return robot.Result{}
}

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
		reason := fmt.Sprintf("The route was blocked for longer than %g s.", most.Seconds())
		if g.Blocked.Reason != "" {
			reason += " " + g.Blocked.Reason
		}
		b.CancelGoal(reason)
		r.fail(now, reason)
	case g.Phase != robot.GoalEnded:
	case done(g.Result):
		r.succeed(now, robot.Result{Word: g.Result.Word, Reason: g.Result.Reason})
	case g.Result.Word == robot.Interrupted:
		r.hold(now, cmp.Or(g.Result.Reason, "The goal was cancelled."))
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
