package protocol

import "mybot/robot"

// A ScriptsEvent says what the scripts do, with every change.
type ScriptsEvent struct {
	Held   string       `json:"held"` // why they do not move the robot; "" = they may
	Moving bool         `json:"moving"`
	Units  []ScriptUnit `json:"units"`
}

// A ScriptUnit is a running script, or the unit of a connection.
type ScriptUnit struct {
	Name string      `json:"name"`
	Held bool        `json:"held"`
	Why  string      `json:"why"` // why its motion is held
	By   string      `json:"by"`  // who started it; "" = not known
	Tags []ScriptTag `json:"tags"`
}

// A ScriptTag is a tag of a unit.
type ScriptTag struct {
	Name       string `json:"name"`
	Frozen     bool   `json:"frozen"`
	Blocked    bool   `json:"blocked"`
	Statements int    `json:"statements"`
}

// ScriptsOf returns the event for a state of the scripts. by says who started a unit.
func ScriptsOf(s robot.ScriptState, by func(unit string) string) ScriptsEvent {
	e := ScriptsEvent{Held: s.Held, Moving: s.Moving, Units: make([]ScriptUnit, 0, len(s.Units))}
	for _, u := range s.Units {
		one := ScriptUnit{Name: u.Name, Held: u.Held, Why: u.Why, By: by(u.Name), Tags: make([]ScriptTag, 0, len(u.Tags))}
		for _, t := range u.Tags {
			one.Tags = append(one.Tags, ScriptTag(t))
		}
		e.Units = append(e.Units, one)
	}
	return e
}
