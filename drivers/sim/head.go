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

// restingHead returns the head at power-on: straight ahead and slightly down, so
// that it sees the floor in front of the robot.
func restingHead(h *robot.Head) head {
	down := robot.HeadAngles{Tilt: max(h.TiltMin, min(h.TiltMax, robot.Radians(-15)))}
	return head{at: down, want: down}
}

// Look turns the head toward the angles, clamped to Description.Head, at the head's
// speed. It returns robot.ErrNA if there is no head.
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

func (w *World) turnHead(dt float64) { w.head.at = w.headAfter(dt) }

// headAfter returns the angles of the head dt seconds from now.
func (w *World) headAfter(dt float64) robot.HeadAngles {
	if w.desc.Head == nil {
		return robot.HeadAngles{}
	}
	most := w.desc.Head.Speed * dt
	at, want := w.head.at, w.head.want
	at.Pan += max(-most, min(most, want.Pan-at.Pan))
	at.Tilt += max(-most, min(most, want.Tilt-at.Tilt))
	return at
}
