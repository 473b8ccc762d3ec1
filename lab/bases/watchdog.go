package bases

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
)

const (
	lead    = 100 * time.Millisecond // longest additional time of cruising, so that the fault hits all phases of all cycles
	healsIn = 1400 * time.Millisecond
	stopsIn = 1300 * time.Millisecond // before anything heals; a base that turns later has failed
	queues  = 2 * time.Second         // during which the network delays the readings
	looked  = 1500 * time.Millisecond // after the last event, the motors are still observed
)

// A serverFault is what happens to the server of a base while the robot drives.
type serverFault struct {
	name string
	// strike causes the fault and returns its time.
	strike  func(t *watchdogTrial) (time.Time, error)
	network bool                         // it needs a network between server and base
	heal    func(t *watchdogTrial) error // nil = it does not heal
	after   time.Duration                // when it heals
}

func serverFaults() []serverFault {
	return []serverFault{
		{
			name: "frozen", after: healsIn,
			strike: func(t *watchdogTrial) (time.Time, error) { return time.Now(), t.server.Process.Signal(syscall.SIGSTOP) },
			heal:   func(t *watchdogTrial) error { return t.server.Process.Signal(syscall.SIGCONT) },
		},
		{name: "killed", strike: func(t *watchdogTrial) (time.Time, error) { return time.Now(), t.server.Process.Kill() }},
		{name: "deadlock", strike: func(t *watchdogTrial) (time.Time, error) { return t.server.Deadlock() }},
		{
			name: "queued", network: true, after: queues,
			strike: func(t *watchdogTrial) (time.Time, error) { t.network.queue.Lock(); return time.Now(), nil },
			heal:   func(t *watchdogTrial) error { t.network.queue.Unlock(); return nil },
		},
	}
}

// A watchedBase is a base of the experiment. Each trial starts a new one.
type watchedBase struct {
	name  string
	start func(context.Context) (*realBase, error)
	cable bool // and there is no network between base and server
}

// watchedBases returns the bases. It builds those that must be built, in a folder.
func watchedBases(ctx context.Context, folder string) []watchedBase {
	built := sync.OnceValue(func() error { return buildArduino(ctx, folder) })
	arduino := func(ctx context.Context) (*realBase, error) {
		if err := built(); err != nil {
			return nil, err
		}
		return startArduino(ctx, folder)
	}
	return []watchedBase{
		{"sim", func(ctx context.Context) (*realBase, error) { return startSim(ctx, overTCP) }, false},
		{"python", func(ctx context.Context) (*realBase, error) { return startPython(ctx, loggedPython) }, false},
		{"exec", func(ctx context.Context) (*realBase, error) { return startSim(ctx, overPipe) }, true},
		{"avr", arduino, true},
		{"pioneer", startPioneer, false},
	}
}

// watchdogOutcome is the outcome of the trials of one fault with one base.
type watchdogOutcome struct {
	Base     string  `json:"base"`
	Fault    string  `json:"fault"`
	Trials   int     `json:"trials"`
	Missed   int     `json:"missed"`    // the motors did not stop within 1.3 s, or turned again
	Worst    float64 `json:"worst_ms"`  // from the fault to zero at the motors
	Median   float64 `json:"median_ms"` // the same
	Again    int     `json:"discarded"` // trials that were repeated because the robot did not drive at the time of the fault
	measured []float64
}

type watchdogsOutcome struct {
	Faults []watchdogOutcome `json:"faults"`
	Notes  []string          `json:"notes"` // what was skipped, and why
	Late   float64           `json:"late_ms"`
	Seed   uint64            `json:"seed"`
}

func (o watchdogsOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "A server drives a base at %g m/s; then something happens to the server. From the fault to zero at the motors, in real time:\n\n", cruise)
	report.Table(&b, []string{"base|%-8s", "fault|%-9s", "trials|%7d", "missed|%7d", "median|%8.0f ms", "worst|%8.0f ms"}, o.Faults, func(f watchdogOutcome) []any {
		return []any{f.Base, f.Fault, f.Trials, f.Missed, f.Median, f.Worst}
	})
	for _, note := range o.Notes {
		fmt.Fprintf(&b, "%s\n", note)
	}
	fmt.Fprintf(&b, "\nMissed is a base whose motors did not stop, or turned again although the driver had not pressed a key anew. The computer itself woke sleepers up to %.0f ms late. Seed %d.", o.Late, o.Seed)
	return b.String()
}

// A row is a base and a fault of its server.
type row struct {
	start func(context.Context) (*realBase, error)
	fault serverFault
}

// MeasureWatchdogs breaks servers that drive bases, and measures when the motors stop.
func MeasureWatchdogs(ctx context.Context, c experiment.Call) error {
	o := watchdogsOutcome{Notes: []string{}}
	var trials, side int
	var onlyBase, onlyFault string
	if err := c.Parse(func(f *experiment.Flags) {
		f.Int(&trials, "trials", 50, 1, 10000, "`how many` trials of each fault with each base")
		f.Int(&side, "side", 2, 1, 100, "`how many` trials run side by side")
		f.StringVar(&onlyBase, "base", "", "only the bases whose name contains this `word`")
		f.StringVar(&onlyFault, "fault", "", "only the faults whose name contains this `word`")
		f.Uint64Var(&o.Seed, "seed", 1, "`seed` of the times of the faults")
	}); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "mybot-arduino-")
	if err != nil {
		return fmt.Errorf("lab: watchdog: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // it is a temporary folder
	var rows []row
	for _, b := range watchedBases(ctx, folder) {
		for _, f := range serverFaults() {
			if strings.Contains(b.name, onlyBase) && strings.Contains(f.name, onlyFault) && (!f.network || !b.cable) {
				rows = append(rows, row{b.start, f})
				o.Faults = append(o.Faults, watchdogOutcome{Base: b.name, Fault: f.name})
			}
		}
	}
	if len(rows) == 0 {
		return c.Refuse("there is no fault %q of a server with a base %q", onlyFault, onlyBase)
	}
	o.Notes = append(o.Notes, "There are no rows of exec and avr with queued: a pipe and a serial port are no network.")
	lateness := experiment.WatchLateness(ctx)
	err = runRows(ctx, rows, trials, side, &o)
	o.Late = stats.Milliseconds(lateness())
	if err != nil {
		return fmt.Errorf("lab: watchdog: %w", err)
	}
	return c.Print(o)
}

// runRows runs the trials of all rows in a random order.
func runRows(ctx context.Context, rows []row, trials, side int, o *watchdogsOutcome) error {
	chance := rand.New(rand.NewPCG(o.Seed, 0))
	var order []int
	for i := range rows {
		for range trials {
			order = append(order, i)
		}
	}
	chance.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	var mu sync.Mutex // guards o
	skipped := map[string]bool{}
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(side)
	for _, i := range order {
		wait := time.Duration(chance.Int64N(int64(lead)))
		all.Go(func() error {
			after, missed, again, err := tryWatchdog(ctx, rows[i], wait)
			mu.Lock()
			defer mu.Unlock()
			var lacks missing
			if out := &o.Faults[i]; errors.As(err, &lacks) {
				if !skipped[out.Base] {
					skipped[out.Base] = true
					o.Notes = append(o.Notes, fmt.Sprintf("There are no rows of %s: %v.", out.Base, lacks))
				}
				return nil
			} else if err != nil {
				return fmt.Errorf("%s, %s: %w", out.Base, out.Fault, err)
			} else {
				out.count(after, missed, again)
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	o.Faults = slices.DeleteFunc(o.Faults, func(w watchdogOutcome) bool { return w.Trials == 0 })
	return nil
}

// count adds a trial.
func (w *watchdogOutcome) count(after time.Duration, missed bool, again int) {
	w.Trials++
	w.Again += again
	stats.Count(&w.Missed, missed)
	w.measured = append(w.measured, stats.Milliseconds(after))
	w.Worst = stats.Quantile(w.measured, 1)
	w.Median = stats.Quantile(w.measured, 0.5)
}

// maxAgain is how often a trial is repeated if the robot did not drive.
const maxAgain = 5

// tryWatchdog runs one trial, and repeats it if the robot did not drive at the time of the
// fault.
func tryWatchdog(ctx context.Context, w row, wait time.Duration) (after time.Duration, missed bool, again int, err error) {
	for again = range maxAgain {
		after, missed, err = tryWatchdogOnce(ctx, w, wait)
		if !errors.Is(err, errNotCruising) {
			break
		}
	}
	return after, missed, again, err
}

// A watchdogTrial is a rig and the network between its server and its base.
type watchdogTrial struct {
	*rig
	network *network // nil = the base is not at a TCP port
}

func tryWatchdogOnce(ctx context.Context, w row, wait time.Duration) (after time.Duration, missed bool, err error) {
	base, err := w.start(ctx)
	if err != nil {
		return 0, false, err
	}
	defer base.stop()
	t := &watchdogTrial{}
	address := base.address
	if strings.HasPrefix(address, "tcp:") {
		if t.network, err = newNetwork(ctx, address); err != nil {
			return 0, false, err
		}
		defer t.network.close()
		address = t.network.address()
	}
	if t.rig, err = newRig(ctx, address, base.motors, nil); err != nil {
		return 0, false, err
	}
	defer t.shutDown()
	if err := t.waitUntilCruising(ctx); err != nil {
		return 0, false, err
	}
	if err := pause(ctx, wait); err != nil {
		return 0, false, err
	}
	t.pressed.Store(false)
	fault, err := w.fault.strike(t)
	if err != nil {
		return 0, false, err
	}
	err = pause(ctx, w.fault.after)
	if w.fault.heal != nil {
		err = errors.Join(err, w.fault.heal(t))
	}
	if err = errors.Join(err, pause(ctx, looked)); err != nil {
		return 0, false, err
	}
	return judgeStop(base.motors, fault)
}

// judgeStop returns the time from a fault to zero at the motors, and whether the motors missed
// the limit or turned again.
func judgeStop(motors motorLog, fault time.Time) (after time.Duration, missed bool, err error) {
	commands, err := motors.commands()
	if err != nil {
		return 0, false, err
	}
	if !turnedAt(commands, fault) {
		return 0, false, errNotCruising
	}
	after, ok := stopIn(byOwnClock(commands, fault), fault, stopsIn)
	if !ok {
		return stopsIn, true, nil
	}
	return after, false, nil
}
