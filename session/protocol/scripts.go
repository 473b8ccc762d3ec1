package protocol

import (
	"time"

	"mybot/robot"
)

// A ScriptsEvent says what the scripts do, with every change.
type ScriptsEvent struct {
	Held   string       `json:"held"` // why they do not move the robot; "" = they may
	Moving bool         `json:"moving"`
	Units  []ScriptUnit `json:"units"`

	CameraOff string `json:"camera_off,omitempty"` // why the camera shows nothing, in a sentence; "" = no script has switched it off
}

// A ScriptUnit is a running script, or the unit of a connection.
type ScriptUnit struct {
	Name string      `json:"name"`
	Held bool        `json:"held"`
	Why  string      `json:"why"` // why its motion is held
	By   string      `json:"by"`  // who started it; "" = not known
	Tags []ScriptTag `json:"tags"`

	Yields     bool     `json:"yields"`                // its motion is held only because persons have used the robot
	At         *Seconds `json:"continues_at"`          // robot time at which it continues unless someone takes control; null = not by itself
	Waits      int      `json:"waits,omitempty"`       // commands that wait for the one before them
	WaitsSince *Seconds `json:"waits_since,omitempty"` // robot's clock; nil = none waits
}

// A ScriptTag is a tag of a unit.
type ScriptTag struct {
	Name       string `json:"name"`
	Frozen     bool   `json:"frozen"`
	Blocked    bool   `json:"blocked"`
	Statements int    `json:"statements"`

	Until *Seconds `json:"until,omitempty"`  // robot's clock, when the first wait or motion under it ends; nil = not known
	OnWay bool     `json:"on_way,omitempty"` // the robot is on its way to a goal for it
}

// ScriptsOf returns the event for a state of the scripts. start is the zero of the robot's
// clock, and by says who started a unit.
func ScriptsOf(s robot.ScriptState, start time.Time, by func(unit string) string) ScriptsEvent {
	optional := func(at time.Time) *Seconds {
		if at.IsZero() {
			return nil
		}
		t := Seconds(at.Sub(start))
		return &t
	}
	e := ScriptsEvent{Held: s.Held, Moving: s.Moving, Units: make([]ScriptUnit, 0, len(s.Units))}
	for _, u := range s.Units {
		one := ScriptUnit{Name: u.Name, Held: u.Held, Why: u.Why, By: by(u.Name), Tags: make([]ScriptTag, 0, len(u.Tags)), Yields: u.Yields, At: optional(u.ContinuesAt), Waits: u.Waits, WaitsSince: optional(u.WaitsSince)}
		for _, t := range u.Tags {
			one.Tags = append(one.Tags, ScriptTag{Name: t.Name, Frozen: t.Frozen, Blocked: t.Blocked, Statements: t.Statements, Until: optional(t.Until), OnWay: t.OnWay})
		}
		e.Units = append(e.Units, one)
	}
	return e
}
