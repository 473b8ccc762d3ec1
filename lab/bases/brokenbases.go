package bases

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"mybot/drivers/base"
	"mybot/drivers/base/check"
	"mybot/lab/internal/experiment"
)

// A brokenBase is the Python example with one fault that its author might have made.
type brokenBase struct {
	fault string
	rule  string // of the check that the base breaks
	says  string // part of the expected report
	edits edits  // that cause the fault
}

const (
	drives = `self.wheels.drive(v - w * WHEEL_BASE / 2, v + w * WHEEL_BASE / 2)`
	holds  = `self.got, self.ends = n, min(until, ms() + int(1000 * HOLDS))`
	totals = `[round(x, 5) for x in self.wheels.totals]`
	rolls  = `room.roll(self.speed[0] * seconds, self.speed[1] * seconds)` // of the example with a lidar
)

// seesMotion is the rule of the check that compares the wheels with the lidar.
const seesMotion = "moves as its lidar 0 sees it"

// room is a lidar for the example, in a room of 6 m by 4.5 m.
const room = `class Room:
    """A lidar in a room, on a robot that rolls as its wheels do."""
    x, y, turned = 0.0, 0.0, 0.0

    def roll(self, left, right):
        v, w = (left + right) / 2, (right - left) / WHEEL_BASE
        self.x, self.y, self.turned = self.x + v * math.cos(self.turned), self.y + v * math.sin(self.turned), self.turned + w

    def see(self):
        sin, cos = math.sin(self.turned), math.cos(self.turned)
        x, y, mm = self.x + 0.1 * cos, self.y + 0.1 * sin, []
        for beam in range(180):
            angle = self.turned + math.radians(30 + 2 * beam)
            dx, dy = math.cos(angle), math.sin(angle)
            mm.append(round(1000 * min((4 - x if dx > 0 else 2 + x) / max(abs(dx), 1e-9), (2 - y if dy > 0 else 2.5 + y) / max(abs(dy), 1e-9))))
        return mm

room = Room()

class Wheels:`

// withLidar are the edits that add a lidar to the example.
var withLidar = edits{
	{"class Wheels:", room},
	{"import binascii,", "import math, binascii,"},
	{`"rate_hz": RATE,`, `"lidars": [{"x_m": 0.1, "y_m": 0, "heading_deg": 30, "height_m": 0.2, "from_deg": 0, "step_deg": 2, "beams": 180, "min_m": 0.1, "max_m": 8, "rate_hz": 5}], "rate_hz": RATE,`},
	{`            self.totals[i] += self.speed[i] * seconds`, `            self.totals[i] += self.speed[i] * seconds
        ` + rolls},
	{`got=self.got, refuses=self.refuses)`, `got=self.got, refuses=self.refuses)
                if self.got is not None and now - getattr(self, "saw", 0) >= 200:
                    self.saw = now
                    self.say(t="scan", ms=now, lidar=0, lasts=0, mm=room.see())`},
}

// watched returns the edits that add a lidar, and one more edit.
func watched(old, changed string) edits {
	return append(slices.Clone(withLidar), struct{ old, new string }{old, changed})
}

// brokenBases returns all of them.
func brokenBases() []brokenBase {
	const neverForgets = `self.got, self.ends = n, float("inf")`
	return []brokenBase{
		{"never forgets", "stops by itself when no line comes", "the wheels still rolled", edits{{holds, neverForgets}}},
		{"forgets after 0.4 s", "stops by itself when no line comes", "it stops after 0.", edits{{holds, `self.got, self.ends = n, ms() + 400`}}},
		{"stops only at the end of file", "stops when the connection is reset", "after the reset of the connection the wheels rolled", edits{
			{holds, neverForgets},
			{"# reset, hung up, unplugged\n                self.connect()", "\n                self.files, self.got = (), None"},
		}},
		{"left and right swapped", "turns left as far as asked", "left and right are swapped", edits{{drives, `self.wheels.drive(v + w * WHEEL_BASE / 2, v - w * WHEEL_BASE / 2)`}}},
		{"backwards", "drives forward as far as asked", "backwards: the sign", edits{{drives, `self.wheels.drive(-v - w * WHEEL_BASE / 2, -v + w * WHEEL_BASE / 2)`}}},
		{"degrees for radians", "turns left as far as asked", "takes w for degrees", edits{{drives, `w /= 57.3; ` + drives}}},
		{"millimetres for metres", "drives forward as far as asked", "the totals are in millimetres", edits{{totals, `[round(1000 * x) for x in self.wheels.totals]`}}},
		{"increments for totals", "drives forward as far as asked", "since power-on, and not since the reading before", edits{{`self.wheels.step((now - then) / 1000)`, `self.wheels.totals = [0.0, 0.0]; self.wheels.step((now - then) / 1000)`}}},
		{"ms stands still", "has a clock in milliseconds", "it must grow from reading to reading", edits{{`ms=now,`, `ms=1000,`}}},
		{"executes old numbers", "executes no number twice", "because of drive lines with an old number", edits{{` and n > self.got`, ``}}},
		{"executes what has expired", "executes nothing that has expired", "because of drive lines whose until had passed", edits{
			{` and until > ms()`, ``}, {holds, `self.got, self.ends = n, ms() + int(1000 * HOLDS)`},
		}},
		{"dies of a malformed line", "survives malformed lines", "it must skip them and continue with the next line", edits{{`except (ValueError, TypeError, LookupError, RecursionError) as fault:`, `except ZeroDivisionError as fault:`}}},
		{"hangs in a long line", "survives malformed lines", "it must skip them and continue with the next line", edits{{"    message = json.loads", "    while len(line) > 4096: pass\n    message = json.loads"}}},
		{"half the rate", "sends readings at its rate", "25", edits{{`due + 1000 // RATE`, `due + 2000 // RATE`}}},
		{"waits for a sensor in its loop", "sends readings evenly", "they should come every 20 ms", edits{{`self.wheels.step((now - then) / 1000)`, `self.steps = getattr(self, "steps", 0) + 1; time.sleep(0 if self.steps % 10 else 0.08); self.wheels.step((now - then) / 1000)`}}},
		{"a clock that is 3 % slow", "has a clock that keeps time", "% slow; within 30 s readings would come to be", edits{{`time.monotonic_ns() // 1_000_000`, `time.monotonic_ns() // 1_030_000`}}},
		{"drives on after hello", "stops at hello", "hello must stop them", edits{{"            self.stop()\n            self.got = 0 if", "            self.got = 0 if"}}},
		{"queues readings while nobody listens", "sends no old readings", "readings must be dropped while nobody is connected", edits{
			{`b"", b"", None`, `b"", getattr(self, "waits", b""), None`},
			{`if len(self.waits) < 8192:`, `if len(self.waits) < 1 << 24:`},
			{`if self.got is not None and not self.waits:`, `if True:`},
			{`got=self.got,`, `got=self.got or 0,`},
		}},
		{"the diameter for the radius", seesMotion, "perhaps the diameter stands where the radius belongs", watched(rolls, `room.roll(self.speed[0] * seconds / 2, self.speed[1] * seconds / 2)`)},
		{"left and right exchanged, with their encoders", seesMotion, "the left and the right wheel are exchanged", watched(rolls, `room.roll(self.speed[1] * seconds, self.speed[0] * seconds)`)},
		{"a lidar upside down", seesMotion, "step_deg has the wrong sign", watched(`30 + 2 * beam`, `30 - 2 * beam`)},
		{"the wrong sign of the lidar's direction", seesMotion, "heading_deg of the lidar is 30 and should be -", watched(`30 + 2 * beam`, `-30 + 2 * beam`)},
	}
}

// brokenOutcome is the report of the check on one broken base.
type brokenOutcome struct {
	Fault  string `json:"fault"`
	Caught bool   `json:"caught"`
	Rule   string `json:"rule"`
	Text   string `json:"text"`
}

type brokenBasesOutcome struct {
	Bases      []brokenOutcome `json:"bases"`
	GoodRuns   int             `json:"good_runs"` // every other run with a lidar
	GoodFailed int             `json:"good_failed"`
	GoodFaults []string        `json:"good_faults,omitempty"` // faults reported for the unbroken base
}

func (o brokenBasesOutcome) String() string {
	var b strings.Builder
	caught := 0
	for _, broken := range o.Bases {
		mark := "MISSED"
		if broken.Caught {
			mark = "caught"
			caught++
		}
		fmt.Fprintf(&b, "%s %s\n       %s: %s\n", mark, broken.Fault, broken.Rule, broken.Text)
	}
	fmt.Fprintf(&b, "%d of %d broken bases were caught. The unbroken one failed in %d of %d runs.", caught, len(o.Bases), o.GoodFailed, o.GoodRuns)
	for _, fault := range o.GoodFaults {
		fmt.Fprintf(&b, "\n  %s", fault)
	}
	return b.String()
}

// CheckBrokenBases checks the Python example without a fault, and with one fault at a time.
func CheckBrokenBases(ctx context.Context, c experiment.Call) error {
	o := brokenBasesOutcome{Bases: []brokenOutcome{}}
	var side int
	var only string
	if err := c.Parse(func(f *experiment.Flags) {
		f.Int(&o.GoodRuns, "good", 40, 0, 1000, "`how many` runs of the unbroken base, every other one with a lidar")
		f.Int(&side, "side", 6, 1, 100, "`how many` bases are checked side by side")
		f.StringVar(&only, "fault", "", "only the faults whose name contains this `word`")
	}); err != nil {
		return err
	}
	var chosen []brokenBase
	var names []string
	for _, b := range brokenBases() {
		names = append(names, b.fault)
		if strings.Contains(b.fault, only) {
			chosen = append(chosen, b)
		}
	}
	if len(chosen) == 0 {
		return c.Refuse("--fault is %q; it must be a part of %s", only, strings.Join(names, ", "))
	}
	reports := make([]check.Report, len(chosen)+o.GoodRuns)
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(side)
	for i := range reports {
		var b brokenBase
		if i < len(chosen) {
			b = chosen[i]
		} else if (i-len(chosen))%2 > 0 {
			b.edits = withLidar
		}
		all.Go(func() (err error) {
			reports[i], err = checkPython(ctx, b)
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return fmt.Errorf("lab: brokenbases: %w", err)
	}
	for i, b := range chosen {
		o.Bases = append(o.Bases, b.judge(reports[i]))
	}
	for _, r := range reports[len(chosen):] {
		if !r.OK() || r.Untried != "" {
			o.GoodFailed++
			o.GoodFaults = append(o.GoodFaults, faultsOf(r))
		}
	}
	return c.Print(o)
}

// judge reports whether a check names the fault of the base.
func (b brokenBase) judge(r check.Report) brokenOutcome {
	for _, rule := range r.Rules {
		if !rule.OK && rule.Rule == b.rule && strings.Contains(rule.Text, b.says) {
			return brokenOutcome{b.fault, true, rule.Rule, rule.Text}
		}
	}
	return brokenOutcome{b.fault, false, b.rule, faultsOf(r)}
}

// faultsOf returns the faults in a report, in words.
func faultsOf(r check.Report) string {
	var faults []string
	for _, rule := range r.Rules {
		if !rule.OK {
			faults = append(faults, rule.Rule+": "+rule.Text)
		}
	}
	if r.Untried != "" {
		faults = append(faults, r.Untried)
	}
	return strings.Join(faults, "; ")
}

// checkPython runs the base and checks it against all rules.
func checkPython(ctx context.Context, b brokenBase) (r check.Report, err error) {
	python, err := startPython(ctx, func(motorLog) (string, error) {
		text, err := pythonText()
		if err == nil {
			text, err = b.edits.apply(text)
		}
		return text, err
	})
	if err != nil {
		return r, err
	}
	defer python.stop()
	address, err := base.ParseAddress(python.address)
	if err != nil {
		return r, err
	}
	return check.Run(ctx, check.Options{Dial: func(ctx context.Context) (check.Conn, error) { return address.Dial(ctx) }})
}
