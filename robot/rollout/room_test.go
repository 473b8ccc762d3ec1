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

func TestTheWayToAPlaceToTurnKeepsItsMarginsToTheLastBit(t *testing.T) {
	for _, c := range []struct {
		name            string
		start, way, end float64 // m, clearance
		along           float64 // m, to the place; 0 = none
	}{
		{"just enough room on the way", 1, asideMargin, 1, 0.4},
		{"too little room on the way", 1, below(asideMargin), 1, 0},
		{"as little room as where it stands", asideMargin, asideMargin - asideRaster, 1, 0.4},
		{"less room than where it stands", asideMargin, below(asideMargin - asideRaster), 1, 0},
		{"just enough room to turn", 1, asideMargin, asideTurnRoom, 0.4},
		{"too little room to turn", 1, asideMargin, below(asideTurnRoom), 0},
		{"it does not seem to have room where it stands", below(asideTurnRoom), 1, 1, 0.1},
		{"it seems to have room where it stands", asideTurnRoom, 1, 1, 0.3},
	} {
		out := room(func(p robot.Point) float64 {
			switch {
			case p == (robot.Point{}):
				return c.start
			case math.Hypot(p.X, p.Y) < 0.35:
				return c.way
			}
			return c.end
		})
		along := 0.0
		if points := pointRobot().FindRoom(robot.Pose{}, out, nil, nil, nil); len(points) > 0 {
			along = points[len(points)-1].Along
		}
		if math.Abs(along-c.along) > 1e-9 {
			t.Errorf("%s: it drives %.2f m, want %.2f", c.name, along, c.along)
		}
	}
}

func TestAMotionToAPlaceBendsByAQuarterCircleAtMost(t *testing.T) {
	out := room(func(p robot.Point) float64 {
		if p.X < 0.4 && p.Y > 0.8 {
			return 1
		}
		return 0.06
	})
	if points := pointRobot().FindRoom(robot.Pose{}, out, nil, nil, nil); len(points) > 0 {
		t.Errorf("it drives to %v", points[len(points)-1].Pose)
	}
}

func TestThePointsOnTheWayToAPlaceHaveItsBendAndBrakeBeforeIt(t *testing.T) {
	out := room(func(p robot.Point) float64 {
		if p.Y > 0.3 {
			return 1
		}
		return 0.06
	})
	straightOn := func(w robot.Twist) bool { return w.Angular == 0 }
	points := pointRobot().FindRoom(robot.Pose{}, out, nil, straightOn, nil)
	if len(points) < 5 {
		t.Fatalf("it finds %v", points)
	}
	length := points[len(points)-1].Along
	for n, p := range points {
		if want := math.Min(asideSpeed, math.Sqrt(2*asideBraking*(length-p.Along))); math.Abs(p.Speed-want) > 1e-6 {
			t.Errorf("%.1f m before the place it drives %.3f m/s, want %.3f", length-p.Along, p.Speed, want)
		}
		if n > 0 {
			if bend := (p.Pose.Theta - points[n-1].Pose.Theta) / Spacing; math.Abs(bend-points[n-1].Bend) > 1e-6 {
				t.Errorf("after %.1f m it bends by %.3f 1/m, which the point calls %.3f", points[n-1].Along, bend, points[n-1].Bend)
			}
		}
	}
}
