package base

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"mybot/drivers/base/protocol"
	"mybot/robot"
	"mybot/robot/limits"
)

var (
	_ robot.Driver     = (*Driver)(nil)
	_ robot.Linked     = (*Driver)(nil)
	_ robot.PanTilt    = (*Driver)(nil)
	_ robot.JointMover = (*Driver)(nil)
	_ robot.Speaker    = (*Driver)(nil)
	_ robot.Display    = (*Driver)(nil)
)

// Patience is how long to wait for a base that is not known yet: a microcontroller takes up
// to 3 s after its port is opened, and only after helloFor is it known what was wrong with
// the answers, such as the baud rate.
const Patience = helloFor + time.Second

// A Config selects the base of a Driver.
type Config struct {
	Address Address
	// Robot is the description to use if the base sends none, or is absent when the
	// driver is opened; nil = the base must send one.
	Robot []byte
	// Part says that the base does not drive, but adds sensors or a head to another
	// one. Its description needs only a name and these, and it need not send
	// readings.
	Part bool
	// Patience is how long Open waits for the base; the constant Patience is right for one
	// that is not known yet.
	Patience time.Duration
	Log      *slog.Logger
	// Dial opens the line; nil = by the Address.
	Dial Dialer
}

// A Driver drives the base at the end of a line, and reconnects to it. A base out
// of reach is a state, BaseLink, and not an error: Read waits meanwhile. Several
// goroutines may call all methods.
type Driver struct {
	config Config
	outbox *outbox
	closed chan struct{}
	fresh  chan struct{} // holds a token when a reading is ready
	cancel func()
	owner  sync.WaitGroup // of the goroutine that owns the line

	mu        sync.Mutex
	described chan struct{} // closed when desc is set, which then never changes
	desc      robot.Description
	raw       []byte // as the base sent it, or from the file
	link      robot.BaseLink

	pending robot.Reading   // all readings since the last Read, as one
	some    bool            // there is a pending reading
	ready   bool            // it may be read
	newest  protocol.Millis // of the newest reading
	arrived time.Time       // arrival of the newest reading
	greeted bool            // hello has been answered
	heard   bool            // drive lines may be sent: hello has been answered, and readings come
	number  int64           // of the last drive line since hello
	asked   robot.Twist     // of that line
	askedAt time.Time       // when it was sent

	say   int64    // id of the last say line; it never restarts, so an old said does not count
	says  uint64   // number of its speech
	said  uint64   // number of the last speech that the base has spoken
	shows []string // what the display should show; not written to
}

// Open connects to a base and returns its driver as soon as the robot is described.
// If the base is absent for Config.Patience, Config.Robot is used; without that,
// the error says what Open waited for.
func Open(ctx context.Context, c Config) (*Driver, error) {
	if c.Robot != nil {
		if _, err := c.parse(c.Robot); err != nil {
			return nil, err
		}
	}
	c.Log = c.Log.With("base", c.Address)
	if c.Dial == nil {
		c.Dial = c.Address.Dialer(c.Log)
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	d := &Driver{
		config: c, outbox: newOutbox(), cancel: cancel,
		closed: make(chan struct{}), fresh: make(chan struct{}, 1), described: make(chan struct{}),
		link: robot.BaseLink{Since: time.Now(), Why: "Mybot connects to the base."},
	}
	s := &supervisor{driver: d, log: c.Log}
	d.owner.Go(func() { s.run(running) })
	late := time.NewTimer(c.Patience)
	defer late.Stop()
	select {
	case <-d.described:
		return d, nil
	case <-ctx.Done():
		_ = d.Close()
		return nil, ctx.Err()
	case <-late.C:
	}
	if c.Robot == nil {
		link := d.BaseLink()
		_ = d.Close()
		return nil, fmt.Errorf("the base at %s has not described its robot within %s, and no --robot FILE does: %s", c.Address, c.Patience, link.Why)
	}
	_ = d.setDescription(c.Robot) // the base may have come first
	return d, nil
}

// parse parses a description of the base.
func (c Config) parse(raw []byte) (robot.Description, error) {
	if c.Part {
		return robot.ParsePart(raw)
	}
	return robot.ParseDescription(raw)
}

// setDescription sets the description; if there already is one, the new one must be
// equal.
func (d *Driver) setDescription(raw []byte) error {
	desc, err := d.config.parse(raw)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-d.described:
		if difference := findDifference(d.raw, raw); difference != "" {
			return fmt.Errorf("this is another robot than before: %s; restart Mybot to drive it", difference)
		}
	default:
		d.desc, d.raw = desc, raw
		close(d.described)
	}
	return nil
}

// Describe returns the description of the robot.
func (d *Driver) Describe() robot.Description {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.desc
}

// Description returns the description as the base sent it, or as in the file.
func (d *Driver) Description() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.raw
}

// Read waits for the next reading, even while the base is out of reach.
func (d *Driver) Read(ctx context.Context) (robot.Reading, error) {
	for {
		if d.isClosed() {
			return robot.Reading{}, robot.ErrClosed
		}
		if err := ctx.Err(); err != nil {
			return robot.Reading{}, err
		}
		if r, ok := d.takeReading(); ok {
			return r, nil
		}
		select {
		case <-d.fresh:
		case <-ctx.Done():
		case <-d.closed:
		}
	}
}

// partSilence is how long the last measurements of a part are valid.
const partSilence = 500 * time.Millisecond

// takeReading returns the pending reading, if it may be read.
func (d *Driver) takeReading() (robot.Reading, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.ready {
		return robot.Reading{}, false
	}
	d.ready, d.some = false, false
	return d.pending, true
}

// Drive sends a drive line, if the base can be expected to execute it: while
// nothing comes from the base, only zero twists are sent.
func (d *Driver) Drive(t robot.Twist) error {
	if d.isClosed() {
		return robot.ErrClosed
	}
	finite := t.IsFinite()
	if !finite {
		t = robot.Twist{}
	}
	d.sendDrive(time.Now(), t)
	if !finite {
		return errors.New("the twist is not finite; the robot stands")
	}
	return nil
}

// agedShare is by how much of the hold, in percent, the age of the newest reading
// may shift the expiry of a drive line. So a base whose readings stop, for instance
// in a network that queues them, stands 1.3 holds after the last one. A base with
// 10 readings a second and a hold of 100 ms keeps driving between two of them.
const agedShare = 30

func (d *Driver) sendDrive(now time.Time, t robot.Twist) {
	d.mu.Lock()
	defer d.mu.Unlock()
	age := now.Sub(d.arrived)
	if !d.heard || d.number >= protocol.MaxNumber || !t.IsZero() && age > limits.ReadingSilence {
		return
	}
	d.number++
	t = d.desc.Hardware.Clamp(t)
	d.asked, d.askedAt = t, now
	until := d.newest + protocol.Millis((min(age, d.desc.Holds*agedShare/100) + d.desc.Holds).Milliseconds())
	d.outbox.replaceDrive(protocol.Drive{Number: d.number, Until: until, Twist: t})
}

// askedTwist returns what the base was last asked to do, zero once it has forgotten that.
func (d *Driver) askedTwist(now time.Time) robot.Twist {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now.Sub(d.askedAt) > 2*d.desc.Holds {
		return robot.Twist{}
	}
	return d.asked
}

// hasFewNumbers reports whether the numbers of drive lines are nearly exhausted, as
// after 248 days on one line with 100 readings a second.
func (d *Driver) hasFewNumbers() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.number > protocol.MaxNumber-1000
}

// Look turns the head.
func (d *Driver) Look(a robot.HeadAngles) error {
	head := d.Describe().Head
	switch {
	case head == nil:
		return robot.ErrNA
	case d.isClosed():
		return robot.ErrClosed
	case !robot.Finite(a.Pan, a.Tilt):
		return errors.New("the angles are not finite")
	}
	a = robot.HeadAngles{Pan: max(head.PanMin, min(a.Pan, head.PanMax)), Tilt: max(head.TiltMin, min(a.Tilt, head.TiltMax))}
	if !d.isGreeted() {
		return errors.New("the base is out of reach")
	}
	if !d.outbox.add(protocol.Look{Head: a}) {
		return errors.New("the base takes no lines")
	}
	return nil
}

// MoveJoints moves joints.
func (d *Driver) MoveJoints(at map[string]float64) error {
	desc, to := d.Describe(), map[string]float64{}
	for name, x := range at {
		i := desc.Joint(name)
		switch {
		case i < 0:
			return fmt.Errorf("the joint %q: %w", name, robot.ErrNA)
		case !robot.Finite(x):
			return fmt.Errorf("the position of the joint %q is not finite", name)
		}
		to[name] = desc.Joints[i].Clamp(x)
	}
	switch {
	case d.isClosed():
		return robot.ErrClosed
	case !d.isGreeted():
		return errors.New("the base is out of reach")
	}
	d.outbox.replaceJoints(to)
	return nil
}

func (d *Driver) isGreeted() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.greeted
}

// BaseLink returns the state of the line.
func (d *Driver) BaseLink() robot.BaseLink {
	d.mu.Lock()
	defer d.mu.Unlock()
	link := d.link
	if link.Up && time.Since(d.arrived) > d.maxSilence() {
		link.Up, link.Since = false, d.arrived
		link.Why = "The base sends no readings."
	}
	return link
}

// maxSilence returns how long no reading may come before the base counts as lost.
func (d *Driver) maxSilence() time.Duration {
	if d.config.Part {
		return partSilence
	}
	return max(limits.ReadingSilence, time.Duration(2.5/d.desc.Rate*float64(time.Second)))
}

// Close sends the base a zero twist, closes the line and waits for all goroutines.
func (d *Driver) Close() error {
	d.mu.Lock()
	if !d.isClosed() {
		close(d.closed)
	}
	d.mu.Unlock()
	d.sendDrive(time.Now(), robot.Twist{})
	d.cancel()
	d.owner.Wait()
	return nil
}

func (d *Driver) isClosed() bool {
	select {
	case <-d.closed:
		return true
	default:
		return false
	}
}

// mergeReadings merges two readings: the total travel, the scans of the last
// second, anything that was pressed or refused, and the rest of the later one.
func mergeReadings(before, r robot.Reading) robot.Reading {
	r.Travel.Left += before.Travel.Left
	r.Travel.Right += before.Travel.Right
	r.Bump = r.Bump || before.Bump
	r.OK = r.OK || before.OK
	r.EStop = r.EStop || before.EStop
	r.Refuses = cmp.Or(r.Refuses, before.Refuses)
	r.Scans = append(recentScans(before.Scans, r.Time), r.Scans...)
	return r
}
