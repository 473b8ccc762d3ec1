package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// stopCommand stops the robot.
func stopCommand(ctx context.Context, args []string, stdout io.Writer, env func(string) string) error {
	var t target
	words, err := parseAll(t.flags("stop"), args)
	if err == nil {
		err = noWords("stop", words)
	}
	if err != nil {
		return err
	}
	c, err := t.requireRobot(env)
	if err != nil {
		return err
	}
	if _, err := c.Get(ctx, http.MethodPost, "/api/v1/stop", nil); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "The robot at %s is stopped. The person who has control there can release the stop.\n", c.base)
	return err
}

// statusCommand prints how the robot is.
func statusCommand(ctx context.Context, args []string, stdout io.Writer, env func(string) string) error {
	var t target
	var raw bool
	set := t.flags("status")
	set.BoolVar(&raw, "json", false, "print the state as the robot reports it")
	words, err := parseAll(set, args)
	if err == nil {
		err = noWords("status", words)
	}
	if err != nil {
		return err
	}
	c, err := t.requireRobot(env)
	if err != nil {
		return err
	}
	body, err := c.Get(ctx, http.MethodGet, "/api/v1/state", nil)
	if err != nil {
		return err
	}
	if raw {
		_, err = fmt.Fprintf(stdout, "%s\n", bytes.TrimSpace(body))
		return err
	}
	var s struct {
		Mode string
		Pose [3]*float64
		Stop *struct {
			By string
			At time.Time
		}
		Battery struct {
			Charge, Volts *float64
		}
	}
	if err := json.Unmarshal(body, &s); err != nil {
		return fmt.Errorf("the answer of the robot at %s cannot be read: %w", c.base, err)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "The robot at %s is %s", c.base, s.Mode)
	if s.Stop != nil {
		fmt.Fprintf(&text, " by %s since %s", s.Stop.By, s.Stop.At.Local().Format(time.TimeOnly))
	}
	if x, y := s.Pose[0], s.Pose[1]; x != nil && y != nil {
		fmt.Fprintf(&text, ", at x = %.2f m, y = %.2f m", *x, *y)
	}
	if charge := s.Battery.Charge; charge != nil {
		fmt.Fprintf(&text, ", battery %.0f%%", 100**charge)
	}
	_, err = fmt.Fprintln(stdout, text.String()+".")
	return err
}
