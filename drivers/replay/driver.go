// Package replay shows a recording as if it were a robot: its Driver gives the readings of
// its files at the pace at which they were recorded, and its localizer the estimates. It
// moves nothing and takes no orders.
//
// One goroutine calls Read, the control loop's goroutine the methods of the
// localizer; any goroutine may call Close, Playback and Control.
package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mybot/mcap"
	"mybot/recording"
	"mybot/robot"
)

// Refusal answers every command to move, because a recording cannot.
const Refusal = "This is a recording."

// An Address says which recording is played, and how.
type Address struct {
	File  string        // where it begins; the other files of the recording are beside it
	Speed float64       // 1 = as it was
	From  time.Duration // from the beginning of the file
}

// ParseAddress parses FILE[@SPEED[,FROM]], such as drive.mcap@2,90s: twice as fast,
// starting after a minute and a half. Only the last @ counts, and not one in the name
// of a folder.
func ParseAddress(text string) (Address, error) {
	a := Address{File: text, Speed: 1}
	at := strings.LastIndex(text, "@")
	if at < 0 || strings.ContainsAny(text[at:], `/\`) {
		if text == "" {
			return a, errors.New("it lacks the file of the recording, as in replay:drive.mcap")
		}
		return a, nil
	}
	a.File = text[:at]
	speed, from, later := strings.Cut(text[at+1:], ",")
	var err error
	if a.Speed, err = strconv.ParseFloat(speed, 64); err != nil || !(a.Speed >= recording.MinSpeed && a.Speed <= recording.MaxSpeed) {
		return a, fmt.Errorf("the speed %q is no number from 0.1 to 10, as in replay:drive.mcap@2; if the @ belongs to the name of the file, put @1 behind it", speed)
	}
	if later {
		if a.From, err = time.ParseDuration(from); err != nil || a.From < 0 {
			return a, fmt.Errorf("the beginning %q is no length of time, as in replay:drive.mcap@1,90s", from)
		}
	}
	return a, nil
}

// A Driver plays one recording.
type Driver struct {
	address Address
	opened  time.Time
	parts   []part // in their order
	named   int    // of them, where it begins
	part    int    // that is read
	steps   *recording.StepReader
	desc    robot.Description
	plan    *robot.Floorplan // nil = no map

	next   *recording.Tick   // the next tick; nil = the end
	at     time.Time         // its time, in the recording
	first  time.Time         // origin of the pace: time of a tick in the recording
	began  time.Time         // and when it was played
	pace   float64           // at this speed
	played bool              // if the recording was being played
	jumped bool              // playback continues elsewhere, and that reading was not shown yet
	last   robot.Reading     // the last reading shown
	scans  map[int]scan      // the newest of each lidar up to there
	shows  map[int]time.Time // when the scan of each lidar that was shown last began
	seen   time.Time         // when scans were last shown

	mu      sync.Mutex
	shown   map[time.Duration]robot.Estimate // by sinceOpen of the readings that the localizer has not received yet
	now     robot.Estimate
	playing bool
	speed   float64
	start   time.Time     // of the recording
	length  time.Duration // from its first reading to its last
	place   time.Time     // time of the next reading, in the recording
	seek    *time.Time    // where playback is to continue; nil = no seek
	changed chan struct{} // holds a token when Control has changed something
	closed  chan struct{}
	once    sync.Once
}

// A scan is a recorded scan with its age when its reading was made.
type scan struct {
	robot.Scan
	age time.Duration
}

const (
	// scanPeriod is how often a robot that stands shows its last scans again, so that
	// its lidars do not seem silent.
	scanPeriod = 100 * time.Millisecond
	// scanWithin is how long before a reading its scans are looked for after a seek.
	scanWithin = time.Second
)

// A part is one file of a recording.
type part struct {
	file       *os.File
	start, end time.Time // of its first and of its last reading; zero = it has none
}

// Open opens a recording.
func Open(a Address) (*Driver, error) {
	files, named, err := recording.FindParts(a.File)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	d := &Driver{address: a, named: named, shown: map[time.Duration]robot.Estimate{}, opened: time.Now(), scans: map[int]scan{}, shows: map[int]time.Time{}, playing: true, speed: a.Speed, changed: make(chan struct{}, 1), closed: make(chan struct{})}
	for _, name := range files {
		if err = d.addPart(name); err != nil {
			break
		}
	}
	if err == nil {
		err = d.readToStart()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("replay: %s: %w", a.File, err), d.closeParts())
	}
	return d, nil
}

// addPart opens the next file of the recording.
func (d *Driver) addPart(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	d.parts = append(d.parts, part{file: file})
	p := &d.parts[len(d.parts)-1]
	if err := p.measure(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if d.start.IsZero() {
		d.start = p.start
	}
	if !p.end.IsZero() {
		d.length = p.end.Sub(d.start)
	}
	return nil
}

// measure finds out when the part begins and ends.
func (p *part) measure() error {
	in, err := mcap.NewReader(p.file)
	if err != nil {
		return err
	}
	for {
		m, err := in.Next()
		switch {
		case err != nil && recording.IsEnd(err):
			return nil
		case err != nil:
			return err
		case m.Channel.Topic == recording.ReadingTopic:
			if p.end = m.Logged; p.start.IsZero() {
				p.start = m.Logged
			}
		}
	}
}

// rewindFile begins to read a part again.
func (d *Driver) rewindFile(i int) (err error) {
	d.part = i
	if _, err = d.parts[i].file.Seek(0, io.SeekStart); err == nil {
		d.steps, err = recording.NewStepReader(d.parts[i].file)
	}
	return err
}

// nextStep returns the next step, of the next part where one ends.
func (d *Driver) nextStep() (recording.Step, error) {
	for {
		s, err := d.steps.Next()
		if err == nil || !recording.IsEnd(err) || d.part+1 == len(d.parts) {
			return s, err
		}
		if err := d.rewindFile(d.part + 1); err != nil {
			return s, err
		}
	}
}

// readToStart reads up to the first reading that is shown.
func (d *Driver) readToStart() (err error) {
	if err := d.rewindFile(d.named); err != nil {
		return err
	}
	from := d.parts[d.named].start.Add(d.address.From)
	for {
		s, err := d.nextStep()
		switch {
		case err != nil && recording.IsEnd(err):
			return fmt.Errorf("it has no readings after its first %v", d.address.From)
		case err != nil:
			return err
		case s.Robot != nil:
			d.desc = *s.Robot
		case s.Floor != nil && s.Floor.Floor != nil && d.plan == nil:
			if d.plan, err = s.Floor.Floor.Floorplan(); err != nil {
				return err
			}
			d.plan.Name = "recording"
		case s.Tick != nil && d.desc.Rate <= 0:
			return errors.New("it does not say which robot it is of: it was recorded by an older version of Mybot")
		}
		if s.Tick != nil && !s.At.Before(from) {
			d.next, d.at, d.first, d.place, d.now = s.Tick, s.At, s.At, s.At, s.Tick.Estimate
			return nil
		}
	}
}

// Floorplan returns what the robot knew of the floor when the recording began; nil = nothing.
func (d *Driver) Floorplan() *robot.Floorplan { return d.plan }

// Describe returns the robot of the recording.
func (d *Driver) Describe() robot.Description { return d.desc }

// Why the robot of a paused or finished recording does not drive.
const (
	over   = "The recording is over."
	paused = "The recording is paused."
)

// Read waits until the next reading is due. While playback is paused, and after the
// last reading, the robot stands at its last pose.
func (d *Driver) Read(ctx context.Context) (robot.Reading, error) {
	for {
		playing, speed, err := d.takeOrders()
		if err != nil {
			return robot.Reading{}, err
		}
		due := time.Now()
		switch {
		case d.jumped: // show the new position at once
		case playing && d.next != nil:
			due = d.began.Add(time.Duration(float64(d.at.Sub(d.first)) / speed))
		default:
			due = due.Add(time.Duration(float64(time.Second) / d.desc.Rate))
		}
		if changed, err := d.waitUntilDue(ctx, due); err != nil {
			return robot.Reading{}, err
		} else if changed {
			continue
		}
		if playing && d.next != nil {
			return d.nextReading()
		}
		return d.standingReading(), nil
	}
}

// waitUntilDue waits until a reading is due, or Control changes something.
func (d *Driver) waitUntilDue(ctx context.Context, due time.Time) (changed bool, err error) {
	wait := time.NewTimer(time.Until(due))
	defer wait.Stop()
	select {
	case <-d.closed:
		return false, robot.ErrClosed
	case <-ctx.Done():
		return false, ctx.Err()
	case <-d.changed:
		return true, nil
	case <-wait.C:
		return false, nil
	}
}

// takeOrders executes what Control asked for, and returns how to play.
func (d *Driver) takeOrders() (playing bool, speed float64, err error) {
	d.mu.Lock()
	playing, speed = d.playing, d.speed
	to := d.seek
	if to != nil {
		d.seek, d.place = nil, *to // Playback never returns the old place again
	}
	d.mu.Unlock()
	if to != nil {
		if err := d.seekTo(*to); err != nil {
			return false, 0, err
		}
		d.jumped = true
	}
	if d.began.IsZero() || to != nil || speed != d.pace || playing != d.played {
		d.began, d.first, d.pace, d.played = time.Now(), d.at, speed, playing
	}
	return playing, speed, nil
}

// seekTo finds the first reading from the given time on.
func (d *Driver) seekTo(from time.Time) error {
	in := slices.IndexFunc(d.parts, func(p part) bool { return !p.end.Before(from) })
	if in < 0 {
		in = len(d.parts) - 1
	}
	if err := d.rewindFile(in); err != nil {
		return fmt.Errorf("replay: %s: %w", d.address.File, err)
	}
	d.steps.SkipTo(from.Add(-scanWithin))
	clear(d.scans)
	return d.advanceTo(from)
}

// nextReading returns the next reading.
func (d *Driver) nextReading() (robot.Reading, error) {
	r := d.next.Reading
	d.jumped = false
	now := time.Now()
	if d.noteScans(r); len(r.Scans) > 0 {
		d.seen = now
	}
	for i := range r.Scans {
		r.Scans[i] = d.hasten(r.Scans[i], r.Time)
		r.Scans[i].Time = d.orderScan(r.Scans[i].Lidar, now.Add(r.Scans[i].Time.Sub(r.Time)))
	}
	r.Time, r.Refuses = now, Refusal
	d.storeEstimate(now, d.next.Estimate)
	d.last = r
	return r, d.advanceTo(time.Time{})
}

// hasten returns a scan of a reading at a time as it is shown faster than it was recorded:
// its age and its turn shrink with the time between scans, which would overlap otherwise.
func (d *Driver) hasten(s robot.Scan, read time.Time) robot.Scan {
	by := max(1, d.pace)
	s.Time = read.Add(-time.Duration(float64(read.Sub(s.Time)) / by))
	s.Lasts = time.Duration(float64(s.Lasts) / by)
	return s
}

// orderScan returns when the next scan of a lidar begins: at the given time, but later than
// the one before it, however late this computer was with the reading of that one.
func (d *Driver) orderScan(lidar int, at time.Time) time.Time {
	if before := d.shows[lidar]; !at.After(before) {
		at = before.Add(time.Microsecond)
	}
	d.shows[lidar] = at
	return at
}

// noteScans notes the scans of a recorded reading.
func (d *Driver) noteScans(r robot.Reading) {
	for _, s := range r.Scans {
		d.scans[s.Lidar] = scan{s, r.Time.Sub(s.Time)}
	}
}

// standingReading returns a reading of a standing robot, at its last pose or where playback
// will continue. It sees what it saw there.
func (d *Driver) standingReading() robot.Reading {
	r, now := d.last, time.Now()
	if d.jumped && d.next != nil {
		r = d.next.Reading
		d.noteScans(r)
		d.storeEstimate(now, d.next.Estimate)
	}
	r.Time, r.Travel, r.Scans, r.Refuses = now, robot.Wheels{}, nil, paused
	if d.jumped || now.Sub(d.seen) >= scanPeriod {
		d.seen = now
		for _, lidar := range slices.Sorted(maps.Keys(d.scans)) {
			s := d.scans[lidar]
			s.Time = d.orderScan(lidar, now.Add(-s.age))
			r.Scans = append(r.Scans, s.Scan)
		}
	}
	d.jumped = false
	if d.next == nil {
		r.Refuses = over
	}
	d.last = r
	return r
}

// sinceOpen returns the time from Open to a reading, by the monotonic clock. It identifies
// the reading; the wall clock does not, because the control loop replaces a reading's by the
// computer's current one, which may have been set or slewed meanwhile.
func (d *Driver) sinceOpen(at time.Time) time.Duration { return at.Sub(d.opened) }

// storeEstimate stores the estimate of a reading for the localizer.
func (d *Driver) storeEstimate(at time.Time, e robot.Estimate) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shown[d.sinceOpen(at)] = e
}

// Playback returns the state of the playback.
func (d *Driver) Playback() recording.Playback {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := d.place
	if d.seek != nil {
		at = *d.seek
	}
	return recording.Playback{Playing: d.playing, Speed: d.speed, At: min(at.Sub(d.start), d.length).Seconds(), Length: d.length.Seconds()}
}

// Control changes the playback. The error is a sentence for people.
func (d *Driver) Control(o recording.PlaybackOrder) error {
	if v := o.Speed; v != nil && !(*v >= recording.MinSpeed && *v <= recording.MaxSpeed) {
		return fmt.Errorf("the speed should be a number from %g to %g, not %g", float64(recording.MinSpeed), float64(recording.MaxSpeed), *v)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if v := o.At; v != nil && !(*v >= 0 && *v <= d.length.Seconds()) {
		return fmt.Errorf("the recording lasts %.1f s; there is nothing at %g s", d.length.Seconds(), *v)
	}
	if o.Playing != nil {
		d.playing = *o.Playing
	}
	if o.Speed != nil {
		d.speed = *o.Speed
	}
	if o.At != nil {
		to := d.start.Add(time.Duration(*o.At * float64(time.Second)))
		d.seek = &to
	}
	select {
	case d.changed <- struct{}{}:
	default:
	}
	return nil
}

// advanceTo finds the next reading, of those from the given time on. It notes the scans
// of those before.
func (d *Driver) advanceTo(from time.Time) error {
	for {
		s, err := d.nextStep()
		switch {
		case err != nil && recording.IsEnd(err):
			d.next = nil
			d.setPlace(d.start.Add(d.length))
			return nil
		case err != nil:
			return fmt.Errorf("replay: %s: %w", d.address.File, err)
		case s.Tick != nil && s.At.Before(from):
			d.noteScans(s.Tick.Reading)
		case s.Tick != nil:
			d.next, d.at = s.Tick, s.At
			d.setPlace(s.At)
			return nil
		}
	}
}

func (d *Driver) setPlace(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.place = at
}

// Drive moves nothing.
func (d *Driver) Drive(t robot.Twist) error {
	select {
	case <-d.closed:
		return robot.ErrClosed
	default:
	}
	if math.IsNaN(t.Linear + t.Angular) {
		return errors.New("replay: the speed is not a number")
	}
	return nil
}

// Close closes the files.
func (d *Driver) Close() (err error) {
	d.once.Do(func() {
		close(d.closed)
		err = d.closeParts()
	})
	return err
}

func (d *Driver) closeParts() (err error) {
	for _, p := range d.parts {
		err = errors.Join(err, p.file.Close())
	}
	return err
}

// Update takes the estimate of a reading.
func (d *Driver) Update(r robot.Reading) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, ok := d.shown[d.sinceOpen(r.Time)]; ok {
		d.now = e
		clear(d.shown)
	}
}

// Estimate returns the recorded estimate.
func (d *Driver) Estimate() robot.Estimate {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

// SetPose does nothing, because the poses are recorded.
func (d *Driver) SetPose(robot.Pose) {}
