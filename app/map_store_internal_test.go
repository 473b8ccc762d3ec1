package app

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models/modelstest"
)

// newTestMapStore returns a map store of the office and the planners that it hands
// over.
func newTestMapStore(t *testing.T, dir string) (*mapStore, *[]robot.Planner) {
	t.Helper()
	plan, err := floorplan.Load(maps.Office())
	if err != nil {
		t.Fatal(err)
	}
	desc := modelstest.Mybot(t)
	var used []robot.Planner
	return newMapStore(plan, dir, func(p *robot.Floorplan) robot.Planner { return NewPlanner(p, desc) }, func(_ context.Context, p robot.Planner) robot.Result {
		used = append(used, p)
		return robot.Result{Word: robot.Success}
	}), &used
}

// asPage returns the map as a page sends it back that changed nothing.
func asPage(plan *robot.Floorplan) (robot.Graph, []robot.Place) {
	round := func(x float64) float64 { return float64(int(x*1e4+copysign(0.5, x))) / 1e4 }
	var graph robot.Graph
	for _, v := range plan.Graph.Nodes {
		graph.Nodes = append(graph.Nodes, robot.Via{ID: v.ID, Name: v.Name, Point: robot.Point{X: round(v.Point.X), Y: round(v.Point.Y)}})
	}
	for _, e := range plan.Graph.Edges {
		graph.Edges = append(graph.Edges, robot.Edge{Start: e.Start, End: e.End})
	}
	var places []robot.Place
	for _, p := range plan.Places {
		places = append(places, robot.Place{Name: p.Name, Pose: robot.Pose{X: round(p.Pose.X), Y: round(p.Pose.Y), Theta: round(p.Pose.Theta)}})
	}
	return graph, places
}

func copysign(x, sign float64) float64 {
	if sign < 0 {
		return -x
	}
	return x
}

func TestASaveOfNothingNewChangesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "office")
	k, used := newTestMapStore(t, dir)
	was := k.Plan()
	if err := k.Save(asPage(was)); err != nil {
		t.Fatal(err)
	}
	if k.Plan() == was || len(*used) != 1 {
		t.Errorf("the plan is the same one, %d planners were handed over", len(*used))
	}
	if !reflect.DeepEqual(k.Plan().Graph, was.Graph) || !reflect.DeepEqual(k.Plan().Places, was.Places) {
		t.Errorf("got %+v %+v\nwant %+v %+v", k.Plan().Graph, k.Plan().Places, was.Graph, was.Places)
	}
}

func TestWhatIsSavedIsThereAfterARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "office")
	k, used := newTestMapStore(t, dir)
	was := k.Plan()
	graph, places := asPage(was)
	graph.Nodes = append(graph.Nodes, robot.Via{ID: 12, Name: "XII", Point: robot.Point{X: 12, Y: 7.3}})
	graph.Edges = append(graph.Edges, robot.Edge{Start: 3, End: 12}, robot.Edge{Start: 12, End: 3})
	places[1].Pose.Theta = 0.7854 // 45°, as a page rounds it
	places = append(places, robot.Place{Name: " Window ", Pose: robot.Pose{X: 12, Y: 7.3, Theta: 3.1416}})
	if err := k.Save(graph, places); err != nil {
		t.Fatal(err)
	}
	again, err := floorplan.Load(floorplan.Over(maps.Office(), os.DirFS(dir)))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again, k.Plan()) {
		t.Error("the map on disk is not the one in use")
	}
	if got := again.Graph.Edges[len(again.Graph.Edges)-2:]; got[0].ID == got[1].ID || slices.ContainsFunc(was.Graph.Edges, func(e robot.Edge) bool { return e.ID == got[0].ID || e.ID == got[1].ID }) {
		t.Errorf("the new edges have numbers that others have: %v", got)
	}
	if p := again.Places[1].Pose.Theta; p != robot.Radians(45) {
		t.Errorf("45 deg became %v", robot.Degrees(p))
	}
	if p := again.Places[len(again.Places)-1]; p.Name != "Window" || p.Pose.Theta != robot.WrapAngle(robot.Radians(180)) {
		t.Errorf("%+v", p)
	}
	// The planner that was handed over has the new via point.
	path, err := (*used)[0].Plan(time.Now(), robot.Pose{X: 4, Y: 7.3}, robot.Pose{X: 12, Y: 7.3})
	if err != nil || len(path.Route().Line) < 2 {
		t.Errorf("%v", err)
	}
}

func TestAMapThatIsNotRightIsRefusedAndNothingChanges(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "office")
	k, used := newTestMapStore(t, dir)
	was := k.Plan()
	graph, places := asPage(was)
	places[0].Pose.Y = 15.6
	places[1].Name = places[2].Name
	err := k.Save(graph, places)
	if err == nil || !strings.HasPrefix(err.Error(), "places.geojson: feature 3: there is already a place") || !strings.HasSuffix(err.Error(), "There is one more fault.") {
		t.Errorf("%v", err)
	}
	if k.Plan() != was || len(*used) != 0 {
		t.Error("something of it was taken")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("something of it was written")
	}
}

func TestAMapThatCannotBeWrittenIsNotTaken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	k, used := newTestMapStore(t, file) // no folder
	was := k.Plan()
	err := k.Save(asPage(was))
	if err == nil || !strings.HasPrefix(err.Error(), "The map cannot be saved: ") || k.Plan() != was || len(*used) != 0 {
		t.Errorf("%v", err)
	}
}

func TestARobotThatDoesNotTakeTheNewMapIsTold(t *testing.T) {
	k, _ := newTestMapStore(t, "")
	k.use = func(context.Context, robot.Planner) robot.Result {
		return robot.Result{Word: robot.Busy, Reason: "The robot is shutting down."}
	}
	if err := k.Save(asPage(k.Plan())); err == nil || err.Error() != "The map is saved, but not in use yet: The robot is shutting down." {
		t.Errorf("%v", err)
	}
}

func TestTwoSavesAtOnceBothCount(t *testing.T) {
	k, used := newTestMapStore(t, t.TempDir())
	graph, places := asPage(k.Plan())
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := k.Save(graph, places); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(*used) != 4 {
		t.Errorf("%d planners were handed over", len(*used))
	}
}
