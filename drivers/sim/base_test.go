package sim

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
)

func TestTheRobotIsHeldWhereItsHullMeetsAWall(t *testing.T) {
	w := NewWorld(mybot(t), box(), DefaultScene(), Options{Seed: 1, Start: robot.Pose{X: 4, Y: 0, Theta: 0}})
	r := steps(t, w, robot.Twist{Linear: 0.5}, 5*time.Second)
	within(t, "where the front stands", w.Truth().Pose.X+0.26, 5, 0.003)
	if !r.Bump || !w.Truth().Contact {
		t.Error("the bumper does not feel the wall")
	}
	var pushed robot.Wheels
	for range 100 {
		if err := w.Drive(robot.Twist{Linear: 0.5}); err != nil {
			t.Fatal(err)
		}
		r = w.Step()
		pushed.Left += r.Travel.Left
		pushed.Right += r.Travel.Right
	}
	within(t, "what the wheels roll against the wall", pushed.Left+pushed.Right, 0, 0.01)
	r = steps(t, w, robot.Twist{Linear: -0.3}, 2*time.Second)
	if r.Bump || !(w.Truth().Pose.X < 4.6) {
		t.Errorf("backing off the robot stopped at %+v, bump %v", w.Truth().Pose, r.Bump)
	}
}

func TestContactIsByTheHullAndNotByTheSonars(t *testing.T) {
	d := mybot(t)
	d.Sonars = nil
	for what, scene := range map[string]Scene{
		"a barrel":             {Obstacles: []Obstacle{{Point: robot.Point{X: 1, Y: 0.3}, Radius: 0.2, Height: 0.9}}},
		"a sill under a sonar": {Obstacles: []Obstacle{{Point: robot.Point{X: 1, Y: 0}, Radius: 0.1, Height: 0.05}}},
		"a person":             {People: []Person{{Radius: 0.25, Speed: 1, Route: []RouteStop{{Point: robot.Point{X: 1}}}}}},
	} {
		t.Run(what, func(t *testing.T) {
			w := NewWorld(d, box(), scene, Options{Start: robot.Pose{Theta: 1e-12}})
			r := steps(t, w, robot.Twist{Linear: 0.5}, 5*time.Second)
			if x := w.Truth().Pose.X; !r.Bump || !(x > 0.3 && x < 0.75) {
				t.Errorf("the robot stopped at x = %.3f m, bump %v", x, r.Bump)
			}
		})
	}
	w := NewWorld(d, box(), Scene{Obstacles: []Obstacle{{Point: robot.Point{X: 1, Y: 0.45}, Radius: 0.2, Height: 0.9}}}, Options{})
	r := steps(t, w, robot.Twist{Linear: 0.5}, 5*time.Second)
	if r.Bump || w.Truth().Pose.X < 1.5 {
		t.Errorf("beside a barrel 2.5 cm away the robot is held at %+v", w.Truth().Pose)
	}
}

func TestADoorsLeafIsAnObstacleAndItsOpeningIsNot(t *testing.T) {
	plan := box()
	plan.Doors = []robot.Door{{Hinge: robot.Point{X: 2, Y: 0.5}, Length: 1, Closed: -math.Pi / 2, Open: 0}}
	if steps(t, NewWorld(mybot(t), plan, Scene{}, Options{}), robot.Twist{Linear: 0.5}, 6*time.Second).Bump {
		t.Error("the open door holds the robot")
	}
	plan.Doors[0].Open = plan.Doors[0].Closed
	if !steps(t, NewWorld(mybot(t), plan, Scene{}, Options{}), robot.Twist{Linear: 0.5}, 6*time.Second).Bump {
		t.Error("the closed door lets the robot pass")
	}
}

func TestTheHullNeverPassesThroughAnything(t *testing.T) {
	plan, scene := office(t)
	d := mybot(t)
	d.Sonars = nil
	rapid.Check(t, func(t *rapid.T) {
		w := NewWorld(d, plan, scene, Options{
			Seed:  rapid.Uint64().Draw(t, "seed"),
			Start: robot.Pose{X: rapid.Float64Range(2, 10).Draw(t, "x"), Y: 7.3, Theta: rapid.Float64Range(-3, 3).Draw(t, "theta")},
		})
		for range rapid.IntRange(1, 8).Draw(t, "wishes") {
			wish := robot.Twist{
				Linear:  rapid.Float64Range(-2.5, 2.5).Draw(t, "v"),
				Angular: rapid.Float64Range(-4, 4).Draw(t, "w"),
			}
			for range 60 {
				if err := w.Drive(wish); err != nil {
					t.Fatal(err)
				}
				w.Step()
				if truth := w.Truth(); truth.Nearest == 0 {
					t.Fatalf("the hull at %+v overlaps something", truth.Pose)
				}
			}
		}
	})
}

func TestARobotThatStartsInsideAThingCanLeaveIt(t *testing.T) {
	scene := Scene{Obstacles: []Obstacle{{Point: robot.Point{X: 0.2}, Radius: 0.2, Height: 1}}}
	w := NewWorld(mybot(t), box(), scene, Options{})
	steps(t, w, robot.Twist{Linear: -0.3}, 3*time.Second)
	if x := w.Truth().Pose.X; x > -0.5 {
		t.Errorf("the robot is still at x = %v m", x)
	}
}
