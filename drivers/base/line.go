package base

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"mybot/drivers/base/protocol"
)

const (
	// writeTimeout is how long a base may fail to read before its line counts as
	// broken.
	writeTimeout = 2 * time.Second
	// farewellTimeout is how long the last line may take.
	farewellTimeout = 50 * time.Millisecond
	// maxArrived is how many lines may wait to be heard.
	maxArrived = 64
)

// A Conn is an open line. Close ends a blocked Read or Write.
type Conn interface {
	io.ReadWriteCloser
	SetWriteDeadline(time.Time) error
}

// HangUp closes a line and waits for the child process at its other end, if there
// is one, which is killed after 2 s.
func HangUp(c Conn) {
	_ = c.Close()
	if p, ok := c.(*child); ok {
		p.both.Wait()
	}
}

// A line is one connection to a base, with the two goroutines that read and write.
type line struct {
	conn     Conn
	checked  bool // every line has a checksum
	outbox   *outbox
	arrivals chan arrival // closed when the line has ended

	ended chan struct{} // closed by close
	both  sync.WaitGroup
	mu    sync.Mutex
	why   error // the first reason why it ended
}

// An arrival is input from a line: a message, the fault of a line, or, with
// neither, bytes of an incomplete line.
type arrival struct {
	message protocol.FromBase
	fault   error
	at      time.Time
}

// openLine starts the goroutines of a connection.
func openLine(conn Conn, checked bool, out *outbox) *line {
	l := &line{conn: conn, checked: checked, outbox: out, arrivals: make(chan arrival, maxArrived), ended: make(chan struct{})}
	l.both.Go(l.read)
	l.both.Go(l.write)
	return l
}

// close ends the line and waits for its goroutines, and for the child process, if
// there is one.
func (l *line) close() {
	atLast := time.AfterFunc(farewellTimeout, func() { _ = l.conn.Close() }) // if a write is blocked
	defer atLast.Stop()
	close(l.ended)
	for range l.arrivals { // so that the reader ends; the writer closes the connection
	}
	l.both.Wait()
	HangUp(l.conn)
}

// fail ends the line with a reason.
func (l *line) fail(why error) {
	l.mu.Lock()
	if l.why == nil {
		l.why = why
	}
	l.mu.Unlock()
	_ = l.conn.Close()
}

// reason returns why the line ended.
func (l *line) reason() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.why
}

// read passes on arrivals until the line ends.
func (l *line) read() {
	defer close(l.arrivals)
	lines := protocol.NewSplitter(protocol.MaxLongLine)
	buffer := make([]byte, 4096)
	for {
		n, err := l.conn.Read(buffer)
		now, any := time.Now(), false
		lines.Split(buffer[:n], func(text []byte, fault error) {
			a := arrival{fault: fault, at: now}
			if fault == nil {
				a.message, a.fault = protocol.DecodeFromBase(text, l.checked)
			}
			any = true
			l.arrivals <- a
		})
		if n > 0 && !any {
			l.arrivals <- arrival{at: now}
		}
		if err != nil {
			l.fail(readError(err))
			return
		}
	}
}

// errEnded says that the other side has ended the line.
var errEnded = errors.New("the base ended the line")

func readError(err error) error {
	if errors.Is(err, io.EOF) {
		return errEnded
	}
	return fmt.Errorf("the line broke: %w", findReason(err))
}

// write writes the contents of the outbox until the line ends; then it sends the
// base a zero twist, if that is possible at once.
func (l *line) write() {
	var text []byte
	for {
		select {
		case <-l.outbox.ready:
		case <-l.ended:
			_ = l.conn.SetWriteDeadline(time.Now().Add(farewellTimeout))
			if m := l.outbox.take(); m != nil {
				if text, err := protocol.AppendLine(nil, m, l.checked); err == nil {
					_, _ = l.conn.Write(text)
				}
			}
			_ = l.conn.Close()
			return
		}
		for m := l.outbox.take(); m != nil; m = l.outbox.take() {
			var err error
			if text, err = protocol.AppendLine(text[:0], m, l.checked); err != nil {
				continue // it cannot be encoded; the driver has already checked what callers pass
			}
			_ = l.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
			if _, err = l.conn.Write(text); err != nil {
				l.fail(fmt.Errorf("the base does not take lines: %w", findReason(err)))
				<-l.ended
				return
			}
		}
	}
}

// waitFor waits for a time or until ctx ends.
func waitFor(ctx context.Context, lasts time.Duration) {
	timer := time.NewTimer(lasts)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
