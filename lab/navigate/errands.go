package navigate

import (
	"context"

	"mybot/lab/internal/testbed"
	"mybot/pathplan"
	"mybot/robot"
)

// An Errand is the outcome of one of GoTo's errands.
type Errand struct {
	Seed    uint64
	Counts  bool // its goal stayed reachable
	Arrived bool // in truth
	Took    float64
	Planned float64 // s
	Bumps   int
	Why     string // reason for not arriving
}

// RunErrand runs an errand as GoTo draws it from a seed, among barrels, closing doors and
// people. fits additionally filters the start and goal, in the floor's map.
func RunErrand(ctx context.Context, f *testbed.Floor, seed uint64, fits func(from, goal robot.Pose) bool) (Errand, error) {
	meets := crowdedness{people: usualPeople, barrels: true, doors: true, fits: fits}
	e, err := drawTrial(f.Desc, f.Plan, f.Roads, pathplan.NewPlanner(f.Plan, f.Desc), seed, meets)
	if err != nil {
		return Errand{}, err
	}
	o, err := attemptTrial(ctx, f, e, attempt{helps: true})
	if err != nil {
		return Errand{}, err
	}
	r := Errand{Seed: seed, Counts: o.reachable || o.end == refused, Arrived: o.end == arrived, Took: o.took, Planned: o.planned, Bumps: o.bumps}
	if !r.Arrived {
		r.Why = string(o.end) + ": " + o.reason
	}
	return r, nil
}
