// Package localize runs the localizers side by side on the same readings, from drives in
// simulated worlds or from logs, and compares them with the truth.
package localize

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/localization"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/models"
	"mybot/robot/scan"
)

// lostFrom is the error, in m, from which an estimate counts as lost.
const lostFrom = 0.5

// localizeOutcome is the accuracy and cost of the localizers, side by side.
type localizeOutcome struct {
	Map    string        `json:"map"`
	World  string        `json:"world,omitempty"`
	Made   bool          `json:"made,omitempty"` // on a map that a robot made, a different one for each seed
	Sensor string        `json:"sensor"`
	Seeds  []uint64      `json:"seeds,omitempty"`
	Log    string        `json:"log,omitempty"`
	Sonar  string        `json:"sonars,omitempty"` // the assumed geometry of a log's sonars
	Rows   []localizeRow `json:"rows"`
}

// localizeRow is the outcome of one method in one scenario over all seeds.
type localizeRow struct {
	Method   string   `json:"method"`
	Scenario string   `json:"scenario"`
	Runs     int      `json:"runs"`
	RMSE     float64  `json:"rmse_m"`            // root of the mean square over all runs
	Worst    float64  `json:"rmse_worst_m"`      // of the worst run
	Median   float64  `json:"median_m"`          // of the distance
	Max      float64  `json:"max_m"`             // the largest distance
	Heading  float64  `json:"heading_rmse_deg"`  //
	Inside   float64  `json:"within_2_sigma"`    // share of the time with the truth in the ellipse; 0.86 would be exact
	Lost     float64  `json:"lost_fraction"`     // share of the time with an error above lostFrom
	FoundWay float64  `json:"recovery_worst_m"`  // driven until it recovered
	Within   int      `json:"recovered_in_20_m"` // recoveries within that distance
	LostRun  float64  `json:"lost_worst"`        // of the worst run
	Mean     float64  `json:"us_per_update"`     //
	P99      float64  `json:"p99_us"`            // with at most 500 particles
	P99All   float64  `json:"p99_everyus"`       // with any number of particles
	Dearest  float64  `json:"max_us"`            // of all
	Allocs   float64  `json:"allocs"`            // per update
	Count    float64  `json:"particles_mean"`    // 0 for methods without particles
	Crowd    float64  `json:"crowd,omitempty"`   // mean share of scan beams that ended before the map's obstacles
	Carried  int      `json:"kidnapped"`         // number of kidnaps
	Found    int      `json:"recovered"`         // of these, recoveries
	FoundIn  float64  `json:"recovery_median_s"`
	FoundMax float64  `json:"recovery_worst_s"`
	Jumps    int      `json:"jumps"` // from below lostFrom to above 2 m in one update
	LostIn   []uint64 `json:"lost_seeds"`
	LostSaid float64  `json:"lost_said"`         // share of the lost time in which it reported LOST
	Doubts   float64  `json:"unsure_when_off"`   // share of the time after slack of being lost in which it reports UNSURE or LOST; 1 if there is none
	Off      float64  `json:"off_s"`             // that time
	Crying   float64  `json:"unsure_when_right"` // the same of the time in which it is not lost
}

func (o localizeOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Localization on %s", o.Map)
	if o.Log != "" {
		fmt.Fprintf(&b, ", the log %s, sonars as %s", o.Log, o.Sonar)
	}
	if o.Made {
		b.WriteString(", in maps just made")
	}
	if o.World != "" {
		fmt.Fprintf(&b, ", world %s", o.World)
	}
	if len(o.Seeds) > 0 {
		b.WriteString(", " + report.SeedRange(o.Seeds))
	}
	if o.Sensor != sonarOnly {
		b.WriteString(", sensor " + o.Sensor)
	}
	fmt.Fprintf(&b, ". Distances in cm, lost = more than %g m off.\n\n", lostFrom)
	report.Table(&b, []string{
		"scenario|%-9s", "method|%-9s", "rmse|%7.1f", "worst|%7.1f", "median|%7.1f", "max|%7.0f", "heading|%7.2f°", "lost|%6.2f%%", "jumps|%6d", "found|%4d/%-4d", "in s|%8.1f",
		"in 20 m|%8d", "worst m|%8.1f", "says|%6.1f%%", "crying|%6.1f%%", "us/upd|%8.0f", "p99|%6.0f", "max ms|%6.1f%s",
	}, o.Rows, func(r localizeRow) []any {
		lostIn := ""
		if len(r.LostIn) > 0 {
			lostIn = fmt.Sprintf("  lost in %v", r.LostIn)
		}
		return []any{
			r.Scenario, r.Method, 100 * r.RMSE, 100 * r.Worst, 100 * r.Median, 100 * r.Max, r.Heading, 100 * r.Lost, r.Jumps, r.Found, r.Carried, r.FoundIn,
			r.Within, r.FoundWay, 100 * r.Doubts, 100 * r.Crying, r.Mean, r.P99, r.Dearest / 1000, lostIn,
		}
	})
	return strings.TrimRight(b.String(), "\n")
}

// localizeFlags are the flags of lab localize.
type localizeFlags struct {
	maps, scenario, log, write, svg, robot, cache, methods, sensor string
	seeds                                                          experiment.Seeds
	doors                                                          float64
	world                                                          sim.Deviation
	worlds, made                                                   bool
	lasts                                                          time.Duration
}

func (f *localizeFlags) defineFlags(set *experiment.Flags) {
	set.StringVar(&f.maps, "map", "", "map folder `DIR`, or "+maps.List()+", or drawn:SEED, a building that is drawn (default the built-in office)")
	set.Float64Var(&f.doors, "doors", 0, "on a drawn building of equal doors, so many `metres` long, 24 to 100, instead of --map")
	set.StringVar(&f.scenario, "scenario", "all", "`which`: "+strings.Join(scenarios, ", ")+" or all")
	set.Seeds(&f.seeds, 1, 1000)
	set.DurationVar(&f.lasts, "lasts", runLasts, "how long a run lasts")
	set.World(&f.world)
	set.BoolVar(&f.worlds, "worlds", false, "run MCL in all sensor worlds, or in that of --world, and report how well it holds")
	set.BoolVar(&f.made, "made", false, "in a map that a robot with the lidar made before, for each seed, as mybot lab mapping has it made")
	set.StringVar(&f.log, "log", "", "replay the plain log `FILE` instead")
	set.StringVar(&f.write, "write-log", "", "write the first run as a plain log to `FILE`")
	set.StringVar(&f.svg, "svg", "", "draw truth and estimates of the first run to `FILE`")
	set.StringVar(&f.robot, "robot", "", "`FILE` describing another robot (default: Mybot)")
	set.StringVar(&f.sensor, "sensor", "", "what localizes: `sonar, lidar or both`; of a built-in robot with them, or of that of --robot (default all that it has)")
	set.StringVar(&f.methods, "methods", strings.Join(testbed.LocalizerNames, ","), "`which` methods to run")
	set.StringVar(&f.cache, "cache", "", "cache what is computed from the map in the folder `DIR`")
}

// checkFlags returns the scenarios and the methods that the flags name, or an error.
func (f *localizeFlags) checkFlags(c *experiment.Call) (names, methods []string, err error) {
	names, methods = []string{f.scenario}, strings.Split(f.methods, ",")
	if f.scenario == "all" {
		names = scenarios
	}
	for _, m := range methods {
		if !slices.Contains(testbed.LocalizerNames, m) {
			return nil, nil, c.Refuse("there is no method %q: it is one of %s", m, strings.Join(testbed.LocalizerNames, ", "))
		}
	}
	switch {
	case !slices.Contains([]string{"", sonarOnly, lidarOnly, sonarAndLidar}, f.sensor):
		err = c.Refuse("--sensor is %q; it must be sonar, lidar or both", f.sensor)
	case f.sensor != "" && f.log != "":
		err = c.Refuse("--sensor goes with no log: a log has sonars")
	case !slices.Contains(scenarios, names[0]):
		err = c.Refuse("--scenario is %q; it must be %s or all", f.scenario, strings.Join(scenarios, ", "))
	case f.lasts < 10*time.Second || f.lasts > 24*time.Hour:
		err = c.Refuse("--lasts is %v; it must be from 10s to 24h", f.lasts)
	case f.doors != 0 && !(f.doors >= minBuilding && f.doors <= maxBuilding):
		err = c.Refuse("--doors is %g; it must be from %g to %g m", f.doors, minBuilding, maxBuilding)
	case f.doors != 0 && (f.maps != "" || f.log != ""):
		err = c.Refuse("--doors goes with neither --map nor --log")
	case f.log != "" && f.write != "":
		err = c.Refuse("--log and --write-log exclude each other")
	case f.made && (f.log != "" || f.write != "" || f.worlds || f.doors != 0):
		err = c.Refuse("--made goes with no log, not with --worlds and not with --doors")
	case f.worlds && (f.log != "" || f.write != "" || f.svg != ""):
		err = c.Refuse("--worlds goes with no log and no picture")
	}
	return names, methods, err
}

// Run runs all localizers side by side on the same readings: those of a log, or of simulated
// drives.
func Run(ctx context.Context, c experiment.Call) error {
	var f localizeFlags
	if err := c.Parse(f.defineFlags); err != nil {
		return err
	}
	names, methods, err := f.checkFlags(&c)
	if err != nil {
		return err
	}
	desc, err := f.loadRobot(&c)
	if err != nil {
		return err
	}
	if err := f.world.CheckFit(desc); err != nil {
		return c.Refuse("--world: %v", err)
	}
	plan, err := f.loadPlan()
	if err != nil {
		return err
	}
	k := comparison{
		bench:   bench{desc: desc, plan: plan, cache: c.Tables},
		flags:   f,
		methods: methods,
		out:     localizeOutcome{Map: plan.Name, World: f.world.Name, Made: f.made, Sensor: sensorOf(desc)},
	}
	if f.cache != "" {
		k.cache = app.Tables(f.cache)
	}
	if f.worlds {
		o, err := k.compareWorlds(ctx, c)
		if err != nil {
			return err
		}
		return c.Print(o)
	}
	if f.log != "" {
		err = k.replayLog(ctx)
	} else {
		err = k.compareScenarios(ctx, names)
	}
	if err != nil {
		return err
	}
	return printWithPicture(c, k.out, k.plan, k.first, f.svg)
}

// A comparison runs localizers side by side.
type comparison struct {
	bench
	flags   localizeFlags
	methods []string
	out     localizeOutcome
	first   pictured
}

// replayLog runs the localizers on the readings of a log.
func (k *comparison) replayLog(ctx context.Context) error {
	frames, geometry, err := readLog(k.flags.log)
	if err != nil {
		return err
	}
	k.out.Log = k.flags.log
	if k.out.Sonar, err = k.fitSonars(ctx, frames, geometry, k.flags.robot != ""); err != nil {
		return err
	}
	for _, name := range k.methods {
		r, err := k.runMethod(ctx, name, "log", frames, k.flags.seeds.First)
		if err != nil {
			return err
		}
		k.out.Rows = append(k.out.Rows, sumRuns("log", name, []localizeRun{r}, []uint64{k.flags.seeds.First}))
		k.first.addTrack(name, frames, r)
	}
	return nil
}

// compareScenarios drives each scenario with each seed and runs the localizers on the readings.
func (k *comparison) compareScenarios(ctx context.Context, names []string) error {
	k.out.Seeds = k.flags.seeds.All()
	sites := make([]*site, len(k.out.Seeds))
	for i, seed := range k.out.Seeds {
		var err error
		if sites[i], err = k.siteOf(ctx, seed); err != nil {
			return err
		}
	}
	k.plan = sites[0].plan // for the picture
	for _, scenario := range names {
		runs := map[string][]localizeRun{}
		lasts := k.flags.lasts
		if scenario == "global" {
			lasts = min(lasts, globalLast)
		}
		for i, seed := range k.out.Seeds {
			frames, err := sites[i].record(ctx, k.flags.world, scenario, seed, lasts)
			if err != nil {
				return err
			}
			if k.flags.write != "" {
				if err := writeLog(k.flags.write, k.desc, frames); err != nil {
					return err
				}
				k.flags.write = ""
			}
			pictured := len(k.first.tracks) > 0
			for _, name := range k.methods {
				r, err := sites[i].runMethod(ctx, name, scenario, frames, seed)
				if err != nil {
					return err
				}
				runs[name] = append(runs[name], r)
				if !pictured {
					k.first.addTrack(name, frames, r)
				}
			}
		}
		for _, name := range k.methods {
			k.out.Rows = append(k.out.Rows, sumRuns(scenario, name, runs[name], k.out.Seeds))
		}
	}
	return nil
}

func printWithPicture(c experiment.Call, o localizeOutcome, plan *robot.Floorplan, first pictured, svg string) error {
	if svg != "" {
		if err := first.drawPicture(svg, plan); err != nil {
			return err
		}
	}
	return c.Print(o)
}

func (f *localizeFlags) loadPlan() (*robot.Floorplan, error) {
	if f.doors != 0 {
		return doorsPlan(f.doors, f.seeds.First), nil
	}
	plan, err := testbed.LoadPlan(f.maps)
	if err != nil {
		return nil, fmt.Errorf("lab: %w", err)
	}
	return plan, nil
}

// The sensors by which a robot localizes.
const (
	sonarOnly     = "sonar"
	lidarOnly     = "lidar"
	sonarAndLidar = "both"
)

// sensorOf names the sensors by which a robot localizes.
func sensorOf(desc robot.Description) string {
	switch {
	case len(desc.Lidars) == 0:
		return sonarOnly
	case len(desc.Sonars) == 0:
		return lidarOnly
	}
	return sonarAndLidar
}

// loadRobot returns the robot that the flags name, with only the sensors that they name.
func (f *localizeFlags) loadRobot(c *experiment.Call) (robot.Description, error) {
	name := f.robot
	if name == "" {
		switch f.sensor {
		case lidarOnly:
			name = models.LidarName
		case sonarAndLidar:
			name = models.LidarSonarName
		}
	}
	desc, err := testbed.LoadRobot(name)
	if err != nil {
		return desc, err
	}
	switch f.sensor {
	case sonarOnly:
		desc.Lidars = nil
	case lidarOnly:
		desc.Sonars = nil
	}
	if f.sensor != "" && sensorOf(desc) != f.sensor || len(desc.Sonars)+len(desc.Lidars) == 0 {
		return desc, c.Refuse("--sensor is %s; the robot %s has %d sonars and %d lidars", f.sensor, desc.Name, len(desc.Sonars), len(desc.Lidars))
	}
	return desc, nil
}

// scanObserver is a localizer that uses lidars.
type scanObserver interface {
	ObserveScans(clouds []scan.Cloud)
	CrowdShare() float64
}

// mover is a localizer that accepts motion as a pose, as in logs.
type mover interface {
	Move(robot.Pose, robot.Reading)
}

// bench runs localizers on one floor.
type bench struct {
	desc  robot.Description
	plan  *robot.Floorplan
	cache localization.Cache
	table *localization.Table
	log   bool // the frames come from a log: use their motion instead of wheel travel
}

// newLocalizer returns a localizer that starts at a pose.
func (b *bench) newLocalizer(ctx context.Context, name string, start robot.Pose, seed uint64) (testbed.Localizer, error) {
	if name == "mcl" && b.table == nil {
		var err error
		if b.table, err = localization.NewTable(ctx, b.plan, b.desc, b.cache); err != nil {
			return nil, fmt.Errorf("lab: %w", err)
		}
	}
	return testbed.NewLocalizer(name, b.desc, b.plan, b.table, start, seed), nil
}

// localizeRun is one method on one run.
type localizeRun struct {
	estimates []robot.Pose // by frame
	off       []float64    // m, by frame
	turned    []float64    // rad, by frame
	counted   []bool       // by frame: its error counts; see grace
	inside    []bool       // by frame: the truth is in the ellipse of two standard deviations
	said      []bool       // by frame: it reports LOST
	doubted   []bool       // by frame: it reports LOST or UNSURE
	since     []float64    // s, by frame: how long it has been lost; 0 = it is not
	costs     []float64    // us, by update, with at most 500 particles
	dear      []float64    // us, by update, with more particles
	allocs    float64      // per update
	particles float64      // mean
	crowd     float64      // mean of MCL.CrowdShare
	carried   int
	found     []float64 // s, by recovery
	foundWays []float64 // m driven, by recovery
	jumps     int
}

// grace is the time after a kidnap, in s, in which errors do not count.
const grace = 10.0

// startOff is the initial error, in m, in the scenario off: a little more than lostFrom.
const startOff = 0.55

// slack is how long, in s, an estimate may be lost before it must report so.
const slack = 3.0

// holds is how long, in s, an estimate must remain right to count as recovered.
const holds = 3.0

// runMethod replays the frames to a method.
func (b *bench) runMethod(ctx context.Context, name, scenario string, frames []frame, seed uint64) (localizeRun, error) {
	start := frames[0].truth
	if scenario == "global" { // the start is unknown; localizers that need a pose get a wrong one
		g := &b.plan.Grid
		start = robot.Pose{X: g.Origin.X + float64(g.Width)*g.Resolution/2, Y: g.Origin.Y + float64(g.Height)*g.Resolution/2}
	}
	if scenario == "off" { // a person gives a wrong start
		sin, cos := math.Sincos(2.4 * float64(seed)) // in another direction for each run
		start = robot.Pose{X: start.X + startOff*cos, Y: start.Y + startOff*sin, Theta: start.Theta}
	}
	loc, err := b.newLocalizer(ctx, name, start, seed)
	if err != nil {
		return localizeRun{}, err
	}
	mcl, _ := loc.(*localization.MCL)
	if mcl != nil && scenario == "global" {
		mcl.Forget()
	}
	n := len(frames)
	r := localizeRun{
		estimates: make([]robot.Pose, n), off: make([]float64, n), turned: make([]float64, n),
		counted: make([]bool, n), inside: make([]bool, n), said: make([]bool, n), doubted: make([]bool, n), since: make([]float64, n), costs: make([]float64, 0, n), dear: make([]float64, 0, n),
	}
	count, updates := 0.0, 0
	scans, _ := loc.(scanObserver)
	heard := 0
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range frames {
		f := &frames[i]
		if i%4096 == 0 && ctx.Err() != nil {
			return r, ctx.Err()
		}
		began := time.Now()
		if m, ok := loc.(mover); ok && b.log {
			m.Move(f.move, f.reading)
		} else {
			loc.Update(f.reading)
		}
		if scans != nil && len(f.clouds) > 0 {
			scans.ObserveScans(f.clouds)
			heard++
			r.crowd += (scans.CrowdShare() - r.crowd) / float64(heard)
		}
		took := float64(time.Since(began).Nanoseconds()) / 1000
		e := loc.Estimate()
		r.estimates[i], r.said[i], r.inside[i] = e.Pose, e.Trust == robot.TrustLost, holdsTruth(e, f.truth)
		r.doubted[i] = e.Trust != robot.TrustOK
		if mcl == nil {
			r.costs = append(r.costs, took)
			continue
		}
		if done, particles := mcl.CountWork(); done > updates {
			updates = done
			count += float64(particles)
			if particles <= 500 {
				r.costs = append(r.costs, took)
			} else {
				r.dear = append(r.dear, took)
			}
		}
	}
	runtime.ReadMemStats(&after)
	total := float64(len(r.costs) + len(r.dear))
	r.allocs = math.Round(100*float64(after.Mallocs-before.Mallocs)/max(1, total)) / 100
	r.particles = count / max(1, total)
	r.compareWithTruth(frames, scenario)
	return r, nil
}

// holdsTruth reports whether the truth is in the estimate's ellipse of two standard deviations.
func holdsTruth(e robot.Estimate, truth robot.Pose) bool {
	d, c := truth.Point().Sub(e.Pose.Point()), e.Covariance
	det := c.XX*c.YY - c.XY*c.XY
	return c.YY*d.X*d.X-2*c.XY*d.X*d.Y+c.XX*d.Y*d.Y <= 4*det
}

// compareWithTruth compares the estimates with the truth.
func (r *localizeRun) compareWithTruth(frames []frame, scenario string) {
	at := func(i int) float64 { return frames[i].reading.Time.Sub(frames[0].reading.Time).Seconds() }
	looking, since, right := scenario == "global" || scenario == "off", 0.0, -1.0
	distance, from, there := 0.0, 0.0, 0.0 // m: driven, at the kidnap, at the first right estimate
	if looking {
		r.carried++
	}
	for i := range frames {
		distance += frames[i].move.Point().Norm()
		e := frames[i].truth.Inverse().Compose(r.estimates[i])
		r.off[i], r.turned[i] = e.Point().Norm(), math.Abs(e.Theta)
		if i > 0 && r.off[i] > lostFrom {
			r.since[i] = r.since[i-1] + at(i) - at(i-1)
		}
		if frames[i].carried {
			looking, since, right, from = true, at(i), -1, distance
			r.carried++
		}
		if i > 0 && !frames[i].carried && r.off[i-1] < lostFrom && r.off[i] > 2 {
			r.jumps++
		}
		switch ok := r.off[i] <= lostFrom && r.turned[i] < math.Pi/4; {
		case !looking:
		case !ok:
			right = -1
		case right < 0:
			right, there = at(i), distance
		case at(i)-right >= holds:
			looking = false
			r.found = append(r.found, right-since)
			r.foundWays = append(r.foundWays, there-from)
		}
		r.counted[i] = !looking || at(i)-since >= grace
	}
}

// sumRuns combines several runs into a row.
func sumRuns(scenario, method string, runs []localizeRun, seeds []uint64) localizeRow {
	row := localizeRow{Method: method, Scenario: scenario, Runs: len(runs), LostIn: []uint64{}}
	var squares, turns, n, all, lost, said, off, doubts, right, crying float64
	var offs, costs, dear, found []float64
	for k := range runs {
		r := &runs[k]
		var s, m, l float64
		for i, d := range r.off {
			if d > lostFrom {
				l++
				if r.said[i] {
					said++
				}
			}
			switch {
			case r.since[i] > slack:
				off++
				stats.Count(&doubts, r.doubted[i])
				row.Off += r.since[i] - r.since[i-1]
			case d <= lostFrom:
				right++
				stats.Count(&crying, r.doubted[i])
			}
			if !r.counted[i] {
				continue
			}
			s += d * d
			turns += r.turned[i] * r.turned[i]
			stats.Count(&row.Inside, r.inside[i])
			m++
			offs = append(offs, d)
		}
		squares += s
		n += m
		all += float64(len(r.off))
		lost += l
		row.Worst = max(row.Worst, math.Sqrt(s/max(1, m)))
		row.LostRun = max(row.LostRun, l/float64(len(r.off)))
		if seeds != nil && (l > 0 && r.carried == 0 || len(r.found) < r.carried) {
			row.LostIn = append(row.LostIn, seeds[k])
		}
		row.Allocs = max(row.Allocs, r.allocs)
		row.Count += r.particles / float64(len(runs))
		row.Crowd += r.crowd / float64(len(runs))
		row.Carried += r.carried
		row.Found += len(r.found)
		row.Jumps += r.jumps
		for _, distance := range r.foundWays {
			row.FoundWay = max(row.FoundWay, distance)
			stats.Count(&row.Within, distance <= 20)
		}
		costs, dear, found = append(costs, r.costs...), append(dear, r.dear...), append(found, r.found...)
	}
	row.RMSE, row.Heading = math.Sqrt(squares/max(1, n)), robot.Degrees(math.Sqrt(turns/max(1, n)))
	row.Inside /= max(1, n)
	row.Lost = lost / all
	row.LostSaid = said / max(1, lost)
	row.Doubts, row.Crying = 1, crying/max(1, right)
	if off > 0 {
		row.Doubts = doubts / off
	}
	row.Median, row.Max = stats.Quantile(offs, 0.5), stats.Quantile(offs, 1)
	row.Mean, row.P99 = stats.Mean(costs), stats.Quantile(costs, 0.99)
	every := append(costs, dear...)
	row.P99All, row.Dearest = stats.Quantile(every, 0.99), stats.Quantile(every, 1)
	row.FoundIn, row.FoundMax = stats.Quantile(found, 0.5), stats.Quantile(found, 1)
	return row
}

// errLog means that a log cannot be parsed.
var errLog = errors.New("a line is t, the true x y theta, odometry's x y theta, the compass, 1 if the sonars are new, and their ranges, with blanks between; m and rad, 0 = no echo, -1 = absent")
