package sim

import (
	"testing"
	"time"

	"mybot/robot"
)

func TestPeopleWalkTheirRouteAndPause(t *testing.T) {
	route := []RouteStop{{Point: robot.Point{}}, {Point: robot.Point{X: 2}, Pause: 4}, {Point: robot.Point{X: 2, Y: 2}}}
	w := NewWorld(mybot(t), nil, Scene{People: []Person{{Speed: 1, Radius: 0.25, Route: route}}}, Options{Start: robot.Pose{X: -9}})
	stood := 0
	seen := map[int]bool{}
	for range 50 * 30 {
		before := w.Truth().People[0]
		w.Step()
		at := w.Truth().People[0]
		step := at.Sub(before).Norm()
		if step == 0 {
			stood++
		}
		if step > 0.02+1e-9 {
			t.Fatalf("a person walks %v m in one step", step)
		}
		for i, s := range route {
			if at.Sub(s.Point).Norm() < 0.03 {
				seen[i] = true
			}
		}
	}
	if len(seen) != len(route) {
		t.Errorf("in 30 s they come to the stops %v only", seen)
	}
	// The loop is 6.8 m long and the pause between 2 and 6 s.
	if stood < 100 || stood > 900 {
		t.Errorf("they stand for %d of 1500 steps", stood)
	}
}

func TestPeopleWalkRoundTheRobot(t *testing.T) {
	route := []RouteStop{{Point: robot.Point{X: -3}}, {Point: robot.Point{X: 3}, Pause: 100}}
	w := NewWorld(mybot(t), box(), Scene{People: []Person{{Speed: 1, Radius: 0.25, Route: route}}}, Options{Start: robot.Pose{Y: 0.01}})
	wait(w, 15*time.Second)
	if at := w.Truth().People[0]; at.X < 2.9 {
		t.Errorf("the person has come to %+v only", at)
	}
}

func TestPeopleWaitInANarrowPlaceAndThenTurnRound(t *testing.T) {
	plan := &robot.Floorplan{Lines: []robot.Segment{
		{A: robot.Point{X: -5, Y: 0.5}, B: robot.Point{X: 5, Y: 0.5}},
		{A: robot.Point{X: -5, Y: -0.5}, B: robot.Point{X: 5, Y: -0.5}},
	}}
	route := []RouteStop{{Point: robot.Point{X: -3}}, {Point: robot.Point{X: 3}}}
	w := NewWorld(mybot(t), plan, Scene{People: []Person{{Speed: 1, Radius: 0.25, Route: route}}}, Options{Start: robot.Pose{X: 0.01}})
	wait(w, 5*time.Second)
	before := w.Truth().People[0]
	if gap := -0.25 - (before.X + 0.25); gap < respect-0.05 || gap > respect+0.1 {
		t.Errorf("the person waits %v m from the robot", gap)
	}
	back := before.X
	for range 50 * 8 {
		w.Step()
		back = min(back, w.Truth().People[0].X)
	}
	if back > -2.5 {
		t.Errorf("the person has gone back to x = %v m only", back)
	}
}

func TestNoPersonInTheOfficeRunsIntoAnything(t *testing.T) {
	plan, scene := office(t)
	d := mybot(t)
	d.Sonars = nil
	if len(scene.People) < 2 {
		t.Fatalf("there are %d people; there must be two at least", len(scene.People))
	}
	for _, start := range []robot.Pose{scene.Start, {X: 17, Y: 11}, {X: 10.2, Y: 4.3}} {
		w := NewWorld(d, plan, scene, Options{Seed: 4, Start: start})
		far := make([]float64, len(scene.People))
		for range 50 * 600 {
			w.Step()
			truth := w.Truth()
			if truth.Contact {
				t.Fatalf("a person touches the standing robot at %+v: people at %+v", truth.Pose, truth.People)
			}
			for i, at := range truth.People {
				far[i] = max(far[i], at.Sub(scene.People[i].Route[0].Point).Norm())
				for _, s := range w.solids.solidsWithin(at, 1) {
					if s.distanceTo(at) < scene.People[i].Radius-0.021 {
						t.Fatalf("%s walks into something at %+v", scene.People[i].Name, at)
					}
				}
			}
		}
		for i, distance := range far {
			if distance < 2 {
				t.Errorf("%s has not come farther than %v m with the robot at %+v", scene.People[i].Name, distance, start)
			}
		}
	}
}
