package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/session/protocol"
)

// requestPrepare queues a job to be prepared; false = too many are waiting.
func (h *Hub) requestPrepare(m prepareRequest) bool {
	select {
	case h.prepareRequests <- m:
		return true
	default:
		return false
	}
}

// runPrepare prepares jobs, outside the hub's goroutine, until prepareRequests is
// closed.
func (h *Hub) runPrepare(ctx context.Context) {
	for m := range h.prepareRequests {
		h.post(h.prepare(ctx, m))
	}
}

// prepare prepares one job, or a change of a run.
func (h *Hub) prepare(ctx context.Context, m prepareRequest) prepareRequest {
	if m.changes != 0 {
		m.run, m.err = h.cfg.Jobs.PrepareChange(ctx, m.changes, m.from, m.cmd.Job)
	} else {
		m.run, m.err = h.cfg.Jobs.Prepare(ctx, m.from, m.cmd.Job)
	}
	return m
}

// JobsChanged sends the list of saved jobs to all users. It never waits.
func (h *Hub) JobsChanged() {
	h.mu.Lock()
	posted := h.jobsChanged
	h.jobsChanged = true
	h.mu.Unlock()
	if !posted {
		h.post(jobsChanged{})
	}
}

// RunJob runs a job by the rules for pages: the caller needs a connection and
// control. It waits until the run has begun or ctx ends. The error is a
// robot.Refusal, or that of Jobs.Prepare.
func (h *Hub) RunJob(ctx context.Context, by Identity, lease uint64, definition jobs.Job) (run uint64, err error) {
	a := h.executeOrder(ctx, by, order{Order: Order{Lease: lease, Command: robot.RunJob{}}, job: definition})
	if a.no == nil {
		a.no = asRefusal(a.Result)
	}
	return a.run, a.no
}

// noJobs is the answer if the robot has no job library.
const noJobs = "This robot cannot run jobs."

// handleJob executes a job command of a page, or begins to.
func (c *coordinator) handleJob(u *User, cmd protocol.Job, now time.Time) {
	switch cmd.Command.(type) {
	case robot.RunJob, robot.ChangeRun:
		c.startPrepare(u.person, cmd, nil, now, func(run uint64, no error) {
			r := resultOf(no)
			m := protocol.Result{ID: &cmd.ID, Word: r.Word, Reason: r.Reason}
			if no == nil {
				m.Run = &run
			}
			c.sendResultUnderLease(u, cmd.Lease, m)
		})
	default:
		c.answerUnderLease(u, cmd.ID, cmd.Lease, c.steerRun(u.person, cmd.Lease, cmd.Command, now))
	}
}

// asRefusal converts a refusal to an error; nil = success.
func asRefusal(r robot.Result) error {
	if r.Done() {
		return nil
	}
	return robot.Refusal(r)
}

// resultOf converts an error to an answer; nil = success.
func resultOf(err error) robot.Result {
	no := robot.Refusal{}
	switch {
	case err == nil:
		return robot.Result{Word: robot.Success}
	case errors.As(err, &no):
		return robot.Result(no)
	default:
		return newRefusal(robot.Error, err.Error())
	}
}

// startPrepare begins to prepare a job; finishPrepare ends it.
func (c *coordinator) startPrepare(who *person, cmd protocol.Job, over func() error, now time.Time, reply func(run uint64, no error)) {
	r := c.mayPrepare(who, cmd)
	if r.Done() {
		r = c.mayPlan(who, now)
	}
	if r.Done() && !c.requestPrepare(prepareRequest{person: who, driveEpoch: c.gate.Epoch(), cmd: c.withRunName(cmd), changes: c.runNumber(), from: c.pose, cancelled: over, reply: reply}) {
		r = newRefusal(robot.Busy, "Too many jobs are being prepared. Try again in a moment.")
	}
	if !r.Done() {
		reply(0, asRefusal(r))
	}
}

// mayPrepare returns Success if the person may have the job prepared, or else the
// refusal.
func (c *coordinator) mayPrepare(who *person, cmd protocol.Job) robot.Result {
	if c.jobs == nil {
		return newRefusal(robot.NA, noJobs)
	}
	if r := c.mayCommand(who, cmd.Lease, "Look again, then send it again."); !r.Done() {
		return r
	}
	if r := c.refuseWhileMapping(cmd.Command); r.Word != "" {
		return r
	}
	_, change := cmd.Command.(robot.ChangeRun)
	switch {
	case change && !c.hasRun():
		return newRefusal(robot.Error, "No job is under way that could be changed.")
	case change:
	case c.hasRun():
		return newRefusal(robot.Busy, "The job "+c.run.Name+" is under way. End it first.")
	default:
		if r := c.mayMove(); !r.Done() {
			return r
		}
	}
	if c.poseSeenAt.IsZero() {
		return newRefusal(robot.Busy, "The robot is starting.")
	}
	return robot.Result{Word: robot.Success}
}

// withRunName returns the change with the name of the run that it changes.
func (j *jobControl) withRunName(cmd protocol.Job) protocol.Job {
	if _, change := cmd.Command.(robot.ChangeRun); change {
		cmd.Job.ID, cmd.Job.Name = j.run.Job, j.run.Name
	}
	return cmd
}

// finishPrepare begins a job that was prepared, or changes the run accordingly.
// Anything may have changed meanwhile, so it checks everything again.
func (c *coordinator) finishPrepare(m prepareRequest, now time.Time) {
	if m.err != nil {
		m.reply(0, m.err)
		return
	}
	run, r := c.beginRun(m, now)
	if !r.Done() {
		c.jobs.Discard(m.run)
	}
	m.reply(run, asRefusal(r))
}

func (c *coordinator) beginRun(m prepareRequest, now time.Time) (run uint64, r robot.Result) {
	switch {
	case m.person.user == nil && !c.lease.InTerm(m.person.id):
		return 0, newRefusal(robot.Interrupted, "The page has gone.")
	case m.cancelled != nil && m.cancelled() != nil:
		return 0, newRefusal(robot.Interrupted, cancelledReason)
	}
	if r := c.mayPrepare(m.person, m.cmd); !r.Done() {
		return 0, r
	}
	if _, change := m.cmd.Command.(robot.ChangeRun); change {
		if run = c.run.Number; run != m.changes {
			return run, newRefusal(robot.Error, "The job that was to be changed has ended. Another one is under way.")
		}
		if r = c.robot.Do(robot.ChangeRun{Ready: m.run}); r.Done() {
			c.jobs.ReplaceSteps(run, m.run)
			c.logEvent(protocol.IconGoal, m.person.name+" changed the steps of the job.", now, "run", run)
		}
		return run, r
	}
	if m.driveEpoch != c.gate.Epoch() {
		return 0, newRefusal(robot.Interrupted, "The robot was driven or stopped while the job was being prepared. Run it again.")
	}
	if r = c.robot.Do(robot.RunJob{Run: m.run}); r.Done() {
		c.standing, c.ordersPending = false, true
		c.logEvent(protocol.IconGoal, m.person.name+" started the job "+m.cmd.Job.Name+".", now, "run", m.run)
	}
	return m.run, r
}

// steerRun executes a command of the holder about the current run.
func (c *coordinator) steerRun(who *person, lease uint64, cmd robot.Command, now time.Time) robot.Result {
	if c.jobs == nil {
		return newRefusal(robot.NA, noJobs)
	}
	if r := c.mayCommand(who, lease, "Look again, then send it again."); !r.Done() {
		return r
	}
	if r := c.refuseWhileMapping(cmd); r.Word != "" {
		return r
	}
	step := 0
	if c.run != nil {
		step = c.run.Step + 1
	}
	text := ""
	switch order := cmd.(type) {
	case robot.PauseRun:
		order.Reason = "Paused by " + who.name + "."
		return c.robot.Do(order)
	case robot.EndRun:
		order.Reason = "Ended by " + who.name + "."
		r := c.robot.Do(order)
		if r.Done() && c.run != nil {
			c.endedRun = c.run.Number
		}
		return r
	case robot.OK:
		order.By = who.name
		return c.touchOK(order, who.name+" touched OK.", now)
	case robot.ResumeRun:
		text = who.name + " resumed the job."
	case robot.SkipStep:
		order.Reason = "Skipped by " + who.name + "."
		text = fmt.Sprintf("%s skipped step %d.", who.name, cmp.Or(order.Nth, step))
		cmd = order
	case robot.RetryStep:
		text = fmt.Sprintf("%s retried step %d.", who.name, cmp.Or(order.Nth, step))
	}
	if r := c.mayMove(); !r.Done() {
		return r
	}
	if r := c.mayPlan(who, now); !r.Done() {
		return r
	}
	r := c.robot.Do(cmd)
	if r.Done() {
		c.standing, c.ordersPending = false, true
		c.logEvent(protocol.IconGoal, text, now)
	}
	return r
}

// touchOK presses the OK switch, from a page or from the robot's screen.
func (c *coordinator) touchOK(ok robot.OK, text string, now time.Time) robot.Result {
	if r := c.mayMove(); !r.Done() {
		return r
	}
	r := c.robot.Do(ok)
	if r.Done() {
		c.standing, c.ordersPending = false, true
		c.logEvent(protocol.IconGoal, text, now)
	}
	return r
}

// hasRun reports whether there is a run that has not ended.
func (j *jobControl) hasRun() bool {
	return j.run != nil && j.run.Phase != robot.RunEnded && j.run.Number != j.endedRun
}

// runNumber returns the number of the run that has not ended; 0 = there is none.
func (j *jobControl) runNumber() uint64 {
	if !j.hasRun() {
		return 0
	}
	return j.run.Number
}

// observeRun examines the run in a new state and sends its changes at once.
func (c *coordinator) observeRun(r *robot.Run) {
	old := c.run
	c.run = r
	switch {
	case r == nil || r == old:
		return
	case old == nil || old.Number != r.Number:
		c.runChanges, c.runPaths = 0, nil
	case old.Edition != r.Edition:
		c.runPaths = nil
	case old.Phase == r.Phase && old.Result == r.Result && old.Step == r.Step && len(old.Log) == len(r.Log):
		return
	}
	c.runChanges++
	c.runEvent = c.encodeRun()
	c.broadcast(c.runEvent)
}

// encodeRun returns the event of the newest run.
func (j *jobControl) encodeRun() []byte {
	made := jobs.PreparedRun{}
	if j.jobs != nil {
		made, _ = j.jobs.Prepared(j.run.Number)
	}
	if j.runPaths == nil {
		j.runPaths = protocol.PathsOf(made.Ways)
	}
	return protocol.Encode(protocol.RunEvent{Run: protocol.RunOf(*j.run, made.Job.Steps, j.runChanges, j.runPaths)})
}

// encodeJobs returns the event with the saved jobs; nil = there is no job library.
func (j *jobControl) encodeJobs() []byte {
	if j.jobs == nil {
		return nil
	}
	return protocol.Encode(protocol.JobsEvent{Jobs: protocol.JobsOf(j.jobs.List())})
}
