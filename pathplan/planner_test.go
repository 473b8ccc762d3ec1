package pathplan

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/limits"
	"mybot/robot/models/modelstest"
)

func office(t testing.TB) (*robot.Floorplan, robot.Description) {
	t.Helper()
	plan, err := floorplan.Load(maps.Office())
	if err != nil {
		t.Fatal(err)
	}
	return plan, mybot(t)
}

var mybot = modelstest.Mybot

// noon is the time of the tests.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func place(t testing.TB, plan *robot.Floorplan, name string) robot.Pose {
	t.Helper()
	for _, p := range plan.Places {
		if p.Name == name {
			return p.Pose
		}
	}
	t.Fatalf("the office has no place %q", name)
	return robot.Pose{}
}

func TestARouteThroughTheOfficeNamesTheViaPointsItPasses(t *testing.T) {
	plan, desc := office(t)
	p := NewPlanner(plan, desc)
	for _, c := range []struct {
		from, to string
		via      string
		length   float64 // m, within a tenth
	}{
		{"Sofa", "Copy room", "S III IV V VI IX", 18.8},
		{"Copy room", "Sofa", "IX VI V IV III S", 18.8},
		{"Meeting door", "Stairs", "V VI VII", 8.0},
		{"Dock", "Lab 301", "I", 5.9},
		{"Lab 301", "Desk", "II", 12.3},
	} {
		r, err := p.FindRoute(noon, place(t, plan, c.from), place(t, plan, c.to))
		if err != nil {
			t.Errorf("%s to %s: %v", c.from, c.to, err)
			continue
		}
		if got := strings.Join(r.Via, " "); got != c.via || math.Abs(r.Length-c.length) > 0.1 {
			t.Errorf("%s to %s leads by %s and is %.2f m long; want %s and %.1f m", c.from, c.to, got, r.Length, c.via, c.length)
		}
	}
}

func TestEveryPlaceOfTheOfficeIsReachedFromEveryOther(t *testing.T) {
	plan, desc := office(t)
	p := NewPlanner(plan, desc)
	for _, a := range plan.Places {
		for _, b := range plan.Places {
			r, err := p.FindRoute(noon, a.Pose, b.Pose)
			if err != nil {
				t.Errorf("%s to %s: %v", a.Name, b.Name, err)
				continue
			}
			straight := b.Pose.Point().Sub(a.Pose.Point()).Norm()
			if r.Length < straight-2*desc.Drivetrain.AxleOffset || r.Time < r.Length/desc.Safe.Linear-1e-9 {
				t.Errorf("%s to %s: %.2f m in %.1f s is less than can be", a.Name, b.Name, r.Length, r.Time)
			}
			// The Dock has its back to the wall, 0.37 m behind the centre.
			if r.Clearance < 0.34 {
				t.Errorf("%s to %s comes as near as %.2f m to a wall", a.Name, b.Name, r.Clearance)
			}
		}
	}
}

func TestARobotBacksIntoAPlaceWhereItCannotTurn(t *testing.T) {
	plan, desc := office(t)
	r, err := NewPlanner(plan, desc).FindRoute(noon, place(t, plan, "Sofa"), place(t, plan, "Dock"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Back < 0.1 || r.Back > limits.RouteBackWay {
		t.Errorf("the path leads backward for %.2f m", r.Back)
	}
}

func TestAGoalWhereTheRobotCannotStandIsRefusedWithTheReason(t *testing.T) {
	plan, desc := office(t)
	p := NewPlanner(plan, desc)
	start := place(t, plan, "Sofa")
	for _, c := range []struct {
		name string
		goal robot.Pose
		want string
	}{
		{"in a table", robot.Pose{X: 10.2, Y: 2.4}, "Inside the coffee table. Choose a free place."},
		{"in a round thing", robot.Pose{X: 7.3, Y: 5.3}, "Inside the plant. Choose a free place."},
		{"in a wall", robot.Pose{X: 12, Y: 8.4}, "Inside the wall. Choose a free place."},
		{"off the map", robot.Pose{X: -20, Y: 3}, "Off the map. Choose a place on the floor."},
		{"outside the walls", robot.Pose{X: 0.6, Y: 15.9}, "Nothing is known about that spot. Choose a place on the floor."},
		{"by a wall", robot.Pose{X: 12, Y: 8.2}, "Too close to the wall: 0.1"},
		{"by a table", robot.Pose{X: 10.3, Y: 2.95}, "Too close to the coffee table: 0.1"},
		{"nowhere", robot.Pose{X: math.NaN()}, "The goal is not a place: x, y and heading must be numbers."},
		{"infinitely far", robot.Pose{Y: math.Inf(1)}, "The goal is not a place: x, y and heading must be numbers."},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := p.FindRoute(noon, start, c.goal)
			var refusal robot.Refusal
			if !errors.As(err, &refusal) || refusal.Word != robot.Error || !strings.HasPrefix(refusal.Reason, c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestARobotOffTheMapIsToldSo(t *testing.T) {
	plan, desc := office(t)
	p := NewPlanner(plan, desc)
	for _, start := range []robot.Pose{{X: -20}, {X: math.NaN()}, {X: 10.2, Y: 2.4}} {
		if _, err := p.FindRoute(noon, start, place(t, plan, "Sofa")); err == nil || !strings.HasPrefix(err.Error(), "The robot cannot plan from where it is: ") {
			t.Errorf("from %v: %v", start, err)
		}
	}
}

func TestARobotParkedByAWallFindsAPathOut(t *testing.T) {
	plan, desc := office(t)
	p := NewPlanner(plan, desc)
	// The corridor's north wall is at y = 8.4 and 0.1 m thick.
	if r, err := p.FindRoute(noon, robot.Pose{X: 12, Y: 8.08}, place(t, plan, "Sofa")); err != nil || r.Length < 4 {
		t.Errorf("%v, %v", r.Length, err)
	}
}

// hall is a room of 6 m x 4 m, with a wall at x = 3 that has a gap of the given
// width around y = 2, cells of 0.05 m.
func hall(gap float64) *robot.Floorplan {
	plan := &robot.Floorplan{Name: "hall", Grid: robot.Grid{Width: 120, Height: 80, Resolution: 0.05, Cells: make([]robot.Cell, 120*80)}}
	for j := range 80 {
		for i := range 120 {
			state := robot.Free
			y := (float64(j) + 0.5) * 0.05
			if i == 0 || j == 0 || i == 119 || j == 79 || (i == 60 || i == 61) && math.Abs(y-2) > gap/2 {
				state = robot.Occupied
			}
			plan.Grid.Cells[j*120+i] = state
		}
	}
	return plan
}

func TestAGapIsPassedWhenTheRobotFitsAndElseItsWidthIsTold(t *testing.T) {
	desc := mybot(t)
	from, to := robot.Pose{X: 1, Y: 1}, robot.Pose{X: 5, Y: 3}
	for _, c := range []struct {
		gap  float64
		want string
	}{
		{0.8, ""},
		{1, ""},
		{0.6, "No route: the passage is too narrow at x 3.0, y 2.0, about 0.6 m. The robot needs 0.72 m."},
		{0, "No route: walls separate the goal from here."},
	} {
		_, err := NewPlanner(hall(c.gap), desc).FindRoute(noon, from, to)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("a gap of %g m: %v, want %q", c.gap, err, c.want)
		}
	}
}

func TestTheTimeToldCountsThatTheGuardPassesNarrowGapsSlowlyWithoutALidar(t *testing.T) {
	sonars := mybot(t)
	lidar := sonars
	lidar.Lidars = []robot.Lidar{{}}
	route := func(gap float64, desc robot.Description) Route {
		r, err := NewPlanner(hall(gap), desc).FindRoute(noon, robot.Pose{X: 1, Y: 2}, robot.Pose{X: 5, Y: 2})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	slow, fast := route(0.8, sonars), route(0.8, lidar)
	if !slices.Equal(slow.Points, fast.Points) {
		t.Error("the robot with sonars is also told to drive another way or at other speeds")
	}
	if least := 0.3 * (1/limits.PassingSpeed - 1/sonars.Safe.Linear); slow.Time < fast.Time+least {
		t.Errorf("a narrow gap takes %.2f s with sonars and %.2f s with a lidar, want %.2f s more", slow.Time, fast.Time, least)
	}
	if slow, fast := route(1.4, sonars), route(1.4, lidar); slow.Time != fast.Time {
		t.Errorf("a wide gap takes %.2f s with sonars and %.2f s with a lidar", slow.Time, fast.Time)
	}
}

func TestAClosedDoorBlocksItsEdgeForAMinuteAndIsNamed(t *testing.T) {
	plan, desc := office(t)
	p := NewPlanner(plan, desc)
	from, to := place(t, plan, "Stairs"), place(t, plan, "Copy room")
	// The door of 304 is at x = 18, from y = 10.85 to 11.85.
	p.Block(noon, robot.Point{X: 17, Y: 11.35}, robot.Point{X: 17.95, Y: 11.35})
	_, err := p.FindRoute(noon.Add(time.Second), from, to)
	var b robot.Blocked
	if !errors.As(err, &b) || b.Reason != "No route: the door of Copy room 304 is closed." {
		t.Fatalf("got %v", err)
	}
	var refusal robot.Refusal
	if !errors.As(err, &refusal) || refusal.Word != robot.Error {
		t.Errorf("%v is no refusal", err)
	}
	if _, err := p.FindRoute(noon.Add(limits.BlockedLife-time.Millisecond), from, to); err == nil {
		t.Error("the door is open again too early")
	}
	r, err := p.FindRoute(noon.Add(limits.BlockedLife), from, to)
	if err != nil || !slices.Contains(r.Via, "IX") {
		t.Errorf("after a minute: %v by %v", err, r.Via)
	}
}

func TestWhatStandsInTheCorridorIsPassedOnTheGrid(t *testing.T) {
	plan, desc := office(t)
	p := NewPlanner(plan, desc)
	from, to := robot.Pose{X: 8.5, Y: 7.3}, place(t, plan, "Meeting door")
	thing := robot.Point{X: 12.5, Y: 7.3}
	before, err := p.FindRoute(noon, from, to)
	if err != nil {
		t.Fatal(err)
	}
	p.Block(noon, from.Point(), thing)
	after, err := p.FindRoute(noon, from, to)
	if err != nil {
		t.Fatal(err)
	}
	if nearest(before, thing) > 0.05 || nearest(after, thing) < p.hard || after.Length > before.Length+1 {
		t.Errorf("it passes %.2f m beside it before and %.2f m after, on %.2f and %.2f m", nearest(before, thing), nearest(after, thing), before.Length, after.Length)
	}
	p.Unblock()
	again, err := p.FindRoute(noon, from, to)
	if err != nil || !slices.Equal(again.Points, before.Points) {
		t.Errorf("after the obstacle is forgotten the path differs from before: %v", err)
	}
}

func TestAnObstacleThatIsSeenBetterIsStillOneObstacle(t *testing.T) {
	desc := mybot(t)
	p := NewPlanner(hall(4), desc)
	from := robot.Pose{X: 1.5, Y: 2}
	// Echoes from three places, each at a different point.
	for _, face := range []robot.Point{{X: 3, Y: 2}, {X: 3.1, Y: 1.85}, {X: 3.05, Y: 2.1}} {
		p.Block(noon, from.Point(), face)
	}
	if !p.IsDrivable(robot.Point{X: 3.25, Y: 1.45}) || p.IsDrivable(robot.Point{X: 3.2, Y: 2.2}) {
		t.Error("the first echo is still there")
	}
	p.Block(noon, from.Point(), robot.Point{X: 3.1, Y: 1.2})
	if p.IsDrivable(robot.Point{X: 3.2, Y: 2.2}) || p.IsDrivable(robot.Point{X: 3.2, Y: 1.2}) {
		t.Error("another obstacle replaces the first")
	}
}

func TestARobotNextToAnObstacleStillFindsThePathToBackIntoItsGoal(t *testing.T) {
	plan, desc := office(t)
	p := NewPlanner(plan, desc)
	from := robot.Pose{X: 17.29, Y: 10.32, Theta: robot.Radians(-102)}
	goal := robot.Pose{X: 17.72, Y: 6.6, Theta: 1.945}
	p.Block(noon, from.Point(), robot.Point{X: 17.18, Y: 9.9})
	if p.IsDrivable(from.Point()) {
		t.Fatal("the robot is not beside the obstacle")
	}
	r, err := p.FindRoute(noon, from, goal)
	if err != nil || r.Back == 0 {
		t.Errorf("%v, backwards %.2f m", err, r.Back)
	}
}

// The guard stops a robot that backs up 10 cm before a wall. At a slant to the wall that may be
// farther from the goal than counts as arrived, and the robot would drive back and forth before it.
func TestARobotIsNotSentToBackIntoAPlaceThatTheGuardKeepsItFrom(t *testing.T) {
	p := NewPlanner(hall(4), mybot(t))
	slant := robot.Radians(129)
	for _, c := range []struct {
		gap  float64 // m between the wall and the nearest corner of the robot at its goal
		want string
	}{
		{0.02, "There is no room to turn to 129 deg there."},
		{0.06, ""},
		{0.15, ""},
	} {
		corner := robot.Pose{Theta: slant}.Apply(robot.Point{X: -0.26, Y: 0.225})
		r, err := p.FindRoute(noon, robot.Pose{X: 1, Y: 2}, robot.Pose{X: 4, Y: 0.05 + c.gap - corner.Y, Theta: slant})
		switch {
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
			t.Errorf("%.2f m from the wall: %v, want %q", c.gap, err, c.want)
		case c.want == "" && err != nil:
			t.Errorf("%.2f m from the wall: %v", c.gap, err)
		case c.want == "" && c.gap < 0.1 && r.Back == 0:
			t.Errorf("%.2f m from the wall: the robot does not back in; the test shows nothing", c.gap)
		}
	}
}

func TestNoRouteLeadsThroughTheLeafOfAnOpenDoor(t *testing.T) {
	plan, desc := office(t)
	p := NewPlanner(plan, desc)
	d := plan.Doors[0]
	l := d.Leaf(d.Open)
	middle := robot.Point{X: (l.A.X + l.B.X) / 2, Y: (l.A.Y + l.B.Y) / 2}
	if p.IsDrivable(middle) || p.IsDrivable(l.B.Add(robot.Point{Y: 0.3})) {
		t.Error("the robot may stand in the leaf")
	}
	r, err := p.FindRoute(noon, robot.Pose{X: 4.7, Y: 7.3}, robot.Pose{X: middle.X - 1, Y: l.B.Y})
	if err != nil {
		t.Fatal(err)
	}
	if tip := nearest(r, l.B); tip < p.hard-0.1 {
		t.Errorf("the route comes %.2f m near to the leaf", tip)
	}
	_, err = p.FindRoute(noon, robot.Pose{X: 4.7, Y: 7.3}, robot.Pose{X: l.B.X, Y: l.B.Y + 0.2})
	if err == nil || !strings.Contains(err.Error(), "open door") {
		t.Errorf("a goal at the leaf: %v", err)
	}
}

// nearest returns the least distance of a route from a point, in m.
func nearest(r Route, p robot.Point) float64 {
	best := math.Inf(1)
	for n := 1; n < len(r.Points); n++ {
		best = min(best, robot.Segment{A: r.Points[n-1].Point, B: r.Points[n].Point}.Distance(p))
	}
	return best
}

func TestAGoalOnWhichSomethingStandsIsBlockedForTheMoment(t *testing.T) {
	plan, desc := office(t)
	p := NewPlanner(plan, desc)
	goal := place(t, plan, "Meeting door")
	p.Block(noon, robot.Point{X: 14, Y: 7}, robot.Point{X: 15.5, Y: 7})
	_, err := p.FindRoute(noon, place(t, plan, "Sofa"), goal)
	if b := (robot.Blocked{}); !errors.As(err, &b) || b.Reason != "Something stands at the goal." {
		t.Errorf("got %v", err)
	}
}

// An appearance is an obstacle that is seen some time after the previous one.
type appearance struct {
	after time.Duration
	at    robot.Point
}

func TestForgettingWhatStoodThereLeavesTheFloorAsItWas(t *testing.T) {
	p := plannerOfAHall(t)
	for name, seen := range map[string][]appearance{
		"two at once and one that is nearly where the first was": {{0, robot.Point{X: 0.125, Y: 0.25}}, {0, robot.Point{X: 1, Y: 1}}, {time.Second, robot.Point{X: -0.25, Y: 0.25}}},
		"one that stands there for long":                         {{0, robot.Point{X: 3, Y: 2}}, {40 * time.Second, robot.Point{X: 3, Y: 2}}, {40 * time.Second, robot.Point{X: 3, Y: 2}}},
	} {
		if fault := findTraces(p, seen); fault != "" {
			t.Fatalf("%s: %s", name, fault)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		seen := make([]appearance, rapid.IntRange(1, 8).Draw(t, "things"))
		for i := range seen {
			seen[i].after = time.Duration(rapid.IntRange(0, 40).Draw(t, "s")) * time.Second
			seen[i].at = robot.Point{X: rapid.Float64Range(-1, 7).Draw(t, "x"), Y: rapid.Float64Range(-1, 5).Draw(t, "y")}
		}
		if fault := findTraces(p, seen); fault != "" {
			t.Fatal(fault)
		}
	})
}

// plannerOfAHall returns the planner of a hall with one edge.
func plannerOfAHall(t *testing.T) *Planner {
	plan := hall(1)
	plan.Graph = robot.Graph{
		Nodes: []robot.Via{{ID: 1, Point: robot.Point{X: 1, Y: 2}}, {ID: 2, Point: robot.Point{X: 5, Y: 2}}},
		Edges: []robot.Edge{{Start: 1, End: 2}, {Start: 2, End: 1}},
	}
	return NewPlanner(plan, mybot(t))
}

// findTraces blocks what is seen, in order. It reports whether the layer ever differs from
// these obstacles, or is not empty after all have been forgotten.
func findTraces(p *Planner, seen []appearance) (fault string) {
	p.Unblock()
	far, rows, cols := slices.Clone(p.clear.far), slices.Clone(p.field.rows.words), slices.Clone(p.field.cols.words)
	now := noon
	for _, s := range seen {
		now = now.Add(s.after)
		p.Block(now, robot.Point{X: 3, Y: 2}, s.at)
		p.dropExpired(now)
		fresh := &Planner{hard: p.hard, plan: p.plan, desc: p.desc, base: p.base, clear: p.base.clone(), graph: p.graph}
		fresh.field = fresh.clear.FieldOf(p.hard)
		for _, thing := range p.obstacles {
			fresh.stampObstacle(thing)
		}
		if !slices.Equal(fresh.clear.far, p.clear.far) || !slices.Equal(fresh.field.rows.words, p.field.rows.words) || !slices.Equal(fresh.field.cols.words, p.field.cols.words) {
			return "the layer is not what the things in it make"
		}
	}
	forgotten := now.Add(limits.BlockedLife + limits.BlockedMaxTrust)
	p.dropExpired(forgotten)
	if !slices.Equal(far, p.clear.far) || !slices.Equal(rows, p.field.rows.words) || !slices.Equal(cols, p.field.cols.words) || len(p.obstacles) > 0 {
		return "something is left on the floor"
	}
	for _, a := range p.graph.arcs {
		if !a.shut.IsZero() && forgotten.Before(a.shut) {
			return "an edge is still shut"
		}
	}
	return ""
}

// clutter draws a room of 8 m x 6 m with boxes in it.
func clutter(t *rapid.T) *robot.Floorplan {
	const width, height = 80, 60
	g := robot.Grid{Width: width, Height: height, Resolution: 0.1, Origin: robot.Point{X: -2, Y: 3}, Cells: make([]robot.Cell, width*height)}
	for n := range g.Cells {
		g.Cells[n] = robot.Free
	}
	for range rapid.IntRange(0, 10).Draw(t, "boxes") {
		i, j := rapid.IntRange(0, width-1).Draw(t, "i"), rapid.IntRange(0, height-1).Draw(t, "j")
		w, h := rapid.IntRange(1, 25).Draw(t, "w"), rapid.IntRange(1, 25).Draw(t, "h")
		for b := j; b < min(height, j+h); b++ {
			for a := i; a < min(width, i+w); a++ {
				g.Cells[b*width+a] = robot.Occupied
			}
		}
	}
	return &robot.Floorplan{Name: "clutter", Grid: g}
}

func TestARouteKeepsOffEverythingAndIsHardlyLongerThanTheGridPath(t *testing.T) {
	desc := mybot(t)
	rapid.Check(t, func(t *rapid.T) {
		plan := clutter(t)
		p := NewPlanner(plan, desc)
		pose := func(name string) robot.Pose {
			return robot.Pose{
				X:     rapid.Float64Range(-2, 6).Draw(t, name+" x"),
				Y:     rapid.Float64Range(3, 9).Draw(t, name+" y"),
				Theta: rapid.Float64Range(-math.Pi, math.Pi).Draw(t, name+" theta"),
			}
		}
		start, goal := pose("start"), pose("goal")
		if !p.IsDrivable(start.Point()) {
			return
		}
		r, err := p.FindRoute(noon, start, goal)
		_, octile, connected := p.search.FindOctile(nil, p.clear.cellAt(start.Point()), p.clear.cellAt(goal.Point()))
		var refusal robot.Refusal
		if err != nil {
			if !errors.As(err, &refusal) || refusal.Reason == "" {
				t.Fatalf("the error %v is no refusal with a reason", err)
			}
			if connected && !strings.Contains(refusal.Reason, "no room to turn") {
				t.Fatalf("there is a path, but: %v", err)
			}
			return
		}
		if !connected {
			t.Fatal("a route without points")
		}
		if r.Back == 0 && r.Length > 1.2*octile*p.clear.Resolution+1 {
			t.Fatalf("%.2f m long, the grid path is %.2f m", r.Length, octile*p.clear.Resolution)
		}
		first, last := desc.Drivetrain.Axle(start).Point(), r.Points[len(r.Points)-1].Point
		if r.Points[0].Point.Sub(first).Norm() > 1e-9 || r.Back == 0 && r.Length > 0 && last.Sub(desc.Drivetrain.Axle(goal).Point()).Norm() > 1e-9 {
			t.Fatal("it does not lead from the start to the goal")
		}
		for n, w := range r.Points {
			// Near its ends the axle is where the heading puts it.
			if w.Along > 0.6 && w.Along < r.drivenLength()-0.6 && truly(&plan.Grid, w.Point) < p.keep-0.02 {
				t.Fatalf("point %d at %v is %.3f m from an obstacle", n, w.Point, truly(&plan.Grid, w.Point))
			}
			if w.Speed > desc.Safe.Linear+1e-9 || math.Abs(w.Speed*w.Bend) > desc.Safe.Angular+1e-9 && w.Speed > limits.RouteCreep {
				t.Fatalf("point %d: %.2f m/s with a bend of %.2f 1/m", n, w.Speed, w.Bend)
			}
			if n > 0 {
				a := math.Abs(w.Speed*w.Speed-r.Points[n-1].Speed*r.Points[n-1].Speed) / 2 / (w.Along - r.Points[n-1].Along)
				if a > desc.Safe.LinearAcceleration {
					t.Fatalf("point %d: %.2f m/s2", n, a)
				}
			}
		}
	})
}

func TestARouteForThePageRunsFromTheRobotToTheGoal(t *testing.T) {
	plan, desc := office(t)
	start, goal := place(t, plan, "Sofa"), place(t, plan, "Copy room")
	r, err := NewPlanner(plan, desc).FindRoute(noon, start, goal)
	if err != nil {
		t.Fatal(err)
	}
	line, from, to := r.linePoints(desc.Drivetrain), desc.Drivetrain.Axle(start).Point(), desc.Drivetrain.Axle(goal).Point()
	if n := len(line); n < 5 || n > 60 || line[0].Sub(from).Norm() > 0.01 || line[n-1].Sub(to).Norm() > 0.01 {
		t.Errorf("%d points, from %v to %v", n, line[0], line[n-1])
	}
	if r.Goal != goal || len(r.Via) != 6 || r.Length < 18 || r.Time < 36 {
		t.Errorf("to %v by %q, %.2f m in %.1f s", r.Goal, r.Via, r.Length, r.Time)
	}
	// Every waypoint is on the line.
	for _, w := range r.Points[3 : len(r.Points)-3] {
		best := math.Inf(1)
		for n := 1; n < len(line); n++ {
			best = min(best, robot.Segment{A: line[n-1], B: line[n]}.Distance(w.Point))
		}
		if best > thinnedBy {
			t.Errorf("%v is %.3f m off the line", w.Point, best)
		}
	}
}

func FuzzAGoalFromOutsideIsAnsweredWithARouteOrAReason(f *testing.F) {
	f.Add(10.2, 3.7, 0.0, 16.9, 14.3, 1.0)
	f.Add(1.42, 7.3, 0.0, math.Inf(1), math.NaN(), 0.0)
	f.Add(0.5, -0.9, 7.0, 26.0, 16.1, 1e300)
	plan, desc := office(f)
	p := NewPlanner(plan, desc)
	f.Fuzz(func(t *testing.T, x, y, theta, gx, gy, gtheta float64) {
		r, err := p.FindRoute(noon, robot.Pose{X: x, Y: y, Theta: theta}, robot.Pose{X: gx, Y: gy, Theta: gtheta})
		if err != nil {
			if err.Error() == "" {
				t.Error("a refusal without a reason")
			}
			return
		}
		if len(r.Points) == 0 || math.IsNaN(r.Length+r.Time) || math.IsInf(r.Time, 0) {
			t.Errorf("a route of %d points, %v m and %v s", len(r.Points), r.Length, r.Time)
		}
	})
}

func TestWhatTheSonarsLookThroughIsGone(t *testing.T) {
	plan, desc := office(t)
	pose := robot.Pose{X: 11, Y: 7.3, Theta: 0.4}
	at := pose.Apply(robot.Point{X: 1})
	far := 1 - desc.Sonars[0].Pose.X
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		at     robot.Point // of the centre, in base_link
		ranges map[int]float64
		lasts  time.Duration
		gone   bool
	}{
		{"after a second in which something behind it is heard", robot.Point{X: 1}, map[int]float64{0: far + 0.3}, limits.BlockedLookTime, true},
		{"not before", robot.Point{X: 1}, map[int]float64{0: far + 0.3}, limits.BlockedLookTime - 200*time.Millisecond, false},
		{"after three seconds in which nothing is heard", robot.Point{X: 1}, nil, silence * limits.BlockedLookTime, true},
		{"not after two", robot.Point{X: 1}, nil, 2 * limits.BlockedLookTime, false},
		{"not when it is heard", robot.Point{X: 1}, map[int]float64{0: far - 0.2}, 10 * time.Second, false},
		{"not when a sonar beside hears it", robot.Point{X: 0.75, Y: 0.3}, map[int]float64{1: 0.4}, 10 * time.Second, false},
		{"not when a sonar is out of order", robot.Point{X: 1}, map[int]float64{0: math.NaN()}, 10 * time.Second, false},
		{"not from far", robot.Point{X: 2}, map[int]float64{0: 4}, 10 * time.Second, false},
		{"behind the robot too", robot.Point{X: -1}, map[int]float64{6: 2}, limits.BlockedLookTime, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := NewPlanner(plan, desc)
			p.Block(noon, pose.Point(), at)
			p.obstacles[0].at = pose.Apply(c.at)
			r := robot.Reading{Ranges: slices.Repeat([]float64{inf}, len(desc.Sonars))}
			for i, d := range c.ranges {
				r.Ranges[i] = d
			}
			gone := false
			for after := time.Duration(0); after <= c.lasts; after += 20 * time.Millisecond {
				r.Time = noon.Add(after)
				gone = p.Observe(r, nil, pose) || gone
			}
			if gone != c.gone || (len(p.obstacles) == 0) != c.gone {
				t.Errorf("gone is %v, and %d obstacles remain", gone, len(p.obstacles))
			}
			if c.gone && !p.IsDrivable(pose.Apply(c.at)) {
				t.Error("the place is still blocked")
			}
		})
	}
	t.Run("what is heard in between is there still", func(t *testing.T) {
		p := NewPlanner(plan, desc)
		p.Block(noon, pose.Point(), at)
		r := robot.Reading{Ranges: slices.Repeat([]float64{inf}, len(desc.Sonars))}
		for n := range 500 {
			r.Time = noon.Add(time.Duration(n) * 20 * time.Millisecond)
			if r.Ranges[0] = 3; n%40 == 0 {
				r.Ranges[0] = far
			}
			if p.Observe(r, nil, pose) {
				t.Fatalf("it is gone after %d readings", n)
			}
		}
	})
}

// overWall returns where on a route the hull covers cells that are not free; "" = nowhere.
func overWall(plan *robot.Floorplan, desc robot.Description, r *Route) string {
	hit := func(m robot.Pose) bool {
		at, hull := desc.Drivetrain.Centre(m), desc.Body.Hull
		for n, a := range hull {
			leg := hull[(n+1)%len(hull)].Sub(a)
			for k := range 30 {
				f := float64(k) / 30
				if plan.Grid.At(at.Apply(robot.Point{X: a.X + f*leg.X, Y: a.Y + f*leg.Y})) != robot.Free {
					return true
				}
			}
		}
		return false
	}
	for _, w := range r.Points {
		// The first curve begins with the robot's heading.
		if w.Along > shortest && hit(robot.Pose{X: w.Point.X, Y: w.Point.Y, Theta: w.Heading}) {
			return fmt.Sprintf("%.2f m along", w.Along)
		}
	}
	last := r.Points[len(r.Points)-1].Point
	for k := range 41 {
		m := robot.Pose{X: last.X, Y: last.Y, Theta: r.Goal.Theta - r.GoalTurn*float64(k)/40}
		if hit(m) {
			return "turning at the goal"
		}
		if m.Theta = r.Goal.Theta; r.Back > 0 && hit(m.Compose(robot.Pose{X: -r.Back * float64(k) / 40})) {
			return "going back into the goal"
		}
	}
	return ""
}

func TestNoHullIsOverAWallOnAnyRoute(t *testing.T) {
	plan, desc := office(t)
	p := NewPlanner(plan, desc)
	rng := rand.New(rand.NewPCG(5, 1))
	g := &plan.Grid
	pose := func() robot.Pose {
		for {
			at := robot.Pose{X: g.Origin.X + g.Resolution*float64(g.Width)*rng.Float64(), Y: g.Origin.Y + g.Resolution*float64(g.Height)*rng.Float64(), Theta: math.Pi * (2*rng.Float64() - 1)}
			if p.IsDrivable(at.Point()) {
				return at
			}
		}
	}
	const pairs = 400
	refused, couldStand := 0, 0
	for range pairs {
		from, to := pose(), pose()
		r, err := p.FindRoute(noon, from, to)
		switch {
		case err == nil:
			if where := overWall(plan, desc, &r); where != "" {
				t.Errorf("%v to %v: the hull is over a wall %s", from, to, where)
			}
		case !strings.Contains(err.Error(), "no room to turn"):
			t.Errorf("%v to %v: %v", from, to, err)
		default:
			refused++
			if p.hullFits(to) {
				couldStand++
			}
		}
	}
	t.Logf("%d of %d refused for want of room, %d of them where the hull has room", refused, pairs, couldStand)
	if refused > pairs/10 {
		t.Errorf("%d of %d places are refused for want of room", refused, pairs)
	}
}

func TestARobotOnALongWayAroundDoesNotTurnBackToWhatHasStoodForLong(t *testing.T) {
	// A hall of 6 m x 4 m with a wall across it, with a gap in its middle and another one near
	// its end.
	plan := hall(0.8)
	for j := 60; j < 79; j++ {
		plan.Grid.Cells[j*plan.Grid.Width+60], plan.Grid.Cells[j*plan.Grid.Width+61] = robot.Free, robot.Free
	}
	p := NewPlanner(plan, mybot(t))
	from, to := robot.Pose{X: 1, Y: 2}, robot.Pose{X: 5, Y: 2}
	around := func(now time.Time) bool {
		r, err := p.FindRoute(now, from, to)
		if err != nil {
			t.Fatal(err)
		}
		return r.Length > 4.5
	}
	see := func(now time.Time) { p.Block(now, from.Point(), robot.Point{X: 2.85, Y: 2}) }
	if see(noon); around(noon.Add(limits.BlockedLife)) {
		t.Error("what was seen once is believed for longer than BlockedLife")
	}
	for s := range 4 {
		see(noon.Add(time.Minute + time.Duration(5*s)*time.Second))
	}
	last := noon.Add(time.Minute + 15*time.Second)
	believed := last.Add(limits.BlockedLife + limits.BlockedTrust*15*time.Second)
	if !around(believed.Add(-time.Second)) || around(believed) {
		t.Error("an obstacle that was seen for 15 s is not remembered for the right time")
	}
	for s := range 100 {
		see(noon.Add(time.Hour + time.Duration(5*s)*time.Second))
	}
	last = noon.Add(time.Hour + 495*time.Second)
	if believed := last.Add(limits.BlockedLife + limits.BlockedMaxTrust); !around(believed.Add(-time.Second)) || around(believed) {
		t.Error("an obstacle that was seen for 8 min is not remembered for BlockedMaxTrust")
	}
}

func TestWhatHasStoodForLongIsDoubtedWhereThereIsNoOtherWay(t *testing.T) {
	p := NewPlanner(hall(0.8), mybot(t))
	from, to := robot.Pose{X: 1, Y: 2}, robot.Pose{X: 5, Y: 2}
	for s := range 5 {
		p.Block(noon.Add(time.Duration(5*s)*time.Second), from.Point(), robot.Point{X: 2.85, Y: 2})
	}
	last := noon.Add(20 * time.Second)
	if _, err := p.FindRoute(last.Add(limits.BlockedLife-1), from, to); err == nil {
		t.Error("it is doubted too early")
	}
	// A person beside the robot may be the obstacle, and leaves.
	p.Block(last.Add(limits.BlockedLife), from.Point(), robot.Point{X: 1, Y: 3.5})
	if _, err := p.FindRoute(last.Add(limits.BlockedLife+1), from, to); err == nil {
		t.Error("a person came, and the gap counts as free")
	}
	p.Unblock()
	for s := range 5 {
		p.Block(noon.Add(time.Duration(5*s)*time.Second), from.Point(), robot.Point{X: 2.85, Y: 2})
	}
	if _, err := p.FindRoute(last.Add(limits.BlockedLife), from, to); err != nil {
		t.Errorf("after %v: %v", limits.BlockedLife, err)
	}
}

func TestWhatStoodOnTheGoalIsDoubtedAlthoughPeopleWalkElsewhere(t *testing.T) {
	p := NewPlanner(hall(4), mybot(t))
	from, to := robot.Pose{X: 1, Y: 2}, robot.Pose{X: 5, Y: 2}
	last := noon.Add(20 * time.Second)
	for s := range 5 {
		p.BlockPoints(noon.Add(time.Duration(5*s)*time.Second), []robot.Point{to.Point()})
	}
	for s := range limits.BlockedLife / time.Second {
		now := last.Add(s * time.Second)
		// A person walks past, half a metre a second, so the newest obstacle is always a new one.
		p.BlockPoints(now, []robot.Point{{X: 1 + 0.5*float64(s%10), Y: 3.5 - 3*float64(s/10)}})
		if _, err := p.FindRoute(now, from, to); err == nil {
			t.Fatalf("%v after it was last seen, it is doubted", s*time.Second)
		}
	}
	if _, err := p.FindRoute(last.Add(limits.BlockedLife), from, to); err != nil {
		t.Errorf("after %v: %v", limits.BlockedLife, err)
	}
}
