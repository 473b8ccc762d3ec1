package floorplan_test

import (
	"path/filepath"
	"testing"

	"mybot/maps"
	"mybot/robot/floorplan"
	"mybot/robot/robottest"
)

func TestASavedMapHasReachedTheDisk(t *testing.T) {
	plan, err := floorplan.Load(maps.Office())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"graph.geojson", "places.geojson"} {
		t.Run(name, func(t *testing.T) {
			if err := floorplan.Save(dir, plan); err != nil {
				t.Fatal(err)
			}
			robottest.MustBeSynced(t, filepath.Join(dir, name))
		})
	}
}
