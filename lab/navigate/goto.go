// Package navigate sends simulated robots to goals, among people, barrels and
// closing doors, and judges by the truth whether they arrive.
package navigate

import (
	"context"
	"fmt"
	"strings"

	"mybot/drivers/sim"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/maps"
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
	Alone        int      `json:"arrived_alone"`   // without help, in runs of their own where a person helped
	AlonePart    float64  `json:"alone_fraction"`  // of the goals that stayed reachable then
	People       int      `json:"people"`          // at most, in each trial
	Empty        bool     `json:"empty,omitempty"` // no people and nothing in the way
	Refused      int      `json:"refused"`         // before anything moved
	Blocked      int      `json:"blocked"`         // no way was left and the robot said so
	Unsaid       int      `json:"blocked_unsaid"`  // no way was left and it said something else, such as that it is lost
	Failed       int      `json:"failed"`          // a way was left and it did not arrive
	Bumps        int      `json:"collisions"`
	Pushed       int      `json:"walked_into"`    // people who walked into the standing robot
	Lost         int      `json:"lost"`           // runs in which it said that it did not know where it was
	Asked        int      `json:"asked"`          // runs in which a person said "go around" or "resume"
	Helped       int      `json:"helped"`         // of those, in which it set the robot in motion
	Elsewhere    int      `json:"said_elsewhere"` // runs that said SUCCESS more than 30 cm or 20 deg off the goal in truth
	NearPasses   int      `json:"near_passes"`    // times that it came nearer than 0.35 m to a person ahead, faster than 0.1 m/s
	Nearest      nearness `json:"min_clearance_m"`
	Pairs        int      `json:"drawn_pairs"`   // of places where the robot fits, for the trials
	RefusedPairs int      `json:"refused_pairs"` // of those, refused at once
	Off          float64  `json:"off_median_m"`
	OffP95       float64  `json:"off_p95_m"`
	Turned       float64  `json:"turned_p95_deg"`
	Ratio        float64  `json:"time_ratio_median"` // of the time it took to the time it announced first
	RatioP95     float64  `json:"time_ratio_p95"`
	Way          float64  `json:"way_km"`
	Worst        float64  `json:"estimate_worst_m"` // the farthest the estimate was off
	Replans      int      `json:"replans"`
	Replan       float64  `json:"replan_p99_ms"`
	Faults       []mishap `json:"faults"` // the runs that failed or collided

	Corridors *corridorOutcome `json:"blocked_corridors,omitempty"`
	Tracking  *trackOutcome    `json:"tracking,omitempty"`
}

// nearness is how near the hull came to a person ahead while the robot moved
// faster than 0.1 m/s, in m: of the trials that met a person, each by its least.
type nearness struct {
	Median float64 `json:"median"`
	P5     float64 `json:"p5"`
	Least  float64 `json:"least"`
	Met    int     `json:"errands"` // that had a person ahead within 2 m
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
		report.Fact(&b, 74, "arrived, of goals that stayed reachable", "%d of %d, %.1f %%", o.Here, o.Reachable, 100*o.Arrived)
		report.Fact(&b, 74, "arrived with nobody to help, of goals that stayed reachable then", "%d, %.1f %%", o.Alone, 100*o.AlonePart)
		report.Fact(&b, 74, "runs in which the watching person said: go around, or resume; in which that helped", "%d; %d", o.Asked, o.Helped)
		report.Fact(&b, 74, "pairs of places drawn; refused at once", "%d; %d, %.1f %%", o.Pairs, o.RefusedPairs, 100*float64(o.RefusedPairs)/float64(max(1, o.Pairs)))
		report.Fact(&b, 74, "refused before anything moved", "%d", o.Refused)
		report.Fact(&b, 74, "no way left, and it said so", "%d", o.Blocked)
		report.Fact(&b, 74, "no way left, and it said something else", "%d", o.Unsaid)
		report.Fact(&b, 74, "a way was left, and it did not arrive", "%d", o.Failed)
		report.Fact(&b, 74, "collisions", "%d", o.Bumps)
		report.Fact(&b, 74, "nearer than 0.35 m to a person ahead, faster than 0.1 m/s", "%d times", o.NearPasses)
		report.Fact(&b, 74, "nearest to a person ahead while moving, median, 5th percentile, least", "%.2f m, %.2f m, %.2f m, in %d runs that met a person", o.Nearest.Median, o.Nearest.P5, o.Nearest.Least, o.Nearest.Met)
		report.Fact(&b, 74, "said SUCCESS more than 30 cm or 20 deg off the goal in truth", "%d", o.Elsewhere)
		report.Fact(&b, 74, "runs in which it said it was lost", "%d", o.Lost)
		report.Fact(&b, 74, "off the goal in truth, median and 95th percentile", "%.1f cm, %.1f cm", 100*o.Off, 100*o.OffP95)
		report.Fact(&b, 74, "turned off the goal's heading, 95th percentile", "%.1f deg", o.Turned)
		report.Fact(&b, 74, "time against the time told, median and 95th percentile", "%.2f, %.2f", o.Ratio, o.RatioP95)
		report.Fact(&b, 74, "the estimate was off at worst", "%.2f m", o.Worst)
		report.Fact(&b, 74, "planned again, and the 99th percentile of a Tick that does", "%d, %.1f ms", o.Replans, o.Replan)
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

// describeTraffic says what the robot meets on its trials.
func (o gotoOutcome) describeTraffic() string {
	switch {
	case o.Empty:
		return "with nobody and nothing in the way"
	case o.People == 0:
		return "without people, with unknown obstacles and closing doors"
	}
	return fmt.Sprintf("with up to %d people, unknown obstacles and closing doors", o.People)
}

// GoTo sends the robot on random trials, through blocked corridors, and along
// routes without anything in the way.
func GoTo(ctx context.Context, c experiment.Call) error {
	o := gotoOutcome{Faults: []mishap{}}
	var dir, robotFile string
	var corridors, tracks int
	var world sim.Deviation
	if err := c.Parse(func(f *experiment.Flags) {
		f.StringVar(&dir, "map", "", "a map `folder`, or "+maps.List()+" (default the built-in office)")
		f.StringVar(&robotFile, "robot", "", "the `robot`: mybot, lidar, lidar+sonar, or a file that describes another one (default mybot)")
		f.World(&world)
		f.Uint64Var(&o.Seed, "seed", 1, "the first `seed`")
		f.Int(&o.Runs, "runs", 1000, 0, 100000, "`how many` errands")
		f.Int(&o.People, "people", usualPeople, 0, 10, "`how many` people walk about at most")
		f.BoolVar(&o.Empty, "empty", false, "an empty floor: no people, no barrels, no closing doors")
		f.Int(&corridors, "corridors", 100, 0, 100000, "`how many` blocked corridors")
		f.Int(&tracks, "tracks", 40, 0, 100000, "on `how many` routes the tracking is measured")
	}); err != nil {
		return err
	}
	if o.Empty {
		o.People = 0
	}
	desc, err := testbed.LoadRobot(robotFile)
	if err != nil {
		return err
	}
	if err := world.CheckFit(desc); err != nil {
		return c.Refuse("--world: %v", err)
	}
	plan, err := testbed.LoadPlan(dir)
	if err != nil {
		return fmt.Errorf("lab: goto: --map %s: %w", dir, err)
	}
	f, err := testbed.NewFloor(ctx, c.Tables, desc, plan)
	if err != nil {
		return err
	}
	f.World = world
	o.Map, o.World = plan.Name, world.Name
	runs, err := experiment.RunParallel(ctx, c.Err, "errands", o.Runs, func(ctx context.Context, n int) (trialResult, error) {
		return drawAndRunTrial(ctx, f, o.Seed+uint64(n), crowdedness{people: o.People, empty: o.Empty})
	})
	if err != nil {
		return err
	}
	o.countTrials(runs)
	if corridors > 0 {
		if o.Corridors, err = blockCorridors(ctx, f, c.Err, o.Seed, corridors); err != nil {
			return err
		}
	}
	if tracks > 0 {
		if o.Tracking, err = measureTracking(ctx, f, c.Err, o.Seed, tracks); err != nil {
			return err
		}
	}
	return c.Print(o)
}

// drawAndRunTrial draws and runs one trial.
func drawAndRunTrial(ctx context.Context, f *testbed.Floor, seed uint64, meets crowdedness) (trialResult, error) {
	e, err := drawTrial(f.Desc, f.Plan, f.Roads, pathplan.NewPlanner(f.Plan, f.Desc), seed, meets)
	if err != nil {
		return trialResult{}, err
	}
	return runTrial(ctx, f, e)
}

// countTrials counts what became of the trials.
func (o *gotoOutcome) countTrials(runs []trialResult) {
	var offs, turned, ratios, replans, nearest []float64
	aloneReachable := 0
	for n, r := range runs {
		o.Bumps += r.bumps
		o.Pushed += r.pushed
		o.Way += r.distance / 1000
		o.Worst = max(o.Worst, r.worst)
		replans = append(replans, r.replan...)
		stats.Count(&o.Lost, r.lost)
		stats.Count(&o.Asked, r.asked > 0)
		stats.Count(&o.Helped, r.helped > 0)
		stats.Count(&o.Alone, r.alone)
		stats.Count(&aloneReachable, r.aloneReachable)
		o.Pairs, o.RefusedPairs = o.Pairs+r.pairs[0], o.RefusedPairs+r.pairs[1]
		o.NearPasses += r.passes.Near
		if r.passes.Nearest > 0 {
			nearest = append(nearest, r.passes.Nearest)
		}
		if r.end == arrived || r.elsewhere {
			offs, turned = append(offs, r.off), append(turned, robot.Degrees(r.turned))
		}
		stats.Count(&o.Elsewhere, r.elsewhere)
		stats.Count(&o.Reachable, r.reachable)
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
	o.Nearest = nearness{stats.Quantile(nearest, 0.5), stats.Quantile(nearest, 0.05), stats.Quantile(nearest, 0), len(nearest)}
	o.Off, o.OffP95 = stats.Quantile(offs, 0.5), stats.Quantile(offs, 0.95)
	o.Turned = stats.Quantile(turned, 0.95)
	o.Ratio, o.RatioP95 = stats.Quantile(ratios, 0.5), stats.Quantile(ratios, 0.95)
	o.Replans, o.Replan = len(replans), stats.Quantile(replans, 0.99)
}
