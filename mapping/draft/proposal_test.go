package draft_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mybot/mapping/draft"
	"mybot/pathplan"
	"mybot/robot"
	"mybot/robot/floorplan"
)

func viaAt(v draft.View, id int) robot.Point {
	for _, n := range v.Via {
		if n.ID == id {
			return robot.Point{X: n.At[0], Y: n.At[1]}
		}
	}
	return robot.Point{X: math.NaN()}
}

// nearestVia returns the via point nearest to a point of the floor.
func nearestVia(d *draft.Draft, x, y float64) (id int, distance float64) {
	at := onDraft(d, x, y)[0]
	distance = math.Inf(1)
	for _, n := range d.View().Via {
		if far := math.Hypot(n.At[0]-at.X, n.At[1]-at.Y); far < distance {
			id, distance = n.ID, far
		}
	}
	return id, distance
}

func TestAProposedGraphLeadsThroughEveryDoor(t *testing.T) {
	d := roomsDraft(t)
	for _, door := range [][2]float64{{3.95, 1.05}, {11.95, 1.05}} {
		if _, far := nearestVia(d, door[0], door[1]); far > 0.2 {
			t.Errorf("the nearest via point is %.2f m from the middle of the door at %v", far, door)
		}
	}
	v := d.View()
	if len(v.Via) < 8 || len(v.Via) > 25 {
		t.Errorf("%d via points", len(v.Via))
	}
	for _, e := range v.Edges {
		if length := viaAt(v, e[0]).Sub(viaAt(v, e[1])).Norm(); !(length > 0.1 && length <= 7) { // 6 m, and how far apart merged joints were
			t.Errorf("the edge %v is %.2f m long", e, length)
		}
	}
}

func TestTheRobotCanDriveTheProposedGraphWithoutLongDetours(t *testing.T) {
	if testing.Short() {
		t.Skip("it plans 500 paths")
	}
	desc := mybotDescription(t)
	d := roomsDraft(t)
	apply(t, d, draft.Edit{Op: draft.Straighten})
	plan, err := d.Plan("Rooms")
	if err != nil {
		t.Fatal(err)
	}
	if barred := floorplan.Barred(plan); len(barred) > 0 {
		t.Error(barred)
	}
	bare := *plan
	bare.Graph = robot.Graph{}
	byGraph, byFloor := pathplan.NewPlanner(plan, desc), pathplan.NewPlanner(&bare, desc)
	if usable := byGraph.Graph().CountEdges(); usable != len(plan.Graph.Edges) || usable != 2*len(d.View().Edges) {
		t.Errorf("the robot can use %d of %d edges", usable, len(plan.Graph.Edges))
	}
	rng := rand.New(rand.NewPCG(5, 5))
	var free []robot.Point
	g := &plan.Grid
	for k := range g.Cells {
		p := g.CellMiddle(k%g.Width, k/g.Width)
		if byGraph.IsDrivable(p) {
			free = append(free, p)
		}
	}
	sum, n := 0.0, 0
	for range 500 {
		a, b := free[rng.IntN(len(free))], free[rng.IntN(len(free))]
		route, err := byFloor.FindRoute(time.Time{}, robot.Pose{X: a.X, Y: a.Y}, robot.Pose{X: b.X, Y: b.Y})
		if err != nil || route.Length < 1 {
			continue
		}
		_, length := byGraph.PathByGraph(time.Time{}, a, b)
		sum, n = sum+math.Max(1, length/route.Length), n+1
	}
	t.Logf("routes by the graph are %.3f times as long as over the floor, in the mean of %d", sum/float64(n), n)
	if mean := sum / float64(n); n < 400 || !(mean <= 1.10) {
		t.Errorf("routes by the graph are %.3f times as long as over the floor, in the mean of %d", mean, n)
	}
}

func TestDoorsDivideTheFloorIntoRooms(t *testing.T) {
	d := roomsDraft(t)
	v := d.View()
	if len(v.Rooms) != 3 {
		t.Fatalf("%d rooms; two lie behind doors, and the corridor is open to the hall", len(v.Rooms))
	}
	for _, c := range []struct{ x, y, width, height float64 }{{4, 3.5, 7.95, 4.9}, {12, 3.5, 7.95, 4.9}} {
		at := onDraft(d, c.x, c.y)[0]
		n := slices.IndexFunc(v.Rooms, func(r draft.ViewRoom) bool { return robot.Inside(at, corners(r.Outline)) })
		if n < 0 {
			t.Errorf("no room is at (%g, %g)", c.x, c.y)
			continue
		}
		if area := area(corners(v.Rooms[n].Outline)); math.Abs(area-c.width*c.height) > 3 {
			t.Errorf("the room at (%g, %g) has %.1f m2, want %.1f", c.x, c.y, area, c.width*c.height)
		}
	}
}

func corners(outline [][2]float64) (points []robot.Point) {
	for _, p := range outline {
		points = append(points, robot.Point{X: p[0], Y: p[1]})
	}
	return points
}

func area(outline []robot.Point) (area float64) {
	for i, p := range outline {
		area += p.Cross(outline[(i+1)%len(outline)]) / 2
	}
	return area
}

func TestRoomsAreNamedAndDropped(t *testing.T) {
	d := roomsDraft(t)
	roomAt := func(x, y float64) int {
		at := onDraft(d, x, y)[0]
		for _, r := range d.View().Rooms {
			if robot.Inside(at, corners(r.Outline)) {
				return r.ID
			}
		}
		return 0
	}
	apply(t, d, draft.Edit{Op: draft.Room, ID: roomAt(4, 3.5), Name: "Kitchen"})
	apply(t, d, draft.Edit{Op: draft.Room, ID: roomAt(12, 3.5), Drop: true})
	apply(t, d, draft.Edit{Op: draft.Straighten})
	plan, err := d.Plan("Rooms")
	if err != nil {
		t.Fatal(err)
	}
	if name := plan.RoomAt(onDraft(d, 2, 3)[0]); name != "Kitchen" || len(plan.Rooms) != 2 {
		t.Errorf("the room is called %q, and there are %d", name, len(plan.Rooms))
	}
	if err := d.Apply(draft.Edit{Op: draft.Room, ID: 99, Name: "A"}); err == nil || !strings.Contains(err.Error(), "no room 99") {
		t.Errorf("an unknown room: %v", err)
	}
}

func TestViaPointsAndEdgesAreChangedByHand(t *testing.T) {
	d := roomsDraft(t)
	before := d.View()
	door, _ := nearestVia(d, 3.95, 1.05)
	to := onDraft(d, 8, -2, 6, 3.5, 5, 4.5)
	hall, _ := nearestVia(d, 8, -4)
	apply(t, d, draft.Edit{Op: draft.Via, ID: hall, At: to[0]})
	if at := viaAt(d.View(), hall); at.Sub(to[0]).Norm() > 1e-3 {
		t.Errorf("the via point was moved to %+v, want %+v", at, to[0])
	}
	apply(t, d, draft.Edit{Op: draft.Via, ID: door, Drop: true})
	v := d.View()
	if !math.IsNaN(viaAt(v, door).X) || slices.ContainsFunc(v.Edges, func(e [2]int) bool { return e[0] == door || e[1] == door }) {
		t.Errorf("the via point %d in the door is still there", door)
	}
	apply(t, d, draft.Edit{Op: draft.Via, At: to[1]})
	apply(t, d, draft.Edit{Op: draft.Via, At: to[2]})
	v = d.View()
	a, b := v.Via[len(v.Via)-2].ID, v.Via[len(v.Via)-1].ID
	has := func() bool {
		return slices.ContainsFunc(d.View().Edges, func(e [2]int) bool { return e == [2]int{a, b} || e == [2]int{b, a} })
	}
	if !has() {
		apply(t, d, draft.Edit{Op: draft.Edge, Ends: [2]int{a, b}})
	}
	if !has() {
		t.Errorf("there is no edge %d to %d", a, b)
	}
	apply(t, d, draft.Edit{Op: draft.Edge, Ends: [2]int{b, a}, Drop: true})
	if has() {
		t.Errorf("the edge %d to %d is still there", a, b)
	}
	if _, err := d.Plan("Rooms"); err != nil {
		t.Error(err)
	}
	for d.View().CanUndo {
		apply(t, d, draft.Edit{Op: draft.Undo})
	}
	if v := d.View(); !reflect.DeepEqual(v.Via, before.Via) || !reflect.DeepEqual(v.Edges, before.Edges) {
		t.Error("after all is undone the graph is not as it was")
	}
}

func TestAWallDoesNotRearrangeWhatWasChangedByHand(t *testing.T) {
	d := roomsDraft(t)
	hall, _ := nearestVia(d, 8, -4)
	apply(t, d, draft.Edit{Op: draft.Via, ID: hall, At: onDraft(d, 8, -3)[0]})
	before := d.View()
	ends := onDraft(d, 11.5, 1.05, 12.4, 1.05)
	apply(t, d, draft.Edit{Op: draft.Wall, Line: robot.Segment{A: ends[0], B: ends[1]}})
	after := d.View()
	if len(after.Via) >= len(before.Via) {
		t.Errorf("%d via points, before the door was closed %d", len(after.Via), len(before.Via))
	}
	for _, n := range after.Via {
		if at := viaAt(before, n.ID); at.Sub(robot.Point{X: n.At[0], Y: n.At[1]}).Norm() > 1e-6 {
			t.Errorf("via point %d is at %v now, and was at %+v", n.ID, n.At, at)
		}
	}
}

func TestNoRouteLeadsThroughAKeepOut(t *testing.T) {
	d := roomsDraft(t)
	outline := onDraft(d, 9, -2, 13, -2, 13, -6, 9, -6)
	apply(t, d, draft.Edit{Op: draft.Keepout, Outline: outline})
	v := d.View()
	for _, n := range v.Via {
		if at := (robot.Point{X: n.At[0], Y: n.At[1]}); robot.Inside(at, outline) {
			t.Errorf("via point %d is in the keep-out", n.ID)
		}
	}
	for _, e := range v.Edges {
		if parts := viaAt(v, e[0]).Sub(viaAt(v, e[1])).Norm(); parts > 0 {
			a, b := viaAt(v, e[0]), viaAt(v, e[1])
			for f := 0.0; f <= 1; f += 0.02 {
				if robot.Inside(robot.Point{X: a.X + f*(b.X-a.X), Y: a.Y + f*(b.Y-a.Y)}, outline) {
					t.Fatalf("the edge %v leads through the keep-out", e)
				}
			}
		}
	}
}

func TestABadEditOfTheGraphIsRefusedWithASentence(t *testing.T) {
	d := roomsDraft(t)
	v := d.View()
	left, _ := nearestVia(d, 2, 3.5)
	right, _ := nearestVia(d, 14, 3.5)
	for _, c := range []struct {
		edit draft.Edit
		want string
	}{
		{draft.Edit{Op: draft.Via, ID: 9999, Drop: true}, "no via point 9999"},
		{draft.Edit{Op: draft.Via, At: onDraft(d, 0.1, 3)[0]}, "too near to a wall"},
		{draft.Edit{Op: draft.Via, ID: left, At: onDraft(d, 0.1, 3)[0]}, "too near to a wall"},
		{draft.Edit{Op: draft.Edge, Ends: [2]int{left, left}}, "with itself"},
		{draft.Edit{Op: draft.Edge, Ends: [2]int{left, right}}, "cannot drive straight"},
		{draft.Edit{Op: draft.Edge, Ends: [2]int{left, right}, Drop: true}, "there is no edge"},
		{draft.Edit{Op: draft.Edge, Ends: v.Edges[0]}, "already an edge"},
	} {
		if err := d.Apply(c.edit); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.edit, err, c.want)
		}
	}
}
