package sim

import (
	"fmt"
	"math"
	"testing"
	"time"

	"mybot/robot"
)

// The base holds a command for Description.Holds and then brakes by itself: the
// last of the timeouts.
func TestACommandIsForgottenWhenItIsTooOld(t *testing.T) {
	for _, holds := range []time.Duration{20 * time.Millisecond, 100 * time.Millisecond, 110 * time.Millisecond, 250 * time.Millisecond} {
		t.Run(fmt.Sprint(holds), func(t *testing.T) {
			d := mybot(t)
			d.Holds = holds
			w := NewWorld(d, box(), Scene{}, Options{Ideal: true})
			if wait(w, time.Second); !w.base.twist.IsZero() {
				t.Fatalf("the robot moves before the first command: %v", w.base.twist)
			}
			if err := w.Drive(robot.Twist{Linear: 0.5}); err != nil {
				t.Fatal(err)
			}
			for age := time.Duration(0); age < time.Second; age += w.period {
				before := w.base.twist.Linear
				w.Step()
				if gains := w.base.twist.Linear > before; gains != (age < holds) {
					t.Fatalf("a command of %v continues: %v", age, gains)
				}
			}
			if !w.base.twist.IsZero() {
				t.Errorf("a second later it moves with %v", w.base.twist)
			}
		})
	}
}

func TestAnEmptyBatteryDrivesNothing(t *testing.T) {
	for _, c := range []struct {
		charge float64
		drives bool
	}{{0.01, true}, {0, false}} {
		w := NewWorld(mybot(t), box(), Scene{}, Options{Ideal: true})
		w.battery.charge = c.charge
		if steps(t, w, robot.Twist{Linear: 0.5}, time.Second); w.base.twist.IsZero() == c.drives {
			t.Errorf("with a charge of %v it moves with %v", c.charge, w.base.twist)
		}
	}
}

func TestABaseTellsWhatItHas(t *testing.T) {
	for _, has := range []bool{true, false} {
		d := mybot(t)
		d.OKSwitch, d.Bumper = has, has
		w := NewWorld(d, box(), Scene{}, Options{Ideal: true, Start: robot.Pose{X: 4}})
		if got := w.Describe(); got.OKSwitch != has || got.Name != d.Name {
			t.Errorf("it describes itself as %+v", got)
		}
		w.PressOK(true)
		r := steps(t, w, robot.Twist{Linear: 0.5}, 3*time.Second) // into the wall
		if r.OK != has || r.Bump != has {
			t.Errorf("with a switch and a bumper: %v; pressed: %v, %v", has, r.OK, r.Bump)
		}
		if r = steps(t, w, robot.Twist{Linear: -0.5}, time.Second); r.Bump {
			t.Error("the bumper is pressed in a free place")
		}
		w.PressOK(false)
		if w.Step().OK {
			t.Error("the switch was let go and is pressed")
		}
	}
}

func TestAWorldWithoutAPlanIsAnEmptyFloor(t *testing.T) {
	w := NewWorld(mybot(t), nil, Scene{Start: robot.Pose{X: 1}}, Options{Ideal: true})
	if at := w.Truth().Pose; at != (robot.Pose{X: 1}) {
		t.Errorf("it starts at %v, want where the scene says", at)
	}
	r := steps(t, w, robot.Twist{Linear: 0.5}, 10*time.Second)
	if r.Bump || w.Truth().Pose.X < 4 {
		t.Errorf("it came to %v", w.Truth().Pose)
	}
	for i, d := range r.Ranges {
		if !math.IsInf(d, 1) {
			t.Errorf("sonar %d measures an echo at %v m", i, d)
		}
	}
	if at := NewWorld(mybot(t), nil, Scene{Start: robot.Pose{X: 1}}, Options{Start: robot.Pose{Y: 2}}).Truth().Pose; at != (robot.Pose{Y: 2}) {
		t.Errorf("it starts at %v, want where the options say", at)
	}
}
