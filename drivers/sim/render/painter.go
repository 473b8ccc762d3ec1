// Package render draws the view of a simulated robot's camera: the floor plan as a
// building with walls, doors and furniture, and the barrels and people in it.
package render

import "mybot/robot"

// A Shot is the state of the world for one picture. Its memory can be reused.
type Shot struct {
	Base    robot.Pose // true, of base_link in map
	Head    robot.HeadAngles
	Closed  []bool // by door
	Barrels []Barrel
	Figures []Figure
}

// A Barrel is a round obstacle.
type Barrel struct {
	Point  robot.Point // its centre, in map
	Radius float64     // m
	Height float64     // m; 0 = unknown
}

// A Figure is a person at one moment.
type Figure struct {
	At      robot.Point // in map
	Heading float64     // rad, in map
	Stride  float64     // rad, phase of the walking cycle; NaN = standing
	Number  int         // distinguishes this person from others
}

// A Painter draws a camera's view of a floor plan and of what stands and walks
// there. The same shot always gives the same picture. One goroutine owns it.
type Painter struct {
	head     robot.Head
	interior *interior
	canvas   *canvas
	wardrobe *wardrobe
	horizon  *horizon
	moving   builder
	points   []robot.Point3
}

// NewPainter returns a painter for the camera in a head.
func NewPainter(head robot.Head, plan *robot.Floorplan) *Painter {
	p := &Painter{head: head, interior: newInterior(plan), canvas: newCanvas(), wardrobe: newWardrobe(), horizon: newHorizon()}
	p.head.Camera.Width &^= 1 // 4:2:0 needs even sizes
	p.head.Camera.Height &^= 1
	p.canvas.void = hexColour(0xc9ced2).packed()
	return p
}

// Paint draws the picture of a shot into f.
func (p *Painter) Paint(s *Shot, f *robot.Frame) {
	in, c := p.interior, p.canvas
	c.beginPicture(p.head.View(s.Head).In(s.Base))
	eye := c.view.Eye
	p.points = p.points[:0]
	p.moving.reset(in.id)
	p.horizon.reset(robot.Point{X: eye.X, Y: eye.Y})
	for _, l := range in.plan.Lines {
		p.horizon.addWall(l)
	}
	for i, d := range in.plan.Doors {
		angle := d.Open
		if s.Closed[i] {
			angle = d.Closed
			p.horizon.addWall(d.Leaf(angle))
		}
		n := len(p.moving.faces)
		p.moving.addDoor(p.wardrobe, d, angle, light{level: 0.98, field: in.glow})
		p.moving.groupFrom(n)
	}
	for _, t := range s.Barrels {
		if p.horizon.hides(t.Point, t.Radius) {
			continue
		}
		height := t.Height
		if height <= 0 {
			height = barrelHeight
		}
		n := len(p.moving.faces)
		p.moving.addBarrel(p.wardrobe, t.Point, t.Radius, min(height, in.ceiling-0.05), in.glow.at(t.Point.X, t.Point.Y), eye)
		p.moving.groupFrom(n)
		p.addShadow(t.Point, t.Radius+0.16, 0.62)
	}
	for _, g := range s.Figures {
		if p.horizon.hides(g.At, 0.4) {
			continue
		}
		n := len(p.moving.faces)
		p.moving.addPerson(p.wardrobe, g, in.glow.at(g.At.X, g.At.Y), eye)
		p.moving.groupFrom(n)
		p.addShadow(g.At, 0.42, 0.55)
	}
	for i := range in.faces[:in.always] {
		c.addFace(&in.faces[i])
	}
	p.addVisible(&in.builder)
	p.addVisible(&p.moving)
	for i := range in.veils {
		c.addOverlay(&in.veils[i])
	}
	c.drawPicture(f)
}

// addVisible adds the groups that no wall hides.
func (p *Painter) addVisible(b *builder) {
	for _, g := range b.groups {
		if p.horizon.hides(g.middle, g.radius) {
			continue
		}
		for i := g.first; i < g.last; i++ {
			p.canvas.addFace(&b.faces[i])
		}
	}
}

// barrelHeight is the height of a barrel of unknown height, in m.
const barrelHeight = 0.9

// addShadow adds a soft shadow on the floor around a point.
func (p *Painter) addShadow(at robot.Point, radius, level float64) {
	n := len(p.points)
	step := 2 * radius / maskTexels
	low := robot.Point3{X: at.X - radius, Y: at.Y - radius}
	side := 2 * radius
	p.points = append(p.points, low, low.Add(robot.Point3{X: side}), low.Add(robot.Point3{X: side, Y: side}), low.Add(robot.Point3{Y: side}))
	p.canvas.addOverlay(&overlay{
		outline: p.points[n:len(p.points):len(p.points)], normal: robot.Point3{Z: 1}, origin: low,
		s: robot.Point3{X: step}, t: robot.Point3{Y: step},
		mask: p.interior.skins.disc, colour: black, level: level, first: 1, last: p.interior.floors,
	})
}
