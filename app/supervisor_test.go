package app_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/robot"
)

func TestTheSupervisorIsFoundInTheEnvironment(t *testing.T) {
	me := strconv.Itoa(os.Getpid())
	for _, c := range []struct {
		name string
		env  map[string]string
		want app.Supervisor
		bad  bool
	}{
		{"without one", nil, app.Supervisor{}, false},
		{"one without a watchdog", map[string]string{"NOTIFY_SOCKET": "/run/s"}, app.Supervisor{Socket: "/run/s"}, false},
		{"one with a watchdog", map[string]string{"NOTIFY_SOCKET": "@s", "WATCHDOG_USEC": "2000000", "WATCHDOG_PID": me}, app.Supervisor{Socket: "@s", Watchdog: 2 * time.Second}, false},
		{"one that watches another process", map[string]string{"NOTIFY_SOCKET": "@s", "WATCHDOG_USEC": "2000000", "WATCHDOG_PID": me + "0"}, app.Supervisor{Socket: "@s"}, false},
		{"a watchdog of no time", map[string]string{"NOTIFY_SOCKET": "@s", "WATCHDOG_USEC": "0"}, app.Supervisor{Socket: "@s"}, true},
		{"a watchdog that is no number", map[string]string{"NOTIFY_SOCKET": "@s", "WATCHDOG_USEC": "2s"}, app.Supervisor{Socket: "@s"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := app.FindSupervisor(func(name string) string { return c.env[name] })
			if got != c.want || (err != nil) != c.bad {
				t.Errorf("it is %+v (%v), want %+v", got, err, c.want)
			}
		})
	}
}

// A blockable driver is the simulator, with a Drive that can be made to block, and
// the control loop with it.
type blockable struct {
	*sim.Driver
	blocked chan struct{} // closed once Drive blocks
	mu      sync.Mutex
	until   chan struct{} // nil = Drive does not block
}

func (b *blockable) block() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until = make(chan struct{})
}

func (b *blockable) free() { close(b.until) }

func (b *blockable) Drive(t robot.Twist) error {
	b.mu.Lock()
	until := b.until
	b.mu.Unlock()
	if until != nil {
		select {
		case <-b.blocked:
		default:
			close(b.blocked)
		}
		<-until
	}
	return b.Driver.Drive(t)
}

func newBlockable(t *testing.T) *blockable {
	t.Helper()
	desc, plan, scene := office(t)
	return &blockable{Driver: sim.NewDriver(sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1})), blocked: make(chan struct{})}
}

// hear returns the next message to the supervisor, or "" if none comes in time.
func hear(t *testing.T, from *net.UnixConn, within time.Duration) string {
	t.Helper()
	if err := from.SetReadDeadline(time.Now().Add(within)); err != nil {
		t.Fatal(err)
	}
	var message [256]byte
	n, err := from.Read(message[:])
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	return string(message[:n])
}

// listen returns a supervisor's socket and its path.
func listen(t *testing.T) (*net.UnixConn, string) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "notify")
	supervisor, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Skipf("there are no datagram sockets with paths here: %v", err)
	}
	t.Cleanup(func() { _ = supervisor.Close() })
	return supervisor, socket
}

// supervise serves the robot under a supervisor until end is called, which returns
// the server's error.
func supervise(t *testing.T, base robot.Driver, supervisor app.Supervisor) (end func() error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, plan, scene := office(t)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	ended := make(chan error, 1)
	go func() {
		ended <- app.Serve(ctx, ln, base, app.Config{
			Plan: plan, Start: scene.Start, Localizer: app.Odometry, Simulator: true, Notify: supervisor,
		}, slog.New(slog.DiscardHandler))
	}()
	return func() error { cancel(); return <-ended }
}

// A mute driver is a base that is absent: no reading comes, and the driver says so.
type mute struct{ *sim.Driver }

func (m mute) Read(ctx context.Context) (robot.Reading, error) {
	<-ctx.Done()
	return robot.Reading{}, ctx.Err()
}

func (m mute) BaseLink() robot.BaseLink { return robot.BaseLink{Why: "the cable is out"} }

func TestTheSupervisorHearsFromAControlLoopWhoseBaseIsSilent(t *testing.T) {
	supervisor, socket := listen(t)
	end := supervise(t, mute{newBlockable(t).Driver}, app.Supervisor{Socket: socket, Watchdog: 2 * time.Second})
	heard := map[string]int{}
	for heard["READY=1"] == 0 || heard["WATCHDOG=1"] < 4 {
		got := hear(t, supervisor, 30*time.Second)
		if got == "" {
			t.Fatalf("the supervisor receives nothing after %v; the loop runs, and only its base is silent", heard)
		}
		heard[got]++
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestTheSupervisorHearsFromALiveControlLoopAndNothingFromABlockedOne(t *testing.T) {
	const watchdog, patience = 200 * time.Millisecond, 30 * time.Second
	supervisor, socket := listen(t)
	base := newBlockable(t)
	end := supervise(t, base, app.Supervisor{Socket: socket, Watchdog: watchdog})
	ready, signs := 0, 0
	for ready == 0 || signs < 5 {
		switch got := hear(t, supervisor, patience); got {
		case "READY=1":
			ready++
		case "WATCHDOG=1":
			signs++
		default:
			t.Fatalf("the supervisor received %q, want READY=1 and WATCHDOG=1", got)
		}
	}
	base.block()
	<-base.blocked
	for n := 0; ; n++ {
		got := hear(t, supervisor, 10*watchdog)
		if got == "" {
			break
		}
		if n > 2 { // those still on their way
			t.Fatalf("the control loop is blocked, but the supervisor received %q", got)
		}
	}
	base.free()
	if got := hear(t, supervisor, patience); got != "WATCHDOG=1" {
		t.Errorf("the loop runs again, but the supervisor received %q", got)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	for got := ""; got != "STOPPING=1"; {
		if got = hear(t, supervisor, patience); got == "" {
			t.Fatal("the supervisor is not informed that the server stops")
		}
	}
	if ready != 1 {
		t.Errorf("READY=1 came %d times", ready)
	}
}
