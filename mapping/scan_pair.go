package mapping

import (
	"math"

	"mybot/robot"
	"mybot/robot/scan"
)

const (
	minPairDistance   = 0.05 // m, or
	minPairTurn       = 0.04 // rad, the smallest useful motion
	maxPairDistance   = 1.2  // m, and
	maxPairTurn       = 0.8  // rad, the largest motion after which two scans overlap enough
	minPairPoints     = 40   // of a scan
	minPairFit        = 0.55 // share of the second scan's points that fit the first one
	pairSlack         = 0.1  // m, and
	leverReach        = 0.6  // m of lever arm by which a lidar may be off its place, and
	pairTurnSlack     = 0.05 // rad and
	pairTurnShare     = 0.15 // rad per rad, by which a match may differ from odometry
	pairDistanceNoise = 0.01 // m, and
	pairShareNoise    = 0.04 // m per m, and
	pairTurnNoise     = 0.02 // m per rad, standard deviation of the distance by odometry
)

// The senses in which the beams of a lidar may run.
const (
	asDescribed = iota
	mirrored
	senses
)

// A scanPair is the motion between two successive key frames, by odometry and by their
// scans alone.
type scanPair struct {
	odom  robot.Pose
	match [senses]pairMatch // if the robot turned as odometry says, and the other way
}

// A pairMatch is where the second scan of a pair fits the first one best.
type pairMatch struct {
	at          robot.Pose // of base_link in the first scan's
	ok          bool       // it fits there
	fit         float64    // in the raster
	information matrix3    // normal matrix there
}

// matchPair matches two successive scans. From odometry it takes the distance and
// the amount of rotation, but neither their direction nor sense. ok is false if the
// result is useless.
func matchPair(before, now scan.Cloud, odom robot.Pose) (p scanPair, ok bool) {
	distance, turn := odom.Point().Norm(), math.Abs(odom.Theta)
	if distance < minPairDistance && turn < minPairTurn || distance > maxPairDistance || turn > maxPairTurn {
		return p, false
	}
	first, points := thinPoints(before), thinPoints(now)
	if len(first) < minPairPoints || len(points) < minPairPoints {
		return p, false
	}
	var field likelihoodField
	field.insert(robot.Pose{}, first)
	field.insert(robot.Pose{}, fillWalls(before))
	within := window{distance: distance + pairSlack + 2*math.Sin(turn/2)*leverReach, turn: pairTurnSlack + pairTurnShare*turn}
	p.odom = odom
	p.match[asDescribed] = field.matchTurned(odom.Theta, points, within)
	p.match[mirrored] = p.match[asDescribed]
	if turn >= minPairTurn {
		p.match[mirrored] = field.matchTurned(-odom.Theta, points, within)
	}
	return p, p.match[asDescribed].ok || p.match[mirrored].ok
}

// matchTurned returns where points turned by about theta fit best, within a window
// around the origin.
func (f *likelihoodField) matchTurned(theta float64, points []robot.Point, w window) (m pairMatch) {
	at := f.matchNear(prior{guess: robot.Pose{Theta: theta}, window: w}, points)
	m.fit = f.fit(at, points)
	m.at, m.information = f.refine(at, points, hold{})
	m.ok = f.fit(m.at, points) >= minPairFit && math.Abs(robot.WrapAngle(m.at.Theta-theta)) < 1.5*w.turn
	return m
}

// A mountingRow is one equation about the mounting of the lidar, in standard
// deviations: left times the unknowns equals right. The unknowns are the lidar's
// motion per 1 m of forward motion, in its frame (x, y), and its offset from its
// place (x, y), in the same frame.
type mountingRow struct {
	left  [4]float64
	right float64
}

// mountingRows returns the equations of the pair along the two directions in which its
// match is most and least precise, with the beams in a sense. A lidar that is at C
// in its described frame moves there by C^-1 M C when the robot moves by M.
func (p *scanPair) mountingRows(sense int) (r [2]mountingRow, ok bool) {
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
	distance := p.odom.Point()
	noise := pairDistanceNoise + pairShareNoise*distance.Norm() + pairTurnNoise*math.Abs(p.odom.Theta)
	st, ct := math.Sincos(m.at.Theta)
	directions := [2]robot.Point{{X: cos, Y: sin}, {X: -sin, Y: cos}}
	for k, part := range [2]float64{half + root, half - root} {
		firm := square(square(part / trace / minSlideShare))
		firm /= 1 + firm // near 0 if the match can slide
		d, w := directions[k], 1/math.Sqrt(1/math.Max(1e-9, matchScale*part*firm)+square(noise))
		r[k] = mountingRow{
			left: [4]float64{
				w * d.Dot(distance), w * distance.Cross(d),
				w * d.Dot(robot.Point{X: ct - 1, Y: st}), w * d.Dot(robot.Point{X: -st, Y: ct - 1}),
			},
			right: w * d.Dot(m.at.Point()),
		}
	}
	return r, true
}
