package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"mybot/client"
	"mybot/robot"
	"mybot/session/protocol"
)

// queueEvery is the interval at which runQueue polls the queue.
const queueEvery = 200 * time.Millisecond

// answerText describes how a command of the queue ended.
func answerText(a protocol.QueueAnswer) string {
	return endSentence(withReason(fmt.Sprintf("Command %d: %s", a.ID, a.Word), a.Reason))
}

// queueCommand shows the robot's queue of timed commands, or adds the commands of a file and
// waits for their answers.
func queueCommand(ctx context.Context, args []string, stdout io.Writer, env func(string) string) error {
	var t target
	words, err := parseAll(t.defineFlags("queue"), args)
	if err != nil {
		return err
	}
	var commands json.RawMessage
	switch {
	case len(words) == 1 && words[0] == "show":
	case len(words) == 2 && words[0] == "run":
		if commands, err = readCommands(words[1]); err != nil {
			return err
		}
	default:
		return usageError{errors.New("queue takes show, or run and a file with a list of commands")}
	}
	c, err := t.requireRobot(env)
	if err != nil {
		return err
	}
	if c, err = withIdentity(c, env); err != nil {
		return err
	}
	if commands == nil {
		return showQueue(ctx, c, stdout)
	}
	return runQueue(ctx, c, commands, stdout)
}

// readCommands reads a file with a list of commands; the robot checks them.
func readCommands(path string) (json.RawMessage, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the commands cannot be read: %w", err)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil || len(list) == 0 {
		return nil, fmt.Errorf(`%s is not a list of commands; it should be like [{"id":1,"v":0.3,"w":0,"for":2},{"id":2,"after":3,"goto":[12.1,3.35,0]}]`, path)
	}
	return bytes.TrimSpace(data), nil
}

func showQueue(ctx context.Context, c *client.Client, stdout io.Writer) error {
	q, err := c.FetchQueue(ctx)
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s waiting, ", withNoun(q.Waiting, "command"))
	if q.Running == nil {
		text.WriteString("none running.\n")
	} else {
		fmt.Fprintf(&text, "command %d running.\n", *q.Running)
	}
	for _, a := range q.Answers {
		fmt.Fprintln(&text, answerText(a))
	}
	_, err = io.WriteString(stdout, text.String())
	return err
}

// runQueue adds commands to the queue and prints each answer. It stays connected until the
// last one: a user who disconnects loses control, and the robot then clears the queue.
func runQueue(ctx context.Context, c *client.Client, commands json.RawMessage, stdout io.Writer) error {
	conn, err := connectRobot(ctx, c)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.TakeControl(ctx); err != nil {
		return err
	}
	before, err := c.FetchQueue(ctx)
	if err != nil {
		return err
	}
	receipts, err := c.EnqueueCommands(ctx, conn.Epoch(), commands)
	if err != nil {
		return err
	}
	b := backlog{waits: map[uint64]bool{}, out: stdout}
	b.skipEarlier(before)
	for _, r := range receipts {
		if r.Accepted {
			b.waits[r.ID] = true
		} else {
			b.printAnswer(r.QueueAnswer)
		}
	}
	for looked := (time.Time{}); len(b.waits) > 0; {
		if _, err := conn.Next(ctx); err != nil { // the robot sends its state ten times a second
			return fmt.Errorf("the connection was lost with %s unanswered, which the robot clears: %w", withNoun(len(b.waits), "command"), err)
		}
		if time.Since(looked) < queueEvery {
			continue
		}
		looked = time.Now()
		q, err := c.FetchQueue(ctx)
		if err != nil {
			return err
		}
		b.printNew(q)
	}
	_ = conn.ReleaseControl(ctx) // if the robot is gone, there is nothing to release
	return b.summaryError()
}

// A backlog holds the commands that wait for their answers. The robot numbers its answers and
// keeps only the newest; an id may be used again once its command is answered.
type backlog struct {
	waits  map[uint64]bool // by id
	seen   uint64          // number of the newest answer that was looked at
	failed int
	out    io.Writer
}

// skipEarlier skips the answers that the queue had before.
func (b *backlog) skipEarlier(q protocol.Queue) {
	for _, a := range q.Answers {
		b.seen = max(b.seen, a.N)
	}
}

// printNew prints the new answers.
func (b *backlog) printNew(q protocol.Queue) {
	for _, a := range q.Answers {
		if a.N > b.seen && b.waits[a.ID] {
			b.printAnswer(a)
			delete(b.waits, a.ID)
		}
	}
	b.skipEarlier(q)
}

func (b *backlog) printAnswer(a protocol.QueueAnswer) {
	if !(robot.Result{Word: a.Word}).Done() {
		b.failed++
	}
	_, _ = fmt.Fprintln(b.out, answerText(a)) // a closed pipe does not concern the robot
}

func (b *backlog) summaryError() error {
	if b.failed > 0 {
		return fmt.Errorf("%s did not succeed", withNoun(b.failed, "command"))
	}
	return nil
}
