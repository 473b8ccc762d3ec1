package mapping

import (
	"math"
	"slices"
)

// A vector3 is x, y and theta of one node.
type vector3 [3]float64

// A matrix3 is a block of 3 by 3, row by row.
type matrix3 [9]float64

// factorize replaces a symmetric block by the lower triangle L of L L'. It returns
// false if the block is not positive definite.
func (a *matrix3) factorize() bool {
	for j := range 3 {
		for k := range j {
			a[4*j] -= a[3*j+k] * a[3*j+k]
		}
		if !(a[4*j] > 0) {
			return false
		}
		a[4*j] = math.Sqrt(a[4*j])
		for i := j + 1; i < 3; i++ {
			for k := range j {
				a[3*i+j] -= a[3*i+k] * a[3*j+k]
			}
			a[3*i+j] /= a[4*j]
		}
	}
	a[1], a[2], a[5] = 0, 0, 0
	return true
}

// solveLower returns the x of L x = b.
func (a *matrix3) solveLower(b vector3) vector3 {
	b[0] /= a[0]
	b[1] = (b[1] - a[3]*b[0]) / a[4]
	b[2] = (b[2] - a[6]*b[0] - a[7]*b[1]) / a[8]
	return b
}

// solveUpper returns the x of L' x = b.
func (a *matrix3) solveUpper(b vector3) vector3 {
	b[2] /= a[8]
	b[1] = (b[1] - a[7]*b[2]) / a[4]
	b[0] = (b[0] - a[3]*b[1] - a[6]*b[2]) / a[0]
	return b
}

// An elimination is the order in which the nodes of a graph are eliminated, and the
// non-zero blocks of the factor. The order is approximately that of least degree: a
// node's degree counts as of its last change.
type elimination struct {
	place []int32   // position of each node in the order
	rows  [][]int32 // of each column, the positions below the diagonal, ascending
}

// newElimination orders n nodes with these edges. The same edges give the same
// order.
func newElimination(n int, edges []edge) *elimination {
	near := make([][]int32, n)
	for i := range edges {
		a, b := int32(edges[i].a), int32(edges[i].b)
		near[a], near[b] = append(near[a], b), append(near[b], a)
	}
	var byDegree [][]int32 // nodes to be eliminated; some are outdated
	file := func(i int32) {
		d := len(near[i])
		for len(byDegree) <= d {
			byDegree = append(byDegree, nil)
		}
		byDegree[d] = append(byDegree[d], i)
	}
	for i := range near {
		slices.Sort(near[i])
		near[i] = slices.Compact(near[i])
		file(int32(i))
	}
	e := &elimination{place: make([]int32, n), rows: make([][]int32, 0, n)}
	gone := make([]bool, n)
	var merged []int32
	for d := 0; len(e.rows) < n; {
		if len(byDegree[d]) == 0 {
			d++
			continue
		}
		last := len(byDegree[d]) - 1
		i := byDegree[d][last]
		byDegree[d] = byDegree[d][:last]
		if gone[i] || len(near[i]) != d {
			continue
		}
		gone[i] = true
		e.place[i] = int32(len(e.rows))
		e.rows = append(e.rows, near[i])
		for _, a := range near[i] {
			merged = mergeNeighbours(merged[:0], near[a], near[i], a, i)
			near[a] = append(near[a][:0], merged...)
			file(a)
			d = min(d, len(near[a]))
		}
	}
	for _, rows := range e.rows {
		for i, node := range rows {
			rows[i] = e.place[node]
		}
		slices.Sort(rows)
	}
	return e
}

// mergeNeighbours appends the union of two ascending lists, without two given
// nodes.
func mergeNeighbours(to, p, q []int32, without, and int32) []int32 {
	for len(p) > 0 || len(q) > 0 {
		var v int32
		switch {
		case len(q) == 0 || len(p) > 0 && p[0] < q[0]:
			v, p = p[0], p[1:]
		case len(p) == 0 || q[0] < p[0]:
			v, q = q[0], q[1:]
		default:
			v, p, q = p[0], p[1:], q[1:]
		}
		if v != without && v != and {
			to = append(to, v)
		}
	}
	return to
}

// A column of a blockMatrix is its diagonal block and the non-zero blocks below.
type column struct {
	diagonal matrix3
	rows     []int32
	below    []matrix3
}

// A blockMatrix is the lower triangle of a sparse symmetric matrix of 3 by 3
// blocks.
type blockMatrix struct{ columns []column }

func (e *elimination) newMatrix() *blockMatrix {
	m := &blockMatrix{make([]column, len(e.rows))}
	total := 0
	for _, rows := range e.rows {
		total += len(rows)
	}
	blocks := make([]matrix3, total)
	for k, rows := range e.rows {
		m.columns[k] = column{rows: rows, below: blocks[:len(rows):len(rows)]}
		blocks = blocks[len(rows):]
	}
	return m
}

// block returns the block at a row and a column, row >= col.
func (m *blockMatrix) block(row, col int32) *matrix3 {
	c := &m.columns[col]
	if row == col {
		return &c.diagonal
	}
	i, _ := slices.BinarySearch(c.rows, row)
	return &c.below[i]
}

// addProduct adds left' W right to a block, with W diagonal.
func (a *matrix3) addProduct(left, right *matrix3, w *vector3) {
	for k := range 3 {
		for i := range 3 {
			x := left[3*k+i] * w[k]
			for j := range 3 {
				a[3*i+j] += x * right[3*k+j]
			}
		}
	}
}

// factorize replaces the matrix by the L of L L'. It returns false if the matrix is
// not positive definite.
func (m *blockMatrix) factorize() bool {
	for k := range m.columns {
		c := &m.columns[k]
		if !c.diagonal.factorize() {
			return false
		}
		for i := range c.below {
			b := &c.below[i]
			for r := range 3 {
				x := c.diagonal.solveLower(vector3{b[3*r], b[3*r+1], b[3*r+2]})
				b[3*r], b[3*r+1], b[3*r+2] = x[0], x[1], x[2]
			}
		}
		for j := range c.below {
			y := &c.below[j]
			target := &m.columns[c.rows[j]]
			subtractProduct(&target.diagonal, y, y)
			at := 0 // both lists ascend, and the target contains every row of c below its own
			for i := j + 1; i < len(c.below); i++ {
				for target.rows[at] != c.rows[i] {
					at++
				}
				subtractProduct(&target.below[at], &c.below[i], y)
			}
		}
	}
	return true
}

// subtractProduct subtracts x y' from b.
func subtractProduct(b, x, y *matrix3) {
	for r := 0; r < 9; r += 3 {
		x0, x1, x2 := x[r], x[r+1], x[r+2]
		b[r] -= x0*y[0] + x1*y[1] + x2*y[2]
		b[r+1] -= x0*y[3] + x1*y[4] + x2*y[5]
		b[r+2] -= x0*y[6] + x1*y[7] + x2*y[8]
	}
}

// solve replaces b by the x of L L' x = b, after factorize.
func (m *blockMatrix) solve(b []vector3) {
	for k := range m.columns {
		c := &m.columns[k]
		b[k] = c.diagonal.solveLower(b[k])
		x := b[k]
		for i, r := range c.rows {
			l := &c.below[i]
			for j := range 3 {
				b[r][j] -= l[3*j]*x[0] + l[3*j+1]*x[1] + l[3*j+2]*x[2]
			}
		}
	}
	for k := len(m.columns) - 1; k >= 0; k-- {
		c := &m.columns[k]
		for i, r := range c.rows {
			l, x := &c.below[i], &b[r]
			for j := range 3 {
				b[k][j] -= l[j]*x[0] + l[3+j]*x[1] + l[6+j]*x[2]
			}
		}
		b[k] = c.diagonal.solveUpper(b[k])
	}
}
