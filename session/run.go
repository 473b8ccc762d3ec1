package session

import (
	"encoding/json"
	"time"

	"mybot/jobs"
	"mybot/robot"
)

// What everybody hears of jobs and their runs.

// A RunRecord is a run as it is kept.
type RunRecord struct {
	Made
	Run robot.Run
}

// observeRun looks at the run of a new state: what is new of it is told at once.
func (c *crew) observeRun(r *robot.Run) {
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
	c.runNews = c.encodeRun()
	c.broadcast(c.runNews)
}

// encodeRun returns the event that tells the newest run.
func (c *crew) encodeRun() []byte {
	made := Made{}
	if c.jobs != nil {
		made, _ = c.jobs.Prepared(c.run.Number)
	}
	if c.ways == nil {
		c.ways = encodeValue(PathsOf(made.Ways))
	}
	return encodeValue(runEvent{"event", "run", runOf(*c.run, made.Job.Steps, c.changes, c.ways)})
}

// encodeJobs returns the event that tells the jobs that are kept; nil = none are
// kept here.
func (c *crew) encodeJobs() []byte {
	if c.jobs == nil {
		return nil
	}
	return encodeValue(JobsEvent{"event", "jobs", JobsOf(c.jobs.List())})
}

// JobsOf returns the jobs that are kept as the event tells them.
func JobsOf(saved []jobs.Job) []JobEntry {
	entries := make([]JobEntry, len(saved))
	for i, j := range saved {
		entries[i] = JobEntry{j.ID, j.Name, len(j.Steps), j.Revision, moment(j.Changed)}
	}
	return entries
}

type JobsEvent struct {
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
	Type string `json:"type"`
	Kind string `json:"kind"`
	Run  Run    `json:"run"`
}

// A Run is a run as it is sent.
type Run struct {
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
	Steps   []RunStep       `json:"steps"`
	Ways    json.RawMessage `json:"ways"`
}

// A RunStep is one step of a run as it is sent.
type RunStep struct {
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
func RunOf(r RunRecord) Run {
	return runOf(r.Run, r.Job.Steps, len(r.Run.Log), encodeValue(PathsOf(r.Ways)))
}

func runOf(r robot.Run, steps []jobs.Step, changes int, paths json.RawMessage) Run {
	m := Run{
		N: r.Number, Job: r.Job, Name: r.Name, Phase: r.Phase, Step: r.Step,
		Began: moment(r.Began), Ended: optionalMoment(r.Ended), Word: r.Result.Word, Reason: r.Result.Reason,
		Changes: changes, Edition: r.Edition, Steps: make([]RunStep, len(r.Steps)), Ways: paths,
	}
	for i, s := range r.Steps {
		m.Steps[i] = RunStep{
			State: s.State, Skipped: s.Skipped, Began: optionalMoment(s.Began), Ended: optionalMoment(s.Ended),
			Expect: number(s.Expect), Tries: s.Tries, Word: s.Result.Word, Reason: s.Result.Reason,
		}
		if i < len(steps) {
			m.Steps[i].Step = steps[i]
		}
	}
	return m
}

// optionalMoment returns the time as it is sent; nil = the zero time, never.
func optionalMoment(t time.Time) *moment {
	if t.IsZero() {
		return nil
	}
	m := moment(t)
	return &m
}

func PathsOf(paths [][]robot.Point) [][][]number {
	all := make([][][]number, len(paths))
	for i, path := range paths {
		all[i] = make([][]number, len(path))
		for k, p := range path {
			all[i][k] = PointOf(p)
		}
	}
	return all
}

// A RunState is how a run stands, as a state tells it.
type RunState struct {
	Run      uint64         `json:"run"`
	Phase    robot.RunPhase `json:"phase"`
	Step     int            `json:"step"`
	Steps    int            `json:"steps"`
	Left     number         `json:"left"`      // s
	StepLeft *number        `json:"step_left"` // s; null = no step is left
	Changes  int            `json:"changes"`
}

// runStateOf returns how the run stands; nil = there was none yet.
func runStateOf(r *robot.Run, changes int) *RunState {
	if r == nil {
		return nil
	}
	m := &RunState{Run: r.Number, Phase: r.Phase, Step: r.Step, Steps: len(r.Steps), Left: number(r.Left), Changes: changes}
	if r.Step < len(r.Steps) {
		left := number(r.Steps[r.Step].Left)
		m.StepLeft = &left
	}
	return m
}

type Speech struct {
	N    uint64 `json:"n"`
	Text string `json:"text"`
}

func speechOf(s *robot.Speech) *Speech {
	if s == nil {
		return nil
	}
	return &Speech{s.Number, s.Text}
}

type ShownMessage struct {
	N    uint64  `json:"n"`
	Text string  `json:"text"`
	OK   bool    `json:"ok"`
	Left *number `json:"left"` // s; null = for as long as it takes
}

// messageOf returns what the robot's screen shows at the time now.
func messageOf(s *robot.Message, now time.Time) *ShownMessage {
	if s == nil {
		return nil
	}
	m := &ShownMessage{N: s.Number, Text: s.Text, OK: s.OK}
	if !s.Until.IsZero() {
		left := number(max(0, s.Until.Sub(now).Seconds()))
		m.Left = &left
	}
	return m
}
