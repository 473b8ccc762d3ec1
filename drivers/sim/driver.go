package sim

import (
	"context"
	"sync"
	"time"

	"mybot/robot"
)

var (
	_ robot.Driver     = (*Driver)(nil)
	_ robot.PanTilt    = (*Driver)(nil)
	_ robot.JointMover = (*Driver)(nil)
	_ robot.Speaker    = (*Driver)(nil)
	_ robot.Display    = (*Driver)(nil)
)

// longest is the most time that a Driver simulates at once after a pause; the rest
// (such as the computer's sleep) is skipped.
const longest = 10 * time.Second

// longestUnread is how old an unread scan may be.
const longestUnread = time.Second

// Driver runs a World in real time. It has no goroutine: each call first steps the
// world up to now, so a command expires in time even if no one reads. Several
// goroutines may call the methods; only one at a time may call Next, the camera's.
type Driver struct {
	desc   robot.Description
	closed chan struct{}

	mu      sync.Mutex
	world   *World
	next    time.Time     // when the world's next step is due
	pending robot.Reading // the steps since the last Read, as one reading
	fresh   bool          // there is a pending reading

	voice   voice
	display []string // not written to

	camera camera
}

// NewDriver starts the clock for w, which belongs to the driver from now on. The
// readings carry wall-clock times, whatever the world's epoch was.
func NewDriver(w *World) *Driver {
	now := time.Now()
	w.time = now
	return &Driver{desc: w.desc, world: w, next: now.Add(w.period), closed: make(chan struct{})}
}

// Describe returns the description of the robot.
func (d *Driver) Describe() robot.Description { return d.desc }

// Read waits for the world's next step and returns everything sensed since the
// previous Read. A late caller gets the missed steps as one reading: the total
// travel, the scans of the last second and any bump, with all else as it is now.
func (d *Driver) Read(ctx context.Context) (robot.Reading, error) {
	for {
		if err := ctx.Err(); err != nil {
			return robot.Reading{}, err
		}
		r, wait, err := d.takeReading()
		if err != nil || wait == 0 {
			return r, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
		case <-d.closed:
		}
		timer.Stop()
	}
}

// takeReading returns the pending reading, or how long to wait for one.
func (d *Driver) takeReading() (robot.Reading, time.Duration, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isClosed() {
		return robot.Reading{}, 0, robot.ErrClosed
	}
	now := time.Now()
	d.stepUntil(now)
	if !d.fresh {
		return robot.Reading{}, d.next.Sub(now), nil
	}
	d.fresh = false
	return d.pending, 0, nil
}

// stepUntil steps the world up to now. The caller holds mu.
func (d *Driver) stepUntil(now time.Time) {
	period := d.world.period
	if late := now.Sub(d.next); late > longest {
		skip := (late - longest).Truncate(period)
		d.world.skipTime(skip)
		d.next = d.next.Add(skip)
	}
	for ; !d.next.After(now); d.next = d.next.Add(period) {
		r := d.world.Step()
		if d.fresh {
			r.Travel.Left += d.pending.Travel.Left
			r.Travel.Right += d.pending.Travel.Right
			r.Bump = r.Bump || d.pending.Bump
			r.OK = r.OK || d.pending.OK
			r.Scans = append(recentScans(d.pending.Scans, r.Time), r.Scans...)
		}
		d.pending, d.fresh = r, true
	}
}

// recentScans returns the scans that are recent enough to be useful, oldest first.
func recentScans(scans []robot.Scan, now time.Time) []robot.Scan {
	for len(scans) > 0 && now.Sub(scans[0].Time) > longestUnread {
		scans = scans[1:]
	}
	return scans
}

// Drive implements robot.Driver.
func (d *Driver) Drive(t robot.Twist) error {
	return d.withWorld(func(w *World) error { return w.Drive(t) })
}

// Look implements robot.PanTilt.
func (d *Driver) Look(a robot.HeadAngles) error {
	return d.withWorld(func(w *World) error { return w.Look(a) })
}

// MoveJoints implements robot.JointMover.
func (d *Driver) MoveJoints(at map[string]float64) error {
	return d.withWorld(func(w *World) error { return w.MoveJoints(at) })
}

// PressOK presses or releases the OK switch.
func (d *Driver) PressOK(pressed bool) error {
	return d.withWorld(func(w *World) error { w.PressOK(pressed); return nil })
}

// SetCharge gives the battery another charge, as World.SetCharge does.
func (d *Driver) SetCharge(charge float64) error {
	return d.withWorld(func(w *World) error { return w.SetCharge(charge) })
}

// AddThing adds a thing, as World.AddThing does.
func (d *Driver) AddThing(kind Kind, at robot.Point, radius float64) (id int, err error) {
	err = d.withWorld(func(w *World) error { id, err = w.AddThing(kind, at, radius); return err })
	return id, err
}

// MoveThing moves a thing.
func (d *Driver) MoveThing(id int, to robot.Point) error {
	return d.withWorld(func(w *World) error { return w.moveThing(id, to) })
}

// RemoveThing removes a thing, as World.RemoveThing does.
func (d *Driver) RemoveThing(id int) error {
	return d.withWorld(func(w *World) error { return w.RemoveThing(id) })
}

// SetDoor closes or opens a door, as World.SetDoor does.
func (d *Driver) SetDoor(index int, closed bool) error {
	return d.withWorld(func(w *World) error { return w.SetDoor(index, closed) })
}

// CarryRobot moves the robot to another pose, as World.CarryRobot does.
func (d *Driver) CarryRobot(to robot.Pose) error {
	return d.withWorld(func(w *World) error { return w.CarryRobot(to) })
}

// Contents returns what the world holds, even after Close.
func (d *Driver) Contents() Contents {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.world.Contents()
}

// withWorld calls f with the world as it is now.
func (d *Driver) withWorld(f func(*World) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isClosed() {
		return robot.ErrClosed
	}
	d.stepUntil(time.Now())
	return f(d.world)
}

// Truth returns the true state of the world, even after Close.
func (d *Driver) Truth() Truth {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stepUntil(time.Now())
	return d.world.Truth()
}

// Close brakes the wheels and ends every Read. A second call does nothing.
func (d *Driver) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isClosed() {
		return nil
	}
	d.stepUntil(time.Now())
	close(d.closed)
	return d.world.Drive(robot.Twist{})
}

func (d *Driver) isClosed() bool {
	select {
	case <-d.closed:
		return true
	default:
		return false
	}
}
