package pathplan

import (
	"math"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/limits"
)

// corridor is a robot that drives along the office's corridor, with obstacles on
// its path.
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

// watch lets the robot stand for a number of readings and returns after how many of them the
// lane was found blocked; 0 = never.
func (c corridor) watch(readings int, scene sim.Scene, ok bool) (after int, face robot.Point) {
	scene.Start = c.start
	w := sim.NewWorld(c.desc, c.plan, scene, sim.Options{Seed: 5, Epoch: noon})
	lane := NewPlanner(c.plan, c.desc).newLaneWatch()
	for n := range readings {
		if seen := lane.watchLane(w.Step(), c.start, ok, &c.route, 0); seen.Blocked {
			return n + 1, seen.Face
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
	lane := NewPlanner(c.plan, c.desc).newLaneWatch()
	ranges := make([]float64, len(c.desc.Sonars))
	for n := range 1000 {
		for k := range ranges {
			ranges[k] = math.Inf(1)
		}
		if n%200 < 80 { // there for 1.6 s of every 4
			ranges[0] = 0.4
		}
		if lane.watchLane(robot.Reading{Time: noon.Add(time.Duration(n) * 20 * time.Millisecond), Ranges: ranges}, c.start, true, &c.route, 0).Blocked {
			t.Fatalf("reading %d blocks the lane", n)
		}
	}
}

func TestTheWallsOfTheFloorPlanDoNotBlockTheLane(t *testing.T) {
	plan, desc := office(t)
	p := NewPlanner(plan, desc)
	start := place(t, plan, "Lab 301")
	// Tested with the robot at rest at each point of its path.
	for _, goal := range plan.Places {
		route, err := p.FindRoute(noon, start, goal.Pose)
		if err != nil {
			t.Fatal(err)
		}
		lane := NewPlanner(plan, desc).newLaneWatch()
		for n := 0; n < len(route.Points); n += 10 {
			w := route.Points[n]
			pose := desc.Drivetrain.Centre(robot.Pose{X: w.Point.X, Y: w.Point.Y, Theta: w.Heading})
			world := sim.NewWorld(desc, plan, sim.Scene{}, sim.Options{Seed: 1, Epoch: noon, Start: pose})
			lane.reset()
			for range 115 { // 2.3 s
				if seen := lane.watchLane(world.Step(), pose, true, &route, w.Along); seen.Blocked {
					t.Errorf("to %s, %.1f m along, a wall at %v blocks the lane", goal.Name, w.Along, seen.Face)
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
		lane := NewPlanner(plan, desc).newLaneWatch()
		for x := 2.0; x < 2.8; x += 0.05 {
			pose := robot.Pose{X: x, Y: 2}
			world := sim.NewWorld(desc, plan, sim.Scene{}, sim.Options{Seed: 1, Epoch: noon, Start: pose.Compose(robot.Pose{Y: aside})})
			lane.reset()
			for range 115 {
				if seen := lane.watchLane(world.Step(), pose, true, &route, x-1); seen.Blocked {
					t.Fatalf("at x = %.2f, %g m aside, the jamb at %v blocks the lane", x, aside, seen.Face)
				}
			}
		}
	}
}

// bay is an empty floor of 8 m x 6 m with walls of 5 cm along y at the given heights.
func bay(walls ...float64) *robot.Floorplan {
	g := robot.Grid{Width: 160, Height: 120, Resolution: 0.05, Origin: robot.Point{X: -2, Y: -3}}
	for j := range g.Height {
		state := robot.Free
		for _, y := range walls {
			if math.Abs(g.Origin.Y+(float64(j)+0.5)*g.Resolution-y) < g.Resolution/2 {
				state = robot.Occupied
			}
		}
		for range g.Width {
			g.Cells = append(g.Cells, state)
		}
	}
	return &robot.Floorplan{Grid: g}
}

// hearsBlocked reports whether and where a watch finds the lane blocked, from echoes at these
// points, d m ahead of one sonar along x, for two seconds.
func hearsBlocked(t *testing.T, plan *robot.Floorplan, route *Route, along, d float64, at ...robot.Point) (robot.Point, bool) {
	t.Helper()
	desc := mybot(t)
	desc.Sonars = nil
	reading := robot.Reading{}
	for _, p := range at {
		desc.Sonars = append(desc.Sonars, robot.Sonar{Pose: robot.Pose{X: p.X - d, Y: p.Y}, Beam: robot.Radians(20), Max: 5})
		reading.Ranges = append(reading.Ranges, d)
	}
	lane := NewPlanner(plan, desc).newLaneWatch()
	var face robot.Point
	blocked := false
	for n := range 101 {
		reading.Time = noon.Add(time.Duration(n) * 20 * time.Millisecond)
		seen := lane.watchLane(reading, robot.Pose{}, true, route, along)
		face, blocked = seen.Face, seen.Blocked
	}
	return face, blocked
}

func TestOnlyWhatStandsInTheLaneAheadBlocksIt(t *testing.T) {
	limit := mybot(t).Safe
	var corner, hairpin []robot.Point
	for n := range 21 {
		corner = append(corner, robot.Point{X: float64(n) / 10})
		hairpin = append(hairpin, robot.Point{X: float64(n) / 10})
	}
	for n := range 20 {
		corner = append(corner, robot.Point{X: 2, Y: float64(n+1) / 10})
		hairpin = append(hairpin, robot.Point{X: 2 - float64(n)/10, Y: 0.7})
	}
	for _, c := range []struct {
		name  string
		line  []robot.Point
		along float64
		at    robot.Point
		want  bool
	}{
		{"ahead", corner, 0.5, robot.Point{X: 1.2, Y: 0.1}, true},
		{"beside the lane", corner, 0.5, robot.Point{X: 1.2, Y: 0.35}, false},
		{"ahead, farther than it looks", corner, 0.5, robot.Point{X: 1.8}, false},
		{"behind", corner, 0.5, robot.Point{X: 0.4}, false},
		{"round the corner", corner, 2, robot.Point{X: 2.1, Y: 0.5}, true},
		{"straight on at the corner, where the hull comes by", corner, 2, robot.Point{X: 2.3, Y: -0.1}, true},
		{"the same, a little round it", corner, 2.04, robot.Point{X: 2.25, Y: -0.05}, true},
		{"straight on at the corner, farther off", corner, 2, robot.Point{X: 2.5, Y: -0.01}, false},
		{"on the outer side of the corner", corner, 2, robot.Point{X: 2.5, Y: -0.3}, false},
		{"behind at the corner", corner, 2, robot.Point{X: 1.8, Y: -0.1}, false},
		{"straight on at a corner where the route is nearly over", corner[:22], 2.04, robot.Point{X: 2.25, Y: -0.05}, false},
		{"on the leg back, which is not ahead yet", hairpin, 0.5, robot.Point{X: 0.8, Y: 0.7}, false},
	} {
		route := newRoute(c.line, limit)
		if _, blocked := hearsBlocked(t, bay(), &route, c.along, 0.3, c.at); blocked != c.want {
			t.Errorf("%s: blocked is %v", c.name, blocked)
		}
	}
}

func TestAnEchoThatAWallNextToItsBeamMayHaveSentBlocksNothing(t *testing.T) {
	route := straightRoute(mybot(t))
	for _, c := range []struct {
		walls []float64
		want  bool
	}{{nil, true}, {[]float64{0.225}, false}, {[]float64{-0.225}, false}, {[]float64{0.325}, true}, {[]float64{-0.325}, true}} {
		if _, blocked := hearsBlocked(t, bay(c.walls...), route, 0.5, 0.55, robot.Point{X: 1}); blocked != c.want {
			t.Errorf("with walls at y = %v: blocked is %v", c.walls, blocked)
		}
	}
}

func TestTheNearestEchoOfTheLaneIsTheFaceThatBlocksIt(t *testing.T) {
	desc := mybot(t)
	route := straightRoute(desc)
	desc.Sonars = desc.Sonars[:2]
	for n := range desc.Sonars {
		desc.Sonars[n].Pose = robot.Pose{}
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		ranges []float64
		want   float64 // m ahead, 0 = not blocked
	}{
		{"the first is nearer", []float64{0.4, 0.55}, 0.4},
		{"the second is nearer", []float64{0.55, 0.4}, 0.4},
		{"one of them is too far off to count", []float64{0.5, 0.65}, 0.5},
		{"both are too far off", []float64{0.65, 0.61}, 0},
		{"a sonar is out of order", []float64{math.NaN(), 0.5}, 0.5},
		{"there is a range without a sonar", []float64{inf, inf, 0.3}, 0},
	} {
		lane := NewPlanner(bay(), desc).newLaneWatch()
		var face robot.Point
		blocked := false
		for n := range 5 { // half a second apart, which is short enough
			r := robot.Reading{Time: noon.Add(time.Duration(n) * limits.LaneGap), Ranges: c.ranges}
			if blocked {
				t.Errorf("%s: blocked too early", c.name)
			}
			seen := lane.watchLane(r, robot.Pose{X: 1}, true, route, 1)
			face, blocked = seen.Face, seen.Blocked
		}
		if blocked != (c.want > 0) || blocked && math.Abs(face.X-1-c.want) > 1e-9 {
			t.Errorf("%s: blocked is %v at %v", c.name, blocked, face)
		}
	}
}

func TestWhatIsHeardNearAWallMayBeTheWall(t *testing.T) {
	planner := NewPlanner(bay(0.025), mybot(t)) // its face is at y = 0.05
	for y, want := range map[float64]bool{0.03: true, 0.2: true, 0.33: true, 0.42: false, 1: false} {
		if got := planner.Clearance(robot.Point{X: 1, Y: y}) < limits.MapMaybe; got != want {
			t.Errorf("%.2f m from the face of a wall: %v", y-0.05, got)
		}
	}
}
