package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestTimedCommandsAreSentAndTheirAnswersPrinted(t *testing.T) {
	h := newHome(t)
	file := h.file("square.json", `[{"id":1,"v":0.2,"w":0,"for":0.5},{"id":2,"after":0.6,"v":0,"w":0.5,"for":0.5}]`)
	h.no("no robot of this user is running", "queue", "show", "--data", h.data)
	h.serve("--listen", "127.0.0.1:0")
	h.ok("0 commands waiting, none running.", "queue", "show", "--data", h.data)
	for range 2 { // the second time, the same numbers already have answers
		said := h.ok("", "queue", "run", file, "--data", h.data)
		if said != "Command 1: SUCCESS.\nCommand 2: SUCCESS.\n" {
			t.Fatalf("it says %q", said)
		}
	}
	if said := h.ok("0 commands waiting, none running.", "queue", "show", "--data", h.data); strings.Count(said, "Command 1: SUCCESS.") != 2 {
		t.Errorf("the queue is shown as %q", said)
	}

	twice := h.file("twice.json", `[{"id":1,"after":0.4,"v":0.1,"w":0,"for":0.2},{"id":1,"v":0.1,"w":0,"for":0.2}]`)
	h.no("1 command did not succeed", "queue", "run", twice, "--data", h.data)
	h.no(`command 1 of the queue: "for" is 11`, "queue", "run", h.file("long.json", `[{"id":1,"v":0.2,"w":0,"for":11}]`), "--data", h.data)
	h.no("is not a list of commands", "queue", "run", h.file("bad.json", `{"id":1}`), "--data", h.data)
	h.no("cannot be read", "queue", "run", filepath.Join(h.dir, "none.json"), "--data", h.data)
	for _, args := range [][]string{{}, {"run"}, {"show", "all"}, {"dance"}, {"show", "--loud"}} {
		if code, said := h.do(append([]string{"queue"}, args...)...); code != exitUsage {
			t.Errorf("queue %v ends with %d: %s", args, code, said)
		}
	}
}

func TestTheAnswersOfTimedCommandsAreFoundWhenTheRobotDropsEarlierOnes(t *testing.T) {
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0")
	c, err := target{data: h.data}.findRobot(h.at)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := connectRobot(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.TakeControl(t.Context()); err != nil {
		t.Fatal(err)
	}
	answers := func() int {
		q, err := c.FetchQueue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(q.Answers)
	}
	const kept = 400
	for id := 1; id <= kept; {
		var hundred []string
		for range 100 {
			hundred = append(hundred, fmt.Sprintf(`{"id":%d,"after":60,"v":0,"w":0,"for":1}`, id))
			id++
		}
		if _, err := c.EnqueueCommands(t.Context(), conn.Epoch(), json.RawMessage("["+strings.Join(hundred, ",")+"]")); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.ReleaseControl(t.Context()); err != nil { // the robot clears the queue and answers all of them
		t.Fatal(err)
	}
	conn.Close() // one connection of a user at a time has control
	h.soon("Command 400: INTERRUPTED", "queue", "show", "--data", h.data)
	if n := answers(); n != kept {
		t.Fatalf("the robot keeps %d answers", n)
	}
	b := h.background("queue", "run", h.file("two.json", `[{"id":1,"v":0,"w":0.1,"for":0.2},{"id":2,"after":0.3,"v":0,"w":0.1,"for":0.2}]`), "--data", h.data)
	h.words(&b.out, "Command 2: SUCCESS.")
	if code := <-b.code; code != exitDone || b.out.String() != "Command 1: SUCCESS.\nCommand 2: SUCCESS.\n" {
		t.Errorf("the commands end with %d: %s", code, b.out.String())
	}
	if n := answers(); n != kept {
		t.Errorf("the robot keeps %d answers, so it dropped none", n)
	}
}
