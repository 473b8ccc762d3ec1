package obstacle

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// What an echo means.
const (
	agree    = 0.2                    // m that two pings from the same thing may differ by
	repeats  = 150 * time.Millisecond // a sonar that repeats a range for longer has heard the same again
	beyond   = 0.20                   // m that a ping must reach behind a point to go through it
	explains = 0.15                   // m: an echo of what a lidar sees is not nearer than that by more
)

// arc is where the points of an echo lie, as a part of half the beam: an echo from its
// very edge is weak.
var arc = [3]float64{-0.9, 0, 0.9}

// ear is a sonar and what it has heard.
type ear struct {
	robot.Sonar
	heard, before float64   // m, of the last ping and of the one before; +Inf = nothing, NaN = out of order
	at            time.Time // of the last ping
}

// observeRange takes what a sonar reports. Two pings that agree tell where the echo is.
func (l *Layer) observeRange(n int, r float64) {
	e := &l.ears[n]
	if r == e.heard && l.now.Sub(e.at) < repeats {
		return
	}
	if r >= e.Max {
		r = math.Inf(1)
	}
	e.before, e.heard, e.at = e.heard, r, l.now
	pose := l.odom.Compose(e.Pose)
	l.doubtHeard(e, pose)
	if !(math.Abs(e.heard-e.before) <= agree && e.heard < limits.ObstacleEcho) {
		return
	}
	var points [len(arc)]robot.Point
	for k, f := range arc {
		sin, cos := math.Sincos(f * e.Beam / 2)
		points[k] = pose.Apply(robot.Point{X: e.heard * cos, Y: e.heard * sin})
		if l.isMapped(points[k]) {
			return
		}
	}
	if l.isSeen(e, pose) {
		return
	}
	// From nearer it is known better where in the beam it is.
	l.raster.drop(func(p *point) bool {
		return p.kind == heard && p.sonar == n && p.from > e.heard && p.at.Sub(points[1]).Norm() < p.from*e.Beam/2+cell
	})
	for _, at := range points {
		l.raster.put(point{at: at, seen: l.now, kind: heard, sure: true, sonar: n, from: e.heard})
	}
	l.stale = true
}

// inBeam returns how far a point of odom is from a sonar at pose; ok is false when the
// sonar does not look there.
func inBeam(e *ear, pose robot.Pose, at robot.Point) (far float64, ok bool) {
	d := pose.Inverse().Apply(at)
	return d.Norm(), math.Abs(d.Y) <= 1.1*math.Tan(e.Beam/2)*d.X
}

// doubtHeard doubts what was heard where a sonar now hears what is behind it.
func (l *Layer) doubtHeard(e *ear, pose robot.Pose) {
	least := math.Min(e.heard, e.before)
	if math.IsNaN(least) {
		return
	}
	for n := range l.raster.points {
		p := &l.raster.points[n]
		if p.kind != heard {
			continue
		}
		far, in := inBeam(e, pose, p.at)
		switch {
		case !in || least < far+beyond:
		case math.IsInf(least, 1):
			p.doubts += silent
		default:
			p.doubts += through
		}
	}
}

// isSeen reports whether a lidar sees what a sonar hears.
func (l *Layer) isSeen(e *ear, pose robot.Pose) bool {
	for n := range l.raster.points {
		p := &l.raster.points[n]
		if p.kind == heard || p.kind == felt {
			continue
		}
		if far, in := inBeam(e, pose, p.at); in && far <= e.heard+explains {
			return true
		}
	}
	return false
}
