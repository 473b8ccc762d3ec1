package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"mybot/client"
	"mybot/robot"
	"mybot/session/protocol"
)

// givenUpAfter is how long reconnectRobot retries a robot that does not answer.
const givenUpAfter = time.Minute

// errConnectionLost means that the connection was lost.
var errConnectionLost = errors.New("the connection was lost")

// A runWatcher prints the progress of a run.
type runWatcher struct {
	n     uint64
	out   io.Writer
	last  protocol.Run
	ended bool
}

// followRun prints what happens to the run until it ends.
func (w *runWatcher) followRun(ctx context.Context, conn *client.Conn) error {
	for !w.ended {
		m, err := conn.Next(ctx)
		if err != nil {
			return fmt.Errorf("%w: %w", errConnectionLost, err)
		}
		event, ok := m.(protocol.RunEvent)
		if !ok {
			continue
		}
		switch {
		case event.Run.N == w.n:
			w.printChanges(event.Run)
		case event.Run.N > w.n:
			return fmt.Errorf("run %d is over and another has begun", w.n)
		}
	}
	return nil
}

// reconnectRobot connects to the robot again, and prints how the run ended if it has. With an
// error it returns the old connection.
func (w *runWatcher) reconnectRobot(ctx context.Context, find func() (*client.Client, error), old *client.Conn) (*client.Conn, error) {
	end := time.Now().Add(givenUpAfter)
	for {
		conn, err := w.connectAndCatchUp(ctx, find)
		if err == nil {
			return conn, nil
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

// connectAndCatchUp connects to the robot and asks it for the run: a robot that was restarted
// has given the run up and sends no event about it. It leaves a run that has not ended to the
// events, because one that was sent earlier than the answer may still arrive.
func (w *runWatcher) connectAndCatchUp(ctx context.Context, find func() (*client.Client, error)) (*client.Conn, error) {
	c, err := find()
	if err != nil {
		return nil, err
	}
	conn, err := connectRobot(ctx, c)
	if err != nil {
		return nil, err
	}
	r, err := c.Run(ctx, w.n)
	if err != nil {
		conn.Close()
		return nil, err
	}
	if r.Phase == robot.RunEnded {
		w.printChanges(r)
	}
	return conn, nil
}

// printChanges prints the changes of a run.
func (w *runWatcher) printChanges(r protocol.Run) {
	if w.last.N == 0 {
		w.last.Began = r.Began
		expect := 0.0
		for _, s := range r.Steps {
			expect += float64(s.Expect)
		}
		_, _ = fmt.Fprintf(w.out, "Run %d: %s, %s, about %s\n", r.N, r.Name, withNoun(len(r.Steps), "step"), durationText(time.Duration(expect*float64(time.Second)))) // a fault of the terminal does not end the run
	}
	for i, s := range r.Steps {
		var was protocol.RunStep
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

// updateStep prints the changes of a step.
func (w *runWatcher) updateStep(i, of int, was, s protocol.RunStep) {
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
		if s.Tries != was.Tries { // the whole try happened between two events
			w.printLine(name + ": " + stepText(s.Step))
		}
		w.printLine("  " + stepStatus(s))
	}
}

// printLine prints a line with the time since the run began.
func (w *runWatcher) printLine(text string) {
	since := "     "
	if began := time.Time(w.last.Began); !began.IsZero() {
		d := time.Since(began)
		since = fmt.Sprintf("%2d:%02d", int(d.Minutes()), int(d.Seconds())%60)
	}
	_, _ = fmt.Fprintf(w.out, "%s  %s\n", since, text) // a fault of the terminal does not end the run
}

// finalError prints how the run ended; a run that failed is an error.
func (w *runWatcher) finalError() error {
	text := fmt.Sprintf("Run %d is %s", w.n, runStatus(w.last))
	if w.last.Word == robot.Error {
		text = fmt.Sprintf("Run %d %s", w.n, runStatus(w.last))
	}
	if (robot.Result{Word: w.last.Word}).Done() {
		_, err := fmt.Fprintln(w.out, endSentence(text))
		return err
	}
	return errors.New(strings.TrimSuffix(text, "."))
}
