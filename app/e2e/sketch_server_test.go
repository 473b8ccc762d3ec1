package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/session/protocol"
)

// openSketcher starts a server for a robot with only sonars in the simulated office, without a
// map. It saves new maps in data.
func openSketcher(t *testing.T, data string, change ...func(*app.Config)) (*testServer, *mapper) {
	t.Helper()
	desc, _, _ := office(t)
	change = append([]func(*app.Config){withoutMap, func(c *app.Config) { c.DataDir = data }}, change...)
	h := openRobot(t, desc, "127.0.0.1:0", func(s *sim.Scene) { s.People, s.Obstacles = nil, nil }, change...)
	cookie := h.cookie()
	return h, &mapper{enter(t, h.addr, cookie, "Ana"), h, cookie}
}

// isLocalized waits until the robot has found its pose by its sonars, and checks the pose.
func (m *mapper) isLocalized(begin robot.Pose, within float64) {
	m.t.Helper()
	s := m.until("a position by sonars", func(s message) bool { return s.Type == "state" && s.Trust == "OK" && s.Sources.Sonars > 0 })
	if off := mapPose(begin, m.h.driver.Truth().Pose).Point().Sub(robot.Point{X: s.Pose[0], Y: s.Pose[1]}).Norm(); off > within {
		m.t.Errorf("the position from sonars is %.2f m off", off)
	}
}

func TestASketchBySonarsIsSavedAndTheRobotGoesToAPlaceInIt(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	h, ana := openSketcher(t, data)
	jin := h.enter("Jin")
	begin := h.driver.Truth().Pose
	none := awaitMapping(jin, "no map", func(e protocol.MappingEvent) bool { return e.State == "none" })
	if strings.Join(none.Can, " ") != "sketch sheet" || !strings.Contains(none.Why, "15 m") || !strings.Contains(none.Why, "half a metre") {
		t.Errorf("before it begins the actions are %v, %q", none.Can, none.Why)
	}
	ana.wants(`"action":"start"`, http.StatusConflict, "It can have a sketch")
	ana.wants(`"action":"finish"`, http.StatusConflict, "No sketch is being made")
	ana.wants(`"action":"sketch"`, http.StatusOK, "SUCCESS")
	ana.wants(`"action":"sheet","width":10,"height":10`, http.StatusConflict, "already")
	watches := jin.reads()
	ana.driveTo(robot.Point{X: 8.5, Y: 7.3}, robot.Point{X: 5.5, Y: 7.3})
	grown := ana.mapping("a sketch that grew", func(e protocol.MappingEvent) bool { return e.Way > 4 && len(e.Tiles) == 1 })
	if grown.State != "mapping" || grown.From != "sonars" || grown.By != "Ana" || len(grown.Trail) < 10 || grown.Why != "" {
		t.Errorf("the sketch is %+v", grown)
	}
	checkTile(ana, grown.Tiles[0])
	ana.isWithin(0.3, begin)
	watches()
	ana.wants(`"action":"finish"`, http.StatusOK, "SUCCESS")
	awaitMapping(jin, "the review", func(e protocol.MappingEvent) bool { return e.State == "review" && e.From == "sonars" })
	watches = jin.reads()
	ana.wants(`"action":"save","name":"Attic"`, http.StatusOK, "SUCCESS")
	ana.mapping("the sketch in use", func(e protocol.MappingEvent) bool {
		return e.State == "map" && e.Name == "Attic (sketch)" && strings.Join(e.Can, " ") == "sketch sheet"
	})
	ana.isLocalized(begin, 0.3)
	at := mapPose(begin, h.driver.Truth().Pose)
	ana.goTo(robot.Pose{X: at.X + 2, Y: at.Y})
	if off := mapPose(begin, h.driver.Truth().Pose).Point().Sub(robot.Point{X: at.X + 2, Y: at.Y}).Norm(); off > 0.3 {
		t.Errorf("the robot is %.2f m from its goal", off)
	}
	watches()
}

// edits makes edits of the draft.
func (m *mapper) edits(edits ...string) {
	m.t.Helper()
	for _, e := range edits {
		if status, said := m.fetch("POST", "/api/v1/mapping/draft", fmt.Sprintf(`{"lease":%d,"edit":%s}`, m.epoch, e)); status != http.StatusOK {
			m.t.Fatalf("%s is answered %d %s", e, status, said)
		}
	}
}

func TestWallsDrawnByHandAreAMapInWhichSonarsTellThePosition(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	h, ana := openSketcher(t, data)
	begin := h.driver.Truth().Pose
	ana.wants(`"action":"sheet","width":1,"height":10`, http.StatusConflict, "between 2 and 40 m")
	ana.wants(`"action":"sheet","width":24,"height":9`, http.StatusOK, "SUCCESS")
	sheet := ana.mapping("the empty sheet", func(e protocol.MappingEvent) bool { return e.State == "review" })
	if sheet.From != "hand" || strings.Join(sheet.Can, " ") != "discard save" {
		t.Errorf("the sheet is %+v", sheet)
	}
	ana.wants(`"action":"back"`, http.StatusConflict, "no drive")
	ana.wants(`"action":"save","name":"Corridor"`, http.StatusConflict, "no wall yet")
	// The measurements of a person in the corridor: its walls within the sheet, with the open
	// doors.
	for _, l := range h.plan.Lines {
		a, b := begin.Inverse().Apply(l.A), begin.Inverse().Apply(l.B)
		if sheetHas(a, 24, 9) && sheetHas(b, 24, 9) && a.Sub(b).Norm() > 0.05 {
			ana.edits(fmt.Sprintf(`{"op":"wall","line":[[%.2f,%.2f],[%.2f,%.2f]]}`, a.X, a.Y, b.X, b.Y))
		}
	}
	ana.wants(`"action":"save","name":"Corridor"`, http.StatusOK, "SUCCESS")
	ana.mapping("the map in use", func(e protocol.MappingEvent) bool { return e.State == "map" && e.Name == "Corridor" })
	plan, err := floorplan.Load(os.DirFS(filepath.Join(data, "maps", "Corridor")))
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Places) != 1 || plan.Places[0].Name != "Start" || plan.Places[0].Pose.Point().Norm() > 1e-6 || len(plan.Lines) < 4 {
		t.Errorf("it has the places %v and %d lines", plan.Places, len(plan.Lines))
	}
	ana.isLocalized(begin, 0.15)
	ana.arrivesAt(begin, robot.Pose{X: 2})
}

// sheetHas reports whether a point is on a sheet.
func sheetHas(p robot.Point, width, height float64) bool {
	return p.X > -width/2 && p.X < width/2 && p.Y > -height/2 && p.Y < height/2
}
