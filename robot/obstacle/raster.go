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
	maxPoints = 4096                                  // far more than a lidar sees within the window
	minScans  = 3                                     // in a row that make a point sure if only one beam of each shows it
)

// kind is the sensor that a point comes from, which determines how the layer forgets it.
type kind uint8

const (
	scanned kind = iota // from a lidar: dropped when beams look through it
	moving              // likewise, on a moving obstacle
	heard               // on the arc of a sonar's echo: dropped when a sonar hears something behind it
	felt                // from the bumper: dropped only after its lifetime
	kinds
)

// lives is how long the layer remembers a point of each kind out of sight.
var lives = [kinds]time.Duration{
	scanned: limits.ObstacleLife, moving: limits.ObstacleMoved,
	heard: limits.ObstacleLife, felt: limits.ObstacleFelt,
}

// point is a point of an obstacle.
type point struct {
	at     robot.Point // in odom
	seen   time.Time
	kind   kind
	sure   bool    // two beams or minScans scans show it: at edges a lidar reports single points where nothing is
	scans  int     // successive scans that show it, while it is not sure
	mapped bool    // the map explains it
	doubts int     // the point is dropped at goneBy
	sonar  int     // index of the sonar that heard it
	from   float64 // m, distance from that sonar
}

// How many doubts an observation adds to a point.
const (
	goneBy  = 6 // the point is dropped
	through = 3 // a beam looks through it
	silent  = 1 // a sonar hears nothing there, as with a smooth wall at a slant
)

// counts reports whether the point belongs to a standing obstacle.
func (p *point) counts() bool { return p.sure && p.kind != moving }

// raster holds at most one point per cell of odom. The window moves with the robot over a
// periodic raster, so that nothing is copied.
type raster struct {
	points []point
	cells  [side * side]uint16 // 1 + index of the point there; 0 = none
	middle robot.Point         // centre of the window, in odom
}

// cellOf returns the cell of a point in odom, counted from odom's origin.
func cellOf(p robot.Point) (i, j int) {
	return int(math.Floor(p.X / cell)), int(math.Floor(p.Y / cell))
}

// slotOf returns the index of a cell in the raster.
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

// covers reports whether a point in odom lies in the window. The margin of one cell
// prevents two cells with the same slot from both being in it.
func (r *raster) covers(p robot.Point) bool {
	const half = limits.ObstacleWindow - cell
	return math.Abs(p.X-r.middle.X) < half && math.Abs(p.Y-r.middle.Y) < half
}

// put adds a point, or replaces the one in its cell. A point next to a sure one of an earlier
// scan is sure, and so is one that minScans scans in a row show about there: at an edge a lidar
// seldom reports the same wrong place so often.
func (r *raster) put(p point) {
	if !r.covers(p.at) {
		return
	}
	i, j := cellOf(p.at)
	if !p.sure {
		p.scans = 1 + r.scansNear(i, j, p.seen)
		p.sure = p.scans >= minScans
	}
	slot := slotOf(i, j)
	if n := r.cells[slot]; n > 0 {
		old := &r.points[n-1]
		if old.kind == felt && p.kind != felt || p.kind == heard && old.kind < heard {
			return // the older point is better
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

// scansNear returns how many successive scans before now have shown a point in or next to a
// cell.
func (r *raster) scansNear(i, j int, now time.Time) int {
	scans := 0
	for dj := -1; dj <= 1; dj++ {
		for di := -1; di <= 1; di++ {
			n := r.cells[slotOf(i+di, j+dj)]
			if n == 0 || !r.points[n-1].seen.Before(now) {
				continue
			}
			p := &r.points[n-1]
			if p.sure {
				return minScans
			}
			scans = max(scans, p.scans)
		}
	}
	return scans
}

// drop removes the points for which gone returns true; their order does not matter.
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
