package sim

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
)

func TestACarriedRobotStandsWhereItWasPutAndItsWheelsHaveNotFeltIt(t *testing.T) {
	w := NewWorld(mybot(t), box(), Scene{}, Options{})
	steps(t, w, robot.Twist{Linear: 0.5}, 2*time.Second)
	to := robot.Pose{X: 2, Y: -1, Theta: 1}
	if err := w.CarryRobot(to); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if r := w.Step(); r.Travel != (robot.Wheels{}) {
			t.Fatalf("its wheels have rolled %+v", r.Travel)
		}
	}
	if got := w.Truth().Pose; got != to {
		t.Errorf("the robot is at %+v, not at %+v", got, to)
	}
	steps(t, w, robot.Twist{Linear: 0.5}, time.Second)
	if got := w.Truth().Pose; math.Abs(robot.WrapAngle(math.Atan2(got.Y-to.Y, got.X-to.X)-to.Theta)) > 0.01 {
		t.Errorf("it drives on to %+v", got)
	}
}

func TestAStrayRangeHasNothingToDoWithTheWalls(t *testing.T) {
	count := func(share float64) float64 {
		w := NewWorld(mybot(t), box(), Scene{Sonar: SonarErrors{Stray: share}}, Options{Seed: 1})
		clean := NewWorld(mybot(t), box(), Scene{}, Options{Seed: 1})
		off, n := 0.0, 0.0
		for range 3000 {
			a, b := w.Step().Ranges, clean.Step().Ranges
			for i := range a {
				n++
				if math.Abs(a[i]-b[i]) > 0.01 || math.IsInf(a[i], 1) != math.IsInf(b[i], 1) {
					off++
				}
			}
		}
		return off / n
	}
	within(t, "the share of ranges that are stray", count(0.2), 0.2, 0.02)
	within(t, "and where none is", count(0), 0, 0)
}
