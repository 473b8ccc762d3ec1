package onboard

import (
	"cmp"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/robot/limits"
)

// Jobs keeps the runs that were made ready. The goroutine of Core asks it, and
// it has the answer at once.
type Jobs interface {
	// Take hands over the run that was made ready under the number. From then on
	// it is the core's alone, so it is handed over once.
	Take(number uint64) (*jobs.Run, bool)
}

// What orders to a job do to the queue, and to the goal of a user.
const (
	jobBegan     = "A job was started."
	jobContinued = "The job continued."
	jobPaused    = "The job was paused."
)

// noJob is the answer to a command about a job that is not there.
const noJob = "No job is under way."

// jobRunner steps the run of a job. It moves the robot by goals, and the goal that
// it gave last is jobRunner.goal; another one is the driver's.
type jobRunner struct {
	*situation
	others    others
	navigator *navigator

	ready  Jobs      // nil = this robot does no jobs
	run    *jobs.Run // nil = there was none yet
	goal   uint64    // the number of the goal that it gave last
	latest time.Time // of the newest thing that happened to the run; it does not go back for a command
	wellAt time.Time // all was well with base and position
}

// runPhase returns how far the run has come: ended when there is none.
func (j *jobRunner) runPhase() robot.RunPhase {
	if j.run == nil {
		return robot.RunEnded
	}
	return j.run.State().Phase
}

// runTime returns the run's own time at the time now. A command may have been given
// a little before the newest reading, and carried out after it. Where the clock
// of the readings was put back, so is the run's.
func (j *jobRunner) runTime(now time.Time) time.Time {
	if now.After(j.latest) || j.latest.Sub(now) > limits.ReadingGap {
		j.latest = now
	}
	return j.latest
}

// body is the robot as its run moves it, at one time. The run moves no goal that
// it did not give.
type body struct {
	*jobRunner
	now time.Time
}

func (j *jobRunner) bodyAt(now time.Time) body { return body{j, now} }

// GoTo sends the robot to a goal of the run's.
func (b body) GoTo(g robot.GoTo) robot.Result {
	r := b.navigator.sendToGoal(b.now, g)
	if r.Word == robot.Success {
		b.goal = b.navigator.run.goal.Number
	}
	return r
}

// Goal returns the goal, no matter who gave it.
func (b body) Goal() robot.Goal { return b.navigator.run.goal }

// PauseGoal has the robot stand on its way.
func (b body) PauseGoal(reason string) { b.navigator.run.pause(reason) }

// ResumeGoal continues to the goal.
func (b body) ResumeGoal() robot.Result { return b.navigator.resendToGoal(b.now) }

// CancelGoal gives the goal up.
func (b body) CancelGoal(reason string) { b.navigator.cancelGoal(reason) }

// Interrupt has the job wait, if one runs. A goal that is not the job's goes on.
func (j *jobRunner) Interrupt(now time.Time, reason string) {
	if j.runPhase() == robot.RunRunning {
		now = j.runTime(now)
		j.run.Pause(now, cmp.Or(reason, jobPaused), j.bodyAt(now))
	}
}

// Do takes a command about a job. Pause and Resume are the job's while it runs, or
// is paused and the goal is not the driver's.
func (j *jobRunner) Do(now time.Time, cmd robot.Command) (r robot.Result, ok bool) {
	switch cmd := cmd.(type) {
	case robot.RunJob:
		return j.beginRun(now, cmd.Run), true
	case robot.ResumeRun:
		return j.resumeRun(now), true
	case robot.Resume:
		if j.runPhase() == robot.RunPaused && !j.hasForeignGoal() {
			return j.resumeRun(now), true
		}
		return r, false
	case robot.Pause:
		if j.runPhase() == robot.RunRunning {
			j.others.pauseGoal(now, cmp.Or(cmd.Reason, goalPaused))
			j.others.flushQueue(goalPaused)
			return robot.Result{Word: robot.Success}, true
		}
		return r, false
	case robot.RetryStep, robot.SkipStep, robot.ChangeRun, robot.PauseRun, robot.EndRun, robot.OK:
		if j.runPhase() == robot.RunEnded {
			return failedResult(noJob), true
		}
	case robot.Spoken:
		if j.run == nil {
			return failedResult(noJob), true
		}
	default:
		return r, false
	}
	return j.changeRun(now, cmd), true
}

// changeRun carries out a command about the run that is under way.
func (j *jobRunner) changeRun(now time.Time, cmd robot.Command) (r robot.Result) {
	switch cmd := cmd.(type) {
	case robot.RetryStep:
		r = j.letRunProceed(now, func(now time.Time) robot.Result { return j.run.Retry(now, cmd.Nth, j.bodyAt(now)) })
	case robot.SkipStep:
		r = j.letRunProceed(now, func(now time.Time) robot.Result { return j.run.Skip(now, cmd.Nth, cmd.Reason, j.bodyAt(now)) })
	case robot.ChangeRun:
		r = j.replaceSteps(now, cmd.Ready)
	case robot.PauseRun:
		j.Interrupt(now, cmd.Reason)
		r.Word = robot.Success
	case robot.EndRun:
		now = j.runTime(now)
		r = j.run.End(now, cmd.Reason, j.bodyAt(now))
	case robot.OK:
		if m := j.run.Message(); cmd.Message != 0 && (m == nil || m.Number != cmd.Message) {
			return failedResult("This message is no longer shown.")
		}
		r = j.run.PressOK(j.runTime(now), cmd.By)
	case robot.Spoken:
		j.run.FinishSpeech(j.runTime(now), cmd.Number)
		r.Word = robot.Success
	}
	return r
}

// refuseRun says why no job can go on now; the empty word = one can.
func (j *jobRunner) refuseRun(now time.Time) robot.Result {
	if no := j.refuseMotion(now); no.Word != "" {
		return no
	}
	if j.estimate.Trust == robot.TrustLost {
		return failedResult(lostReason)
	}
	return robot.Result{}
}

// takeRun takes the run that was made ready under the number.
func (j *jobRunner) takeRun(number uint64) (*jobs.Run, bool) {
	run, ok := j.ready.Take(number)
	if ok {
		j.reply(robot.Reply{Kind: robot.RunReply, Run: run.Program()})
	}
	return run, ok
}

// beginRun begins a run, in place of a goal that the driver gave.
func (j *jobRunner) beginRun(now time.Time, number uint64) robot.Result {
	if j.ready == nil {
		return robot.Result{Word: robot.NA, Reason: "This robot cannot run jobs."}
	}
	if j.runPhase() != robot.RunEnded {
		return busyResult("The job " + j.run.State().Name + " is under way. End it first.")
	}
	if no := j.refuseRun(now); no.Word != "" {
		return no
	}
	run, ok := j.takeRun(number)
	if !ok {
		return failedResult("Run %d is not ready. Start the job again.", number)
	}
	j.others.flushQueue(jobBegan)
	j.endForeignGoal(jobBegan)
	j.run, j.goal, j.wellAt = run, 0, now
	now = j.runTime(now)
	return run.Begin(now, j.bodyAt(now))
}

// resumeRun continues the run that is paused.
func (j *jobRunner) resumeRun(now time.Time) robot.Result {
	if j.runPhase() == robot.RunEnded {
		return failedResult(noJob)
	}
	return j.letRunProceed(now, func(now time.Time) robot.Result { return j.run.Resume(now, j.bodyAt(now)) })
}

// letRunProceed has the run do something after which the robot may move, in place of a
// goal that the driver gave meanwhile. A run that goes on has the robot for itself,
// also where its step failed again and waits for the next try.
func (j *jobRunner) letRunProceed(now time.Time, do func(time.Time) robot.Result) robot.Result {
	if no := j.refuseRun(now); no.Word != "" {
		return no
	}
	j.wellAt = now
	ran := j.runPhase() == robot.RunRunning
	r := do(j.runTime(now))
	runs := j.runPhase() == robot.RunRunning
	if r.Done() || runs && !ran {
		j.others.flushQueue(jobContinued)
		if runs {
			j.endForeignGoal(jobContinued)
		}
	}
	return r
}

// replaceSteps replaces the steps behind the current one by those of a run that was
// made ready for it.
func (j *jobRunner) replaceSteps(now time.Time, number uint64) robot.Result {
	other, ok := j.takeRun(number)
	if !ok {
		return failedResult("Change %d is not ready. Change the job again.", number)
	}
	return j.run.ReplaceSteps(j.runTime(now), other)
}

// hasForeignGoal reports whether the robot was sent to a goal that has not ended,
// and that no job gave.
func (j *jobRunner) hasForeignGoal() bool {
	g := &j.navigator.run
	return (g.isUnderWay() || g.goal.Phase == robot.GoalPaused) && g.goal.Number != j.goal
}

// endForeignGoal gives such a goal up.
func (j *jobRunner) endForeignGoal(reason string) {
	if j.hasForeignGoal() {
		j.navigator.endGoal(robot.Result{Word: robot.Interrupted, Reason: reason})
	}
}

// Propose lets the run go on to the time of the reading; it moves the robot by the
// navigator alone. While the position is lost or the base reports nothing, it does
// nothing; when that lasts it pauses.
func (j *jobRunner) Propose(r robot.Reading) (v velocityRequest, ok bool) {
	if j.runPhase() == robot.RunEnded {
		return v, false
	}
	if reason := j.unsafeReason(); reason != "" {
		if r.Time.Sub(j.wellAt) > limits.GoalTrouble {
			j.Interrupt(r.Time, reason)
		}
		return v, false
	}
	j.wellAt = r.Time
	now := j.runTime(r.Time)
	j.run.Tick(now, r.OK, j.bodyAt(now))
	return v, false
}

// describeRun writes the run, and what it says and shows, into a state.
func (j *jobRunner) describeRun(s *robot.State) {
	if j.run != nil {
		s.Run, s.Speech, s.Message = j.run.State(), j.run.Speech(), j.run.Message()
	}
}
