package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"
)

// tryTimeout is how long the robot may take for a trial.
const tryTimeout = 70 * time.Second

// A trial is the robot's answer to a script that it has tried.
type trial struct {
	Time  float64
	Why   string
	At    [3]float64
	Lines []struct {
		T            float64
		By           string
		Tag, Text    string
		Fault        bool
		Line, Column int
	}
	Lanes []struct {
		Kind, Name string
		Begin, End float64
		Frozen     bool
	}
	LeftOut int `json:"left_out"`
}

// try has the robot try the script in a file on its virtual robot, and prints what that did.
func (t *scriptTarget) try(ctx context.Context, file string, lasts time.Duration) error {
	text, err := readScript(file, t.in)
	if err != nil {
		return err
	}
	if err := faultsOf(file, text); err != nil {
		return err
	}
	body := map[string]any{"text": text}
	if t.whatIf != "" {
		whatIf, err := readScript(t.whatIf, t.in)
		if err != nil {
			return err
		}
		if err := faultsOf(t.whatIf, whatIf); err != nil {
			return err
		}
		body["what_if"] = whatIf
	}
	if lasts > 0 {
		body["seconds"] = lasts.Seconds()
	}
	c, err := t.requireRobot(t.env)
	if err != nil {
		return err
	}
	var out trial
	if err := c.WithTimeout(tryTimeout).DoJSON(ctx, http.MethodPost, scriptsPath+"/try", body, &out); err != nil {
		return err
	}
	return t.printTrial(out)
}

// printTrial prints lines, lanes and the end of a trial, with times in s.
func (t *scriptTarget) printTrial(out trial) error {
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for _, l := range out.Lines {
		by := strings.TrimSpace(l.By + " " + l.Tag)
		if l.Fault && l.Line > 0 {
			l.Text = fmt.Sprintf("line %d, column %d: %s", l.Line, l.Column, l.Text)
		}
		_, _ = fmt.Fprintf(w, "%.2f\t%s\t%s\n", l.T, by, l.Text) // Flush reports an error
	}
	_, _ = fmt.Fprintln(w)
	for _, l := range out.Lanes {
		frozen := ""
		if l.Frozen {
			frozen = ", frozen"
		}
		_, _ = fmt.Fprintf(w, "%.2f - %.2f\t%s %s%s\n", l.Begin, l.End, l.Kind, l.Name, frozen)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if out.LeftOut > 0 {
		_, _ = fmt.Fprintf(t.out, "%d lines and lanes were left out.\n", out.LeftOut)
	}
	_, err := fmt.Fprintf(t.out, "\nIt ended after %.2f s at x %.2f, y %.2f. %s\n", out.Time, out.At[0], out.At[1], out.Why)
	return err
}
