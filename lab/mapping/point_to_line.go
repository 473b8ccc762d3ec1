package mapping

import (
	"math"

	"mybot/robot"
)

const (
	minPoints    = 40   // of a scan
	firstReach   = 0.5  // m between a point and its partner in the first round,
	reachShrinks = 0.85 // multiplied by this in each round, down to
	lastReach    = 0.12 // m
	residualBlur = 0.03 // m: longer residuals count less
	matchRounds  = 40
	minMatched   = 0.7  // share of the points
	maxResidual  = 0.02 // m, mean
	minSlide     = 0.04 // share of the translation's information, in the least known direction
)

// matchPointToLine returns the pose of scan b in the frame of scan a, by matching each point of
// b to the line through the two points of a nearest to it (Censi 2008), from the start bFromA.
// ok reports whether most points fit and no direction is unconstrained.
func matchPointToLine(a, b []robot.Point, bFromA robot.Pose) (at robot.Pose, ok bool) {
	if len(a) < minPoints || len(b) < minPoints {
		return bFromA, false
	}
	at = bFromA
	used, sum := 0, 0.0
	for round := range matchRounds {
		reach := math.Max(lastReach, firstReach*math.Pow(reachShrinks, float64(round)))
		var normal [3][3]float64
		var right [3]float64
		used, sum = 0, 0
		sin, cos := math.Sincos(at.Theta)
		for _, p := range b {
			rx, ry := cos*p.X-sin*p.Y, sin*p.X+cos*p.Y
			q := robot.Point{X: at.X + rx, Y: at.Y + ry}
			i, j := nearestTwo(a, q, reach)
			if j < 0 {
				continue
			}
			along := a[j].Sub(a[i])
			nx, ny := -along.Y/along.Norm(), along.X/along.Norm()
			e := nx*(q.X-a[i].X) + ny*(q.Y-a[i].Y)
			weight := 1 / (1 + e*e/(residualBlur*residualBlur))
			jacobian := [3]float64{nx, ny, -nx*ry + ny*rx}
			for r := range 3 {
				right[r] -= weight * jacobian[r] * e
				for k := range 3 {
					normal[r][k] += weight * jacobian[r] * jacobian[k]
				}
			}
			used++
			sum += math.Min(math.Abs(e), 0.1)
		}
		trace, det := normal[0][0]+normal[1][1], normal[0][0]*normal[1][1]-normal[0][1]*normal[1][0]
		if trace/2-math.Sqrt(math.Max(0, trace*trace/4-det)) < minSlide*trace {
			return at, false
		}
		d, solved := solve(normal, right)
		if !solved {
			return at, false
		}
		at = robot.Pose{X: at.X + d[0], Y: at.Y + d[1], Theta: robot.WrapAngle(at.Theta + d[2])}
		if round > 15 && math.Abs(d[0])+math.Abs(d[1])+math.Abs(d[2]) < 1e-5 {
			break
		}
	}
	return at, float64(used) > minMatched*float64(len(b)) && sum/float64(used) < maxResidual
}

// nearestTwo returns the point of a nearest to q, within reach, and the nearer of its
// neighbours in the scan at another place; -1 = none.
func nearestTwo(a []robot.Point, q robot.Point, reach float64) (first, second int) {
	first, second = -1, -1
	best := reach * reach
	for i, p := range a {
		if d := (p.X-q.X)*(p.X-q.X) + (p.Y-q.Y)*(p.Y-q.Y); d < best {
			best, first = d, i
		}
	}
	if first < 0 {
		return -1, -1
	}
	best = math.Inf(1)
	for i := max(0, first-3); i <= min(len(a)-1, first+3); i++ {
		if d := a[i].Sub(a[first]).Norm(); i != first && d > 0.03 && d < 0.5 && d < best {
			best, second = d, i
		}
	}
	return first, second
}

// solve solves m x = b for three unknowns by Cramer's rule.
func solve(m [3][3]float64, b [3]float64) (x [3]float64, ok bool) {
	det := func(m [3][3]float64) float64 {
		return m[0][0]*(m[1][1]*m[2][2]-m[1][2]*m[2][1]) - m[0][1]*(m[1][0]*m[2][2]-m[1][2]*m[2][0]) + m[0][2]*(m[1][0]*m[2][1]-m[1][1]*m[2][0])
	}
	whole := det(m)
	if math.Abs(whole) < 1e-12 {
		return x, false
	}
	for k := range 3 {
		replaced := m
		for r := range 3 {
			replaced[r][k] = b[r]
		}
		x[k] = det(replaced) / whole
	}
	return x, true
}
