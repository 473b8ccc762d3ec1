package app

import (
	"testing"

	"mybot/robot"
)

func TestARobotThatTakesNoOrdersRefusesAllButStopAndHalt(t *testing.T) {
	l := &haltOnceLoop{refuse: "This is a recording."}
	l.halted.Store(true) // so that a halt does not reach the control loop, of which there is none
	for _, cmd := range []robot.Command{robot.Drive{}, robot.Follow{}, robot.Replay{}, robot.GoTo{}, robot.Look{}, robot.SetPose{}, robot.Enqueue{}, robot.RunJob{}, robot.Resume{}} {
		if r := l.Do(t.Context(), cmd); r.Word != robot.NA || r.Reason != l.refuse {
			t.Errorf("%T is answered %+v", cmd, r)
		}
	}
	if r := l.Do(t.Context(), robot.Halt{}); r.Word != robot.Success {
		t.Errorf("a halt is answered %+v", r)
	}
}
