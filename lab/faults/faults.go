// Package faults breaks real sockets, processes and file systems, and measures when the robot
// stops and which data survives.
package faults

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"mybot/lab/internal/chrome"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/robot"
	"mybot/robot/playout"
)

// The timing of a trial.
const (
	cruise    = chrome.SpeedLimit       // m/s, commanded by the driver
	nearly    = 0.005                   // m/s, tolerance of cruising
	steady    = 5                       // commands at cruising speed before a fault may come
	startsIn  = 40 * time.Second        // a busy computer takes long until the robot cruises
	lead      = 100 * time.Millisecond  // longest additional time of cruising, so that the fault hits all phases of all cycles
	healsIn   = 1400 * time.Millisecond // after the fault the driver's connection heals, with the key still pressed
	watched   = 1800 * time.Millisecond // after the fault a stopped robot has been observed long enough
	givenUp   = 3 * time.Second         // after the fault a moving robot has failed to stop
	lookEvery = 10 * time.Millisecond   // interval at which the truth is checked
	creep     = 0.01                    // m, or m/s, below which the robot counts as stopped
	bounces   = 0.05                    // m/s, tolerance of cruising for a robot that follows a path
	lookSlack = 60 * time.Millisecond   // tolerance for the wheels: steps of the base, and a command on its way
	// A robot that follows a path waits 2.5 s for a driver who keeps driving.
	trackHealsIn = 3 * time.Second
	trackWatched = 3500 * time.Millisecond
	trackGivenUp = 5 * time.Second
)

// maxBrowsers is how many browsers run side by side: one for each core of a small computer, and
// as many that wait.
const maxBrowsers = 4

// A fault is one way in which a robot loses its driver.
type fault struct {
	name   string
	real   string         // what is real besides the sockets: a process or Chromium; "" = nothing
	remote bool           // the server has its own process
	one    int            // only one in so many trials has it; 0 = each
	policy playout.Policy // of the driver's samples; "" = direct
	alone  bool           // only the base's own watchdog can brake
	holds  time.Duration  // of that watchdog; 0 = as described
	strike func(r *rig)   // causes the fault
	heal   func(r *rig)   // repairs it when the robot should have stopped; nil = it remains
}

// isMeasuredAtWheels reports whether braking is measured at the wheels instead of in the
// commands.
func (f fault) isMeasuredAtWheels() bool { return f.alone || f.policy == playout.Track }

// timeouts returns, as times after the fault, when it heals, until when a stopped robot is
// observed, and when a moving one has failed.
func (f fault) timeouts() (heals, looked, gaveUp time.Duration) {
	if f.policy == playout.Track {
		return trackHealsIn, trackWatched, trackGivenUp
	}
	return healsIn, watched, givenUp
}

// What is real in a trial besides its sockets.
const (
	realProcess  = "process"  // the server or the operator is a process
	realChromium = "chromium" // in addition, the operator is the page in a browser
)

// allFaults returns them in the order of the report.
func allFaults() []fault {
	loseUplink := func(lost bool) func(*rig) { return func(r *rig) { r.guest.UplinkLost.Store(lost) } }
	loseBothWays := func(lost bool) func(*rig) {
		return func(r *rig) { r.guest.UplinkLost.Store(lost); r.guest.DownlinkLost.Store(lost) }
	}
	return []fault{
		{name: "uplink lost", strike: loseUplink(true), heal: loseUplink(false)},
		{name: "both ways lost", strike: loseBothWays(true), heal: loseBothWays(false)},
		{name: "uplink lost, track", policy: playout.Track, strike: loseUplink(true), heal: loseUplink(false)},
		{name: "both ways lost, track", policy: playout.Track, strike: loseBothWays(true), heal: loseBothWays(false)},
		{
			name:   "page frozen",
			strike: func(r *rig) { r.guest.Frozen.Store(true) },
			heal:   func(r *rig) { r.guest.Frozen.Store(false) },
		},
		{name: "tab closed", strike: func(r *rig) { r.guest.CloseTab() }},
		{name: "operator's process killed", real: realProcess, strike: func(r *rig) { r.signalChild(r.operator, syscall.SIGKILL) }},
		{
			name: "server loop frozen", alone: true,
			strike: func(r *rig) { r.hit = r.base.freezeLoop() },
			heal:   func(r *rig) { r.base.thawLoop() },
		},
		{
			name: "server process frozen", real: realProcess, remote: true, one: 10, alone: true,
			strike: func(r *rig) { r.signalChild(r.server.Cmd, syscall.SIGSTOP) },
			heal:   func(r *rig) { r.signalChild(r.server.Cmd, syscall.SIGCONT) },
		},
		{name: "server process killed", real: realProcess, remote: true, alone: true, strike: func(r *rig) { r.signalChild(r.server.Cmd, syscall.SIGKILL) }},
		{
			name: "page's script hangs, Chromium", real: realChromium, one: 60,
			strike: func(r *rig) { r.hit = r.browser.BlockScripts(healsIn) },
		},
		{
			name: "page frozen, Chromium", real: realChromium, one: 60,
			strike: func(r *rig) { _ = r.browser.Signal(syscall.SIGSTOP) },
			heal:   func(r *rig) { _ = r.browser.Signal(syscall.SIGCONT) },
		},
		{name: "tab closed, Chromium", real: realChromium, one: 60, strike: func(r *rig) { _ = r.browser.CloseTab() }},
		{name: "browser killed, Chromium", real: realChromium, one: 60, strike: func(r *rig) { _ = r.browser.Signal(syscall.SIGKILL) }},
	}
}

// faultOutcome is the outcome of the trials of one fault. Times are since the fault.
type faultOutcome struct {
	Fault      string  `json:"fault"`
	Real       string  `json:"real"`      // "process" or "chromium" besides the sockets; "" = none
	Policy     string  `json:"policy"`    // of the samples: "direct" or "track"
	Measured   string  `json:"measured"`  // where braking was measured: "commands" or "wheels"
	Again      int     `json:"discarded"` // trials that were repeated because the robot did not cruise at the time of the fault
	Trials     int     `json:"trials"`
	Missed     int     `json:"missed"`        // the robot had not stopped after 3 s, or it moved again
	Worst      float64 `json:"worst_ms"`      // until the base finally began to brake: at the first command below the cruising speed, or when it dropped the last one
	Standstill float64 `json:"standstill_ms"` // longest time until the robot had stopped
	Way        float64 `json:"worst_m"`       // longest distance
}

type faultsOutcome struct {
	Faults  []faultOutcome `json:"faults"`
	Skipped string         `json:"skipped,omitempty"` // why there were no trials with Chromium
	Late    float64        `json:"late_ms"`           // the latest that the computer woke a sleeper
	Seed    uint64         `json:"seed"`
	Took    float64        `json:"took_s"`
}

func (o faultsOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "An operator drives at %g m/s in the open; then something breaks. Worst cases, in real time:\n\n", cruise)
	report.Table(&b, []string{"|%-30s", "trials|%7d", "missed|%7d", "brakes|%8.0f ms", "stands|%8.0f ms", "rolled|%7.2f m"}, o.Faults, func(f faultOutcome) []any {
		return []any{f.Fault, f.Trials, f.Missed, f.Worst, f.Standstill, f.Way}
	})
	if o.Skipped != "" {
		fmt.Fprintf(&b, "Without a real page: %s.\n", o.Skipped)
	}
	fmt.Fprintf(&b, "\nMissed is a robot that had not stopped after %v or that moved again, although the connection came back %v after the fault with the key still held. The computer itself woke sleepers up to %.0f ms late. %.0f s, seed %d.",
		givenUp, healsIn, o.Late, o.Took, o.Seed)
	return b.String()
}

// Run runs the trials of every fault, with many servers side by side.
func Run(ctx context.Context, c experiment.Call) error {
	o := faultsOutcome{}
	var trials, side int
	var only string
	var pages bool
	if err := c.Parse(func(f *experiment.Flags) {
		f.Int(&trials, "trials", 200, 1, 10000, "`how many` trials of each fault")
		f.Int(&side, "side", 140, 1, 1000, "`how many` servers run side by side")
		f.StringVar(&only, "fault", "", "only the faults whose name contains this `word`")
		f.BoolVar(&pages, "chromium", true, "also with the page in Chromium, one trial in sixty")
		f.Uint64Var(&o.Seed, "seed", 1, "`seed` of the times of the faults")
	}); err != nil {
		return err
	}
	var names []string
	var chosen, browsers []fault
	for _, f := range allFaults() {
		names = append(names, f.name)
		switch {
		case !strings.Contains(f.name, only) || f.real == realChromium && !pages:
		case f.real == realChromium:
			browsers = append(browsers, f)
		default:
			chosen = append(chosen, f)
		}
	}
	if len(chosen)+len(browsers) == 0 {
		return c.Refuse("--fault is %q; it must be a part of %s", only, strings.Join(names, ", "))
	}
	begin := time.Now()
	late := experiment.WatchLateness(ctx)
	if _, missing := chrome.FindBrowser(); missing != nil && len(browsers) > 0 {
		o.Skipped, browsers = missing.Error(), nil
	}
	var err error
	o.Faults, err = runAllTrials(ctx, chosen, trials, side, o.Seed)
	if err == nil {
		var more []faultOutcome
		more, err = runAllTrials(ctx, browsers, trials, min(side, maxBrowsers), o.Seed)
		o.Faults = append(o.Faults, more...)
	}
	o.Late = stats.Milliseconds(late())
	if err != nil {
		return fmt.Errorf("lab: faults: %w", err)
	}
	o.Took = math.Round(10*time.Since(begin).Seconds()) / 10
	return c.Print(o)
}

func newFaultOutcome(f fault) faultOutcome {
	o := faultOutcome{Fault: f.name, Real: f.real, Policy: string(playout.Direct), Measured: "commands"}
	if f.policy == playout.Track || f.real == realChromium { // the page uses the policy track
		o.Policy = string(playout.Track)
	}
	if f.isMeasuredAtWheels() {
		o.Measured = "wheels"
	}
	return o
}

// runAllTrials runs the trials of the faults in a random order, some side by side.
func runAllTrials(ctx context.Context, chosen []fault, trials, side int, seed uint64) ([]faultOutcome, error) {
	chance := rand.New(rand.NewPCG(seed, 0))
	outcomes := make([]faultOutcome, len(chosen))
	for i, f := range chosen {
		outcomes[i] = newFaultOutcome(f)
	}
	var mu sync.Mutex // guards outcomes
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(side)
	var order []int // faults of the trials
	for which, f := range chosen {
		order = append(order, slices.Repeat([]int{which}, max(1, trials/max(1, f.one)))...)
	}
	chance.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for n, which := range order {
		if ctx.Err() != nil {
			break
		}
		wait := time.Duration(chance.Int64N(int64(lead)))
		all.Go(func() error {
			got, err := runTrial(ctx, chosen[which], wait)
			if err != nil {
				return fmt.Errorf("%s: %w", chosen[which].name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			outcomes[which].countTrial(got)
			return nil
		})
		if n < side { // stagger the first ones
			time.Sleep(time.Duration(chance.Int64N(int64(2 * watched / time.Duration(side)))))
		}
	}
	return outcomes, all.Wait()
}

// countTrial adds one trial.
func (o *faultOutcome) countTrial(t trial) {
	o.Trials++
	o.Again += t.discarded
	stats.Count(&o.Missed, t.missed)
	o.Worst = max(o.Worst, stats.Milliseconds(t.braked))
	o.Standstill = max(o.Standstill, stats.Milliseconds(t.stood))
	o.Way = max(o.Way, math.Round(1000*t.distance)/1000)
}

// A trial is the motion of a robot after a fault.
type trial struct {
	braked   time.Duration // from the fault until the base finally began to brake
	stood    time.Duration // until it had stopped
	distance float64       // m
	missed   bool
	// discarded is the number of earlier attempts in which the robot did not cruise.
	discarded int
}

// errNotCruising means that the computer was too busy for the driver at the time of the fault.
// Such a trial does not count.
var errNotCruising = errors.New("the robot did not cruise when the fault came")

// runTrial runs one trial, and repeats it if the driver was lost before the fault.
func runTrial(ctx context.Context, f fault, wait time.Duration) (t trial, err error) {
	for n := range 5 {
		t, err = runTrialOnce(ctx, f, wait)
		if t.discarded = n; !errors.Is(err, errNotCruising) {
			break
		}
	}
	return t, err
}

func runTrialOnce(ctx context.Context, f fault, wait time.Duration) (t trial, err error) {
	r, err := newRig(ctx, f)
	if err != nil {
		return t, err
	}
	defer r.shutDown()
	for late := time.Now().Add(startsIn); !r.base.isCruising(); {
		if err := r.wait(lookEvery); err != nil {
			return t, err
		}
		if time.Now().After(late) {
			return t, fmt.Errorf("the robot does not reach %g m/s within %v", cruise, startsIn)
		}
	}
	if err := r.wait(wait); err != nil {
		return t, err
	}

	r.struck.Store(true)
	r.hit = time.Now()
	f.strike(r)
	at := r.hit
	from := r.base.Truth().Pose
	heal := f.heal
	heals, looked, gaveUp := f.timeouts()
	var stood robot.Pose
	for {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		time.Sleep(lookEvery)
		now, truth := time.Since(at), r.base.Truth()
		standing := math.Abs(truth.Twist.Linear) < creep
		switch {
		case t.stood == 0 && standing:
			t.stood, stood = now, truth.Pose
		case t.stood > 0 && truth.Pose.Point().Sub(stood.Point()).Norm() > creep:
			t.missed = true
		}
		if heal != nil && now > heals {
			heal(r)
			heal = nil
		}
		if now > gaveUp || now > looked && t.stood > 0 {
			break
		}
	}
	if t.stood == 0 {
		t.stood, t.missed = gaveUp, true
	}
	t.distance = r.base.Truth().Pose.Point().Sub(from.Point()).Norm()
	if f.isMeasuredAtWheels() {
		return r.base.judgeWheels(t, f, at)
	}
	braked, again, ok := r.base.findBraking(at, at.Add(t.stood))
	if !ok {
		return t, errNotCruising
	}
	t.braked = braked.Sub(at)
	t.missed = t.missed || again
	return t, nil
}
