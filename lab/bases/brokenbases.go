package bases

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"mybot/drivers/base"
	"mybot/drivers/base/check"
	"mybot/lab/internal/experiment"
)

// A brokenBase is the Python example with one fault, as its author might have made it.
type brokenBase struct {
	fault string
	rule  string // of the check that the base breaks
	says  string // part of what the check must say
	edits edits  // that make the fault
}

const (
	drives = `self.wheels.drive(v - w * WHEEL_BASE / 2, v + w * WHEEL_BASE / 2)`
	holds  = `self.got, self.ends = n, min(until, ms() + int(1000 * HOLDS))`
	totals = `[round(x, 5) for x in self.wheels.totals]`
)

// brokenBases lists them.
func brokenBases() []brokenBase {
	const neverForgets = `self.got, self.ends = n, float("inf")`
	return []brokenBase{
		{"never forgets", "stops by itself when no line comes", "the wheels still rolled", edits{{holds, neverForgets}}},
		{"forgets after 0.4 s", "stops by itself when no line comes", "the wheels still rolled", edits{{holds, `self.got, self.ends = n, ms() + 400`}}},
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
		{"dies of a malformed line", "survives malformed lines", "it must skip each and continue with the next one", edits{{`except (ValueError, TypeError, LookupError, RecursionError) as fault:`, `except ZeroDivisionError as fault:`}}},
		{"hangs in a long line", "survives malformed lines", "it must skip each and continue with the next one", edits{{"    message = json.loads", "    while len(line) > 4096: pass\n    message = json.loads"}}},
		{"half the rate", "sends readings at its rate", "25", edits{{`due + 1000 // RATE`, `due + 2000 // RATE`}}},
		{"drives on after hello", "stops at hello", "hello must stop them", edits{{"            self.stop()\n            self.got = 0 if", "            self.got = 0 if"}}},
		{"queues readings while nobody listens", "sends no old readings", "readings must be dropped while nobody is connected", edits{
			{`b"", b"", None`, `b"", getattr(self, "waits", b""), None`},
			{`if len(self.waits) < 8192:`, `if len(self.waits) < 1 << 24:`},
			{`if self.got is not None and not self.waits:`, `if True:`},
			{`got=self.got,`, `got=self.got or 0,`},
		}},
	}
}

// brokenOutcome is what the check said of one broken base.
type brokenOutcome struct {
	Fault  string `json:"fault"`
	Caught bool   `json:"caught"`
	Rule   string `json:"rule"`
	Text   string `json:"text"`
}

type brokenBasesOutcome struct {
	Bases      []brokenOutcome `json:"bases"`
	GoodRuns   int             `json:"good_runs"`
	GoodFailed int             `json:"good_failed"`
	GoodFaults []string        `json:"good_faults,omitempty"` // what the check said of the unbroken one
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

// CheckBrokenBases checks the Python example as it is, and with one fault at a time.
func CheckBrokenBases(ctx context.Context, c experiment.Call) error {
	o := brokenBasesOutcome{Bases: []brokenOutcome{}}
	var side int
	var only string
	if err := c.Parse(func(f *experiment.Flags) {
		f.Int(&o.GoodRuns, "good", 20, 0, 1000, "`how many` runs of the unbroken base")
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

// faultsOf returns what a check found wrong, in words.
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

// checkPython runs the base and checks it, with all rules.
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
