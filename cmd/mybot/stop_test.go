package main

import (
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

func TestTheStatusSaysWhatKeepsARobotFromDriving(t *testing.T) {
	at := time.Date(2026, 5, 4, 13, 14, 15, 0, time.Local)
	here := protocol.State{Mode: robot.ModeReady, Pose: []protocol.Number{1, 2, 0}, Trust: "OK", Battery: protocol.Battery{Charge: 0.5}}
	change := func(by func(*protocol.State)) protocol.State {
		s := here
		by(&s)
		return s
	}
	silent := &protocol.Base{Since: protocol.Moment(at), Why: "The line to the base is broken."}
	stop := &protocol.StopState{By: "Ada", At: protocol.Moment(at)}
	for want, s := range map[string]protocol.State{
		"The robot at U is ready, at x = 1.00 m, y = 2.00 m, battery 50%.":                                                                                                                  here,
		"The robot at U is stopped by Ada since 13:14:15, at x = 1.00 m, y = 2.00 m, battery 50%.":                                                                                          change(func(s *protocol.State) { s.Mode, s.Stop = robot.ModeStopped, stop }),
		"The robot at U is ready, about at x = 1.00 m, y = 2.00 m, battery 50%.":                                                                                                            change(func(s *protocol.State) { s.Trust = "UNSURE" }),
		"The robot at U is ready, but does not know where it is, perhaps at x = 1.00 m, y = 2.00 m, battery 50%.":                                                                           change(func(s *protocol.State) { s.Trust = "LOST" }),
		"The robot at U is ready, at x = 1.00 m, y = 2.00 m, battery 50%.\nThe base's own emergency stop is pressed.":                                                                       change(func(s *protocol.State) { s.EStop = true }),
		"The robot at U is ready, at x = 1.00 m, y = 2.00 m, battery 50%.\nIts lid is open.":                                                                                                change(func(s *protocol.State) { s.Refuses = "Its lid is open." }),
		"The robot at U has heard nothing from its base since 13:14:15, last at x = 1.00 m, y = 2.00 m, battery 50%.\nThe line to the base is broken.":                                      change(func(s *protocol.State) { s.Base = silent }),
		"The robot at U has heard nothing from its base since 13:14:15 and is stopped by Ada since 13:14:15, last at x = 1.00 m, y = 2.00 m, battery 50%.\nThe line to the base is broken.": change(func(s *protocol.State) { s.Base, s.Mode, s.Stop = silent, robot.ModeStopped, stop }),
	} {
		if got := statusText("U", s); got != strings.TrimSpace(want) {
			t.Errorf("the status is\n%s\nwant\n%s", got, want)
		}
	}
}
