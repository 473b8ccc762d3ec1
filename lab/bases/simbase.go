package bases

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"

	"mybot/drivers/base"
	"mybot/drivers/base/bridge"
	"mybot/drivers/sim"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/testbed"
)

// SimPart is the name of the program SimBasePart.
const SimPart = "sim-base"

// SimBasePart is the child process that serves the simulated robot as a base with a motorLog:
// at an address, which it prints, or over its standard input and output. Unlike mybot base
// serve sim it writes the log, and its world is empty.
func SimBasePart(ctx context.Context, c experiment.Call) error {
	var listen, motors string
	var checked, isPioneer bool
	if err := c.Parse(func(f *experiment.Flags) {
		f.StringVar(&listen, "listen", "", "`address` where it waits; none = standard input and output")
		f.StringVar(&motors, "motors", "", "`file` of what it asks of its motors")
		f.BoolVar(&checked, "checked", false, "every line has a checksum")
		f.BoolVar(&isPioneer, "pioneer", false, "it is a Pioneer, whose firmware writes the log")
	}); err != nil {
		return err
	}
	serve := func(ctx context.Context, l net.Listener, log io.Writer) error { return serveSim(ctx, l, log, checked) }
	if isPioneer {
		serve = servePioneer
	}
	if err := serveLogged(ctx, c, listen, motorLog(motors), serve); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	return nil
}

// serveLogged serves a base with a motorLog.
func serveLogged(ctx context.Context, c experiment.Call, listen string, motors motorLog, serve func(context.Context, net.Listener, io.Writer) error) error {
	log, err := os.OpenFile(string(motors), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // the experiment names it
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // every write was checked
	if err := motors.writeProcess(os.Getpid()); err != nil {
		return err
	}
	l := bridge.OneLine(os.Stdin, c.Out)
	if listen != "" {
		if l, err = listenAt(ctx, listen, c.Out); err != nil {
			return err
		}
	}
	return serve(ctx, l, log)
}

func serveSim(ctx context.Context, l net.Listener, log io.Writer, checked bool) error {
	driver := &loggedMotors{Driver: sim.NewDriver(sim.NewWorld(testbed.MybotBase(), nil, sim.DefaultScene(), sim.Options{Seed: 1})), log: log}
	defer func() { _ = driver.Close() }()
	return testbed.ServeBase(ctx, l, driver, checked)
}

// listenAt listens at an address and prints it.
func listenAt(ctx context.Context, where string, out io.Writer) (net.Listener, error) {
	address, err := base.ParseListen(where)
	if err != nil {
		return nil, err
	}
	l, err := address.Listen(ctx)
	if err == nil {
		_, err = fmt.Fprintf(out, "%s:%s\n", l.Addr().Network(), l.Addr())
	}
	return l, err
}
