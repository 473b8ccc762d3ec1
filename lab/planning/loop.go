package planning

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"mybot/app"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/pathplan"
	"mybot/robot"
)

// loopOutcome is the cost of planning on a large floor: for the control loop, which requests
// paths from a worker as in the server, and for the computer.
type loopOutcome struct {
	Map      string  `json:"map"`
	Cells    int     `json:"cells"`
	Seed     uint64  `json:"seed"`
	Queries  int     `json:"queries"`
	Found    int     `json:"found"`
	Refused  int     `json:"refused"`      // with a sentence about why there is no path
	Plan     float64 `json:"plan_mean_ms"` // from the first request to the answer
	PlanP99  float64 `json:"plan_p99_ms"`  //
	PlanMax  float64 `json:"plan_max_ms"`  //
	Ticks    int     `json:"ticks"`        // readings at which the loop requested a path
	Tick     float64 `json:"tick_p99_ms"`  // time of the loop spent on requests
	TickMax  float64 `json:"tick_max_ms"`  //
	Over     int     `json:"over_20_ms"`   // ticks above 20 ms
	Prepared float64 `json:"prepared_s"`   // until the first path could be planned
	Resident float64 `json:"resident_mb"`  // of the process, after all planning; 0 = unknown on this system
	Peak     float64 `json:"peak_mb"`      // peak
	Held     float64 `json:"planner_mb"`   // memory of the planner after all planning
}

func (o loopOutcome) String() string {
	return fmt.Sprintf(`%s, %d cells, seed %d: %d ways asked for beside the control loop, %d found, %d refused with the reason.

  ready to plan after                                        %.1f s
  from question to answer: mean, 99th percentile, worst      %.1f, %.1f, %.1f ms
  of the control loop, each reading: 99th percentile, worst  %.2f, %.2f ms in %d readings, %d over 20 ms
  held by the planner                                        %.0f MB
  resident of the whole process: now, at most                %.0f, %.0f MB`,
		o.Map, o.Cells, o.Seed, o.Queries, o.Found, o.Refused, o.Prepared, o.Plan, o.PlanP99, o.PlanMax,
		o.Tick, o.TickMax, o.Ticks, o.Over, o.Held, o.Resident, o.Peak)
}

const (
	buildingRooms = 20                    // on each side of the drawn building
	reading       = 20 * time.Millisecond // period
	lastAnswer    = 10 * time.Second      // longest time for a path
)

// planBeside measures planning beside a control loop.
func planBeside(ctx context.Context, dir string, queries int, seed uint64) (o loopOutcome, err error) {
	desc := testbed.Mybot()
	plan := drawnBuilding(buildingRooms, seed)
	if dir != "" {
		if plan, err = testbed.LoadPlan(dir); err != nil {
			return o, fmt.Errorf("lab: plan: --map %s: %w", dir, err)
		}
	}
	o = loopOutcome{Map: plan.Name, Cells: len(plan.Grid.Cells), Seed: seed, Queries: queries}
	before := heapMB()
	begin := time.Now()
	worker := app.NewPlanWorker()
	planner := worker.NewPlanner(plan, desc)
	o.Prepared = time.Since(begin).Seconds()
	fits := pathplan.NewClearance(&plan.Grid).FieldOf(desc.Body.Clearance())

	working, end := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- worker.Run(working) }()
	defer func() {
		end()
		err = errors.Join(err, <-ended)
	}()
	rng := rand.New(rand.NewPCG(seed, 7))
	ticker := time.NewTicker(reading)
	defer ticker.Stop()
	var took, ticks []float64
	for range queries {
		from, to := drawFittingPose(plan, fits, rng), drawFittingPose(plan, fits, rng)
		begin := time.Now()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return o, ctx.Err()
			case <-ticker.C:
			}
			if n == 0 {
				begin = time.Now()
			}
			now := time.Now()
			_, err := planner.Plan(now, from, to)
			ticks = append(ticks, time.Since(now).Seconds()*1000)
			if errors.Is(err, robot.ErrPlanning) {
				if time.Since(begin) > lastAnswer {
					return o, fmt.Errorf("lab: plan: a way is not planned after %v", lastAnswer)
				}
				continue
			}
			if err == nil {
				o.Found++
			} else {
				o.Refused++
			}
			break
		}
		took = append(took, time.Since(begin).Seconds()*1000)
	}
	for _, t := range ticks {
		stats.Count(&o.Over, t > 20)
	}
	o.Plan, o.PlanP99 = stats.MeanAndP99(took)
	o.PlanMax = stats.Quantile(took, 1)
	o.Ticks, o.Tick, o.TickMax = len(ticks), stats.Quantile(ticks, 0.99), stats.Quantile(ticks, 1)
	o.Resident, o.Peak = residentMB()
	o.Held = heapMB() - before
	runtime.KeepAlive(planner)
	return o, nil
}

// drawFittingPose draws a pose on a floor where the robot fits.
func drawFittingPose(plan *robot.Floorplan, fits *pathplan.Field, rng *rand.Rand) robot.Pose {
	g := &plan.Grid
	for {
		c := pathplan.Cell{I: rng.IntN(g.Width), J: rng.IntN(g.Height)}
		if fits.IsFree(c) {
			at := g.CellMiddle(c.I, c.J)
			return robot.Pose{X: at.X, Y: at.Y, Theta: robot.WrapAngle(2 * math.Pi * rng.Float64())}
		}
	}
}

// heapMB returns the used heap, in MB.
func heapMB() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// residentMB returns the resident memory of the process on Linux, now and at its peak.
func residentMB() (now, most float64) {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 2 {
			continue
		}
		kb, _ := strconv.ParseFloat(words[1], 64) // a line without a number is skipped
		switch words[0] {
		case "VmRSS:":
			now = kb / 1024
		case "VmHWM:":
			most = kb / 1024
		}
	}
	return now, most
}

// drawnBuilding returns a floor of side x side rooms of 5 m with furniture, and doors of 1 m
// between most neighbours; some rooms are closed. With 20 rooms a side it has four million
// cells of 5 cm.
func drawnBuilding(side int, seed uint64) *robot.Floorplan {
	const cells, wall, door = 100, 3, 20 // of a room, including its wall
	rng := rand.New(rand.NewPCG(seed, 8))
	n := side * cells
	g := robot.Grid{Width: n, Height: n, Resolution: 0.05, Cells: make([]robot.Cell, n*n)}
	fill := func(i, j, width, height int, as robot.Cell) {
		for y := max(0, j); y < min(n, j+height); y++ {
			for x := max(0, i); x < min(n, i+width); x++ {
				g.Cells[y*n+x] = as
			}
		}
	}
	fill(0, 0, n, n, robot.Free)
	for b := range side {
		for a := range side {
			i, j := a*cells, b*cells
			fill(i, j, cells, wall, robot.Occupied)
			fill(i, j, wall, cells, robot.Occupied)
			for range 6 { // furniture
				fill(i+10+rng.IntN(70), j+10+rng.IntN(70), 4+rng.IntN(16), 4+rng.IntN(16), robot.Occupied)
			}
			if at := 5 + rng.IntN(cells-door-10); a > 0 && rng.IntN(4) > 0 {
				fill(i, j+at, wall, door, robot.Free)
			}
			if at := 5 + rng.IntN(cells-door-10); b > 0 && rng.IntN(4) > 0 {
				fill(i+at, j, door, wall, robot.Free)
			}
		}
	}
	fill(0, n-wall, n, wall, robot.Occupied)
	fill(n-wall, 0, wall, n, robot.Occupied)
	return &robot.Floorplan{Name: fmt.Sprintf("building of %d rooms", side*side), Grid: g}
}
