package guard

import (
	"math"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/scan"
)

// How the guard evaluates scans.
const (
	leastBin     = 0.25 * math.Pi / 180 // rad, least width of a direction in the polar view
	apartInScan  = 0.02                 // m from the last stored point: nearer points are skipped
	continues    = 0.10                 // m, plus twice the step between beams: largest gap between points that belong together
	looksBeyond  = 0.15                 // m that a beam must reach behind a point to look through it
	looksThrough = 2                    // scans that must look through a point to drop it
	againWithin  = 0.10                 // m from a remembered point: a new point within it is the same
	explainedBy  = 0.15                 // m: an echo nearer than the scan by more comes from an object that the lidar does not see
)

// scanMemory is one lidar and its recent points. It drops a point when later scans look
// through it, or after ScanPointLife out of sight. A point counts if a neighbour in its
// scan or the scan before confirms it: at edges a lidar reports single points where nothing
// is.
type scanMemory struct {
	origin robot.Point // m, in the axle frame
	bin    float64     // rad, width of one direction
	beam   float64     // rad from beam to beam
	far    float64     // m from the axle; points farther away are ignored
	covers []bool      // by direction: there is a beam that does not see the robot itself
	reach  []float64   // m, by direction in the axle frame at the newest scan: free distance along its beams; NaN = no beam measured
	at     []time.Time // by direction: end of the newest scan with a beam there
	points []scanPoint
	newest time.Time     // time of the reading with the newest scan; zero = none yet
	before []scanPoint   // points before the newest scan; reused
	seen   []robot.Point // in the axle frame at the newest reading: the points that count
}

// scanPoint is where a beam met an object.
type scanPoint struct {
	at      robot.Point // in odom, of the guard
	seen    time.Time
	through int  // number of scans that looked through it
	sure    bool // it counts
}

func newScanMemory(l robot.Lidar, axleOffset, far float64) scanMemory {
	m := scanMemory{origin: l.Pose.Point().Add(robot.Point{X: axleOffset}), beam: math.Abs(l.Step), far: far}
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

// directionOf returns the index of the direction that contains an angle, in rad in the axle
// frame.
func (m *scanMemory) directionOf(angle float64) int {
	n := len(m.covers)
	i := int(math.Floor(angle/m.bin+0.5)) % n
	if i < 0 {
		i += n
	}
	return i
}

// observeScan takes a scan; odom is the pose of the axle.
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
		if !b.Echo || end.Norm() >= m.far {
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

// confirmPoints confirms the points that were also in the scan before.
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

// rememberPoints retains the older points that the newest scan neither repeats nor looks
// through.
func (m *scanMemory) rememberPoints(now time.Time, odom robot.Pose) {
	fromOdom := odom.Inverse()
	for _, p := range m.before {
		if p.sure && !m.replacesPoint(&p, fromOdom) && now.Sub(p.seen) <= limits.ScanPointLife {
			m.points = append(m.points, p)
		}
	}
}

// replacesPoint reports whether the newest scan makes an older point obsolete: the scan
// repeats the point, or is the second one that looks through it.
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

// placePoints fills seen with the points that count; odom is the pose of the axle. A point
// inside the body belongs to the robot itself, in a direction that the mask lacks.
func (m *scanMemory) placePoints(now time.Time, odom robot.Pose, body *Footprint) {
	m.seen = m.seen[:0]
	fromOdom := odom.Inverse()
	for _, p := range m.points {
		if p.sure && now.Sub(p.seen) <= limits.ScanPointLife {
			at := fromOdom.Apply(p.at)
			if _, gap := body.separatingEdge(at); gap >= -inside && at.Norm() < m.far {
				m.seen = append(m.seen, at)
			}
		}
	}
}

// isFresh reports whether the lidar has recently measured in the direction of a point in
// the axle frame.
func (m *scanMemory) isFresh(p robot.Point, now time.Time) bool {
	way := p.Sub(m.origin)
	return m.isFreshToward(math.Atan2(way.Y, way.X), now)
}

// isFreshToward is isFresh for an angle, in rad in the axle frame.
func (m *scanMemory) isFreshToward(angle float64, now time.Time) bool {
	d := m.directionOf(angle)
	return m.covers[d] && now.Sub(m.at[d]) <= limits.BlindLidarAfter
}

// isBlindToward reports whether the lidar measures nothing in a wide part of the directions
// that it covers around an angle, in rad in the axle frame.
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

// observeScans takes the scans of a reading, and places the points of all lidars around the
// axle.
func (g *Guard) observeScans(clouds []scan.Cloud) {
	for _, c := range clouds {
		g.lidars[c.Lidar].observeScan(c, g.odom, g.desc.Drivetrain.AxleOffset)
	}
	for i := range g.lidars {
		g.lidars[i].placePoints(g.now, g.odom, &g.body)
	}
}

// looksByLidar reports whether a lidar has recently measured in the direction of a point in
// the axle frame.
func (g *Guard) looksByLidar(at robot.Point) bool {
	for i := range g.lidars {
		if g.lidars[i].isFresh(at, g.now) {
			return true
		}
	}
	return false
}

// SeesByLidar reports whether the lidars together have recently measured in all directions
// into which a motion leads, except for narrow gaps. Without a lidar in that direction it
// returns false.
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
// directions that it covers around an angle, in rad in the axle frame.
func (g *Guard) isLidarBlindToward(direction float64) bool {
	for i := range g.lidars {
		if g.lidars[i].isBlindToward(direction, g.now) {
			return true
		}
	}
	return false
}

// isExplained reports whether the lidars explain a sonar's echo: they look at the whole arc
// of the echo and see an object there at the same distance or nearer. Glass, or an object
// below the scan plane, remains unexplained.
func (g *Guard) isExplained(e *sonarView, heard float64) bool {
	if len(g.lidars) == 0 {
		return false
	}
	for _, p := range e.pointsAt(heard) {
		if !g.looksByLidar(p) {
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
