package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"mybot/client"
)

// pairCommand exchanges a code for a token, and stores it for the other sub-commands.
func pairCommand(ctx context.Context, args []string, stdout io.Writer, env func(string) string) error {
	var robot, code, name, ca string
	set := flag.NewFlagSet("pair", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&robot, "robot", "", "`URL` of the robot, or a link from it")
	set.StringVar(&code, "code", "", "`PIN` shown in the robot's terminal")
	set.StringVar(&name, "name", "", "your `NAME`, as others see it")
	set.StringVar(&ca, "ca", "", "`FILE` with the certificate of the robot's own authority")
	if err := parseFlagsOnly(set, args); err != nil {
		return err
	}
	base, linked, err := parseAddress(robot)
	if err != nil {
		return err
	}
	if code == "" {
		code = linked
	}
	if code == "" {
		return usageError{errors.New("--code is missing: it is the PIN shown in the robot's terminal")}
	}
	path, err := client.PairingsFile(env)
	if err != nil {
		return err
	}
	known, err := client.ReadPairings(path)
	if err != nil {
		return err
	}
	p := client.Pairing{CA: known[base].CA}
	if ca != "" {
		data, err := os.ReadFile(ca)
		if err != nil {
			return fmt.Errorf("--ca: %w", err)
		}
		p.CA = string(data)
	}
	c, err := client.New(base, client.Options{Roots: p.CA})
	if err != nil {
		return fmt.Errorf("--ca %s: %w", ca, err)
	}
	if err := known.Write(path); err != nil { // before the robot takes the code, which may hold only once
		return fmt.Errorf("the pairing cannot be saved in %s, so the code was not sent: %w", path, err)
	}
	pass, err := c.Pair(ctx, code, name)
	if err != nil {
		return err
	}
	p.Token = pass.Token
	known[base] = p
	if err := known.Write(path); err != nil {
		return fmt.Errorf("the pairing cannot be saved in %s: %w", path, err)
	}
	_, err = fmt.Fprintf(stdout, "Paired with %s at %s as %s.\n", pass.Robot, base, pass.Role)
	return err
}
