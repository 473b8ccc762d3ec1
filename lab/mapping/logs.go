package mapping

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/mapping"
	"mybot/robot"
)

// tornWay is the worst error of a pose, in m, from which a map counts as torn.
const tornWay = 1.0

// logsOutcome is the accuracy of maps made from logs.
type logsOutcome struct {
	Seeds []uint64 `json:"seeds"`
	Rows  []logRow `json:"rows"`
}

// logRow is one log with one disturbance: the mean over the runs, and the worst of them.
type logRow struct {
	Log      string  `json:"log"`
	Case     string  `json:"case"`
	Next     logDiff `json:"successive"` // against verified relations
	Loop     logDiff `json:"loops"`      // the same for scans near each other after a long drive
	RMS      float64 `json:"rms_off_logged_m"`
	WorstRMS float64 `json:"rms_off_logged_worst_m"` // of the runs
	Loops    float64 `json:"loops_closed"`
	False    int     `json:"false_loops"` // of all runs
	Torn     int     `json:"torn_maps"`
	Runs     int     `json:"runs"`
}

type logDiff struct {
	Way   float64 `json:"mean_m"`
	Turn  float64 `json:"mean_deg"`
	Worst float64 `json:"worst_mean_m"` // of the runs
}

func (d *logDiff) add(r relationRow, runs int) {
	d.Way += r.Way / float64(runs)
	d.Turn += r.Turn / float64(runs)
	d.Worst = math.Max(d.Worst, r.Way)
}

func (o logsOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Maps made of logs, as they are and disturbed, %s; mean, worst run. Distances in cm.\n\n", report.SeedRange(o.Seeds))
	report.Table(&b, []string{
		"log|%-16s", "case|%-17s", "runs|%4d", "successive|%7.1f %5.1f", "deg|%5.2f", "loops|%7.1f %5.1f", "deg|%5.2f", "rms off the log|%7.1f %7.1f", "loops|%5.0f", "false|%5d", "torn|%4d",
	}, o.Rows, func(r logRow) []any {
		return []any{r.Log, r.Case, r.Runs, 100 * r.Next.Way, 100 * r.Next.Worst, r.Next.Turn, 100 * r.Loop.Way, 100 * r.Loop.Worst, r.Loop.Turn, 100 * r.RMS, 100 * r.WorstRMS, r.Loops, r.False, r.Torn}
	})
	return strings.TrimRight(b.String(), "\n")
}

// MeasureLogs makes maps from logs of real robots, unchanged and disturbed. The disturbances
// stand in for robots and buildings without a log.
func MeasureLogs(ctx context.Context, c experiment.Call) error {
	var logs []string
	var cases string
	var jitter float64
	var seeds experiment.Seeds
	if err := c.Parse(func(f *experiment.Flags) {
		f.Func("log", "a CARMEN `log`, with corrected poses; may be given several times", func(s string) error {
			logs = append(logs, s)
			return nil
		})
		f.StringVar(&cases, "case", "all", "`which` cases: all, or some of these with commas between:"+describeDisturbances())
		f.Float64Var(&jitter, "jitter", 0, "`ms`, one standard deviation, that scans of all cases are taken earlier or later than they say, 0 to 100: then all cases differ from seed to seed")
		f.Seeds(&seeds, 3, 100)
	}); err != nil {
		return err
	}
	if len(logs) == 0 {
		return c.Refuse("--log LOG is needed")
	}
	chosen, err := findDisturbances(cases)
	if err != nil {
		return c.Refuse("%v", err)
	}
	if !(jitter >= 0 && jitter <= 100) {
		return c.Refuse("--jitter is %v; it must be 0 to 100 ms", jitter)
	}
	if jitter > 0 {
		chosen = addJitter(chosen, jitter/1e3)
	}
	o := logsOutcome{Seeds: seeds.All()}
	for _, name := range logs {
		l, err := readTrial(ctx, name)
		if err != nil {
			return fmt.Errorf("lab: mapping-logs: %s: %w", name, err)
		}
		rows, err := l.measure(ctx, c, chosen, o.Seeds)
		if err != nil {
			return err
		}
		o.Rows = append(o.Rows, rows...)
	}
	return c.Print(o)
}

func describeDisturbances() (text string) {
	for _, d := range disturbances() {
		text += fmt.Sprintf("\n%-18s %s", d.name, d.about)
	}
	return text
}

func disturbanceNames() []string {
	var names []string
	for _, d := range disturbances() {
		names = append(names, d.name)
	}
	return names
}

// findDisturbances returns the disturbances with the given names, separated by commas; "all" =
// all of them.
func findDisturbances(names string) (found []disturbance, err error) {
	all := disturbances()
	if names == "all" {
		return all, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(d disturbance) bool { return d.name == name })
		if i < 0 {
			return nil, fmt.Errorf("--case has %q; it must be all, or some of %s with commas between", name, strings.Join(disturbanceNames(), ","))
		}
		found = append(found, all[i])
	}
	return found, nil
}

// A logTrial is a log for making maps, and the references to which they are compared.
type logTrial struct {
	name   string
	lidar  robot.Pose // in base_link
	scans  []loggedScan
	usual  []robot.Pose         // of the lidar at each scan, in the map from the unchanged log
	proven map[[2]int]*relation // by pairs of scans; nil = the scans do not confirm it
}

func readTrial(ctx context.Context, name string) (*logTrial, error) {
	scans, lidar, err := readScans(name)
	if err != nil {
		return nil, err
	}
	short := filepath.Base(name)
	l := &logTrial{name: strings.TrimSuffix(short, filepath.Ext(short)), lidar: lidar, scans: scans, proven: map[[2]int]*relation{}}
	m, err := mapScans(ctx, l.drive())
	if err != nil {
		return nil, err
	}
	for k, i := 0, 0; i < len(scans); i++ {
		if k+1 < len(m.frames) && m.frames[k+1] == i {
			k++
		}
		l.usual = append(l.usual, m.mapper.Poses()[k].Compose(m.since[i]).Compose(lidar))
	}
	return l, nil
}

// drive returns the log as the Mapper receives it.
func (l *logTrial) drive() []drivenScan {
	drive := make([]drivenScan, len(l.scans))
	for i, s := range l.scans {
		drive[i] = drivenScan{i, s.motion, s.lasted, s.cloud}
	}
	return drive
}

// A logMap is a map made from scans.
type logMap struct {
	mapper mapping.Mapper
	frames []int        // the key frames, as scans of the log
	since  []robot.Pose // of each scan: the motion since its key frame, by odometry
}

// mapScans makes a map as mybot map build does of a log, until ctx ends.
func mapScans(ctx context.Context, drive []drivenScan) (*logMap, error) {
	m := &logMap{}
	var since robot.Pose
	for i, s := range drive {
		since = since.Compose(s.motion)
		if i == 0 || mapping.IsKeyFrame(since, s.motion) {
			if i > 0 && mapping.IsTooFast(s.motion, s.lasted) {
				since = robot.Pose{} // unknown
				m.mapper.Interrupt()
			}
			m.mapper.Add(mapping.KeyFrame{Motion: since, Cloud: s.cloud})
			m.frames = append(m.frames, s.index)
			since = robot.Pose{}
			for ctx.Err() == nil && m.mapper.Step() {
			}
		}
		m.since = append(m.since, since)
	}
	m.mapper.Finish()
	for ctx.Err() == nil && m.mapper.Step() {
	}
	return m, ctx.Err()
}

// measure returns a row for each disturbance.
func (l *logTrial) measure(ctx context.Context, c experiment.Call, cases []disturbance, seeds []uint64) ([]logRow, error) {
	type run struct {
		row  int
		seed uint64
	}
	var runs []run
	rows := make([]logRow, len(cases))
	for i, d := range cases {
		rows[i] = logRow{Log: l.name, Case: d.name, Runs: 1}
		if d.drawn {
			rows[i].Runs = len(seeds)
		}
		for _, seed := range seeds[:rows[i].Runs] {
			runs = append(runs, run{i, seed})
		}
	}
	maps, err := experiment.RunParallel(ctx, c.Err, "maps of "+l.name, len(runs), func(ctx context.Context, n int) (*logMap, error) {
		return mapScans(ctx, cases[runs[n].row].apply(l.drive(), rand.New(rand.NewPCG(runs[n].seed, 0x106))))
	})
	if err != nil {
		return nil, err
	}
	for n, m := range maps {
		l.judge(m, &rows[runs[n].row])
	}
	return rows, nil
}

// judge adds the measures of a map to a row.
func (l *logTrial) judge(m *logMap, row *logRow) {
	lidars, logged, bases := make([]robot.Pose, len(m.frames)), make([]robot.Pose, len(m.frames)), make([]robot.Pose, len(m.frames))
	for k, at := range m.mapper.Poses() {
		lidars[k] = at.Compose(l.lidar)
		logged[k] = l.scans[m.frames[k]].at
		bases[k] = logged[k].Compose(l.lidar.Inverse())
	}
	rms, worst := alignedError(lidars, logged)
	row.RMS += rms / float64(row.Runs)
	row.WorstRMS = math.Max(row.WorstRMS, rms)
	if worst > tornWay {
		row.Torn++
	}
	closures := m.mapper.Closures()
	row.Loops += float64(len(closures)) / float64(row.Runs)
	for _, c := range closures {
		if isFalse(c, bases) {
			row.False++
		}
	}
	next, loops := loggedRelations(logged)
	row.Next.add(rate("", "", "", l.prove(m.frames, next), lidars), row.Runs)
	row.Loop.add(rate("", "", "", l.prove(m.frames, loops), lidars), row.Runs)
}

// prove returns the relations between key frames that the scans of the log confirm, starting
// from the logged poses and from those in the map of the unchanged log: so a bad map is
// compared with the result of a good one.
func (l *logTrial) prove(frames []int, pairs []relation) (proven []relation) {
	every := max(1, len(pairs)/maxTried)
	for n := 0; n < len(pairs); n += every {
		p := pairs[n]
		of := [2]int{frames[p.a], frames[p.b]}
		r, known := l.proven[of]
		if !known {
			if v, ok := verifyRelation(l.scans, l.usual, relation{of[0], of[1], p.bFromA}); ok {
				r = &v
			}
			l.proven[of] = r
		}
		if r != nil {
			proven = append(proven, relation{p.a, p.b, r.bFromA})
		}
	}
	return proven
}
