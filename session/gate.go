package session

import (
	"time"

	"mybot/robot"
)

// mostGap is how long a stream of samples of a path may break off while it
// moves the robot: longer than the robot itself lets it.
const mostGap = 4 * time.Second

// A gate decides which drive samples of the holder are fresh. The hold number
// grows whenever the robot gives up what it was asked to do by hand; samples
// with an older one were sent before the hand heard of it. Under a new number
// the first sample has to be neutral, so that a hand that is still pressed
// moves nothing. A stream that moves and then breaks off is given up too: what
// comes after the gap is not what the hand wants now.
type gate struct {
	hold   uint64
	armed  bool      // a neutral sample was taken under this number
	seq    int64     // last sample heard under this number; -1 = none
	taken  uint64    // last sample that was executed, for State
	expect time.Time // when the next sample must be here; zero = nothing moves by hand
}

// next gives up what was asked for by hand and begins a new hold number.
func (g *gate) next() {
	*g = gate{hold: g.hold + 1, seq: -1}
}

// admit tells whether the sample may be executed: Success, or the refusal.
// The reasons hold no changing numbers, so a run of equal refusals reads equal.
func (g *gate) admit(d drive) robot.Result {
	switch {
	case d.Hold < g.hold:
		return robot.Result{Word: robot.Interrupted, Reason: "The robot has stopped following your driving. Let go and press again."}
	case d.Hold > g.hold:
		return robot.Result{Word: robot.Error, Reason: `drive: "hold" is ahead of the number the robot gave out; it should be the one last heard.`}
	case int64(d.Seq) <= g.seq:
		return robot.Result{Word: robot.Error, Reason: `drive: "seq" does not count up; it should be larger than in the sample before.`}
	}
	g.seq = int64(d.Seq)
	if !g.armed && !d.neutral() {
		return robot.Result{Word: robot.Interrupted, Reason: "A press begins with a neutral sample. Let go and press again."}
	}
	return robot.Result{Word: robot.Success}
}

// took notes what became of a sample that admit let through at the time at.
// One that the robot refused ends the press.
func (g *gate) took(d drive, at time.Time, done bool) {
	if !done {
		g.armed, g.expect = false, time.Time{}
		return
	}
	g.armed, g.taken = true, d.Seq
	if d.neutral() {
		g.expect = time.Time{}
	} else {
		g.expect = at.Add(d.Valid)
	}
}

// followed notes a sample of a path that admit let through. A gap in its stream
// is for the robot to bridge or to hold at; a robot that did neither for
// mostGap would be given up.
func (g *gate) followed(d drive, at time.Time, done bool) {
	g.took(d, at, done)
	if !g.expect.IsZero() {
		g.expect = at.Add(mostGap)
	}
}

// late notes a sample that admit let through but that came too late to be
// executed: the stream goes on from its time, or breaks off.
func (g *gate) late(d drive, at time.Time) { g.expect = at.Add(d.Valid) }

// broken tells whether a stream that moves the robot has broken off by now.
func (g *gate) broken(now time.Time) bool {
	return !g.expect.IsZero() && !now.Before(g.expect)
}
