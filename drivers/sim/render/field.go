package render

import (
	"math"

	"mybot/robot"
)

// A field is a smooth function on the floor plan, such as the amount of light, on a
// grid with interpolation.
type field struct {
	origin robot.Point // of its first grid point, in map
	size   float64     // m between grid points
	nx, ny int
	values []float32
}

// newField returns a constant field over the rectangle, in steps of size m, or
// larger ones on a very large floor.
func newField(low, high robot.Point, size, value float64) *field {
	const most = 1 << 20
	size = max(size, math.Sqrt((high.X-low.X)*(high.Y-low.Y)/most))
	f := &field{origin: low, size: size, nx: int((high.X-low.X)/size) + 2, ny: int((high.Y-low.Y)/size) + 2}
	f.values = make([]float32, f.nx*f.ny)
	for i := range f.values {
		f.values[i] = float32(value)
	}
	return f
}

// at returns the value at a point in map; beyond the border that at the border.
func (f *field) at(x, y float64) float64 {
	u := max(0, min(float64(f.nx-1), (x-f.origin.X)/f.size))
	v := max(0, min(float64(f.ny-1), (y-f.origin.Y)/f.size))
	i, j := min(int(u), f.nx-2), min(int(v), f.ny-2)
	fu, fv := float32(u-float64(i)), float32(v-float64(j))
	k := j*f.nx + i
	a, b, c, d := f.values[k], f.values[k+1], f.values[k+f.nx], f.values[k+f.nx+1]
	low, high := a+fu*(b-a), c+fu*(d-c)
	return float64(low + fv*(high-low))
}

// changeAround replaces the value at each grid point within d metres of the segment
// by the result of to.
func (f *field) changeAround(a, b robot.Point, d float64, to func(p robot.Point, away, value float64) float64) {
	bin := func(v float64, n int) int { return int(max(0, min(float64(n-1), v))) }
	i0, i1 := bin((min(a.X, b.X)-d-f.origin.X)/f.size, f.nx), bin((max(a.X, b.X)+d-f.origin.X)/f.size+1, f.nx)
	j0, j1 := bin((min(a.Y, b.Y)-d-f.origin.Y)/f.size, f.ny), bin((max(a.Y, b.Y)+d-f.origin.Y)/f.size+1, f.ny)
	for j := j0; j <= j1; j++ {
		for i := i0; i <= i1; i++ {
			p := f.origin.Add(robot.Point{X: float64(i) * f.size, Y: float64(j) * f.size})
			if away := (robot.Segment{A: a, B: b}).Distance(p); away < d {
				k := j*f.nx + i
				f.values[k] = float32(to(p, away, float64(f.values[k])))
			}
		}
	}
}
