package mapping

import (
	"context"
	"fmt"
	"io"
	"time"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/lab/navigate"
	"mybot/localization"
	"mybot/pathplan"
	"mybot/robot"
)

// gotoRow is the outcome of errands.
type gotoRow struct {
	Runs    int      `json:"runs"`             // whose goal stayed reachable
	Arrived float64  `json:"arrived_fraction"` // of them, in truth
	Ratio   float64  `json:"time_ratio_median"`
	Bumps   int      `json:"collisions"`
	Faults  []string `json:"faults"` // seed and reason
}

// runErrands runs errands in the made maps, one map after another, and the same errands with
// the building's own map.
func (s *Site) runErrands(ctx context.Context, errOut io.Writer, tables localization.Cache, made []*Made, runs int, seed uint64) (inMade, inOwn gotoRow, err error) {
	own, err := localization.NewTable(ctx, s.Plan, s.Desc, tables)
	if err != nil {
		return inMade, inOwn, fmt.Errorf("lab: %w", err)
	}
	floors := make([]*testbed.Floor, len(made))
	fits := make([]func(from, goal robot.Pose) bool, len(made))
	for i, m := range made {
		known, err := m.Known(ctx, s)
		if err != nil {
			return inMade, inOwn, err
		}
		floors[i] = &testbed.Floor{Desc: s.Desc, Plan: s.Plan, Roads: s.Roads, Table: own, Lidars: m.Lidars, Known: known}
		planner := pathplan.NewPlanner(known.Plan, s.Desc)
		fits[i] = func(from, goal robot.Pose) bool {
			_, err := planner.FindRoute(time.Time{}, known.KnownFromMap.Compose(from), known.KnownFromMap.Compose(goal))
			return err == nil
		}
	}
	type pair struct{ made, own navigate.Errand }
	pairs, err := experiment.RunParallel(ctx, errOut, "errands on "+s.Plan.Name, runs, func(ctx context.Context, n int) (p pair, err error) {
		k := n % len(floors)
		if p.made, err = navigate.RunErrand(ctx, floors[k], seed+uint64(n), fits[k]); err != nil {
			return p, err
		}
		f := *floors[k]
		f.Known = nil
		p.own, err = navigate.RunErrand(ctx, &f, seed+uint64(n), fits[k])
		return p, err
	})
	var byMade, byOwn []navigate.Errand
	for _, p := range pairs {
		byMade, byOwn = append(byMade, p.made), append(byOwn, p.own)
	}
	return sumErrands(byMade), sumErrands(byOwn), err
}

func sumErrands(errands []navigate.Errand) gotoRow {
	row := gotoRow{Faults: []string{}}
	var ratios []float64
	arrived := 0
	for _, e := range errands {
		row.Bumps += e.Bumps
		if e.Bumps > 0 || e.Counts && !e.Arrived {
			row.Faults = append(row.Faults, fmt.Sprintf("seed %d: %d collisions. %s", e.Seed, e.Bumps, e.Why))
		}
		stats.Count(&row.Runs, e.Counts)
		if e.Arrived {
			arrived++
			ratios = append(ratios, e.Took/e.Planned)
		}
	}
	row.Arrived = float64(arrived) / float64(max(1, row.Runs))
	row.Ratio = stats.Quantile(ratios, 0.5)
	return row
}

// Known returns the map with what a robot needs to drive in it.
func (m *Made) Known(ctx context.Context, s *Site) (*testbed.Known, error) {
	table, err := localization.NewTable(ctx, m.Plan, s.Desc, nil)
	if err != nil {
		return nil, fmt.Errorf("lab: %w", err)
	}
	return &testbed.Known{Plan: m.Plan, Table: table, KnownFromMap: m.MadeFromMap}, nil
}
