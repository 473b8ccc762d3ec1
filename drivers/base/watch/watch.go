package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mybot/drivers/base"
	"mybot/drivers/base/protocol"
)

const (
	helloEvery = 500 * time.Millisecond // until it is answered
	pingEvery  = time.Second
)

// A Summary describes what came from a base.
type Summary struct {
	Lasts     time.Duration
	Base      string         // its program; "" = it did not answer hello
	Lines     map[string]int // valid ones, by kind
	Malformed int
	Gap       time.Duration // the longest time between two readings
	RoundTrip time.Duration // the shortest of a ping; 0 = none was answered
	Ended     bool          // by the base
}

// String returns the summary in a few lines.
func (s Summary) String() string {
	var b strings.Builder
	who := s.Base
	if who == "" {
		who = "The base has not answered hello"
	}
	_, _ = fmt.Fprintf(&b, "%s; %.1f s.", who, s.Lasts.Seconds())
	if s.Ended {
		b.WriteString(" The base ended the connection.")
	}
	for _, kind := range slices.Sorted(maps.Keys(s.Lines)) {
		_, _ = fmt.Fprintf(&b, "\n%-9s %6d lines, %5.1f a second", kind, s.Lines[kind], float64(s.Lines[kind])/max(s.Lasts.Seconds(), 1e-3))
		if kind == "reading" {
			_, _ = fmt.Fprintf(&b, ", the longest gap was %d ms", s.Gap.Milliseconds())
		}
	}
	if s.RoundTrip > 0 {
		_, _ = fmt.Fprintf(&b, "\nA ping was answered after %.1f ms at best.", float64(s.RoundTrip.Microseconds())/1000)
	}
	_, _ = fmt.Fprintf(&b, "\n%d lines could not be read.", s.Malformed)
	return b.String()
}

// Run prints a line's traffic until ctx ends, or the base ends the connection, and
// closes it. On a checked line every line has a checksum. An error is that of out.
func Run(ctx context.Context, conn base.Conn, checked bool, out io.Writer) (Summary, error) {
	w := &watcher{conn: conn, checked: checked, out: out, began: time.Now(), summary: Summary{Lines: map[string]int{}}}
	arrivals := make(chan arrival, 256)
	go readLines(conn, arrivals)
	err := w.run(ctx, arrivals)
	base.HangUp(conn)
	for range arrivals { // until its goroutine has ended
	}
	w.summary.Lasts = time.Since(w.began)
	return w.summary, err
}

// An arrival is a received line, or its fault.
type arrival struct {
	line  []byte
	fault error // it is too long
	at    time.Time
}

// readLines passes on lines until the connection ends.
func readLines(conn base.Conn, arrivals chan<- arrival) {
	defer close(arrivals)
	lines := protocol.NewSplitter(protocol.MaxLongLine)
	buffer := make([]byte, 4096)
	for {
		n, err := conn.Read(buffer)
		now := time.Now()
		lines.Split(buffer[:n], func(line []byte, fault error) {
			arrivals <- arrival{slices.Clone(line), fault, now}
		})
		if err != nil {
			return
		}
	}
}

// A watcher is one run. One goroutine owns it.
type watcher struct {
	conn    base.Conn
	checked bool // every line has a checksum
	out     io.Writer
	began   time.Time
	summary Summary

	pings  int64 // sent so far
	pinged time.Time
	last   time.Time // arrival of the newest reading; zero = none
	err    error     // of out
}

func (w *watcher) run(ctx context.Context, arrivals <-chan arrival) error {
	w.sendLine(protocol.Hello{Versions: []int{protocol.Version}})
	ticker := time.NewTicker(helloEvery)
	defer ticker.Stop()
	for ticks := 1; w.err == nil; {
		select {
		case <-ctx.Done():
			return nil
		case a, ok := <-arrivals:
			if !ok {
				w.summary.Ended = true
				return w.err
			}
			w.handleArrival(a)
		case <-ticker.C:
			if w.summary.Base == "" {
				w.sendLine(protocol.Hello{Versions: []int{protocol.Version}})
			} else if ticks++; ticks%int(pingEvery/helloEvery) == 0 {
				w.pings++
				w.pinged = time.Now()
				w.sendLine(protocol.Ping{ID: w.pings})
			}
		}
	}
	return w.err
}

// sendLine sends and prints a line. The reader notices the end of the connection.
func (w *watcher) sendLine(m protocol.ToBase) {
	line, err := protocol.AppendLine(nil, m, w.checked)
	if err != nil {
		w.err = err
		return
	}
	_ = w.conn.SetWriteDeadline(time.Now().Add(time.Second))
	if _, err := w.conn.Write(line); err != nil && !errors.Is(err, net.ErrClosed) {
		w.printLine(time.Now(), '!', "a line could not be sent: "+err.Error())
		return
	}
	w.printLine(time.Now(), '>', strings.TrimSuffix(string(line), "\n"))
}

// handleArrival prints and counts a received line.
func (w *watcher) handleArrival(a arrival) {
	m, err := protocol.FromBase(nil), a.fault
	if err == nil {
		m, err = protocol.DecodeFromBase(a.line, w.checked)
	}
	if err != nil {
		w.summary.Malformed++
		w.printLine(a.at, '!', err.Error())
		return
	}
	w.printLine(a.at, '<', string(a.line))
	w.summary.Lines[w.countedKind(m)]++
	switch m := m.(type) {
	case protocol.Describe:
		w.summary.Base = m.Base
	case protocol.Reading:
		if !w.last.IsZero() {
			w.summary.Gap = max(w.summary.Gap, a.at.Sub(w.last))
		}
		w.last = a.at
	case protocol.Pong:
		if took := a.at.Sub(w.pinged); m.ID == w.pings && (w.summary.RoundTrip == 0 || took < w.summary.RoundTrip) {
			w.summary.RoundTrip = max(took, time.Microsecond)
		}
	}
}

// countedKind returns under which kind a message is counted: of those that Mybot does not know,
// only so many have one of their own.
func (w *watcher) countedKind(m protocol.FromBase) string {
	const maxKinds, others = 20, "others"
	kind := protocol.Kind(m)
	if _, unknown := m.(protocol.Unknown); unknown && w.summary.Lines[kind] == 0 && len(w.summary.Lines) >= maxKinds {
		return others
	}
	return kind
}

// printLine prints a line with its time and direction.
func (w *watcher) printLine(at time.Time, mark rune, text string) {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		text = fmt.Sprintf("%q", text)
	}
	if _, err := fmt.Fprintf(w.out, "%9.3f %c %s\n", at.Sub(w.began).Seconds(), mark, text); err != nil {
		w.err = err
	}
}
