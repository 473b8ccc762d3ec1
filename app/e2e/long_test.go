package e2e_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"mybot/app"
	"mybot/robot"
)

// long skips a test that takes minutes, except in ./test long.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("MYBOT_LONG") == "" {
		t.Skip("it takes minutes; ./test long runs it")
	}
}

// People connect, drive, stop, release and leave, in a random order, some without closing the
// connection. When all have left, nothing of theirs remains.
func TestSoakNothingIsLeftOfPeopleWhoHaveGone(t *testing.T) {
	long(t)
	const (
		lasts  = 3 * time.Minute
		people = 8
	)
	h := open(t, func(c *app.Config) { c.DataDir = t.TempDir() })
	h.enter("first").closeNow() // to create what is created once
	base := resting(t, 0)

	var all sync.WaitGroup
	until := time.Now().Add(lasts)
	visits := make([]int, people)
	for n := range people {
		all.Go(func() {
			chance := rand.New(rand.NewPCG(1, uint64(n)))
			cookie := h.cookie()
			for time.Now().Before(until) {
				g := enter(t, h.addr, cookie, fmt.Sprintf("Guest %d", n))
				visits[n]++
				for range chance.IntN(6) {
					act(g, chance)
				}
				g.closeNow()
			}
		})
	}
	all.Wait()
	t.Logf("%v visits", visits)

	quiet := h.enter("last")
	quiet.ask(map[string]any{"type": "stop"})
	quiet.awaitStandstill()
	quiet.closeNow()
	resting(t, base+5)
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	t.Logf("%.1f MB of heap are in use", float64(memory.HeapAlloc)/1e6)
	if memory.HeapAlloc > 64<<20 {
		t.Errorf("%d MB of heap are in use after all users have left", memory.HeapAlloc>>20)
	}
}

// act does one random thing that a person may do, allowed or not.
func act(g *guest, chance *rand.Rand) {
	switch chance.IntN(6) {
	case 0:
		g.push(0, 0)
		for range 20 {
			g.push(0.2, chance.Float64()-0.5)
			g.until("a state", func(m message) bool { return m.Type == "state" })
		}
		g.letGo()
	case 1:
		g.ask(map[string]any{"type": "stop"})
	case 2:
		g.ask(map[string]any{"type": "unstop", "lease": g.epoch})
	case 3:
		g.ask(map[string]any{"type": "control", "action": "take"})
	case 4:
		g.ask(map[string]any{"type": "control", "action": "release"})
	case 5:
		g.ask(map[string]any{"type": "rename", "name": fmt.Sprintf("Name %d", chance.IntN(1000))})
	}
}

// closeNow leaves without a closing handshake.
func (g *guest) closeNow() { _ = g.conn.CloseNow() }

// resting waits until at most most goroutines run or, if most is 0, until their number is
// stable, and returns it.
func resting(t *testing.T, most int) int {
	t.Helper()
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	every := time.NewTicker(500 * time.Millisecond)
	defer every.Stop()
	before := -1
	for {
		now := runtime.NumGoroutine()
		if most > 0 && now <= most || most == 0 && now == before {
			return now
		}
		before = now
		select {
		case <-every.C:
		case <-late.C:
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines run, want at most %d:\n%s", now, most, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// What the robot has answered with SUCCESS is stored even if the process is killed at that
// moment.
func TestKillLosesNothingThatWasAnswered(t *testing.T) {
	long(t)
	program := filepath.Join(t.TempDir(), "mybot")
	if out, err := exec.Command("go", "build", "-o", program, "mybot/cmd/mybot").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	data := t.TempDir()
	var cookie, kept string
	for round := range 30 {
		addr, kill := launch(t, program, data)
		if round == 0 {
			cookie = (&testServer{t: t, addr: addr}).cookie()
		}
		conn, _, err := dial(t.Context(), addr, cookie)
		if err != nil {
			t.Fatal(err)
		}
		g := &guest{t: t, conn: conn}
		g.sendText(`{"type":"hello","protocol":"mybot.v1","tab":"x","build":"test"}`)
		_, welcome, err := conn.Read(t.Context())
		if err != nil || !strings.Contains(string(welcome), kept) {
			t.Fatalf("after kill %d the robot has lost the name %q: %s %v", round, kept, welcome, err)
		}
		kept = fmt.Sprintf("Ana %d", round)
		if m := g.ask(map[string]any{"type": "rename", "name": kept}); m.Word != robot.Success {
			t.Fatalf("renaming was answered %s: %s", m.Word, m.Reason)
		}
		kill()
	}
}

var printed = regexp.MustCompile(`http://(127\.0\.0\.1:\d+)/`)

// launch starts the program as a person does. It returns the address that it prints, and a
// function that kills it.
func launch(t *testing.T, program, data string, args ...string) (addr string, kill func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	run := exec.CommandContext(ctx, program, append([]string{"--listen", "127.0.0.1:0", "--data", data, "--log-level", "error"}, args...)...)
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		cancel() // SIGKILL
		_ = run.Wait()
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if found := printed.FindStringSubmatch(lines.Text()); found != nil {
			return found[1], kill
		}
	}
	kill()
	t.Fatal("the program printed no address")
	return "", nil
}
