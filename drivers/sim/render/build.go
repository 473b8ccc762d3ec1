package render

import (
	"math"

	"mybot/robot"
)

// A builder assembles faces into objects. Its memory is reused.
type builder struct {
	faces  []face
	points []robot.Point3
	groups []group
	id     uint16
}

// reset removes all faces; the next object gets the number id.
func (b *builder) reset(id uint16) {
	b.faces, b.points, b.groups, b.id = b.faces[:0], b.points[:0], b.groups[:0], id
}

// groupFrom makes a group of the faces from first on.
func (b *builder) groupFrom(first int) {
	if first == len(b.faces) {
		return
	}
	low, high := robot.Point{X: math.Inf(1), Y: math.Inf(1)}, robot.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, f := range b.faces[first:] {
		for _, p := range f.outline {
			low = robot.Point{X: min(low.X, p.X), Y: min(low.Y, p.Y)}
			high = robot.Point{X: max(high.X, p.X), Y: max(high.Y, p.Y)}
		}
	}
	middle := robot.Point{X: (low.X + high.X) / 2, Y: (low.Y + high.Y) / 2}
	b.groups = append(b.groups, group{first, len(b.faces), middle, high.Sub(low).Norm() / 2})
}

// nextObject starts another object and returns its number.
func (b *builder) nextObject() uint16 {
	if b.id < touched-1 {
		b.id++
	}
	return b.id
}

// A skin is the look of a face: a texture and the size of its texels, in m.
type skin struct {
	*texture
	s, t float64
	dull bool // as a floor it reflects nothing
}

// flatSkin returns a skin of one colour.
func flatSkin(c rgb) skin { return skin{texture: plainTexture(c.packed()), s: 1, t: 1} }

// flatSkins returns skins of the given colours, 0xrrggbb.
func flatSkins(colours ...uint32) (skins []skin) {
	for _, c := range colours {
		skins = append(skins, flatSkin(hexColour(c)))
	}
	return skins
}

// addPolygon adds a face. Its texture starts at the first corner and runs along the
// unit vectors right and up.
func (b *builder) addPolygon(outline []robot.Point3, right, up robot.Point3, k skin, l light) *face {
	b.faces = append(b.faces, face{
		id: b.id, outline: outline, normal: right.Cross(up), origin: outline[0],
		s: right.Times(k.s), t: up.Times(k.t), texture: k.texture, light: l,
	})
	return &b.faces[len(b.faces)-1]
}

// keepPoints stores points.
func (b *builder) keepPoints(p ...robot.Point3) []robot.Point3 {
	n := len(b.points)
	b.points = append(b.points, p...)
	return b.points[n:len(b.points):len(b.points)]
}

// addUpright adds an upright face from p to q and from the height low to high,
// visible to a viewer with p on the left.
func (b *builder) addUpright(p, q robot.Point, low, high float64, k skin, l light) *face {
	d := q.Sub(p)
	n := d.Norm()
	right := robot.Point3{X: d.X / n, Y: d.Y / n}
	return b.addPolygon(b.keepPoints(pointAt(p, low), pointAt(q, low), pointAt(q, high), pointAt(p, high)), right, robot.Point3{Z: 1}, k, l)
}

// addLevel adds a horizontal face, visible from above or from below.
func (b *builder) addLevel(outline []robot.Point, z float64, above bool, k skin, l light) *face {
	n := len(b.points)
	for i := range outline {
		b.points = append(b.points, pointAt(outline[i], z))
	}
	up := robot.Point3{Y: 1}
	if !above {
		up.Y = -1
	}
	return b.addPolygon(b.points[n:len(b.points):len(b.points)], robot.Point3{X: 1}, up, k, l)
}

func pointAt(p robot.Point, z float64) robot.Point3 { return robot.Point3{X: p.X, Y: p.Y, Z: z} }

// addBlock adds a body with this outline, in either direction, from low to high;
// every face is an object of its own. The light is that of its top.
func (b *builder) addBlock(outline []robot.Point, low, high float64, side, top skin, l light) {
	turned := outlineArea(outline) < 0
	for i, p := range outline {
		q := outline[(i+1)%len(outline)]
		if turned {
			p, q = q, p
		}
		if p == q {
			continue
		}
		b.nextObject()
		n := q.Sub(p)
		ll := l
		ll.level *= uprightShade(robot.Point{X: n.Y, Y: -n.X})
		ll.shift = 0.1
		b.addUpright(p, q, low, high, side, ll)
	}
	b.nextObject()
	b.addLevel(outline, high, true, top, l)
	if low > 0.05 {
		b.nextObject()
		l.level *= 0.6
		b.addLevel(outline, low, false, top, l)
	}
}

// uprightShade returns the brightness of an upright face with the normal n, of any
// length.
func uprightShade(n robot.Point) float64 {
	return 0.80 + 0.15*math.Abs(n.Y)/max(1e-9, n.Norm()) + 0.03*n.Y/max(1e-9, n.Norm())
}

func outlineArea(outline []robot.Point) float64 {
	sum := 0.0
	for i, p := range outline {
		sum += p.Cross(outline[(i+1)%len(outline)])
	}
	return sum / 2
}

// rectangleAround returns the outline of a rectangle around the centre, turned by
// an angle, in rad.
func rectangleAround(middle robot.Point, angle, length, width float64) []robot.Point {
	pose := robot.Pose{X: middle.X, Y: middle.Y, Theta: angle}
	return []robot.Point{
		pose.Apply(robot.Point{X: -length / 2, Y: -width / 2}), pose.Apply(robot.Point{X: length / 2, Y: -width / 2}),
		pose.Apply(robot.Point{X: length / 2, Y: width / 2}), pose.Apply(robot.Point{X: -length / 2, Y: width / 2}),
	}
}

// A ring is a cross-section of a round body.
type ring struct {
	middle robot.Point3
	rx, ry float64 // m, half axes along and across the body's heading
}

// A round describes how round bodies are drawn: the number of sides, and the
// lighting relative to the eye.
type round struct {
	sides   int
	heading float64      // rad, of the half axis rx
	eye     robot.Point3 // in map
	level   float64      // brightness where it faces the eye
	dark    float64      // reduction where it does not
}

// addTube adds the wall of a body between two rings.
func (b *builder) addTube(lower, upper ring, r round, k skin) {
	sinH, cosH := math.Sincos(r.heading)
	toEye := robot.Point{X: r.eye.X - lower.middle.X, Y: r.eye.Y - lower.middle.Y}
	toEye = robot.Point{X: toEye.X / max(1e-9, toEye.Norm()), Y: toEye.Y / max(1e-9, toEye.Norm())}
	turn := func(x, y float64) robot.Point { return robot.Point{X: x*cosH - y*sinH, Y: x*sinH + y*cosH} }
	place := func(g ring, sin, cos float64) robot.Point3 {
		p := turn(g.rx*cos, g.ry*sin)
		return robot.Point3{X: g.middle.X + p.X, Y: g.middle.Y + p.Y, Z: g.middle.Z}
	}
	lit := func(sin, cos float64) float64 {
		n := turn(cos, sin)
		facing := n.X*toEye.X + n.Y*toEye.Y
		side := n.X*toEye.Y - n.Y*toEye.X
		return r.level * (1 - r.dark*(1-max(0, facing)) + 0.08*side)
	}
	sin0, cos0 := 0.0, 1.0
	l0 := lit(sin0, cos0)
	for i := range r.sides {
		sin1, cos1 := math.Sincos(2 * math.Pi * float64(i+1) / float64(r.sides))
		l1 := lit(sin1, cos1)
		p, q := place(lower, sin0, cos0), place(lower, sin1, cos1)
		u, v := place(upper, sin1, cos1), place(upper, sin0, cos0)
		right, up := q.Sub(p), v.Sub(p)
		if right.Dot(right) < 1e-12 {
			right = u.Sub(v)
		}
		outward := right.Cross(up)
		if n := outward.Dot(outward); n > 1e-18 {
			w := math.Sqrt(right.Dot(right))
			b.faces = append(b.faces, face{
				id: b.id, outline: b.keepPoints(p, q, u, v), normal: outward.Times(1 / math.Sqrt(n)), origin: p,
				s: right.Times(k.s / w), t: up.Times(k.t / math.Sqrt(up.Dot(up))), texture: k.texture,
				light: light{level: l0, perS: (l1 - l0) * k.s / w},
			})
		}
		sin0, cos0, l0 = sin1, cos1, l1
	}
}

// addLid adds the top of a round body.
func (b *builder) addLid(g ring, r round, k skin, level float64) {
	sinH, cosH := math.Sincos(r.heading)
	n := len(b.points)
	for i := range r.sides {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(r.sides))
		x, y := g.rx*cos, g.ry*sin
		b.points = append(b.points, robot.Point3{X: g.middle.X + x*cosH - y*sinH, Y: g.middle.Y + x*sinH + y*cosH, Z: g.middle.Z})
	}
	b.addPolygon(b.points[n:len(b.points):len(b.points)], robot.Point3{X: 1}, robot.Point3{Y: 1}, k, light{level: level})
}
