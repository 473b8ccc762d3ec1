package session

import (
	"time"

	"mybot/robot"
)

// maxGap is how long a stream of samples of a path may break off while it
// moves the robot: longer than the robot itself lets it.
const maxGap = 4 * time.Second

// A Gate decides which drive samples of the holder are fresh. The hold number
// grows whenever the robot gives up what it was asked to do by hand; samples
// with an older one were sent before the hand heard of it. Under a new number
// the first sample has to be neutral, so that a hand that is still pressed
// moves nothing. A stream that moves and then breaks off is given up too: what
// comes after the gap is not what the hand wants now.
type Gate struct {
	hold     uint64
	armed    bool      // a neutral sample was taken under this number
	seq      int64     // last sample heard under this number; -1 = none
	executed uint64    // last sample that was executed, for State
	deadline time.Time // when the next sample must be here; zero = nothing moves by hand
}

// NextEpoch gives up what was asked for by hand and begins a new hold number.
func (g *Gate) NextEpoch() {
	*g = Gate{hold: g.hold + 1, seq: -1}
}

// Admit tells whether the sample may be executed: Success, or the refusal.
// The reasons hold no changing numbers, so a run of equal refusals reads equal.
func (g *Gate) Admit(d drive) robot.Result {
	switch {
	case d.DriveEpoch < g.hold:
		return robot.Result{Word: robot.Interrupted, Reason: "The robot has stopped following your driving. Let go and press again."}
	case d.DriveEpoch > g.hold:
		return robot.Result{Word: robot.Error, Reason: `drive: "hold" is ahead of the number the robot gave out; it should be the one last heard.`}
	case int64(d.Seq) <= g.seq:
		return robot.Result{Word: robot.Error, Reason: `drive: "seq" does not count up; it should be larger than in the sample before.`}
	}
	g.seq = int64(d.Seq)
	if !g.armed && !d.IsNeutral() {
		return robot.Result{Word: robot.Interrupted, Reason: "A press begins with a neutral sample. Let go and press again."}
	}
	return robot.Result{Word: robot.Success}
}

// NoteSample notes what became of a sample that admit let through at the time at.
// One that the robot refused ends the press.
func (g *Gate) NoteSample(d drive, at time.Time, taken bool) {
	if !taken {
		g.armed, g.deadline = false, time.Time{}
		return
	}
	g.armed, g.executed = true, d.Seq
	if d.IsNeutral() {
		g.deadline = time.Time{}
	} else {
		g.deadline = at.Add(d.Valid)
	}
}

// NotePathSample notes a sample of a path that admit let through. A gap in its stream
// is for the robot to bridge or to hold at; a robot that did neither for
// maxGap would be given up.
func (g *Gate) NotePathSample(d drive, at time.Time, taken bool) {
	g.NoteSample(d, at, taken)
	if !g.deadline.IsZero() {
		g.deadline = at.Add(maxGap)
	}
}

// NoteLateSample notes a sample that admit let through but that came too late to be
// executed: the stream goes on from its time, or breaks off.
func (g *Gate) NoteLateSample(d drive, at time.Time) { g.deadline = at.Add(d.Valid) }

// IsBroken tells whether a stream that moves the robot has broken off by now.
func (g *Gate) IsBroken(now time.Time) bool {
	return !g.deadline.IsZero() && !now.Before(g.deadline)
}
