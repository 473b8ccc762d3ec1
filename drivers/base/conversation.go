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
	// helloEvery and helloFor are the interval and the total time of repeating
	// hello until it is answered.
	helloEvery, helloFor = 500 * time.Millisecond, 5 * time.Second
	pingEvery            = time.Second
	// checkEvery is how often the conversation is checked for time-outs.
	checkEvery = 250 * time.Millisecond
	// maxSilent is how long no reading may come before the line is reopened.
	maxSilent = 3 * time.Second
	// maxMalformed is how many malformed lines per second are tolerated; after
	// malformedFor with more, the line is reopened.
	maxMalformed, malformedFor = 20, 5 * time.Second
	// maxDeaf is how long a base may execute none of the lines that it is sent.
	maxDeaf = time.Second
	// calmFor is how long readings must be free of faults, after a fault, before
	// they count again.
	calmFor = time.Second
	// standFor is how long no reading is passed on before a conversation begins:
	// the control loop treats a gap of this length as an interruption, and drives
	// again from standstill only at the driver's next press.
	standFor = limits.ReadingGap + 50*time.Millisecond
	// shownFor is how long users see what a base did not understand.
	shownFor = 5 * time.Second
)

// A conversation is the exchange over one line. One goroutine owns it.
type conversation struct {
	*supervisor
	line    *line
	reached bool // readings have been passed on

	greeting     bool      // hello has not been answered yet
	began        time.Time // beginning of the greeting
	hello        time.Time // when hello was last sent
	greetingText string    // the base's last text during the greeting
	echoes       bool      // our own lines come back
	came         int       // number of arrivals since the beginning

	reading    time.Time // arrival of the last reading line
	passed     bool      // readings are being passed on
	faulty     time.Time // time of the last fault; zero = none
	wheels     wheelMonitor
	wheelFault string    // what the wheels do that they are not asked to do; "" = nothing
	before     time.Time // of the reading before; zero = none since the greeting or a fault
	complain   string    // shown to users while nothing else is wrong
	until      time.Time // end of showing it

	got   int64     // of the newest reading
	heard time.Time // when the base last had executed everything, or one more line

	malformed int       // number of malformed lines since
	second    time.Time // this time
	bad       time.Duration
	newest    error // fault of the newest malformed line

	pinged time.Time
	ping   int64
}

func newConversation(s *supervisor, l *line) *conversation {
	return &conversation{supervisor: s, line: l}
}

// run runs the conversation until ctx or the line ends; the error says why.
func (c *conversation) run(ctx context.Context) error {
	defer c.line.close()
	defer c.driver.setGreeted(false)
	c.greet(time.Now())
	ticker := time.NewTicker(checkEvery)
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
			err = c.handleArrival(a)
		case <-ticker.C:
			err = c.checkTimeouts(time.Now())
		}
		if err != nil {
			return err
		}
	}
}

// greet restarts the conversation: the base stops and identifies itself.
func (c *conversation) greet(now time.Time) {
	c.driver.setGreeted(false)
	c.greeting, c.began, c.hello = true, now, now
	c.greetingText, c.came, c.passed, c.faulty = "", 0, false, time.Time{}
	c.wheels, c.wheelFault, c.before = wheelMonitor{}, "", time.Time{}
	c.driver.outbox.begin(protocol.Hello{Versions: []int{protocol.Version}})
}

// explainEnd adds the base's text to the reason why a line ended.
func (c *conversation) explainEnd(why error) error {
	if c.greeting && c.greetingText != "" {
		return fmt.Errorf("%w; it said %q", why, c.greetingText)
	}
	return why
}

// handleArrival handles an arrival. An error ends the conversation.
func (c *conversation) handleArrival(a arrival) error {
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
		return c.handleDescribe(m, a.at)
	case protocol.Log:
		c.logText(a.at, m.Level, m.Text)
	case protocol.Error:
		c.greetingText = m.Text
		c.logText(a.at, "warn", "the base did not understand: "+m.Text)
		if !c.greeting {
			c.complainFor(a.at, fmt.Sprintf("The base says %q.", m.Text))
		}
	case protocol.Pong:
		if m.ID == c.ping {
			c.driver.setRoundTrip(a.at.Sub(c.pinged))
		}
	case protocol.Said:
		c.driver.hearSaid(m.ID)
	case protocol.Unknown:
		c.echoes = c.echoes || m.Kind == protocol.Kind(protocol.Hello{})
	case protocol.Reading, protocol.More, protocol.Scan:
		c.handleSenses(m, a.at)
	}
	return nil
}

// handleSenses handles measurements of the base.
func (c *conversation) handleSenses(m protocol.FromBase, now time.Time) {
	part := c.driver.config.Part
	if _, is := m.(protocol.Reading); is || part {
		c.reading = now
	}
	if c.greeting {
		return
	}
	if part {
		r, err := c.translator.convertPart(m, now)
		c.passReading(r, err, 0, now)
		return
	}
	switch m := m.(type) {
	case protocol.Reading:
		r, err := c.translator.convertReading(m, now)
		c.passReading(r, err, m.Got, now)
	case protocol.More:
		c.noteFault(now, c.translator.takeMore(m))
	case protocol.Scan:
		c.noteFault(now, c.translator.storeScan(m))
	}
}

// handleDescribe ends the greeting.
func (c *conversation) handleDescribe(m protocol.Describe, now time.Time) error {
	if !c.greeting {
		return nil // it answers a repeated hello
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
	if err := c.driver.setDescription(raw); err != nil {
		return refusal{fmt.Errorf("the base %s: %w", m.Base, err)}
	}
	if c.translator == nil {
		c.translator = newTranslator(c.driver.Describe())
	}
	c.translator.interrupt()
	c.driver.showAgain()
	c.greeting, c.reading, c.heard, c.got = false, now, now, 0
	c.log.Debug("the base has answered hello", "program", m.Base)
	return nil
}

// passReading passes a reading on, unless it is too early or there was a fault.
func (c *conversation) passReading(r robot.Reading, err error, got int64, now time.Time) {
	if errors.Is(err, errRestarted) {
		c.translator.restart()
		c.setDown(now, err)
		c.greet(now)
		return
	}
	if err == nil && c.passed && !c.driver.config.Part {
		err = c.judgeWheels(r, now)
	}
	if c.noteFault(now, err); err != nil {
		return
	}
	calm := c.faulty.IsZero() || now.Sub(c.faulty) >= calmFor
	sent, ok := c.driver.acceptReading(r, c.translator.clock, calm, c.passed)
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

// judgeWheels compares what the wheels did with what they were asked to do.
func (c *conversation) judgeWheels(r robot.Reading, now time.Time) (err error) {
	dt := r.Time.Sub(c.before)
	if c.before.IsZero() || dt > limits.ReadingSilence || r.EStop || r.Refuses != "" {
		c.wheels, dt = wheelMonitor{}, 0
	}
	c.before = r.Time
	said := c.wheelFault
	c.wheelFault, err = c.wheels.judge(now, dt, c.driver.Describe(), c.driver.askedTwist(now), c.translator.rolled)
	if c.wheelFault != said && c.wheelFault != "" {
		c.logText(now, "warn", c.wheelFault)
	}
	return err
}

// noteFault handles a fault in a line: no reading is passed on until a second without
// faults.
func (c *conversation) noteFault(now time.Time, fault error) {
	if fault == nil {
		return
	}
	c.faulty, c.passed = now, false
	c.wheels, c.wheelFault, c.before = wheelMonitor{}, "", time.Time{}
	c.driver.sendDrive(now, robot.Twist{})
	c.setDown(now, fault)
}

func (c *conversation) complainFor(now time.Time, why string) {
	c.complain, c.until = shorten(why), now.Add(shownFor)
}

// logText writes a text of the base to the log.
func (c *conversation) logText(now time.Time, level, text string) {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	c.texts.log(now, c.log, levels[level], text)
}

// checkTimeouts checks the conversation for time-outs. An error ends it.
func (c *conversation) checkTimeouts(now time.Time) error {
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
		return c.checkGreeting(now)
	}
	if c.driver.hasFewNumbers() {
		c.setDown(now, errors.New("the numbers of drive lines are used up, so Mybot says hello again"))
		c.greet(now)
		return nil
	}
	if now.Sub(c.reading) >= maxSilent {
		if c.newest != nil && now.Before(c.until) {
			return fmt.Errorf("no reading has come from the base for %s, and a line that came cannot be read: %w", maxSilent, c.newest)
		}
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

// checkGreeting repeats hello until it is answered, or for long enough.
func (c *conversation) checkGreeting(now time.Time) error {
	switch {
	case now.Sub(c.began) >= helloFor:
		return c.explainGreeting()
	case now.Sub(c.hello) >= helloEvery:
		c.hello = now
		c.driver.outbox.add(protocol.Hello{Versions: []int{protocol.Version}})
	}
	return nil
}

// explainGreeting says why hello was probably not answered.
func (c *conversation) explainGreeting() error {
	none := fmt.Errorf("no base has answered hello at %s for %s", c.driver.config.Address.place(), helloFor)
	switch {
	case c.greetingText != "":
		return fmt.Errorf("%w; the base says %q", none, c.greetingText)
	case c.echoes:
		return fmt.Errorf("%w, and what Mybot says comes back: this is no base, but a modem or a bridged plug", none)
	case c.newest != nil:
		return fmt.Errorf("%w, and what comes cannot be read: this is no base, or the baud rate is wrong: %w", none, c.newest)
	case c.came > 0:
		return fmt.Errorf("%w, although something comes: this is no base, or its baud rate is another one", none)
	}
	if p, ok := c.line.conn.(*child); ok && p.wrote() != "" {
		return fmt.Errorf("%w, and the program writes to its standard error alone, at last %q: what it says to Mybot must go to its standard output", none, p.wrote())
	}
	return none
}

// describeComplaint says what is wrong while readings come.
func (c *conversation) describeComplaint(now time.Time) string {
	switch {
	case now.Sub(c.heard) > maxDeaf:
		return "The base does not hear Mybot: it sends readings, and executes nothing of what it is sent."
	case c.wheelFault != "":
		return c.wheelFault
	case now.Before(c.until):
		return c.complain
	}
	return ""
}

// textLimit limits how much about a base is logged.
type textLimit struct {
	bucket  ratelimit.Bucket
	skipped int
}

// log logs a text of or about the base, unless there were too many.
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
	log.Log(context.Background(), level, shorten(text))
}
