package sim

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
)

// doored is the box with a door across the robot's path at x = 2 m: its leaf swings
// from along the path to across it, from y = 0.5 to -0.5 m.
func doored() *robot.Floorplan {
	plan := box()
	plan.Doors = []robot.Door{{Hinge: robot.Point{X: 2, Y: 0.5}, Length: 1, Closed: -math.Pi / 2, Open: 0}}
	return plan
}

func TestAClosedDoorIsSeenAndHoldsTheRobotUntilItIsOpened(t *testing.T) {
	w := NewWorld(mybot(t), doored(), Scene{}, Options{})
	if err := w.SetDoor(0, true); err != nil {
		t.Fatal(err)
	}
	r := steps(t, w, robot.Twist{}, time.Second)
	within(t, "the range of the front sonar", r.Ranges[0], 2-mybot(t).Sonars[0].Pose.X, 0.03)
	if r = steps(t, w, robot.Twist{Linear: 0.5}, 6*time.Second); !r.Bump || !w.Contents().Closed[0] {
		t.Errorf("the robot passes the closed door: %+v", w.Truth().Pose)
	}
	if err := w.SetDoor(0, false); err != nil { // the leaf swings away from the robot
		t.Fatal(err)
	}
	if steps(t, w, robot.Twist{Linear: 0.5}, 5*time.Second); w.Truth().Pose.X < 3 {
		t.Errorf("the open door holds the robot at %+v", w.Truth().Pose)
	}
}

func TestNoLeafPassesThroughAPerson(t *testing.T) {
	for name, c := range map[string]struct {
		scene Scene
		start robot.Pose
		says  string
	}{
		"the robot where it would stand":    {start: robot.Pose{X: 2}, says: "The robot is in the way"},
		"the robot where it swings":         {start: robot.Pose{X: 2.5, Y: 0.1}, says: "The robot is in the way"},
		"a person":                          {scene: Scene{People: []Person{{Name: "Ana", Radius: 0.25, Route: []RouteStop{{Point: robot.Point{X: 2.4}}}}}}, says: "Ana is in the way"},
		"a person without a name":           {scene: Scene{People: []Person{{Radius: 0.25, Route: []RouteStop{{Point: robot.Point{X: 2.4}}}}}}, says: "Somebody is in the way"},
		"an obstacle":                       {scene: Scene{Obstacles: []Obstacle{{Point: robot.Point{X: 2.3, Y: -0.1}, Radius: 0.1}}}, says: "An obstacle is in the way"},
		"the robot behind the hinge":        {start: robot.Pose{X: 1.5, Y: 0.8}},
		"a magnet, through which it swings": {scene: Scene{Magnets: []Magnet{{Point: robot.Point{X: 2.3, Y: -0.1}, Radius: 1}}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := NewWorld(mybot(t), doored(), c.scene, Options{Start: c.start})
			err := w.SetDoor(0, true)
			if c.says == "" {
				if err != nil || !w.Contents().Closed[0] {
					t.Errorf("it does not close: %v", err)
				}
				return
			}
			refused(t, err, c.says)
			if w.Contents().Closed[0] {
				t.Error("it closes all the same")
			}
		})
	}
}

func TestADoorThatIsNotThereIsRefused(t *testing.T) {
	w := NewWorld(mybot(t), doored(), Scene{}, Options{})
	refused(t, w.SetDoor(1, true), "There is no door 1; the doors are 0 to 0.")
	refused(t, w.SetDoor(-1, true), "no door -1")
	refused(t, NewWorld(mybot(t), box(), Scene{}, Options{}).SetDoor(0, true), "no doors")
}

func TestEveryDoorOfTheOfficeClosesAndOpens(t *testing.T) {
	plan, scene := office(t)
	scene.People = nil
	w := NewWorld(mybot(t), plan, scene, Options{})
	for i, d := range plan.Doors {
		if err := w.SetDoor(i, true); err != nil {
			t.Fatal(err)
		}
		end := leafSolid(d, d.Closed)
		middle := robot.Point{X: (end.a.X + end.b.X) / 2, Y: (end.a.Y + end.b.Y) / 2}
		if len(w.solids.solidsWithin(middle, 0.01)) == 0 {
			t.Errorf("door %d is closed and nothing is at %+v", i, middle)
		}
		if err := w.SetDoor(i, false); err != nil {
			t.Fatal(err)
		}
		if near := w.solids.solidsWithin(middle, 0.3); len(near) > 0 {
			t.Errorf("door %d is open and its doorway is not free: %+v", i, near)
		}
	}
}
