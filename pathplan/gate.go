package pathplan

import (
	"math"

	"mybot/robot"
)

// What a gate is, and how a route passes it, in m.
const (
	gateClear = 0.65 // a way with less clearance may be within a gate
	gateWide  = 1.3  // a wider gap is none
	gateOpens = 0.12 // so much clearer it is before and behind it
	gateHold  = 0.45 // a route runs straight from so far before its middle
	gateTill  = 0.25 // to so far behind it
)

// gateFrom is how far before its middle a route turns to a gate: the first of
// them for which there is room, in m.
var gateFrom = [...]float64{1.0, 0.65}

// A gate is a gap such as a doorway: short, with something near on both sides.
// The sonars take what is on its sides for nearer than it is, so a route leads
// through its middle and straight.
type gate struct {
	at   robot.Point // its middle, in map
	axis robot.Point // along the route, of length 1
}

// along returns how far p is along the axis from the middle, and across it.
func (g gate) along(p robot.Point) (along, across float64) {
	d := p.Sub(g.at)
	return g.axis.X*d.X + g.axis.Y*d.Y, cross2(g.axis, d)
}

// point returns the place on the axis so far behind the middle.
func (g gate) point(along float64) robot.Point {
	return g.at.Add(robot.Point{X: along * g.axis.X, Y: along * g.axis.Y})
}

// holds tells whether p is where a route through the gate runs straight.
func (g gate) holds(p robot.Point) bool {
	along, across := g.along(p)
	return along > -gateHold && along < gateTill && math.Abs(across) < spacing/10
}

// straighten leads a path straight through the gates on it, where that keeps
// the clearance least, and returns them.
func (c *Clearance) straighten(path []robot.Point, least float64) ([]robot.Point, []gate) {
	var gates []gate
	path = divide(path, spacing)
	for n := 1; n+1 < len(path); n++ {
		g, ok := c.gate(path, n)
		if !ok {
			continue
		}
		for _, from := range gateFrom {
			if line, next, ok := c.through(path, n, g, from, least); ok {
				path, n = line, next
				gates = append(gates, g)
				break
			}
		}
	}
	return path, gates
}

// gate finds the gate that point n of a path is in the middle of.
func (c *Clearance) gate(path []robot.Point, n int) (g gate, ok bool) {
	p := path[n]
	here := c.At(p)
	if here > gateClear || c.At(path[n-1]) < here || c.At(path[n+1]) < here {
		return g, false
	}
	opens := func(step int) bool {
		for k := n; k >= 0 && k < len(path) && path[k].Sub(p).Norm() < gateWide; k += step {
			if c.At(path[k]) > here+gateOpens {
				return true
			}
		}
		return false
	}
	if !opens(-1) || !opens(1) {
		return g, false
	}
	way := path[n+1].Sub(path[n-1])
	g = gate{at: p, axis: robot.Point{X: way.X / way.Norm(), Y: way.Y / way.Norm()}}
	for range 3 {
		left, right, ok := c.sides(g)
		if !ok {
			return g, false
		}
		gap := left.Sub(right)
		wide := gap.Norm()
		g.at = robot.Point{X: (left.X + right.X) / 2, Y: (left.Y + right.Y) / 2}
		g.axis = robot.Point{X: gap.Y / wide, Y: -gap.X / wide}
		if wide > gateWide {
			return g, false
		}
	}
	return g, g.at.Sub(p).Norm() < gateWide/2
}

// sides returns what is nearest to the middle of a gate on its left and on its
// right.
func (c *Clearance) sides(g gate) (left, right robot.Point, ok bool) {
	reach := int(gateWide / c.Resolution)
	middle := c.Cell(g.at)
	near := [2]float64{math.Inf(1), math.Inf(1)}
	for j := middle.J - reach; j <= middle.J+reach; j++ {
		for i := middle.I - reach; i <= middle.I+reach; i++ {
			if c.cell(Cell{i, j}) > 0 {
				continue
			}
			q := c.Point(Centre(Cell{i, j}))
			d := q.Sub(g.at).Norm()
			along, across := g.along(q)
			if math.Abs(along) > math.Abs(across) { // before or behind, not beside it
				continue
			}
			switch {
			case across > 0 && d < near[0]:
				near[0], left = d, q
			case across < 0 && d < near[1]:
				near[1], right = d, q
			}
		}
	}
	return left, right, !math.IsInf(near[0]+near[1], 1)
}

// through leads a path along the axis of the gate around its point n, from so
// many metres before its middle; next is the last of the new points.
func (c *Clearance) through(path []robot.Point, n int, g gate, far, least float64) (line []robot.Point, next int, ok bool) {
	before, behind := n, n
	for before > 0 && path[before].Sub(g.at).Norm() < far+gateHold {
		before--
	}
	for behind < len(path)-1 && path[behind].Sub(g.at).Norm() < far+gateHold {
		behind++
	}
	from, _ := g.along(path[before])
	to, _ := g.along(path[behind])
	line = append(line, path[:before+1]...)
	for _, s := range [4]float64{-far, -gateHold, gateTill, far} {
		if s > from+spacing && s < to-spacing {
			line = append(line, g.point(s))
		}
	}
	next = len(line) - 1
	line = append(line, path[behind:]...)
	for k := before; k <= next; k++ {
		if !c.Clear(line[k], line[k+1], least) {
			return path, n, false
		}
	}
	return line, next, true
}
