package floorplan_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models/modelstest"
)

// builtIn returns the folder of a built-in floor.
func builtIn(t *testing.T, name string) fs.FS {
	t.Helper()
	folder, ok := maps.Find(name)
	if !ok {
		t.Fatalf("there is no built-in floor %q", name)
	}
	return folder
}

func TestThePicturesOfTheBuiltInFloorsAreDrawnFromTheirLines(t *testing.T) {
	for _, name := range maps.Names() {
		folder := builtIn(t, name)
		drawn, err := floorplan.Draw(folder)
		if err != nil {
			t.Fatal(err)
		}
		if picture, err := fs.ReadFile(folder, "map.pgm"); err != nil || !bytes.Equal(drawn, picture) {
			t.Errorf("maps/%s/map.pgm is not what go generate ./maps draws", name)
		}
	}
}

func TestADrawingNeedsLinesAndRooms(t *testing.T) {
	folder := office(t)
	delete(folder, "lines.geojson")
	delete(folder, "rooms.geojson")
	_, err := floorplan.Draw(folder)
	for _, want := range []string{"lines.geojson: is missing", "rooms.geojson: has no room"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}

func TestTheLinesTracedFromTheOfficesPictureAreItsWalls(t *testing.T) {
	folder := office(t)
	given := load(t, folder).Lines
	delete(folder, "lines.geojson")
	plan := load(t, folder)
	if n := len(plan.Lines); n < 60 || n > 400 {
		t.Errorf("%d lines", n)
	}
	// The face of each wall is half its thickness from the given line.
	for _, g := range given {
		middle := robot.Point{X: (g.A.X + g.B.X) / 2, Y: (g.A.Y + g.B.Y) / 2}
		best := math.Inf(1)
		for _, l := range plan.Lines {
			best = math.Min(best, off(middle, l))
		}
		if math.Abs(best-floorplan.WallThickness/2) > 0.02 {
			t.Errorf("the wall at %v has its face %.3f m off", middle, best)
		}
	}
}

// off returns the distance of p from the segment.
func off(p robot.Point, s robot.Segment) float64 {
	best := math.Inf(1)
	for i := range 1001 {
		f := float64(i) / 1000
		best = math.Min(best, p.Sub(robot.Point{X: s.A.X + f*(s.B.X-s.A.X), Y: s.A.Y + f*(s.B.Y-s.A.Y)}).Norm())
	}
	return best
}

func TestTheOfficeIsTheOneOfThePictures(t *testing.T) {
	plan := load(t, maps.Office())
	if plan.Name != "3rd floor, KAIST EE" {
		t.Errorf("name = %q", plan.Name)
	}
	var rooms, via, places []string
	for _, r := range plan.Rooms {
		rooms = append(rooms, r.Name)
	}
	for _, v := range plan.Graph.Nodes {
		via = append(via, v.Name)
	}
	for _, p := range plan.Places {
		places = append(places, p.Name)
	}
	for _, c := range []struct {
		got  []string
		want string
	}{
		{rooms, "Lab 301, Office 302, Office 303, Copy room 304, Workshop 311, Lounge, Meeting 312, Library 313, Corridor"},
		{via, "I, II, III, IV, V, VI, VII, VIII, IX, X, S"},
		{places, "Dock, Sofa, Copy room, Meeting door, Stairs, Lab 301, Desk"},
	} {
		if got := strings.Join(c.got, ", "); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	for _, e := range plan.Graph.Edges {
		if !slices.ContainsFunc(plan.Graph.Edges, func(b robot.Edge) bool { return b.Start == e.End && b.End == e.Start }) {
			t.Errorf("edge %d does not lead back", e.ID)
		}
	}
	for _, d := range plan.Doors {
		if d.Length != 1 {
			t.Errorf("the door of %s is %g m wide", d.Name, d.Length)
		}
		for _, f := range []float64{0.1, 0.5, 0.9} {
			p := d.Hinge.Add(robot.Point{X: f * math.Cos(d.Closed), Y: f * math.Sin(d.Closed)})
			if plan.Grid.At(p) != robot.Free {
				t.Errorf("the door of %s is walled up at %v", d.Name, p)
			}
		}
	}
}

func TestTheRobotFitsWhereTheBuiltInFloorsSendIt(t *testing.T) {
	for _, name := range maps.Names() {
		t.Run(name, func(t *testing.T) { checkRoom(t, load(t, builtIn(t, name))) })
	}
}

// checkRoom moves the hull along every edge of a plan and to every place.
func checkRoom(t *testing.T, plan *robot.Floorplan) {
	t.Helper()
	d := modelstest.Mybot(t)
	fits := func(what string, at robot.Pose) {
		t.Helper()
		for x := -d.Body.Length / 2; x <= d.Body.Length/2; x += 0.02 {
			for y := -d.Body.Width / 2; y <= d.Body.Width/2; y += 0.025 {
				if p := at.Apply(robot.Point{X: x, Y: y}); plan.Grid.At(p) != robot.Free {
					t.Errorf("%s: the hull at %v covers an occupied cell at %v", what, at, p)
					return
				}
			}
		}
	}
	fits("the dock", *plan.Dock)
	for _, p := range plan.Places {
		fits(p.Name, p.Pose)
	}
	nodes := map[int]robot.Via{}
	for _, v := range plan.Graph.Nodes {
		nodes[v.ID] = v
	}
	for _, e := range plan.Graph.Edges {
		a, b := nodes[e.Start].Point, nodes[e.End].Point
		leg := b.Sub(a)
		for f := 0.0; f <= 1; f += 0.05 / leg.Norm() {
			fits(nodes[e.Start].Name+" to "+nodes[e.End].Name, robot.Pose{X: a.X + f*leg.X, Y: a.Y + f*leg.Y, Theta: math.Atan2(leg.Y, leg.X)})
		}
	}
}

func TestThePageGetsThePlanInTheFormOfTheProtocol(t *testing.T) {
	label := robot.Point{X: 2, Y: 3}
	plan := &robot.Floorplan{
		Name:  `</script><b>`,
		Lines: []robot.Segment{{A: robot.Point{X: 1, Y: -0.4}, B: robot.Point{X: 25, Y: -0.4}}},
		Rooms: []robot.Room{
			{Name: "Lab 301", Outline: []robot.Point{{X: 1, Y: 8.4}, {X: 7.5, Y: 8.4}, {X: 7.5, Y: 15.6}}},
			{Corridor: true, Outline: []robot.Point{{X: 1, Y: 6}, {X: 7.5, Y: 6}, {X: 7.5, Y: 8.4}}, Label: &label},
		},
		Doors:     []robot.Door{{Name: "Lab", Hinge: robot.Point{X: 4.2, Y: 8.4}, Length: 1, Open: math.Pi / 2}},
		Furniture: []robot.Furniture{{Outline: []robot.Point{{X: 7.3, Y: 5.5}}, Radius: 0.3, Height: 1}},
		Graph: robot.Graph{
			Nodes: []robot.Via{{ID: 1, Name: "I", Point: robot.Point{X: 3.7, Y: 7.3}}, {ID: 2, Point: robot.Point{X: 4, Y: 7.3}}},
			Edges: []robot.Edge{{ID: 7, Start: 1, End: 2}, {ID: 8, Start: 2, End: 1}},
		},
		Places: []robot.Place{{Name: "Sofa", Pose: robot.Pose{X: 10.2, Y: 3.7, Theta: -math.Pi / 2}}},
		Dock:   &robot.Pose{X: 1.42, Y: 7.3},
	}
	got, err := floorplan.JSON(plan)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"name":"\u003c/script\u003e\u003cb\u003e","bounds":[1,-0.4,25,15.6],"walls":[[1,-0.4,25,-0.4]],` +
		`"rooms":[{"name":"Lab 301","corridor":false,"outline":[[1,8.4],[7.5,8.4],[7.5,15.6]],"label":null},{"name":"","corridor":true,"outline":[[1,6],[7.5,6],[7.5,8.4]],"label":[2,3]}],"free":[],` +
		`"doors":[{"hinge":[4.2,8.4],"length":1,"closed":0,"open":1.5708}],"furniture":[{"outline":[[7.3,5.5]],"radius":0.3}],` +
		`"via":[{"id":1,"name":"I","at":[3.7,7.3]},{"id":2,"name":"","at":[4,7.3]}],"edges":[[1,2],[2,1]],"places":[{"name":"Sofa","pose":[10.2,3.7,-1.5708]}],"dock":[1.42,7.3,0]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAnEmptyPlanHasListsAndNoNulls(t *testing.T) {
	got, err := floorplan.JSON(&robot.Floorplan{Grid: robot.Grid{Width: 2, Height: 4, Resolution: 0.5, Origin: robot.Point{X: -1}, Cells: make([]robot.Cell, 8)}})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(got, &fields); err != nil {
		t.Fatal(err)
	}
	if string(fields["bounds"]) != "[-1,0,0,2]" {
		t.Errorf("bounds = %s", fields["bounds"])
	}
	for _, key := range []string{"walls", "rooms", "free", "doors", "furniture", "via", "edges", "places"} {
		if string(fields[key]) != "[]" {
			t.Errorf("%s = %s", key, fields[key])
		}
	}
}

// A map of another program has no rooms: without this its free floor would look as what is
// unknown.
func TestAPlanWithoutRoomsShowsItsFreeFloor(t *testing.T) {
	g := robot.Grid{Width: 5, Height: 5, Resolution: 0.5, Origin: robot.Point{X: -1}, Cells: make([]robot.Cell, 25)}
	for _, i := range []int{6, 7, 8, 11, 13, 16, 17, 18} { // a ring of floor around what is unknown
		g.Cells[i] = robot.Free
	}
	plan := &robot.Floorplan{Grid: g}
	got, err := floorplan.JSON(plan)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"free":[[[-0.5,0.5],[1,0.5],[1,2],[-0.5,2],[-0.5,0.5]],[[0,1],[0,1.5],[0.5,1.5],[0.5,1],[0,1]]]`; !strings.Contains(string(got), want) {
		t.Errorf("got %s, want %s", got, want)
	}
	var picture strings.Builder
	if err := floorplan.SVG(&picture, plan); err != nil {
		t.Fatal(err)
	}
	if want := `<path d="M-0.5,-0.5 1,-0.5 1,-2 -0.5,-2 -0.5,-0.5M0,-1 0,-1.5 0.5,-1.5 0.5,-1 0,-1" fill="#ffffff"/>`; !strings.Contains(picture.String(), want) {
		t.Errorf("got %s, want %s", picture.String(), want)
	}
	plan.Rooms = []robot.Room{{Outline: []robot.Point{{X: 0}, {X: 1}, {X: 1, Y: 1}}}}
	if got, err = floorplan.JSON(plan); err != nil || !strings.Contains(string(got), `"free":[]`) {
		t.Errorf("with rooms: %s, %v", got, err)
	}
}

func TestThePictureForBrowsersWithoutScriptsIsProperXML(t *testing.T) {
	plan := *load(t, maps.Office())
	plan.Name = `Tom & "Jerry" <3`
	var b bytes.Buffer
	if err := floorplan.SVG(&b, &plan); err != nil {
		t.Fatal(err)
	}
	picture := b.String()
	elements := map[string]int{}
	words := map[string]bool{}
	for d := xml.NewDecoder(&b); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			elements[token.Name.Local]++
		case xml.CharData:
			words[string(token)] = true
		}
	}
	if !words[plan.Name] || !words["Copy room 304"] || !words["Sofa"] {
		t.Error("the names are not in the picture")
	}
	round := 0
	for _, f := range plan.Furniture {
		if f.Radius > 0 {
			round++
		}
	}
	if want := round + len(plan.Places); elements["circle"] != want {
		t.Errorf("%d circles, want %d", elements["circle"], want)
	}
	if want := len(plan.Doors) + 1; elements["path"] != want {
		t.Errorf("%d paths, want %d", elements["path"], want)
	}
	if strings.Contains(picture, "NaN") || strings.Contains(picture, "Inf") {
		t.Error("a coordinate is not a number")
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAPictureThatCannotBeWrittenIsAnError(t *testing.T) {
	if err := floorplan.SVG(brokenPipe{}, load(t, maps.Office())); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%v", err)
	}
}

func BenchmarkLoadOffice(b *testing.B) {
	for b.Loop() {
		load(b, maps.Office())
	}
}
