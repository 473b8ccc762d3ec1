package testbed

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"mybot/app"
	"mybot/drivers/base"
	"mybot/lab/internal/experiment"
	"mybot/robot"
)

// ServerPart is the name of the part of the program that runs ServeApart.
const ServerPart = "robot"

// A Server is a robot server in a separate process, so that an experiment can freeze or kill it
// while the base runs.
type Server struct {
	*exec.Cmd
	Addr string // where users connect
	in   io.WriteCloser
	out  *bufio.Reader

	ended chan struct{} // closed when the process has ended
	how   error         // how it ended; valid after that
}

// StartServer starts a server for the base at an address. The end of ctx kills the process; the
// caller must wait for that.
func StartServer(ctx context.Context, driver string) (*Server, error) {
	s := &Server{Cmd: experiment.Child(ctx, ServerPart, "-driver", driver), ended: make(chan struct{})}
	in, err := s.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.Start(); err != nil {
		return nil, err
	}
	s.in, s.out = in, bufio.NewReader(out)
	line, err := s.out.ReadString('\n')
	if err != nil {
		_ = s.Process.Kill()
		_ = s.Cmd.Wait()
		return nil, fmt.Errorf("the server of the base at %s does not start: %w", driver, err)
	}
	s.Addr = strings.TrimSpace(line)
	go func() {
		s.how = s.Cmd.Wait()
		close(s.ended)
	}()
	return s, nil
}

// Wait waits until the process has ended and returns how it ended.
func (s *Server) Wait() error {
	<-s.ended
	return s.how
}

// HasEnded reports whether the process has ended.
func (s *Server) HasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Deadlock makes the control loop's goroutine hang forever, and returns since when.
func (s *Server) Deadlock() (since time.Time, err error) {
	if _, err := io.WriteString(s.in, "deadlock\n"); err != nil {
		return since, err
	}
	line, err := s.out.ReadString('\n')
	var ns int64
	if err == nil {
		_, err = fmt.Sscan(line, &ns)
	}
	return time.Unix(0, ns), err
}

// patience is how long a server waits for its base.
const patience = 20 * time.Second

// ServeApart runs the child process of a Server. It ends with its standard input.
func ServeApart(ctx context.Context, c experiment.Call) error {
	var where string
	if err := c.Parse(func(f *experiment.Flags) { f.StringVar(&where, "driver", "", "`address` of the base") }); err != nil {
		return err
	}
	address, err := base.ParseAddress(where)
	if err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	log := slog.New(slog.DiscardHandler)
	driver, err := base.Open(ctx, base.Config{Address: address, Patience: patience, Log: log})
	if err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	ln, err := net.Listen("tcp", Loopback)
	if err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	d := &deadlockable{Driver: driver, out: c.Out}
	go func() {
		defer cancel()
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			d.locked.Store(true)
		}
	}()
	cfg := OpenFloor()
	cfg.Ready = func() { _, _ = fmt.Fprintln(c.Out, ln.Addr()) }
	return app.Serve(ctx, ln, d, cfg, log)
}

// A deadlockable driver can make the control loop's goroutine hang.
type deadlockable struct {
	*base.Driver
	locked atomic.Bool
	out    io.Writer
}

// Drive implements robot.Driver.
func (d *deadlockable) Drive(t robot.Twist) error {
	if d.locked.Load() {
		_, _ = fmt.Fprintln(d.out, time.Now().UnixNano())
		select {} // other goroutines still run, so the runtime reports no deadlock
	}
	return d.Driver.Drive(t)
}
