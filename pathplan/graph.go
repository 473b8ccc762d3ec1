package pathplan

import (
	"cmp"
	"math"
	"slices"
	"time"

	"mybot/robot"
)

// A Graph is the via graph of a floor, laid out for search: nodes sorted into bins of
// the plane, edges in one slice. It reuses its scratch memory between searches, so
// only one goroutine may use it at a time.
type Graph struct {
	nodes []robot.Via
	first []int32 // the arcs of node n are arcs[first[n]:first[n+1]]
	arcs  []arc
	bins  bins

	landmarks []landmark
	guides    []*landmark // the landmarks that this search uses

	round  uint32
	states []viaState
	open   heap
}

// An arc is an edge in one direction.
type arc struct {
	from, to int32
	length   float64   // m
	shut     time.Time // the arc is closed until this time
}

// viaState is the state of a node in a search.
type viaState struct {
	cost   float64 // m from the start
	rest   float64 // m from here to the goal, if the two are linked
	parent int32   // -1 = the start
	round  uint32  // the search that set cost and parent
	goal   uint32  // the search that set rest
	closed bool
}

// A Link joins a point to a node of the graph.
type Link struct {
	node   int32
	length float64 // m
}

// newGraph lays out a graph. It drops nodes and edges for which fits returns false,
// and edges whose ends are not two different nodes.
func newGraph(g *robot.Graph, fits func(a, b robot.Point) bool) *Graph {
	v := &Graph{}
	at := map[int]int32{}
	for _, n := range g.Nodes {
		if fits(n.Point, n.Point) {
			at[n.ID] = int32(len(v.nodes))
			v.nodes = append(v.nodes, n)
		}
	}
	for _, e := range g.Edges {
		from, known := at[e.Start]
		to, alsoKnown := at[e.End]
		if !known || !alsoKnown || from == to {
			continue
		}
		a, b := v.nodes[from].Point, v.nodes[to].Point
		if fits(a, b) {
			v.arcs = append(v.arcs, arc{from: from, to: to, length: b.Sub(a).Norm()})
		}
	}
	slices.SortFunc(v.arcs, func(a, b arc) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	v.first = make([]int32, len(v.nodes)+1)
	for _, a := range v.arcs {
		v.first[a.from+1]++
	}
	for n := range v.nodes {
		v.first[n+1] += v.first[n]
	}
	v.states = make([]viaState, len(v.nodes)+1) // the last one is the goal
	v.bins = newBins(v.nodes)
	v.placeLandmarks()
	return v
}

// CountNodes returns how many via points the robot can use.
func (g *Graph) CountNodes() int { return len(g.nodes) }

// CountEdges returns how many edges the robot can use, counting each direction.
func (g *Graph) CountEdges() int { return len(g.arcs) }

// A point is joined to at most maxLinks of the nearest maxLooks via points.
const (
	maxLinks = 8
	maxLooks = 32
)

// linksFrom appends links to the nearest via points for which see returns true.
func (g *Graph) linksFrom(links []Link, p robot.Point, see func(a, b robot.Point) bool) []Link {
	first := len(links)
	links = g.bins.appendNearest(links, p, g.nodes, maxLooks)
	found := first
	for _, l := range links[first:] {
		if see(p, g.nodes[l.node].Point) {
			links[found] = l
			if found++; found == first+maxLinks {
				break
			}
		}
	}
	return links[:found]
}

// shortestPath returns the shortest path over the arcs that are open at now: its via
// points, appended to via, and its length in m, +Inf if there is no path. from and to
// link the start and the goal to the graph. direct is the length in m of the path
// without via points, +Inf if there is none.
func (g *Graph) shortestPath(via []int32, now time.Time, from, to []Link, goal robot.Point, direct float64) ([]int32, float64) {
	g.round++
	if g.round == 0 { // the counter has wrapped around: reset all states
		clear(g.states)
		g.round = 1
	}
	g.open = g.open[:0]
	g.pickLandmarks(from, to)
	target := int32(len(g.nodes))
	for _, l := range to {
		s := &g.states[l.node]
		if s.goal != g.round || l.length < s.rest {
			s.rest, s.goal = l.length, g.round
		}
	}
	for _, l := range from {
		g.reachNode(l.node, -1, l.length, goal)
	}
	if !math.IsInf(direct, 1) {
		g.reachNode(target, -1, direct, goal)
	}
	for len(g.open) > 0 {
		at := g.open.pop()
		s := &g.states[at]
		if at == target {
			return g.tracePath(via, s.parent), s.cost
		}
		if s.closed {
			continue
		}
		s.closed = true
		if s.goal == g.round {
			g.reachNode(target, at, s.cost+s.rest, goal)
		}
		for i := g.first[at]; i < g.first[at+1]; i++ {
			if a := &g.arcs[i]; a.shut.IsZero() || !now.Before(a.shut) {
				g.reachNode(a.to, at, s.cost+a.length, goal)
			}
		}
	}
	return via, math.Inf(1)
}

func (g *Graph) reachNode(at, parent int32, cost float64, goal robot.Point) {
	s := &g.states[at]
	if s.round == g.round && (s.closed || s.cost <= cost) {
		return
	}
	s.cost, s.parent, s.round, s.closed = cost, parent, g.round, false
	rank := cost
	if int(at) < len(g.nodes) {
		rank += g.lowerBound(at, goal)
	}
	if math.IsInf(rank, 1) {
		return
	}
	g.open.push(entry{rank: rank, cost: cost, at: at})
}

func (g *Graph) tracePath(via []int32, at int32) []int32 {
	first := len(via)
	for ; at >= 0; at = g.states[at].parent {
		via = append(via, at)
	}
	slices.Reverse(via[first:])
	return via
}

// closeNear closes every arc that comes closer to p than within, in m, until a time.
// It returns their number.
func (g *Graph) closeNear(p robot.Point, within float64, until time.Time) int {
	n := 0
	for i := range g.arcs {
		a := &g.arcs[i]
		if (robot.Segment{A: g.nodes[a.from].Point, B: g.nodes[a.to].Point}).Distance(p) < within {
			n++
			if a.shut.Before(until) {
				a.shut = until
			}
		}
	}
	return n
}

// isJoined reports whether an edge leads from one node to another.
func (g *Graph) isJoined(from, to int32) bool {
	for _, a := range g.arcs[g.first[from]:g.first[from+1]] {
		if a.to == to {
			return true
		}
	}
	return false
}

// distanceBetween returns the straight distance between two nodes in m.
func (g *Graph) distanceBetween(a, b int32) float64 {
	return g.nodes[a].Point.Sub(g.nodes[b].Point).Norm()
}

// openAll reopens every arc.
func (g *Graph) openAll() {
	for i := range g.arcs {
		g.arcs[i].shut = time.Time{}
	}
}

// bins sorts nodes into squares of the plane, about two nodes to a square.
type bins struct {
	width, height int
	size          float64 // m
	origin        robot.Point
	first         []int32 // the nodes of square b are nodes[first[b]:first[b+1]]
	nodes         []int32
}

func newBins(nodes []robot.Via) bins {
	if len(nodes) == 0 {
		return bins{}
	}
	low, high := nodes[0].Point, nodes[0].Point
	for _, n := range nodes {
		low = robot.Point{X: min(low.X, n.Point.X), Y: min(low.Y, n.Point.Y)}
		high = robot.Point{X: max(high.X, n.Point.X), Y: max(high.Y, n.Point.Y)}
	}
	extent := high.Sub(low)
	// The lower bounds keep the number of squares close to the number of nodes.
	size := max(1, math.Sqrt(2*extent.X*extent.Y/float64(len(nodes))), 2*max(extent.X, extent.Y)/float64(len(nodes)))
	b := bins{width: int(extent.X/size) + 1, height: int(extent.Y/size) + 1, size: size, origin: low}
	b.first = make([]int32, b.width*b.height+1)
	b.nodes = make([]int32, len(nodes))
	for _, n := range nodes {
		b.first[b.squareOf(n.Point)+1]++
	}
	for i := range b.width * b.height {
		b.first[i+1] += b.first[i]
	}
	next := slices.Clone(b.first)
	for i, n := range nodes {
		s := b.squareOf(n.Point)
		b.nodes[next[s]] = int32(i)
		next[s]++
	}
	return b
}

func (b *bins) columnOf(p robot.Point) (i, j int) {
	return int(math.Floor((p.X - b.origin.X) / b.size)), int(math.Floor((p.Y - b.origin.Y) / b.size))
}

func (b *bins) squareOf(p robot.Point) int {
	i, j := b.columnOf(p)
	return j*b.width + i
}

// appendNearest appends links to the maxCount nodes nearest to p, the nearest first.
func (b *bins) appendNearest(links []Link, p robot.Point, nodes []robot.Via, maxCount int) []Link {
	if b.width == 0 {
		return links
	}
	first := len(links)
	i, j := b.columnOf(p)
	// Search the squares in rings around that of p. Squares beyond ring r are at
	// least r * size away.
	for r := 0; ; r++ {
		for y := max(0, j-r); y <= min(b.height-1, j+r); y++ {
			step := 1
			if y != j-r && y != j+r {
				step = max(1, 2*r) // only the two ends of the row belong to the ring
			}
			for x := i - r; x <= i+r; x += step {
				if x < 0 || x >= b.width {
					continue
				}
				for _, n := range b.nodes[b.first[y*b.width+x]:b.first[y*b.width+x+1]] {
					links = append(links, Link{node: n, length: nodes[n].Point.Sub(p).Norm()})
				}
			}
		}
		all := i-r <= 0 && j-r <= 0 && i+r >= b.width-1 && j+r >= b.height-1
		if len(links)-first >= maxCount || all {
			slices.SortFunc(links[first:], func(a, b Link) int { return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(a.node, b.node)) })
			if all || len(links)-first >= maxCount && links[first+maxCount-1].length <= float64(r)*b.size {
				return links[:min(len(links), first+maxCount)]
			}
		}
	}
}
