package navigate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mybot/drivers/sim"
	"mybot/lab/internal/drawing"
	"mybot/lab/internal/testbed"
	"mybot/robot"
)

const (
	filmStrips  = 10    // errands drawn
	filmFrames  = 8     // of each
	frameWidth  = 240.0 // px
	frameHeight = 180.0 // px
	frameGap    = 8.0   // px between frames
	frameView   = 8.0   // m, width of what a frame shows around the robot
	filmTextRow = 24.0  // px
)

// stateColours are the robot's colours by the state of its behavior.
var stateColours = map[string]string{"follow": drawing.Blue, "yield": "#bf8700", "replan": "#8250df", "wait": drawing.Red, "free": drawing.Green}

// drawFilms draws, as film strips, the errands that took longest relative to the time told,
// after those that did not arrive though a way was open at the end.
func drawFilms(name string, plan *robot.Floorplan, desc robot.Description, runs []trialResult) error {
	picture, err := drawing.Plan(plan)
	if err != nil {
		return err
	}
	runs = slices.DeleteFunc(slices.Clone(runs), func(r trialResult) bool { return len(r.trace.lines) == 0 || !r.reachable })
	slices.SortStableFunc(runs, func(a, b trialResult) int { return cmp.Compare(b.slowness(), a.slowness()) })
	runs = runs[:min(len(runs), filmStrips)]
	var b strings.Builder
	fmt.Fprintf(&b, `<defs><g id="plan">%s</g></defs>`+"\n", picture)
	y := filmTextRow
	b.WriteString(drawing.Label(frameGap, y-8, "start", "Blue: follows its path. Red: waits. Yellow: yields. Violet: looks for a way. Green: frees itself. Grey: people. Brown: what is on no map. Red lines: closed doors. The line is where the robot has been."))
	for _, r := range runs {
		y += filmTextRow
		b.WriteString(drawing.Label(frameGap, y-8, "start", r.title()))
		r.drawStrip(&b, plan, desc, y)
		y += frameHeight + filmTextRow + frameGap
	}
	return drawing.Write(name, frameGap+filmFrames*(frameWidth+frameGap), y+frameGap, b.String())
}

// slowness returns how long an errand took, divided by the time told; +Inf = it did not arrive.
func (o *trialResult) slowness() float64 {
	if o.end != arrived {
		return math.Inf(1)
	}
	return o.took / o.planned
}

// title says how an errand went.
func (o *trialResult) title() string {
	end := ""
	if o.end != arrived {
		end = fmt.Sprintf("; it did not arrive (%s)", o.end)
	}
	return fmt.Sprintf("Seed %d: %.0f s, told %.0f s; presses %d, with a way open %d%s", o.trace.seed, o.took, o.planned, o.asked, o.needed, end)
}

// drawStrip draws the frames of an errand side by side; y is their top in px.
func (o *trialResult) drawStrip(b *strings.Builder, plan *robot.Floorplan, desc robot.Description, y float64) {
	lines := o.trace.lines
	const tall = frameView * frameHeight / frameWidth
	for n := range filmFrames {
		last := (len(lines) - 1) * (n + 1) / filmFrames
		x := frameGap + float64(n)*(frameWidth+frameGap)
		at := lines[last].Truth
		fmt.Fprintf(b, `<svg x="%.1f" y="%.1f" width="%.1f" height="%.1f" viewBox="%.2f %.2f %.2f %.2f"><use href="#plan"/>`+"\n",
			x, y, frameWidth, frameHeight, at.X-frameView/2, -at.Y-tall/2, frameView, tall)
		o.drawFrame(b, plan, desc, last)
		b.WriteString("</svg>\n")
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="none" stroke="%s"/>`+"\n", x, y, frameWidth, frameHeight, drawing.Grid)
		b.WriteString(drawing.Label(x+frameWidth/2, y+frameHeight+16, "middle", fmt.Sprintf("%.0f s: %s", lines[last].Time, lines[last].State)))
	}
}

// drawFrame draws what a line of the trace shows, in m with y down.
func (o *trialResult) drawFrame(b *strings.Builder, plan *robot.Floorplan, desc robot.Description, last int) {
	l := o.trace.lines[last]
	held := o.changes[0].held
	for _, c := range o.changes {
		if c.at <= l.Time {
			held = c.held
		}
	}
	disc := func(p robot.Point, radius float64, colour string) {
		fmt.Fprintf(b, `<circle cx="%.2f" cy="%.2f" r="%.2f" fill="%s"/>`, p.X, -p.Y, radius, colour)
	}
	for _, t := range held.Things {
		if t.Kind == sim.ObstacleKind {
			disc(t.Point, t.Radius, "#953800")
		}
	}
	for n, closed := range held.Closed {
		if leaf := plan.Doors[n].Leaf(plan.Doors[n].Closed); closed {
			fmt.Fprintf(b, `<path d="M%.2f %.2fL%.2f %.2f" stroke="%s" stroke-width=".08"/>`, leaf.A.X, -leaf.A.Y, leaf.B.X, -leaf.B.Y, drawing.Red)
		}
	}
	for _, p := range l.People {
		disc(robot.Point{X: p.X, Y: p.Y}, testbed.PersonRadius, "#6e7781")
	}
	b.WriteString(`<path fill="none" stroke="#0969da" stroke-width=".04" d="M`)
	for _, t := range o.trace.lines[:last+1] {
		fmt.Fprintf(b, "%.2f %.2f ", t.Truth.X, -t.Truth.Y)
	}
	b.WriteString(`"/>`)
	pose := robot.Pose{X: l.Truth.X, Y: l.Truth.Y, Theta: robot.Radians(l.Truth.Heading)}
	fmt.Fprintf(b, `<polygon fill="%s" points="`, cmp.Or(stateColours[l.State], drawing.Text))
	for _, h := range desc.Body.Outline() {
		p := pose.Apply(h)
		fmt.Fprintf(b, "%.2f,%.2f ", p.X, -p.Y)
	}
	nose := pose.Apply(robot.Point{X: desc.Body.Length / 3})
	fmt.Fprintf(b, `"/><path d="M%.2f %.2fL%.2f %.2f" stroke="#ffffff" stroke-width=".06"/>`+"\n", pose.X, -pose.Y, nose.X, -nose.Y)
}
