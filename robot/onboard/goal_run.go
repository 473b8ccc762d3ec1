package onboard

import (
	"cmp"
	"errors"
	"math"
	"time"

	"mybot/robot"
)

// The measures of going to a goal.
const (
	unsureSpeed = 0.2             // m/s while the position is unsure
	leap        = 0.3             // m; after a larger jump of the estimate the way is planned anew
	trouble     = 3 * time.Second // when the position or the base is gone for longer, the goal pauses
	peerAfter   = time.Second / 2 // without getting on, before it looks at what holds it
	peerSpeed   = 0.3             // rad/s
	heldFor     = 3 * time.Second // that the guard holds the robot for something that is not on the map before it goes round
	stuckAfter  = 6 * time.Second // without getting on
	tries       = 3               // times that the robot backs off and tries anew where it is stuck
	gotOn       = 0.5             // m from where it was stuck
	nearEnough  = 0.15            // m from the goal, when it cannot be nearer,
	turnedWell  = math.Pi / 18    // rad, and turned right by this
	backSpeed   = 0.15            // m/s
	backFor     = 3 * time.Second
	lookAgain   = 5 * time.Second // between two looks for a way round, and between two notes of what is still there
	longer      = 10.0            // m that a way round may be longer without anybody being asked,
	longerBy    = 0.5             // or this part of what is left,
	longerFor   = 1.0             // and m more for every second that the robot has waited
	stopThere   = 0.10            // m of free way that the guard keeps where the way itself leads that near to what is on the map
)

// lost is the answer to whoever wants to go somewhere from nobody knows where.
const lost = "Position unknown. Drive to a corridor or set the position."

// sentAway is why a robot gives up the path of a hand for its goal.
const sentAway = "The robot was sent to a goal."

// What people do to a goal, when they say no more.
const (
	goalPaused  = "The goal was paused."
	goalGivenUp = "The goal was cancelled."
)

// errand is the goal of a robot, the way there, and what has become of it.
type errand struct {
	planner Planner     // nil = there are no ways
	goal    robot.Goal  // Number 0 = there was none yet
	shown   *robot.Goal // goal as it was published last
	routes  uint64

	way   Path         // nil = it is planned when the robot stands
	fresh bool         // no way was found yet: a goal to which there is none ends
	round *robot.Point // nil = no; in map, what the way round is being planned for
	room  float64      // m that the way leaves now; +Inf = the robot is on none
	good  time.Time    // all was well with base and position
	tried int          // how often the robot was stuck
	stuck robot.Point
	back  time.Time // until then it backs off

	since   time.Time   // blocked
	at      robot.Point // what blocks, in map
	bar     string      // what that is; empty = not known
	longest float64     // m that the way round may be at first
	noted   time.Time   // the planner was told of it
	looked  time.Time   // a way round was looked for
}

func (e *errand) isUnderWay() bool {
	return e.goal.Phase == robot.GoalDriving || e.goal.Phase == robot.GoalBlocked
}

// publish returns the goal for a state: nil when there was none.
func (e *errand) publish() *robot.Goal {
	if e.goal.Number == 0 {
		return nil
	}
	if e.shown == nil || *e.shown != e.goal {
		g := e.goal
		e.shown = &g
	}
	return e.shown
}

// setOut sends the robot on a way to its goal.
func (e *errand) setOut(path Path) {
	route := path.Route()
	e.routes++
	route.Number = e.routes
	e.way, e.fresh, e.round = path, false, nil
	e.goal = robot.Goal{
		Number: e.goal.Number, Pose: e.goal.Pose, Name: e.goal.Name, Phase: robot.GoalDriving,
		Left: route.Length, Time: route.Time, Route: &route,
	}
}

// pause makes the robot stand until Resume, when it is under way.
func (e *errand) pause(reason string) {
	if e.isUnderWay() {
		e.rest(robot.GoalPaused, robot.Result{Reason: reason})
	}
}

func (e *errand) rest(phase robot.GoalPhase, why robot.Result) {
	e.way, e.fresh, e.round = nil, false, nil
	e.goal.Phase, e.goal.Blocked, e.goal.Across, e.goal.Result = phase, nil, 0, why
	e.back, e.since, e.tried = time.Time{}, time.Time{}, 0
}

// end is the last thing that happens to a goal.
func (c *Core) end(r robot.Result) {
	e := &c.errand
	e.rest(robot.GoalEnded, r)
	e.goal.Off = c.estimate.Pose.Point().Sub(e.goal.Pose.Point()).Norm()
	if r.Word == robot.Success {
		e.goal.Left, e.goal.Time = 0, 0
	}
}

// UsePlanner has ways found by another planner from now on: the map has
// changed. The way to a goal that is under way is planned anew.
func (c *Core) UsePlanner(p Planner) {
	e := &c.errand
	e.planner = p
	switch {
	case p == nil && e.goal.Number > 0 && e.goal.Phase != robot.GoalEnded:
		c.end(failed("There is no longer a map."))
	case e.isUnderWay():
		e.way, e.round, e.looked = nil, nil, time.Time{}
	}
}

// goal takes an order about going somewhere; ok is false when it is none.
func (c *Core) goal(now time.Time, cmd robot.Command) (r robot.Result, ok bool) {
	reason := sentAway
	switch cmd := cmd.(type) {
	case robot.Plan:
		return c.preview(now, cmd.Goal), true
	case robot.GoTo:
		r = c.goTo(now, cmd)
	case robot.Pause:
		r, reason = c.hold(now, cmd.Reason), goalPaused
	case robot.Resume:
		if c.job.phase() == robot.RunPaused && !c.hasForeignGoal() {
			return c.resumeJob(now), true
		}
		r = c.resume(now)
	case robot.Cancel:
		r, reason = c.cancel(cmd.Reason), goalGivenUp
	case robot.GoAround:
		r = c.goAround(now)
	default:
		return r, false
	}
	if r.Word == robot.Success || r.Word == robot.Modified {
		c.flush(reason)
		switch cmd.(type) {
		case robot.GoTo, robot.Cancel:
			c.pauseJob(now, cmp.Or(c.errand.goal.Result.Reason, reason)) // a goal that was given up says why
		}
	}
	return r, true
}

// plan finds a way from where the robot is.
func (c *Core) plan(now time.Time, goal robot.Pose) (Path, error) {
	if !finite(goal.X, goal.Y, goal.Theta) {
		return nil, robot.Refusal(failed("The goal %v is not a place. Give x and y in metres and theta in radians.", goal))
	}
	return c.errand.planner.Plan(now, c.estimate.Pose, goal)
}

// planFailed is the answer to an order for which no way was found; without a word
// while the way is still being planned.
func planFailed(err error) robot.Result {
	if errors.Is(err, ErrPlanning) {
		return robot.Result{}
	}
	var r robot.Refusal
	if errors.As(err, &r) {
		return robot.Result(r)
	}
	return failed("No route was found: %v.", err)
}

// refusePlanning says why no way can be planned now; the empty word = it can.
func (c *Core) refusePlanning(now time.Time) robot.Result {
	switch {
	case c.errand.planner == nil:
		return robot.Result{Word: robot.NA, Reason: "This robot has no map, so it cannot plan routes."}
	case c.refuseWithoutReadings(now).Word != "":
		return c.refuseWithoutReadings(now)
	case c.estimate.Trust == robot.TrustLost:
		return robot.Result{Word: robot.Error, Reason: lost}
	}
	return robot.Result{}
}

// refuseGoal says why the robot cannot set out now; the empty word = it can.
func (c *Core) refuseGoal(now time.Time) robot.Result {
	if no := c.refuseMotion(now); no.Word != "" {
		return no
	}
	return c.refusePlanning(now)
}

func (c *Core) preview(now time.Time, goal robot.Pose) robot.Result {
	if no := c.refusePlanning(now); no.Word != "" {
		return no
	}
	path, err := c.plan(now, goal)
	if err != nil {
		return planFailed(err)
	}
	route := path.Route()
	return robot.Result{Word: robot.Success, Route: &route}
}

func (c *Core) goTo(now time.Time, g robot.GoTo) robot.Result {
	if no := c.refuseGoal(now); no.Word != "" {
		return no
	}
	path, err := c.plan(now, g.Goal)
	if err != nil {
		return planFailed(err)
	}
	c.begins(now, g)
	c.errand.setOut(path)
	return robot.Result{Word: robot.Success, Route: c.errand.goal.Route}
}

// begins takes a goal in place of the one before it.
func (c *Core) begins(now time.Time, g robot.GoTo) {
	c.hand.player.Leave(sentAway)
	e := &c.errand
	e.rest(robot.GoalEnded, robot.Result{})
	e.goal.Number, e.goal.Pose, e.goal.Name = e.goal.Number+1, g.Goal, g.Name
	e.goal.Left, e.goal.Time, e.goal.Route = 0, 0, nil
	e.good = now
}

// send sends the robot to a goal for its job or its queue, which see what becomes
// of the goal: one whose way is still being planned is under way, and ends when
// there is none.
func (c *Core) send(now time.Time, g robot.GoTo) robot.Result {
	r := c.goTo(now, g)
	if r.Word != "" {
		return r
	}
	c.begins(now, g)
	c.errand.goal.Phase, c.errand.fresh = robot.GoalDriving, true
	return robot.Result{Word: robot.Success}
}

// resend is send for the goal that is paused.
func (c *Core) resend(now time.Time) robot.Result {
	r := c.resume(now)
	if r.Word != "" {
		return r
	}
	c.hand.player.Leave(sentAway)
	c.errand.goal.Phase, c.errand.goal.Result = robot.GoalDriving, robot.Result{}
	return robot.Result{Word: robot.Success}
}

func (c *Core) hold(now time.Time, reason string) robot.Result {
	if !c.errand.isUnderWay() && c.errand.goal.Phase != robot.GoalPaused && c.job.phase() != robot.RunRunning {
		return failed("The robot has no goal.")
	}
	c.pause(now, cmp.Or(reason, goalPaused))
	return robot.Result{Word: robot.Success}
}

func (c *Core) resume(now time.Time) robot.Result {
	e := &c.errand
	switch e.goal.Phase {
	case robot.GoalDriving:
		return robot.Result{Word: robot.Success}
	case robot.GoalBlocked:
		e.looked = time.Time{}
		return robot.Result{Word: robot.Success}
	case robot.GoalPaused:
	default:
		return failed("There is no goal to resume.")
	}
	if no := c.refuseGoal(now); no.Word != "" {
		return no
	}
	path, err := c.plan(now, e.goal.Pose)
	e.good = now
	var blocked Barred
	switch {
	case err == nil:
		c.hand.player.Leave(sentAway)
		e.setOut(path)
		return robot.Result{Word: robot.Success}
	case errors.As(err, &blocked):
		c.block(now, blocked.At, false, blocked.Reason)
		return robot.Result{Word: robot.Modified, Reason: blocked.Reason + " The robot waits for it."}
	}
	return planFailed(err)
}

func (c *Core) cancel(reason string) robot.Result {
	e := &c.errand
	if !e.isUnderWay() && e.goal.Phase != robot.GoalPaused {
		return failed("There is no goal to cancel.")
	}
	c.end(robot.Result{Word: robot.Interrupted, Reason: cmp.Or(reason, goalGivenUp)})
	return robot.Result{Word: robot.Success}
}

func (c *Core) goAround(now time.Time) robot.Result {
	e := &c.errand
	if e.goal.Phase != robot.GoalBlocked {
		return failed("Nothing is blocking the route.")
	}
	if no := c.refuseGoal(now); no.Word != "" {
		return no
	}
	path, err := c.plan(now, e.goal.Pose)
	if err != nil {
		return planFailed(err)
	}
	e.setOut(path)
	return robot.Result{Word: robot.Success, Route: e.goal.Route}
}

// pursue returns the motion that the goal needs; ok is false when there is no
// goal under way.
func (c *Core) pursue(r robot.Reading) (t robot.Twist, ok bool) {
	e, now := &c.errand, r.Time
	e.room = math.Inf(1)
	if !e.isUnderWay() {
		return t, false
	}
	if reason := c.unsafeReason(); reason != "" {
		if e.goal.Phase == robot.GoalDriving {
			e.way, e.round, e.back = nil, nil, time.Time{}
		}
		if now.Sub(e.good) > trouble {
			e.pause(reason)
		}
		return t, true
	}
	e.good = now
	if c.estimate.Trust == robot.TrustOK && e.planner.Observe(r, c.estimate.Pose) {
		e.looked = time.Time{}
	}
	if e.goal.Phase == robot.GoalBlocked {
		c.waitBlocked(r)
		return t, true
	}
	if now.Before(e.back) {
		return robot.Twist{Linear: -backSpeed}, true
	}
	if c.leapt {
		e.way, e.round = nil, nil
	}
	if e.round != nil {
		c.planDetour(now)
		return t, true
	}
	if e.way == nil {
		if still(c.measured) {
			c.replan(now)
		}
		if e.goal.Phase != robot.GoalDriving || e.way == nil {
			return t, true
		}
	}
	return c.follow(r), true
}

// unsafeReason says what keeps the robot from going anywhere; "" = nothing.
func (c *Core) unsafeReason() string {
	if c.fault == "" && c.estimate.Trust == robot.TrustLost {
		return lost
	}
	return c.fault
}

// replan plans the way anew from where the robot stands.
func (c *Core) replan(now time.Time) {
	e := &c.errand
	path, err := c.plan(now, e.goal.Pose)
	var blocked Barred
	switch {
	case errors.Is(err, ErrPlanning):
	case err == nil:
		e.setOut(path)
	case e.fresh:
		c.end(planFailed(err))
	case errors.As(err, &blocked):
		c.block(now, blocked.At, false, blocked.Reason)
	default:
		e.pause(planFailed(err).Reason)
	}
}

// follow drives on the way and sees what comes of it.
func (c *Core) follow(r robot.Reading) robot.Twist {
	e, now, here := &c.errand, r.Time, c.estimate.Pose
	maxSpeed := c.desc.Safe.Linear
	var lane Lane
	if c.estimate.Trust == robot.TrustOK {
		lane = e.way.Watch(r, here)
	} else {
		maxSpeed = math.Min(maxSpeed, unsureSpeed)
	}
	t, p := e.way.Follow(now, here, c.measured, maxSpeed)
	e.room = p.Clearance
	e.goal.Done, e.goal.Left, e.goal.Time, e.goal.Across = p.Done, p.Left, p.Time, p.Across
	if (e.tried > 0 || !e.since.IsZero()) && here.Point().Sub(e.stuck).Norm() > gotOn {
		e.tried, e.since = 0, time.Time{}
	}
	switch {
	case p.Arrived:
		c.end(robot.Result{Word: robot.Success})
	case p.Lost:
		e.way = nil
	case lane.Blocked:
		c.startDetour(now, lane.Face)
	case p.Waiting > heldFor && c.held != nil && !e.planner.OnMap(*c.held):
		c.avoidHeld(now, *c.held, t.Linear == 0)
	case p.Waiting > stuckAfter, p.Over && still(c.measured):
		c.retry(now, p.Over)
	case p.Waiting > peerAfter && c.held != nil && t.Linear > 0:
		return c.turnSonarToObstacle(t)
	default:
		return t
	}
	return robot.Twist{}
}

// turnSonarToObstacle bends the motion t so that the sonar nearest to what holds the robot turns
// there, if none looks: what the guard only remembers goes when a sonar looks
// through it. The guard stops such a motion as soon as it would come nearer, so
// the robot turns in small steps.
func (c *Core) turnSonarToObstacle(t robot.Twist) robot.Twist {
	at := c.desc.Drivetrain.Axle(c.estimate.Pose).Inverse().Apply(*c.held)
	least, half := math.Pi, 0.0
	for i := range c.guard.sonars {
		e := &c.guard.sonars[i]
		d := at.Sub(e.pose.Point())
		if off := robot.WrapAngle(math.Atan2(d.Y, d.X) - e.pose.Theta); math.Abs(off) < math.Abs(least) {
			least, half = off, e.half
		}
	}
	if t.Angular = 0; math.Abs(least) >= half/2 {
		t.Angular = math.Copysign(peerSpeed, least)
	}
	return t
}

// startDetour tells the planner of what stands in the lane and goes round it, if
// that is not much longer.
func (c *Core) startDetour(now time.Time, face robot.Point) {
	e := &c.errand
	e.longest = e.goal.Left + math.Max(longer, longerBy*e.goal.Left)
	c.noteObstacle(now, face)
	e.round = &face
	c.planDetour(now)
}

// planDetour takes the way round, when it is planned. Until then the robot stands.
func (c *Core) planDetour(now time.Time) {
	e := &c.errand
	path, err := c.plan(now, e.goal.Pose)
	switch {
	case errors.Is(err, ErrPlanning):
	case err == nil && path.Route().Length <= e.longest:
		e.setOut(path)
	default:
		c.block(now, *e.round, true, "")
	}
}

// avoidHeld does something about what the guard holds the robot for: it goes round
// it. Where it cannot turn for it, or is held again, it backs off first.
func (c *Core) avoidHeld(now time.Time, face robot.Point, turning bool) {
	e := &c.errand
	if turning || e.tried > 0 {
		c.noteObstacle(now, face)
		c.retry(now, false)
		return
	}
	e.stuck = c.estimate.Pose.Point()
	e.tried++
	c.startDetour(now, face)
}

// noteObstacle tells the planner of what stands at the point face of map.
func (c *Core) noteObstacle(now time.Time, face robot.Point) {
	c.errand.planner.Block(now, c.estimate.Pose.Point(), face)
	c.errand.noted = now
}

// retry does something about a robot that does not get on: the guard holds it,
// or it ended beside the goal. It backs off and plans anew, and after a few
// times it waits.
func (c *Core) retry(now time.Time, over bool) {
	e := &c.errand
	e.stuck = c.estimate.Pose.Point()
	e.tried++
	switch {
	case e.tried > tries && c.atGoal():
		c.end(robot.Result{Word: robot.Success})
	case e.tried > tries:
		e.tried = 0
		ahead := c.estimate.Pose.Apply(robot.Point{X: c.desc.Body.Length/2 + stopAt})
		c.block(now, ahead, false, "")
	case over:
		e.way = nil
	default:
		e.way, e.back = nil, now.Add(backFor)
	}
}

// atGoal tells whether the robot is at its goal as well as can be.
func (c *Core) atGoal() bool {
	off := c.errand.goal.Pose.Inverse().Compose(c.estimate.Pose)
	return off.Point().Norm() <= nearEnough && math.Abs(off.Theta) <= turnedWell
}

// block makes the robot wait for what is at the point of map; inLane says that
// it stands in the lane of the way, which is looked at further. Otherwise any way
// to the goal that opens is taken, however long. reason tells what it is, empty =
// not known.
func (c *Core) block(now time.Time, at robot.Point, inLane bool, reason string) {
	e := &c.errand
	if e.since.IsZero() {
		e.since = now
	}
	e.stuck = c.estimate.Pose.Point()
	e.at, e.looked, e.round, e.fresh, e.bar = at, now, nil, false, reason
	if !inLane {
		e.way, e.longest = nil, math.Inf(1)
	}
	e.goal.Phase, e.goal.Result, e.goal.Time = robot.GoalBlocked, robot.Result{}, 0
	e.goal.Blocked = &robot.Blockage{At: at, Waited: now.Sub(e.since).Seconds(), Reason: e.bar}
}

// waitBlocked looks whether a blocked robot can go on. The longer it has waited, the
// longer a way round it takes.
func (c *Core) waitBlocked(r robot.Reading) {
	e, now, here := &c.errand, r.Time, c.estimate.Pose
	waited := now.Sub(e.since).Seconds()
	e.goal.Blocked = &robot.Blockage{At: e.at, Waited: waited, Reason: e.bar}
	if e.way != nil && c.estimate.Trust == robot.TrustOK {
		if lane := e.way.Watch(r, here); lane.Seen && now.Sub(e.noted) >= lookAgain {
			c.noteObstacle(now, lane.Face)
		}
	}
	if now.Sub(e.looked) < lookAgain {
		return
	}
	path, err := c.plan(now, e.goal.Pose)
	if errors.Is(err, ErrPlanning) {
		return
	}
	e.looked = now
	var blocked Barred
	switch {
	case err == nil && path.Route().Length <= e.longest+longerFor*waited:
		e.setOut(path)
	case errors.As(err, &blocked):
		e.bar = blocked.Reason
	}
}

// stopBefore is how much free way the guard keeps on the way to the goal. The
// way leads past door posts and to places before walls; those are on the map,
// and there the robot comes as near to things as the way does.
func (c *Core) stopBefore() float64 {
	return Clamp(c.errand.room-c.reach, stopThere, stopAt)
}
