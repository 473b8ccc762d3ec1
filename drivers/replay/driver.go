// Package replay shows a recording as if it were a robot: its Driver gives the readings of
// the file at the pace at which they were recorded, and its localizer the estimates. It
// moves nothing and takes no orders.
//
// Read is called by one goroutine, the methods of the localizer by that of the control
// loop; Close by any.
package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"mybot/mcap"
	"mybot/recording"
	"mybot/robot"
)

// Refusal answers every command that moves: a recording cannot.
const Refusal = "This is a recording."

// An Address says what is shown, and how.
type Address struct {
	File  string
	Speed float64       // 1 = as it was
	From  time.Duration // from the beginning of the file
}

// ParseAddress reads FILE[@SPEED[,FROM]], such as drive.mcap@2,90s: twice as fast, from a
// minute and a half on.
func ParseAddress(text string) (Address, error) {
	a := Address{File: text, Speed: 1}
	file, how, given := strings.Cut(text, "@")
	if !given {
		if text == "" {
			return a, errors.New("it lacks the file of the recording, as in replay:drive.mcap")
		}
		return a, nil
	}
	a.File = file
	speed, from, later := strings.Cut(how, ",")
	var err error
	if a.Speed, err = strconv.ParseFloat(speed, 64); err != nil || !(a.Speed >= 0.1 && a.Speed <= 10) {
		return a, fmt.Errorf("the speed %q is no number from 0.1 to 10, as in replay:drive.mcap@2", speed)
	}
	if later {
		if a.From, err = time.ParseDuration(from); err != nil || a.From < 0 {
			return a, fmt.Errorf("the beginning %q is no length of time, as in replay:drive.mcap@1,90s", from)
		}
	}
	return a, nil
}

// A Driver shows one recording.
type Driver struct {
	address Address
	file    *os.File
	steps   *recording.StepReader
	desc    robot.Description
	plan    *robot.Floorplan // nil = the robot knew none

	next  *recording.Tick // that is read next; nil = the recording is over
	at    time.Time       // when that was, in the recording
	first time.Time       // when the first one that is shown was,
	began time.Time       // and when it was shown
	last  robot.Reading   // that was shown

	mu     sync.Mutex
	shown  map[int64]robot.Estimate // by the time of the readings that the localizer has not got yet
	now    robot.Estimate
	closed chan struct{}
	once   sync.Once
}

// Open opens a recording.
func Open(a Address) (*Driver, error) {
	file, err := os.Open(a.File)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	d := &Driver{address: a, file: file, shown: map[int64]robot.Estimate{}, closed: make(chan struct{})}
	if err := d.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("replay: %s: %w", a.File, err), file.Close())
	}
	return d, nil
}

// begin reads up to the first reading that is shown.
func (d *Driver) begin() (err error) {
	if d.steps, err = recording.NewStepReader(d.file); err != nil {
		return err
	}
	var from time.Time
	for {
		s, err := d.steps.Next()
		switch {
		case err != nil && isEnd(err):
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
		case s.Tick != nil && from.IsZero():
			from = s.At.Add(d.address.From)
		}
		if s.Tick != nil && !s.At.Before(from) {
			d.next, d.at, d.first, d.now = s.Tick, s.At, s.At, s.Tick.Estimate
			return nil
		}
	}
}

// isEnd reports whether a recording ends there, with or without an index.
func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.As(err, new(*mcap.CutError)) }

// Floorplan returns what the robot knew of the floor when the recording began; nil = nothing.
func (d *Driver) Floorplan() *robot.Floorplan { return d.plan }

// Describe returns the robot of the recording.
func (d *Driver) Describe() robot.Description { return d.desc }

// Read waits until the next reading is due. After the last one the robot stands where it
// is.
func (d *Driver) Read(ctx context.Context) (robot.Reading, error) {
	if d.began.IsZero() {
		d.began = time.Now()
	}
	due := time.Now().Add(time.Duration(float64(time.Second) / d.desc.Rate))
	if d.next != nil {
		due = d.began.Add(time.Duration(float64(d.at.Sub(d.first)) / d.address.Speed))
	}
	wait := time.NewTimer(time.Until(due))
	defer wait.Stop()
	select {
	case <-d.closed:
		return robot.Reading{}, robot.ErrClosed
	case <-ctx.Done():
		return robot.Reading{}, ctx.Err()
	case <-wait.C:
	}
	if d.next == nil {
		r := d.last
		r.Time, r.Travel, r.Scans, r.Refuses = time.Now(), robot.Wheels{}, nil, "The recording is over."
		d.last = r
		return r, nil
	}
	r, e := d.next.Reading, d.next.Estimate
	now := time.Now()
	for i := range r.Scans {
		r.Scans[i].Time = now.Add(r.Scans[i].Time.Sub(r.Time))
	}
	r.Time, r.Refuses = now, Refusal
	d.mu.Lock()
	d.shown[now.UnixNano()] = e
	d.mu.Unlock()
	d.last = r
	return r, d.advance()
}

// advance finds the next reading.
func (d *Driver) advance() error {
	for {
		s, err := d.steps.Next()
		switch {
		case err != nil && isEnd(err):
			d.next = nil
			return nil
		case err != nil:
			return fmt.Errorf("replay: %s: %w", d.address.File, err)
		case s.Tick != nil:
			d.next, d.at = s.Tick, s.At
			return nil
		}
	}
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

// Close closes the file.
func (d *Driver) Close() (err error) {
	d.once.Do(func() {
		close(d.closed)
		err = d.file.Close()
	})
	return err
}

// Update takes the estimate of a reading.
func (d *Driver) Update(r robot.Reading) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, ok := d.shown[r.Time.UnixNano()]; ok {
		d.now = e
		clear(d.shown)
	}
}

// Estimate returns where the robot believed itself to be.
func (d *Driver) Estimate() robot.Estimate {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

// SetPose does nothing: the recording knows better.
func (d *Driver) SetPose(robot.Pose) {}
