package recording

import (
	"fmt"
	"strings"
	"time"

	"mybot/robot"
)

// A Command is a robot.Command in a recording: its kind, the word with which the
// robot answered it, and its numbers. Whoever gave it shows in the lease alone.
type Command struct {
	Timestamp Stamp      `json:"timestamp"` // when it was given
	Kind      string     `json:"kind"`
	Word      robot.Word `json:"word"`
	Lease     uint64     `json:"lease,omitempty"`
	Hold      uint64     `json:"hold,omitempty"`
	Number    uint64     `json:"number,omitempty"` // of a run, a motion, a message, a speech or a queued command
	Step      int        `json:"step,omitempty"`   // of a run, from 1
	Start     Stamp      `json:"start,omitzero"`   // of a queued command; zero = at once
	Goal      bool       `json:"goal,omitempty"`   // the way to a goal pauses too
	Pan       Number     `json:"pan,omitempty"`    // rad
	Tilt      Number     `json:"tilt,omitempty"`   // rad
	Sample
	History []Sample `json:"history,omitempty"` // samples before it, the same again
}

// A Sample is one sample of driving, or the pose or twist of another command.
type Sample struct {
	Seq   uint64   `json:"seq,omitempty"`
	T     Number   `json:"t,omitempty"` // s, virtual time
	Made  Stamp    `json:"made,omitzero"`
	Want  Velocity `json:"want,omitzero"`
	Twist Velocity `json:"twist,omitzero"`
	Pose  Pose     `json:"pose,omitzero"`   // of base_link in map
	S     Number   `json:"s,omitempty"`     // m
	Valid Number   `json:"valid,omitempty"` // s
}

func sampleOf(f robot.Follow) Sample {
	s := Sample{Seq: f.Seq, T: Number(f.T), Want: velocityOf(f.Want), Twist: velocityOf(f.Twist), Pose: poseOf(f.Pose), S: Number(f.S), Valid: Number(f.Valid.Seconds())}
	if !f.Made.IsZero() {
		s.Made = stampOf(f.Made)
	}
	return s
}

// commandOf leaves out all that people wrote.
func commandOf(at time.Time, cmd robot.Command, answer robot.Result) Command {
	m := Command{Timestamp: stampOf(at), Word: answer.Word}
	m.Kind = strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", cmd), "robot."))
	switch cmd := cmd.(type) {
	case robot.Drive:
		m.Sample = Sample{Want: velocityOf(cmd.Twist), Valid: Number(cmd.Valid.Seconds())}
	case robot.Follow:
		m.Lease, m.Hold, m.Sample = cmd.Lease, cmd.Hold, sampleOf(cmd)
		for _, before := range cmd.Hist {
			m.History = append(m.History, sampleOf(before))
		}
	case robot.Replay:
		m.Lease, m.Hold, m.Number = cmd.Lease, cmd.Hold, cmd.Number
	case robot.Halt:
		m.Goal = cmd.Goal
	case robot.Look:
		m.Pan, m.Tilt = Number(cmd.Pan), Number(cmd.Tilt)
	case robot.SetPose:
		m.Pose = poseOf(cmd.Pose)
	case robot.Plan:
		m.Pose = poseOf(cmd.Goal)
	case robot.GoTo:
		m.Pose = poseOf(cmd.Goal)
	case robot.Enqueue:
		inner := commandOf(at, cmd.Command, answer)
		m.Kind, m.Sample, m.Number = "enqueue "+inner.Kind, inner.Sample, cmd.ID
		if start := cmd.At; !start.IsZero() {
			m.Start = stampOf(start)
		} else if cmd.After > 0 {
			m.Start = stampOf(at.Add(cmd.After))
		}
	case robot.RunJob:
		m.Number = cmd.Run
	case robot.ChangeRun:
		m.Number = cmd.Ready
	case robot.SkipStep:
		m.Step = cmd.Nth
	case robot.RetryStep:
		m.Step = cmd.Nth
	case robot.OK:
		m.Number = cmd.Message
	case robot.Spoken:
		m.Number = cmd.Number
	}
	return m
}
