package floorplan

import (
	"slices"

	"mybot/robot"
)

// maxBoundary is the largest number of cell sides that tracing handles.
const maxBoundary = 1 << 21

// traceLines returns the object lines of a grid: the boundary between occupied and free
// cells, with the occupied ones on the left. It smooths stairs and simplifies the rest to
// within simplifyWithin, so that a straight wall is one line and a slanted one is not a
// staircase. There is no line between occupied and unknown cells, since no sensor sees it.
func traceLines(g *robot.Grid, file string, f *faults) []robot.Segment {
	t := newTracer(g, robot.Occupied, robot.Free)
	if t.sides > maxBoundary {
		f.add(file, "has an outline of more than %d cell sides; it must be a floor, or come with lines.geojson", maxBoundary)
		return nil
	}
	var lines []robot.Segment
	for _, chain := range t.traceChains(g) {
		for i := range len(chain) - 1 {
			lines = append(lines, robot.Segment{A: chain[i], B: chain[i+1]})
		}
	}
	return lines
}

// traceFree returns the outlines of the free floor, with the free cells on the left:
// counter-clockwise around it, clockwise around a hole in it. It returns nil if they have
// too many cell sides.
func traceFree(g *robot.Grid) [][]robot.Point {
	t := newTracer(g, robot.Free, robot.Occupied, robot.Unknown)
	if t.sides > maxBoundary {
		return nil
	}
	return t.traceChains(g)
}

// traceChains follows the boundary and simplifies it.
func (t *tracer) traceChains(g *robot.Grid) [][]robot.Point {
	var chains [][]robot.Point
	for _, ends := range []bool{true, false} { // first the open lines, then the rings
		for v := range t.out {
			for t.out[v] != 0 && (!ends || t.surplus[v] > 0) {
				chains = append(chains, t.simplifyCorners(t.walkBoundary(v), g))
			}
		}
	}
	return chains
}

// A tracer holds the directed cell sides of the boundary. The index of a corner of the
// grid is y*(Width+1)+x; a direction is 0 east, 1 north, 2 west or 3 south.
type tracer struct {
	width   int     // corners in a row
	out     []uint8 // by corner: bit d is set when a side leaves in direction d
	surplus []int8  // by corner: sides that leave minus sides that arrive
	sides   int
}

// newTracer finds the sides of cells in the state left whose other cell is in one of the
// states right.
func newTracer(g *robot.Grid, left robot.Cell, right ...robot.Cell) *tracer {
	t := &tracer{width: g.Width + 1}
	t.out = make([]uint8, t.width*(g.Height+1))
	t.surplus = make([]int8, len(t.out))
	at := func(i, j int) robot.Cell {
		if i < 0 || j < 0 || i >= g.Width || j >= g.Height {
			return robot.Unknown
		}
		return g.Cells[j*g.Width+i]
	}
	for j := range g.Height {
		for i := range g.Width {
			if at(i, j) != left {
				continue
			}
			// Go round such a cell counter-clockwise, so that it is on the left.
			if slices.Contains(right, at(i, j-1)) {
				t.addSide(i, j, 0)
			}
			if slices.Contains(right, at(i+1, j)) {
				t.addSide(i+1, j, 1)
			}
			if slices.Contains(right, at(i, j+1)) {
				t.addSide(i+1, j+1, 2)
			}
			if slices.Contains(right, at(i-1, j)) {
				t.addSide(i, j+1, 3)
			}
		}
	}
	return t
}

func (t *tracer) addSide(x, y, direction int) {
	v := y*t.width + x
	t.out[v] |= 1 << direction
	t.surplus[v]++
	t.surplus[t.nextSide(v, direction)]--
	t.sides++
}

func (t *tracer) nextSide(v, direction int) int {
	return v + [...]int{1, t.width, -1, -t.width}[direction]
}

// walkBoundary follows the boundary from corner v and removes its sides until no side
// continues it. It returns the corners at which it turned, including the first and last.
func (t *tracer) walkBoundary(v int) []int {
	corners := []int{v}
	direction := -1
	for {
		turn := -1
		// If two cells on the left touch at a corner, stay on the same cell.
		for _, d := range [...]int{direction + 1, direction, direction + 3} {
			if direction < 0 {
				break
			}
			if t.out[v]&(1<<(d%4)) != 0 {
				turn = d % 4
				break
			}
		}
		if direction < 0 {
			for d := range 4 {
				if t.out[v]&(1<<d) != 0 {
					turn = d
					break
				}
			}
		}
		if turn < 0 {
			return append(corners, v)
		}
		if direction >= 0 && turn != direction {
			corners = append(corners, v)
		}
		t.out[v] &^= 1 << turn
		t.surplus[v]--
		v, direction = t.nextSide(v, turn), turn
		t.surplus[v]++
	}
}

// simplifyCorners returns the line along corners, in map. It cuts a ring at the corner farthest
// from its first one, and simplifies a long chain in pieces, which bounds the work.
func (t *tracer) simplifyCorners(corners []int, g *robot.Grid) []robot.Point {
	points := make([]robot.Point, len(corners))
	for i, c := range corners {
		points[i] = robot.Point{X: float64(c % t.width), Y: float64(c / t.width)}
	}
	kept := points
	if ring := points[0] == points[len(points)-1]; !ring || len(points) > 5 {
		points = withoutStairs(points)
	}
	if points[0] != points[len(points)-1] {
		kept = simplifyLine(points)
	} else if len(points) > 5 {
		far := 0
		for i, p := range points {
			if p.Sub(points[0]).Norm() > points[far].Sub(points[0]).Norm() {
				far = i
			}
		}
		kept = append(simplifyLine(points[:far+1]), simplifyLine(points[far:])[1:]...)
	}
	for i, p := range kept {
		kept[i] = pointInMetres(g, p)
	}
	return kept
}

// withoutStairs replaces each stair, a side of one cell between turns to opposite sides,
// by its middle: the middles of the stairs of a slanted wall are closer to the wall than
// their corners. The first and the last point stay.
func withoutStairs(points []robot.Point) []robot.Point {
	stair := func(i int) bool { // whether the side that starts at points[i] is a stair
		if i < 1 || i+2 >= len(points) {
			return false
		}
		into, side, out := points[i].Sub(points[i-1]), points[i+1].Sub(points[i]), points[i+2].Sub(points[i+1])
		return side.Norm() == 1 && into.X*out.X+into.Y*out.Y > 0
	}
	var flat []robot.Point
	for i, p := range points {
		if !stair(i) && !stair(i-1) {
			flat = append(flat, p)
		}
		if stair(i) {
			flat = append(flat, robot.Point{X: (p.X + points[i+1].X) / 2, Y: (p.Y + points[i+1].Y) / 2})
		}
	}
	return flat
}

func pointInMetres(g *robot.Grid, p robot.Point) robot.Point {
	return g.Origin.Add(robot.Point{X: p.X * g.Resolution, Y: p.Y * g.Resolution})
}

const (
	simplifyWithin = 0.75 // cells
	simplifyAtOnce = 1024 // points
)

func simplifyLine(points []robot.Point) []robot.Point {
	kept := []robot.Point{points[0]}
	for len(points) > 1 {
		n := min(len(points), simplifyAtOnce)
		kept = append(kept, douglasPeucker(points[:n])...)
		points = points[n-1:]
	}
	return kept
}

// douglasPeucker returns the points that remain after simplification, without the first
// one (Douglas and Peucker 1973).
func douglasPeucker(points []robot.Point) []robot.Point {
	last := len(points) - 1
	worst, at := simplifyWithin, 0
	for i := 1; i < last; i++ {
		if d := (robot.Segment{A: points[0], B: points[last]}).Distance(points[i]); d > worst {
			worst, at = d, i
		}
	}
	if at == 0 {
		return points[last:]
	}
	return append(douglasPeucker(points[:at+1]), douglasPeucker(points[at:])...)
}
