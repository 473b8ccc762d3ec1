// Package jobruns runs jobs: random ones on simulated robots, the job of a paper, and those of
// servers that are killed meanwhile.
package jobruns

import (
	"context"
	"fmt"
	"math"
	"strings"

	"mybot/drivers/sim"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/robot"
)

// jobsOutcome is the outcome of many random jobs.
type jobsOutcome struct {
	Runs        int          `json:"runs"`
	World       string       `json:"world,omitempty"`
	Seed        uint64       `json:"seed"`        // of the first run; the others count up
	Transitions int          `json:"transitions"` // of runs and of their steps
	Illegal     int          `json:"illegal"`     // transitions that are in no table, do not follow the previous one, or go back in time
	Moved       int          `json:"moved"`       // times the robot moved by itself while its job was paused
	Bumps       int          `json:"collisions"`
	Unfinished  int          `json:"unfinished"` // runs that were ended because they took too long
	Done        int          `json:"done"`       // SUCCESS
	Modified    int          `json:"modified"`
	Interrupted int          `json:"interrupted"`
	Calm        int          `json:"undisturbed"`             // runs without interference
	Error       float64      `json:"prediction_error_median"` // |executed - predicted| / executed, of those
	ErrorP95    float64      `json:"prediction_error_p95"`
	ErrorWorst  float64      `json:"prediction_error_worst"`
	MoveError   float64      `json:"move_error_median"` // the same of the MOVE steps alone
	MoveP95     float64      `json:"move_error_p95"`
	Ratio       stats.Shares `json:"executed_to_predicted"`     // of whole runs
	People      int          `json:"people"`                    // at most, who walk around in a run without interference
	Faster      float64      `json:"rehearsal_times_real_time"` // speed of a rehearsal relative to real time, on one core
	Faults      []oddJob     `json:"faults"`                    // runs in which something was wrong
	killOutcome
}

// oddJob is a run in which something was wrong.
type oddJob struct {
	Seed uint64 `json:"seed"` // repeats it
	What string `json:"what"`
}

func (o jobsOutcome) String() string {
	var b strings.Builder
	if o.Runs > 0 {
		fmt.Fprintf(&b, "%d random jobs in the built-in office, seeds %d to %d: real core and localizer.\n\n", o.Runs, o.Seed, o.Seed+uint64(o.Runs)-1)
		report.Fact(&b, 70, "transitions of runs and steps, illegal ones", "%d, %d", o.Transitions, o.Illegal)
		report.Fact(&b, 70, "set out by itself while the job was paused", "%d", o.Moved)
		report.Fact(&b, 70, "collisions", "%d", o.Bumps)
		report.Fact(&b, 70, "ended: SUCCESS, MODIFIED, INTERRUPTED, too late", "%d, %d, %d, %d", o.Done, o.Modified, o.Interrupted, o.Unfinished)
		report.Fact(&b, 70, "with nobody interfering", "%d", o.Calm)
		report.Fact(&b, 70, "of these, with so many people about at most", "%d", o.People)
		report.Fact(&b, 70, "rehearsal against execution: median, 95th percentile, worst", "%.1f %%, %.1f %%, %.1f %%", 100*o.Error, 100*o.ErrorP95, 100*o.ErrorWorst)
		report.Fact(&b, 70, "of MOVE steps alone: median, 95th percentile", "%.1f %%, %.1f %%", 100*o.MoveError, 100*o.MoveP95)
		report.Fact(&b, 70, "executed, in parts of what was rehearsed: 5th percentile, median, 95th", "%.2f, %.2f, %.2f", o.Ratio.P5, o.Ratio.Median, o.Ratio.P95)
		report.Fact(&b, 70, "a rehearsal against the clock, on one core", "%.0f times as fast", o.Faster)
		for _, f := range o.Faults {
			fmt.Fprintf(&b, "  seed %d: %s\n", f.Seed, f.What)
		}
	}
	if o.Kills > 0 {
		fmt.Fprintf(&b, "\n%s", &o.killOutcome)
	}
	return strings.TrimSpace(b.String())
}

// Run runs random jobs, and kills servers while they save some.
func Run(ctx context.Context, c experiment.Call) error {
	o := jobsOutcome{Faults: []oddJob{}}
	var kills int
	var world sim.Deviation
	if err := c.Parse(func(f *experiment.Flags) {
		f.Uint64Var(&o.Seed, "seed", 1, "the first `seed`")
		f.Int(&o.Runs, "runs", 1000, 0, 100000, "`how many` jobs")
		f.World(&world)
		f.Int(&o.People, "people", 0, 0, 10, "`how many` people walk about at most in runs without interference")
		f.Int(&kills, "kills", 200, 0, 10000, "`how many` servers are killed")
	}); err != nil {
		return err
	}
	desc := testbed.Mybot()
	if err := world.CheckFit(desc); err != nil {
		return c.Refuse("--world: %v", err)
	}
	if o.Runs > 0 {
		f, err := testbed.LoadOffice(ctx, c.Tables, desc)
		if err != nil {
			return err
		}
		f.World, o.World = world, world.Name
		runs, err := experiment.RunParallel(ctx, c.Err, "jobs", o.Runs, func(ctx context.Context, n int) (jobRun, error) {
			return runJob(ctx, f, o.Seed+uint64(n), o.People)
		})
		if err != nil {
			return err
		}
		o.countRuns(runs)
	}
	if kills > 0 {
		var err error
		if o.killOutcome, err = killServers(ctx, c.Err, kills, o.Seed); err != nil {
			return err
		}
	}
	return c.Print(o)
}

// countRuns counts the outcomes of the jobs.
func (o *jobsOutcome) countRuns(runs []jobRun) {
	var errs, moves, ratios []float64
	var virtual, real float64
	for n, r := range runs {
		o.Transitions += r.transitions
		o.Illegal += len(r.illegal)
		o.Moved += r.moved
		o.Bumps += r.bumps
		virtual, real = virtual+r.rehearsal.Time, real+r.rehearsing.Seconds()
		if r.late {
			o.Unfinished++
		} else {
			switch r.result.Word {
			case robot.Success:
				o.Done++
			case robot.Modified:
				o.Modified++
			default:
				o.Interrupted++
			}
		}
		what := r.illegal
		if r.moved > 0 {
			what = append(what, "It set out while the job was paused.")
		}
		if r.bumps > 0 {
			what = append(what, "It touched something.")
		}
		if r.calm {
			o.Calm++
			if r.executed > 0 {
				off := math.Abs(r.executed-r.predicted) / r.executed
				ratios = append(ratios, r.executed/r.predicted)
				if errs = append(errs, off); off > 0.1 && o.People == 0 {
					what = append(what, fmt.Sprintf("It took %.1f s; the rehearsal said %.1f s.", r.executed, r.predicted))
				}
			}
			moves = append(moves, r.moves...)
		}
		if len(what) > 0 {
			o.Faults = append(o.Faults, oddJob{o.Seed + uint64(n), strings.Join(what, " ")})
		}
	}
	o.Error, o.ErrorP95, o.ErrorWorst = stats.Quantile(errs, 0.5), stats.Quantile(errs, 0.95), stats.Quantile(errs, 1)
	o.MoveError, o.MoveP95 = stats.Quantile(moves, 0.5), stats.Quantile(moves, 0.95)
	o.Ratio = stats.SharesOf(ratios)
	if real > 0 {
		o.Faster = virtual / real
	}
}
