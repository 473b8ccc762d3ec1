package lease

import (
	"time"

	"mybot/robot"
)

// maxGap is how long a stream of path samples may be interrupted while it moves the
// robot. The robot itself brakes after 0.8 s and holds after 2.5 s, at the pose
// where it stands; the gate gives up only a robot that has done neither, so maxGap
// includes a margin for a late control loop.
const maxGap = 4 * time.Second

// A Sample is the part of a drive sample that the gate needs.
type Sample struct {
	Epoch, Seq uint64
	Neutral    bool          // it asks for standstill
	Valid      time.Duration // how long it is valid without a successor
}

// A Gate decides which drive samples of the holder are fresh. The drive epoch,
// which the wire calls hold, grows whenever the robot discards what the driver
// asked for; samples of an older epoch were sent before the driver heard of it. The
// first sample of an epoch must be neutral, so that a key that is still pressed
// moves nothing. When a stream that moves the robot is interrupted, it is discarded
// too, because what comes after the gap is not what the driver wants now.
//
// armed, seq, executed and deadline belong to the epoch and are reset with it.
// deadline is set only while armed.
type Gate struct {
	epoch    uint64
	armed    bool      // a neutral sample was executed in this epoch
	seq      int64     // last sample heard in this epoch; -1 = none
	executed uint64    // last sample that was executed
	deadline time.Time // when the next sample must have arrived; zero = no one drives
}

// NewGate returns a gate in its first drive epoch.
func NewGate() Gate { return Gate{epoch: 1, seq: -1} }

// Epoch returns the drive epoch.
func (g *Gate) Epoch() uint64 { return g.epoch }

// Seq returns the number of the last sample heard in this epoch; -1 = none.
func (g *Gate) Seq() int64 { return g.seq }

// Executed returns the number of the last sample executed in this epoch.
func (g *Gate) Executed() uint64 { return g.executed }

// Deadline returns when the next sample must have arrived; false = no one drives.
func (g *Gate) Deadline() (at time.Time, ok bool) { return g.deadline, !g.deadline.IsZero() }

// NextEpoch discards what the driver asked for and begins a new drive epoch.
func (g *Gate) NextEpoch() { *g = Gate{epoch: g.epoch + 1, seq: -1} }

// Admit returns Success if the sample may be executed, or else the refusal. The
// reasons contain no changing numbers, so that repeated refusals are equal.
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

// NoteSample notes whether the robot accepted a sample that Admit admitted at the
// given time. A sample that the robot refused ends the press.
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

// NotePathSample is NoteSample for a sample with a path. The robot itself bridges a
// gap in its stream, or holds; the gate gives up a robot that did neither for
// maxGap.
func (g *Gate) NotePathSample(s Sample, at time.Time, taken bool) {
	g.NoteSample(s, at, taken)
	if !g.deadline.IsZero() {
		g.deadline = at.Add(maxGap)
	}
}

// NoteLateSample notes a sample that Admit admitted but that came too late to be
// executed: the stream continues from its time, or is interrupted.
func (g *Gate) NoteLateSample(s Sample, at time.Time) { g.deadline = at.Add(s.Valid) }

// IsBroken reports whether a stream that moves the robot is interrupted at now.
func (g *Gate) IsBroken(now time.Time) bool {
	return !g.deadline.IsZero() && !now.Before(g.deadline)
}
