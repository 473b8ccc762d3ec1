package mapping

import (
	"math"

	"mybot/robot"
)

const (
	coarsePoints   = 80    // of a scan, in the first raster
	coarseStep     = 2     // cells between the poses of the first raster,
	coarseTurnStep = 0.015 // rad
	fineStep       = 1     // cells between the poses of the second,
	fineTurnStep   = 0.005 // rad, of the second
	offsetCost     = 0.05  // of the fit, at the edge of the window
	slipCost       = 0.10  // of the fit, if the wheels must have slipped
	usualSlip      = 2.0   // standard deviations of the wheels at which half of slipCost is due
)

// A window is where a pose is searched for around a guess: at most distance m off in x
// and in y, and turn rad in heading.
type window struct{ distance, turn float64 }

// A prior is where a pose is expected, and the cost in fit of being elsewhere.
type prior struct {
	guess  robot.Pose
	window window  // of the search, at whose edge offsetCost is due
	slip   float64 // m from the guess at which half of slipCost is due; 0 = no slip cost
}

// cost returns the cost of a pose that is off the guess by dx, dy m and turn rad.
// The cost of slip saturates, because the amount of slip makes little difference.
// It keeps scans from sliding along a corridor in which the wheels were right.
func (p *prior) cost(dx, dy, turn float64) float64 {
	d2 := dx*dx + dy*dy
	cost := offsetCost * (d2/square(p.window.distance) + square(turn/p.window.turn))
	if p.slip > 0 {
		cost += slipCost * d2 / (d2 + square(p.slip))
	}
	return cost
}

// matchNear returns the pose in the window around a good guess where points fit
// best: it tries every pose of a coarse raster with some of the points, then every
// pose near the best one with all of them (Olson 2009). A pose off the guess costs
// a little, so that odometry decides in a corridor, which looks the same along its
// length.
func (f *likelihoodField) matchNear(p prior, points []robot.Point) robot.Pose {
	best := f.matchRaster(p, p.guess, pickPoints(points, coarsePoints), p.window, coarseStep, coarseTurnStep)
	return f.matchRaster(p, best, points, window{coarseStep * cellSize, coarseTurnStep}, fineStep, fineTurnStep)
}

// matchRaster tries every pose of a raster with the given steps in cells and rad,
// in a window around a pose.
func (f *likelihoodField) matchRaster(p prior, around robot.Pose, points []robot.Point, w window, cells int, turn float64) robot.Pose {
	if len(points) == 0 {
		return around
	}
	best, most := around, math.Inf(-1)
	n, r := int(math.Ceil(w.turn/turn)), int(math.Ceil(w.distance/(float64(cells)*cellSize)-1e-9))
	offX, offY, offTurn := around.X-p.guess.X, around.Y-p.guess.Y, robot.WrapAngle(around.Theta-p.guess.Theta)
	for k := -n; k <= n; k++ {
		off := float64(k) * turn
		t := turnPoints(around, around.Theta+off, points)
		for i := -r; i <= r; i++ {
			for j := -r; j <= r; j++ {
				dx, dy := float64(i*cells)*cellSize, float64(j*cells)*cellSize
				s := float64(f.sum(&t, i*cells, j*cells)) / (255 * float64(len(points)))
				s -= p.cost(offX+dx, offY+dy, offTurn+off)
				if s > most {
					most, best = s, robot.Pose{X: around.X + dx, Y: around.Y + dy, Theta: robot.WrapAngle(around.Theta + off)}
				}
			}
		}
	}
	return best
}
