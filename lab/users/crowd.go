package users

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/guest"
)

// A crowdOrder is one order to a crowd.
type crowdOrder struct {
	Come  int           // so many members connect to Addr; earlier ones leave
	Addr  string        // of the robot
	Raw   int           // Addr is the raw loop, with frames of so many bytes; 0 = Addr is a robot
	Look  time.Duration // the members report what they receive in this time
	Stick int           // so many members stop reading
}

// A crowdReport answers an order.
type crowdReport struct {
	Wrong   string          // "" = done
	Ages    []time.Duration // of the received states on arrival, without stuck members
	Skipped int             // states that members missed
	Frame   []byte          // the bytes of a robot's state
}

// maxConnecting is how many members connect at the same time.
const maxConnecting = 4

// A crowd is many observers in one process.
type crowd struct {
	members []*member
	looking atomic.Bool
	parts   sync.WaitGroup
}

// A member is one observer of a crowd.
type member struct {
	conn net.Conn
	quit chan struct{} // closed when the crowd leaves
	once sync.Once

	mu      sync.Mutex
	stuck   bool
	gone    error // why the connection ended; nil = it has not
	last    uint64
	skipped int
	ages    []time.Duration
	frame   []byte
}

// CrowdPart is the child process with a crowd. It runs until its input ends.
func CrowdPart(ctx context.Context, c experiment.Call) error {
	if err := c.Parse(func(*experiment.Flags) {}); err != nil {
		return err
	}
	var all crowd
	defer all.disconnectMembers()
	from, to := gob.NewDecoder(os.Stdin), gob.NewEncoder(c.Out)
	for {
		var order crowdOrder
		if err := from.Decode(&order); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("lab: crowd: %w", err)
		}
		r, err := all.executeOrder(ctx, order)
		if err != nil {
			r.Wrong = err.Error()
		}
		if err := to.Encode(r); err != nil {
			return fmt.Errorf("lab: crowd: %w", err)
		}
	}
}

func (c *crowd) executeOrder(ctx context.Context, order crowdOrder) (crowdReport, error) {
	switch {
	case order.Come > 0:
		c.disconnectMembers()
		return crowdReport{}, c.connectMembers(ctx, order)
	case order.Stick > 0:
		for _, m := range c.members[:min(order.Stick, len(c.members))] {
			m.mu.Lock()
			m.stuck = true
			m.mu.Unlock()
		}
		return crowdReport{}, nil
	}
	return c.collectViews(order.Look)
}

// connectMembers connects the members.
func (c *crowd) connectMembers(ctx context.Context, order crowdOrder) error {
	var cookies []*http.Cookie
	if order.Raw == 0 {
		var err error
		if cookies, err = guest.OpenPage(ctx, order.Addr); err != nil {
			return err
		}
	}
	c.members = make([]*member, order.Come)
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(maxConnecting)
	for i := range c.members {
		m := &member{quit: make(chan struct{})}
		c.members[i] = m
		all.Go(func() error {
			if order.Raw > 0 {
				conn, err := new(net.Dialer).DialContext(ctx, "tcp", order.Addr)
				if err != nil {
					return err
				}
				m.conn = conn
				c.parts.Go(func() { m.setGone(m.readRaw(&c.looking, order.Raw)) })
				return nil
			}
			g, err := guest.Connect(ctx, order.Addr, cookies, "tab"+strconv.Itoa(i))
			if err != nil {
				return err
			}
			m.conn = g.Conn
			c.parts.Go(func() { m.setGone(g.ReadFrames(func(frame []byte) { m.noteState(&c.looking, frame) })) })
			return nil
		})
	}
	return all.Wait()
}

// disconnectMembers closes all connections.
func (c *crowd) disconnectMembers() {
	for _, m := range c.members {
		m.once.Do(func() { close(m.quit) })
		if m.conn != nil {
			_ = m.conn.Close() // nothing remains to be sent
		}
	}
	c.parts.Wait()
	c.members = nil
}

// collectViews returns what the members that are not stuck receive.
func (c *crowd) collectViews(lasts time.Duration) (crowdReport, error) {
	for _, m := range c.members {
		m.mu.Lock()
		m.ages, m.skipped, m.last = m.ages[:0], 0, 0
		m.mu.Unlock()
	}
	c.looking.Store(true)
	time.Sleep(lasts)
	c.looking.Store(false)
	var r crowdReport
	for _, m := range c.members {
		m.mu.Lock()
		stuck, gone := m.stuck, m.gone
		if !stuck {
			r.Ages = append(r.Ages, m.ages...)
			r.Skipped += m.skipped
			r.Frame = m.frame
		}
		m.mu.Unlock()
		if gone != nil && !stuck {
			return r, fmt.Errorf("an observer was cut off: %w", gone)
		}
	}
	if len(r.Ages) == 0 {
		return r, errors.New("nobody saw anything")
	}
	return r, nil
}

func (m *member) setGone(err error) {
	m.mu.Lock()
	m.gone = err
	m.mu.Unlock()
}

// noteState notes the age of a state. A stuck member never returns from it, so that it reads no
// more.
func (m *member) noteState(looking *atomic.Bool, frame []byte) {
	n, ok := guest.ParseStateNumber(frame)
	if !ok {
		return
	}
	m.mu.Lock()
	stuck := m.stuck
	if looking.Load() && !stuck {
		if m.last > 0 {
			m.skipped += int(n - m.last - 1)
		}
		m.last = n
		if at, ok := stateTime(frame); ok {
			m.ages = append(m.ages, time.Since(at))
		}
		m.frame = wireFrame(m.frame[:0], frame)
	}
	m.mu.Unlock()
	if stuck {
		<-m.quit
	}
}

// readRaw reads frames of a length that begin with their time.
func (m *member) readRaw(looking *atomic.Bool, length int) error {
	frame := make([]byte, length)
	for {
		if _, err := io.ReadFull(m.conn, frame); err != nil {
			return err
		}
		if looking.Load() {
			m.mu.Lock()
			m.ages = append(m.ages, time.Since(readTime(frame)))
			m.mu.Unlock()
		}
	}
}

// stateTime returns when the base measured the reading of a state.
func stateTime(frame []byte) (time.Time, bool) {
	_, rest, ok := bytes.Cut(frame, []byte(`"at":"`))
	text, _, more := bytes.Cut(rest, []byte(`"`))
	at, err := time.Parse(time.RFC3339Nano, string(text))
	return at, ok && more && err == nil
}

// wireFrame appends the payload as a WebSocket frame of a server.
func wireFrame(to, payload []byte) []byte {
	if to = append(to, 0x80|guest.OpText); len(payload) < 126 {
		to = append(to, byte(len(payload)))
	} else {
		to = binary.BigEndian.AppendUint16(append(to, 126), uint16(len(payload)))
	}
	return append(to, payload...)
}

// writeTime writes a time into the first bytes of a raw frame.
func writeTime(frame []byte, at time.Time) {
	binary.BigEndian.PutUint64(frame, uint64(at.UnixNano()))
}

// readTime reads the time of a raw frame.
func readTime(frame []byte) time.Time { return time.Unix(0, int64(binary.BigEndian.Uint64(frame))) }
