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
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"mybot/robot"
	"mybot/store/atomicfile"
)

// Over returns the map folder base with graph.geojson and places.geojson replaced by those
// of the folder over, if over has them. It holds the edits to a read-only map.
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

// Revise returns a copy of plan with another via graph and other places. They must follow
// the rules of Load, no edge may lead through an occupied cell, and a place that is new has
// a name that can be seen; otherwise the error wraps Faults.
func Revise(plan *robot.Floorplan, graph robot.Graph, places []robot.Place) (*robot.Floorplan, error) {
	var f faults
	revised := *plan
	revised.Graph, revised.Places = robot.Graph{}, nil
	// Check the text as it will be written, so that Load will accept what Revise accepts.
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
	checkNewNames(plan, revised.Places, &f)
	if len(f.list) == 0 {
		f.list = Barred(&revised)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return &revised, nil
}

// checkNewNames reports the names of places that cannot be seen, or told apart, by eye.
// Those that the plan has already may have been saved by an earlier version.
func checkNewNames(plan *robot.Floorplan, places []robot.Place, f *faults) {
	isOld := func(name string) bool {
		return slices.ContainsFunc(plan.Places, func(p robot.Place) bool { return p.Name == name })
	}
	seen := map[string]string{}
	for _, p := range places {
		looks := looksOf(p.Name)
		other, taken := seen[looks]
		seen[looks] = p.Name
		switch {
		case isOld(p.Name) && (!taken || isOld(other)) || p.Name == other:
		case robot.Blank(p.Name):
			f.add(placesFile, "the name %q of a place has nothing that can be seen", p.Name)
		case taken:
			f.add(placesFile, "the names %+q and %+q of two places look the same", other, p.Name)
		}
	}
}

// looksOf returns a name without what is not seen of it.
func looksOf(name string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if robot.Unseen(r) {
			return -1
		}
		return r
	}, name))
}

// CheckNewName returns why a place cannot have a name beside other places, by the rule of
// Revise; nil = it can. One of them may be the place itself.
func CheckNewName(name string, places []robot.Place) error {
	var f faults
	others := slices.DeleteFunc(slices.Clone(places), func(p robot.Place) bool { return looksOf(p.Name) != looksOf(name) })
	checkNewNames(&robot.Floorplan{Places: others}, append(others, robot.Place{Name: name}), &f)
	return f.err()
}

// Barred returns one sentence for each node of the via graph that is not on free floor,
// and for each edge that leads through an occupied cell, off the grid or from a node to
// itself. Load accepts them, but no route uses them.
func Barred(plan *robot.Floorplan) Faults {
	var f faults
	nodes := map[int]robot.Via{}
	off := map[int]bool{} // nodes that are already reported
	for _, v := range plan.Graph.Nodes {
		nodes[v.ID] = v
		off[v.ID] = !isOnFreeFloor(&plan.Grid, graphFile, Title(v), v.Point, &f)
	}
	back := map[[2]int]bool{} // an edge and the opposite one are one fault
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

// Title returns the designation of a via point in a sentence.
func Title(v robot.Via) string {
	if v.Name == "" {
		return fmt.Sprintf("node %d", v.ID)
	}
	return fmt.Sprintf("node %d (%s)", v.ID, v.Name)
}

// firstBarrier returns where the straight line from a to b first meets an occupied cell or
// leaves the grid. It samples the line every quarter of a cell.
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

// Save writes the via graph and the places of plan into the folder dir. It writes each file
// atomically: the old or the new file is there, even if the program is killed. After an error
// both are the old ones. Properties that Nav2 stores with a node or an edge (cost, operations,
// metadata) stay, as long as the node or edge does.
func Save(dir string, plan *robot.Floorplan) error {
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
		return fmt.Errorf("floorplan: %w", errors.Join(err, restore(filepath.Join(dir, graphFile), old)))
	}
	return nil
}

// restore writes what a file had before; nil = there was no file.
func restore(name string, old []byte) error {
	if old == nil {
		return os.Remove(name)
	}
	return atomicfile.Write(name, old, 0o644)
}

// Trace returns the object lines that it traces from the picture of the map folder fsys,
// regardless of lines.geojson.
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

// TraceGrid returns the object lines of a grid: the boundary between occupied and free
// cells, as chains in which each line starts where the previous one ends, with the
// occupied cells on the left.
func TraceGrid(grid *robot.Grid) ([]robot.Segment, error) {
	var f faults
	lines := traceLines(grid, "the picture", &f)
	return lines, f.err()
}

// writePicture writes a grid as map.yaml and map.pgm into the folder dir, which it creates
// if needed: occupied cells black, free ones white, the rest grey 205, as map_saver does.
// name is the name of the floor; compass is the offset of compass readings from the yaw in
// map, in rad.
func writePicture(dir, name string, grid *robot.Grid, compass float64) error {
	if grid.Width < 1 || grid.Height < 1 || grid.Width*grid.Height > MaxCells {
		return fmt.Errorf("floorplan: a grid of %d x %d cells; a map has 1 to %d cells", grid.Width, grid.Height, MaxCells)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("floorplan: %w", err)
	}
	title, err := json.Marshal(name) // a JSON string is also a YAML string
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
	for j := grid.Height - 1; j >= 0; j-- { // the picture starts at the top
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

// formatLength formats a length, in m, to a hundredth of a millimetre.
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

// Graph returns a via graph as graph.geojson, in the format of Nav2's route server.
func Graph(graph robot.Graph) ([]byte, error) { return graphJSON(graph, nil) }

// Lines returns object lines as lines.geojson.
func Lines(lines []robot.Segment) ([]byte, error) { return linesJSON(lines, nil) }

// A shape is a GeoJSON geometry.
type shape struct {
	Type        string `json:"type"`
	Coordinates any    `json:"coordinates"`
}

func pairOf(p robot.Point) [2]float64 { return [2]float64{p.X, p.Y} }

// A collection is a FeatureCollection to write, with one feature per line, so that people
// can read and compare files.
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

// properties are all properties of a feature, including those of other programs.
type properties map[string]json.RawMessage

func (p properties) setProperty(key string, value any) error {
	raw, err := json.Marshal(value)
	p[key] = raw
	return err
}

// An identity identifies a node or an edge across two versions of a file. For a node, start
// and end are -1.
type identity struct{ id, start, end int }

// graphJSON writes the graph. old is the previous file, nil = none, from which it keeps
// the other properties of nodes and edges.
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

// setName sets metadata.name and keeps the rest of the metadata.
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

// moreOf returns the properties in a graph file, by node and edge. An unreadable file has
// none.
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

// wholeNumber returns a property that is a whole number; -1 if it is not.
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

// shortestDegrees returns the shortest number of degrees that reads back as exactly theta,
// in rad, or the nearest one if there is none.
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
