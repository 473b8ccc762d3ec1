package floorplan_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
)

// office returns the built-in floor as a folder that a test may change.
func office(t testing.TB) fstest.MapFS {
	t.Helper()
	folder := fstest.MapFS{}
	err := fs.WalkDir(maps.Office(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(maps.Office(), path)
		folder[path] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func load(t testing.TB, folder fs.FS) *robot.Floorplan {
	t.Helper()
	plan, err := floorplan.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestWhatIsWrongWithAMapIsSaidWithFileAndPlace(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, want string }{
		{"no resolution", "map.yaml", "resolution: 0.05\n", "", "map.yaml: resolution is missing; it must be between 0.005 and 1"},
		{"too coarse", "map.yaml", "resolution: 0.05", "resolution: 5", `map.yaml: line 6: resolution is "5"; it must be between 0.005 and 1`},
		{"not a number", "map.yaml", "resolution: 0.05", "resolution: .nan", `map.yaml: line 6: resolution is ".nan"`},
		{"turned", "map.yaml", "-0.9, 0]", "-0.9, 1.57]", "map.yaml: line 7: the yaw of the origin is 1.57; it must be 0: turn the image instead"},
		{"an endless origin", "map.yaml", "-0.9, 0]", ".inf, 0]", "map.yaml: line 7: origin must be [x, y, 0]"},
		{"half negated", "map.yaml", "negate: 0", "negate: 0.5", `map.yaml: line 8: negate is "0.5"; it must be 0 or 1`},
		{"unknown mode", "map.yaml", "mode: trinary", "mode: binary", `map.yaml: line 5: mode is "binary"; it must be trinary, scale or raw`},
		{"unknown setting", "map.yaml", "negate: 0", "negate: 0\nscale: 2", "map.yaml: line 9: scale is not known"},
		{"twice", "map.yaml", "negate: 0", "negate: 0\nnegate: 1", "map.yaml: line 9: negate comes twice"},
		{"a compass off by more than a turn", "map.yaml", "negate: 0", "negate: 0\ncompass_deg: 400", `compass_deg is "400"; it must be between -360 and 360`},
		{"thresholds the wrong way", "map.yaml", "free_thresh: 0.196", "free_thresh: 0.9", "map.yaml: free_thresh is 0.9; it must be less than occupied_thresh, 0.65"},
		{"an image of another kind", "map.yaml", "image: map.pgm", "image: ../map.bmp", `map.yaml: line 4: image is "../map.bmp"; it must be the name of a PGM or PNG file in the same folder`},
		{"no image", "map.yaml", "image: map.pgm", "image: floor.pgm", "floor.pgm: is missing; a map folder needs it"},
		{"a tab before a setting", "map.yaml", "negate: 0", "\tnegate: 0", "map.yaml: line 8: is indented with a tab; YAML takes spaces only: write them in its place"},
		{"tabs in a list", "map.yaml", "negate: 0", "negate:\n \t- 0", "map.yaml: line 9: is indented with a tab"},
		{"Latin-1", "map.yaml", "negate: 0", "# B\xfcro\nnegate: 0", "map.yaml: line 8: has the byte 0xFC, which is not UTF-8; save the file in UTF-8"},
		{"control characters", "map.yaml", "negate: 0", "negate: \x01", "map.yaml: control characters are not allowed; a line must be a setting such as \"resolution: 0.05\""},
		{"not YAML", "map.yaml", "mode: trinary", "mode: [", "map.yaml: line 4: did not find"},
		{"not a picture", "map.pgm", "P5", "P6", "map.pgm: is not a PGM or PNG picture; a PGM must begin with P5 or P2"},
		{"16 bits", "map.pgm", "\n255\n", "\n65535\n", "map.pgm: has grey values to 65535; they must fit in 8 bits, 255"},
		{"a size whose product is 0 in 32 bits", "map.pgm", "500 340", "65536 65536", "map.pgm: has 65536 x 65536 cells; Mybot takes at most 16777216"},
		{"a hostile size", "map.pgm", "500 340", "99999999 99999999", "map.pgm: has 99999999 x 99999999 cells; Mybot takes at most 16777216 (4096 x 4096)"},
		{"cut short", "map.pgm", "500 340", "500 341", "map.pgm: ends after 170000 good grey values; 500 x 341 cells need 170500"},
		{"a place in the wall", "places.geojson", "[10.2, 3.7]", "[10.2, 15.6]", `places.geojson: place "Sofa" is at (10.2, 15.6), which is occupied; it must be on free floor`},
		{"a place off the map", "places.geojson", "[10.2, 3.7]", "[100, 3.7]", `places.geojson: place "Sofa" is at (100, 3.7), outside the grid; x must be from 0.5 to 25.5 and y from -0.9 to 16.1`},
		{"a place twice", "places.geojson", `"Desk"`, `"Sofa"`, `places.geojson: feature 7: there is already a place with the name "Sofa"`},
		{"a place without heading", "places.geojson", `, "heading_deg": -90`, ``, "places.geojson: feature 2: heading_deg is missing; it must be a number between -360 and 360"},
		{"an unknown property", "places.geojson", `"name": "Desk"`, `"name": "Desk", "floor": 3`, "places.geojson: feature 7: the property floor is not known; the ones here are name, heading_deg"},
		{"a line for a place", "places.geojson", `"type": "Point", "coordinates": [10.2, 3.7]`, `"type": "LineString", "coordinates": [[10.2, 3.7], [1, 2]]`, "places.geojson: feature 2: is a LineString; it must be a Point"},
		{"an edge to nowhere", "graph.geojson", `"startid": 1, "endid": 2}`, `"startid": 1, "endid": 77}`, "graph.geojson: feature 12: endid is 77; there is no node with that id"},
		{"a node twice", "graph.geojson", `"id": 2, "frame"`, `"id": 1, "frame"`, "graph.geojson: feature 2: there is already a node with the id 1"},
		{"another frame", "graph.geojson", `"id": 2, "frame": "map"`, `"id": 2, "frame": "odom"`, `graph.geojson: feature 2: frame is "odom"; it must be "map"`},
		{"an id that is text", "graph.geojson", `"id": 101`, `"id": "a"`, `graph.geojson: feature 12: id is "a"; it must be a whole number from 0`},
		{"half a position", "lines.geojson", "[[1, -0.4], [25, -0.4]]", "[[1], [25, -0.4]]", "lines.geojson: feature 1: has coordinates that are not those of a LineString"},
		{"a line without length", "lines.geojson", "[[1, -0.4], [25, -0.4]]", "[[1, -0.4], [1, -0.4]]", "lines.geojson: feature 1: has the position (1, -0.4) twice in a row"},
		{"far away", "lines.geojson", "[[1, -0.4], [25, -0.4]]", "[[1, -0.4], [1e300, -0.4]]", "lines.geojson: feature 1: has the coordinate 1e+300; coordinates are metres"},
		{"in UTM", "lines.geojson", "[[1, -0.4], [25, -0.4]]", "[[356789.1, 5712345.2], [356813.1, 5712345.2]]", "lines.geojson: feature 1: has the coordinate 356789.1; coordinates are metres in the frame of the picture, each between -100000 and 100000: from those of UTM or of a national grid, subtract where that frame begins"},
		{"not JSON", "lines.geojson", `"features": [`, `"features": `, "lines.geojson: line 5: invalid character"},
		{"no features", "lines.geojson", `"FeatureCollection"`, `"Feature"`, `lines.geojson: has the type "Feature"; it must be a GeoJSON FeatureCollection`},
		{"an unknown kind", "rooms.geojson", `"kind": "dock"`, `"kind": "pond"`, `rooms.geojson: feature 43: kind is "pond"; it must be room, door, furniture or dock`},
		{"an open outline", "rooms.geojson", `, [1, 8.4]]]`, `, [1, 8.5]]]`, "rooms.geojson: feature 1: has 5 positions; its ring must have at least four, the last one like the first"},
		{"a second dock", "rooms.geojson", `"kind": "room", "name": "Lab 301"`, `"kind": "dock", "heading_deg": 0`, "rooms.geojson: feature 43: is a second dock"},
		{"an endless door", "rooms.geojson", `"length_m": 1,`, `"length_m": 9,`, "rooms.geojson: feature 10: length_m is 9; it must be a number between 0.3 and 5"},
		{"a label of text", "rooms.geojson", `"label": [20.6, 9.05]`, `"label": "here"`, "rooms.geojson: feature 4: label must be [x, y] in metres"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := office(t)
			old := string(folder[c.file].Data)
			if !strings.Contains(old, c.old) {
				t.Fatalf("%s has no %q", c.file, c.old)
			}
			folder[c.file] = &fstest.MapFile{Data: []byte(strings.Replace(old, c.old, c.new, 1))}
			plan, err := floorplan.Load(folder)
			if err == nil || plan != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// A plan of a building is often in degrees, or in the frame of a country.
func TestLinesOrRoomsThatAreAllOffThePictureAreRefused(t *testing.T) {
	const (
		line = `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":[%s]}}]}`
		room = `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"kind":"room","name":"Hall"},"geometry":{"type":"Polygon","coordinates":[[%s]]}}]}`
	)
	for _, c := range []struct{ file, text, positions, want string }{
		{"lines.geojson", line, "[127.36, 36.37], [127.37, 36.38]", "lines.geojson: has no line on the picture; positions are in metres in the frame of the picture, not in degrees of longitude and latitude"},
		{"lines.geojson", line, "[-5, 3], [30, 3], [127, 36]", ""},
		{"rooms.geojson", room, "[127.36, 36.37], [127.37, 36.37], [127.37, 36.38], [127.36, 36.37]", "rooms.geojson: has no room on the picture; positions are in metres"},
		{"rooms.geojson", room, "[-5, -5], [3, -5], [3, 3], [-5, -5]", ""},
	} {
		folder := office(t)
		folder[c.file] = &fstest.MapFile{Data: fmt.Appendf(nil, c.text, c.positions)}
		if _, err := floorplan.Load(folder); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.positions, err, c.want)
		}
	}
}

func TestASettingMayBeWrittenInEachWayThatMapServerReads(t *testing.T) {
	for _, c := range []struct{ old, new, same string }{
		{"negate: 0", "negate: false", "negate: 0"},
		{"negate: 0", "negate: true", "negate: 1"},
		{"resolution: 0.05", `resolution: "0.05"`, "resolution: 0.05"},
		{"resolution: 0.05", "resolution: 5e-2", "resolution: 0.05"},
	} {
		var plans [2]*robot.Floorplan
		for i, text := range []string{c.new, c.same} {
			folder := fstest.MapFS{"map.pgm": {Data: []byte("P5\n3 1\n255\n\x00\x80\xfe")}}
			folder["map.yaml"] = &fstest.MapFile{Data: []byte(strings.Replace("image: map.pgm\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n", c.old, text, 1))}
			plans[i] = load(t, folder)
		}
		if !reflect.DeepEqual(plans[0].Grid, plans[1].Grid) {
			t.Errorf("%s: %+v, want %+v", c.new, plans[0].Grid, plans[1].Grid)
		}
	}
}

// map_saver writes the path that it was given, and names the settings as the picture.
func TestTheFilesOfMapSaverAreFound(t *testing.T) {
	for _, written := range []string{"/home/ana/maps/map.pgm", "./map.pgm", "maps/map.pgm", "../map.pgm", `C:\Users\ana\map.pgm`} {
		folder := office(t)
		folder["map.yaml"].Data = []byte(strings.Replace(string(folder["map.yaml"].Data), "image: map.pgm", "image: "+written, 1))
		load(t, folder)
	}
	folder := office(t)
	folder["office.yaml"] = folder["map.yaml"]
	delete(folder, "map.yaml")
	const want = "map.yaml: is missing; a map folder needs it; if office.yaml has the map's settings, rename it"
	if _, err := floorplan.Load(folder); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestThePictureMayBeInAFolderOfTheMap(t *testing.T) {
	for _, written := range []string{"pictures/floor.pgm", "./pictures/floor.pgm", `pictures\floor.pgm`} {
		folder := office(t)
		folder["map.yaml"].Data = []byte(strings.Replace(string(folder["map.yaml"].Data), "image: map.pgm", "image: "+written, 1))
		folder["pictures/floor.pgm"] = folder["map.pgm"]
		delete(folder, "map.pgm")
		load(t, folder)
	}
}

// Nav2's route server loads them too.
func TestAViaGraphWithPartsThatNoRobotCanUseLoadsAndTheyAreTold(t *testing.T) {
	const edge = `"startid": 1, "endid": 2}`
	graph := string(office(t)["graph.geojson"].Data)
	line := graph[strings.Index(graph, edge):]
	line = line[strings.Index(line, `"coordinates": `):]
	line = line[:strings.Index(line, "}")]
	for _, c := range []struct{ name, old, new, want string }{
		{"an edge to itself", edge, `"startid": 1, "endid": 1}`, "graph.geojson: edge 101 goes from node 1 to itself"},
		{"a node in the wall", `"metadata": {"name": "II"}}, "geometry": {"type": "Point", "coordinates": [7.6, 7.3]`, `"metadata": {"name": "II"}}, "geometry": {"type": "Point", "coordinates": [7.6, 6.2]`, "graph.geojson: node 2 (II) is at (7.6, 6.2), which is occupied; it must be on free floor"},
		{"a node off the map", `"metadata": {"name": "II"}}, "geometry": {"type": "Point", "coordinates": [7.6, 7.3]`, `"metadata": {"name": "II"}}, "geometry": {"type": "Point", "coordinates": [-76, 7.3]`, "graph.geojson: node 2 (II) is at (-76, 7.3), outside the grid"},
		{"an edge without a line", line, `"coordinates": []`, ""},
		{"an edge with a line of one number", line, `"coordinates": [[[7]]]`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := office(t)
			if !strings.Contains(graph, c.old) {
				t.Fatalf("there is no %q", c.old)
			}
			folder["graph.geojson"] = &fstest.MapFile{Data: []byte(strings.Replace(graph, c.old, c.new, 1))}
			plan := load(t, folder)
			said := ""
			if barred := floorplan.Barred(plan); len(barred) > 0 {
				said = barred[0].Error()
			}
			if !strings.HasPrefix(said, c.want) || (said == "") != (c.want == "") {
				t.Errorf("the message is %q, want %q", said, c.want)
			}
			if len(plan.Graph.Nodes) != 11 || len(plan.Graph.Edges) != len(load(t, maps.Office()).Graph.Edges) {
				t.Error("nodes or edges are missing")
			}
		})
	}
}

func TestEveryFaultOfEveryFileIsReportedAtOnce(t *testing.T) {
	folder := office(t)
	for file, change := range map[string][2]string{
		"map.yaml": {"negate: 0", "negate: 2"}, "places.geojson": {`-90`, `"south"`}, "graph.geojson": {`"endid": 2}`, `"endid": 99}`},
	} {
		folder[file].Data = []byte(strings.Replace(string(folder[file].Data), change[0], change[1], 1))
	}
	_, err := floorplan.Load(folder)
	for _, want := range []string{"map.yaml: line 8: negate", "places.geojson: feature 2", "graph.geojson: feature 12"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in:\n%v", want, err)
		}
	}
}

func TestALineOfTheSettingsHasOneFault(t *testing.T) {
	for _, value := range []string{"maybe", "2", "[0]", "0.5"} {
		folder := office(t)
		folder["map.yaml"].Data = []byte(strings.Replace(string(folder["map.yaml"].Data), "negate: 0", "negate: "+value, 1))
		_, err := floorplan.Load(folder)
		if faults := (floorplan.Faults)(nil); !errors.As(err, &faults) || len(faults) != 1 || !strings.Contains(faults[0].Error(), "negate") {
			t.Errorf("negate: %s: %v", value, err)
		}
	}
}

func TestAFolderOfFaultsDoesNotMakeAnEndlessError(t *testing.T) {
	folder := office(t)
	folder["places.geojson"].Data = []byte(`{"type": "FeatureCollection", "features": [` + strings.Repeat("1,", 50_000) + "1]}")
	_, err := floorplan.Load(folder)
	if err == nil || len(err.Error()) > 10_000 || !strings.Contains(err.Error(), "and 49961 more faults") {
		t.Errorf("%v", err)
	}
}

func TestAFileThatIsTooLongIsRefused(t *testing.T) {
	folder := office(t)
	folder["map.yaml"].Data = append(folder["map.yaml"].Data, []byte(strings.Repeat("# a long story\n", 5000))...)
	if _, err := floorplan.Load(folder); err == nil || !strings.Contains(err.Error(), "map.yaml: is longer than 65536 bytes") {
		t.Errorf("%v", err)
	}
}

func TestABareMapServerFolderIsAFloorPlan(t *testing.T) {
	folder := fstest.MapFS{
		"depot.yaml": {Data: []byte("not read")},
		"map.yaml":   {Data: []byte("image: depot.pgm\nresolution: 0.1\norigin: [-1.0, -2.0, 0.0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.25\n")},
		"depot.pgm":  {Data: []byte("P2\n# made by hand\n3 2\n255\n0 254 205\n254 254 0\n")},
	}
	plan := load(t, folder)
	if plan.Name != "depot" {
		t.Errorf("name = %q", plan.Name)
	}
	g := plan.Grid
	if g.Width != 3 || g.Height != 2 || g.Resolution != 0.1 || g.Origin != (robot.Point{X: -1, Y: -2}) {
		t.Errorf("grid = %+v", g)
	}
	for p, want := range map[robot.Point]robot.Cell{
		{X: -0.95, Y: -1.95}: robot.Free, {X: -0.75, Y: -1.95}: robot.Occupied, // the lower row is the last one of the image
		{X: -0.95, Y: -1.85}: robot.Occupied, {X: -0.85, Y: -1.85}: robot.Free, {X: -0.75, Y: -1.85}: robot.Unknown,
		{X: -1.05, Y: -1.95}: robot.Unknown, {X: -0.95, Y: -1.75}: robot.Unknown,
	} {
		if got := g.At(p); got != want {
			t.Errorf("the cell at %v is %d, want %d", p, got, want)
		}
	}
	if len(plan.Lines) == 0 {
		t.Error("no lines were traced")
	}
}

// FuzzFolder loads small map folders in which every file may be wrong, and draws those that
// are taken.
func FuzzFolder(f *testing.F) {
	settings := "image: map.pgm\nresolution: 0.05\norigin: [-1, 2, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"
	read := func(name string) string {
		data, err := fs.ReadFile(maps.Office(), name)
		if err != nil {
			f.Fatal(err)
		}
		return string(data)
	}
	f.Add(settings, []byte("P5\n3 3\n255\n\x00\x00\x00\x00\xfe\xfe\x00\xfe\xcd"), read("graph.geojson"), read("places.geojson"))
	f.Add(settings, []byte("P2\n4 2\n9\n0 9 0 9\n9 0 9 0"), "{}", "{}")
	f.Fuzz(func(t *testing.T, settings string, picture []byte, graph, places string) {
		if len(picture) > 4096 {
			return
		}
		plan, err := floorplan.Load(fstest.MapFS{"map.yaml": {Data: []byte(settings)}, "map.pgm": {Data: picture}, "graph.geojson": {Data: []byte(graph)}, "places.geojson": {Data: []byte(places)}})
		if err != nil {
			return
		}
		if plan.Grid.Width < 1 || plan.Grid.Height < 1 || len(plan.Grid.Cells) != plan.Grid.Width*plan.Grid.Height {
			t.Fatalf("%d x %d cells, of which there are %d", plan.Grid.Width, plan.Grid.Height, len(plan.Grid.Cells))
		}
		for _, l := range plan.Lines {
			for _, v := range []float64{l.A.X, l.A.Y, l.B.X, l.B.Y} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("the line %v", l)
				}
			}
		}
	})
}
