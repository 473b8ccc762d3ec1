package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"

	"mybot/drivers/base"
	"mybot/drivers/base/bridge"
	"mybot/drivers/base/firmware"
	"mybot/drivers/sim"
	"mybot/robot"
)

// A baseServer is the common part of all forms of mybot base serve.
type baseServer struct {
	options
	set     *flag.FlagSet
	address base.Address
	stdio   bool
}

// newBaseServer returns a server with the flags of a command, including those that it shares
// with serve.
func newBaseServer(name string, shared ...string) *baseServer {
	s := &baseServer{options: options{seed: 1}, set: flag.NewFlagSet(name, flag.ContinueOnError)}
	s.set.SetOutput(io.Discard)
	s.address, _ = base.ParseAddress("tcp:127.0.0.1:7401")
	s.set.Func("listen", "where it waits: tcp:HOST:PORT or unix:PATH", func(text string) (err error) {
		s.address, err = base.ParseListen(text)
		return err
	})
	s.set.BoolVar(&s.stdio, "stdio", false, "speak over standard input and output in place of waiting")
	serve := serveFlags(&s.options)
	for _, name := range append(shared, "log-level", "log-format") {
		f := serve.Lookup(name)
		s.set.Var(f.Value, name, f.Usage)
	}
	return s
}

// serve runs a driver as a base until ctx ends. who is its name for people.
func (s *baseServer) serve(ctx context.Context, d robot.Driver, who string, c bridge.Config, stdout, stderr io.Writer) error {
	c.Log = s.newLogger(stderr)
	l, err := s.listenForMybot(ctx, stdout, c.Log)
	if err != nil {
		return err
	}
	if s.stdio {
		stdout = stderr // standard output carries the lines to Mybot
	}
	_, _ = fmt.Fprintf(stdout, "%s is a base at %s:%s. Ctrl-C ends it.\n", who, l.Addr().Network(), l.Addr())
	return bridge.Serve(ctx, l, d, c)
}

// listenForMybot returns the listener on which Mybot connects: at the address or, with
// --stdio, over standard input and output.
func (s *baseServer) listenForMybot(ctx context.Context, stdout io.Writer, log *slog.Logger) (net.Listener, error) {
	surviveBrokenPipe() // writing after Mybot has gone must not end the base before its motors have stopped
	if s.stdio {
		return bridge.OneLine(os.Stdin, stdout), nil
	}
	if !s.address.IsLocal() {
		log.Warn("every program that reaches this address can drive the robot, because a line has no login; use ssh or WireGuard", "address", s.address)
	}
	return s.address.Listen(ctx)
}

// baseServeCommand runs the simulated robot as a base until ctx ends.
func baseServeCommand(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, hold := newBaseServer("base serve", "robot", "floor", "world", "start", "seed"), firmware.RecommendedHold
	s.set.DurationVar(&hold, "hold", hold, "how long it executes a drive line at most")
	words, err := parseAll(s.set, args)
	switch {
	case err != nil:
		return err
	case len(words) != 1 || words[0] != "sim":
		return usageError{errors.New("base serve takes what becomes a base: mybot base serve sim, mybot base serve pioneer serial:/dev/ttyUSB0")}
	case hold < 20*time.Millisecond || hold > time.Second || hold%time.Millisecond != 0:
		return usageError{fmt.Errorf("--hold %s is not a time of whole milliseconds between 20ms and 1s", hold)}
	}
	description, err := readDescriptionFile(s.robotFile)
	if err != nil {
		return err
	}
	if _, err := parseDescription(description, s.robotFile); err != nil {
		return err
	}
	if description, err = withHold(description, hold); err != nil {
		return err
	}
	desc, err := parseDescription(description, s.robotFile)
	if err != nil {
		return err
	}
	if err := s.world.CheckFit(desc); err != nil {
		return usageError{fmt.Errorf("--world: %w", err)}
	}
	building, scene, err := readMap(s.floor, "", s.start)
	if err != nil {
		return flagError("--floor", s.floor, err)
	}
	driver := sim.NewDriver(sim.NewWorld(desc, building, scene, sim.Options{Seed: s.seed, Deviation: s.world}))
	defer func() { _ = driver.Close() }()
	if s.start != nil {
		if err := driver.CarryRobot(*s.start); err != nil {
			return usageError{fmt.Errorf("--start: %w", err)}
		}
	}
	who := fmt.Sprintf("%s (simulated, %s)", desc.Name, building.Name)
	return s.serve(ctx, driver, who, bridge.Config{Program: "mybot sim " + buildName(), Robot: description, Hold: hold}, stdout, stderr)
}

// withHold returns a description with another holds_s.
func withHold(description []byte, hold time.Duration) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(description, &fields); err != nil {
		return nil, err
	}
	fields["holds_s"] = json.RawMessage(strconv.FormatFloat(hold.Seconds(), 'f', -1, 64))
	return json.Marshal(fields)
}
