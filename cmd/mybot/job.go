package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"mybot/jobs"
	"mybot/robot"
)

const (
	jobsPath     = "/api/v1/jobs"
	runsPath     = "/api/v1/runs"
	givenUpAfter = time.Minute // until a job was made ready: its ways are planned, its texts are spoken
	goneFor      = time.Minute // after which a robot that does not answer is given up
)

// A jobTarget is which robot is meant, and what more the flags say.
type jobTarget struct {
	target
	dir  string // a map folder; "" = none
	json bool
}

// jobCommand looks at jobs and has them run.
func jobCommand(ctx context.Context, args []string, stdout io.Writer, env func(string) string) error {
	var t jobTarget
	set := t.flags("job")
	set.StringVar(&t.dir, "map", "", "map `DIR` in which validate looks up places")
	set.BoolVar(&t.json, "json", false, "print it as JSON")
	words, err := parseAll(set, args)
	if err != nil {
		return err
	}
	what := ""
	if len(words) > 0 {
		what, words = words[0], words[1:]
	}
	named := ""
	if len(words) > 0 {
		named = words[0]
	}
	needs, known := map[string]int{"validate": 1, "run": 1, "show": 1, "list": 0, "pause": 0, "resume": 0, "skip": 0, "retry": 0, "end": 0}[what]
	nth := 0
	if (what == "skip" || what == "retry") && len(words) == 1 {
		if nth, err = strconv.Atoi(named); err != nil || nth < 1 {
			return usageError{fmt.Errorf("job %s takes the number of a step, 1 or more, or nothing; it was %q", what, named)}
		}
		needs = 1
	}
	if !known || len(words) != needs {
		return usageError{errors.New("job takes list, show and the id of a job or the number of a run, validate and a file, run and an id or a file, skip or retry and optionally the number of a step, pause, resume or end")}
	}
	if what == "validate" {
		return validateJob(ctx, t, set, named, stdout, env)
	}
	c, err := t.requireRobot(env)
	if err != nil {
		return err
	}
	if err := c.recall(env); err != nil {
		return err
	}
	switch what {
	case "list":
		return listJobs(ctx, c, t.json, stdout)
	case "show":
		return showJob(ctx, c, named, t.json, stdout)
	case "run":
		return runJob(ctx, c, named, stdout)
	default:
		return steerJob(ctx, c, what, nth, stdout)
	}
}

// validateJob tells what is wrong with a file. Places are looked up on the map
// that is named, or at the robot that is.
func validateJob(ctx context.Context, t jobTarget, set *flag.FlagSet, file string, stdout io.Writer, env func(string) string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("the job cannot be read: %w", err)
	}
	job, err := jobs.Parse(data)
	var faults jobs.Faults
	if err != nil && !errors.As(err, &faults) {
		return err
	}
	where := ""
	switch named := false; {
	case len(faults) > 0:
	case t.dir != "":
		plan, err := mapTarget{dir: t.dir}.loadPlan()
		if err != nil {
			return err
		}
		where = " Its places are on the map."
		faults = job.Check(placesOf(plan))
	default:
		set.Visit(func(f *flag.Flag) { named = named || f.Name == "robot" || f.Name == "data" })
		if !named {
			where = " Its places were not checked: name a map with --map DIR, or a robot with --robot URL."
			break
		}
		c, err := t.requireRobot(env)
		if err != nil {
			return err
		}
		var answer struct{ Faults jobs.Faults }
		if err := c.tell(ctx, http.MethodPost, jobsPath+"/check", job, &answer); err != nil {
			return err
		}
		where = " Its places are on the robot's map."
		faults = answer.Faults
	}
	if len(faults) > 0 {
		return fmt.Errorf("%s: %w", file, faults)
	}
	_, err = fmt.Fprintf(stdout, "%s is valid: %s, %s.%s\n", file, job.Name, withNoun(len(job.Steps), "step"), where)
	return err
}

func placesOf(plan *robot.Floorplan) func(string) (robot.Pose, bool) {
	return func(name string) (robot.Pose, bool) {
		for _, p := range plan.Places {
			if p.Name == name {
				return p.Pose, true
			}
		}
		return robot.Pose{}, false
	}
}

// tell sends JSON and reads JSON.
func (c *Client) tell(ctx context.Context, method, path string, body, into any) error {
	text := ""
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = string(data)
	}
	answer, err := c.Send(ctx, method, path, "application/json", text)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("the answer of the robot at %s cannot be read: %w", c.base, err)
	}
	return nil
}

// A toldRun is a run as the robot tells it.
type toldRun struct {
	N      uint64
	Name   string
	Phase  robot.RunPhase
	Step   int
	Began  time.Time
	Ended  *time.Time
	Word   robot.Word
	Reason string
	Steps  []toldStep
}

type toldStep struct {
	jobs.Step
	State   robot.ActionState
	Skipped bool
	Began   *time.Time
	Ended   *time.Time
	Expect  float64
	Tries   int
	Word    robot.Word
	Reason  string
}

// listJobs prints the jobs that are kept, and the run that is under way.
func listJobs(ctx context.Context, c *Client, raw bool, stdout io.Writer) error {
	body, err := c.Get(ctx, http.MethodGet, jobsPath, nil)
	if err != nil {
		return err
	}
	if raw {
		_, err := stdout.Write(body)
		return err
	}
	var list struct {
		Jobs []struct {
			ID, Name string
			Steps    int
			Changed  time.Time
		}
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return fmt.Errorf("the answer of the robot at %s cannot be read: %w", c.base, err)
	}
	if len(list.Jobs) == 0 {
		_, _ = fmt.Fprintln(stdout, "No saved jobs.") // what is printed last tells of a fault
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	for i, j := range list.Jobs {
		if i == 0 {
			_, _ = fmt.Fprintln(w, "ID\tNAME\tSTEPS\tSAVED")
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%d\t%s\n", j.ID, j.Name, j.Steps, j.Changed.Local().Format("2006-01-02 15:04"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	n, err := underWay(ctx, c)
	if err != nil || n == 0 {
		return err
	}
	var r toldRun
	if err := c.tell(ctx, http.MethodGet, fmt.Sprintf("%s/%d", runsPath, n), nil, &r); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "Run %d, %s, is %s at step %d of %d.\n", r.N, r.Name, r.Phase, min(r.Step+1, len(r.Steps)), len(r.Steps))
	return err
}

// underWay returns the number of the run that has not ended; 0 = there is none.
func underWay(ctx context.Context, c *Client) (uint64, error) {
	var state struct {
		Job *struct {
			Run   uint64
			Phase robot.RunPhase
		}
	}
	if err := c.tell(ctx, http.MethodGet, "/api/v1/state", nil, &state); err != nil {
		return 0, err
	}
	if state.Job == nil || state.Job.Phase == robot.RunEnded {
		return 0, nil
	}
	return state.Job.Run, nil
}

// showJob prints a job by its id, or a run by its number.
func showJob(ctx context.Context, c *Client, named string, raw bool, stdout io.Writer) error {
	path := jobsPath + "/" + url.PathEscape(named)
	_, notNumber := strconv.ParseUint(named, 10, 64)
	if notNumber == nil {
		path = runsPath + "/" + named
	}
	body, err := c.Get(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	if raw {
		_, err := stdout.Write(body)
		return err
	}
	var r toldRun
	if err := json.Unmarshal(body, &r); err != nil {
		return fmt.Errorf("the answer of the robot at %s cannot be read: %w", c.base, err)
	}
	var out bytes.Buffer
	if notNumber != nil {
		fmt.Fprintf(&out, "%s, %s\n", r.Name, withNoun(len(r.Steps), "step"))
	} else {
		fmt.Fprintf(&out, "Run %d, %s, began %s: %s\n", r.N, r.Name, r.Began.Local().Format("2006-01-02 15:04:05"), r.standing())
	}
	for i, s := range r.Steps {
		fmt.Fprintf(&out, "%3d  %s", i+1, stepText(s.Step))
		if s.State != "" {
			fmt.Fprintf(&out, ": %s", s.standing())
		}
		out.WriteByte('\n')
	}
	_, err = stdout.Write(out.Bytes())
	return err
}

// standing says in words how a run stands.
func (r toldRun) standing() string {
	text := string(r.Phase)
	if r.Phase == robot.RunEnded {
		text = map[robot.Word]string{robot.Success: "done", robot.Modified: "done, with changes", robot.Interrupted: "given up"}[r.Word]
		if text == "" {
			text = "failed"
		}
		if r.Ended != nil {
			text += " after " + durationText(r.Ended.Sub(r.Began))
		}
	}
	return withReason(text, r.Reason)
}

func (s toldStep) standing() string {
	text := map[robot.ActionState]string{
		robot.StepWaiting: "waiting its turn", robot.StepInitializing: "starting", robot.StepRunning: "under way", robot.StepPaused: "paused",
		robot.StepRetriable: "failed", robot.StepFinished: "done", robot.StepFailed: "failed",
	}[s.State]
	if s.Skipped {
		text = "skipped"
	}
	if s.Began != nil && s.Ended != nil {
		text += " after " + durationText(s.Ended.Sub(*s.Began))
	}
	return withReason(text, s.Reason)
}

func withReason(text, reason string) string {
	if reason == "" {
		return text
	}
	return text + ". " + reason
}

// endSentence ends a text with a full stop.
func endSentence(text string) string { return strings.TrimSuffix(text, ".") + "." }

// stepText says in words what a step does.
func stepText(s jobs.Step) string {
	text := string(s.Type)
	switch {
	case s.Place != "":
		text += " to " + s.Place
	case s.Pose != nil:
		text += fmt.Sprintf(" to x %.2f y %.2f, heading %.0f°", s.Pose[0], s.Pose[1], robot.Degrees(s.Pose[2]))
	case s.Text != "":
		text += fmt.Sprintf(" %q", s.Text)
	}
	limit := durationText(time.Duration(s.Seconds * float64(time.Second)))
	switch {
	case s.Type == jobs.Wait && s.OK:
		text += " " + limit + " or until OK is tapped"
	case s.Type == jobs.Wait:
		text += " " + limit
	case s.Type == jobs.Message && s.OK && s.Seconds > 0:
		text += ", waits for OK, at most " + limit
	case s.Type == jobs.Message && s.OK:
		text += ", waits for OK"
	}
	return text
}

// durationText says in words how long something takes.
func durationText(d time.Duration) string {
	d = d.Round(time.Second)
	switch h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60; {
	case h > 0:
		return fmt.Sprintf("%d h %d min", h, m)
	case m > 0 && s > 0:
		return fmt.Sprintf("%d min %d s", m, s)
	case m > 0:
		return fmt.Sprintf("%d min", m)
	default:
		return fmt.Sprintf("%d s", s)
	}
}

func withNoun(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// steerJob does what is asked for to the run that is under way; nth is the step
// that is meant, from 1, where it is one, 0 = the current one. Control that was
// taken for pause or end is given back; after the others that would pause the run
// again.
func steerJob(ctx context.Context, c *Client, what string, nth int, stdout io.Writer) error {
	n, err := underWay(ctx, c)
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("no job is under way")
	}
	l, err := c.Connect(ctx)
	if err != nil {
		return err
	}
	defer l.Close()
	had := l.holder == l.you
	if err := l.TakeControl(ctx); err != nil {
		return err
	}
	ask, step := map[string]any{"lease": l.epoch}, "its step"
	if nth > 0 {
		ask["step"], step = nth-1, fmt.Sprintf("step %d", nth)
	}
	var answer struct{ Word, Reason string }
	if err := c.tell(ctx, http.MethodPost, fmt.Sprintf("%s/%d/%s", runsPath, n, what), ask, &answer); err != nil {
		return err
	}
	if !had && (what == "pause" || what == "end") {
		if err := l.release(ctx); err != nil {
			return err
		}
	}
	text := map[string]string{
		"pause": "is paused", "resume": "continues", "end": "is ended",
		"skip": "skipped " + step, "retry": "tries " + step + " again",
	}[what]
	_, err = fmt.Fprintln(stdout, endSentence(fmt.Sprintf("Run %d %s", n, withReason(text, answer.Reason))))
	return err
}

// runJob has a job run, of a file or by its id, and tells how it gets on until it
// ends.
func runJob(ctx context.Context, c *Client, named string, stdout io.Writer) error {
	request := map[string]any{"job": named}
	data, err := os.ReadFile(named)
	if err == nil {
		job, err := jobs.Parse(data)
		if err != nil {
			return fmt.Errorf("%s: %w", named, err)
		}
		request = map[string]any{"name": job.Name, "steps": job.Steps}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the job cannot be read: %w", err)
	}
	l, err := c.Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { l.Close() }()
	if err := l.TakeControl(ctx); err != nil {
		return err
	}
	request["lease"] = l.epoch
	var answer struct{ Run uint64 }
	if err := c.patient(givenUpAfter).tell(ctx, http.MethodPost, runsPath, request, &answer); err != nil {
		return err
	}
	w := runWatcher{n: answer.Run, out: stdout}
	for {
		err := w.followRun(ctx, l)
		switch {
		case w.ended && err == nil:
			_ = l.release(ctx) // the robot may be gone: then there is nothing to give back
			return w.finalError()
		case ctx.Err() != nil:
			return fmt.Errorf("run %d continues; 'mybot job pause' and 'mybot job end' stop it", w.n)
		case !errors.Is(err, errConnectionLost):
			return err
		}
		w.printLine("The robot does not answer. The run continues without this command.")
		l.Close()
		if l, err = c.again(ctx, l); err != nil {
			return fmt.Errorf("run %d may still be under way: %w", w.n, err)
		}
	}
}

// again connects anew, and returns a line in any case.
func (c *Client) again(ctx context.Context, old *line) (*line, error) {
	end := time.Now().Add(goneFor)
	for {
		l, err := c.Connect(ctx)
		if err == nil {
			return l, nil
		}
		if ctx.Err() != nil || time.Now().After(end) {
			return old, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// errConnectionLost says that the connection was lost.
var errConnectionLost = errors.New("the connection was lost")

// A runWatcher tells how a run gets on.
type runWatcher struct {
	n     uint64
	out   io.Writer
	last  toldRun
	ended bool
}

// followRun tells what happens to the run until it ends.
func (w *runWatcher) followRun(ctx context.Context, l *line) error {
	for !w.ended {
		f, err := l.next(ctx)
		if err != nil {
			return fmt.Errorf("%w: %w", errConnectionLost, err)
		}
		if f.Kind != "run" {
			continue
		}
		var r toldRun
		if ok := json.Unmarshal(f.Run, &r); ok != nil {
			return fmt.Errorf("the run cannot be read: %w", ok)
		}
		switch {
		case r.N == w.n:
			w.printChanges(r)
		case r.N > w.n:
			return fmt.Errorf("run %d is over and another has begun", w.n)
		}
	}
	return nil
}

// printChanges tells what is new of a run.
func (w *runWatcher) printChanges(r toldRun) {
	if w.last.N == 0 {
		w.last.Began = r.Began
		expect := 0.0
		for _, s := range r.Steps {
			expect += s.Expect
		}
		_, _ = fmt.Fprintf(w.out, "Run %d: %s, %s, about %s\n", r.N, r.Name, withNoun(len(r.Steps), "step"), durationText(time.Duration(expect*float64(time.Second)))) // a fault of the terminal does not end the run
	}
	for i, s := range r.Steps {
		var was toldStep
		if i < len(w.last.Steps) {
			was = w.last.Steps[i]
		}
		w.updateStep(i, len(r.Steps), was, s)
	}
	if was := w.last.Phase; r.Phase != was {
		switch r.Phase {
		case robot.RunPaused:
			w.printLine("Paused. " + r.Reason)
		case robot.RunStuck:
			w.printLine("The run is waiting: retry or skip the step on the robot's page, or with 'mybot job retry' or 'mybot job skip'.")
		case robot.RunRunning:
			if was == robot.RunPaused {
				w.printLine("It continues.")
			}
		case robot.RunEnded:
			w.ended = true
		}
	}
	w.last = r
}

// updateStep tells what is new of a step.
func (w *runWatcher) updateStep(i, of int, was, s toldStep) {
	if s.State == was.State && s.Tries == was.Tries {
		return
	}
	name := fmt.Sprintf("Step %d of %d", i+1, of)
	switch s.State {
	case robot.StepInitializing, robot.StepRunning:
		if s.Tries != was.Tries {
			again := ""
			if s.Tries > 1 {
				again = fmt.Sprintf(", try %d", s.Tries)
			}
			w.printLine(name + again + ": " + stepText(s.Step))
		}
	case robot.StepFinished, robot.StepFailed, robot.StepRetriable:
		if s.Tries != was.Tries { // all of it happened between two events
			w.printLine(name + ": " + stepText(s.Step))
		}
		w.printLine("  " + s.standing())
	}
}

func (w *runWatcher) printLine(text string) {
	since := "     "
	if !w.last.Began.IsZero() {
		d := time.Since(w.last.Began)
		since = fmt.Sprintf("%2d:%02d", int(d.Minutes()), int(d.Seconds())%60)
	}
	_, _ = fmt.Fprintf(w.out, "%s  %s\n", since, text) // a fault of the terminal does not end the run
}

// finalError tells how the run ended.
func (w *runWatcher) finalError() error {
	text := fmt.Sprintf("Run %d is %s", w.n, w.last.standing())
	if w.last.Word == robot.Error {
		text = fmt.Sprintf("Run %d %s", w.n, w.last.standing())
	}
	if w.last.Word == robot.Success || w.last.Word == robot.Modified {
		_, err := fmt.Fprintln(w.out, endSentence(text))
		return err
	}
	return errors.New(strings.TrimSuffix(text, "."))
}
