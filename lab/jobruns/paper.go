package jobruns

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"time"

	"mybot/drivers/sim"
	"mybot/jobs"
	"mybot/lab/internal/drawing"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/maps"
	"mybot/media/voice"
	"mybot/robot"
)

// fig6Outcome is the job of Han 2002, section 4.3, figure 6. Times are in seconds since its
// start.
type fig6Outcome struct {
	Finished bool         `json:"finished"`
	Result   robot.Result `json:"result"`
	Off      float64      `json:"final_position_error_m"`  // true error at the place where the job ends
	Turned   float64      `json:"final_heading_error_deg"` // true error
	Way      float64      `json:"path_length_m"`           // driven
	Took     float64      `json:"took_s"`                  // virtual time
	Expected float64      `json:"expected_s"`              // as rehearsed: without the stop on the way, and without waiting for OK
	Own      float64      `json:"took_without_people_s"`   // the same part of the real duration
	Bumps    int          `json:"collisions"`
	Seed     uint64       `json:"seed"`
	Steps    []fig6Step   `json:"steps"`
	Timeline []fig6Moment `json:"timeline"`
}

// fig6Step is one step of the job.
type fig6Step struct {
	Type   jobs.Kind         `json:"type"`
	What   string            `json:"what"` // the place, or the text
	State  robot.ActionState `json:"state"`
	Began  float64           `json:"began"`
	Ended  float64           `json:"ended"`
	Expect float64           `json:"expect"` // s, as rehearsed
	Result robot.Result      `json:"result"`
}

// fig6Moment is one event.
type fig6Moment struct {
	At   float64 `json:"at"`
	What string  `json:"what"`
}

func (o fig6Outcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "The job of figure 6 in the built-in office, seed %d: real localizer and core, people about.\n\n", o.Seed)
	for _, m := range o.Timeline {
		fmt.Fprintf(&b, "%7.1f s  %s\n", m.At, m.What)
	}
	b.WriteByte('\n')
	step := 0
	report.Table(&b, []string{"step|%-4d", "|%-8s", "|%-27s", "|%-10s", "began|%6.1f s", "ended|%6.1f s", "took|%6.1f s", "rehearsed|%7.1f s"}, o.Steps, func(s fig6Step) []any {
		step++
		return []any{step, s.Type, s.What, s.State, s.Began, s.Ended, s.Ended - s.Began, s.Expect}
	})
	fmt.Fprintf(&b, "\n%s after %.1f s and %.1f m, %.1f cm and %.1f deg from the place in truth, %d collisions. Without the stop and the waiting for OK that is %.1f s; the rehearsal, on a floor without barrels and people, said %.1f s.",
		map[bool]string{true: "Finished", false: "Not finished"}[o.Finished], o.Took, o.Way, 100*o.Off, o.Turned, o.Bumps, o.Own, o.Expected)
	return b.String()
}

// The actions of people in the scenario, and their times.
const (
	pictureAt  = 7.6              // m, the x in map beyond which the user stops the robot to look at the pictures: point II
	lookTime   = 8 * time.Second  // at the pictures
	putPaper   = 12 * time.Second // from the message until OK is touched
	copyPaper  = 25 * time.Second
	touch      = 300 * time.Millisecond // during which the OK switch is down
	maxJobTime = 20 * time.Minute
)

// paperJob is the job of figure 6.
func paperJob() jobs.Job {
	return jobs.Job{Name: "Paper to Jin", Steps: []jobs.Step{
		{Type: jobs.Move, Place: "Sofa"},
		{Type: jobs.Voice, Text: "Hello!"},
		{Type: jobs.Message, Text: "Please give me a paper!", OK: true},
		{Type: jobs.Move, Place: "Copy room"},
		{Type: jobs.Voice, Text: "Here is a message."},
		{Type: jobs.Message, Text: "Please copy this paper!", OK: true},
		{Type: jobs.Move, Place: "Desk"},
	}}
}

// Fig6 runs the job.
func Fig6(ctx context.Context, c experiment.Call) error {
	o := fig6Outcome{}
	var svg string
	if err := c.Parse(func(f *experiment.Flags) {
		f.Uint64Var(&o.Seed, "seed", 1, "`seed` of the world and the localizer")
		f.StringVar(&svg, "svg", "", "draw the way to `FILE`")
	}); err != nil {
		return err
	}
	desc := testbed.Mybot()
	f, err := testbed.LoadOffice(ctx, c.Tables, desc)
	if err != nil {
		return err
	}
	scene, err := sim.ReadScene(maps.Office(), "scene.json")
	if err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	scene.Start = testbed.CornerStart // point I
	r, err := f.NewRover(scene, f.NewMCL(scene.Start, o.Seed), o.Seed)
	if err != nil {
		return err
	}
	b := newPreparer(f, voice.New(slog.New(slog.DiscardHandler)))
	r.Core.UseJobs(b)
	number, rehearsal, err := b.prepareRun(ctx, r.State.Estimate.Pose, paperJob())
	if err != nil {
		return err
	}
	if answer := r.Do(robot.RunJob{Run: number}); answer.Word != robot.Success {
		return fmt.Errorf("lab: fig6: %w", robot.Refusal(answer))
	}
	p := paperRun{Rover: r}
	if err := p.runUntilEnd(ctx); err != nil {
		return err
	}
	o.Expected = stats.Round(rehearsal.Time, 100)
	o.takeFrom(&p)
	if svg != "" {
		if err := p.drawPicture(svg, f.Plan, scene); err != nil {
			return err
		}
	}
	return c.Print(o)
}

// paperRun is the running job, and the people around it.
type paperRun struct {
	*testbed.Rover
	stopped time.Time // by the user; zero = not yet
	looked  bool      // the user has seen the pictures
	message uint64    // on the screen
	since   time.Time // since when it is there
	pressed time.Time // since when the OK switch is down; zero = it is up
	begins  time.Time
	trail   []robot.Point
	marks   []mark
	events  []act
	waited  time.Duration // of the job, for people
}

// act is an action of a person.
type act struct {
	At   time.Time
	What string
}

// mark is a labelled point of the picture.
type mark struct {
	at   robot.Point
	what string
}

// runUntilEnd runs until the job is over.
func (p *paperRun) runUntilEnd(ctx context.Context) error {
	p.begins = p.Now
	for p.Now.Sub(p.begins) < maxJobTime {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := p.Step(); err != nil {
			return err
		}
		if at := p.Truth.Pose.Point(); len(p.trail) == 0 || at.Sub(p.trail[len(p.trail)-1]).Norm() > 0.05 {
			p.trail = append(p.trail, at)
		}
		if p.State.Run.Phase == robot.RunEnded {
			break
		}
		speakOnScreen(p.Rover, 1)
		if err := p.actAsUser(); err != nil {
			return err
		}
		p.actAtScreen()
		if p.State.Run.Phase == robot.RunPaused || p.State.Message != nil && p.State.Message.OK {
			p.waited += p.period()
		}
	}
	return nil
}

func (p *paperRun) period() time.Duration { return time.Duration(float64(time.Second) / p.Desc.Rate) }

// actAsUser stops the robot on its way to the sofa, looks at the pictures on the wall with the
// camera, and lets it continue.
func (p *paperRun) actAsUser() error {
	head := func(pan float64) error {
		if answer := p.Do(robot.Look{HeadAngles: robot.HeadAngles{Pan: pan}}); answer.Word != robot.Success {
			return fmt.Errorf("lab: fig6: %w", robot.Refusal(answer))
		}
		return p.World.Look(robot.HeadAngles{Pan: pan})
	}
	switch {
	case p.stopped.IsZero() && p.Truth.Pose.X > pictureAt:
		p.stopped = p.Now
		p.Do(robot.PauseRun{Reason: "Paused by Ana."})
		p.noteEvent("Ana pauses the job and turns the camera to the pictures on the wall.", "A")
		return head(math.Pi / 2)
	case !p.stopped.IsZero() && !p.looked && p.Now.Sub(p.stopped) > lookTime:
		p.looked = true
		p.noteEvent(fmt.Sprintf("Ana has looked at them, %.0f deg to the left, and resumes the job.", robot.Degrees(p.State.Head.Pan)), "")
		p.Do(robot.ResumeRun{})
		return head(0)
	}
	return nil
}

// actAtScreen acts as a person at the robot who does what its screen asks for and touches its
// OK switch.
func (p *paperRun) actAtScreen() {
	after := putPaper
	switch m := p.State.Message; {
	case m == nil:
		p.message = 0
	case m.Number != p.message:
		p.message, p.since = m.Number, p.Now
	}
	if p.State.Run.Step > 3 {
		after = copyPaper
	}
	switch {
	case !p.pressed.IsZero() && p.Now.Sub(p.pressed) > touch:
		p.pressed = time.Time{}
		p.World.PressOK(false)
	case p.pressed.IsZero() && p.message != 0 && p.Now.Sub(p.since) > after:
		p.pressed = p.Now
		p.World.PressOK(true)
		if p.State.Run.Step > 3 {
			p.noteEvent("A person copies the paper, puts both on the robot and touches OK.", "C")
		} else {
			p.noteEvent("A person puts a paper on the robot and touches OK.", "B")
		}
	}
}

// noteEvent notes an action of people.
func (p *paperRun) noteEvent(what, name string) {
	p.events = append(p.events, act{p.Now, what})
	if name != "" {
		p.marks = append(p.marks, mark{p.Truth.Pose.Point(), name})
	}
}

// takeFrom fills the outcome from the run.
func (o *fig6Outcome) takeFrom(p *paperRun) {
	run, job := p.State.Run, paperJob()
	since := func(t time.Time) float64 {
		if t.IsZero() {
			return 0
		}
		return stats.Round(t.Sub(run.Began).Seconds(), 100)
	}
	o.Finished = run.Phase == robot.RunEnded && run.Result.Done()
	o.Result, o.Took, o.Way, o.Bumps = run.Result, since(p.Now), stats.Round(p.Way, 100), p.Bumps
	o.Own = stats.Round(o.Took-p.waited.Seconds(), 100)
	what := make([]string, len(job.Steps))
	for n, s := range job.Steps {
		what[n] = s.Place
		if s.Text != "" {
			what[n] = "“" + s.Text + "”"
		}
		r := run.Steps[n]
		o.Steps = append(o.Steps, fig6Step{Type: s.Type, What: what[n], State: r.State, Began: since(r.Began), Ended: since(r.Ended), Expect: stats.Round(r.Expect, 100), Result: r.Result})
	}
	for _, e := range p.events { // before their effects
		o.Timeline = append(o.Timeline, fig6Moment{since(e.At), e.What})
	}
	for _, t := range run.Log {
		if t.To == string(robot.StepInitializing) {
			continue // it is RUNNING at the same time
		}
		text := fmt.Sprintf("The job %q is %s.", run.Name, t.To)
		if t.Step >= 0 {
			text = fmt.Sprintf("Step %d, %s %s: %s.", t.Step+1, job.Steps[t.Step].Type, what[t.Step], t.To)
		}
		o.Timeline = append(o.Timeline, fig6Moment{since(t.At), strings.TrimSpace(text + " " + t.Reason)})
	}
	slices.SortStableFunc(o.Timeline, func(a, b fig6Moment) int { return cmp.Compare(a.At, b.At) })
	if goal := p.State.Goal; goal != nil {
		off := goal.Pose.Inverse().Compose(p.Truth.Pose)
		o.Off, o.Turned = math.Round(1e4*off.Point().Norm())/1e4, stats.Round(math.Abs(robot.Degrees(off.Theta)), 100)
	}
}

// drawPicture draws the plan with the path of the robot's centre, its start (I), where the user
// stopped it (A), where people touched OK (B, C), and its end (V).
func (p *paperRun) drawPicture(name string, plan *robot.Floorplan, scene sim.Scene) error {
	const scale = 40.0
	g := &plan.Grid
	width, height := scale*g.Resolution*float64(g.Width), scale*g.Resolution*float64(g.Height)
	at := func(q robot.Point) robot.Point {
		return robot.Point{X: scale * (q.X - g.Origin.X), Y: height - scale*(q.Y-g.Origin.Y)}
	}
	inner, err := drawing.Plan(plan)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg width="%g" height="%g" viewBox="%g %g %g %g">%s</svg>`+"\n", width, height,
		g.Origin.X, -g.Origin.Y-height/scale, width/scale, height/scale, inner)
	for _, o := range scene.Obstacles {
		q := at(o.Point)
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s"/>`+"\n", q.X, q.Y, scale*o.Radius, drawing.Text)
	}
	line := make([]robot.Point, len(p.trail))
	for n, q := range p.trail {
		line[n] = at(q)
	}
	b.WriteString(drawing.Line(line, drawing.Blue, 2.5, ""))
	for _, m := range slices.Concat([]mark{{p.trail[0], "I"}}, p.marks, []mark{{p.trail[len(p.trail)-1], "V"}}) {
		q := at(m.at)
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`+"\n", q.X, q.Y, drawing.Red)
		b.WriteString(drawing.Label(q.X+8, q.Y+18, "start", m.what))
	}
	b.WriteString(drawing.Label(10, height+20, "start", "I: the job begins. A: stopped to look at the pictures. B, C: OK is touched. V: the job ends. Blue: the way of the robot's centre."))
	return drawing.Write(name, width, height+34, b.String())
}
