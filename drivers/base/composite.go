package base

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"mybot/robot"
)

var (
	_ robot.Driver     = (*Composite)(nil)
	_ robot.Linked     = (*Composite)(nil)
	_ robot.PanTilt    = (*Composite)(nil)
	_ robot.JointMover = (*Composite)(nil)
	_ robot.Speaker    = (*Composite)(nil)
	_ robot.Display    = (*Composite)(nil)
)

// The limits of a robot.
const (
	maxSonars = 64
	maxLidars = 4
)

// A Composite is one robot that consists of several bases: the first drives, the
// parts add sensors, a head, joints, a speaker or a display. Its readings are those of the first base,
// with the last measurements of the parts, which are valid for half a second. As
// with any robot.Driver one goroutine calls Read.
type Composite struct {
	*Driver // the first
	desc    robot.Description
	head    *Driver // the base with the head
	speaker *Driver // the first base with a speaker
	display *Driver // the first base with a display
	parts   []*part
}

// A part is a base that does not drive.
type part struct {
	*Driver
	lidars  int           // index of the part's first lidar in the composite
	battery bool          // its battery is the robot's
	last    robot.Reading // last measurements
	at      time.Time     // when they came; zero = never
	scans   []robot.Scan  // not yet added to a reading
}

// Compose returns one robot that consists of a driving base and parts, which it owns: Close
// closes all of them, and so does Compose after an error.
func Compose(first *Driver, parts ...*Driver) (*Composite, error) {
	c := &Composite{Driver: first, desc: first.Describe(), head: first, speaker: first, display: first}
	c.desc.Links, c.desc.Joints, c.desc.Frames = slices.Clone(c.desc.Links), slices.Clone(c.desc.Joints), slices.Clone(c.desc.Frames)
	names := []string{c.desc.Name}
	c.desc.Sonars, c.desc.Lidars = slices.Clone(c.desc.Sonars), slices.Clone(c.desc.Lidars)
	var err error
	for _, d := range parts {
		desc := d.Describe()
		if slices.Contains(names, desc.Name) {
			err = errors.Join(err, fmt.Errorf("two bases are called %s; the names of the bases of a robot must differ", desc.Name))
		}
		names = append(names, desc.Name)
		c.parts = append(c.parts, &part{Driver: d, lidars: len(c.desc.Lidars), battery: c.desc.Battery == robot.BatteryPack{} && desc.Battery != robot.BatteryPack{}})
		err = errors.Join(err, c.attach(d, desc))
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// attach adds a part to the description.
func (c *Composite) attach(d *Driver, part robot.Description) error {
	whole := &c.desc
	for _, p := range []struct {
		name   string
		twice  bool
		attach func()
	}{
		{"a compass", whole.Compass && part.Compass, func() { whole.Compass = whole.Compass || part.Compass }},
		{"a head", whole.Head != nil && part.Head != nil, func() {
			if part.Head != nil {
				whole.Head, c.head = part.Head, d
			}
		}},
		{"a battery", false, func() {
			if whole.Battery == (robot.BatteryPack{}) {
				whole.Battery = part.Battery
			}
		}},
	} {
		if p.twice {
			return fmt.Errorf("%s has %s, and so has another base; a robot has one", part.Name, p.name)
		}
		p.attach()
	}
	whole.Bumper = whole.Bumper || part.Bumper
	whole.OKSwitch = whole.OKSwitch || part.OKSwitch
	if part.Speaker && !whole.Speaker {
		whole.Speaker, c.speaker = true, d
	}
	if part.Display && !whole.Display {
		whole.Display, c.display = true, d
	}
	whole.Sonars = append(whole.Sonars, part.Sonars...)
	whole.Lidars = append(whole.Lidars, part.Lidars...)
	if len(whole.Sonars) > maxSonars || len(whole.Lidars) > maxLidars {
		return fmt.Errorf("with %s the robot has %d sonars and %d lidars; it may have %d and %d", part.Name, len(whole.Sonars), len(whole.Lidars), maxSonars, maxLidars)
	}
	return c.attachLinks(part)
}

// attachLinks adds the links, joints and named frames of a part, whose base_link is
// that of the robot. Names must be unique.
func (c *Composite) attachLinks(part robot.Description) error {
	whole := &c.desc
	if len(whole.Links) == 0 && len(part.Links) > 0 {
		whole.Links = []robot.Link{{Name: robot.BaseLinkName}}
	}
	twice := func(kind, name string) error {
		return fmt.Errorf("%s has %s %q, and so has another base; their names must differ", part.Name, kind, name)
	}
	for _, l := range part.Links {
		i := slices.IndexFunc(whole.Links, func(other robot.Link) bool { return other.Name == l.Name })
		switch {
		case i < 0:
			whole.Links = append(whole.Links, l)
		case l.Name == robot.BaseLinkName:
			whole.Links[i].Shapes = slices.Concat(whole.Links[i].Shapes, l.Shapes)
		default:
			return twice("the link", l.Name)
		}
	}
	for _, j := range part.Joints {
		if whole.Joint(j.Name) >= 0 {
			return twice("the joint", j.Name)
		}
		whole.Joints = append(whole.Joints, j)
	}
	for _, f := range part.Frames {
		if slices.ContainsFunc(whole.Frames, func(other robot.NamedFrame) bool { return other.Name == f.Name }) {
			return twice("the frame", f.Name)
		}
		whole.Frames = append(whole.Frames, f)
	}
	if len(whole.Links) > robot.MaxLinks || len(whole.Joints) > robot.MaxJoints || len(whole.Frames) > robot.MaxFrames {
		return fmt.Errorf("with %s the robot has %d links, %d joints and %d frames; it may have %d, %d and %d", part.Name, len(whole.Links), len(whole.Joints), len(whole.Frames), robot.MaxLinks, robot.MaxJoints, robot.MaxFrames)
	}
	return nil
}

// Describe returns the description of the whole robot.
func (c *Composite) Describe() robot.Description { return c.desc }

// Read waits for the next reading of the first base.
func (c *Composite) Read(ctx context.Context) (robot.Reading, error) {
	r, err := c.Driver.Read(ctx)
	if err != nil {
		return r, err
	}
	now := time.Now()
	r.Ranges, r.Joints = slices.Clone(r.Ranges), slices.Clone(r.Joints)
	for _, p := range c.parts {
		p.takeMeasurements(now)
		p.addTo(&r, now)
	}
	return r, nil
}

// takeMeasurements takes the part's measurements since the last call.
func (p *part) takeMeasurements(now time.Time) {
	if last, ok := p.takeReading(); ok {
		p.scans = append(recentScans(p.scans, now), last.Scans...)
		last.Scans = nil
		p.last, p.at = last, last.Time
	}
}

// addTo adds the part's measurements to a reading: for half a second, then the
// sensors count as failed.
func (p *part) addTo(r *robot.Reading, now time.Time) {
	desc := p.Describe()
	if p.at.IsZero() || now.Sub(p.at) > partSilence {
		for range desc.Sonars {
			r.Ranges = append(r.Ranges, math.NaN())
		}
		for range desc.Joints {
			r.Joints = append(r.Joints, math.NaN())
		}
		p.scans = nil
		if p.battery {
			r.Battery = robot.UnknownBattery()
		}
		// No one could have seen a release, or the end of a refusal.
		r.EStop, r.Refuses = r.EStop || p.last.EStop, cmp.Or(r.Refuses, p.last.Refuses)
		return
	}
	last := p.last
	r.Ranges, r.Joints = append(r.Ranges, last.Ranges...), append(r.Joints, last.Joints...)
	for len(p.scans) > 0 && !p.scans[0].Time.Add(p.scans[0].Lasts).After(r.Time) { // a later scan belongs to the next reading
		scan := p.scans[0]
		scan.Lidar += p.lidars
		r.Scans, p.scans = append(r.Scans, scan), p.scans[1:]
	}
	if desc.Compass {
		r.Heading = last.Heading
	}
	if desc.Head != nil {
		r.Head = last.Head
	}
	if p.battery {
		r.Battery = last.Battery
	}
	r.Bump, r.OK, r.EStop = r.Bump || last.Bump, r.OK || last.OK, r.EStop || last.EStop
	r.Refuses = cmp.Or(r.Refuses, last.Refuses)
}

// Look turns the head of the base that has one.
func (c *Composite) Look(a robot.HeadAngles) error { return c.head.Look(a) }

// Say has the base with the speaker speak.
func (c *Composite) Say(s robot.Speech) error { return c.speaker.Say(s) }

// Said returns what that base has spoken last.
func (c *Composite) Said() uint64 { return c.speaker.Said() }

// Show has the base with the display show lines.
func (c *Composite) Show(lines []string) error { return c.display.Show(lines) }

// MoveJoints moves joints, each on the base that has it.
func (c *Composite) MoveJoints(at map[string]float64) error {
	for name := range at {
		if c.desc.Joint(name) < 0 {
			return fmt.Errorf("the joint %q: %w", name, robot.ErrNA)
		}
	}
	err := moveOwn(c.Driver, at)
	for _, p := range c.parts {
		err = errors.Join(err, moveOwn(p.Driver, at))
	}
	return err
}

// moveOwn moves the joints that a base has.
func moveOwn(d *Driver, at map[string]float64) error {
	own := map[string]float64{}
	for _, j := range d.Describe().Joints {
		if x, ok := at[j.Name]; ok {
			own[j.Name] = x
		}
	}
	if len(own) == 0 {
		return nil
	}
	return d.MoveJoints(own)
}

// BaseLink returns the state of the first base's line, and the missing parts.
func (c *Composite) BaseLink() robot.BaseLink {
	link := c.Driver.BaseLink()
	for _, p := range c.parts {
		of := p.BaseLink()
		link.Malformed += of.Malformed
		link.Restarts += of.Restarts
		if of.Up {
			continue
		}
		desc := p.Describe()
		name := desc.Name
		link.Gone = append(link.Gone, robot.LostPart{Name: name, Sees: desc.SeesObstacles()})
		if link.Up && link.Why == "" {
			link.Why, link.Since = name+" is out of reach. "+of.Why, of.Since
		}
	}
	return link
}

// Close closes all bases at once.
func (c *Composite) Close() error {
	for _, p := range c.parts {
		p.cancel()
	}
	err := c.Driver.Close()
	for _, p := range c.parts {
		err = errors.Join(err, p.Close())
	}
	return err
}
