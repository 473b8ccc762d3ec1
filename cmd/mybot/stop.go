package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"mybot/client"
	"mybot/robot"
	"mybot/session/protocol"
)

// stopCommand stops the robot.
func stopCommand(ctx context.Context, args []string, stdout io.Writer, env func(string) string) error {
	var t target
	if err := parseFlagsOnly(t.defineFlags("stop"), args); err != nil {
		return err
	}
	c, err := t.requireRobot(env)
	if err == nil {
		err = c.StopRobot(ctx)
	} else if bare, bad := t.bareRobot(); bad == nil && bare.StopRobot(ctx) == nil {
		c, err = bare, nil // it needs no pairing, so it does not matter that they cannot be read
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "The robot at %s is stopped. The person who has control there can release the stop.\n", c.BaseURL())
	return err
}

// statusCommand prints the state of the robot.
func statusCommand(ctx context.Context, args []string, stdout io.Writer, env func(string) string) error {
	var t target
	var raw bool
	set := t.defineFlags("status")
	set.BoolVar(&raw, "json", false, "print the state as the robot reports it")
	if err := parseFlagsOnly(set, args); err != nil {
		return err
	}
	c, err := t.requireRobot(env)
	if err != nil {
		return err
	}
	body, err := c.GetBody(ctx, client.StatePath)
	if err != nil {
		return err
	}
	if raw {
		_, err = fmt.Fprintf(stdout, "%s\n", bytes.TrimSpace(body))
		return err
	}
	var s protocol.State
	if err := c.DecodeAnswer(body, &s); err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "The robot at %s is %s", c.BaseURL(), inWords(s.Mode))
	if s.Stop != nil {
		fmt.Fprintf(&text, " by %s since %s", s.Stop.By, time.Time(s.Stop.At).Local().Format(time.TimeOnly))
	}
	if len(s.Pose) == 3 && robot.Finite(float64(s.Pose[0]), float64(s.Pose[1])) {
		fmt.Fprintf(&text, ", at x = %.2f m, y = %.2f m", s.Pose[0], s.Pose[1])
	}
	if charge := float64(s.Battery.Charge); robot.Finite(charge) {
		fmt.Fprintf(&text, ", battery %.0f%%", 100*charge)
	}
	_, err = fmt.Fprintln(stdout, text.String()+".")
	return err
}

// inWords describes what a robot in a mode is doing, to follow "is".
func inWords(mode robot.Mode) string {
	switch mode {
	case robot.ModeManual:
		return "driven by hand"
	case robot.ModeGoal:
		return "driving to its goal"
	case robot.ModeJob:
		return "running a job"
	default:
		return string(mode)
	}
}
