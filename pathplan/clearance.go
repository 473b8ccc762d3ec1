package pathplan

import (
	"math"
	"slices"

	"mybot/robot"
	"mybot/robot/limits"
)

// A Clearance holds the distance of each cell of a floor from everything that a robot
// must not touch: occupied cells, unknown cells, and the area beyond the map.
type Clearance struct {
	Width, Height int
	Resolution    float64     // m per cell
	Origin        robot.Point // of the corner of cell (0, 0), in map
	far           []uint16    // grains from the middle of each cell to the nearest such cell; 0 inside one
	noted         bool        // far includes obstacles, but only in cells within limits.RouteKeepOff of them
}

// grain is the unit in which clearances are stored, in m. Stored values are rounded
// down and saturate at 16 m.
const grain = 1.0 / 4096

func toGrains(m float64) uint16 { return uint16(max(0, min(math.MaxUint16, m/grain))) }

// NewClearance computes the clearance of a grid by the exact Euclidean distance
// transform of Felzenszwalb and Huttenlocher (2012), measured to the edges of cells
// rather than to their middles.
func NewClearance(g *robot.Grid) *Clearance {
	c := &Clearance{Width: g.Width, Height: g.Height, Resolution: g.Resolution, Origin: g.Origin, far: make([]uint16, len(g.Cells))}
	if len(g.Cells) == 0 {
		return c
	}
	// Along each row: half cells from the middle of a cell to the nearest edge of one
	// that is not free, stored in far for now.
	for j := range g.Height {
		row, far := g.Cells[j*g.Width:(j+1)*g.Width], c.far[j*g.Width:(j+1)*g.Width]
		gap := -1
		for i, state := range row {
			if gap += 2; state != robot.Free {
				gap = -1
			}
			far[i] = uint16(max(0, min(gap, math.MaxUint16)))
		}
		gap = -1
		for i := g.Width - 1; i >= 0; i-- {
			if gap += 2; row[i] != robot.Free {
				gap = -1
			}
			far[i] = min(far[i], uint16(max(0, min(gap, math.MaxUint16))))
		}
	}
	// Along each column: an edge between two rows takes the smaller distance of the
	// two, so the squared distance is the lower envelope of the parabolas at the edges.
	edges := make([]float64, g.Height+1)
	e := envelope{at: make([]int, g.Height+1), from: make([]float64, g.Height+1)}
	for i := range g.Width {
		below := 0.0 // beyond the map nothing is free
		for j := range g.Height {
			here := float64(c.far[j*g.Width+i]) / 2
			edges[j] = min(below, here*here)
			below = here * here
		}
		edges[0], edges[g.Height] = 0, 0
		e.buildFrom(edges)
		k := 0
		for j := range g.Height {
			y := float64(j) + 0.5
			for k+1 < e.size && e.from[k+1] < y {
				k++
			}
			off := y - float64(e.at[k])
			here := float64(c.far[j*g.Width+i]) / 2
			minClearance := min(edges[e.at[k]]+off*off, here*here)
			c.far[j*g.Width+i] = toGrains(math.Sqrt(minClearance) * g.Resolution)
		}
	}
	return c
}

// envelope is the lower envelope of parabolas of equal width.
type envelope struct {
	size int
	at   []int     // the vertex of the n-th parabola
	from []float64 // where the n-th parabola becomes the lowest
}

func (e *envelope) buildFrom(heights []float64) {
	e.size = 0
	for q, h := range heights {
		start := math.Inf(-1)
		for e.size > 0 {
			p := e.at[e.size-1]
			start = (h + float64(q*q) - heights[p] - float64(p*p)) / float64(2*(q-p))
			if start > e.from[e.size-1] {
				break
			}
			e.size--
			start = math.Inf(-1)
		}
		e.at[e.size], e.from[e.size] = q, start
		e.size++
	}
}

// FieldOf returns the field of the cells whose middle has at least the given
// clearance, in m.
func (c *Clearance) FieldOf(minClearance float64) *Field {
	far := minGrains(minClearance)
	return NewField(c.Width, c.Height, func(at Cell) bool { return c.far[at.J*c.Width+at.I] >= far })
}

// minGrains returns the least number of grains of a cell with the given clearance,
// in m.
func minGrains(minClearance float64) uint16 { return uint16(math.Ceil(minClearance/grain - 1)) }

// clone returns an independent copy.
func (c *Clearance) clone() *Clearance {
	own := *c
	own.far = slices.Clone(c.far)
	return &own
}

// cellAt returns the cell that contains a point in map; it may lie off the grid.
func (c *Clearance) cellAt(p robot.Point) Cell {
	return Cell{int(math.Floor((p.X - c.Origin.X) / c.Resolution)), int(math.Floor((p.Y - c.Origin.Y) / c.Resolution))}
}

// pointAt returns a half-cell point in map.
func (c *Clearance) pointAt(h Half) robot.Point {
	return robot.Point{X: c.Origin.X + float64(h.X)/2*c.Resolution, Y: c.Origin.Y + float64(h.Y)/2*c.Resolution}
}

// At returns the clearance of p, in m: the best lower bound from the four cell middles
// around p. It never exceeds the true clearance and falls short of it by at most a
// cell's diagonal; within a cell it is at most half a diagonal less than at the middle.
// Off the grid it is 0.
func (c *Clearance) At(p robot.Point) float64 {
	x, y := (p.X-c.Origin.X)/c.Resolution-0.5, (p.Y-c.Origin.Y)/c.Resolution-0.5
	i, j := int(math.Floor(x)), int(math.Floor(y))
	best := 0.0
	for b := j; b <= j+1; b++ {
		for a := i; a <= i+1; a++ {
			if a < 0 || b < 0 || a >= c.Width || b >= c.Height {
				continue
			}
			dx, dy := x-float64(a), y-float64(b)
			if far := grain * float64(c.far[b*c.Width+a]); far > best {
				best = max(best, far-c.Resolution*math.Sqrt(dx*dx+dy*dy))
			}
		}
	}
	return best
}

// middleOf returns the clearance at the middle of a cell, in m; 0 off the grid.
func (c *Clearance) middleOf(at Cell) float64 {
	if at.I < 0 || at.J < 0 || at.I >= c.Width || at.J >= c.Height {
		return 0
	}
	return grain * float64(c.far[at.J*c.Width+at.I])
}

// DrivableClearance returns the clearance, as given by At, that every point of a path
// must have for a robot that needs hard, in m, at the middles of cells.
func (c *Clearance) DrivableClearance(hard float64) float64 {
	return hard - c.Resolution*math.Sqrt2/2 - grain
}

// gradientAt returns the gradient of the clearance at p, from differences over slope, in
// m, on each side. Its length is 1 beside a wall, less near a ridge, where both sides
// cancel out, and 0 off the grid.
func (c *Clearance) gradientAt(p robot.Point, slope float64) robot.Point {
	return robot.Point{
		X: (c.interpolate(robot.Point{X: p.X + slope, Y: p.Y}) - c.interpolate(robot.Point{X: p.X - slope, Y: p.Y})) / (2 * slope),
		Y: (c.interpolate(robot.Point{X: p.X, Y: p.Y + slope}) - c.interpolate(robot.Point{X: p.X, Y: p.Y - slope})) / (2 * slope),
	}
}

// interpolate returns the bilinear interpolation of the clearance at p, in m; 0 off the
// grid.
func (c *Clearance) interpolate(p robot.Point) float64 {
	x, y := (p.X-c.Origin.X)/c.Resolution-0.5, (p.Y-c.Origin.Y)/c.Resolution-0.5
	i, j := int(math.Floor(x)), int(math.Floor(y))
	if i < 0 || j < 0 || i+1 >= c.Width || j+1 >= c.Height {
		return 0
	}
	x, y = x-float64(i), y-float64(j)
	at := c.far[j*c.Width+i:]
	a, b, d, e := float64(at[0]), float64(at[1]), float64(at[c.Width]), float64(at[c.Width+1])
	return grain * ((a*(1-x)+b*x)*(1-y) + (d*(1-x)+e*x)*y)
}

// IsClear reports whether the leg from a to b keeps at least the given clearance, in m,
// as given by At. Each step is as long as the clearance allows.
func (c *Clearance) IsClear(a, b robot.Point, minClearance float64) bool {
	leg := b.Sub(a)
	length := leg.Norm()
	for s := 0.0; ; {
		f := 1.0
		if s < length {
			f = s / length
		}
		far := c.At(robot.Point{X: a.X + f*leg.X, Y: a.Y + f*leg.Y})
		if far < minClearance-1e-6 {
			return false
		}
		if s >= length {
			return true
		}
		// A step of far - minClearance cannot pass a point below minClearance. The
		// shortest step, a quarter of a cell, can miss at most that much.
		if c.noted {
			far = math.Min(far, limits.RouteKeepOff)
		}
		s = min(length, s+max(far-minClearance, c.Resolution/4))
	}
}
