package robot

import (
	"time"

	"mybot/script"
)

// OpenUnit opens a unit for a connection that sends script commands. Held holds its motion
// from the start, for a person who may not move the robot.
type OpenUnit struct {
	Unit string
	Held bool
}

// StartUnit starts a script as a unit. A running unit of that name is an ERROR. Held holds
// its motion from the start, for a person who may not move the robot; Why says why in a
// sentence, "" = it was started without control.
type StartUnit struct {
	Unit    string
	Program *script.Program // read-only
	Held    bool
	Why     string
}

// GiveCommands passes commands of a connection to its unit.
type GiveCommands struct {
	Unit     string
	Commands script.Commands // read-only
}

// CloseUnit ends a unit and all its statements.
type CloseUnit struct{ Unit string }

// HoldUnits holds the motion of a unit until ResumeUnits; Unit "" = of all units. What does
// not move the robot continues. Handover says that control passes to another person; Unit
// is "" then.
type HoldUnits struct {
	Unit, Reason string
	Handover     bool
}

// ResumeUnits continues the held motion of a unit; Unit "" = of all units. session has
// checked that the sender is in control.
type ResumeUnits struct{ Unit string }

// LetStandBy names the units that may continue without ResumeUnits: no one has control, and an
// admin has permitted it. It replaces the list before. Epoch is the number of the lease;
// the time restarts with another one.
type LetStandBy struct {
	Units []string // read-only
	Epoch uint64
	After time.Duration // without control; 0 = limits.StandBy
}

// ContinueUnit continues the held motion of a unit of LetStandBy with this Epoch, once the robot has
// announced it for limits.StandByNotice. session has checked that no one has control.
type ContinueUnit struct {
	Unit  string
	Epoch uint64
}

// SilenceUnit holds the endless motions of a connection's unit because nothing was heard
// from the connection for a while. Reason "" = it is heard again, which lifts only this
// hold.
type SilenceUnit struct{ Unit, Reason string }

// AnswerAsk answers a request of a script. Refusal is "", or a sentence that says why there
// is no answer. The other fields are the answers to functions of the robot whose arguments
// only the host understands. An ID below 0 is that of a request for which no statement waits.
type AnswerAsk struct {
	ID      int
	Value   script.Value
	Refusal string
	Goal    *GoTo    // of goto(place) and dock()
	Run     uint64   // of job(name): a prepared run
	Speech  []Speech // of say: its sentences, without Number and At; read-only
}

// NoteUsers tells the scripts who uses the robot. It sets nothing in motion.
type NoteUsers struct {
	Control string // name of the person in control; "" = no one has control
	Count   int    // of connected users
}

// WatchValues says which values of the scripts people watch, in place of those before. It
// changes nothing that scripts see or do.
type WatchValues struct{ Values []*script.Watched } // read-only

// StepUnits runs the scripts while no readings arrive. The control loop itself gives this
// command.
type StepUnits struct{}

// ScriptState is the state of the scripts. It is not modified after publication.
type ScriptState struct {
	Held   string       // why the motion of scripts is held; "" = it is not
	Units  []ScriptUnit // in the order of their start
	Moving bool         // a script moves the robot now
	Errand bool         // it is on the way of a script's goal or job

	CameraOff string // unit that has switched the camera off; "" = it is on
}

// A ScriptUnit is a running script, or the unit of a connection.
type ScriptUnit struct {
	Name string
	Held bool
	Why  string // why its motion is held; "" = it is not
	Tags []ScriptTag

	Yields      bool      // its motion is held, and only because persons have used the robot
	ContinuesAt time.Time // when it continues unless someone takes control; zero = not by itself
	Announced   bool      // the robot has said so; from ContinuesAt on, ContinueUnit continues it
	Waits       int       // commands of a connection that wait for the end of the one before them
	WaitsSince  time.Time // when the first of them came; zero = none waits
}

// WatchedValues are the values that people watch, at one time. They are not modified after
// publication.
type WatchedValues struct {
	Time   time.Time
	Of     []*script.Watched
	Values []script.Look // in the order of Of
}

// A ScriptTag is a tag under which statements run, or that is frozen or blocked.
type ScriptTag struct {
	Name       string
	Frozen     bool
	Blocked    bool
	Statements int // running under it

	Until time.Time // when the first wait, motion or timeout under it ends; zero = not known, or within a second
	OnWay bool      // the robot is on its way to a goal for it
}

func (OpenUnit) harmlessAfterStop()     {}
func (StartUnit) harmlessAfterStop()    {}
func (GiveCommands) harmlessAfterStop() {}
func (CloseUnit) harmlessAfterStop()    {}
func (HoldUnits) harmlessAfterStop()    {}
func (LetStandBy) harmlessAfterStop()   {}
func (SilenceUnit) harmlessAfterStop()  {}
func (AnswerAsk) harmlessAfterStop()    {}
func (NoteUsers) harmlessAfterStop()    {}
func (WatchValues) harmlessAfterStop()  {}
func (StepUnits) harmlessAfterStop()    {}

func (OpenUnit) command()     {}
func (StartUnit) command()    {}
func (GiveCommands) command() {}
func (CloseUnit) command()    {}
func (HoldUnits) command()    {}
func (ResumeUnits) command()  {}
func (LetStandBy) command()   {}
func (ContinueUnit) command() {}
func (SilenceUnit) command()  {}
func (AnswerAsk) command()    {}
func (NoteUsers) command()    {}
func (WatchValues) command()  {}
func (StepUnits) command()    {}
