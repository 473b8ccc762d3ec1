package jobs

import (
	"cmp"
	"fmt"
	"time"

	"mybot/robot"
)

// The progress of a run's current step.

// spokenWithin is how long a screen or a base may take to say a sentence.
func spokenWithin(about time.Duration) time.Duration { return 2*about + 3*time.Second }

// refuseStep says why the nth step, counted from 1, cannot be treated as the
// current one; 0 = the current one, whichever it is. The empty word = it can.
func (r *Run) refuseStep(nth int) robot.Result {
	switch current := r.run.Step + 1; {
	case !r.underWay():
		return noRun()
	case nth != 0 && nth != current:
		return errorResult("The job is at step %d, not at step %d. Look again, then choose.", current, nth)
	}
	return robot.Result{}
}

// isDriving reports whether the goal belongs to the current step and the robot has
// not arrived yet.
func (r *Run) isDriving(g robot.Goal) bool {
	return r.goal != 0 && g.Number == r.goal && g.Phase != robot.GoalEnded
}

// startStep begins the current step.
func (r *Run) startStep(now time.Time, b Body) robot.Result {
	s := r.currentStep()
	if s.Tries++; s.Began.IsZero() {
		s.Began = now
	}
	r.saidCount, r.silent = 0, false
	r.setState(now, robot.StepInitializing, robot.Result{})
	step := r.steps[r.run.Step].Step
	switch step.Type {
	case Move:
		if answer := r.goTo(b); answer.Word == robot.Panic {
			r.waitForResume(now, answer.Reason)
			return answer
		} else if !answer.Done() {
			r.failStep(now, answer.Reason)
			return answer
		} else {
			r.setState(now, robot.StepRunning, robot.Result{})
			return answer
		}
	case Message:
		r.rest = asDuration(step.Seconds)
		if r.rest == 0 && !step.OK {
			r.rest = shownFor
		}
	case Wait:
		r.rest = asDuration(step.Seconds)
	}
	r.setState(now, robot.StepRunning, robot.Result{})
	return r.continueRest(now, b)
}

// goTo sends the robot to the goal of the current step.
func (r *Run) goTo(b Body) robot.Result {
	ready := r.steps[r.run.Step]
	answer := b.GoTo(robot.GoTo{Goal: ready.Goal, Name: ready.Step.Place})
	if answer.Done() {
		r.goal = b.Goal().Number
	}
	return answer
}

// continueRest executes the rest of the current step.
func (r *Run) continueRest(now time.Time, b Body) robot.Result {
	step := r.steps[r.run.Step].Step
	switch step.Type {
	case Move:
		switch g := b.Goal(); {
		case !r.isDriving(g):
			return r.goTo(b)
		case g.Phase == robot.GoalPaused:
			return b.ResumeGoal()
		}
	case Voice:
		r.saySentence(now)
	case Message, Wait:
		r.setEnd(now)
		if step.Type == Message || step.OK { // the screen shows an OK button
			r.written++
			r.message = &robot.Message{Number: r.written, Text: step.Text, OK: step.OK, Until: r.until}
		}
	}
	return robot.Result{Word: robot.Success}
}

// setEnd sets when the wait of the step ends.
func (r *Run) setEnd(now time.Time) {
	r.until = time.Time{}
	if r.rest > 0 {
		r.until = now.Add(r.rest)
	}
}

// saySentence says the next sentence.
func (r *Run) saySentence(now time.Time) {
	ready := r.steps[r.run.Step]
	if r.saidCount >= len(ready.Speech.Sentences) {
		r.speech, r.until = nil, now
		return
	}
	sentence := ready.Speech.Sentences[r.saidCount]
	r.voiced++
	r.speech = &robot.Speech{
		Number: r.voiced, Text: sentence.Text, Voice: cmp.Or(ready.Step.Voice, firstVoice), Speed: cmp.Or(ready.Step.Speed, 1),
		At: now, Duration: sentence.Duration, Aloud: ready.Speech.Aloud, ByBase: ready.Speech.ByBase,
	}
	r.until = now.Add(sentence.Duration)
	if !ready.Speech.Aloud {
		r.until = now.Add(spokenWithin(sentence.Duration))
	}
}

// continueStep advances the current step.
func (r *Run) continueStep(now time.Time, b Body) {
	over := !r.until.IsZero() && !now.Before(r.until)
	ready := r.steps[r.run.Step]
	switch s := r.currentStep(); {
	case s.State == robot.StepRetriable && over:
		r.startStep(now, b)
	case s.State != robot.StepRunning:
	case ready.Step.Type == Move:
		r.watchGoal(now, b)
	case !over:
	case ready.Step.Type == Voice:
		r.endSentence(now, ready.Speech)
	case ready.Step.OK && ready.Step.Type == Message:
		r.endStep(now, robot.Result{Word: robot.Modified, Reason: fmt.Sprintf("Nobody touched OK within %g s.", ready.Step.Seconds)})
	default:
		r.endStep(now, robot.Result{Word: robot.Success})
	}
}

// endSentence handles the end of a sentence.
func (r *Run) endSentence(now time.Time, speech PreparedSpeech) {
	if r.speech != nil {
		r.silent = !speech.Aloud
		r.saidCount++
		r.saySentence(now)
	}
	switch {
	case r.speech != nil:
	case r.silent && speech.ByBase:
		r.endStep(now, robot.Result{Word: robot.Modified, Reason: "The robot's own speaker did not report that it has spoken."})
	case r.silent:
		r.endStep(now, robot.Result{Word: robot.Modified, Reason: "The robot has no voice, and no screen of it spoke."})
	case !speech.Aloud && !speech.ByBase && len(speech.Sentences) > 0:
		r.endStep(now, robot.Result{Word: robot.Modified, Reason: cmp.Or(speech.Reason, "The robot has no voice. Its screen spoke.")})
	default:
		r.endStep(now, robot.Result{Word: robot.Success})
	}
}

// watchGoal follows the robot's progress to its goal.
func (r *Run) watchGoal(now time.Time, b Body) {
	g := b.Goal()
	most := cmp.Or(asDuration(r.steps[r.run.Step].Step.Seconds), blockedFor)
	switch {
	case g.Number != r.goal:
		r.waitForResume(now, "The robot was sent to another goal.")
	case g.Phase == robot.GoalPaused:
		r.waitForResume(now, cmp.Or(g.Result.Reason, "The goal was paused."))
	case g.Phase == robot.GoalBlocked && g.Blocked != nil && g.Blocked.Waited > most.Seconds():
		reason := fmt.Sprintf("The route was blocked for longer than %g s.", most.Seconds())
		if g.Blocked.Reason != "" {
			reason += " " + g.Blocked.Reason
		}
		b.CancelGoal(reason)
		r.failStep(now, reason)
	case g.Phase != robot.GoalEnded:
	case g.Result.Done():
		r.endStep(now, robot.Result{Word: g.Result.Word, Reason: g.Result.Reason})
	case g.Result.Word == robot.Interrupted:
		r.waitForResume(now, cmp.Or(g.Result.Reason, "The goal was cancelled."))
	default:
		r.failStep(now, cmp.Or(g.Result.Reason, "The goal was not reached."))
	}
}

// pressOK handles a press of OK; false = nothing waits for it.
func (r *Run) pressOK(now time.Time, reason string) bool {
	step := r.steps[r.run.Step].Step
	if r.currentStep().State != robot.StepRunning || !step.OK || step.Type != Message && step.Type != Wait {
		return false
	}
	r.endStep(now, robot.Result{Word: robot.Success, Reason: reason})
	return true
}

// waitForResume pauses the run until Resume.
func (r *Run) waitForResume(now time.Time, reason string) {
	r.rest = 0
	if !r.until.IsZero() {
		r.rest = max(r.until.Sub(now), 1)
	}
	r.clearStep()
	why := robot.Result{Reason: reason}
	if s := r.currentStep(); s.State == robot.StepRunning || s.State == robot.StepInitializing {
		r.setState(now, robot.StepPaused, why)
	}
	r.setPhase(now, robot.RunPaused, why)
}

// failStep ends a failed attempt.
func (r *Run) failStep(now time.Time, reason string) {
	step, why := r.steps[r.run.Step].Step, robot.Result{Word: robot.Error, Reason: reason}
	r.clearStep()
	if step.OnFailure == FailSkip {
		r.skipStep(now, why)
		return
	}
	r.setState(now, robot.StepRetriable, why)
	if step.OnFailure == FailRetry && r.currentStep().Tries <= cmp.Or(step.Retries, retries) {
		r.until = now.Add(asDuration(step.RetryAfter))
		return
	}
	r.setPhase(now, robot.RunStuck, robot.Result{Reason: reason})
}

// skipStep ends the current step without doing it.
func (r *Run) skipStep(now time.Time, why robot.Result) {
	r.currentStep().Skipped = true
	r.setState(now, robot.StepFailed, why)
	r.nextStep(now)
}

// endStep ends the current step.
func (r *Run) endStep(now time.Time, how robot.Result) {
	r.setState(now, robot.StepFinished, how)
	r.nextStep(now)
}

func (r *Run) nextStep(now time.Time) {
	r.clearStep()
	if r.run.Step++; r.run.Step == len(r.run.Steps) {
		r.finishRun(now)
	}
}

// giveUp cancels the goal of the current step.
func (r *Run) giveUp(b Body, reason string) {
	if r.isDriving(b.Goal()) {
		b.CancelGoal(reason)
	}
	r.clearStep()
}

func (r *Run) clearStep() { r.until, r.speech, r.message = time.Time{}, nil, nil }
