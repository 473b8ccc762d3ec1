package navigate

import (
	"context"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"mybot/lab/internal/drawing"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/pathplan"
	"mybot/robot"
)

// fig5bOutcome is the supervisory experiment of Han 2002, figure 5b: the robot drives
// autonomously along a corridor and around its corner. In the paper, the path error was that of
// the localization; here each localizer drives the robot in turn.
type fig5bOutcome struct {
	Map   string     `json:"map"`
	Seeds []uint64   `json:"seeds"`
	From  [3]float64 `json:"from"` // x and y in m, heading in deg
	Goal  [3]float64 `json:"goal"`
	Rows  []fig5bRow `json:"rows"`
}

// fig5bRow is the outcome with one localizer in the loop. All errors are against the truth.
type fig5bRow struct {
	Method     string  `json:"method"`
	Runs       int     `json:"runs"`
	Arrived    int     `json:"arrived"`
	Before     float64 `json:"before_corner_m"` // RMS of the localization error
	After      float64 `json:"after_corner_m"`
	PathBefore float64 `json:"path_before_m"` // RMS of the distance from the route
	PathAfter  float64 `json:"path_after_m"`
	Worst      float64 `json:"path_worst_m"`
	Off        float64 `json:"off_goal_m"` // at the end, mean
	Bumps      int     `json:"collisions"`
}

func (o fig5bOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Along the corridor and round its corner on %s, %s, each localizer in the loop. Errors in cm, root of the mean square.\n\n", o.Map, report.SeedRange(o.Seeds))
	report.Table(&b, []string{
		"localizer|%-10s", "arrived|%4d/%-3d", "localization            \n     before    behind it|  %11.1f %12.1f",
		"off the route                   \n    before  behind it      worst|  %10.1f %10.1f %10.1f", "off goal|%9.1f", "bumps|%6d",
	}, o.Rows, func(r fig5bRow) []any {
		return []any{r.Method, r.Arrived, r.Runs, 100 * r.Before, 100 * r.After, 100 * r.PathBefore, 100 * r.PathAfter, 100 * r.Worst, 100 * r.Off, r.Bumps}
	})
	return strings.TrimRight(b.String(), "\n")
}

// cornerTo is the goal of the experiment.
const cornerTo = "Stairs"

// Fig5b runs the experiment with each localizer.
func Fig5b(ctx context.Context, c experiment.Call) error {
	var seeds experiment.Seeds
	var svg string
	if err := c.Parse(func(f *experiment.Flags) {
		f.Seeds(&seeds, 10, 1000)
		f.StringVar(&svg, "svg", "", "draw the first seed to `FILE`")
	}); err != nil {
		return err
	}
	desc := testbed.Mybot()
	plan, err := testbed.LoadPlan("")
	if err != nil {
		return fmt.Errorf("lab: fig5b: %w", err)
	}
	goal, err := testbed.FindPlace(plan, cornerTo)
	if err != nil {
		return err
	}
	f, err := testbed.NewFloor(ctx, c.Tables, desc, plan)
	if err != nil {
		return err
	}
	route, err := pathplan.NewPlanner(plan, desc).FindRoute(time.Time{}, testbed.CornerStart, goal)
	if err != nil {
		return fmt.Errorf("lab: fig5b: %w", err)
	}
	o := fig5bOutcome{Map: plan.Name, From: inDegrees(testbed.CornerStart), Goal: inDegrees(goal)}
	o.Seeds = seeds.All()
	runs, err := experiment.RunParallel(ctx, c.Err, "drives", len(testbed.LocalizerNames)*len(o.Seeds), func(ctx context.Context, n int) (cornerRun, error) {
		return driveCorner(ctx, f, testbed.LocalizerNames[n/len(o.Seeds)], goal, o.Seeds[n%len(o.Seeds)])
	})
	if err != nil {
		return err
	}
	turn := findCorner(&route)
	var drawn []cornerRun
	for k, name := range testbed.LocalizerNames {
		these := runs[k*len(o.Seeds) : (k+1)*len(o.Seeds)]
		drawn = append(drawn, these[0])
		o.Rows = append(o.Rows, sumCorners(name, these, turn))
	}
	if svg != "" {
		if err := drawCorner(svg, plan, &route, turn, drawn); err != nil {
			return err
		}
	}
	return c.Print(o)
}

func inDegrees(p robot.Pose) [3]float64 { return [3]float64{p.X, p.Y, robot.Degrees(p.Theta)} }

// findCorner returns the distance along a route, in m, at which half of its total turn is done.
func findCorner(route *pathplan.Route) float64 {
	p := route.Points
	half := math.Abs(robot.WrapAngle(p[len(p)-1].Heading-p[0].Heading)) / 2
	for _, w := range p {
		if math.Abs(robot.WrapAngle(w.Heading-p[0].Heading)) > half {
			return w.Along
		}
	}
	return route.Length
}

// cornerRun is one drive, by reading.
type cornerRun struct {
	method string
	end    ending
	bumps  int
	off    float64      // m from the goal at the end
	truth  []robot.Pose // of base_link
	along  []float64    // m, progress on the route
	wrong  []float64    // m, error of the estimate
	aside  []float64    // m, distance of the axle from the route
}

// driveCorner drives once with a localizer in the loop.
func driveCorner(ctx context.Context, f *testbed.Floor, method string, goal robot.Pose, seed uint64) (cornerRun, error) {
	loc := testbed.NewLocalizer(method, f.Desc, f.Plan, f.Table, testbed.CornerStart, seed)
	e := goalTrial{seed: seed, from: testbed.CornerStart, goal: goal, scene: testbed.NewScene("nominal", f.Plan, f.Roads, rand.New(rand.NewPCG(seed, 94))), lasts: extraTime}
	e.scene.Start = e.from
	r, err := f.NewRover(e.scene, loc, seed)
	if err != nil {
		return cornerRun{}, err
	}
	run := cornerRun{method: method}
	o, err := driveToGoal(ctx, r, e, func(r *testbed.Rover) error {
		if r.Route == nil {
			return nil
		}
		run.truth = append(run.truth, r.Truth.Pose)
		run.wrong = append(run.wrong, r.State.Estimate.Pose.Point().Sub(r.Truth.Pose.Point()).Norm())
		run.aside = append(run.aside, testbed.DistanceToLine(r.Desc.Drivetrain.Axle(r.Truth.Pose).Point(), r.Route.Line))
		run.along = append(run.along, r.State.Goal.Done)
		return nil
	})
	run.end, run.bumps, run.off = o.end, o.bumps, o.off
	return run, err
}

// sumCorners combines the drives of a localizer into a row.
func sumCorners(name string, runs []cornerRun, turn float64) fig5bRow {
	row := fig5bRow{Method: name, Runs: len(runs)}
	var n [2]float64
	var wrong, off [2]float64
	for _, r := range runs {
		stats.Count(&row.Arrived, r.end == arrived)
		row.Bumps += r.bumps
		row.Off += r.off / float64(len(runs))
		for i := range r.truth {
			side := 0
			if r.along[i] > turn {
				side = 1
			}
			n[side]++
			wrong[side] += r.wrong[i] * r.wrong[i]
			off[side] += r.aside[i] * r.aside[i]
			row.Worst = max(row.Worst, r.aside[i])
		}
	}
	rms := func(sum [2]float64, side int) float64 { return math.Sqrt(sum[side] / max(1, n[side])) }
	row.Before, row.After = rms(wrong, 0), rms(wrong, 1)
	row.PathBefore, row.PathAfter = rms(off, 0), rms(off, 1)
	return row
}

// drawCorner draws the planned route, dashed, and the robot's path with each localizer, and
// below the errors along the route.
func drawCorner(name string, plan *robot.Floorplan, route *pathplan.Route, turn float64, runs []cornerRun) error {
	picture, err := drawing.Plan(plan)
	if err != nil {
		return err
	}
	low, high := robot.Point{X: math.Inf(1), Y: math.Inf(1)}, robot.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, w := range route.Points {
		low = robot.Point{X: min(low.X, w.Point.X-1.5), Y: min(low.Y, w.Point.Y-1.5)}
		high = robot.Point{X: max(high.X, w.Point.X+1.5), Y: max(high.Y, w.Point.Y+1.5)}
	}
	const width, chart = 1000.0, 260.0
	height := width * (high.Y - low.Y) / (high.X - low.X)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %.0f" font-family="sans-serif"><rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n", width, height+chart+60)
	fmt.Fprintf(&b, `<svg width="%g" height="%.1f" viewBox="%.2f %.2f %.2f %.2f">`, width, height, low.X, -high.Y, high.X-low.X, high.Y-low.Y)
	b.WriteString(picture)
	line := func(n int, at func(i int) (x, y float64), style string) {
		fmt.Fprintf(&b, `<path fill="none" stroke-linejoin="round" %s d="`, style)
		for i := range n {
			x, y := at(i)
			word := "L"
			if i == 0 {
				word = "M"
			}
			fmt.Fprintf(&b, "%s%.3f %.3f", word, x, y)
		}
		fmt.Fprintln(&b, `"/>`)
	}
	const every = 10 // readings between two points of a line
	for _, r := range runs {
		line(len(r.truth)/every, func(i int) (float64, float64) { return r.truth[i*every].X, -r.truth[i*every].Y },
			fmt.Sprintf(`stroke="%s" stroke-width=".05"`, testbed.LocalizerColour(r.method)))
	}
	line(len(route.Points), func(i int) (float64, float64) { return route.Points[i].Point.X, -route.Points[i].Point.Y }, `stroke="#111111" stroke-width=".03" stroke-dasharray=".15 .1"`)
	b.WriteString("</svg>\n")
	fmt.Fprintf(&b, `<text x="30" y="%.0f" font-size="14" fill="#2b3440">Dashed: the route as planned. Solid: where the robot went.</text>`+"\n", height-14)

	top, bottom, left, right := height+30, height+30+chart-40, 60.0, width-20
	most := 0.1
	for _, r := range runs {
		for _, w := range r.wrong {
			most = max(most, w)
		}
	}
	most = math.Ceil(10*most) / 10
	x := func(along float64) float64 { return left + (right-left)*along/route.Length }
	y := func(off float64) float64 { return bottom - (bottom-top)*off/most }
	fmt.Fprintf(&b, `<g font-size="14" fill="#2b3440"><text x="%g" y="%.0f">Localization error in m along the route; the corner is at the dashed line</text>`+"\n", left, top-10)
	for k := 0; k <= 5; k++ {
		v := most * float64(k) / 5
		fmt.Fprintf(&b, `<path d="M%g %.1fH%g" stroke="#d0d7de"/><text x="%g" y="%.1f" text-anchor="end">%.2f</text>`+"\n", left, y(v), right, left-8, y(v)+5, v)
	}
	for v := 0.0; v < route.Length; v += 2 {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">%g</text>`+"\n", x(v), bottom+18, v)
	}
	fmt.Fprintf(&b, `<path d="M%.1f %.1fV%.1f" stroke="#111111" stroke-dasharray="6 4"/>`+"\n", x(turn), top, bottom)
	for k, r := range runs {
		line(len(r.wrong)/every, func(i int) (float64, float64) { return x(r.along[i*every]), y(r.wrong[i*every]) },
			fmt.Sprintf(`stroke="%s" stroke-width="2"`, testbed.LocalizerColour(r.method)))
		fmt.Fprintf(&b, `<text x="%g" y="%.1f" fill="%s">%s, %s</text>`+"\n", left+150*float64(k), bottom+42, testbed.LocalizerColour(r.method), html.EscapeString(r.method), r.end)
	}
	b.WriteString("</g></svg>\n")
	return drawing.WriteText(name, b.String())
}
