package onboard

import (
	"fmt"

	"mybot/robot"
)

// turnHead checks a command to the head; the driver executes it.
func (s *situation) turnHead(a robot.HeadAngles) robot.Result {
	if s.stop != nil {
		return robot.Result{Word: robot.Panic, Reason: s.stopReason() + " Release the stop first."}
	}
	if s.desc.Head == nil {
		return robot.Result{Word: robot.NA, Reason: "This robot has no head to turn."}
	}
	if !robot.Finite(a.Pan, a.Tilt) {
		return failedResult("The head's angles %v and %v are not numbers.", a.Pan, a.Tilt)
	}
	h := s.desc.Head
	if pan := robot.Clamp(a.Pan, h.PanMin, h.PanMax); pan != a.Pan {
		return robot.Result{Word: robot.Modified, Reason: fmt.Sprintf("A pan of %.0f deg was asked for, the head turns only to %.0f deg.", robot.Degrees(a.Pan), robot.Degrees(pan))}
	}
	if tilt := robot.Clamp(a.Tilt, h.TiltMin, h.TiltMax); tilt != a.Tilt {
		return robot.Result{Word: robot.Modified, Reason: fmt.Sprintf("A tilt of %.0f deg was asked for, the head tilts only to %.0f deg.", robot.Degrees(a.Tilt), robot.Degrees(tilt))}
	}
	return robot.Result{Word: robot.Success}
}
