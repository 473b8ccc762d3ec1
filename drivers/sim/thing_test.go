package sim

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
)

// refused fails unless err is a refusal with this text.
func refused(t testing.TB, err error, says string) {
	t.Helper()
	var r robot.Refusal
	if !errors.As(err, &r) || r.Word != robot.Error || !strings.Contains(r.Reason, says) {
		t.Errorf("it says %v, want an ERROR with %q", err, says)
	}
}

func TestAnObstacleThatIsPutIsSeenAndMet(t *testing.T) {
	w := NewWorld(mybot(t), box(), Scene{}, Options{})
	before := steps(t, w, robot.Twist{}, time.Second).Ranges[0]
	id, err := w.AddThing(ObstacleKind, robot.Point{X: 1.5}, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	after := steps(t, w, robot.Twist{}, time.Second).Ranges[0]
	if !(before > 4) {
		t.Fatalf("the front sonar measures the wall at %v m", before)
	}
	within(t, "the range of the front sonar", after, 1.25-mybot(t).Sonars[0].Pose.X, 0.03)
	if r := steps(t, w, robot.Twist{Linear: 0.5}, 5*time.Second); !r.Bump || w.Truth().Pose.X > 1 {
		t.Errorf("the robot drives through it to %+v", w.Truth().Pose)
	}
	if err := w.moveThing(id, robot.Point{X: 3}); err != nil {
		t.Fatal(err)
	}
	if r := steps(t, w, robot.Twist{Linear: 0.5}, time.Second); r.Bump {
		t.Error("it is still detected at its old place")
	}
	if err := w.RemoveThing(id); err != nil {
		t.Fatal(err)
	}
	if steps(t, w, robot.Twist{Linear: 0.5}, 6*time.Second); w.Truth().Pose.X < 4 {
		t.Errorf("it is still met after it was taken away: the robot is at %+v", w.Truth().Pose)
	}
	refused(t, w.RemoveThing(id), "no thing 1")
	refused(t, w.moveThing(id, robot.Point{}), "no thing 1")
}

func TestAMagnetThatIsPutTurnsTheCompass(t *testing.T) {
	w := NewWorld(mybot(t), box(), Scene{}, Options{})
	within(t, "the compass before", w.Step().Heading, 0, 1e-9)
	id, err := w.AddThing(MagnetKind, robot.Point{}, 1.5) // the robot may stand in it
	if err != nil {
		t.Fatal(err)
	}
	within(t, "the compass in its middle", w.Step().Heading, robot.Radians(35), 1e-9)
	if err := w.moveThing(id, robot.Point{X: 2}); err != nil {
		t.Fatal(err)
	}
	within(t, "the compass outside it", w.Step().Heading, 0, 1e-9)
}

func TestNothingIsPutWhereAPersonStandsOrNoMapIs(t *testing.T) {
	plan, scene := office(t)
	w := NewWorld(mybot(t), plan, scene, Options{})
	robotAt, ana := scene.Start.Point(), scene.People[0].Route[0].Point
	for name, c := range map[string]struct {
		kind   Kind
		at     robot.Point
		radius float64
		says   string
	}{
		"onto the robot":     {ObstacleKind, robotAt, 0.2, "The robot stands there."},
		"against its side":   {ObstacleKind, robotAt.Add(robot.Point{Y: 0.225 + 0.2 + 0.01}), 0.2, "The robot stands there."},
		"onto a person":      {ObstacleKind, ana, 0.2, "Ana stands there."},
		"outside the map":    {ObstacleKind, robot.Point{X: 100, Y: 7}, 0.2, "not on the map"},
		"nowhere":            {MagnetKind, robot.Point{X: math.NaN()}, 0.2, "not on the map"},
		"without a size":     {ObstacleKind, robot.Point{X: 8, Y: 7.3}, 0, "radius"},
		"of no known kind":   {"cat", robot.Point{X: 8, Y: 7.3}, 0.2, "cat"},
		"larger than floors": {ObstacleKind, robot.Point{X: 8, Y: 7.3}, math.Inf(1), "radius"},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(w.Contents().Things)
			_, err := w.AddThing(c.kind, c.at, c.radius)
			refused(t, err, c.says)
			if len(w.Contents().Things) != before {
				t.Error("it is there all the same")
			}
		})
	}
	id, err := w.AddThing(ObstacleKind, robotAt.Add(robot.Point{X: 2}), 0.2)
	if err != nil {
		t.Fatal(err)
	}
	refused(t, w.moveThing(id, robotAt), "The robot stands there.")
	for _, c := range w.Contents().Things {
		if c.ID == id && c.Point != robotAt.Add(robot.Point{X: 2}) {
			t.Errorf("a refused move takes it to %+v", c.Point)
		}
	}
}

func TestTheContentsAreWhatTheSceneBringsAndPeoplePut(t *testing.T) {
	plan, scene := office(t)
	w := NewWorld(mybot(t), plan, scene, Options{})
	all := len(scene.Obstacles) + len(scene.Magnets)
	c := w.Contents()
	if len(c.Things) != all || len(c.Closed) != len(plan.Doors) || c.Things[0].Name != "Barrel" || c.Things[all-1].Kind != MagnetKind {
		t.Fatalf("the world holds %+v", c)
	}
	if err := w.RemoveThing(1); err != nil {
		t.Fatal(err)
	}
	id, err := w.AddThing(ObstacleKind, robot.Point{X: 8, Y: 7.3}, 0.2)
	if err != nil || id != all+1 {
		t.Errorf("the next thing has the number %d (%v)", id, err)
	}
	if now := w.Contents(); len(now.Things) != all || now.Things[0].ID != 2 {
		t.Errorf("the world holds %+v", now)
	}
	if c.Things[0].ID != 1 {
		t.Error("an earlier result has changed")
	}
}

func TestWhereTheRobotDoesNotFitItIsNotPutDown(t *testing.T) {
	plan, scene := office(t)
	w := NewWorld(mybot(t), plan, scene, Options{})
	for name, to := range map[string]robot.Pose{
		"in a wall":        {X: 6.5, Y: 8.4},
		"on a barrel":      {X: 11.75, Y: 7.72},
		"on a person":      {X: 23.8, Y: 7.9},
		"off the map":      {X: -20, Y: 7},
		"turned to no way": {X: 8, Y: 7.3, Theta: math.NaN()},
	} {
		t.Run(name, func(t *testing.T) {
			before := w.Truth().Pose
			refused(t, w.CarryRobot(to), "here")
			if w.Truth().Pose != before {
				t.Error("it is put there all the same")
			}
		})
	}
}

func TestAWorldThatPeopleChangeNeverHoldsTheRobotInAThing(t *testing.T) {
	plan, scene := office(t)
	scene.People = nil
	d := mybot(t)
	d.Sonars = nil
	rapid.Check(t, func(t *rapid.T) {
		w := NewWorld(d, plan, scene, Options{Start: robot.Pose{X: 8, Y: 7.3}})
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			near := robot.Point{
				X: rapid.Float64Range(2, 18).Draw(t, "x"),
				Y: rapid.Float64Range(6.5, 9).Draw(t, "y"),
			}
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				_, _ = w.AddThing(ObstacleKind, near, rapid.Float64Range(0.05, 2).Draw(t, "radius"))
			case 1:
				_ = w.moveThing(rapid.IntRange(1, w.lastID).Draw(t, "thing"), near)
			case 2:
				_ = w.SetDoor(rapid.IntRange(0, len(plan.Doors)-1).Draw(t, "door"), rapid.Bool().Draw(t, "closed"))
			case 3:
				_ = w.CarryRobot(robot.Pose{X: near.X, Y: near.Y, Theta: rapid.Float64Range(-3, 3).Draw(t, "theta")})
			}
			wish := robot.Twist{Linear: rapid.Float64Range(-1, 1).Draw(t, "v"), Angular: rapid.Float64Range(-2, 2).Draw(t, "w")}
			for range 30 {
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
