package floorplan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/geojson"

	"mybot/robot"
	"mybot/strictjson"
)

// maxQuoted limits how much of a name a fault quotes, in bytes.
const maxQuoted = 60

// maxFeatures is the largest number of features in a file.
const maxFeatures = 100_000

// A feature is one GeoJSON feature while it is being read. Properties that no reader takes
// are reported as unknown.
type feature struct {
	*strictjson.Object // the properties

	file     string
	n        int // from 1
	geometry orb.Geometry
	faults   *faults
}

// readFeatures reads the GeoJSON file; ok is false when it is absent.
func readFeatures(fsys fs.FS, file string, f *faults) (list []*feature, ok bool) {
	data, ok := readFile(fsys, file, maxGeoJSON, false, f)
	if !ok {
		return nil, false
	}
	return parseFeatures(file, data, f), true
}

func parseFeatures(file string, data []byte, f *faults) []*feature {
	var collection struct {
		Type     string            `json:"type"`
		Features []json.RawMessage `json:"features"`
	}
	if !utf8.Valid(data) {
		f.add(file, "is not UTF-8 text")
		return nil
	}
	var syntax *strictjson.SyntaxError
	var kind *json.UnmarshalTypeError
	switch err := strictjson.Check(data, len(data)); {
	case errors.As(err, &syntax):
		f.add(file, "line %d: %v", syntax.Line, syntax.Err)
		return nil
	case errors.As(json.Unmarshal(data, &collection), &kind):
		line := 1 + bytes.Count(data[:min(int(kind.Offset), len(data))], []byte("\n"))
		f.add(file, "line %d: %q is %s, which does not belong there", line, kind.Field, kind.Value)
		return nil
	}
	if collection.Type != "FeatureCollection" {
		f.add(file, "has the type %q; it must be a GeoJSON FeatureCollection", strictjson.Clip(collection.Type, maxQuoted))
		return nil
	}
	if len(collection.Features) > maxFeatures {
		f.add(file, "has %d features; it must have at most %d", len(collection.Features), maxFeatures)
		return nil
	}
	var list []*feature
	for i, raw := range collection.Features {
		t := &feature{file: file, n: i + 1, faults: f}
		if err := t.decodeFeature(raw); err != nil {
			t.newFault("%v", err)
			continue
		}
		list = append(list, t)
	}
	return list
}

// decodeFeature reads one feature. It checks the nesting of the coordinates first, because
// the library pads missing values and drops surplus ones.
func (t *feature) decodeFeature(raw []byte) error {
	var f struct {
		Type       string          `json:"type"`
		Geometry   json.RawMessage `json:"geometry"`
		Properties json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(raw, &f); err != nil || f.Type != "Feature" {
		return errors.New("is not a GeoJSON Feature")
	}
	if len(f.Properties) == 0 || string(f.Properties) == "null" {
		f.Properties = []byte("{}")
	}
	if f.Properties[0] != '{' {
		return errors.New("is not a GeoJSON Feature")
	}
	if len(f.Geometry) == 0 || string(f.Geometry) == "null" {
		return errors.New("has no geometry")
	}
	var shape struct {
		Type        string `json:"type"`
		Coordinates any    `json:"coordinates"`
	}
	if err := json.Unmarshal(f.Geometry, &shape); err != nil {
		return errors.New("has no proper geometry")
	}
	depth, ok := map[string]int{"Point": 0, "LineString": 1, "MultiLineString": 2, "Polygon": 2}[shape.Type]
	if !ok {
		return fmt.Errorf("is a %q; a map has Point, LineString, MultiLineString and Polygon", strictjson.Clip(shape.Type, maxQuoted))
	}
	if t.file == graphFile && depth > 0 && shape.Type != "Polygon" {
		// An edge is straight from node to node: like Nav2's loader, ignore the line that
		// is drawn for it.
		shape.Coordinates, f.Geometry = []any{[]any{0.0, 0.0}}, []byte(`{"type":"LineString","coordinates":[[0,0]]}`)
		shape.Type, depth = "LineString", 1
	}
	if !arePositions(shape.Coordinates, depth) {
		return fmt.Errorf("has coordinates that are not those of a %s; a position is [x, y] in metres", shape.Type)
	}
	if v, ok := farCoordinate(shape.Coordinates); ok {
		return fmt.Errorf("has the coordinate %.9g; coordinates are metres in the frame of the picture, each between -100000 and 100000: from those of UTM or of a national grid, subtract where that frame begins", v)
	}
	g, err := geojson.UnmarshalGeometry(f.Geometry)
	if err != nil || g.Coordinates == nil || g.Type != shape.Type {
		return errors.New("has no proper geometry")
	}
	t.geometry, t.Object = g.Coordinates, strictjson.NewObject(f.Properties, "", t.reportFault)
	return nil
}

// arePositions reports whether v is positions nested in lists of the given depth.
func arePositions(v any, depth int) bool {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return false
	}
	if depth > 0 {
		for _, e := range list {
			if !arePositions(e, depth-1) {
				return false
			}
		}
		return true
	}
	for _, e := range list {
		if _, ok := e.(float64); !ok {
			return false
		}
	}
	return len(list) == 2 || len(list) == 3
}

// farCoordinate returns the first number in nested lists that is too large for a coordinate.
func farCoordinate(v any) (far float64, ok bool) {
	list, _ := v.([]any)
	for _, e := range list {
		if n, number := e.(float64); number && !isCoordinate(n) {
			return n, true
		}
		if far, ok = farCoordinate(e); ok {
			return far, true
		}
	}
	return 0, false
}

func (t *feature) newFault(format string, args ...any) {
	t.faults.add(t.file, "feature %d: %s", t.n, fmt.Sprintf(format, args...))
}

// reportFault adds a fault of a property.
func (t *feature) reportFault(f strictjson.Fault) {
	switch {
	case f.Problem != strictjson.Unknown:
		t.newFault("%v", f)
	case len(f.Known) == 0:
		t.newFault("the property %s is not known; there are none here", strictjson.Printable(strictjson.Clip(f.Key, maxQuoted)))
	default:
		t.newFault("the property %s is not known; the ones here are %s", strictjson.Printable(strictjson.Clip(f.Key, maxQuoted)), strings.Join(f.Known, ", "))
	}
}

// takeID takes a property that is the id of a node or an edge. It reports a fault and
// returns -1 if the property is invalid.
func (t *feature) takeID(key string) int {
	value := t.Take(key)
	if value != nil {
		if n, ok := strictjson.Number(value); ok && n == math.Trunc(n) && n >= 0 && n <= math.MaxUint32 {
			return int(n)
		}
	}
	t.Reject(key, "a whole number from 0")
	return -1
}

const properName = "text of 1 to 40 characters without a space at the ends"

// optionalName takes the name property; "" if it is absent.
func optionalName(o *strictjson.Object) string {
	if !o.Has("name") {
		return ""
	}
	return o.Text("name", properName, func(s string) bool { return s == "" || IsName(s, 40) })
}

// IsName reports whether s may be a name on a map: 1 to most characters, no control
// characters and no white space at the ends.
func IsName(s string, most int) bool {
	n := utf8.RuneCountInString(s)
	return n >= 1 && n <= most && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, robot.Steers)
}

func (t *feature) takePoint() robot.Point {
	p, ok := t.geometry.(orb.Point)
	if !ok {
		t.newFault("is a %s; it must be a Point", t.geometry.GeoJSONType())
	}
	return pointOf(p)
}

// takeOutline returns the corners of a polygon without holes, without repeating the first
// one at the end.
func (t *feature) takeOutline() []robot.Point {
	p, ok := t.geometry.(orb.Polygon)
	if !ok {
		t.newFault("is a %s; it must be a Polygon", t.geometry.GeoJSONType())
		return nil
	}
	if len(p) != 1 {
		t.newFault("has %d rings; it must have one, without holes", len(p))
		return nil
	}
	if ring := p[0]; len(ring) < 4 || !ring.Closed() {
		t.newFault("has %d positions; its ring must have at least four, the last one like the first", len(ring))
		return nil
	}
	var corners []robot.Point
	for _, c := range p[0][:len(p[0])-1] {
		corners = append(corners, pointOf(c))
	}
	return corners
}

func pointOf(p orb.Point) robot.Point { return robot.Point{X: p[0], Y: p[1]} }

const (
	linesFile  = "lines.geojson"
	graphFile  = "graph.geojson"
	placesFile = "places.geojson"
	roomsFile  = "rooms.geojson"
)

// readLines reads the object lines; it returns false if the file is absent.
func readLines(fsys fs.FS, plan *robot.Floorplan, f *faults) bool {
	list, ok := readFeatures(fsys, linesFile, f)
	for _, t := range list {
		var lines orb.MultiLineString
		switch g := t.geometry.(type) {
		case orb.LineString:
			lines = orb.MultiLineString{g}
		case orb.MultiLineString:
			lines = g
		default:
			t.newFault("is a %s; it must be a LineString", t.geometry.GeoJSONType())
		}
		glass := t.BoolOr("glass")
		for _, line := range lines {
			if len(line) < 2 {
				t.newFault("has a line of one position; a line needs at least two")
			}
			for i := range len(line) - 1 {
				if line[i] == line[i+1] {
					t.newFault("has the position (%g, %g) twice in a row; a line must have a length", line[i][0], line[i][1])
				}
				if glass {
					plan.Glass = append(plan.Glass, len(plan.Lines))
				}
				plan.Lines = append(plan.Lines, robot.Segment{A: pointOf(line[i]), B: pointOf(line[i+1])})
			}
		}
		optionalName(t.Object)
		t.End()
	}
	return ok
}

// readGraph reads the via graph in the format of Nav2's route server. It accepts
// properties that only Nav2 uses; a node's name is metadata.name. Two edges may have the
// same id, as in Nav2's own maps. It also accepts nodes and edges that Nav2 loads but no
// robot can use: Barred reports them.
func readGraph(fsys fs.FS, plan *robot.Floorplan, f *faults) {
	list, _ := readFeatures(fsys, graphFile, f)
	graphFrom(list, plan)
}

func graphFrom(list []*feature, plan *robot.Floorplan) {
	nodes := map[int]bool{}
	ends := map[int]*feature{} // by edge
	for _, t := range list {
		id := t.takeID("id")
		if t.Has("frame") {
			t.Text("frame", `"map"`, func(s string) bool { return s == "map" })
		}
		switch t.geometry.(type) {
		case orb.Point:
			if nodes[id] {
				t.newFault("there is already a node with the id %d; each must have its own", id)
			}
			nodes[id] = true
			via := robot.Via{ID: id, Point: t.takePoint()}
			if m := t.Take("metadata"); m != nil && m[0] == '{' {
				via.Name = optionalName(strictjson.NewObject(m, "metadata", t.reportFault))
			}
			plan.Graph.Nodes = append(plan.Graph.Nodes, via)
		case orb.LineString, orb.MultiLineString:
			edge := robot.Edge{ID: id, Start: t.takeID("startid"), End: t.takeID("endid")}
			ends[len(plan.Graph.Edges)] = t
			plan.Graph.Edges = append(plan.Graph.Edges, edge)
		default:
			t.newFault("is a %s; it must be a Point (a node) or a MultiLineString (an edge)", t.geometry.GeoJSONType())
		}
	}
	for i, e := range plan.Graph.Edges {
		if e.Start >= 0 && !nodes[e.Start] {
			ends[i].newFault("startid is %d; there is no node with that id", e.Start)
		}
		if e.End >= 0 && !nodes[e.End] {
			ends[i].newFault("endid is %d; there is no node with that id", e.End)
		}
	}
}

// readPlaces reads the named poses.
func readPlaces(fsys fs.FS, plan *robot.Floorplan, f *faults) {
	list, _ := readFeatures(fsys, placesFile, f)
	placesFrom(list, plan)
}

func placesFrom(list []*feature, plan *robot.Floorplan) {
	seen := map[string]bool{}
	for _, t := range list {
		p := robot.Place{Name: t.Text("name", properName, func(s string) bool { return IsName(s, 40) }), Pose: t.takePose()}
		if seen[p.Name] && p.Name != "" {
			t.newFault("there is already a place with the name %q; each must have its own", p.Name)
		}
		seen[p.Name] = true
		plan.Places = append(plan.Places, p)
		t.End()
	}
}

// takePose returns the feature's point with its heading_deg.
func (t *feature) takePose() robot.Pose {
	p := t.takePoint()
	return robot.Pose{X: p.X, Y: p.Y, Theta: t.takeAngle("heading_deg")}
}

// takeAngle takes a property in degrees and returns it in rad in (-pi, pi].
func (t *feature) takeAngle(key string) float64 {
	return robot.WrapAngle(robot.Radians(t.Number(key, -360, 360)))
}

// readRooms reads rooms, doors, furniture and the dock; the property kind tells them
// apart.
func readRooms(fsys fs.FS, plan *robot.Floorplan, f *faults) {
	list, _ := readFeatures(fsys, roomsFile, f)
	for _, t := range list {
		switch kind, _ := strictjson.Unquote(t.Take("kind")); kind {
		case "room":
			plan.Rooms = append(plan.Rooms, t.takeRoom())
		case "door":
			plan.Doors = append(plan.Doors, robot.Door{
				Name:   optionalName(t.Object),
				Hinge:  t.takePoint(),
				Length: t.Number("length_m", 0.3, 5),
				Closed: t.takeAngle("closed_deg"),
				Open:   t.takeAngle("open_deg"),
			})
		case "furniture":
			plan.Furniture = append(plan.Furniture, t.takeFurniture())
		case "dock":
			if plan.Dock != nil {
				t.newFault("is a second dock; there must be at most one")
			}
			dock := t.takePose()
			plan.Dock = &dock
		default:
			t.Reject("kind", "room, door, furniture or dock")
			continue
		}
		t.End()
	}
}

func (t *feature) takeRoom() robot.Room {
	r := robot.Room{Name: optionalName(t.Object), Outline: t.takeOutline()}
	if t.Has("corridor") {
		r.Corridor = t.Bool("corridor")
	}
	if t.Has("label") {
		var at [3]float64 // a position may have a height
		label := t.Take("label")
		if !strictjson.Numbers(label, at[:2]) && !strictjson.Numbers(label, at[:]) || !isCoordinate(at[0]) || !isCoordinate(at[1]) || !isCoordinate(at[2]) {
			t.Explain("label", "must be [x, y] in metres, where the name is written")
			return r
		}
		r.Label = &robot.Point{X: at[0], Y: at[1]}
	}
	return r
}

func (t *feature) takeFurniture() robot.Furniture {
	thing := robot.Furniture{Name: optionalName(t.Object), Height: t.Number("height_m", 0.01, 5)}
	if _, round := t.geometry.(orb.Point); round {
		thing.Outline = []robot.Point{t.takePoint()}
		thing.Radius = t.Number("radius_m", 0.01, 10)
	} else {
		thing.Outline = t.takeOutline()
	}
	return thing
}
