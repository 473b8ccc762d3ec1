package playout

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
)

// TestTheControllerComesBackToThePath also tests driving backward, where Kanayama's original
// law would turn away from the path.
func TestTheControllerComesBackToThePath(t *testing.T) {
	safe := mybot(t).Safe
	wide := robot.Limit{Linear: 9, Angular: 9, LinearAcceleration: 1e3, AngularAcceleration: 1e3}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(0.15, 0.4).Draw(t, "v")
		if rapid.Bool().Draw(t, "backwards") {
			v = -v
		}
		ref := robot.Motion{Twist: robot.Twist{Linear: v, Angular: rapid.Float64Range(-0.3, 0.3).Draw(t, "w")}}
		axle := robot.Pose{
			X: rapid.Float64Range(-0.2, 0.2).Draw(t, "x"), Y: rapid.Float64Range(-0.2, 0.2).Draw(t, "y"),
			Theta: rapid.Float64Range(-0.6, 0.6).Draw(t, "theta"),
		}
		for range 2000 {
			twist := safe.Clamp(robot.DeviationFrom(axle, ref.Axle).Follow(ref.Twist))
			axle = robot.Step(robot.Motion{Axle: axle, Twist: twist}, twist, wide, 0.02).Axle
			ref = robot.Step(ref, ref.Twist, wide, 0.02)
		}
		if e := robot.DeviationFrom(axle, ref.Axle); math.Hypot(e.Along, e.Across) > 0.02 || math.Abs(e.Turn) > 0.02 {
			t.Fatalf("after 40 s it is %+v off", e)
		}
	})
}

func TestARequestKeepsItsCurveWhenItIsTooFast(t *testing.T) {
	safe := mybot(t).Safe
	twist := robot.Deviation{Along: 0.4, Across: 0.1}.Follow(robot.Twist{Linear: 0.45, Angular: 0.3})
	given := safe.Clamp(twist)
	if twist.Linear <= safe.Linear || math.Abs(twist.Angular/twist.Linear-given.Angular/given.Linear) > 1e-9 || given.Linear > safe.Linear {
		t.Errorf("for %v it returns %v", twist, given)
	}
}

func TestARobotHasLostItsPathHalfAMetreOrSixtyDegreesOff(t *testing.T) {
	for _, c := range []struct {
		e   robot.Deviation
		far bool
	}{
		{robot.Deviation{}, false},
		{robot.Deviation{Along: limits.FollowOff}, false},
		{robot.Deviation{Along: -0.3, Across: 0.39}, false},
		{robot.Deviation{Along: 0.31, Across: -0.4}, true},
		{robot.Deviation{Turn: limits.FollowTurned}, false},
		{robot.Deviation{Turn: -1.1}, true},
	} {
		if isLost(c.e) != c.far {
			t.Errorf("%+v is far: %v", c.e, !c.far)
		}
	}
}
