package sim

import (
	"time"

	"mybot/robot"
)

// A Photographer takes pictures of a World that somebody else steps, in the
// world's own time: for experiments. The same steps give the same pictures. One
// goroutine uses it and its world.
type Photographer struct {
	world   *World
	painter *Painter
	shot    shot
}

// NewPhotographer returns robot.ErrNA when the robot has no head.
func NewPhotographer(w *World) (*Photographer, error) {
	if w.desc.Head == nil {
		return nil, robot.ErrNA
	}
	return &Photographer{world: w, painter: NewPainter(w.desc, w.plan)}, nil
}

// Take puts into f what the camera sees late after the last step.
func (p *Photographer) Take(late time.Duration, f *robot.Frame) {
	p.world.shoot(&p.shot, late.Seconds())
	f.Taken, f.Head = p.world.time.Add(late), p.shot.head
	p.painter.Paint(&p.shot, f)
}
