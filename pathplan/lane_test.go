package pathplan

import (
	"math"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
)

// corridor is a robot on its way along the office's corridor, with things in
// the way.
type corridor struct {
	plan  *robot.Floorplan
	desc  robot.Description
	route Route
	start robot.Pose
}

func newCorridor(t *testing.T) corridor {
	t.Helper()
	plan, desc := office(t)
	start := robot.Pose{X: 11, Y: 7.3}
	route, err := NewPlanner(plan, desc).FindRoute(noon, start, place(t, plan, "Meeting door"))
	if err != nil {
		t.Fatal(err)
	}
	return corridor{plan, desc, route, start}
}

// watch lets the robot stand for so many readings and returns after how many
// of them the lane was found blocked, 0 = never.
func (c corridor) watch(readings int, scene sim.Scene, ok bool) (after int, face robot.Point) {
	scene.Start = c.start
	w := sim.NewWorld(c.desc, c.plan, scene, sim.Options{Seed: 5, Epoch: noon})
	lane := NewPlanner(c.plan, c.desc).LaneWatch()
	for n := range readings {
		if face, blocked := lane.Watch(w.Step(), c.start, ok, &c.route, 0); blocked {
			return n + 1, face
		}
	}
	return 0, face
}

func TestALaneIsBlockedWhenSomethingStandsInItForTwoSeconds(t *testing.T) {
	c := newCorridor(t)
	for _, k := range []struct {
		name string
		at   robot.Point
		ok   bool
		want bool
	}{
		{"nothing", robot.Point{X: 20, Y: 7.3}, true, false},
		{"in the middle of the lane", robot.Point{X: 11.9, Y: 7.3}, true, true},
		{"at the side of the lane", robot.Point{X: 11.75, Y: 7.6}, true, true},
		{"beside the lane", robot.Point{X: 11.8, Y: 8.05}, true, false},
		{"farther ahead", robot.Point{X: 12.4, Y: 7.3}, true, false},
		{"behind", robot.Point{X: 10.2, Y: 7.3}, true, false},
		{"in the lane, while the position is not known", robot.Point{X: 11.9, Y: 7.3}, false, false},
	} {
		t.Run(k.name, func(t *testing.T) {
			scene := sim.DefaultScene()
			scene.Obstacles = []sim.Obstacle{{Name: "box", Point: k.at, Radius: 0.2}}
			after, face := c.watch(400, scene, k.ok)
			if (after > 0) != k.want {
				t.Fatalf("blocked after %d readings", after)
			}
			if after > 0 && (after < 100 || after > 150 || face.Sub(k.at).Norm() > 0.35) {
				t.Errorf("blocked after %d readings, at %v", after, face)
			}
		})
	}
}

func TestWhatPassesByDoesNotBlockTheLane(t *testing.T) {
	c := newCorridor(t)
	lane := NewPlanner(c.plan, c.desc).LaneWatch()
	ranges := make([]float64, len(c.desc.Sonars))
	for n := range 1000 {
		for k := range ranges {
			ranges[k] = math.Inf(1)
		}
		if n%200 < 80 { // there for 1.6 s of every 4
			ranges[0] = 0.4
		}
		if _, blocked := lane.Watch(robot.Reading{Time: noon.Add(time.Duration(n) * 20 * time.Millisecond), Ranges: ranges}, c.start, true, &c.route, 0); blocked {
			t.Fatalf("reading %d blocks the lane", n)
		}
	}
}

func TestTheWallsOfTheFloorPlanDoNotBlockTheLane(t *testing.T) {
	plan, desc := office(t)
	p := NewPlanner(plan, desc)
	start := place(t, plan, "Lab 301")
	// Wherever a robot stands still on its way.
	for _, goal := range plan.Places {
		route, err := p.FindRoute(noon, start, goal.Pose)
		if err != nil {
			t.Fatal(err)
		}
		lane := NewPlanner(plan, desc).LaneWatch()
		for n := 0; n < len(route.Points); n += 10 {
			w := route.Points[n]
			pose := desc.Drivetrain.Centre(robot.Pose{X: w.Point.X, Y: w.Point.Y, Theta: w.Heading})
			world := sim.NewWorld(desc, plan, sim.Scene{}, sim.Options{Seed: 1, Epoch: noon, Start: pose})
			lane.Reset()
			for range 115 { // 2.3 s
				if face, blocked := lane.Watch(world.Step(), pose, true, &route, w.Along); blocked {
					t.Errorf("to %s, %.1f m along, a wall at %v blocks the lane", goal.Name, w.Along, face)
					break
				}
			}
		}
	}
}

func TestTheJambsOfANarrowDoorDoNotBlockTheLaneOfARobotALittleAside(t *testing.T) {
	desc := mybot(t)
	plan := hall(0.8)
	plan.Lines = []robot.Segment{{A: robot.Point{X: 3, Y: 0}, B: robot.Point{X: 3, Y: 1.6}}, {A: robot.Point{X: 3, Y: 2.4}, B: robot.Point{X: 3, Y: 4}}}
	route, err := NewPlanner(plan, desc).FindRoute(noon, robot.Pose{X: 1, Y: 2}, robot.Pose{X: 5, Y: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, aside := range []float64{-0.12, 0.12} {
		lane := NewPlanner(plan, desc).LaneWatch()
		for x := 2.0; x < 2.8; x += 0.05 {
			pose := robot.Pose{X: x, Y: 2}
			world := sim.NewWorld(desc, plan, sim.Scene{}, sim.Options{Seed: 1, Epoch: noon, Start: pose.Compose(robot.Pose{Y: aside})})
			lane.Reset()
			for range 115 {
				if face, blocked := lane.Watch(world.Step(), pose, true, &route, x-1); blocked {
					t.Fatalf("at x = %.2f, %g m aside, the jamb at %v blocks the lane", x, aside, face)
				}
			}
		}
	}
}
