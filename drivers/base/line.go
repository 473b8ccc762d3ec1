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
	// writeTimeout is for how long a base may not read before its line counts as broken.
	writeTimeout = 2 * time.Second
	// farewellTimeout is for how long the last line may take.
	farewellTimeout = 50 * time.Millisecond
	// maxArrived is how many lines may wait to be heard.
	maxArrived = 64
)

// A Conn is an open line. Close ends a Read and a Write that wait.
type Conn interface {
	io.ReadWriteCloser
	SetWriteDeadline(time.Time) error
}

// HangUp closes a line and waits for the program at its other end, if Mybot has
// started it: it is killed after 2 s.
func HangUp(c Conn) {
	_ = c.Close()
	if p, ok := c.(*child); ok {
		p.both.Wait()
	}
}

// A line is one connection to a base and the two goroutines that read and write.
type line struct {
	conn     Conn
	checked  bool // every line has a checksum
	outbox   *outbox
	arrivals chan arrival // closed when the line has ended

	ended chan struct{} // closed by close
	both  sync.WaitGroup
	mu    sync.Mutex
	why   error // why it ended, the first reason
}

// An arrival is what came over a line: a message, what is wrong with a line, or, with
// neither, bytes that are no whole line yet.
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

// close ends the line and waits for its goroutines, and for what was opened with it.
func (l *line) close() {
	atLast := time.AfterFunc(farewellTimeout, func() { _ = l.conn.Close() }) // when a write waits
	defer atLast.Stop()
	close(l.ended)
	for range l.arrivals { // so that the reader ends; the writer closes the connection
	}
	l.both.Wait()
	HangUp(l.conn)
}

// fail notes why the line ends and ends it.
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

// read passes on what comes until the line ends.
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

// errEnded says that nothing more will come over a line.
var errEnded = errors.New("the base ended the line")

func readError(err error) error {
	if errors.Is(err, io.EOF) {
		return errEnded
	}
	return fmt.Errorf("the line broke: %w", findReason(err))
}

// write writes what waits in the outbox until the line ends; then it asks the base
// to stand, if that is possible at once.
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
				continue // it cannot be said; what a driver says is bounded before
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

// wait waits for a time or until ctx ends.
func wait(ctx context.Context, lasts time.Duration) {
	timer := time.NewTimer(lasts)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
