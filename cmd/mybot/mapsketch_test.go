package main

import (
	"os"
	"strings"
	"testing"

	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models"
)

func TestASketchIsDrawnFromARecordingOfARobotWithSonars(t *testing.T) {
	file, _ := recordRobot(t, models.MybotName, 40, "nominal")
	log, out := saveRecording(t, file), t.TempDir()
	code, text, errs := say(t, "map", "sketch", log, "--out", out)
	if code != exitDone || errs != "" || !strings.Contains(text, "m driven") || !strings.Contains(text, "A sketch is no map") {
		t.Fatalf("%d %s %s", code, text, errs)
	}
	plan, err := floorplan.Load(os.DirFS(out))
	if err != nil {
		t.Fatal(err)
	}
	// The robot started at (0, -2.2) in the pillar room and drove around the middle.
	count := map[robot.Cell]int{}
	for _, c := range plan.Grid.Cells {
		count[c]++
	}
	if plan.Name != "Floor (sketch)" || plan.Compass == 0 || plan.Grid.At(robot.Point{}) != robot.Free || count[robot.Occupied] < 50 || count[robot.Free] < 500 {
		t.Errorf("%q: %v", plan.Name, count)
	}
	if code, _, errs := say(t, "map", "sketch", log, "--out", out); code != exitFailed || !strings.Contains(errs, "must be an empty or new folder") {
		t.Errorf("into the same folder again: %d %s", code, errs)
	}
	cut := saveRecording(t, file[:len(file)/2])
	if code, text, errs := say(t, "map", "sketch", cut, "--out", t.TempDir()); code != exitDone || !strings.Contains(text, "ends early") {
		t.Errorf("half of it: %d %s %s", code, text, errs)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{log}, exitUsage, "map sketch FILE.mcap --out DIR"},
		{[]string{log, "--out", t.TempDir(), "--robot", "lidar"}, exitFailed, "has no sonars"},
		{[]string{saveRecording(t, nil), "--out", t.TempDir()}, exitFailed, "empty"},
		{[]string{saveRecording(t, []byte("FLASER 3 1 1 1")), "--out", t.TempDir()}, exitFailed, "MCAP"},
		{[]string{"no-such-file", "--out", t.TempDir()}, exitFailed, "no-such-file"},
	} {
		if code, _, errs := say(t, append([]string{"map", "sketch"}, c.args...)...); code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%v: %d %s", c.args, code, errs)
		}
	}
}
