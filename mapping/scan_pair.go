package mapping

import (
	"math"

	"mybot/robot"
	"mybot/robot/scan"
)

const (
	minPairWay     = 0.05 // m or
	minPairTurn    = 0.04 // rad, of a motion that tells something
	maxPairWay     = 1.2  // m and
	maxPairTurn    = 0.8  // rad, of one after which two scans see enough of the same
	minPairPoints  = 40   // of a scan
	minPairFit     = 0.55 // of the points of the second scan, on the first one
	pairSlack      = 0.1  // m and
	leverReach     = 0.6  // m, that a lidar may sit off its place, and
	pairTurnSlack  = 0.05 // rad and
	pairTurnShare  = 0.15 // rad a rad, that a match may differ from odometry
	pairWayNoise   = 0.01 // m and
	pairShareNoise = 0.04 // m a m and
	pairTurnNoise  = 0.02 // m a rad, standard deviation of the way by odometry
)

// The senses in which the beams of a lidar may follow each other.
const (
	asDescribed = iota
	mirrored
	senses
)

// A scanPair is the motion between two successive key frames, by odometry and by their
// scans alone.
type scanPair struct {
	odom  robot.Pose
	match [senses]pairMatch // when the robot turned as odometry says, and the other way
}

// A pairMatch is where the second scan of a pair fits the first one best.
type pairMatch struct {
	at          robot.Pose // of base_link in the first scan's
	ok          bool       // it fits there
	fit         float64    // by the raster
	information matrix3    // normal matrix there
}

// matchPair matches two successive scans. Of odometry it takes how far the robot went and
// by how much it turned, but not whereto nor to which side. ok is false where that tells nothing.
func matchPair(before, now scan.Cloud, odom robot.Pose) (p scanPair, ok bool) {
	way, turn := odom.Point().Norm(), math.Abs(odom.Theta)
	if way < minPairWay && turn < minPairTurn || way > maxPairWay || turn > maxPairTurn {
		return p, false
	}
	first, points := thinPoints(before), thinPoints(now)
	if len(first) < minPairPoints || len(points) < minPairPoints {
		return p, false
	}
	var field likelihoodField
	field.insert(robot.Pose{}, first)
	field.insert(robot.Pose{}, fillWalls(before))
	within := window{way: way + pairSlack + 2*math.Sin(turn/2)*leverReach, turn: pairTurnSlack + pairTurnShare*turn}
	p.odom = odom
	p.match[asDescribed] = field.matchTurned(odom.Theta, points, within)
	p.match[mirrored] = p.match[asDescribed]
	if turn >= minPairTurn {
		p.match[mirrored] = field.matchTurned(-odom.Theta, points, within)
	}
	return p, p.match[asDescribed].ok || p.match[mirrored].ok
}

// matchTurned returns where points fit best that were turned by about theta, wherever they
// are in a window around the origin.
func (f *likelihoodField) matchTurned(theta float64, points []robot.Point, w window) (m pairMatch) {
	at := f.matchNear(prior{guess: robot.Pose{Theta: theta}, window: w}, points)
	m.fit = f.fit(at, points)
	m.at, m.information = f.refine(at, points, hold{})
	m.ok = f.fit(m.at, points) >= minPairFit && math.Abs(robot.WrapAngle(m.at.Theta-theta)) < 1.5*w.turn
	return m
}

// A mountingRow is one equation for how the lidar sits, in standard deviations: left times
// the unknowns is right. The unknowns are the motion of the lidar for a motion of 1 m
// ahead, in its frame (x, y), and by how much it sits off its place (x, y), there too.
type mountingRow struct {
	left  [4]float64
	right float64
}

// rows returns what the pair tells along the two directions that its match is surest and
// least sure in, with the beams in a sense. A lidar that sits at C in the frame in which it
// is described moves there by C^-1 M C when the robot moves by M.
func (p *scanPair) rows(sense int) (r [2]mountingRow, ok bool) {
	m := p.match[sense]
	xx, yy, xy := m.information[0], m.information[4], (m.information[1]+m.information[3])/2
	trace := xx + yy
	if !m.ok || !(trace > 0) {
		return r, false
	}
	if sense == mirrored {
		m.at.Y, m.at.Theta, xy = -m.at.Y, -m.at.Theta, -xy
	}
	half, root := trace/2, math.Hypot((xx-yy)/2, xy)
	sin, cos := math.Sincos(math.Atan2(2*xy, xx-yy) / 2)
	way := p.odom.Point()
	noise := pairWayNoise + pairShareNoise*way.Norm() + pairTurnNoise*math.Abs(p.odom.Theta)
	st, ct := math.Sincos(m.at.Theta)
	directions := [2]robot.Point{{X: cos, Y: sin}, {X: -sin, Y: cos}}
	for k, part := range [2]float64{half + root, half - root} {
		firm := sqr(sqr(part / trace / minSlideShare))
		firm /= 1 + firm // near 0 where it can slide
		d, w := directions[k], 1/math.Sqrt(1/math.Max(1e-9, matchScale*part*firm)+sqr(noise))
		r[k] = mountingRow{
			left: [4]float64{
				w * d.Dot(way), w * way.Cross(d),
				w * d.Dot(robot.Point{X: ct - 1, Y: st}), w * d.Dot(robot.Point{X: -st, Y: ct - 1}),
			},
			right: w * d.Dot(m.at.Point()),
		}
	}
	return r, true
}
