package draft

import (
	"math"
	"slices"

	"mybot/pathplan"
	"mybot/robot"
)

const (
	minSpur   = 1.5  // m, length of a spur beyond the disc of free floor at its beginning
	tipSpur   = 0.3  // m: an end that extends less beyond a disc of its own line is cut to it
	minRing   = 3.0  // m: a shorter ring surrounds something small
	maxDoor   = 0.6  // m, clearance at the centre of a door
	doorRise  = 0.15 // m by which the clearance grows on both sides of a door
	thinSteps = 64   // buckets per metre for thinning by clearance
)

// A floor is the part of a picture that the robot can reach.
type floor struct {
	grid  *robot.Grid
	clear *pathplan.Clearance
	hard  float64   // m, clearance of a drivable cell's centre
	keep  float64   // m, clearance of every point of a path
	far   []float32 // m, clearance of each cell's centre; 0 where the robot cannot go
}

// newFloor returns the part of a grid that the robot can reach from where it was.
func newFloor(g *robot.Grid, hard float64, visited []robot.Point) *floor {
	f := &floor{grid: g, clear: pathplan.NewClearance(g), hard: hard, far: make([]float32, len(g.Cells))}
	f.keep = f.clear.DrivableClearance(hard) + g.Resolution/8 // more than the error of IsClear in either direction
	field := f.clear.FieldOf(hard)
	var next []int
	visit := func(i, j int) {
		if field.IsFree(pathplan.Cell{I: i, J: j}) && f.far[j*g.Width+i] == 0 {
			k := j*g.Width + i
			f.far[k] = float32(f.clear.At(f.cellCentre(k)))
			next = append(next, k)
		}
	}
	for _, p := range visited {
		if i, j, ok := g.Index(p); ok {
			visit(i, j)
		}
	}
	for len(next) > 0 {
		k := next[len(next)-1]
		next = next[:len(next)-1]
		i, j := k%g.Width, k/g.Width
		visit(i+1, j)
		visit(i-1, j)
		visit(i, j+1)
		visit(i, j-1)
	}
	return f
}

// cellCentre returns the centre of a cell, in the frame of the grid.
func (f *floor) cellCentre(k int) robot.Point {
	g := f.grid
	return g.CellMiddle(k%g.Width, k/g.Width)
}

// neighbourOffsets returns the offsets of the eight neighbours of a cell, counter-clockwise
// from the east. No reachable cell is at the edge of the grid.
func (f *floor) neighbourOffsets() [8]int {
	w := f.grid.Width
	return [8]int{1, w + 1, w, w - 1, -1, -w - 1, -w, -w + 1}
}

// thinCells returns the cells of the generalized Voronoi skeleton of the floor: it
// removes cells in order of growing clearance, as long as the rest stays connected
// in the same way and no end of a line is removed (distance-ordered homotopic
// thinning, Pudney 1998).
func (f *floor) thinCells() []bool {
	on := make([]bool, len(f.far))
	var buckets [][]int
	bucketOf := func(k int) int { return int(f.far[k] * thinSteps) }
	for k, far := range f.far {
		if on[k] = far > 0; on[k] {
			for len(buckets) <= bucketOf(k) {
				buckets = append(buckets, nil)
			}
			buckets[bucketOf(k)] = append(buckets[bucketOf(k)], k)
		}
	}
	around := f.neighbourOffsets()
	for n := range buckets {
		for i := 0; i < len(buckets[n]); i++ {
			k := buckets[n][i]
			if !on[k] || !isRemovable(on, k, around) {
				continue
			}
			on[k] = false
			for _, d := range around {
				if on[k+d] && bucketOf(k+d) <= n {
					buckets[n] = append(buckets[n], k+d)
				}
			}
		}
		buckets[n] = nil
	}
	return on
}

// isRemovable reports whether the cells around k stay connected without it
// (Hilditch's crossing number is 1), and it is not the end of a line.
func isRemovable(on []bool, k int, around [8]int) bool {
	crossings, count := 0, 0
	for n := 0; n < 8; n += 2 {
		a, b, c := on[k+around[n]], on[k+around[n+1]], on[k+around[(n+2)%8]]
		if !a && (b || c) {
			crossings++
		}
		if a {
			count++
		}
		if b {
			count++
		}
	}
	return crossings == 1 && count > 1
}

// A joint is a node of the skeleton, where lines meet or end.
type joint struct {
	cell  int
	lines []int // indices of the lines that end here; a ring appears twice
}

// A skeletonLine is a line of the skeleton between two joints.
type skeletonLine struct {
	a, b  int   // joints
	cells []int // from that of a to that of b
	gone  bool
}

// A skeleton is the skeleton of a floor as a graph.
type skeleton struct {
	*floor

	joints []joint
	lines  []skeletonLine
}

// A skeletonBuilder builds a graph from the cells of a skeleton.
type skeletonBuilder struct {
	*skeleton
	on      []bool // the cells of the skeleton
	around  [8]int
	jointOf map[int]int  // by cell
	used    map[int]bool // cells of lines
}

// newSkeleton finds the joints of a skeleton and the lines between them.
func newSkeleton(f *floor, on []bool) *skeleton {
	b := &skeletonBuilder{skeleton: &skeleton{floor: f}, on: on, around: f.neighbourOffsets(), jointOf: map[int]int{}, used: map[int]bool{}}
	for k := range on {
		if !b.isFree(k) {
			continue
		}
		switch n := b.countAround(k); {
		case n > 2:
			b.clusterCrossing(k)
		case n < 2:
			b.addJoint(k)
		}
	}
	cells := make([]int, 0, len(b.jointOf))
	for k := range b.jointOf {
		cells = append(cells, k)
	}
	slices.Sort(cells)
	for _, k := range cells {
		for _, d := range b.around {
			n := k + d
			if id, known := b.jointOf[n]; on[n] && known && id != b.jointOf[k] && b.jointOf[k] < id {
				b.addLine(b.jointOf[k], id, []int{b.joints[b.jointOf[k]].cell, b.joints[id].cell}) // an end beside a crossing
			} else if on[n] && !known && !b.used[n] {
				b.walkLine(b.jointOf[k], n, k)
			}
		}
	}
	for k := range on { // rings without a joint
		if b.isFree(k) && !b.used[k] {
			b.addJoint(k)
			for _, d := range b.around {
				if on[k+d] && !b.used[k+d] {
					b.walkLine(b.jointOf[k], k+d, k)
					break
				}
			}
		}
	}
	return b.skeleton
}

// isFree reports whether a cell of the skeleton belongs to no joint.
func (b *skeletonBuilder) isFree(k int) bool {
	_, known := b.jointOf[k]
	return b.on[k] && !known
}

// countAround returns the number of skeleton cells around k.
func (b *skeletonBuilder) countAround(k int) (n int) {
	for _, d := range b.around {
		if b.on[k+d] {
			n++
		}
	}
	return n
}

// addJoint makes a cell a joint.
func (b *skeletonBuilder) addJoint(k int) {
	b.jointOf[k] = len(b.joints)
	b.joints = append(b.joints, joint{cell: k})
}

// clusterCrossing merges adjacent crossing cells into one joint, at the one with
// the most clearance.
func (b *skeletonBuilder) clusterCrossing(k int) {
	b.addJoint(k)
	id := b.jointOf[k]
	for next := []int{k}; len(next) > 0; {
		c := next[len(next)-1]
		next = next[:len(next)-1]
		if b.far[c] > b.far[b.joints[id].cell] {
			b.joints[id].cell = c
		}
		for _, d := range b.around {
			if b.isFree(c+d) && b.countAround(c+d) > 2 {
				b.jointOf[c+d] = id
				next = append(next, c+d)
			}
		}
	}
}

// walkLine adds the line that leaves a joint through its cell previous to the cell
// first.
func (b *skeletonBuilder) walkLine(from, first, previous int) {
	const none = -1
	cells := []int{b.joints[from].cell, first}
	b.used[first] = true
	for at := first; ; {
		next, end := none, none
		for _, d := range b.around {
			n := at + d
			if !b.on[n] || n == previous || b.used[n] {
				continue
			}
			if id, known := b.jointOf[n]; !known {
				next = n
			} else if id != from || len(cells) > 3 {
				end = id
			}
		}
		if end != none {
			cells = append(cells, b.joints[end].cell)
			b.addLine(from, end, cells)
			return
		}
		if next == none {
			return // back at the beginning, around nothing
		}
		b.used[next] = true
		cells = append(cells, next)
		previous, at = at, next
	}
}

func (s *skeleton) addLine(a, b int, cells []int) {
	n := len(s.lines)
	s.lines = append(s.lines, skeletonLine{a: a, b: b, cells: cells})
	s.joints[a].lines = append(s.joints[a].lines, n)
	s.joints[b].lines = append(s.joints[b].lines, n)
}

// lengthOfCells returns the length of a chain of cells, in m.
func (f *floor) lengthOfCells(cells []int) float64 {
	length := 0.0
	for i := 1; i < len(cells); i++ {
		length += f.cellCentre(cells[i]).Sub(f.cellCentre(cells[i-1])).Norm()
	}
	return length
}

func (s *skeleton) removeLine(n int) {
	w := &s.lines[n]
	w.gone = true
	for _, j := range []int{w.a, w.b} {
		s.joints[j].lines = slices.DeleteFunc(s.joints[j].lines, func(e int) bool { return e == n })
	}
}

// cutSpurs removes lines that end without leading anywhere: those that extend less
// than minSpur beyond the disc of free floor around the joint where they begin,
// such as the diagonals into the corners of a room.
func (s *skeleton) cutSpurs() {
	for {
		var spurs []int
		for n := range s.lines {
			w := &s.lines[n]
			if w.gone {
				continue
			}
			length := s.lengthOfCells(w.cells)
			if w.a == w.b {
				if length < minRing {
					spurs = append(spurs, n)
				}
				continue
			}
			from, end := w.a, w.b
			if len(s.joints[from].lines) == 1 {
				from, end = end, from
			}
			if len(s.joints[end].lines) != 1 {
				continue
			}
			if beyond := length + float64(s.far[s.joints[end].cell]) - float64(s.far[s.joints[from].cell]); beyond < minSpur && (len(s.joints[from].lines) > 1 || s.far[s.joints[from].cell] >= s.far[s.joints[end].cell]) {
				spurs = append(spurs, n)
			}
		}
		for _, n := range spurs {
			w := s.lines[n]
			end := w.b
			if len(s.joints[w.a].lines) == 1 && (len(s.joints[w.b].lines) > 1 || s.far[s.joints[w.a].cell] < s.far[s.joints[w.b].cell]) {
				end = w.a
			}
			s.removeLine(n)
			if w.a != w.b {
				s.joints[end].cell = -1
			}
		}
		s.mergeLines()
		if len(spurs) == 0 {
			return
		}
	}
}

// mergeLines merges two lines that meet where no other ends.
func (s *skeleton) mergeLines() {
	for j := range s.joints {
		e := s.joints[j].lines
		if len(e) != 2 || e[0] == e[1] {
			continue
		}
		first, second := s.lines[e[0]], s.lines[e[1]]
		n, m := e[0], e[1]
		if first.b != j {
			slices.Reverse(first.cells)
			first.a, first.b = first.b, first.a
		}
		if second.a != j {
			slices.Reverse(second.cells)
			second.a, second.b = second.b, second.a
		}
		s.removeLine(n)
		s.removeLine(m)
		s.joints[j].cell = -1
		s.addLine(first.a, second.b, append(slices.Clone(first.cells), second.cells[1:]...))
	}
}

// cutTips shortens open ends of lines until everything beyond lies within the disc
// of free floor around the new end, except for tipSpur.
func (s *skeleton) cutTips() {
	for n := range s.lines {
		w := &s.lines[n]
		if w.gone || w.a == w.b {
			continue
		}
		for range 2 {
			if len(s.joints[w.b].lines) == 1 {
				tip := w.cells[len(w.cells)-1]
				length, keep := 0.0, len(w.cells)-1
				for i := len(w.cells) - 2; i > 0; i-- {
					length += s.cellCentre(w.cells[i]).Sub(s.cellCentre(w.cells[i+1])).Norm()
					if length+float64(s.far[tip]-s.far[w.cells[i]]) < tipSpur {
						keep = i
					}
				}
				w.cells = w.cells[:keep+1]
				s.joints[w.b].cell = w.cells[keep]
			}
			slices.Reverse(w.cells)
			w.a, w.b = w.b, w.a
		}
	}
}

// findDoors returns the indices of the cells of a line at the centres of doors:
// where the clearance is small and grows on both sides.
func (f *floor) findDoors(cells []int) (doors []int) {
	low := -1               // the narrowest since the last wide place
	wide := f.far[cells[0]] // the widest before it
	for i, k := range cells {
		far := f.far[k]
		if low < 0 || far < f.far[cells[low]] {
			if low < 0 && far+doorRise > wide {
				wide = max(wide, far)
				continue
			}
			low = i
			continue
		}
		if far > f.far[cells[low]]+doorRise {
			if f.far[cells[low]] < maxDoor {
				// The middle of the narrow section.
				end := low
				for end+1 < i && f.far[cells[end+1]] <= f.far[cells[low]]+0.02 {
					end++
				}
				doors = append(doors, (low+end)/2)
			}
			low, wide = -1, far
		}
	}
	return doors
}

// directionAt returns the direction of a line at one of its cells, as a unit
// vector.
func (f *floor) directionAt(cells []int, i int) robot.Point {
	reach := int(math.Ceil(0.3 / f.grid.Resolution))
	d := f.cellCentre(cells[min(len(cells)-1, i+reach)]).Sub(f.cellCentre(cells[max(0, i-reach)]))
	n := d.Norm()
	if n == 0 {
		return robot.Point{X: 1}
	}
	return robot.Point{X: d.X / n, Y: d.Y / n}
}
