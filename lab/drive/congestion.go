package drive

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"mybot/lab/internal/drawing"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/robot"
	"mybot/robot/playout"
)

// The experiment of Yang 2005, section VI.B: SETSPEED every setEvery, and a server that sleeps
// for a random time before each package.
const (
	setEvery = 0.1  // s
	maxSleep = 0.1  // s, of one draw
	delayTen = 10.0 // s, of the delay mode
	offBeat  = 0.02 // s, tolerated change of the time between two commands
	pathStep = 0.025
)

// fig11Outcome is the effect of congestion on the modes.
type fig11Outcome struct {
	Commands int        `json:"commands"`
	Duration float64    `json:"duration_s"`
	Length   float64    `json:"length_m"`
	Seeds    []uint64   `json:"seeds"`
	Rows     []fig11Row `json:"rows"`
}

// fig11Row is the outcome of one level and mode over all seeds.
type fig11Row struct {
	Level     int          `json:"level"`
	Mode      string       `json:"mode"`
	Deviation stats.Spread `json:"max_deviation_m"` // of the driven path from the reference
	Worst     float64      `json:"worst_m"`         // the same, largest over all seeds
	Hausdorff stats.Spread `json:"hausdorff_m"`     // symmetric
	Frechet   stats.Spread `json:"frechet_m"`       // discrete
	Latency   float64      `json:"start_latency_s"` // median
	Until     float64      `json:"correct_until_s"` // median: until when commands keep the intervals at which they were sent
	UntilLow  float64      `json:"correct_until_min_s"`
	UntilHigh float64      `json:"correct_until_max_s"`
}

func (o fig11Outcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Congestion as in figure 11 of RoboTalk: %d commands, %g s, %.2f m; %s. Level m: each package waits for m draws of 0 to %g s.\n\n",
		o.Commands, o.Duration, o.Length, report.SeedRange(o.Seeds), maxSleep)
	report.Table(&b, []string{
		"level|%5d", "mode| %-11s", "deviation, m\nmedian      P95    worst|%8.3f %8.3f %8.3f", "Hausdorff, m\nmedian     P95|%8.3f %7.3f", "Frechet, m\nmedian     P95|%8.3f %7.3f",
		"starts, s|%9.2f", "right until, s|%14s",
	}, o.Rows, func(r fig11Row) []any {
		return []any{
			r.Level, r.Mode, r.Deviation.Median, r.Deviation.P95, r.Worst, r.Hausdorff.Median, r.Hausdorff.P95, r.Frechet.Median, r.Frechet.P95,
			r.Latency, fmt.Sprintf("%6.1f (%.1f to %.1f)", r.Until, r.UntilLow, r.UntilHigh),
		}
	})
	return strings.TrimRight(b.String(), "\n")
}

// setSpeed is one SETSPEED of the profile.
type setSpeed struct {
	t     float64 // s, its start time
	twist robot.Twist
}

// setSpeeds returns the profile as commands; the last one stops the robot.
func setSpeeds() []setSpeed {
	profile := figure11Profile(1)
	lasts := 0.0
	for _, s := range profile {
		lasts += s.lasts
	}
	h := newProgram(profile...)
	var out []setSpeed
	for k := 0; k <= int(math.Round(lasts/setEvery)); k++ {
		t := float64(k) * setEvery
		twist, _ := h(t, robot.Motion{})
		out = append(out, setSpeed{t, twist})
	}
	return out
}

// delayByCongestion returns when each package is handled. The server handles them in order and
// sleeps for the sum of level draws before each.
func delayByCongestion(commands []setSpeed, level int, luck *rand.Rand) []float64 {
	out := make([]float64, len(commands))
	free := 0.0
	for k, c := range commands {
		sleep := 0.0
		for range level {
			sleep += maxSleep * luck.Float64()
		}
		free = math.Max(c.t, free) + sleep
		out[k] = free
	}
	return out
}

// played is one run of the profile.
type played struct {
	path []robot.Point // every pathStep
	at   []float64     // s, when each command was executed
}

// playSpeeds plays commands with the given arrival times in a mode. The robot starts at the
// origin and faces along y.
func playSpeeds(desc robot.Description, mode playout.Policy, commands []setSpeed, arrive []float64) played {
	var out played
	var queue playout.Queue
	start := playout.Start{Duration: commands[len(commands)-1].t}
	shift, shifted := delayTen, mode != playout.Playback
	put := func(now float64, k int) {
		o := robot.Enqueue{ID: uint64(k), Command: robot.Drive{Twist: commands[k].twist}}
		if mode != playout.Direct {
			o.At = timeAt(commands[k].t + shift)
		}
		queue.Put(timeAt(now), o)
	}
	// As with the paper's robot, the motors follow immediately.
	limit := desc.Safe
	limit.LinearAcceleration, limit.AngularAcceleration = 100, 100
	m := robot.Motion{Axle: robot.Pose{Theta: math.Pi / 2}}
	var want robot.Twist
	next, waiting, rolled := 0, 0, 0.0
	for t := 0.0; len(out.at) < len(commands) || !m.Twist.IsZero(); {
		for ; next < len(commands) && arrive[next] <= t+1e-9; next++ {
			if shifted {
				put(t, next)
				continue
			}
			start.Take(timeAt(arrive[next]), commands[next].t)
			if waiting++; start.Ready() {
				shifted, shift = true, t-commands[0].t
				for k := next - waiting + 1; k <= next; k++ {
					put(t, k)
				}
			}
		}
		for {
			o, ok := queue.Next(timeAt(t))
			if !ok {
				break
			}
			want = o.Command.(robot.Drive).Twist
			out.at = append(out.at, t)
		}
		dt := 0.005
		if next < len(commands) {
			dt = math.Min(dt, math.Max(1e-6, arrive[next]-t))
		}
		if at, ok := queue.Due(); ok {
			dt = math.Min(dt, math.Max(1e-6, at.Sub(timeAt(t)).Seconds()))
		}
		m = robot.Step(m, want, limit, dt)
		if rolled += math.Abs(m.Twist.Linear) * dt; rolled >= pathStep || len(out.path) == 0 {
			out.path, rolled = append(out.path, m.Axle.Point()), 0
		}
		t += dt
	}
	out.path = append(out.path, m.Axle.Point())
	return out
}

// correctUntil returns the start time up to which the commands were executed at the intervals
// at which they were sent.
func (p played) correctUntil(commands []setSpeed) float64 {
	for k := 1; k < len(p.at); k++ {
		if math.Abs(p.at[k]-p.at[k-1]-(commands[k].t-commands[k-1].t)) > offBeat {
			return commands[k-1].t
		}
	}
	return commands[len(commands)-1].t
}

// deviationOf returns the largest distance of the path a from the line b.
func deviationOf(a, b []robot.Point) float64 {
	worst := 0.0
	for _, p := range a {
		worst = math.Max(worst, testbed.DistanceToLine(p, b))
	}
	return worst
}

// frechetDistance returns the discrete Frechet distance of two paths (Eiter and Mannila 1994).
func frechetDistance(a, b []robot.Point) float64 {
	row := make([]float64, len(b))
	for i, p := range a {
		before := 0.0 // previous row, one column to the left
		for j, q := range b {
			d := p.Sub(q).Norm()
			up := row[j]
			switch {
			case i == 0 && j == 0:
				row[j] = d
			case i == 0:
				row[j] = math.Max(row[j-1], d)
			case j == 0:
				row[j] = math.Max(up, d)
			default:
				row[j] = math.Max(d, math.Min(up, math.Min(before, row[j-1])))
			}
			before = up
		}
	}
	return row[len(b)-1]
}

// Fig11 runs RoboTalk's congestion test.
func Fig11(ctx context.Context, c experiment.Call) error {
	var seeds experiment.Seeds
	var svg string
	if err := c.Parse(func(f *experiment.Flags) {
		f.Seeds(&seeds, 100, 1000)
		f.StringVar(&svg, "svg", "", "draw the four panels of the figure, level 4 and the first seed, to `FILE`")
	}); err != nil {
		return err
	}
	desc := testbed.Mybot()
	commands := setSpeeds()
	onTime := make([]float64, len(commands))
	for k, c := range commands {
		onTime[k] = c.t
	}
	reference := playSpeeds(desc, playout.Direct, commands, onTime)
	o := fig11Outcome{Commands: len(commands), Duration: commands[len(commands)-1].t}
	for i := 1; i < len(reference.path); i++ {
		o.Length += reference.path[i].Sub(reference.path[i-1]).Norm()
	}
	o.Seeds = seeds.All()
	modes := []playout.Policy{playout.Direct, playout.Delay, playout.Playback}
	panels := [][]robot.Point{reference.path}
	for level := 1; level <= 4; level++ {
		for _, mode := range modes {
			row := fig11Row{Level: level, Mode: string(mode)}
			if mode == playout.Delay {
				row.Mode = fmt.Sprintf("delay %g s", delayTen)
			}
			var far, both, along, latency, until []float64
			for _, seed := range o.Seeds {
				if err := ctx.Err(); err != nil {
					return err
				}
				p := playSpeeds(desc, mode, commands, delayByCongestion(commands, level, rand.New(rand.NewPCG(seed, uint64(level)))))
				if level == 4 && seed == seeds.First {
					panels = append(panels, p.path)
				}
				d := deviationOf(p.path, reference.path)
				far = append(far, d)
				both = append(both, math.Max(d, deviationOf(reference.path, p.path)))
				along = append(along, frechetDistance(p.path, reference.path))
				latency, until = append(latency, p.at[0]), append(until, p.correctUntil(commands))
			}
			row.Deviation, row.Hausdorff, row.Frechet = stats.SpreadOf(far), stats.SpreadOf(both), stats.SpreadOf(along)
			row.Worst, row.Latency = stats.Quantile(far, 1), stats.Quantile(latency, 0.5)
			row.Until, row.UntilLow, row.UntilHigh = stats.Quantile(until, 0.5), stats.Quantile(until, 0), stats.Quantile(until, 1)
			o.Rows = append(o.Rows, row)
		}
	}
	if svg != "" {
		if err := drawPanels(svg, panels); err != nil {
			return err
		}
	}
	return c.Print(o)
}

// drawPanels draws the reference and the three modes, like figure 11.
func drawPanels(name string, paths [][]robot.Point) error {
	const size, gap, rim = 340.0, 20.0, 12.0
	captions := []string{
		"(a) direct, no congestion", "(b) direct, congestion",
		fmt.Sprintf("(c) delay of %g s, congestion", delayTen), "(d) playback, congestion",
	}
	low, high := paths[0][0], paths[0][0]
	for _, p := range slices.Concat(paths...) {
		low = robot.Point{X: math.Min(low.X, p.X), Y: math.Min(low.Y, p.Y)}
		high = robot.Point{X: math.Max(high.X, p.X), Y: math.Max(high.Y, p.Y)}
	}
	scale := (size - 2*rim) / math.Max(high.X-low.X, high.Y-low.Y)
	var b strings.Builder
	for i, path := range paths {
		x, y := gap+float64(i%2)*(size+gap), gap+float64(i/2)*(size+gap+24)
		fmt.Fprintf(&b, `<svg x="%g" y="%g" width="%g" height="%g"><rect width="100%%" height="100%%" fill="none" stroke="%s" stroke-width="2"/>`+"\n", x, y, size, size, drawing.Grid)
		place := func(points []robot.Point) (out []robot.Point) {
			for _, p := range points {
				out = append(out, robot.Point{X: size/2 + scale*(p.X-(low.X+high.X)/2), Y: size/2 - scale*(p.Y-(low.Y+high.Y)/2)})
			}
			return out
		}
		if i > 0 {
			b.WriteString(drawing.Line(place(paths[0]), drawing.Grid, 2, "6 4"))
		}
		colour := drawing.Blue
		if i == 1 || i == 2 {
			colour = drawing.Red
		}
		b.WriteString(drawing.Line(place(path), colour, 2, ""))
		from := place(path[:1])[0]
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="4"/>`+"\n</svg>\n", from.X, from.Y)
		b.WriteString(drawing.Label(x+size/2, y+size+18, "middle", captions[i]))
	}
	return drawing.Write(name, 2*size+3*gap, 2*(size+gap+24)+gap, b.String())
}

// timeAt returns the time t seconds after the start of a run.
func timeAt(t float64) time.Time { return time.Unix(1e6, int64(math.Round(t*1e9))) }
