package floorplan_test

import (
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
)

func TestWhatIsWrittenIsReadAgainAsItWas(t *testing.T) {
	const size = 20.0 // m
	yaml := []byte("image: map.pgm\nresolution: 1\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.2\n")
	folder := fstest.MapFS{"map.yaml": {Data: yaml}, "map.pgm": {Data: []byte("P5 20 20 255 " + strings.Repeat("\xfe", 400))}}
	plan := load(t, folder)
	coordinate := rapid.Float64Range(0.001, size-0.001)
	at := rapid.Custom(func(t *rapid.T) robot.Point {
		return robot.Point{X: coordinate.Draw(t, "x"), Y: coordinate.Draw(t, "y")}
	})
	name := rapid.StringMatching(`[\p{L}"<\\&]{1,3}( [\p{L}\d]{1,8})?`)
	rapid.Check(t, func(t *rapid.T) {
		var graph robot.Graph
		ids := rapid.SliceOfNDistinct(rapid.IntRange(0, min(math.MaxInt, math.MaxUint32)), 2, 20, rapid.ID[int]).Draw(t, "ids")
		for _, id := range ids {
			via := robot.Via{ID: id, Point: at.Draw(t, "via")}
			if rapid.Bool().Draw(t, "named") {
				via.Name = name.Draw(t, "name")
			}
			graph.Nodes = append(graph.Nodes, via)
		}
		for id := range rapid.IntRange(0, 20).Draw(t, "edges") {
			ends := rapid.Permutation(ids).Draw(t, "ends")
			graph.Edges = append(graph.Edges, robot.Edge{ID: id, Start: ends[0], End: ends[1]})
		}
		var places []robot.Place
		for _, n := range rapid.SliceOfDistinct(name, rapid.ID[string]).Draw(t, "places") {
			p := at.Draw(t, "place")
			degrees := rapid.Float64Range(-180, 180).Draw(t, "heading") // as written in a file
			places = append(places, robot.Place{Name: n, Pose: robot.Pose{X: p.X, Y: p.Y, Theta: robot.WrapAngle(robot.Radians(degrees))}})
		}
		revised, err := floorplan.Revise(plan, graph, places)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(revised.Graph, graph) {
			t.Fatalf("the graph came back as %v, it was %v", revised.Graph, graph)
		}
		if len(revised.Places) != len(places) {
			t.Fatalf("%d places came back of %d", len(revised.Places), len(places))
		}
		for i, p := range places {
			got := revised.Places[i]
			if got.Name != p.Name || got.Pose.Point() != p.Pose.Point() || math.Abs(got.Pose.Theta-p.Pose.Theta) > 1e-15 {
				t.Fatalf("the place came back as %v, it was %v", got, p)
			}
		}
	})
}

func TestAHeadingIsWrittenAsAPersonWroteIt(t *testing.T) {
	var places []robot.Place
	want := []string{"0", "-90", "180", "45", "30.5", "0.1", "-179.99"}
	for _, d := range []float64{0, -90, 180, 45, 30.5, 0.1, -179.99} {
		places = append(places, robot.Place{Name: "P", Pose: robot.Pose{Theta: robot.WrapAngle(robot.Radians(d))}})
	}
	written, err := floorplan.Places(places)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if !strings.Contains(string(written), `"heading_deg":`+w+`}`) {
			t.Errorf("heading_deg %s is not in %s", w, written)
		}
	}
}

func TestTheOfficeIsSavedAndLoadedAsItIs(t *testing.T) {
	plan := load(t, maps.Office())
	dir := t.TempDir()
	if err := floorplan.Save(dir, plan); err != nil {
		t.Fatal(err)
	}
	again := load(t, floorplan.Over(maps.Office(), os.DirFS(dir)))
	if !reflect.DeepEqual(again, plan) {
		t.Errorf("got %+v\nwant %+v", again.Graph, plan.Graph)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v (%v); it must hold the two files alone", entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
	}
}

// A folder in the place of the file stands for a disk that takes no second file.
func TestIfThePlacesCannotBeSavedTheGraphIsAsItWas(t *testing.T) {
	plan := load(t, maps.Office())
	for name, before := range map[string]string{"a graph": `{"type":"FeatureCollection","features":[]}`, "none": ""} {
		dir := t.TempDir()
		graph := filepath.Join(dir, "graph.geojson")
		if before != "" {
			if err := os.WriteFile(graph, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(filepath.Join(dir, "places.geojson", "full"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := floorplan.Save(dir, plan); err == nil {
			t.Fatal("it is saved")
		}
		if after, _ := os.ReadFile(graph); string(after) != before {
			t.Errorf("where there was %s, there are %d bytes of another", name, len(after))
		}
	}
}

func TestAnOverlayGivesNothingButGraphAndPlaces(t *testing.T) {
	base := office(t)
	over := fstest.MapFS{
		"map.yaml":       {Data: []byte("not read")},
		"places.geojson": {Data: []byte(`{"type":"FeatureCollection","features":[]}`)},
	}
	plan := load(t, floorplan.Over(base, over))
	if len(plan.Places) != 0 || len(plan.Graph.Nodes) != 11 {
		t.Errorf("%d places and %d via points; want none and the office's 11", len(plan.Places), len(plan.Graph.Nodes))
	}
	if _, err := floorplan.Load(floorplan.Over(base, broken{})); err == nil || !strings.Contains(err.Error(), "graph.geojson: cannot be opened") {
		t.Errorf("an overlay that cannot be read is passed over: %v", err)
	}
}

type broken struct{}

func (broken) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

func TestWhatNav2KeepsWithANodeStays(t *testing.T) {
	dir := t.TempDir()
	const before = `{"type": "FeatureCollection", "features": [
		{"type": "Feature", "properties": {"id": 0, "frame": "map", "metadata": {"region": {"x_values": [1.0, -1.0]}}, "operations": {"stop": {"type": "stop", "big": 9007199254740993}}}, "geometry": {"type": "Point", "coordinates": [0, 0]}},
		{"type": "Feature", "properties": {"id": 1, "metadata": {"name": "II"}}, "geometry": {"type": "Point", "coordinates": [1, 0]}},
		{"type": "Feature", "properties": {"id": 2, "startid": 0, "endid": 1, "cost": 3.5}, "geometry": {"type": "MultiLineString", "coordinates": [[[0, 0], [1, 0]]]}},
		{"type": "Feature", "properties": {"id": 2, "startid": 1, "endid": 0, "cost": 7}, "geometry": {"type": "MultiLineString", "coordinates": [[[1, 0], [0, 0]]]}}]}`
	if err := os.WriteFile(filepath.Join(dir, "graph.geojson"), []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	plan := &robot.Floorplan{Graph: robot.Graph{
		Nodes: []robot.Via{{ID: 0, Name: "I", Point: robot.Point{X: 5}}, {ID: 1}, {ID: 7}},
		Edges: []robot.Edge{{ID: 2, Start: 1, End: 0}, {ID: 2, Start: 0, End: 7}},
	}}
	if err := floorplan.Save(dir, plan); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "graph.geojson"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Features []struct {
			Properties json.RawMessage
			Geometry   json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"frame":"map","id":0,"metadata":{"name":"I","region":{"x_values":[1.0,-1.0]}},"operations":{"stop":{"type":"stop","big":9007199254740993}}} {"type":"Point","coordinates":[5,0]}`,
		`{"frame":"map","id":1} {"type":"Point","coordinates":[0,0]}`,
		`{"frame":"map","id":7} {"type":"Point","coordinates":[0,0]}`,
		`{"cost":7,"endid":0,"id":2,"startid":1} {"type":"MultiLineString","coordinates":[[[0,0],[5,0]]]}`,
		`{"endid":7,"id":2,"startid":0} {"type":"MultiLineString","coordinates":[[[5,0],[0,0]]]}`,
	}
	var got []string
	for _, f := range file.Features {
		got = append(got, string(f.Properties)+" "+string(f.Geometry))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAFileThatCannotBeReadDoesNotHinderTheNewOne(t *testing.T) {
	for name, old := range map[string]string{
		"not JSON": "{", "not a graph": `[1, 2]`, "odd ids": `{"features": [{"properties": {"id": -1.5}}, {"properties": null}, {}]}`, "odd metadata": `{"features": [{"properties": {"id": 1, "metadata": [1]}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "graph.geojson"), []byte(old), 0o600); err != nil {
				t.Fatal(err)
			}
			plan := load(t, maps.Office())
			if err := floorplan.Save(dir, plan); err != nil {
				t.Fatal(err)
			}
			if again := load(t, floorplan.Over(maps.Office(), os.DirFS(dir))); !reflect.DeepEqual(again.Graph, plan.Graph) {
				t.Errorf("%+v", again.Graph)
			}
		})
	}
}

func TestASaveThatFailsLeavesWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	plan := load(t, maps.Office())
	if err := floorplan.Save(dir, plan); err != nil {
		t.Fatal(err)
	}
	was, err := os.ReadFile(filepath.Join(dir, "graph.geojson"))
	if err != nil {
		t.Fatal(err)
	}
	bad := *plan
	bad.Graph.Nodes = []robot.Via{{ID: 1, Point: robot.Point{X: math.NaN()}}}
	if err := floorplan.Save(dir, &bad); err == nil {
		t.Error("a via point at no place was saved")
	}
	if is, err := os.ReadFile(filepath.Join(dir, "graph.geojson")); err != nil || string(is) != string(was) {
		t.Errorf("the file has changed: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "places.geojson")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "places.geojson"), 0o700); err != nil { // a file cannot take a folder's name
		t.Fatal(err)
	}
	if err := floorplan.Save(dir, plan); err == nil || !strings.Contains(err.Error(), "places.geojson") {
		t.Errorf("%v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) != 0 {
		t.Errorf("%v was left behind (%v)", left, err)
	}
}

func TestWhatPeopleChangeIsJudgedLikeAFile(t *testing.T) {
	plan := load(t, maps.Office())
	at := func(x, y float64) robot.Point { return robot.Point{X: x, Y: y} }
	for _, c := range []struct {
		name   string
		graph  robot.Graph
		places []robot.Place
		want   string // "" = no fault
	}{
		{"nothing", robot.Graph{}, nil, ""},
		{"two via points", robot.Graph{Nodes: []robot.Via{{ID: 1, Point: at(4, 7.3)}, {ID: 2, Point: at(6, 7.3)}}, Edges: []robot.Edge{{ID: 1, Start: 1, End: 2}}}, nil, ""},
		{"an edge without its node", robot.Graph{Nodes: []robot.Via{{ID: 1, Point: at(4, 7.3)}}, Edges: []robot.Edge{{ID: 1, Start: 1, End: 2}}}, nil, "graph.geojson: feature 2: endid is 2; there is no node with that id"},
		{"an edge to itself", robot.Graph{Nodes: []robot.Via{{ID: 1, Point: at(4, 7.3)}}, Edges: []robot.Edge{{ID: 1, Start: 1, End: 1}}}, nil, "goes from node 1 to itself"},
		{"two via points with one id", robot.Graph{Nodes: []robot.Via{{ID: 1, Point: at(4, 7.3)}, {ID: 1, Point: at(6, 7.3)}}}, nil, "there is already a node with the id 1"},
		{"an edge through a wall", robot.Graph{Nodes: []robot.Via{{ID: 1, Name: "I", Point: at(6.5, 7.3)}, {ID: 2, Point: at(6.5, 10)}}, Edges: []robot.Edge{{ID: 1, Start: 1, End: 2}, {ID: 2, Start: 2, End: 1}}}, nil, "graph.geojson: the edge from node 1 (I) to node 2 leads through something at (6.50, 8.36); it must lead over free floor"},
		{"a via point in a wall", robot.Graph{Nodes: []robot.Via{{ID: 1, Name: "I", Point: at(7.6, 6.2)}}}, nil, "graph.geojson: node 1 (I) is at (7.6, 6.2), which is occupied; it must be on free floor"},
		{"a via point off the map", robot.Graph{Nodes: []robot.Via{{ID: 1, Point: at(100, 6.2)}}}, nil, "node 1 is at (100, 6.2), outside the grid"},
		{"a via point at the end of the world", robot.Graph{Nodes: []robot.Via{{ID: 1, Point: at(1e9, 6.2)}}}, nil, "each between -100000 and 100000"},
		{"a negative id", robot.Graph{Nodes: []robot.Via{{ID: -1, Point: at(4, 7.3)}}}, nil, "it must be a whole number from 0"},
		{"a place in a wall", robot.Graph{}, []robot.Place{{Name: "Sofa", Pose: robot.Pose{X: 10.2, Y: 15.6}}}, `place "Sofa" is at (10.2, 15.6), which is occupied`},
		{"a place without a name", robot.Graph{}, []robot.Place{{Pose: robot.Pose{X: 4, Y: 7.3}}}, "name is \"\"; it must be text of 1 to 40 characters"},
		{"a place whose name is not seen", robot.Graph{}, []robot.Place{{Name: "\u200b", Pose: robot.Pose{X: 4, Y: 7.3}}}, `places.geojson: the name "\u200b" of a place has nothing that can be seen`},
		{"a name that is too long", robot.Graph{}, []robot.Place{{Name: strings.Repeat("x", 41), Pose: robot.Pose{X: 4, Y: 7.3}}}, "it must be text of 1 to 40 characters"},
		{"a name that turns the text round", robot.Graph{}, []robot.Place{{Name: "S\u202eofa", Pose: robot.Pose{X: 4, Y: 7.3}}}, "it must be text of 1 to 40 characters"},
		{"a via point whose name turns the text round", robot.Graph{Nodes: []robot.Via{{ID: 1, Name: "I\u2066", Point: at(4, 7.3)}}}, nil, "it must be text of 1 to 40 characters"},
		{"two places of one name", robot.Graph{}, []robot.Place{{Name: "A", Pose: robot.Pose{X: 4, Y: 7.3}}, {Name: "A", Pose: robot.Pose{X: 5, Y: 7.3}}}, `there is already a place with the name "A"`},
		{"a heading that is none", robot.Graph{}, []robot.Place{{Name: "A", Pose: robot.Pose{X: 4, Y: 7.3, Theta: math.Inf(1)}}}, "floorplan: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			revised, err := floorplan.Revise(plan, c.graph, c.places)
			if c.want == "" {
				if err != nil || len(revised.Graph.Nodes) != len(c.graph.Nodes) || len(revised.Places) != len(c.places) || &revised.Grid.Cells[0] != &plan.Grid.Cells[0] {
					t.Errorf("%+v, %v", revised, err)
				}
				return
			}
			if err == nil || revised != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
			if len(plan.Graph.Nodes) != 11 || len(plan.Places) != 7 {
				t.Fatal("the floor plan that was there has changed")
			}
		})
	}
}

func TestTwoPlacesDoNotLookTheSameByName(t *testing.T) {
	plan := *load(t, maps.Office())
	place := func(name string, x float64) robot.Place {
		return robot.Place{Name: name, Pose: robot.Pose{X: x, Y: 7.3}}
	}
	for name, places := range map[string][]robot.Place{
		"composed and decomposed": {place("Caf\u00e9", 4), place("Cafe\u0301", 5)},
		"a hidden character":      {place("So\u200bfa 2", 4), place("Sofa 2", 5)},
	} {
		if _, err := floorplan.Revise(&plan, robot.Graph{}, places); err == nil || !strings.Contains(err.Error(), "look the same") {
			t.Errorf("%s: %v", name, err)
		}
		earlier := plan
		earlier.Places = places
		if _, err := floorplan.Revise(&earlier, robot.Graph{}, slices.Concat(places, []robot.Place{place("Other", 6)})); err != nil {
			t.Errorf("%s, by an earlier version: %v", name, err)
		}
	}
	if _, err := floorplan.Revise(&plan, robot.Graph{}, []robot.Place{place("Cafe", 4), place("Caf\u00e9", 5)}); err != nil {
		t.Errorf("two names that differ: %v", err)
	}
	plan.Places = []robot.Place{place("Caf\u00e9", 4)}
	if _, err := floorplan.Revise(&plan, robot.Graph{}, append(plan.Places, place("Cafe\u0301", 5))); err == nil {
		t.Error("a new place gets a name that looks like an old one's")
	}
}

func TestAMapWithANameThatIsNotSeenCanBeChangedUntilThatIsMended(t *testing.T) {
	plan := *load(t, maps.Office())
	plan.Places = []robot.Place{{Name: "\u200b", Pose: robot.Pose{X: 4, Y: 7.3}}, {Name: "\u2800", Pose: robot.Pose{X: 5, Y: 7.3}}}
	if _, err := floorplan.Revise(&plan, robot.Graph{}, plan.Places[1:]); err != nil {
		t.Errorf("one of two such places cannot be deleted: %v", err)
	}
}

func TestNoEdgeOfTheOfficeLeadsThroughAWall(t *testing.T) {
	plan := *load(t, maps.Office())
	if barred := floorplan.Barred(&plan); len(barred) != 0 {
		t.Errorf("%v", barred)
	}
	plan.Graph.Nodes = append(plan.Graph.Nodes, robot.Via{ID: 99, Point: robot.Point{X: 30, Y: 7.3}})
	plan.Graph.Edges = []robot.Edge{{ID: 1, Start: 8, End: 99}}
	if barred := floorplan.Barred(&plan); len(barred) != 1 {
		t.Errorf("an edge off the map is not reported: %v", barred)
	}
}

func TestTracedLinesAreWrittenAndReadAgain(t *testing.T) {
	folder := office(t)
	delete(folder, "lines.geojson")
	plan := load(t, folder)
	dir := t.TempDir()
	if err := floorplan.WriteLines(dir, plan.Lines); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "lines.geojson"))
	if err != nil {
		t.Fatal(err)
	}
	folder["lines.geojson"] = &fstest.MapFile{Data: data}
	if again := load(t, folder); !slices.Equal(again.Lines, plan.Lines) {
		t.Error("the lines are others now")
	}
	if err := floorplan.WriteLines(filepath.Join(dir, "nowhere"), plan.Lines); err == nil {
		t.Error("lines were written into a missing folder")
	}
}

func TestAGridIsReadAsItWasWritten(t *testing.T) {
	g := robot.Grid{Width: 70, Height: 30, Resolution: 0.05, Origin: robot.Point{X: -3.15, Y: 2.4}, Cells: make([]robot.Cell, 70*30)}
	for k := range g.Cells {
		g.Cells[k] = robot.Cell(k % 7 % 3)
	}
	dir := filepath.Join(t.TempDir(), "a", "map")
	if err := floorplan.WriteGrid(dir, `a: "floor" \ of # mine`, &g); err != nil {
		t.Fatal(err)
	}
	plan, err := floorplan.Load(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if plan.Name != `a: "floor" \ of # mine` || !reflect.DeepEqual(plan.Grid, g) {
		t.Errorf("%q, %d x %d cells of %g m at %+v", plan.Name, plan.Grid.Width, plan.Grid.Height, plan.Grid.Resolution, plan.Grid.Origin)
	}
}

func TestAGridThatNoMapMayHaveIsNotWritten(t *testing.T) {
	for _, g := range []robot.Grid{{}, {Width: 5000, Height: 5000, Resolution: 0.05}} {
		if err := floorplan.WriteGrid(t.TempDir(), "x", &g); err == nil {
			t.Errorf("%d x %d cells were written", g.Width, g.Height)
		}
	}
}
