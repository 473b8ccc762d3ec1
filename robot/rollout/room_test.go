package rollout

import (
	"math"
	"testing"

	"mybot/robot"
	"mybot/robot/limits"
)

func TestTheNearestPlaceToTurnIsStraightAheadOrBackWhereItCanBe(t *testing.T) {
	post := func(x, y float64) robot.Track { return robot.Track{At: robot.Point{X: x, Y: y}, Radius: 0.05} }
	between := []robot.Track{post(0, 0.35), post(0, -0.35)}
	for _, c := range []struct {
		name     string
		out      scene
		backward bool
		forbids  func(robot.Twist) bool // what the guard forbids
		found    bool
		places   func(p robot.Point) bool
	}{
		{"between two posts, ahead", scene{barrels: between}, false, nil, true, func(p robot.Point) bool { return p.X > 0.2 && p.X < 0.8 && math.Abs(p.Y) < 0.01 }},
		{"and back", scene{barrels: between}, true, nil, true, func(p robot.Point) bool { return p.X < -0.2 && p.X > -0.8 && math.Abs(p.Y) < 0.01 }},
		{"not straight ahead, if the guard forbids it", scene{barrels: between}, false, func(w robot.Twist) bool { return w.Angular == 0 }, true, func(p robot.Point) bool { return p.X > 0.2 && math.Abs(p.Y) > 0.01 }},
		{"nor to the left", scene{barrels: between}, false, func(w robot.Twist) bool { return w.Angular >= 0 }, true, func(p robot.Point) bool { return p.X > 0.2 && p.Y < -0.01 }},
		{"backward it begins backward", scene{barrels: between}, true, func(w robot.Twist) bool { return w.Linear > 0 }, true, func(p robot.Point) bool { return p.X < -0.2 }},
		{"nowhere, if the guard forbids all", scene{barrels: between}, false, func(robot.Twist) bool { return true }, false, nil},
		{"not where a narrow corridor has no room", scene{walls: []float64{-0.3, 0.3}}, true, nil, false, nil},
		{"not through what stands ahead", scene{barrels: append(between, post(0.5, 0), post(0.5, 0.2), post(0.5, -0.2))}, false, nil, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			control := New(mybot())
			if c.backward {
				control = NewBackward(mybot())
			}
			mayBegin := func(w robot.Twist) bool {
				if (w.Linear < 0) != c.backward || math.Abs(w.Linear) != limits.BackOffSpeed {
					t.Fatalf("it asks whether it may begin with %v", w)
				}
				return c.forbids == nil || !c.forbids(w)
			}
			points := control.FindRoom(robot.Pose{}, &c.out, nil, mayBegin, nil)
			if (len(points) > 0) != c.found {
				t.Fatalf("it finds %v", points)
			}
			if !c.found {
				return
			}
			end := points[len(points)-1]
			if at := end.Pose.Point(); !c.places(at) || end.Along > limits.FreeMax+1e-9 || c.out.Clearance(at) < control.reach()+asideTurnRoom {
				t.Errorf("the place is %v after %.1f m, with %.2f m of clearance", at, end.Along, c.out.Clearance(at))
			}
		})
	}
}

func TestAPersonInTheWayIsNotRunInto(t *testing.T) {
	out := scene{barrels: []robot.Track{{At: robot.Point{Y: 0.35}, Radius: 0.05}, {At: robot.Point{Y: -0.35}, Radius: 0.05}}}
	if points := New(mybot()).FindRoom(robot.Pose{}, &out, []robot.Track{stander(0.6, 0)}, nil, nil); len(points) > 0 {
		t.Errorf("it drives %v toward a person", points)
	}
}

func TestTheSearchForRoomAllocatesNothing(t *testing.T) {
	out, points := scene{barrels: []robot.Track{{At: robot.Point{Y: 0.35}, Radius: 0.05}}}, make([]robot.PathPoint, 0, 50)
	c, mayBegin := New(mybot()), func(robot.Twist) bool { return true }
	if n := testing.AllocsPerRun(10, func() { points = c.FindRoom(robot.Pose{}, &out, nil, mayBegin, points[:0]) }); n > 0 || len(points) == 0 {
		t.Errorf("it allocates %v times for %d points", n, len(points))
	}
}
