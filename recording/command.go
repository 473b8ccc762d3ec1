package recording

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mybot/robot"
)

// A Command is the recorded form of a robot.Command: its kind, the word of the
// robot's answer, and its numbers. Only the lease shows who gave it.
type Command struct {
	Timestamp Stamp       `json:"timestamp"`      // when it was given
	Taken     Stamp       `json:"taken,omitzero"` // when Core got it, by the clock of the readings; zero = it did not
	Kind      string      `json:"kind"`
	Word      robot.Word  `json:"word"`
	Reason    bool        `json:"reason,omitempty"`   // the command had a sentence with a reason
	Client    int         `json:"client,omitempty"`   // of a queued command
	After     Number      `json:"after,omitzero"`     // s, of a queued command without a start time
	Estimate  *Estimate   `json:"estimate,omitempty"` // set when the command sets the position
	Lease     uint64      `json:"lease,omitempty"`
	Hold      uint64      `json:"hold,omitempty"`
	Number    uint64      `json:"number,omitempty"` // of a run, motion, message, speech or queued command
	Step      int         `json:"step,omitempty"`   // of a run, from 1
	Start     Stamp       `json:"start,omitzero"`   // of a queued command; zero = at once
	Goal      bool        `json:"goal,omitempty"`   // a drive to a goal pauses too
	Pan       Number      `json:"pan,omitzero"`     // rad
	Tilt      Number      `json:"tilt,omitzero"`    // rad
	Head      bool        `json:"head,omitempty"`   // is lent
	Arm       bool        `json:"arm,omitempty"`    // is lent
	Joints    []jointMove `json:"joints,omitempty"`
	Sample
	History []Sample   `json:"history,omitempty"` // earlier samples in the same packet
	Points  []waypoint `json:"points,omitempty"`  // of a replayed motion
}

// A jointMove is the target of a joint.
type jointMove struct {
	Name string `json:"name"`
	At   Number `json:"at"` // rad or m
}

func jointMovesOf(at map[string]float64) (moves []jointMove) {
	for _, name := range slices.Sorted(maps.Keys(at)) {
		moves = append(moves, jointMove{name, Number(at[name])})
	}
	return moves
}

// withoutOtherNames removes moves whose names are not those of joints, because a
// person may have written them.
func withoutOtherNames(moves []jointMove, joints []robot.Joint) []jointMove {
	for i, m := range moves {
		if !slices.ContainsFunc(joints, func(j robot.Joint) bool { return j.Name == m.Name }) {
			moves[i].Name = given
		}
	}
	return moves
}

func positionsOf(moves []jointMove) map[string]float64 {
	at := map[string]float64{}
	for _, m := range moves {
		at[m.Name] = float64(m.At)
	}
	return at
}

// A waypoint is the recorded form of a robot.Waypoint.
type waypoint struct {
	T     Number   `json:"t"` // s
	Pose  Pose     `json:"pose"`
	Twist Velocity `json:"twist"`
	Want  Velocity `json:"want"`
}

// A Sample is one drive sample, or the pose or twist of another command.
type Sample struct {
	Seq   uint64   `json:"seq,omitempty"`
	T     Number   `json:"t,omitzero"` // s, virtual time
	Made  Stamp    `json:"made,omitzero"`
	Want  Velocity `json:"want,omitzero"`
	Twist Velocity `json:"twist,omitzero"`
	Pose  Pose     `json:"pose,omitzero"`  // of base_link in map
	S     Number   `json:"s,omitzero"`     // m
	Valid Number   `json:"valid,omitzero"` // s
}

func sampleOf(c clock, f robot.Follow) Sample {
	s := Sample{Seq: f.Seq, T: Number(f.T), Want: velocityOf(f.Want), Twist: velocityOf(f.Twist), Pose: poseOf(f.Pose), S: Number(f.S), Valid: Number(f.Valid.Seconds())}
	if !f.Made.IsZero() {
		s.Made = c.stampOf(f.Made)
	}
	return s
}

func (s Sample) follow(lease, hold uint64) robot.Follow {
	f := robot.Follow{
		Lease: lease, Hold: hold, Seq: s.Seq, T: float64(s.T), Want: s.Want.Twist(), Twist: s.Twist.Twist(),
		Pose: s.Pose.pose(), S: float64(s.S), Valid: durationOf(s.Valid),
	}
	if s.Made != (Stamp{}) {
		f.Made = s.Made.Time()
	}
	return f
}

// kindOf names a command.
func kindOf(cmd robot.Command) string {
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", cmd), "robot."))
}

// queuedKind is the prefix of the kind of a queued command.
const queuedKind = "enqueue "

// commandOf returns the recorded form of a command, without any text that people
// wrote.
func commandOf(c clock, at time.Time, cmd robot.Command, answer robot.Result) Command {
	m := Command{Timestamp: c.stampOf(at), Word: answer.Word, Kind: kindOf(cmd)}
	switch cmd := cmd.(type) {
	case robot.Drive:
		m.Sample = Sample{Want: velocityOf(cmd.Twist), Valid: Number(cmd.Valid.Seconds())}
	case robot.Follow:
		m.Lease, m.Hold, m.Sample = cmd.Lease, cmd.Hold, sampleOf(c, cmd)
		for _, before := range cmd.Hist {
			m.History = append(m.History, sampleOf(c, before))
		}
	case robot.Replay:
		m.Lease, m.Hold, m.Number = cmd.Lease, cmd.Hold, cmd.Number
		for _, p := range cmd.Points {
			m.Points = append(m.Points, waypoint{Number(p.T), poseOf(p.Pose), velocityOf(p.Twist), velocityOf(p.Want)})
		}
	case robot.Halt:
		m.Goal, m.Reason = cmd.Goal, cmd.Reason != ""
	case robot.Look:
		m.Pan, m.Tilt = Number(cmd.Pan), Number(cmd.Tilt)
	case robot.MoveJoints:
		m.Joints = jointMovesOf(cmd.At)
	case robot.SetPose:
		m.Pose = poseOf(cmd.Pose)
	case robot.Plan:
		m.Pose = poseOf(cmd.Goal)
	case robot.GoTo:
		m.Pose = poseOf(cmd.Goal)
	case robot.Enqueue:
		inner := commandOf(c, at, cmd.Command, answer)
		m.Kind, m.Sample, m.Number, m.Client, m.After = queuedKind+inner.Kind, inner.Sample, cmd.ID, cmd.Client, Number(cmd.After.Seconds())
		if start := cmd.At; !start.IsZero() {
			m.Start = c.stampOf(start)
		}
	case robot.Lacks:
		m.Number = uint64(len(cmd.Parts))
	case robot.Lend:
		m.Head, m.Arm = cmd.Head, cmd.Arm
	case robot.RunJob:
		m.Number = cmd.Run
	case robot.ChangeRun:
		m.Number = cmd.Ready
	case robot.SkipStep:
		m.Step, m.Reason = cmd.Nth, cmd.Reason != ""
	case robot.RetryStep:
		m.Step = cmd.Nth
	case robot.OK:
		m.Number = cmd.Message
	case robot.Spoken:
		m.Number = cmd.Number
	case robot.Pause:
		m.Reason = cmd.Reason != ""
	case robot.Cancel:
		m.Reason = cmd.Reason != ""
	case robot.PauseRun:
		m.Reason = cmd.Reason != ""
	case robot.EndRun:
		m.Reason = cmd.Reason != ""
	}
	return m
}

// given replaces every sentence and name of a command.
const given = "It was recorded."

// maxLacks is the largest number of parts that a recorded robot can lack, because a
// file may claim anything.
const maxLacks = 100

// Command returns the command that Core got, except for the text that people wrote.
// It is nil for an unknown kind.
func (m Command) Command() robot.Command {
	reason := ""
	if m.Reason {
		reason = given
	}
	if inner, ok := strings.CutPrefix(m.Kind, queuedKind); ok {
		cmd := robot.Enqueue{ID: m.Number, Client: m.Client, After: durationOf(m.After), Command: Command{Kind: inner, Sample: m.Sample}.Command()}
		if m.Start != (Stamp{}) {
			cmd.At = m.Start.Time()
		}
		return cmd
	}
	switch m.Kind {
	case kindOf(robot.Drive{}):
		return robot.Drive{Twist: m.Want.Twist(), Valid: durationOf(m.Valid)}
	case kindOf(robot.Follow{}):
		f := m.follow(m.Lease, m.Hold)
		for _, before := range m.History {
			f.Hist = append(f.Hist, before.follow(m.Lease, m.Hold))
		}
		return f
	case kindOf(robot.Replay{}):
		r := robot.Replay{Lease: m.Lease, Hold: m.Hold, Number: m.Number}
		for _, p := range m.Points {
			r.Points = append(r.Points, robot.Waypoint{T: float64(p.T), Pose: p.Pose.pose(), Twist: p.Twist.Twist(), Want: p.Want.Twist()})
		}
		return r
	case kindOf(robot.Look{}):
		return robot.Look{HeadAngles: robot.HeadAngles{Pan: float64(m.Pan), Tilt: float64(m.Tilt)}}
	case kindOf(robot.MoveJoints{}):
		return robot.MoveJoints{At: positionsOf(m.Joints)}
	case kindOf(robot.SetPose{}):
		return robot.SetPose{Pose: m.Pose.pose()}
	case kindOf(robot.Lacks{}):
		return robot.Lacks{Parts: slices.Repeat([]string{given}, int(min(m.Number, maxLacks)))}
	case kindOf(robot.Plan{}):
		return robot.Plan{Goal: m.Pose.pose()}
	case kindOf(robot.GoTo{}):
		return robot.GoTo{Goal: m.Pose.pose()}
	}
	return m.plainCommand(reason)
}

// plainCommand returns a command without a pose and velocity.
func (m Command) plainCommand(reason string) robot.Command {
	for _, cmd := range []robot.Command{
		robot.Halt{Reason: reason, Goal: m.Goal},
		robot.Stop{By: given},
		robot.ClearStop{},
		robot.Lapse{},
		robot.Lend{Head: m.Head, Arm: m.Arm},
		robot.Pause{Reason: reason},
		robot.Resume{},
		robot.Cancel{Reason: reason},
		robot.GoAround{},
		robot.RunJob{Run: m.Number},
		robot.ChangeRun{Ready: m.Number},
		robot.PauseRun{Reason: reason},
		robot.ResumeRun{},
		robot.SkipStep{Reason: reason, Nth: m.Step},
		robot.RetryStep{Nth: m.Step},
		robot.EndRun{Reason: reason},
		robot.OK{By: given, Message: m.Number},
		robot.Spoken{Number: m.Number},
		// The programs are not recorded; replies say what they wanted.
		robot.OpenUnit{},
		robot.StartUnit{},
		robot.GiveCommands{},
		robot.CloseUnit{},
		robot.HoldUnits{},
		robot.ResumeUnits{},
		robot.LetStandBy{},
		robot.ContinueUnit{},
		robot.SilenceUnit{},
		robot.AnswerAsk{},
		robot.NoteUsers{},
		robot.WatchValues{},
		robot.StepUnits{},
	} {
		if kindOf(cmd) == m.Kind {
			return cmd
		}
	}
	return nil
}
