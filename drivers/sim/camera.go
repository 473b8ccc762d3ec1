package sim

import (
	"context"
	"math"
	"time"

	"mybot/drivers/sim/render"
	"mybot/robot"
)

var _ robot.Camera = (*Driver)(nil)

// pictureEvery is the time between two pictures of the camera.
const pictureEvery = time.Second / 30

// A camera is a Driver's state between pictures. The goroutine that calls Next owns
// it.
type camera struct {
	painter *render.Painter
	shot    render.Shot
	next    time.Time // when the next picture is due
}

// Next takes the next picture of the simulated camera, as in robot.Camera: 30 a
// second of the head's view of the true world, in the size of Description.Head. It
// returns robot.ErrNA if there is no head. The world is locked only while its state
// is copied, for some microseconds; the picture is drawn afterwards. Pictures that
// no one waits for are not taken.
func (d *Driver) Next(ctx context.Context, f *robot.Frame) error {
	if d.desc.Head == nil {
		return robot.ErrNA
	}
	c := &d.camera
	if c.painter == nil {
		c.painter = render.NewPainter(*d.desc.Head, d.world.plan)
		c.next = time.Now()
	}
	if err := d.awaitDue(ctx, c.next); err != nil {
		return err
	}
	err := d.withWorld(func(w *World) error {
		f.Taken = time.Now()
		w.takeShot(&c.shot, (w.period - d.next.Sub(f.Taken)).Seconds())
		return nil
	})
	if err != nil {
		return err
	}
	if c.next = c.next.Add(pictureEvery); c.next.Before(f.Taken) {
		c.next = f.Taken.Add(pictureEvery)
	}
	f.Head = c.shot.Head
	c.painter.Paint(&c.shot, f)
	return nil
}

// awaitDue waits until the given time, the end of ctx or Close.
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

// takeShot returns the world late seconds after its last step, with robot and head
// extrapolated, so that pictures at their own rate show smooth motion.
func (w *World) takeShot(s *render.Shot, late float64) {
	drive := w.desc.Drivetrain
	travel := drive.Wheels(w.base.ground)
	s.Base = drive.Roll(w.base.pose, robot.Wheels{Left: travel.Left * late, Right: travel.Right * late})
	s.Head = w.headAfter(late)
	s.Closed = append(s.Closed[:0], w.closed...)
	s.Barrels = s.Barrels[:0]
	for _, t := range w.things {
		if t.Kind == ObstacleKind {
			s.Barrels = append(s.Barrels, render.Barrel{Point: t.Point, Radius: t.Radius, Height: t.height})
		}
	}
	s.Figures = s.Figures[:0]
	for i := range w.walkers {
		p := &w.walkers[i]
		to := p.Route[p.next].Point.Sub(p.at)
		f := render.Figure{At: p.at, Heading: math.Atan2(to.Y, to.X), Stride: math.NaN(), Number: i}
		if p.pause <= 0 && p.lost < 0.5 {
			steps := (float64(w.tick)*w.period.Seconds() + late) * p.Speed / 1.35 // two steps are 1.35 m
			f.Stride = 2 * math.Pi * math.Mod(steps, 1)
		}
		s.Figures = append(s.Figures, f)
	}
}
