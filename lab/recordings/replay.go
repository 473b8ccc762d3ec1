// Package recordings holds the experiments about recordings: whether a recording can be
// computed again from its content, and what recording costs.
package recordings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"mybot/jobs"
	"mybot/lab/internal/experiment"
	"mybot/mcap"
	"mybot/pathplan"
	"mybot/recording"
	"mybot/robot"
	"mybot/robot/onboard"
)

// replayOutcome is the outcome of computing a recording again.
type replayOutcome struct {
	Files     []string `json:"files"`
	Ticks     int      `json:"ticks"`
	Commands  int      `json:"commands"`
	Different int      `json:"different"`       // twists that are not bit for bit the same
	First     string   `json:"first,omitempty"` // the first of them
	Missing   int      `json:"missing"`         // readings and commands that were lost during recording
	FromStart bool     `json:"from_start"`      // the recording begins with the first input of the control loop
	Cut       string   `json:"cut,omitempty"`   // how an incomplete file ends
}

func (o replayOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d readings and %d commands of %s, computed again: %d of the twists differ.", o.Ticks, o.Commands, strings.Join(o.Files, ", "), o.Different)
	if o.First != "" {
		fmt.Fprintf(&b, "\nThe first: %s.", o.First)
	}
	if o.Missing > 0 {
		fmt.Fprintf(&b, "\n%d readings and commands are missing, because the recording was not written fast enough; twists after a gap may differ.", o.Missing)
	}
	if !o.FromStart {
		b.WriteString("\nThe recording began while the program ran: what the robot remembered from before is not in it, such as obstacles beside it, so twists may differ.")
	}
	if o.Cut != "" {
		fmt.Fprintf(&b, "\nIt ends early: %s.", o.Cut)
	}
	return b.String()
}

// Replay computes the twists of a recording again from its readings, commands and estimates,
// and compares them.
func Replay(ctx context.Context, c experiment.Call) error {
	at := slices.IndexFunc(c.Args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if at < 0 && !slices.ContainsFunc(c.Args, func(a string) bool { return strings.Contains(a, "-h") }) {
		return c.Refuse("it takes the file of a recording, such as drive.mcap")
	}
	file := ""
	if at >= 0 {
		file = c.Args[at]
		c.Args = slices.Delete(slices.Clone(c.Args), at, at+1)
	}
	if err := c.Parse(func(*experiment.Flags) {}); err != nil {
		return err
	}
	files, err := findSeries(file)
	if err != nil {
		return err
	}
	o, err := replayFiles(ctx, files)
	if err != nil {
		return err
	}
	return c.Print(o)
}

// findSeries returns the file and the earlier parts of the same recording in the same folder,
// in order. Later parts alone do not begin with the start of the program.
func findSeries(file string) ([]string, error) {
	series, err := recording.ReadSeries(file)
	if err != nil {
		return nil, err
	}
	if series.Version != 1 {
		return nil, fmt.Errorf("%s was not recorded by this version of Mybot: it does not say what the robot knew, so its twists cannot be computed again", file)
	}
	parts, at, err := recording.FindParts(file)
	if err != nil {
		return nil, err
	}
	return parts[:at+1], nil
}

// replayFiles computes the recording in the files again.
func replayFiles(ctx context.Context, files []string) (replayOutcome, error) {
	r := replayer{outcome: replayOutcome{Files: files}}
	for i, file := range files {
		if err := r.replayFile(ctx, file, i == 0); err != nil {
			return r.outcome, fmt.Errorf("%s: %w", file, err)
		}
	}
	return r.outcome, nil
}

// A replayer runs a core through the steps of a recording.
type replayer struct {
	outcome replayOutcome
	desc    robot.Description
	paths   *pathplan.Planner // on the current floor; nil = there is none
	next    *recording.Floor  // comes into use with the next change of the frame
	core    *onboard.Replay   // nil before the first reading or command
}

func (r *replayer) replayFile(ctx context.Context, file string, first bool) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it is read only
	steps, err := recording.NewStepReader(f)
	if err != nil {
		return err
	}
	for {
		s, err := steps.Next()
		switch cut := (*mcap.CutError)(nil); {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &cut):
			r.outcome.Cut = cut.Error()
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if err := r.takeStep(s, first); err != nil {
			return err
		}
	}
}

// takeStep handles one step; first means that the step is from the first file.
func (r *replayer) takeStep(s recording.Step, first bool) error {
	switch {
	case s.Series != nil:
		if first {
			r.outcome.FromStart = s.Series.Part == 1 && s.Series.Ticks == 0
		}
		return nil
	case s.Robot != nil:
		r.desc = *s.Robot
		return nil
	case s.Floor != nil:
		r.next = s.Floor.Floor
		return nil
	case s.Gap != nil:
		r.outcome.Missing += s.Gap.Readings + s.Gap.Commands
		return nil
	case s.State != nil:
		return nil
	}
	if r.core == nil {
		if err := r.useFloor(); err != nil {
			return err
		}
		r.core = onboard.NewReplay(r.desc, r.clearance())
	}
	switch {
	case s.Reply != nil:
		reply, err := r.readReply(*s.Reply)
		if err != nil {
			return err
		}
		r.core.Answer(reply)
	case s.Command != nil:
		r.giveCommand(*s.Command)
	case s.Change != nil:
		if s.Change.Frame {
			if err := r.useFloor(); err != nil {
				return err
			}
		}
		r.core.ChangeFloor(*s.Change, r.clearance())
	case s.Tick != nil:
		r.compareTick(s)
	}
	return nil
}

// useFloor makes the announced floor the current one.
func (r *replayer) useFloor() error {
	r.paths = nil
	if r.next == nil {
		return nil
	}
	plan, err := r.next.Floorplan()
	if err == nil {
		r.paths = pathplan.NewPlanner(plan, r.desc)
	}
	return err
}

func (r *replayer) clearance() func(robot.Point) float64 {
	if r.paths == nil {
		return nil
	}
	return r.paths.Clearance
}

// readReply parses the core's recorded reply.
func (r *replayer) readReply(n recording.Note) (robot.Reply, error) {
	reply := robot.Reply{Kind: robot.ReplyKind(n.Kind)}
	var err error
	switch reply.Kind {
	case robot.PlanReply:
		var p recording.PlanReply
		if err = json.Unmarshal([]byte(n.Text), &p); err != nil {
			break
		}
		reply.Call = p.Call
		switch {
		case p.Path == nil:
			reply.Err = p.Refusal()
		case r.paths == nil:
			err = errors.New("there is a path, but no floor that it leads over")
		default:
			reply.Path, err = r.paths.ReadPath(p.Path)
		}
	case robot.RunReply:
		var p jobs.Program
		err = json.Unmarshal([]byte(n.Text), &p)
		reply.Run = p
	case robot.ScriptReply:
		var w recording.ScriptWish
		err = json.Unmarshal([]byte(n.Text), &w)
		reply.Wish = w.Wish()
	case robot.SpeedReply:
		var speed recording.Number
		err = json.Unmarshal([]byte(n.Text), &speed)
		reply.Speed = float64(speed)
	}
	if err != nil {
		return reply, fmt.Errorf("what the %s was answered cannot be read: %w", n.Kind, err)
	}
	return reply, nil
}

// giveCommand gives a command to the core if the core had it when it was recorded. It skips a
// refused change of a run, because that was decided by comparing texts, which are not recorded.
func (r *replayer) giveCommand(m recording.Command) {
	r.outcome.Commands++
	cmd := m.Command()
	_, change := cmd.(robot.ChangeRun)
	if cmd == nil || m.Taken == (recording.Stamp{}) || change && m.Word != robot.Success {
		return
	}
	var e robot.Estimate
	if m.Estimate != nil {
		e = m.Estimate.Estimate()
	}
	r.core.Do(m.Taken.Time(), cmd, e)
}

// compareTick gives a reading to the core and compares the resulting twist.
func (r *replayer) compareTick(s recording.Step) {
	o, want := &r.outcome, s.Tick.Twist
	got := r.core.Tick(s.At, s.Tick.Reading, s.Tick.Estimate)
	o.Ticks++
	if got == want {
		return
	}
	if o.Different++; o.Different == 1 {
		o.First = fmt.Sprintf("reading %d, %s: %v m/s, %v rad/s instead of %v m/s, %v rad/s", o.Ticks, s.At.UTC().Format("15:04:05.000"), got.Linear, got.Angular, want.Linear, want.Angular)
	}
}
