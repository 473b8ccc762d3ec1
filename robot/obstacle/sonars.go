package obstacle

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// How the layer evaluates echoes.
const (
	agree    = 0.2                    // m, largest difference of two pings from the same object
	repeats  = 150 * time.Millisecond // a range that repeats for longer is a new ping
	beyond   = 0.20                   // m that a ping must reach behind a point to look through it
	explains = 0.15                   // m: an echo of an object that a lidar sees is not nearer than the lidar's point by more
)

// arc is the directions of an echo's points, as fractions of half the beam: an echo from
// the very edge of the beam is weak.
var arc = [3]float64{-0.9, 0, 0.9}

// ear is a sonar and its last two pings.
type ear struct {
	robot.Sonar
	heard, before float64   // m, of the last ping and the one before; +Inf = no echo, NaN = out of order
	at            time.Time // of the last ping
}

// observeRange takes the range of a sonar. Two pings that agree give the distance of an
// echo, which becomes points across the beam unless the map or a lidar explains it.
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
	// A nearer ping shows better where in the beam the object is.
	l.raster.drop(func(p *point) bool {
		return p.kind == heard && p.sonar == n && p.from > e.heard && p.at.Sub(points[1]).Norm() < p.from*e.Beam/2+cell
	})
	for _, at := range points {
		l.raster.put(point{at: at, seen: l.now, kind: heard, sure: true, sonar: n, from: e.heard})
	}
	l.stale = true
}

// beam is where a sonar hears.
type beam struct {
	fromOdom frame
	slope    float64 // of its edges
}

func (e *ear) beamAt(pose robot.Pose) beam {
	return beam{newFrame(pose.Inverse()), 1.1 * math.Tan(e.Beam/2)}
}

// distanceTo returns the distance of a point in odom from the sonar, in m; ok is false if the
// point is outside the beam.
func (b *beam) distanceTo(at robot.Point) (far float64, ok bool) {
	d := b.fromOdom.apply(at)
	return d.Norm(), math.Abs(d.Y) <= b.slope*d.X
}

// doubtHeard adds doubts to echo points behind which the sonar now hears something else, or
// nothing.
func (l *Layer) doubtHeard(e *ear, pose robot.Pose) {
	least := math.Min(e.heard, e.before)
	if math.IsNaN(least) {
		return
	}
	b := e.beamAt(pose)
	for n := range l.raster.points {
		p := &l.raster.points[n]
		if p.kind != heard {
			continue
		}
		far, in := b.distanceTo(p.at)
		switch {
		case !in || least < far+beyond:
		case math.IsInf(least, 1):
			p.doubts += silent
		default:
			p.doubts += through
		}
	}
}

// isSeen reports whether a lidar sees the object that a sonar hears.
func (l *Layer) isSeen(e *ear, pose robot.Pose) bool {
	b := e.beamAt(pose)
	for n := range l.raster.points {
		p := &l.raster.points[n]
		if p.kind == heard || p.kind == felt {
			continue
		}
		if far, in := b.distanceTo(p.at); in && far <= e.heard+explains {
			return true
		}
	}
	return false
}
