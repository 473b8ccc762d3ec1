package floorplan

import (
	"encoding/json"
	"fmt"
	"math"

	"mybot/robot"
)

// emptySide is half the side of the box in which the page shows an empty floor, in m.
const emptySide = 5.0

// Bounds returns the corners of the bounding box of the lines and rooms, in map. Without
// lines and rooms it is the box of the grid; without a floor it is a square of 10 m around
// the origin.
func Bounds(plan *robot.Floorplan) (low, high robot.Point) {
	low, high = robot.Point{X: math.Inf(1), Y: math.Inf(1)}, robot.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	grow := func(points ...robot.Point) {
		for _, p := range points {
			low = robot.Point{X: math.Min(low.X, p.X), Y: math.Min(low.Y, p.Y)}
			high = robot.Point{X: math.Max(high.X, p.X), Y: math.Max(high.Y, p.Y)}
		}
	}
	for _, l := range plan.Lines {
		grow(l.A, l.B)
	}
	for _, r := range plan.Rooms {
		grow(r.Outline...)
	}
	if low.X > high.X {
		g := &plan.Grid
		if g.Width == 0 || g.Height == 0 {
			return robot.Point{X: -emptySide, Y: -emptySide}, robot.Point{X: emptySide, Y: emptySide}
		}
		return g.Origin, g.Origin.Add(robot.Point{X: float64(g.Width) * g.Resolution, Y: float64(g.Height) * g.Resolution})
	}
	return low, high
}

type page struct {
	Name      string          `json:"name"`
	Bounds    [4]float64      `json:"bounds"`
	Walls     [][4]float64    `json:"walls"`
	Rooms     []pageRoom      `json:"rooms"`
	Free      [][][2]float64  `json:"free"`
	Doors     []pageDoor      `json:"doors"`
	Furniture []pageFurniture `json:"furniture"`
	Via       []pageVia       `json:"via"`
	Edges     [][2]int        `json:"edges"`
	Places    []pagePlace     `json:"places"`
	Dock      *[3]float64     `json:"dock"`
}

type pageRoom struct {
	Name     string       `json:"name"`
	Corridor bool         `json:"corridor"`
	Outline  [][2]float64 `json:"outline"`
	Label    *[2]float64  `json:"label"`
}

type pageDoor struct {
	Hinge  [2]float64 `json:"hinge"`
	Length float64    `json:"length"`
	Closed float64    `json:"closed"`
	Open   float64    `json:"open"`
}

type pageFurniture struct {
	Outline [][2]float64 `json:"outline"`
	Radius  float64      `json:"radius"`
}

type pageVia struct {
	ID   int        `json:"id"`
	Name string     `json:"name"`
	At   [2]float64 `json:"at"`
}

type pagePlace struct {
	Name string     `json:"name"`
	Pose [3]float64 `json:"pose"`
}

// JSON returns the plan for the page, in the format at the end of
// session/protocol/protocol.md: metres and radians, to four decimals. The text is safe
// inside an HTML script element.
func JSON(plan *robot.Floorplan) ([]byte, error) {
	low, high := Bounds(plan)
	p := page{
		Name:      plan.Name,
		Bounds:    [4]float64{RoundCoordinate(low.X), RoundCoordinate(low.Y), RoundCoordinate(high.X), RoundCoordinate(high.Y)},
		Walls:     make([][4]float64, 0, len(plan.Lines)),
		Rooms:     make([]pageRoom, 0, len(plan.Rooms)),
		Free:      [][][2]float64{},
		Doors:     make([]pageDoor, 0, len(plan.Doors)),
		Furniture: make([]pageFurniture, 0, len(plan.Furniture)),
		Via:       make([]pageVia, 0, len(plan.Graph.Nodes)),
		Edges:     make([][2]int, 0, len(plan.Graph.Edges)),
		Places:    make([]pagePlace, 0, len(plan.Places)),
	}
	for _, l := range plan.Lines {
		p.Walls = append(p.Walls, [4]float64{RoundCoordinate(l.A.X), RoundCoordinate(l.A.Y), RoundCoordinate(l.B.X), RoundCoordinate(l.B.Y)})
	}
	for _, r := range plan.Rooms {
		room := pageRoom{Name: r.Name, Corridor: r.Corridor, Outline: pointPairs(r.Outline)}
		if r.Label != nil {
			label := PointPair(*r.Label)
			room.Label = &label
		}
		p.Rooms = append(p.Rooms, room)
	}
	for _, ring := range freeFloor(plan) {
		p.Free = append(p.Free, pointPairs(ring))
	}
	for _, d := range plan.Doors {
		p.Doors = append(p.Doors, pageDoor{PointPair(d.Hinge), RoundCoordinate(d.Length), RoundCoordinate(d.Closed), RoundCoordinate(d.Open)})
	}
	for _, f := range plan.Furniture {
		p.Furniture = append(p.Furniture, pageFurniture{pointPairs(f.Outline), RoundCoordinate(f.Radius)})
	}
	for _, v := range plan.Graph.Nodes {
		p.Via = append(p.Via, pageVia{v.ID, v.Name, PointPair(v.Point)})
	}
	for _, e := range plan.Graph.Edges {
		p.Edges = append(p.Edges, [2]int{e.Start, e.End})
	}
	for _, l := range plan.Places {
		p.Places = append(p.Places, pagePlace{l.Name, PoseTriple(l.Pose)})
	}
	if plan.Dock != nil {
		dock := PoseTriple(*plan.Dock)
		p.Dock = &dock
	}
	b, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("floorplan: %w", err)
	}
	return b, nil
}

// freeFloor returns the outlines of the free floor of a plan without rooms, as traceFree
// does: there they show where the floor is.
func freeFloor(plan *robot.Floorplan) [][]robot.Point {
	if len(plan.Rooms) > 0 {
		return nil
	}
	return traceFree(&plan.Grid)
}

// RoundCoordinate rounds a coordinate, in m or rad, to the four decimals that pages get.
func RoundCoordinate(v float64) float64 { return math.Round(v*1e4)/1e4 + 0 } // + 0 turns -0 into 0

// PointPair returns the rounded coordinates of a point, as pages get them.
func PointPair(p robot.Point) [2]float64 {
	return [2]float64{RoundCoordinate(p.X), RoundCoordinate(p.Y)}
}

// PoseTriple returns the rounded coordinates of a pose, as pages get them.
func PoseTriple(p robot.Pose) [3]float64 {
	return [3]float64{RoundCoordinate(p.X), RoundCoordinate(p.Y), RoundCoordinate(p.Theta)}
}

func pointPairs(points []robot.Point) [][2]float64 {
	list := make([][2]float64, 0, len(points))
	for _, p := range points {
		list = append(list, PointPair(p))
	}
	return list
}
