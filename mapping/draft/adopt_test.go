package draft_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"mybot/mapping"
	"mybot/mapping/draft"
	"mybot/robot"
)

// westDrive maps the corridor and the first room, eastDrive continues from there.
var (
	westDrive = []robot.Point{{X: 1.5}, {X: 3.95}, {X: 3.95, Y: 3.5}, {X: 6.5, Y: 3.5}, {X: 1.5, Y: 3.5}, {X: 3.95, Y: 3.5}, {X: 3.95}, {X: 1.5}}
	eastDrive = []robot.Point{{X: 8}, {X: 8, Y: -4}, {X: 2, Y: -4}, {X: 14, Y: -4}, {X: 8, Y: -4}, {X: 8}, {X: 11.95}, {X: 11.95, Y: 3.5}, {X: 11.95}, {X: 1.5}}
)

// extendRooms maps the west wing, has a user change the plan saved from it, and
// maps the east wing as well. It returns that plan and the draft of the extended
// map.
func extendRooms(t *testing.T, edit func(*draft.Draft), change func(*robot.Floorplan)) (saved *robot.Floorplan, extended, west *mapping.Result, edits []byte) {
	t.Helper()
	west = roomsFloor().mapDrive(roomsTilt, westDrive...).Result()
	d, err := draft.New(draft.Source{Result: west, Robot: mybotDescription(t)})
	if err != nil {
		t.Fatal(err)
	}
	edit(d)
	if saved, err = d.Plan("Rooms"); err != nil {
		t.Fatal(err)
	}
	if edits, err = d.Edits(); err != nil {
		t.Fatal(err)
	}
	change(saved)
	var m mapping.Mapper
	for i, k := range roomsFloor().keyFrames(roomsTilt, append(slices.Clone(westDrive), eastDrive...)...) {
		if i < west.KeyFrames() {
			m.AddFixed(k, west.Pose(i))
			continue
		}
		if i == west.KeyFrames() {
			m.Interrupt()
		}
		m.Add(k)
	}
	m.Finish()
	for m.Step() {
	}
	return saved, m.Result(), west, edits
}

// adoptRooms returns the draft of a result that has adopted a plan.
func adoptRooms(t *testing.T, r *mapping.Result, edits []byte, plan *robot.Floorplan) *draft.Draft {
	t.Helper()
	d, err := draft.Restore(draft.Source{Result: r, Robot: mybotDescription(t)}, edits)
	if err == nil {
		err = d.Adopt(plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAnExtendedMapKeepsWhatPeopleChangedSinceItWasSaved(t *testing.T) {
	var moved, added int // via points
	var dropped robot.Point
	edit := func(d *draft.Draft) {
		apply(t, d, draft.Edit{Op: draft.Straighten})
		at := onDraft(d, 2, 3)[0]
		apply(t, d, draft.Edit{Op: draft.Place, Name: "Sofa", Pose: robot.Pose{X: at.X, Y: at.Y, Theta: 1}})
		apply(t, d, draft.Edit{Op: draft.Place, Name: "Gone", Pose: robot.Pose{X: at.X, Y: at.Y}})
		moved, _ = nearestVia(d, 3.95, 3.5)
		away, _ := nearestVia(d, 1, 0)
		dropped = viaAt(d.View(), away)
		for _, e := range []draft.Edit{{Op: draft.Via, ID: moved, At: onDraft(d, 4.2, 3.3)[0]}, {Op: draft.Via, ID: away, Drop: true}} {
			apply(t, d, e)
		}
		v := d.View()
		apply(t, d, draft.Edit{Op: draft.Room, ID: roomAt(v, at), Name: "Lounge"})
	}
	change := func(p *robot.Floorplan) { // as the map editor does
		p.Places = slices.DeleteFunc(p.Places, func(p robot.Place) bool { return p.Name == "Gone" })
		p.Places[0].Pose.X += 0.25
		added = p.Graph.Nodes[len(p.Graph.Nodes)-1].ID + 7
		i := slices.IndexFunc(p.Graph.Nodes, func(v robot.Via) bool { return v.ID == moved })
		at := p.Graph.Nodes[i].Point
		p.Graph.Nodes = append(p.Graph.Nodes, robot.Via{ID: added, Name: "Desk", Point: at.Add(robot.Point{X: 0.9, Y: 0.9})})
		p.Graph.Edges = append(p.Graph.Edges, robot.Edge{ID: 77, Start: moved, End: added}) // one way
		p.Dock = &robot.Pose{X: at.X, Y: at.Y, Theta: -1}
	}
	saved, result, west, edits := extendRooms(t, edit, change)
	d := adoptRooms(t, result, edits, saved)
	check := func(t *testing.T, d *draft.Draft) *robot.Floorplan {
		t.Helper()
		plan, err := d.Plan("Rooms")
		if err != nil {
			t.Fatal(err)
		}
		if v := d.View(); len(v.Faults) > 0 {
			t.Errorf("faults %q", v.Faults)
		}
		for _, was := range saved.Graph.Nodes {
			i := slices.IndexFunc(plan.Graph.Nodes, func(v robot.Via) bool { return v.ID == was.ID })
			if i < 0 || plan.Graph.Nodes[i].Point.Sub(was.Point).Norm() > 1e-3 || plan.Graph.Nodes[i].Name != was.Name {
				t.Errorf("via point %+v is not as it was", was)
			}
		}
		for _, was := range saved.Graph.Edges {
			if !leads(plan, was.Start, was.End) {
				t.Errorf("the edge from %d to %d is missing", was.Start, was.End)
			}
		}
		if leads(plan, added, moved) {
			t.Errorf("the edge from %d to %d is one way, but also leads back", moved, added)
		}
		if len(plan.Places) != 1 || plan.Places[0].Name != "Sofa" || plan.Places[0].Pose.Point().Sub(saved.Places[0].Pose.Point()).Norm() > 1e-3 || math.Abs(plan.Places[0].Pose.Theta-1) > 1e-3 {
			t.Errorf("the places are %+v, want %+v", plan.Places, saved.Places)
		}
		if plan.Dock == nil || plan.Dock.Point().Sub(saved.Dock.Point()).Norm() > 1e-3 {
			t.Errorf("the dock is at %v, want %v", plan.Dock, saved.Dock)
		}
		if !slices.ContainsFunc(plan.Rooms, func(r robot.Room) bool { return r.Name == "Lounge" }) {
			t.Error("the room has lost its name")
		}
		return plan
	}
	plan := check(t, d)
	for _, v := range plan.Graph.Nodes {
		if v.Point.Sub(dropped).Norm() < 0.75 {
			t.Errorf("via point %d is at %+v, where one was dropped", v.ID, v.Point)
		}
	}
	if from := plan.Graph.Nodes[0].ID; !reaches(plan, from, nearestNode(plan, onDraft(d, 12, -4)[0])) {
		t.Errorf("no edges lead from via point %d into the hall", from)
	}

	t.Run("also when all that was mapped since is taken back", func(t *testing.T) {
		again, err := d.Edits()
		if err != nil {
			t.Fatal(err)
		}
		restored, err := draft.Restore(draft.Source{Result: west, Robot: mybotDescription(t)}, again)
		if err != nil {
			t.Fatal(err)
		}
		check(t, restored)
	})
	t.Run("and another time", func(t *testing.T) {
		again, err := d.Edits()
		if err != nil {
			t.Fatal(err)
		}
		third := adoptRooms(t, result, again, plan)
		check(t, third)
		if now := third.View(); len(now.Via) != len(d.View().Via) {
			t.Errorf("%d via points, before %d", len(now.Via), len(d.View().Via))
		}
	})
}

func TestAViaPointThatWasSavedAndDoesNotFitAnyMoreIsNamed(t *testing.T) {
	saved, result, _, edits := extendRooms(t, func(*draft.Draft) {}, func(*robot.Floorplan) {})
	d := adoptRooms(t, result, edits, saved)
	if v := d.View(); len(v.Faults) > 0 {
		t.Errorf("faults %q", v.Faults)
	}
	id, _ := nearestVia(d, 3.95, 0)
	at := viaAt(d.View(), id)
	apply(t, d, draft.Edit{Op: draft.Wall, Line: robot.Segment{A: at.Add(robot.Point{X: -0.4}), B: at.Add(robot.Point{X: 0.4})}})
	if v := d.View(); !math.IsNaN(viaAt(v, id).X) || len(v.Faults) == 0 || !strings.Contains(v.Faults[0], "which was saved before, is left out") {
		t.Errorf("via point %d is at %+v, behind a wall; faults %q", id, viaAt(v, id), v.Faults)
	}
}

// roomAt returns the id of the room that contains a point of the draft.
func roomAt(v draft.View, p robot.Point) int {
	for _, r := range v.Rooms {
		if robot.Inside(p, corners(r.Outline)) {
			return r.ID
		}
	}
	return 0
}

func leads(p *robot.Floorplan, from, to int) bool {
	return slices.ContainsFunc(p.Graph.Edges, func(e robot.Edge) bool { return e.Start == from && e.End == to })
}

// reaches reports whether edges lead from one via point to another.
func reaches(p *robot.Floorplan, from, to int) bool {
	seen := map[int]bool{from: true}
	for next := []int{from}; len(next) > 0; {
		at := next[0]
		next = next[1:]
		for _, e := range p.Graph.Edges {
			if e.Start == at && !seen[e.End] {
				seen[e.End] = true
				next = append(next, e.End)
			}
		}
	}
	return seen[to]
}

func nearestNode(p *robot.Floorplan, at robot.Point) int {
	return slices.MinFunc(p.Graph.Nodes, func(a, b robot.Via) int {
		return int(math.Copysign(1, a.Point.Sub(at).Norm()-b.Point.Sub(at).Norm()))
	}).ID
}

func TestAStatedGraphThatIsNotRightIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ change, want string }{
		"fewer via points than spots":     {`{"op":"graph","spots":[[0,0,0,0],[0,1,0,0]],"via":[{"id":1}]}`, "one for each spot"},
		"the same id twice":               {`{"op":"graph","spots":[[0,0,0,0],[0,1,0,0]],"via":[{"id":1},{"id":1}]}`, "no other via point"},
		"an edge to nothing":              {`{"op":"graph","spots":[[0,0,0,0]],"via":[{"id":1}],"edges":[[1,2]]}`, "the ids of two"},
		"an edge that is there twice":     {`{"op":"graph","spots":[[0,0,0,0],[0,1,0,0]],"via":[{"id":1},{"id":2}],"edges":[[1,2],[1,2]]}`, "each once"},
		"edges of another kind of change": {`{"op":"dock","drop":true,"edges":[[1,2]]}`, "edges"},
	} {
		t.Run(name, func(t *testing.T) {
			edits := `{"version":1,"changes":[` + c.change + `],"undone":[]}`
			if !json.Valid([]byte(edits)) {
				t.Fatal("the test is not JSON")
			}
			_, err := draft.Restore(draft.Source{Result: cellResult(), Robot: mybotDescription(t)}, []byte(edits))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestAnExtendedMapKeepsPlacesOfAnEarlierVersionThatLookTheSame(t *testing.T) {
	const composed, decomposed = "Caf\u00e9", "Cafe\u0301"
	change := func(p *robot.Floorplan) {
		at := p.Places[0].Pose
		p.Places = []robot.Place{{Name: composed, Pose: at}, {Name: decomposed, Pose: robot.Pose{X: at.X + 0.3, Y: at.Y}}}
	}
	edit := func(d *draft.Draft) {
		at := onDraft(d, 2, 3)[0]
		apply(t, d, draft.Edit{Op: draft.Place, Name: "Sofa", Pose: robot.Pose{X: at.X, Y: at.Y}})
	}
	saved, extended, _, edits := extendRooms(t, edit, change)
	d := adoptRooms(t, extended, edits, saved)
	plan, err := d.Plan("Rooms")
	if err != nil || len(plan.Places) != 2 {
		t.Fatalf("%v: %v", plan, err)
	}
	at := d.View().Places[0].Pose
	again := draft.Edit{Op: draft.Place, Name: "Ca\u200bf\u00e9", Pose: robot.Pose{X: at[0], Y: at[1]}}
	if err := d.Apply(again); err == nil || !strings.Contains(err.Error(), "look the same") {
		t.Errorf("a new place that looks like an old one: %v", err)
	}
	again.Name = composed
	apply(t, d, again) // is moved
	again.Name = "\u2800"
	if err := d.Apply(again); err == nil || !strings.Contains(err.Error(), "nothing that can be seen") {
		t.Errorf("a new place of whose name nothing is seen: %v", err)
	}
}
