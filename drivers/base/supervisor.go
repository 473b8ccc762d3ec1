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
	"mybot/strictjson"
)

const (
	// minWait and maxWait limit the time between two attempts to open a line.
	minWait = 200 * time.Millisecond
	maxWait = 5 * time.Second
)

// A supervisor opens the line of a driver and runs the conversation over it, again
// and again. One goroutine owns it.
type supervisor struct {
	driver     *Driver
	log        *slog.Logger
	logged     string      // the last logged reason
	reasons    textLimit   // for reasons
	translator *translator // nil = the robot is not described yet
	texts      textLimit   // for texts of the base
	wasUp      bool        // the base has been up
}

// run maintains the line until ctx ends.
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
		if waitFor(ctx, pause); ctx.Err() != nil {
			return
		}
	}
}

// A refusal is why Mybot refuses to drive a base that is present; retrying at once
// is useless.
type refusal struct{ error }

// setDown records why the base is out of reach.
func (s *supervisor) setDown(now time.Time, why error) {
	text := makeSentence(why)
	s.driver.setLink(now, false, text)
	if text != s.logged {
		s.logged = text
		s.reasons.log(now, s.log.With("why", text), slog.LevelWarn, "the base is out of reach")
	}
}

// setUp records that readings come.
func (s *supervisor) setUp(now time.Time) {
	s.driver.setLink(now, true, "")
	if s.wasUp {
		s.driver.countRestart()
	}
	s.wasUp, s.logged = true, ""
	s.log.Info("the base is there")
}

// setLink records the state of the line, and since when it has been so.
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

// setGreeted records whether hello has been answered. No drive line is sent until
// readings come.
func (d *Driver) setGreeted(greeted bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.greeted, d.heard, d.number = greeted, false, 0
}

// setRoundTrip records the round trip of a ping.
func (d *Driver) setRoundTrip(took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.link.RoundTrip = max(took, time.Microsecond)
}

// acceptReading takes a reading that has just arrived, and passes it on if it is right, and
// readings are being passed on (passed) or none was for standFor. Otherwise it merges the
// reading into the next one, and ok is false. sent is the number of the last drive line.
func (d *Driver) acceptReading(r robot.Reading, c clock, right, passed bool) (sent int64, ok bool) {
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

// maxSentence is how many bytes of what a base says are shown and logged. Every page gets
// them with every state.
const maxSentence = 500

// shorten returns what is shown and logged of a text by a base, or about one.
func shorten(text string) string {
	return strictjson.Clip(strictjson.Printable(strictjson.Clip(text, maxSentence)), maxSentence)
}

// makeSentence returns an error as a sentence.
func makeSentence(err error) string {
	text := shorten(strings.ReplaceAll(err.Error(), "\n", " "))
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
		text += "."
	}
	return text
}
