package planning

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/pathplan"
	"mybot/robot"
)

// routeOutcome is how fast the via graph answers queries, and how fast whole routes are
// planned.
type routeOutcome struct {
	Seed    uint64     `json:"seed"`
	Repeats int        `json:"repeats"` // the fastest one counts
	Rows    []routeRow `json:"rows"`
}

// routeRow is the outcome on one floor.
type routeRow struct {
	Map      string  `json:"map"`
	Nodes    int     `json:"nodes"`
	Edges    int     `json:"edges"`
	Queries  int     `json:"queries"`
	Mean     float64 `json:"mean_ms"` // on the graph, including the connections of start and goal
	P99      float64 `json:"p99_ms"`
	Found    float64 `json:"found_fraction"`
	Via      float64 `json:"via_mean"`      // via points on a route
	Plan     float64 `json:"plan_mean_ms"`  // the whole route, with rounding, clearance and times
	PlanP99  float64 `json:"plan_p99_ms"`   //
	Replan   float64 `json:"replan_p99_ms"` // after an obstacle appeared on the route
	Detoured int     `json:"detoured"`      // of those, planned around the obstacle
}

func (o routeOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Routes over the via graph, seed %d. Over the graph: joined to it and searched. Whole: the finished route. Again: after it was blocked.\n\n", o.Seed)
	report.Table(&b, []string{"map|%-24s", "nodes|%6d", "edges|%6d", "over the graph| %7.4f ms p99 %7.4f", "whole| %7.3f ms p99 %7.3f", "           again| p99 %7.3f ms"}, o.Rows, func(r routeRow) []any {
		return []any{r.Map, r.Nodes, r.Edges, r.Mean, r.P99, r.Plan, r.PlanP99, r.Replan}
	})
	return strings.TrimRight(b.String(), "\n")
}

// MeasureGraph measures the via graph on drawn floors of 100 and 10,000 via points, or
// on the graph of a map folder.
func MeasureGraph(ctx context.Context, c experiment.Call) error {
	var dir string
	var queries int
	o := routeOutcome{}
	if err := c.Parse(func(f *experiment.Flags) {
		f.StringVar(&dir, "map", "", "a map `folder`; the built-in office and two drawn floors when not given")
		f.Int(&queries, "queries", 200, 1, 100000, "`how many` random queries a floor")
		f.Int(&o.Repeats, "repeats", 3, 1, 1000, "`how often` each query is timed; the fastest time counts; {}")
		f.Uint64Var(&o.Seed, "seed", 1, "`seed` of the queries and the drawn floors")
	}); err != nil {
		return err
	}
	desc := testbed.Mybot()
	floor, err := testbed.LoadPlan(dir)
	if err != nil {
		return fmt.Errorf("lab: route: --map %s: %w", dir, err)
	}
	floors := []*robot.Floorplan{floor}
	if dir == "" {
		floors = append(floors, drawnFloor(10, o.Seed), drawnFloor(100, o.Seed))
	}
	for _, floor := range floors {
		row, err := measureRoutes(ctx, floor, desc, queries, o.Repeats, o.Seed)
		if err != nil {
			return err
		}
		o.Rows = append(o.Rows, row)
	}
	return c.Print(o)
}

// measureRoutes runs random queries on one floor.
func measureRoutes(ctx context.Context, floor *robot.Floorplan, desc robot.Description, queries, repeats int, seed uint64) (routeRow, error) {
	planner := pathplan.NewPlanner(floor, desc)
	row := routeRow{Map: floor.Name, Nodes: planner.Graph().CountNodes(), Edges: planner.Graph().CountEdges(), Queries: queries}
	rng := rand.New(rand.NewPCG(seed, 2))
	place := func() (robot.Pose, bool) {
		for range 10000 {
			p := testbed.RandomPose(&floor.Grid, rng)
			if planner.IsDrivable(p.Point()) {
				return p, true
			}
		}
		return robot.Pose{}, false
	}
	now := time.Unix(0, 0)
	var graph, whole, again []float64
	for range queries {
		if err := ctx.Err(); err != nil {
			return row, err
		}
		from, ok := place()
		to, also := place()
		if !ok || !also {
			return row, fmt.Errorf("lab: route: the robot fits nowhere on the floor %q", floor.Name)
		}
		var route pathplan.Route
		var err error
		graph = append(graph, fastestOf(repeats, func() { planner.PathByGraph(now, from.Point(), to.Point()) }))
		whole = append(whole, fastestOf(repeats, func() { route, err = planner.FindRoute(now, from, to) }))
		if err != nil {
			continue
		}
		row.Found += 1 / float64(queries)
		row.Via += float64(len(route.Via)) / float64(queries)
		if route.Length < 4 {
			continue
		}
		// An obstacle in the middle of the route.
		n := len(route.Points) / 2
		standing := route.Points[n-10]
		pose := robot.Pose{X: standing.Point.X, Y: standing.Point.Y, Theta: standing.Heading}
		again = append(again, fastestOf(repeats, func() {
			planner.Block(now, standing.Point, route.Points[n].Point)
			_, err = planner.FindRoute(now, pose, to)
		}))
		if err == nil {
			row.Detoured++
		}
		planner.Unblock()
	}
	row.Mean, row.P99 = stats.MeanAndP99(graph)
	row.Plan, row.PlanP99 = stats.MeanAndP99(whole)
	_, row.Replan = stats.MeanAndP99(again)
	return row, nil
}

// fastestOf returns the shortest duration of do in a number of calls, in ms.
func fastestOf(repeats int, do func()) float64 {
	best := math.Inf(1)
	for range repeats {
		began := time.Now()
		do()
		best = math.Min(best, time.Since(began).Seconds()*1000)
	}
	return best
}

// drawnFloor returns a hall with side x side via points, 1.5 m apart and connected to their
// neighbours, between pillars.
func drawnFloor(side int, seed uint64) *robot.Floorplan {
	const apart, cell = 1.5, 0.15
	rng := rand.New(rand.NewPCG(seed, 3))
	n := int(math.Ceil((float64(side) + 1) * apart / cell))
	plan := &robot.Floorplan{
		Name: fmt.Sprintf("hall of %d via points", side*side),
		Grid: robot.Grid{Width: n, Height: n, Resolution: cell, Cells: make([]robot.Cell, n*n)},
	}
	for i := range plan.Grid.Cells {
		plan.Grid.Cells[i] = robot.Free
		if x, y := i%n, i/n; x == 0 || y == 0 || x == n-1 || y == n-1 {
			plan.Grid.Cells[i] = robot.Occupied
		}
	}
	// A pillar in a third of the squares between four via points.
	for b := 1; b < side; b++ {
		for a := 1; a < side; a++ {
			if rng.IntN(3) == 0 {
				i, j := int((float64(a)+0.5)*apart/cell), int((float64(b)+0.5)*apart/cell)
				plan.Grid.Cells[j*n+i] = robot.Occupied
			}
		}
	}
	for b := range side {
		for a := range side {
			id := b*side + a
			plan.Graph.Nodes = append(plan.Graph.Nodes, robot.Via{ID: id, Point: robot.Point{
				X: float64(a+1)*apart + 0.2*(rng.Float64()-0.5), Y: float64(b+1)*apart + 0.2*(rng.Float64()-0.5),
			}})
			for _, to := range [2]int{id + 1, id + side} {
				if to == id+1 && a == side-1 || to == id+side && b == side-1 {
					continue
				}
				plan.Graph.Edges = append(plan.Graph.Edges, robot.Edge{Start: id, End: to}, robot.Edge{Start: to, End: id})
			}
		}
	}
	return plan
}
