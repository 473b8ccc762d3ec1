package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mybot/drivers/base/protocol"
	"mybot/robot"
)

// helloEvery is the interval at which greet repeats hello, helloFor how long it does so.
const (
	helloEvery = 500 * time.Millisecond
	helloFor   = 5 * time.Second
)

// errEnded says that the base has ended the connection.
var errEnded = errors.New("the base ended the connection")

// A line is one connection to a base, with the goroutine that reads from it.
type line struct {
	conn     Conn
	checked  bool         // every line has a checksum
	arrivals chan arrival // closed at the end of the connection
	odometer *odometer
	first    *sample // first reading of this connection; nil = none yet
	newest   sample
	heard    []sample        // the readings of this connection
	senses   protocol.Senses // the newest values
	views    []view          // of the motion in progress, one for each lidar
	number   int64           // of the last drive line

	malformed int
	fault     error // of the first malformed line
}

// An arrival is a line from the base.
type arrival struct {
	message protocol.FromBase
	fault   error // nil = the line was valid
	at      time.Time
}

func newLine(conn Conn, o *odometer, checked bool) *line {
	l := &line{conn: conn, checked: checked, arrivals: make(chan arrival, 4096), odometer: o}
	go l.read()
	return l
}

// read passes on the lines from the base until the connection ends.
func (l *line) read() {
	defer close(l.arrivals)
	lines := protocol.NewSplitter(protocol.MaxLongLine)
	buffer := make([]byte, 4096)
	for {
		n, err := l.conn.Read(buffer)
		now := time.Now()
		lines.Split(buffer[:n], func(text []byte, fault error) {
			a := arrival{fault: fault, at: now}
			if fault == nil {
				a.message, a.fault = protocol.DecodeFromBase(text, l.checked)
			}
			l.arrivals <- a
		})
		if err != nil {
			return
		}
	}
}

// close ends the connection and waits for its goroutine.
func (l *line) close() {
	_ = l.conn.Close()
	for range l.arrivals {
	}
}

// send writes messages to the base.
func (l *line) send(messages ...protocol.ToBase) error {
	for _, m := range messages {
		text, err := protocol.AppendLine(nil, m, l.checked)
		if err != nil {
			return err
		}
		if err := l.write(text); err != nil {
			return err
		}
	}
	return nil
}

func (l *line) write(text []byte) error {
	patience := 2 * time.Second
	if l.checked { // a serial port is slow, an emulated one on a busy computer even slower
		patience = 10 * time.Second
	}
	_ = l.conn.SetWriteDeadline(time.Now().Add(patience))
	if _, err := l.conn.Write(text); err != nil {
		return errEnded
	}
	return nil
}

// listen calls each for every arrival, until each returns true or the time is over. enough
// reports whether each returned true.
func (l *line) listen(ctx context.Context, lasts time.Duration, each func(arrival) bool) (enough bool, err error) {
	timer := time.NewTimer(lasts)
	defer timer.Stop()
	for {
		select {
		case a, ok := <-l.arrivals:
			if !ok {
				return false, errEnded
			}
			if a.fault != nil {
				if l.malformed++; l.fault == nil {
					l.fault = a.fault
				}
			}
			switch m := a.message.(type) {
			case protocol.Reading:
				l.newest = sample{Reading: m, arrived: a.at, rolled: l.odometer.add(m.Totals)}
				if l.first == nil {
					l.first = new(l.newest)
				}
				l.heard = append(l.heard, l.newest)
				l.senses = merge(l.senses, m.Senses)
			case protocol.More:
				l.senses = merge(l.senses, m.Senses)
			case protocol.Scan:
				if m.Lidar < len(l.views) {
					l.views[m.Lidar].add(m)
				}
			}
			if each(a) {
				return true, nil
			}
		case <-timer.C:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// await returns the next message of a type for which fits returns true; ok is false if none
// came in time.
func await[T protocol.FromBase](ctx context.Context, l *line, within time.Duration, fits func(T) bool) (message T, ok bool, err error) {
	ok, err = l.listen(ctx, within, func(a arrival) bool {
		m, is := a.message.(T)
		if is && fits(m) {
			message = m
			return true
		}
		return false
	})
	return message, ok, err
}

// awaitPong waits for the answer to a ping and calls each with the number of every answer
// that comes meanwhile. patience is measured on the base's own clock, which is slower for
// an emulated board on a busy computer. The wait also ends if no reading comes for patience,
// and after ten times patience whatever the base's clock says.
func (l *line) awaitPong(ctx context.Context, id int64, patience time.Duration, each func(id int64)) (ok bool, err error) {
	const step = 100 * time.Millisecond
	began, from := time.Now(), l.newest.At
	for {
		ok, err = l.listen(ctx, step, func(a arrival) bool {
			pong, is := a.message.(protocol.Pong)
			if is {
				each(pong.ID)
			}
			return is && pong.ID == id
		})
		if ok || err != nil {
			return ok, err
		}
		now := time.Now()
		heard := began
		if l.newest.arrived.After(began) {
			heard = l.newest.arrived
		}
		onBase := (l.newest.At - from).Duration()
		if onBase >= patience || now.Sub(heard) >= patience || now.Sub(began) >= 10*patience {
			return false, nil
		}
	}
}

// collect returns the readings that arrive within a time.
func (l *line) collect(ctx context.Context, lasts time.Duration) (samples []sample, err error) {
	_, err = l.listen(ctx, lasts, func(a arrival) bool {
		if _, ok := a.message.(protocol.Reading); ok {
			samples = append(samples, l.newest)
		}
		return false
	})
	return samples, err
}

// greet repeats hello until the base answers.
func (l *line) greet(ctx context.Context) (d protocol.Describe, err error) {
	said := "" // text of the newest error line
	for began := time.Now(); time.Since(began) < helloFor; {
		if err := l.send(protocol.Hello{Versions: []int{protocol.Version}}); err != nil {
			_, _ = l.listen(ctx, helloEvery, func(a arrival) bool { return isError(a, &said) }) // reads the reason that the base gave before it ended the connection
			return d, withReason(err, said)
		}
		answered, err := l.listen(ctx, helloEvery, func(a arrival) (is bool) {
			isError(a, &said)
			d, is = a.message.(protocol.Describe)
			return is
		})
		if answered || err != nil {
			return d, withReason(err, said)
		}
	}
	return d, withReason(fmt.Errorf("it did not answer hello within %s", helloFor), said)
}

// isError reports whether an arrival is an error line, and stores its text in said.
func isError(a arrival, said *string) bool {
	e, is := a.message.(protocol.Error)
	if is {
		*said = e.Text
	}
	return is
}

// withReason adds the base's reason, if any, to an error.
func withReason(err error, said string) error {
	if err == nil || said == "" {
		return err
	}
	return fmt.Errorf("%w; it said %q", err, said)
}

// millis estimates the present time on the clock of the base from the newest reading.
func (l *line) millis() protocol.Millis {
	return l.newest.At + protocol.Millis(time.Since(l.newest.arrived).Milliseconds())
}

// drive sends a drive line with the next number.
func (l *line) drive(t robot.Twist, until protocol.Millis) error {
	l.number++
	return l.send(protocol.Drive{Number: l.number, Until: max(0, until), Twist: t})
}

// driveFor sends a drive line at every reading for a time; each line expires the given
// number of ms after its reading. It returns the readings, and the times, on the clock of
// the base, at which it sent the first and the last line.
func (l *line) driveFor(ctx context.Context, lasts time.Duration, t robot.Twist, expires protocol.Millis) (samples []sample, first, last protocol.Millis, err error) {
	var failed error
	_, err = l.listen(ctx, lasts, func(a arrival) bool {
		if _, ok := a.message.(protocol.Reading); !ok {
			return false
		}
		samples = append(samples, l.newest)
		last = l.millis()
		if len(samples) == 1 {
			first = last
		}
		failed = l.drive(t, l.newest.At+expires)
		return failed != nil
	})
	if err == nil {
		err = failed
	}
	if err == nil && len(samples) == 0 {
		err = errors.New("no readings came, and Mybot drives only when it hears them")
	}
	return samples, first, last, err
}
