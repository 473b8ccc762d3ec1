package pathplan

import (
	"math"
	"math/bits"
	"slices"
)

// A Half is a point in units of half a cell: the centre of cell (i, j) is (2i+1, 2j+1)
// and its lower left corner (2i, 2j). Integers make the geometry of PullTaut exact.
type Half struct{ X, Y int }

// MiddleOf returns the middle of a cell.
func MiddleOf(c Cell) Half { return Half{2*c.I + 1, 2*c.J + 1} }

// LengthOf returns the length of a polyline, in cells.
func LengthOf(path []Half) float64 {
	sum := 0.0
	for n := 1; n < len(path); n++ {
		sum += math.Hypot(float64(path[n].X-path[n-1].X), float64(path[n].Y-path[n-1].Y)) / 2
	}
	return sum
}

// PullTaut pulls a path of jump points tight like a rubber band: it returns the
// shortest polyline that passes every obstacle on the same side. Its inner vertices are
// corners of obstacles, so the field's obstacles must be inflated by the robot's size.
//
// It takes three neighbours a, b, c at a time. Both legs are free, so the shortest path
// from a to c within the triangle runs along the convex hull of the obstacles in it.
// PullTaut replaces b by that hull, until no triple changes.
//
// It appends the polyline to into, which holds the vertices before b. Those after b are
// on a stack of the searcher, so that a change only costs its own points.
func (s *Searcher) PullTaut(into []Half, path []Cell) []Half {
	first := len(into)
	rest := s.rest[:0]
	for n := len(path) - 1; n >= 0; n-- {
		rest = append(rest, MiddleOf(path[n]))
	}
	if len(rest) > 0 {
		into, rest = append(into, rest[len(rest)-1]), rest[:len(rest)-1]
	}
	for len(rest) > 1 {
		a, b, c := into[len(into)-1], rest[len(rest)-1], rest[len(rest)-2]
		s.chain = s.field.cornersAround(s.chain[:0], a, b, c)
		if len(s.chain) == 1 && s.chain[0] == b {
			into, rest = append(into, b), rest[:len(rest)-1]
			continue
		}
		rest = rest[:len(rest)-1]
		for n := len(s.chain) - 1; n >= 0; n-- {
			rest = append(rest, s.chain[n])
		}
		// The angle at a has changed: check it again.
		if len(into)-first > 1 {
			into, rest = into[:len(into)-1], append(rest, a)
		}
	}
	s.rest = rest
	for n := len(rest) - 1; n >= 0; n-- {
		into = append(into, rest[n])
	}
	return into
}

// cornersAround appends to chain the inner vertices of the shortest path from a to c
// on the side of b within the triangle a, b, c, whose legs a-b and b-c are free.
func (f *Field) cornersAround(chain []Half, a, b, c Half) []Half {
	turn := crossOf(a, b, c)
	if turn == 0 {
		return chain // b lies on the line a-c, or the path doubles back
	}
	first := len(chain)
	// Scan the lattice rows of corners between the lowest and the highest point.
	low, high := min(a.Y, b.Y, c.Y), max(a.Y, b.Y, c.Y)
	for y := low + low&1; y <= high; y += 2 {
		left, right := rowOf(a, b, c, y)
		if from, to, ok := f.cornersInRow(y/2, left, right); ok {
			chain = append(chain, Half{2 * from, y})
			if to != from {
				chain = append(chain, Half{2 * to, y})
			}
		}
	}
	return append(chain[:first], convexChain(chain[first:], a, c, turn)...)
}

// rowOf returns the first and the last corner column, x/2, at height y inside
// the triangle.
func rowOf(a, b, c Half, y int) (left, right int) {
	lowest, highest := math.MaxInt, math.MinInt
	for _, edge := range [3][2]Half{{a, b}, {b, c}, {c, a}} {
		p, q := edge[0], edge[1]
		if p.Y > q.Y {
			p, q = q, p
		}
		if y < p.Y || y > q.Y || p.Y == q.Y { // the other two edges contain the ends of a horizontal one
			continue
		}
		// x = p.X + (q.X-p.X)(y-p.Y)/(q.Y-p.Y), in columns of two halves.
		den := 2 * (q.Y - p.Y)
		num := p.X*(q.Y-p.Y) + (q.X-p.X)*(y-p.Y)
		lowest = min(lowest, ceilDiv(num, den))
		highest = max(highest, floorDiv(num, den))
	}
	return lowest, highest
}

// cornersInRow returns the first and the last column in [left, right] of the
// lattice row between cell rows j-1 and j at which an obstacle has a corner or
// an edge.
func (f *Field) cornersInRow(j, left, right int) (first, last int, ok bool) {
	left, right = max(left, 0), min(right, f.Width)
	if left > right {
		return 0, 0, false
	}
	stride := f.rows.stride
	below, above := f.rows.words[j*stride:(j+1)*stride], f.rows.words[(j+1)*stride:(j+2)*stride]
	first = -1
	for k := (left + 64) >> 6; k <= (right+64)>>6; k++ {
		free := below[k] & above[k]
		solid := ^free | ^(free<<1 | below[k-1]&above[k-1]>>63)
		if low := left + 64 - k<<6; low > 0 {
			solid &= ^uint64(0) << low
		}
		if high := right + 64 - k<<6; high < 63 {
			solid &= 1<<(high+1) - 1
		}
		if solid == 0 {
			continue
		}
		if first < 0 {
			first = k<<6 + bits.TrailingZeros64(solid) - 64
		}
		last = k<<6 + 63 - bits.LeadingZeros64(solid) - 64
	}
	return first, last, first >= 0
}

// convexChain returns, in place, the inner vertices of the convex chain from a to c
// over points. It ignores points that are not on the side of turn.
func convexChain(points []Half, a, c Half, turn int) []Half {
	// Sorted along a-c, the points form one half of Andrew's monotone chain.
	d := Half{c.X - a.X, c.Y - a.Y}
	along := func(p Half) int { return (p.X-a.X)*d.X + (p.Y-a.Y)*d.Y }
	slices.SortFunc(points, func(p, q Half) int { return along(p) - along(q) })
	size := 0
	at := func(n int) Half {
		if n < 0 {
			return a
		}
		return points[n]
	}
	drop := func(next Half) {
		for size > 0 && sameSide(crossOf(at(size-2), at(size-1), next), turn) <= 0 {
			size--
		}
	}
	for _, p := range points {
		if sameSide(crossOf(a, p, c), turn) <= 0 {
			continue
		}
		drop(p)
		points[size] = p
		size++
	}
	drop(c)
	return points[:size]
}

func sameSide(v, turn int) int {
	if turn < 0 {
		return -v
	}
	return v
}

// crossOf is positive when a, b, c turn left.
func crossOf(a, b, c Half) int { return (b.X-a.X)*(c.Y-b.Y) - (b.Y-a.Y)*(c.X-b.X) }

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func ceilDiv(a, b int) int { return -floorDiv(-a, b) }
