package pathplan

import "math"

// A Searcher finds shortest octile paths on one field by jump point search (Harabor
// and Grastien 2011; the variant without corner cutting from their 2012 paper, with
// its scan of whole words of bits). A path takes straight and diagonal steps between
// the centres of cells, diagonal ones only if both cells beside the step are free.
type Searcher struct {
	field *Field
	known *known
	open  heap
	goal  Cell

	rest, chain []Half // scratch of PullTaut

	// Expanded counts the jump points of the last search.
	Expanded int
}

// known holds the search nodes of a grid, in tiles of 16 x 16 cells that are allocated
// when a search reaches them: most cells are not jump points. Successive searches may
// share it.
type known struct {
	across int // tiles per row
	tiles  []*[256]node
	round  uint16 // nodes of an older round are stale
}

type node struct {
	cost   float64 // cells from the start
	parent int32   // index of the jump point before; -1 at the start
	round  uint16
	todo   directions // to expand when the node is next popped from the heap
	done   directions // already expanded at this cost
}

func newKnown(width, height int) *known {
	across := (width + 15) / 16
	return &known{across: across, tiles: make([]*[256]node, across*((height+15)/16))}
}

func (k *known) beginRound() {
	if k.round++; k.round > 0 {
		return
	}
	// The counter has wrapped around: reset all nodes.
	clear(k.tiles)
	k.round = 1
}

// indexOf returns the index of a cell: its tile and its position in the tile. cellAt
// is the inverse.
func (k *known) indexOf(c Cell) int32 {
	return int32((c.J>>4*k.across+c.I>>4)<<8 | c.J&15<<4 | c.I&15)
}

func (k *known) cellAt(at int32) Cell {
	tile, in := int(at>>8), int(at&255)
	return Cell{tile%k.across<<4 | in&15, tile/k.across<<4 | in>>4}
}

func (k *known) nodeAt(at int32) *node {
	tile := k.tiles[at>>8]
	if tile == nil {
		tile = new([256]node)
		k.tiles[at>>8] = tile
	}
	return &tile[at&255]
}

// directions is a set of the eight directions; bit d is steps[d].
type directions uint8

var steps = [8]Cell{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}

// NewSearcher returns a searcher on field.
func NewSearcher(field *Field) *Searcher {
	return &Searcher{field: field, known: newKnown(field.Width, field.Height)}
}

// onField returns a searcher on another field of the same size that shares the scratch
// memory of this one. The two must not search at the same time.
func (s *Searcher) onField(field *Field) *Searcher { return &Searcher{field: field, known: s.known} }

// FindOctile returns the jump points of a shortest path between two cells, appended to
// path, and its length in cells. ok is false if there is no path.
func (s *Searcher) FindOctile(path []Cell, from, to Cell) (points []Cell, length float64, ok bool) {
	s.Expanded = 0
	if !s.field.IsFree(from) || !s.field.IsFree(to) {
		return path, 0, false
	}
	s.known.beginRound()
	s.open, s.goal = s.open[:0], to
	s.reachCell(from, -1, 0, ^directions(0))
	target := s.known.indexOf(to)
	for len(s.open) > 0 {
		at := s.open.pop()
		if at == target {
			return s.tracePath(path, at), s.known.nodeAt(at).cost, true
		}
		n := s.known.nodeAt(at)
		todo := n.todo &^ n.done
		n.todo, n.done = 0, n.done|todo
		if todo == 0 {
			continue
		}
		s.Expanded++
		c := s.known.cellAt(at)
		for d := range steps {
			if todo>>d&1 != 0 {
				s.jumpFrom(c, d, at, n.cost)
			}
		}
	}
	return path, 0, false
}

// jumpFrom follows direction d from c and reaches the next jump point, if any.
func (s *Searcher) jumpFrom(c Cell, d int, parent int32, cost float64) {
	if d%2 == 0 {
		if to, ok := s.scanStraight(c, d); ok {
			s.reachCell(to, parent, cost+float64(absInt(to.I-c.I)+absInt(to.J-c.J)), s.directionsAfter(to, d))
		}
		return
	}
	step := steps[d]
	f := s.field
	for n := 1; ; n++ {
		if !f.rows.getBit(c.I+step.I, c.J) || !f.rows.getBit(c.I, c.J+step.J) || !f.rows.getBit(c.I+step.I, c.J+step.J) {
			return
		}
		c.I, c.J = c.I+step.I, c.J+step.J
		here := cost + float64(n)*math.Sqrt2
		if c == s.goal {
			s.reachCell(c, parent, here, 0)
			return
		}
		// A diagonal step also scans both of its straight components. If one of them
		// finds a jump point, this cell is one too.
		across, upright := (d+7)%8, (d+1)%8
		if _, ok := s.scanStraight(c, across); ok {
			s.reachCell(c, parent, here, 1<<across|1<<upright|1<<d)
			return
		}
		if _, ok := s.scanStraight(c, upright); ok {
			s.reachCell(c, parent, here, 1<<across|1<<upright|1<<d)
			return
		}
	}
}

// scanStraight scans from c in the even direction d.
func (s *Searcher) scanStraight(c Cell, d int) (Cell, bool) {
	goal := -1
	if d%4 == 0 {
		if s.goal.J == c.J {
			goal = s.goal.I
		}
		if d == 0 {
			i, ok := s.field.rows.scanForward(c.I, c.J, goal)
			return Cell{i, c.J}, ok
		}
		i, ok := s.field.rows.scanBackward(c.I, c.J, goal)
		return Cell{i, c.J}, ok
	}
	if s.goal.I == c.I {
		goal = s.goal.J
	}
	if d == 2 {
		j, ok := s.field.cols.scanForward(c.J, c.I, goal)
		return Cell{c.I, j}, ok
	}
	j, ok := s.field.cols.scanBackward(c.J, c.I, goal)
	return Cell{c.I, j}, ok
}

// directionsAfter returns the directions to expand at a jump point reached in the even
// direction d: straight on, and on each side where an obstacle has just ended, at a
// right angle and diagonally.
func (s *Searcher) directionsAfter(c Cell, d int) directions {
	set := directions(1) << d
	back := steps[(d+4)%8]
	for _, turn := range [2]int{2, 6} {
		side := (d + turn) % 8
		slant := (d + turn/2) % 8
		if turn == 6 {
			slant = (d + 7) % 8
		}
		w := steps[side]
		if s.field.rows.getBit(c.I+w.I, c.J+w.J) && !s.field.rows.getBit(c.I+w.I+back.I, c.J+w.J+back.J) {
			set |= 1<<side | 1<<slant
		}
	}
	return set
}

// costSlack is the largest difference, in cells, between path lengths that count as
// equal: the sums have rounding errors.
const costSlack = 1e-9

// reachCell records a path to c. The search follows all paths of equal length that
// arrive in different directions, each direction once.
func (s *Searcher) reachCell(c Cell, parent int32, cost float64, todo directions) {
	at := s.known.indexOf(c)
	n := s.known.nodeAt(at)
	switch {
	case n.round != s.known.round || cost < n.cost-costSlack:
		*n = node{cost: cost, parent: parent, round: s.known.round, todo: todo}
	case cost > n.cost+costSlack || todo&^(n.done|n.todo) == 0:
		return
	default:
		n.todo |= todo
	}
	s.open.push(entry{rank: n.cost + octileLength(c, s.goal), cost: n.cost, at: at})
}

// octileLength returns the length of the shortest path on an empty field, in cells.
func octileLength(a, b Cell) float64 {
	di, dj := absInt(a.I-b.I), absInt(a.J-b.J)
	return float64(max(di, dj)) + (math.Sqrt2-1)*float64(min(di, dj))
}

// tracePath appends the jump points from the start to at.
func (s *Searcher) tracePath(path []Cell, at int32) []Cell {
	first := len(path)
	for ; at >= 0; at = s.known.nodeAt(at).parent {
		path = append(path, s.known.cellAt(at))
	}
	for i, j := first, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path
}

func absInt(i int) int {
	if i < 0 {
		return -i
	}
	return i
}
