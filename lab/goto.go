package lab

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"mybot/drivers/sim"
	"mybot/pathplan"
	"mybot/robot"
)

// gotoOutcome is how the robot went where it was sent.
type gotoOutcome struct {
	Map       string   `json:"map"`
	World     string   `json:"world,omitempty"`
	Seed      uint64   `json:"seed"` // of the first run; the others count up
	Runs      int      `json:"runs"`
	Arrived   float64  `json:"arrived_fraction"` // of those whose goal stayed reachable
	Reachable int      `json:"reachable"`        // the floor left a way, all that stood there considered
	Here      int      `json:"arrived"`
	Alone     int      `json:"arrived_alone"`  // without anybody\'s help
	Refused   int      `json:"refused"`        // before anything moved
	Blocked   int      `json:"blocked"`        // no way was left and the robot said so
	Unsaid    int      `json:"blocked_unsaid"` // no way was left and it said something else, such as that it is lost
	Failed    int      `json:"failed"`         // a way was left and it did not arrive
	Bumps     int      `json:"collisions"`
	Pushed    int      `json:"walked_into"` // people who walked into the standing robot
	Lost      int      `json:"lost"`        // runs in which it said that it did not know where it was
	Helped    int      `json:"helped"`      // runs in which somebody had to say "go around" or "resume"
	Off       float64  `json:"off_median_m"`
	OffP95    float64  `json:"off_p95_m"`
	Turned    float64  `json:"turned_p95_deg"`
	Ratio     float64  `json:"time_ratio_median"` // of the time it took to the time it told first
	RatioP95  float64  `json:"time_ratio_p95"`
	Way       float64  `json:"way_km"`
	Worst     float64  `json:"estimate_worst_m"` // the farthest the estimate was off
	Replans   int      `json:"replans"`
	Replan    float64  `json:"replan_p99_ms"`
	Faults    []mishap `json:"faults"` // the runs that failed or collided

	Corridors *corridorOutcome `json:"blocked_corridors,omitempty"`
	Tracking  *trackOutcome    `json:"tracking,omitempty"`
}

// mishap is a run that did not go as it should.
type mishap struct {
	Seed   uint64 `json:"seed"` // repeats it
	End    ending `json:"end"`
	Reason string `json:"reason,omitempty"`
	Bumps  int    `json:"collisions,omitempty"`
}

func (o gotoOutcome) String() string {
	var b strings.Builder
	if o.Runs > 0 {
		fmt.Fprintf(&b, "%d errands on %s, seeds %d to %d, with people, unknown obstacles and closing doors; %.1f km.\n\n", o.Runs, o.Map, o.Seed, o.Seed+uint64(o.Runs)-1, o.Way)
		for _, r := range []struct {
			what  string
			value string
		}{
			{"arrived, of goals that stayed reachable", fmt.Sprintf("%d of %d, %.1f %%", o.Here, o.Reachable, 100*o.Arrived)},
			{"of them without anybody's help", fmt.Sprint(o.Alone)},
			{"refused before anything moved", fmt.Sprint(o.Refused)},
			{"no way left, and it said so", fmt.Sprint(o.Blocked)},
			{"no way left, and it said something else", fmt.Sprint(o.Unsaid)},
			{"a way was left, and it did not arrive", fmt.Sprint(o.Failed)},
			{"collisions", fmt.Sprint(o.Bumps)},
			{"people who walked into the standing robot", fmt.Sprint(o.Pushed)},
			{"runs in which it said it was lost", fmt.Sprint(o.Lost)},
			{"runs in which somebody said: go around, or resume", fmt.Sprint(o.Helped)},
			{"off the goal in truth, median and 95th percentile", fmt.Sprintf("%.1f cm, %.1f cm", 100*o.Off, 100*o.OffP95)},
			{"turned off the goal's heading, 95th percentile", fmt.Sprintf("%.1f deg", o.Turned)},
			{"time against the time told, median and 95th percentile", fmt.Sprintf("%.2f, %.2f", o.Ratio, o.RatioP95)},
			{"the estimate was off at worst", fmt.Sprintf("%.2f m", o.Worst)},
			{"planned again, and the 99th percentile of a Tick that does", fmt.Sprintf("%d, %.1f ms", o.Replans, o.Replan)},
		} {
			fmt.Fprintf(&b, "  %-58s %s\n", r.what, r.value)
		}
		for _, f := range o.Faults {
			fmt.Fprintf(&b, "  seed %d: %s, %d collisions. %s\n", f.Seed, f.End, f.Bumps, f.Reason)
		}
	}
	if o.Corridors != nil {
		fmt.Fprintf(&b, "\n%s", o.Corridors)
	}
	if o.Tracking != nil {
		fmt.Fprintf(&b, "\n%s", o.Tracking)
	}
	return strings.TrimSpace(b.String())
}

// goTo sends the robot on random errands, through blocked corridors, and along
// routes without anything in the way.
func goTo(ctx context.Context, c call) error {
	o := gotoOutcome{Faults: []mishap{}}
	var dir string
	var corridors, tracks int
	var world sim.Deviation
	asJSON, done, err := c.parse(func(f *flag.FlagSet) {
		f.StringVar(&dir, "map", "", "a map `folder` (default the built-in office)")
		defineWorld(f, &world)
		f.Uint64Var(&o.Seed, "seed", 1, "the first `seed`")
		f.IntVar(&o.Runs, "runs", 1000, "`how many` errands, 0 to 100000")
		f.IntVar(&corridors, "corridors", 100, "`how many` blocked corridors, 0 to 100000")
		f.IntVar(&tracks, "tracks", 40, "on `how many` routes the tracking is measured, 0 to 100000")
	})
	if done || err != nil {
		return err
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"runs", o.Runs}, {"corridors", corridors}, {"tracks", tracks}} {
		if n.value < 0 || n.value > 100000 {
			return fmt.Errorf("lab: goto: --%s is %d; it must be from 0 to 100000; %w", n.name, n.value, ErrUsage)
		}
	}
	desc, err := mybot()
	if err != nil {
		return err
	}
	plan, err := loadFloor(dir)
	if err != nil {
		return fmt.Errorf("lab: goto: --map %s: %w", dir, err)
	}
	f, err := c.newFloor(ctx, desc, plan)
	if err != nil {
		return err
	}
	f.world = world
	o.Map, o.World = plan.Name, world.Name
	runs, err := sideBySide(ctx, c.err, "errands", o.Runs, func(ctx context.Context, n int) (errandRun, error) {
		return f.errand(ctx, o.Seed+uint64(n))
	})
	if err != nil {
		return err
	}
	o.sum(runs)
	if corridors > 0 {
		if o.Corridors, err = f.corridors(ctx, c.err, o.Seed, corridors); err != nil {
			return err
		}
	}
	if tracks > 0 {
		if o.Tracking, err = f.track(ctx, c.err, o.Seed, tracks); err != nil {
			return err
		}
	}
	return c.tell(asJSON, o)
}

// errand draws and runs one errand.
func (f *floor) errand(ctx context.Context, seed uint64) (errandRun, error) {
	e, err := newErrand(f.desc, f.plan, f.roads, pathplan.NewPlanner(f.plan, f.desc), seed)
	if err != nil {
		return errandRun{}, err
	}
	return f.run(ctx, e)
}

// sideBySide does n things on all cores, tells on errOut how far it has come,
// and returns their outcomes in order.
func sideBySide[T any](ctx context.Context, errOut io.Writer, what string, n int, do func(ctx context.Context, n int) (T, error)) ([]T, error) {
	out := make([]T, n)
	began := time.Now()
	var ready atomic.Int64
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i := range out {
		if ctx.Err() != nil {
			break
		}
		all.Go(func() (err error) {
			out[i], err = do(ctx, i)
			if k := ready.Add(1); err == nil && k%100 == 0 {
				_, _ = fmt.Fprintf(errOut, "%d of %d %s in %.0f s\n", k, n, what, time.Since(began).Seconds())
			}
			return err
		})
	}
	return out, all.Wait()
}

// sum counts what became of the errands.
func (o *gotoOutcome) sum(runs []errandRun) {
	var offs, turned, ratios, replans []float64
	for n, r := range runs {
		o.Bumps += r.bumps
		o.Pushed += r.pushed
		o.Way += r.way / 1000
		o.Worst = max(o.Worst, r.worst)
		replans = append(replans, r.replan...)
		if r.lost {
			o.Lost++
		}
		if r.helped > 0 {
			o.Helped++
		}
		if r.reachable {
			o.Reachable++
		}
		bad := r.bumps > 0
		switch {
		case r.end == arrived:
			o.Here++
			if r.helped == 0 {
				o.Alone++
			}
			offs, turned = append(offs, r.off), append(turned, robot.Degrees(r.turned))
			ratios = append(ratios, r.took/r.planned)
		case r.end == refused:
			o.Refused++
		case r.end == blocked && !r.reachable:
			o.Blocked++
		case !r.reachable:
			o.Unsaid++
		default:
			o.Failed++
			bad = true
		}
		if bad {
			o.Faults = append(o.Faults, mishap{Seed: o.Seed + uint64(n), End: r.end, Reason: r.reason, Bumps: r.bumps})
		}
	}
	o.Arrived = float64(o.Here) / float64(max(1, o.Reachable))
	o.Off, o.OffP95 = quantile(offs, 0.5), quantile(offs, 0.95)
	o.Turned = quantile(turned, 0.95)
	o.Ratio, o.RatioP95 = quantile(ratios, 0.5), quantile(ratios, 0.95)
	o.Replans, o.Replan = len(replans), quantile(replans, 0.99)
}
