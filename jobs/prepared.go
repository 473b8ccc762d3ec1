package jobs

import (
	"errors"
	"time"

	"mybot/robot"
)

// A Body is what a run moves: the control core.
type Body interface {
	GoTo(robot.GoTo) robot.Result // sends the robot to a goal
	Goal() robot.Goal             // Number 0 = there was none
	PauseGoal(reason string)
	ResumeGoal() robot.Result
	CancelGoal(reason string)
}

// A PreparedStep is a step with all that it needs to be done.
type PreparedStep struct {
	Step   Step
	Goal   robot.Pose     // MOVE: of base_link in map
	Speech PreparedSpeech // VOICE
	Expect float64        // s that it should take, as rehearsed; waiting for people does not count
}

// A PreparedSpeech is how a text will be said.
type PreparedSpeech struct {
	Sentences []Sentence
	Aloud     bool   // by the robot's own voice; false = its screen speaks
	Reason    string // why the screen speaks: the step's answer is MODIFIED with it
}

// A Sentence is a part of a text at whose beginning a speech can continue.
type Sentence struct {
	Text     string
	Duration time.Duration // about, unless it is said aloud
}

// A PreparedRun is what a run does. It is read-only.
type PreparedRun struct {
	Job   Job
	Steps []PreparedStep
	Ways  [][]robot.Point // of the axle point M in map, as rehearsed; empty for steps that stand
}

// A RunRecord is a run as it is saved.
type RunRecord struct {
	PreparedRun
	Run robot.Run
}

// ErrStale says that a job was saved by another user meanwhile.
var ErrStale = errors.New("jobs: another user has saved the job")
