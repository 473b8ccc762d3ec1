package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	"mybot/client"
	"mybot/jobs"
	"mybot/session/protocol"
)

// A jobTarget is the robot that a job command addresses, with the command's other flags.
type jobTarget struct {
	target
	dir  string // a map folder; "" = none
	json bool
}

// jobCommand shows jobs and runs them.
func jobCommand(ctx context.Context, args []string, stdout io.Writer, env func(string) string) error {
	var t jobTarget
	set := t.defineFlags("job")
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
	if c, err = withIdentity(c, env); err != nil {
		return err
	}
	switch what {
	case "list":
		return listJobs(ctx, c, t.json, stdout)
	case "show":
		return showJob(ctx, c, named, t.json, stdout)
	case "run":
		return runJob(ctx, c, named, stdout, func() (*client.Client, error) {
			c, err := t.requireRobot(env)
			if err != nil {
				return nil, err
			}
			return withIdentity(c, env)
		})
	default:
		return steerJob(ctx, c, what, nth, stdout)
	}
}

// validateJob prints what is wrong with a file. It looks up places on the given map or at the
// given robot.
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
		faults = job.Check(plan.Place)
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
		where = " Its places are on the robot's map."
		if faults, err = c.CheckJob(ctx, job); err != nil {
			return err
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("%s: %w", file, faults)
	}
	_, err = fmt.Fprintf(stdout, "%s is valid: %s, %s.%s\n", file, job.Name, withNoun(len(job.Steps), "step"), where)
	return err
}

// listJobs prints the saved jobs and the current run.
func listJobs(ctx context.Context, c *client.Client, raw bool, stdout io.Writer) error {
	body, err := c.GetBody(ctx, client.JobsPath)
	if err != nil {
		return err
	}
	if raw {
		_, err := stdout.Write(body)
		return err
	}
	var list protocol.JobsEvent
	if err := c.DecodeAnswer(body, &list); err != nil {
		return err
	}
	if len(list.Jobs) == 0 {
		_, _ = fmt.Fprintln(stdout, "No saved jobs.") // the last print reports an error
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	for i, j := range list.Jobs {
		if i == 0 {
			_, _ = fmt.Fprintln(w, "ID\tNAME\tSTEPS\tSAVED")
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%d\t%s\n", j.ID, j.Name, j.Steps, time.Time(j.Changed).Local().Format("2006-01-02 15:04"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	n, err := c.CurrentRun(ctx)
	if err != nil || n == 0 {
		return err
	}
	r, err := c.Run(ctx, n)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "Run %d, %s, is %s at step %d of %d.\n", r.N, r.Name, r.Phase, min(r.Step+1, len(r.Steps)), len(r.Steps))
	return err
}

// showJob prints a job by its id, or a run by its number.
func showJob(ctx context.Context, c *client.Client, named string, raw bool, stdout io.Writer) error {
	path := client.JobPath(named)
	n, notNumber := strconv.ParseUint(named, 10, 64)
	if notNumber == nil {
		path = client.RunPath(n)
	}
	body, err := c.GetBody(ctx, path)
	if err != nil {
		return err
	}
	if raw {
		_, err := stdout.Write(body)
		return err
	}
	var r protocol.Run // a saved job has its name and steps
	if err := c.DecodeAnswer(body, &r); err != nil {
		return err
	}
	var out bytes.Buffer
	if notNumber != nil {
		fmt.Fprintf(&out, "%s, %s\n", r.Name, withNoun(len(r.Steps), "step"))
	} else {
		fmt.Fprintf(&out, "Run %d, %s, began %s: %s\n", r.N, r.Name, time.Time(r.Began).Local().Format("2006-01-02 15:04:05"), runStatus(r))
	}
	for i, s := range r.Steps {
		fmt.Fprintf(&out, "%3d  %s", i+1, stepText(s.Step))
		if s.State != "" {
			fmt.Fprintf(&out, ": %s", stepStatus(s))
		}
		out.WriteByte('\n')
	}
	_, err = stdout.Write(out.Bytes())
	return err
}

// steerJob executes a command on the current run. nth is the step that the command concerns,
// from 1, if any; 0 = the current one. If steerJob takes control for pause or end, it releases
// it afterwards; after other commands a release would pause the run again.
func steerJob(ctx context.Context, c *client.Client, what string, nth int, stdout io.Writer) error {
	n, err := c.CurrentRun(ctx)
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("no job is under way")
	}
	conn, err := connectRobot(ctx, c)
	if err != nil {
		return err
	}
	defer conn.Close()
	had := conn.IsHolder()
	if err := conn.TakeControl(ctx); err != nil {
		return err
	}
	var index *int
	step := "its step"
	if nth > 0 {
		i := nth - 1
		index, step = &i, fmt.Sprintf("step %d", nth)
	}
	answer, err := c.ChangeRun(ctx, n, conn.Epoch(), client.RunAction(what), index)
	if err != nil {
		return err
	}
	if !had && (what == "pause" || what == "end") {
		if err := conn.ReleaseControl(ctx); err != nil {
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

// runJob runs a job from a file or by its id, and prints its progress until it ends. find
// returns a client again when the connection is lost: a robot that was restarted on this
// computer has a new key, and perhaps another port.
func runJob(ctx context.Context, c *client.Client, named string, stdout io.Writer, find func() (*client.Client, error)) error {
	request := client.RunRequest{JobID: named}
	data, err := os.ReadFile(named)
	if err == nil {
		job, err := jobs.Parse(data)
		if err != nil {
			return fmt.Errorf("%s: %w", named, err)
		}
		request = client.RunRequest{Name: job.Name, Steps: job.Steps}
	} else if !errors.Is(err, fs.ErrNotExist) || isFileName(named) {
		return fmt.Errorf("the job cannot be read: %w", err)
	}
	conn, err := connectRobot(ctx, c)
	if err != nil {
		return err
	}
	defer func() { conn.Close() }()
	if err := conn.TakeControl(ctx); err != nil {
		return err
	}
	request.Lease = conn.Epoch()
	n, err := c.StartRun(ctx, request)
	if err != nil {
		return err
	}
	w := runWatcher{n: n, out: stdout}
	for {
		err := w.followRun(ctx, conn)
		switch {
		case w.ended && err == nil:
			_ = conn.ReleaseControl(ctx) // if the robot is gone, there is nothing to release
			return w.finalError()
		case ctx.Err() != nil:
			return fmt.Errorf("run %d continues; 'mybot job pause' and 'mybot job end' stop it", w.n)
		case !errors.Is(err, errConnectionLost):
			return err
		}
		w.printLine("The robot does not answer. The run may continue without this command.")
		conn.Close()
		if conn, err = w.reconnectRobot(ctx, find, conn); err != nil {
			return fmt.Errorf("run %d may still be under way: %w", w.n, err)
		}
	}
}
