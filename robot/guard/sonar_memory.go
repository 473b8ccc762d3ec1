package guard

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// How the guard remembers echoes.
const (
	markSpacing    = 0.06 // m: distance from the last stored echo of a sonar to the next
	minMarkSpacing = 0.02 // m: the same for near echoes
	finer          = 1.3  // ratio of distances from which a nearer sonar replaces an echo
	disbelieved    = 9    // doubts that make a mark doubtful, or drop it if sonars heard something behind it
	behindIt       = 3    // doubts when a sonar hears something behind it
	nothing        = 1    // doubts when a sonar hears nothing, as with a smooth wall at a slant
	beyond         = 0.20 // m that a ping must reach behind a point to look through it
	inside         = 0.02 // m inside the robot's body, where no obstacle can be
	share          = 8    // each tick checks one of so many parts of the marks
)

// sonarMemory holds recent echoes, so that an obstacle between two beams is not lost. It
// drops a mark when sonars hear something behind it, when the robot stands at its place, or
// after EchoLife. A mark becomes doubtful when sonars have heard nothing there for long
// enough: an obstacle may still stand there at a slant. The marks are in a ring, without
// allocations.
type sonarMemory struct {
	marks  [720]mark
	count  int   // number of marks in use
	next   int   // the oldest, which is overwritten next
	turn   int   // the part that is checked next
	latest []int // by sonar, the middle mark of its last echo; -1 = none
}

// mark is the place of an echo.
type mark struct {
	at       robot.Point // in odom, of the guard
	seen     time.Time
	sonar    int     // index of the sonar that heard it
	distance float64 // m, from the sonar
	doubts   int
	through  int // doubts from sonars that heard something behind it
	gone     bool
}

// keepEcho stores the echo of sonar i; odom is the pose of the axle.
func (m *sonarMemory) keepEcho(i int, odom robot.Pose, e *sonarView, now time.Time) {
	middle := odom.Apply(e.points[1])
	if k := m.latest[i]; k >= 0 && !m.marks[k].gone && m.marks[k].at.Sub(middle).Norm() < robot.Clamp(e.echo/3, minMarkSpacing, markSpacing) && math.Abs(m.marks[k].distance-e.echo) < markSpacing/2 {
		for j := k - 1; j <= k+1; j++ {
			m.marks[j].seen, m.marks[j].doubts, m.marks[j].through, m.marks[j].gone = now, 0, 0, false
		}
		return
	}
	for j, l := range m.latest {
		if l == m.next+1 {
			m.latest[j] = -1
		}
	}
	m.dropFarther(i, odom, e)
	for k, p := range e.points {
		m.marks[m.next+k] = mark{at: odom.Apply(p), seen: now, sonar: i, distance: e.echo}
	}
	m.latest[i] = m.next + 1
	m.next += len(e.points)
	m.count = max(m.count, m.next)
	if m.next == len(m.marks) {
		m.next = 0
	}
}

// dropFarther drops older marks, heard from farther away, of the object that sonar i hears
// now; odom is the pose of the axle. The newer echo, or the lidar that sees the object,
// locates it better.
func (m *sonarMemory) dropFarther(i int, odom robot.Pose, e *sonarView) {
	m.dropFartherOwn(i, e, odom.Apply(e.points[1]))
	m.dropFartherOthers(i, e, odom)
}

// dropFartherOwn drops marks that sonar i heard from farther away, of the object at middle,
// in odom: a nearer echo locates it better.
func (m *sonarMemory) dropFartherOwn(i int, e *sonarView, middle robot.Point) {
	for j := range m.marks[:m.count] {
		k := &m.marks[j]
		if k.sonar == i && k.distance > e.echo+markSpacing/3 && k.at.Sub(middle).Norm() < k.distance*e.half+markSpacing {
			k.gone = true
		}
	}
}

// dropFartherOthers drops marks that other sonars heard from much farther away, of the
// object that sonar i hears now; odom is the pose of the axle. The object lies somewhere on
// the arc of an echo; two echoes belong to the same object if their arcs meet.
func (m *sonarMemory) dropFartherOthers(i int, e *sonarView, odom robot.Pose) {
	var now [len(ends)]robot.Point
	for k, p := range e.points {
		now[k] = odom.Apply(p)
	}
	for j := 0; j+len(ends) <= m.count; j += len(ends) {
		arc := m.marks[j : j+len(ends)]
		if k := &arc[0]; k.sonar == i || k.gone || k.distance < finer*e.echo || !arcsMeet(arc, now[:]) {
			continue
		}
		for n := range arc {
			arc[n].gone = true
		}
	}
}

// arcsMeet reports whether the arc of an older echo comes near the points of a new one.
func arcsMeet(arc []mark, points []robot.Point) bool {
	for n := 1; n < len(arc); n++ {
		for _, p := range points {
			if toEdge(p, arc[n-1].at, arc[n].at) < markSpacing {
				return true
			}
		}
	}
	return false
}

// appendNear appends the marks around the axle to points or doubtful, in the axle frame;
// odom is the pose of the axle.
func (m *sonarMemory) appendNear(points, doubtful []robot.Point, odom robot.Pose) ([]robot.Point, []robot.Point) {
	sin, cos := math.Sincos(odom.Theta)
	for i := range m.marks[:m.count] {
		k := &m.marks[i]
		d := k.at.Sub(odom.Point())
		if k.gone || d.Dot(d) >= limits.GuardRange*limits.GuardRange {
			continue
		}
		p := robot.Point{X: cos*d.X + sin*d.Y, Y: cos*d.Y - sin*d.X}
		if k.doubts < disbelieved {
			points = append(points, p)
		} else {
			doubtful = append(doubtful, p)
		}
	}
	return points, doubtful
}

// doubtMarks checks one part of the marks against the current pings.
func (m *sonarMemory) doubtMarks(odom robot.Pose, body *Footprint, sonars []sonarView, now time.Time) {
	fromOdom := odom.Inverse()
	m.turn = (m.turn + 1) % share
	for i := m.turn; i < m.count; i += share {
		k := &m.marks[i]
		if k.gone {
			continue
		}
		if age := now.Sub(k.seen); age > limits.EchoLife || age < 0 {
			k.gone = true
			continue
		}
		p := fromOdom.Apply(k.at)
		if _, gap := body.separatingEdge(p); gap < -inside {
			k.gone = true
			continue
		}
		strongest := 0
		for j := range sonars {
			strongest = max(strongest, sonars[j].doubtAbout(p))
		}
		k.doubts += strongest
		if strongest == behindIt {
			k.through += strongest
		}
		k.gone = k.through >= disbelieved
	}
}

// doubtAbout returns how much the pings speak against an obstacle at p: 0 if p is outside
// the beam or the echo may come from there.
func (e *sonarView) doubtAbout(p robot.Point) int {
	d := p.Sub(e.pose.Point())
	along, across := d.Dot(e.facing), math.Abs(e.facing.X*d.Y-e.facing.Y*d.X)
	near := math.Min(math.Min(e.heard, e.before), e.echo)
	switch {
	case e.lost > 0 || across > 1.1*e.half*along || near < d.Norm()+beyond:
		return 0
	case math.IsInf(near, 1):
		return nothing
	}
	return behindIt
}
