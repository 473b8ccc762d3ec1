package lab

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"mybot/drivers/sim"
	"mybot/link"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/playout"
)

// fig5aOutcome is direct control in the corridor with two barrels: Han 2002,
// figure 5(a).
type fig5aOutcome struct {
	Network string       `json:"network"`
	Seeds   []uint64     `json:"seeds"`
	Rows    []fig5aRow   `json:"rows"`
	Round   []fig5aRound `json:"round"` // driven straight on through barrels
}

// fig5aRow is one policy, all seeds together.
type fig5aRow struct {
	Policy  string `json:"policy"`
	Path    Spread `json:"max_path_error_m"`
	Late    Spread `json:"time_difference_s"`
	Final   Spread `json:"final_m"`
	Touched int    `json:"touched"` // runs in which the hull touched something
	Held    int    `json:"held"`
}

func (o fig5aOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "By hand round two barrels in the corridor over %s, real localizer and guard, seeds %d to %d.\n\n", o.Network, o.Seeds[0], o.Seeds[len(o.Seeds)-1])
	fmt.Fprintf(&b, "%-8s %18s %18s %18s %8s %6s\n%-8s %18s %18s %18s\n", "policy", "path error, m", "behind, s", "at the end, m", "touched", "held",
		"", "median     P95", "median     P95", "median     P95")
	for _, r := range o.Rows {
		fmt.Fprintf(&b, "%-8s %10.3f %7.3f %10.2f %7.2f %10.3f %7.3f %8d %6d\n", r.Policy, r.Path.Median, r.Path.P95, r.Late.Median, r.Late.P95,
			r.Final.Median, r.Final.P95, r.Touched, r.Held)
	}
	fmt.Fprintf(&b, "\nStraight on, as if they were not there: the robot goes round by itself.\n\n%-58s %5s %7s %9s %5s %8s %14s %8s\n%-58s %37s %14s %8s\n",
		"barrels", "runs", "passed", "rejoined", "held", "touched", "aside, m", "closest", "", "", "median   P95", "m")
	for _, r := range o.Round {
		fmt.Fprintln(&b, r)
	}
	return strings.TrimRight(b.String(), "\n")
}

// slalomPath is the way of M that the hand steers along, between the barrels.
func slalomPath() []robot.Point {
	return []robot.Point{{X: 4.5, Y: 7.3}, {X: 9.8, Y: 7.3}, {X: 11.2, Y: 6.9}, {X: 12.1, Y: 6.9}, {X: 12.9, Y: 7.65}, {X: 13.7, Y: 7.65}, {X: 15.2, Y: 7.3}, {X: 18.5, Y: 7.3}}
}

// newSteering returns a hand that steers along a line at a speed, 20 times a
// second: it looks ahead, as people do. It lets go at the end.
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
		// The point ahead on the stretch that is driven.
		a, b := line[next-1], line[next]
		way := b.Sub(a)
		along := ((here.X-a.X)*way.X + (here.Y-a.Y)*way.Y) / way.Norm()
		f := math.Min(1, (along+ahead)/way.Norm())
		to := m.Axle.Inverse().Apply(robot.Point{X: a.X + f*way.X, Y: a.Y + f*way.Y})
		curve := 2 * to.Y / (to.X*to.X + to.Y*to.Y)
		want = robot.Twist{Linear: speed, Angular: speed * curve}
		return want, false
	}
}

// fig5a drives between the barrels, by track and by direct.
func fig5a(ctx context.Context, c call) error {
	var first, seeds, barrels uint64
	var svg string
	through := "kaist-davis"
	asJSON, done, err := c.Parse(func(f *flag.FlagSet) {
		f.Uint64Var(&first, "seed", 1, "the first `seed`")
		f.Uint64Var(&seeds, "seeds", 10, "`how many` seeds, 1 to 1000")
		f.Uint64Var(&barrels, "barrels", 50, "`how many` drives through a barrel somewhere, 0 to 10000")
		f.StringVar(&through, "link", through, "the `network`, as for --link")
		f.StringVar(&svg, "svg", "", "draw the first seed to `FILE`")
	})
	if done || err != nil {
		return err
	}
	if seeds < 1 || seeds > 1000 {
		return fmt.Errorf("lab: fig5a: --seeds is %d; it must be from 1 to 1000; %w", seeds, ErrUsage)
	}
	if barrels > 10000 {
		return fmt.Errorf("lab: fig5a: --barrels is %d; it must be from 0 to 10000; %w", barrels, ErrUsage)
	}
	profile, err := link.Parse(through)
	if err != nil {
		return fmt.Errorf("lab: fig5a: --link: %w; %w", err, ErrUsage)
	}
	desc, err := Mybot()
	if err != nil {
		return err
	}
	floor, err := c.office(ctx, desc)
	if err != nil {
		return err
	}
	scene, err := loadCorridor(maps.Office())
	if err != nil {
		return err
	}
	o := fig5aOutcome{Network: through}
	for seed := first; seed-first < seeds; seed++ {
		o.Seeds = append(o.Seeds, seed)
	}
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
			path, late, final = append(path, run.worst), append(late, Quantile(run.late, 0.5)), append(final, run.final)
			if r.Bumps > 0 {
				row.Touched++
			}
			if run.held != "" {
				row.Held++
			}
		}
		row.Path, row.Late, row.Final = SpreadOf(path), SpreadOf(late), SpreadOf(final)
		o.Rows = append(o.Rows, row)
	}
	two, drawn, err := floor.round("the two barrels of the corridor", maps.Office(), profile, o.Seeds, func(uint64) barrelRun { return twoBarrels(scene) }, ctx.Err)
	if err != nil {
		return err
	}
	o.Round = []fig5aRound{two}
	if barrels > 0 {
		all := make([]uint64, barrels)
		for i := range all {
			all[i] = first + uint64(i)
		}
		some, _, err := floor.round("one of 0.15 to 0.3 m, up to 0.5 m beside, 0.2 to 0.45 m/s", maps.Office(), profile, all, someBarrel, ctx.Err)
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
	return c.Print(asJSON, o)
}

// loadCorridor returns the scene of the office with its barrels and without its
// people.
func loadCorridor(office fs.FS) (sim.Scene, error) {
	scene, err := sim.ReadScene(office, "scene.json")
	if err != nil {
		return scene, fmt.Errorf("lab: %w", err)
	}
	scene.People = nil
	return scene, nil
}

// slalomRun is the virtual way and the real one, of M.
type slalomRun struct{ virtual, real []robot.Pose }

// drawBarrels draws the part of the plan with the barrels: the virtual path
// dashed, the real one solid.
func drawBarrels(name string, plan *robot.Floorplan, scene sim.Scene, run slalomRun) error {
	const scale, west, east, south, north = 70.0, 3.5, 19.5, 5.6, 9.0
	var picture strings.Builder
	if err := floorplan.SVG(&picture, plan); err != nil {
		return fmt.Errorf("lab: %w", err)
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
	_, inner, _ := strings.Cut(picture.String(), ">")
	inner = strings.TrimSuffix(strings.TrimSpace(inner), "</svg>")
	fmt.Fprintf(&b, `<svg x="0" y="30" width="%g" height="%g" viewBox="%g %g %g %g">%s</svg>`+"\n", width, height, west, -north, east-west, north-south, inner)
	for _, o := range scene.Obstacles {
		p := at(o.Point)
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s"/>`+"\n", p.X, p.Y, scale*o.Radius, inkText)
	}
	b.WriteString(Line(line(run.real), inkBlue, 2.5, ""))
	b.WriteString(Line(line(run.virtual), inkText, 2, "7 5"))
	s := at(run.virtual[0].Point())
	fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="4"/>`+"\n", s.X, s.Y)
	b.WriteString(Label(s.X, s.Y-10, "middle", "S"))
	b.WriteString(Label(10, 20, "start", "dashed: the virtual robot, straight on. Solid: the real one, round the barrels and back. Axle points, one drive."))
	return Write(name, width, height+40, b.String())
}
