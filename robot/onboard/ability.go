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

// What a robot does that lacks parts, or whose base will not drive.

// ownStop is who stops the robot when its base's own emergency stop is pressed.
const ownStop = "the robot's own emergency stop"

// seesNothing is why a robot without range sensors is driven slowly, and by hand alone.
const seesNothing = "This robot sees no obstacles."

// byItself ends the sentence why a robot takes no goal.
const byItself = " It goes nowhere by itself. Drive it by hand."

// heedBase has the base's own emergency stop, and its refusal to drive, count. The stop
// is latched as any other. A refusal, however short it is, ends what was asked for: a hand
// has to begin anew, and goal and job wait to be resumed.
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

// latchStop stops the robot until ClearStop. Who stopped it first counts.
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

// noteRanges notes whether anything of a reading tells how far things are.
func (s *situation) noteRanges(r robot.Reading, first bool) {
	if first || len(s.clouds) > 0 || slices.ContainsFunc(r.Ranges, func(d float64) bool { return !math.IsNaN(d) }) {
		s.seenAt = r.Time
	}
}

// blindReason says why the robot does not see what is in its way; "" = it does.
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

// refuseWithoutSight says why the robot takes no goal that it could only drive to blindly;
// the empty word = it does.
func (s *situation) refuseWithoutSight() robot.Result {
	return refuseByItself(s.blindReason())
}

// RefuseGoals says why a robot of the description never goes anywhere by itself; the empty
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

// refuseByItself refuses to go anywhere by itself for a reason; the empty word where there
// is none.
func refuseByItself(reason string) robot.Result {
	if reason == "" {
		return robot.Result{}
	}
	return robot.Result{Word: robot.NA, Reason: reason + byItself}
}

// limitBlind returns the twist as slow as a robot may be that sees no obstacles, on the
// same arc. A sentence says why it is slower; "" = it is not.
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

// handLimit returns how fast a hand drives the robot for now, toward where it drove last;
// nil = as fast as its description says. A robot that never sees anything is described as slow.
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

// judgeRequest returns the answer to a velocity command that the limits, or the steering,
// change.
func (s *situation) judgeRequest(t robot.Twist) robot.Result {
	r := judgeLimits(t, s.desc.Safe)
	if r.Word == robot.Success && t.LimitTurning(s.desc.TurningRadius) != t {
		return robot.Result{Word: robot.Modified, Reason: s.tooTight(t)}
	}
	return r
}

// tooTight says that the robot cannot turn as a twist asks for.
func (s *situation) tooTight(t robot.Twist) string {
	most := math.Abs(t.LimitTurning(s.desc.TurningRadius).Angular)
	return fmt.Sprintf("%.0f deg/s was asked for, but at %.2f m/s this robot turns with at most %.0f deg/s: its turning radius is %g m.",
		robot.Degrees(math.Abs(t.Angular)), math.Abs(t.Linear), robot.Degrees(most), s.desc.TurningRadius)
}
