package rollout

import (
	"math"

	"mybot/robot"
)

const (
	overhang = 0.04 // m by which the discs may exceed the hull sideways
	maxDiscs = 6
)

// disc covers a part of the hull; ahead and aside are its centre relative to M, in m.
type disc struct{ ahead, aside, radius float64 }

// coverHull returns discs that cover the hull, each a slice of it: the smallest number that
// is not much wider than the hull.
func coverHull(desc robot.Description) []disc {
	hull := desc.Body.Outline()
	low, high := hull[0], hull[0]
	for _, p := range hull {
		low = robot.Point{X: math.Min(low.X, p.X), Y: math.Min(low.Y, p.Y)}
		high = robot.Point{X: math.Max(high.X, p.X), Y: math.Max(high.Y, p.Y)}
	}
	var discs []disc
	for n := 1; n <= maxDiscs; n++ {
		discs = discs[:0]
		widest := 0.0
		for k := range n {
			from := low.X + (high.X-low.X)*float64(k)/float64(n)
			to := low.X + (high.X-low.X)*float64(k+1)/float64(n)
			d := disc{ahead: (from + to) / 2, aside: (low.Y + high.Y) / 2}
			for i, a := range hull {
				b := hull[(i+1)%len(hull)]
				for _, p := range [3]robot.Point{a, crossAt(a, b, from), crossAt(a, b, to)} {
					if p.X >= from-1e-9 && p.X <= to+1e-9 {
						d.radius = math.Max(d.radius, math.Hypot(p.X-d.ahead, p.Y-d.aside))
					}
				}
			}
			widest = math.Max(widest, d.radius)
			d.ahead += desc.Drivetrain.AxleOffset
			discs = append(discs, d)
		}
		if widest <= (high.Y-low.Y)/2+overhang {
			break
		}
	}
	return discs
}

// crossAt returns where the edge from a to b crosses the line at x across the robot; a if
// it does not.
func crossAt(a, b robot.Point, x float64) robot.Point {
	if (a.X-x)*(b.X-x) >= 0 {
		return a
	}
	f := (x - a.X) / (b.X - a.X)
	return robot.Point{X: x, Y: a.Y + f*(b.Y-a.Y)}
}
