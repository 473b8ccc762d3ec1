package app

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"mybot/drivers/sim"
	"mybot/jobs"
	"mybot/robot"
	"mybot/robot/onboard"
)

// A Rehearsal is what a job comes to on a virtual robot.
type Rehearsal struct {
	Time   float64          // s, of all steps; waiting for people does not count
	Length float64          // m
	Steps  []RehearsedStep  // one for each step of the job
	Path   []RehearsedPoint // every 0.1 s while the robot moves, and where it stands from when to when
}

// A RehearsedStep is what became of one step.
type RehearsedStep struct {
	Time   float64       // s
	Length float64       // m
	Result robot.Result  // SUCCESS or MODIFIED when it was done; otherwise why it was left out
	Way    []robot.Point // MOVE: the first route, of the axle in map
}

// A RehearsedPoint is where the virtual robot is at a time of the rehearsal.
type RehearsedPoint struct {
	T    float64    // s since it began
	Pose robot.Pose // of base_link in map
}

const (
	maxRehearsed = 2 * time.Hour // of motion and speech, at most
	apart        = time.Hour     // between two rehearsals on a stage, so that what was in the way in one is forgotten in the next
	briefly      = 1.0           // s for which a rehearsal waits; the rest of a wait is only counted
	pathEvery    = 0.1           // s // of Rehearsal.Path
	glance       = 500           // readings between two looks at the context
	breath       = 10            // readings between two chances for the control loop, where the computer has few processors
)

// A Rehearser is where jobs are rehearsed, one after the other. It keeps the planner
// of the floor that it had last, which takes longer to make than most rehearsals.
type Rehearser struct {
	desc    robot.Description
	plan    *robot.Floorplan // of ways
	planner robot.Planner  // nil = none was made, or the floor has none
	now     time.Time        // when the last rehearsal ended, on a clock of its own
}

// New returns one for a robot.
func New(desc robot.Description) *Rehearser { return &Rehearser{desc: desc, now: time.Unix(0, 0)} }

// on returns the planner of a floor.
func (s *Rehearser) on(plan *robot.Floorplan) robot.Planner {
	if s.planner == nil || s.plan != plan {
		s.plan, s.planner = plan, NewPlanner(plan, s.desc)
	}
	return s.planner
}

// Rehearse does a job on a virtual robot that stands at from, in map: the core
// that the server runs, on an ideal base, on the empty floor of the plan. Its
// time is its own, so that an hour passes in a moment. Who is asked for OK gives
// it at once, but ends no wait. A step that fails is left out, whatever it says
// about failing. The error is a robot.Refusal that says why the job cannot begin,
// or that of ctx.
func (s *Rehearser) Rehearse(ctx context.Context, plan *robot.Floorplan, from robot.Pose, job jobs.Job, steps []jobs.PreparedStep) (Rehearsal, error) {
	g := newVirtualRobot(plan, s.on(plan), s.desc, from, s.now.Add(apart))
	defer func() { s.now = g.now }()
	return g.rehearse(ctx, job, steps, maxRehearsed)
}

// shortenWaits returns the steps with waits that are soon over and without second
// tries, and how many seconds each was made shorter.
func shortenWaits(steps []jobs.PreparedStep) (brief []jobs.PreparedStep, spared []float64) {
	brief, spared = make([]jobs.PreparedStep, len(steps)), make([]float64, len(steps))
	for n, s := range steps {
		waits := s.Step.Type == jobs.Wait || s.Step.Type == jobs.Message && !s.Step.OK
		if waits && s.Step.Seconds > briefly {
			spared[n] = s.Step.Seconds - briefly
			s.Step.Seconds = briefly
		}
		s.Step.OnFailure = jobs.FailStop
		brief[n] = s
	}
	return brief, spared
}

// singleRun is the one run that is rehearsed.
type singleRun struct{ run *jobs.Run }

// Take hands it over.
func (o singleRun) Take(uint64) (*jobs.Run, bool) { return o.run, true }

// perfectLocalizer is a localizer that is right: it believes ideal wheels.
type perfectLocalizer struct {
	drivetrain robot.Drivetrain
	pose       robot.Pose
}

// Update rolls on.
func (b *perfectLocalizer) Update(r robot.Reading) { b.pose = b.drivetrain.Roll(b.pose, r.Travel) }

// Estimate returns where the robot is.
func (b *perfectLocalizer) Estimate() robot.Estimate {
	return robot.Estimate{Pose: b.pose, Wheels: true}
}

// SetPose puts the robot somewhere else.
func (b *perfectLocalizer) SetPose(p robot.Pose) { b.pose = p }

// A virtualRobot is the robot of a rehearsal: a core on a simulated base without
// errors, on the empty floor. It hears the walls, so it is as careful near them
// as the robot will be.
type virtualRobot struct {
	core      *onboard.Core
	base      *sim.World
	localizer *perfectLocalizer
	command   robot.Twist
	began     time.Time
	now       time.Time
	state     robot.State

	out      Rehearsal
	ended    int            // steps that are over
	spared   []float64      // s of each step that are counted and not waited for
	saved    float64        // s of them so far
	goal     uint64         // whose route is known
	marked   float64        // s, of the newest point that was looked at for the path
	standEnd RehearsedPoint // the end of a rest that is not in the path yet; T 0 = there is none
}

// newVirtualRobot returns a robot that stands at from and goes by ways over the plan. Its
// clock begins at epoch.
func newVirtualRobot(plan *robot.Floorplan, planner robot.Planner, desc robot.Description, from robot.Pose, epoch time.Time) *virtualRobot {
	scene := sim.DefaultScene()
	scene.Start, scene.Wheels, scene.Compass = from, sim.WheelErrors{}, sim.CompassErrors{}
	localizer := &perfectLocalizer{desc.Drivetrain, from}
	return &virtualRobot{
		core: onboard.NewCore(desc, localizer, planner), localizer: localizer,
		base: sim.NewWorld(desc, plan, scene, sim.Options{Epoch: epoch}),
	}
}

// tick lets the base tell of itself once, and returns how long that took in s and
// the m that the robot has rolled meanwhile.
func (g *virtualRobot) tick() (took, rolled float64) {
	_ = g.base.Drive(g.command) // the core gives numbers only
	r := g.base.Step()
	took = r.Time.Sub(g.now).Seconds()
	g.now = r.Time
	g.command, g.state = g.core.Tick(r)
	return took, math.Abs(r.Travel.Left+r.Travel.Right) / 2
}

// rehearse does a job for the time most, in its own time.
func (g *virtualRobot) rehearse(ctx context.Context, job jobs.Job, steps []jobs.PreparedStep, limit time.Duration) (Rehearsal, error) {
	g.tick() // a robot that has told nothing yet takes no orders
	g.began = g.now
	g.out.Steps = make([]RehearsedStep, len(steps))
	var brief []jobs.PreparedStep
	brief, g.spared = shortenWaits(steps)
	g.core.UseJobs(singleRun{jobs.NewRun(1, job, brief)})
	if r := g.core.Do(g.now, robot.RunJob{Run: 1}); r.Word != robot.Success && r.Word != robot.Modified {
		return Rehearsal{}, fmt.Errorf("app: the job cannot be rehearsed: %w", robot.Refusal(r))
	}
	for n := 0; g.advance(); n++ {
		if n%glance == 0 && ctx.Err() != nil {
			return Rehearsal{}, ctx.Err()
		}
		if n%breath == 0 {
			runtime.Gosched()
		}
		if g.now.Sub(g.began) > limit {
			g.leaveOutRest(limit)
			break
		}
	}
	g.rest()
	return g.out, nil
}

// advance goes on by one period. It returns false when the job is over.
func (g *virtualRobot) advance() bool {
	took, rolled := g.tick()
	run := g.state.Run
	for ; g.ended < run.Step; g.ended++ {
		g.endStep(run.Steps[g.ended])
	}
	if run.Phase == robot.RunEnded {
		return false
	}
	s := &g.out.Steps[g.ended]
	s.Time += took
	s.Length += rolled
	if goal := g.state.Goal; goal != nil && goal.Number != g.goal && goal.Route != nil {
		g.goal, s.Way = goal.Number, goal.Route.Line
	}
	g.extendPath()
	switch speech, message := g.state.Speech, g.state.Message; {
	case run.Phase == robot.RunStuck, run.Phase == robot.RunPaused:
		s.Result = robot.Result{Word: robot.Error, Reason: run.Result.Reason}
		g.core.Do(g.now, robot.SkipStep{})
		g.core.Do(g.now, robot.ResumeRun{}) // one that is paused waits for it
	case message != nil && message.OK && message.Text != "": // what has no text is a WAIT that OK may end
		g.core.Do(g.now, robot.OK{})
	case speech != nil && !speech.Aloud && !g.now.Before(speech.At.Add(speech.Duration)):
		g.core.Do(g.now, robot.Spoken{Number: speech.Number})
	}
	return true
}

// endStep notes how the step that was done has ended.
func (g *virtualRobot) endStep(as robot.StepRun) {
	s := &g.out.Steps[g.ended]
	if !as.Skipped {
		s.Result = as.Result
		s.Time += g.spared[g.ended]
		g.saved += g.spared[g.ended]
	}
	g.out.Time += s.Time
	g.out.Length += s.Length
}

// leaveOutRest leaves out what has not been rehearsed in the time.
func (g *virtualRobot) leaveOutRest(limit time.Duration) {
	for ; g.ended < len(g.out.Steps); g.ended++ {
		g.out.Steps[g.ended].Result = robot.Result{Word: robot.Interrupted, Reason: fmt.Sprintf("The rehearsal was ended after %v of driving.", limit)}
		g.out.Time += g.out.Steps[g.ended].Time
		g.out.Length += g.out.Steps[g.ended].Length
	}
}

// extendPath puts where the robot is into the path, if it is time for that.
func (g *virtualRobot) extendPath() {
	t := g.now.Sub(g.began).Seconds() + g.saved
	if len(g.out.Path) > 0 && t-g.marked < pathEvery-1e-6 {
		return
	}
	g.marked = t
	here := RehearsedPoint{T: t, Pose: g.localizer.pose}
	if n := len(g.out.Path); n > 0 && g.out.Path[n-1].Pose == here.Pose {
		g.standEnd = here
		return
	}
	g.rest()
	g.out.Path = append(g.out.Path, here)
}

// rest puts the end of a rest into the path.
func (g *virtualRobot) rest() {
	if g.standEnd.T > 0 {
		g.out.Path = append(g.out.Path, g.standEnd)
		g.standEnd = RehearsedPoint{}
	}
}
