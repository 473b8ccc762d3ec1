package sim

import (
	"time"

	"mybot/drivers/sim/render"
	"mybot/robot"
)

// A Photographer takes pictures of a World that another goroutine steps, in virtual
// time, for experiments. The same steps give the same pictures. One goroutine uses
// it and its world.
type Photographer struct {
	world   *World
	painter *render.Painter
	shot    render.Shot
}

// NewPhotographer returns robot.ErrNA if the robot has no head.
func NewPhotographer(w *World) (*Photographer, error) {
	if w.desc.Head == nil {
		return nil, robot.ErrNA
	}
	return &Photographer{world: w, painter: render.NewPainter(*w.desc.Head, w.plan)}, nil
}

// TakePicture draws into f what the camera sees at the time late after the last
// step.
func (p *Photographer) TakePicture(late time.Duration, f *robot.Frame) {
	p.world.takeShot(&p.shot, late.Seconds())
	f.Taken, f.Head = p.world.time.Add(late), p.shot.Head
	p.painter.Paint(&p.shot, f)
}
