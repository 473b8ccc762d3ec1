package draft_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mybot/mapping"
	"mybot/mapping/draft"
	"mybot/robot"
)

// drawEdit is an edit at a random point of the one room.
func drawEdit(t *rapid.T) draft.Edit {
	point := func() robot.Point {
		return robot.Point{X: rapid.Float64Range(-4, 5).Draw(t, "x"), Y: rapid.Float64Range(-3, 3).Draw(t, "y")}
	}
	e := draft.Edit{Op: rapid.SampledFrom([]draft.Op{draft.Straighten, draft.Rotate, draft.Erase, draft.Wall, draft.Glass, draft.Keepout, draft.Crop, draft.Place, draft.Dock, draft.Via, draft.Edge, draft.Room, draft.Undo, draft.Redo}).Draw(t, "op")}
	switch e.Op {
	case draft.Rotate:
		e.Angle = rapid.Float64Range(-3, 3).Draw(t, "angle")
	case draft.Erase, draft.Keepout:
		if e.Drop = e.Op == draft.Keepout && rapid.Bool().Draw(t, "drop"); e.Drop {
			e.ID = rapid.IntRange(0, 2).Draw(t, "number")
			break
		}
		e.Outline = []robot.Point{point(), point(), point()}
	case draft.Wall, draft.Glass:
		e.Line = robot.Segment{A: point(), B: point()}
	case draft.Crop:
		e.Low, e.High = point(), point()
	case draft.Place:
		p := point()
		e.Name, e.Pose = rapid.SampledFrom([]string{"A", "B"}).Draw(t, "name"), robot.Pose{X: p.X, Y: p.Y, Theta: 1}
	case draft.Via:
		e.ID, e.Drop, e.At = rapid.IntRange(0, 3).Draw(t, "id"), rapid.Bool().Draw(t, "drop"), point()
	case draft.Edge:
		e.Ends, e.Drop = [2]int{rapid.IntRange(1, 3).Draw(t, "from"), rapid.IntRange(1, 3).Draw(t, "to")}, rapid.Bool().Draw(t, "drop")
	case draft.Room:
		e.ID, e.Name, e.Drop = 1, "Hall", rapid.Bool().Draw(t, "drop")
	case draft.Dock:
		p := point()
		e.Pose = robot.Pose{X: p.X, Y: p.Y}
	}
	return e
}

func TestUndoneEditsLeaveNothingBehind(t *testing.T) {
	draws := 0
	rapid.Check(t, func(t *rapid.T) {
		if draws++; testing.Short() && draws > 3 {
			return
		}
		d, err := draft.New(draft.Source{Result: cellResult(), Robot: robot.Description{}})
		if err != nil {
			t.Fatal(err)
		}
		first := d.View()
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			_ = d.Apply(drawEdit(t)) // which may be refused
		}
		data, err := d.Edits()
		if err != nil {
			t.Fatal(err)
		}
		restored, err := draft.Restore(draft.Source{Result: cellResult(), Robot: robot.Description{}}, data)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		now, again := d.View(), restored.View()
		now.Rev, again.Rev = 0, 0
		if !reflect.DeepEqual(now, again) || !reflect.DeepEqual(d.Picture(), restored.Picture()) {
			t.Fatalf("the restored draft differs:\n%+v\n%+v", now.Faults, again.Faults)
		}
		for d.View().CanUndo {
			if err := d.Apply(draft.Edit{Op: draft.Undo}); err != nil {
				t.Fatal(err)
			}
		}
		last := d.View()
		last.Rev, last.CanRedo = first.Rev, false
		if !reflect.DeepEqual(first, last) {
			t.Fatal("after all is undone the draft is not as it was")
		}
	})
}

func TestEditsStayWhereTheyAreRelativeToTheWalls(t *testing.T) {
	d := roomsDraft(t)
	apply(t, d, draft.Edit{Op: draft.Straighten})
	p := onDraft(d, 2, 3, 8, 0.9, 8, -0.9)
	apply(t, d, draft.Edit{Op: draft.Place, Name: "Sofa", Pose: robot.Pose{X: p[0].X, Y: p[0].Y}})
	apply(t, d, draft.Edit{Op: draft.Wall, Line: robot.Segment{A: p[1], B: p[2]}})
	apply(t, d, draft.Edit{Op: draft.Rotate, Angle: 1})
	want := onDraft(d, 2, 3)[0] // the frame has turned, and the place with it
	sofa := d.View().Places[0].Pose
	if math.Hypot(sofa[0]-want.X, sofa[1]-want.Y) > 1e-3 || math.Abs(sofa[2]-1) > 1e-3 {
		t.Errorf("the sofa is at %v, want %v", sofa, want)
	}
	if cellOn(d, 8, 0) != robot.Occupied {
		t.Error("the drawn wall did not turn with the frame")
	}
}

func TestEditsMoveWithTheKeyFramesOfAnotherVersionOfTheMap(t *testing.T) {
	d, err := draft.New(draft.Source{Result: cellResult(), Robot: mybotDescription(t)})
	if err != nil {
		t.Fatal(err)
	}
	sofa, a, b := robot.Pose{X: -1, Y: 0.5, Theta: 1}, robot.Point{X: 1.5, Y: -1}, robot.Point{X: 1.5, Y: 0}
	via := d.View().Via[0].ID
	moved := robot.Point{X: 0.2, Y: 0.3}
	apply(t, d, draft.Edit{Op: draft.Place, Name: "Sofa", Pose: sofa})
	apply(t, d, draft.Edit{Op: draft.Via, ID: via, At: moved})
	apply(t, d, draft.Edit{Op: draft.Wall, Line: robot.Segment{A: a, B: b}})
	edits, err := d.Edits()
	if err != nil {
		t.Fatal(err)
	}
	// The same key frames at other poses, as if an optimization had moved them all.
	change := robot.Pose{X: 3, Y: -2, Theta: 0.4}
	var m mapping.Mapper
	for i, k := range cellFloor().keyFrames(0.1, cellDrive...) {
		m.AddFixed(k, change.Compose(cellResult().Pose(i)))
	}
	m.Finish()
	for m.Step() {
	}
	again, err := draft.Restore(draft.Source{Result: m.Result(), Robot: mybotDescription(t)}, edits)
	if err != nil {
		t.Fatal(err)
	}
	v, want := again.View(), change.Compose(sofa)
	if p := v.Places[0].Pose; math.Hypot(p[0]-want.X, p[1]-want.Y) > 1e-3 || math.Abs(p[2]-want.Theta) > 1e-3 {
		t.Errorf("the sofa is at %v, want %+v", p, want)
	}
	if line := v.Walls[len(v.Walls)-1].Line; math.Hypot(line[0][0]-change.Apply(a).X, line[0][1]-change.Apply(a).Y) > 1e-3 || math.Hypot(line[1][0]-change.Apply(b).X, line[1][1]-change.Apply(b).Y) > 1e-3 {
		t.Errorf("the wall is at %v, want %+v to %+v", line, change.Apply(a), change.Apply(b))
	}
	nearest := math.Inf(1)
	for _, n := range v.Via {
		nearest = math.Min(nearest, math.Hypot(n.At[0]-change.Apply(moved).X, n.At[1]-change.Apply(moved).Y))
	}
	if nearest > 1e-3 || len(v.Faults) > 0 {
		t.Errorf("no via point is nearer than %.3f m to where one was moved; faults %q", nearest, v.Faults)
	}
}

func TestStoredEditsThatAreNotRightAreRefused(t *testing.T) {
	source := draft.Source{Result: roomsResult(), Robot: mybotDescription(t)}
	for text, want := range map[string]string{
		`{`:                                      "not JSON",
		`{"version":2,"changes":[],"undone":[]}`: "version",
		`{"version":1,"changes":[{"op":"undo"}],"undone":[]}`:                                        "op",
		`{"version":1,"changes":[{"op":"wall","spots":[[0,1,2,0]]}],"undone":[]}`:                    "a list of 2 to 2",
		`{"version":1,"changes":[{"op":"wall","spots":[[0.5,1,2,0],[0,1,3,0]]}],"undone":[]}`:        "spots",
		`{"version":1,"changes":[{"op":"wall","turn":1,"spots":[[0,1,2,0],[0,1,3,0]]}],"undone":[]}`: "turn",
		`{"version":1,"changes":[],"undone":[],"more":1}`:                                            "more",
	} {
		if _, err := draft.Restore(source, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	d, err := draft.Restore(source, []byte(`{"version":1,"changes":[{"op":"wall","spots":[[99999,1,2,0],[0,1,3,0]]}],"undone":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	if faults := d.View().Faults; len(faults) != 1 || !strings.Contains(faults[0], "no longer exists") {
		t.Errorf("an edit of a missing key frame: %q", faults)
	}
}

func FuzzRestore(f *testing.F) {
	f.Add([]byte(`{"version":1,"changes":[{"op":"wall","spots":[[0,1,2,0],[0,1,3,0]]}],"undone":[]}`))
	f.Add([]byte(`{"version":1,"changes":[{"op":"crop","spots":[[0,-1,-1,0],[0,1,-1,0],[0,1,1,0],[0,-1,1,0]]},{"op":"straighten","turn":0.2}],"undone":[{"op":"place","name":"A","spots":[[3,0,0,1]]}]}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if len(data) > 2000 {
			return
		}
		if d, err := draft.Restore(draft.Source{Result: cellResult()}, data); err == nil {
			d.View()
		}
	})
}
