package mapping

import (
	"math"

	"mybot/robot"
)

const (
	patchSize     = 0.30  // m, the side of a patch
	patchStride   = 0.15  // m between patches: each point is in four of them
	minPatch      = 5     // points that a patch must have
	flatness      = 0.1   // largest ratio of the variance across a wall to that along it
	noiseFloor    = 0.005 // m, of a patch
	surfaceBlur   = 0.04  // m: residuals above it count less
	surfaceReach  = 0.15  // m: residuals above it do not count
	surfaceScale  = 100   // 1/m2, which makes the normal matrix comparable to that of a likelihood field
	minOnSurface  = 0.3   // share of the points
	maxCorrection = 0.10  // m, and
	maxTurnBy     = 0.05  // rad, by which a polished pose may differ from the refined one
)

// A surface is the echoes of a submap in patches with a mean and a covariance,
// which give the position and direction of a wall more precisely than cells do
// (normal distributions, Biber and Strasser 2003).
type surface map[[2]int32]*patch

// A patch is the sums over its points, in m from its lower left corner.
type patch struct{ n, x, y, xx, xy, yy float32 }

func (s surface) insert(at robot.Pose, points []robot.Point) {
	for _, p := range points {
		q := at.Apply(p)
		i, j := int32(math.Floor(q.X/patchStride)), int32(math.Floor(q.Y/patchStride))
		for _, k := range [4][2]int32{{i, j}, {i - 1, j}, {i, j - 1}, {i - 1, j - 1}} {
			c := s[k]
			if c == nil {
				c = &patch{}
				s[k] = c
			}
			x, y := float32(q.X-float64(k[0])*patchStride), float32(q.Y-float64(k[1])*patchStride)
			c.n++
			c.x, c.y = c.x+x, c.y+y
			c.xx, c.xy, c.yy = c.xx+x*x, c.xy+x*y, c.yy+y*y
		}
	}
}

// nearest returns the patch whose centre is nearest to a point: its mean, and
// whether it is a flat part of a wall, with its normal. ok is false if it has too
// few points.
func (s surface) nearest(q robot.Point) (mean, normal robot.Point, flat, ok bool) {
	k := [2]int32{int32(math.Round(q.X/patchStride)) - 1, int32(math.Round(q.Y/patchStride)) - 1}
	c := s[k]
	if c == nil || c.n < minPatch {
		return mean, normal, false, false
	}
	n := float64(c.n)
	mx, my := float64(c.x)/n, float64(c.y)/n
	xx, xy, yy := float64(c.xx)/n-mx*mx, float64(c.xy)/n-mx*my, float64(c.yy)/n-my*my
	mean = robot.Point{X: mx + float64(k[0])*patchStride, Y: my + float64(k[1])*patchStride}
	half, diff := (xx+yy)/2, (xx-yy)/2
	root := math.Hypot(diff, xy)
	angle := math.Atan2(xy, diff)/2 + math.Pi/2
	sin, cos := math.Sincos(angle)
	flat = half-root+noiseFloor*noiseFloor < flatness*(half+root)
	return mean, robot.Point{X: cos, Y: sin}, flat, true
}

// refinePose moves a pose to where points lie best on the surface: Gauss-Newton on the
// distances to the lines of flat patches, and a hold. It also returns the normal
// matrix of the points alone; ok is false, and the pose the guess, if too few
// points lie on the surface.
func (s surface) refinePose(guess robot.Pose, points []robot.Point, h hold) (at robot.Pose, information matrix3, ok bool) {
	at = guess
	for range refineRounds {
		var normal matrix3
		var descent vector3
		on := 0
		sin, cos := math.Sincos(at.Theta)
		share := surfaceScale / pointWeight(points)
		for _, p := range points {
			rx, ry := cos*p.X-sin*p.Y, sin*p.X+cos*p.Y
			q := robot.Point{X: at.X + rx, Y: at.Y + ry}
			mean, across, flat, ok := s.nearest(q)
			if !ok || !flat {
				continue
			}
			e := across.Dot(q.Sub(mean))
			if math.Abs(e) > surfaceReach {
				continue
			}
			on++
			w := share / (1 + e*e/(surfaceBlur*surfaceBlur))
			j := vector3{across.X, across.Y, -across.X*ry + across.Y*rx}
			for a := range 3 {
				descent[a] -= w * j[a] * e
				for b := range 3 {
					normal[3*a+b] += w * j[a] * j[b]
				}
			}
		}
		if float64(on) < minOnSurface*float64(len(points)) {
			return guess, information, false
		}
		information = normal
		h.addTo(at, &normal, &descent)
		if !normal.factorize() {
			return guess, information, false
		}
		d := normal.solveUpper(normal.solveLower(descent))
		at = robot.Pose{X: at.X + d[0], Y: at.Y + d[1], Theta: robot.WrapAngle(at.Theta + d[2])}
		if math.Abs(d[0])+math.Abs(d[1]) < 1e-4 && math.Abs(d[2]) < 1e-5 {
			break
		}
	}
	off := guess.Inverse().Compose(at)
	if off.Point().Norm() > maxCorrection || math.Abs(off.Theta) > maxTurnBy {
		return guess, information, false
	}
	return at, information, true
}
