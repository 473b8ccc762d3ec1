package obstacle

import (
	"math"

	"mybot/robot"
)

// field is the distance from each place of the window to the nearest standing point. It is
// computed by rows and then by columns, as in Felzenszwalb and Huttenlocher (2012), but
// between the centre of each cell and the nearest point itself rather than between cells.
type field struct {
	low   [2]int               // lower left cell, counted from odom's origin
	far   [side * side]float32 // m from the centre of each cell; not valid if empty
	near  [side * side]uint16  // by cell, 1 + index of the nearest point in its row; 0 = none in the row
	from  [side]float64        // cells, lower envelope of a column: from this height on
	base  [side]robot.Point    // this point is the nearest; X is its squared lateral distance in cells2, Y its height in cells
	empty bool
}

// build computes the field of a raster's points.
func (f *field) build(r *raster) {
	i, j := cellOf(r.middle)
	f.low = [2]int{i - side/2, j - side/2}
	f.empty = true
	var rows [side]bool
	for n := range f.near {
		f.near[n] = 0
	}
	for n := range r.points {
		if p := &r.points[n]; p.counts() {
			i, j := cellOf(p.at)
			i, j = i-f.low[0], j-f.low[1]
			f.near[j*side+i] = uint16(n + 1)
			rows[j], f.empty = true, false
		}
	}
	if f.empty {
		return
	}
	for j, some := range rows {
		if some {
			f.fillRow(f.near[j*side:(j+1)*side], r)
		}
	}
	for i := range side {
		f.fillColumn(i, r, &rows)
	}
}

// fillRow assigns to each cell of a row, which has a point, the point of the row that is nearest
// to its centre.
func (f *field) fillRow(near []uint16, r *raster) {
	// The cell i has the place i+1 here. Beyond both ends there is nothing: a point infinitely
	// far away.
	x := [side + 2]float64{0: math.Inf(-1), side + 1: math.Inf(1)} // cells: position of the point in a cell
	var before [side]int
	last := 0
	for i, n := range near {
		if n != 0 {
			last = i + 1
			x[last] = f.inCells(r.points[n-1].at).X
		}
		before[i] = last
	}
	next := side + 1
	for i := side - 1; i >= 0; i-- {
		switch last := before[i]; {
		case near[i] != 0:
			next = last
		case x[next]+x[last] < float64(2*i+1):
			near[i] = near[next-1]
		default:
			near[i] = near[last-1]
		}
	}
}

// fillColumn computes a column: the lower envelope of the parabolas at the nearest points
// of the rows.
func (f *field) fillColumn(i int, r *raster, rows *[side]bool) {
	x, size := float64(i)+0.5, 0
	for j, some := range rows {
		if !some {
			continue
		}
		at := f.inCells(r.points[f.near[j*side+i]-1].at)
		h := (at.X - x) * (at.X - x)
		start := math.Inf(-1)
		for size > 0 {
			b := f.base[size-1]
			start = (h + at.Y*at.Y - b.X - b.Y*b.Y) / (2 * (at.Y - b.Y))
			if start > f.from[size-1] {
				break
			}
			size--
			start = math.Inf(-1)
		}
		f.base[size], f.from[size] = robot.Point{X: h, Y: at.Y}, start
		size++
	}
	k := 0
	for j := range side {
		y := float64(j) + 0.5
		for k+1 < size && f.from[k+1] < y {
			k++
		}
		off := y - f.base[k].Y
		f.far[j*side+i] = float32(cell * math.Sqrt(f.base[k].X+off*off))
	}
}

// inCells converts a point in odom to cells from the lower left corner of the window.
func (f *field) inCells(p robot.Point) robot.Point {
	return robot.Point{X: p.X/cell - float64(f.low[0]), Y: p.Y/cell - float64(f.low[1])}
}

// at returns the distance from a point in odom to the nearest standing point, in m,
// interpolated between the centres of cells; +Inf outside the window, where nothing is
// known.
func (f *field) at(p robot.Point) float64 {
	q := f.inCells(p)
	x, y := q.X-0.5, q.Y-0.5
	if f.empty || x < 0 || y < 0 || x >= float64(side-1) || y >= float64(side-1) {
		return math.Inf(1)
	}
	i, j := int(x), int(y)
	x, y = x-float64(i), y-float64(j)
	far := f.far[j*side+i:]
	a, b, c, d := float64(far[0]), float64(far[1]), float64(far[side]), float64(far[side+1])
	return (a*(1-x)+b*x)*(1-y) + (c*(1-x)+d*x)*y
}
