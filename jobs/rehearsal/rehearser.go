// Package rehearsal runs a job on a simulated robot before the real robot runs it.
// It finds out how long each step takes, which path it takes, and which step fails.
package rehearsal

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"mybot/drivers/sim"
	"mybot/jobs"
	"mybot/pathplan"
	"mybot/robot"
	"mybot/robot/onboard"
)

const (
	maxRehearsed      = 2 * time.Hour // of motion and speech
	betweenRehearsals = time.Hour     // on the virtual clock, so that obstacles of one rehearsal are forgotten in the next
	shortWait         = 1.0           // s that a rehearsal simulates of a wait; the rest is only added
	pathPeriod        = 0.1           // s between two points of the path
	yieldPeriod       = 10            // readings between two yields to the control loop, for computers with few processors, and two checks of the context
)

// A Rehearser rehearses jobs, one at a time. It caches the planner of the
// last floor plan, which takes longer to make than most rehearsals. One goroutine
// at a time uses it.
type Rehearser struct {
	desc    robot.Description
	plan    *robot.Floorplan // of planner
	planner robot.Planner    // nil = none yet, or there is no map
	now     time.Time        // end of the last rehearsal, on the rehearser's own clock
}

// New returns a rehearser for a robot.
func New(desc robot.Description) *Rehearser {
	return &Rehearser{desc: desc, now: time.Unix(0, 0)}
}

// plannerOf returns the planner for a floor plan.
func (r *Rehearser) plannerOf(plan *robot.Floorplan) robot.Planner {
	if r.planner == nil || r.plan != plan {
		r.plan, r.planner = plan, nil
		if plan != nil && len(plan.Grid.Cells) > 0 {
			r.planner = pathplan.NewPlanner(plan, r.desc)
		}
	}
	return r.planner
}

// Rehearse runs a job on a virtual robot that starts at from, of base_link in map:
// the same Core as the server's, on an ideal base, on the empty floor of the plan.
// It runs in virtual time, so that an hour takes a moment. Steps that wait for OK
// are answered at once; timed waits count in full. A step that fails is left out,
// whatever its on_failure says. The error is a robot.Refusal that says why the job
// cannot begin, or that of ctx.
func (r *Rehearser) Rehearse(ctx context.Context, plan *robot.Floorplan, from robot.Pose, job jobs.Job, steps []jobs.PreparedStep) (jobs.Rehearsal, error) {
	if no := r.refuseMoves(steps); no.Word != "" {
		return jobs.Rehearsal{}, robot.Refusal(no)
	}
	v := newVirtualRobot(plan, r.plannerOf(plan), r.desc, from, 0, r.now.Add(betweenRehearsals))
	defer func() { r.now = v.now }()
	return v.rehearseJob(ctx, job, steps, maxRehearsed)
}

// refuseMoves refuses steps that move, if the robot cannot drive by itself; the
// empty word = no refusal. The step's on_failure does not matter, because retrying
// would be useless.
func (r *Rehearser) refuseMoves(steps []jobs.PreparedStep) robot.Result {
	no := onboard.RefuseGoals(r.desc)
	i := slices.IndexFunc(steps, func(s jobs.PreparedStep) bool { return s.Step.Type == jobs.Move })
	if no.Word == "" || i < 0 {
		return robot.Result{}
	}
	return robot.Result{Word: no.Word, Reason: fmt.Sprintf("Step %d: %s", i+1, no.Reason)}
}

// shortenWaits returns the steps with short waits and without retries, and by how
// many seconds each was shortened.
func shortenWaits(steps []jobs.PreparedStep) (brief []jobs.PreparedStep, spared []float64) {
	brief, spared = make([]jobs.PreparedStep, len(steps)), make([]float64, len(steps))
	for n, s := range steps {
		waits := s.Step.Type == jobs.Wait || s.Step.Type == jobs.Message && !s.Step.OK
		if waits && s.Step.Seconds > shortWait {
			spared[n] = s.Step.Seconds - shortWait
			s.Step.Seconds = shortWait
		}
		s.Step.OnFailure = jobs.FailStop
		brief[n] = s
	}
	return brief, spared
}

// singleRun is the onboard.Jobs of a rehearsal, with a single run.
type singleRun struct{ run *jobs.Run }

// Take returns the run.
func (s singleRun) Take(uint64) (*jobs.Run, bool) { return s.run, true }

// perfectLocalizer integrates the wheels of an error-free base.
type perfectLocalizer struct {
	drivetrain robot.Drivetrain
	pose       robot.Pose // of base_link in map
}

// Update takes the next reading.
func (l *perfectLocalizer) Update(r robot.Reading) { l.pose = l.drivetrain.Roll(l.pose, r.Travel) }

// Estimate returns the pose.
func (l *perfectLocalizer) Estimate() robot.Estimate {
	return robot.Estimate{Pose: l.pose, Wheels: true}
}

// SetPose sets the pose.
func (l *perfectLocalizer) SetPose(p robot.Pose) { l.pose = p }

// A virtualRobot is the robot of one rehearsal: a Core on an error-free simulated
// base, on the empty floor. Its sonars see the walls, so that it drives near them
// as carefully as the real robot.
type virtualRobot struct {
	core      *onboard.Core
	base      *sim.World
	localizer *perfectLocalizer
	command   robot.Twist // to the base
	began     time.Time
	now       time.Time
	state     robot.State

	out    jobs.Rehearsal
	ended  int       // number of ended steps
	spared []float64 // s of each step that are added rather than simulated
	saved  float64   // s of spared so far
	goal   uint64    // whose route is known
	marked float64   // s, of the newest point considered for the path

	standEnd jobs.RehearsedPoint // the end of a stop that is not in the path yet; T 0 = none
}

// newVirtualRobot returns a robot that starts at from, with a share of its battery
// drained, and follows the planner's paths over the plan. Its clock starts at epoch.
func newVirtualRobot(plan *robot.Floorplan, planner robot.Planner, desc robot.Description, from robot.Pose, drained float64, epoch time.Time) *virtualRobot {
	scene := sim.DefaultScene()
	scene.Start, scene.Drained, scene.Wheels, scene.Compass = from, drained, sim.WheelErrors{}, sim.CompassErrors{}
	localizer := &perfectLocalizer{desc.Drivetrain, from}
	return &virtualRobot{
		core: onboard.NewCore(desc, localizer, planner), localizer: localizer,
		base: sim.NewWorld(desc, plan, scene, sim.Options{Epoch: epoch}),
	}
}

// takeReading takes one reading of the base, and returns its duration in s and the
// distance in m that the robot has rolled meanwhile.
func (v *virtualRobot) takeReading() (took, rolled float64) {
	_ = v.base.Drive(v.command) // Core's twists are always finite
	r := v.base.Step()
	took = r.Time.Sub(v.now).Seconds()
	v.now = r.Time
	v.command, v.state = v.core.Tick(r)
	return took, math.Abs(r.Travel.Left+r.Travel.Right) / 2
}

// rehearseJob runs a job for at most limit, on the virtual clock.
func (v *virtualRobot) rehearseJob(ctx context.Context, job jobs.Job, steps []jobs.PreparedStep, limit time.Duration) (jobs.Rehearsal, error) {
	v.takeReading() // Core accepts no commands before the first reading
	v.began = v.now
	v.out.Steps = make([]jobs.RehearsedStep, len(steps))
	var brief []jobs.PreparedStep
	brief, v.spared = shortenWaits(steps)
	v.core.UseJobs(singleRun{jobs.NewRun(1, job, brief)})
	if r := v.core.Do(v.now, robot.RunJob{Run: 1}); !r.Done() {
		return jobs.Rehearsal{}, fmt.Errorf("rehearsal: the job cannot be rehearsed: %w", robot.Refusal(r))
	}
	for n := 0; v.advanceJob(); n++ {
		if err := yieldAt(ctx, n); err != nil {
			return jobs.Rehearsal{}, err
		}
		if v.now.Sub(v.began) > limit {
			v.leaveOutRest(limit)
			break
		}
	}
	v.endStand()
	return v.out, nil
}

// yieldAt yields to the control loop after some readings. The error is that of ctx: a reading
// may plan a path, so that a few hundred of them can take long.
func yieldAt(ctx context.Context, readings int) error {
	if readings%yieldPeriod != 0 {
		return nil
	}
	runtime.Gosched()
	return ctx.Err()
}

// advanceJob advances the job by one reading. It returns false when the job has
// ended.
func (v *virtualRobot) advanceJob() bool {
	took, rolled := v.takeReading()
	run := v.state.Run
	for ; v.ended < run.Step; v.ended++ {
		v.endStep(run.Steps[v.ended])
	}
	if run.Phase == robot.RunEnded {
		return false
	}
	s := &v.out.Steps[v.ended]
	s.Time += took
	s.Length += rolled
	if goal := v.state.Goal; goal != nil && goal.Number != v.goal && goal.Route != nil {
		v.goal, s.Way = goal.Number, goal.Route.Line
	}
	v.extendPath()
	switch speech, message := v.state.Speech, v.state.Message; {
	case run.Phase == robot.RunStuck, run.Phase == robot.RunPaused:
		s.Result = robot.Result{Word: robot.Error, Reason: run.Result.Reason}
		v.core.Do(v.now, robot.SkipStep{})
		v.core.Do(v.now, robot.ResumeRun{}) // a paused run waits for it
	case message != nil && message.OK && message.Text != "": // without a text it is a WAIT that OK may end
		v.core.Do(v.now, robot.OK{})
	case speech != nil && !speech.Aloud && !v.now.Before(speech.At.Add(speech.Duration)):
		v.core.Do(v.now, robot.Spoken{Number: speech.Number})
	}
	return true
}

// endStep records how the current step has ended.
func (v *virtualRobot) endStep(as robot.StepRun) {
	s := &v.out.Steps[v.ended]
	if !as.Skipped {
		s.Result = as.Result
		s.Time += v.spared[v.ended]
		v.saved += v.spared[v.ended]
	}
	v.out.Time += s.Time
	v.out.Length += s.Length
}

// leaveOutRest leaves out the steps for which there was no time.
func (v *virtualRobot) leaveOutRest(limit time.Duration) {
	for ; v.ended < len(v.out.Steps); v.ended++ {
		s := &v.out.Steps[v.ended]
		s.Result = robot.Result{Word: robot.Interrupted, Reason: fmt.Sprintf("The rehearsal was ended after %v of driving.", limit)}
		v.out.Time += s.Time
		v.out.Length += s.Length
	}
}

// extendPath appends the robot's pose to the path, if it is time.
func (v *virtualRobot) extendPath() {
	t := v.now.Sub(v.began).Seconds() + v.saved
	if len(v.out.Path) > 0 && t-v.marked < pathPeriod-1e-6 {
		return
	}
	v.marked = t
	here := jobs.RehearsedPoint{T: t, Pose: v.localizer.pose}
	if n := len(v.out.Path); n > 0 && v.out.Path[n-1].Pose == here.Pose {
		v.standEnd = here
		return
	}
	v.endStand()
	v.out.Path = append(v.out.Path, here)
}

// endStand appends the end of a stop to the path.
func (v *virtualRobot) endStand() {
	if v.standEnd.T > 0 {
		v.out.Path = append(v.out.Path, v.standEnd)
		v.standEnd = jobs.RehearsedPoint{}
	}
}
