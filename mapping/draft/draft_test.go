package draft_test

import (
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mybot/mapping/draft"
	"mybot/robot"
	"mybot/robot/floorplan"
)

func cellOn(d *draft.Draft, x, y float64) robot.Cell {
	g := d.Picture()
	return g.At(onDraft(d, x, y)[0])
}

func TestTheWallsOfADraftStandWhereTheyAre(t *testing.T) {
	d := roomsDraft(t)
	floor, toFloor := roomsFloor(), floorFromDraft(d)
	metres, worst := 0.0, 0.0
	for _, w := range d.View().Walls {
		a, b := toFloor.Apply(robot.Point{X: w.Line[0][0], Y: w.Line[0][1]}), toFloor.Apply(robot.Point{X: w.Line[1][0], Y: w.Line[1][1]})
		length := b.Sub(a).Norm()
		if length < 0.5 {
			continue
		}
		metres += length
		for f := 0.1; f < 1; f += 0.1 {
			worst = max(worst, floor.nearest(robot.Point{X: a.X + f*(b.X-a.X), Y: a.Y + f*(b.Y-a.Y)}))
		}
	}
	if metres < 105 || metres > 125 || worst > 0.03 {
		t.Errorf("walls of 0.5 m and more are %.1f m together, and %.3f m off at worst", metres, worst)
	}
}

func TestALongWallIsOneLine(t *testing.T) {
	longest := 0.0
	for _, w := range roomsDraft(t).View().Walls {
		longest = max(longest, math.Hypot(w.Line[1][0]-w.Line[0][0], w.Line[1][1]-w.Line[0][1]))
	}
	if longest < 15.5 || longest > 16.2 {
		t.Errorf("the longest line is %.2f m; the hall is 16 m long", longest)
	}
}

func TestStraighteningTurnsWallsParallelToTheAxes(t *testing.T) {
	d := roomsDraft(t)
	apply(t, d, draft.Edit{Op: draft.Straighten})
	if turn := d.FrameFromMap().Theta; math.Abs(turn-roomsTilt) > 0.003 {
		t.Errorf("turned by %.4f rad; the floor is turned by %g", turn, roomsTilt)
	}
	for _, w := range d.View().Walls {
		dx, dy := math.Abs(w.Line[1][0]-w.Line[0][0]), math.Abs(w.Line[1][1]-w.Line[0][1])
		if length := math.Hypot(dx, dy); length > 2 && min(dx, dy) > 0.01*length {
			t.Errorf("the wall %v is not parallel to an axis", w.Line)
		}
	}
	if err := d.Apply(draft.Edit{Op: draft.Straighten}); err == nil || !strings.Contains(err.Error(), "straight already") {
		t.Errorf("straightened twice: %v", err)
	}
}

func TestAnErasedThingIsFreeFloor(t *testing.T) {
	d := roomsDraft(t)
	if cellOn(d, 8, 6) != robot.Occupied && cellOn(d, 7.95, 3) != robot.Occupied {
		t.Fatal("there is no wall between the rooms")
	}
	apply(t, d, draft.Edit{Op: draft.Erase, Outline: onDraft(d, 7.5, 3, 8.5, 3, 8.5, 4, 7.5, 4)})
	for _, x := range []float64{7.8, 7.97, 8, 8.05, 8.2} {
		if got := cellOn(d, x, 3.5); got != robot.Free {
			t.Errorf("x %g: %d after it was erased", x, got)
		}
	}
	if cellOn(d, 8, 7) == robot.Free {
		t.Error("the unknown outside became free")
	}
}

func TestWhatIsUnknownBeyondAnErasedWallStaysUnknown(t *testing.T) {
	d := roomsDraft(t)
	apply(t, d, draft.Edit{Op: draft.Erase, Outline: onDraft(d, 2, 5.5, 4, 5.5, 4, 6.5, 2, 6.5)})
	if got := cellOn(d, 3, 6.3); got != robot.Unknown {
		t.Errorf("behind the wall it is %d", got)
	}
	if got := cellOn(d, 3, 5.95); got != robot.Free {
		t.Errorf("where the wall was it is %d", got)
	}
}

func TestADrawnWallIsAWall(t *testing.T) {
	d := roomsDraft(t)
	before := len(d.View().Walls)
	ends := onDraft(d, 8, 0.9, 8, -0.9)
	apply(t, d, draft.Edit{Op: draft.Wall, Line: robot.Segment{A: ends[0], B: ends[1]}})
	if got := cellOn(d, 8, 0); got != robot.Occupied {
		t.Errorf("on the wall it is %d", got)
	}
	v := d.View()
	if last := v.Walls[len(v.Walls)-1].Line; len(v.Walls) != before+1 || math.Hypot(last[0][0]-ends[0].X, last[0][1]-ends[0].Y) > 0.001 {
		t.Errorf("%d walls, the last %v", len(v.Walls), last)
	}
	apply(t, d, draft.Edit{Op: draft.Erase, Outline: onDraft(d, 7, 0, 9, 0, 9, 0.5, 7, 0.5)})
	if v := d.View(); len(v.Walls) != before+2 || cellOn(d, 8, 0.25) != robot.Free || cellOn(d, 8, -0.25) != robot.Occupied {
		t.Errorf("%d walls after a part was erased", len(v.Walls))
	}
}

func TestCroppingDropsWhatIsOutside(t *testing.T) {
	d := roomsDraft(t)
	apply(t, d, draft.Edit{Op: draft.Straighten})
	box := onDraft(d, -0.5, -1.5, 16.5, 7)
	apply(t, d, draft.Edit{Op: draft.Crop, Low: box[0], High: box[1]})
	if v := d.View(); v.Height > 175 || cellOn(d, 8, -4) != robot.Unknown || cellOn(d, 8, 0) != robot.Free {
		t.Errorf("%d x %d cells", v.Width, v.Height)
	}
}

func TestAWallIsOfGlassWhereTheLineIs(t *testing.T) {
	d := roomsDraft(t)
	ends := onDraft(d, 3, -6.9, 5, -6.9)
	apply(t, d, draft.Edit{Op: draft.Glass, Line: robot.Segment{A: ends[0], B: ends[1]}})
	metres := 0.0
	for _, w := range d.View().Walls {
		if w.Glass {
			metres += math.Hypot(w.Line[1][0]-w.Line[0][0], w.Line[1][1]-w.Line[0][1])
		}
	}
	if math.Abs(metres-2) > 0.1 {
		t.Errorf("%.2f m are of glass; the line is 2 m long", metres)
	}
	plan, err := d.Plan("Glass")
	if err != nil || len(plan.Glass) == 0 {
		t.Errorf("%v: %v", plan, err)
	}
	middle := onDraft(d, 8, -4, 9, -4)
	apply(t, d, draft.Edit{Op: draft.Glass, Line: robot.Segment{A: middle[0], B: middle[1]}})
	if faults := d.View().Faults; len(faults) != 1 || !strings.Contains(faults[0], "no wall along the glass") {
		t.Errorf("glass in the middle of the hall: %q", faults)
	}
}

func TestNothingIsKnownOfAKeepOut(t *testing.T) {
	d := roomsDraft(t)
	apply(t, d, draft.Edit{Op: draft.Keepout, Outline: onDraft(d, 10, -3, 14, -3, 14, -5, 10, -5)})
	plan, err := d.Plan("Hall")
	if err != nil {
		t.Fatal(err)
	}
	at := onDraft(d, 12, -4)[0]
	if plan.Grid.At(at) != robot.Unknown || cellOn(d, 12, -4) != robot.Free || len(d.View().Keepouts) != 1 {
		t.Errorf("in the plan it is %d, in the picture %d", plan.Grid.At(at), cellOn(d, 12, -4))
	}
}

func TestAKeepOutIsTakenAwayAndTheOthersStay(t *testing.T) {
	d := roomsDraft(t)
	apply(t, d, draft.Edit{Op: draft.Straighten})
	via := len(d.View().Via)
	apply(t, d, draft.Edit{Op: draft.Keepout, Outline: onDraft(d, 2, -3, 6, -3, 6, -5, 2, -5)})
	apply(t, d, draft.Edit{Op: draft.Keepout, Outline: onDraft(d, 10, -3, 14, -3, 14, -5, 10, -5)})
	for _, id := range []int{0, 3} {
		if err := d.Apply(draft.Edit{Op: draft.Keepout, Drop: true, ID: id}); err == nil || !strings.Contains(err.Error(), "there are 2") {
			t.Errorf("dropping area %d of two: %v", id, err)
		}
	}
	second := d.View().Keepouts[1]
	apply(t, d, draft.Edit{Op: draft.Keepout, Drop: true, ID: 1})
	if left := d.View().Keepouts; len(left) != 1 || !slices.Equal(left[0], second) {
		t.Fatalf("after the first area was taken away there are %v, want %v", left, second)
	}
	plan, err := d.Plan("Rooms")
	if err != nil {
		t.Fatal(err)
	}
	first, other := onDraft(d, 4, -4)[0], onDraft(d, 12, -4)[0]
	if plan.Grid.At(first) != robot.Free || plan.Grid.At(other) != robot.Unknown {
		t.Errorf("the floor is %v where the area was removed and %v in the other area", plan.Grid.At(first), plan.Grid.At(other))
	}
	data, err := d.Edits()
	if err != nil {
		t.Fatal(err)
	}
	restored, err := draft.Restore(draft.Source{Result: roomsResult(), Robot: mybotDescription(t)}, data)
	if err != nil {
		t.Fatal(err)
	}
	if left := restored.View().Keepouts; len(left) != 1 || !slices.Equal(left[0], second) {
		t.Errorf("restored, the areas are %v, want %v", left, second)
	}
	apply(t, d, draft.Edit{Op: draft.Keepout, Drop: true, ID: 1})
	if now := len(d.View().Via); now != via {
		t.Errorf("%d via points are proposed after both were taken away, %d before", now, via)
	}
	apply(t, d, draft.Edit{Op: draft.Undo})
	if len(d.View().Keepouts) != 1 {
		t.Error("taking an area away is not undone")
	}
}

func TestPlacesAndDockAreOfThePlan(t *testing.T) {
	d := roomsDraft(t)
	p := onDraft(d, 2, 3, 14, 3)
	apply(t, d, draft.Edit{Op: draft.Place, Name: "Sofa", Pose: robot.Pose{X: p[0].X, Y: p[0].Y, Theta: 1}})
	apply(t, d, draft.Edit{Op: draft.Place, Name: "Desk", Pose: robot.Pose{X: p[1].X, Y: p[1].Y}})
	apply(t, d, draft.Edit{Op: draft.Dock, Pose: robot.Pose{X: p[1].X, Y: p[1].Y}})
	plan, err := d.Plan("Rooms")
	if err != nil || len(plan.Places) != 2 || plan.Dock == nil || plan.Name != "Rooms" {
		t.Fatalf("%+v: %v", plan, err)
	}
	if sofa, ok := plan.Place("Sofa"); !ok || sofa.Point().Sub(p[0]).Norm() > 1e-6 || math.Abs(sofa.Theta-1) > 1e-6 {
		t.Errorf("the sofa is at %+v", sofa)
	}
	apply(t, d, draft.Edit{Op: draft.Place, Name: "Desk", Drop: true})
	apply(t, d, draft.Edit{Op: draft.Dock, Drop: true})
	if v := d.View(); len(v.Places) != 1 || v.Dock != nil {
		t.Errorf("%+v, dock %v", v.Places, v.Dock)
	}
	if _, err := d.Plan(" "); err == nil || !strings.Contains(err.Error(), "1 to 60 characters") {
		t.Errorf("a map without a name: %v", err)
	}
}

func TestTheDockIsWhereTheRobotCharged(t *testing.T) {
	at := robot.Pose{X: 0.5, Y: -0.1, Theta: 2}
	d, err := draft.New(draft.Source{Result: roomsResult(), Robot: mybotDescription(t), Dock: &at})
	if err != nil {
		t.Fatal(err)
	}
	if dock := d.View().Dock; dock == nil || *dock != [3]float64{0.5, -0.1, 2} {
		t.Errorf("the dock is at %v", dock)
	}
}

func TestEditsThatAreMadeTogetherMakeWhatTheyMakeOneByOne(t *testing.T) {
	together, alone := roomsDraft(t), roomsDraft(t)
	ends := onDraft(alone, 8, 0.9, 8, -0.9)
	pane := robot.Segment{A: ends[0], B: ends[1]}
	edits := []draft.Edit{
		{Op: draft.Wall, Line: pane},
		{Op: draft.Glass, Line: pane},
		{Op: draft.Keepout, Outline: onDraft(alone, 10, -3, 14, -3, 14, -5, 10, -5)},
	}
	for _, e := range edits {
		apply(t, alone, e)
	}
	if err := together.Apply(edits...); err != nil {
		t.Fatal(err)
	}
	want, err := alone.Plan("Hall")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := together.Plan("Hall"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v; %d lines and %d panes, one by one %d and %d", err, len(got.Lines), len(got.Glass), len(want.Lines), len(want.Glass))
	}
	before := together.View()
	if err := together.Apply(draft.Edit{Op: draft.Undo}, draft.Edit{Op: draft.Wall, Line: robot.Segment{A: robot.Point{X: 900}, B: robot.Point{X: 901}}}); err == nil {
		t.Error("a wall outside the map was drawn")
	}
	if !reflect.DeepEqual(together.View(), before) {
		t.Error("edits of which the second was refused changed the map")
	}
}

func TestABadEditIsRefusedWithASentence(t *testing.T) {
	d := roomsDraft(t)
	before := d.View()
	far := func(x, y float64) robot.Point { return robot.Point{X: x, Y: y} }
	for _, c := range []struct {
		name string
		edit draft.Edit
		want string
	}{
		{"an outline of two points", draft.Edit{Op: draft.Erase, Outline: []robot.Point{{}, {X: 1}}}, "has 2 corners; it must have 3"},
		{"an outline without area", draft.Edit{Op: draft.Keepout, Outline: []robot.Point{{}, {X: 1}, {X: 2}}}, "encloses 0.000 m2"},
		{"a point that is no number", draft.Edit{Op: draft.Wall, Line: robot.Segment{A: far(math.NaN(), 0), B: far(1, 1)}}, "points are at most"},
		{"an angle that is no number", draft.Edit{Op: draft.Rotate, Angle: math.Inf(1)}, "must be in radians"},
		{"a wall without a length", draft.Edit{Op: draft.Wall}, "0.00 m long"},
		{"an outline outside the map", draft.Edit{Op: draft.Erase, Outline: []robot.Point{far(500, 500), far(501, 500), far(501, 501)}}, "outside the map, which reaches from"},
		{"a box whose corners are exchanged", draft.Edit{Op: draft.Crop, Low: far(2, 2), High: far(1, 1)}, "above and to the right"},
		{"a box in which nothing is", draft.Edit{Op: draft.Crop, Low: onDraft(d, 3, 6.5)[0], High: onDraft(d, 3, 6.5)[0].Add(far(0.3, 0.3))}, "no free floor would be left"},
		{"a place in a wall", draft.Edit{Op: draft.Place, Name: "A", Pose: robot.Pose{X: onDraft(d, 3, 8)[0].X, Y: onDraft(d, 3, 8)[0].Y}}, "must be on free floor"},
		{"a place without a name", draft.Edit{Op: draft.Place}, "a name has 1 to 40 characters"},
		{"a place that is not there", draft.Edit{Op: draft.Place, Name: "A", Drop: true}, `no place called "A"`},
		{"a dock that is not there", draft.Edit{Op: draft.Dock, Drop: true}, "there is no dock"},
		{"nothing to undo", draft.Edit{Op: draft.Undo}, "there is nothing to undo"},
		{"nothing to redo", draft.Edit{Op: draft.Redo}, "nothing can be redone"},
		{"an edit that there is not", draft.Edit{Op: "explode"}, `no edit "explode"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := d.Apply(c.edit); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	if !reflect.DeepEqual(d.View(), before) {
		t.Error("a refused edit changed the draft")
	}
}

func TestAnEditReachesNoFartherThanAMapFolder(t *testing.T) {
	d := roomsDraft(t)
	at := onDraft(d, 1, 1)[0]
	wall := func(far float64) error {
		return d.Apply(draft.Edit{Op: draft.Wall, Line: robot.Segment{A: at, B: robot.Point{X: far, Y: far}}})
	}
	if err := wall(99_999); err == nil || !strings.Contains(err.Error(), "at most 50000 m from the origin") {
		t.Errorf("%v", err)
	}
	if err := wall(35_000); err != nil {
		t.Fatal(err)
	}
	apply(t, d, draft.Edit{Op: draft.Rotate, Angle: 0.7})
	plan, err := d.Plan("Far")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := floorplan.WriteFolder(dir, plan); err != nil {
		t.Fatal(err)
	}
	if _, err := floorplan.Load(os.DirFS(dir)); err != nil {
		t.Errorf("the map cannot be read: %v", err)
	}
}
