package onboard

import (
	"cmp"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/robot/limits"
)

// Jobs holds the prepared runs. Core's goroutine calls it; it must answer without waiting.
type Jobs interface {
	// Take returns the prepared run with the number and removes it: from then on only the
	// core uses it.
	Take(number uint64) (*jobs.Run, bool)
}

// These reasons end the queue's commands, a foreign goal, or the run's motion.
const (
	jobBegan     = "A job was started."
	jobContinued = "The job continued."
	jobPaused    = "The job was paused."
)

// noJob is the answer to a command about a job when there is none.
const noJob = "No job is under way."

// jobRunner steps the run of a job. It moves the robot by giving goals to the navigator. A goal
// that the run did not give is foreign: it is that of a user, a script or the queue.
type jobRunner struct {
	*situation
	others    others
	navigator *navigator

	ready  Jobs      // nil = this robot runs no jobs
	run    *jobs.Run // nil = none yet
	goal   uint64    // number of the last goal that the run gave
	latest time.Time // time of the run's latest step; an earlier command does not set it back
	wellAt time.Time // last time at which base and position were fine
}

// runPhase returns the phase of the run; RunEnded if there is none.
func (j *jobRunner) runPhase() robot.RunPhase {
	if j.run == nil {
		return robot.RunEnded
	}
	return j.run.State().Phase
}

// runTime converts now to the run's time, which does not run backward: a command may have
// been given shortly before the newest reading and be executed after it. Only if the
// readings' clock is set back by more than ReadingGap, the run's time is too.
func (j *jobRunner) runTime(now time.Time) time.Time {
	if now.After(j.latest) || j.latest.Sub(now) > limits.ReadingGap {
		j.latest = now
	}
	return j.latest
}

// body is the robot as the run sees it, at one time.
type body struct {
	*jobRunner
	now time.Time
}

func (j *jobRunner) bodyAt(now time.Time) body { return body{j, now} }

// GoTo sends the robot to a goal of the run.
func (b body) GoTo(g robot.GoTo) robot.Result {
	r := b.navigator.sendToGoal(b.now, g)
	if r.Word == robot.Success {
		b.goal = b.navigator.run.goal.Number
	}
	return r
}

// Goal returns the current goal, also a foreign one.
func (b body) Goal() robot.Goal { return b.navigator.run.goal }

// PauseGoal stops the robot on its way.
func (b body) PauseGoal(reason string) { b.navigator.run.pause(reason) }

// ResumeGoal resumes the paused goal.
func (b body) ResumeGoal() robot.Result { return b.navigator.resendToGoal(b.now) }

// CancelGoal cancels the goal.
func (b body) CancelGoal(reason string) { b.navigator.cancelGoal(reason) }

// Interrupt pauses the run if it is running. A foreign goal continues.
func (j *jobRunner) Interrupt(now time.Time, reason string) {
	if j.runPhase() == robot.RunRunning {
		now = j.runTime(now)
		j.run.Pause(now, cmp.Or(reason, jobPaused), j.bodyAt(now))
	}
}

// Do executes a command about a job. Pause applies to a job that runs, Resume to one that is
// paused while there is no foreign goal.
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

// changeRun executes a command about the current run.
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

// takeRun takes the prepared run with the number from the library.
func (j *jobRunner) takeRun(number uint64) (*jobs.Run, bool) {
	run, ok := j.ready.Take(number)
	if ok {
		j.reply(robot.Reply{Kind: robot.RunReply, Run: run.Program()})
	}
	return run, ok
}

// beginRun starts a run, which replaces a foreign goal.
func (j *jobRunner) beginRun(now time.Time, number uint64) robot.Result {
	if j.ready == nil {
		return robot.Result{Word: robot.NA, Reason: "This robot cannot run jobs."}
	}
	if j.runPhase() != robot.RunEnded {
		return busyResult("The job " + j.run.State().Name + " is under way. End it first.")
	}
	if no := j.refuseProgram(now); no.Word != "" {
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

// resumeRun resumes the paused run.
func (j *jobRunner) resumeRun(now time.Time) robot.Result {
	if j.runPhase() == robot.RunEnded {
		return failedResult(noJob)
	}
	return j.letRunProceed(now, func(now time.Time) robot.Result { return j.run.Resume(now, j.bodyAt(now)) })
}

// letRunProceed calls do, after which the robot may move, and ends a foreign goal if the run
// is then running. A run that resumes is the only one that moves the robot, even if its step
// failed again and waits for a retry.
func (j *jobRunner) letRunProceed(now time.Time, do func(time.Time) robot.Result) robot.Result {
	if no := j.refuseProgram(now); no.Word != "" {
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

// replaceSteps replaces the steps after the current one by those of a prepared run.
func (j *jobRunner) replaceSteps(now time.Time, number uint64) robot.Result {
	other, ok := j.takeRun(number)
	if !ok {
		return failedResult("Change %d is not ready. Change the job again.", number)
	}
	return j.run.ReplaceSteps(j.runTime(now), other)
}

// hasForeignGoal reports whether there is a foreign goal that has not ended.
func (j *jobRunner) hasForeignGoal() bool {
	g := &j.navigator.run
	return (g.isUnderWay() || g.goal.Phase == robot.GoalPaused) && g.goal.Number != j.goal
}

func (j *jobRunner) endForeignGoal(reason string) {
	if j.hasForeignGoal() {
		j.navigator.endGoal(robot.Result{Word: robot.Interrupted, Reason: reason})
	}
}

// Propose advances the run to the time of the reading. It requests no motion: the run moves
// the robot through the navigator. While the reading is faulty, the base refuses to drive
// or the position is lost, the run does not advance; after GoalTrouble it pauses.
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

// describeRun writes the run, its speech and its message into a state.
func (j *jobRunner) describeRun(s *robot.State) {
	if j.run != nil {
		s.Run, s.Speech, s.Message = j.run.State(), j.run.Speech(), j.run.Message()
	}
}
