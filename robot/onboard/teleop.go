package onboard

import (
	"fmt"
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
)

// teleop is driving by hand by way of a virtual robot.
type teleop struct {
	player  *playout.Player
	tracker *ObstacleTracker
	status  playout.Status // of the last tick
	follows bool           // the manual wish is the player's
	motion  uint64         // the number of the motion that is played; 0 = a hand is followed
	held    *robot.Held    // never written to after it is set
	slowed  string         // what the guard did to the hand's motion in the last tick; "" = nothing
	avoided avoidance
}

// avoidance is the sentence about a way round, written anew only when it changes.
type avoidance struct {
	aside int // cm beside the path
	text  string
}

// drivenByHand is why other orders end when a hand drives.
const drivenByHand = "The robot was driven by hand."

// refuseMotion says why the robot takes no order to move now; the empty word = it does.
func (c *Core) refuseMotion(now time.Time) robot.Result {
	if c.stop != nil {
		return robot.Result{Word: robot.Panic, Reason: c.stopReason() + " Release the stop first."}
	}
	return c.refuseWithoutReadings(now)
}

// refuseWithoutReadings says why nothing is known of the base now; the empty word = it is.
func (c *Core) refuseWithoutReadings(now time.Time) robot.Result {
	switch silent := now.Sub(c.reading.Time); {
	case !c.heard:
		return busy("The robot is starting.")
	case c.fault != "":
		return robot.Result{Word: robot.Error, Reason: c.fault}
	case silent > longestGap:
		return failed("The base has reported nothing for %.1f s. The robot stays put until it does.", silent.Seconds())
	}
	return robot.Result{}
}

// track takes one sample of a path that is driven by hand.
func (c *Core) track(now time.Time, f robot.Follow) robot.Result {
	if no := c.refuseMotion(now); no.Word != "" {
		return no
	}
	c.hand.takeOver(f)
	if r := c.hand.player.Take(now, f); r.Word != robot.Success {
		return r
	}
	if !c.hand.follows {
		c.wishes[manual] = velocityRequest{}
	}
	if !f.Want.IsZero() {
		c.flush(drivenByHand)
		c.pause(now, drivenByHand)
	}
	c.asked, c.answer = f.Want, judgeLimits(f.Want, c.desc.Safe)
	return c.answer
}

// takeOver ends a motion that is played when a hand drives, unless the sample
// is of an older stream.
func (h *teleop) takeOver(f robot.Follow) {
	lease, hold, _ := h.player.Held()
	if h.motion == 0 || f.Lease < lease || f.Lease == lease && f.Hold < hold {
		return
	}
	h.player.End("The robot is being driven by hand.")
	h.motion = 0
	h.player.SetOptions(playout.Options{})
}

// noteHeld lets the path that is driven by hand go on to the time now. While there
// is one to follow, it is what the hand wishes for.
func (c *Core) noteHeld(now time.Time) {
	h := &c.hand
	t, s := h.player.Tick(now, c.estimate.Pose, c.measured)
	h.status = s
	switch {
	case s.Active:
		c.wishes[manual], h.follows = newVelocityRequest(t, now, longestWish), true
	case h.follows:
		c.wishes[manual] = velocityRequest{}
	}
	lease, hold, reason := h.player.Held()
	switch {
	case reason == "":
		h.held = nil
	case h.held == nil || h.held.Lease != lease || h.held.Hold != hold:
		if reason == playout.Stuck && h.slowed != "" {
			reason += " " + h.slowed
		}
		c.flush(reason)
		h.held = &robot.Held{Lease: lease, Hold: hold, Reason: reason, Pose: c.estimate.Pose, At: now}
		if h.follows {
			c.answer = robot.Result{Word: robot.Interrupted, Reason: reason}
		}
	}
	h.follows = s.Active
	h.endReplay()
}

// play returns how the hand's samples are played out.
func (c *Core) play(byHand bool) robot.Play {
	switch s := &c.hand.status; {
	case !byHand:
		return robot.Play{}
	case !c.hand.follows:
		return robot.Play{Policy: string(playout.Direct), Rate: 1}
	default:
		return robot.Play{
			Policy: string(s.Policy), Motion: c.hand.motion, Left: s.Left, Lead: s.Lead, Jitter: s.Jitter, Rate: s.Rate, Stalled: s.Stalled,
			Reference: s.Reference, Error: math.Abs(s.Across), Detour: s.Detour,
		}
	}
}

// rounds tells whether the robot goes round something and knows that there is
// room: then the guard keeps less than by hand, as on a way of its own.
func (h *teleop) rounds() bool { return h.follows && h.status.Clear }

// avoids says how far beside its path the robot goes round something; "" = not
// at all.
func (h *teleop) avoids() string {
	aside := 5 * round(20*math.Abs(h.status.Detour))
	if !h.follows || aside == 0 {
		return ""
	}
	if g := &h.avoided; g.aside != aside {
		*g = avoidance{aside, fmt.Sprintf("Avoiding something, %d cm off the path.", aside)}
	}
	return h.avoided.text
}

// onMap tells whether what is heard at a point, in the axle frame, may be
// something on the map. Without a map it may be: nobody knows walls from things,
// and a hand that drives along a wall is not led away from it.
func (c *Core) onMap(p robot.Point) bool {
	return c.errand.planner == nil || c.errand.planner.OnMap(c.desc.Drivetrain.Axle(c.estimate.Pose).Apply(p))
}
