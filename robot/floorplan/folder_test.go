package floorplan_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
)

func TestAFolderThatWasWrittenIsReadAsItWas(t *testing.T) {
	office, err := floorplan.Load(maps.Office())
	if err != nil {
		t.Fatal(err)
	}
	office.Glass, office.Compass = []int{3, 7}, robot.Radians(-123.5)
	dir := filepath.Join(t.TempDir(), "new")
	if err := floorplan.WriteFolder(dir, office); err != nil {
		t.Fatal(err)
	}
	again, err := floorplan.Load(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(office, again) {
		t.Errorf("the office differs after it was written and read")
	}
}

func TestWhatAFloorPlanHasNothingOfLeavesTheFolder(t *testing.T) {
	dir := t.TempDir()
	plan := &robot.Floorplan{
		Name: "x", Grid: robot.Grid{Width: 2, Height: 1, Resolution: 1, Cells: []robot.Cell{robot.Free, robot.Occupied}},
		Places: []robot.Place{{Name: "A", Pose: robot.Pose{X: 0.5, Y: 0.5}}}, Dock: &robot.Pose{X: 0.5, Y: 0.5, Theta: 1},
	}
	if err := floorplan.WriteFolder(dir, plan); err != nil {
		t.Fatal(err)
	}
	again, err := floorplan.Load(os.DirFS(dir))
	if err != nil || again.Dock == nil || *again.Dock != *plan.Dock || len(again.Lines) != 0 {
		t.Fatalf("%+v, %v", again, err)
	}
	plan.Places, plan.Dock = nil, nil
	if err := floorplan.WriteFolder(dir, plan); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"places.geojson", "rooms.geojson"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	if err := floorplan.WriteFolder(dir, &robot.Floorplan{}); err == nil {
		t.Error("a plan without a picture was written")
	}
}
