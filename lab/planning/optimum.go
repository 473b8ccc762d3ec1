package planning

import (
	"container/heap"
	"math"

	"mybot/pathplan"
)

// optima finds shortest paths by slow, exact methods, as a reference: octile ones by Dijkstra's
// search over all cells, any-angle ones by the graph of all corners that see each other
// (Lozano-Perez and Wesley 1979).
type optima struct {
	field   *pathplan.Field
	cost    []float64
	corners []pathplan.Half
	seen    [][]sight // from each corner
}

// sight is a leg to a visible corner.
type sight struct {
	to     int
	length float64 // cells
}

func newOptima(f *pathplan.Field) *optima {
	o := &optima{field: f, cost: make([]float64, f.Width*f.Height)}
	for y := range f.Height + 1 {
		for x := range f.Width + 1 {
			// A shortest path turns only where one of the four cells is blocked.
			blocked := 0
			for _, c := range [4]pathplan.Cell{{I: x, J: y}, {I: x - 1, J: y}, {I: x, J: y - 1}, {I: x - 1, J: y - 1}} {
				if !f.IsFree(c) {
					blocked++
				}
			}
			if blocked == 1 {
				o.corners = append(o.corners, pathplan.Half{X: 2 * x, Y: 2 * y})
			}
		}
	}
	return o
}

// octileLength returns the length of a shortest octile path, in cells.
func (o *optima) octileLength(from, to pathplan.Cell) (float64, bool) {
	f := o.field
	for n := range o.cost {
		o.cost[n] = math.Inf(1)
	}
	target := to.J*f.Width + to.I
	open := &ranked{}
	reach := func(at int, cost float64) {
		if cost < o.cost[at] {
			o.cost[at] = cost
			heap.Push(open, rank{at, cost})
		}
	}
	reach(from.J*f.Width+from.I, 0)
	for open.Len() > 0 {
		n := heap.Pop(open).(rank)
		if n.at == target {
			return n.cost, true
		}
		if n.cost > o.cost[n.at] {
			continue
		}
		i, j := n.at%f.Width, n.at/f.Width
		for dj := -1; dj <= 1; dj++ {
			for di := -1; di <= 1; di++ {
				to := pathplan.Cell{I: i + di, J: j + dj}
				if f.IsFree(to) && f.IsFree(pathplan.Cell{I: i, J: j + dj}) && f.IsFree(pathplan.Cell{I: i + di, J: j}) {
					reach(to.J*f.Width+to.I, n.cost+math.Hypot(float64(di), float64(dj)))
				}
			}
		}
	}
	return 0, false
}

// anyAngleLength returns the length of the shortest any-angle path between the centres of two
// cells, in cells; +Inf = there is none.
func (o *optima) anyAngleLength(from, to pathplan.Cell) float64 {
	if o.seen == nil {
		o.connectCorners()
	}
	a, b := pathplan.MiddleOf(from), pathplan.MiddleOf(to)
	if o.hasSightLine(a, b) {
		return legLength(a, b)
	}
	rest := make([]float64, len(o.corners)) // to the goal, if visible
	cost := make([]float64, len(o.corners))
	open := &ranked{}
	reach := func(at int, c float64) {
		if c < cost[at] {
			cost[at] = c
			heap.Push(open, rank{at, c})
		}
	}
	for n, corner := range o.corners {
		cost[n], rest[n] = math.Inf(1), math.Inf(1)
		if o.hasSightLine(corner, b) {
			rest[n] = legLength(corner, b)
		}
	}
	for n, corner := range o.corners {
		if o.hasSightLine(a, corner) {
			reach(n, legLength(a, corner))
		}
	}
	best := math.Inf(1)
	for open.Len() > 0 {
		n := heap.Pop(open).(rank)
		if n.cost >= best {
			break
		}
		if n.cost > cost[n.at] {
			continue
		}
		best = math.Min(best, n.cost+rest[n.at])
		for _, s := range o.seen[n.at] {
			reach(s.to, n.cost+s.length)
		}
	}
	return best
}

// connectCorners finds which corners see each other.
func (o *optima) connectCorners() {
	o.seen = make([][]sight, len(o.corners))
	for n, a := range o.corners {
		for m, b := range o.corners[:n] {
			if o.isTangent(a, b) && o.isTangent(b, a) && o.hasSightLine(a, b) {
				l := legLength(a, b)
				o.seen[n] = append(o.seen[n], sight{m, l})
				o.seen[m] = append(o.seen[m], sight{n, l})
			}
		}
	}
}

// isTangent reports whether a leg from b that turns at corner a can be part of a shortest path:
// it must not point into the blocked cell, nor away from it on its far side.
func (o *optima) isTangent(a, b pathplan.Half) bool {
	i, j := a.X/2, a.Y/2
	sx, sy := 1, 1 // towards the blocked cell
	switch {
	case !o.field.IsFree(pathplan.Cell{I: i - 1, J: j - 1}):
		sx, sy = -1, -1
	case !o.field.IsFree(pathplan.Cell{I: i - 1, J: j}):
		sx = -1
	case !o.field.IsFree(pathplan.Cell{I: i, J: j - 1}):
		sy = -1
	}
	dx, dy := sx*(b.X-a.X), sy*(b.Y-a.Y)
	return dx >= 0 && dy <= 0 || dx <= 0 && dy >= 0
}

func legLength(a, b pathplan.Half) float64 {
	return math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)) / 2
}

// hasSightLine reports whether the leg from a to b enters no blocked cell. It may touch edges
// and corners of blocked cells, but not pass between two that touch.
func (o *optima) hasSightLine(a, b pathplan.Half) bool {
	if a.Y > b.Y {
		a, b = b, a
	}
	if o.squeezes(a, b) {
		return false
	}
	const skin = 1e-9
	ax, ay, bx, by := float64(a.X)/2, float64(a.Y)/2, float64(b.X)/2, float64(b.Y)/2
	if a.Y == b.Y {
		low, high := math.Min(ax, bx), math.Max(ax, bx)
		for i := int(low + skin); i < int(math.Ceil(high-skin)); i++ {
			j := a.Y / 2
			if !o.field.IsFree(pathplan.Cell{I: i, J: j}) && (a.Y%2 != 0 || !o.field.IsFree(pathplan.Cell{I: i, J: j - 1})) {
				return false
			}
		}
		return true
	}
	if a.X == b.X && a.X%2 == 0 { // along an edge
		for j := int(ay + skin); j < int(math.Ceil(by-skin)); j++ {
			if !o.field.IsFree(pathplan.Cell{I: a.X / 2, J: j}) && !o.field.IsFree(pathplan.Cell{I: a.X/2 - 1, J: j}) {
				return false
			}
		}
		return true
	}
	slope := (bx - ax) / (by - ay)
	for j := int(ay + skin); j < int(math.Ceil(by-skin)); j++ {
		from, to := ax+slope*(math.Max(ay, float64(j))-ay), ax+slope*(math.Min(by, float64(j+1))-ay)
		if from > to {
			from, to = to, from
		}
		for i := int(math.Floor(from + skin)); i < int(math.Ceil(to-skin)); i++ {
			if !o.field.IsFree(pathplan.Cell{I: i, J: j}) {
				return false
			}
		}
	}
	return true
}

// squeezes reports whether a leg passes between two blocked cells that touch at a corner.
func (o *optima) squeezes(a, b pathplan.Half) bool {
	dx, dy := b.X-a.X, b.Y-a.Y
	parts := greatestDivisor(dx, dy)
	for n := 1; n < parts; n++ {
		x, y := a.X+n*(dx/parts), a.Y+n*(dy/parts)
		if x%2 != 0 || y%2 != 0 {
			continue
		}
		free := func(i, j int) bool { return o.field.IsFree(pathplan.Cell{I: x/2 + i, J: y/2 + j}) }
		rising, falling := !free(-1, -1) && !free(0, 0), !free(-1, 0) && !free(0, -1)
		if rising && dx*dy <= 0 || falling && dx*dy >= 0 {
			return true
		}
	}
	return false
}

// greatestDivisor returns the greatest common divisor of two integers.
func greatestDivisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	if a < 0 {
		return -a
	}
	return a
}

// rank is a node with its cost; ranked is a heap of them.
type rank struct {
	at   int
	cost float64
}

type ranked []rank

func (r ranked) Len() int           { return len(r) }
func (r ranked) Less(i, j int) bool { return r[i].cost < r[j].cost }
func (r ranked) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *ranked) Push(v any)        { *r = append(*r, v.(rank)) }
func (r *ranked) Pop() any {
	old := *r
	v := old[len(old)-1]
	*r = old[:len(old)-1]
	return v
}
