package navigate

import (
	"context"
	"slices"

	"mybot/lab/internal/testbed"
)

// runTrial carries a trial out, and when a person helped once more without help.
func runTrial(ctx context.Context, f *testbed.Floor, e goalTrial) (trialResult, error) {
	o, err := attemptTrial(ctx, f, e, true)
	if err != nil {
		return o, err
	}
	alone := o
	if o.moved > 0 {
		alone, err = attemptTrial(ctx, f, e, false)
	}
	o.alone, o.aloneReachable = alone.end == arrived, alone.reachable
	if o.end == arrived {
		o.oracle, _ = oracleTime(f.Desc, f.Plan, e.from, e.goal, o.planned, o.changes)
	}
	return o, err
}

// attemptTrial carries a trial out.
func attemptTrial(ctx context.Context, f *testbed.Floor, e goalTrial, helps bool) (trialResult, error) {
	r, err := f.NewRover(e.scene, f.NewMCL(e.from, e.seed), e.seed)
	if err != nil {
		return trialResult{}, err
	}
	r.Unwatched = !helps
	ways := &wayWatch{desc: f.Desc, plan: f.Plan, from: e.from, goal: e.goal}
	e.isOpen = ways.isOpen
	events, start := slices.Clone(e.events), r.Elapsed()
	changes := []change{{held: r.World.Contents()}}
	o, err := driveToGoal(ctx, r, e, func(r *testbed.Rover) error {
		since := r.Elapsed() - start
		// Those that are not fair to the robot now happen later.
		for n := 0; n < len(events); n++ {
			if since >= events[n].at && applyEvent(r, f.Plan, events[n]) {
				changes = append(changes, change{at: since.Seconds(), held: r.World.Contents()})
				events = slices.Delete(events, n, n+1)
				n--
			}
		}
		return nil
	})
	o.changes = changes
	if err != nil || o.end == refused {
		return o, err
	}
	o.judgeByTruth()
	o.reachable = o.end == arrived || ways.isOpen(r)
	return o, nil
}
