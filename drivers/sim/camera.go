package sim

import (
	"context"
	"math"
	"time"

	"mybot/robot"
)

var _ robot.Camera = (*Driver)(nil)

// pictureEvery is the time between two pictures of the camera.
const pictureEvery = time.Second / 30

// A camera is what a Driver keeps from one picture to the next. The goroutine
// that calls Next owns it.
type camera struct {
	painter *Painter
	shot    shot
	next    time.Time // when the next picture is due
}

// Next takes the next picture of the simulated camera, as robot.Camera says: 30
// in a second of what the head looks at in the true world, of the size that
// Description.Head tells. It returns robot.ErrNA when there is no head. The
// world stands still only while it is looked at, some microseconds; the picture
// is drawn after that. Pictures that nobody waited for are not taken.
func (d *Driver) Next(ctx context.Context, f *robot.Frame) error {
	if d.desc.Head == nil {
		return robot.ErrNA
	}
	c := &d.camera
	if c.painter == nil {
		c.painter = NewPainter(d.desc, d.world.plan)
		c.next = time.Now()
	}
	if err := d.awaitDue(ctx, c.next); err != nil {
		return err
	}
	err := d.withWorld(func(w *World) error {
		f.Taken = time.Now()
		w.shoot(&c.shot, (w.period - d.next.Sub(f.Taken)).Seconds())
		return nil
	})
	if err != nil {
		return err
	}
	if c.next = c.next.Add(pictureEvery); c.next.Before(f.Taken) {
		c.next = f.Taken.Add(pictureEvery)
	}
	f.Head = c.shot.head
	c.painter.Paint(&c.shot, f)
	return nil
}

// awaitDue blocks until a moment, the end of ctx or Close.
func (d *Driver) awaitDue(ctx context.Context, due time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	wait := time.Until(due)
	if wait <= 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-d.closed:
		return robot.ErrClosed
	}
}

// A shot is what a picture shows of the world. Its memory can be used again.
type shot struct {
	base    robot.Pose // true, of base_link in map
	head    robot.HeadAngles
	closed  []bool // by door
	things  []Thing
	figures []figure
}

// shoot tells how the world is late seconds after its last step: the robot and
// its head have gone on as they did, so that pictures at a rate of their own
// show an even motion.
func (w *World) shoot(s *shot, late float64) {
	drive := w.desc.Drivetrain
	way := drive.Wheels(w.base.ground)
	s.base = drive.Roll(w.base.pose, robot.Wheels{Left: way.Left * late, Right: way.Right * late})
	s.head = w.headAfter(late)
	s.closed = append(s.closed[:0], w.closed...)
	s.things = append(s.things[:0], w.things...)
	s.figures = s.figures[:0]
	for i := range w.walkers {
		p := &w.walkers[i]
		to := p.Route[p.next].Point.Sub(p.at)
		f := figure{at: p.at, heading: math.Atan2(to.Y, to.X), stride: math.NaN(), number: i}
		if p.pause <= 0 && p.lost < 0.5 {
			steps := (float64(w.tick)*w.period.Seconds() + late) * p.Speed / 1.35 // two steps are 1.35 m
			f.stride = 2 * math.Pi * math.Mod(steps, 1)
		}
		s.figures = append(s.figures, f)
	}
}

// A Painter draws what a camera sees of a floor plan and what stands and walks
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

func NewPainter(head robot.Description, plan *robot.Floorplan) *Painter {
	p := &Painter{head: *head.Head, interior: newInterior(plan), canvas: newCanvas(), wardrobe: newWardrobe(), horizon: newHorizon()}
	p.head.Camera.Width &^= 1 // 4:2:0 needs even sizes
	p.head.Camera.Height &^= 1
	p.canvas.void = hexColour(0xc9ced2).packed()
	return p
}

// Paint draws the picture of a shot into f.
func (p *Painter) Paint(s *shot, f *robot.Frame) {
	in, c := p.interior, p.canvas
	c.beginPicture(p.head.View(s.head).In(s.base))
	eye := c.view.Eye
	p.points = p.points[:0]
	p.moving.reset(in.id)
	p.horizon.reset(robot.Point{X: eye.X, Y: eye.Y})
	for _, l := range in.plan.Lines {
		p.horizon.addWall(l)
	}
	for i, d := range in.plan.Doors {
		angle := d.Open
		if s.closed[i] {
			angle = d.Closed
			p.horizon.addWall(d.Leaf(angle))
		}
		n := len(p.moving.faces)
		p.moving.addDoor(p.wardrobe, d, angle, light{level: 0.98, field: in.glow})
		p.moving.groupFrom(n)
	}
	for _, t := range s.things {
		if t.Kind != ObstacleKind || p.horizon.hides(t.Point, t.Radius) {
			continue
		}
		height := t.height
		if height <= 0 {
			height = barrelHeight
		}
		n := len(p.moving.faces)
		p.moving.addBarrel(p.wardrobe, t.Point, t.Radius, min(height, in.ceiling-0.05), in.glow.at(t.Point.X, t.Point.Y), eye)
		p.moving.groupFrom(n)
		p.addShadow(t.Point, t.Radius+0.16, 0.62)
	}
	for _, g := range s.figures {
		if p.horizon.hides(g.at, 0.4) {
			continue
		}
		n := len(p.moving.faces)
		p.moving.addPerson(p.wardrobe, g, in.glow.at(g.at.X, g.at.Y), eye)
		p.moving.groupFrom(n)
		p.addShadow(g.at, 0.42, 0.55)
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

// barrelHeight is how high an obstacle is that somebody put there, in m.
const barrelHeight = 0.9

// addShadow lays a soft shadow on the floor around a point.
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
