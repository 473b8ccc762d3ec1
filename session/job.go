package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mybot/jobs"
	"mybot/robot"
)

// Jobs: who may have one run, and what everybody hears of it.

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
	Steps []jobs.Ready
	Ways  [][]robot.Point // of the axle point M in map, as rehearsed; empty for steps that stand
}

// A RunRecord is a run as it is kept.
type RunRecord struct {
	Made
	Run robot.Run
}

// ErrStale says that a job was saved by somebody else meanwhile.
var ErrStale = errors.New("session: the job was saved by somebody else meanwhile")

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
		j.Command = robot.SkipStep{}
	case "retry":
		j.Command = robot.RetryStep{}
	case "end":
		j.Command = robot.EndRun{}
	case "ok":
		j.Command = robot.OK{}
	default:
		r.wrong("action", "is "+clip(fmt.Sprintf("%q", action)), jobActions)
	}
	return j
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
	over  func() error // not nil = nobody waits for it any more; nil = its page does while it is there
	reply func(run uint64, r robot.Result)

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
// control. It waits until the run has begun, or ctx ends.
func (h *Hub) RunJob(ctx context.Context, by Identity, lease uint64, definition jobs.Job) (run uint64, r robot.Result) {
	a := h.give(ctx, by, order{Order: Order{Lease: lease, Command: robot.RunJob{}}, job: definition})
	return a.run, a.Result
}

// noJobs is the answer where no jobs are kept.
const noJobs = "This robot runs no jobs."

// job carries out a job command of a page, or begins to.
func (c *crew) job(u *User, cmd job, now time.Time) {
	switch cmd.Command.(type) {
	case robot.RunJob, robot.ChangeRun:
		c.prepare(u.person, cmd, nil, now, func(run uint64, r robot.Result) {
			m := resultMessage{ID: &cmd.ID, Word: r.Word, Reason: r.Reason}
			if done(r) {
				m.Run = &run
			}
			c.answerTo(u, cmd.Lease, m)
		})
	default:
		c.replyTo(u, cmd.ID, cmd.Lease, c.steer(u.person, cmd.Lease, cmd.Command, now))
	}
}

// prepare begins to make a job ready; prepared ends it.
func (c *crew) prepare(who *person, cmd job, over func() error, now time.Time, reply func(run uint64, r robot.Result)) {
	r := c.mayPrepare(who, cmd, now)
	if done(r) && !c.ready(making{who: who, hold: c.gate.hold, cmd: c.named(cmd), from: c.pose, over: over, reply: reply}) {
		r = refusal(robot.Busy, "Too many jobs are being made ready. Try again in a moment.")
	}
	if !done(r) {
		reply(0, r)
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
		return refusal(robot.Error, "There is no job under way that could be changed.")
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
	run, r := c.begin(m, now)
	if !done(r) && m.err == nil {
		c.jobs.Drop(m.ready)
	}
	m.reply(run, r)
}

func (c *crew) begin(m making, now time.Time) (run uint64, r robot.Result) {
	_, change := m.cmd.Command.(robot.ChangeRun)
	switch {
	case m.err != nil:
		return 0, refusal(robot.Error, m.err.Error())
	case m.who.user == nil:
		return 0, refusal(robot.Interrupted, "The page has gone.")
	case m.over != nil && m.over() != nil:
		return 0, refusal(robot.Interrupted, givenUp)
	}
	if r := c.mayPrepare(m.who, m.cmd, now); !done(r) {
		return 0, r
	}
	if !change {
		if m.hold != c.gate.hold {
			return 0, refusal(robot.Interrupted, "The robot was driven or stopped while the job was made ready. Run it again.")
		}
		if r := c.robot.Do(robot.RunJob{Run: m.ready}); !done(r) {
			return 0, r
		}
		c.standing, c.ordered = false, true
		c.log(iconGoal, m.who.name+" began the job "+m.cmd.Job.Name+".", now, "run", m.ready)
		return m.ready, robot.Result{Word: robot.Success}
	}
	run = c.run.Number
	if r := c.robot.Do(robot.ChangeRun{Ready: m.ready}); !done(r) {
		return 0, r
	}
	c.jobs.Changed(run, m.ready)
	c.log(iconGoal, m.who.name+" changed the steps of the job.", now, "run", run)
	return run, robot.Result{Word: robot.Success}
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
		text = fmt.Sprintf("%s skipped step %d.", who.name, step)
		cmd = order
	case robot.RetryStep:
		text = fmt.Sprintf("%s has step %d tried again.", who.name, step)
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
		return refusal(robot.Busy, fmt.Sprintf("The head is turned too often. At most %d times a second are enough.", looksPerSecond))
	}
	return c.robot.Do(cmd)
}

// jobGoes tells whether there is a run that has not ended.
func (c *crew) jobGoes() bool {
	return c.run != nil && c.run.Phase != robot.RunEnded && c.run.Number != c.over
}

// seeRun looks at the run of a new state: what is new of it is told at once.
func (c *crew) seeRun(r *robot.Run) {
	old := c.run
	c.run = r
	switch {
	case r == nil || r == old:
		return
	case old == nil || old.Number != r.Number:
		c.changes, c.ways = 0, nil
	case old.Edition != r.Edition:
		c.ways = nil
	case old.Phase == r.Phase && old.Result == r.Result && old.Step == r.Step && len(old.Log) == len(r.Log):
		return
	}
	c.changes++
	c.runNews = c.runNow()
	c.broadcast(c.runNews)
}

// runNow returns the event that tells the newest run.
func (c *crew) runNow() []byte {
	made := Made{}
	if c.jobs != nil {
		made, _ = c.jobs.Made(c.run.Number)
	}
	if c.ways == nil {
		c.ways = encode(waysOf(made.Ways))
	}
	return encode(runEvent{"event", "run", runOf(*c.run, made.Job.Steps, c.changes, c.ways)})
}

// jobsNow returns the event that tells the jobs that are kept; nil = none are
// kept here.
func (c *crew) jobsNow() []byte {
	if c.jobs == nil {
		return nil
	}
	return encode(jobsEvent{"event", "jobs", JobsOf(c.jobs.List())})
}

// JobsOf returns the jobs that are kept as the event tells them.
func JobsOf(kept []jobs.Job) []JobEntry {
	all := make([]JobEntry, len(kept))
	for i, j := range kept {
		all[i] = JobEntry{j.ID, j.Name, len(j.Steps), j.Revision, moment(j.Changed)}
	}
	return all
}

type jobsEvent struct {
	Type string     `json:"type"`
	Kind string     `json:"kind"`
	Jobs []JobEntry `json:"jobs"`
}

// A JobEntry tells of a job that is kept.
type JobEntry struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Steps    int    `json:"steps"`
	Revision uint64 `json:"revision"`
	Changed  moment `json:"changed"`
}

type runEvent struct {
	Type string     `json:"type"`
	Kind string     `json:"kind"`
	Run  RunMessage `json:"run"`
}

// A RunMessage is a run as it is sent.
type RunMessage struct {
	N       uint64          `json:"n"`
	Job     string          `json:"job"`
	Name    string          `json:"name"`
	Phase   robot.RunPhase  `json:"phase"`
	Step    int             `json:"step"`
	Began   moment          `json:"began"`
	Ended   *moment         `json:"ended"` // null = not yet
	Word    robot.Word      `json:"word"`
	Reason  string          `json:"reason"`
	Changes int             `json:"changes"`
	Edition int             `json:"edition"`
	Steps   []StepMessage   `json:"steps"`
	Ways    json.RawMessage `json:"ways"`
}

// A StepMessage is one step of a run as it is sent.
type StepMessage struct {
	jobs.Step
	State   robot.ActionState `json:"state"`
	Skipped bool              `json:"skipped"`
	Began   *moment           `json:"began"` // null = not yet
	Ended   *moment           `json:"ended"` // null = not yet
	Expect  number            `json:"expect"`
	Tries   int               `json:"tries"`
	Word    robot.Word        `json:"word"`
	Reason  string            `json:"reason"`
}

// RunOf returns a run that is kept as it is sent. Its changes are the
// transitions.
func RunOf(r RunRecord) RunMessage {
	return runOf(r.Run, r.Job.Steps, len(r.Run.Log), encode(waysOf(r.Ways)))
}

func runOf(r robot.Run, steps []jobs.Step, changes int, ways json.RawMessage) RunMessage {
	m := RunMessage{
		N: r.Number, Job: r.Job, Name: r.Name, Phase: r.Phase, Step: r.Step,
		Began: moment(r.Began), Ended: momentOf(r.Ended), Word: r.Result.Word, Reason: r.Result.Reason,
		Changes: changes, Edition: r.Edition, Steps: make([]StepMessage, len(r.Steps)), Ways: ways,
	}
	for i, s := range r.Steps {
		m.Steps[i] = StepMessage{
			State: s.State, Skipped: s.Skipped, Began: momentOf(s.Began), Ended: momentOf(s.Ended),
			Expect: number(s.Expect), Tries: s.Tries, Word: s.Result.Word, Reason: s.Result.Reason,
		}
		if i < len(steps) {
			m.Steps[i].Step = steps[i]
		}
	}
	return m
}

// momentOf returns the time as it is sent; nil = the zero time, never.
func momentOf(t time.Time) *moment {
	if t.IsZero() {
		return nil
	}
	m := moment(t)
	return &m
}

func waysOf(ways [][]robot.Point) [][][]number {
	all := make([][][]number, len(ways))
	for i, way := range ways {
		all[i] = make([][]number, len(way))
		for k, p := range way {
			all[i][k] = pointOf(p)
		}
	}
	return all
}

// A runState is how a run stands, as a state tells it.
type runState struct {
	Run      uint64         `json:"run"`
	Phase    robot.RunPhase `json:"phase"`
	Step     int            `json:"step"`
	Steps    int            `json:"steps"`
	Left     number         `json:"left"`      // s
	StepLeft *number        `json:"step_left"` // s; null = no step is left
	Changes  int            `json:"changes"`
}

// runStateOf returns how the run stands; nil = there was none yet.
func runStateOf(r *robot.Run, changes int) *runState {
	if r == nil {
		return nil
	}
	m := &runState{Run: r.Number, Phase: r.Phase, Step: r.Step, Steps: len(r.Steps), Left: number(r.Left), Changes: changes}
	if r.Step < len(r.Steps) {
		left := number(r.Steps[r.Step].Left)
		m.StepLeft = &left
	}
	return m
}

type speechMessage struct {
	N    uint64 `json:"n"`
	Text string `json:"text"`
}

func speechOf(s *robot.Speech) *speechMessage {
	if s == nil {
		return nil
	}
	return &speechMessage{s.Number, s.Text}
}

type shownMessage struct {
	N    uint64  `json:"n"`
	Text string  `json:"text"`
	OK   bool    `json:"ok"`
	Left *number `json:"left"` // s; null = for as long as it takes
}

// messageOf returns what the robot's screen shows at the time now.
func messageOf(s *robot.Message, now time.Time) *shownMessage {
	if s == nil {
		return nil
	}
	m := &shownMessage{N: s.Number, Text: s.Text, OK: s.OK}
	if !s.Until.IsZero() {
		left := number(max(0, s.Until.Sub(now).Seconds()))
		m.Left = &left
	}
	return m
}
