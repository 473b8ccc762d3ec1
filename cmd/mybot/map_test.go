package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// officeFolder returns a folder with the built-in office after replacements {file, old text,
// new text}.
func officeFolder(t *testing.T, changes ...[3]string) string {
	t.Helper()
	dir := copyOffice(t)
	for _, c := range changes {
		path := filepath.Join(dir, c[0])
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(data, []byte(c[1])) {
			t.Fatalf("%s has no %q", c[0], c[1])
		}
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bytes.Replace(data, []byte(c[1]), []byte(c[2]), 1), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// say runs the program.
func say(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, &o, &e, nothing)
	return code, o.String(), e.String()
}

func TestAMapThatIsRightIsSaidToBe(t *testing.T) {
	dir := officeFolder(t)
	if code, out, errs := say(t, "map", "check", dir); code != exitDone || out != dir+" is valid.\n" || errs != "" {
		t.Errorf("%d %s %s", code, out, errs)
	}
}

func TestAMapWithoutAPlaceToStartIsSaidToBeNoneForTheSimulator(t *testing.T) {
	dir := officeFolder(t)
	for _, file := range []string{"scene.json", "rooms.geojson", "graph.geojson", "places.geojson"} {
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}
	want := dir + " is valid, but the simulator cannot use it: the map does not say where the robot starts: give --start X,Y,HEADING, or add a dock, a place, a via point, or a scene.json with a start\n"
	if code, out, errs := say(t, "map", "check", dir); code != exitDone || out != want || errs != "" {
		t.Errorf("%d %s %s", code, out, errs)
	}
}

func TestEveryFaultOfAMapIsToldWithFileAndPlace(t *testing.T) {
	dir := officeFolder(t,
		[3]string{"graph.geojson", `"startid": 1, "endid": 2}`, `"startid": 1, "endid": 77}`},
		[3]string{"places.geojson", "[10.2, 3.7]", "[10.2, 15.6]"})
	code, out, errs := say(t, "map", "check", dir)
	const want = "graph.geojson: feature 12: endid is 77; there is no node with that id\n" +
		"places.geojson: place \"Sofa\" is at (10.2, 15.6), which is occupied; it must be on free floor\n"
	if code != exitFailed || out != want || errs != "mybot: "+dir+" has faults: 2\n" {
		t.Errorf("%d\n%s\n%s", code, out, errs)
	}
}

func TestWhatTheRobotDoesNotFitIntoIsAFault(t *testing.T) {
	dir := officeFolder(t,
		[3]string{"graph.geojson", `"metadata": {"name": "II"}}, "geometry": {"type": "Point", "coordinates": [7.6, 7.3]`, `"metadata": {"name": "II"}}, "geometry": {"type": "Point", "coordinates": [7.6, 8.1]`},
		[3]string{"graph.geojson", `"metadata": {"name": "VI"}}, "geometry": {"type": "Point", "coordinates": [16.9, 11.35]`, `"metadata": {"name": "VI"}}, "geometry": {"type": "Point", "coordinates": [14.9, 11.35]`},
		[3]string{"places.geojson", "[10.2, 3.7]", "[1.3, 7.3]"})
	code, out, errs := say(t, "map", "check", dir)
	if !strings.Contains(errs, "they are those of a robot as large as Mybot") || !strings.HasSuffix(errs, ": --robot FILE is for another one\n") {
		t.Errorf("it does not say whose faults they are: %s", errs)
	}
	for _, want := range []string{
		"graph.geojson: node 2 (II) is 0.2",
		"the robot needs 0.36 m there, so no route leads through it\n",
		"graph.geojson: the edge from node 5 (V) to node 6 (VI) comes within 0.00 m of a wall or an object at (",
		"the robot needs 0.36 m, so no route leads over it\n",
		"places.geojson: place \"Sofa\" is 0.2",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if strings.Contains(out, "node 6 (VI) to node 5") || strings.Contains(out, "node 1 (I) to node 2") {
		t.Errorf("a fault is reported twice:\n%s", out)
	}
	if code != exitFailed {
		t.Errorf("exit code %d", code)
	}
}

func TestAMapIsMeasured(t *testing.T) {
	code, out, errs := say(t, "map", "info")
	if code != exitDone || errs != "" {
		t.Fatalf("%d %s", code, errs)
	}
	for _, want := range []string{"3rd floor, KAIST EE\n", "25.00 x 17.00 m, 500 x 340 cells of 0.05 m", "11 via points, 20 edges, 20 of which the robot can use", "9, with 7 doors"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestAMapIsMeasuredForPrograms(t *testing.T) {
	// Four rows of 100 free cells, split by a column of wall: 30 cells to its left and 69 to
	// its right.
	row := strings.Repeat("\xfe", 30) + "\x00" + strings.Repeat("\xfe", 69)
	dir := t.TempDir()
	for name, data := range map[string]string{
		"map.yaml": "image: map.pgm\nresolution: 0.1\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.2\n",
		"map.pgm":  "P5 100 40 255 " + strings.Repeat(row, 40),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := say(t, "map", "info", dir, "--json")
	if code != exitDone {
		t.Fatalf("%d %s", code, errs)
	}
	var s mapSummary
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	// The robot's centre stays four cells from every wall and from the edge.
	left, right := 32*(30-8), 32*(69-8)
	if s.Width != 10 || s.Height != 4 || s.Free != 99*40*0.01 || s.Drivable != roundDecimals(float64(left+right)*0.01) || s.Reachable != roundDecimals(float64(right)/float64(left+right)) || s.Lines != 2 || s.Wall != 8 {
		t.Errorf("%+v", s)
	}
}

func TestLinesAreTracedFromThePicture(t *testing.T) {
	dir := officeFolder(t)
	code, out, _ := say(t, "map", "lines", dir)
	if code != exitDone || strings.Count(out, "LineString") < 60 || !strings.HasPrefix(out, "{\n  \"type\": \"FeatureCollection\"") {
		t.Fatalf("%d, %d bytes", code, len(out))
	}
	file := filepath.Join(dir, "lines.geojson")
	if given, err := os.ReadFile(file); err != nil || string(given) == out {
		t.Fatalf("the folder's lines were changed without the flag (%v)", err)
	}
	if code, said, errs := say(t, "map", "lines", dir, "--write"); code != exitDone || !strings.HasSuffix(said, " lines are in "+file+".\n") {
		t.Fatalf("%d %s %s", code, said, errs)
	}
	if written, err := os.ReadFile(file); err != nil || string(written) != out {
		t.Errorf("what was written is not what was shown (%v)", err)
	}
	if code, out, _ := say(t, "map", "check", dir); code != exitDone {
		t.Errorf("the map with its new lines is not right: %s", out)
	}
}
