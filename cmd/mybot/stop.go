package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"mybot/app"
	"mybot/client"
	"mybot/robot"
	"mybot/session/protocol"
)

const stoppedText = "The robot at %s is stopped. The person who has control there can release the stop."

// stopCommand stops the robot.
func stopCommand(ctx context.Context, args []string, stdout io.Writer, env func(string) string) error {
	var t target
	if err := parseFlagsOnly(t.defineFlags("stop"), args); err != nil {
		return err
	}
	c, err := t.findRobot(env)
	addresses := t.addressesWithoutPairing(err)
	if err == nil {
		err = c.StopRobot(ctx)
	}
	if err == nil {
		_, err = fmt.Fprintf(stdout, stoppedText+"\n", c.BaseURL())
		return err
	}
	if said := stopUnpaired(ctx, addresses); said != "" {
		_, err = fmt.Fprintln(stdout, said)
	}
	return explainAbsence(err)
}

// addressesWithoutPairing returns where the selected robot may be, other than where findRobot found it
// or with the given error did not: at --robot, or where a robot of another user of this computer listens
// without --listen.
func (t target) addressesWithoutPairing(err error) []string {
	switch base, _, bad := parseAddress(t.robot); {
	case t.robot != "" && bad == nil:
		return []string{base}
	case t.robot == "" && (errors.Is(err, fs.ErrPermission) || t.data == "" && errors.Is(err, fs.ErrNotExist)):
		return []string{"http://" + app.DefaultListen, "https://" + app.DefaultListen}
	}
	return nil // it is the robot that was found, or none
}

// stopUnpaired stops the robot at the first of some addresses that answers, and returns the sentence
// that says so; "" = none does. A robot on this computer needs no pairing for that, nor has the computer
// to trust its certificate: the request carries no token. Elsewhere an answer that is not verified is none.
func stopUnpaired(ctx context.Context, addresses []string) string {
	for _, base := range addresses {
		err := stopWithoutToken(ctx, base, false)
		if err == nil {
			return fmt.Sprintf(stoppedText, base)
		}
		if errors.As(err, new(*tls.CertificateVerificationError)) && isOnThisComputer(base) && stopWithoutToken(ctx, base, true) == nil {
			return fmt.Sprintf("The robot at %s answers that it is stopped. This computer does not trust its certificate and so cannot tell which program answered: look at the robot.", base)
		}
	}
	return ""
}

func stopWithoutToken(ctx context.Context, base string, unverified bool) error {
	c, err := client.New(base, client.Options{Unverified: unverified})
	if err != nil {
		return err
	}
	return c.StopRobot(ctx)
}

// isOnThisComputer reports whether an address is one that only this computer has.
func isOnThisComputer(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback() || u.Hostname() == "localhost"
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
	_, err = fmt.Fprintln(stdout, statusText(c.BaseURL(), s))
	return err
}

// statusText returns the sentences that describe a robot's state.
func statusText(base string, s protocol.State) string {
	var text strings.Builder
	silent := s.Base != nil && !s.Base.Up
	if silent {
		fmt.Fprintf(&text, "The robot at %s has heard nothing from its base since %s", base, clock(s.Base.Since))
	} else {
		fmt.Fprintf(&text, "The robot at %s is %s", base, inWords(s.Mode))
	}
	if s.Stop != nil {
		if silent {
			text.WriteString(" and is stopped")
		}
		fmt.Fprintf(&text, " by %s since %s", s.Stop.By, clock(s.Stop.At))
	}
	if len(s.Pose) == 3 && robot.Finite(float64(s.Pose[0]), float64(s.Pose[1])) {
		at := "at"
		switch {
		case silent:
			at = "last at"
		case s.Trust == robot.TrustLost.String():
			at = "but does not know where it is, perhaps at"
		case s.Trust == robot.TrustUnsure.String():
			at = "about at"
		}
		fmt.Fprintf(&text, ", %s x = %.2f m, y = %.2f m", at, s.Pose[0], s.Pose[1])
	}
	if charge := float64(s.Battery.Charge); robot.Finite(charge) {
		fmt.Fprintf(&text, ", battery %.0f%%", 100*charge)
	}
	text.WriteString(".")
	if silent && s.Base.Why != "" {
		fmt.Fprintf(&text, "\n%s", s.Base.Why)
	}
	if s.EStop {
		text.WriteString("\nThe base's own emergency stop is pressed.")
	}
	if s.Refuses != "" {
		fmt.Fprintf(&text, "\n%s", s.Refuses)
	}
	return text.String()
}

// clock returns the time of day of a moment, as people here read it.
func clock(at protocol.Moment) string { return time.Time(at).Local().Format(time.TimeOnly) }

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
