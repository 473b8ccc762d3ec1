package obstacle

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// The raster.
const (
	cell      = 0.05                                  // m
	side      = int(2 * limits.ObstacleWindow / cell) // cells
	maxPoints = 4096                                  // far more than a lidar shows within the window
)

// kind says which sense a point comes from, and so how it is forgotten.
type kind uint8

const (
	scanned kind = iota // a lidar sees it: gone when beams look through it
	moving              // likewise, of something that moves
	heard               // on the arc of a sonar's echo: gone when a sonar hears what is behind it
	felt                // the bumper touched it: gone after its time only
	kinds
)

// lives is how long a point of each kind is remembered out of sight.
var lives = [kinds]time.Duration{
	scanned: limits.ObstacleLife, moving: limits.ObstacleMoved,
	heard: limits.ObstacleLife, felt: limits.ObstacleFelt,
}

// point is where something is.
type point struct {
	at     robot.Point // in odom
	seen   time.Time
	kind   kind
	sure   bool    // two beams or two scans show it: at edges a lidar tells single points where nothing is
	mapped bool    // something on the map explains it
	doubts int     // gone with enough of them
	sonar  int     // of what was heard: the sonar,
	from   float64 // and from how far, in m
}

// How many doubts speak against a point.
const (
	goneBy  = 6 // it is gone
	through = 3 // a beam looks through it
	silent  = 1 // a sonar hears nothing at all there, which may be a smooth wall at a slant
)

// counts reports whether the point is something that stands there.
func (p *point) counts() bool { return p.sure && p.kind != moving }

// raster keeps one point for each cell of odom at most. The window moves with the robot
// over a raster that repeats itself, so nothing is copied.
type raster struct {
	points []point
	cells  [side * side]uint16 // index of the point there, and one; 0 = none
	middle robot.Point         // of the window, in odom
}

// cellOf returns the cell of a point of odom, counted from odom's origin.
func cellOf(p robot.Point) (i, j int) {
	return int(math.Floor(p.X / cell)), int(math.Floor(p.Y / cell))
}

// slotOf returns where in the raster a cell is.
func slotOf(i, j int) int {
	i, j = i%side, j%side
	if i < 0 {
		i += side
	}
	if j < 0 {
		j += side
	}
	return j*side + i
}

// covers reports whether a point of odom lies in the window. The margin of a cell keeps
// cells that share a slot from both being in it.
func (r *raster) covers(p robot.Point) bool {
	const half = limits.ObstacleWindow - cell
	return math.Abs(p.X-r.middle.X) < half && math.Abs(p.Y-r.middle.Y) < half
}

// put adds a point, or takes it in place of the one in its cell. A point next to one of
// the scan before is sure.
func (r *raster) put(p point) {
	if !r.covers(p.at) {
		return
	}
	i, j := cellOf(p.at)
	if !p.sure {
		p.sure = r.seenNear(i, j, p.seen)
	}
	slot := slotOf(i, j)
	if n := r.cells[slot]; n > 0 {
		old := &r.points[n-1]
		if old.kind == felt && p.kind != felt || p.kind == heard && old.kind < heard {
			return // it is known better already
		}
		p.sure = p.sure || old.sure && p.kind == old.kind
		*old = p
		return
	}
	if len(r.points) == maxPoints {
		return
	}
	r.points = append(r.points, p)
	r.cells[slot] = uint16(len(r.points))
}

// seenNear reports whether an earlier scan has shown something in or next to a cell.
func (r *raster) seenNear(i, j int, now time.Time) bool {
	for dj := -1; dj <= 1; dj++ {
		for di := -1; di <= 1; di++ {
			if n := r.cells[slotOf(i+di, j+dj)]; n > 0 && r.points[n-1].seen.Before(now) {
				return true
			}
		}
	}
	return false
}

// drop forgets the points for which gone is true; their order is of no meaning.
func (r *raster) drop(gone func(*point) bool) {
	for n := 0; n < len(r.points); {
		p := &r.points[n]
		if !gone(p) {
			n++
			continue
		}
		r.cells[slotOf(cellOf(p.at))] = 0
		last := len(r.points) - 1
		if n < last {
			*p = r.points[last]
			r.cells[slotOf(cellOf(p.at))] = uint16(n + 1)
		}
		r.points = r.points[:last]
	}
}
