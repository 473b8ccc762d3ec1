package mapping

import (
	"math"

	"mybot/robot"
)

const (
	refineRounds = 15
	refineStep   = 0.05 // m, the longest step of a round
)

// refine moves a pose to the nearest one at which points fit best: Gauss-Newton on
// the sum of (1 - field)^2, held to the guess by the weights way and turn, as if the
// guess were a measurement. It also returns the normal matrix of the points alone, in
// x, y and theta, divided by their number.
func (f *likelihoodField) refine(guess robot.Pose, points []robot.Point, way, turn float64) (robot.Pose, matrix3) {
	at := guess
	var normal matrix3
	for range refineRounds {
		var gradient vector3
		normal, gradient = f.linearize(at, points)
		held := normal
		held[0] += way
		held[4] += way
		held[8] += turn
		gradient[0] -= way * (at.X - guess.X)
		gradient[1] -= way * (at.Y - guess.Y)
		gradient[2] -= turn * robot.WrapAngle(at.Theta-guess.Theta)
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
	share := 1 / float64(len(points))
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

// minSlideShare is the least part of the translation's information that the direction
// known worst must have.
const minSlideShare = 0.04

// canSlide reports whether a match with this normal matrix leaves a direction open, as
// along a bare corridor: the smaller eigenvalue of the translation block is below
// minSlideShare of their sum.
func canSlide(normal matrix3) bool {
	trace := normal[0] + normal[4]
	det := normal[0]*normal[4] - normal[1]*normal[3]
	smaller := trace/2 - math.Sqrt(math.Max(0, trace*trace/4-det))
	return smaller < minSlideShare*trace
}
