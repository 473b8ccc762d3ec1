package guard

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// The guard's memory.
const (
	markSpacing    = 0.06 // m: the next echo of a sonar is kept when it lies so far from the last
	minMarkSpacing = 0.02 // m: or this far, when it is near
	finer          = 1.3  // times as far away: another sonar knows better now
	disbelieved    = 9    // doubts that make a point doubtful, and go where a sonar heard something behind it
	behindIt       = 3    // doubts when a sonar hears something behind it
	nothing        = 1    // doubts when a sonar hears nothing at all, which may be a smooth wall at a slant
	beyond         = 0.20 // m that a look must reach behind a point to go through it
	inside         = 0.02 // m within the robot's own body, where nothing can be
	share          = 8    // one part of so many is looked through in each tick
)

// sonarMemory keeps what the sonars heard a moment ago, so that a thing does not
// vanish between two beams. A mark goes when a sonar that looks there hears
// something behind it, when the robot stands where it is, or after a minute. When
// sonars hear nothing there for long enough it is doubtful: something may still
// stand there, at a slant. Marks are kept in a ring; nothing is allocated.
type sonarMemory struct {
	marks  [720]mark
	count  int   // marks in use, from the start
	next   int   // the oldest, which goes next
	turn   int   // which share is looked through next
	latest []int // of every sonar, the middle mark of its last echo; -1 = none
}

// mark is a place where something was heard.
type mark struct {
	at       robot.Point // in odom, of the guard
	seen     time.Time
	sonar    int     // the sonar that heard it
	distance float64 // m, from how far
	doubts   int
	through  int // doubts of sonars that heard something behind it
	gone     bool
}

// keepEcho takes the echo of sonar i, heard from the axle's pose odom.
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

// dropFarther drops what the sonars heard from farther away of the thing that sonar i
// hears from the axle's pose odom. A lidar that sees it shows better where it is.
func (m *sonarMemory) dropFarther(i int, odom robot.Pose, e *sonarView) {
	m.dropFartherOwn(i, e, odom.Apply(e.points[1]))
	m.dropFartherOthers(i, e, odom)
}

// dropFartherOwn drops what sonar i heard from farther away of the thing at middle,
// in odom: from near it is known better where it is.
func (m *sonarMemory) dropFartherOwn(i int, e *sonarView, middle robot.Point) {
	for j := range m.marks[:m.count] {
		k := &m.marks[j]
		if k.sonar == i && k.distance > e.echo+markSpacing/3 && k.at.Sub(middle).Norm() < k.distance*e.half+markSpacing {
			k.gone = true
		}
	}
}

// dropFartherOthers drops what other sonars heard from much farther away of the thing that
// sonar i hears from the axle's pose odom. The thing lies somewhere on the arc
// of an echo; two echoes are of the same thing when their arcs meet.
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

// arcsMeet reports whether the arc of an old echo comes near the points of a new one.
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

// appendNear appends the marks around the axle's pose odom to points, or to doubtful, in
// its frame.
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

// doubtMarks looks through a share of the marks with the sonars as they are now.
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
		if _, depth := body.separatingEdge(p); depth < -inside {
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

// doubtAbout tells how much speaks against something at p: nothing when p is
// outside of the beam or an echo may come from there.
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
