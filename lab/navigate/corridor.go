package navigate

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/pathplan"
	"mybot/robot"
)

// corridorOutcome is the outcome of runs whose route was blocked in front of the robot.
type corridorOutcome struct {
	Runs    int      `json:"runs"`
	Across  int      `json:"across"` // of them, with a row of barrels from wall to wall; the others have one barrel
	Arrived int      `json:"arrived"`
	Bumps   int      `json:"collisions"`
	Helped  int      `json:"helped"`        // runs in which a person pressed "go around" or "resume"
	Needed  int      `json:"helped_needed"` // of those, in which a path existed in truth at that time
	Replans int      `json:"replans"`
	Replan  float64  `json:"replan_p99_ms"` // from the reading at which it plans again to the next command
	Longest float64  `json:"replan_max_ms"`
	Stood   float64  `json:"stood_median_s"`     // from when the barrels appeared until the robot drove on, over the runs in which it stopped
	Before1 float64  `json:"stood_one_median_s"` // the same with one barrel, and 0 if the robot did not stop
	Faults  []mishap `json:"faults"`
}

func (o corridorOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d blocked corridors, %d of them from wall to wall for half a minute or more: %d arrived, %d collisions; a person pressed in %d, in %d of them while a way was open. Replanned %d times, 99th percentile %.1f ms, at most %.1f ms; it stood %.1f s in the middle, before one barrel %.1f s.\n",
		o.Runs, o.Across, o.Arrived, o.Bumps, o.Helped, o.Needed, o.Replans, o.Replan, o.Longest, o.Stood, o.Before1)
	for _, f := range o.Faults {
		fmt.Fprintf(&b, "  seed %d: %s, %d collisions. %s\n", f.Seed, f.End, f.Bumps, f.Reason)
	}
	return b.String()
}

const (
	barrelsFrom  = 2.5              // m along the route, from the start and from the goal
	barrelsNear  = 1.2              // m, least distance from the robot at which barrels appear
	barrelsFar   = 3.0              // and greatest
	barrelRadius = 0.2              // m
	barrelApart  = 0.65             // m between the centres in a row
	barrelsStay  = 30 * time.Second // at least
	barrelsMore  = 30 * time.Second // additional time, at most
)

// blockCorridors runs the runs with a blocked route.
func blockCorridors(ctx context.Context, f *testbed.Floor, errOut io.Writer, seed uint64, runs int) (*corridorOutcome, error) {
	outcomes, err := experiment.RunParallel(ctx, errOut, "blocked corridors", runs, func(ctx context.Context, n int) (corridorRun, error) {
		return blockCorridor(ctx, f, seed+uint64(n), n%2 == 0)
	})
	if err != nil {
		return nil, err
	}
	o := &corridorOutcome{Runs: runs, Across: (runs + 1) / 2, Faults: []mishap{}}
	var replans, stood, beforeOne []float64
	for n, r := range outcomes {
		replans = append(replans, r.replan...)
		o.Bumps += r.bumps
		stats.Count(&o.Helped, r.asked > 0)
		stats.Count(&o.Needed, r.needed > 0)
		if r.stood > 0 {
			stood = append(stood, r.stood)
		}
		if !r.across {
			beforeOne = append(beforeOne, r.stood)
		}
		stats.Count(&o.Arrived, r.end == arrived)
		if r.end != arrived || r.bumps > 0 {
			o.Faults = append(o.Faults, mishap{Seed: seed + uint64(n), End: r.end, Reason: r.reason, Bumps: r.bumps})
		}
	}
	o.Replans, o.Replan, o.Longest = len(replans), stats.Quantile(replans, 0.99), stats.Quantile(replans, 1)
	o.Stood, o.Before1 = stats.Quantile(stood, 0.5), stats.Quantile(beforeOne, 0.5)
	return o, nil
}

// corridorRun is one run.
type corridorRun struct {
	trialResult
	across bool
	stood  float64 // s
}

// blockCorridor sends the robot to a goal and puts barrels on its route.
func blockCorridor(ctx context.Context, f *testbed.Floor, seed uint64, across bool) (corridorRun, error) {
	rng := rand.New(rand.NewPCG(seed, 92))
	e := goalTrial{seed: seed, scene: testbed.NewScene("nominal", f.Plan, f.Roads, rng)}
	planner := pathplan.NewPlanner(f.Plan, f.Desc)
	var route pathplan.Route
	for route.Length < 2*barrelsFrom+1 {
		var err error
		if route, err = e.choosePoses(f.Plan, planner, nil, rng); err != nil {
			return corridorRun{}, err
		}
	}
	e.scene.Start = e.from
	e.lasts = extraTime + 3*time.Duration(route.Time*float64(time.Second))
	along := barrelsFrom + rng.Float64()*(route.Length-2*barrelsFrom)
	at := 0
	for at+1 < len(route.Points) && route.Points[at].Along < along {
		at++
	}
	b := barrels{
		at:    barrelRow(&f.Plan.Grid, route.Points[at], across),
		near:  barrelsNear + (barrelsFar-barrelsNear)*rng.Float64(),
		stays: barrelsStay + time.Duration(rng.Float64()*float64(barrelsMore)),
	}
	r, err := f.NewRover(e.scene, f.NewMCL(e.from, e.seed), e.seed)
	if err != nil {
		return corridorRun{}, err
	}
	e.isOpen = (&wayWatch{desc: f.Desc, plan: f.Plan, from: e.from, goal: e.goal}).isOpen
	o, err := driveToGoal(ctx, r, e, b.updateBarrels)
	o.judgeByTruth()
	return corridorRun{trialResult: o, across: across, stood: b.stood}, err
}

// barrelRow returns the places of barrels that block a route, from wall to wall or only in the
// middle.
func barrelRow(g *robot.Grid, w pathplan.Waypoint, across bool) []robot.Point {
	row := []robot.Point{w.Point}
	if !across {
		return row
	}
	sin, cos := math.Sincos(w.Heading)
	for _, side := range [2]float64{-1, 1} {
		for k := 1.0; k < 6; k++ {
			p := w.Point.Add(robot.Point{X: -sin * side * k * barrelApart, Y: cos * side * k * barrelApart})
			if g.At(p) != robot.Free {
				break
			}
			row = append(row, p)
		}
	}
	return row
}

// barrels appear in front of the robot and disappear later.
type barrels struct {
	at    []robot.Point
	near  float64 // m from the robot when they appear
	stays time.Duration

	things []int
	since  time.Duration // when they appeared, in the run
	gone   bool
	from   robot.Point // where the robot first stopped
	stood  float64     // s
	rests  bool
}

// updateBarrels adds the barrels when the robot is near, and removes them later.
func (b *barrels) updateBarrels(r *testbed.Rover) error {
	at := r.Truth.Pose.Point()
	switch {
	case len(b.things) == 0 && !b.gone:
		least := math.Inf(1)
		for _, p := range b.at {
			least = min(least, at.Sub(p).Norm())
		}
		if least > b.near {
			return nil
		}
		if least < putApart+barrelRadius { // the robot came too near unnoticed
			b.gone = true
			return nil
		}
		for _, p := range b.at {
			id, err := r.World.AddThing(sim.ObstacleKind, p, barrelRadius)
			if err != nil {
				return fmt.Errorf("lab: goto: %w", err)
			}
			b.things = append(b.things, id)
		}
		b.since = r.Elapsed()
	case len(b.things) > 0 && !b.gone && r.Elapsed()-b.since > b.stays:
		for _, id := range b.things {
			if err := r.World.RemoveThing(id); err != nil {
				return fmt.Errorf("lab: goto: %w", err)
			}
		}
		b.gone = true
	}
	if len(b.things) > 0 && b.stood == 0 {
		switch {
		case !b.rests && r.Rested:
			b.rests, b.from = true, at
		case b.rests && at.Sub(b.from).Norm() > 0.2:
			b.stood = (r.Elapsed() - b.since).Seconds()
		}
	}
	return nil
}
