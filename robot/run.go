package robot

import (
	"strings"
	"time"
)

// ActionState is VDA 5050's word for how far one step of a job has come.
type ActionState string

// The states of a step, in VDA 5050's words.
const (
	StepWaiting      ActionState = "WAITING"      // its turn has not come
	StepInitializing ActionState = "INITIALIZING" // its turn has come; it has not begun
	StepRunning      ActionState = "RUNNING"
	StepPaused       ActionState = "PAUSED"
	StepRetriable    ActionState = "RETRIABLE" // it failed and can be tried again
	StepFinished     ActionState = "FINISHED"
	StepFailed       ActionState = "FAILED" // for good, or it was skipped
)

// RunPhase is how far the run of a job has come.
type RunPhase string

// The phases of a run.
const (
	RunRunning RunPhase = "running"
	RunPaused  RunPhase = "paused" // waits for ResumeRun
	RunStuck   RunPhase = "stuck"  // a step is RETRIABLE: waits for RetryStep or SkipStep
	RunEnded   RunPhase = "ended"  // Result tells how
)

// A Run is a job that is being done, or was done last. It is a value; its
// slices are not written to after publication.
type Run struct {
	Number  uint64 // counts runs from 1, and is never given again
	Job     string // the id of its definition
	Name    string // of the job, for people
	Phase   RunPhase
	Result  Result // of a run that ended: SUCCESS, MODIFIED some steps were, INTERRUPTED ended by a person, ERROR; why it is paused or stuck, with word ""
	Step    int    // the current step; len(Steps) = none is left
	Steps   []StepRun
	Began   time.Time
	Ended   time.Time    // zero = it has not
	Left    float64      // s to go, about; waiting for people does not count
	Edition int          // how often its later steps were changed
	Log     []Transition // all of them, the oldest first
}

// A StepRun is one step of a run.
type StepRun struct {
	State   ActionState
	Skipped bool      // a user skipped it, or its failure did
	Began   time.Time // its first try; zero = not yet
	Ended   time.Time // zero = not yet
	Tries   int
	Expect  float64 // s that it should take; waiting for people does not count
	Left    float64 // s to go, about
	Result  Result  // how it ended, why it is RETRIABLE; MODIFIED when it was done, with changes
}

// A Transition is one change of a run or of one of its steps.
type Transition struct {
	At     time.Time
	Step   int    // index; -1 = of the run itself
	From   string // a state or phase; "" = it began
	To     string
	Word   Word
	Reason string
}

// Speech is one sentence that the robot says.
type Speech struct {
	Number   uint64 // grows with everything that is said, from run to run
	Text     string
	Voice    string  // espeak-ng's name of it
	Speed    float64 // 1 = as usual
	At       time.Time
	Duration time.Duration // about, unless Aloud
	Aloud    bool          // by the robot's own voice; false = its base or its screen speaks, and says Spoken at the end
	ByBase   bool          // the base's own speaker speaks, and the screen is silent; never with Aloud
}

// A Message is what the robot shows on its screen.
type Message struct {
	Number uint64    // grows with everything that is shown, from run to run
	Text   string    // "" = a WAIT that OK ends
	OK     bool      // it waits for OK
	Until  time.Time // zero = for as long as it takes
}

// Lines returns the message as the lines of a display. One that waits for OK says so,
// because a display has no button. nil = nothing is shown.
func (m *Message) Lines() (lines []string) {
	if m == nil {
		return nil
	}
	for line := range strings.Lines(m.Text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if m.OK && !strings.Contains(m.Text, "OK") {
		lines = append(lines, "Touch OK.")
	}
	return lines
}
