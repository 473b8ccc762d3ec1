package recording

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"mybot/mcap"
	"mybot/robot"
)

// A Step is one decoded message of a recording; exactly one field is set. Poses,
// frames and messages of other programs are not steps.
type Step struct {
	At      time.Time // when it was logged
	Tick    *Tick
	Command *Command
	Change  *robot.FloorChange
	Reply   *Note // for the Tick, the Command or the Change that follows
	Series  *Series
	Robot   *robot.Description
	Floor   *FloorNote
	State   *State
	Gap     *Gap
}

// A Tick is a reading and what the robot made of it.
type Tick struct {
	Reading  robot.Reading
	Estimate robot.Estimate
	Twist    robot.Twist
}

// A FloorNote is a note on the floor.
type FloorNote struct{ Floor *Floor } // nil = there is none

// A StepReader reads the steps of one recording in order.
type StepReader struct {
	in    *mcap.Reader
	scans []robot.Scan // of the next reading
	from  time.Time    // earlier steps are skipped
}

// NewStepReader reads the beginning of a recording.
func NewStepReader(in io.Reader) (*StepReader, error) {
	r, err := mcap.NewReader(in)
	if err != nil {
		return nil, err
	}
	return &StepReader{in: r}, nil
}

// SkipTo skips all steps that were logged before the time, except for the notes at
// AboutTopic. Skipped steps are not decoded, so that this takes little time.
func (r *StepReader) SkipTo(from time.Time) { r.from = from }

// Next returns the next step. The error after the last one is that of mcap.Reader.
func (r *StepReader) Next() (Step, error) {
	for {
		m, err := r.in.Next()
		if err != nil {
			return Step{}, err
		}
		if m.Logged.Before(r.from) && m.Channel.Topic != AboutTopic {
			continue
		}
		step, ok, err := r.readStep(m)
		if err != nil {
			return Step{}, fmt.Errorf("recording: %s at %s: %w", m.Channel.Topic, m.Logged.UTC().Format(time.RFC3339Nano), err)
		}
		if ok {
			step.At = m.Logged
			return step, nil
		}
	}
}

func (r *StepReader) readStep(m mcap.Message) (step Step, ok bool, err error) {
	if lidar, isScan := strings.CutPrefix(m.Channel.Topic, ScanTopic(0)[:len(ScanTopic(0))-1]); isScan {
		n, err := strconv.Atoi(lidar)
		if err != nil {
			return step, false, nil //nolint:nilerr // a topic of another program
		}
		scan, err := parseInto[LaserScan](m.Data)
		if err == nil {
			r.scans = append(r.scans, scan.Scan(n))
		}
		return step, false, err
	}
	switch m.Channel.Topic {
	case ReadingTopic:
		var one *Reading
		if one, err = parseInto[Reading](m.Data); err == nil {
			step.Tick = &Tick{one.Reading(r.scans), one.Estimate.Estimate(), one.Twist.Twist()}
			r.scans = nil
		}
	case CommandTopic:
		step.Command, err = parseInto[Command](m.Data)
	case ReplyTopic:
		step.Reply, err = parseInto[Note](m.Data)
	case StateTopic:
		step.State, err = parseInto[State](m.Data)
	case GapTopic:
		step.Gap, err = parseInto[Gap](m.Data)
	case FloorTopic:
		var n *Note
		var change robot.FloorChange
		if n, err = parseInto[Note](m.Data); err == nil {
			change, err = parseFloorChange(*n)
			step.Change = &change
		}
	case AboutTopic:
		return r.readAbout(m)
	default:
		return step, false, nil
	}
	return step, err == nil, err
}

func (r *StepReader) readAbout(m mcap.Message) (step Step, ok bool, err error) {
	n, err := parseInto[Note](m.Data)
	if err != nil {
		return step, false, err
	}
	text := []byte(n.Text)
	switch n.Kind {
	case AboutSeries:
		step.Series, err = parseInto[Series](text)
	case AboutRobot:
		if step.Robot, err = parseInto[robot.Description](text); err == nil {
			err = checkRobot(step.Robot)
		}
	case AboutFloor:
		step.Floor = &FloorNote{}
		err = json.Unmarshal(text, &step.Floor.Floor)
	default:
		return step, false, nil
	}
	return step, err == nil, err
}

func parseInto[T any](data []byte) (*T, error) {
	v := new(T)
	return v, json.Unmarshal(data, v)
}
