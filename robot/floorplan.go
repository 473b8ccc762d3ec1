package robot

import (
	"math"
	"slices"

	"golang.org/x/text/unicode/norm"
)

// A Floorplan is a map folder in memory; robot/floorplan reads it. Its points, poses and
// angles are in map. It is immutable, so it is shared without copying.
type Floorplan struct {
	Name      string // "3rd floor, KAIST EE"
	Grid      Grid
	Lines     []Segment // object lines (walls, furniture): used by sonars and localization
	Glass     []int     // indices into Lines of glass, which a lidar sees through
	Rooms     []Room
	Doors     []Door
	Furniture []Furniture
	Graph     Graph
	Places    []Place
	Dock      *Pose   // of base_link while charging; nil = none
	Compass   float64 // rad, compass heading minus yaw in map; 0 = the map is aligned with the compass
}

// Place returns the pose of a place by name; ok is false if there is none. A name with its
// accents composed otherwise, as another system types them, is the same name unless another
// place has exactly that one.
func (f *Floorplan) Place(name string) (pose Pose, ok bool) {
	i := slices.IndexFunc(f.Places, func(p Place) bool { return p.Name == name })
	if i < 0 {
		composed := norm.NFC.String(name)
		i = slices.IndexFunc(f.Places, func(p Place) bool { return norm.NFC.String(p.Name) == composed })
	}
	if i < 0 {
		return Pose{}, false
	}
	return f.Places[i].Pose, true
}

// Cell is the state of one grid cell.
type Cell uint8

// The states of a cell.
const (
	Unknown Cell = iota
	Free
	Occupied
)

// Grid is an occupancy grid. Row 0 is the lowest y, so cell (i, j) covers
// Origin + [i, i+1) x [j, j+1) times Resolution.
type Grid struct {
	Width, Height int
	Resolution    float64 // m per cell
	Origin        Point   // of the corner of cell (0, 0), in map
	Cells         []Cell  // row by row, len = Width * Height
}

// Index returns the cell that contains p, in map; ok is false outside the grid.
func (g *Grid) Index(p Point) (i, j int, ok bool) {
	x, y := (p.X-g.Origin.X)/g.Resolution, (p.Y-g.Origin.Y)/g.Resolution
	if !(x >= 0 && y >= 0 && x < float64(g.Width) && y < float64(g.Height)) {
		return 0, 0, false
	}
	return int(x), int(y), true
}

// CellMiddle returns the centre of the cell in column i and row j, in map.
func (g *Grid) CellMiddle(i, j int) Point {
	return g.Origin.Add(Point{X: (float64(i) + 0.5) * g.Resolution, Y: (float64(j) + 0.5) * g.Resolution})
}

// At returns the state of the cell at p, in map; Unknown outside the grid.
func (g *Grid) At(p Point) Cell {
	i, j, ok := g.Index(p)
	if !ok {
		return Unknown
	}
	return g.Cells[j*g.Width+i]
}

// Room is a named part of the floor.
type Room struct {
	Name     string // "" = no label
	Corridor bool
	Outline  []Point
	Label    *Point // position of the name; nil = the middle
}

// RoomAt returns the name of the room that contains p; "" = no named room does.
func (f *Floorplan) RoomAt(p Point) string {
	for _, r := range f.Rooms {
		if r.Name != "" && Inside(p, r.Outline) {
			return r.Name
		}
	}
	return ""
}

// Door is a leaf on a hinge.
type Door struct {
	Name   string
	Hinge  Point
	Length float64 // m
	Closed float64 // rad, direction of the leaf when closed
	Open   float64 // rad, direction of the leaf when open
}

// Leaf returns the leaf of the door at the angle, in rad, from the hinge to its free edge.
func (d Door) Leaf(angle float64) Segment {
	sin, cos := math.Sincos(angle)
	return Segment{A: d.Hinge, B: d.Hinge.Add(Point{X: d.Length * cos, Y: d.Length * sin})}
}

// Furniture is an object on the floor that the map shows.
type Furniture struct {
	Name    string
	Outline []Point
	Radius  float64 // m; > 0 = a disc around Outline[0]
	Height  float64 // m
}

// Graph is the map's graph: via points and the edges between them, as in Nav2's route
// server.
type Graph struct {
	Nodes []Via
	Edges []Edge
}

// Via is a via point.
type Via struct {
	ID    int
	Name  string
	Point Point
}

// Edge is a directed edge between two via points, by their IDs.
type Edge struct {
	ID, Start, End int
}

// Place is a named pose.
type Place struct {
	Name string
	Pose Pose
}
