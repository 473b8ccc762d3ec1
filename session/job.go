package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mybot/jobs"
	"mybot/robot"
)

// Jobs: who may have one run, and what may be done to the run.

// Jobs keeps jobs and makes them ready to be run: app's adapter to the store,
// the voice and the virtual robot. It may be called from any goroutine. Ready
// may take some seconds, the others do not wait.
type Jobs interface {
	List() []jobs.Job // that are kept, by name; nobody writes to it
	// Ready plans the ways of a job from a pose of base_link in map, has its
	// texts spoken, and keeps all of it as a run that has not begun. The error
	// is a sentence for people.
	Prepare(ctx context.Context, from robot.Pose, job jobs.Job) (run uint64, err error)
	Prepared(run uint64) (Made, bool)
	Discard(run uint64)             // it was made ready, and does not begin
	ReplaceSteps(run, ready uint64) // the run goes on with the steps that were made ready under the other number
}

// Made is what a run was made ready of. Nobody writes to it.
type Made struct {
	Job   jobs.Job
	Steps []jobs.PreparedStep
	Ways  [][]robot.Point // of the axle point M in map, as rehearsed; empty for steps that stand
}

// ErrStale says that a job was saved by somebody else meanwhile.
var ErrStale = errors.New("session: someone else has saved the job")

// A Job is a command about the run of a job. Job is that of run and change.
type Job struct {
	ID, Lease uint64
	Command   robot.Command // RunJob, ChangeRun, PauseRun, ResumeRun, SkipStep, RetryStep, EndRun or OK
	Job       jobs.Job
}

// jobActions are what a job command may ask for.
const jobActions = "run, change, pause, resume, skip, retry, end or ok"

// job reads a job command.
func (r *reader) job() Job {
	j := Job{ID: r.id(true), Lease: r.wholeNumber("lease", 0)}
	switch action := r.text("action", jobActions); action {
	case "run":
		j.Command = robot.RunJob{}
		name, steps := r.require("name", "the name of the job"), r.require("steps", someSteps)
		if r.find("job") != nil {
			j.Job.ID = r.text("job", "the id of the job, or left out")
		}
		if r.fault == "" {
			id := j.Job.ID
			var err error
			j.Job, err = jobs.Parse(encodeValue(map[string]json.RawMessage{"name": name, "steps": steps}))
			r.rejectJob(err)
			j.Job.ID = id
		}
	case "change":
		j.Command = robot.ChangeRun{}
		if steps := r.require("steps", someSteps); steps != nil {
			var err error
			j.Job.Steps, err = jobs.ParseSteps(steps)
			r.rejectJob(err)
		}
	case "pause":
		j.Command = robot.PauseRun{}
	case "resume":
		j.Command = robot.ResumeRun{}
	case "skip":
		j.Command = robot.SkipStep{Nth: r.stepNumber()}
	case "retry":
		j.Command = robot.RetryStep{Nth: r.stepNumber()}
	case "end":
		j.Command = robot.EndRun{}
	case "ok":
		ok := robot.OK{}
		if r.find("message") != nil {
			ok.Message = r.wholeNumber("message", 1)
		}
		j.Command = ok
	default:
		r.reject("action", "is "+clip(fmt.Sprintf("%q", action)), jobActions)
	}
	return j
}

// stepNumber reads which step is meant, an index, and counts it from 1; 0 = whichever is
// the current one.
func (r *reader) stepNumber() int {
	if r.find("step") == nil {
		return 0
	}
	return int(r.wholeNumber("step", 0)) + 1
}

// someSteps is what the steps of a job should be.
const someSteps = "a list of 1 to 100 steps"

// rejectJob keeps what is wrong with the definition of a job.
func (r *reader) rejectJob(err error) {
	var faults jobs.Faults
	switch {
	case r.fault != "" || err == nil:
	case errors.As(err, &faults):
		r.fault = faults.Sentence()
	default:
		r.fault = err.Error()
	}
}

// A prepareRequest is a job on its way to be made ready, to be run or to change the
// run that is under way. reply is called once.
type prepareRequest struct {
	person     *person
	driveEpoch uint64 // when it was asked for
	cmd        Job
	from       robot.Pose
	cancelled  func() error               // not nil = nobody waits for it any more; nil = its page does while it is there
	reply      func(run uint64, no error) // no = why it did not begin: a robot.Refusal, or what Jobs.Ready said

	run uint64
	err error
}

// mostMakings is how many jobs may wait to be made ready.
const mostMakings = 8

// requestPrepare has a job made ready; false = too many wait already.
func (h *Hub) requestPrepare(m prepareRequest) bool {
	select {
	case h.prepareRequests <- m:
		return true
	default:
		return false
	}
}

// runPrepare makes jobs ready, away from the hub's goroutine, until there are no
// more of them.
func (h *Hub) runPrepare(ctx context.Context) {
	for m := range h.prepareRequests {
		m.run, m.err = h.cfg.Jobs.Prepare(ctx, m.from, m.cmd.Job)
		h.mu.Lock()
		h.made = append(h.made, m)
		h.mu.Unlock()
		h.wakeUp()
	}
}

// JobsChanged tells everybody of the jobs there are. It never waits.
func (h *Hub) JobsChanged() {
	h.mu.Lock()
	h.jobsChanged = true
	h.mu.Unlock()
	h.wakeUp()
}

// RunJob has a job run by the rules for pages: for who is connected and has
// control. It waits until the run has begun, or ctx ends. The error is a
// robot.Refusal, or what Jobs.Ready said.
func (h *Hub) RunJob(ctx context.Context, by Identity, lease uint64, definition jobs.Job) (run uint64, err error) {
	a := h.executeOrder(ctx, by, order{Order: Order{Lease: lease, Command: robot.RunJob{}}, job: definition})
	if a.no == nil {
		a.no = asRefusal(a.Result)
	}
	return a.run, a.no
}

// noJobs is the answer where no jobs are kept.
const noJobs = "This robot cannot run jobs."

// handleJob carries out a job command of a page, or begins to.
func (c *crew) handleJob(u *User, cmd Job, now time.Time) {
	switch cmd.Command.(type) {
	case robot.RunJob, robot.ChangeRun:
		c.startPrepare(u.person, cmd, nil, now, func(run uint64, no error) {
			r := resultOf(no)
			m := Result{ID: &cmd.ID, Word: r.Word, Reason: r.Reason}
			if no == nil {
				m.Run = &run
			}
			c.sendResultUnderLease(u, cmd.Lease, m)
		})
	default:
		c.answerUnderLease(u, cmd.ID, cmd.Lease, c.steerRun(u.person, cmd.Lease, cmd.Command, now))
	}
}

// asRefusal returns a refusal as an error; nil = it was done.
func asRefusal(r robot.Result) error {
	if done(r) {
		return nil
	}
	return robot.Refusal(r)
}

// resultOf returns the answer to whom the error is told; nil = it was done.
func resultOf(err error) robot.Result {
	no := robot.Refusal{}
	switch {
	case err == nil:
		return robot.Result{Word: robot.Success}
	case errors.As(err, &no):
		return robot.Result(no)
	default:
		return refusal(robot.Error, err.Error())
	}
}

// startPrepare begins to make a job ready; prepared ends it.
func (c *crew) startPrepare(who *person, cmd Job, over func() error, now time.Time, reply func(run uint64, no error)) {
	r := c.mayPrepare(who, cmd, now)
	if done(r) && !c.ready(prepareRequest{person: who, driveEpoch: c.gate.hold, cmd: c.withRunName(cmd), from: c.pose, cancelled: over, reply: reply}) {
		r = refusal(robot.Busy, "Too many jobs are being prepared. Try again in a moment.")
	}
	if !done(r) {
		reply(0, asRefusal(r))
	}
}

// mayPrepare tells whether the person may have the job made ready.
func (c *crew) mayPrepare(who *person, cmd Job, now time.Time) robot.Result {
	if c.jobs == nil {
		return refusal(robot.NA, noJobs)
	}
	if r := c.mayCommand(who, cmd.Lease, "Look again, then send it again."); !done(r) {
		return r
	}
	_, change := cmd.Command.(robot.ChangeRun)
	switch {
	case change && !c.hasRun():
		return refusal(robot.Error, "No job is under way that could be changed.")
	case change:
	case c.hasRun():
		return refusal(robot.Busy, "The job "+c.run.Name+" is under way. End it first.")
	default:
		if r := c.mayMove(); !done(r) {
			return r
		}
	}
	if c.posed.IsZero() {
		return refusal(robot.Busy, "The robot is starting.")
	}
	return c.mayPlan(who, now)
}

// withRunName returns a change with the name of the run that it changes.
func (c *crew) withRunName(cmd Job) Job {
	if _, change := cmd.Command.(robot.ChangeRun); change {
		cmd.Job.ID, cmd.Job.Name = c.run.Job, c.run.Name
	}
	return cmd
}

// prepared goes on with a job that was made ready. Meanwhile anything may have
// changed.
func (c *crew) prepared(m prepareRequest, now time.Time) {
	if m.err != nil {
		m.reply(0, m.err)
		return
	}
	run, r := c.beginRun(m, now)
	if !done(r) {
		c.jobs.Discard(m.run)
	}
	m.reply(run, asRefusal(r))
}

func (c *crew) beginRun(m prepareRequest, now time.Time) (run uint64, r robot.Result) {
	switch {
	case m.person.user == nil:
		return 0, refusal(robot.Interrupted, "The page has gone.")
	case m.cancelled != nil && m.cancelled() != nil:
		return 0, refusal(robot.Interrupted, givenUp)
	}
	if r := c.mayPrepare(m.person, m.cmd, now); !done(r) {
		return 0, r
	}
	if _, change := m.cmd.Command.(robot.ChangeRun); change {
		run = c.run.Number
		if r = c.robot.Do(robot.ChangeRun{Ready: m.run}); done(r) {
			c.jobs.ReplaceSteps(run, m.run)
			c.logEvent(iconGoal, m.person.name+" changed the steps of the job.", now, "run", run)
		}
		return run, r
	}
	if m.driveEpoch != c.gate.hold {
		return 0, refusal(robot.Interrupted, "The robot was driven or stopped while the job was being prepared. Run it again.")
	}
	if r = c.robot.Do(robot.RunJob{Run: m.run}); done(r) {
		c.standing, c.ordered = false, true
		c.logEvent(iconGoal, m.person.name+" started the job "+m.cmd.Job.Name+".", now, "run", m.run)
	}
	return m.run, r
}

// steerRun carries out what the holder wants of the run that is under way.
func (c *crew) steerRun(who *person, lease uint64, cmd robot.Command, now time.Time) robot.Result {
	if c.jobs == nil {
		return refusal(robot.NA, noJobs)
	}
	if r := c.mayCommand(who, lease, "Look again, then send it again."); !done(r) {
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
		if done(r) && c.run != nil {
			c.over = c.run.Number
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
	if r := c.mayMove(); !done(r) {
		return r
	}
	if r := c.mayPlan(who, now); !done(r) {
		return r
	}
	r := c.robot.Do(cmd)
	if done(r) {
		c.standing, c.ordered = false, true
		c.logEvent(iconGoal, text, now)
	}
	return r
}

// touchOK is the OK switch, touched by somebody on a page or on the robot's
// screen.
func (c *crew) touchOK(ok robot.OK, text string, now time.Time) robot.Result {
	if r := c.mayMove(); !done(r) {
		return r
	}
	r := c.robot.Do(ok)
	if done(r) {
		c.standing, c.ordered = false, true
		c.logEvent(iconGoal, text, now)
	}
	return r
}

// looksPerSecond is how often the holder may turn the head in a second, and in
// one burst.
const looksPerSecond = 20

// A Look is a look command.
type Look struct {
	ID, Lease uint64
	robot.Look
}

// look reads a look command.
func (r *reader) look() Look {
	return Look{ID: r.id(true), Lease: r.wholeNumber("lease", 0), Look: robot.Look{HeadAngles: robot.HeadAngles{
		Pan:  r.number("pan", "an angle in rad, for example 0.5"),
		Tilt: r.number("tilt", "an angle in rad, for example -0.2"),
	}}}
}

// turnHead turns the head for the holder.
func (c *crew) turnHead(who *person, lease uint64, cmd robot.Look, now time.Time) robot.Result {
	if r := c.mayCommand(who, lease, "Try again."); !done(r) {
		return r
	}
	if r := c.mayMove(); !done(r) {
		return r
	}
	if !who.lookBudget.take(now, looksPerSecond) {
		return refusal(robot.Busy, fmt.Sprintf("The head is turned too often. Send at most %d commands per second.", looksPerSecond))
	}
	return c.robot.Do(cmd)
}

// hasRun tells whether there is a run that has not ended.
func (c *crew) hasRun() bool {
	return c.run != nil && c.run.Phase != robot.RunEnded && c.run.Number != c.over
}
