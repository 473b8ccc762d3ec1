package base

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"mybot/drivers/base/protocol"
	"mybot/ratelimit"
	"mybot/robot"
	"mybot/robot/limits"
)

const (
	// helloEvery is how often hello is repeated until it is answered, helloFor for how long.
	helloEvery, helloFor = 500 * time.Millisecond, 5 * time.Second
	pingEvery            = time.Second
	// lookEvery is how often the line is looked after.
	lookEvery = 250 * time.Millisecond
	// maxSilent is for how long no reading may come until the line is opened anew.
	maxSilent = 3 * time.Second
	// maxMalformed is how many lines of a second may be malformed; after malformedFor
	// with more the line is opened anew.
	maxMalformed, malformedFor = 20, 5 * time.Second
	// maxDeaf is for how long a base may execute nothing of what it is sent.
	maxDeaf = time.Second
	// calmFor is for how long nothing must be wrong with the readings, after something
	// was, until they count again.
	calmFor = time.Second
	// standFor is for how long no reading is passed on before a conversation begins: the
	// control loop takes so long a gap for what it is, and drives from standstill only
	// when the driver asks anew.
	standFor = limits.ReadingGap + 50*time.Millisecond
	// shownFor is for how long people are shown what a base did not understand.
	shownFor = 5 * time.Second
)

// A conversation is what is said over one line. One goroutine owns it.
type conversation struct {
	*supervisor
	line    *line
	reached bool // readings were passed on

	greeting bool      // hello is not answered yet
	began    time.Time // the greeting
	hello    time.Time // when it was said last
	said     string    // by the base about it
	echoes   bool      // what we say comes back
	came     int       // bytes or lines, since it began

	reading  time.Time // when the last reading line came
	passed   bool      // readings are passed on
	faulty   time.Time // when the last fault came; zero = none
	complain string    // what people are shown while all else is well
	until    time.Time // until when

	got   int64     // of the newest reading
	heard time.Time // when the base last had executed all, or one more

	malformed int       // since
	second    time.Time // when counting began
	bad       time.Duration
	newest    error // what was wrong with the newest malformed line

	pinged time.Time
	ping   int64
}

func newConversation(s *supervisor, l *line) *conversation {
	return &conversation{supervisor: s, line: l}
}

// run has the conversation until ctx ends, or the line does; the error says why.
func (c *conversation) run(ctx context.Context) error {
	defer c.line.close()
	defer c.driver.setGreeted(false)
	c.greet(time.Now())
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case a, ok := <-c.line.arrivals:
			if !ok {
				return c.explainEnd(c.line.reason())
			}
			err = c.hear(a)
		case <-ticker.C:
			err = c.look(time.Now())
		}
		if err != nil {
			return err
		}
	}
}

// greet begins anew: the base stops and says who it is.
func (c *conversation) greet(now time.Time) {
	c.driver.setGreeted(false)
	c.greeting, c.began, c.hello = true, now, now
	c.said, c.came, c.passed, c.faulty = "", 0, false, time.Time{}
	c.driver.outbox.begin(protocol.Hello{Versions: []int{protocol.Version}})
}

// explainEnd adds to why a line ended what the base said about it.
func (c *conversation) explainEnd(why error) error {
	if c.greeting && c.said != "" {
		return fmt.Errorf("%w; it said %q", why, c.said)
	}
	return why
}

// hear takes what arrived. An error ends the conversation.
func (c *conversation) hear(a arrival) error {
	c.came++
	if a.fault != nil {
		c.driver.countMalformed()
		c.malformed++
		c.newest = a.fault
		if !c.greeting {
			c.complainFor(a.at, "A line of the base cannot be read: "+a.fault.Error()+".")
		}
		return nil
	}
	switch m := a.message.(type) {
	case protocol.Describe:
		return c.hearDescribe(m, a.at)
	case protocol.Log:
		c.logText(a.at, m.Level, m.Text)
	case protocol.Error:
		c.said = m.Text
		c.logText(a.at, "warn", "the base did not understand: "+m.Text)
		if !c.greeting {
			c.complainFor(a.at, fmt.Sprintf("The base says %q.", m.Text))
		}
	case protocol.Pong:
		if m.ID == c.ping {
			c.driver.setRoundTrip(a.at.Sub(c.pinged))
		}
	case protocol.Unknown:
		c.echoes = c.echoes || m.Kind == protocol.Kind(protocol.Hello{})
	case protocol.Reading, protocol.More, protocol.Scan:
		c.hearSenses(m, a.at)
	}
	return nil
}

// hearSenses takes what the base has measured.
func (c *conversation) hearSenses(m protocol.FromBase, now time.Time) {
	part := c.driver.config.Part
	if _, is := m.(protocol.Reading); is || part {
		c.reading = now
	}
	if c.greeting {
		return
	}
	if part {
		r, err := c.translator.hearPart(m, now)
		c.pass(r, err, 0, now)
		return
	}
	switch m := m.(type) {
	case protocol.Reading:
		r, err := c.translator.hearReading(m, now)
		c.pass(r, err, m.Got, now)
	case protocol.More:
		c.judge(now, c.translator.hearMore(m))
	case protocol.Scan:
		c.judge(now, c.translator.hearScan(m))
	}
}

// hearDescribe ends the greeting.
func (c *conversation) hearDescribe(m protocol.Describe, now time.Time) error {
	if !c.greeting {
		return nil // it answers a hello that was repeated
	}
	if m.Version != protocol.Version {
		return refusal{fmt.Errorf("the base speaks version %d of mybot.base, and Mybot only %d", m.Version, protocol.Version)}
	}
	raw := []byte(m.Robot)
	if raw == nil {
		if raw = c.driver.config.Robot; raw == nil {
			return refusal{fmt.Errorf("the base %s sends no description of its robot; give one with --robot FILE", m.Base)}
		}
	}
	c.driver.setGreeted(true)
	if err := c.driver.describe(raw); err != nil {
		return refusal{fmt.Errorf("the base %s: %w", m.Base, err)}
	}
	if c.translator == nil {
		c.translator = newTranslator(c.driver.Describe())
	}
	c.translator.interrupt()
	c.greeting, c.reading, c.heard, c.got = false, now, now, 0
	c.log.Debug("the base has answered hello", "program", m.Base)
	return nil
}

// pass passes a reading on, unless it is too early for that or something was wrong.
func (c *conversation) pass(r robot.Reading, err error, got int64, now time.Time) {
	if errors.Is(err, errRestarted) {
		c.translator.restart()
		c.setDown(now, err)
		c.greet(now)
		return
	}
	if c.judge(now, err); err != nil {
		return
	}
	calm := c.faulty.IsZero() || now.Sub(c.faulty) >= calmFor
	sent, ok := c.driver.accept(r, c.translator.clock, calm, c.passed)
	if !ok {
		return
	}
	if !c.passed {
		c.passed, c.reached, c.faulty = true, true, time.Time{}
		c.heard = now
		c.setUp(now)
	}
	if got != c.got || got >= sent || r.EStop || r.Refuses != "" {
		c.heard = now
	}
	c.got = got
}

// judge takes what is wrong with a line for this robot: no reading is passed on until
// nothing has been wrong for a second.
func (c *conversation) judge(now time.Time, fault error) {
	if fault == nil {
		return
	}
	c.faulty, c.passed = now, false
	c.driver.sendDrive(now, robot.Twist{})
	c.setDown(now, fault)
}

func (c *conversation) complainFor(now time.Time, why string) {
	c.complain, c.until = why, now.Add(shownFor)
}

// logText writes a line of the base into the log.
func (c *conversation) logText(now time.Time, level, text string) {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	c.texts.log(now, c.log, levels[level], text)
}

// look looks after the line. An error ends the conversation.
func (c *conversation) look(now time.Time) error {
	if c.second.IsZero() {
		c.second = now
	}
	if since := now.Sub(c.second); since >= time.Second {
		if c.malformed > maxMalformed*int(since/time.Second) {
			c.bad += since
		} else {
			c.bad = 0
		}
		c.second, c.malformed = now, 0
	}
	if c.bad >= malformedFor {
		return fmt.Errorf("for %s more than %d lines a second could not be read, the newest: %w", malformedFor, maxMalformed, c.newest)
	}
	if c.greeting {
		return c.lookAtGreeting(now)
	}
	if c.driver.hasFewNumbers() {
		c.setDown(now, errors.New("the numbers of drive lines are used up, and Mybot begins anew"))
		c.greet(now)
		return nil
	}
	if now.Sub(c.reading) >= maxSilent {
		return fmt.Errorf("no reading has come from the base for %s", maxSilent)
	}
	if now.Sub(c.pinged) >= pingEvery {
		c.pinged = now
		c.ping++
		c.driver.outbox.add(protocol.Ping{ID: c.ping})
	}
	if c.passed {
		c.driver.setLink(now, true, c.describeComplaint(now))
	}
	return nil
}

// lookAtGreeting says hello again until it is answered, or has been said for long enough.
func (c *conversation) lookAtGreeting(now time.Time) error {
	switch {
	case now.Sub(c.began) >= helloFor:
		return c.explainGreeting()
	case now.Sub(c.hello) >= helloEvery:
		c.hello = now
		c.driver.outbox.add(protocol.Hello{Versions: []int{protocol.Version}})
	}
	return nil
}

// explainGreeting says why hello was not answered, as far as that can be guessed.
func (c *conversation) explainGreeting() error {
	none := fmt.Errorf("no base has answered hello at %s for %s", c.driver.config.Address, helloFor)
	switch {
	case c.said != "":
		return fmt.Errorf("%w; the base says %q", none, c.said)
	case c.echoes:
		return fmt.Errorf("%w, and what Mybot says comes back: this is no base, but a modem or a bridged plug", none)
	case c.newest != nil:
		return fmt.Errorf("%w, and what comes cannot be read: this is no base, or the baud rate is wrong: %w", none, c.newest)
	case c.came > 0:
		return fmt.Errorf("%w, although something comes: this is no base, or its baud rate is another one", none)
	}
	return none
}

// describeComplaint says what is wrong while readings come.
func (c *conversation) describeComplaint(now time.Time) string {
	switch {
	case now.Sub(c.heard) > maxDeaf:
		return "The base does not hear Mybot: it sends readings, and executes nothing of what it is sent."
	case now.Before(c.until):
		return c.complain
	}
	return ""
}

// textLimit bounds how much a base writes into the log, or has written.
type textLimit struct {
	bucket  ratelimit.Bucket
	skipped int
}

// log writes a text of or about the base, unless there have been too many.
func (t *textLimit) log(now time.Time, log *slog.Logger, level slog.Level, text string) {
	const perSecond, capacity = 2, 20
	if _, ok := t.bucket.Take(now, 1, perSecond, capacity); !ok {
		t.skipped++
		return
	}
	if t.skipped > 0 {
		log = log.With("skipped", t.skipped)
		t.skipped = 0
	}
	log.Log(context.Background(), level, text)
}
