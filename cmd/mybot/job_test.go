package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/session/protocol"
)

// file writes a file into the home and returns its path.
func (h *home) file(name, text string) string {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return path
}

func TestAJobIsValidatedWithoutARobot(t *testing.T) {
	h := newHome(t)
	good := h.file("good.json", `{"name":"To the sofa","steps":[{"type":"MOVE","place":"Sofa"}]}`)
	h.ok("To the sofa, 1 step. Its places were not checked", "job", "validate", good)
	h.ok("Its places are on the map.", "job", "validate", good, "--map", "../../maps/office")
	h.no(`Step 1: there is no place "Moon" on the map`, "job", "validate", h.file("moon.json", `{"name":"J","steps":[{"type":"MOVE","place":"Moon"}]}`), "--map", "../../maps/office")
	h.no("Step 2: seconds is 0; it should be 1 to 3600 s.", "job", "validate", h.file("bad.json", `{"name":"J","steps":[{"type":"WAIT","seconds":1},{"type":"WAIT"}]}`))
	h.no("cannot be read", "job", "validate", filepath.Join(h.dir, "none.json"))
	h.no("no robot of this user is running", "job", "list", "--data", h.data)
	for _, args := range [][]string{{}, {"dance"}, {"run"}, {"list", "all"}, {"show", "a", "b"}, {"list", "--loud"}, {"skip", "0"}, {"skip", "all"}, {"retry", "1", "2"}, {"pause", "1"}} {
		if code, said := h.do(append([]string{"job"}, args...)...); code != exitUsage {
			t.Errorf("job %v ends with %d: %s", args, code, said)
		}
	}
}

// words waits until the screen shows the text.
func (h *home) words(s *screen, text string) {
	h.t.Helper()
	for end := time.Now().Add(20 * time.Second); !strings.Contains(s.String(), text); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			h.t.Fatalf("it does not say %q: %s", text, s.String())
		}
	}
}

// soon runs the program until it prints the text. The state of a run is saved by then.
func (h *home) soon(text string, args ...string) {
	h.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if code, said := h.do(args...); code == 0 && strings.Contains(said, text) {
			return
		} else if time.Now().After(end) {
			h.t.Fatalf("%v does not say %q: %d, %s", args, text, code, said)
		}
	}
}

func TestAJobIsRunPausedResumedEndedAndLeftToItself(t *testing.T) {
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0")
	at := []string{"--data", h.data}
	job := func(words ...string) []string { return append(append([]string{"job"}, words...), at...) }

	short := h.file("short.json", `{"name":"Short","steps":[{"type":"WAIT","seconds":1},{"type":"MESSAGE","text":"Touch OK.","ok":true,"seconds":1}]}`)
	h.ok("Its places are on the robot's map.", job("validate", short)...)
	h.ok("No saved jobs.", job("list")...)
	said := h.ok("Run 1 is done, with changes after 2 s. Step 2: Nobody touched OK within 1 s.", job("run", short)...)
	for _, want := range []string{"Run 1: Short, 2 steps, about ", "Step 1 of 2: WAIT 1 s", "done after 1 s", `Step 2 of 2: MESSAGE "Touch OK.", waits for OK, at most 1 s`} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q: %s", want, said)
		}
	}
	h.soon("2  MESSAGE \"Touch OK.\", waits for OK, at most 1 s: done after 1 s. Nobody", job("show", "1")...)
	h.ok(`"log":[`, job("show", "1", "--json")...)
	h.no("no job is under way", job("pause")...)
	h.no("the job cannot be read", job("run", "nothing.json")...)
	h.no("There is no job", job("run", "nothing")...)
	h.no("There is no job", job("show", "nothing")...)
	h.no("Step 1: type", job("run", h.file("bad.json", `{"name":"J","steps":[{"type":"FLY"}]}`))...)

	c, err := target{data: h.data}.findRobot(h.at)
	if err != nil {
		t.Fatal(err)
	}
	long := jobs.Job{Name: "Long", Steps: []jobs.Step{{Type: jobs.Wait, Seconds: 600}}}
	kept, err := c.SaveJob(t.Context(), long)
	if err != nil {
		t.Fatal(err)
	}
	h.ok("Long  1", job("list")...)
	h.ok("1  WAIT 10 min", job("show", kept.ID)...)
	h.ok(`"revision":1`, job("show", kept.ID, "--json")...)
	run2 := h.background(job("run", kept.ID)...)
	h.words(&run2.out, "Step 1 of 1: WAIT 10 min")
	h.ok("Run 2, Long, is running at step 1 of 1.", job("list")...)
	h.no("The job Long is under way", job("run", short)...)
	h.ok("Run 2 is paused.", job("pause")...)
	h.words(&run2.out, "Paused. Paused by Command line.")
	h.ok("Run 2 continues.", job("resume")...)
	h.words(&run2.out, "It continues.")
	h.ok("Run 2 is ended.", job("end")...)
	if code := <-run2.code; code != exitFailed || !strings.Contains(run2.out.String(), "Run 2 is given up after") {
		t.Errorf("a run that is ended ends with %d: %s", code, run2.out.String())
	}

	run3 := h.background(job("run", kept.ID)...)
	h.words(&run3.out, "Step 1 of 1")
	run3.interrupt()
	if code := <-run3.code; code != exitFailed || !strings.Contains(run3.out.String(), "run 3 continues") {
		t.Errorf("an interrupted command ends with %d: %s", code, run3.out.String())
	}
	h.ok("Run 3, Long, is running at step 1 of 1.", job("list")...)
	h.ok("Run 3 is ended.", job("end")...)
}

// The robot runs on this computer and needs no token: a user who starts a run, disconnects and
// reconnects still has control.
func TestTheCommandsOfOneUserAreOnePersonAtARobotThatAsksForNoToken(t *testing.T) {
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0")
	url := h.printed(`(http://127\.0\.0\.1:\d+)`)
	job := func(words ...string) []string { return append(append([]string{"job"}, words...), "--robot", url) }
	three := h.file("three.json", `{"name":"Three","steps":[{"type":"WAIT","seconds":600},{"type":"WAIT","seconds":600},{"type":"WAIT","seconds":600}]}`)
	run1 := h.background(job("run", three)...)
	h.words(&run1.out, "Step 1 of 3: WAIT 10 min")
	another := &home{t: t, dir: t.TempDir(), data: h.data}
	another.no("has control", job("end")...)
	h.ok("Run 1 is paused.", job("pause")...)
	h.words(&run1.out, "Paused. Paused by ")
	h.ok("Run 1 continues.", job("resume")...)
	h.words(&run1.out, "It continues.")
	run1.interrupt()
	if code := <-run1.code; code != exitFailed || !strings.Contains(run1.out.String(), "run 1 continues") {
		t.Errorf("an interrupted command ends with %d: %s", code, run1.out.String())
	}
	h.ok("Run 1 skipped step 1.", job("skip", "1")...)
	h.no("The job is at step 2, not at step 1.", job("skip", "1")...)
	h.ok("Run 1 skipped its step.", job("skip")...)
	h.no("Step 3 has not failed", job("retry")...)
	h.no("The job is at step 3, not at step 2.", job("retry", "2")...)

	kept := filepath.Join(h.dir, ".config", "mybot", "robots.json")
	info, err := os.Stat(kept)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the identity is saved as %v, %v", info, err)
	}
	h.ok("Run 1 is ended.", job("end")...)
}

// A robot that is restarted sends no event about the run that it gave up.
func TestARunThatTheRobotGivesUpAtARestartEndsItsCommand(t *testing.T) {
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0")
	long := h.file("long.json", `{"name":"Long","steps":[{"type":"WAIT","seconds":600}]}`)
	run1 := h.background("job", "run", long, "--data", h.data)
	h.words(&run1.out, "Step 1 of 1: WAIT 10 min")
	h.end()
	h.words(&run1.out, "The robot does not answer. The run may continue without this command.")
	h.serve("--listen", "127.0.0.1:0") // on another port, with another key
	h.words(&run1.out, "Run 1 is given up after ")
	if code := <-run1.code; code != exitFailed || !strings.Contains(run1.out.String(), "The robot was switched off") {
		t.Errorf("a run that a restart cut off ends with %d: %s", code, run1.out.String())
	}
}

// A background is a sub-command that continues to run.
type background struct {
	out       screen
	code      chan int
	interrupt context.CancelFunc
}

func (h *home) background(args ...string) *background {
	ctx, cancel := context.WithCancel(h.t.Context())
	b := &background{code: make(chan int, 1), interrupt: cancel}
	go func() { b.code <- run(ctx, args, &b.out, &b.out, h.at) }()
	h.t.Cleanup(cancel)
	return b
}

// TestTheCommandLineTellsARunInWords prints runs that would take a robot a long time.
func TestTheCommandLineTellsARunInWords(t *testing.T) {
	var out bytes.Buffer
	w := runWatcher{n: 7, out: &out}
	began := time.Now()
	at := func(s float64) *protocol.Moment {
		when := protocol.Moment(began.Add(time.Duration(s * float64(time.Second))))
		return &when
	}
	r := protocol.Run{N: 7, Name: "J", Phase: robot.RunRunning, Began: protocol.Moment(began), Steps: []protocol.RunStep{
		{Step: jobs.Step{Type: jobs.Move, Pose: &[3]float64{1, 2, 3}}, State: robot.StepRunning, Tries: 1, Began: at(0), Expect: 100},
		{Step: jobs.Step{Type: jobs.Voice, Text: "Hello!"}, State: robot.StepWaiting, Expect: 5000},
		{Step: jobs.Step{Type: jobs.Message, Text: "OK?", OK: true}, State: robot.StepWaiting},
		{Step: jobs.Step{Type: jobs.Wait, Seconds: 60, OK: true}, State: robot.StepWaiting},
	}}
	tell := func(change func(r *protocol.Run)) {
		data, err := json.Marshal(r.Steps)
		if err != nil {
			t.Fatal(err)
		}
		r.Steps = nil
		if err := json.Unmarshal(data, &r.Steps); err != nil {
			t.Fatal(err)
		}
		change(&r)
		w.printChanges(r)
	}
	tell(func(*protocol.Run) {})
	tell(func(r *protocol.Run) {
		r.Phase, r.Reason = robot.RunStuck, "The way is blocked."
		r.Steps[0].State, r.Steps[0].Reason = robot.StepRetriable, "The way is blocked."
	})
	tell(func(r *protocol.Run) {
		r.Phase, r.Steps[0].State, r.Steps[0].Tries = robot.RunRunning, robot.StepRunning, 2
	})
	tell(func(r *protocol.Run) {
		r.Steps[0].State, r.Steps[0].Skipped, r.Steps[0].Reason, r.Steps[0].Ended = robot.StepFailed, true, "Skipped by Ana.", at(62)
		r.Steps[1].State, r.Steps[1].Tries, r.Steps[1].Began, r.Steps[1].Ended = robot.StepFinished, 1, at(62), at(122)
		r.Steps[2].State, r.Steps[2].Tries = robot.StepRunning, 1
	})
	tell(func(r *protocol.Run) {
		r.Steps[2].State, r.Steps[3].State, r.Steps[3].Tries = robot.StepFinished, robot.StepRunning, 1
	})
	tell(func(r *protocol.Run) {
		r.Phase, r.Word, r.Reason, r.Ended = robot.RunEnded, robot.Modified, "Step 1: Skipped by Ana.", at(4000)
	})
	if err := w.finalError(); err != nil {
		t.Error(err)
	}
	const want = `Run 7: J, 4 steps, about 1 h 25 min
 0:00  Step 1 of 4: MOVE to x 1.00 y 2.00, heading 172°
 0:00    failed. The way is blocked.
 0:00  The run is waiting: retry or skip the step on the robot's page, or with 'mybot job retry' or 'mybot job skip'.
 0:00  Step 1 of 4, try 2: MOVE to x 1.00 y 2.00, heading 172°
 0:00    skipped after 1 min 2 s. Skipped by Ana.
 0:00  Step 2 of 4: VOICE "Hello!"
 0:00    done after 1 min
 0:00  Step 3 of 4: MESSAGE "OK?", waits for OK
 0:00    done
 0:00  Step 4 of 4: WAIT 1 min or until OK is tapped
Run 7 is done, with changes after 1 h 6 min. Step 1: Skipped by Ana.
`
	if out.String() != want {
		t.Errorf("it says\n%s\nwant\n%s", out.String(), want)
	}
	w.last.Word = robot.Error
	if err := w.finalError(); err == nil || !strings.Contains(err.Error(), "Run 7 failed") {
		t.Errorf("a run that failed ends with %v", err)
	}
}
