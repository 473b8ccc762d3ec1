package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"

	"mybot/drivers/base"
	"mybot/drivers/base/check"
	"mybot/drivers/base/watch"
)

// baseCommand runs the sub-commands about bases: robots that speak mybot.base over a line.
func baseCommand(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "serve":
			if len(args) > 1 && args[1] == "pioneer" {
				return basePioneerCommand(ctx, args[2:], stdout, stderr)
			}
			return baseServeCommand(ctx, args[1:], stdout, stderr)
		case "check":
			return baseCheckCommand(ctx, args[1:], stdout, stderr)
		case "watch":
			return baseWatchCommand(ctx, args[1:], stdout, stderr)
		case "example":
			return baseExampleCommand(args[1:], stdout)
		}
	}
	return usageError{errors.New("base takes example, serve, check or watch: mybot base example python, mybot base serve sim, mybot base check tcp:127.0.0.1:7401, mybot base watch tcp:127.0.0.1:7401")}
}

// baseCheckCommand checks which rules of mybot.base a base follows.
func baseCheckCommand(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	set := flag.NewFlagSet("base check", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	drive := set.Bool("drive", false, "also try the rules that move the robot")
	wheelsUp := set.Bool("wheels-up", false, "drive with the wheels off the floor, half as fast")
	slow := set.Bool("accept-slow-base", false, "accept a base that stops by itself later than its hold says")
	yes := set.Bool("yes", false, "do not wait for Return before the robot moves")
	asJSON := set.Bool("json", false, "print the report as JSON")
	words, err := parseAll(set, args)
	switch {
	case err != nil:
		return err
	case len(words) != 1:
		return usageError{errors.New("base check takes the address of a base: mybot base check tcp:127.0.0.1:7401")}
	}
	address, err := base.ParseAddress(words[0])
	if err != nil {
		return usageError{err}
	}
	dial := address.Dialer(slog.New(slog.NewTextHandler(stderr, nil)))
	var lines []base.Conn
	defer func() {
		for _, l := range lines {
			base.HangUp(l)
		}
	}()
	moves := *drive || *wheelsUp
	if moves && !*yes && isTerminal(os.Stdin) {
		if err := askToMove(ctx, os.Stdin, stderr, *wheelsUp); err != nil {
			return err
		}
	}
	o := check.Options{Kind: check.Network, Still: !moves, WheelsUp: *wheelsUp, AcceptSlow: *slow, Dial: func(ctx context.Context) (check.Conn, error) {
		l, err := dial(ctx)
		if err == nil {
			lines = append(lines, l)
		}
		return l, err
	}}
	switch {
	case address.IsChecked():
		o.Kind = check.Serial
	case !address.IsShared():
		o.Kind = check.Child
	}
	if !*asJSON {
		o.Tell = func(r check.Result) { _, _ = fmt.Fprintln(stdout, r) }
	}
	report, err := check.Run(ctx, o)
	if err != nil {
		return err
	}
	if *asJSON {
		out := json.NewEncoder(stdout)
		out.SetEscapeHTML(false)
		out.SetIndent("", "  ")
		if err := out.Encode(report); err != nil {
			return err
		}
	} else {
		_, _ = fmt.Fprintln(stdout, report.Summary())
		if !moves {
			_, _ = fmt.Fprintln(stdout, "The rules that move the robot were left out; --drive tries them and needs 2 m of free floor ahead.")
		}
	}
	if n := len(report.Broken()); n > 0 {
		return fmt.Errorf("the base does not follow %d of %d rules", n, len(report.Rules))
	}
	return nil
}

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool {
	is, err := f.Stat()
	if err != nil || is.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	nothing, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(is, nothing)
}

// askToMove announces how the robot will move and waits for Return.
func askToMove(ctx context.Context, from io.Reader, to io.Writer, wheelsUp bool) error {
	text := "The robot will drive forward by less than a metre at 0.1 m/s, and turn left by some 40 degrees; leave 2 m free ahead."
	if wheelsUp {
		text = "The wheels will turn as for 0.05 m/s forward, and for a turn to the left; they must be off the floor."
	}
	_, _ = fmt.Fprintln(to, text, "Ctrl-C ends the check and stops the robot. Return begins:")
	typed := make(chan error, 1)
	go func() { // without input, it ends with the program
		_, err := bufio.NewReader(from).ReadString('\n')
		typed <- err
	}()
	select {
	case err := <-typed:
		if err != nil {
			return errors.New("nothing was moved, because Return was not typed; --yes begins without it")
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// baseWatchCommand prints the lines of a base until ctx ends or for a given time.
func baseWatchCommand(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	set := flag.NewFlagSet("base watch", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	lasts := set.Duration("for", 0, "how long to watch, such as 10s")
	words, err := parseAll(set, args)
	switch {
	case err != nil:
		return err
	case len(words) != 1:
		return usageError{errors.New("base watch takes the address of a base: mybot base watch tcp:127.0.0.1:7401")}
	case *lasts < 0 || isGiven(set, "for") && *lasts == 0:
		return usageError{fmt.Errorf("--for %s is not a length of time, such as 10s", *lasts)}
	}
	address, err := base.ParseAddress(words[0])
	if err != nil {
		return usageError{err}
	}
	conn, err := address.Dialer(slog.New(slog.NewTextHandler(stderr, nil)))(ctx)
	if err != nil {
		return err
	}
	if *lasts > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, *lasts)
		defer cancel()
	}
	summary, err := watch.Run(ctx, conn, address.IsChecked(), stdout)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, "\n"+summary.String())
	return err
}
