package onboard

import (
	"cmp"
	"time"

	"mybot/jobs"
	"mybot/robot"
)

// Jobs keeps the runs that were made ready. The goroutine of Core asks it, and
// it has the answer at once.
type Jobs interface {
	// Take hands over the run that was made ready under the number. From then on
	// it is the core's alone, so it is handed over once.
	Take(number uint64) (*jobs.Run, bool)
}

// What orders to a job do to the queue, and to the goal of somebody.
const (
	jobBegan  = "A job was started."
	jobGoesOn = "The job continued."
	jobPaused = "The job was paused."
)

// noJob is the answer to whoever wants something of a job that is not there.
const noJob = "No job is under way."

// jobRunner is the run of a job and what it has to do with the goal.
type jobRunner struct {
	ready  Jobs
	run    *jobs.Run // nil = there was none yet
	goal   uint64    // the number of the goal that it gave last; another one is somebody's
	latest time.Time // of the newest thing that happened to it; it does not go back for an order
	wellAt time.Time // all was well with base and position
}

// UseJobs has the core take the runs that it is told to begin from j. It is
// called before the first order; without it the robot does no jobs.
func (c *Core) UseJobs(j Jobs) { c.job.ready = j }

// phase returns how far the run has come: ended when there is none.
func (j *jobRunner) phase() robot.RunPhase {
	if j.run == nil {
		return robot.RunEnded
	}
	return j.run.State().Phase
}

// runTime returns the run's own time at the time now. An order may have been given
// a little before the newest reading, and carried out after it. Where the clock
// of the readings was put back, so is the run's.
func (j *jobRunner) runTime(now time.Time) time.Time {
	if now.After(j.latest) || j.latest.Sub(now) > longestGap {
		j.latest = now
	}
	return j.latest
}

// body is the core as its run moves it, at one time. The run moves no goal that
// it did not give.
type body struct {
	*Core
	now time.Time
}

func (c *Core) body(now time.Time) body { return body{c, now} }

// GoTo sends the robot to a goal of the run's.
func (b body) GoTo(g robot.GoTo) robot.Result {
	r := b.send(b.now, g)
	if r.Word == robot.Success {
		b.job.goal = b.errand.goal.Number
	}
	return r
}

// Goal returns the goal, whoever gave it.
func (b body) Goal() robot.Goal { return b.errand.goal }

// PauseGoal has the robot stand on its way.
func (b body) PauseGoal(reason string) { b.errand.pause(reason) }

// ResumeGoal goes on to the goal.
func (b body) ResumeGoal() robot.Result { return b.resend(b.now) }

// CancelGoal gives the goal up.
func (b body) CancelGoal(reason string) { b.cancel(reason) }

// pause has the robot wait with its goal and with its job, until somebody says
// that it goes on.
func (c *Core) pause(now time.Time, reason string) {
	c.pauseJob(now, reason)
	c.errand.pause(reason)
}

// pauseJob has the job wait, if one runs. A goal that is not the job's goes on.
func (c *Core) pauseJob(now time.Time, reason string) {
	if c.job.phase() == robot.RunRunning {
		now = c.job.runTime(now)
		c.job.run.Pause(now, cmp.Or(reason, jobPaused), c.body(now))
	}
}

// orderJob takes an order about a job; ok is false when it is none.
func (c *Core) orderJob(now time.Time, cmd robot.Command) (r robot.Result, ok bool) {
	j := &c.job
	switch cmd := cmd.(type) {
	case robot.RunJob:
		return c.runJob(now, cmd.Run), true
	case robot.ResumeRun:
		return c.resumeJob(now), true
	case robot.RetryStep, robot.SkipStep, robot.ChangeRun, robot.PauseRun, robot.EndRun, robot.OK:
		if j.phase() == robot.RunEnded {
			return failed(noJob), true
		}
	case robot.Spoken:
		if j.run == nil {
			return failed(noJob), true
		}
	default:
		return r, false
	}
	switch cmd := cmd.(type) {
	case robot.RetryStep:
		r = c.proceed(now, func(now time.Time) robot.Result { return j.run.Retry(now, cmd.Nth, c.body(now)) })
	case robot.SkipStep:
		r = c.proceed(now, func(now time.Time) robot.Result { return j.run.Skip(now, cmd.Nth, cmd.Reason, c.body(now)) })
	case robot.ChangeRun:
		r = c.replaceSteps(now, cmd.Ready)
	case robot.PauseRun:
		c.pauseJob(now, cmd.Reason)
		r.Word = robot.Success
	case robot.EndRun:
		now = j.runTime(now)
		r = j.run.End(now, cmd.Reason, c.body(now))
	case robot.OK:
		if m := j.run.Message(); cmd.Message != 0 && (m == nil || m.Number != cmd.Message) {
			return failed("This message is no longer shown."), true
		}
		r = j.run.OK(j.runTime(now), cmd.By)
	case robot.Spoken:
		j.run.Spoken(j.runTime(now), cmd.Number)
		r.Word = robot.Success
	}
	return r, true
}

// refuseRun says why no job can go on now; the empty word = one can.
func (c *Core) refuseRun(now time.Time) robot.Result {
	if no := c.refuseMotion(now); no.Word != "" {
		return no
	}
	if c.estimate.Trust == robot.TrustLost {
		return failed(lost)
	}
	return robot.Result{}
}

// runJob begins a run, in place of a goal that somebody gave.
func (c *Core) runJob(now time.Time, number uint64) robot.Result {
	j := &c.job
	if j.ready == nil {
		return robot.Result{Word: robot.NA, Reason: "This robot cannot run jobs."}
	}
	if j.phase() != robot.RunEnded {
		return busy("The job " + j.run.State().Name + " is under way. End it first.")
	}
	if no := c.refuseRun(now); no.Word != "" {
		return no
	}
	run, ok := j.ready.Take(number)
	if !ok {
		return failed("Run %d is not ready. Start the job again.", number)
	}
	c.flush(jobBegan)
	c.endForeignGoal(jobBegan)
	j.run, j.goal, j.wellAt = run, 0, now
	now = j.runTime(now)
	return run.Begin(now, c.body(now))
}

// resumeJob goes on with the run that is paused.
func (c *Core) resumeJob(now time.Time) robot.Result {
	if c.job.phase() == robot.RunEnded {
		return failed(noJob)
	}
	return c.proceed(now, func(now time.Time) robot.Result { return c.job.run.Resume(now, c.body(now)) })
}

// proceed has the run do something after which the robot may move, in place of a
// goal that somebody gave meanwhile. A run that goes on has the robot for itself,
// also where its step failed again and waits for the next try.
func (c *Core) proceed(now time.Time, do func(time.Time) robot.Result) robot.Result {
	if no := c.refuseRun(now); no.Word != "" {
		return no
	}
	c.job.wellAt = now
	ran := c.job.phase() == robot.RunRunning
	r := do(c.job.runTime(now))
	runs := c.job.phase() == robot.RunRunning
	if r.Word == robot.Success || r.Word == robot.Modified || runs && !ran {
		c.flush(jobGoesOn)
		if runs {
			c.endForeignGoal(jobGoesOn)
		}
	}
	return r
}

// replaceSteps replaces the steps behind the current one by those of a run that was
// made ready for it.
func (c *Core) replaceSteps(now time.Time, number uint64) robot.Result {
	other, ok := c.job.ready.Take(number)
	if !ok {
		return failed("Change %d is not ready. Change the job again.", number)
	}
	return c.job.run.Change(c.job.runTime(now), other)
}

// hasForeignGoal tells whether somebody has sent the robot to a goal that has not
// ended, and that no job gave.
func (c *Core) hasForeignGoal() bool {
	return (c.errand.isUnderWay() || c.errand.goal.Phase == robot.GoalPaused) && c.errand.goal.Number != c.job.goal
}

// endForeignGoal gives such a goal up.
func (c *Core) endForeignGoal(reason string) {
	if c.hasForeignGoal() {
		c.end(robot.Result{Word: robot.Interrupted, Reason: reason})
	}
}

// Propose lets the run go on to the time of the reading. While nobody knows where
// the robot is, or what its base does, it does nothing; when that lasts it
// pauses.
func (c *Core) Propose(r robot.Reading) {
	j := &c.job
	phase := j.phase()
	if phase == robot.RunEnded {
		return
	}
	if reason := c.unsafeReason(); reason != "" {
		if r.Time.Sub(j.wellAt) > trouble {
			c.pauseJob(r.Time, reason)
		}
		return
	}
	j.wellAt = r.Time
	now := j.runTime(r.Time)
	j.run.Tick(now, r.OK, c.body(now))
}

// publish writes the run, and what it says and shows, into a state.
func (c *Core) publish(s *robot.State) {
	if run := c.job.run; run != nil {
		s.Run, s.Speech, s.Message = run.State(), run.Speech(), run.Message()
	}
}
