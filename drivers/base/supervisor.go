package base

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mybot/robot"
)

const (
	// minWait and maxWait are between two attempts to open a line.
	minWait = 200 * time.Millisecond
	maxWait = 5 * time.Second
)

// A supervisor opens the line of a driver, has the conversation over it, and does so
// again when it has ended. One goroutine owns it.
type supervisor struct {
	driver     *Driver
	log        *slog.Logger
	logged     string      // the newest reason that was logged
	reasons    textLimit   // of reasons that go into the log
	translator *translator // nil = the robot is not described yet
	texts      textLimit   // of lines of the base that go into the log
	was        bool        // the base was up once
}

// run keeps the line up until ctx ends.
func (s *supervisor) run(ctx context.Context) {
	for pause := minWait; ; pause = min(2*pause, maxWait) {
		conn, err := s.driver.config.Dial(ctx)
		if err == nil {
			c := newConversation(s, openLine(conn, s.driver.config.Address.IsChecked(), s.driver.outbox))
			err = c.run(ctx)
			if c.reached {
				pause = minWait
			}
			if p, ok := conn.(*child); ok && errors.Is(err, errEnded) {
				err = p.explain()
			}
		}
		if ctx.Err() != nil {
			return
		}
		s.setDown(time.Now(), err)
		var refused refusal
		if errors.As(err, &refused) {
			pause = maxWait
		}
		if wait(ctx, pause); ctx.Err() != nil {
			return
		}
	}
}

// A refusal is why Mybot does not drive a base that is there: to try again at once is
// of no use.
type refusal struct{ error }

// setDown says why the base is out of reach.
func (s *supervisor) setDown(now time.Time, why error) {
	text := makeSentence(why)
	s.driver.setLink(now, false, text)
	if text != s.logged {
		s.logged = text
		s.reasons.log(now, s.log.With("why", text), slog.LevelWarn, "the base is out of reach")
	}
}

// setUp says that readings come.
func (s *supervisor) setUp(now time.Time) {
	s.driver.setLink(now, true, "")
	if s.was {
		s.driver.countRestart()
	}
	s.was, s.logged = true, ""
	s.log.Info("the base is there")
}

// setLink says how the line is. Since when, counts from the last time that it was otherwise.
func (d *Driver) setLink(now time.Time, up bool, why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if up != d.link.Up || (why == "") != (d.link.Why == "") {
		d.link.Since = now
		if !up && !d.arrived.IsZero() {
			d.link.Since = d.arrived
		}
	}
	d.link.Up, d.link.Why = up, why
	if !up {
		d.heard, d.link.RoundTrip = false, 0
	}
}

func (d *Driver) countRestart() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.link.Restarts++
}

func (d *Driver) countMalformed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.link.Malformed++
}

// setGreeted says whether hello is answered. No drive line is sent until readings come.
func (d *Driver) setGreeted(greeted bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.greeted, d.heard, d.number = greeted, false, 0
}

// setRoundTrip notes how long a ping took.
func (d *Driver) setRoundTrip(took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.link.RoundTrip = max(took, time.Microsecond)
}

// accept takes a reading that has just arrived and passes it on, if that is right: either
// readings were passed on until now, or none was for so long that the control loop knows
// that it begins anew. One that is not passed on is added to the next one. It returns
// the number of the last drive line that was sent.
func (d *Driver) accept(r robot.Reading, c clock, right, passed bool) (sent int64, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.some {
		r = mergeReadings(d.pending, r)
	}
	d.pending, d.some = r, true
	if !right || !passed && c.arrived.Sub(d.arrived) < standFor {
		return d.number, false
	}
	d.ready, d.heard, d.newest, d.arrived = true, true, c.newest, c.arrived
	select {
	case d.fresh <- struct{}{}:
	default:
	}
	return d.number, true
}

// makeSentence returns an error as a sentence.
func makeSentence(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
