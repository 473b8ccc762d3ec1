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

// teleop executes a driver's requests: plain velocities, the path of a virtual robot, or a
// recorded motion.
type teleop struct {
	*situation
	others  others
	order   *driveOrder
	player  *playout.Player
	tracker *guard.ObstacleTracker

	request velocityRequest
	status  playout.Status // the player's, in the last tick
	follows bool           // the request is the player's
	motion  uint64         // number of the motion that is replayed; 0 = none
	held    *robot.Held    // read-only once set
	pressed string         // why the driver must release and press again before the robot moves; "" = not required
	slowed  string         // how the guard changed the driver's motion in the last tick; "" = it did not
	avoided avoidance
}

// avoidance caches the sentence about a detour until the detour changes.
type avoidance struct {
	aside int // cm beside the path
	text  string
}

// newTeleop returns the teleop source. onMap reports whether an echo at a point in the axle
// frame may come from the map.
func newTeleop(s *situation, o others, order *driveOrder, onMap func(robot.Point) bool) teleop {
	t := teleop{
		situation: s, others: o, order: order,
		player: playout.NewPlayer(s.desc, playout.Options{}), tracker: guard.NewObstacleTracker(s.guard, onMap),
	}
	t.player.SetObstacles(t.tracker)
	return t
}

// Do takes a drive sample, or a motion to replay.
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

// Interrupt drops the driver's request; a motion under way ends as interrupted.
func (t *teleop) Interrupt(_ time.Time, reason string) {
	t.player.Leave(reason)
	if !t.request.isZero() && !t.request.twist.IsZero() {
		t.order.answer = robot.Result{Word: robot.Interrupted, Reason: reason}
	}
	t.request = velocityRequest{}
}

// dropRequest drops the request and ends the stream of samples.
func (t *teleop) dropRequest(now time.Time, reason string) {
	t.Interrupt(now, reason)
	t.player.End(reason)
}

// endPress drops the request and ends the stream of samples. If the robot was driving, the
// driver must release the control and press it again.
func (t *teleop) endPress(now time.Time, reason string) {
	if !t.request.twist.IsZero() {
		t.pressed = reason
	}
	t.dropRequest(now, reason)
}

// expireRequest drops a request that has expired at the time now.
func (t *teleop) expireRequest(now time.Time) {
	if !t.request.isZero() && !t.request.isFresh(now) {
		t.Interrupt(now, "The commands stopped arriving.")
	}
}

// takeDriveSample takes a velocity sample.
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

// takePathSample takes a sample of the virtual robot's path.
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

// takeOver ends a replay when a driver drives, unless the sample belongs to an older
// stream.
func (t *teleop) takeOver(f robot.Follow) {
	lease, hold, _ := t.player.Held()
	if t.motion == 0 || f.Lease < lease || f.Lease == lease && f.Hold < hold {
		return
	}
	t.player.End("The robot is being driven by hand.")
	t.motion = 0
	t.player.SetOptions(playout.Options{})
}

// replayMotion starts the replay of a recorded motion. The robot follows it like the path
// of a virtual robot.
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

// Propose advances the player to the time of the reading. While the player is active, its
// twist is the driver's request.
func (t *teleop) Propose(r robot.Reading) (v velocityRequest, ok bool) {
	now := r.Time
	twist, s := t.player.Tick(now, t.estimate.Pose, t.measured)
	t.status = s
	switch {
	case s.Active:
		t.request = newVelocityRequest(twist, now, limits.RequestValidity, byHand)
		if s.Clear { // the detour around an obstacle has room
			t.request.approach.Stop = limits.NearStopDistance
		}
	case t.follows:
		t.request = velocityRequest{}
	}
	t.noteHeld(now)
	t.follows = s.Active
	if t.motion != 0 && !s.Active { // the replay is over
		t.motion = 0
		t.player.SetOptions(playout.Options{})
	}
	return t.request, t.request.isFresh(now)
}

// noteHeld records once why a stream of samples has ended.
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

// describeDetour returns a sentence about how far the robot leaves its path to avoid an
// obstacle; "" = it does not.
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
