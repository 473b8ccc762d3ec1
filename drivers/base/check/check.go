package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"slices"
	"strings"
	"time"

	"mybot/drivers/base/protocol"
	"mybot/robot"
	"mybot/strictjson"
)

// Options configure a check.
type Options struct {
	Dial  func(context.Context) (Conn, error) // connects to the base; for a Child it starts one
	Kind  Kind
	Still bool // skip the rules that move the robot
	// WheelsUp says that the wheels are off the floor. The check then drives at half speed.
	WheelsUp bool
	// AcceptSlow accepts a base that stops by itself after its hold but within 3 s. The
	// report says when it stopped.
	AcceptSlow bool
	Tell       func(Result) // called with each result at once; may be nil
}

// A Conn is an open connection to a base.
type Conn interface {
	io.ReadWriteCloser
	SetWriteDeadline(time.Time) error
}

// A Kind is the kind of a connection.
type Kind int

// Over a Network, the check also opens further connections. A Child is a process that ends
// with its connection. Over a Serial port each line has a checksum, and the base does not
// notice when the other end opens or closes the port.
const (
	Network Kind = iota
	Child
	Serial
)

const (
	// maxSpeed in m/s and maxTurn in rad/s are the limits for driving the robot.
	maxSpeed, maxTurn = 0.1, 0.4
	// straightFor and turnFor are the durations of the two motions.
	straightFor, turnFor = 2 * time.Second, 1500 * time.Millisecond
	// slack allows for the round trip to the base and for its control period, in ms.
	slack = 60
	// maxLate is the largest age of the first reading of a connection, in ms.
	maxLate = 300
	// far is an expiry that the check never reaches, in ms after a reading.
	far = 60_000
	// standFor is how long the check observes the readings of the robot at rest.
	standFor = 4 * time.Second
	// maxStands is how many more times it does so if readings do not come at their rate or
	// evenly: a moment of load on this computer is not a fault of the base.
	maxStands = 2
	// spokenWithin is how long the base may take to speak a word: longer than Mybot waits.
	spokenWithin = 5 * time.Second
)

// Run checks all rules in sequence. Unless Still is set, it drives the robot forward
// by less than a metre. The error is that of Dial or of ctx. If the base breaks a rule that
// others depend on, Run skips those and says so in the report.
func Run(ctx context.Context, o Options) (Report, error) {
	c := &checker{Options: o, odometer: &odometer{}}
	conn, err := o.Dial(ctx)
	if err != nil {
		return c.report, err
	}
	c.line = newLine(conn, c.odometer, c.Kind == Serial)
	err = c.run(ctx)
	_ = c.line.drive(robot.Twist{}, c.line.newest.At+far) // in case the base does not stop by itself
	c.line.close()
	if ctx.Err() != nil {
		return c.report, ctx.Err()
	}
	if err != nil {
		c.untried("The other rules were not tried: " + err.Error() + ".")
	}
	if c.line.malformed > 0 {
		c.tell("sends lines that can be read", false, fmt.Sprintf("%d lines could not be read, the first one because: %v", c.line.malformed, c.line.fault))
	} else {
		c.tell("sends lines that can be read", true, "every line could be read")
	}
	return c.report, nil
}

// A checker is the state of one Run.
type checker struct {
	Options
	line     *line
	odometer *odometer
	desc     robot.Description
	report   Report
	// ahead and turned are what each lidar saw of the two motions.
	ahead, turned []sighting
	wheelsWrong   bool     // by what they reported, the wheels did not do one of the two motions
	yaw           *float64 // rad, from the gyroscope before such a motion; nil = none
}

func (c *checker) tell(rule string, ok bool, text string) {
	const maxText = 4000 // bytes: a base may have thousands of faults
	r := Result{Rule: rule, OK: ok, Text: strictjson.Clip(text, maxText)}
	c.report.Rules = append(c.report.Rules, r)
	if c.Tell != nil {
		c.Tell(r)
	}
}

// run checks the rules. The error says why it could not continue.
func (c *checker) run(ctx context.Context) error {
	steps := []func(context.Context) error{c.checkHello, c.checkStanding, c.checkPing, c.checkWrongLines, c.checkDamaged, c.checkMutations, c.checkLongLine}
	if c.Kind == Network {
		steps = append(steps, c.checkSecond)
	}
	if !c.Still {
		steps = append(steps, c.checkRefusal, c.checkForward, c.checkTurn, c.checkLidars, c.checkExpired, c.checkOldNumber, c.checkHold, c.checkHelloStops, c.checkAnew)
	}
	steps = append(steps, c.checkSpeaker, c.checkDrift)
	if c.Kind == Network && !c.Still {
		steps = append(steps, c.checkBeforeHello, c.checkEnd, c.checkReset)
	}
	if c.Kind == Child {
		steps = append(steps, c.checkChild)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) checkHello(ctx context.Context) error {
	const rule = "answers hello"
	began := time.Now()
	d, err := c.line.greet(ctx)
	if errors.Is(err, errEnded) { // the base may be busy with a connection that has just ended
		c.line.close()
		err = c.reconnect(ctx, func() (err error) { d, err = c.line.greet(ctx); return err })
	}
	if err != nil {
		c.tell(rule, false, err.Error())
		return errors.New("it has not been described")
	}
	c.report.Base = d.Base
	if d.Version != protocol.Version {
		c.tell(rule, false, fmt.Sprintf("it speaks version %d of mybot.base, and Mybot version %d", d.Version, protocol.Version))
		return errors.New("they are those of another version")
	}
	c.tell(rule, true, fmt.Sprintf("%s answered after %d ms", d.Base, time.Since(began).Milliseconds()))
	desc, err := robot.ParseDescription(d.Robot)
	if err != nil {
		text := strings.NewReplacer(":\n", ": ", "\n", "; ").Replace(strings.TrimPrefix(err.Error(), "robot: "))
		if d.Robot == nil {
			text = "its describe line has no description of the robot"
		}
		c.tell("describes its robot", false, text)
		return errors.New("they need the description")
	}
	c.desc, c.odometer.desc = desc, desc
	c.tell("describes its robot", true, fmt.Sprintf("%s, %g readings a second, a hold of %d ms", desc.Name, desc.Rate, desc.Holds.Milliseconds()))
	return nil
}

func (c *checker) checkStanding(ctx context.Context) error {
	var samples []sample
	scans, untimely := map[int][]int{}, ""
	stop := watchHiccups()
	_, err := c.line.listen(ctx, standFor, func(a arrival) bool {
		switch m := a.message.(type) {
		case protocol.Reading:
			samples = append(samples, c.line.newest)
		case protocol.Scan:
			scans[m.Lidar] = m.Ranges
			if fault := c.judgeScanTime(m); fault != "" && untimely == "" {
				untimely = fault
			}
		}
		return false
	})
	ok, text := judgeReadings(samples, c.desc.Rate)
	isEven, evenText := judgeEvenness(samples, stop(), c.desc.Rate)
	for again := 0; err == nil && (!ok || !isEven) && again < maxStands; again++ {
		var more []sample
		stop := watchHiccups()
		more, err = c.line.collect(ctx, standFor)
		hiccups := stop()
		if err != nil {
			break
		}
		if !ok {
			ok, text = judgeReadings(more, c.desc.Rate)
		}
		if !isEven {
			isEven, evenText = judgeEvenness(more, hiccups, c.desc.Rate)
		}
	}
	c.tell("sends readings at its rate", ok, text)
	c.tell("sends readings evenly", isEven, evenText)
	if err != nil {
		return err
	}
	if len(samples) < 2 {
		return errors.New("they need readings")
	}
	ok, text = judgeClock(samples)
	c.tell("has a clock in milliseconds", ok, text)
	last := samples[len(samples)-1]
	moved := farther(difference(samples[0], last))
	switch {
	case last.Got != 0:
		c.tell("stands after hello", false, fmt.Sprintf("got is %d before any drive line; it must be 0", last.Got))
	case moved > still:
		c.tell("stands after hello", false, fmt.Sprintf("the wheels rolled %s in %s, and no drive line had come", metres(moved), standFor))
	default:
		c.tell("stands after hello", true, "the wheels stood and got was 0")
	}
	missing := missingSenses(c.desc, c.line.senses, scans)
	if untimely != "" {
		missing = append(missing, untimely)
	}
	_, unscaled := last.Totals.(protocol.TickTotals)
	if unscaled = unscaled && c.desc.Encoder.Ticks == 0; unscaled {
		missing = append(missing, "the readings have ticks, and the description has no encoder with wheel_radius_m and ticks_per_turn; it must have one, or the readings must have wheels, in m")
	}
	if len(missing) > 0 {
		c.tell("sends the sensors it describes", false, strings.Join(missing, "; "))
	} else {
		c.tell("sends the sensors it describes", true, "all of them came"+describeEmpty(scans))
	}
	if unscaled {
		return errors.New("they need travel in m")
	}
	return nil
}

// checkDrift judges the clock of the base over the whole conversation so far. If load on
// this computer may have delayed the readings in question, it extends the conversation.
func (c *checker) checkDrift(ctx context.Context) error {
	var ok bool
	var text string
	lasts := driftFor - time.Since(c.line.first.arrived)
	for again := 0; again <= maxStands && !ok; again++ {
		if _, err := c.line.collect(ctx, lasts); err != nil {
			return err
		}
		ok, text = judgeDrift(c.line.heard)
		lasts = driftFor
	}
	c.tell("has a clock that keeps time", ok, text)
	return nil
}

// merge returns s updated with the fields that newer contains.
func merge(s, newer protocol.Senses) protocol.Senses {
	if newer.Ranges != nil {
		s.Ranges = newer.Ranges
	}
	if newer.Compass != nil {
		s.Compass = newer.Compass
	}
	if newer.Bump != nil {
		s.Bump = newer.Bump
	}
	if newer.OK != nil {
		s.OK = newer.OK
	}
	if newer.Head != nil {
		s.Head = newer.Head
	}
	if newer.Joints != nil {
		joints := maps.Clone(newer.Joints)
		for name, at := range s.Joints {
			if _, ok := joints[name]; !ok {
				joints[name] = at
			}
		}
		s.Joints = joints
	}
	if newer.EStop != nil {
		s.EStop = newer.EStop
	}
	if newer.Refuses != nil {
		s.Refuses = newer.Refuses
	}
	if newer.Yaw != nil {
		s.Yaw = newer.Yaw
	}
	return s
}

// missingSenses returns the senses that the description has and no line contained, and
// those that differ from the description.
func missingSenses(desc robot.Description, s protocol.Senses, scans map[int][]int) (missing []string) {
	if len(s.Ranges) != len(desc.Sonars) {
		missing = append(missing, fmt.Sprintf("ranges had %d entries, and the description has %d sonars", len(s.Ranges), len(desc.Sonars)))
	}
	for i, l := range desc.Lidars {
		switch mm, came := scans[i]; {
		case !came:
			missing = append(missing, fmt.Sprintf("no scan of lidar %d came", i))
		case len(mm) != l.Beams:
			missing = append(missing, fmt.Sprintf("a scan of lidar %d had %d ranges, and the description has %d beams", i, len(mm), l.Beams))
		default:
			if fault := judgeRanges(mm, l); fault != "" {
				missing = append(missing, fmt.Sprintf("a scan of lidar %d cannot be used: %s", i, fault))
			}
		}
	}
	for _, part := range []struct {
		name      string
		has, came bool
	}{
		{"compass", desc.Compass, s.Compass != nil},
		{"bump", desc.Bumper, s.Bump != nil},
		{"ok", desc.OKSwitch, s.OK != nil},
		{"head", desc.Head != nil, s.Head != nil},
	} {
		if part.has && !part.came {
			missing = append(missing, fmt.Sprintf("%s never came, and the description has it", part.name))
		}
	}
	for _, j := range desc.Joints {
		if _, ok := s.Joints[j.Name]; !ok {
			missing = append(missing, fmt.Sprintf("the position of the joint %q never came in joints, and the description has it", j.Name))
		}
	}
	return missing
}

// judgeScanTime returns why Mybot would not use a scan because of its lidar or its time;
// "" = it would.
func (c *checker) judgeScanTime(s protocol.Scan) string {
	const ahead, age = 500, 1100 // ms: more than Mybot accepts, because the reading before may be late
	if s.Lidar >= len(c.desc.Lidars) {
		return fmt.Sprintf("a scan of lidar %d came, and the description has %d lidars; they are counted from 0", s.Lidar, len(c.desc.Lidars))
	}
	rate := c.desc.Lidars[s.Lidar].Rate
	switch late := int64(s.At-c.line.newest.At) + s.Lasts; {
	case float64(s.Lasts) > 1200/rate:
		return fmt.Sprintf("a scan of lidar %d lasts %d ms; at %g scans a second it must last at most %.0f ms", s.Lidar, s.Lasts, rate, 1000/rate)
	case c.line.newest.arrived.IsZero(): // no reading has come yet
	case late > ahead:
		return fmt.Sprintf("the last beam of a scan of lidar %d is %d ms later than the reading before it; ms must be that of its first beam, by the clock of the readings", s.Lidar, late)
	case late < -age:
		return fmt.Sprintf("the last beam of a scan of lidar %d is %d ms older than the reading before it; Mybot uses none that is older than 1 s", s.Lidar, -late)
	}
	return ""
}

// judgeRanges returns why Mybot would not use a scan with these ranges; "" = it would.
func judgeRanges(mm []int, l robot.Lidar) string {
	const minPlausible = 20 // mm: a smaller range is one in metres, because no lidar measures so near
	counts, echoes, tiny := 0, 0, 0
	for _, r := range mm {
		if r > 0 {
			echoes++
		}
		if r > 0 && r < minPlausible {
			tiny++
		}
		if r == protocol.NoEcho || float64(r)/1000 >= l.Min {
			counts++
		}
	}
	switch {
	case 2*tiny > echoes:
		return fmt.Sprintf("%d of its %d ranges are less than %d mm; mm must be in millimetres, not in metres", tiny, echoes, minPlausible)
	case counts == 0:
		return fmt.Sprintf("no beam has measured anything: each range is -1 or less than min_m, %g m", l.Min)
	}
	return ""
}

// describeEmpty returns a remark on lidars that saw nothing at all.
func describeEmpty(scans map[int][]int) string {
	text := ""
	for _, i := range slices.Sorted(maps.Keys(scans)) {
		if !slices.ContainsFunc(scans[i], func(mm int) bool { return mm != protocol.NoEcho }) {
			text += fmt.Sprintf(", but lidar %d reports 0 in every beam: nothing within reach, so that the robot drives as if the floor were free. A beam that has not measured is -1", i)
		}
	}
	return text
}

func (c *checker) checkPing(ctx context.Context) error {
	const id = 7
	began := time.Now()
	if err := c.line.send(protocol.Ping{ID: id}); err != nil {
		return err
	}
	_, ok, err := await(ctx, c.line, time.Second, func(p protocol.Pong) bool { return p.ID == id })
	if err != nil {
		return err
	}
	if ok {
		c.tell("answers ping", true, fmt.Sprintf("pong came after %d ms", time.Since(began).Milliseconds()))
	} else {
		c.tell("answers ping", false, "no pong with the id of the ping came within 1 s")
	}
	return nil
}

// checkSpeaker makes a base with a speaker speak a word.
func (c *checker) checkSpeaker(ctx context.Context) error {
	if !c.desc.Speaker {
		return nil
	}
	const rule, id = "answers say with said", 1_000_003
	began := time.Now()
	if err := c.line.send(protocol.Say{ID: id, Text: "Hello!", Lang: "en"}); err != nil {
		return err
	}
	other := ""
	_, ok, err := await(ctx, c.line, spokenWithin, func(s protocol.Said) bool {
		if s.ID != id {
			other = fmt.Sprintf("; said came with the id %d, and say had %d", s.ID, id)
		}
		return s.ID == id
	})
	switch {
	case err != nil:
		return err
	case ok:
		c.tell(rule, true, fmt.Sprintf("said came after %d ms", time.Since(began).Milliseconds()))
	default:
		c.tell(rule, false, fmt.Sprintf("within %s the base did not answer say with a said of the same id, as it should when it has spoken; a robot without a speaker leaves speaker out of its description%s", spokenWithin, other))
	}
	return nil
}

// wrongLines are lines that a base must skip. Each drive line has its own number, so that got
// shows which of them a base has executed.
var wrongLines = []string{
	`{"t":"drive","n":1,"until":`,
	`{"t":"drive","n":2,"until":9007199254740991,"v":NaN,"w":0}`,
	`{"t":"drive","n":3,"until":9007199254740991,"v":"fast","w":0}`,
	`{"t":"drive","n":4,"until":9007199254740991,"v":0.1}`,
	`[1,2,3]`, "noise", "\xff\xfe\x00\x01", "", `{"t":"no such thing"}`, strings.Repeat("x", 10_000),
}

func (c *checker) checkWrongLines(ctx context.Context) error {
	return c.checkNoise(ctx, "survives malformed lines", fmt.Sprintf("%d malformed lines", len(wrongLines)), wrongLines, 8, 1, func() error {
		var lines []byte
		for _, line := range wrongLines {
			lines = append(lines, line...)
			if c.Kind == Serial {
				lines = fmt.Appendf(lines, "~%04X", protocol.Checksum([]byte(line)))
			}
			lines = append(lines, '\n')
		}
		return c.line.write(lines)
	})
}

// secondFor is how long the check waits for the base to refuse a second connection. It is
// shorter than the silence after which a base may accept it instead of the first.
const secondFor = 1500 * time.Millisecond

func (c *checker) checkSecond(ctx context.Context) error {
	const rule = "speaks with one Mybot at a time"
	if err := c.line.send(protocol.Ping{ID: 9}); err != nil { // keeps the first connection from being silent
		return err
	}
	conn, err := c.Dial(ctx)
	if err != nil {
		c.tell(rule, true, "a second connection was refused")
		return nil
	}
	second := newLine(conn, &odometer{desc: c.desc}, false)
	defer second.close()
	_ = second.send(protocol.Hello{Versions: []int{protocol.Version}})
	why := ""
	_, err = second.listen(ctx, secondFor, func(a arrival) bool {
		switch m := a.message.(type) {
		case protocol.Error:
			why = m.Text
		case protocol.Describe:
			why = ""
			return true
		}
		return false
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errEnded) && why != "":
		c.tell(rule, true, "a second one was refused: "+why)
	case errors.Is(err, errEnded):
		c.tell(rule, false, "the connection of a second one was closed without an error line that says why")
	default:
		c.tell(rule, false, "a second one was not refused; it must be told in an error line that the base is busy, and its connection closed")
	}
	return nil
}

func (c *checker) checkRefusal(context.Context) error {
	s := c.line.senses
	switch {
	case s.EStop != nil && *s.EStop:
		return errors.New("the emergency stop of the base is pressed")
	case s.Refuses != nil && *s.Refuses != "":
		return fmt.Errorf("the base would not drive: %s", strings.TrimSuffix(*s.Refuses, "."))
	}
	return nil
}

func (c *checker) hold() protocol.Millis { return protocol.Millis(c.desc.Holds.Milliseconds()) }

// slower returns a speed, or half of it if the wheels are off the floor.
func (c *checker) slower(speed float64) float64 {
	if c.WheelsUp {
		return speed / 2
	}
	return speed
}

func (c *checker) forward() robot.Twist {
	return robot.Twist{Linear: c.slower(math.Min(maxSpeed, c.desc.Safe.Linear))}
}

// mayRoll returns how long, in ms, the wheels may roll after the last drive line with the
// twist.
func (c *checker) mayRoll(t robot.Twist) protocol.Millis {
	return c.hold() + protocol.Millis(brakeTime(c.desc, t)+2000/c.desc.Rate) + slack
}

// errSilent says that a base stopped reporting during the check.
var errSilent = errors.New("no more readings came")

// settle returns the readings, at least one, of the time in which the robot should come to
// rest from the twist.
func (c *checker) settle(ctx context.Context, t robot.Twist) ([]sample, error) {
	rest, err := c.line.collect(ctx, time.Duration(c.mayRoll(t))*time.Millisecond+600*time.Millisecond)
	if err == nil && len(rest) == 0 {
		err = errSilent
	}
	return rest, err
}

func (c *checker) checkForward(ctx context.Context) error {
	t := c.forward()
	if err := c.look(ctx); err != nil {
		return err
	}
	samples, first, last, err := c.line.driveFor(ctx, straightFor, t, c.hold())
	if err != nil {
		return err
	}
	rest, err := c.settle(ctx, t)
	if err != nil {
		return err
	}
	if c.ahead, err = c.sightings(ctx, samples[0]); err != nil {
		return err
	}
	seconds := float64(last-first+c.hold()) / 1000
	ok, text := judgeForward(append(samples, rest...), t.Linear*seconds, t.Linear, c.desc.Rate)
	c.tell("drives forward as far as asked", ok, text)
	c.wheelsWrong = !ok
	if got := c.line.newest.Got; got == c.line.number {
		c.tell("says in got what it executed", true, fmt.Sprintf("of %d drive lines the last one was executed", got))
	} else {
		c.tell("says in got what it executed", false, fmt.Sprintf("got is %d after the drive line %d; it must be the number of the newest line that was executed", got, c.line.number))
	}
	return nil
}

func (c *checker) checkTurn(ctx context.Context) error {
	t := robot.Twist{Angular: c.slower(math.Min(maxTurn, c.desc.Safe.Angular))}
	if err := c.look(ctx); err != nil {
		return err
	}
	samples, first, last, err := c.line.driveFor(ctx, turnFor, t, c.hold())
	if err != nil {
		return err
	}
	if _, err := c.settle(ctx, t); err != nil {
		return err
	}
	if c.turned, err = c.sightings(ctx, samples[0]); err != nil {
		return err
	}
	seconds := float64(last-first+c.hold()) / 1000
	ok, text := judgeTurn(samples[0], c.line.newest, t.Angular*seconds, c.desc.Drivetrain.WheelBase)
	c.tell("turns left as far as asked", ok, text)
	c.wheelsWrong = c.wheelsWrong || !ok
	return nil
}

// checkIgnored repeatedly sends drive lines that the base must not execute.
func (c *checker) checkIgnored(ctx context.Context, rule, what string, send func() error) error {
	before := c.line.newest
	for range 10 {
		if err := send(); err != nil {
			return err
		}
		if _, err := c.line.collect(ctx, 30*time.Millisecond); err != nil {
			return err
		}
	}
	t := c.forward()
	if _, err := c.settle(ctx, t); err != nil {
		return err
	}
	switch moved := farther(difference(before, c.line.newest)); {
	case moved > still:
		c.tell(rule, false, fmt.Sprintf("the wheels rolled %s because of %s; the base must not execute them", metres(moved), what))
	case c.line.newest.Got != before.Got:
		c.tell(rule, false, fmt.Sprintf("got went from %d to %d because of %s; the base must not execute them", before.Got, c.line.newest.Got, what))
	default:
		c.tell(rule, true, "the wheels stood")
	}
	return nil
}

func (c *checker) checkExpired(ctx context.Context) error {
	return c.checkIgnored(ctx, "executes nothing that has expired", "drive lines whose until had passed", func() error {
		return c.line.drive(c.forward(), c.line.newest.At-1)
	})
}

func (c *checker) checkOldNumber(ctx context.Context) error {
	executed := c.line.newest.Got
	return c.checkIgnored(ctx, "executes no number twice", "drive lines with an old number", func() error {
		return c.line.send(protocol.Drive{Number: max(1, executed), Until: c.line.millis() + c.hold(), Twist: c.forward()})
	})
}

// driveFar drives with lines that do not expire, and returns the time, on the clock of the
// base, at which it sent the last one.
func (c *checker) driveFar(ctx context.Context, t robot.Twist) (last protocol.Millis, err error) {
	samples, _, last, err := c.line.driveFor(ctx, time.Second, t, far)
	if err == nil && farther(difference(samples[0], c.line.newest)) <= still {
		err = errors.New("the wheels did not roll, so that it cannot be seen when they stop")
	}
	return last, err
}

func (c *checker) checkHold(ctx context.Context) error {
	t := c.forward()
	last, err := c.driveFar(ctx, t)
	if err != nil {
		return err
	}
	rest, err := c.settle(ctx, t)
	if err != nil {
		return err
	}
	rolled, mayRoll := stopTime(rest)-last, c.mayRoll(t)
	if rolled > mayRoll {
		more, err := c.line.collect(ctx, slowFor) // to measure when it stops
		if err != nil {
			return err
		}
		rolled = stopTime(append(rest, more...)) - last
	}
	ok, text := judgeStop(rolled, mayRoll, "the last drive line")
	if !ok && rolled < protocol.Millis(slowFor.Milliseconds()) {
		text = fmt.Sprintf("it stops after %.1f s without commands; it should after %d ms", float64(rolled)/1000, mayRoll)
		if c.AcceptSlow {
			ok, text = true, text+", which is accepted"
		}
	}
	c.tell("stops by itself when no line comes", ok, text)
	if !ok {
		return c.line.drive(robot.Twist{}, c.line.newest.At+far)
	}
	return nil
}

// helloPairs is how many drive lines the check sends with hello right after them, pairEvery
// the interval: short enough that a base that does not stop keeps rolling.
const (
	helloPairs = 20
	pairEvery  = 50 * time.Millisecond
)

// checkHelloStops sends hello right after each drive line, so that the wheels have no time
// to roll.
func (c *checker) checkHelloStops(ctx context.Context) error {
	const rule = "stops at hello"
	before, t := c.line.newest, c.forward()
	for range helloPairs {
		c.line.number = 0 // hello restarts the numbers
		if err := c.line.drive(t, c.line.newest.At+far); err != nil {
			return err
		}
		if err := c.greet(ctx); err != nil {
			c.tell(rule, false, fmt.Sprintf("hello behind a drive line: %v", err))
			return err
		}
		if _, err := c.line.collect(ctx, pairEvery); err != nil {
			return err
		}
	}
	if _, err := c.settle(ctx, t); err != nil {
		return err
	}
	moved := farther(difference(before, c.line.newest))
	if moved > t.Linear*(helloPairs*pairEvery).Seconds()/3 {
		c.tell(rule, false, fmt.Sprintf("the wheels rolled %s because of %d drive lines with hello right behind each; hello must stop them at once", metres(moved), helloPairs))
	} else {
		c.tell(rule, true, fmt.Sprintf("the wheels stood, although a drive line came before each of %d hellos", helloPairs))
	}
	return nil
}

// slowFor is the time within which a slow base must stop by itself.
const slowFor = 3 * time.Second

// checkAnew says hello again on the same connection, which must restart the numbers.
func (c *checker) checkAnew(ctx context.Context) error {
	const rule = "begins anew after hello"
	if err := c.greet(ctx); err != nil {
		return err
	}
	if _, err := c.line.collect(ctx, 100*time.Millisecond); err != nil {
		return err
	}
	if got := c.line.newest.Got; got != 0 {
		c.tell(rule, false, fmt.Sprintf("got was %d after hello; it must be 0", got))
		return nil
	}
	before, t := c.line.newest, c.forward()
	c.line.number = 0
	if _, _, _, err := c.line.driveFor(ctx, 800*time.Millisecond, t, c.hold()); err != nil {
		return err
	}
	if _, err := c.settle(ctx, t); err != nil {
		return err
	}
	if moved := farther(difference(before, c.line.newest)); moved <= still {
		c.tell(rule, false, "after hello the wheels did not roll for drive lines with the numbers from 1 on; the base must forget earlier numbers")
	} else {
		c.tell(rule, true, fmt.Sprintf("after hello the wheels rolled %s for drive lines with the numbers from 1 on", metres(moved)))
	}
	return nil
}

// reconnectFor is how long a base may be busy with a connection that has ended.
const reconnectFor = 3 * time.Second

// reconnect connects again and calls each, and repeats both for up to reconnectFor until
// each succeeds.
func (c *checker) reconnect(ctx context.Context, each func() error) error {
	for began := time.Now(); ; {
		conn, err := c.Dial(ctx)
		if err == nil {
			malformed, fault := c.line.malformed, c.line.fault
			newest := c.line.newest
			c.line = newLine(conn, c.odometer, c.Kind == Serial)
			c.line.malformed, c.line.fault, c.line.newest = malformed, fault, newest
			if err = each(); err == nil {
				return nil
			}
			c.line.close()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Since(began) > reconnectFor {
			return fmt.Errorf("for %s it could not be connected to: %w", reconnectFor, err)
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

func (c *checker) greet(ctx context.Context) error {
	_, err := c.line.greet(ctx)
	return err
}

func (c *checker) checkBeforeHello(ctx context.Context) error {
	const rule = "executes nothing before hello"
	before := c.line.newest
	c.line.close()
	t := c.forward()
	err := c.reconnect(ctx, func() error {
		for n := range int64(20) {
			if err := c.line.send(protocol.Drive{Number: before.Got + n + 1, Until: c.line.millis() + far, Twist: t}); err != nil {
				return err
			}
			if _, err := c.line.collect(ctx, 20*time.Millisecond); err != nil {
				return err
			}
		}
		return c.greet(ctx)
	})
	if err == nil {
		_, err = c.settle(ctx, t)
	}
	if err == nil && c.line.first == nil {
		err = errSilent
	}
	if err != nil {
		c.tell(rule, false, err.Error())
		return err
	}
	if restarted(before.Totals, c.line.first.Totals) {
		c.tell("counts on between connections", false, "the totals were zero again after the connection ended; they must count from power-on")
		return errors.New("they need totals that do not begin anew with a connection")
	}
	c.tell("counts on between connections", true, "the totals did not begin anew")
	if moved := farther(difference(before, c.line.newest)); moved > still {
		c.tell(rule, false, fmt.Sprintf("the wheels rolled %s because of drive lines before hello; the base must not execute them", metres(moved)))
	} else {
		c.tell(rule, true, "the wheels stood")
	}
	return nil
}

func (c *checker) checkEnd(ctx context.Context) error {
	before := c.line
	if err := c.checkBroken(ctx, "stops when the connection ends", "the end of the connection"); err != nil {
		return err
	}
	const rule = "sends no old readings"
	is := c.line.first
	if is == nil {
		return errSilent
	}
	should := before.newest.At + protocol.Millis(is.arrived.Sub(before.newest.arrived).Milliseconds())
	if late := should - is.At; late > maxLate {
		c.tell(rule, false, fmt.Sprintf("the first reading after connecting again was %d ms old; readings must be dropped while nobody is connected", late))
	} else {
		c.tell(rule, true, fmt.Sprintf("the first reading after connecting again was %d ms old", max(0, late)))
	}
	return nil
}

func (c *checker) checkReset(ctx context.Context) error {
	tcp, ok := c.line.conn.(*net.TCPConn)
	if !ok {
		return nil // only TCP has resets
	}
	if err := tcp.SetLinger(0); err != nil {
		return err
	}
	return c.checkBroken(ctx, "stops when the connection is reset", "the reset of the connection")
}

// endWithin is how soon a child must exit after the end of its input. Mybot kills it then.
const endWithin = 500 * time.Millisecond

// checkChild ends the input of a child.
func (c *checker) checkChild(ctx context.Context) error {
	const rule = "ends with its standard input"
	conn, ok := c.line.conn.(interface{ CloseWrite() error })
	if !ok {
		return nil
	}
	if err := conn.CloseWrite(); err != nil {
		return err
	}
	began := time.Now()
	_, err := c.line.listen(ctx, 2*endWithin, func(arrival) bool { return false })
	switch took := time.Since(began); {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errEnded) && took <= endWithin:
		c.tell(rule, true, fmt.Sprintf("it ended %d ms after its standard input", took.Milliseconds()))
	default:
		c.tell(rule, false, fmt.Sprintf("%s after the end of its standard input it still ran; it must stop the wheels and end, because Mybot is gone", endWithin))
	}
	return nil
}

// checkBroken ends the connection while the robot drives.
func (c *checker) checkBroken(ctx context.Context, rule, after string) error {
	t := c.forward()
	if _, err := c.driveFar(ctx, t); err != nil {
		return err
	}
	before, may := c.line.newest, c.mayRoll(t)
	c.line.close()
	select { // long enough that a base that does not stop drives far
	case <-time.After(time.Duration(may)*time.Millisecond + 700*time.Millisecond):
	case <-ctx.Done():
		return ctx.Err()
	}
	err := c.reconnect(ctx, func() error { return c.greet(ctx) })
	if err == nil {
		_, err = c.settle(ctx, t)
	}
	if err != nil {
		c.tell(rule, false, err.Error())
		return err
	}
	rolled, mayRoll := farther(difference(before, c.line.newest)), t.Linear*float64(may)/1000+still
	if rolled > mayRoll {
		c.tell(rule, false, fmt.Sprintf("after %s the wheels rolled %s; they should have rolled at most %s", after, metres(rolled), metres(mayRoll)))
		return c.line.drive(robot.Twist{}, c.line.newest.At+far)
	}
	c.tell(rule, true, fmt.Sprintf("after %s the wheels rolled %s", after, metres(rolled)))
	return nil
}
