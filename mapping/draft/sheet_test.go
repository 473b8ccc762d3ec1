package draft_test

import (
	"testing"

	"mybot/mapping/draft"
	"mybot/mapping/sketch"
	"mybot/robot"
	"mybot/robot/floorplan"
)

// drawRoom draws the walls of a box with an edit each.
func drawRoom(t *testing.T, d *draft.Draft, x0, y0, x1, y1 float64) {
	t.Helper()
	corners := [4]robot.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
	for i, a := range corners {
		if err := d.Apply(draft.Edit{Op: draft.Wall, Line: robot.Segment{A: a, B: corners[(i+1)%4]}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWallsAreDrawnByHandOnAnEmptySheet(t *testing.T) {
	sheet, err := sketch.NewSheet(12, 8)
	if err != nil {
		t.Fatal(err)
	}
	d, err := draft.New(draft.Source{Result: sheet, Robot: mybotDescription(t), Places: []robot.Place{{Name: "Start"}}})
	if err != nil {
		t.Fatal(err)
	}
	if v := d.View(); len(v.Walls) != 0 || v.Width < 240 || v.Height < 160 {
		t.Errorf("the empty sheet is %d x %d with %d walls", v.Width, v.Height, len(v.Walls))
	}
	drawRoom(t, d, -4, -3, 4, 3)
	for _, half := range []robot.Segment{{A: robot.Point{X: 1, Y: -3}, B: robot.Point{X: 1, Y: -0.5}}, {A: robot.Point{X: 1, Y: 0.5}, B: robot.Point{X: 1, Y: 3}}} {
		if err := d.Apply(draft.Edit{Op: draft.Wall, Line: half}); err != nil {
			t.Fatal(err)
		}
	}
	v := d.View()
	if len(v.Walls) != 6 || v.Walls[0].Line != [2][2]float64{{-4, -3}, {4, -3}} || len(v.Via) < 2 || len(v.Edges) == 0 || len(v.Rooms) != 2 || len(v.Faults) > 0 {
		t.Errorf("it has %d walls, the first %v, %d via points, %d edges, %d rooms, faults %v", len(v.Walls), v.Walls[0], len(v.Via), len(v.Edges), len(v.Rooms), v.Faults)
	}
	for _, via := range v.Via {
		if x, y := via.At[0], via.At[1]; x < -4 || x > 4 || y < -3 || y > 3 {
			t.Errorf("the via point %v is behind the walls", via.At)
		}
	}
	for want, drop := range []bool{true, false} {
		if err := d.Apply(draft.Edit{Op: draft.Place, Name: "Start", Drop: drop}); err != nil || len(d.View().Places) != want {
			t.Errorf("after it was dropped (%t) there are %d places: %v", drop, len(d.View().Places), err)
		}
	}
	plan, err := d.Plan("Home")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := floorplan.WriteFolder(dir, plan); err != nil {
		t.Fatal(err)
	}
	if plan.Grid.At(robot.Point{}) != robot.Free || plan.Grid.At(robot.Point{X: -4}) != robot.Occupied || len(plan.Lines) != 6 || len(plan.Places) != 1 {
		t.Errorf("the plan has %d lines and %d places", len(plan.Lines), len(plan.Places))
	}
}
