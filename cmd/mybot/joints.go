package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mybot/client"
	"mybot/robot"
	"mybot/session/protocol"
)

// jointsCommand shows the positions of the robot's joints, or moves joints and waits until they
// have arrived.
func jointsCommand(ctx context.Context, args []string, stdout io.Writer, env func(string) string) error {
	var t target
	words, err := parseAll(t.defineFlags("joints"), args)
	if err != nil {
		return err
	}
	shows := len(words) == 1 && words[0] == "show"
	if !shows && (len(words) < 2 || words[0] != "move") {
		return usageError{errors.New("joints takes show, or move and for each joint its name and where to: degrees for one that turns, metres for one that slides, such as mybot joints move shoulder=90 gripper=0.03")}
	}
	c, err := t.requireRobot(env)
	if err != nil {
		return err
	}
	if c, err = withIdentity(c, env); err != nil {
		return err
	}
	joints, err := c.ListJoints(ctx)
	switch {
	case err != nil:
		return err
	case len(joints) == 0:
		return fmt.Errorf("the robot at %s has no joints", c.BaseURL())
	case shows:
		return showJoints(ctx, c, joints, stdout)
	}
	at, err := readPositions(words[1:], joints)
	if err != nil {
		return err
	}
	if err := moveJoints(ctx, c, joints, at); err != nil {
		return err
	}
	return showJoints(ctx, c, joints, stdout)
}

// readPositions parses words such as shoulder=90 into rad or m, and checks the limits.
func readPositions(words []string, joints []protocol.Joint) (map[string]float64, error) {
	names := make([]string, len(joints))
	for i, j := range joints {
		names[i] = j.Name
	}
	at := map[string]float64{}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		x, err := strconv.ParseFloat(value, 64)
		i := slices.Index(names, name)
		_, twice := at[name]
		switch {
		case i < 0:
			return nil, fmt.Errorf("%q is no joint of this robot; it has %s", name, strings.Join(names, ", "))
		case err != nil || !robot.Finite(x):
			return nil, fmt.Errorf("%q does not say where to; it must be like %s=%s", word, name, map[robot.JointKind]string{robot.Turn: "90, in degrees", robot.Slide: "0.03, in metres"}[joints[i].Kind])
		case twice:
			return nil, fmt.Errorf("%q is named twice; it can go to one place", name)
		case joints[i].Kind == robot.Turn:
			x = robot.Radians(x)
		}
		const slack = 1e-5 // for limits that were rounded in transmission
		if j := joints[i]; x < float64(j.Min)-slack || x > float64(j.Max)+slack {
			return nil, fmt.Errorf("%s is at %s, beyond its limits; it must be between %s and %s", name, positionText(j, protocol.Number(x)), positionText(j, j.Min), positionText(j, j.Max))
		}
		at[name] = x
	}
	return at, nil
}

// moveJoints moves joints to positions. It stays connected until they have arrived: a user who
// disconnects loses control, and the robot then stops its joints.
func moveJoints(ctx context.Context, c *client.Client, joints []protocol.Joint, at map[string]float64) error {
	conn, err := connectRobot(ctx, c)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.TakeControl(ctx); err != nil {
		return err
	}
	if err := c.MoveJoints(ctx, conn.Epoch(), at); err != nil {
		return err
	}
	begun, err := c.FetchState(ctx)
	if err != nil {
		return err
	}
	for { // the state of begun may be older than the command; one that is two later is not
		if _, err := conn.Next(ctx); err != nil {
			return fmt.Errorf("the connection was lost before the joints were there, so the robot holds them: %w", err)
		}
		s, err := c.FetchState(ctx)
		if err != nil {
			return err
		}
		if s.Joints == nil || s.N < begun.N+2 {
			continue
		}
		goes := func(j protocol.Joint) bool {
			i := slices.IndexFunc(joints, func(other protocol.Joint) bool { return other.Name == j.Name })
			_, asked := at[j.Name]
			return asked && i < len(s.Joints.To) && robot.Finite(float64(s.Joints.To[i]))
		}
		if !slices.ContainsFunc(joints, goes) {
			_ = conn.ReleaseControl(ctx) // if the robot is gone, there is nothing to release
			if s.Joints.Held != "" {
				return fmt.Errorf("the joints were held before they were there: %s", s.Joints.Held)
			}
			return nil
		}
	}
}

// showJoints prints the position and the limits of each joint.
func showJoints(ctx context.Context, c *client.Client, joints []protocol.Joint, stdout io.Writer) error {
	s, err := c.FetchState(ctx)
	if err != nil {
		return err
	}
	var text strings.Builder
	for i, j := range joints {
		place := "not known"
		if s.Joints != nil && i < len(s.Joints.At) && robot.Finite(float64(s.Joints.At[i])) {
			place = positionText(j, s.Joints.At[i])
		}
		fmt.Fprintf(&text, "%-20s %s", j.Name, place)
		if robot.Finite(float64(j.Min), float64(j.Max)) {
			fmt.Fprintf(&text, " (%s to %s)", positionText(j, j.Min), positionText(j, j.Max))
		}
		text.WriteString("\n")
	}
	_, err = io.WriteString(stdout, text.String())
	return err
}

// positionText formats the position of a joint in the units that people type.
func positionText(j protocol.Joint, at protocol.Number) string {
	if j.Kind == robot.Turn {
		return fmt.Sprintf("%.1f°", robot.Degrees(float64(at))+0)
	}
	return fmt.Sprintf("%.3f m", float64(at))
}
