// Package match finds the pose at which a scan fits the known points of a floor best, by
// a likelihood field, branch and bound over it, and Gauss-Newton. It is pure. Points are
// in m in base_link; poses are of base_link in the frame of the field.
package match

import (
	"math"

	"mybot/robot"
)

// Full is the value of a field at a known point.
const Full = 255

// A Field is a likelihood field (Thrun, Burgard, Fox 2005, section 6.4). Each cell holds
// exp(-d2 / 2 sigma2) as a byte from 0 to Full, where d is the exact distance from the
// cell's middle to the nearest known point; beyond reach sigmas the value is 0. The field
// grows as points are added. Only one goroutine may use it.
type Field struct {
	resolution, sigma float64
	left, low         int // cell of the lower left corner, counted from the origin of the frame
	width, height     int // cells
	cells             []uint8
	maxima            [][]uint8     // by level k: for each cell, the maximum of the 2^k by 2^k cells from it to the right and up
	kernel            [kernel]uint8 // by squared distance, in equal steps up to (reach sigma)2
}

const (
	reach  = 3.0  // sigmas from a point beyond which the value is 0
	kernel = 1024 // steps of the squared distance
	margin = 40   // cells that a field adds in reserve when it grows
)

// NewField returns an empty field. resolution is the side of a cell and sigma the
// standard deviation of a point, both in m.
func NewField(resolution, sigma float64) *Field {
	f := &Field{resolution: resolution, sigma: sigma}
	for i := range f.kernel {
		f.kernel[i] = uint8(math.Round(Full * math.Exp(-reach*reach/2*float64(i)/kernel)))
	}
	return f
}

// Size returns how many cells the field has.
func (f *Field) Size() (width, height int) { return f.width, f.height }

// Cell returns the column and row of the cell at p, which may lie outside the field.
func (f *Field) Cell(p robot.Point) (x, y int) {
	return f.cellOf(p.X) - f.left, f.cellOf(p.Y) - f.low
}

// Middle returns the middle of a cell.
func (f *Field) Middle(x, y int) robot.Point {
	return robot.Point{X: (float64(x+f.left) + 0.5) * f.resolution, Y: (float64(y+f.low) + 0.5) * f.resolution}
}

// Value returns the value of a cell; 0 outside.
func (f *Field) Value(x, y int) uint8 {
	if uint(x) >= uint(f.width) || uint(y) >= uint(f.height) {
		return 0
	}
	return f.cells[y*f.width+x]
}

func (f *Field) cellOf(v float64) int { return int(math.Floor(v / f.resolution)) }

// Reserve makes room for points between two corners.
func (f *Field) Reserve(low, high robot.Point) {
	f.reserveCells(f.cellOf(low.X), f.cellOf(low.Y), f.cellOf(high.X), f.cellOf(high.Y), 0)
}

// reserveCells makes the field contain the cells from (x0, y0) to (x1, y1). If it has to
// grow, it adds a border of more cells.
func (f *Field) reserveCells(x0, y0, x1, y1, more int) {
	if f.width > 0 && x0 >= f.left && y0 >= f.low && x1 < f.left+f.width && y1 < f.low+f.height {
		return
	}
	left, low, right, top := x0-more, y0-more, x1+more+1, y1+more+1
	if f.width > 0 {
		left, low = min(left, f.left), min(low, f.low)
		right, top = max(right, f.left+f.width), max(top, f.low+f.height)
	}
	cells := make([]uint8, (right-left)*(top-low))
	for y := range f.height {
		copy(cells[(y+f.low-low)*(right-left)+f.left-left:], f.cells[y*f.width:(y+1)*f.width])
	}
	f.left, f.low, f.width, f.height, f.cells, f.maxima = left, low, right-left, top-low, cells, nil
}

// Add adds points that were measured from the pose at. It ignores points that are not
// finite.
func (f *Field) Add(at robot.Pose, points []robot.Point) {
	far := reach * f.sigma
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	sin, cos := math.Sincos(at.Theta)
	for _, p := range points {
		if x, y := at.X+cos*p.X-sin*p.Y, at.Y+sin*p.X+cos*p.Y; robot.Finite(x, y) {
			x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
		}
	}
	if x0 > x1 {
		return
	}
	f.reserveCells(f.cellOf(x0-far), f.cellOf(y0-far), f.cellOf(x1+far), f.cellOf(y1+far), margin)
	f.maxima = nil
	for _, p := range points {
		if x, y := at.X+cos*p.X-sin*p.Y, at.Y+sin*p.X+cos*p.Y; robot.Finite(x, y) {
			f.stampPoint(x, y, far)
		}
	}
}

// stampPoint adds one point; the field must already contain its cells.
func (f *Field) stampPoint(x, y, far float64) {
	scale := kernel / (far * far)
	i0, i1 := f.cellOf(x-far)-f.left, f.cellOf(x+far)-f.left
	j0, j1 := f.cellOf(y-far)-f.low, f.cellOf(y+far)-f.low
	for j := j0; j <= j1; j++ {
		dy := (float64(j+f.low)+0.5)*f.resolution - y
		row := f.cells[j*f.width : (j+1)*f.width]
		for i := i0; i <= i1; i++ {
			dx := (float64(i+f.left)+0.5)*f.resolution - x
			if k := int(scale * (dx*dx + dy*dy)); k < kernel {
				row[i] = max(row[i], f.kernel[k])
			}
		}
	}
}

// fillMaxima computes the maxima up to a level.
func (f *Field) fillMaxima(level int) {
	if len(f.maxima) == 0 {
		f.maxima = append(f.maxima, f.cells)
	}
	for k := len(f.maxima); k <= level; k++ {
		was, step := f.maxima[k-1], 1<<(k-1)
		now := make([]uint8, len(was))
		for y := range f.height {
			above := min(y+step, f.height-1)
			for x := range f.width {
				right := min(x+step, f.width-1)
				now[y*f.width+x] = max(was[y*f.width+x], was[y*f.width+right], was[above*f.width+x], was[above*f.width+right])
			}
		}
		f.maxima = append(f.maxima, now)
	}
}

// slopeAt returns the value of the field at a point, 0 to 1, by bilinear interpolation,
// and its gradient in 1/m.
func (f *Field) slopeAt(x, y float64) (value, dx, dy float64) {
	gx, gy := x/f.resolution-0.5-float64(f.left), y/f.resolution-0.5-float64(f.low)
	i, j := int(math.Floor(gx)), int(math.Floor(gy))
	if i < 0 || j < 0 || i+1 >= f.width || j+1 >= f.height {
		return 0, 0, 0
	}
	u, w := gx-float64(i), gy-float64(j)
	at := f.cells[j*f.width+i:]
	a, b, c, d := float64(at[0])/Full, float64(at[1])/Full, float64(at[f.width])/Full, float64(at[f.width+1])/Full
	value = (a*(1-u)+b*u)*(1-w) + (c*(1-u)+d*u)*w
	dx = ((b-a)*(1-w) + (d-c)*w) / f.resolution
	dy = ((c-a)*(1-u) + (d-b)*u) / f.resolution
	return value, dx, dy
}
