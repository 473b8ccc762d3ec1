package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mybot/app"
	"mybot/drivers/base"
	"mybot/drivers/base/bridge"
	"mybot/drivers/base/firmware"
	"mybot/drivers/sim"
	"mybot/jobs"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models"
)

// asBase names the variable that makes the program of these tests a base: the simulated robot
// in the office, without people. Its value is the line: an address or stdio. The base writes
// its process id into the file that baseProcess names.
const asBase, baseProcess = "MYBOT_TEST_BASE", "MYBOT_TEST_BASE_PROCESS"

// serveAsBase serves the base until its line ends or it is killed.
func serveAsBase(line string) (code int) {
	err := func() error {
		description := bytes.Replace(models.Mybot(), []byte(`"holds_s": 0.25`), []byte(`"holds_s": 0.1`), 1)
		desc, err := robot.ParseDescription(description)
		if err != nil {
			return err
		}
		plan, err := floorplan.Load(maps.Office())
		if err != nil {
			return err
		}
		scene, err := sim.ReadScene(maps.Office(), "scene.json")
		if err != nil {
			return err
		}
		scene.People = nil
		var l net.Listener
		if line == "stdio" {
			l = bridge.OneLine(os.Stdin, os.Stdout)
		} else if address, err := base.ParseAddress(line); err != nil {
			return err
		} else if l, err = address.Listen(context.Background()); err != nil {
			return err
		}
		if file := os.Getenv(baseProcess); file != "" {
			if err := os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
				return err
			}
		}
		driver := sim.NewDriver(sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1}))
		return bridge.Serve(context.Background(), l, driver, bridge.Config{Program: "test 1", Robot: description, Hold: firmware.RecommendedHold, Log: slog.New(slog.DiscardHandler)})
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// A processBase is a base in its own process.
type processBase struct {
	t       *testing.T
	address base.Address
	start   func()        // starts the base again; the server itself starts a child
	process func() string // returns the process id
}

// newProcessBase starts a base on a line of the kind tcp or exec.
func newProcessBase(t *testing.T, kind string) *processBase {
	t.Helper()
	file := filepath.Join(t.TempDir(), "process")
	b := &processBase{t: t, process: func() string {
		number, _ := os.ReadFile(file)
		return string(number)
	}}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf("exec:env %s=stdio %s=%s %s", asBase, baseProcess, file, program)
	if kind == "tcp" {
		l, err := net.Listen("tcp", "127.0.0.1:0") // for a free port
		if err != nil {
			t.Fatal(err)
		}
		line = "tcp:" + l.Addr().String()
		_ = l.Close()
	}
	if b.address, err = base.ParseAddress(line); err != nil {
		t.Fatal(err)
	}
	b.start = func() {
		if kind != "tcp" {
			return
		}
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), asBase+"="+line, baseProcess+"="+file)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var ended sync.WaitGroup
		ended.Go(func() { _ = cmd.Wait() })
		t.Cleanup(func() { _ = cmd.Process.Kill(); ended.Wait() })
	}
	b.start()
	return b
}

// kill kills the process of the base.
func (b *processBase) kill() {
	b.t.Helper()
	number, err := strconv.Atoi(b.process())
	if err != nil {
		b.t.Fatal(err)
	}
	process, err := os.FindProcess(number)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// serve starts a server that drives the base.
func (b *processBase) serve() *testServer {
	t := b.t
	t.Helper()
	mybot, plan, scene := office(t)
	tables := app.Tables(os.Getenv(tablesIn))
	d, err := base.Open(t.Context(), base.Config{Address: b.address, Patience: patience, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if name := d.Describe().Name; name != mybot.Name {
		t.Errorf("the robot is %s", name)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ready := make(chan struct{})
	h := &testServer{t: t, addr: ln.Addr().String(), plan: plan, ended: make(chan error, 1)}
	h.start(ln, d, app.Config{Plan: plan, Start: scene.Start, Build: "test", Tables: tables, Ready: func() { close(ready) }}, ready)
	return h
}

// TestARobotAtTheEndOfALineDrivesGoesAndWorks drives the robot by hand, sends it to a goal and
// gives it a job.
func TestARobotAtTheEndOfALineDrivesGoesAndWorks(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"tcp", "exec"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			h := newProcessBase(t, kind).serve()
			ana := h.enter("Ana")
			start := ana.until("a state", func(m message) bool { return m.Type == "state" }).Pose
			if m := ana.drive(0.3, 0, func(m message) bool { return moving(m) && m.Pose[0] > start[0]+0.2 }); m.Base == nil || !m.Base.Up {
				t.Errorf("the base of the driving robot is %+v", m.Base)
			}
			ana.letGo()
			ana.awaitStandstill()

			goal := [3]float64{start[0] + 1.2, start[1], start[2]}
			if yes := ana.ask(map[string]any{"type": "goto", "lease": ana.epoch, "goal": goal}); yes.Word != robot.Success {
				t.Fatalf("the goal is refused: %s %s", yes.Word, yes.Reason)
			}
			there := ana.until("the goal", func(m message) bool { return m.Type == "state" && m.Goal != nil && m.Goal.Phase == robot.GoalEnded })
			if off := math.Hypot(there.Pose[0]-goal[0], there.Pose[1]-goal[1]); there.Goal.Word != robot.Success || off > 0.1 {
				t.Errorf("the goal ended with %s, %.2f m from it", there.Goal.Word, off)
			}

			steps := []jobs.Step{{Type: jobs.Move, Pose: &start}, {Type: jobs.Wait, Seconds: 1}}
			if yes := ana.do("run", "name", "Back", "steps", steps); yes.Word != robot.Success {
				t.Fatalf("the job is refused: %s %s", yes.Word, yes.Reason)
			}
			ana.until("the way", func(m message) bool { return m.Type == "state" && m.Mode == robot.ModeJob })
			end := ana.until("the end of the job", func(m message) bool { return m.Type == "state" && m.Job != nil && m.Job.Phase == robot.RunEnded })
			if off := math.Hypot(end.Pose[0]-start[0], end.Pose[1]-start[1]); off > 0.1 {
				t.Errorf("after the job the robot is %.2f m off", off)
			}
		})
	}
}

// TestARobotWhoseBaseIsKilledMovesOnlyAfterANewPress kills the base while the robot drives. The
// driver keeps holding.
func TestARobotWhoseBaseIsKilledMovesOnlyAfterANewPress(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"tcp", "exec"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := newProcessBase(t, kind)
			h := b.serve()
			ana := h.enter("Ana")
			ana.drive(0.3, 0, moving)
			first := b.process()
			b.kill()
			// holds repeats the last sample until ok is satisfied.
			holds := func(what string, ok func(message) bool) message {
				return ana.until(what, func(m message) bool {
					if m.Type == "state" && m.Base == nil {
						t.Fatal("a state has no line to the base")
					}
					if m.Type == "state" {
						ana.push(0.3, 0)
					}
					return m.Type == "state" && ok(m)
				})
			}
			if kind == "tcp" { // the server restarts a child before a page can notice
				holds("the loss", func(m message) bool { return !m.Base.Up && strings.Contains(m.Base.Why, "connection refused") })
			}
			b.start()
			back := holds("the base", func(m message) bool { return m.Base.Up && m.Base.Restarts > 0 })
			if b.process() == first || back.Base.Restarts != 1 {
				t.Errorf("its process id was %s and is %s, the line is %+v", first, b.process(), back.Base)
			}
			states := 0
			holds("two seconds", func(m message) bool {
				if !standing(m) {
					t.Errorf("the robot moves without a new press: %v", m.Twist)
				}
				states++
				return states > 20
			})
			ana.drive(0.3, 0, moving)
		})
	}
}
