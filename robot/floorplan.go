package robot

import "math"

// A Floorplan is a map folder in memory (robot/floorplan reads it). It does
// not change while the robot runs, so it is shared without copying.
type Floorplan struct {
	Name      string // "3rd floor, KAIST EE"
	Grid      Grid
	Lines     []Segment // object lines, the walls: what sonar and localization see
	Glass     []int     // indices into Lines of those that light passes: a lidar looks through them
	Rooms     []Room
	Doors     []Door
	Furniture []Furniture
	Graph     Graph
	Places    []Place
	Dock      *Pose   // of base_link when it charges; nil = none
	Compass   float64 // rad, what a compass shows here more than the yaw in map; 0 on a map that is turned as the compass says
}

// Place returns the pose of the place with the name; ok is false when there is
// none.
func (f *Floorplan) Place(name string) (pose Pose, ok bool) {
	for _, p := range f.Places {
		if p.Name == name {
			return p.Pose, true
		}
	}
	return Pose{}, false
}

// Cell is the state of one grid cell.
type Cell uint8

// The three states of a cell.
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

// Index returns the cell that holds p; ok is false outside the grid.
func (g *Grid) Index(p Point) (i, j int, ok bool) {
	x, y := (p.X-g.Origin.X)/g.Resolution, (p.Y-g.Origin.Y)/g.Resolution
	if !(x >= 0 && y >= 0 && x < float64(g.Width) && y < float64(g.Height)) {
		return 0, 0, false
	}
	return int(x), int(y), true
}

// CellMiddle returns the middle of the cell in column i and row j, in map.
func (g *Grid) CellMiddle(i, j int) Point {
	return g.Origin.Add(Point{X: (float64(i) + 0.5) * g.Resolution, Y: (float64(j) + 0.5) * g.Resolution})
}

// At returns the state of the cell at p, Unknown outside the grid.
func (g *Grid) At(p Point) Cell {
	i, j, ok := g.Index(p)
	if !ok {
		return Unknown
	}
	return g.Cells[j*g.Width+i]
}

// Room is a named part of the floor.
type Room struct {
	Name     string // "" = not labelled
	Corridor bool
	Outline  []Point
	Label    *Point // where its name is written; nil = the middle
}

// RoomAt returns the name of the room that p is in; "" = none that has one.
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

// Leaf returns where the leaf of the door stands when it is turned to the
// angle, in rad, from the hinge to its free edge.
func (d Door) Leaf(angle float64) Segment {
	sin, cos := math.Sincos(angle)
	return Segment{A: d.Hinge, B: d.Hinge.Add(Point{X: d.Length * cos, Y: d.Length * sin})}
}

// Furniture is a thing on the floor that is on the map.
type Furniture struct {
	Name    string
	Outline []Point
	Radius  float64 // m; > 0 = a round thing around Outline[0]
	Height  float64 // m
}

// Graph is the via graph: the points a route may pass and the edges between
// them, as Nav2's route server has it.
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

// Edge joins two via points by their IDs, one way.
type Edge struct {
	ID, Start, End int
}

// Place is a named pose.
type Place struct {
	Name string
	Pose Pose
}
