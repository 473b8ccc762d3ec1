package rollout

import (
	"testing"

	"mybot/robot"
)

func TestEveryTermHasANameAndAWeight(t *testing.T) {
	for n := range Names {
		if Names[n] == "" || !(standard[n] > 0) {
			t.Errorf("term %d is called %q and weighs %v", n, Names[n], standard[n])
		}
	}
}

func TestTheHorizonIsLongEnoughToBrakeTwice(t *testing.T) {
	for _, c := range []struct {
		speed, brake float64
		want         int
	}{{0.3, 0.52, 20}, {0.5, 0.52, 20}, {0.5, 0.4, 24}, {1, 0.52, 33}, {2, 0.5, 40}} {
		if got := horizonSteps(robot.Limit{Linear: c.speed, LinearAcceleration: c.brake}); got != c.want {
			t.Errorf("at %.1f m/s and %.2f m/s2 it is %d steps, want %d", c.speed, c.brake, got, c.want)
		}
	}
}
