package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/lab/internal/chrome"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/guest"
	"mybot/lab/internal/testbed"
	"mybot/robot"
	"mybot/robot/playout"
)

// A rig is one robot, its server and its operator.
type rig struct {
	base     *recorder
	guest    *guest.Guest    // nil = the operator is a process
	operator *exec.Cmd       // nil = the operator is here, or
	browser  *chrome.Browser // is this
	server   *testbed.Server // nil = the server is here
	struck   atomic.Bool
	hit      time.Time // time of the fault

	ctx    context.Context // ends with the rig, and when a part of it fails before the fault
	cancel context.CancelCauseFunc
	parts  sync.WaitGroup
}

// newRig starts a robot in an empty world and a driver that drives it. The caller ends it.
func newRig(ctx context.Context, f fault) (_ *rig, err error) {
	desc := testbed.Mybot()
	if f.remote {
		desc = testbed.MybotBase()
	}
	base, slower := desc, nearly
	if f.holds > 0 {
		base.Holds = f.holds
	}
	if f.policy == playout.Track {
		slower = bounces
	}
	r := &rig{base: newRecorder(sim.NewWorld(base, nil, sim.DefaultScene(), sim.Options{Seed: 1}), desc, slower)}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	defer func() {
		if err != nil {
			r.shutDown()
		}
	}()
	ready := make(chan string, 1)
	if f.remote {
		err = r.serveApart(ready)
	} else {
		err = r.serveHere(ready)
	}
	if err != nil {
		return nil, err
	}
	var addr string
	select {
	case addr = <-ready:
	case <-r.ctx.Done():
		return nil, context.Cause(r.ctx)
	}
	pressing := func() bool { return !r.struck.Load() }
	switch {
	case f.real == realChromium:
		if r.browser, err = chrome.Open(r.ctx, addr); err != nil {
			return nil, err
		}
		r.runPart(func() error { return r.browser.HoldForward(r.ctx, pressing) })
	case f.real == realProcess && !f.remote:
		r.operator = experiment.Child(r.ctx, "operator", "-addr", addr)
		return r, r.startChild(r.operator)
	default:
		if r.guest, err = guest.OpenAndConnect(r.ctx, addr); err != nil {
			return nil, err
		}
		if f.policy == playout.Track {
			r.guest.Virtual = guest.NewVirtualRobot(desc, func() robot.Pose { return r.base.Truth().Pose })
		}
		r.runPart(func() error { return r.guest.ReadFrames(nil) })
		r.runPart(func() error { return r.guest.DriveStraight(r.ctx, cruise, pressing) })
	}
	return r, nil
}

// runPart runs one part of the rig. A failure before the fault ends the rig; afterwards
// failures are expected.
func (r *rig) runPart(run func() error) {
	r.parts.Go(func() {
		if err := run(); err != nil && !r.struck.Load() {
			r.cancel(err)
		}
	})
}

func (r *rig) serveHere(ready chan<- string) error {
	ln, err := net.Listen("tcp", testbed.Loopback)
	if err != nil {
		return err
	}
	cfg := testbed.OpenFloor()
	cfg.Ready = func() { ready <- ln.Addr().String() }
	r.runPart(func() error { return app.Serve(r.ctx, ln, r.base, cfg, slog.New(slog.DiscardHandler)) })
	return nil
}

// serveApart starts the server in its own process; the base is in this one, like a real base at
// the other end of a cable.
func (r *rig) serveApart(ready chan<- string) error {
	ln, err := net.Listen("tcp", testbed.Loopback)
	if err != nil {
		return err
	}
	r.runPart(func() error { return testbed.ServeBase(r.ctx, ln, r.base, false) })
	if r.server, err = testbed.StartServer(r.ctx, "tcp:"+ln.Addr().String()); err != nil {
		return err
	}
	r.runPart(r.server.Wait)
	ready <- r.server.Addr
	return nil
}

func (r *rig) startChild(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	r.runPart(cmd.Wait)
	return nil
}

func (r *rig) signalChild(cmd *exec.Cmd, how syscall.Signal) {
	_ = cmd.Process.Signal(how) // if the process is gone already, the trial notices
}

// wait waits for a time. It returns early with an error if the rig has ended.
func (r *rig) wait(d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
}

// shutDown ends all parts and waits for them.
func (r *rig) shutDown() {
	r.struck.Store(true) // from now on failures are expected
	r.base.thawLoop()
	if r.guest != nil {
		_ = r.guest.Conn.Close() // because the server waits for it
	}
	r.cancel(context.Canceled)
	r.parts.Wait()
	if r.browser != nil {
		_ = r.browser.WaitUntilGone() // files that it leaves disturb no later trial
	}
	_ = r.base.Close() // the server may have closed it already
}

// OperatorPart is the child process that drives the robot at an address.
func OperatorPart(ctx context.Context, c experiment.Call) error {
	var addr string
	if err := c.Parse(func(f *experiment.Flags) { f.StringVar(&addr, "addr", "", "`HOST:PORT` of the robot") }); err != nil {
		return err
	}
	g, err := guest.OpenAndConnect(ctx, addr)
	if err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return g.ReadFrames(nil) })
	all.Go(func() error { return g.DriveStraight(ctx, cruise, func() bool { return true }) })
	all.Go(func() error { <-ctx.Done(); return g.Conn.Close() })
	if err := all.Wait(); !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("lab: %w", err)
	}
	return nil
}
