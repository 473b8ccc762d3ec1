package check_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/base/basetest"
	"mybot/drivers/base/bridge"
	"mybot/drivers/base/check"
	"mybot/drivers/base/firmware"
	"mybot/drivers/base/protocol"
	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/models"
)

// A broken base is the simulated robot with a fault.
type broken struct {
	hold     time.Duration // instead of the described one
	nowhere  bool          // in an empty world
	differs  string        // a deviation of the simulator
	driver   func(robot.Driver) robot.Driver
	describe func(fields map[string]json.RawMessage) // changes the description
	// toBase and fromBase change a line on its way; nil = the line is lost. Each connection has
	// its own.
	toBase   func() func(protocol.ToBase) protocol.ToBase
	fromBase func() func(protocol.FromBase) protocol.FromBase
	first    string // a line that the base receives before all others of a connection
	raw      func(line []byte) (forward, end bool)
	deaf     bool        // it ignores checksums
	lenient  bool        // it accepts lines without a checksum
	ignores  bool        // it ignores the end of its standard input, as a child
	checked  bool        // its lines have checksums, and it skips lines without one
	mu       *sync.Mutex // held while one of these runs, because the connections share their data
}

// room is where the robots stand.
var room = func() *robot.Floorplan {
	a, b, c, d := robot.Point{X: -2, Y: -2.5}, robot.Point{X: 4, Y: -2.5}, robot.Point{X: 4, Y: 2}, robot.Point{X: -2, Y: 2}
	return &robot.Floorplan{Lines: []robot.Segment{{A: a, B: b}, {A: b, B: c}, {A: c, B: d}, {A: d, B: a}}}
}()

// run serves the base in a synctest bubble and checks it.
func (b broken) run(t *testing.T, model string, o check.Options) (report check.Report) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		description, _ := models.Find(model)
		desc, err := robot.ParseDescription(description)
		if err != nil {
			t.Fatal(err)
		}
		desc.Holds = time.Hour // the base holds as the bridge does
		options := sim.Options{Seed: 1}
		if b.differs != "" {
			if options.Deviation, err = sim.ParseDeviation(b.differs); err != nil {
				t.Fatal(err)
			}
		}
		around := room
		if b.nowhere {
			around = nil
		}
		var d robot.Driver = sim.NewDriver(sim.NewWorld(desc, around, sim.DefaultScene(), options))
		if b.driver != nil {
			d = b.driver(d)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(description, &fields); err != nil {
			t.Fatal(err)
		}
		fields["holds_s"] = json.RawMessage("0.1")
		if b.describe != nil {
			b.describe(fields)
		}
		described, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		hold := firmware.RecommendedHold
		if b.hold > 0 {
			hold = b.hold
		}
		b.mu = &sync.Mutex{}
		l := basetest.NewPipes()
		ctx, cancel := context.WithCancel(t.Context())
		var goroutines sync.WaitGroup
		goroutines.Go(func() {
			if err := bridge.Serve(ctx, l, d, bridge.Config{Program: "sim", Robot: described, Hold: hold, Log: slog.New(slog.DiscardHandler)}); err != nil {
				t.Error(err)
			}
		})
		o.Dial = func(ctx context.Context) (check.Conn, error) { return b.dial(ctx, l, &goroutines) }
		if report, err = check.Run(t.Context(), o); err != nil {
			t.Error(err)
		}
		cancel()
		goroutines.Wait()
		_ = d.Close()
	})
	return report
}

// dial connects through the faults.
func (b broken) dial(ctx context.Context, l *basetest.Pipes, goroutines *sync.WaitGroup) (check.Conn, error) {
	inner, err := l.Dial(ctx)
	if err != nil {
		return nil, err
	}
	ours, theirs := net.Pipe()
	if b.first != "" {
		if _, err := io.WriteString(inner, b.first+"\n"); err != nil {
			return nil, err
		}
	}
	toBase, fromBase := func(m protocol.ToBase) protocol.ToBase { return m }, func(m protocol.FromBase) protocol.FromBase { return m }
	if b.toBase != nil {
		toBase = b.toBase()
	}
	if b.fromBase != nil {
		fromBase = b.fromBase()
	}
	pass := func(from, to net.Conn, each func(line []byte) (out []byte, end bool)) {
		defer func() { _ = from.Close(); _ = to.Close() }()
		lines := bufio.NewScanner(from)
		lines.Buffer(nil, 2<<20) // for a line of a megabyte
		for lines.Scan() {
			out, end := each(lines.Bytes())
			if end {
				return
			}
			if len(out) == 0 {
				continue
			}
			if _, err := to.Write(out); err != nil {
				return
			}
		}
	}
	goroutines.Go(func() {
		pass(theirs, inner, func(line []byte) ([]byte, bool) {
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.raw != nil {
				if forward, end := b.raw(line); end || !forward {
					return nil, end
				}
			}
			if b.deaf && len(line) > 5 && line[len(line)-5] == '~' {
				line = line[:len(line)-5]
			}
			m, err := protocol.DecodeToBase(line, b.checked && !b.lenient)
			if err != nil && b.checked && !b.lenient {
				return nil, false
			}
			if _, unknown := m.(protocol.Unknown); err != nil || unknown {
				return append(bytes.Clone(line), '\n'), false
			}
			if m = toBase(m); m == nil {
				return nil, false
			}
			out, _ := protocol.AppendLine(nil, m, false)
			return out, false
		})
	})
	goroutines.Go(func() {
		pass(inner, theirs, func(line []byte) ([]byte, bool) {
			b.mu.Lock()
			defer b.mu.Unlock()
			m, err := protocol.DecodeFromBase(line, false)
			if err != nil {
				return append(bytes.Clone(line), '\n'), false
			}
			if m = fromBase(m); m == nil {
				return nil, false
			}
			out, _ := protocol.AppendLine(nil, m, b.checked)
			return out, false
		})
	})
	return &halfOpen{Conn: ours, ignores: b.ignores}, nil
}

// halfOpen is a connection whose sending half can be closed. The other end then closes its
// half, unless it ignores that.
type halfOpen struct {
	net.Conn
	ignores bool
}

func (h *halfOpen) CloseWrite() error {
	if h.ignores {
		return nil
	}
	return h.Close()
}

func TestTheSimulatedRobotKeepsEveryRule(t *testing.T) {
	for _, model := range models.Names() {
		told := 0
		r := broken{}.run(t, model, check.Options{Tell: func(check.Result) { told++ }})
		for _, rule := range r.Rules {
			if !rule.OK {
				t.Errorf("%s: %s", model, rule)
			}
		}
		want := 28
		if strings.HasPrefix(model, "lidar") {
			want++
		}
		if len(r.Rules) != want || told != want || r.Untried != "" || !r.OK() || r.Base != "sim" {
			t.Errorf("%s: %d rules were checked and %d reported: %s", model, len(r.Rules), told, r.Summary())
		}
	}
}

func TestABaseOnASerialPortKeepsEveryRuleThatHoldsThere(t *testing.T) {
	if r := (broken{checked: true}).run(t, models.MybotName, check.Options{Kind: check.Serial}); !r.OK() || len(r.Rules) != 23 || r.Untried != "" {
		t.Errorf("%d rules were tried: %s", len(r.Rules), r.Summary())
	}
	r := broken{}.run(t, models.MybotName, check.Options{Kind: check.Serial})
	if len(r.Rules) != 2 || r.OK() || !strings.Contains(r.Rules[1].Text, "it has no checksum; on a serial port each line must end with ~ and four hex digits") {
		t.Errorf("a base without checksums: %s", r.Rules)
	}
}

// TestAChildEndsWithItsInput checks a base whose output ends with its input, and one that
// ignores the end.
func TestAChildEndsWithItsInput(t *testing.T) {
	for _, c := range []struct {
		ends bool
		want string
	}{
		{true, "it ended 0 ms after its standard input"},
		{false, "500ms after the end of its standard input it still ran; it must stop the wheels and end"},
	} {
		b := broken{ignores: !c.ends}
		r := b.run(t, models.MybotName, check.Options{Kind: check.Child, Still: true})
		i := slices.IndexFunc(r.Rules, func(r check.Result) bool { return r.Rule == "ends with its standard input" })
		if i < 0 || r.Rules[i].OK != c.ends || !strings.Contains(r.Rules[i].Text, c.want) {
			t.Errorf("%v", r.Rules)
		}
	}
}

func TestNothingMovesWhenAskedToStandStill(t *testing.T) {
	moved := false
	b := broken{toBase: func() func(protocol.ToBase) protocol.ToBase {
		return func(m protocol.ToBase) protocol.ToBase {
			if d, ok := m.(protocol.Drive); ok && !d.Twist.IsZero() {
				moved = true
			}
			return m
		}
	}}
	if r := b.run(t, models.MybotName, check.Options{Still: true}); !r.OK() || len(r.Rules) != 16 || moved {
		t.Errorf("it moved: %v; %s", moved, r.Summary())
	}
}

// changed is a driver with changed readings and commands.
type changed struct {
	*sim.Driver
	reading func(robot.Reading) robot.Reading
	twist   func(robot.Twist) robot.Twist
}

func (c changed) Read(ctx context.Context) (robot.Reading, error) {
	r, err := c.Driver.Read(ctx)
	if c.reading != nil {
		r = c.reading(r)
	}
	return r, err
}

func (c changed) Drive(t robot.Twist) error {
	if c.twist != nil {
		t = c.twist(t)
	}
	return c.Driver.Drive(t)
}

func withReading(f func(robot.Reading) robot.Reading) func(robot.Driver) robot.Driver {
	return func(d robot.Driver) robot.Driver { return changed{Driver: d.(*sim.Driver), reading: f} }
}

func withTwist(f func(robot.Twist) robot.Twist) func(robot.Driver) robot.Driver {
	return func(d robot.Driver) robot.Driver { return changed{Driver: d.(*sim.Driver), twist: f} }
}

// eachDrive changes the drive lines of a connection.
func eachDrive(f func(*protocol.Drive)) func() func(protocol.ToBase) protocol.ToBase {
	return func() func(protocol.ToBase) protocol.ToBase {
		return func(m protocol.ToBase) protocol.ToBase {
			if d, ok := m.(protocol.Drive); ok {
				f(&d)
				return d
			}
			return m
		}
	}
}

// eachReading changes the readings of a connection; false = it is lost.
func eachReading(f func(*protocol.Reading) bool) func() func(protocol.FromBase) protocol.FromBase {
	return func() func(protocol.FromBase) protocol.FromBase {
		return func(m protocol.FromBase) protocol.FromBase {
			if r, ok := m.(protocol.Reading); ok {
				if !f(&r) {
					return nil
				}
				return r
			}
			return m
		}
	}
}

const reached = 1 << 52 // an until that is never reached

func TestEveryFaultOfABaseIsFound(t *testing.T) {
	number, counted := int64(0), 0
	var before protocol.WheelTotals
	highest := int64(0)
	var queued *protocol.Reading
	var greeted atomic.Int64 // ms
	var lenient atomic.Bool
	var asked robot.Twist
	for _, c := range []struct {
		name string
		b    broken
		rule string // that the base breaks
		want string // part of the message
	}{
		{
			"never forgets",
			broken{hold: time.Hour, toBase: eachDrive(func(d *protocol.Drive) { d.Until = reached })},
			"stops by itself when no line comes", "still rolled; they should have stood after ",
		},
		{
			"forgets after 0.4 s",
			broken{hold: 400 * time.Millisecond, toBase: eachDrive(func(d *protocol.Drive) { d.Until = reached })},
			"stops by itself when no line comes", "it stops after 0.5 s without commands; it should after 392 ms",
		},
		{
			"left and right swapped",
			broken{driver: withTwist(func(t robot.Twist) robot.Twist { t.Angular = -t.Angular; return t })},
			"turns left as far as asked", "left and right are swapped, or w has the wrong sign; positive is left",
		},
		{
			"backwards",
			broken{driver: withTwist(func(t robot.Twist) robot.Twist { t.Linear = -t.Linear; return t })},
			"drives forward as far as asked", "backwards: the sign of v or of the totals is wrong",
		},
		{
			"one encoder backwards",
			broken{driver: withReading(func(r robot.Reading) robot.Reading { r.Travel.Right = -r.Travel.Right; return r })},
			"drives forward as far as asked", "one of the two has the wrong sign, of its motor or of its encoder",
		},
		{
			"one wheel is not counted",
			broken{driver: withReading(func(r robot.Reading) robot.Reading { r.Travel.Right = 0; return r })},
			"drives forward as far as asked", "one wheel is not driven or not counted",
		},
		{
			"does not drive",
			broken{driver: withTwist(func(robot.Twist) robot.Twist { return robot.Twist{} })},
			"drives forward as far as asked", "both should have rolled about 0.2",
		},
		{
			"half the distance",
			broken{driver: withReading(func(r robot.Reading) robot.Reading { r.Travel.Left /= 2; r.Travel.Right /= 2; return r })},
			"drives forward as far as asked", "look at the wheel's radius, the ticks a turn and the speed control",
		},
		{
			"degrees for radians",
			broken{driver: withTwist(func(t robot.Twist) robot.Twist { t.Angular /= 57.3; return t })},
			"turns left as far as asked", "the base takes w for degrees a second, and it is radians",
		},
		{
			"millimetres",
			broken{driver: withReading(func(r robot.Reading) robot.Reading { r.Travel.Left *= 1000; r.Travel.Right *= 1000; return r })},
			"drives forward as far as asked", "the totals are in millimetres and should be in metres",
		},
		{
			"increments for totals",
			broken{fromBase: eachReading(func(r *protocol.Reading) bool {
				now := r.Totals.(protocol.WheelTotals)
				r.Totals = protocol.WheelTotals{Left: now.Left - before.Left, Right: now.Right - before.Right}
				before = now
				return true
			})},
			"drives forward as far as asked", "a reading must say how far the wheels have rolled since power-on",
		},
		{
			"a clock that stands still",
			broken{fromBase: eachReading(func(r *protocol.Reading) bool { r.At = 1000; return true })},
			"has a clock in milliseconds", "ms was 1000 and then 1000; it must grow",
		},
		{
			"a clock in microseconds",
			broken{fromBase: eachReading(func(r *protocol.Reading) bool { r.At *= 1000; return true })},
			"has a clock in milliseconds", "ms grew by 1000.000 s a second; it must be milliseconds",
		},
		{
			"a clock that is 2 % slow",
			broken{fromBase: eachReading(func(r *protocol.Reading) bool { r.At -= r.At / 50; return true })},
			"has a clock that keeps time", "its clock is 2.0 % slow; within 30 s readings would come to be 60",
		},
		{
			"waits in its loop",
			broken{driver: func(d robot.Driver) robot.Driver {
				n := 0
				return changed{Driver: d.(*sim.Driver), reading: func(r robot.Reading) robot.Reading {
					if n++; n%10 == 0 {
						time.Sleep(70 * time.Millisecond)
					}
					return r
				}}
			}},
			"sends readings evenly", "99 were at most 90 ms",
		},
		{
			"an old number is executed",
			broken{toBase: eachDrive(func(d *protocol.Drive) { number++; d.Number = number })},
			"executes no number twice", "because of drive lines with an old number; the base must not execute them",
		},
		{
			"an expired line is executed",
			broken{toBase: eachDrive(func(d *protocol.Drive) { d.Until = reached })},
			"executes nothing that has expired", "because of drive lines whose until had passed",
		},
		{
			"totals begin anew with each connection",
			broken{fromBase: func() func(protocol.FromBase) protocol.FromBase {
				var first *protocol.WheelTotals
				return func(m protocol.FromBase) protocol.FromBase {
					if r, ok := m.(protocol.Reading); ok {
						now := r.Totals.(protocol.WheelTotals)
						if first == nil {
							first = &now
						}
						r.Totals = protocol.WheelTotals{Left: now.Left - first.Left, Right: now.Right - first.Right}
						return r
					}
					return m
				}
			}},
			"counts on between connections", "they must count from power-on",
		},
		{
			"drives on after hello",
			broken{
				toBase: func() func(protocol.ToBase) protocol.ToBase {
					return func(m protocol.ToBase) protocol.ToBase {
						if _, ok := m.(protocol.Hello); ok {
							greeted.Store(time.Now().UnixMilli())
						}
						return m
					}
				},
				driver: withTwist(func(t robot.Twist) robot.Twist {
					if t.IsZero() && time.Now().UnixMilli() < greeted.Load()+100 {
						return asked
					}
					asked = t
					return t
				}),
			},
			"stops at hello", "hello must stop them at once",
		},
		{
			"numbers continue after hello",
			broken{toBase: func() func(protocol.ToBase) protocol.ToBase {
				return func(m protocol.ToBase) protocol.ToBase {
					if d, ok := m.(protocol.Drive); ok {
						if d.Number <= highest {
							return nil
						}
						highest = d.Number
					}
					return m
				}
			}},
			"begins anew after hello", "the base must forget earlier numbers",
		},
		{
			"old readings wait for the next Mybot",
			broken{fromBase: func() func(protocol.FromBase) protocol.FromBase {
				first := true
				return func(m protocol.FromBase) protocol.FromBase {
					if r, ok := m.(protocol.Reading); ok {
						was := queued
						queued = &r
						if first && was != nil {
							first = false
							return *was
						}
						first = false
					}
					return m
				}
			}},
			"sends no old readings", "ms old; readings must be dropped while nobody is connected",
		},
		{
			"drives before hello",
			broken{first: `{"t":"hello","v":[1]}`},
			"executes nothing before hello", "because of drive lines before hello",
		},
		{
			"dies of a bad line",
			broken{raw: func(line []byte) (forward, end bool) {
				_, err := protocol.DecodeToBase(line, false)
				return true, err != nil
			}},
			"survives malformed lines", "the base ended the connection; it must skip them and continue",
		},
		{
			"takes a missing number for 0",
			broken{
				toBase: func() func(protocol.ToBase) protocol.ToBase {
					return func(m protocol.ToBase) protocol.ToBase {
						if p, ok := m.(protocol.Ping); ok && p.ID == 8 { // it comes behind the malformed lines
							lenient.Store(true)
						}
						return m
					}
				},
				fromBase: eachReading(func(r *protocol.Reading) bool {
					if lenient.Load() {
						r.Got = 4
					}
					return true
				}),
			},
			"survives malformed lines", `it executed {"t":"drive","n":4,"until":9007199254740991,"v":0.1}; it must skip malformed lines`,
		},
		{
			"hangs in a long line",
			broken{raw: func() func([]byte) (bool, bool) {
				hangs := false
				return func(line []byte) (forward, end bool) {
					hangs = hangs || len(line) > 5000
					return !hangs, false
				}
			}()},
			"survives malformed lines", "a ping behind 10 malformed lines was not answered within 2 s",
		},
		{
			"half the rate",
			broken{fromBase: eachReading(func(*protocol.Reading) bool { counted++; return counted%2 == 0 })},
			"sends readings at its rate", "25.0 readings a second came, the longest gap was 40 ms; rate_hz of the description says 50",
		},
		{
			"does not say what it executed",
			broken{fromBase: eachReading(func(r *protocol.Reading) bool { r.Got = 0; return true })},
			"says in got what it executed", "it must be the number of the newest line that was executed",
		},
		{
			"a sonar is missing",
			broken{fromBase: eachReading(func(r *protocol.Reading) bool { r.Ranges = r.Ranges[:max(0, len(r.Ranges)-1)]; return true })},
			"sends the sensors it describes", "ranges had 11 entries, and the description has 12 sonars",
		},
		{
			"no compass",
			broken{fromBase: eachReading(func(r *protocol.Reading) bool { r.Compass = nil; return true })},
			"sends the sensors it describes", "compass never came, and the description has it",
		},
		{
			"counts ticks without an encoder",
			broken{
				describe: func(fields map[string]json.RawMessage) { delete(fields, "encoder") },
				fromBase: eachReading(func(r *protocol.Reading) bool { r.Totals = protocol.TickTotals{Left: 1, Right: 1}; return true }),
			},
			"sends the sensors it describes", "the readings have ticks, and the description has no encoder with wheel_radius_m and ticks_per_turn",
		},
		{
			"a description with a fault",
			broken{describe: func(fields map[string]json.RawMessage) { delete(fields, "drivetrain") }},
			"describes its robot", "drivetrain is missing",
		},
		{
			"no description",
			broken{fromBase: func() func(protocol.FromBase) protocol.FromBase {
				return func(m protocol.FromBase) protocol.FromBase {
					if d, ok := m.(protocol.Describe); ok {
						d.Robot = nil
						return d
					}
					return m
				}
			}},
			"describes its robot", "its describe line has no description",
		},
		{
			"does not answer hello",
			broken{raw: func([]byte) (forward, end bool) { return false, false }},
			"answers hello", "it did not answer hello within 5s",
		},
		{
			"does not answer ping",
			broken{toBase: func() func(protocol.ToBase) protocol.ToBase {
				return func(m protocol.ToBase) protocol.ToBase {
					if _, ok := m.(protocol.Ping); ok {
						return nil
					}
					return m
				}
			}},
			"answers ping", "no pong with the id of the ping came",
		},
		{
			"does not report that it has spoken",
			broken{fromBase: func() func(protocol.FromBase) protocol.FromBase {
				return func(m protocol.FromBase) protocol.FromBase {
					if _, ok := m.(protocol.Said); ok {
						return nil
					}
					return m
				}
			}},
			"answers say with said", "within 5s the base did not answer say with a said of the same id",
		},
		{
			"counts what it has spoken",
			broken{fromBase: func() func(protocol.FromBase) protocol.FromBase {
				return func(m protocol.FromBase) protocol.FromBase {
					if _, ok := m.(protocol.Said); ok {
						return protocol.Said{ID: 1}
					}
					return m
				}
			}},
			"answers say with said", "; said came with the id 1, and say had 1000003",
		},
		{
			"closes a second connection without a word",
			broken{fromBase: func() func(protocol.FromBase) protocol.FromBase {
				return func(m protocol.FromBase) protocol.FromBase {
					if _, ok := m.(protocol.Error); ok {
						return nil
					}
					return m
				}
			}},
			"speaks with one Mybot at a time", "was closed without an error line that says why",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.b.run(t, models.MybotName, check.Options{})
			if !slices.Contains(r.Broken(), c.rule) {
				t.Fatalf("%q passes; %s", c.rule, r.Summary())
			}
			for _, rule := range r.Rules {
				if rule.Rule == c.rule && !strings.Contains(rule.Text, c.want) {
					t.Errorf("the report\n%s\nlacks\n%s", rule, c.want)
				}
			}
		})
	}
}

// TestWhatABaseDoesWithDamageIsFound checks bases that execute damaged lines, or crash because
// of them.
func TestWhatABaseDoesWithDamageIsFound(t *testing.T) {
	bad, long := 0, 0
	for _, c := range []struct {
		name, rule, want string
		kind             check.Kind
		b                broken
	}{
		{"does not look at checksums", "skips lines with a wrong checksum", "it answered a ping whose checksum was wrong", check.Network, broken{deaf: true}},
		{"knows no checksums", "skips lines with a wrong checksum", "any line may end with ~ and its checksum, which the base must check and cut off", check.Network, broken{raw: func(line []byte) (forward, end bool) {
			return bytes.HasSuffix(line, []byte("}")), false
		}}},
		{"does not miss a checksum", "skips lines with a wrong checksum", "it answered a ping without a checksum; at a serial port", check.Serial, broken{lenient: true, checked: true}},
		{"dies of the hundredth damaged line", "survives 1000 damaged lines", "after 1000 damaged lines the base ended the connection", check.Network, broken{raw: func(line []byte) (forward, end bool) {
			if _, err := protocol.DecodeToBase(line, false); err != nil {
				bad++
			}
			return true, bad > 100
		}}},
		{"hangs in an endless line", "survives an endless line", "a ping behind a line of 1048576 bytes was not answered within 2 s", check.Network, broken{raw: func(line []byte) (forward, end bool) {
			long = max(long, len(line))
			return long < 100_000, false
		}}},
	} {
		r := c.b.run(t, models.MybotName, check.Options{Kind: c.kind, Still: true})
		i := slices.IndexFunc(r.Rules, func(r check.Result) bool { return r.Rule == c.rule })
		if i < 0 || r.Rules[i].OK || !strings.Contains(r.Rules[i].Text, c.want) {
			t.Errorf("%s: %s", c.name, r.Rules)
		}
	}
}

// Seconds of noise fill the buffers of a serial port, and what follows may be lost with it.
func TestABaseAtASerialPortMayLoseALineBehindAFlood(t *testing.T) {
	loses := broken{checked: true, toBase: func() func(protocol.ToBase) protocol.ToBase {
		lost := false
		return func(m protocol.ToBase) protocol.ToBase {
			if p, is := m.(protocol.Ping); is && p.ID == 14 && !lost {
				lost = true
				return nil
			}
			return m
		}
	}}
	if r := loses.run(t, models.MybotName, check.Options{Kind: check.Serial, Still: true}); !r.OK() {
		t.Error(r.Summary())
	}
	loses.checked = false
	if r := loses.run(t, models.MybotName, check.Options{Kind: check.Network, Still: true}); !slices.Equal(r.Broken(), []string{"survives 1000 damaged lines"}) {
		t.Errorf("over the network: %s", r.Summary())
	}
}

func TestAScanWhoseTimeMybotDoesNotUseIsFound(t *testing.T) {
	for want, change := range map[string]func(*protocol.Scan){
		"": func(*protocol.Scan) {},
		"a scan of lidar 1 came, and the description has 1 lidars":        func(s *protocol.Scan) { s.Lidar = 1 },
		"a scan of lidar 0 lasts 900 ms; at 10 scans a second it must":    func(s *protocol.Scan) { s.Lasts = 900 },
		"later than the reading before it; ms must be that of its first":  func(s *protocol.Scan) { s.At += 5000 },
		"older than the reading before it; Mybot uses none that is older": func(s *protocol.Scan) { s.At = max(0, s.At-5000) },
	} {
		b := broken{fromBase: func() func(protocol.FromBase) protocol.FromBase {
			return func(m protocol.FromBase) protocol.FromBase {
				if s, ok := m.(protocol.Scan); ok {
					change(&s)
					return s
				}
				return m
			}
		}}
		r := b.run(t, "lidar", check.Options{Still: true})
		i := slices.IndexFunc(r.Rules, func(r check.Result) bool { return r.Rule == "sends the sensors it describes" })
		if i < 0 || r.Rules[i].OK != (want == "") || !strings.Contains(r.Rules[i].Text, want) {
			t.Errorf("%q is missing: %s", want, r.Rules)
		}
	}
}

func TestABaseThatStopsLateIsNamedAndMayBeAccepted(t *testing.T) {
	for _, accept := range []bool{false, true} {
		b := broken{hold: 900 * time.Millisecond}
		r := b.run(t, models.MybotName, check.Options{AcceptSlow: accept})
		i := slices.IndexFunc(r.Rules, func(r check.Result) bool { return r.Rule == "stops by itself when no line comes" })
		if i < 0 || r.Rules[i].OK != accept || !strings.Contains(r.Rules[i].Text, "it stops after 1.0 s without commands; it should after 392 ms") {
			t.Errorf("accepted: %v; %s", accept, r.Rules)
		}
	}
}

func TestWheelsInTheAirTurnHalfAsFast(t *testing.T) {
	fastest := 0.0
	b := broken{toBase: eachDrive(func(d *protocol.Drive) { fastest = max(fastest, d.Twist.Linear) })}
	if r := b.run(t, models.MybotName, check.Options{WheelsUp: true}); !r.OK() || fastest != 0.05 {
		t.Errorf("the fastest drive line had %g m/s; %s", fastest, r.Summary())
	}
}

func TestAFaultIsNotBlamedOnOtherRules(t *testing.T) {
	b := broken{driver: withTwist(func(t robot.Twist) robot.Twist { t.Angular = -t.Angular; return t })}
	if r := b.run(t, models.MybotName, check.Options{}); !slices.Equal(r.Broken(), []string{"turns left as far as asked"}) {
		t.Errorf("%s", r.Summary())
	}
}

func TestMalformedLinesAreCounted(t *testing.T) {
	n := 0
	b := broken{fromBase: eachReading(func(r *protocol.Reading) bool {
		if n++; n == 10 {
			r.Yaw = nil
			r.Ranges = make([]int, 12)
		}
		return true
	})}
	if r := b.run(t, models.MybotName, check.Options{Still: true}); !r.OK() {
		t.Error(r.Summary())
	}
	noisy := check.Options{Still: true, Dial: func(context.Context) (check.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			_, _ = io.WriteString(theirs, "ready\n$GPGGA\n"+`{"t":"describe","protocol":9,"base":"next"}`+"\n")
			_, _ = io.Copy(io.Discard, theirs)
		}()
		return ours, nil
	}}
	r, err := check.Run(t.Context(), noisy)
	if err != nil || r.Base != "next" || len(r.Rules) != 2 || r.OK() || r.Rules[0].OK ||
		!strings.Contains(r.Rules[0].Text, "it speaks version 9 of mybot.base") || !strings.Contains(r.Rules[1].Text, "2 lines could not be read, the first one because: line ready: it does not begin with a brace") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestNoBaseMakesTheReportLong checks a base whose description has thousands of wrong keys.
func TestNoBaseMakesTheReportLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		go func() {
			lines := bufio.NewScanner(theirs)
			for lines.Scan() {
				if strings.Contains(lines.Text(), "hello") {
					var wrong strings.Builder
					for i := range 2500 {
						fmt.Fprintf(&wrong, `"k%d":1,`, i)
					}
					_, _ = io.WriteString(theirs, `{"t":"describe","protocol":1,"base":"b","robot":{`+strings.TrimSuffix(wrong.String(), ",")+"}}\n")
				}
			}
		}()
		report, err := check.Run(t.Context(), check.Options{Kind: check.Network, Still: true, Dial: func(context.Context) (check.Conn, error) { return ours, nil }})
		for _, r := range report.Rules {
			if len(r.Text) > 5000 {
				t.Errorf("the rule %q has a text of %d bytes", r.Rule, len(r.Text))
			}
		}
		if err != nil || report.OK() {
			t.Errorf("the report is %v, %v", report.Summary(), err)
		}
	})
}

// TestABusyBaseIsWaitedFor checks a base that has not yet noticed the end of the previous
// connection, and one that stays busy.
func TestABusyBaseIsWaitedFor(t *testing.T) {
	for _, c := range []struct {
		refusals int
		ok       bool
		want     string
	}{
		{3, true, "next answered after "},
		{1000, false, `for 3s it could not be connected to: the base ended the connection; it said "this base is busy"`},
	} {
		synctest.Test(t, func(t *testing.T) {
			dialed := 0
			r, err := check.Run(t.Context(), check.Options{Still: true, Dial: func(context.Context) (check.Conn, error) {
				ours, theirs := net.Pipe()
				dialed++
				refused := dialed <= c.refusals
				go func() { _, _ = io.Copy(io.Discard, theirs) }()
				go func() {
					if refused {
						_, _ = io.WriteString(theirs, `{"t":"error","text":"this base is busy"}`+"\n")
						_ = theirs.Close()
						return
					}
					_, _ = io.WriteString(theirs, `{"t":"describe","protocol":1,"base":"next"}`+"\n")
				}()
				return ours, nil
			}})
			if err != nil || r.Rules[0].OK != c.ok || !strings.Contains(r.Rules[0].Text, c.want) {
				t.Errorf("%+v, %v", r.Rules, err)
			}
		})
	}
}

func TestACheckWithoutABaseFails(t *testing.T) {
	gone := errors.New("nobody is there")
	if _, err := check.Run(t.Context(), check.Options{Dial: func(context.Context) (check.Conn, error) { return nil, gone }}); !errors.Is(err, gone) {
		t.Errorf("it ends with %v", err)
	}
}

// A computer that was busy for a moment is not the base's fault.
func TestAMomentWithFewReadingsIsNoFault(t *testing.T) {
	n := 0
	b := broken{fromBase: eachReading(func(*protocol.Reading) bool { n++; return n > 60 || n%2 == 0 })}
	if r := b.run(t, models.MybotName, check.Options{Still: true}); !r.OK() {
		t.Error(r.Summary())
	}
}
