package lease

import (
	"time"

	"mybot/robot"
)

// maxGap is how long a stream of samples of a path may break off while it
// moves the robot. The robot brakes after 0.8 s by itself and holds after 2.5 s,
// with the pose that it stands at; only a robot that has done neither is given
// up here, so this is longer by what a loop that is late may need.
const maxGap = 4 * time.Second

// A Sample is what the gate needs to know of a drive sample.
type Sample struct {
	Epoch, Seq uint64
	Neutral    bool          // it asks for standstill
	Valid      time.Duration // how long it counts without a successor
}

// A Gate decides which drive samples of the holder are fresh. The drive epoch, which
// the wire calls hold, grows whenever the robot gives up what the driver asked for;
// samples with an older one were sent before the driver heard of it. Under a new
// epoch the first sample has to be neutral, so that a key that is still pressed
// moves nothing. A stream that moves the robot and then breaks off is given up too:
// what comes after the gap is not what the driver wants now.
//
// armed, seq, executed and deadline belong to the epoch and begin anew with it.
// deadline is set only while armed.
type Gate struct {
	epoch    uint64
	armed    bool      // a neutral sample was executed under this epoch
	seq      int64     // last sample heard under this epoch; -1 = none
	executed uint64    // last sample that was executed
	deadline time.Time // when the next sample must be here; zero = nobody drives
}

// NewGate returns a gate in its first drive epoch.
func NewGate() Gate { return Gate{epoch: 1, seq: -1} }

// Epoch returns the drive epoch.
func (g *Gate) Epoch() uint64 { return g.epoch }

// Seq returns the number of the last sample that was heard in this epoch; -1 = none.
func (g *Gate) Seq() int64 { return g.seq }

// Executed returns the number of the last sample that was executed in this epoch.
func (g *Gate) Executed() uint64 { return g.executed }

// Deadline returns when the next sample must be here; false = nobody drives.
func (g *Gate) Deadline() (at time.Time, ok bool) { return g.deadline, !g.deadline.IsZero() }

// NextEpoch gives up what the driver asked for and begins a new drive epoch.
func (g *Gate) NextEpoch() { *g = Gate{epoch: g.epoch + 1, seq: -1} }

// Admit returns Success when the sample may be executed, or the refusal. The
// reasons hold no changing numbers, so a run of equal refusals reads equal.
func (g *Gate) Admit(s Sample) robot.Result {
	switch {
	case s.Epoch < g.epoch:
		return robot.Result{Word: robot.Interrupted, Reason: "The robot has stopped following your driving. Let go and press again."}
	case s.Epoch > g.epoch:
		return robot.Result{Word: robot.Error, Reason: `drive: "hold" is ahead of the number the robot gave out; it should be the one last heard.`}
	case int64(s.Seq) <= g.seq:
		return robot.Result{Word: robot.Error, Reason: `drive: "seq" does not count up; it should be larger than in the sample before.`}
	}
	g.seq = int64(s.Seq)
	if !g.armed && !s.Neutral {
		return robot.Result{Word: robot.Interrupted, Reason: "A press begins with a neutral sample. Let go and press again."}
	}
	return robot.Result{Word: robot.Success}
}

// NoteSample notes whether the robot has taken a sample that Admit let through at
// the time at. One that it has refused ends the press.
func (g *Gate) NoteSample(s Sample, at time.Time, taken bool) {
	if !taken {
		g.armed, g.deadline = false, time.Time{}
		return
	}
	g.armed, g.executed = true, s.Seq
	if s.Neutral {
		g.deadline = time.Time{}
	} else {
		g.deadline = at.Add(s.Valid)
	}
}

// NotePathSample is NoteSample of a sample with a path. The robot itself bridges a
// gap in its stream, or holds; a robot that did neither for maxGap is given up.
func (g *Gate) NotePathSample(s Sample, at time.Time, taken bool) {
	g.NoteSample(s, at, taken)
	if !g.deadline.IsZero() {
		g.deadline = at.Add(maxGap)
	}
}

// NoteLateSample notes a sample that Admit let through but that came too late to be
// executed: the stream continues from its time, or breaks off.
func (g *Gate) NoteLateSample(s Sample, at time.Time) { g.deadline = at.Add(s.Valid) }

// IsBroken reports whether a stream that moves the robot has broken off by now.
func (g *Gate) IsBroken(now time.Time) bool {
	return !g.deadline.IsZero() && !now.Before(g.deadline)
}
