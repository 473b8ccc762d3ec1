package floorplan

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"mybot/robot"
)

func FuzzGeoJSON(f *testing.F) {
	for _, feature := range []string{
		`{"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}}`,
		`{"type":"Feature","properties":{"name":"Window","glass":true},"geometry":{"type":"MultiLineString","coordinates":[[[1,2],[3,4],[5,6]],[[1,2],[3,4]]]}}`,
		`{"type":"Feature","properties":{"id":1,"frame":"map","metadata":{"name":"I"}},"geometry":{"type":"Point","coordinates":[1,2]}}`,
		`{"type":"Feature","properties":{"id":3,"startid":1,"endid":1},"geometry":{"type":"MultiLineString","coordinates":[[[1,2],[3,4]]]}}`,
		`{"type":"Feature","properties":{"name":"Sofa","heading_deg":-90},"geometry":{"type":"Point","coordinates":[1,2]}}`,
		`{"type":"Feature","properties":{"kind":"furniture","height_m":1,"radius_m":1},"geometry":{"type":"Point","coordinates":[1,2]}}`,
		`{"type":"Feature","properties":{"kind":"room","label":[1,2],"corridor":true},"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}}`,
	} {
		f.Add([]byte(`{"type":"FeatureCollection","features":[` + feature + `]}`))
	}
	f.Add([]byte(`{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,1]]]},"properties":{"kind":"room"}},null,{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var faults faults
		folder := fstest.MapFS{linesFile: {Data: data}, graphFile: {Data: data}, placesFile: {Data: data}, roomsFile: {Data: data}}
		for _, read := range []func(*robot.Floorplan){
			func(p *robot.Floorplan) { readLines(folder, p, &faults) },
			func(p *robot.Floorplan) { readGraph(folder, p, &faults) },
			func(p *robot.Floorplan) { readPlaces(folder, p, &faults) },
			func(p *robot.Floorplan) { readRooms(folder, p, &faults) },
		} {
			plan := &robot.Floorplan{Grid: robot.Grid{Width: 1, Height: 1, Resolution: 1, Cells: []robot.Cell{robot.Free}}}
			faults.list, faults.more = nil, 0
			read(plan)
			if faults.err() != nil {
				continue
			}
			if _, err := JSON(plan); err != nil {
				t.Fatalf("taken, but cannot be written: %v", err)
			}
			for _, l := range plan.Lines {
				if l.A == l.B || math.IsNaN(l.A.X) {
					t.Fatalf("taken, but has no length: %v", l)
				}
			}
			for _, i := range plan.Glass {
				if i < 0 || i >= len(plan.Lines) {
					t.Fatalf("line %d of %d counts as glass", i, len(plan.Lines))
				}
			}
			for _, thing := range plan.Furniture {
				if len(thing.Outline) < 3 && thing.Radius <= 0 || thing.Height <= 0 {
					t.Fatalf("taken, but has no size: %+v", thing)
				}
			}
			nodes := map[int]bool{}
			for _, n := range plan.Graph.Nodes {
				nodes[n.ID] = true
			}
			for _, e := range plan.Graph.Edges {
				if !nodes[e.Start] || !nodes[e.End] {
					t.Fatalf("accepted, but an end is missing: %v", e)
				}
			}
		}
	})
}

func TestAGraphOfNav2IsTakenAsItIs(t *testing.T) {
	folder := fstest.MapFS{graphFile: {Data: []byte(`{
  "type": "FeatureCollection", "name": "graph",
  "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::3857"}},
  "date_generated": "Tue Feb 28 07:48:03 PM EST 2025",
  "features": [
    {"type": "Feature", "properties": {"id": 0, "frame": "map", "metadata": {"region": {"x_values": [1, -1]}}, "operations": {"stop": {"type": "stop", "trigger": "NODE"}}}, "geometry": {"type": "Point", "coordinates": [0, 0]}},
    {"type": "Feature", "properties": {"id": 1}, "geometry": {"type": "Point", "coordinates": [1, 0]}},
    {"type": "Feature", "properties": {"id": 2, "startid": 0, "endid": 1, "cost": 3.5, "overridable": false, "metadata": {"speed_limit": 85}}, "geometry": {"type": "MultiLineString", "coordinates": [[[0, 0], [1, 0]]]}},
    {"type": "Feature", "properties": {"id": 3, "startid": 1, "endid": 0}, "geometry": {"type": "LineString", "coordinates": [[1, 0], [0, 0]]}}
  ]}`)}}
	var f faults
	plan := &robot.Floorplan{}
	readGraph(folder, plan, &f)
	if err := f.err(); err != nil {
		t.Fatal(err)
	}
	if len(plan.Graph.Nodes) != 2 || len(plan.Graph.Edges) != 2 || plan.Graph.Edges[1] != (robot.Edge{ID: 3, Start: 1, End: 0}) {
		t.Errorf("%+v", plan.Graph)
	}
}

func TestALineMayBeOfGlass(t *testing.T) {
	read := func(properties string) (*robot.Floorplan, error) {
		folder := fstest.MapFS{linesFile: {Data: []byte(`{"type": "FeatureCollection", "features": [
			{"type": "Feature", "properties": {}, "geometry": {"type": "LineString", "coordinates": [[0, 0], [1, 0]]}},
			{"type": "Feature", "properties": ` + properties + `, "geometry": {"type": "LineString", "coordinates": [[1, 0], [1, 1], [0, 1]]}},
			{"type": "Feature", "properties": {"glass": false}, "geometry": {"type": "LineString", "coordinates": [[0, 1], [0, 0]]}}]}`)}}
		var f faults
		plan := &robot.Floorplan{}
		readLines(folder, plan, &f)
		return plan, f.err()
	}
	plan, err := read(`{"name": "Window", "glass": true}`)
	if err != nil || len(plan.Lines) != 4 || !slices.Equal(plan.Glass, []int{1, 2}) {
		t.Errorf("lines %v, of glass %v, %v", plan.Lines, plan.Glass, err)
	}
	if plan, err = read(`{}`); err != nil || plan.Glass != nil {
		t.Errorf("of glass %v, %v", plan.Glass, err)
	}
	if _, err = read(`{"glass": "yes"}`); err == nil || !strings.Contains(err.Error(), `lines.geojson: feature 2: glass is "yes"; it must be true or false`) {
		t.Errorf("got %v", err)
	}
}
