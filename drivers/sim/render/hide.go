package render

import (
	"math"

	"mybot/robot"
)

// A group is faces that are close together: those from first to last-1 of a
// builder, all within radius of a point. A single check reports whether walls hide
// it.
type group struct {
	first, last int
	middle      robot.Point // in map
	radius      float64     // m
}

// rays is the number of directions of a horizon.
const rays = 1024

// A horizon is the distance, in m, to the nearest wall in each direction from an
// eye. Everything behind is hidden, because walls reach the ceiling.
type horizon struct {
	eye   robot.Point
	reach [rays]float64
	sides [rays]robot.Point
}

func newHorizon() *horizon {
	h := &horizon{}
	for i := range h.sides {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / rays)
		h.sides[i] = robot.Point{X: cos, Y: sin}
	}
	return h
}

// reset starts again at another eye.
func (h *horizon) reset(eye robot.Point) {
	h.eye = eye
	for i := range h.reach {
		h.reach[i] = math.Inf(1)
	}
}

// addWall adds a wall.
func (h *horizon) addWall(l robot.Segment) {
	a, b := l.A.Sub(h.eye), l.B.Sub(h.eye)
	c := a.Cross(b)
	if math.Abs(c) < 1e-9 {
		return
	}
	if c < 0 {
		a, b, c = b, a, -c
	}
	from := directionOf(a)
	wide := math.Mod(directionOf(b)-from+rays, rays)
	e := b.Sub(a)
	for k := math.Ceil(from); k <= from+wide; k++ {
		i := int(k) & (rays - 1)
		if den := h.sides[i].Cross(e); den > 0 {
			h.reach[i] = min(h.reach[i], c/den)
		}
	}
}

// hides reports whether walls hide everything within radius of a point.
func (h *horizon) hides(p robot.Point, radius float64) bool {
	d := p.Sub(h.eye)
	far := d.Norm()
	if far <= 2*radius+0.1 {
		return false
	}
	middle, half := directionOf(d), math.Asin(radius/far)*rays/(2*math.Pi)
	for k := math.Floor(middle - half); k <= math.Ceil(middle+half); k++ {
		if h.reach[int(k)&(rays-1)] > far-radius {
			return false
		}
	}
	return true
}

// directionOf returns the direction of a vector, 0 to rays for a full circle.
func directionOf(p robot.Point) float64 {
	t := math.Atan2(p.Y, p.X) * rays / (2 * math.Pi)
	if t < 0 {
		t += rays
	}
	return t
}
