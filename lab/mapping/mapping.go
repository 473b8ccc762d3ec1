package mapping

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/mapping"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/models"
)

const (
	falseWay  = 0.5  // m, or
	falseTurn = 10.0 // degrees: a loop with a larger error is false
)

// mappingOutcome is the accuracy of maps that robots make of exactly known buildings.
type mappingOutcome struct {
	Robot  string     `json:"robot"`
	Seeds  []uint64   `json:"seeds"`
	Floors []floorRow `json:"floors"`
}

// floorRow is one building in one case: the mean over the seeds, and each measure of the worst
// seed. False loops are totals over all seeds.
type floorRow struct {
	Map  string `json:"map"`
	Case string `json:"case"`
	measures
	Worst     measures  `json:"worst"`
	WorstSeed uint64    `json:"worst_seed"` // by the trajectory
	Goto      *gotoRow  `json:"goto,omitempty"`
	OwnGoto   *gotoRow  `json:"goto_own_map,omitempty"` // the same errands with the building's own map
	Runs      []seedRow `json:"runs"`
}

type seedRow struct {
	Seed uint64 `json:"seed"`
	measures
}

// measures are the measures of one map.
type measures struct {
	RMS        float64 `json:"trajectory_rms_m"` // of the key frames, after the best rigid alignment with the truth
	NextWay    float64 `json:"relation_next_m"`  // between successive key frames, against the truth, mean
	NextTurn   float64 `json:"relation_next_deg"`
	LoopWay    float64 `json:"relation_loop_m"` // between key frames less than 2 m apart after 15 m of driving
	LoopTurn   float64 `json:"relation_loop_deg"`
	Wall       float64 `json:"wall_median_m"` // between the map's lines and the building, in both directions
	WallP95    float64 `json:"wall_p95_m"`
	DrawnP95   float64 `json:"wall_drawn_p95_m"` // only from the map's lines to the building
	MissedP95  float64 `json:"wall_seen_p95_m"`  // only from what the lidar saw to the map's lines
	Cells      float64 `json:"cell_median_m"`    // from the centres of occupied cells to the building
	CellsP95   float64 `json:"cell_p95_m"`
	False      float64 `json:"false_loops"`
	Seconds    float64 `json:"seconds"` // of computing
	Odometry   float64 `json:"odometry_rms_m"`
	Way        float64 `json:"way_m"`
	Lasts      float64 `json:"drive_s"`
	Frames     float64 `json:"key_frames"`
	Loops      float64 `json:"loops"`
	Refused    float64 `json:"loops_refused"`
	KeyFrame   float64 `json:"ms_key_frame_mean"`
	Slice      float64 `json:"ms_slice_max"`
	Unfinished float64 `json:"points_not_reached"` // of the tour
}

// all returns the fields in order.
func (m *measures) all() []*float64 {
	return []*float64{
		&m.RMS, &m.NextWay, &m.NextTurn, &m.LoopWay, &m.LoopTurn, &m.Wall, &m.WallP95, &m.DrawnP95, &m.MissedP95, &m.Cells, &m.CellsP95, &m.False, &m.Seconds, &m.Odometry,
		&m.Way, &m.Lasts, &m.Frames, &m.Loops, &m.Refused, &m.KeyFrame, &m.Slice, &m.Unfinished,
	}
}

func (o mappingOutcome) String() string {
	var b strings.Builder
	seeds := make([]uint64, len(o.Seeds))
	copy(seeds, o.Seeds)
	fmt.Fprintf(&b, "Maps made by %s, %s; mean, worst seed. Distances in cm.\n\n", o.Robot, report.SeedRange(seeds))
	report.Table(&b, []string{
		"floor|%-20s", "case|%-8s", "way m|%6.0f", "odometry|%7.0f", "trajectory rms|%7.1f %6.1f", "next|%5.2f", "deg|%5.3f", "loop|%5.2f", "deg|%5.2f",
		"walls median|%6.1f %5.1f", "p95|%5.1f %5.1f", "loops|%5.0f", "false|%3.0f", "ms/frame|%6.1f", "slice|%5.0f",
	}, o.Floors, func(r floorRow) []any {
		return []any{
			r.Map, r.Case, r.Way, 100 * r.Odometry, 100 * r.RMS, 100 * r.Worst.RMS, 100 * r.NextWay, r.NextTurn, 100 * r.LoopWay, r.LoopTurn,
			100 * r.Wall, 100 * r.Worst.Wall, 100 * r.WallP95, 100 * r.Worst.WallP95, r.Loops, r.False, r.KeyFrame, r.Worst.Slice,
		}
	})
	for _, r := range o.Floors {
		if g, own := r.Goto, r.OwnGoto; g != nil {
			fmt.Fprintf(&b, "\n%s, %s: %d errands in the maps made: %.1f %% arrived, time against the time told %.2f in the median, %d collisions; with the building's own map %d, %.1f %%, %.2f, %d.",
				r.Map, r.Case, g.Runs, 100*g.Arrived, g.Ratio, g.Bumps, own.Runs, 100*own.Arrived, own.Ratio, own.Bumps)
			for _, f := range g.Faults {
				fmt.Fprintf(&b, "\n  %s", f)
			}
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// MeasureMapping lets robots make maps of buildings, and drives errands in the maps.
func MeasureMapping(ctx context.Context, c experiment.Call) error {
	var dir, robotFile, cases string
	var errands, loop int
	var seeds experiment.Seeds
	if err := c.Parse(func(f *experiment.Flags) {
		f.StringVar(&dir, "map", "", "a map `folder`, or one of "+maps.List()+" (default all three)")
		f.StringVar(&robotFile, "robot", models.LidarName, "the `robot`: lidar, lidar+sonar, or a file that describes another one with a lidar")
		f.StringVar(&cases, "case", Usual.Name, "`which` cases: all, or some of "+hardshipNames())
		f.Int(&errands, "errands", 100, 0, 100000, "`how many` errands on each floor in the usual case, in the maps made")
		f.Seeds(&seeds, 10, 1000)
		f.Int(&loop, "loop", 0, 0, 100, "measure the control loop of a real server in place of maps, in the office if no map is named, on `how many` pairs of rounds, without and with mapping")
	}); err != nil {
		return err
	}
	hards, err := findHardships(cases)
	if err != nil {
		return c.Refuse("%v", err)
	}
	desc, err := testbed.LoadRobot(robotFile)
	if err != nil {
		return err
	}
	if loop > 0 {
		site, err := loadSite(desc, cmp.Or(dir, maps.OfficeName))
		if err != nil {
			return err
		}
		o, err := site.measureLoop(ctx, c.Err, loop, roundWay)
		if err != nil {
			return err
		}
		return c.Print(o)
	}
	names := maps.Names()
	if dir != "" {
		names = []string{dir}
	}
	o := mappingOutcome{Robot: desc.Name, Seeds: seeds.All()}
	for _, name := range names {
		site, err := loadSite(desc, name)
		if err != nil {
			return err
		}
		for _, h := range hards {
			row, made, err := site.measure(ctx, c, h, o.Seeds)
			if err != nil {
				return err
			}
			if errands > 0 && h.Name == Usual.Name {
				inMade, inOwn, err := site.runErrands(ctx, c.Err, c.Tables, made, errands, seeds.First)
				if err != nil {
					return err
				}
				row.Goto, row.OwnGoto = &inMade, &inOwn
			}
			o.Floors = append(o.Floors, row)
		}
	}
	return c.Print(o)
}

// loadSite returns the site of a robot in a map folder, or on the built-in floor with that
// name.
func loadSite(desc robot.Description, name string) (*Site, error) {
	plan, err := testbed.LoadPlan(name)
	if err != nil {
		return nil, fmt.Errorf("lab: mapping: --map %s: %w", name, err)
	}
	return NewSite(desc, plan)
}

// measure makes a map for each seed.
func (s *Site) measure(ctx context.Context, c experiment.Call, h Hardship, seeds []uint64) (floorRow, []*Made, error) {
	row := floorRow{Map: s.Plan.Name, Case: h.Name}
	made, err := experiment.RunParallel(ctx, c.Err, "maps of "+s.Plan.Name, len(seeds), func(ctx context.Context, n int) (*Made, error) {
		return s.Make(ctx, h, seeds[n])
	})
	if err != nil {
		return row, nil, err
	}
	for n, m := range made {
		got := m.measure()
		row.Runs = append(row.Runs, seedRow{Seed: seeds[n], measures: got})
		if n == 0 || got.RMS > row.Worst.RMS {
			row.WorstSeed = seeds[n]
		}
		mean, worst, all := row.all(), row.Worst.all(), got.all()
		for i := range all {
			*mean[i] += *all[i] / float64(len(seeds))
			*worst[i] = math.Max(*worst[i], *all[i])
		}
	}
	row.False = math.Round(row.False * float64(len(seeds)))
	return row, made, nil
}

// measure compares a map with the truth.
func (m *Made) measure() measures {
	poses := m.mapper.Poses()
	summary := m.mapper.Summary()
	r := measures{
		Lasts: m.lasts, Unfinished: float64(m.unfinished + m.skipped), Frames: float64(len(poses)), Loops: float64(summary.Loops), Refused: float64(summary.LoopsRefused),
		KeyFrame: stats.Mean(m.busy), Slice: m.slice.Seconds() * 1e3,
	}
	for _, ms := range m.busy {
		r.Seconds += ms / 1e3
	}
	for i := 1; i < len(m.truth); i++ {
		r.Way += m.truth[i].Point().Sub(m.truth[i-1].Point()).Norm()
	}
	r.RMS, _ = alignedError(poses, m.truth)
	r.Odometry, _ = alignedError(m.byWheels, m.truth)
	next, loops := loggedRelations(m.truth)
	byNext, byLoop := rate("", "", "", next, poses), rate("", "", "", loops, poses)
	r.NextWay, r.NextTurn, r.LoopWay, r.LoopTurn = byNext.Way, byNext.Turn, byLoop.Way, byLoop.Turn
	drawn, missed, cells := m.wallErrors()
	walls := slices.Concat(drawn, missed)
	r.DrawnP95, r.MissedP95 = stats.Quantile(drawn, 0.95), stats.Quantile(missed, 0.95)
	r.Cells, r.CellsP95 = stats.Quantile(cells, 0.5), stats.Quantile(cells, 0.95)
	r.Wall, r.WallP95 = stats.Quantile(walls, 0.5), stats.Quantile(walls, 0.95)
	// A loop is judged by the motion of the lidar, whose true pose is slightly off.
	taken := make([]robot.Pose, len(m.truth))
	for i, at := range m.truth {
		taken[i] = at.Compose(m.mount)
	}
	for _, c := range m.mapper.Closures() {
		stats.Count(&r.False, isFalse(c, taken))
	}
	return r
}

// isFalse reports whether a loop between two key frames is far from the truth.
func isFalse(c mapping.Closure, truth []robot.Pose) bool {
	off := truth[c.From].Inverse().Compose(truth[c.To]).Inverse().Compose(c.Pose)
	return off.Point().Norm() > falseWay || robot.Degrees(math.Abs(off.Theta)) > falseTurn
}
