package mapping

import (
	"math"
	"testing"

	"mybot/robot"
)

func TestClosuresSayWhereTheRobotWasSeenFromWhereItHadBeen(t *testing.T) {
	m, _, truth := ringMap(1, testLidar{beams: 360, view: 2 * math.Pi, max: 12, noise: 0.01}, poorWheels)
	closures := m.Closures()
	if len(closures) < 5 || len(closures) != m.Summary().Loops {
		t.Fatalf("%d closures, %d loops", len(closures), m.Summary().Loops)
	}
	for _, c := range closures {
		want := truth[c.From].Inverse().Compose(truth[c.To])
		off := want.Inverse().Compose(c.Pose)
		if c.From >= c.To || off.Point().Norm() > 0.15 || math.Abs(off.Theta) > robot.Radians(2) {
			t.Errorf("%+v; the truth is %v", c, want)
		}
	}
}
