package e2e_test

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mybot/app"
	"mybot/robot"
)

// A program is a robot server in a real process, with its own data.
type program struct {
	t    *testing.T
	file string
	data string
	addr string
	cmd  *exec.Cmd
}

// buildProgram builds the program, without starting it.
func buildProgram(t *testing.T) *program {
	t.Helper()
	p := &program{t: t, file: filepath.Join(t.TempDir(), "mybot"), data: t.TempDir()}
	if out, err := exec.Command("go", "build", "-o", p.file, "mybot/cmd/mybot").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return p
}

// start starts the program and connects a new browser.
func (p *program) start(name string) *guest {
	p.t.Helper()
	p.cmd = exec.Command(p.file, "--listen", "127.0.0.1:0", "--data", p.data, "--log-level", "error")
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	cmd := p.cmd
	p.t.Cleanup(func() { _ = cmd.Process.Kill() }) // an error means that it is already gone
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if found := printed.FindStringSubmatch(lines.Text()); found != nil {
			p.addr = found[1]
			return enter(p.t, p.addr, (&testServer{t: p.t, addr: p.addr}).cookie(), name)
		}
	}
	p.t.Fatal("the program printed no address")
	return nil
}

// end sends the signal and waits until the process has ended.
func (p *program) end(how syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(how); err != nil {
		p.t.Fatal(err)
	}
	_ = p.cmd.Wait() // a killed one ends with an error
}

// mode returns the robot's mode, and who stopped it.
func (g *guest) mode() (robot.Mode, string) {
	g.t.Helper()
	m := g.until("a state", func(m message) bool { return m.Type == "state" })
	if m.Stop == nil {
		return m.Mode, ""
	}
	return m.Mode, m.Stop.By
}

// mustStayStopped presses as the person in control and checks that nothing moves.
func (g *guest) mustStayStopped() {
	g.t.Helper()
	g.push(0, 0)
	g.push(0.3, 0)
	g.until("the refusal of a press", func(m message) bool {
		if m.Type == "state" && !standing(m) {
			g.t.Fatalf("the stopped robot moves: %v", m.Twist)
		}
		return m.Type == "result" && m.Seq > 0 && m.Word == robot.Panic
	})
}

func TestAStopOutlivesTheProcess(t *testing.T) {
	p := buildProgram(t)
	const crash = "the robot, because its program was not shut down properly"
	check := func(t *testing.T, g *guest, want ...string) {
		t.Helper()
		mode, by := g.mode()
		if mode != robot.ModeStopped {
			t.Fatalf("after the restart the robot is %s, not stopped", mode)
		}
		for _, w := range want {
			if by == w {
				g.mustStayStopped()
				return
			}
		}
		t.Fatalf("it was stopped by %q, not by %q", by, want)
	}
	release := func(t *testing.T, g *guest) {
		t.Helper()
		if m := g.ask(map[string]any{"type": "unstop", "lease": g.epoch}); m.Word != robot.Success {
			t.Fatalf("releasing the stop was answered %s: %s", m.Word, m.Reason)
		}
	}

	g := p.start("Ana")
	if mode, _ := g.mode(); mode != robot.ModeReady {
		t.Fatalf("the first start is %s", mode)
	}
	t.Run("a killed process, at the moment STOP is answered", func(t *testing.T) {
		for range 3 {
			g.ask(map[string]any{"type": "stop"})
			p.end(syscall.SIGKILL)
			g = p.start("Ana")
			check(t, g, "Ana before the restart", crash)
			release(t, g)
		}
	})
	t.Run("an orderly end", func(t *testing.T) {
		g.ask(map[string]any{"type": "stop"})
		p.end(syscall.SIGTERM)
		g = p.start("Ben")
		check(t, g, "Ana before the restart")
	})
	t.Run("and the next one", func(t *testing.T) {
		p.end(syscall.SIGTERM)
		g = p.start("Ben")
		check(t, g, "Ana before the restart")
	})
	t.Run("STOP by REST", func(t *testing.T) {
		release(t, g)
		if r, err := http.Post("http://"+p.addr+"/api/v1/stop", "application/json", strings.NewReader("{}")); err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%v %v", r, err)
		}
		p.end(syscall.SIGTERM)
		g = p.start("Ben")
		if mode, by := g.mode(); mode != robot.ModeStopped || !strings.HasSuffix(by, " before the restart") {
			t.Fatalf("the robot is %s, stopped by %q", mode, by)
		}
	})
	t.Run("a release outlives an orderly end too", func(t *testing.T) {
		release(t, g)
		p.end(syscall.SIGTERM)
		g = p.start("Ben")
		if mode, by := g.mode(); mode != robot.ModeReady {
			t.Fatalf("the robot is %s by %q", mode, by)
		}
		g.drive(0.2, 0, moving)
		g.letGo()
	})
	t.Run("a killed process of a robot that was not stopped starts stopped", func(t *testing.T) {
		p.end(syscall.SIGKILL)
		g = p.start("Ben")
		check(t, g, crash)
		release(t, g)
		p.end(syscall.SIGTERM)
		g = p.start("Ben")
		if mode, _ := g.mode(); mode != robot.ModeReady {
			t.Fatalf("after the release the robot is %s", mode)
		}
	})
	t.Run("a damaged note of the stop starts stopped", func(t *testing.T) {
		p.end(syscall.SIGTERM)
		if err := os.WriteFile(filepath.Join(p.data, app.StopFile), []byte(`{"runn`), 0o600); err != nil {
			t.Fatal(err)
		}
		check(t, p.start("Ben"), "the robot, because its note of the last stop is damaged")
	})
}
