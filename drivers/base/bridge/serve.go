package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"mybot/drivers/base/firmware"
	"mybot/drivers/base/protocol"
	"mybot/robot"
)

const (
	// tick is how often the motors are asked for what the base has to do.
	tick = 5 * time.Millisecond
	// maxWaiting is how many lines may wait for a Mybot that does not read; what does
	// not fit is dropped.
	maxWaiting = 64
	// writeTimeout is for how long a Mybot may not read before it counts as gone.
	writeTimeout = 3 * time.Second
	// maxRefused is how many connections are refused with words at one time.
	maxRefused = 8
	// refusalTimeout is how long one that was refused may take to read why.
	refusalTimeout = time.Second
)

// A Config is what is fixed about the base.
type Config struct {
	Program string          // its name and version
	Robot   json.RawMessage // the description of the robot, which says Hold in holds_s
	Hold    time.Duration   // how long a drive line is executed at most
	Checked bool            // every line has a checksum, as on a serial port
	Log     *slog.Logger    // who connects, and who goes
}

// Serve makes a base of the driver for everyone who connects to the listener, one at
// a time, until ctx ends or the listener says io.EOF; then the error is nil. Another error is that of the driver or
// of the listener. When it returns the robot brakes, and the listener is closed; the
// driver is not.
func Serve(ctx context.Context, l net.Listener, d robot.Driver, c Config) error {
	ctx, cancel := context.WithCancel(ctx)
	desc := d.Describe()
	s := &server{
		driver: d,
		base:   firmware.New(firmware.Config{Program: c.Program, Robot: c.Robot, Hold: c.Hold, Max: desc.Hardware, Checked: c.Checked}),
		lines:  translator{desc: desc, epoch: time.Now()},
		log:    c.Log, checked: c.Checked,
		opened: make(chan net.Conn), closed: make(chan *peer), heard: make(chan heard), readings: make(chan robot.Reading), failed: make(chan error, 2),
		refusing: make(chan struct{}, maxRefused),
	}
	s.head, _ = d.(robot.PanTilt)
	s.joints, _ = d.(robot.JointMover)
	context.AfterFunc(ctx, func() { _ = l.Close() })
	s.goroutines.Go(func() { s.acceptConnections(ctx, l) })
	s.goroutines.Go(func() { s.readDriver(ctx) })
	err := s.run(ctx)
	cancel()
	if s.peer != nil {
		s.drop()
	}
	s.goroutines.Wait()
	if braked := d.Drive(robot.Twist{}); !errors.Is(braked, robot.ErrClosed) {
		err = errors.Join(err, braked)
	}
	return err
}

// A server is a base at work. Its first fields belong to the goroutine of run.
type server struct {
	driver  robot.Driver
	head    robot.PanTilt    // nil = it has none
	joints  robot.JointMover // nil = it has none
	last    robot.Reading    // the newest
	base    *firmware.Base
	lines   translator
	peer    *peer // that is listened to; nil = none
	log     *slog.Logger
	checked bool // every line has a checksum

	opened   chan net.Conn
	closed   chan *peer
	heard    chan heard
	readings chan robot.Reading
	failed   chan error // why the base cannot continue

	refusing   chan struct{} // has a value for each connection that is being refused
	goroutines sync.WaitGroup
}

// A peer is a connected Mybot.
type peer struct {
	conn    net.Conn
	number  int         // of the connection, by the base
	waiting chan []byte // lines to write; closed by the goroutine of run
}

// heard is a line of a peer, or what is wrong with one.
type heard struct {
	from  *peer
	line  []byte
	fault error
}

// run owns the base.
func (s *server) run(ctx context.Context) error {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-s.failed:
			return err
		case conn := <-s.opened:
			s.admit(ctx, conn)
		case p := <-s.closed:
			s.base.Disconnect(p.number)
			if p == s.peer {
				s.log.Info("Mybot is gone; the robot stops", "address", p.conn.RemoteAddr())
				s.drop()
			}
		case h := <-s.heard:
			s.hear(h)
		case r := <-s.readings:
			s.report(r)
		case <-ticker.C:
		}
		if err := s.driver.Drive(s.base.Twist(s.now())); err != nil {
			return fmt.Errorf("the driver: %w", err)
		}
	}
}

func (s *server) now() protocol.Millis { return s.lines.millis(time.Now()) }

// admit listens to a new connection, or refuses it.
func (s *server) admit(ctx context.Context, conn net.Conn) {
	number, refusal, ok := s.base.Connect(s.now())
	if !ok {
		s.log.Warn("another Mybot wants to connect and is refused", "address", conn.RemoteAddr())
		s.refuse(ctx, conn, refusal)
		return
	}
	if s.peer != nil {
		s.log.Warn("Mybot has been silent; another one takes its place", "address", conn.RemoteAddr())
		s.drop()
	} else {
		s.log.Info("Mybot is connected", "address", conn.RemoteAddr())
	}
	p := &peer{conn: conn, number: number, waiting: make(chan []byte, maxWaiting)}
	s.peer = p
	s.lines.forget()
	s.goroutines.Go(func() { p.write() })
	s.goroutines.Go(func() { s.read(ctx, p) })
}

// drop ends the present connection. Head and joints stay where they are.
func (s *server) drop() {
	s.holdParts()
	_ = s.peer.conn.Close()
	close(s.peer.waiting)
	s.peer = nil
}

// refuse tells a connection why, unless there are too many of them, and closes it.
func (s *server) refuse(ctx context.Context, conn net.Conn, why protocol.Error) {
	select {
	case s.refusing <- struct{}{}:
	default:
		_ = conn.Close()
		return
	}
	s.goroutines.Go(func() {
		defer func() { <-s.refusing }()
		defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
		_ = conn.SetDeadline(time.Now().Add(refusalTimeout))
		if line, err := protocol.AppendLine(nil, why, s.checked); err == nil {
			_, _ = conn.Write(line)
		}
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
		_, _ = io.Copy(io.Discard, conn) // closing before all is read would reset the connection and lose the line
		_ = conn.Close()
	})
}

// hear passes a line to the base.
func (s *server) hear(h heard) {
	if h.fault != nil {
		s.answer(s.base.Mishear(h.from.number, h.fault, s.now()))
		return
	}
	answer, order := s.base.Hear(h.from.number, h.line, s.now())
	s.answer(answer)
	if err := s.moveParts(order); err != nil && !errors.Is(err, robot.ErrNA) {
		s.answer(protocol.Error{Text: err.Error()})
	}
	if _, ok := answer.(protocol.Describe); ok {
		s.lines.forget()
	}
}

// moveParts has the head and the joints obey an order.
func (s *server) moveParts(order protocol.ToBase) error {
	switch order := order.(type) {
	case protocol.Look:
		if s.head != nil {
			return s.head.Look(order.Head)
		}
	case protocol.Joints:
		if s.joints != nil {
			return s.joints.MoveJoints(order.At)
		}
	}
	return nil
}

// holdParts has the head and the joints stay where they are.
func (s *server) holdParts() {
	if s.last.Time.IsZero() {
		return
	}
	hold := map[string]float64{}
	for i, j := range s.lines.desc.Joints {
		if i < len(s.last.Joints) && robot.Finite(s.last.Joints[i]) {
			hold[j.Name] = s.last.Joints[i]
		}
	}
	if err := s.moveParts(protocol.Joints{At: hold}); err != nil {
		s.log.Warn("the joints are not held", "err", err)
	}
	if err := s.moveParts(protocol.Look{Head: s.last.Head}); err != nil && !errors.Is(err, robot.ErrNA) {
		s.log.Warn("the head is not held", "err", err)
	}
}

func (s *server) answer(m protocol.FromBase) {
	if m != nil {
		s.send(m)
	}
}

// report sends a reading to the connected Mybot.
func (s *server) report(r robot.Reading) {
	s.last = r
	s.base.Refuse(r.Refuses)
	at, senses, scans := s.lines.translate(r)
	if s.peer == nil || at < 0 { // it may be from before the clock of the base began
		s.lines.forget()
		return
	}
	s.send(s.base.Reading(at, s.lines.totals, senses))
	for _, scan := range scans {
		s.send(scan)
	}
}

// send hands a line to the writer; one that finds no place is dropped.
func (s *server) send(m protocol.FromBase) {
	line, err := protocol.AppendLine(nil, m, s.checked)
	if err != nil {
		s.log.Error("a line cannot be written", "why", err)
		return
	}
	if s.peer == nil {
		return
	}
	select {
	case s.peer.waiting <- line:
	default:
	}
}

// write writes what waits until there will be no more, or the connection is broken;
// then it closes the connection.
func (p *peer) write() {
	defer func() { _ = p.conn.Close() }() // so that the reader ends too
	for line := range p.waiting {
		_ = p.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
		if _, err := p.conn.Write(line); err != nil {
			return
		}
	}
}

// read passes on what a peer says until the connection ends.
func (s *server) read(ctx context.Context, p *peer) {
	defer context.AfterFunc(ctx, func() { _ = p.conn.Close() })()
	lines := protocol.NewSplitter(protocol.MaxLine)
	buffer := make([]byte, 4096)
	for {
		n, err := p.conn.Read(buffer)
		lines.Split(buffer[:n], func(line []byte, fault error) {
			select {
			case s.heard <- heard{p, slices.Clone(line), fault}:
			case <-ctx.Done():
			}
		})
		if err != nil {
			break
		}
	}
	select {
	case s.closed <- p:
	case <-ctx.Done():
	}
}

func (s *server) acceptConnections(ctx context.Context, l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			switch {
			case ctx.Err() != nil:
			case errors.Is(err, io.EOF):
				s.failed <- nil
			default:
				s.failed <- fmt.Errorf("no connection can be accepted: %w", err)
			}
			return
		}
		select {
		case s.opened <- conn:
		case <-ctx.Done():
			_ = conn.Close()
			return
		}
	}
}

func (s *server) readDriver(ctx context.Context) {
	for {
		r, err := s.driver.Read(ctx)
		if err != nil {
			if ctx.Err() == nil {
				s.failed <- fmt.Errorf("the driver: %w", err)
			}
			return
		}
		select {
		case s.readings <- r:
		case <-ctx.Done():
			return
		}
	}
}
