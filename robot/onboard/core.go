package onboard

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
)

// Localizer tells where the robot is: package localization.
type Localizer interface {
	Update(robot.Reading)
	Estimate() robot.Estimate
	SetPose(robot.Pose)
}

// longestGap is how far apart two readings may be. After a longer one nobody
// knows what happened meanwhile, so the robot stands.
const longestGap = 250 * time.Millisecond

// smoothing is the time constant of the measured twist, in s: the steps of an
// encoder are coarse over a single reading.
const smoothing = 0.05

// Core is what a robot decides. NewCore makes one; one goroutine uses it.
// Orders and readings carry the time of one and the same clock.
type Core struct {
	desc  robot.Description
	loc   Localizer
	guard *Guard
	reach float64 // m from base_link to the farthest corner of the hull

	wishes wishes
	hand   teleop
	errand errand
	queue  queue
	job    jobRunner
	stop   *robot.StopState // never written to after it is set

	reading  robot.Reading // the newest; Ranges is not kept
	heard    bool          // there is a reading
	estimate robot.Estimate
	leapt    bool         // the estimate jumped with the newest reading
	fault    string       // what is wrong with the newest reading; "" = nothing
	measured robot.Twist  // at M, smoothed
	given    robot.Twist  // at M, what the wheels were told last
	asked    robot.Twist  // at M, the last order by hand
	answer   robot.Result // what became of it, apart from the guard
	held     *robot.Point // in map: what the guard held the robot for in the last tick, on the way to a goal
	notice   notice
}

// NewCore returns the core of a robot that stands and is asked for nothing.
// planner finds its ways; with nil, as without a map, it goes nowhere by itself.
func NewCore(desc robot.Description, loc Localizer, planner Planner) *Core {
	c := &Core{desc: desc, loc: loc, guard: New(desc), hand: teleop{player: playout.NewPlayer(desc, playout.Options{})}, errand: errand{planner: planner}, answer: robot.Result{Word: robot.Success}}
	for _, p := range c.guard.body.corners {
		c.reach = math.Max(c.reach, p.Sub(robot.Point{X: desc.Drivetrain.AxleOffset}).Norm())
	}
	c.hand.tracker = newAround(c.guard, c.onMap)
	c.hand.player.Heed(c.hand.tracker)
	return c
}

// Do takes an order at the time now, which is a time of the readings' clock,
// and answers it. What the guard makes of a Drive shows in State.Drive. An answer
// without a word says that the way for the order is still being planned: nothing
// was done yet, and the order is to be given again after the next reading.
func (c *Core) Do(now time.Time, cmd robot.Command) robot.Result {
	switch cmd := cmd.(type) {
	case robot.Drive:
		return c.drive(now, cmd)
	case robot.Follow:
		return c.track(now, cmd)
	case robot.Replay:
		return c.replay(now, cmd)
	case robot.Halt:
		c.halt(cmd.Reason)
		if cmd.Goal {
			c.pause(now, cmd.Reason)
		}
		return robot.Result{Word: robot.Success}
	case robot.Stop:
		if c.stop == nil {
			c.stop = &robot.StopState{By: cmd.By, At: now}
		}
		c.halt(c.stopReason())
		c.pause(now, c.stopReason())
		return robot.Result{Word: robot.Success}
	case robot.ClearStop:
		c.stop = nil
		return robot.Result{Word: robot.Success}
	case robot.Look:
		if c.stop != nil {
			return robot.Result{Word: robot.Panic, Reason: c.stopReason() + " Release the stop first."}
		}
		return c.look(cmd.HeadAngles)
	case robot.SetPose:
		return c.setPose(now, cmd.Pose)
	case robot.Enqueue:
		return c.enqueue(now, cmd)
	}
	if r, ok := c.goal(now, cmd); ok {
		return r
	}
	if r, ok := c.orderJob(now, cmd); ok {
		return r
	}
	return failed("The robot does not know the command %T.", cmd)
}

// setPose tells the localizer where the robot stands.
func (c *Core) setPose(now time.Time, p robot.Pose) robot.Result {
	switch {
	case !finite(p.X, p.Y, p.Theta):
		return failed("The position %v is not a number. Give x and y in metres and theta in radians.", p)
	case !still(c.measured) || !c.given.IsZero():
		return failed("The robot is moving. Set the position once it has stopped.")
	}
	c.flush("The position was set.")
	c.hand.player.Leave("The position was set.")
	c.pause(now, "The position was set.")
	c.loc.SetPose(p)
	c.estimate = c.loc.Estimate()
	return robot.Result{Word: robot.Success}
}

// drive takes one sample of driving by hand.
func (c *Core) drive(now time.Time, d robot.Drive) robot.Result {
	switch {
	case !d.Twist.IsFinite():
		c.halt("The command was not a number.")
		return failed("The speed %v m/s, %v rad/s is not a number.", d.Twist.Linear, d.Twist.Angular)
	case d.Valid < 0:
		return failed("A command cannot be valid for %v; give more than 0 s and at most %v.", d.Valid, longestWish)
	}
	if no := c.refuseMotion(now); no.Word != "" {
		return no
	}
	c.flush(drivenByHand)
	c.hand.player.Leave("The driving mode was changed.")
	if !d.Twist.IsZero() {
		c.pause(now, drivenByHand)
	}
	valid := d.Valid
	if valid == 0 {
		valid = robot.DriveValid
	}
	c.wishes[manual] = newVelocityRequest(d.Twist, now, valid)
	c.asked = d.Twist
	c.answer = judgeLimits(d.Twist, c.desc.Safe)
	if valid > longestWish && c.answer.Word == robot.Success {
		c.answer = robot.Result{Word: robot.Modified, Reason: fmt.Sprintf("A command is valid for at most %v, not for %v.", longestWish, valid)}
	}
	return c.answer
}

// judgeLimits returns the answer to a wish that the limiter clamps.
func judgeLimits(t robot.Twist, safe robot.Limit) robot.Result {
	v, w := math.Abs(t.Linear), math.Abs(t.Angular)
	switch {
	case v <= safe.Linear && w <= safe.Angular:
		return robot.Result{Word: robot.Success}
	case v*safe.Angular >= w*safe.Linear:
		return robot.Result{Word: robot.Modified, Reason: fmt.Sprintf("%.2f m/s was asked for, %.2f m/s is the safe limit.", v, safe.Linear)}
	default:
		return robot.Result{Word: robot.Modified, Reason: fmt.Sprintf("%.0f deg/s was asked for, %.0f deg/s is the safe limit.",
			robot.Degrees(w), robot.Degrees(safe.Angular))}
	}
}

// halt gives up every wish, what waits in the queue, and the stream of samples
// that a hand drives by, if there is one.
func (c *Core) halt(reason string) {
	c.flush(cmp.Or(reason, "The robot was halted."))
	c.drop(reason)
	c.hand.player.End(reason)
}

// drop gives up every wish. An order that was under way was interrupted, for
// the reason.
func (c *Core) drop(reason string) {
	c.hand.player.Leave(reason)
	if w := c.wishes[manual]; !w.isZero() && !w.twist.IsZero() {
		c.answer = robot.Result{Word: robot.Interrupted, Reason: reason}
	}
	c.wishes.flush()
}

// LoopStalled tells the core that its owner was away, for a time longer than the base
// keeps a command. The base has braked meanwhile: nothing that a hand wanted goes
// on from where it was, and after long nothing does.
func (c *Core) LoopStalled(by time.Duration) {
	const reason = "The control loop was held up."
	c.drop(reason)
	c.breakOff(reason)
	if by > trouble {
		c.pause(c.reading.Time, reason)
	}
	c.given = robot.Twist{}
}

// Expire gives up a wish that no longer counts at the time now. A reading may
// have waited for the core's owner for longer than the wish lives; by the
// reading's own time it would still count.
func (c *Core) Expire(now time.Time) {
	if w := c.wishes[manual]; !w.isZero() && !now.Before(w.until) {
		c.drop("The commands stopped arriving.")
	}
}

func (c *Core) stopReason() string {
	if c.stop.By == "" {
		return "The robot is stopped."
	}
	return fmt.Sprintf("The robot is stopped by %s.", c.stop.By)
}

// look answers an order to the head, which the driver carries out.
func (c *Core) look(a robot.HeadAngles) robot.Result {
	if c.desc.Head == nil {
		return robot.Result{Word: robot.NA, Reason: "This robot has no head to turn."}
	}
	if !finite(a.Pan, a.Tilt) {
		return failed("The head's angles %v and %v are not numbers.", a.Pan, a.Tilt)
	}
	h := c.desc.Head
	if pan := Clamp(a.Pan, h.PanMin, h.PanMax); pan != a.Pan {
		return robot.Result{Word: robot.Modified, Reason: fmt.Sprintf("A pan of %.0f deg was asked for, the head turns only to %.0f deg.", robot.Degrees(a.Pan), robot.Degrees(pan))}
	}
	if tilt := Clamp(a.Tilt, h.TiltMin, h.TiltMax); tilt != a.Tilt {
		return robot.Result{Word: robot.Modified, Reason: fmt.Sprintf("A tilt of %.0f deg was asked for, the head tilts only to %.0f deg.", robot.Degrees(a.Tilt), robot.Degrees(tilt))}
	}
	return robot.Result{Word: robot.Success}
}

// Tick takes a reading and returns the twist at M for the wheels and the
// state after it. The state is a value: it shares nothing with the core that
// is written to later. A reading that cannot be true gives standstill.
func (c *Core) Tick(r robot.Reading) (robot.Twist, robot.State) {
	dt := c.take(r)
	c.noteHeld(c.reading.Time)
	c.serve(c.reading.Time)
	c.Propose(r)
	c.wishes[goal] = velocityRequest{}
	if t, request := c.pursue(r); request {
		c.wishes[goal] = newVelocityRequest(t, c.reading.Time, longestWish)
	}
	w, by, driven := c.wishes.pick(c.reading.Time)
	want, byHand, stop := w.twist, driven && by != goal, stopAt
	if driven && by == goal {
		stop = c.stopBefore()
	}
	if driven && by == manual && c.hand.rounds() {
		stop = stopThere
	}
	c.Expire(c.reading.Time)

	var out robot.Twist
	seen := c.guard.Idle()
	hold := c.stop != nil || c.fault != ""
	if !hold {
		want = c.desc.Safe.Clamp(want)
		out, seen = c.guard.Limit(want, c.desc.Safe.Slew(c.given, want, dt), c.measured, stop)
	}
	if !out.IsFinite() {
		out, hold = robot.Twist{}, true
		c.fail("The motion came out as no number; the robot has stopped.")
	}
	c.given = out
	c.held = nil
	if by == goal && seen.Guard.Active && !math.IsInf(seen.Guard.Ahead, 1) {
		at := c.desc.Drivetrain.Axle(c.estimate.Pose).Apply(seen.at)
		c.held = &at
	}

	c.hand.slowed = ""
	s := robot.State{
		Time:     c.reading.Time,
		Mode:     c.mode(byHand),
		Estimate: c.estimate,
		Twist:    c.measured,
		Ranges:   slices.Clone(r.Ranges),
		Nearest:  c.guard.Nearest(),
		Guard:    seen.Guard,
		Drive:    robot.DriveState{Asked: c.asked, Given: out, Result: c.answer},
		Play:     c.play(byHand),
		Held:     c.hand.held,
		Goal:     c.errand.publish(),
		Queue:    c.queue.publish(),
		Stop:     c.stop,
		Bump:     r.Bump,
		OK:       r.OK,
		Head:     r.Head,
		Battery:  r.Battery,
	}
	c.publish(&s)
	if byHand && !hold && seen.Guard.Active {
		c.hand.slowed = c.notice.of(seen)
		s.Drive.Result = robot.Result{Word: robot.Modified, Reason: c.hand.slowed}
		if by == queued {
			c.queue.running.result = s.Drive.Result
		}
	}
	if reason := c.hand.avoids(); reason != "" && by == manual && !hold {
		s.Drive.Result = robot.Result{Word: robot.Modified, Reason: reason}
	}
	return out, s
}

func (c *Core) mode(byHand bool) robot.Mode {
	switch {
	case c.stop != nil:
		return robot.ModeStopped
	case byHand:
		return robot.ModeManual
	case c.job.phase() == robot.RunRunning:
		return robot.ModeJob
	case c.errand.isUnderWay():
		return robot.ModeGoal
	case c.errand.goal.Phase == robot.GoalPaused, c.job.phase() != robot.RunEnded:
		return robot.ModePaused
	case c.reading.Battery.Charging && still(c.measured):
		return robot.ModeCharging
	}
	return robot.ModeReady
}

// take looks a reading over, passes it on to those who may believe it and
// returns the time since the one before, in s.
func (c *Core) take(r robot.Reading) float64 {
	period := 1 / c.desc.Rate
	step := time.Duration(period * float64(time.Second))
	if c.heard {
		step = r.Time.Sub(c.reading.Time)
	}
	first := !c.heard
	c.heard, c.fault = true, ""
	c.reading = r
	c.reading.Ranges = nil

	dt := step.Seconds()
	fastest := c.desc.Hardware.Linear + c.desc.Hardware.Angular*c.desc.Drivetrain.WheelBase/2
	fault := math.Max(math.Abs(r.Travel.Left), math.Abs(r.Travel.Right))
	switch {
	case !finite(r.Travel.Left, r.Travel.Right):
		c.fail("The base reports a wheel travel that is not a number; the robot has stopped.")
	case math.IsInf(r.Heading, 0):
		c.fail("The compass reports a heading that is not a number; the robot has stopped.")
	case len(r.Ranges) != len(c.desc.Sonars):
		c.fail(fmt.Sprintf("The base reports %d sonar ranges, but the robot has %d sonars; the robot has stopped.", len(r.Ranges), len(c.desc.Sonars)))
	case fault > 2*fastest*math.Max(dt, period)+0.05:
		c.fail(fmt.Sprintf("The base reports a wheel travel of %.2f m in %.0f ms, more than its motors can do; the robot has stopped.", fault, 1000*dt))
	}
	if c.fault != "" {
		c.measured = robot.Twist{}
		return period
	}
	foreseen := c.desc.Drivetrain.Roll(c.estimate.Pose, r.Travel)
	c.loc.Update(r)
	c.guard.Observe(r)
	c.hand.tracker.Observe(r.Time, c.hand.follows)
	c.estimate = c.loc.Estimate()
	p := c.estimate.Pose
	c.leapt = !first && p.Point().Sub(foreseen.Point()).Norm() > leap
	if !finite(p.X, p.Y, p.Theta) {
		c.fail("The position came out as no number; the robot has stopped.")
	}
	if first {
		return period
	}
	if step <= 0 || step > longestGap {
		c.fail(fmt.Sprintf("The time of the base's readings jumped by %.2f s; the robot has stopped.", dt))
		c.measured = robot.Twist{}
		return period
	}
	now := c.desc.Drivetrain.Twist(robot.Wheels{Left: r.Travel.Left / dt, Right: r.Travel.Right / dt})
	f := 1 - math.Exp(-dt/smoothing)
	c.measured.Linear += f * (now.Linear - c.measured.Linear)
	c.measured.Angular += f * (now.Angular - c.measured.Angular)
	return dt
}

// fail makes the robot stand because of a fault, which is the answer to
// whatever was asked until the next order.
func (c *Core) fail(reason string) {
	c.fault = reason
	c.drop(reason)
	c.breakOff(reason)
	c.answer = robot.Result{Word: robot.Error, Reason: reason}
}

func failed(format string, args ...any) robot.Result {
	return robot.Result{Word: robot.Error, Reason: fmt.Sprintf(format, args...)}
}

func still(t robot.Twist) bool { return math.Abs(t.Linear) < 0.01 && math.Abs(t.Angular) < 0.02 }

func Clamp(x, low, high float64) float64 { return math.Max(low, math.Min(high, x)) }

func finite(xs ...float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
