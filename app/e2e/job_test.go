package e2e_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"testing"

	"mybot/app"
	"mybot/jobs"
	"mybot/robot"
)

// A keptRun is a stored run in the REST API.
type keptRun struct {
	N      uint64
	Name   string
	Phase  robot.RunPhase
	Step   int
	Word   robot.Word
	Reason string
	Steps  []struct {
		Type   jobs.Kind
		State  robot.ActionState
		Expect float64
		Word   robot.Word
	}
	Ways [][][2]float64
	Log  []struct{ From, To string }
}

// kept returns the run with the number as it is stored.
func (h *testServer) kept(cookie string, n uint64) (r keptRun) {
	h.t.Helper()
	status, answer := h.ask(cookie, http.MethodGet, fmt.Sprintf("/api/v1/runs/%d", n), "")
	if err := json.Unmarshal([]byte(answer), &r); err != nil || status != http.StatusOK {
		h.t.Fatalf("run %d is answered %d: %s", n, status, answer)
	}
	return r
}

// at returns a test of whether a state shows the run at a step.
func at(step int, phase robot.RunPhase) func(m message) bool {
	return func(m message) bool {
		return m.Type == "state" && m.Job != nil && m.Job.Step == step && m.Job.Phase == phase
	}
}

// do sends a job command for the person in control.
func (g *guest) do(action string, more ...any) message {
	g.t.Helper()
	command := map[string]any{"type": "job", "lease": g.epoch, "action": action}
	for i := 0; i < len(more); i += 2 {
		command[more[i].(string)] = more[i+1]
	}
	return g.ask(command)
}

func TestAJobGoesOnWithoutItsPageAndNotAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keep := func(c *app.Config) { c.DataDir = dir }
	h := open(t, keep)
	cookie := h.cookie()
	ana := enter(t, h.addr, cookie, "Ana")
	start := h.driver.Truth().Pose
	goal := start.Apply(robot.Point{X: 1.5})
	steps := []jobs.Step{
		{Type: jobs.Move, Pose: &[3]float64{goal.X, goal.Y, start.Theta}},
		{Type: jobs.Message, Text: "Touch OK.", OK: true},
		{Type: jobs.Wait, Seconds: 600},
	}
	begun := ana.do("run", "name", "A paper", "steps", steps)
	if begun.Word != robot.Success || string(begun.Run) != "1" {
		t.Fatalf("the run was answered %s %s, run %s", begun.Word, begun.Reason, begun.Run)
	}
	ana.until("the way", func(m message) bool { return at(0, robot.RunRunning)(m) && m.Mode == robot.ModeJob && moving(m) })
	if busy := ana.do("run", "name", "Another", "steps", steps); busy.Word != robot.Busy {
		t.Errorf("a second run was answered %s %s", busy.Word, busy.Reason)
	}
	ana.closeNow()

	jin := h.enter("Jin")
	jin.until("the message", func(m message) bool {
		return at(1, robot.RunRunning)(m) && m.Message != nil && m.Message.Text == "Touch OK."
	})
	if off := h.driver.Truth().Pose.Point().Sub(goal).Norm(); off > 0.15 {
		t.Errorf("without its page the robot stopped %.2f m from the goal", off)
	}
	if no := jin.do("ok"); no.Word != robot.Error {
		t.Errorf("OK without control was answered %s %s", no.Word, no.Reason)
	}
	jin.closeNow()
	ana = enter(t, h.addr, cookie, "Ana")
	if ana.holder != ana.you { // it was released meanwhile
		if m := ana.ask(map[string]any{"type": "control", "action": "take"}); m.Word != robot.Success {
			t.Fatalf("taking control was answered %s %s", m.Word, m.Reason)
		}
		ana.until("the pause", at(1, robot.RunPaused))
		if m := ana.do("resume"); m.Word != robot.Success {
			t.Fatalf("resuming was answered %s %s", m.Word, m.Reason)
		}
	}
	if m := ana.do("ok"); m.Word != robot.Success {
		t.Fatalf("OK was answered %s %s", m.Word, m.Reason)
	}
	ana.until("the wait", at(2, robot.RunRunning))
	if m := ana.do("change", "steps", append(steps[:2:2], jobs.Step{Type: jobs.Wait, Seconds: 500}, jobs.Step{Type: jobs.Wait, Seconds: 1})); m.Word != robot.Error {
		t.Errorf("changing a step that is underway was answered %s %s", m.Word, m.Reason)
	}
	if m := ana.do("change", "steps", append(steps[:3:3], jobs.Step{Type: jobs.Wait, Seconds: 1})); m.Word != robot.Success {
		t.Errorf("the change was answered %s %s", m.Word, m.Reason)
	}
	ana.push(0, 0)
	ana.drive(0.1, 0, at(2, robot.RunPaused))
	ana.letGo()
	if m := ana.do("resume"); m.Word != robot.Success {
		t.Fatalf("resuming was answered %s %s", m.Word, m.Reason)
	}
	ana.until("the wait again", at(2, robot.RunRunning))
	h.close()

	h = open(t, keep)
	ana = enter(t, h.addr, cookie, "Ana")
	if m := ana.until("a state", func(m message) bool { return m.Type == "state" }); m.Job != nil || m.Mode != robot.ModeReady {
		t.Errorf("after a restart the robot is %s with the job %+v", m.Mode, m.Job)
	}
	r := h.kept(cookie, 1)
	if r.Phase != robot.RunEnded || r.Word != robot.Interrupted || r.Reason != "The robot was switched off." || r.Name != "A paper" || len(r.Steps) != 4 {
		t.Errorf("after a restart the run is %+v", r)
	}
	if s := r.Steps; s[0].State != robot.StepFinished || s[1].State != robot.StepFinished || s[2].State != robot.StepFailed || s[2].Word != robot.Interrupted || s[3].State != robot.StepWaiting {
		t.Errorf("its steps are %+v", s)
	}
	if len(r.Ways) != 4 || len(r.Ways[0]) < 2 || math.Abs(r.Ways[0][0][0]-start.X) > 0.2 || r.Steps[0].Expect < 2 || r.Steps[0].Expect > 20 {
		t.Errorf("its paths are %v, the first takes %g s", r.Ways, r.Steps[0].Expect)
	}
	state := ""
	for i, c := range r.Log {
		if c.From == "" && i > 0 {
			t.Errorf("transition %d has no previous state", i)
		}
		state += c.To + " "
	}
	const want = "running INITIALIZING RUNNING FINISHED"
	if len(state) < len(want) || state[:len(want)] != want {
		t.Errorf("its transitions are to %s", state)
	}
	if m := ana.do("run", "name", "A", "steps", []jobs.Step{{Type: jobs.Wait, Seconds: 1}}); m.Word != robot.Success || string(m.Run) != "4" { // 2 and 3 were edits
		t.Errorf("the next run was answered %s %s, number %s", m.Word, m.Reason, m.Run)
	}
	ana.until("its end", at(1, robot.RunEnded))
}

func TestAJobThatCannotBeDoneIsRefusedWithTheStep(t *testing.T) {
	h := open(t)
	ana := h.enter("Ana")
	for reason, steps := range map[string][]jobs.Step{
		`Step 2: there is no place "Nowhere" on the map; choose one that exists, or give a pose.`: {{Type: jobs.Wait, Seconds: 1}, {Type: jobs.Move, Place: "Nowhere"}},
		`Step 1: Off the map.`: {{Type: jobs.Move, Pose: &[3]float64{-50, -50, 0}}},
	} {
		m := ana.do("run", "name", "A", "steps", steps)
		if m.Word != robot.Error || len(m.Reason) < len(reason) || m.Reason[:len(reason)] != reason {
			t.Errorf("%v is answered %s: %s", steps, m.Word, m.Reason)
		}
	}
	if m := ana.until("a state", func(m message) bool { return m.Type == "state" }); m.Job != nil {
		t.Errorf("the robot has the job %+v", m.Job)
	}
}
