package onboard

import (
	"fmt"
	"math"

	"mybot/robot"
	"mybot/robot/limits"
)

// turnHead answers a command to the head, which the driver carries out.
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

// handLimit returns how fast a hand may drive now because of what is lent; nil = as fast
// as the robot may be. A head that does not report where it looks may look aside.
func (s *situation) handLimit() *robot.HandLimit {
	if s.desc.Head == nil || !s.lent.Head || math.Abs(s.reading.Head.Pan) <= limits.LentHeadAside {
		return nil
	}
	return &robot.HandLimit{
		Speed: limits.LentSpeed,
		Why:   fmt.Sprintf("The head is lent and looks aside: at most %.1f m/s. Look ahead to drive faster.", limits.LentSpeed),
	}
}

// limitLent returns the twist as slow as a hand may drive because of what is lent, on the
// same arc. A sentence says why it is slower; "" = it is not.
func (s *situation) limitLent(t robot.Twist) (slower robot.Twist, why string) {
	v, limit := math.Abs(t.Linear), s.handLimit()
	if limit == nil || v <= limit.Speed {
		return t, ""
	}
	return t.Scale(limit.Speed / v), limit.Why
}
