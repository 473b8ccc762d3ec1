package robot

import "fmt"

// A Word is one of RoboTalk's seven answers (Yang 2005, status words).
type Word string

// The seven words. Each command is answered once, with one of them.
const (
	Success     Word = "SUCCESS"     // done as asked
	Modified    Word = "MODIFIED"    // done, with changes; the reason says what changed
	Busy        Word = "BUSY"        // not now
	NA          Word = "NA"          // this robot has no such part
	Error       Word = "ERROR"       // invalid, or failed
	Interrupted Word = "INTERRUPTED" // begun or queued, then ended early
	Panic       Word = "PANIC"       // refused because the robot is stopped
)

// A Result is the answer to a command. The reason is a sentence for a person; it is empty
// only for Success.
type Result struct {
	Word   Word   `json:"word"`
	Reason string `json:"reason,omitempty"`
	Route  *Route `json:"-"` // of a successful Plan or GoTo
}

// Done reports whether the command was done, with or without changes.
func (r Result) Done() bool { return r.Word == Success || r.Word == Modified }

// A Refusal is a Result as an error, for calls that return one.
type Refusal Result

// Error returns the reason.
func (r Refusal) Error() string { return r.Reason }

// Refusef returns the Refusal with the word Error and this reason.
func Refusef(format string, args ...any) Refusal {
	return Refusal{Word: Error, Reason: fmt.Sprintf(format, args...)}
}
