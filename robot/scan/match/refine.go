package match

import (
	"math"

	"mybot/robot"
)

// A Normal is a normal matrix: the information about x, y and theta, in squared units of
// the field per m2, m rad and rad2. It is symmetric.
type Normal [3][3]float64

// slideShare is the least fraction of the translational information that the weaker
// direction must have for a scan to fix the robot in all directions.
const slideShare = 0.04

// Slides reports whether the scan could slide along some direction, as along the
// walls of a corridor, without fitting worse.
func (n *Normal) Slides() bool {
	xx, xy, yy := n[0][0], n[0][1], n[1][1]
	trace := xx + yy
	least := (trace - math.Hypot(xx-yy, 2*xy)) / 2
	return !(least > slideShare*trace)
}

const (
	maxRounds  = 15
	longStep   = 0.05 // m, the longest step of one iteration
	smallStep  = 1e-4 // m, and a tenth of that in rad: convergence
	degenerate = 1e-12
)

// Refine improves a guess to the local optimum of the pose: Gauss-Newton on the mean
// square of 1 minus the field, with the normal matrix hold as a prior around the guess. It
// returns the normal matrix there, without hold. It does not allocate.
func (f *Field) Refine(guess robot.Pose, points []robot.Point, hold Normal) (robot.Pose, Normal) {
	at := guess
	var h Normal
	if len(points) == 0 {
		return at, h
	}
	share := 1 / float64(len(points))
	for range maxRounds {
		h = Normal{}
		var g [3]float64
		sin, cos := math.Sincos(at.Theta)
		for _, p := range points {
			rx, ry := cos*p.X-sin*p.Y, sin*p.X+cos*p.Y
			v, dx, dy := f.slopeAt(at.X+rx, at.Y+ry)
			if dx == 0 && dy == 0 {
				continue
			}
			j := [3]float64{dx, dy, rx*dy - ry*dx}
			for a := range 3 {
				g[a] += j[a] * (1 - v)
				for b := range a + 1 {
					h[a][b] += j[a] * j[b]
				}
			}
		}
		off := [3]float64{at.X - guess.X, at.Y - guess.Y, robot.WrapAngle(at.Theta - guess.Theta)}
		m := h
		for a := range 3 {
			g[a] *= share
			for b := range a + 1 {
				h[a][b] *= share
				h[b][a] = h[a][b]
				m[a][b] = h[a][b] + hold[a][b]
			}
		}
		for a := range 3 {
			for b := range 3 {
				g[a] -= hold[a][b] * off[b]
			}
		}
		d, ok := m.solveNormal(g)
		if !ok {
			break
		}
		f := 1.0
		if way := math.Hypot(d[0], d[1]); way > longStep {
			f = longStep / way
		}
		at = robot.Pose{X: at.X + f*d[0], Y: at.Y + f*d[1], Theta: robot.WrapAngle(at.Theta + f*d[2])}
		if math.Hypot(d[0], d[1]) < smallStep && math.Abs(d[2]) < smallStep/10 {
			break
		}
	}
	return at, h
}

// solveNormal solves n x = b by Cholesky decomposition. It reads the lower half of n; ok is
// false if n is not positive definite.
func (n *Normal) solveNormal(b [3]float64) (x [3]float64, ok bool) {
	var l Normal
	for i := range 3 {
		for j := range i + 1 {
			s := n[i][j]
			for k := range j {
				s -= l[i][k] * l[j][k]
			}
			if i != j {
				l[i][j] = s / l[j][j]
				continue
			}
			if !(s > degenerate) {
				return x, false
			}
			l[i][i] = math.Sqrt(s)
		}
	}
	for i := range 3 {
		x[i] = b[i]
		for k := range i {
			x[i] -= l[i][k] * x[k]
		}
		x[i] /= l[i][i]
	}
	for i := 2; i >= 0; i-- {
		for k := i + 1; k < 3; k++ {
			x[i] -= l[k][i] * x[k]
		}
		x[i] /= l[i][i]
	}
	return x, true
}
