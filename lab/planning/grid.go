// Package planning measures how fast paths are planned and how short they are: on a grid, on a
// via graph, and beside a control loop.
package planning

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/pathplan"
)

// planOutcome is the speed and quality of the grid planner.
type planOutcome struct {
	Map      string   `json:"map"`
	Cells    int      `json:"cells"`
	Queries  int      `json:"queries"`
	Repeats  int      `json:"repeats"` // the fastest one counts
	Seed     *uint64  `json:"seed,omitempty"`
	Mean     float64  `json:"mean_ms"` // search and pulling taut
	P99      float64  `json:"p99_ms"`
	Search   float64  `json:"search_mean_ms"`
	Exact    bool     `json:"octile_exact"` // all octile lengths are the known optima
	Compared int      `json:"compared"`     // with a known any-angle optimum
	Ratio    *float64 `json:"length_ratio_mean"`
	RatioP99 *float64 `json:"length_ratio_p99"`
	Wrong    []string `json:"wrong,omitempty"`
}

func (o planOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d cells, %d queries: %.3f ms on average, %.3f ms at the 99th percentile (the search alone %.3f ms).\n", o.Map, o.Cells, o.Queries, o.Mean, o.P99, o.Search)
	if o.Exact {
		b.WriteString("Every octile length is the shortest one.")
	} else {
		fmt.Fprintf(&b, "Octile lengths that are not the shortest:\n%s", strings.Join(o.Wrong, "\n"))
	}
	if o.Ratio != nil {
		fmt.Fprintf(&b, "\nThe taut path is %.4f times the any-angle optimum on average, %.4f times at the 99th percentile of %d.", *o.Ratio, *o.RatioP99, o.Compared)
	}
	return b.String()
}

// task is one query of a benchmark.
type task struct {
	from, to pathplan.Cell
	octile   float64 // cells, the known optimum
	anyAngle float64 // cells, the known optimum; 0 = not known
}

// MeasureGrid measures the grid planner on a MovingAI map with its scenarios, or on a map
// folder between random places.
func MeasureGrid(ctx context.Context, c experiment.Call) error {
	var mapName, scen, optimal string
	var queries, repeats int
	var seed uint64
	var loop bool
	if err := c.Parse(func(f *experiment.Flags) {
		f.StringVar(&mapName, "map", "", "a MovingAI octile `map` file, or a map folder; the built-in office when not given")
		f.StringVar(&scen, "scen", "", "the MovingAI scenario `file` of the map")
		f.StringVar(&optimal, "optimal", "", "a CSV `file` with the columns scen_index, octile_opt and anyangle_opt_center, in cells")
		f.Int(&queries, "queries", 200, 1, 100000, "`how many` random queries on a map folder")
		f.Int(&repeats, "repeats", 3, 1, 1000, "`how often` each query is timed; the fastest time counts; {}")
		f.Uint64Var(&seed, "seed", 1, "`seed` of the random queries")
		f.BoolVar(&loop, "loop", false, "measure what planning costs the control loop and the memory, on a drawn building of 4,000,000 cells or on the map folder")
	}); err != nil {
		return err
	}
	switch {
	case loop && scen != "":
		return c.Refuse("--loop goes with a map folder, not with --scen")
	case optimal != "" && scen == "":
		return c.Refuse("--optimal goes with --scen: its first column counts the scenarios")
	}
	if loop {
		o, err := planBeside(ctx, mapName, queries, seed)
		if err != nil {
			return err
		}
		return c.Print(o)
	}
	o := planOutcome{Map: mapName, Repeats: repeats}
	var field *pathplan.Field
	var tasks []task
	var err error
	if scen != "" {
		field, tasks, err = movingAI(mapName, scen, optimal)
	} else {
		o.Map, field, tasks, err = randomTasks(ctx, mapName, queries, seed)
		o.Seed = &seed
	}
	if err != nil {
		return err
	}
	if err := o.measureTasks(ctx, field, tasks); err != nil {
		return err
	}
	return c.Print(o)
}

// measureTasks measures all tasks.
func (o *planOutcome) measureTasks(ctx context.Context, field *pathplan.Field, tasks []task) error {
	o.Cells, o.Queries, o.Exact = field.Width*field.Height, len(tasks), true
	search := pathplan.NewSearcher(field)
	var cells []pathplan.Cell
	var taut []pathplan.Half
	var both, ratios []float64
	for n, t := range tasks {
		if err := ctx.Err(); err != nil {
			return err
		}
		best, bestSearch := math.Inf(1), math.Inf(1)
		length, ok := 0.0, false
		for range o.Repeats {
			began := time.Now()
			cells, length, ok = search.FindOctile(cells[:0], t.from, t.to)
			found := time.Now()
			if ok {
				taut = search.PullTaut(taut[:0], cells)
			}
			best = math.Min(best, time.Since(began).Seconds()*1000)
			bestSearch = math.Min(bestSearch, found.Sub(began).Seconds()*1000)
		}
		both = append(both, best)
		o.Search += bestSearch / float64(len(tasks))
		// Scenario files have six digits.
		if !ok || math.Abs(length-t.octile) > 1e-5*t.octile+1e-6 {
			o.Exact = false
			if len(o.Wrong) < 10 {
				o.Wrong = append(o.Wrong, fmt.Sprintf("query %d from %v to %v: %.6f cells, found: %v; the shortest way has %.6f", n, t.from, t.to, length, ok, t.octile))
			}
		}
		if ok && t.anyAngle > 0 {
			ratios = append(ratios, pathplan.LengthOf(taut)/t.anyAngle)
		}
	}
	o.Mean, o.P99 = stats.MeanAndP99(both)
	if len(ratios) > 0 {
		mean, p99 := stats.MeanAndP99(ratios)
		o.Compared, o.Ratio, o.RatioP99 = len(ratios), &mean, &p99
	}
	return nil
}

// movingAI reads a benchmark of the MovingAI sets (Sturtevant 2012).
func movingAI(mapName, scen, optimal string) (*pathplan.Field, []task, error) {
	field, err := readMovingAI(mapName)
	if err != nil {
		return nil, nil, fmt.Errorf("lab: plan: %w", err)
	}
	tasks, err := readScenarios(scen, field)
	if err != nil {
		return nil, nil, fmt.Errorf("lab: plan: %w", err)
	}
	if optimal != "" {
		if err := readOptima(optimal, tasks); err != nil {
			return nil, nil, fmt.Errorf("lab: plan: %w", err)
		}
	}
	return field, tasks, nil
}

// maxCells is the largest accepted MovingAI map.
const maxCells = 1 << 26

func readMovingAI(name string) (*pathplan.Field, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("--map: %w", err)
	}
	defer func() { _ = file.Close() }()
	in := bufio.NewReader(file)
	var width, height int
	for line := 1; ; line++ {
		text, err := in.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: the file ends before the line \"map\"", name, line)
		}
		words := strings.Fields(text)
		switch {
		case len(words) == 2 && words[0] == "type":
		case len(words) == 2 && words[0] == "height":
			height, err = strconv.Atoi(words[1])
		case len(words) == 2 && words[0] == "width":
			width, err = strconv.Atoi(words[1])
		case len(words) == 1 && words[0] == "map":
			if width < 1 || height < 1 || width > maxCells/height {
				return nil, fmt.Errorf("%s: the map is %d x %d; width and height come before the line \"map\", each from 1, with at most %d cells", name, width, height, maxCells)
			}
			return readCells(name, in, width, height, line)
		default:
			err = errors.New("must be type, height or width with a value, or map")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, line, err)
		}
	}
}

func readCells(name string, in *bufio.Reader, width, height, line int) (*pathplan.Field, error) {
	rows := make([]string, height)
	for j := range rows {
		text, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if rows[j] = strings.TrimRight(text, "\r\n"); len(rows[j]) != width {
			return nil, fmt.Errorf("%s: line %d has %d cells; it must have %d", name, line+1+j, len(rows[j]), width)
		}
	}
	return pathplan.NewField(width, height, func(c pathplan.Cell) bool { return strings.IndexByte(".GS", rows[c.J][c.I]) >= 0 }), nil
}

func readScenarios(name string, field *pathplan.Field) ([]task, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--scen: %w", err)
	}
	var tasks []task
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		words := strings.Fields(text)
		if len(words) == 0 || words[0] == "version" {
			continue
		}
		if len(words) != 9 {
			return nil, fmt.Errorf("%s: line %d has %d columns; it must have 9: bucket, map, width, height, start x, start y, goal x, goal y and length", name, line, len(words))
		}
		var t task
		var numbers [6]int
		for n := range numbers {
			if numbers[n], err = strconv.Atoi(words[n+2]); err != nil {
				return nil, fmt.Errorf("%s: line %d: column %d is %q; it must be a whole number", name, line, n+3, words[n+2])
			}
		}
		if numbers[0] != field.Width || numbers[1] != field.Height {
			return nil, fmt.Errorf("%s: line %d is for a map of %d x %d cells; this one has %d x %d", name, line, numbers[0], numbers[1], field.Width, field.Height)
		}
		t.from, t.to = pathplan.Cell{I: numbers[2], J: numbers[3]}, pathplan.Cell{I: numbers[4], J: numbers[5]}
		if t.octile, err = strconv.ParseFloat(words[8], 64); err != nil {
			return nil, fmt.Errorf("%s: line %d: the length is %q; it must be a number", name, line, words[8])
		}
		tasks = append(tasks, t)
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("%s: there is no scenario in it", name)
	}
	return tasks, nil
}

// readOptima adds the any-angle optima of a CSV file to the tasks.
func readOptima(name string, tasks []task) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("--optimal: %w", err)
	}
	defer func() { _ = file.Close() }()
	in := csv.NewReader(file)
	in.FieldsPerRecord = 3
	for line := 1; ; line++ {
		row, err := in.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case line == 1:
			if got := strings.Join(row, ","); got != "scen_index,octile_opt,anyangle_opt_center" {
				return fmt.Errorf("%s: the first line is %q; it must be scen_index,octile_opt,anyangle_opt_center", name, got)
			}
			continue
		}
		n, err := strconv.Atoi(row[0])
		if err != nil || n < 0 || n >= len(tasks) {
			return fmt.Errorf("%s: line %d: the scenario is %q; it must be from 0 to %d", name, line, row[0], len(tasks)-1)
		}
		octile, err := strconv.ParseFloat(row[1], 64)
		if err != nil || math.Abs(octile-tasks[n].octile) > 1e-3*tasks[n].octile {
			return fmt.Errorf("%s: line %d: the octile length is %q; scenario %d has %g: is it the file of another map?", name, line, row[1], n, tasks[n].octile)
		}
		if tasks[n].anyAngle, err = strconv.ParseFloat(row[2], 64); err != nil {
			return fmt.Errorf("%s: line %d: the any-angle length is %q; it must be a number", name, line, row[2])
		}
	}
}

// randomTasks draws queries between poses at which the robot fits, and finds their optima by
// the slow, exact method.
func randomTasks(ctx context.Context, dir string, queries int, seed uint64) (string, *pathplan.Field, []task, error) {
	plan, err := testbed.LoadPlan(dir)
	if err != nil {
		return "", nil, nil, fmt.Errorf("lab: plan: --map %s: %w", dir, err)
	}
	needs := testbed.Mybot().Body.Clearance()
	field := pathplan.NewClearance(&plan.Grid).FieldOf(needs)
	var free []pathplan.Cell
	for j := range field.Height {
		for i := range field.Width {
			if c := (pathplan.Cell{I: i, J: j}); field.IsFree(c) {
				free = append(free, c)
			}
		}
	}
	if len(free) < 2 {
		return "", nil, nil, fmt.Errorf("lab: plan: the robot fits nowhere on this floor: it needs %g m on each side", needs)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	best := newOptima(field)
	var tasks []task
	for tries := 0; len(tasks) < queries; tries++ {
		if err := ctx.Err(); err != nil {
			return "", nil, nil, err
		}
		if tries > 100*queries {
			return "", nil, nil, errors.New("lab: plan: hardly any two places of this floor are connected")
		}
		t := task{from: free[rng.IntN(len(free))], to: free[rng.IntN(len(free))]}
		ok := false
		if t.octile, ok = best.octileLength(t.from, t.to); !ok || t.octile == 0 {
			continue
		}
		t.anyAngle = best.anyAngleLength(t.from, t.to)
		tasks = append(tasks, t)
	}
	return plan.Name, field, tasks, nil
}
