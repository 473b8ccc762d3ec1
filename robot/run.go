package robot

import (
	"strings"
	"time"
)

// ActionState is VDA 5050's word for how far one step of a job has come.
type ActionState string

// The states of a step, in VDA 5050's words.
const (
	StepWaiting      ActionState = "WAITING"      // not yet its turn
	StepInitializing ActionState = "INITIALIZING" // its turn, but not begun
	StepRunning      ActionState = "RUNNING"
	StepPaused       ActionState = "PAUSED"
	StepRetriable    ActionState = "RETRIABLE" // failed, can be retried
	StepFinished     ActionState = "FINISHED"
	StepFailed       ActionState = "FAILED" // failed and cannot be retried, or skipped
)

// RunPhase is the phase of a run.
type RunPhase string

// The phases of a run.
const (
	RunRunning RunPhase = "running"
	RunPaused  RunPhase = "paused" // waits for ResumeRun
	RunStuck   RunPhase = "stuck"  // a step is RETRIABLE; waits for RetryStep or SkipStep
	RunEnded   RunPhase = "ended"  // see Result
)

// A Run is the current or last run of a job. It is a value; its slices are not modified
// after publication.
type Run struct {
	Number  uint64 // counts runs from 1 and is never reused
	Job     string // the id of its definition
	Name    string // of the job, for people
	Phase   RunPhase
	Result  Result // of an ended run: SUCCESS, MODIFIED if some steps were, INTERRUPTED by a person, ERROR; of a paused or stuck run: the reason, without a word
	Step    int    // index of the current step; len(Steps) = none left
	Steps   []StepRun
	Began   time.Time
	Ended   time.Time    // zero = not yet
	Left    float64      // s, estimated time to go, without waiting for people
	Edition int          // number of changes of its later steps
	Log     []Transition // all, oldest first
}

// A StepRun is one step of a run.
type StepRun struct {
	State   ActionState
	Skipped bool      // skipped by a user, or because of a failure
	Began   time.Time // its first try; zero = not yet
	Ended   time.Time // zero = not yet
	Tries   int
	Expect  float64 // s, expected duration, without waiting for people
	Left    float64 // s, estimated time to go
	Result  Result  // how it ended or why it is RETRIABLE; MODIFIED = done with changes
}

// A Transition is a change of state of a run or of one of its steps.
type Transition struct {
	At     time.Time
	Step   int    // index; -1 = the run itself
	From   string // state or phase; "" = the beginning
	To     string
	Word   Word
	Reason string
}

// Speech is a sentence that the robot speaks.
type Speech struct {
	Number   uint64 // increases with every speech, across runs
	Text     string
	Voice    string  // espeak-ng's name of the voice
	Speed    float64 // 1 = normal
	At       time.Time
	Duration time.Duration // estimated, unless Aloud
	Aloud    bool          // spoken by the robot's own voice; false = the base or the screen speaks and sends Spoken at the end
	ByBase   bool          // spoken by the base's own speaker, not by the screen; never with Aloud
}

// A Message is a text on the robot's screen.
type Message struct {
	Number uint64    // increases with every message, across runs
	Text   string    // "" = a WAIT that ends with OK
	OK     bool      // it waits for OK
	Until  time.Time // zero = no end
}

// Lines returns the message as the lines of a display; nil = no message. A message that
// waits for OK says so, because a display has no button.
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
