package guard

import (
	"math"

	"mybot/robot"
)

// A Footprint is the robot's convex outline in the axle frame (origin M, x forward),
// counter-clockwise.
type Footprint struct {
	Corners []robot.Point
	Normals []robot.Point // outward, of the edge from corner i to corner i+1
}

// NewFootprint returns the outline of the body, grown by margin in m, in the axle frame.
func NewFootprint(desc robot.Description, margin float64) Footprint {
	corners := desc.Body.Outline()
	n := len(corners)
	h := Footprint{Corners: make([]robot.Point, n), Normals: make([]robot.Point, n)}
	for i, a := range corners {
		d := corners[(i+1)%n].Sub(a)
		h.Normals[i] = robot.Point{X: d.Y / d.Norm(), Y: -d.X / d.Norm()}
	}
	for i, a := range corners {
		// The corner moves to where the two grown edges meet.
		p, q := h.Normals[(i+n-1)%n], h.Normals[i]
		f := margin / (1 + p.Dot(q))
		h.Corners[i] = robot.Point{X: a.X + desc.Drivetrain.AxleOffset + f*(p.X+q.X), Y: a.Y + f*(p.Y+q.Y)}
	}
	return h
}

// Distance returns the distance from p to the hull in m, 0 inside it.
func (h *Footprint) Distance(p robot.Point) float64 {
	if _, gap := h.separatingEdge(p); gap <= 0 {
		return 0
	}
	best := math.Inf(1)
	for i, a := range h.Corners {
		best = math.Min(best, toEdge(p, a, h.Corners[(i+1)%len(h.Corners)]))
	}
	return best
}

// toEdge returns the distance from p to the edge from a to b, in m. It rounds relative to
// the corners, where Segment.Distance rounds relative to the distance between them. With
// this rounding the first of several equally near sonars remains the nearest.
func toEdge(p, a, b robot.Point) float64 {
	d := b.Sub(a)
	f := 0.0
	if l := d.Dot(d); l > 0 {
		f = robot.Clamp(p.Sub(a).Dot(d)/l, 0, 1)
	}
	return p.Sub(robot.Point{X: a.X + f*d.X, Y: a.Y + f*d.Y}).Norm()
}

// ReachFrom returns the distance from p to the farthest corner, in m.
func (h *Footprint) ReachFrom(p robot.Point) float64 {
	reach := 0.0
	for _, c := range h.Corners {
		reach = math.Max(reach, c.Sub(p).Norm())
	}
	return reach
}

// Rear returns the rear end of the outline: the smallest x, in m.
func (h *Footprint) Rear() float64 {
	rear := 0.0
	for _, c := range h.Corners {
		rear = math.Min(rear, c.X)
	}
	return rear
}

// separatingEdge returns the edge that p is farthest outside of, and the gap between p and
// its line, in m; negative = p is inside the hull.
func (h *Footprint) separatingEdge(p robot.Point) (edge int, gap float64) {
	gap = math.Inf(-1)
	for i, a := range h.Corners {
		if d := h.Normals[i].Dot(p.Sub(a)); d > gap {
			edge, gap = i, d
		}
	}
	return edge, gap
}

// contact is the first contact of a moving hull with an obstacle.
type contact struct {
	time  float64 // s, +Inf = never
	speed float64 // m/s, of the hull relative to the obstacle at the point of contact
}

func noContact() contact { return contact{time: math.Inf(1)} }

// distanceTravelled returns the distance that the touching point of the hull travels until
// the contact, in m.
func (c contact) distanceTravelled() float64 {
	if math.IsInf(c.time, 1) {
		return c.time
	}
	return c.time * c.speed
}

// sweep is a hull that moves along the arc of a twist. The centre of the arc is (0, v/w) in
// the axle frame; a twist with hardly any turning counts as straight.
type sweep struct {
	hull     *Footprint
	twist    robot.Twist // at M
	straight bool
	centre   robot.Point
	near     float64 // m2, smallest squared distance of the hull from the centre
	far      float64 // m2, largest one
	low      float64 // m, lateral extent of a straight motion
	high     float64
}

// grazing is the largest share of a motion into something beside it that still counts as along
// it, and the largest curvature of a motion that counts as straight, in 1/m. Rounding alone must
// not hold a robot beside a wall.
const grazing = 1e-3

func newSweep(h *Footprint, t robot.Twist) sweep {
	s := sweep{hull: h, twist: t, straight: math.Abs(t.Angular) <= grazing*math.Abs(t.Linear)}
	if s.straight {
		s.low, s.high = math.Inf(1), math.Inf(-1)
		for _, c := range h.Corners {
			s.low, s.high = math.Min(s.low, c.Y), math.Max(s.high, c.Y)
		}
		return s
	}
	s.centre = robot.Point{Y: t.Linear / t.Angular}
	d := h.Distance(s.centre)
	s.near = d * d
	for _, c := range h.Corners {
		r := c.Sub(s.centre)
		s.far = math.Max(s.far, r.Dot(r))
	}
	return s
}

// velocityAt returns the velocity of the hull's point p, in m/s.
func (s *sweep) velocityAt(p robot.Point) robot.Point {
	return robot.Point{X: s.twist.Linear - s.twist.Angular*p.Y, Y: s.twist.Angular * p.X}
}

// touchPoint returns when the hull touches the standing point p. A point that is already
// inside the hull is touched now, unless the hull moves away from it or along it.
func (s *sweep) touchPoint(p robot.Point) contact {
	if s.straight {
		if p.Y <= s.low || p.Y >= s.high {
			return noContact()
		}
	} else if r := p.Sub(s.centre); r.Dot(r) >= s.far || r.Dot(r) <= s.near {
		return noContact()
	}
	if edge, gap := s.hull.separatingEdge(p); gap <= 0 {
		v := s.velocityAt(p)
		if v.Dot(s.hull.Normals[edge]) <= grazing*v.Norm() {
			return noContact()
		}
		return contact{0, v.Norm()}
	}
	if s.straight {
		return s.straightTo(p)
	}
	return s.arcTo(p)
}

// straightTo moves the point backward into the convex hull: it is inside from the last edge
// that it enters until the first that it leaves.
func (s *sweep) straightTo(p robot.Point) contact {
	v := s.twist.Linear
	enter, leave := 0.0, math.Inf(1)
	for i, a := range s.hull.Corners {
		n := s.hull.Normals[i]
		gap, rate := n.Dot(p.Sub(a)), -v*n.X
		switch {
		case rate < 0:
			enter = math.Max(enter, -gap/rate)
		case rate > 0:
			leave = math.Min(leave, -gap/rate)
		case gap > 0:
			return noContact()
		}
	}
	if enter > leave {
		return noContact()
	}
	return contact{enter, math.Abs(v)}
}

// arcTo finds the first edge that the point meets on its circle around the centre.
func (s *sweep) arcTo(p robot.Point) contact {
	r := p.Sub(s.centre)
	radius := r.Norm()
	start := math.Atan2(r.Y, r.X)
	best := math.Inf(1)
	for i, a := range s.hull.Corners {
		n := s.hull.Normals[i]
		b := s.hull.Corners[(i+1)%len(s.hull.Corners)]
		a, b = a.Sub(s.centre), b.Sub(s.centre)
		h := n.Dot(a)
		if math.Abs(h) > radius {
			continue
		}
		along := robot.Point{X: -n.Y, Y: n.X}
		low, high := along.Dot(a), along.Dot(b)
		half := math.Sqrt(radius*radius - h*h)
		for _, k := range [2]float64{-half, half} {
			if k < low || k > high {
				continue
			}
			q := robot.Point{X: h*n.X + k*along.X, Y: h*n.Y + k*along.Y}
			// The hull turns with the twist, so relative to it the point turns the other
			// way.
			best = math.Min(best, turnAngle(start-math.Atan2(q.Y, q.X), s.twist.Angular))
		}
	}
	w := math.Abs(s.twist.Angular)
	if math.IsInf(best, 1) {
		return noContact()
	}
	return contact{best / w, radius * w}
}

// touchWall returns when a corner of the hull reaches the line n.p = d, with n pointing
// away from the robot. A corner beyond the line touches it now, unless it moves away or along
// the line.
func (s *sweep) touchWall(n robot.Point, d float64) contact {
	best := noContact()
	for _, c := range s.hull.Corners {
		v := s.velocityAt(c)
		gap, rate := d-n.Dot(c), n.Dot(v)
		at := math.Inf(1)
		switch {
		case gap <= 0:
			if rate > grazing*v.Norm() {
				return contact{0, v.Norm()}
			}
		case s.straight:
			if rate > 0 {
				at = gap / rate
			}
		default:
			r := c.Sub(s.centre)
			if k := (d - n.Dot(s.centre)) / r.Norm(); math.Abs(k) < 1 {
				from := math.Atan2(r.Y, r.X) - math.Atan2(n.Y, n.X)
				a := math.Acos(k)
				at = math.Min(turnAngle(a-from, s.twist.Angular), turnAngle(-a-from, s.twist.Angular)) / math.Abs(s.twist.Angular)
			}
		}
		if at < best.time {
			best = contact{at, v.Norm()}
		}
	}
	return best
}

// turnAngle returns the angle, in [0, 2 pi) rad, by which to turn in the direction of w to
// reach the angle a.
func turnAngle(a, w float64) float64 {
	if w < 0 {
		a = -a
	}
	a = math.Mod(a, 2*math.Pi)
	if a < 0 {
		a += 2 * math.Pi
	}
	return a
}
