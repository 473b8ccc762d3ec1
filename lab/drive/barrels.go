package drive

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"mybot/drivers/sim"
	"mybot/lab/internal/drawing"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/link"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/playout"
)

// fig5aOutcome is the outcome of direct control in the corridor with two barrels: Han 2002,
// figure 5(a).
type fig5aOutcome struct {
	Network string       `json:"network"`
	Seeds   []uint64     `json:"seeds"`
	Rows    []fig5aRow   `json:"rows"`
	Round   []fig5aRound `json:"round"` // the virtual robot driven straight through barrels
}

// fig5aRow is the outcome of one policy over all seeds.
type fig5aRow struct {
	Policy  string       `json:"policy"`
	Path    stats.Spread `json:"max_path_error_m"`
	Late    stats.Spread `json:"time_difference_s"`
	Final   stats.Spread `json:"final_m"`
	Touched int          `json:"touched"` // runs in which the hull touched something
	Held    int          `json:"held"`
}

func (o fig5aOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "By hand round two barrels in the corridor over %s, real localizer and guard, %s.\n\n", o.Network, report.SeedRange(o.Seeds))
	report.Table(&b, []string{
		"policy|%-8s", "path error, m\nmedian     P95|%10.3f %7.3f", "behind, s\nmedian     P95|%10.2f %7.2f", "at the end, m\nmedian     P95|%10.3f %7.3f", "touched|%8d", "held|%6d",
	}, o.Rows, func(r fig5aRow) []any {
		return []any{r.Policy, r.Path.Median, r.Path.P95, r.Late.Median, r.Late.P95, r.Final.Median, r.Final.P95, r.Touched, r.Held}
	})
	b.WriteString("\nStraight on, as if they were not there: the robot drives around them by itself.\n\n")
	report.Table(&b, []string{
		"barrels|%-58s", "runs|%5d", "passed|%7d", "rejoined|%9d", "held|%5d", "touched|%8d", "aside, m\nmedian   P95 |%8.2f %5.2f", "closest\nm |%8.2f",
	}, o.Round, func(r fig5aRound) []any {
		return []any{r.What, r.Runs, r.Passed, r.Rejoined, r.Held, r.Touched, r.Aside.Median, r.Aside.P95, r.Closest}
	})
	return strings.TrimRight(b.String(), "\n")
}

// slalomPath is the path between the barrels along which the driver steers M.
func slalomPath() []robot.Point {
	return []robot.Point{{X: 4.5, Y: 7.3}, {X: 9.8, Y: 7.3}, {X: 11.2, Y: 6.9}, {X: 12.1, Y: 6.9}, {X: 12.9, Y: 7.65}, {X: 13.7, Y: 7.65}, {X: 15.2, Y: 7.3}, {X: 18.5, Y: 7.3}}
}

// newSteering returns a driver that steers along a line at a speed, 20 times a second, toward a
// point ahead, as people do. At the end it lets go.
func newSteering(line []robot.Point, speed float64) stickInput {
	const ahead = 0.6 // m
	var want robot.Twist
	asked, next := -1.0, 1
	return func(t float64, m robot.Motion) (robot.Twist, bool) {
		if t-asked < 0.05-1e-9 {
			return want, next == len(line)
		}
		asked = t
		here := m.Axle.Point()
		for next < len(line) && here.Sub(line[next]).Norm() < ahead {
			next++
		}
		if next == len(line) {
			want = robot.Twist{}
			return want, true
		}
		// The target point is on the current segment.
		a, b := line[next-1], line[next]
		leg := b.Sub(a)
		along := ((here.X-a.X)*leg.X + (here.Y-a.Y)*leg.Y) / leg.Norm()
		f := math.Min(1, (along+ahead)/leg.Norm())
		to := m.Axle.Inverse().Apply(robot.Point{X: a.X + f*leg.X, Y: a.Y + f*leg.Y})
		curve := 2 * to.Y / (to.X*to.X + to.Y*to.Y)
		want = robot.Twist{Linear: speed, Angular: speed * curve}
		return want, false
	}
}

// Fig5a drives between the barrels with the policies track and direct.
func Fig5a(ctx context.Context, c experiment.Call) error {
	var seeds experiment.Seeds
	var barrels uint64
	var svg, robotFile string
	through := "kaist-davis"
	if err := c.Parse(func(f *experiment.Flags) {
		f.Seeds(&seeds, 10, 1000)
		f.Uint(&barrels, "barrels", 50, 0, 10000, "`how many` drives through a barrel somewhere")
		f.StringVar(&through, "link", through, "the `network`, as for --link")
		f.StringVar(&robotFile, "robot", "", "the `robot`: mybot, lidar, lidar+sonar, or a file that describes another one (default mybot)")
		f.StringVar(&svg, "svg", "", "draw the first seed to `FILE`")
	}); err != nil {
		return err
	}
	profile, err := link.ParseProfile(through)
	if err != nil {
		return c.Refuse("--link: %w", err)
	}
	desc, err := testbed.LoadRobot(robotFile)
	if err != nil {
		return err
	}
	floor, err := testbed.LoadOffice(ctx, c.Tables, desc)
	if err != nil {
		return err
	}
	scene, err := loadCorridor(maps.Office())
	if err != nil {
		return err
	}
	o := fig5aOutcome{Network: through}
	o.Seeds = seeds.All()
	for _, policy := range []playout.Policy{playout.Track, playout.Direct} {
		row := fig5aRow{Policy: string(policy)}
		var path, late, final []float64
		for _, seed := range o.Seeds {
			if err := ctx.Err(); err != nil {
				return err
			}
			r, err := floor.NewRover(scene, floor.NewMCL(scene.Start, seed), seed)
			if err != nil {
				return err
			}
			d := simulatePage(desc, r.State.Estimate.Pose, newSteering(slalomPath(), 0.35), network{profile: profile}, seed)
			run := replayDrive(desc, d, playout.Options{Policy: policy}, roverPlant{r})
			path, late, final = append(path, run.worst), append(late, stats.Quantile(run.late, 0.5)), append(final, run.final)
			stats.Count(&row.Touched, r.Bumps > 0)
			stats.Count(&row.Held, run.held != "")
		}
		row.Path, row.Late, row.Final = stats.SpreadOf(path), stats.SpreadOf(late), stats.SpreadOf(final)
		o.Rows = append(o.Rows, row)
	}
	two, drawn, err := driveRound(floor, "the two barrels of the corridor", maps.Office(), profile, o.Seeds, func(uint64) barrelRun { return twoBarrels(scene) }, ctx.Err)
	if err != nil {
		return err
	}
	o.Round = []fig5aRound{two}
	if barrels > 0 {
		all := make([]uint64, barrels)
		for i := range all {
			all[i] = seeds.First + uint64(i)
		}
		some, _, err := driveRound(floor, "one of 0.15 to 0.3 m, up to 0.5 m beside, 0.2 to 0.45 m/s", maps.Office(), profile, all, someBarrel, ctx.Err)
		if err != nil {
			return err
		}
		o.Round = append(o.Round, some)
	}
	if svg != "" {
		if err := drawBarrels(svg, floor.Plan, scene, drawn); err != nil {
			return err
		}
	}
	return c.Print(o)
}

// loadCorridor returns the scene of the office with its barrels and without its people.
func loadCorridor(office fs.FS) (sim.Scene, error) {
	scene, err := sim.ReadScene(office, "scene.json")
	if err != nil {
		return scene, fmt.Errorf("lab: %w", err)
	}
	scene.People = nil
	return scene, nil
}

// slalomRun is the virtual and the real path of M.
type slalomRun struct{ virtual, real []robot.Pose }

// drawBarrels draws the part of the plan with the barrels: the virtual path dashed, the real
// one solid.
func drawBarrels(name string, plan *robot.Floorplan, scene sim.Scene, run slalomRun) error {
	const scale, west, east, south, north = 70.0, 3.5, 19.5, 5.6, 9.0
	inner, err := drawing.Plan(plan)
	if err != nil {
		return err
	}
	width, height := scale*(east-west), scale*(north-south)
	at := func(p robot.Point) robot.Point {
		return robot.Point{X: scale * (p.X - west), Y: 30 + scale*(north-p.Y)}
	}
	line := func(poses []robot.Pose) (out []robot.Point) {
		for i := 0; i < len(poses); i += 4 {
			out = append(out, at(poses[i].Point()))
		}
		return out
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg x="0" y="30" width="%g" height="%g" viewBox="%g %g %g %g">%s</svg>`+"\n", width, height, west, -north, east-west, north-south, inner)
	for _, o := range scene.Obstacles {
		p := at(o.Point)
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s"/>`+"\n", p.X, p.Y, scale*o.Radius, drawing.Text)
	}
	b.WriteString(drawing.Line(line(run.real), drawing.Blue, 2.5, ""))
	b.WriteString(drawing.Line(line(run.virtual), drawing.Text, 2, "7 5"))
	s := at(run.virtual[0].Point())
	fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="4"/>`+"\n", s.X, s.Y)
	b.WriteString(drawing.Label(s.X, s.Y-10, "middle", "S"))
	b.WriteString(drawing.Label(10, 20, "start", "dashed: the virtual robot, straight on. Solid: the real one, round the barrels and back. Axle points, one drive."))
	return drawing.Write(name, width, height+40, b.String())
}
