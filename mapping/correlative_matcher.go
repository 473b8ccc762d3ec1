package mapping

import (
	"math"

	"mybot/robot"
)

const (
	coarsePoints = 80    // of a scan, for the first raster
	coarseWay    = 2     // cells from pose to pose of the first raster, and
	coarseTurn   = 0.015 // rad
	fineWay      = 1     // cells, and
	fineTurn     = 0.005 // rad, of the second
	offsetCost   = 0.05  // of the fit, at the edge of the window
)

// A window is where a pose is searched for around a guess: at most way m off in x
// and in y, and turn rad in heading.
type window struct{ way, turn float64 }

// matchNear returns the pose that fits points best in a window around a good guess:
// every pose of a coarse raster with some of the points, then every pose near the
// best one with all of them (Olson 2009). To be off the guess costs a little, so that
// in a corridor, which looks the same all along, odometry decides.
func (f *likelihoodField) matchNear(guess robot.Pose, points []robot.Point, w window) robot.Pose {
	best := f.matchRaster(guess, pickPoints(points, coarsePoints), w, coarseWay, coarseTurn)
	return f.matchRaster(best, points, window{coarseWay * cellSize, coarseTurn}, fineWay, fineTurn)
}

// matchRaster tries every pose of a raster: cells and rad from pose to pose.
func (f *likelihoodField) matchRaster(guess robot.Pose, points []robot.Point, w window, cells int, turn float64) robot.Pose {
	if len(points) == 0 {
		return guess
	}
	best, most := guess, math.Inf(-1)
	n, r := int(math.Ceil(w.turn/turn)), int(math.Ceil(w.way/(float64(cells)*cellSize)-1e-9))
	for k := -n; k <= n; k++ {
		off := float64(k) * turn
		t := turnPoints(guess, guess.Theta+off, points)
		for i := -r; i <= r; i++ {
			for j := -r; j <= r; j++ {
				dx, dy := float64(i*cells)*cellSize, float64(j*cells)*cellSize
				s := float64(f.sum(&t, i*cells, j*cells)) / (255 * float64(len(points)))
				s -= offsetCost * ((dx*dx+dy*dy)/(w.way*w.way) + off*off/(w.turn*w.turn))
				if s > most {
					most, best = s, robot.Pose{X: guess.X + dx, Y: guess.Y + dy, Theta: robot.WrapAngle(guess.Theta + off)}
				}
			}
		}
	}
	return best
}
