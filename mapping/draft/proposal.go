package draft

import (
	"cmp"
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"

	"mybot/robot"
)

const (
	maxEdge      = 6.0  // m between two via points
	besideDoor   = 0.8  // m from the centre of a door
	centred      = 0.7  // share of the skeleton's clearance that an edge must have
	nearJoint    = 0.8  // m: joints closer than this are merged, or
	nearJointFar = 0.5  // closer than this share of both clearances
	maxDetour    = 1.09 // mean ratio of route length over the graph to path length over the floor, for random points; for others it is then at most 1.10
	samples      = 48   // random points; all 1128 pairs are compared
	sampleCell   = 4    // cells of the picture per cell of the coarse floor
	maxLooks     = 24   // via points checked for visibility from a random point; it is connected to
	maxLinked    = 8    // at most this many visible ones,
	maxWalk      = 3    // or to this many if none is visible
)

// A vertex is a proposed via point, in the frame of the draft.
type vertex struct {
	at   robot.Point
	far  float64 // m, clearance
	door bool
	gone bool
}

// A proposal is the proposed via graph, in the frame of the draft.
type proposal struct {
	*floor

	vertices []vertex
	edges    [][2]int
	doors    []doorway

	besideDoors bool    // there are vertices on both sides of doors
	detour      float64 // mean ratio of route lengths
}

// A doorway is a narrow passage between wider parts.
type doorway struct {
	at     robot.Point
	across robot.Point // unit vector across the passage
}

// newProposal proposes a via graph for a floor: nodes where lines of its skeleton
// meet and end, in doors, and at least every 6 m; edges that the robot can drive.
// Edges that hardly shorten routes are left out. If routes make long detours, there
// are also nodes on both sides of doors, from which more of a room is visible.
func newProposal(f *floor) *proposal {
	s := newSkeleton(f, f.thinCells())
	s.cutSpurs()
	s.cutTips()
	m := newMeasure(f)
	p := &proposal{floor: f}
	if p.buildAlong(s, m); p.detour > maxDetour && len(p.doors) > 0 {
		more := &proposal{floor: f, besideDoors: true}
		if more.buildAlong(s, m); more.detour < p.detour {
			return more
		}
	}
	return p
}

// buildAlong proposes a graph along a skeleton.
func (p *proposal) buildAlong(s *skeleton, m *measure) {
	at := make([]int, len(s.joints))
	for j, joint := range s.joints {
		if at[j] = -1; joint.cell >= 0 {
			at[j] = p.addVertex(joint.cell, false)
		}
	}
	for n := range s.lines {
		if w := &s.lines[n]; !w.gone {
			p.addLine(at[w.a], at[w.b], w.cells)
		}
	}
	p.contractEdges()
	p.chooseEdges(m)
	p.mergeEdges()
}

func (p *proposal) addVertex(cell int, door bool) int {
	p.vertices = append(p.vertices, vertex{at: p.cellCentre(cell), far: float64(p.far[cell]), door: door})
	return len(p.vertices) - 1
}

// addLine adds the edges along a line of the skeleton between two vertices.
func (p *proposal) addLine(a, b int, cells []int) {
	from, first := a, 0
	cut := func(i int, door bool) {
		v := p.addVertex(cells[i], door)
		p.addPiece(from, v, cells[first:i+1])
		from, first = v, i
	}
	doors := p.findDoors(cells)
	for _, i := range doors {
		d := p.directionAt(cells, i)
		p.doors = append(p.doors, doorway{at: p.cellCentre(cells[i]), across: robot.Point{X: -d.Y, Y: d.X}})
		if before := p.cellAlong(cells, i, -besideDoor); p.besideDoors && before > first+1 {
			cut(before, true)
		}
		if i > first && i < len(cells)-1 {
			cut(i, true)
		}
		if behind := p.cellAlong(cells, i, besideDoor); p.besideDoors && behind < len(cells)-2 {
			cut(behind, true)
		}
	}
	if a == b && len(doors) == 0 { // a ring
		third := len(cells) / 3
		cut(third, false)
		cut(2*third, false)
	}
	p.addPiece(from, b, cells[first:])
}

// cellAlong returns the index of the cell that is by metres farther along a line.
func (p *proposal) cellAlong(cells []int, i int, by float64) int {
	step := 1
	if by < 0 {
		step, by = -1, -by
	}
	for ; by > 0 && i > 0 && i < len(cells)-1; i += step {
		by -= p.cellCentre(cells[i]).Sub(p.cellCentre(cells[i+step])).Norm()
	}
	return i
}

// addPiece adds straight edges along a part of a line: as few as stay near its
// middle.
func (p *proposal) addPiece(a, b int, cells []int) {
	if len(cells) < 2 {
		return
	}
	length := p.lengthOfCells(cells)
	least := math.Inf(1)
	for _, k := range cells {
		least = math.Min(least, float64(p.far[k]))
	}
	from, to := p.vertices[a].at, p.vertices[b].at
	straight := p.clear.IsClear(from, to, math.Max(p.keep, centred*least))
	if straight && length <= maxEdge || len(cells) == 2 {
		p.edges = append(p.edges, [2]int{a, b})
		return
	}
	at, off := len(cells)/2, 0.0
	if straight { // at equal distances
		parts, along := math.Ceil(length/maxEdge), 0.0
		for i := 1; i < len(cells)-1; i++ {
			if along += p.cellCentre(cells[i]).Sub(p.cellCentre(cells[i-1])).Norm(); along <= length*math.Floor(parts/2)/parts {
				at = i
			}
		}
	} else {
		for i := 1; i < len(cells)-1; i++ {
			if d := (robot.Segment{A: from, B: to}).Distance(p.cellCentre(cells[i])); d > off {
				at, off = i, d
			}
		}
	}
	v := p.addVertex(cells[at], false)
	p.addPiece(a, v, cells[:at+1])
	p.addPiece(v, b, cells[at:])
}

// isGood reports whether an edge between two points is drivable and has about the
// clearance of its ends.
func (p *proposal) isGood(a, b *vertex) bool {
	return p.clear.IsClear(a.at, b.at, math.Max(p.keep, math.Min(centred*math.Min(a.far, b.far), maxDoor)))
}

// contractEdges merges joints that are close to each other.
func (p *proposal) contractEdges() {
	for again := true; again; {
		again = false
		slices.SortStableFunc(p.edges, func(a, b [2]int) int {
			return cmp.Compare(p.edgeLength(a), p.edgeLength(b))
		})
		for _, e := range p.edges {
			a, b := e[0], e[1]
			va, vb := &p.vertices[a], &p.vertices[b]
			if a == b || va.door && vb.door || p.edgeLength(e) > math.Max(nearJoint, nearJointFar*math.Min(va.far, vb.far)) {
				continue
			}
			if vb.door || !va.door && vb.far > va.far {
				a, b = b, a // the one with more clearance remains, and so does a door
			}
			fits := true
			for _, other := range p.edges {
				for side := range 2 {
					if other[side] == b && other[1-side] != a {
						fits = fits && p.isGood(&p.vertices[a], &p.vertices[other[1-side]])
					}
				}
			}
			if !fits {
				continue
			}
			for n := range p.edges {
				for side := range 2 {
					if p.edges[n][side] == b {
						p.edges[n][side] = a
					}
				}
			}
			p.vertices[b].gone = true
			again = true
			break
		}
		if again {
			p.dropDoubleEdges()
		}
	}
}

func (p *proposal) dropDoubleEdges() {
	seen := map[[2]int]bool{}
	p.edges = slices.DeleteFunc(p.edges, func(e [2]int) bool {
		key := [2]int{min(e[0], e[1]), max(e[0], e[1])}
		double := seen[key] || e[0] == e[1]
		seen[key] = true
		return double
	})
}

func (p *proposal) edgeLength(e [2]int) float64 {
	return p.vertices[e[0]].at.Sub(p.vertices[e[1]].at).Norm()
}

// chooseEdges leaves out as many edges as the mean detour allows: an edge is left
// out if the others connect its ends within a factor, and it uses the largest
// factor that works. Edges with more clearance are chosen first. If all edges of
// the skeleton are too few, as in wide halls, straight ones between vertices that
// see each other are added in the same way.
func (p *proposal) chooseEdges(m *measure) {
	p.dropDoubleEdges()
	m.linkPoints(p)
	all := slices.Clone(p.edges)
	width := func(e [2]int) float64 { return math.Min(p.vertices[e[0]].far, p.vertices[e[1]].far) }
	slices.SortStableFunc(all, func(a, b [2]int) int { return cmp.Compare(width(b), width(a)) })
	for _, factor := range []float64{8, 5, 3.5, 2.5, 2, 1.7, 1.5, 1.3} {
		p.edges = p.spanner(nil, all, factor)
		if p.detour = m.meanDetour(p); p.detour <= maxDetour {
			return
		}
	}
	shortcuts := p.findShortcuts()
	for _, factor := range []float64{1.5, 1.3, 1.2, 1.1} {
		p.edges = p.spanner(all, shortcuts, factor)
		if p.detour = m.meanDetour(p); p.detour <= maxDetour {
			return
		}
	}
}

// findShortcuts returns the pairs of vertices between which the robot can drive
// straight, nearest first.
func (p *proposal) findShortcuts() (pairs [][2]int) {
	for a := range p.vertices {
		for b := range a {
			va, vb := &p.vertices[a], &p.vertices[b]
			if !va.gone && !vb.gone && va.at.Sub(vb.at).Norm() <= maxEdge && p.isGood(va, vb) {
				pairs = append(pairs, [2]int{b, a})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b [2]int) int { return cmp.Compare(p.edgeLength(a), p.edgeLength(b)) })
	return pairs
}

// spanner returns the given edges, and those of the others, in order, that are
// needed to connect their ends within a factor.
func (p *proposal) spanner(given, others [][2]int, factor float64) [][2]int {
	r := newRouter(len(p.vertices))
	chosen := slices.Clone(given)
	for _, e := range given {
		r.join(e[0], e[1], p.edgeLength(e))
	}
	for _, e := range others {
		length := p.edgeLength(e)
		if r.distance(e[0], e[1], factor*length) > factor*length {
			r.join(e[0], e[1], length)
			chosen = append(chosen, e)
		}
	}
	return chosen
}

// mergeEdges removes vertices where two edges meet that a single one can replace.
func (p *proposal) mergeEdges() {
	for v := range p.vertices {
		var ends []int
		for _, e := range p.edges {
			if e[0] == v {
				ends = append(ends, e[1])
			} else if e[1] == v {
				ends = append(ends, e[0])
			}
		}
		if p.vertices[v].door || len(ends) != 2 || p.vertices[v].gone {
			continue
		}
		a, b := &p.vertices[ends[0]], &p.vertices[ends[1]]
		if a.at.Sub(b.at).Norm() > maxEdge || !p.isGood(a, b) ||
			(robot.Segment{A: a.at, B: b.at}).Distance(p.vertices[v].at) > 0.3*p.vertices[v].far {
			continue
		}
		p.edges = slices.DeleteFunc(p.edges, func(e [2]int) bool { return e[0] == v || e[1] == v })
		p.edges = append(p.edges, [2]int{ends[0], ends[1]})
		p.vertices[v].gone = true
	}
	p.dropDoubleEdges()
}

// A router computes the lengths of routes over edges between vertices.
type router struct {
	next [][]arc
	dist []float64
	open arcHeap
	used []int
}

// An arc leads to a vertex.
type arc struct {
	to     int
	length float64
}

func newRouter(n int) *router {
	r := &router{next: make([][]arc, n), dist: make([]float64, n)}
	for i := range r.dist {
		r.dist[i] = math.Inf(1)
	}
	return r
}

func (r *router) join(a, b int, length float64) {
	r.next[a] = append(r.next[a], arc{b, length})
	r.next[b] = append(r.next[b], arc{a, length})
}

// distance returns the length of the shortest route from a to b, or +Inf if it
// exceeds most.
func (r *router) distance(a, b int, most float64) float64 {
	defer r.forget()
	r.reach(a, 0)
	for len(r.open) > 0 {
		at := heap.Pop(&r.open).(arc)
		if at.length > most {
			break
		}
		if at.to == b {
			return at.length
		}
		r.expand(at)
	}
	return math.Inf(1)
}

func (r *router) reach(v int, length float64) {
	if length < r.dist[v] {
		r.used = append(r.used, v)
		r.dist[v] = length
		heap.Push(&r.open, arc{v, length})
	}
}

func (r *router) expand(at arc) {
	if at.length > r.dist[at.to] {
		return
	}
	for _, n := range r.next[at.to] {
		r.reach(n.to, at.length+n.length)
	}
}

func (r *router) forget() {
	for _, v := range r.used {
		r.dist[v] = math.Inf(1)
	}
	r.used, r.open = r.used[:0], r.open[:0]
}

type arcHeap []arc

func (h arcHeap) Len() int           { return len(h) }
func (h arcHeap) Less(i, j int) bool { return h[i].length < h[j].length }
func (h arcHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *arcHeap) Push(x any)        { *h = append(*h, x.(arc)) }
func (h *arcHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// A measure is random points on a floor, the path lengths over the floor between
// them, and the vertices that each is connected to.
type measure struct {
	coarse      *coarseFloor
	points      []robot.Point
	cells       []int       // of the points, in the coarse floor
	pathLengths [][]float32 // m, from each point to each cell of the coarse floor
	links       [][]arc     // to vertices, as the planner connects a place to the via graph
}

// newMeasure draws the points, with a fixed seed, and measures the path lengths.
func newMeasure(f *floor) *measure {
	m := &measure{coarse: newCoarseFloor(f)}
	rng := rand.New(rand.NewPCG(1, uint64(len(m.coarse.free))))
	for n := 0; n < samples && len(m.coarse.free) > 0; n++ {
		k := m.coarse.free[rng.IntN(len(m.coarse.free))]
		m.cells = append(m.cells, k)
		m.points = append(m.points, m.coarse.cellCentre(k))
		m.pathLengths = append(m.pathLengths, m.coarse.pathLengthsFrom(k))
	}
	return m
}

// linkPoints connects the points to the vertices of a graph: to visible ones, or to the
// nearest.
func (m *measure) linkPoints(p *proposal) {
	m.links = m.links[:0]
	for n, from := range m.points {
		var links []arc
		for v := range p.vertices {
			if !p.vertices[v].gone {
				if length := float64(m.pathLengths[n][m.coarse.cellAt(p.vertices[v].at)]); !math.IsInf(length, 1) {
					links = append(links, arc{v, math.Max(length, p.vertices[v].at.Sub(from).Norm())})
				}
			}
		}
		slices.SortFunc(links, func(a, b arc) int {
			return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(a.to, b.to))
		})
		var seen []arc
		for _, l := range links[:min(len(links), maxLooks)] {
			if len(seen) < maxLinked && p.clear.IsClear(from, p.vertices[l.to].at, p.keep) {
				seen = append(seen, arc{l.to, p.vertices[l.to].at.Sub(from).Norm()})
			}
		}
		if len(seen) == 0 {
			seen = links[:min(len(links), maxWalk)]
		}
		m.links = append(m.links, seen)
	}
}

// meanDetour returns the mean ratio of the route lengths over the graph to the path
// lengths over the floor; +Inf if the graph does not connect two points that the
// floor connects. If one point sees the other, the route needs no graph.
func (m *measure) meanDetour(p *proposal) float64 {
	r := newRouter(len(p.vertices) + 1)
	for _, e := range p.edges {
		r.join(e[0], e[1], p.edgeLength(e))
	}
	sum, n := 0.0, 0
	for a := range m.points {
		for _, l := range m.links[a] {
			r.reach(l.to, l.length)
		}
		for len(r.open) > 0 {
			r.expand(heap.Pop(&r.open).(arc))
		}
		for b := a + 1; b < len(m.points); b++ {
			way := float64(m.pathLengths[a][m.cells[b]])
			if math.IsInf(way, 1) || way < 1 {
				continue
			}
			route := math.Inf(1)
			for _, l := range m.links[b] {
				route = math.Min(route, r.dist[l.to]+l.length)
			}
			if way < 1.05*m.points[a].Sub(m.points[b]).Norm() && p.clear.IsClear(m.points[a], m.points[b], p.keep) {
				route = way
			}
			sum, n = sum+math.Max(1, route/way), n+1
		}
		r.forget()
	}
	if n == 0 {
		return 1
	}
	return sum / float64(n)
}

// A coarseFloor is a floor with larger cells, for path lengths.
type coarseFloor struct {
	width, height int
	size          float64 // m per cell
	origin        robot.Point
	open          []bool
	free          []int // indices of the open cells
}

func newCoarseFloor(f *floor) *coarseFloor {
	g := f.grid
	c := &coarseFloor{width: g.Width/sampleCell + 3, height: g.Height/sampleCell + 3, size: g.Resolution * sampleCell}
	c.origin = g.Origin.Sub(robot.Point{X: c.size, Y: c.size})
	c.open = make([]bool, c.width*c.height)
	for k, far := range f.far {
		if far > 0 {
			c.open[(k/g.Width/sampleCell+1)*c.width+k%g.Width/sampleCell+1] = true
		}
	}
	for k, open := range c.open {
		if open {
			c.free = append(c.free, k)
		}
	}
	return c
}

func (c *coarseFloor) cellCentre(k int) robot.Point {
	return c.origin.Add(robot.Point{X: (float64(k%c.width) + 0.5) * c.size, Y: (float64(k/c.width) + 0.5) * c.size})
}

func (c *coarseFloor) cellAt(p robot.Point) int {
	i, j := int((p.X-c.origin.X)/c.size), int((p.Y-c.origin.Y)/c.size)
	return min(max(0, j), c.height-1)*c.width + min(max(0, i), c.width-1)
}

// A move is a step from one cell to another.
type move struct {
	by     int32
	length float32  // in cells
	over   [2]int32 // cells that must be open as well
}

// pathLengthsFrom returns the path length from a cell to every other, in m: with straight,
// diagonal and knight's moves, at most 3 % longer than the shortest.
func (c *coarseFloor) pathLengthsFrom(from int) []float32 {
	ways := make([]float32, len(c.open))
	for k := range ways {
		ways[k] = float32(math.Inf(1))
	}
	w := int32(c.width)
	var moves []move
	for _, d := range [4][2]int32{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} {
		a, b := d[1]*w+d[0], d[0]*w-d[1] // ahead, and a quarter turn to the left
		moves = append(moves, move{a, 1, [2]int32{}}, move{a + b, math.Sqrt2, [2]int32{a, b}},
			move{2*a + b, 2.236068, [2]int32{a, a + b}}, move{2*a - b, 2.236068, [2]int32{a, a - b}})
	}
	// Buckets of one cell's length, used in rotation: every move is between one and
	// three long.
	var buckets [4][]int32
	push := func(k int32, length float32) {
		if length < ways[k] {
			ways[k] = length
			n := int(length) % len(buckets)
			buckets[n] = append(buckets[n], k)
		}
	}
	push(int32(from), 0)
	for n, idle := 0, 0; idle < len(buckets); n++ {
		bucket := &buckets[n%len(buckets)]
		if idle++; len(*bucket) > 0 {
			idle = 0
		}
		for _, k := range *bucket {
			if int(ways[k]) != n {
				continue // it was reached by a shorter path
			}
			for _, m := range moves {
				if to := k + m.by; c.open[to] && ways[k]+m.length < ways[to] && c.open[k+m.over[0]] && c.open[k+m.over[1]] {
					push(to, ways[k]+m.length)
				}
			}
		}
		*bucket = (*bucket)[:0]
	}
	for k := range ways {
		ways[k] *= float32(c.size)
	}
	return ways
}
