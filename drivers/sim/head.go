package sim

import (
	"fmt"
	"math"

	"mybot/robot"
)

// head is the pan/tilt head.
type head struct {
	at, want robot.HeadAngles
}

// Look turns the head toward the angles, clamped to Description.Head, at the
// head's speed. It returns robot.ErrNA when there is no head.
func (w *World) Look(a robot.HeadAngles) error {
	h := w.desc.Head
	if h == nil {
		return robot.ErrNA
	}
	if math.IsNaN(a.Pan) || math.IsInf(a.Pan, 0) || math.IsNaN(a.Tilt) || math.IsInf(a.Tilt, 0) {
		return fmt.Errorf("sim: head angles of %v and %v rad are not finite; the head stays", a.Pan, a.Tilt)
	}
	w.head.want = robot.HeadAngles{
		Pan:  max(h.PanMin, min(h.PanMax, a.Pan)),
		Tilt: max(h.TiltMin, min(h.TiltMax, a.Tilt)),
	}
	return nil
}

func (w *World) turnHead(dt float64) {
	if w.desc.Head == nil {
		return
	}
	most := w.desc.Head.Speed * dt
	w.head.at.Pan += max(-most, min(most, w.head.want.Pan-w.head.at.Pan))
	w.head.at.Tilt += max(-most, min(most, w.head.want.Tilt-w.head.at.Tilt))
}
