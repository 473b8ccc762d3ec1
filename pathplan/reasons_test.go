package pathplan

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
)

func TestAnObstacleIsADiscBehindTheFaceThatEchoed(t *testing.T) {
	desc := mybot(t)
	for _, c := range []struct {
		name             string
		from, face, want robot.Point
	}{
		{"ahead", robot.Point{X: 1, Y: 2}, robot.Point{X: 2, Y: 2}, robot.Point{X: 2.15, Y: 2}},
		{"beside", robot.Point{X: 1, Y: 2}, robot.Point{X: 1, Y: 1.5}, robot.Point{X: 1, Y: 1.35}},
		{"where the robot is", robot.Point{X: 1, Y: 2}, robot.Point{X: 1, Y: 2}, robot.Point{X: 1, Y: 2}},
	} {
		p := NewPlanner(hall(4), desc)
		p.Block(noon, c.from, c.face)
		if at := p.obstacles[0].at; !(at.Sub(c.want).Norm() < 1e-9) {
			t.Errorf("%s: the obstacle is at %v, want %v", c.name, at, c.want)
		}
	}
	plan := hall(4)
	rapid.Check(t, func(t *rapid.T) {
		p := NewPlanner(plan, desc)
		at := robot.Point{X: rapid.Float64Range(-0.5, 6.5).Draw(t, "x"), Y: rapid.Float64Range(-0.5, 4.5).Draw(t, "y")}
		p.Block(noon, at, at)
		for j := range p.clear.Height {
			for i := range p.clear.Width {
				c := Cell{i, j}
				off := max(0, p.clear.pointAt(MiddleOf(c)).Sub(at).Norm()-limits.BlockedRadius)
				if off > limits.RouteKeepOff {
					continue // where it does not matter
				}
				if got, want := p.clear.middleOf(c), min(p.base.middleOf(c), off); math.Abs(got-want) > grain {
					t.Fatalf("an obstacle at %v: cell %v has a clearance of %v m, want %v m", at, c, got, want)
				}
				if free := p.field.IsFree(c); free && off < p.hard-grain || !free && min(p.base.middleOf(c), off) > p.hard+grain {
					t.Fatalf("an obstacle at %v: cell %v is free: %v", at, c, free)
				}
			}
		}
	})
}

func TestARobotInANarrowPlaceEntersTheFloorThatItReachesAndNotTheNearest(t *testing.T) {
	plan := bay()
	g := &plan.Grid
	for i := range g.Width {
		for _, j := range []int{54, 65} { // y from -0.3 to -0.25 and from 0.25 to 0.3
			if g.Origin.X+float64(i)*g.Resolution < 2 {
				g.Cells[j*g.Width+i] = robot.Occupied
			}
		}
	}
	p := NewPlanner(plan, mybot(t))
	at := robot.Point{X: 1.55}
	to, ok := p.enterFrom(at)
	if !ok || to.X < 2 || math.Abs(to.Y) > 0.3 || to.Sub(at).Norm() > limits.RouteEnter {
		t.Errorf("from %v it enters at %v, %v; behind the walls the floor is nearer, and out of reach", at, to, ok)
	}
	for _, at := range []robot.Point{{X: 1}, {X: 1, Y: 0.27}, {X: math.Inf(1)}, {Y: math.Inf(-1)}, {X: math.NaN()}} {
		if to, ok := p.enterFrom(at); ok {
			t.Errorf("from %v it enters at %v", at, to)
		}
	}
	for _, at := range []robot.Point{{X: 1, Y: 0.5}, {X: 1, Y: -0.5}, {X: 5.85, Y: 2}, {X: -1.85, Y: -2}, {X: 1, Y: 2.85}} {
		to, ok := p.enterFrom(at)
		if !ok || !p.IsDrivable(to) {
			t.Fatalf("from %v it enters at %v, %v", at, to, ok)
		}
		for n := range 1000 { // no nearer place is drivable
			sin, cos := math.Sincos(float64(n))
			r := (to.Sub(at).Norm() - g.Resolution) * float64(n) / 1000
			if q := at.Add(robot.Point{X: r * cos, Y: r * sin}); p.IsDrivable(q) {
				t.Fatalf("from %v it enters at %v, and %v is nearer", at, to, q)
			}
		}
	}
}

func TestAGoalThatIsAsGoodAsReachedNeedsNoPath(t *testing.T) {
	p := NewPlanner(hall(4), mybot(t))
	start := robot.Pose{X: 1.5, Y: 2}
	for away, want := range map[float64]float64{0: 0, 0.03: 0, 0.08: 0.08} {
		r, err := p.FindRoute(noon, start, robot.Pose{X: start.X + away, Y: start.Y})
		if err != nil || math.Abs(r.Length-want) > 1e-9 {
			t.Errorf("%g m away: a path of %.3f m, want %g m, %v", away, r.Length, want, err)
		}
	}
}

func TestAPlaceThatSeesNoViaPointIsJoinedToThoseNearOverTheGrid(t *testing.T) {
	plan := hall(0.9)
	for _, x := range []float64{1, 1.2, 5.5} {
		plan.Graph.Nodes = append(plan.Graph.Nodes, robot.Via{ID: len(plan.Graph.Nodes), Point: robot.Point{X: x, Y: 3.3}})
	}
	p := NewPlanner(plan, mybot(t))
	at := robot.Point{X: 4.9, Y: 0.7}
	var nodes []int32
	links := p.linkByGrid(nil, at)
	for n, l := range links {
		nodes = append(nodes, l.node)
		if _, length, ok := p.pathByGrid(at, p.graph.nodes[l.node].Point); !ok || math.Abs(length-l.length) > 1e-9 || n > 0 && l.length < links[n-1].length {
			t.Errorf("link %d: %+v", n, l)
		}
	}
	if len(nodes) != 1 || nodes[0] != 2 {
		t.Errorf("it is joined to %v, want only the one on its side", nodes)
	}
	for _, l := range links {
		if l.length > walkShare*links[0].length {
			t.Errorf("node %d is %.2f m away, %.2f m are enough", l.node, l.length, links[0].length)
		}
	}
	shut := NewPlanner(hall(0), mybot(t))
	shut.graph = p.graph
	if links := shut.linkByGrid(nil, at); len(links) != 1 || links[0].node != 2 {
		t.Errorf("with the wall closed it is joined to %v", links)
	}
}

func TestTheReasonNamesWhatIsNearest(t *testing.T) {
	desc := mybot(t)
	plan := hall(0.6)
	plan.Lines = []robot.Segment{{A: robot.Point{Y: 0}, B: robot.Point{X: 6}}}
	plan.Furniture = []robot.Furniture{
		{Name: "Table", Outline: []robot.Point{{X: 1, Y: 3}, {X: 2, Y: 3}, {X: 2, Y: 3.9}, {X: 1, Y: 3.9}}},
		{Outline: []robot.Point{{X: 5, Y: 2}}, Radius: 0.2},
	}
	p := NewPlanner(plan, desc)
	p.Block(noon, robot.Point{X: 2.3, Y: 2}, robot.Point{X: 2.3, Y: 2})
	for _, c := range []struct {
		at   robot.Point
		want string
	}{
		{robot.Point{X: 1.5, Y: 3.5}, "table"},
		{robot.Point{X: 1.5, Y: 2.8}, "table"},
		{robot.Point{X: 2.1, Y: 3.5}, "table"},
		{robot.Point{X: 5, Y: 2.1}, "furniture"},
		{robot.Point{X: 4.6, Y: 2.1}, "furniture"},
		{robot.Point{X: 1.5, Y: 0.2}, "wall"},
		{robot.Point{X: 2.2, Y: 1.9}, "obstacle"},
		{robot.Point{X: 1.8, Y: 2}, "obstacle"},
		{robot.Point{X: 3.5, Y: 2}, "unknown part"},
	} {
		if got := p.nameNearest(c.at); got != c.want {
			t.Errorf("nearest to %v is the %q, want %q", c.at, got, c.want)
		}
	}
	// A map of another program has walls and no furniture.
	bare := hall(0.6)
	bare.Lines = plan.Lines
	for at, want := range map[robot.Point]string{{X: 1.5, Y: 0.2}: "wall", {X: 1.5, Y: 2}: "unknown part", {X: 3.05, Y: 3.5}: "wall"} { // the last is in one, far from its lines
		if got := NewPlanner(bare, desc).nameNearest(at); got != want {
			t.Errorf("without furniture, nearest to %v is the %q, want %q", at, got, want)
		}
	}
	for _, c := range []struct {
		nodes []robot.Via
		want  string
	}{
		{nil, "at x 3.0, y 2.0"},
		{[]robot.Via{{Point: robot.Point{X: 3, Y: 2}}, {Name: "Gate", Point: robot.Point{X: 3, Y: 3}}, {Name: "Hall", Point: robot.Point{X: 4.5, Y: 2}}}, "near Gate"},
		{[]robot.Via{{Name: "Far", Point: robot.Point{X: 5.1, Y: 2}}}, "at x 3.0, y 2.0"},
	} {
		plan.Graph.Nodes = c.nodes
		if got := p.namePoint(robot.Point{X: 3, Y: 2}); got != c.want {
			t.Errorf("with %v it is %q, want %q", c.nodes, got, c.want)
		}
	}
	p.Unblock()
	_, err := p.FindRoute(noon, robot.Pose{X: 1, Y: 1}, robot.Pose{X: 5, Y: 1})
	if err == nil || !strings.HasPrefix(err.Error(), "No route: the passage is too narrow ") {
		t.Errorf("got %v", err)
	}
	// An obstacle elsewhere is not the one that blocks the path.
	p.Block(noon, robot.Point{X: 1, Y: 2}, robot.Point{X: 0.6, Y: 2})
	if _, err := p.FindRoute(noon, robot.Pose{X: 2, Y: 1}, robot.Pose{X: 5, Y: 1}); err == nil || strings.Contains(err.Error(), "in the way") {
		t.Errorf("got %v", err)
	}
}

func TestAClosedDoorWithoutANameIsADoor(t *testing.T) {
	plan, desc := office(t)
	for n := range plan.Doors {
		plan.Doors[n].Name = ""
	}
	p := NewPlanner(plan, desc)
	p.Block(noon, robot.Point{X: 17, Y: 11.35}, robot.Point{X: 17.95, Y: 11.35})
	if _, err := p.FindRoute(noon, place(t, plan, "Stairs"), place(t, plan, "Copy room")); err == nil || err.Error() != "No route: a door is closed." {
		t.Errorf("got %v", err)
	}
	if got := p.describeObstacle(obstacle{at: robot.Point{X: 10, Y: 7.3}}); !strings.HasPrefix(got, "something is in the way ") {
		t.Errorf("in the corridor: %q", got)
	}
}

func TestAReadingWithMoreOrFewerRangesThanSonarsIsTaken(t *testing.T) {
	desc := mybot(t)
	for _, n := range []int{0, 1, len(desc.Sonars) + 3} {
		p := NewPlanner(hall(4), desc)
		p.Block(noon, robot.Point{X: 2, Y: 2}, robot.Point{X: 3, Y: 2})
		r := robot.Reading{Time: noon, Ranges: make([]float64, n)}
		for k := range r.Ranges {
			r.Ranges[k] = math.Inf(1)
		}
		for k := range 300 {
			r.Time = noon.Add(time.Duration(k) * 20 * time.Millisecond)
			p.Observe(r, nil, robot.Pose{X: 2.2, Y: 2})
		}
		if gone := len(p.obstacles) == 0; gone != (n > 0) {
			t.Errorf("with %d ranges it is gone: %v", n, gone)
		}
	}
}

func TestAnObstacleIsForgottenAtItsTimeAlsoWhenAnotherIsNoted(t *testing.T) {
	p := NewPlanner(hall(4), mybot(t))
	p.Block(noon, robot.Point{X: 2, Y: 2}, robot.Point{X: 3, Y: 2})
	p.Block(noon.Add(limits.BlockedLife-1), robot.Point{X: 2, Y: 3}, robot.Point{X: 3, Y: 3})
	if len(p.obstacles) != 2 {
		t.Errorf("%d obstacles are known, want both", len(p.obstacles))
	}
	p.Block(noon.Add(limits.BlockedLife), robot.Point{X: 1, Y: 1}, robot.Point{X: 1, Y: 1})
	if len(p.obstacles) != 2 || !p.IsDrivable(robot.Point{X: 3.15, Y: 2}) {
		t.Errorf("%d obstacles are known, want the two that are not old", len(p.obstacles))
	}
}

func TestAPlaceIsJoinedToAViaPointAndNotToThoseBehindIt(t *testing.T) {
	plan := hall(4)
	plan.Graph.Nodes = []robot.Via{{ID: 1, Point: robot.Point{X: 2, Y: 2}}, {ID: 2, Point: robot.Point{X: 3, Y: 2}}}
	plan.Graph.Edges = []robot.Edge{{Start: 1, End: 2}} // one way
	p := NewPlanner(plan, mybot(t))
	for _, c := range []struct {
		name string
		at   robot.Point
		out  bool
		want int
	}{
		{"a path leads on", robot.Point{X: 1, Y: 2}, true, 1},
		{"no path leads back", robot.Point{X: 1, Y: 2}, false, 2},
		{"a path comes from there", robot.Point{X: 4, Y: 2}, false, 1},
		{"no path leads there", robot.Point{X: 4, Y: 2}, true, 2},
		{"the path by it is longer", robot.Point{X: 2.5, Y: 3.2}, true, 2},
	} {
		if links := p.linkPoint(nil, c.at, c.out); len(links) != c.want {
			t.Errorf("%s: %d links, want %d", c.name, len(links), c.want)
		}
	}
}
