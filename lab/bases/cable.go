package bases

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
)

const (
	minUnplugged = 300 * time.Millisecond
	maxUnplugged = 2 * time.Second
	backIn       = 30 * time.Second       // after this time, a base counts as never back
	waitsFor     = time.Second            // after the base is back, with the key still held
	settled      = 300 * time.Millisecond // after this time, a disconnected base must have stopped
)

// A cut is one way in which the line to a base breaks while the robot drives.
type cut struct {
	name      string
	transport string
	pull      func(t *cableTrial) error
	plug      func(ctx context.Context, t *cableTrial) error // nil = the server reconnects it
}

func cuts() []cut {
	plug := func(_ context.Context, t *cableTrial) error { t.network.plug(); return nil }
	return []cut{
		{"socket closed", overTCP, func(t *cableTrial) error { t.network.pull(false); return nil }, plug},
		{"socket reset", overTCP, func(t *cableTrial) error { t.network.pull(true); return nil }, plug},
		{
			"pty gone", overPTY,
			func(t *cableTrial) error { return t.base.unplug() },
			func(ctx context.Context, t *cableTrial) error { return t.base.plug(ctx) },
		},
		{"child killed", overPipe, killChild, nil},
	}
}

// killChild kills the base, which is a child of the server.
func killChild(t *cableTrial) error {
	pid, err := t.base.motors.process()
	if err != nil {
		return err
	}
	child, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return child.Kill()
}

// cableOutcome is the outcome of the trials of all cuts.
type cableOutcome struct {
	Trials     int          `json:"trials"`
	Moved      int          `json:"moved_without_press"` // the motors did not stop, or turned before the key was pressed again
	Back       back         `json:"back_s"`              // from the repair of the line to the next readings
	Ended      int          `json:"server_ended"`
	NoReason   int          `json:"no_reason"`  // the state never gave a reason
	NotDriven  int          `json:"not_driven"` // the robot did not drive after a new press
	StopsWorst float64      `json:"stops_ms"`   // from the cut to zero at the motors; a killed child is not measured
	Cuts       []cutOutcome `json:"cuts"`       // the same trials, by cut
	Notes      []string     `json:"notes"`      // what was skipped, and why
	Reasons    []string     `json:"reasons"`    // in the state
	Late       float64      `json:"late_ms"`
	Seed       uint64       `json:"seed"`
	measured   []float64
}

type back struct {
	Median float64 `json:"median"`
	Worst  float64 `json:"worst"`
}

type cutOutcome struct {
	Cut      string `json:"cut"`
	Trials   int    `json:"trials"`
	Back     back   `json:"back_s"`
	measured []float64
}

func (o cableOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "The line to a base is cut while a server drives it at %g m/s, and made whole again after %s to %s.\n\n", cruise, minUnplugged, maxUnplugged)
	report.Table(&b, []string{"cut|%-14s", "trials|%7d", "back: median|%11.2f s", "worst|%8.2f s"}, o.Cuts, func(c cutOutcome) []any {
		return []any{c.Cut, c.Trials, c.Back.Median, c.Back.Worst}
	})
	fmt.Fprintf(&b, "\nIn %d trials the motors turned without a new press in %d; the server ended in %d, the state did not say why the base was gone in %d, and a new press did not drive in %d. At the latest %.0f ms after the cut the motors were at zero.\n",
		o.Trials, o.Moved, o.Ended, o.NoReason, o.NotDriven, o.StopsWorst)
	for _, reason := range o.Reasons {
		fmt.Fprintf(&b, "The state said: %s\n", reason)
	}
	for _, note := range o.Notes {
		fmt.Fprintf(&b, "%s\n", note)
	}
	fmt.Fprintf(&b, "The computer itself woke sleepers up to %.0f ms late. Seed %d.", o.Late, o.Seed)
	return b.String()
}

// PullCables cuts the line to a base while the robot drives.
func PullCables(ctx context.Context, c experiment.Call) error {
	o := cableOutcome{Cuts: []cutOutcome{}, Notes: []string{}, Reasons: []string{}}
	var side int
	var only string
	if err := c.Parse(func(f *experiment.Flags) {
		f.Int(&o.Trials, "trials", 50, 1, 10000, "`how many` trials")
		f.Int(&side, "side", 2, 1, 100, "`how many` trials run side by side")
		f.StringVar(&only, "cut", "", "only the cuts whose name contains this `word`")
		f.Uint64Var(&o.Seed, "seed", 1, "`seed` of the times")
	}); err != nil {
		return err
	}
	var chosen []cut
	var names []string
	for _, cut := range cuts() {
		names = append(names, cut.name)
		if !strings.Contains(cut.name, only) {
			continue
		}
		if err := cut.check(); err != nil {
			o.Notes = append(o.Notes, fmt.Sprintf("There are no trials of %q: %v.", cut.name, err))
			continue
		}
		chosen = append(chosen, cut)
		o.Cuts = append(o.Cuts, cutOutcome{Cut: cut.name})
	}
	if len(chosen) == 0 {
		return c.Refuse("--cut is %q; it must be a part of %s", only, strings.Join(names, ", "))
	}
	late := experiment.WatchLateness(ctx)
	err := o.runTrials(ctx, chosen, side)
	o.Late = stats.Milliseconds(late())
	if err != nil {
		return fmt.Errorf("lab: cable: %w", err)
	}
	return c.Print(o)
}

// check returns an error if this computer lacks something that the cut needs.
func (c cut) check() error {
	if c.transport != overPTY {
		return nil
	}
	_, err := exec.LookPath("socat")
	return err
}

func (o *cableOutcome) runTrials(ctx context.Context, chosen []cut, side int) error {
	chance := rand.New(rand.NewPCG(o.Seed, 0))
	var mu sync.Mutex // guards o
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(side)
	for n := range o.Trials {
		which := n % len(chosen)
		wait := time.Duration(chance.Int64N(int64(lead)))
		unplugged := minUnplugged + time.Duration(chance.Int64N(int64(maxUnplugged-minUnplugged)))
		all.Go(func() error {
			var got cableResult
			var err error
			for range maxAgain {
				if got, err = tryCut(ctx, chosen[which], wait, unplugged); !errors.Is(err, errNotCruising) {
					break
				}
			}
			if err != nil {
				return fmt.Errorf("%s: %w", chosen[which].name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			o.count(&o.Cuts[which], got)
			return nil
		})
	}
	return all.Wait()
}

// A cableResult is the outcome of one trial.
type cableResult struct {
	moved, ended, driven bool
	reason               string
	stopped, back        time.Duration
}

func (o *cableOutcome) count(c *cutOutcome, r cableResult) {
	c.Trials++
	stats.Count(&o.Moved, r.moved)
	stats.Count(&o.Ended, r.ended)
	stats.Count(&o.NoReason, r.reason == "")
	stats.Count(&o.NotDriven, !r.driven)
	o.StopsWorst = max(o.StopsWorst, stats.Milliseconds(r.stopped))
	if said := strings.Join(strings.Fields(r.reason), " "); said != "" && len(o.Reasons) < len(o.Cuts) && c.Trials == 1 {
		o.Reasons = append(o.Reasons, c.Cut+": "+said)
	}
	o.measured = append(o.measured, r.back.Seconds())
	c.measured = append(c.measured, r.back.Seconds())
	o.Back, c.Back = backOf(o.measured), backOf(c.measured)
}

func backOf(seconds []float64) back {
	return back{stats.Round(stats.Quantile(seconds, 0.5), 1000), stats.Round(stats.Quantile(seconds, 1), 1000)}
}

// A cableTrial is a rig, and what can be cut in it.
type cableTrial struct {
	*rig
	base    *realBase
	network *network // nil = the base is not at a TCP port
	line    lineState
}

// A lineState is the state of the line to the base, from the server's states.
type lineState struct {
	mu     sync.Mutex
	up     bool
	reason string    // the first one while the line is down
	since  time.Time // arrival of the state in which up changed
}

// read handles a frame of the server.
func (l *lineState) read(frame []byte) {
	var state struct {
		Type string
		Base *struct {
			Up  bool
			Why string
		}
	}
	if json.Unmarshal(frame, &state) != nil || state.Type != "state" || state.Base == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if state.Base.Up != l.up {
		l.up, l.since = state.Base.Up, time.Now()
	}
	if !l.up && l.reason == "" {
		l.reason = state.Base.Why
	}
}

func (l *lineState) get() (up bool, since time.Time, reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up, l.since, l.reason
}

// forget clears the reason.
func (l *lineState) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reason = ""
}

func tryCut(ctx context.Context, c cut, wait, unplugged time.Duration) (r cableResult, err error) {
	t := &cableTrial{}
	if t.base, err = startSim(ctx, c.transport); err != nil {
		return r, err
	}
	defer t.base.stop()
	address := t.base.address
	if c.transport == overTCP {
		if t.network, err = newNetwork(ctx, address); err != nil {
			return r, err
		}
		defer t.network.close()
		address = t.network.address()
	}
	if t.rig, err = newRig(ctx, address, t.base.motors, t.line.read); err != nil {
		return r, err
	}
	defer t.shutDown()
	if err := errors.Join(t.waitUntilCruising(ctx), pause(ctx, wait)); err != nil {
		return r, err
	}
	t.pressed.Store(false)
	t.line.forget()
	at := time.Now()
	if err := c.pull(t); err != nil {
		return r, err
	}
	whole := at
	if c.plug != nil {
		if err := pause(ctx, unplugged); err != nil {
			return r, err
		}
		whole = time.Now()
		if err := c.plug(ctx, t); err != nil {
			return r, err
		}
	}
	if r.back, err = t.waitUntilBack(ctx, whole); err != nil {
		return r, err
	}
	if err := pause(ctx, waitsFor); err != nil {
		return r, err
	}
	if err := t.judge(&r, c, at); err != nil {
		return r, err
	}
	t.pressed.Store(true)
	r.driven = t.waitUntilCruising(ctx) == nil
	r.ended = t.server.HasEnded()
	return r, ctx.Err()
}

// waitUntilBack returns the time from the repair of the line until the server reported
// readings, at most backIn.
func (t *cableTrial) waitUntilBack(ctx context.Context, whole time.Time) (time.Duration, error) {
	for {
		up, since, reason := t.line.get()
		switch {
		case up && (reason != "" || since.After(whole)):
			return max(0, since.Sub(whole)), nil
		case time.Since(whole) > backIn:
			return backIn, nil
		}
		if err := pause(ctx, lookEvery); err != nil {
			return 0, err
		}
	}
}

// judge evaluates the motion of the motors between the cut and now.
func (t *cableTrial) judge(r *cableResult, c cut, at time.Time) error {
	_, _, r.reason = t.line.get()
	commands, err := t.motors.commands()
	if err != nil {
		return err
	}
	if !turnedAt(commands, at) {
		return errNotCruising
	}
	if c.transport != overPipe && c.transport != overPTY { // otherwise the base was killed together with its line
		after, ok := stopIn(commands, at, settled)
		r.stopped, r.moved = after, !ok
		return nil
	}
	for _, c := range commands {
		r.moved = r.moved || c.at.After(at.Add(settled)) && math.Abs(c.v) > resting
	}
	return nil
}
