package mapping

import (
	"math"

	"mybot/robot"
)

const (
	minOccupied  = 0.25 // share of hits among hits and passes above which a cell is occupied
	minHitFrames = 2    // key frames that must have hit it, because something seen only once was passing by
	drawnMargin  = 4    // cells of unknown floor around the drawn floor
)

// An Occupancy counts how often each cell was hit and passed by beams, once per key
// frame.
type Occupancy struct {
	x0, y0        int // cell of the lower left corner, in map
	width, height int
	size          float64 // m a cell
	hits, passes  []uint16
	seen          []uint8 // the state of each cell for the key frame being added
	touched       []int32 // cells with a state
	visited       []robot.Point
}

// The state of a cell for one key frame.
const (
	notSeen uint8 = iota
	passed
	hit
)

// Draw returns the occupancy of the whole map, with cells of size m, or larger by a
// power of two if it would have more than maxCells cells.
func (m *Mapper) Draw(size float64, maxCells int) *Occupancy {
	return m.Result().Draw(robot.Pose{}, size, maxCells)
}

// newOccupancy returns an empty occupancy as large as the map.
func (r *Result) newOccupancy(size float64) *Occupancy {
	low, high := robot.Point{}, robot.Point{}
	extend := func(p robot.Point) {
		low = robot.Point{X: math.Min(low.X, p.X), Y: math.Min(low.Y, p.Y)}
		high = robot.Point{X: math.Max(high.X, p.X), Y: math.Max(high.Y, p.Y)}
	}
	for i, at := range r.poses {
		extend(at.Point())
		for _, e := range r.frames[i].echoes {
			extend(at.Apply(e.point()))
		}
	}
	o := &Occupancy{size: size, x0: int(math.Floor(low.X/size)) - drawnMargin, y0: int(math.Floor(low.Y/size)) - drawnMargin}
	o.width = int(math.Floor(high.X/size)) + drawnMargin + 1 - o.x0
	o.height = int(math.Floor(high.Y/size)) + drawnMargin + 1 - o.y0
	return o
}

// addFrame counts the hits and passes of a key frame at a pose in map.
func (o *Occupancy) addFrame(f *frame, at robot.Pose) {
	origin := at.Apply(f.origin)
	o.visited = append(o.visited, origin)
	for _, e := range f.passes {
		end := at.Apply(e.point())
		o.traceBeam(origin, end)
		o.markCell(o.cell(end.X)-o.x0, o.cell(end.Y)-o.y0, passed)
	}
	for _, e := range f.echoes {
		end := at.Apply(e.point())
		o.traceBeam(origin, end)
		o.markCell(o.cell(end.X)-o.x0, o.cell(end.Y)-o.y0, hit)
	}
	for _, k := range o.touched {
		if count := &o.passes[k]; o.seen[k] == passed && *count < math.MaxUint16 {
			*count++
		}
		if count := &o.hits[k]; o.seen[k] == hit && *count < math.MaxUint16 {
			*count++
		}
		o.seen[k] = notSeen
	}
	o.touched = o.touched[:0]
}

func (o *Occupancy) cell(v float64) int { return int(math.Floor(v / o.size)) }

// markCell sets the state of a cell; a hit overrides a pass.
func (o *Occupancy) markCell(x, y int, what uint8) {
	if uint(x) >= uint(o.width) || uint(y) >= uint(o.height) {
		return
	}
	k := y*o.width + x
	if o.seen[k] == notSeen {
		o.touched = append(o.touched, int32(k))
	}
	o.seen[k] = max(o.seen[k], what)
}

// traceBeam marks the cells from a to b, excluding that of b, as passed: every cell
// that the line crosses (Amanatides and Woo 1987).
func (o *Occupancy) traceBeam(a, b robot.Point) {
	x, y := o.cell(a.X), o.cell(a.Y)
	ex, ey := o.cell(b.X), o.cell(b.Y)
	stepX, nextX, everyX := lineCrossings(a.X/o.size, b.X/o.size)
	stepY, nextY, everyY := lineCrossings(a.Y/o.size, b.Y/o.size)
	for n := max(x-ex, ex-x) + max(y-ey, ey-y); n > 0; n-- {
		o.markCell(x-o.x0, y-o.y0, passed)
		if nextX < nextY {
			x, nextX = x+stepX, nextX+everyX
		} else {
			y, nextY = y+stepY, nextY+everyY
		}
	}
}

// lineCrossings returns, along one axis in cells, the direction of a line from a to b,
// the share of the line at which it first enters another cell, and the share
// between further entries.
func lineCrossings(a, b float64) (step int, next, every float64) {
	switch d := b - a; {
	case d > 0:
		return 1, (math.Floor(a) + 1 - a) / d, 1 / d
	case d < 0:
		return -1, (a - math.Floor(a)) / -d, -1 / d
	default:
		return 0, math.Inf(1), math.Inf(1)
	}
}

// Grid returns the map: a cell is occupied if more than a quarter of the key frames
// that saw it hit it, and at least two did; free if more passed it than hit it, and
// free cells connect it to a place where the lidar was. The map is cropped to known
// cells.
func (o *Occupancy) Grid() robot.Grid {
	cells := make([]robot.Cell, len(o.hits))
	for k := range cells {
		cells[k] = o.judgeCell(k)
	}
	o.keepReached(cells)
	ax, ay, bx, by := o.width, o.height, -1, -1
	for k, c := range cells {
		if c != robot.Unknown {
			x, y := k%o.width, k/o.width
			ax, ay, bx, by = min(ax, x), min(ay, y), max(bx, x), max(by, y)
		}
	}
	if bx < 0 { // nothing is known
		ax, ay, bx, by = 0, 0, 0, 0
	}
	ax, ay = max(0, ax-drawnMargin), max(0, ay-drawnMargin)
	bx, by = min(o.width-1, bx+drawnMargin), min(o.height-1, by+drawnMargin)
	g := robot.Grid{
		Width: bx - ax + 1, Height: by - ay + 1, Resolution: o.size,
		Origin: robot.Point{X: float64(o.x0+ax) * o.size, Y: float64(o.y0+ay) * o.size},
	}
	for y := ay; y <= by; y++ {
		g.Cells = append(g.Cells, cells[y*o.width+ax:][:g.Width]...)
	}
	return g
}

// judgeCell returns the state of a cell by its counts alone.
func (o *Occupancy) judgeCell(k int) robot.Cell {
	hits, passes := float64(o.hits[k]), float64(o.passes[k])
	switch isWall := hits > minOccupied*(hits+passes); {
	case isWall && o.hits[k] >= minHitFrames:
		return robot.Occupied
	case passes > hits:
		return robot.Free
	}
	return robot.Unknown
}

// keepReached makes free cells unknown unless free cells connect them to a place
// where the lidar was: they were seen through windows and in mirrors.
func (o *Occupancy) keepReached(cells []robot.Cell) {
	reached := make([]bool, len(cells))
	var next []int
	visit := func(x, y int) {
		if uint(x) >= uint(o.width) || uint(y) >= uint(o.height) {
			return
		}
		if k := y*o.width + x; cells[k] == robot.Free && !reached[k] {
			reached[k] = true
			next = append(next, k)
		}
	}
	for _, p := range o.visited {
		visit(o.cell(p.X)-o.x0, o.cell(p.Y)-o.y0)
	}
	for len(next) > 0 {
		k := next[len(next)-1]
		next = next[:len(next)-1]
		x, y := k%o.width, k/o.width
		visit(x+1, y)
		visit(x-1, y)
		visit(x, y+1)
		visit(x, y-1)
	}
	for k, c := range cells {
		if c == robot.Free && !reached[k] {
			cells[k] = robot.Unknown
		}
	}
}
