package main

import (
	"strings"
	"testing"
)

func TestJointsAreShownAndMovedFromTheCommandLine(t *testing.T) {
	h := newHome(t)
	h.no("no robot of this user is running", "joints", "show", "--data", h.data)
	h.serve("--listen", "127.0.0.1:0", "--robot", "arm")
	said := h.ok("", "joints", "show", "--data", h.data)
	if !strings.Contains(said, "lift                 0.000 m (0.000 m to 0.300 m)\n") || !strings.Contains(said, "shoulder             90.0° (-45.0° to 95.0°)\n") || !strings.Contains(said, "wrist                0.0°\n") {
		t.Errorf("it says %q", said)
	}
	code, said := h.do("joints", "move", "gripper=0.03", "wrist=-30", "--data", h.data)
	for code != exitDone && strings.Contains(said, "held before they were there: The") { // the simulator was too slow
		code, said = h.do("joints", "move", "gripper=0.03", "wrist=-30", "--data", h.data)
	}
	if !strings.Contains(said, "gripper              0.029 m") && !strings.Contains(said, "gripper              0.030 m") || !strings.Contains(said, "wrist                -30.0°\n") {
		t.Errorf("it says %q", said)
	}
	h.no(`"hand" is no joint of this robot; it has lift, shoulder, elbow, wrist, gripper`, "joints", "move", "hand=3", "--data", h.data)
	h.no(`"gripper=wide" does not say where to; it must be like gripper=0.03, in metres`, "joints", "move", "gripper=wide", "--data", h.data)
	h.no(`"wrist=NaN" does not say where to; it must be like wrist=90, in degrees`, "joints", "move", "wrist=NaN", "--data", h.data)
	h.no(`"wrist" is named twice`, "joints", "move", "wrist=1", "wrist=2", "--data", h.data)
	h.no("lift is at 7.000 m, beyond its limits; it must be between 0.000 m and 0.300 m", "joints", "move", "lift=7", "--data", h.data)
	h.ok("is stopped", "stop", "--data", h.data)
	h.no("Stopped by Command line.", "joints", "move", "lift=0.1", "--data", h.data)
	for _, args := range [][]string{{}, {"move"}, {"show", "all"}, {"dance"}} {
		if code, said := h.do(append([]string{"joints"}, args...)...); code != exitUsage {
			t.Errorf("joints %v ends with %d: %s", args, code, said)
		}
	}
}

func TestARobotWithoutJointsSaysSo(t *testing.T) {
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0")
	h.no("has no joints", "joints", "show", "--data", h.data)
}
