package drive

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/localization"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/models"
	"mybot/robot/onboard"
)

// guardOutcome is what a driver who does not look hits in spite of the guard.
type guardOutcome struct {
	Seeds   []uint64   `json:"seeds"`
	Minutes int        `json:"minutes"` // of each drive
	Rows    []guardRow `json:"rows"`
}

// guardRow is the outcome of one robot in one scene over all seeds.
type guardRow struct {
	Robot  string  `json:"robot"` // a built-in robot
	Scene  string  `json:"scene"`
	Drives int     `json:"drives"`
	Way    float64 `json:"way_m"`
	Bumps  int     `json:"collisions"`     // while the robot moved
	Pushed int     `json:"walked_into"`    // by people, while the robot stood
	Speed  float64 `json:"speed_m_s"`      // mean while the driver asked for more than 0.1 m/s
	Tick   float64 `json:"tick_median_ms"` // of Core, including scans
}

func (o guardOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "A hand drives through the office for %d min without looking, %s. What the guard lets it touch:\n\n", o.Minutes, report.SeedRange(o.Seeds))
	report.Table(&b, []string{"robot|%-12s", "scene|%-8s", "drives|%7d", "way, m|%7.0f", "collisions|%11d", "walked into|%12d", "speed, m/s|%11.3f", "tick, ms|%9.3f"}, o.Rows, func(r guardRow) []any {
		return []any{r.Robot, r.Scene, r.Drives, r.Way, r.Bumps, r.Pushed, r.Speed, r.Tick}
	})
	b.WriteString("\nwalls: without people, and without tables and chairs, of which a lidar near the floor sees only the legs. people: the same with people.\ntables: the office as it is, without people. glass: walls, half of which are panes.")
	return b.String()
}

// guardScenes are the scenes in which the driver drives.
var guardScenes = []string{"walls", "people", "tables", "glass"}

// MeasureGuard drives without looking, with sonars, with a lidar, and with both.
func MeasureGuard(ctx context.Context, c experiment.Call) error {
	var seeds experiment.Seeds
	o := guardOutcome{}
	sensor := "all"
	if err := c.Parse(func(f *experiment.Flags) {
		f.Seeds(&seeds, 5, 1000)
		f.Int(&o.Minutes, "minutes", 3, 1, 600, "`how long` each drive lasts")
		f.StringVar(&sensor, "sensor", sensor, "by which `sensors`: sonar, lidar, both or all")
	}); err != nil {
		return err
	}
	robots, ok := map[string][]string{
		"sonar": {models.MybotName}, "lidar": {models.LidarName}, "both": {models.LidarSonarName},
		"all": {models.MybotName, models.LidarName, models.LidarSonarName},
	}[sensor]
	if !ok {
		return c.Refuse("--sensor is %q; it must be sonar, lidar, both or all", sensor)
	}
	plan, err := testbed.LoadPlan("")
	if err != nil {
		return fmt.Errorf("lab: guard: %w", err)
	}
	scene, err := sim.ReadScene(maps.Office(), "scene.json")
	if err != nil {
		return fmt.Errorf("lab: guard: %w", err)
	}
	o.Seeds = seeds.All()
	for _, name := range robots {
		desc, err := testbed.LoadRobot(name)
		if err != nil {
			return err
		}
		for _, where := range guardScenes {
			drives, err := experiment.RunParallel(ctx, c.Err, name+" among "+where, len(o.Seeds), func(ctx context.Context, n int) (guardDrive, error) {
				return driveBlindly(ctx, desc, plan, scene, where, o.Seeds[n], o.Minutes)
			})
			if err != nil {
				return err
			}
			o.Rows = append(o.Rows, sumGuardDrives(name, where, drives))
		}
	}
	return c.Print(o)
}

// guardDrive is one drive.
type guardDrive struct {
	way           float64 // m
	bumps, pushed int
	asked         float64   // s during which the driver asked for forward or backward motion
	ticks         []float64 // ms
}

func sumGuardDrives(name, where string, drives []guardDrive) guardRow {
	row := guardRow{Robot: name, Scene: where, Drives: len(drives)}
	var ticks []float64
	asked := 0.0
	for _, d := range drives {
		row.Way += d.way
		row.Bumps += d.bumps
		row.Pushed += d.pushed
		asked += d.asked
		ticks = append(ticks, d.ticks...)
	}
	row.Speed, row.Tick = row.Way/asked, stats.Quantile(ticks, 0.5)
	return row
}

// guardFloor returns the office for a scene.
func guardFloor(plan *robot.Floorplan, scene sim.Scene, where string, rng *rand.Rand) (*robot.Floorplan, sim.Scene) {
	p := *plan
	if where != "tables" {
		p.Furniture = slices.DeleteFunc(slices.Clone(plan.Furniture), func(f robot.Furniture) bool {
			name := strings.ToLower(f.Name)
			return slices.ContainsFunc([]string{"table", "desk", "bench", "chair", "stool"}, func(w string) bool { return strings.Contains(name, w) })
		})
	}
	if where != "people" {
		scene.People = nil
	}
	if where == "glass" {
		for i := range p.Lines {
			if rng.IntN(2) == 0 {
				p.Glass = append(p.Glass, i)
			}
		}
	}
	return &p, scene
}

// driveBlindly drives regardless of obstacles, in a new direction every two seconds.
func driveBlindly(ctx context.Context, desc robot.Description, plan *robot.Floorplan, scene sim.Scene, where string, seed uint64, minutes int) (d guardDrive, err error) {
	rng := rand.New(rand.NewPCG(seed, 93))
	plan, scene = guardFloor(plan, scene, where, rng)
	w := sim.NewWorld(desc, plan, scene, sim.Options{Seed: seed, Epoch: time.Unix(1e6, 0)})
	core := onboard.NewCore(desc, localization.NewOdometry(desc, scene.Start), nil)
	var hand robot.Twist
	touching, still := false, true
	for i := range minutes * 60 * int(desc.Rate) {
		if i%int(desc.Rate) == 0 && ctx.Err() != nil {
			return d, ctx.Err()
		}
		r := w.Step()
		truth := w.Truth()
		if truth.Contact && !touching {
			stats.Count(&d.bumps, !still)
			stats.Count(&d.pushed, still)
		}
		touching, still = truth.Contact, truth.Twist.IsStill()
		d.way += math.Abs(truth.Twist.Linear) / desc.Rate
		if i%100 == 0 {
			hand = robot.Twist{Linear: 0.5*rng.Float64() + 0.1, Angular: rng.NormFloat64() * 0.3}
			if rng.IntN(3) == 0 {
				hand.Linear = -hand.Linear
			}
			if rng.IntN(4) == 0 {
				hand = robot.Twist{Angular: rng.NormFloat64()}
			}
		}
		if math.Abs(hand.Linear) > 0.1 {
			d.asked += 1 / desc.Rate
		}
		if i%2 == 0 {
			core.Do(r.Time, robot.Drive{Twist: hand})
		}
		begin := time.Now()
		out, _ := core.Tick(r)
		d.ticks = append(d.ticks, time.Since(begin).Seconds()*1000)
		if err := w.Drive(out); err != nil {
			return d, fmt.Errorf("lab: guard: %w", err)
		}
	}
	return d, nil
}
