package floorplan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"mybot/robot"
	"mybot/store/atomicfile"
)

// Over returns the map folder base with graph.geojson and places.geojson of
// the folder over in the place of its own, where over has them: what people
// change of a map that cannot be written to.
func Over(base, over fs.FS) fs.FS { return overlay{base, over} }

type overlay struct{ base, over fs.FS }

func (o overlay) Open(name string) (fs.File, error) {
	if name == graphFile || name == placesFile {
		if file, err := o.over.Open(name); !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	return o.base.Open(name)
}

// Revise returns plan with another via graph and other places; plan itself
// stays as it is. They are judged by the rules of Load, and no edge may lead
// through what is occupied; else the error has Faults in it.
func Revise(plan *robot.Floorplan, graph robot.Graph, places []robot.Place) (*robot.Floorplan, error) {
	var f faults
	revised := *plan
	revised.Graph, revised.Places = robot.Graph{}, nil
	// They are read as they are written, so that what is taken now is taken
	// from the disk as well.
	written, err := graphJSON(graph, nil)
	if err != nil {
		return nil, fmt.Errorf("floorplan: %w", err)
	}
	graphFrom(parseFeatures(graphFile, written, &f), &revised)
	if written, err = Places(places); err != nil {
		return nil, fmt.Errorf("floorplan: %w", err)
	}
	placesFrom(parseFeatures(placesFile, written, &f), &revised)
	checkPlan(&revised, "the picture", &f)
	if len(f.list) == 0 {
		f.list = Barred(&revised)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return &revised, nil
}

// Barred returns one sentence for every node of the via graph that is not on free
// floor, and for every edge that leads through an occupied cell, off the grid or
// from a node to itself, which Load lets through: no route uses them.
func Barred(plan *robot.Floorplan) Faults {
	var f faults
	nodes := map[int]robot.Via{}
	off := map[int]bool{} // nodes of which it is said
	for _, v := range plan.Graph.Nodes {
		nodes[v.ID] = v
		off[v.ID] = !isOnFreeFloor(&plan.Grid, graphFile, Title(v), v.Point, &f)
	}
	back := map[[2]int]bool{} // an edge and its way back are one fault
	for _, e := range plan.Graph.Edges {
		if back[[2]int{e.Start, e.End}] || off[e.Start] || off[e.End] {
			continue
		}
		if e.Start == e.End {
			f.add(graphFile, "edge %d goes from node %d to itself; an edge joins two nodes", e.ID, e.Start)
			continue
		}
		a, b := nodes[e.Start], nodes[e.End]
		if at, barred := firstBarrier(&plan.Grid, a.Point, b.Point); barred {
			back[[2]int{e.End, e.Start}] = true
			f.addAt(at, graphFile, "the edge from %s to %s leads through something at (%.2f, %.2f); it must lead over free floor", Title(a), Title(b), at.X, at.Y)
		}
	}
	return f.list
}

// Title is what a sentence calls a via point.
func Title(v robot.Via) string {
	if v.Name == "" {
		return fmt.Sprintf("node %d", v.ID)
	}
	return fmt.Sprintf("node %d (%s)", v.ID, v.Name)
}

// firstBarrier returns where the straight way from a to b first meets an occupied
// cell or leaves the grid. It looks at every quarter of a cell.
func firstBarrier(g *robot.Grid, a, b robot.Point) (robot.Point, bool) {
	leg := b.Sub(a)
	n := int(4*leg.Norm()/g.Resolution) + 1
	for i := range n + 1 {
		f := float64(i) / float64(n)
		p := robot.Point{X: a.X + f*leg.X, Y: a.Y + f*leg.Y}
		if _, _, ok := g.Index(p); !ok || g.At(p) == robot.Occupied {
			return p, true
		}
	}
	return robot.Point{}, false
}

// Save writes the via graph and the places of plan into the folder dir, which
// it makes when it is not there. Each file is there as it was or as it shall
// be, whatever ends the program meanwhile. What Nav2 keeps beside a node or an
// edge that stays (cost, operations, metadata) stays too.
func Save(dir string, plan *robot.Floorplan) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("floorplan: %w", err)
	}
	old, err := os.ReadFile(filepath.Join(dir, graphFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("floorplan: %w", err)
	}
	graph, err := graphJSON(plan.Graph, old)
	if err != nil {
		return fmt.Errorf("floorplan: %w", err)
	}
	places, err := Places(plan.Places)
	if err != nil {
		return fmt.Errorf("floorplan: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(dir, graphFile), graph, 0o644); err != nil {
		return fmt.Errorf("floorplan: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(dir, placesFile), places, 0o644); err != nil {
		return fmt.Errorf("floorplan: %w", err)
	}
	return nil
}

// Trace returns the object lines of the picture of the map folder fsys, whatever
// its lines.geojson says.
func Trace(fsys fs.FS) ([]robot.Segment, error) {
	var f faults
	var lines []robot.Segment
	if s, ok := readSettings(fsys, &f); ok {
		if grid, ok := readGrid(fsys, s, &f); ok {
			lines = traceLines(&grid, s.image, &f)
		}
	}
	return lines, f.err()
}

// TraceGrid returns the object lines of a grid: where what is occupied meets what is
// free, in chains of which each line begins where the one before it ends, with what
// stands on the left.
func TraceGrid(grid *robot.Grid) ([]robot.Segment, error) {
	var f faults
	lines := traceLines(grid, "the picture", &f)
	return lines, f.err()
}

// writePicture writes a grid as map.yaml and map.pgm into the folder dir, which it makes
// when it is not there: occupied cells black, free ones white, the rest grey 205, as
// map_saver writes them. name is what people call the floor; a compass shows so much, in
// rad, more than the yaw in map.
func writePicture(dir, name string, grid *robot.Grid, compass float64) error {
	if grid.Width < 1 || grid.Height < 1 || grid.Width*grid.Height > MaxCells {
		return fmt.Errorf("floorplan: a grid of %d x %d cells; a map has 1 to %d cells", grid.Width, grid.Height, MaxCells)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("floorplan: %w", err)
	}
	title, err := json.Marshal(name) // a JSON string is one of YAML too
	if err != nil {
		return fmt.Errorf("floorplan: %w", err)
	}
	text := fmt.Sprintf("name: %s\nimage: map.pgm\nmode: trinary\nresolution: %g\norigin: [%s, %s, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n",
		title, grid.Resolution, formatLength(grid.Origin.X), formatLength(grid.Origin.Y))
	if compass != 0 {
		text += fmt.Sprintf("compass_deg: %s\n", formatLength(robot.Degrees(compass)))
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "P5\n%d %d\n255\n", grid.Width, grid.Height)
	grey := map[robot.Cell]byte{robot.Occupied: 0, robot.Free: 254, robot.Unknown: unknownGrey}
	for j := grid.Height - 1; j >= 0; j-- { // the picture begins at the top
		for _, c := range grid.Cells[j*grid.Width:][:grid.Width] {
			b.WriteByte(grey[c])
		}
	}
	if err := atomicfile.Write(filepath.Join(dir, "map.pgm"), b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("floorplan: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(dir, settingsFile), []byte(text), 0o644); err != nil {
		return fmt.Errorf("floorplan: %w", err)
	}
	return nil
}

// formatLength writes a length, in m, to a hundredth of a millimetre.
func formatLength(v float64) string { return strconv.FormatFloat(math.Round(v*1e5)/1e5, 'f', -1, 64) }

// WriteLines writes the object lines as lines.geojson into the folder dir.
func WriteLines(dir string, lines []robot.Segment) error {
	data, err := Lines(lines)
	if err == nil {
		err = atomicfile.Write(filepath.Join(dir, linesFile), data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("floorplan: %w", err)
	}
	return nil
}

// Graph returns a via graph as graph.geojson, in the form of Nav2's route
// server.
func Graph(graph robot.Graph) ([]byte, error) { return graphJSON(graph, nil) }

// Lines returns object lines as lines.geojson.
func Lines(lines []robot.Segment) ([]byte, error) { return linesJSON(lines, nil) }

// A shape is a geometry as GeoJSON has it.
type shape struct {
	Type        string `json:"type"`
	Coordinates any    `json:"coordinates"`
}

func pairOf(p robot.Point) [2]float64 { return [2]float64{p.X, p.Y} }

// A collection is a FeatureCollection that is written, one feature a line, so
// that people can read it and compare two.
type collection struct {
	b     bytes.Buffer
	first bool
	err   error
}

func newCollection() *collection {
	c := &collection{first: true}
	c.b.WriteString("{\n  \"type\": \"FeatureCollection\",\n  \"features\": [")
	return c
}

func (c *collection) addFeature(properties any, geometry shape) {
	if properties == nil {
		properties = struct{}{}
	}
	if !c.first {
		c.b.WriteByte(',')
	}
	c.first = false
	c.b.WriteString("\n    ")
	line, err := json.Marshal(struct {
		Type       string `json:"type"`
		Properties any    `json:"properties"`
		Geometry   shape  `json:"geometry"`
	}{"Feature", properties, geometry})
	c.b.Write(line)
	c.err = errors.Join(c.err, err)
}

func (c *collection) encodeFeatures() ([]byte, error) {
	c.b.WriteString("\n  ]\n}\n")
	return c.b.Bytes(), c.err
}

// Properties that people other than us may have put beside ours.
type properties map[string]json.RawMessage

func (p properties) setProperty(key string, value any) error {
	raw, err := json.Marshal(value)
	p[key] = raw
	return err
}

// An identity tells a node or an edge of two versions of a file to be the
// same. Of a node start and end are -1.
type identity struct{ id, start, end int }

// graphJSON writes the graph. old is the file as it was, nil = there is none:
// what it says more of a node or an edge is kept.
func graphJSON(graph robot.Graph, old []byte) ([]byte, error) {
	more := moreOf(old)
	of := func(id identity) properties {
		if p, ok := more[id]; ok {
			return p
		}
		return properties{}
	}
	c := newCollection()
	points := map[int]robot.Point{}
	for _, v := range graph.Nodes {
		points[v.ID] = v.Point
		p := of(identity{v.ID, -1, -1})
		err := errors.Join(p.setProperty("id", v.ID), p.setProperty("frame", "map"), p.setName(v.Name))
		if err != nil {
			return nil, err
		}
		c.addFeature(p, shape{"Point", pairOf(v.Point)})
	}
	for _, e := range graph.Edges {
		p := of(identity{e.ID, e.Start, e.End})
		if err := errors.Join(p.setProperty("id", e.ID), p.setProperty("startid", e.Start), p.setProperty("endid", e.End)); err != nil {
			return nil, err
		}
		c.addFeature(p, shape{"MultiLineString", [][][2]float64{{pairOf(points[e.Start]), pairOf(points[e.End])}}})
	}
	return c.encodeFeatures()
}

// setName sets metadata.name, and leaves the rest of the metadata.
func (p properties) setName(name string) error {
	metadata := properties{}
	if json.Unmarshal(p["metadata"], &metadata) != nil || metadata == nil {
		metadata = properties{}
	}
	delete(metadata, "name")
	if name != "" {
		if err := metadata.setProperty("name", name); err != nil {
			return err
		}
	}
	if len(metadata) == 0 {
		delete(p, "metadata")
		return nil
	}
	return p.setProperty("metadata", metadata)
}

// moreOf returns the properties of a graph file, by node and edge. A file that
// cannot be read has none.
func moreOf(old []byte) map[identity]properties {
	var file struct {
		Features []struct {
			Properties properties `json:"properties"`
		} `json:"features"`
	}
	more := map[identity]properties{}
	if json.Unmarshal(old, &file) != nil {
		return more
	}
	for _, f := range file.Features {
		id := identity{f.Properties.wholeNumber("id"), f.Properties.wholeNumber("startid"), f.Properties.wholeNumber("endid")}
		if id.id >= 0 {
			more[id] = f.Properties
		}
	}
	return more
}

// wholeNumber returns a whole number, -1 = there is none.
func (p properties) wholeNumber(key string) int {
	var n float64
	if raw, ok := p[key]; !ok || json.Unmarshal(raw, &n) != nil || n != math.Trunc(n) || n < 0 || n > math.MaxUint32 {
		return -1
	}
	return int(n)
}

// Places returns named poses as places.geojson.
func Places(places []robot.Place) ([]byte, error) {
	c := newCollection()
	for _, p := range places {
		c.addFeature(struct {
			Name    string  `json:"name"`
			Heading float64 `json:"heading_deg"`
		}{p.Name, shortestDegrees(p.Pose.Theta)}, shape{"Point", pairOf(p.Pose.Point())})
	}
	return c.encodeFeatures()
}

// shortestDegrees returns the shortest number of degrees that is read as theta again,
// or where there is none the nearest.
func shortestDegrees(theta float64) float64 {
	d := robot.Degrees(theta)
	for digits := range 17 {
		short, err := strconv.ParseFloat(strconv.FormatFloat(d, 'g', digits+1, 64), 64)
		if err == nil && robot.WrapAngle(robot.Radians(short)) == theta {
			return short
		}
	}
	for _, near := range []float64{math.Nextafter(d, -400), math.Nextafter(d, 400)} {
		if robot.WrapAngle(robot.Radians(near)) == theta {
			return near
		}
	}
	return d
}
