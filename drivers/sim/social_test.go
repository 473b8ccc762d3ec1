package sim

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
)

// farAway is the robot's pose in tests that are about people alone.
var farAway = Options{Seed: 3, Start: robot.Pose{X: -50}}

func inattentive(stops ...RouteStop) Person {
	return Person{Name: "Ben", Speed: 1.2, Radius: 0.25, Inattentive: true, Route: stops}
}

func stop(x, y, pause float64) RouteStop {
	return RouteStop{Point: robot.Point{X: x, Y: y}, Pause: pause}
}

// checkApart fails if two people overlap, or a person and a thing.
func checkApart(t *testing.T, w *World) {
	t.Helper()
	for i := range w.walkers {
		p := &w.walkers[i]
		for k := range i {
			if gap := p.at.Sub(w.walkers[k].at).Norm() - p.Radius - w.walkers[k].Radius; gap < 0 {
				t.Fatalf("persons %d and %d overlap by %v m", k, i, -gap)
			}
		}
		for _, s := range w.solids.solidsWithin(p.at, 1) {
			if s.distanceTo(p.at) < p.Radius-0.021 {
				t.Fatalf("person %d is in something at %+v", i, p.at)
			}
		}
	}
}

func TestInattentivePeoplePassEachOtherAndReachTheirStops(t *testing.T) {
	people := []Person{
		inattentive(stop(-4, 0, 0), stop(4, 0.05, 100)), inattentive(stop(4, 0, 0), stop(-4, 0, 100)),
		inattentive(stop(0, -4, 0), stop(0, 4, 100)), inattentive(stop(0.1, 4, 0), stop(0, -4, 100)),
	}
	w := NewWorld(mybot(t), nil, Scene{People: people}, farAway)
	for range 50 * 15 {
		w.Step()
		checkApart(t, w)
	}
	for i, at := range w.Truth().People {
		if off := at.Sub(people[i].Route[1].Point).Norm(); off > stopReached+0.1 {
			t.Errorf("person %d is %v m from their stop after 15 s", i, off)
		}
	}
}

func TestACrowdOfInattentivePeopleInTheOfficeOverlapsWithNothing(t *testing.T) {
	plan, scene := office(t)
	var people []Person
	for _, p := range scene.People { // a person starts at each stop of a route
	stops:
		for n, s := range p.Route {
			for _, o := range people {
				if o.Route[0].Point.Sub(s.Point).Norm() < 0.6 {
					continue stops
				}
			}
			people = append(people, inattentive(append(append([]RouteStop{}, p.Route[n:]...), p.Route[:n]...)...))
		}
	}
	scene.People = people
	w := NewWorld(mybot(t), plan, scene, Options{Seed: 3, Start: robot.Pose{X: 17, Y: 11}})
	far := make([]float64, len(people))
	for range 50 * 120 {
		w.Step()
		checkApart(t, w)
		for i, at := range w.Truth().People {
			far[i] = max(far[i], at.Sub(people[i].Route[0].Point).Norm())
		}
	}
	for i, distance := range far {
		if distance < 1 {
			t.Errorf("person %d of %d has come no farther than %v m in 2 min", i, len(far), distance)
		}
	}
}

func TestTwoWalkSideBySideAndOneBehindTheOtherThroughADoor(t *testing.T) {
	doorway := &robot.Floorplan{Lines: []robot.Segment{
		{A: robot.Point{Y: 0.45}, B: robot.Point{Y: 5}}, {A: robot.Point{Y: -0.45}, B: robot.Point{Y: -5}},
	}}
	beside := inattentive(stop(-5, 0.7, 0))
	beside.Beside = 1
	w := NewWorld(mybot(t), doorway, Scene{People: []Person{inattentive(stop(-5, 0, 0), stop(5, 0, 100)), beside}}, farAway)
	abreast := 0
	for range 50 * 14 {
		w.Step()
		checkApart(t, w)
		p := w.Truth().People
		if d := p[1].Sub(p[0]); math.Abs(d.Y) > 0.5 && math.Abs(d.X) < 0.4 {
			abreast++
		}
		if apart := p[1].Sub(p[0]).Norm(); apart > 2.5 {
			t.Fatalf("they are %v m apart", apart)
		}
	}
	if abreast < 200 {
		t.Errorf("they walk side by side in %d of 700 steps", abreast)
	}
	for i, p := range w.Truth().People {
		if p.X < 4 {
			t.Errorf("person %d has come to x = %v m only", i, p.X)
		}
	}
}

// A person who does not look walks up to a standing robot and stops there;
// considerate people keep their distance.
func TestAnInattentivePersonComesNearerToTheRobotThanOthersAndTouchesItNever(t *testing.T) {
	for _, looks := range []bool{true, false} {
		p := inattentive(stop(-3, 0, 0), stop(3, 0, 100))
		p.Inattentive = !looks
		w := NewWorld(mybot(t), nil, Scene{People: []Person{p}}, Options{Start: robot.Pose{X: 0.01}})
		nearest := math.Inf(1)
		for range 50 * 4 {
			w.Step()
			if w.Truth().Contact {
				t.Fatal("a person touches the standing robot")
			}
			nearest = min(nearest, w.measureClearance(w.base.pose))
		}
		if looks != (nearest > respect-0.03) || nearest < startleGap-0.03 {
			t.Errorf("a person who looks (%v) comes as near as %v m", looks, nearest)
		}
	}
}

// No person steps in front of a moving robot that could no longer brake.
func TestARobotThatBrakesWhenAPersonStandsInItsPathTouchesNobody(t *testing.T) {
	desc := mybot(t)
	for _, speed := range []float64{0.3, 0.5, 1.0} {
		for late := range 40 {
			p := inattentive(stop(1.5, -2.5, 0), stop(1.5, 2.5, 0))
			w := NewWorld(desc, nil, Scene{People: []Person{p}}, Options{Ideal: true, Start: robot.Pose{X: -0.05 * float64(late), Y: 0.01}})
			braked := time.Duration(-1)
			for n := range 50 * 6 {
				ahead := w.Truth().Pose.Inverse().Apply(w.Truth().People[0])
				if braked < 0 && ahead.X > 0 && math.Abs(ahead.Y) < 0.5 && ahead.X < 0.8+0.5*speed*speed/desc.Hardware.LinearAcceleration+0.3*speed {
					braked = time.Duration(n)
				}
				v := speed
				if braked >= 0 && time.Duration(n) > braked+10 { // 0.2 s later
					v = 0
				}
				if err := w.Drive(robot.Twist{Linear: v}); err != nil {
					t.Fatal(err)
				}
				w.Step()
				if w.Truth().Contact {
					t.Fatalf("at %v m/s, %d later: a person touches the robot", speed, late)
				}
			}
		}
	}
}
