package main

import (
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
