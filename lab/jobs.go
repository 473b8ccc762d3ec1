package lab

import (
	"context"
	"flag"
	"fmt"
	"math"
	"strings"

	"mybot/drivers/sim"
	"mybot/robot"
)

// jobsOutcome is what became of many random jobs.
type jobsOutcome struct {
	Runs        int      `json:"runs"`
	World       string   `json:"world,omitempty"`
	Seed        uint64   `json:"seed"`        // of the first run; the others count up
	Transitions int      `json:"transitions"` // of runs and of their steps
	Illegal     int      `json:"illegal"`     // transitions that are in no table, do not follow the one before, or go back in time
	Moved       int      `json:"moved"`       // times the robot set out by itself while its job was paused
	Bumps       int      `json:"collisions"`
	Unfinished  int      `json:"unfinished"` // runs that had to be ended because they took too long
	Done        int      `json:"done"`       // SUCCESS
	Modified    int      `json:"modified"`
	Interrupted int      `json:"interrupted"`
	Calm        int      `json:"undisturbed"`             // runs with which nobody interfered
	Error       float64  `json:"prediction_error_median"` // |executed - predicted| / executed, of those
	ErrorP95    float64  `json:"prediction_error_p95"`
	ErrorWorst  float64  `json:"prediction_error_worst"`
	MoveError   float64  `json:"move_error_median"` // the same of the MOVE steps alone
	MoveP95     float64  `json:"move_error_p95"`
	Ratio       Shares   `json:"executed_to_predicted"`     // of whole runs
	People      int      `json:"people"`                    // at most, who walk about while nobody interferes
	Faster      float64  `json:"rehearsal_times_real_time"` // how much faster than the clock a rehearsal is, on one core
	Faults      []oddJob `json:"faults"`                    // the runs in which something was wrong
	killOutcome
}

// Shares is how something is distributed.
type Shares struct {
	P5     float64 `json:"p5"`
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
}

func SharesOf(values []float64) Shares {
	return Shares{Quantile(values, 0.05), Quantile(values, 0.5), Quantile(values, 0.95)}
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
		for _, r := range []struct{ what, value string }{
			{"transitions of runs and steps, illegal ones", fmt.Sprintf("%d, %d", o.Transitions, o.Illegal)},
			{"set out by itself while the job was paused", fmt.Sprint(o.Moved)},
			{"collisions", fmt.Sprint(o.Bumps)},
			{"ended: SUCCESS, MODIFIED, INTERRUPTED, too late", fmt.Sprintf("%d, %d, %d, %d", o.Done, o.Modified, o.Interrupted, o.Unfinished)},
			{"with nobody interfering", fmt.Sprint(o.Calm)},
			{"of these, with so many people about at most", fmt.Sprint(o.People)},
			{"rehearsal against execution: median, 95th percentile, worst", fmt.Sprintf("%.1f %%, %.1f %%, %.1f %%", 100*o.Error, 100*o.ErrorP95, 100*o.ErrorWorst)},
			{"of MOVE steps alone: median, 95th percentile", fmt.Sprintf("%.1f %%, %.1f %%", 100*o.MoveError, 100*o.MoveP95)},
			{"executed, in parts of what was rehearsed: 5th percentile, median, 95th", fmt.Sprintf("%.2f, %.2f, %.2f", o.Ratio.P5, o.Ratio.Median, o.Ratio.P95)},
			{"a rehearsal against the clock, on one core", fmt.Sprintf("%.0f times as fast", o.Faster)},
		} {
			fmt.Fprintf(&b, "  %-70s %s\n", r.what, r.value)
		}
		for _, f := range o.Faults {
			fmt.Fprintf(&b, "  seed %d: %s\n", f.Seed, f.What)
		}
	}
	if o.Kills > 0 {
		fmt.Fprintf(&b, "\n%s", &o.killOutcome)
	}
	return strings.TrimSpace(b.String())
}

// manyJobs runs random jobs, and kills servers while they keep some.
func manyJobs(ctx context.Context, c call) error {
	o := jobsOutcome{Faults: []oddJob{}}
	var kills int
	var world sim.Deviation
	asJSON, done, err := c.Parse(func(f *flag.FlagSet) {
		f.Uint64Var(&o.Seed, "seed", 1, "the first `seed`")
		f.IntVar(&o.Runs, "runs", 1000, "`how many` jobs, 0 to 100000")
		defineWorld(f, &world)
		f.IntVar(&o.People, "people", 0, "`how many` people walk about at most where nobody interferes, 0 to 10")
		f.IntVar(&kills, "kills", 200, "`how many` servers are killed, 0 to 10000")
	})
	if done || err != nil {
		return err
	}
	switch {
	case o.Runs < 0 || o.Runs > 100000:
		return fmt.Errorf("lab: jobs: --runs is %d; it must be from 0 to 100000; %w", o.Runs, ErrUsage)
	case o.People < 0 || o.People > 10:
		return fmt.Errorf("lab: jobs: --people is %d; it must be from 0 to 10; %w", o.People, ErrUsage)
	case kills < 0 || kills > 10000:
		return fmt.Errorf("lab: jobs: --kills is %d; it must be from 0 to 10000; %w", kills, ErrUsage)
	}
	desc, err := Mybot()
	if err != nil {
		return err
	}
	if o.Runs > 0 {
		f, err := c.office(ctx, desc)
		if err != nil {
			return err
		}
		f.World, o.World = world, world.Name
		runs, err := RunParallel(ctx, c.err, "jobs", o.Runs, func(ctx context.Context, n int) (jobRun, error) {
			return f.job(ctx, o.Seed+uint64(n), o.People)
		})
		if err != nil {
			return err
		}
		o.countRuns(runs)
	}
	if kills > 0 {
		if o.killOutcome, err = killServers(ctx, c.err, kills, o.Seed); err != nil {
			return err
		}
	}
	return c.Print(asJSON, o)
}

// countRuns counts what became of the jobs.
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
	o.Error, o.ErrorP95, o.ErrorWorst = Quantile(errs, 0.5), Quantile(errs, 0.95), Quantile(errs, 1)
	o.MoveError, o.MoveP95 = Quantile(moves, 0.5), Quantile(moves, 0.95)
	o.Ratio = SharesOf(ratios)
	if real > 0 {
		o.Faster = virtual / real
	}
}
