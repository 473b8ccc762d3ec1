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
	Ready(ctx context.Context, from robot.Pose, job jobs.Job) (run uint64, err error)
	Made(run uint64) (Made, bool)
	Drop(run uint64)           // it was made ready, and does not begin
	Changed(run, ready uint64) // the run goes on with the steps that were made ready under the other number
}

// Made is what a run was made ready of. Nobody writes to it.
type Made struct {
	Job   jobs.Job
	Steps []jobs.PreparedStep
	Ways  [][]robot.Point // of the axle point M in map, as rehearsed; empty for steps that stand
}

// ErrStale says that a job was saved by somebody else meanwhile.
var ErrStale = errors.New("session: someone else has saved the job")

// A job is a command about the run of a job. Job is that of run and change.
type job struct {
	ID, Lease uint64
	Command   robot.Command // RunJob, ChangeRun, PauseRun, ResumeRun, SkipStep, RetryStep, EndRun or OK
	Job       jobs.Job
}

// jobActions are what a job command may ask for.
const jobActions = "run, change, pause, resume, skip, retry, end or ok"

// job reads a job command.
func (r *reader) job() job {
	j := job{ID: r.id(true), Lease: r.whole("lease", 0)}
	switch action := r.text("action", jobActions); action {
	case "run":
		j.Command = robot.RunJob{}
		name, steps := r.take("name", "the name of the job"), r.take("steps", someSteps)
		if r.find("job") != nil {
			j.Job.ID = r.text("job", "the id of the job, or left out")
		}
		if r.fault == "" {
			id := j.Job.ID
			var err error
			j.Job, err = jobs.Parse(encode(map[string]json.RawMessage{"name": name, "steps": steps}))
			r.spoiled(err)
			j.Job.ID = id
		}
	case "change":
		j.Command = robot.ChangeRun{}
		if steps := r.take("steps", someSteps); steps != nil {
			var err error
			j.Job.Steps, err = jobs.ParseSteps(steps)
			r.spoiled(err)
		}
	case "pause":
		j.Command = robot.PauseRun{}
	case "resume":
		j.Command = robot.ResumeRun{}
	case "skip":
		j.Command = robot.SkipStep{Nth: r.nth()}
	case "retry":
		j.Command = robot.RetryStep{Nth: r.nth()}
	case "end":
		j.Command = robot.EndRun{}
	case "ok":
		ok := robot.OK{}
		if r.find("message") != nil {
			ok.Message = r.whole("message", 1)
		}
		j.Command = ok
	default:
		r.wrong("action", "is "+clip(fmt.Sprintf("%q", action)), jobActions)
	}
	return j
}

// nth reads which step is meant, an index, and counts it from 1; 0 = whichever is
// the current one.
func (r *reader) nth() int {
	if r.find("step") == nil {
		return 0
	}
	return int(r.whole("step", 0)) + 1
}

// someSteps is what the steps of a job should be.
const someSteps = "a list of 1 to 100 steps"

// spoiled keeps what is wrong with the definition of a job.
func (r *reader) spoiled(err error) {
	var faults jobs.Faults
	switch {
	case r.fault != "" || err == nil:
	case errors.As(err, &faults):
		r.fault = faults.Sentence()
	default:
		r.fault = err.Error()
	}
}

// A making is a job on its way to be made ready, to be run or to change the
// run that is under way. reply is called once.
type making struct {
	who   *person
	hold  uint64 // when it was asked for
	cmd   job
	from  robot.Pose
	over  func() error               // not nil = nobody waits for it any more; nil = its page does while it is there
	reply func(run uint64, no error) // no = why it did not begin: a robot.Refusal, or what Jobs.Ready said

	ready uint64
	err   error
}

// mostMakings is how many jobs may wait to be made ready.
const mostMakings = 8

// make has a job made ready; false = too many wait already.
func (h *Hub) make(m making) bool {
	select {
	case h.makings <- m:
		return true
	default:
		return false
	}
}

// makeJobs makes jobs ready, away from the hub's goroutine, until there are no
// more of them.
func (h *Hub) makeJobs(ctx context.Context) {
	for m := range h.makings {
		m.ready, m.err = h.cfg.Jobs.Ready(ctx, m.from, m.cmd.Job)
		h.mu.Lock()
		h.made = append(h.made, m)
		h.mu.Unlock()
		h.ring()
	}
}

// JobsChanged tells everybody of the jobs there are. It never waits.
func (h *Hub) JobsChanged() {
	h.mu.Lock()
	h.rewritten = true
	h.mu.Unlock()
	h.ring()
}

// RunJob has a job run by the rules for pages: for who is connected and has
// control. It waits until the run has begun, or ctx ends. The error is a
// robot.Refusal, or what Jobs.Ready said.
func (h *Hub) RunJob(ctx context.Context, by Identity, lease uint64, definition jobs.Job) (run uint64, err error) {
	a := h.give(ctx, by, order{Order: Order{Lease: lease, Command: robot.RunJob{}}, job: definition})
	if a.no == nil {
		a.no = denied(a.Result)
	}
	return a.run, a.no
}

// noJobs is the answer where no jobs are kept.
const noJobs = "This robot cannot run jobs."

// job carries out a job command of a page, or begins to.
func (c *crew) job(u *User, cmd job, now time.Time) {
	switch cmd.Command.(type) {
	case robot.RunJob, robot.ChangeRun:
		c.prepare(u.person, cmd, nil, now, func(run uint64, no error) {
			r := answerOf(no)
			m := resultMessage{ID: &cmd.ID, Word: r.Word, Reason: r.Reason}
			if no == nil {
				m.Run = &run
			}
			c.answerTo(u, cmd.Lease, m)
		})
	default:
		c.replyTo(u, cmd.ID, cmd.Lease, c.steer(u.person, cmd.Lease, cmd.Command, now))
	}
}

// denied returns a refusal as an error; nil = it was done.
func denied(r robot.Result) error {
	if done(r) {
		return nil
	}
	return robot.Refusal(r)
}

// answerOf returns the answer to whom the error is told; nil = it was done.
func answerOf(err error) robot.Result {
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

// prepare begins to make a job ready; prepared ends it.
func (c *crew) prepare(who *person, cmd job, over func() error, now time.Time, reply func(run uint64, no error)) {
	r := c.mayPrepare(who, cmd, now)
	if done(r) && !c.ready(making{who: who, hold: c.gate.hold, cmd: c.named(cmd), from: c.pose, over: over, reply: reply}) {
		r = refusal(robot.Busy, "Too many jobs are being prepared. Try again in a moment.")
	}
	if !done(r) {
		reply(0, denied(r))
	}
}

// mayPrepare tells whether the person may have the job made ready.
func (c *crew) mayPrepare(who *person, cmd job, now time.Time) robot.Result {
	if c.jobs == nil {
		return refusal(robot.NA, noJobs)
	}
	if r := c.mayOrder(who, cmd.Lease, "Look again, then send it again."); !done(r) {
		return r
	}
	_, change := cmd.Command.(robot.ChangeRun)
	switch {
	case change && !c.jobGoes():
		return refusal(robot.Error, "No job is under way that could be changed.")
	case change:
	case c.jobGoes():
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

// named returns a change with the name of the run that it changes.
func (c *crew) named(cmd job) job {
	if _, change := cmd.Command.(robot.ChangeRun); change {
		cmd.Job.ID, cmd.Job.Name = c.run.Job, c.run.Name
	}
	return cmd
}

// prepared goes on with a job that was made ready. Meanwhile anything may have
// changed.
func (c *crew) prepared(m making, now time.Time) {
	if m.err != nil {
		m.reply(0, m.err)
		return
	}
	run, r := c.begin(m, now)
	if !done(r) {
		c.jobs.Drop(m.ready)
	}
	m.reply(run, denied(r))
}

func (c *crew) begin(m making, now time.Time) (run uint64, r robot.Result) {
	switch {
	case m.who.user == nil:
		return 0, refusal(robot.Interrupted, "The page has gone.")
	case m.over != nil && m.over() != nil:
		return 0, refusal(robot.Interrupted, givenUp)
	}
	if r := c.mayPrepare(m.who, m.cmd, now); !done(r) {
		return 0, r
	}
	if _, change := m.cmd.Command.(robot.ChangeRun); change {
		run = c.run.Number
		if r = c.robot.Do(robot.ChangeRun{Ready: m.ready}); done(r) {
			c.jobs.Changed(run, m.ready)
			c.log(iconGoal, m.who.name+" changed the steps of the job.", now, "run", run)
		}
		return run, r
	}
	if m.hold != c.gate.hold {
		return 0, refusal(robot.Interrupted, "The robot was driven or stopped while the job was being prepared. Run it again.")
	}
	if r = c.robot.Do(robot.RunJob{Run: m.ready}); done(r) {
		c.standing, c.ordered = false, true
		c.log(iconGoal, m.who.name+" started the job "+m.cmd.Job.Name+".", now, "run", m.ready)
	}
	return m.ready, r
}

// steer carries out what the holder wants of the run that is under way.
func (c *crew) steer(who *person, lease uint64, cmd robot.Command, now time.Time) robot.Result {
	if c.jobs == nil {
		return refusal(robot.NA, noJobs)
	}
	if r := c.mayOrder(who, lease, "Look again, then send it again."); !done(r) {
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
		return c.touch(order, who.name+" touched OK.", now)
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
		c.log(iconGoal, text, now)
	}
	return r
}

// touch is the OK switch, touched by somebody on a page or on the robot's
// screen.
func (c *crew) touch(ok robot.OK, text string, now time.Time) robot.Result {
	if r := c.mayMove(); !done(r) {
		return r
	}
	r := c.robot.Do(ok)
	if done(r) {
		c.standing, c.ordered = false, true
		c.log(iconGoal, text, now)
	}
	return r
}

// looksPerSecond is how often the holder may turn the head in a second, and in
// one burst.
const looksPerSecond = 20

// A look is a look command.
type look struct {
	ID, Lease uint64
	robot.Look
}

// look reads a look command.
func (r *reader) look() look {
	return look{ID: r.id(true), Lease: r.whole("lease", 0), Look: robot.Look{HeadAngles: robot.HeadAngles{
		Pan:  r.number("pan", "an angle in rad, for example 0.5"),
		Tilt: r.number("tilt", "an angle in rad, for example -0.2"),
	}}}
}

// look turns the head for the holder.
func (c *crew) look(who *person, lease uint64, cmd robot.Look, now time.Time) robot.Result {
	if r := c.mayOrder(who, lease, "Try again."); !done(r) {
		return r
	}
	if r := c.mayMove(); !done(r) {
		return r
	}
	if !who.looks.take(now, looksPerSecond) {
		return refusal(robot.Busy, fmt.Sprintf("The head is turned too often. Send at most %d commands per second.", looksPerSecond))
	}
	return c.robot.Do(cmd)
}

// jobGoes tells whether there is a run that has not ended.
func (c *crew) jobGoes() bool {
	return c.run != nil && c.run.Phase != robot.RunEnded && c.run.Number != c.over
}
