package robot_test

import (
	"testing"

	"mybot/robot"
)

func TestARequestIsClampedToTheSafeSpeeds(t *testing.T) {
	safe := robot.Limit{Linear: 0.5, Angular: 0.8}
	for _, c := range []struct {
		name       string
		asked, get robot.Twist
	}{
		{"standstill is left alone", robot.Twist{}, robot.Twist{}},
		{"both at the limit are left alone", robot.Twist{Linear: 0.5, Angular: -0.8}, robot.Twist{Linear: 0.5, Angular: -0.8}},
		{"too fast", robot.Twist{Linear: 1, Angular: 0.8}, robot.Twist{Linear: 0.5, Angular: 0.4}},
		{"too fast backwards", robot.Twist{Linear: -1, Angular: 0.8}, robot.Twist{Linear: -0.5, Angular: 0.4}},
		{"turning too fast", robot.Twist{Linear: 0.5, Angular: 1.6}, robot.Twist{Linear: 0.25, Angular: 0.8}},
		{"turning too fast the other way", robot.Twist{Linear: 0.5, Angular: -1.6}, robot.Twist{Linear: 0.25, Angular: -0.8}},
		{"both, the turning more", robot.Twist{Linear: 1, Angular: 3.2}, robot.Twist{Linear: 0.25, Angular: 0.8}},
		{"both, the speed more", robot.Twist{Linear: 2, Angular: 1.6}, robot.Twist{Linear: 0.5, Angular: 0.4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := safe.Clamp(c.asked); got != c.get {
				t.Errorf("asked for %v: %v, want %v", c.asked, got, c.get)
			}
		})
	}
}

func TestASpeedChangesByTheAccelerationAtMost(t *testing.T) {
	safe := robot.Limit{LinearAcceleration: 0.5, AngularAcceleration: 2}
	for _, c := range []struct {
		name           string
		now, want, get robot.Twist
	}{
		{"what can be reached is reached", robot.Twist{Linear: 0.25, Angular: 1}, robot.Twist{Linear: 0.375, Angular: 0.5}, robot.Twist{Linear: 0.375, Angular: 0.5}},
		{"as far as it goes, no farther", robot.Twist{Linear: 0.25}, robot.Twist{Linear: 9, Angular: 9}, robot.Twist{Linear: 0.375, Angular: 0.5}},
		{"and as far the other way", robot.Twist{Linear: 0.25}, robot.Twist{Linear: -9, Angular: -9}, robot.Twist{Linear: 0.125, Angular: -0.5}},
		{"through zero", robot.Twist{Linear: 0.0625, Angular: -0.25}, robot.Twist{Linear: -9, Angular: 9}, robot.Twist{Linear: -0.0625, Angular: 0.25}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := safe.Slew(c.now, c.want, 0.25); got != c.get {
				t.Errorf("%v in a quarter of a second, want %v", got, c.get)
			}
		})
	}
}

func TestOnlyStandstillIsZero(t *testing.T) {
	if !(robot.Twist{}).IsZero() {
		t.Error("the zero twist asks for a motion")
	}
	for _, moving := range []robot.Twist{{Linear: 1e-9}, {Angular: -1e-9}} {
		if moving.IsZero() {
			t.Errorf("%v asks for standstill", moving)
		}
	}
}
