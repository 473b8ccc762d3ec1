package sketch

import (
	"iter"
	"math"

	"mybot/robot"
)

// Limits of the sides of an empty sheet, in m.
const (
	MinSide = 2.0
	MaxSide = 40.0
)

// A Result is a finished sketch, or an empty sheet on which people draw walls by
// hand. It is immutable, so any goroutine may use it.
type Result struct {
	desc          robot.Description
	pings         []ping
	trail         []robot.Pose // of base_link, in map
	grid          robot.Grid   // in map
	width, height float64      // m, of an empty sheet; 0 = a sketch
}

// NewSheet returns an empty sheet of the given size in m: free floor around the
// robot, with x straight ahead. The error is a sentence for people.
func NewSheet(width, height float64) (*Result, error) {
	isSide := func(v float64) bool { return v >= MinSide && v <= MaxSide } // false for NaN
	if !isSide(width) || !isSide(height) {
		return nil, robot.Refusef("A sheet of %g x %g m cannot be made: each side must be between %g and %g m.", width, height, MinSide, MaxSide)
	}
	return &Result{width: width, height: height, trail: []robot.Pose{{}}}, nil
}

// IsSketch reports whether the result was drawn from sonars.
func (r *Result) IsSketch() bool { return r.width == 0 }

// KeyFrames returns the number of known poses of the robot.
func (r *Result) KeyFrames() int { return len(r.trail) }

// Pose returns pose i of base_link, in map.
func (r *Result) Pose(i int) robot.Pose { return r.trail[i] }

// Echoes yields nothing, because an echo is too imprecise to fit lines to.
func (r *Result) Echoes(int) iter.Seq[robot.Point] {
	return func(func(robot.Point) bool) {}
}

// DrawGrid returns the floor in a frame in which map is frameFromMap, with cells of
// size m, or larger by a power of two if it would have more than maxCells cells. A
// rotated sketch is redrawn from its echoes.
func (r *Result) DrawGrid(frameFromMap robot.Pose, size float64, maxCells int) robot.Grid {
	if !r.IsSketch() {
		return r.drawSheet(frameFromMap, size, maxCells)
	}
	from := r.grid
	if frameFromMap != (robot.Pose{}) {
		turned := newPicture()
		turned.drawAll(r.desc, r.pings, frameFromMap)
		from = turned.toGrid()
	}
	low := from.Origin
	high := low.Add(robot.Point{X: float64(from.Width) * from.Resolution, Y: float64(from.Height) * from.Resolution})
	return sampleGrid(low, high, size, maxCells, from.At)
}

func (r *Result) drawSheet(frameFromMap robot.Pose, size float64, maxCells int) robot.Grid {
	low, high := robot.Point{X: math.Inf(1), Y: math.Inf(1)}, robot.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, corner := range [4][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
		p := frameFromMap.Apply(robot.Point{X: corner[0] * r.width / 2, Y: corner[1] * r.height / 2})
		low = robot.Point{X: math.Min(low.X, p.X), Y: math.Min(low.Y, p.Y)}
		high = robot.Point{X: math.Max(high.X, p.X), Y: math.Max(high.Y, p.Y)}
	}
	mapFromFrame := frameFromMap.Inverse()
	return sampleGrid(low, high, size, maxCells, func(p robot.Point) robot.Cell {
		if p = mapFromFrame.Apply(p); math.Abs(p.X) < r.width/2 && math.Abs(p.Y) < r.height/2 {
			return robot.Free
		}
		return robot.Unknown
	})
}

// sampleGrid returns a grid of the box from low to high, with the values of at for the
// centres of its cells. A margin of one cell is unknown.
func sampleGrid(low, high robot.Point, size float64, maxCells int, at func(robot.Point) robot.Cell) robot.Grid {
	var g robot.Grid
	for {
		i, j := math.Floor(low.X/size)-1, math.Floor(low.Y/size)-1
		g = robot.Grid{
			Width: int(math.Ceil(high.X/size)-i) + 1, Height: int(math.Ceil(high.Y/size)-j) + 1, Resolution: size,
			Origin: robot.Point{X: i * size, Y: j * size},
		}
		if g.Width <= maxCells/g.Height { // the product may be beyond an int
			break
		}
		size *= 2
	}
	g.Cells = make([]robot.Cell, g.Width*g.Height)
	for y := range g.Height {
		for x := range g.Width {
			g.Cells[y*g.Width+x] = at(g.Origin.Add(robot.Point{X: (float64(x) + 0.5) * size, Y: (float64(y) + 0.5) * size}))
		}
	}
	return g
}
