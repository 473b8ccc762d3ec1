package jobs

import "time"

// A Job is the definition of a job: its steps, as a user wrote them.
type Job struct {
	ID       string    `json:"id,omitempty"` // assigned by the robot: lower-case letters, digits and hyphens, at most 60
	Name     string    `json:"name"`         // one line of 1 to 60 letters
	Steps    []Step    `json:"steps"`        // 1 to 100
	Revision uint64    `json:"revision,omitempty"`
	Changed  time.Time `json:"changed,omitzero"`
}

// Kind is what a step does.
type Kind string

// The kinds of steps, named as in Han 2002.
const (
	Move    Kind = "MOVE"
	Voice   Kind = "VOICE"
	Message Kind = "MESSAGE"
	Wait    Kind = "WAIT"
)

// OnFailure says what happens when a step fails.
type OnFailure string

// The reactions to a failed step.
const (
	FailStop  OnFailure = "stop"  // the run waits until a user retries or skips the step; the default
	FailSkip  OnFailure = "skip"  // the next step begins
	FailRetry OnFailure = "retry" // the step is tried again, Retries times with RetryAfter in between; then as FailStop
)

// A Step is one step of a job. Its kind determines which fields it has; the others
// are zero.
type Step struct {
	Type Kind `json:"type"`

	Place string      `json:"place,omitempty"` // MOVE: to the place with this name,
	Pose  *[3]float64 `json:"pose,omitempty"`  // or to x, y, theta of base_link in map (m, m, rad)

	Text  string  `json:"text,omitempty"`  // VOICE: at most 200 letters; MESSAGE: at most 140
	Voice string  `json:"voice,omitempty"` // VOICE: name of an espeak-ng voice; "" = en
	Speed float64 `json:"speed,omitempty"` // VOICE: 0.5 to 2; 0 = 1

	OK      bool    `json:"ok,omitempty"`      // MESSAGE: waits for OK; WAIT: OK ends it
	Seconds float64 `json:"seconds,omitempty"` // WAIT: duration, 1 to 3600 s; MESSAGE: time limit, without OK how long it is shown (0 = 5 s; with OK, 0 = no limit); MOVE: how long it may be blocked before it fails (0 = 120 s)

	OnFailure  OnFailure `json:"on_failure,omitempty"`
	Retries    int       `json:"retries,omitempty"`     // 1 to 10, with retry; 0 = 2
	RetryAfter float64   `json:"retry_after,omitempty"` // s, 0 to 600
}

// Equal reports whether both steps do the same.
func (s Step) Equal(t Step) bool {
	if s.Pose != nil && t.Pose != nil && *s.Pose == *t.Pose {
		s.Pose, t.Pose = nil, nil
	}
	return s == t
}
