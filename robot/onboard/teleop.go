package onboard

import (
	"fmt"
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/guard"
	"mybot/robot/limits"
	"mybot/robot/playout"
)

// drivenByHand is why other commands end when a driver drives.
const drivenByHand = "The robot was driven by hand."

// teleop drives by what a driver asks for: plain velocities, the path of a virtual
// robot, or a recorded motion.
type teleop struct {
	*situation
	others  others
	order   *driveOrder
	player  *playout.Player
	tracker *guard.ObstacleTracker

	request velocityRequest
	status  playout.Status // of the last tick
	follows bool           // the request is the player's
	motion  uint64         // the number of the motion that is replayed; 0 = a driver is followed
	held    *robot.Held    // never written to after it is set
	pressed string         // why a hand that is still pressed moves nothing until it has let go; "" = it moves the robot
	slowed  string         // what the guard did to the driver's motion in the last tick; "" = nothing
	avoided avoidance
}

// avoidance is the sentence about a way round something, written anew only when
// it changes.
type avoidance struct {
	aside int // cm beside the path
	text  string
}

// newTeleop returns one that drives. onMap reports whether what is heard at a point
// of the axle frame may be on the map.
func newTeleop(s *situation, o others, order *driveOrder, onMap func(robot.Point) bool) teleop {
	t := teleop{
		situation: s, others: o, order: order,
		player: playout.NewPlayer(s.desc, playout.Options{}), tracker: guard.NewObstacleTracker(s.guard, onMap),
	}
	t.player.SetObstacles(t.tracker)
	return t
}

// Do takes a sample of driving, or a motion to replay.
func (t *teleop) Do(now time.Time, cmd robot.Command) (r robot.Result, ok bool) {
	switch cmd := cmd.(type) {
	case robot.Drive:
		return t.takeDriveSample(now, cmd), true
	case robot.Follow:
		return t.takePathSample(now, cmd), true
	case robot.Replay:
		return t.replayMotion(now, cmd), true
	}
	return r, false
}

// Interrupt gives up what the driver asked for. A command that was under way was
// interrupted.
func (t *teleop) Interrupt(_ time.Time, reason string) {
	t.player.Leave(reason)
	if !t.request.isZero() && !t.request.twist.IsZero() {
		t.order.answer = robot.Result{Word: robot.Interrupted, Reason: reason}
	}
	t.request = velocityRequest{}
}

// dropRequest gives up the request and the stream of samples.
func (t *teleop) dropRequest(now time.Time, reason string) {
	t.Interrupt(now, reason)
	t.player.End(reason)
}

// endPress gives up what a hand asks for and the stream of its samples, until it has let go.
func (t *teleop) endPress(now time.Time, reason string) {
	if !t.request.twist.IsZero() {
		t.pressed = reason
	}
	t.dropRequest(now, reason)
}

// expireRequest gives up a request that no longer counts at the time now.
func (t *teleop) expireRequest(now time.Time) {
	if !t.request.isZero() && !t.request.isFresh(now) {
		t.Interrupt(now, "The commands stopped arriving.")
	}
}

// takeDriveSample takes one sample of a velocity.
func (t *teleop) takeDriveSample(now time.Time, d robot.Drive) robot.Result {
	switch {
	case !d.Twist.IsFinite():
		const reason = "The command was not a number."
		t.others.flushQueue(reason)
		t.dropRequest(now, reason)
		return failedResult("The speed %v m/s, %v rad/s is not a number.", d.Twist.Linear, d.Twist.Angular)
	case d.Valid < 0:
		return failedResult("A command cannot be valid for %v; give more than 0 s and at most %v.", d.Valid, limits.RequestValidity)
	}
	if no := t.refuseMotion(now); no.Word != "" {
		return no
	}
	switch {
	case d.Twist.IsZero():
		t.pressed = ""
	case t.pressed != "":
		return robot.Result{Word: robot.Interrupted, Reason: t.pressed + " Let go and press again."}
	}
	t.others.flushQueue(drivenByHand)
	t.player.Leave("The driving mode was changed.")
	if !d.Twist.IsZero() {
		t.others.pauseGoal(now, drivenByHand)
	}
	valid := d.Valid
	if valid == 0 {
		valid = robot.DriveValid
	}
	t.request = newVelocityRequest(d.Twist, now, valid, byHand)
	t.order.asked, t.order.answer = d.Twist, t.judgeRequest(d.Twist)
	if valid > limits.RequestValidity && t.order.answer.Word == robot.Success {
		t.order.answer = robot.Result{Word: robot.Modified, Reason: fmt.Sprintf("A command is valid for at most %v, not for %v.", limits.RequestValidity, valid)}
	}
	return t.order.answer
}

// takePathSample takes one sample of the path of a virtual robot.
func (t *teleop) takePathSample(now time.Time, f robot.Follow) robot.Result {
	if no := t.refuseMotion(now); no.Word != "" {
		return no
	}
	t.takeOver(f)
	if r := t.player.Take(now, f); r.Word != robot.Success {
		return r
	}
	if !t.follows {
		t.request = velocityRequest{}
	}
	if !f.Want.IsZero() {
		t.others.flushQueue(drivenByHand)
		t.others.pauseGoal(now, drivenByHand)
	}
	t.order.asked, t.order.answer = f.Want, t.judgeRequest(f.Want)
	return t.order.answer
}

// takeOver ends a motion that is replayed when a driver drives, unless the sample
// is of an older stream.
func (t *teleop) takeOver(f robot.Follow) {
	lease, hold, _ := t.player.Held()
	if t.motion == 0 || f.Lease < lease || f.Lease == lease && f.Hold < hold {
		return
	}
	t.player.End("The robot is being driven by hand.")
	t.motion = 0
	t.player.SetOptions(playout.Options{})
}

// replayMotion begins to play a recorded motion. It is followed like a path that is
// driven by hand, and ends like one.
func (t *teleop) replayMotion(now time.Time, cmd robot.Replay) robot.Result {
	if no := t.refuseMotion(now); no.Word != "" {
		return no
	}
	switch {
	case len(cmd.Points) == 0:
		return failedResult("The motion is empty.")
	case t.estimate.Trust == robot.TrustLost:
		return failedResult(lostReason)
	case !t.measured.IsStill() || !t.given.IsZero():
		return busyResult("The robot is moving. Let it stop, then replay the motion.")
	}
	away := t.estimate.Pose.Inverse().Compose(cmd.Points[0].Pose)
	if far, turned := away.Point().Norm(), math.Abs(robot.WrapAngle(away.Theta)); !(far <= limits.ReplayStart && turned <= limits.ReplayStartTurn) {
		return failedResult("The motion begins %.1f m from here, turned by %.0f deg. Send the robot to its start first.", far, robot.Degrees(turned))
	}
	if r := t.player.Play(now, playout.Motion{Points: cmd.Points}, cmd.Lease, cmd.Hold, t.estimate.Pose); r.Word != robot.Success {
		return r
	}
	t.others.flushQueue("A motion is being replayed.")
	t.motion = cmd.Number
	t.request = velocityRequest{}
	t.order.asked, t.order.answer = robot.Twist{}, robot.Result{Word: robot.Success}
	t.others.pauseGoal(now, "A motion is being replayed.")
	return t.order.answer
}

// Propose lets the path that is followed go on to the time of the reading. While
// there is one, it is what the driver asks for.
func (t *teleop) Propose(r robot.Reading) (v velocityRequest, ok bool) {
	now := r.Time
	twist, s := t.player.Tick(now, t.estimate.Pose, t.measured)
	t.status = s
	switch {
	case s.Active:
		t.request = newVelocityRequest(twist, now, limits.RequestValidity, byHand)
		if s.Clear { // it goes round something and knows that there is room
			t.request.approach.Stop = limits.NearStopDistance
		}
	case t.follows:
		t.request = velocityRequest{}
	}
	t.noteHeld(now)
	t.follows = s.Active
	if t.motion != 0 && !s.Active { // the replay is over: a driver is followed again
		t.motion = 0
		t.player.SetOptions(playout.Options{})
	}
	return t.request, t.request.isFresh(now)
}

// noteHeld notes once why a stream of samples has ended.
func (t *teleop) noteHeld(now time.Time) {
	lease, hold, reason := t.player.Held()
	switch {
	case reason == "":
		t.held = nil
	case t.held == nil || t.held.Lease != lease || t.held.Hold != hold:
		if reason == playout.Stuck && t.slowed != "" {
			reason += " " + t.slowed
		}
		t.others.flushQueue(reason)
		t.held = &robot.Held{Lease: lease, Hold: hold, Reason: reason, Pose: t.estimate.Pose, At: now}
		if t.follows {
			t.order.answer = robot.Result{Word: robot.Interrupted, Reason: reason}
		}
	}
}

// describePlay returns how the driver's samples are played out.
func (t *teleop) describePlay() robot.Play {
	s := &t.status
	if !t.follows {
		return robot.Play{Policy: string(playout.Direct), Rate: 1}
	}
	return robot.Play{
		Policy: string(s.Policy), Motion: t.motion, Left: s.Left, Lead: s.Lead, Jitter: s.Jitter, Rate: s.Rate, Stalled: s.Stalled,
		Reference: s.Reference, Error: math.Abs(s.Across), Detour: s.Detour,
	}
}

// describeDetour says how far beside its path the robot goes round something; "" = not at
// all.
func (t *teleop) describeDetour() string {
	aside := 5 * int(math.Round(20*math.Abs(t.status.Detour)))
	if !t.follows || aside == 0 {
		return ""
	}
	if a := &t.avoided; a.aside != aside {
		*a = avoidance{aside, fmt.Sprintf("Avoiding something, %d cm off the path.", aside)}
	}
	return t.avoided.text
}
