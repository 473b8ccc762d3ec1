package pioneer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"time"

	"mybot/robot"
)

const (
	// repeatEvery is how often unchanged speeds are sent, in case packets are lost,
	// and for the robot's watchdog of 2 s.
	repeatEvery = 100 * time.Millisecond
	// commandGap is the time between two commands; the firmware drops faster ones.
	commandGap = 5 * time.Millisecond
	// silence is how long the robot may send nothing before it counts as gone.
	silence = 2 * time.Second
	// closeTimeout is how long Close waits for the last commands to be written.
	closeTimeout = 500 * time.Millisecond
	// emptyVolts and fullVolts are those of a resting 12 V lead battery, for a
	// rough estimate of the charge.
	emptyVolts, fullVolts = 11.0, 12.8
)

// A Driver drives one robot. It implements robot.Driver.
type Driver struct {
	port  io.ReadWriteCloser
	model Model
	desc  robot.Description
	name  string

	wake  chan struct{} // there is a new twist to write
	ready chan struct{} // there is a reading to take
	done  chan struct{} // Close was called, or the line has ended
	once  sync.Once

	reader, writer sync.WaitGroup

	mu       sync.Mutex
	asked    robot.Twist
	until    time.Time // expiry of asked
	closed   bool
	failed   error // why there will be no more readings
	odometer odometer
	reading  robot.Reading // since the last Read
	fresh    bool          // there is a reading
}

// Options say how the conversation with a robot begins.
type Options struct {
	Model     string       // the subtype to take it for; "" = what the robot says it is
	RaiseBaud bool         // a serial port begins at 9600 baud and may then be raised
	Log       *slog.Logger // nil = discarded
}

// Open begins the conversation with the robot at the other end of the port, switches its
// motors and sonars on and returns its driver, which owns the port from then on. The port
// is closed when the error is not nil.
func Open(ctx context.Context, port io.ReadWriteCloser, o Options) (*Driver, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &Driver{
		port: port, wake: make(chan struct{}, 1), ready: make(chan struct{}, 1), done: make(chan struct{}),
	}
	packets, opened := make(chan []byte, 16), make(chan struct{})
	d.reader.Go(func() { d.readPackets(packets, opened) })
	err := d.connectRobot(ctx, packets, o)
	if err != nil {
		d.disconnectRobot()
		return nil, err
	}
	close(opened)
	d.writer.Go(d.writeTwists)
	return d, nil
}

// connectRobot brings the robot to where it reports its state and obeys.
func (d *Driver) connectRobot(ctx context.Context, packets <-chan []byte, o Options) error {
	stop := context.AfterFunc(ctx, func() { _ = d.port.Close() }) // a write may block
	defer stop()
	var rate *hostRate // nil = it stays
	if port, ok := d.port.(ratedPort); ok && o.RaiseBaud {
		rate = &hostRate{port: port, send: d.sendPackets, packets: packets}
	}
	id, err := synchronize(ctx, d.sendPackets, packets)
	if rate != nil && errors.Is(err, errNoRobot) {
		id, err = rate.synchronizeFast(ctx)
	}
	if err != nil {
		return err
	}
	model := cmp.Or(o.Model, id.subtype)
	if d.model, err = FindModel(model); err != nil {
		return err
	}
	if d.desc, err = d.model.Describe(); err != nil {
		return err
	}
	d.name = id.name
	if err := d.sendPackets(AppendCommand(nil, CommandOpen)); err != nil {
		return fmt.Errorf("pioneer: %w", err)
	}
	if rate != nil && d.model.Raises {
		if err := rate.raise(ctx, o.Log); err != nil {
			return err
		}
	}
	for _, c := range []Command{CommandSonar, CommandEnable} {
		if err := d.sendPackets(AppendCommandValue(nil, c, 1)); err != nil {
			return fmt.Errorf("pioneer: %w", err)
		}
	}
	return nil
}

// Model returns the robot's model.
func (d *Driver) Model() Model { return d.model }

// Name returns the robot's name for itself.
func (d *Driver) Name() string { return d.name }

// Describe implements robot.Driver.
func (d *Driver) Describe() robot.Description { return d.desc }

// Read implements robot.Driver. A robot that sends nothing for two seconds is gone.
func (d *Driver) Read(ctx context.Context) (robot.Reading, error) {
	timeout := time.NewTimer(silence)
	defer timeout.Stop()
	for {
		if r, ok, err := d.takeReading(); ok || err != nil {
			return r, err
		}
		select {
		case <-ctx.Done():
			return robot.Reading{}, ctx.Err()
		case <-d.ready:
		case <-d.done:
			if r, ok, err := d.takeReading(); ok || err != nil {
				return r, err
			}
		case <-timeout.C:
			return robot.Reading{}, fmt.Errorf("pioneer: the robot has sent nothing for %s", silence)
		}
	}
}

// takeReading returns the pending reading, if there is one.
func (d *Driver) takeReading() (r robot.Reading, ok bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return r, false, robot.ErrClosed
	case d.fresh:
		r, d.fresh = d.reading, false
		d.reading.Travel, d.reading.Bump = robot.Wheels{}, false
		r.Ranges = append([]float64(nil), r.Ranges...)
		return r, true, nil
	default:
		return r, false, d.failed
	}
}

// Drive implements robot.Driver.
func (d *Driver) Drive(t robot.Twist) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return robot.ErrClosed
	}
	var refused error
	if !t.IsFinite() {
		t, refused = robot.Twist{}, fmt.Errorf("pioneer: the motion %v is not a number", t)
	}
	d.asked, d.until = d.desc.Hardware.Clamp(t), time.Now().Add(d.desc.Holds)
	select {
	case d.wake <- struct{}{}:
	default:
	}
	return refused
}

// Close implements robot.Driver: it stops the robot and ends its connection.
func (d *Driver) Close() error {
	d.mu.Lock()
	again := d.closed
	d.closed = true
	d.mu.Unlock()
	if !again {
		d.disconnectRobot()
	}
	d.reader.Wait()
	return nil
}

// disconnectRobot stops the robot, ends the connection, closes the port and waits for the
// goroutines.
func (d *Driver) disconnectRobot() {
	d.once.Do(func() { close(d.done) })
	over := time.AfterFunc(closeTimeout, func() { _ = d.port.Close() }) // a write may block
	defer over.Stop()
	d.writer.Wait()
	_ = d.sendPackets(append(AppendCommand(nil, CommandStop), AppendCommand(nil, CommandClose)...)) // if it fails, the robot's watchdog stops it
	_ = d.port.Close()
	d.reader.Wait()
}

// sendPackets writes packets.
func (d *Driver) sendPackets(packets []byte) error {
	_, err := d.port.Write(packets)
	return err
}

// readPackets passes on the robot's packets: to the handshake until opened, then as
// readings, until the line ends.
func (d *Driver) readPackets(packets chan<- []byte, opened <-chan struct{}) {
	defer close(packets)
	var splitter Splitter
	buffer := make([]byte, 512)
	for {
		n, err := d.port.Read(buffer)
		splitter.Split(buffer[:n], func(data []byte) {
			select {
			case <-opened:
				d.observePacket(data)
			case <-d.done:
			default:
				select {
				case packets <- append([]byte(nil), data...):
				default: // no one waits for it
				}
			}
		})
		if err != nil {
			d.endReadings(err)
			return
		}
	}
}

// endReadings ends the readings with an error.
func (d *Driver) endReadings(err error) {
	if errors.Is(err, io.EOF) {
		err = errors.New("the line to the robot has ended")
	}
	d.mu.Lock()
	d.failed = fmt.Errorf("pioneer: %w", err)
	d.mu.Unlock()
	d.once.Do(func() { close(d.done) })
}

// observePacket converts a standard SIP to a reading; it ignores other packets.
func (d *Driver) observePacket(data []byte) {
	s, err := ReadSIP(data)
	if err != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	travel := d.odometer.Advance(s, d.model.Distance, d.desc.Drivetrain.WheelBase)
	r := &d.reading
	if r.Ranges == nil {
		r.Ranges = make([]float64, len(d.desc.Sonars))
		for i := range r.Ranges {
			r.Ranges[i] = math.NaN() // not heard yet
		}
	}
	r.Time, r.Heading = time.Now(), math.NaN()
	r.Travel.Left += travel.Left
	r.Travel.Right += travel.Right
	r.Bump = r.Bump || s.Contact != 0
	r.EStop = s.Flags&(FlagStop|FlagEStall) != 0
	r.Refuses = ""
	if s.Flags&FlagMotors == 0 {
		r.Refuses = "The robot's motors are off. Press the MOTORS button on the robot."
	}
	volts := float64(s.Battery) / 10
	r.Battery = robot.Battery{
		Volts: volts, Charging: s.Flags&FlagCharging != 0,
		Charge: min(1, max(0, (volts-emptyVolts)/(fullVolts-emptyVolts))),
	}
	for _, e := range s.Echoes {
		if e.Sonar >= len(r.Ranges) {
			continue
		}
		r.Ranges[e.Sonar] = float64(e.Range) * d.model.Range
		if r.Ranges[e.Sonar] >= d.desc.Sonars[e.Sonar].Max {
			r.Ranges[e.Sonar] = math.Inf(1)
		}
	}
	d.fresh = true
	select {
	case d.ready <- struct{}{}:
	default:
	}
}

// writeTwists writes the requested twist whenever it changes, and periodically
// otherwise; an expired one counts as zero.
func (d *Driver) writeTwists() {
	var speeds speeds
	var sent robot.Twist
	var sentAt time.Time
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-d.done:
			return
		case <-d.wake:
		case <-timer.C:
		}
		now := time.Now()
		twist, changes := d.takeTwist(now)
		if twist == sent && now.Sub(sentAt) < repeatEvery {
			timer.Reset(min(repeatEvery-now.Sub(sentAt), changes))
			continue
		}
		sent, sentAt = twist, now
		forward, turn := speeds.Round(twist)
		if d.sendPackets(AppendCommandValue(nil, CommandVel, forward)) != nil {
			return // the reader notices it too
		}
		time.Sleep(commandGap)
		if d.sendPackets(AppendCommandValue(nil, CommandRVel, turn)) != nil {
			return
		}
		timer.Reset(min(repeatEvery, changes))
	}
}

// takeTwist returns the current twist, and the time until it expires.
func (d *Driver) takeTwist(now time.Time) (t robot.Twist, expires time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !now.Before(d.until) {
		return robot.Twist{}, repeatEvery
	}
	return d.asked, d.until.Sub(now)
}

// speeds rounds twists to whole mm/s and deg/s and carries the remainder over, so
// that the robot moves as requested on average.
type speeds struct{ forward, turn float64 } // the remainder

// Round returns mm/s and deg/s. Zero stays zero.
func (s *speeds) Round(t robot.Twist) (forward, turn int) {
	return roundWith(&s.forward, 1000*t.Linear), roundWith(&s.turn, robot.Degrees(t.Angular))
}

func roundWith(lost *float64, x float64) int {
	if x == 0 {
		*lost = 0
		return 0
	}
	rounded := math.Round(x + *lost)
	*lost += x - rounded
	return int(rounded)
}
