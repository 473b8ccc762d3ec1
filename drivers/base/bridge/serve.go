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
	// tick is how often the base is asked for the twist of the motors.
	tick = 5 * time.Millisecond
	// maxWaiting is how many lines may wait for a Mybot that does not read; further
	// ones are dropped.
	maxWaiting = 64
	// writeTimeout is how long a Mybot may fail to read before it counts as gone.
	writeTimeout = 3 * time.Second
	// maxRefused is how many connections are refused with a reason at a time.
	maxRefused = 8
	// refusalTimeout is how long a refused connection may take to read the reason.
	refusalTimeout = time.Second
)

// A Config configures a base.
type Config struct {
	Program string          // its name and version
	Robot   json.RawMessage // the robot's description; its holds_s is Hold
	Hold    time.Duration   // the longest execution of a drive line
	Checked bool            // every line has a checksum, as on a serial port
	Log     *slog.Logger    // for connections and disconnections
}

// Serve serves the driver as a base on the listener, to one connection at a time,
// until ctx ends or the listener returns io.EOF; then the error is nil. Any other
// error is that of the driver or of the listener. When it returns the robot brakes,
// and the listener is closed, but the driver is not.
func Serve(ctx context.Context, l net.Listener, d robot.Driver, c Config) error {
	ctx, cancel := context.WithCancel(ctx)
	desc := d.Describe()
	s := &server{
		driver: d,
		base:   firmware.New(firmware.Config{Program: c.Program, Robot: c.Robot, Hold: c.Hold, Max: desc.Hardware, Checked: c.Checked}),
		lines:  translator{desc: desc, epoch: time.Now()},
		log:    c.Log, checked: c.Checked,
		opened: make(chan net.Conn), closed: make(chan *peer), heard: make(chan peerLine), readings: make(chan robot.Reading), failed: make(chan error, 2),
		refusing: make(chan struct{}, maxRefused),
	}
	s.head, _ = d.(robot.PanTilt)
	s.joints, _ = d.(robot.JointMover)
	s.speaker, _ = d.(robot.Speaker)
	s.display, _ = d.(robot.Display)
	context.AfterFunc(ctx, func() { _ = l.Close() })
	s.goroutines.Go(func() { s.acceptConnections(ctx, l) })
	s.goroutines.Go(func() { s.readDriver(ctx) })
	err := s.run(ctx)
	cancel()
	if s.peer != nil {
		s.dropPeer()
	}
	s.goroutines.Wait()
	if braked := d.Drive(robot.Twist{}); !errors.Is(braked, robot.ErrClosed) {
		err = errors.Join(err, braked)
	}
	return err
}

// A server is a running base. Its first fields belong to the goroutine of run.
type server struct {
	driver  robot.Driver
	head    robot.PanTilt    // nil = none
	joints  robot.JointMover // nil = none
	speaker robot.Speaker    // nil = none
	display robot.Display    // nil = none
	speaks  int64            // id of the say line whose text is spoken; 0 = none
	speech  uint64           // number of its speech
	last    robot.Reading    // the newest
	base    *firmware.Base
	lines   translator
	peer    *peer // the connection in use; nil = none
	log     *slog.Logger
	checked bool // every line has a checksum

	opened   chan net.Conn
	closed   chan *peer
	heard    chan peerLine
	readings chan robot.Reading
	failed   chan error // why the base cannot continue

	refusing   chan struct{} // holds a token for each connection that is being refused
	goroutines sync.WaitGroup
}

// A peer is a connected Mybot.
type peer struct {
	conn    net.Conn
	number  int         // of the connection, by the base
	waiting chan []byte // lines to write; closed by the goroutine of run
}

// peerLine is a line of a peer, or its fault.
type peerLine struct {
	from  *peer
	line  []byte
	fault error
}

// run runs the base, and owns it.
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
			s.admitConn(ctx, conn)
		case p := <-s.closed:
			s.base.Disconnect(p.number)
			if p == s.peer {
				s.log.Info("Mybot is gone; the robot stops", "address", p.conn.RemoteAddr())
				s.dropPeer()
			}
		case h := <-s.heard:
			s.handleLine(h)
		case r := <-s.readings:
			s.sendReading(r)
		case <-ticker.C:
		}
		if err := s.driver.Drive(s.base.Twist(s.now())); err != nil {
			return fmt.Errorf("the driver: %w", err)
		}
	}
}

func (s *server) now() protocol.Millis { return s.lines.millis(time.Now()) }

// admitConn accepts a new connection, or refuses it.
func (s *server) admitConn(ctx context.Context, conn net.Conn) {
	number, refusal, ok := s.base.Connect(s.now())
	if !ok {
		s.log.Warn("another Mybot wants to connect and is refused", "address", conn.RemoteAddr())
		s.refuseConn(ctx, conn, refusal)
		return
	}
	if s.peer != nil {
		s.log.Warn("Mybot has been silent; another one takes its place", "address", conn.RemoteAddr())
		s.dropPeer()
	} else {
		s.log.Info("Mybot is connected", "address", conn.RemoteAddr())
	}
	p := &peer{conn: conn, number: number, waiting: make(chan []byte, maxWaiting)}
	s.peer = p
	s.lines.resendAll()
	s.goroutines.Go(func() { p.writeLines() })
	s.goroutines.Go(func() { s.readLines(ctx, p) })
}

// dropPeer ends the current connection. Head and joints stay where they are, and the display
// is cleared.
func (s *server) dropPeer() {
	s.holdParts()
	s.speaks = 0
	if s.display != nil {
		if err := s.display.Show(nil); err != nil && !errors.Is(err, robot.ErrNA) {
			s.log.Warn("the display is not cleared", "err", err)
		}
	}
	_ = s.peer.conn.Close()
	close(s.peer.waiting)
	s.peer = nil
}

// refuseConn tells a connection the reason, unless there are too many of them, and
// closes it.
func (s *server) refuseConn(ctx context.Context, conn net.Conn, why protocol.Error) {
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
		_, _ = io.Copy(io.Discard, conn) // closing with unread input would reset the connection and lose the line
		_ = conn.Close()
	})
}

// handleLine passes a line to the base.
func (s *server) handleLine(h peerLine) {
	if h.fault != nil {
		s.sendAnswer(s.base.Mishear(h.from.number, h.fault, s.now()))
		return
	}
	answer, order := s.base.Hear(h.from.number, h.line, s.now())
	s.sendAnswer(answer)
	if err := s.obey(order); err != nil && !errors.Is(err, robot.ErrNA) {
		s.sendAnswer(protocol.Error{Text: err.Error()})
	}
	if _, ok := answer.(protocol.Describe); ok {
		s.lines.resendAll()
		s.speaks = 0
	}
}

// obey executes an order to a part of the robot.
func (s *server) obey(order protocol.ToBase) error {
	switch order := order.(type) {
	case protocol.Look:
		if s.head != nil {
			return s.head.Look(order.Head)
		}
	case protocol.Joints:
		if s.joints != nil {
			return s.joints.MoveJoints(order.At)
		}
	case protocol.Say:
		if s.speaker != nil {
			s.log.Info("the robot says", "text", order.Text)
			s.speech++ // another Mybot restarts its ids
			s.speaks = order.ID
			return s.speaker.Say(robot.Speech{Number: s.speech, Text: order.Text, Voice: order.Lang, Speed: 1})
		}
	case protocol.Show:
		if s.display != nil {
			s.log.Info("the robot shows", "lines", order.Lines)
			return s.display.Show(order.Lines)
		}
	}
	return nil
}

// holdParts stops the head and the joints where they are.
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
	if err := s.obey(protocol.Joints{At: hold}); err != nil {
		s.log.Warn("the joints are not held", "err", err)
	}
	if err := s.obey(protocol.Look{Head: s.last.Head}); err != nil && !errors.Is(err, robot.ErrNA) {
		s.log.Warn("the head is not held", "err", err)
	}
}

func (s *server) sendAnswer(m protocol.FromBase) {
	if m != nil {
		s.sendLine(m)
	}
}

// sendReading sends a reading to the connected Mybot.
func (s *server) sendReading(r robot.Reading) {
	s.last = r
	s.base.Refuse(r.Refuses)
	at, senses, scans := s.lines.translate(r)
	if s.peer == nil || at < 0 { // the reading may be from before the zero of the base's clock
		s.lines.resendAll()
		return
	}
	s.sendLine(s.base.Reading(at, s.lines.totals, senses))
	if s.speaks != 0 && s.speaker.Said() == s.speech {
		s.sendLine(protocol.Said{ID: s.speaks})
		s.speaks = 0
	}
	for _, scan := range scans {
		s.sendLine(scan)
	}
}

// sendLine passes a line to the writer, or drops it if there is no room.
func (s *server) sendLine(m protocol.FromBase) {
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

// writeLines writes the waiting lines until the channel is closed or the connection
// fails; then it closes the connection.
func (p *peer) writeLines() {
	defer func() { _ = p.conn.Close() }() // so that the reader ends too
	for line := range p.waiting {
		_ = p.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
		if _, err := p.conn.Write(line); err != nil {
			return
		}
	}
}

// readLines passes on a peer's lines until the connection ends.
func (s *server) readLines(ctx context.Context, p *peer) {
	defer context.AfterFunc(ctx, func() { _ = p.conn.Close() })()
	lines := protocol.NewSplitter(protocol.MaxLine)
	buffer := make([]byte, 4096)
	for {
		n, err := p.conn.Read(buffer)
		lines.Split(buffer[:n], func(line []byte, fault error) {
			select {
			case s.heard <- peerLine{p, slices.Clone(line), fault}:
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
