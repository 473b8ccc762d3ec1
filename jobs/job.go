package jobs

import "time"

// A Job is the definition of one: its steps, as a user wrote them.
type Job struct {
	ID       string    `json:"id,omitempty"` // lower-case letters, digits and hyphens, at most 60; given by the robot
	Name     string    `json:"name"`         // one line of 1 to 60 letters
	Steps    []Step    `json:"steps"`        // 1 to 100
	Revision uint64    `json:"revision,omitempty"`
	Changed  time.Time `json:"changed,omitzero"`
}

// Kind is what a step does.
type Kind string

// The kinds of steps; the words are the paper's.
const (
	Move    Kind = "MOVE"
	Voice   Kind = "VOICE"
	Message Kind = "MESSAGE"
	Wait    Kind = "WAIT"
)

// OnFailure is what happens when a step fails.
type OnFailure string

// What may happen when a step fails.
const (
	FailStop  OnFailure = "stop"  // the run is stuck until a user says retry or skip; the default
	FailSkip  OnFailure = "skip"  // the next step begins
	FailRetry OnFailure = "retry" // it is tried again, Retries times with RetryAfter between them; then stop
)

// A Step is one part of a job. Which fields it has depends on its kind; the
// others are zero.
type Step struct {
	Type Kind `json:"type"`

	Place string      `json:"place,omitempty"` // MOVE: to a place by its name,
	Pose  *[3]float64 `json:"pose,omitempty"`  // or to x, y, theta of base_link in map (m, m, rad)

	Text  string  `json:"text,omitempty"`  // VOICE: at most 200 letters; MESSAGE: at most 140
	Voice string  `json:"voice,omitempty"` // VOICE: espeak-ng's name of a voice; "" = en
	Speed float64 `json:"speed,omitempty"` // VOICE: 0.5 to 2; 0 = 1

	OK      bool    `json:"ok,omitempty"`      // MESSAGE: waits for OK; WAIT: OK ends it
	Seconds float64 `json:"seconds,omitempty"` // WAIT: how long, 1 to 3600 s; MESSAGE: its time limit, without OK how long it is shown (0 = 5 s; with OK, 0 = for ever); MOVE: how long it may be blocked before it has failed (0 = 120 s)

	OnFailure  OnFailure `json:"on_failure,omitempty"`
	Retries    int       `json:"retries,omitempty"`     // 1 to 10, with retry; 0 = 2
	RetryAfter float64   `json:"retry_after,omitempty"` // s, 0 to 600
}

// Equal reports whether both do the same.
func (s Step) Equal(t Step) bool {
	if s.Pose != nil && t.Pose != nil && *s.Pose == *t.Pose {
		s.Pose, t.Pose = nil, nil
	}
	return s == t
}
