package jobs

import (
	"errors"
	"time"

	"mybot/robot"
)

// A Body is what a run moves: Core.
type Body interface {
	GoTo(robot.GoTo) robot.Result // sends the robot to a goal
	Goal() robot.Goal             // Number 0 = there was none
	PauseGoal(reason string)
	ResumeGoal() robot.Result
	CancelGoal(reason string)
}

// A PreparedStep is a step with everything that is needed to execute it.
type PreparedStep struct {
	Step   Step
	Goal   robot.Pose     // MOVE: of base_link in map
	Speech PreparedSpeech // VOICE
	Expect float64        // expected duration in s, from the rehearsal, without waiting for people
}

// A PreparedSpeech is a text, ready to be said.
type PreparedSpeech struct {
	Sentences []Sentence
	Aloud     bool   // in the robot's own voice; false = the base or the screen speaks
	ByBase    bool   `json:",omitzero"` // the base's own speaker speaks; never with Aloud
	Reason    string // why the screen speaks: the step ends MODIFIED with this reason
}

// A Sentence is a part of a text at whose beginning an interrupted speech can
// resume.
type Sentence struct {
	Text     string
	Duration time.Duration // an estimate, unless the sentence is said aloud
}

// A PreparedRun is the content of a run. It is read-only.
type PreparedRun struct {
	Job   Job
	Steps []PreparedStep
	Ways  [][]robot.Point // of the axle point M in map, from the rehearsal; empty for steps without motion
}

// A RunRecord is the stored form of a run.
type RunRecord struct {
	PreparedRun
	Run robot.Run
}

// ErrStale says that another user has saved the job meanwhile.
var ErrStale = errors.New("jobs: another user has saved the job")
