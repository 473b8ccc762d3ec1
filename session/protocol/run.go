package protocol

import (
	"encoding/json"

	"mybot/jobs"
	"mybot/robot"
)

// A RunEvent brings the run of a job, at every transition.
type RunEvent struct {
	Run Run `json:"run"`
}

// A Run is the run of a job.
type Run struct {
	N       uint64          `json:"n"`
	Job     string          `json:"job"`
	Name    string          `json:"name"`
	Phase   robot.RunPhase  `json:"phase"`
	Step    int             `json:"step"`
	Began   Moment          `json:"began"`
	Ended   *Moment         `json:"ended"` // null = not yet
	Word    robot.Word      `json:"word"`
	Reason  string          `json:"reason"`
	Changes int             `json:"changes"`
	Edition int             `json:"edition"`
	Steps   []RunStep       `json:"steps"`
	Ways    json.RawMessage `json:"ways"`
}

// A RunStep is one step of a run.
type RunStep struct {
	jobs.Step
	State   robot.ActionState `json:"state"`
	Skipped bool              `json:"skipped"`
	Began   *Moment           `json:"began"` // null = not yet
	Ended   *Moment           `json:"ended"` // null = not yet
	Expect  Number            `json:"expect"`
	Tries   int               `json:"tries"`
	Word    robot.Word        `json:"word"`
	Reason  string            `json:"reason"`
}

// RunOf returns the wire form of a run and its steps; paths comes from PathsOf.
func RunOf(r robot.Run, steps []jobs.Step, changes int, paths json.RawMessage) Run {
	m := Run{
		N: r.Number, Job: r.Job, Name: r.Name, Phase: r.Phase, Step: r.Step,
		Began: Moment(r.Began), Ended: optionalMoment(r.Ended), Word: r.Result.Word, Reason: r.Result.Reason,
		Changes: changes, Edition: r.Edition, Steps: make([]RunStep, len(r.Steps)), Ways: paths,
	}
	for i, s := range r.Steps {
		m.Steps[i] = RunStep{
			State: s.State, Skipped: s.Skipped, Began: optionalMoment(s.Began), Ended: optionalMoment(s.Ended),
			Expect: Number(s.Expect), Tries: s.Tries, Word: s.Result.Word, Reason: s.Result.Reason,
		}
		if i < len(steps) {
			m.Steps[i].Step = steps[i]
		}
	}
	return m
}

// PathsOf returns the wire form of the steps' paths, in map.
func PathsOf(paths [][]robot.Point) json.RawMessage {
	all := make([][][]Number, len(paths))
	for i, path := range paths {
		all[i] = make([][]Number, len(path))
		for k, p := range path {
			all[i][k] = PointOf(p)
		}
	}
	return encodeValue(all)
}
