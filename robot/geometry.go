package robot

import "math"

// Finite reports whether none of the numbers is NaN or infinite.
func Finite(xs ...float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// Clamp returns x limited to [low, high].
func Clamp(x, low, high float64) float64 { return math.Max(low, math.Min(high, x)) }

// Dot returns the scalar product of the vectors p and q, in m2.
func (p Point) Dot(q Point) float64 { return p.X*q.X + p.Y*q.Y }

// Cross returns the cross product of the vectors p and q, in m2: positive when
// q points to the left of p.
func (p Point) Cross(q Point) float64 { return p.X*q.Y - p.Y*q.X }

// A Segment is a straight line between two points, in map.
type Segment struct {
	A Point `json:"a"`
	B Point `json:"b"`
}

// Distance returns the distance from p to the nearest point of the segment, in m.
func (s Segment) Distance(p Point) float64 {
	along, off := s.B.Sub(s.A), p.Sub(s.A)
	f := 0.0
	if l2 := along.Dot(along); l2 > 0 {
		f = max(0, min(1, off.Dot(along)/l2))
	}
	return math.Hypot(off.X-f*along.X, off.Y-f*along.Y)
}

// Gap returns the distance between the segments, in m; 0 if they cross.
func (s Segment) Gap(t Segment) float64 {
	along, across := s.B.Sub(s.A), t.B.Sub(t.A)
	if along.Cross(t.A.Sub(s.A))*along.Cross(t.B.Sub(s.A)) < 0 && across.Cross(s.A.Sub(t.A))*across.Cross(s.B.Sub(t.A)) < 0 {
		return 0
	}
	return min(t.Distance(s.A), t.Distance(s.B), s.Distance(t.A), s.Distance(t.B))
}

// Inside reports whether p lies within the outline, by the even-odd rule.
func Inside(p Point, outline []Point) bool {
	in := false
	for i, a := range outline {
		b := outline[(i+1)%len(outline)]
		if (a.Y > p.Y) != (b.Y > p.Y) && p.X < a.X+(b.X-a.X)*(p.Y-a.Y)/(b.Y-a.Y) {
			in = !in
		}
	}
	return in
}
