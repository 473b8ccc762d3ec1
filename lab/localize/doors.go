package localize

import (
	"fmt"
	"math/rand/v2"

	"mybot/robot"
)

// A drawn building of equal rooms: parallel corridors, each with rooms on both sides whose
// doors are all alike, connected by a corridor at either end.
const (
	minBuilding = 24.0 // m, side of a building
	maxBuilding = 100.0
	hallWide    = 2.0 // m, its width
	roomWide    = 4.0 // m, along the corridor
	roomDeep    = 5.0 // m
	doorWide    = 1.0 // m
)

// doorsPlan draws a building of side by three fifths of side, in m. The seed gives the
// differences between its rooms: one in three has a cupboard, and on each side of a corridor
// one room is open to the corridor.
func doorsPlan(side float64, seed uint64) *robot.Floorplan {
	rng := rand.New(rand.NewPCG(seed, 12))
	b := builder{plan: &robot.Floorplan{Name: fmt.Sprintf("%.0f m of equal doors", side)}}
	rooms := int((side - 2*hallWide) / roomWide)
	rows := max(1, int(0.6*side/(hallWide+2*roomDeep)))
	long, high := float64(rooms)*roomWide, float64(rows)*(hallWide+2*roomDeep)
	b.makeGrid(robot.Point{X: -hallWide - 0.5, Y: -0.5}, robot.Point{X: long + hallWide + 0.5, Y: high + 0.5})
	b.fillFree(-hallWide, 0, 0, high)
	b.fillFree(long, 0, long+hallWide, high)
	b.addWall(-hallWide, 0, -hallWide, high)
	b.addWall(long+hallWide, 0, long+hallWide, high)
	b.addWall(-hallWide, 0, 0, 0)
	b.addWall(long, 0, long+hallWide, 0)
	b.addWall(-hallWide, high, 0, high)
	b.addWall(long, high, long+hallWide, high)
	west, east := -1, -1
	for row := range rows {
		y := float64(row)*(hallWide+2*roomDeep) + roomDeep + hallWide/2
		b.fillFree(0, y-hallWide/2, long, y+hallWide/2)
		at := b.addVia(-hallWide/2, y, west)
		west = at
		open := [2]int{rng.IntN(rooms), rng.IntN(rooms)}
		for k := range rooms {
			at = b.addVia((float64(k)+0.5)*roomWide, y, at)
			for side := range 2 {
				b.drawRoom(k, y, 2*float64(side)-1, k == open[side], at, rng)
			}
		}
		for _, dy := range []float64{-1, 1} { // the ends of the rows
			b.addWall(0, y+dy*hallWide/2, 0, y+dy*(hallWide/2+roomDeep))
		}
		at = b.addVia(long+hallWide/2, y, at)
		b.addLane(at, east)
		east = at
	}
	b.rasterizeWalls()
	return b.plan
}

// drawRoom draws room number k above (up = 1) or below (-1) the corridor with its centre line
// at y. at is the via point in front of the door.
func (b *builder) drawRoom(k int, y, up float64, open bool, at int, rng *rand.Rand) {
	left, middle, right := float64(k)*roomWide, (float64(k)+0.5)*roomWide, float64(k+1)*roomWide
	near, far := y+up*hallWide/2, y+up*(hallWide/2+roomDeep)
	b.fillFree(left, min(near, far), right, max(near, far))
	b.addWall(left, far, right, far)
	b.addWall(right, near, right, far)
	if !open {
		b.addWall(left, near, middle-doorWide/2, near)
		b.addWall(middle+doorWide/2, near, right, near)
	}
	if rng.IntN(3) == 0 { // a cupboard in the far left or right corner
		x, deep := left, 0.8+0.8*rng.Float64()
		if rng.IntN(2) == 0 {
			x = right - 0.7
		}
		low, high := min(far, far-up*deep), max(far, far-up*deep)
		b.addWall(x, low, x+0.7, low)
		b.addWall(x+0.7, low, x+0.7, high)
		b.addWall(x, high, x+0.7, high)
		b.addWall(x, low, x, high)
		b.fillCells(x, low, x+0.7, high, robot.Occupied)
	}
	b.addVia(middle, y+up*(hallWide/2+roomDeep/2), at)
}

// A builder draws a floor plan.
type builder struct{ plan *robot.Floorplan }

// makeGrid creates the grid, with unknown cells.
func (b *builder) makeGrid(low, high robot.Point) {
	g := robot.Grid{Resolution: 0.05, Origin: low}
	g.Width, g.Height = int((high.X-low.X)/g.Resolution), int((high.Y-low.Y)/g.Resolution)
	g.Cells = make([]robot.Cell, g.Width*g.Height)
	b.plan.Grid = g
}

func (b *builder) fillFree(x0, y0, x1, y1 float64) { b.fillCells(x0, y0, x1, y1, robot.Free) }

// fillCells sets the cells with their centres in a rectangle.
func (b *builder) fillCells(x0, y0, x1, y1 float64, cell robot.Cell) {
	g := &b.plan.Grid
	for y := y0 + g.Resolution/2; y < y1; y += g.Resolution {
		for x := x0 + g.Resolution/2; x < x1; x += g.Resolution {
			if i, j, ok := g.Index(robot.Point{X: x, Y: y}); ok {
				g.Cells[j*g.Width+i] = cell
			}
		}
	}
}

func (b *builder) addWall(x0, y0, x1, y1 float64) {
	b.plan.Lines = append(b.plan.Lines, robot.Segment{A: robot.Point{X: x0, Y: y0}, B: robot.Point{X: x1, Y: y1}})
}

// rasterizeWalls marks the cells that a wall crosses as occupied.
func (b *builder) rasterizeWalls() {
	g := &b.plan.Grid
	for _, l := range b.plan.Lines {
		v := l.B.Sub(l.A)
		n := int(v.Norm()/g.Resolution*2) + 1
		for i := range n + 1 {
			f := float64(i) / float64(n)
			if x, y, ok := g.Index(l.A.Add(robot.Point{X: f * v.X, Y: f * v.Y})); ok {
				g.Cells[y*g.Width+x] = robot.Occupied
			}
		}
	}
}

// addVia adds a via point, connects it to another one (-1 = none), and returns its number.
func (b *builder) addVia(x, y float64, to int) int {
	n := robot.Via{ID: len(b.plan.Graph.Nodes), Point: robot.Point{X: x, Y: y}}
	b.plan.Graph.Nodes = append(b.plan.Graph.Nodes, n)
	b.addLane(n.ID, to)
	return n.ID
}

// addLane adds a lane in both directions; none if to is -1.
func (b *builder) addLane(from, to int) {
	if to < 0 {
		return
	}
	g := &b.plan.Graph
	for _, e := range [2][2]int{{from, to}, {to, from}} {
		g.Edges = append(g.Edges, robot.Edge{ID: len(g.Edges), Start: e[0], End: e[1]})
	}
}
