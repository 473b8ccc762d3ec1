package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"mybot/mcap"
	"mybot/robot"
	"mybot/robot/scan"
)

const (
	scanTopics  = "/scan" // topic of a scan, alone or followed by a slash and more
	beginAfter  = 100     // readings, or poses of /odom, after which every lidar has sent a scan
	maxBeams    = 4096    // of a lidar
	maxUnplaced = 1000    // scans that wait for the odometry of their time
	minEcho     = 0.05    // m, shortest and
	maxEcho     = 100.0   // m, longest range of a lidar that the recording does not describe
	scanSchema  = "foxglove.LaserScan"
)

// A DriveScan is one scan of a recorded drive.
type DriveScan struct {
	Motion  robot.Pose // of base_link since the previous scan, by odometry
	Heading float64    // rad, yaw by the compass; NaN = unknown
	Cloud   scan.Cloud
}

// A Drive describes the recording of a drive.
type Drive struct {
	Odometry  string      // the topic of the odometry
	Lidar     robot.Lidar // the lidar whose scans were used
	Described bool        // the lidar comes from a robot's description; otherwise from the scans alone
	Scans     int
	Notes     []string // sentences for people: faults of the recording, and how they were handled
}

// ReadDrive calls use with each scan of one lidar, the one with the widest view,
// from a recording by Record, or from another one with scans as foxglove.LaserScan
// and odometry as foxglove.PoseInFrame in JSON. It reads the recording once, as a
// stream. It uses a truncated or damaged recording up to that point. The error says
// why the recording cannot be used at all, or is that of use.
func ReadDrive(in io.Reader, use func(DriveScan) error) (Drive, error) {
	file, err := mcap.NewReader(in)
	if err != nil {
		return Drive{}, err
	}
	d := &driveReader{use: use, lidars: map[string]robot.Lidar{}, own: map[string]bool{}, foreign: map[string]string{}}
	for {
		m, err := file.Next()
		if err == nil {
			if err := d.takeMessage(m); err != nil {
				return d.Drive, err
			}
			continue
		}
		var cut *mcap.CutError
		var damage *mcap.FormatError
		switch {
		case errors.Is(err, io.EOF):
		case errors.As(err, &cut) && cut.Whole: // only the index is missing
		case errors.As(err, &cut):
			d.addNote("the recording was cut off after %d bytes; it is used up to there", cut.At)
		case errors.As(err, &damage):
			d.addNote("the recording is damaged at byte %d (%s); it is used up to there", damage.At, damage.Reason)
		default:
			return d.Drive, err
		}
		return d.Drive, d.judgeEnd()
	}
}

// A driveReader extracts the scans from the messages of one recording.
type driveReader struct {
	Drive
	use     func(DriveScan) error
	lidars  map[string]robot.Lidar // by topic
	foreign map[string]string      // encoding of the scan topics that cannot be read
	seen    int                    // scans of any lidar
	waiting []waitingScan          // scans that wait for their reading, or for a pose
	early   []early                // messages from before the lidar is chosen
	chosen  string                 // topic of the lidar; "" = none yet
	own     map[string]bool        // topics of described lidars
	drive   robot.Drivetrain
	deskew  *scan.Deskewer // for readings; nil for poses
	odom    robot.Pose     // of base_link in odom
	at      time.Time      // time of odom, for poses
	placed  robot.Pose     // pose of the newest scan that was used
	gaps    int
	faults  int
	moved   bool
	ranBack bool // the clock of the poses ran backward
}

// A waitingScan is a scan with its topic.
type waitingScan struct {
	topic string
	robot.Scan
}

// early is a reading with its scans, or a pose, from before the lidar is chosen.
type early struct {
	reading robot.Reading
	scans   []waitingScan
	pose    robot.Pose
	at      time.Time // of the pose
}

func (d *driveReader) addNote(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

// takeMessage takes one message.
func (d *driveReader) takeMessage(m mcap.Message) error {
	topic := m.Channel.Topic
	switch {
	case topic == scanTopics || strings.HasPrefix(topic, scanTopics+"/"):
		return d.takeScan(m)
	case topic == ReadingTopic && d.Odometry != OdomTopic:
		return d.takeReading(m)
	case topic == OdomTopic && d.Odometry != ReadingTopic:
		return d.takePose(m)
	case topic == GapTopic:
		d.gaps++
	}
	return nil
}

// parseMessage reads the JSON of a message.
func parseMessage(m mcap.Message, to any) error {
	if err := json.Unmarshal(m.Data, to); err != nil {
		return fmt.Errorf("message %d of %s cannot be read: %w", m.Sequence, m.Channel.Topic, err)
	}
	return nil
}

func (d *driveReader) takeScan(m mcap.Message) error {
	topic := m.Channel.Topic
	if m.Channel.Encoding != "json" || m.Channel.Schema != nil && m.Channel.Schema.Name != scanSchema {
		d.foreign[topic] = m.Channel.Encoding
		return nil
	}
	var s LaserScan
	if err := parseMessage(m, &s); err != nil {
		return err
	}
	if _, known := d.lidars[topic]; !known {
		l, err := lidarOf(m.Channel, s)
		if err != nil {
			return err
		}
		d.lidars[topic], d.own[topic] = l, m.Channel.Metadata["beams"] != ""
	}
	d.seen++
	if len(d.waiting) == maxUnplaced {
		d.waiting = d.waiting[1:]
	}
	d.waiting = append(d.waiting, waitingScan{topic, s.Scan(0)})
	return nil
}

// lidarOf returns what the recording says about the lidar of a channel.
func lidarOf(c *mcap.Channel, first LaserScan) (robot.Lidar, error) {
	n := len(first.Ranges)
	if n < 1 || n > maxBeams {
		return robot.Lidar{}, fmt.Errorf("a scan of %s has %d ranges; a lidar has 1 to %d beams", c.Topic, n, maxBeams)
	}
	l := robot.Lidar{
		Pose: first.Pose.flatPose(), From: float64(first.StartAngle), Step: float64(first.EndAngle-first.StartAngle) / math.Max(1, float64(n-1)),
		Beams: n, Min: minEcho, Max: maxEcho,
	}
	if c.Metadata["beams"] == "" {
		return l, nil
	}
	for _, f := range []struct {
		key string
		to  *float64
	}{
		{"x", &l.Pose.X}, {"y", &l.Pose.Y}, {"theta", &l.Pose.Theta}, {"from", &l.From}, {"step", &l.Step}, {"min", &l.Min}, {"max", &l.Max}, {"rate", &l.Rate},
	} {
		v, err := strconv.ParseFloat(c.Metadata[f.key], 64)
		if err != nil || !robot.Finite(v) {
			return l, fmt.Errorf("the metadata of %s says %q for %s; it must be a number", c.Topic, c.Metadata[f.key], f.key)
		}
		*f.to = v
	}
	beams, err := strconv.Atoi(c.Metadata["beams"])
	if err != nil || beams < 1 || beams > maxBeams {
		return l, fmt.Errorf("the metadata of %s says %q for beams; a lidar has 1 to %d", c.Topic, c.Metadata["beams"], maxBeams)
	}
	l.Beams = beams
	if mask := c.Metadata["mask"]; mask != "" {
		if err := json.Unmarshal([]byte(mask), &l.Mask); err != nil {
			return l, fmt.Errorf("the metadata of %s has a mask that cannot be read: %w", c.Topic, err)
		}
	}
	return l, nil
}

func (d *driveReader) takeReading(m mcap.Message) error {
	if d.Odometry == "" {
		for _, f := range []struct {
			key string
			to  *float64
		}{{"wheel_base", &d.drive.WheelBase}, {"axle_offset", &d.drive.AxleOffset}} {
			v, err := strconv.ParseFloat(m.Channel.Metadata[f.key], 64)
			if err != nil || !robot.Finite(v) {
				return nil // from another program, which may have poses
			}
			*f.to = v
		}
		if d.drive.WheelBase <= 0 {
			return fmt.Errorf("the metadata of %s says %q for wheel_base; it must be a length above 0, in m", ReadingTopic, m.Channel.Metadata["wheel_base"])
		}
		d.Odometry = ReadingTopic
	}
	var r Reading
	if err := parseMessage(m, &r); err != nil {
		return err
	}
	e := early{reading: r.Reading(nil), scans: d.waiting}
	d.waiting = nil
	return d.passOn(e)
}

func (d *driveReader) takePose(m mcap.Message) error {
	if m.Channel.Encoding != "json" {
		return nil
	}
	var p poseInFrame
	if err := parseMessage(m, &p); err != nil {
		return err
	}
	d.Odometry = OdomTopic
	e := early{pose: p.Pose.flatPose(), at: p.Timestamp.Time(), scans: d.waiting}
	d.waiting = nil
	return d.passOn(e)
}

// passOn holds back the beginning until the lidar is chosen.
func (d *driveReader) passOn(e early) error {
	if d.chosen != "" {
		return d.placeScans(e)
	}
	if d.early = append(d.early, e); len(d.early) < beginAfter || len(d.lidars) == 0 {
		if len(d.early) > beginAfter {
			d.early = d.early[1:] // no scan was seen yet
		}
		return nil
	}
	return d.chooseLidar()
}

// chooseLidar chooses the lidar, and passes on what was held back.
func (d *driveReader) chooseLidar() error {
	view := func(l robot.Lidar) float64 { return math.Abs(l.Step) * float64(l.Beams) }
	for topic, l := range d.lidars {
		if v, w := view(l), view(d.Lidar); d.chosen == "" || v > w || v == w && topic < d.chosen {
			d.chosen, d.Lidar = topic, l
		}
	}
	d.Described = d.own[d.chosen]
	if d.Odometry == ReadingTopic {
		d.deskew = scan.NewDeskewer(robot.Description{Drivetrain: d.drive, Lidars: []robot.Lidar{d.Lidar}})
	}
	held := d.early
	d.early = nil
	for _, e := range held {
		if err := d.placeScans(e); err != nil {
			return err
		}
	}
	return nil
}

// placeScans passes the scans of the chosen lidar to use, each with the motion
// since the previous one.
func (d *driveReader) placeScans(e early) error {
	if d.deskew == nil {
		return d.placeByPose(e)
	}
	r := e.reading
	for _, s := range e.scans {
		if s.topic == d.chosen {
			r.Scans = append(r.Scans, s.Scan)
		}
	}
	if !robot.Finite(r.Travel.Left, r.Travel.Right) {
		r.Travel = robot.Wheels{}
	}
	d.odom = d.drive.Roll(d.odom, r.Travel)
	clouds, faults := d.deskew.Observe(r)
	d.addFaults(faults)
	for _, c := range clouds {
		if err := d.giveScan(c, d.odom, r.Heading); err != nil {
			return err
		}
	}
	return nil
}

func (d *driveReader) addFaults(faults []scan.Fault) {
	if len(faults) > 0 && d.faults == 0 {
		d.addNote("a scan of %s cannot be used: %s", d.chosen, faults[0].Problem)
	}
	d.faults += len(faults)
}

// placeByPose places the scans since the previous pose; later scans wait. It
// assumes that the robot stands still during a scan.
func (d *driveReader) placeByPose(e early) error {
	if !robot.Finite(e.pose.X, e.pose.Y, e.pose.Theta) {
		return nil
	}
	before, from := d.odom, d.at
	d.odom, d.at = e.pose, e.at
	if from.IsZero() {
		return nil
	}
	if e.at.Before(from) && !d.ranBack {
		d.ranBack = true
		d.addNote("the clock of %s runs back, from %s to %s; poses must be in the order in which they were measured. Scans without a pose of their time are not used", OdomTopic, from.UTC().Format(time.TimeOnly), e.at.UTC().Format(time.TimeOnly))
	}
	motion := before.Inverse().Compose(e.pose)
	for _, s := range e.scans {
		if s.topic != d.chosen {
			continue
		}
		if s.Time.After(e.at) {
			d.waiting = append(d.waiting, s)
			continue
		}
		if problem := judgeRanges(d.Lidar, s.Ranges); problem != "" {
			d.addFaults([]scan.Fault{{Problem: problem}})
			continue
		}
		share := robot.Clamp(s.Time.Sub(from).Seconds()/math.Max(1e-9, e.at.Sub(from).Seconds()), 0, 1)
		at := before.Compose(robot.Pose{X: share * motion.X, Y: share * motion.Y, Theta: share * motion.Theta})
		if err := d.giveScan(cloudOf(d.Lidar, s.Scan), at, math.NaN()); err != nil {
			return err
		}
	}
	return nil
}

// judgeRanges returns what is wrong with the ranges of another program's scan; "" =
// nothing.
func judgeRanges(l robot.Lidar, ranges []float64) string {
	if len(ranges) != l.Beams {
		return fmt.Sprintf("it has %d ranges, and the lidar has %d beams", len(ranges), l.Beams)
	}
	measured, beyond, example := 0, 0, 0.0
	for i, r := range ranges {
		if math.IsNaN(r) || r < l.Min || l.IsMasked(i) {
			continue
		}
		measured++
		if r > maxEcho && !math.IsInf(r, 1) {
			beyond, example = beyond+1, r
		}
	}
	switch {
	case measured == 0:
		return "no beam has measured anything; a scan must have ranges in metres"
	case 2*beyond > measured:
		return fmt.Sprintf("%d of its %d ranges are above %.0f m, for example %.6g; ranges must be in metres, not in millimetres", beyond, measured, maxEcho, example)
	}
	return ""
}

// cloudOf returns the points of a scan in base_link, as if they were measured at
// one instant.
func cloudOf(l robot.Lidar, s robot.Scan) scan.Cloud {
	c := scan.Cloud{Time: s.Time, Last: s.Time, Origin: l.Pose.Point()}
	for i, r := range s.Ranges {
		if l.IsMasked(i) || !(r >= l.Min) {
			continue
		}
		sin, cos := math.Sincos(l.Bearing(i))
		far := math.Min(r, l.Max)
		c.Beams = append(c.Beams, scan.Beam{End: l.Pose.Apply(robot.Point{X: far * cos, Y: far * sin}), Echo: r <= l.Max})
	}
	return c
}

func (d *driveReader) giveScan(c scan.Cloud, at robot.Pose, heading float64) error {
	s := DriveScan{Motion: d.placed.Inverse().Compose(at), Heading: heading, Cloud: c}
	if d.Scans == 0 {
		s.Motion = robot.Pose{}
	}
	d.moved = d.moved || s.Motion.Point().Norm() > 1e-6 || math.Abs(s.Motion.Theta) > 1e-6
	d.placed = at
	d.Scans++
	return d.use(s)
}

// judgeEnd checks the result after the last message.
func (d *driveReader) judgeEnd() error {
	if d.chosen == "" && d.Odometry != "" && len(d.lidars) > 0 {
		if err := d.chooseLidar(); err != nil {
			return err
		}
	}
	if d.faults > 1 {
		d.addNote("%d scans cannot be used in all", d.faults)
	}
	if d.gaps > 0 {
		d.addNote("readings or scans are missing in %d places, because the recording could not be written as fast as the robot made it; the map may be bent there", d.gaps)
	}
	if d.Scans > 1 && !d.moved {
		d.addNote("by its odometry the robot never moved: the map shows what it saw from one place")
	}
	for topic, encoding := range d.foreign {
		if d.seen == 0 {
			return fmt.Errorf("the recording has scans at %s in the encoding %q; only %s in JSON can be read, as mybot record writes it", topic, encoding, scanSchema)
		}
	}
	switch {
	case d.seen == 0:
		return d.addReason(fmt.Sprintf("the recording has no scan of a lidar: it has no message at %s", ScanTopic(0)))
	case d.Odometry == "":
		return d.addReason(fmt.Sprintf("the recording has %d scans but no odometry: a map needs the readings of the wheels at %s, or poses at %s; a lidar alone is not enough", d.seen, ReadingTopic, OdomTopic))
	case d.Scans == 0 && d.faults > 0:
		return errors.New(d.Notes[0])
	case d.Scans == 0:
		return d.addReason(fmt.Sprintf("none of the %d scans of the recording has odometry of its time", d.seen))
	}
	return nil
}

// addReason adds the missing part of a recording to the reason why it cannot be
// used.
func (d *driveReader) addReason(reason string) error {
	if len(d.Notes) > 0 {
		return fmt.Errorf("%s (%s)", reason, d.Notes[0])
	}
	return errors.New(reason)
}
