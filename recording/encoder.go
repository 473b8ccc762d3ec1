package recording

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"mybot/mcap"
	"mybot/robot"
)

// Topics of a recording. A lidar's scans are at ScanTopic.
const (
	ReadingTopic = "/reading"
	TwistTopic   = "/twist" // of recordings before version 1 of Series
	StateTopic   = "/state"
	OdomTopic    = "/odom" // of other programs, and of recordings before version 1 of Series
	FramesTopic  = "/tf"
	CommandTopic = "/command"
	GapTopic     = "/gap"
	AboutTopic   = "/about" // notes on the recording: series, robot, floor
	FloorTopic   = "/floor" // notes about changes of the floor
	ReplyTopic   = "/reply" // notes about the answers of other parts to Core
)

// ScanTopic returns the topic of the scans of a lidar, an index into
// Description.Lidars.
func ScanTopic(lidar int) string { return "/scan/" + strconv.Itoa(lidar) }

const (
	statePeriod  = 500 * time.Millisecond // between two states and frames
	framesPeriod = 5 * time.Second        // between two messages with the fixed frames
)

// An encoder writes one recording. It computes odometry from the wheels alone,
// starting at the beginning of the recording.
type encoder struct {
	file  *mcap.Writer
	robot robot.Description
	clock clock

	reading, state, frames, command, gap, about, floor, reply uint16
	scans                                                     []uint16

	odometry        robot.Pose // of base_link in odom
	last            time.Time  // of the newest entry
	shown, anchored time.Time  // of the newest state and of the newest fixed frames
	placed          time.Time  // of the newest pose
	mode            robot.Mode // of the newest state
	lost            int        // number of missing readings and commands
}

func newEncoder(w io.Writer, about About, c clock) (*encoder, error) {
	file, err := newMCAP(w, about.programName())
	if err != nil {
		return nil, err
	}
	e := &encoder{file: file, robot: about.Robot, clock: c, scans: make([]uint16, len(about.Robot.Lidars))}
	note := schemaOf("mybot.Note")
	for _, c := range []struct {
		id       *uint16
		topic    string
		schema   *mcap.Schema
		metadata map[string]string
	}{
		{&e.reading, ReadingTopic, schemaOf("mybot.Reading"), metadataOf(about)},
		{&e.state, StateTopic, schemaOf("mybot.State"), nil},
		{&e.frames, FramesTopic, schemaOf("foxglove.FrameTransforms"), nil},
		{&e.command, CommandTopic, schemaOf("mybot.Command"), nil},
		{&e.gap, GapTopic, schemaOf("mybot.Gap"), nil},
		{&e.about, AboutTopic, note, nil},
		{&e.floor, FloorTopic, note, nil},
		{&e.reply, ReplyTopic, note, nil},
	} {
		if *c.id, err = file.AddChannel(mcap.Channel{Topic: c.topic, Encoding: "json", Schema: c.schema, Metadata: c.metadata}); err != nil {
			return nil, err
		}
	}
	scan := schemaOf("foxglove.LaserScan")
	for i, l := range about.Robot.Lidars {
		if e.scans[i], err = file.AddChannel(mcap.Channel{Topic: ScanTopic(i), Encoding: "json", Schema: scan, Metadata: lidarMetadata(l)}); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// newMCAP begins a file; files are shorter if w allows overwriting.
func newMCAP(w io.Writer, program string) (*mcap.Writer, error) {
	if f, ok := w.(mcap.File); ok {
		return mcap.NewFileWriter(f, "", program, compression)
	}
	return mcap.NewWriter(w, "", program, compression)
}

// metadataOf returns what a program needs to know about a robot to use its
// readings, in SI units and rad.
func metadataOf(about About) map[string]string {
	d := about.Robot
	return map[string]string{
		"robot":       d.Name,
		"program":     about.programName(),
		"rate":        formatDecimal(d.Rate),
		"wheel_base":  formatDecimal(d.Drivetrain.WheelBase),
		"axle_offset": formatDecimal(d.Drivetrain.AxleOffset),
		"sonars":      strconv.Itoa(len(d.Sonars)),
	}
}

func lidarMetadata(l robot.Lidar) map[string]string {
	mask, _ := json.Marshal(l.Mask) // two numbers each
	return map[string]string{
		"x": formatDecimal(l.Pose.X), "y": formatDecimal(l.Pose.Y), "theta": formatDecimal(l.Pose.Theta), "height": formatDecimal(l.Height),
		"from": formatDecimal(l.From), "step": formatDecimal(l.Step), "beams": strconv.Itoa(l.Beams),
		"min": formatDecimal(l.Min), "max": formatDecimal(l.Max), "rate": formatDecimal(l.Rate), "mask": string(mask),
	}
}

func formatDecimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// writeAbout writes what the recording is about, as attachments, so that the file
// is self-contained and other programs find them, and as messages, which every
// program copies.
func (e *encoder) writeAbout(at time.Time, series Series, settings Settings, floor *Floor) error {
	e.last = at
	all := []struct {
		kind, file string
		about      any
	}{{AboutSeries, "", series}, {AboutRobot, RobotFile, e.robot}, {AboutSettings, SettingsFile, settings}, {AboutFloor, FloorFile, floor}}
	for _, one := range all {
		if one.file == "" {
			continue
		}
		text, err := json.Marshal(one.about)
		if err != nil {
			return fmt.Errorf("recording: %s: %w", one.kind, err)
		}
		logged := e.clock.timeOf(at)
		if err := e.file.Attach(mcap.Attachment{Name: one.file, MediaType: "application/json", Logged: logged, Made: logged, Data: text}); err != nil {
			return err
		}
	}
	for _, one := range all {
		if err := e.writeNote(e.about, at, one.kind, one.about); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) writeNote(id uint16, at time.Time, kind string, about any) error {
	text, err := json.Marshal(about)
	if err != nil {
		return fmt.Errorf("recording: %s: %w", kind, err)
	}
	return e.addMessage(id, at, noteOf(e.clock, at, kind, text))
}

// writeEntry writes what is missing before an entry, then the entry.
func (e *encoder) writeEntry(q queued) error {
	e.last = q.at
	if err := e.writeGap(q.missing, q.at); err != nil {
		return err
	}
	for _, r := range q.replies {
		text, err := replyText(r)
		if err != nil {
			text = []byte("null") // such a reply cannot be replayed
		}
		if err := e.addMessage(e.reply, q.at, noteOf(e.clock, q.at, string(r.Kind), text)); err != nil {
			return err
		}
	}
	switch {
	case q.command != nil:
		return e.addMessage(e.command, q.at, e.describeCommand(q.entry))
	case q.change != nil:
		kind := PlannerChanged
		if q.change.Frame {
			kind = FrameChanged
		}
		return e.writeNote(e.floor, q.at, kind, floorChange{q.change.Planner, estimateOf(q.change.Estimate)})
	case q.floor != nil:
		return e.writeNote(e.about, q.at, AboutFloor, q.floor.floor)
	}
	return e.writeTick(q.at, q.reading, q.state)
}

func (e *encoder) describeCommand(q *entry) Command {
	m := commandOf(e.clock, q.at, q.command, q.answer)
	m.Joints = withoutOtherNames(m.Joints, e.robot.Joints)
	if !q.taken.IsZero() {
		m.Taken = e.clock.stampOf(q.taken)
	}
	if _, set := q.command.(robot.SetPose); set {
		after := estimateOf(q.state.Estimate)
		m.Estimate = &after
	}
	return m
}

func (e *encoder) writeGap(m missing, at time.Time) error {
	if m == (missing{}) {
		return nil
	}
	e.lost += m.readings + m.commands
	return e.addMessage(e.gap, at, Gap{e.clock.stampOf(at), m.readings, m.scans, m.commands})
}

func (e *encoder) writeTick(at time.Time, r robot.Reading, s robot.State) error {
	for _, scan := range r.Scans {
		if scan.Lidar < 0 || scan.Lidar >= len(e.scans) {
			continue // of a lidar that this robot does not have
		}
		if err := e.addMessage(e.scans[scan.Lidar], at, scanOf(e.clock, scan, e.robot.Lidars[scan.Lidar])); err != nil {
			return err
		}
	}
	if err := e.addMessage(e.reading, at, readingOf(e.clock, r, s)); err != nil {
		return err
	}
	if robot.Finite(r.Travel.Left, r.Travel.Right) {
		e.odometry = e.robot.Drivetrain.Roll(e.odometry, r.Travel)
	}
	if s.Mode != e.mode || isDue(s.Time, e.shown, statePeriod) {
		e.mode, e.shown = s.Mode, s.Time
		if err := e.addMessage(e.state, at, stateOf(e.clock, s)); err != nil {
			return err
		}
	}
	if isDue(s.Time, e.placed, statePeriod) {
		e.placed = s.Time
		return e.addMessage(e.frames, at, e.framesOf(s))
	}
	return nil
}

// isDue reports whether a period has passed since last. Readings are not exact to
// the millisecond, and their clock may go back.
func isDue(now, last time.Time, period time.Duration) bool {
	return now.Before(last) || !now.Before(last.Add(period-statePeriod/50))
}

// framesOf returns the transforms map to odom to base_link, as in REP-105, and now
// and then those of the sensors.
func (e *encoder) framesOf(s robot.State) frameTransforms {
	stamp := e.clock.stampOf(s.Time)
	all := frameTransforms{[]frameTransform{transformOf(stamp, "odom", "base_link", e.odometry, 0)}}
	if p := s.Estimate.Pose; robot.Finite(p.X, p.Y, p.Theta) {
		all.Transforms = append(all.Transforms, transformOf(stamp, "map", "odom", p.Compose(e.odometry.Inverse()), 0))
	}
	if !isDue(s.Time, e.anchored, framesPeriod) {
		return all
	}
	e.anchored = s.Time
	for i, l := range e.robot.Lidars {
		all.Transforms = append(all.Transforms, transformOf(stamp, "base_link", lidarFrame(i), l.Pose, l.Height))
	}
	for i, sonar := range e.robot.Sonars {
		all.Transforms = append(all.Transforms, transformOf(stamp, "base_link", "sonar_"+strconv.Itoa(i), sonar.Pose, 0))
	}
	return all
}

// addMessage writes one message. Its publish time is its log time; its own
// timestamp is the time of the event.
func (e *encoder) addMessage(id uint16, at time.Time, message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("recording: %T: %w", message, err)
	}
	at = e.clock.timeOf(at)
	return e.file.Write(id, mcap.Message{Logged: at, Published: at, Data: data})
}
