package navigate

import (
	"context"
	"slices"
	"time"

	"mybot/lab/internal/testbed"
	"mybot/pathplan"
)

// runTrial carries a trial out, and when a person helped once more without help.
func runTrial(ctx context.Context, f *testbed.Floor, e goalTrial) (trialResult, error) {
	o, err := attemptTrial(ctx, f, e, true)
	alone := o
	if err == nil && o.helped > 0 {
		alone, err = attemptTrial(ctx, f, e, false)
	}
	o.alone, o.aloneReachable = alone.end == arrived, alone.reachable
	return o, err
}

// attemptTrial carries a trial out.
func attemptTrial(ctx context.Context, f *testbed.Floor, e goalTrial, helps bool) (trialResult, error) {
	r, err := f.NewRover(e.scene, f.NewMCL(e.from, e.seed), e.seed)
	if err != nil {
		return trialResult{}, err
	}
	r.Unwatched = !helps
	events, start := slices.Clone(e.events), r.Elapsed()
	o, err := driveToGoal(ctx, r, e, func(r *testbed.Rover) error {
		// Those that are not fair to the robot now happen later.
		for n := 0; n < len(events); n++ {
			if r.Elapsed()-start >= events[n].at && applyEvent(r, f.Plan, events[n]) {
				events = slices.Delete(events, n, n+1)
				n--
			}
		}
		return nil
	})
	if err != nil || o.end == refused {
		return o, err
	}
	o.judgeByTruth()
	o.reachable = o.end == arrived
	if !o.reachable {
		planner := pathplan.NewPlanner(addContents(f.Plan, r.World.Contents()), f.Desc)
		from := r.Truth.Pose
		if !planner.CanBegin(from.Point()) { // it has come too near to a barrel by itself
			from = e.from
		}
		_, err := planner.FindRoute(time.Time{}, from, e.goal)
		o.reachable = err == nil
	}
	return o, nil
}
