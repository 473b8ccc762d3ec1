package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"mybot/drivers/base"
	"mybot/drivers/base/bridge"
	"mybot/drivers/pioneer"
)

const (
	// pioneerPrefix distinguishes the address of a Pioneer from that of a base.
	pioneerPrefix = "pioneer:"
	// pioneerBaud is the factory baud rate of a Pioneer's port.
	pioneerBaud = "9600"
	// pioneerTimeout is how long connecting to a Pioneer may take.
	pioneerTimeout = 10 * time.Second
)

// parseDriver reads the address of a base. For a Pioneer it returns a base that is a second
// process of this program, so that a crash in the packet code ends only that process.
func parseDriver(s string) (base.Address, error) {
	of, ok := strings.CutPrefix(s, pioneerPrefix)
	if !ok {
		return base.ParseAddress(s)
	}
	if _, err := parsePioneer(of); err != nil {
		return base.Address{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return base.Address{}, err
	}
	a, err := base.ParseAddress(fmt.Sprintf("exec:%s base serve pioneer %s --stdio", quoteWord(self), quoteWord(of)))
	return a.Named(s), err
}

// quoteWord quotes a word for an exec: address.
func quoteWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'" }

// parsePioneer reads the address of a Pioneer's port. The default baud rate is pioneerBaud.
func parsePioneer(s string) (base.Address, error) {
	if strings.HasPrefix(s, "serial:") && !strings.Contains(s, "@") {
		s += "@" + pioneerBaud
	}
	address, err := base.ParseAddress(s)
	if err != nil {
		return address, fmt.Errorf("a Pioneer is at the end of a port or a network: %w", err)
	}
	return address, nil
}

// basePioneerCommand runs a robot of the Pioneer family as a base until ctx ends.
func basePioneerCommand(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, model := newBaseServer("base serve pioneer"), ""
	s.set.StringVar(&model, "model", model, "the subtype to take it for (default: what the robot says)")
	words, err := parseAll(s.set, args)
	switch {
	case err != nil:
		return err
	case len(words) != 1:
		return usageError{errors.New("base serve pioneer takes the port of the robot: mybot base serve pioneer serial:/dev/ttyUSB0")}
	}
	port, err := parsePioneer(words[0])
	if err != nil {
		return usageError{err}
	}
	if model != "" {
		if _, err := pioneer.FindModel(model); err != nil {
			return usageError{fmt.Errorf("--model: %w", err)}
		}
	}
	log := s.newLogger(stderr)
	rateGiven := strings.Contains(words[0], "@")
	d, err := openPioneer(ctx, port.Dialer(log), pioneer.Options{Model: model, RaiseBaud: !rateGiven, Log: log})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	who := fmt.Sprintf("%s (%s)", d.Name(), d.Model().Name)
	return s.serve(ctx, d, who, bridge.Config{Program: "mybot pioneer " + buildName(), Robot: d.Model().Description, Hold: d.Describe().Holds}, stdout, stderr)
}

// openPioneer connects to a Pioneer.
func openPioneer(ctx context.Context, dial base.Dialer, o pioneer.Options) (*pioneer.Driver, error) {
	port, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, pioneerTimeout)
	defer cancel()
	return pioneer.Open(ctx, port, o)
}
