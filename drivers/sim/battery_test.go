package sim

import (
	"testing"
	"time"

	"mybot/robot"
)

func TestTheBatteryDrainsByWhatTheRobotDoes(t *testing.T) {
	after := func(wish robot.Twist) robot.Battery {
		return steps(t, NewWorld(mybot(t), nil, Scene{}, Options{}), wish, 10*time.Minute).Battery
	}
	standing, turning, driving := after(robot.Twist{}), after(robot.Twist{Angular: 0.7}), after(robot.Twist{Linear: 0.5})
	if !(1 > standing.Charge && standing.Charge > turning.Charge && turning.Charge > driving.Charge) {
		t.Errorf("after ten minutes the charges are %v standing, %v turning, %v driving", standing.Charge, turning.Charge, driving.Charge)
	}
	// 180 W at about 12.6 V for 600 s, of 100 Ah.
	within(t, "the charge after standing", standing.Charge, 1-180/12.6/6/100, 0.001)
	if !(standing.Volts > driving.Volts && driving.Amperes > standing.Amperes) {
		t.Errorf("standing %+v, driving %+v: a larger current takes the voltage down", standing, driving)
	}
}

func TestLeftIsTheTimeThatIsReallyLeft(t *testing.T) {
	d := mybot(t)
	d.Sonars = nil
	d.Battery.Capacity = 20
	w := NewWorld(d, nil, Scene{Drained: 0.2}, Options{})
	left := steps(t, w, robot.Twist{Angular: 0.5}, 20*time.Minute).Battery.Left
	began := w.time
	for w.battery.charge > 0 {
		if err := w.Drive(robot.Twist{Angular: 0.5}); err != nil {
			t.Fatal(err)
		}
		w.Step()
	}
	within(t, "the minutes until it is empty", w.time.Sub(began).Minutes(), left.Minutes(), 0.1*left.Minutes())
	if r := steps(t, w, robot.Twist{Linear: 0.5}, 2*time.Second); r.Travel != (robot.Wheels{}) || r.Battery.Charge != 0 {
		t.Errorf("with an empty battery the wheels roll %+v", r.Travel)
	}
}

func TestTheBatteryChargesAtTheDock(t *testing.T) {
	d := mybot(t)
	d.Battery.Capacity = 1
	plan := box()
	plan.Dock = &robot.Pose{X: -4.5}
	w := NewWorld(d, plan, Scene{Drained: 0.9}, Options{Start: robot.Pose{X: -4.45, Y: 0.02, Theta: 0.05}})
	r := wait(w, time.Second)
	if !r.Battery.Charging || !(r.Battery.Amperes < 0) || r.Battery.Left != 0 {
		t.Errorf("at the dock the battery says %+v", r.Battery)
	}
	bulk := r.Battery.Amperes
	r = wait(w, 10*time.Minute)
	if !(r.Battery.Charge > 0.95) || !(r.Battery.Amperes > bulk/4) {
		t.Errorf("ten minutes later it says %+v", r.Battery)
	}
	r = steps(t, w, robot.Twist{Linear: 0.3}, 2*time.Second)
	if r.Battery.Charging || r.Battery.Amperes < 0 {
		t.Errorf("away from the dock it says %+v", r.Battery)
	}
	for what, start := range map[string]robot.Pose{"beside": {X: -4.5, Y: 0.2}, "turned": {X: -4.5, Theta: 1}} {
		if r := wait(NewWorld(d, plan, Scene{}, Options{Start: start}), time.Second); r.Battery.Charging {
			t.Errorf("%s the dock it charges", what)
		}
	}
}

// A robot that corrects its pose at the dock, by less than the contacts reach, stays on them.
func TestTheContactsOfTheDockStayTogetherUntilTheRobotHasLeftTheirReach(t *testing.T) {
	plan := box()
	plan.Dock = &robot.Pose{X: -4.5}
	w := NewWorld(mybot(t), plan, Scene{}, Options{Start: robot.Pose{X: -4.45}})
	steps(t, w, robot.Twist{}, time.Second)
	if r := w.Step(); !r.Battery.Charging {
		t.Fatalf("at the dock it says %+v", r.Battery)
	}
	for range 100 {
		if err := w.Drive(robot.Twist{Linear: -0.03}); err != nil {
			t.Fatal(err)
		}
		if r := w.Step(); !r.Battery.Charging {
			t.Fatalf("at %.3v it no longer charges", w.Truth().Pose)
		}
	}
	steps(t, w, robot.Twist{Linear: 0.3}, time.Second)
	if r := w.Step(); r.Battery.Charging {
		t.Errorf("at %.3v it still charges", w.Truth().Pose)
	}
}
