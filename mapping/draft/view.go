package draft

import (
	"fmt"
	"slices"

	"mybot/robot"
	"mybot/robot/floorplan"
)

// A View is a draft for a page, in the frame of the draft: metres, to four
// decimals, and radians.
type View struct {
	Rev      int            `json:"rev"`  // of the picture; increases when the picture changes
	Turn     float64        `json:"turn"` // rad, rotation of the frame of the draft relative to map
	Cell     float64        `json:"cell"`
	Origin   [2]float64     `json:"origin"` // lower left corner of the picture
	Width    int            `json:"width"`  // cells
	Height   int            `json:"height"`
	Walls    []ViewWall     `json:"walls"`
	Via      []ViewVia      `json:"via"`
	Edges    [][2]int       `json:"edges"`
	Rooms    []ViewRoom     `json:"rooms"`
	Places   []ViewPlace    `json:"places"`
	Dock     *[3]float64    `json:"dock"`
	Keepouts [][][2]float64 `json:"keepouts"`
	CanUndo  bool           `json:"can_undo"`
	CanRedo  bool           `json:"can_redo"`
	Faults   []string       `json:"faults"` // sentences
}

// A ViewWall is an object line.
type ViewWall struct {
	Line  [2][2]float64 `json:"line"`
	Glass bool          `json:"glass"`
}

// A ViewVia is a via point.
type ViewVia struct {
	ID   int        `json:"id"`
	At   [2]float64 `json:"at"`
	Name string     `json:"name"`
}

// A ViewRoom is a room.
type ViewRoom struct {
	ID      int          `json:"id"`
	Name    string       `json:"name"`
	Outline [][2]float64 `json:"outline"`
}

// A ViewPlace is a named pose.
type ViewPlace struct {
	Name string     `json:"name"`
	Pose [3]float64 `json:"pose"`
}

// View returns the draft for a page.
func (d *Draft) View() View {
	g, m := &d.made.picture, &d.made
	v := View{
		Rev: d.rev, Turn: floorplan.RoundCoordinate(m.turn), Cell: g.Resolution, Origin: floorplan.PointPair(g.Origin), Width: g.Width, Height: g.Height,
		Walls: []ViewWall{}, Via: []ViewVia{}, Edges: [][2]int{}, Rooms: []ViewRoom{}, Places: []ViewPlace{}, Keepouts: [][][2]float64{},
		CanUndo: len(d.changes) > 0, CanRedo: len(d.undone) > 0, Faults: append([]string{}, m.faults...),
	}
	draftFromMap := d.FrameFromMap()
	for _, w := range m.walls {
		v.Walls = append(v.Walls, ViewWall{[2][2]float64{floorplan.PointPair(draftFromMap.Apply(w.line.A)), floorplan.PointPair(draftFromMap.Apply(w.line.B))}, w.glass})
	}
	for _, a := range m.vias {
		v.Via = append(v.Via, ViewVia{ID: a.id, At: floorplan.PointPair(draftFromMap.Apply(a.at)), Name: a.name})
	}
	v.Edges = append(v.Edges, m.edges...)
	for _, r := range m.rooms {
		outline := [][2]float64{}
		for _, p := range r.outline {
			outline = append(outline, floorplan.PointPair(draftFromMap.Apply(p)))
		}
		v.Rooms = append(v.Rooms, ViewRoom{r.id, r.name, outline})
	}
	for _, p := range m.places {
		v.Places = append(v.Places, ViewPlace{p.Name, floorplan.PoseTriple(draftFromMap.Compose(p.Pose))})
		if err := d.checkFree(fmt.Sprintf("the place %q", p.Name), draftFromMap.Compose(p.Pose).Point()); err != nil {
			v.Faults = append(v.Faults, err.Error())
		}
	}
	if m.dock != nil {
		dock := floorplan.PoseTriple(draftFromMap.Compose(*m.dock))
		v.Dock = &dock
		if err := d.checkFree("the dock", draftFromMap.Compose(*m.dock).Point()); err != nil {
			v.Faults = append(v.Faults, err.Error())
		}
	}
	for _, k := range m.keepouts {
		corners := [][2]float64{}
		for _, p := range k.outline {
			corners = append(corners, floorplan.PointPair(draftFromMap.Apply(p)))
		}
		v.Keepouts = append(v.Keepouts, corners)
	}
	return v
}

// Picture returns the occupancy grid of the draft, in its frame, without the keep-outs.
// It is read-only.
func (d *Draft) Picture() robot.Grid { return d.made.picture }

// FrameFromMap returns the transform from map, in which the mapper works, to the
// frame of the draft, in which the map is saved.
func (d *Draft) FrameFromMap() robot.Pose { return robot.Pose{Theta: d.made.turn} }

// Plan returns the floor plan of the draft, in its frame, after the checks of a map
// folder. A keep-out is unknown floor.
func (d *Draft) Plan(name string) (*robot.Floorplan, error) {
	if !floorplan.IsName(name, MaxName) {
		return nil, fmt.Errorf("the map is called %q; a name has 1 to %d characters and no space at the ends", name, MaxName)
	}
	m, draftFromMap := &d.made, d.FrameFromMap()
	plan := &robot.Floorplan{Name: name, Grid: *m.floor.grid}
	plan.Grid.Cells = slices.Clone(plan.Grid.Cells)
	for _, v := range m.vias {
		plan.Graph.Nodes = append(plan.Graph.Nodes, robot.Via{ID: v.id, Name: v.name, Point: roundPoint(draftFromMap.Apply(v.at))})
	}
	for _, e := range m.edges { // each in one direction
		n := len(plan.Graph.Edges)
		plan.Graph.Edges = append(plan.Graph.Edges, robot.Edge{ID: firstEdge + n, Start: e[0], End: e[1]})
		if !m.oneWay[e] {
			plan.Graph.Edges = append(plan.Graph.Edges, robot.Edge{ID: firstEdge + n + 1, Start: e[1], End: e[0]})
		}
	}
	for _, r := range m.rooms {
		label := roundPoint(draftFromMap.Apply(r.inside))
		out := robot.Room{Name: r.name, Corridor: r.corridor, Label: &label}
		for _, p := range r.outline {
			out.Outline = append(out.Outline, roundPoint(draftFromMap.Apply(p)))
		}
		plan.Rooms = append(plan.Rooms, out)
	}
	for _, w := range m.walls {
		if w.glass {
			plan.Glass = append(plan.Glass, len(plan.Lines))
		}
		plan.Lines = append(plan.Lines, robot.Segment{A: roundPoint(draftFromMap.Apply(w.line.A)), B: roundPoint(draftFromMap.Apply(w.line.B))})
	}
	for _, p := range m.places { // Apply has checked the names of new ones
		plan.Places = append(plan.Places, robot.Place{Name: p.Name, Pose: draftFromMap.Compose(p.Pose)})
	}
	if m.dock != nil {
		dock := draftFromMap.Compose(*m.dock)
		plan.Dock = &dock
	}
	return floorplan.Revise(plan, plan.Graph, plan.Places)
}

// firstEdge is the id of the first edge; ids of via points are smaller.
const firstEdge = 10_000_000

// MaxName is the longest name of a floor, in characters.
const MaxName = 60

func roundPoint(p robot.Point) robot.Point {
	return robot.Point{X: floorplan.RoundCoordinate(p.X), Y: floorplan.RoundCoordinate(p.Y)}
}
