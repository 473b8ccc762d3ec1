package onboard

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// This file handles robots that lack parts, and bases that refuse to drive.

// ownStop is the name in StopState.By when the base's own emergency stop is pressed.
const ownStop = "the robot's own emergency stop"

// seesNothing is why a robot without range sensors drives slowly and only by hand.
const seesNothing = "This robot sees no obstacles."

// byItself ends the sentence that refuses a goal.
const byItself = " It goes nowhere by itself. Drive it by hand."

// heedBase handles the base's own emergency stop, which latches like any other stop, and
// its refusal to drive. A refusal, however short, ends all motion: the driver must release
// and press again, and a goal or job waits to be resumed.
func (c *Core) heedBase(r robot.Reading) {
	if r.EStop && c.stop == nil {
		c.latchStop(r.Time, ownStop)
	}
	if r.Refuses != "" {
		c.teleop.endPress(r.Time, r.Refuses)
		c.flushQueue(r.Refuses)
		c.pauseGoal(r.Time, r.Refuses)
		c.order.answer = robot.Result{Word: robot.NA, Reason: r.Refuses}
	}
}

// latchStop stops the robot until ClearStop. The first user to stop it remains in the
// state.
func (c *Core) latchStop(now time.Time, by string) {
	if c.stop == nil {
		c.stop = &robot.StopState{By: by, At: now}
	}
	c.haltDriving(now, c.stopReason())
	c.pauseGoal(now, c.stopReason())
}

// clearStop releases the stop, unless the base's own emergency stop is still pressed.
func (c *Core) clearStop() robot.Result {
	if c.reading.EStop {
		return robot.Result{Word: robot.Panic, Reason: "The robot's own emergency stop is pressed. Release it at the robot first."}
	}
	c.stop = nil
	return robot.Result{Word: robot.Success}
}

// noteRanges notes the time of a reading in which a sonar or lidar measured something.
func (s *situation) noteRanges(r robot.Reading, first bool) {
	if first || len(s.clouds) > 0 || slices.ContainsFunc(r.Ranges, func(d float64) bool { return !math.IsNaN(d) }) {
		s.seenAt = r.Time
	}
}

// blindReason returns why the robot cannot see obstacles; "" = it can.
func (s *situation) blindReason() string {
	switch {
	case !s.desc.SeesObstacles():
		return seesNothing
	case len(s.lacks) > 0:
		return "Out of reach: " + strings.Join(s.lacks, ", ") + ". The robot may not see obstacles."
	case s.reading.Time.Sub(s.seenAt) > limits.BlindAfter:
		return "No sonar and no lidar of this robot measures anything. It sees no obstacles."
	}
	return ""
}

// blindAheadReason returns why a robot that drives by itself cannot see obstacles on its way;
// "" = it can. A driver may still drive, slowly.
func (s *situation) blindAheadReason() string {
	if reason := s.blindReason(); reason != "" {
		return reason
	}
	if s.reading.Time.Sub(s.aheadAt) > limits.BlindAfter {
		return "No sonar and no lidar of this robot measures in time what is ahead. It sees no obstacles there."
	}
	return ""
}

// refuseWithoutSight returns why the robot refuses a goal that it would have to reach
// blindly; the empty word = it accepts goals.
func (s *situation) refuseWithoutSight() robot.Result {
	return refuseByItself(s.blindAheadReason())
}

// RefuseGoals returns why a robot with this description never drives by itself; the empty
// word = it does.
func RefuseGoals(d robot.Description) robot.Result {
	switch {
	case d.TurningRadius > 0:
		return refuseByItself(fmt.Sprintf("This robot steers like a car, with a turning radius of %g m.", d.TurningRadius))
	case !d.SeesObstacles():
		return refuseByItself(seesNothing)
	}
	return robot.Result{}
}

// refuseByItself returns a refusal to drive autonomously for a reason; the empty word if
// reason is empty.
func refuseByItself(reason string) robot.Result {
	if reason == "" {
		return robot.Result{}
	}
	return robot.Result{Word: robot.NA, Reason: reason + byItself}
}

// limitBlind limits t to BlindSpeed on the same arc if the robot cannot see obstacles. why
// is the sentence that explains it; "" = t is unchanged.
func (s *situation) limitBlind(t robot.Twist) (slower robot.Twist, why string) {
	v := math.Abs(t.Linear)
	if v <= limits.BlindSpeed {
		return t, ""
	}
	if why = s.blindReason(); why == "" {
		return t, ""
	}
	return t.Scale(limits.BlindSpeed / v), why
}

// handLimit returns the current speed limit for driving by hand, in the direction of the
// last command; nil = only the description's limits apply. A robot that has no range
// sensors has its low speed in the description already.
func (c *Core) handLimit() *robot.HandLimit {
	if speed, why, ok := c.guard.BlindSide(c.order.asked.Linear < 0); ok {
		return &robot.HandLimit{Speed: speed, Why: why}
	}
	if l := c.lentLimit(true); l != nil {
		return l
	}
	if why := c.blindReason(); why != "" && c.desc.SeesObstacles() {
		return &robot.HandLimit{Speed: limits.BlindSpeed, Why: why}
	}
	return nil
}

// judgeRequest returns the answer to a velocity command: MODIFIED if the limits or the
// turning radius change it.
func (s *situation) judgeRequest(t robot.Twist) robot.Result {
	r := judgeLimits(t, s.desc.Safe)
	if r.Word == robot.Success && t.LimitTurning(s.desc.TurningRadius) != t {
		return robot.Result{Word: robot.Modified, Reason: s.tooTight(t)}
	}
	return r
}

// tooTight explains that a twist turns more tightly than the robot can.
func (s *situation) tooTight(t robot.Twist) string {
	most := math.Abs(t.LimitTurning(s.desc.TurningRadius).Angular)
	return fmt.Sprintf("%.0f deg/s was asked for, but at %.2f m/s this robot turns with at most %.0f deg/s: its turning radius is %g m.",
		robot.Degrees(math.Abs(t.Angular)), math.Abs(t.Linear), robot.Degrees(most), s.desc.TurningRadius)
}
