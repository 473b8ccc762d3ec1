package guard

import (
	"math"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/scan"
)

// What the scans of a lidar mean to the guard.
const (
	leastBin     = 0.25 * math.Pi / 180 // rad: directions of the polar view are at least so wide
	apartInScan  = 0.02                 // m from the point kept before: nearer ones say nothing new
	continues    = 0.10                 // m, and twice the step between beams, within which points belong together
	looksBeyond  = 0.15                 // m behind a point that a beam must reach to look through it
	looksThrough = 2                    // scans that look through a point make it go
	againWithin  = 0.10                 // m of a remembered point: a new point there is the same
	explainedBy  = 0.15                 // m: an echo of a sonar that is nearer than the scan by more is of something that the lidar does not see
)

// scanMemory is one lidar and what it has seen a moment ago. A point goes when later
// scans look through it, or a second after it was seen last. It counts when a
// neighbour in its scan or the scan before shows the same: at edges a lidar tells
// single points where nothing is.
type scanMemory struct {
	origin robot.Point // m, in the axle frame
	bin    float64     // rad, width of a direction
	beam   float64     // rad from beam to beam
	covers []bool      // by direction: the lidar has a beam there that does not see the robot itself
	reach  []float64   // m, by direction in the axle frame at the newest scan: what its beams pass through; NaN = no beam measured
	at     []time.Time // by direction: when the newest scan with a beam there ended
	points []scanPoint
	newest time.Time     // of the reading that brought the newest scan; zero = there was none
	before []scanPoint   // those of the scan before; kept for its space
	seen   []robot.Point // in the axle frame: those that count, as of the newest reading
}

// scanPoint is where a beam has met something.
type scanPoint struct {
	at      robot.Point // in odom, of the guard
	seen    time.Time
	through int  // scans that looked through it
	sure    bool // it counts
}

func newScanMemory(l robot.Lidar, axleOffset float64) scanMemory {
	m := scanMemory{origin: l.Pose.Point().Add(robot.Point{X: axleOffset}), beam: math.Abs(l.Step)}
	n := int(2 * math.Pi / math.Max(leastBin, math.Min(m.beam, math.Pi/4)))
	m.bin = 2 * math.Pi / float64(n)
	m.covers, m.reach, m.at = make([]bool, n), make([]float64, n), make([]time.Time, n)
	for beam := range l.Beams {
		if !l.IsMasked(beam) {
			m.covers[m.directionOf(l.Pose.Theta+l.Bearing(beam))] = true
		}
	}
	for i := range m.reach {
		m.reach[i] = math.NaN()
	}
	return m
}

// directionOf returns the index of the direction that an angle, in rad in the axle
// frame, lies in.
func (m *scanMemory) directionOf(angle float64) int {
	n := len(m.covers)
	i := int(math.Floor(angle/m.bin+0.5)) % n
	if i < 0 {
		i += n
	}
	return i
}

// observeScan takes a scan, when the axle is at odom.
func (m *scanMemory) observeScan(c scan.Cloud, odom robot.Pose, axleOffset float64) {
	for i := range m.reach {
		m.reach[i] = math.NaN()
	}
	m.newest = c.Time
	m.points, m.before = m.before[:0], m.points
	var last, kept robot.Point // in the axle frame
	for i, b := range c.Beams {
		end := b.End.Add(robot.Point{X: axleOffset})
		way := end.Sub(m.origin)
		far := way.Norm()
		d := m.directionOf(math.Atan2(way.Y, way.X))
		if m.at[d] = c.Last; !(m.reach[d] <= far) {
			m.reach[d] = far
		}
		near := continues + 2*m.beam*far
		together := i > 0 && b.Echo && c.Beams[i-1].Echo && end.Sub(last).Norm() <= near
		last = end
		if !b.Echo || end.Norm() >= limits.GuardRange {
			continue
		}
		if n := len(m.points); n > 0 && together {
			step := end.Sub(kept).Norm()
			m.points[n-1].sure = m.points[n-1].sure || step <= near
			if step < apartInScan {
				continue
			}
		}
		kept = end
		m.points = append(m.points, scanPoint{at: odom.Apply(end), seen: c.Time, sure: together})
	}
	m.confirmPoints()
	m.rememberPoints(c.Time, odom)
}

// confirmPoints makes those points count that the scan before has shown as well.
func (m *scanMemory) confirmPoints() {
	for i := range m.points {
		if p := &m.points[i]; !p.sure {
			for k := range m.before {
				if m.before[k].at.Sub(p.at).Norm() <= continues {
					p.sure = true
					break
				}
			}
		}
	}
}

// rememberPoints keeps of the points from before those that the newest scan neither shows
// again nor looks through.
func (m *scanMemory) rememberPoints(now time.Time, odom robot.Pose) {
	fromOdom := odom.Inverse()
	for _, p := range m.before {
		if p.sure && !m.replacesPoint(&p, fromOdom) && now.Sub(p.seen) <= limits.ScanPointLife {
			m.points = append(m.points, p)
		}
	}
}

// replacesPoint reports whether a point from before is of no use after the newest scan: it
// shows the point again, or is the second one that looks through it.
func (m *scanMemory) replacesPoint(p *scanPoint, fromOdom robot.Pose) bool {
	at, n := fromOdom.Apply(p.at).Sub(m.origin), len(m.reach)
	d, far := m.directionOf(math.Atan2(at.Y, at.X)), at.Norm()
	again, through := false, true
	for _, k := range [3]int{(d + n - 1) % n, d, (d + 1) % n} {
		r := m.reach[k]
		again = again || math.Abs(r-far) <= againWithin
		through = through && r > far+looksBeyond
	}
	if through {
		p.through++
	}
	return again || p.through >= looksThrough
}

// placePoints fills seen with the points that count when the axle is at odom. A point
// within the body is of the robot itself: the mask does not tell of it.
func (m *scanMemory) placePoints(now time.Time, odom robot.Pose, body *Footprint) {
	m.seen = m.seen[:0]
	fromOdom := odom.Inverse()
	for _, p := range m.points {
		if p.sure && now.Sub(p.seen) <= limits.ScanPointLife {
			at := fromOdom.Apply(p.at)
			if _, depth := body.separatingEdge(at); depth >= -inside && at.Norm() < limits.GuardRange {
				m.seen = append(m.seen, at)
			}
		}
	}
}

// isFresh reports whether the lidar looks to a point of the axle frame and has
// measured in that direction a moment ago.
func (m *scanMemory) isFresh(p robot.Point, now time.Time) bool {
	way := p.Sub(m.origin)
	return m.isFreshToward(math.Atan2(way.Y, way.X), now)
}

// isFreshToward reports the same of an angle in rad in the axle frame.
func (m *scanMemory) isFreshToward(angle float64, now time.Time) bool {
	d := m.directionOf(angle)
	return m.covers[d] && now.Sub(m.at[d]) <= limits.BlindLidarAfter
}

// isBlindToward reports whether the lidar measures nothing in a wide part of the
// directions, of those that it covers, around an angle in rad in the axle frame.
func (m *scanMemory) isBlindToward(angle float64, now time.Time) bool {
	run := 0.0
	for a := -limits.BlindSonarAngle; a <= limits.BlindSonarAngle; a += m.bin {
		d := m.directionOf(angle + a)
		if run += m.bin; !m.covers[d] || now.Sub(m.at[d]) <= limits.BlindLidarAfter {
			run = 0
		}
		if run >= limits.BlindLidarGap {
			return true
		}
	}
	return false
}

// observeScans takes the scans of a reading and places what the lidars remember
// around the axle.
func (g *Guard) observeScans(clouds []scan.Cloud) {
	for _, c := range clouds {
		g.lidars[c.Lidar].observeScan(c, g.odom, g.desc.Drivetrain.AxleOffset)
	}
	for i := range g.lidars {
		g.lidars[i].placePoints(g.now, g.odom, &g.body)
	}
}

// LooksByLidar reports whether a lidar looks to a point of the axle frame and has
// measured in that direction a moment ago.
func (g *Guard) LooksByLidar(at robot.Point) bool {
	for i := range g.lidars {
		if g.lidars[i].isFresh(at, g.now) {
			return true
		}
	}
	return false
}

// SeesByLidar reports whether the lidars together have measured a moment ago in all
// directions into which a motion leads, but for narrow gaps between them. Where no lidar
// looks, none sees.
func (g *Guard) SeesByLidar(t robot.Twist) bool {
	ahead := 0.0
	if t.Linear < 0 {
		ahead = math.Pi
	}
	gap := 0.0
	for a := -limits.BlindSonarAngle; a <= limits.BlindSonarAngle; a += leastBin {
		if gap += leastBin; slices.ContainsFunc(g.lidars, func(m scanMemory) bool { return m.isFreshToward(ahead+a, g.now) }) {
			gap = 0
		}
		if gap >= limits.BlindLidarGap {
			return false
		}
	}
	return true
}

// isLidarBlindToward reports whether a lidar measures nothing in a wide part of the
// directions around an angle, in rad in the axle frame, of those that it covers.
func (g *Guard) isLidarBlindToward(direction float64) bool {
	for i := range g.lidars {
		if g.lidars[i].isBlindToward(direction, g.now) {
			return true
		}
	}
	return false
}

// isExplained reports whether the lidars see what a sonar hears: they look to all of
// the arc that its echo may come from, and see something there that is not farther.
// A pane of glass, or what is below the plane of the scan, is not explained.
func (g *Guard) isExplained(e *sonarView, heard float64) bool {
	if len(g.lidars) == 0 {
		return false
	}
	for _, p := range e.pointsAt(heard) {
		if !g.LooksByLidar(p) {
			return false
		}
	}
	for i := range g.lidars {
		for _, p := range g.lidars[i].seen {
			d := p.Sub(e.pose.Point())
			along, across := d.Dot(e.facing), math.Abs(e.facing.Cross(d))
			if along > 0 && across <= math.Tan(e.half+g.lidars[i].beam)*along && d.Norm() <= heard+explainedBy {
				return true
			}
		}
	}
	return false
}
