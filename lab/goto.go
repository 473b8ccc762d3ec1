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
	Map          string   `json:"map"`
	World        string   `json:"world,omitempty"`
	Seed         uint64   `json:"seed"` // of the first run; the others count up
	Runs         int      `json:"runs"`
	Arrived      float64  `json:"arrived_fraction"` // of those whose goal stayed reachable
	Reachable    int      `json:"reachable"`        // the floor left a way, all that stood there considered
	Here         int      `json:"arrived"`
	Alone        int      `json:"arrived_alone"`   // with nobody to help, in runs of their own where somebody did
	AlonePart    float64  `json:"alone_fraction"`  // of the goals that stayed reachable then
	People       int      `json:"people"`          // at most, in each errand
	Empty        bool     `json:"empty,omitempty"` // nobody and nothing in the way
	Refused      int      `json:"refused"`         // before anything moved
	Blocked      int      `json:"blocked"`         // no way was left and the robot said so
	Unsaid       int      `json:"blocked_unsaid"`  // no way was left and it said something else, such as that it is lost
	Failed       int      `json:"failed"`          // a way was left and it did not arrive
	Bumps        int      `json:"collisions"`
	Pushed       int      `json:"walked_into"`    // people who walked into the standing robot
	Lost         int      `json:"lost"`           // runs in which it said that it did not know where it was
	Asked        int      `json:"asked"`          // runs in which somebody said "go around" or "resume"
	Helped       int      `json:"helped"`         // of those, in which it set the robot in motion
	Elsewhere    int      `json:"said_elsewhere"` // runs that said SUCCESS more than 30 cm or 20 deg off the goal in truth
	NearPasses   int      `json:"near_passes"`    // times that it came nearer than 0.35 m to somebody ahead, faster than 0.1 m/s
	Nearest      nearness `json:"min_clearance_m"`
	Pairs        int      `json:"drawn_pairs"`   // of places where the robot fits, for the errands
	RefusedPairs int      `json:"refused_pairs"` // of those, refused at once
	Off          float64  `json:"off_median_m"`
	OffP95       float64  `json:"off_p95_m"`
	Turned       float64  `json:"turned_p95_deg"`
	Ratio        float64  `json:"time_ratio_median"` // of the time it took to the time it told first
	RatioP95     float64  `json:"time_ratio_p95"`
	Way          float64  `json:"way_km"`
	Worst        float64  `json:"estimate_worst_m"` // the farthest the estimate was off
	Replans      int      `json:"replans"`
	Replan       float64  `json:"replan_p99_ms"`
	Faults       []mishap `json:"faults"` // the runs that failed or collided

	Corridors *corridorOutcome `json:"blocked_corridors,omitempty"`
	Tracking  *trackOutcome    `json:"tracking,omitempty"`
}

// nearness is how near the hull came to somebody ahead while the robot moved
// faster than 0.1 m/s, in m: of the errands that met somebody, each by its least.
type nearness struct {
	Median float64 `json:"median"`
	P5     float64 `json:"p5"`
	Least  float64 `json:"least"`
	Met    int     `json:"errands"` // that had somebody ahead within 2 m
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
		fmt.Fprintf(&b, "%d errands on %s, seeds %d to %d, %s; %.1f km.\n\n", o.Runs, o.Map, o.Seed, o.Seed+uint64(o.Runs)-1, o.describeTraffic(), o.Way)
		for _, r := range []struct {
			what  string
			value string
		}{
			{"arrived, of goals that stayed reachable", fmt.Sprintf("%d of %d, %.1f %%", o.Here, o.Reachable, 100*o.Arrived)},
			{"arrived with nobody to help, of goals that stayed reachable then", fmt.Sprintf("%d, %.1f %%", o.Alone, 100*o.AlonePart)},
			{"runs in which somebody said: go around, or resume; in which that helped", fmt.Sprintf("%d; %d", o.Asked, o.Helped)},
			{"pairs of places drawn; refused at once", fmt.Sprintf("%d; %d, %.1f %%", o.Pairs, o.RefusedPairs, 100*float64(o.RefusedPairs)/float64(max(1, o.Pairs)))},
			{"refused before anything moved", fmt.Sprint(o.Refused)},
			{"no way left, and it said so", fmt.Sprint(o.Blocked)},
			{"no way left, and it said something else", fmt.Sprint(o.Unsaid)},
			{"a way was left, and it did not arrive", fmt.Sprint(o.Failed)},
			{"collisions", fmt.Sprint(o.Bumps)},
			{"nearer than 0.35 m to somebody ahead, faster than 0.1 m/s", fmt.Sprintf("%d times", o.NearPasses)},
			{"nearest to somebody ahead while moving, median, 5th percentile, least", fmt.Sprintf("%.2f m, %.2f m, %.2f m, in %d runs that met somebody", o.Nearest.Median, o.Nearest.P5, o.Nearest.Least, o.Nearest.Met)},
			{"said SUCCESS more than 30 cm or 20 deg off the goal in truth", fmt.Sprint(o.Elsewhere)},
			{"runs in which it said it was lost", fmt.Sprint(o.Lost)},
			{"off the goal in truth, median and 95th percentile", fmt.Sprintf("%.1f cm, %.1f cm", 100*o.Off, 100*o.OffP95)},
			{"turned off the goal's heading, 95th percentile", fmt.Sprintf("%.1f deg", o.Turned)},
			{"time against the time told, median and 95th percentile", fmt.Sprintf("%.2f, %.2f", o.Ratio, o.RatioP95)},
			{"the estimate was off at worst", fmt.Sprintf("%.2f m", o.Worst)},
			{"planned again, and the 99th percentile of a Tick that does", fmt.Sprintf("%d, %.1f ms", o.Replans, o.Replan)},
		} {
			fmt.Fprintf(&b, "  %-74s %s\n", r.what, r.value)
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

// describeTraffic tells what the robot meets on its errands.
func (o gotoOutcome) describeTraffic() string {
	switch {
	case o.Empty:
		return "with nobody and nothing in the way"
	case o.People == 0:
		return "without people, with unknown obstacles and closing doors"
	}
	return fmt.Sprintf("with up to %d people, unknown obstacles and closing doors", o.People)
}

// goTo sends the robot on random errands, through blocked corridors, and along
// routes without anything in the way.
func goTo(ctx context.Context, c call) error {
	o := gotoOutcome{Faults: []mishap{}}
	var dir string
	var corridors, tracks int
	var world sim.Deviation
	asJSON, done, err := c.Parse(func(f *flag.FlagSet) {
		f.StringVar(&dir, "map", "", "a map `folder` (default the built-in office)")
		defineWorld(f, &world)
		f.Uint64Var(&o.Seed, "seed", 1, "the first `seed`")
		f.IntVar(&o.Runs, "runs", 1000, "`how many` errands, 0 to 100000")
		f.IntVar(&o.People, "people", usualPeople, "`how many` people walk about at most, 0 to 10")
		f.BoolVar(&o.Empty, "empty", false, "nobody and nothing is in the way: no people, no barrels, no doors that close")
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
	if o.People < 0 || o.People > 10 {
		return fmt.Errorf("lab: goto: --people is %d; it must be from 0 to 10; %w", o.People, ErrUsage)
	}
	if o.Empty {
		o.People = 0
	}
	desc, err := Mybot()
	if err != nil {
		return err
	}
	plan, err := LoadPlan(dir)
	if err != nil {
		return fmt.Errorf("lab: goto: --map %s: %w", dir, err)
	}
	f, err := c.newFloor(ctx, desc, plan)
	if err != nil {
		return err
	}
	f.World = world
	o.Map, o.World = plan.Name, world.Name
	runs, err := RunParallel(ctx, c.err, "errands", o.Runs, func(ctx context.Context, n int) (trialResult, error) {
		return f.errand(ctx, o.Seed+uint64(n), crowdedness{people: o.People, empty: o.Empty})
	})
	if err != nil {
		return err
	}
	o.countTrials(runs)
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
	return c.Print(asJSON, o)
}

// errand draws and runs one errand.
func (f *Floor) errand(ctx context.Context, seed uint64, meets crowdedness) (trialResult, error) {
	e, err := drawTrial(f.Desc, f.Plan, f.Roads, pathplan.NewPlanner(f.Plan, f.Desc), seed, meets)
	if err != nil {
		return trialResult{}, err
	}
	return f.run(ctx, e)
}

// RunParallel does n things on all cores, tells on errOut how far it has come,
// and returns their outcomes in order.
func RunParallel[T any](ctx context.Context, errOut io.Writer, what string, n int, do func(ctx context.Context, n int) (T, error)) ([]T, error) {
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

// countTrials counts what became of the errands.
func (o *gotoOutcome) countTrials(runs []trialResult) {
	var offs, turned, ratios, replans, nearest []float64
	aloneReachable := 0
	for n, r := range runs {
		o.Bumps += r.bumps
		o.Pushed += r.pushed
		o.Way += r.way / 1000
		o.Worst = max(o.Worst, r.worst)
		replans = append(replans, r.replan...)
		if r.lost {
			o.Lost++
		}
		if r.asked > 0 {
			o.Asked++
		}
		if r.helped > 0 {
			o.Helped++
		}
		if r.alone {
			o.Alone++
		}
		if r.aloneReachable {
			aloneReachable++
		}
		o.Pairs, o.RefusedPairs = o.Pairs+r.pairs[0], o.RefusedPairs+r.pairs[1]
		o.NearPasses += r.passes.near
		if r.passes.nearest > 0 {
			nearest = append(nearest, r.passes.nearest)
		}
		if r.end == arrived || r.elsewhere {
			offs, turned = append(offs, r.off), append(turned, robot.Degrees(r.turned))
		}
		if r.elsewhere {
			o.Elsewhere++
		}
		if r.reachable {
			o.Reachable++
		}
		bad := r.bumps > 0
		switch {
		case r.end == arrived:
			o.Here++
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
	o.AlonePart = float64(o.Alone) / float64(max(1, aloneReachable))
	o.Nearest = nearness{Quantile(nearest, 0.5), Quantile(nearest, 0.05), Quantile(nearest, 0), len(nearest)}
	o.Off, o.OffP95 = Quantile(offs, 0.5), Quantile(offs, 0.95)
	o.Turned = Quantile(turned, 0.95)
	o.Ratio, o.RatioP95 = Quantile(ratios, 0.5), Quantile(ratios, 0.95)
	o.Replans, o.Replan = len(replans), Quantile(replans, 0.99)
}
