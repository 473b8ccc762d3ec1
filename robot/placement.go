package robot

import "math"

// A Placement is the pose of a frame in another frame, as a rotation matrix by rows and a
// position in m. The page computes the same in TypeScript; testdata/links.json checks both
// to 1e-9.
type Placement struct {
	Turned [3][3]float64
	At     Point3
}

// unplaced is the identity.
var unplaced = Placement{Turned: [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}

// Placement returns the transform as a matrix: Rz(Yaw) Ry(Pitch) Rx(Roll).
func (t Transform) Placement() Placement {
	about := func(i, j int, angle float64) Placement {
		p := unplaced
		sin, cos := math.Sincos(angle)
		p.Turned[i][i], p.Turned[i][j], p.Turned[j][i], p.Turned[j][j] = cos, -sin, sin, cos
		return p
	}
	p := about(0, 1, t.Yaw).Compose(about(2, 0, t.Pitch)).Compose(about(1, 2, t.Roll))
	p.At = Point3{t.X, t.Y, t.Z}
	return p
}

// Rotate transforms a vector from the frame to the other frame.
func (p Placement) Rotate(v Point3) Point3 {
	r := &p.Turned
	return Point3{
		r[0][0]*v.X + r[0][1]*v.Y + r[0][2]*v.Z,
		r[1][0]*v.X + r[1][1]*v.Y + r[1][2]*v.Z,
		r[2][0]*v.X + r[2][1]*v.Y + r[2][2]*v.Z,
	}
}

// RotateBack transforms a vector from the other frame to the frame.
func (p Placement) RotateBack(v Point3) Point3 {
	r := &p.Turned
	return Point3{
		r[0][0]*v.X + r[1][0]*v.Y + r[2][0]*v.Z,
		r[0][1]*v.X + r[1][1]*v.Y + r[2][1]*v.Z,
		r[0][2]*v.X + r[1][2]*v.Y + r[2][2]*v.Z,
	}
}

// Compose returns the placement of q in the other frame, where q is a placement in the
// frame.
func (p Placement) Compose(q Placement) Placement {
	r := Placement{At: p.At.Add(p.Rotate(q.At))}
	for i := range 3 {
		for k := range 3 {
			for j := range 3 {
				r.Turned[i][j] += p.Turned[i][k] * q.Turned[k][j]
			}
		}
	}
	return r
}

// Inverse returns the placement of the other frame in the frame.
func (p Placement) Inverse() Placement {
	back := p.RotateBack(p.At)
	q := Placement{At: Point3{-back.X, -back.Y, -back.Z}}
	for i := range 3 {
		for k := range 3 {
			q.Turned[i][k] = p.Turned[k][i]
		}
	}
	return q
}

// Transform returns the transform for which Placement returns p. If x points straight up or
// down, the roll is 0. No angle is -0.
func (p Placement) Transform() Transform {
	r := &p.Turned
	t := Transform{X: p.At.X, Y: p.At.Y, Z: p.At.Z, Pitch: math.Atan2(0-r[2][0], math.Hypot(r[0][0], r[1][0]))}
	if math.Hypot(r[0][0], r[1][0]) < 1e-9 {
		t.Yaw = math.Atan2(0-r[0][1], r[1][1])
		return t
	}
	t.Roll, t.Yaw = math.Atan2(r[2][1], r[2][2]), math.Atan2(r[1][0], r[0][0])
	return t
}

// displacement returns how a joint at a position, in rad or m, moves its link from where it
// is at zero. A turn uses Rodrigues' formula.
func (j Joint) displacement(at float64) Placement {
	p, a := unplaced, j.Axis
	if j.Kind == Slide {
		p.At = Point3{a[0] * at, a[1] * at, a[2] * at}
		return p
	}
	sin, cos := math.Sincos(at)
	cross := [3][3]float64{{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}}
	for i := range 3 {
		for k := range 3 {
			p.Turned[i][k] = cos*unplaced.Turned[i][k] + sin*cross[i][k] + (1-cos)*a[i]*a[k]
		}
	}
	return p
}

// PlaceLinks returns the placements of the links in base_link, in their order. at holds the
// joint positions in rad or m, in the order of joints. A joint with an unknown position is
// at home.
func PlaceLinks(links []Link, joints []Joint, at []float64) []Placement {
	placed, done := make([]Placement, len(links)), make([]bool, len(links))
	index := map[string]int{}
	for i, l := range links {
		index[l.Name] = i
	}
	moves := map[string]Placement{}
	for i, j := range joints {
		position := j.Home
		if i < len(at) && Finite(at[i]) {
			position = at[i]
		}
		moves[j.Link] = j.displacement(position)
	}
	var place func(i int) Placement
	place = func(i int) Placement {
		if done[i] {
			return placed[i]
		}
		l := links[i]
		p := unplaced
		if parent, ok := index[l.Parent]; ok && l.Parent != "" {
			p = place(parent).Compose(l.Origin.Placement())
		}
		if moved, ok := moves[l.Name]; ok {
			p = p.Compose(moved)
		}
		placed[i], done[i] = p, true
		return p
	}
	for i := range links {
		place(i)
	}
	return placed
}

// Reach returns the extent of the shape from its centre in the direction d, a unit vector
// in the shape's frame, in m.
func (s Shape) Reach(d Point3) float64 {
	switch s.Kind {
	case Box:
		return (math.Abs(d.X)*s.Length + math.Abs(d.Y)*s.Width + math.Abs(d.Z)*s.Height) / 2
	case Cylinder:
		return math.Abs(d.Z)*s.Length/2 + s.Radius*math.Hypot(d.X, d.Y)
	default:
		return s.Radius
	}
}

// FarthestOutside returns the movable link that sticks out of the hull the farthest, seen
// from above, and by how many m; "" = none does. At a corner of the hull the distance is a
// lower bound.
func (d Description) FarthestOutside(at []float64) (link string, by float64) {
	placed := PlaceLinks(d.Links, d.Joints, at)
	moved := map[string]bool{}
	for _, j := range d.Joints {
		moved[j.Link] = true
	}
	for range d.Links { // links on a moving link move too
		for _, l := range d.Links {
			moved[l.Name] = moved[l.Name] || moved[l.Parent]
		}
	}
	for i, l := range d.Links {
		if !moved[l.Name] {
			continue
		}
		for _, s := range l.Shapes {
			p := placed[i].Compose(s.Origin.Placement())
			for k, a := range d.Body.Hull {
				b := d.Body.Hull[(k+1)%len(d.Body.Hull)]
				edge := b.Sub(a)
				out := Point3{edge.Y / edge.Norm(), -edge.X / edge.Norm(), 0}
				if far := out.Dot(p.At.Sub(Point3{a.X, a.Y, 0})) + s.Reach(p.RotateBack(out)); far > by {
					link, by = l.Name, far
				}
			}
		}
	}
	return link, by
}
