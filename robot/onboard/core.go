package onboard

import (
	"cmp"
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/guard"
	"mybot/robot/obstacle"
	"mybot/robot/scan"
)

// Localizer estimates the robot's pose; package localization implements it.
type Localizer interface {
	Update(robot.Reading)
	Estimate() robot.Estimate
	SetPose(robot.Pose)
}

// A scanLocalizer is a Localizer that also uses lidars. Core passes the clouds of a reading
// after Update.
type scanLocalizer interface {
	ObserveScans(clouds []scan.Cloud)
}

// Core decides the robot's motion; NewCore creates it. Only one goroutine may use it. The
// times of commands and readings come from the same clock.
type Core struct {
	situation
	deskewer *scan.Deskewer
	loc      Localizer
	order    driveOrder
	joints   joints

	arrived    time.Time     // when the newest reading arrived, by this computer's clock; zero = none yet
	ahead      time.Duration // this computer's clock minus the readings' clock
	baseSilent bool          // since arrived the loop has run, but the base sent no readings
	speedLimit float64       // m/s, the localizer's last one

	teleop    teleop
	queue     queue
	scripts   scripted
	jobs      jobRunner
	navigator navigator
	sources   [5]source // those above, in order of priority
}

// NewCore returns the core of a robot that stands and has no commands. planner finds its
// paths; it is nil without a map, and then the robot does not drive autonomously.
func NewCore(desc robot.Description, loc Localizer, planner robot.Planner) *Core {
	c := &Core{situation: situation{desc: desc, guard: guard.New(desc), obstacles: obstacle.New(desc)}, deskewer: scan.NewDeskewer(desc), loc: loc, joints: newJoints(desc), order: driveOrder{answer: robot.Result{Word: robot.Success}}, speedLimit: math.Inf(1)}
	c.nearest = c.guard.Nearest()
	c.reach = c.guard.Footprint().ReachFrom(robot.Point{X: desc.Drivetrain.AxleOffset})
	c.navigator = navigator{situation: &c.situation, others: c, planner: planner, local: newLocalDrive(&c.situation)}
	c.jobs = jobRunner{situation: &c.situation, others: c, navigator: &c.navigator}
	c.queue = queue{situation: &c.situation, others: c, order: &c.order, navigator: &c.navigator}
	c.teleop = newTeleop(&c.situation, c, &c.order, c.navigator.isOnMap)
	c.scripts = newScripted(&c.situation, c, &c.navigator, &c.jobs)
	c.sources = [...]source{&c.teleop, &c.queue, &c.scripts, &c.jobs, &c.navigator}
	return c
}

// UseJobs makes the core take runs from j. Call it before the first command; without it the
// robot runs no jobs.
func (c *Core) UseJobs(j Jobs) { c.jobs.ready = j }

// UseLocalController replaces the local controller of a robot with a lidar. Call it before
// the first command.
func (c *Core) UseLocalController(with LocalController) { c.navigator.local.control = with }

// usePlanner replaces the planner, because the map changed.
func (c *Core) usePlanner(p robot.Planner) { c.navigator.usePlanner(p) }

// Do executes a command at the time now, by the readings' clock, and returns the answer.
// State.Drive shows how the guard changes a Drive. An answer without a word means that the
// path is still being planned: Do has changed nothing, and the caller repeats the command
// after the next reading.
func (c *Core) Do(now time.Time, cmd robot.Command) robot.Result {
	r := c.execute(now, cmd)
	c.scripts.heed(now, cmd, r)
	return r
}

func (c *Core) execute(now time.Time, cmd robot.Command) robot.Result {
	c.plans = 0
	switch cmd := cmd.(type) {
	case robot.Halt:
		c.haltDriving(now, cmd.Reason)
		if cmd.Goal {
			c.pauseGoal(now, cmd.Reason)
		}
		return robot.Result{Word: robot.Success}
	case robot.Stop:
		c.latchStop(now, cmd.By)
		return robot.Result{Word: robot.Success}
	case robot.ClearStop:
		return c.clearStop()
	case robot.Lacks:
		c.lacks = cmd.Parts
		return robot.Result{Word: robot.Success}
	case robot.Lend:
		if c.lent.Arm && !cmd.Arm {
			c.holdJoints("The loan of the arm has ended.")
		}
		c.lent = cmd
		return robot.Result{Word: robot.Success}
	case robot.Lapse:
		c.loopStalled(0)
		return robot.Result{Word: robot.Success}
	case robot.Look:
		return c.turnHead(cmd.HeadAngles)
	case robot.MoveJoints:
		return c.moveJoints(now, cmd.At)
	case robot.SetPose:
		return c.setPose(now, cmd.Pose)
	case robot.Enqueue:
		if stop, ok := cmd.Command.(robot.Stop); ok {
			return c.Do(now, stop) // no other part of Core sees that it was queued
		}
	}
	for _, s := range c.sources {
		if r, ok := s.Do(now, cmd); ok {
			return r
		}
	}
	return failedResult("The robot does not know the command %T.", cmd)
}

// haltDriving ends driving by hand and by the queue, and holds the joints.
func (c *Core) haltDriving(now time.Time, reason string) {
	c.holdJoints(cmp.Or(reason, "The robot was halted."))
	c.flushQueue(cmp.Or(reason, "The robot was halted."))
	c.teleop.dropRequest(now, reason)
}

func (c *Core) flushQueue(reason string)  { c.queue.Interrupt(c.reading.Time, reason) }
func (c *Core) leaveTeleop(reason string) { c.teleop.player.Leave(reason) }

func (c *Core) pauseGoal(now time.Time, reason string) {
	c.pauseJob(now, reason)
	c.navigator.Interrupt(now, reason)
}

func (c *Core) pauseJob(now time.Time, reason string) { c.jobs.Interrupt(now, reason) }

func (c *Core) hasJobGoal() bool {
	return c.jobs.runPhase() != robot.RunEnded && !c.jobs.hasForeignGoal()
}

func (c *Core) drivesByHand(now time.Time) bool { return c.teleop.request.isFresh(now) }

func (c *Core) holdScripts(now time.Time, reason string) { c.scripts.yield(now, reason) }

func (c *Core) hasPlannedDrive() bool {
	return c.teleop.motion != 0 || c.queue.running != nil || c.queue.waiting.Len() > 0
}

// setPose sets the localizer's pose, in map. The robot must stand.
func (c *Core) setPose(now time.Time, p robot.Pose) robot.Result {
	const reason = "The position was set."
	switch {
	case !robot.Finite(p.X, p.Y, p.Theta):
		return failedResult("The position %v is not a number. Give x and y in metres and theta in radians.", p)
	case !c.measured.IsStill() || !c.given.IsZero():
		return failedResult("The robot is moving. Set the position once it has stopped.")
	}
	c.flushQueue(reason)
	c.leaveTeleop(reason)
	c.pauseGoal(now, reason)
	c.loc.SetPose(p)
	c.estimate = c.loc.Estimate()
	return robot.Result{Word: robot.Success}
}

// Tick processes a reading and returns the twist at M for the wheels and the new state. The
// core does not write to anything that the state shares with it. A faulty reading results
// in a zero twist.
func (c *Core) Tick(r robot.Reading) (robot.Twist, robot.State) {
	c.plans = 0
	r.Ranges = c.sonars.judgeRanges(r.Time, c.desc.Sonars, r.Ranges)
	dt := c.takeReading(r)
	c.heedBase(r)
	by, request := c.askSources(r)
	c.expireSources(r.Time)
	c.holdLentArm(request)
	c.leadJoints(dt)
	c.checkHull(r.Time)

	var out robot.Twist
	seen := c.guard.Idle()
	hold := c.stop != nil || c.fault != "" || r.Refuses != ""
	c.slowedBy = ""
	if !hold {
		out, seen = c.limitMotion(request, c.isManual(by), dt)
	}
	if !out.IsFinite() {
		out, hold = robot.Twist{}, true
		c.reportFault("The motion came out as no number; the robot has stopped.")
	}
	if !out.IsZero() && !c.isManual(by) {
		c.order.forgetFault()
	}
	c.given = out
	c.held, c.teleop.slowed = nil, ""
	if by == &c.navigator && seen.Guard.Active && !math.IsInf(seen.Guard.Ahead, 1) {
		at := c.desc.Drivetrain.Axle(c.estimate.Pose).Apply(seen.At)
		c.held = &at
	}
	s := c.describeState(r, by, seen)
	if !hold {
		c.explainRequest(&s, by, seen)
	}
	return out, s
}

// limitMotion applies the limits, the steering and the guard to a request and returns the
// resulting twist. byHand is true when a driver or the queue moves the robot; dt is the
// time since the last tick, in s.
func (c *Core) limitMotion(request velocityRequest, byHand bool, dt float64) (robot.Twist, guard.Sight) {
	radius := c.desc.TurningRadius
	want, why := c.limitSpeed(c.desc.Safe.Clamp(request.twist))
	want, blind := c.limitBlind(want)
	want, lent := c.limitLent(want, byHand)
	c.slowedBy = cmp.Or(blind, lent, why)
	next := c.desc.Safe.Slew(c.given, want, dt).LimitTurning(radius)
	out, seen := c.guard.Limit(want, next, c.measured, request.approach)
	return out.LimitTurning(radius), seen
}

// askSources passes the reading to every source and returns the first one that requests a
// motion; nil = none.
func (c *Core) askSources(r robot.Reading) (by source, v velocityRequest) {
	v.approach = byHand
	for _, s := range c.sources {
		if asked, ok := s.Propose(r); ok && by == nil {
			by, v = s, asked
		}
	}
	return by, v
}
