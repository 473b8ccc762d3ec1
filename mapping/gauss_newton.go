package mapping

import (
	"math"

	"mybot/robot"
)

const (
	refineRounds = 15
	refineStep   = 0.05 // m, the longest step of a round
)

// A hold is a prior that keeps a matched pose near another one, as a measurement
// would: its weight is in the units of normal matrices.
type hold struct {
	at     robot.Pose
	weight matrix3
}

// equalHold returns a hold of equal strength along x and y.
func equalHold(at robot.Pose, linear, turn float64) hold {
	return hold{at, matrix3{0: linear, 4: linear, 8: turn}}
}

// offsetOf returns the difference of a pose from the held one.
func (h *hold) offsetOf(at robot.Pose) vector3 {
	return vector3{at.X - h.at.X, at.Y - h.at.Y, robot.WrapAngle(at.Theta - h.at.Theta)}
}

// addTo adds the hold to the normal equations at a pose.
func (h *hold) addTo(at robot.Pose, normal *matrix3, descent *vector3) {
	off := h.offsetOf(at)
	for i := range 3 {
		for j := range 3 {
			normal[3*i+j] += h.weight[3*i+j]
			descent[i] -= h.weight[3*i+j] * off[j]
		}
	}
}

const (
	firmShare = 0.04  // share of the translation's information, and
	firmTurn  = 40.0  // information of the heading, at which odometry counts half in that direction
	leastOpen = 0.005 // share by which odometry counts everywhere
)

// opennessOf returns how much a match with this normal matrix leaves to odometry: a
// symmetric matrix that is 1 in a direction in which the match has no information,
// and near 0 in one that it determines firmly. Because wheels occasionally slip by
// far more than usual, odometry is used only where the walls give no answer.
func opennessOf(normal matrix3) matrix3 {
	share := func(part float64) float64 { return math.Max(leastOpen, 1/(1+part*part)) }
	xx, xy, yy := normal[0], (normal[1]+normal[3])/2, normal[4]
	trace := xx + yy
	if !(trace > 0) {
		return matrix3{0: 1, 4: 1, 8: 1}
	}
	half, root := trace/2, math.Hypot((xx-yy)/2, xy)
	most, least := share((half+root)/trace/firmShare), share((half-root)/trace/firmShare)
	sin, cos := math.Sincos(math.Atan2(2*xy, xx-yy) / 2) // of the direction that is known best
	return matrix3{
		0: most*cos*cos + least*sin*sin, 1: (most - least) * sin * cos,
		3: (most - least) * sin * cos, 4: most*sin*sin + least*cos*cos,
		8: share(normal[8] / firmTurn),
	}
}

// weighOpen returns the information of the given precisions in position and rotation,
// scaled by the openness.
func weighOpen(open matrix3, linear, turn float64) matrix3 {
	for _, i := range [...]int{0, 1, 3, 4} {
		open[i] *= linear
	}
	open[8] *= turn
	return open
}

// turnMatrix returns R m R', with R the rotation by theta.
func turnMatrix(m matrix3, theta float64) matrix3 {
	sin, cos := math.Sincos(theta)
	xx, xy, yy := m[0], m[1], m[4]
	m[0] = cos*cos*xx - 2*sin*cos*xy + sin*sin*yy
	m[4] = sin*sin*xx + 2*sin*cos*xy + cos*cos*yy
	m[1] = sin*cos*(xx-yy) + (cos*cos-sin*sin)*xy
	m[3] = m[1]
	return m
}

// usualPoints is the number of points above which a scan has full weight. One with
// fewer points, such as on two pillars in a hall, has proportionally less, and
// odometry counts more.
const usualPoints = 100

// pointWeight returns the divisor of the sums over a scan's points in its normal matrix.
func pointWeight(points []robot.Point) float64 { return float64(max(len(points), usualPoints)) }

// refine moves a pose to the nearest one where points fit best: Gauss-Newton on the
// sum of (1 - field)^2 and a hold. It also returns the normal matrix of the points
// alone, in x, y and theta, divided by pointWeight.
func (f *likelihoodField) refine(at robot.Pose, points []robot.Point, h hold) (robot.Pose, matrix3) {
	var normal matrix3
	for range refineRounds {
		var gradient vector3
		normal, gradient = f.linearize(at, points)
		held := normal
		h.addTo(at, &held, &gradient)
		if !held.factorize() {
			break
		}
		d := held.solveUpper(held.solveLower(gradient))
		short := math.Min(1, refineStep/math.Hypot(d[0], d[1]))
		at = robot.Pose{X: at.X + short*d[0], Y: at.Y + short*d[1], Theta: robot.WrapAngle(at.Theta + short*d[2])}
		if math.Abs(d[0])+math.Abs(d[1]) < 1e-4 && math.Abs(d[2]) < 1e-5 {
			break
		}
	}
	return at, normal
}

// linearize returns the normal matrix and the descent direction of the match at a pose.
func (f *likelihoodField) linearize(at robot.Pose, points []robot.Point) (normal matrix3, descent vector3) {
	sin, cos := math.Sincos(at.Theta)
	share := 1 / pointWeight(points)
	for _, p := range points {
		rx, ry := cos*p.X-sin*p.Y, sin*p.X+cos*p.Y
		v, dx, dy := f.interpolate(at.X+rx, at.Y+ry)
		if dx == 0 && dy == 0 {
			continue
		}
		j := vector3{dx, dy, -dx*ry + dy*rx}
		for a := range 3 {
			descent[a] += share * j[a] * (1 - v)
			for b := range 3 {
				normal[3*a+b] += share * j[a] * j[b]
			}
		}
	}
	return normal, descent
}

const (
	minSlideShare = 0.06 // of a loop, and
	minLearnShare = 0.08 // of a motion from which the wheels learn: see canSlide
)

// canSlide reports whether a match with this normal matrix leaves a direction
// undetermined, as along a corridor of similar doors: the smaller eigenvalue of the
// translation block is below a share of their sum. This includes a match that does
// not depend on the pose at all.
func canSlide(normal matrix3, least float64) bool {
	trace := normal[0] + normal[4]
	det := normal[0]*normal[4] - normal[1]*normal[3]
	smaller := trace/2 - math.Sqrt(math.Max(0, trace*trace/4-det))
	return trace <= 0 || smaller < least*trace
}

const (
	minSwingShare = 0.01 // of a loop: see canSwing
	swingArm      = 4.0  // m, the lever arm that converts rotations to distances
)

// canSwing reports whether a match with this normal matrix leaves a combined motion
// with rotation undetermined, as around a lone pillar or along a round wall: the
// smallest eigenvalue, with rotations converted by swingArm, is below a share of
// the trace of the translation block.
func canSwing(normal matrix3) bool {
	least := minSwingShare * (normal[0] + normal[4])
	normal[0] -= least
	normal[4] -= least
	normal[8] -= least * swingArm * swingArm
	return !normal.factorize()
}
