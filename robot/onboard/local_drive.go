package onboard

import (
	"cmp"
	"errors"
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/behavior"
	"mybot/robot/guard"
	"mybot/robot/limits"
	"mybot/robot/obstacle"
	"mybot/robot/rollout"
)

// A LocalController chooses the motion of the next seconds along a path; that of
// robot/rollout does, and the lab compares it with others.
type LocalController interface {
	// Choose chooses a motion for the situation, every limits.ChooseEvery.
	Choose(s *rollout.Situation) rollout.Choice
	// Last returns the last choice.
	Last() rollout.Choice
	// Steer returns the present twist of the last choice.
	Steer(s *rollout.Situation) robot.Twist
	// Reset discards the last choice, after the robot stood or was driven by other means.
	Reset()
	// Horizon returns how far ahead of the robot the path should extend, in m.
	Horizon() float64
}

// localDrive drives a robot along a path, and the behavior machine decides what to do when
// it makes no progress. With a lidar the local controller avoids what the obstacle layer
// shows; with sonars alone the robot follows the path itself.
type localDrive struct {
	layer    *obstacle.Layer
	guard    *guard.Guard
	known    rollout.Obstacles // the layer; without a lidar, with a margin for what sonars do not hear
	control  LocalController
	hasLidar bool // it may leave its path
	machine  behavior.Machine
	order    behavior.Order

	path     robot.Path // the path of points
	points   []robot.PathPoint
	seen     rollout.Situation // reused
	chosenAt time.Time
	aside    standAside
	back     shortMove  // to a place behind the robot where it can turn
	ahead    shortMove  // to one ahead
	freeAt   time.Time  // when the robot began to free itself
	movedAt  time.Time  // when it last moved since then,
	movedTo  robot.Pose // and where its axle was then, in map
	soughtAt time.Time  // when it last looked for these places
	turnsAt  time.Time  // since when the robot has been told to turn on the spot; zero = it is not
	heldTill time.Time  // until then, an exact part of the path counts as no progress, because the guard holds the robot
	side     float64    // direction in which the robot turns to free itself: 1 left, -1 right

	hears   bool        // a robot without a lidar hears, or remembers, an obstacle on its path
	face    robot.Point // the obstacle, in map
	looking bool        // another path is being planned
	way     robot.Path  // the other path; nil = none yet
	noWay   bool        // the planner found no path
	at      robot.Point
	reason  string        // sentence about the obstacle there
	blocks  []robot.Point // reused

	reach, rear, front, wide float64       // m, extent of the hull from the axle point: farthest corner, rear (negative), front, side
	hull                     []robot.Point // corners, relative to the axle
	near                     float64       // m, distance from obstacles at which the guard stops a motion to get free
}

// newLocalDrive returns the localDrive of a robot.
func newLocalDrive(s *situation) *localDrive {
	body := s.guard.Footprint()
	l := &localDrive{layer: s.obstacles, guard: s.guard, control: rollout.New(s.desc), machine: behavior.New(s.desc.Safe), hasLidar: len(s.desc.Lidars) > 0, reach: body.ReachFrom(robot.Point{}), rear: body.Rear(), wide: s.desc.Body.HalfWidth()}
	for _, h := range s.desc.Body.Outline() {
		h.X += s.desc.Drivetrain.AxleOffset
		l.front, l.hull = math.Max(l.front, h.X), append(l.hull, h)
	}
	l.seen.Obstacles = l.layer
	l.known = l.layer
	if !l.hasLidar {
		l.known = wary{l.layer}
	}
	backward := rollout.NewBackward(s.desc)
	l.aside.shortMove = newShortMove(backward, limits.AsideMax)
	l.back, l.ahead = newShortMove(backward, limits.FreeMax), newShortMove(rollout.New(s.desc), limits.FreeMax)
	l.back.creeps, l.ahead.creeps = true, true
	return l
}

// begin starts or resumes a goal.
func (l *localDrive) begin(now time.Time) {
	l.machine.Start(now)
	l.looking, l.way, l.noWay, l.reason = false, nil, false, ""
}

// usePath gives the controller another path.
func (l *localDrive) usePath(path robot.Path) {
	if l.path == path {
		return
	}
	l.path, l.points, l.chosenAt, l.heldTill = path, nil, time.Time{}, time.Time{}
	l.control.Reset()
	if path != nil {
		l.points = path.Points()
	}
}

// choose makes the controller choose a rollout every ChooseEvery, and returns the last
// choice in between. axle is the pose of M in map; twist is at M.
func (l *localDrive) choose(now time.Time, axle robot.Pose, twist robot.Twist, along, maxSpeed float64) rollout.Choice {
	first := max(0, min(len(l.points)-1, int((along-2*limits.RouteExact)/rollout.Spacing)))
	last := min(len(l.points), int((along+l.control.Horizon())/rollout.Spacing)+2)
	l.seen.Pose, l.seen.Twist, l.seen.Path, l.seen.Along, l.seen.MaxSpeed = axle, twist, l.points[first:last], along, maxSpeed
	l.seen.End, l.seen.Exact = l.points[len(l.points)-1].Along, limits.RouteExact
	if now.Sub(l.chosenAt) >= limits.ChooseEvery || now.Before(l.chosenAt) {
		l.chosenAt = now
		return l.control.Choose(&l.seen)
	}
	return l.control.Last()
}

// judgeRoom adds to the facts who moves near the robot and how much room there is. mapped
// is the clearance on the map at the axle, along is the robot's position along the path, in m.
func (l *localDrive) judgeRoom(f *behavior.Facts, axle robot.Pose, mapped, along float64) {
	for _, d := range l.layer.Discs() {
		if to := axle.Point().Sub(d.At); to.Norm() < limits.YieldRange {
			f.Somebody = true
			f.Comes = f.Comes || d.Velocity.Dot(to) > limits.TrackMoves*to.Norm()
		}
	}
	l.lookAside(f, axle, along)
	f.Narrow = mapped < limits.YieldNarrow
	if l.near = limits.NearStopDistance; !l.hasLidar {
		l.near = robot.Clamp(mapped-l.reach, limits.NearStopDistance, limits.StopDistance)
	}
	f.CanTurn = !f.Held && l.canTurn(axle, mapped)
	f.CanBack, f.CanAhead = true, true
	for back := limits.Nearer; back <= limits.FreeBack; back += limits.Nearer {
		f.CanBack = f.CanBack && l.layer.Clearance(axle.Apply(robot.Point{X: l.rear + l.wide - back})) > l.wide-limits.FreeRoom
		f.CanAhead = f.CanAhead && l.layer.Clearance(axle.Apply(robot.Point{X: l.front - l.wide + back})) > l.wide-limits.FreeRoom
	}
	if !l.hasLidar {
		f.CanBack = f.CanBack && l.hasRoom(axle, -limits.Nearer) && l.seesBack()
		// Sonars miss walls and posts that slant away, and no path leads ahead: only where there is nothing else to try.
		f.CanAhead = f.CanAhead && f.Held && l.hasRoom(axle, limits.Nearer)
	}
	f.CanBack = f.CanBack || !l.guard.Retreat().IsZero()
	l.lookForRoom(f, axle)
}

// lookAside adds to the facts whether a person wants to pass where the robot stands, or stood
// when it began to move aside, and whether there is a place to stand aside.
func (l *localDrive) lookAside(f *behavior.Facts, axle robot.Pose, along float64) {
	a, within := &l.aside, limits.AsideGone
	if a.begun = a.begun && l.machine.State() == behavior.Yield; !a.begun {
		a.inWay, a.heading, within = axle.Point(), l.headingAhead(along, axle.Theta), limits.AsideRange
	}
	for _, p := range l.layer.People() {
		f.PersonWaits = f.PersonWaits || p.At.Sub(a.inWay).Norm() < within && (a.begun || a.comes(&p, l.waited(f.Now)))
	}
	a.seesBack = (a.begun || f.PersonWaits || f.Obstructs) && l.seesBack()
	f.IsAside = a.begun && (a.over || !a.seesBack)
	if (f.PersonWaits || f.Obstructs) && !a.begun && l.machine.State() == behavior.Wait {
		a.seek(f.Now, axle, l.layer, l.layer.People())
		f.CanStandAside = a.seesBack && len(a.points) > 0
	}
}

// waited returns for how long the robot has come no nearer to its goal.
func (l *localDrive) waited(now time.Time) time.Duration {
	since := l.machine.Waiting()
	if since.IsZero() {
		return 0
	}
	return now.Sub(since)
}

// headingAhead returns the heading of the path at the robot, in rad; or = there is none.
func (l *localDrive) headingAhead(along, or float64) float64 {
	for _, p := range l.points {
		if p.Along > along {
			return p.Pose.Theta
		}
	}
	return or
}

// nearestBlock returns the first point of the path ahead at which an obstacle leaves no
// room, in map; ok is false if there is none.
func (l *localDrive) nearestBlock(along float64) (at robot.Point, ok bool) {
	for _, p := range l.points {
		if p.Along > along && p.Along < along+limits.ObstacleWindow && l.layer.Clearance(p.Pose.Point()) < l.wide {
			return p.Pose.Point(), true
		}
	}
	return robot.Point{}, false
}

// behave returns the motion toward a goal that is under way, as the behavior machine
// decides.
func (n *navigator) behave(r robot.Reading) robot.Twist {
	g, l, now := &n.run, n.local, r.Time
	if n.leapt {
		g.path = nil
		l.back.over, l.ahead.over, l.aside.over = true, true, true
	}
	if !g.begun {
		g.begun = true
		l.begin(now)
	}
	n.lookForWay(now)
	if !g.isUnderWay() {
		return robot.Twist{}
	}
	if g.looks {
		return n.lookAroundAtGoal(now)
	}
	axle := n.desc.Drivetrain.Axle(n.estimate.Pose)
	f := behavior.Facts{Now: now, At: n.estimate.Pose.Point(), Way: l.way != nil, NoWay: l.noWay, Reason: l.reason, Open: g.replannedAt.IsZero()}
	mapped := n.planner.Clearance(axle.Point())
	f.TryElsewhere = !l.hasLidar && (l.noWay || l.way != nil) && n.estimate.Trust == robot.TrustOK && mapped > 0
	if f.Way && g.path != nil {
		f.Longer = l.way.Route().Length - g.goal.Left
	}
	t := n.drivePath(r, axle, &f)
	if g.goal.Phase == robot.GoalEnded || g.looks {
		return robot.Twist{}
	}
	f.Obstructs = n.obstructs(now, axle, mapped)
	l.judgeRoom(&f, axle, mapped, g.goal.Done)
	f.CanAhead = f.CanAhead && (l.hasLidar || n.estimate.Trust == robot.TrustOK)
	return n.carryOut(l.machine.Step(f), &f, t, axle)
}

// obstructs reports whether the robot has waited for long, in a narrow place or before one,
// for an obstacle that is not on the map: people who stood there before it came are not known
// to be people, and may want to pass. mapped is the clearance on the map at the axle, in m.
func (n *navigator) obstructs(now time.Time, axle robot.Pose, mapped float64) bool {
	l := n.local
	if !l.hasLidar || l.waited(now) < limits.AsidePatience {
		return false
	}
	at, ok := l.nearestBlock(n.run.goal.Done)
	return ok && at.Sub(axle.Point()).Norm() < limits.AsideRange && math.Min(mapped, n.planner.Clearance(at)) < limits.YieldNarrow
}

// drivePath returns the motion along the path, and adds the progress to the facts.
func (n *navigator) drivePath(r robot.Reading, axle robot.Pose, f *behavior.Facts) robot.Twist {
	g, l, now := &n.run, n.local, r.Time
	l.hears = false
	l.usePath(g.path)
	if g.path == nil {
		return robot.Twist{}
	}
	maxSpeed := n.desc.Safe.Linear
	if n.estimate.Trust != robot.TrustOK {
		maxSpeed = math.Min(maxSpeed, limits.UnsureSpeed)
	}
	t, p := g.path.Follow(now, n.estimate.Pose, n.measured, maxSpeed)
	g.goal.Done, g.goal.Left, g.goal.Time, g.goal.Across = p.Done, p.Left, p.Time, p.Across
	if !l.hasLidar {
		g.clearance = p.Clearance
	}
	f.Path, f.Left = true, p.Left
	if l.hasLidar && !p.Exact && len(l.layer.People()) == 0 {
		at, ok := l.nearestBlock(p.Done)
		f.Ahead = ok && at.Sub(axle.Point()).Norm() > l.reach+limits.AheadNear
	}
	turns := l.turnsFor(now, p.Exact && t.Linear == 0 && t.Angular != 0)
	switch {
	case p.Arrived:
		n.arrive()
		return robot.Twist{}
	case p.Over && n.measured.IsStill():
		if g.attempts++; g.attempts > limits.StuckAttempts && n.atGoal() {
			n.arrive()
			return robot.Twist{}
		}
		g.path, f.Path = nil, false
		return robot.Twist{}
	case l.hasLidar && isOffPath(p, t), !l.hasLidar && p.Lost:
		g.path, f.Path = nil, false
		return robot.Twist{}
	case !l.hasLidar:
		return n.followLane(r, t, p, f)
	case p.Exact && n.held != nil && p.Waiting > limits.WaitLook && n.isWithin(limits.ArriveWithin, limits.ArriveHeading):
		n.arrive() // the guard lets it no nearer, and this is near enough
		return robot.Twist{}
	case p.Exact && t.Linear == 0 && l.turnsIntoMap(axle, t.Angular, n.desc.Hardware.AngularAcceleration, n.planner.Clearance):
		f.Turning, f.Held = true, !n.atGoal()
		return robot.Twist{}
	case p.Exact:
		if p.Waiting > limits.WaitLook && n.held != nil {
			l.heldTill = now.Add(limits.HeldAfter)
		}
		f.Gains, f.Turning = !now.Before(l.heldTill), t.Linear == 0
		f.Held = !f.Gains && turns >= limits.WaitLook && !n.atGoal()
		return t
	}
	c := l.choose(now, axle, n.measured, p.Done, maxSpeed)
	f.Gains, f.Turning = c.OK, c.Turns
	if l.order.State == behavior.Wait || l.order.State == behavior.Replan {
		enough := limits.WaitGainPast
		if c.Meets {
			enough = limits.WaitGain
		}
		f.Gains = c.OK && c.Gain >= math.Min(enough, p.Left/2)
	}
	return l.control.Steer(&l.seen)
}

// turnsFor returns for how long the robot has followed its path by turning on the spot. turns
// is whether it must turn now.
func (l *localDrive) turnsFor(now time.Time, turns bool) time.Duration {
	if !turns || l.order.State != behavior.Follow {
		l.turnsAt = time.Time{}
		return 0
	}
	if l.turnsAt.IsZero() {
		l.turnsAt = now
	}
	return now.Sub(l.turnsAt)
}

// isOffPath reports whether a robot that is commanded t has left its path so far that the
// navigator must plan again. On an exact part of the path the bound is tighter while the
// robot drives forward, because otherwise it would end beside its goal.
func isOffPath(p robot.Progress, t robot.Twist) bool {
	return math.Abs(p.Across) > limits.LaneLost || p.Exact && t.Linear > 0 && math.Abs(p.Across) > limits.ExactLost
}

// lookForWay takes the result of planning another path, once the planner has it. A robot that
// does not follow its path stands first.
func (n *navigator) lookForWay(now time.Time) {
	g, l := &n.run, n.local
	if !l.looking || !n.measured.IsStill() && l.order.State != behavior.Follow {
		return
	}
	path, err := n.planPath(now, g.goal.Pose)
	if errors.Is(err, robot.ErrPlanning) {
		return
	}
	l.looking, l.way, l.noWay, l.reason = false, path, err != nil, ""
	switch blocked := (robot.Blocked{}); {
	case err == nil:
		var ok bool
		if l.at, ok = l.nearestBlock(g.goal.Done); !ok {
			l.at = n.estimate.Pose.Apply(robot.Point{X: l.reach + limits.NearStopDistance})
		}
	case g.unplanned && !isBlocked(err):
		n.endGoal(planFailed(err))
	case errors.As(err, &blocked):
		l.at, l.reason = blocked.At, blocked.Reason
	default:
		l.at, l.reason = n.estimate.Pose.Point(), planFailed(err).Reason
	}
}

// reportObstacles reports to the planner what the robot sees, so that another path does not
// lead through it.
func (n *navigator) reportObstacles(now time.Time) {
	l := n.local
	switch {
	case l.hasLidar:
		l.blocks = l.layer.AppendUnmapped(l.blocks[:0])
		n.planner.BlockPoints(now, l.blocks)
	case l.hears:
		n.planner.Block(now, n.estimate.Pose.Point(), l.face)
	}
}

// Why a robot on its way stands, whatever the planner knows about the way: the guard lets it go
// no further, or its motors do not obey.
const (
	bumperPressed = "The bumper is pressed. The robot goes no further until it is released."
	wheelsStand   = "The base reports that the wheels do not turn, although the robot tries to drive. Check its battery, motors and wheels."
)

// describeHold returns the sentence for a robot that its bumper or its motors hold; "" = neither
// does.
func (s *situation) describeHold() string {
	switch {
	case s.reading.Bump:
		return bumperPressed
	case s.stalled > limits.StalledAfter:
		return wheelsStand
	}
	return ""
}

// carryOut executes the order of the behavior machine; t is the motion along the path.
func (n *navigator) carryOut(o behavior.Order, f *behavior.Facts, t robot.Twist, axle robot.Pose) robot.Twist {
	g, l := &n.run, n.local
	before := l.order
	l.order = o
	if (o.State == behavior.Follow) != (before.State == behavior.Follow) {
		l.looking = false
	}
	switch {
	case o.Take:
		n.run.setOut(l.way)
		t = robot.Twist{}
	case o.Look && !l.looking:
		n.reportObstacles(f.Now)
		if l.hears {
			l.at = l.face
		}
		l.looking, g.replannedAt = true, f.Now
	}
	if o.State != behavior.Replan && o.State != behavior.Wait {
		l.way, l.noWay, l.reason, l.looking = nil, false, "", l.looking && o.State == behavior.Follow
	}
	if o.State == behavior.Wait {
		if before.State != behavior.Wait && n.atGoal() {
			n.arrive()
			return robot.Twist{}
		}
	}
	if o.Waits {
		reason := cmp.Or(n.describeHold(), l.reason)
		if was := g.goal.Blocked; was != nil && o.State != behavior.Wait { // it moves a little, for the same reason
			reason = cmp.Or(reason, was.Reason)
		}
		g.goal.Phase, g.goal.Result, g.goal.Time = robot.GoalBlocked, robot.Result{}, 0
		g.goal.Blocked = &robot.Blockage{At: l.at, Waited: l.waited(f.Now).Seconds(), Reason: reason}
	} else {
		g.goal.Phase, g.goal.Blocked = robot.GoalDriving, nil
	}
	g.goal.Behavior = robot.Behavior{State: o.State.String(), Sentence: o.Sentence, Lane: l.control.Last().Lane}
	if held := n.describeHold(); held != "" && o.State != behavior.Free {
		g.goal.Behavior.Sentence = held
	}
	if o.State == behavior.Free && before.State != behavior.Free {
		l.beginFree(f.Now, axle)
	}
	if away := l.guard.Retreat(); o.State == behavior.Free && !away.IsZero() {
		return away
	}
	switch o.Move {
	case behavior.Drive:
		return t
	case behavior.Turn:
		return robot.Twist{Angular: l.side * limits.FreeTurnSpeed}
	case behavior.Aside:
		if before.Move != behavior.Aside {
			l.aside.begun = true
			l.aside.begin(f.Now)
		}
		if !l.aside.seesBack {
			return robot.Twist{}
		}
		return l.aside.steer(f.Now, axle, n.measured, l.layer)
	case behavior.Back:
		if o.State == behavior.Free && len(l.back.points) > 0 {
			if l.back.over = l.back.over || !l.seesBack(); l.back.over {
				return robot.Twist{}
			}
			return l.back.steer(f.Now, axle, n.measured, l.known)
		}
		return l.moveStraight(axle, -1)
	case behavior.Ahead:
		if len(l.ahead.points) > 0 {
			return l.ahead.steer(f.Now, axle, n.measured, l.layer)
		}
		return l.moveStraight(axle, 1)
	default:
		return robot.Twist{}
	}
}
