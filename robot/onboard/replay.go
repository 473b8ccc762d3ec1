package onboard

import (
	"math"
	"time"

	"mybot/jobs"
	"mybot/robot"
)

// A Replay runs a fresh core on the inputs that an Observer has recorded. Planner,
// localizer and job library give the recorded answers, and scripts want what they wanted
// then; the core decides everything else again. Only one goroutine may use it.
type Replay struct {
	core    *Core
	loc     replayedLocalizer
	planner replayedPlanner
	jobs    replayedJobs
	wishes  []robot.ScriptWish // of scripts, for the current step
}

// NewReplay returns a Replay for a robot whose loop has not had a reading yet. clearance is
// robot.Planner's Clearance on the floor plan; nil = there are no paths.
func NewReplay(desc robot.Description, clearance func(robot.Point) float64) *Replay {
	p := &Replay{loc: replayedLocalizer{speed: math.Inf(1)}, jobs: replayedJobs{}}
	p.core = NewCore(desc, &p.loc, nil)
	p.planner.core = p.core
	p.core.UseJobs(p.jobs)
	p.core.scripts.recorded = &p.wishes
	p.usePlanner(clearance)
	return p
}

func (p *Replay) usePlanner(clearance func(robot.Point) float64) {
	p.planner.clearance = clearance
	if clearance == nil {
		p.core.usePlanner(nil)
		return
	}
	p.core.usePlanner(&p.planner)
}

// Answer adds a recorded answer for the next reading or command. The Run of a RunReply is a
// jobs.Program.
func (p *Replay) Answer(r robot.Reply) {
	switch r.Kind {
	case robot.PlanReply:
		p.planner.plans = append(p.planner.plans, r)
	case robot.GoneReply:
		p.planner.gone = true
	case robot.SpeedReply:
		p.loc.speed = r.Speed
	case robot.ScriptReply:
		p.wishes = append(p.wishes, r.Wish)
	case robot.RunReply:
		if program, ok := r.Run.(jobs.Program); ok {
			p.jobs[program.Number] = program
		}
	}
}

// Tick processes a reading that arrived at the time at, with the localizer's estimate e
// after it, and returns the twist.
func (p *Replay) Tick(at time.Time, r robot.Reading, e robot.Estimate) robot.Twist {
	p.loc.estimate = e
	p.core.Arrive(at, r.Time)
	twist, _ := p.core.Tick(r)
	p.planner.endStep()
	return twist
}

// Do executes a command that the core received at the time taken, by the readings' clock; e
// is the estimate after it.
func (p *Replay) Do(taken time.Time, cmd robot.Command, e robot.Estimate) robot.Result {
	p.loc.estimate = e
	r := p.core.Do(taken, p.core.byReadings(cmd))
	p.planner.endStep()
	return r
}

// ChangeFloor repeats a recorded change of floor or planner.
func (p *Replay) ChangeFloor(change robot.FloorChange, clearance func(robot.Point) float64) robot.Result {
	if !change.Planner {
		clearance = nil
	}
	if !change.Frame {
		p.usePlanner(clearance)
		return robot.Result{Word: robot.Success}
	}
	p.loc.estimate = change.Estimate
	r := p.core.useFloor(Floor{Localize: func(robot.Estimate) Localizer { return &p.loc }})
	p.usePlanner(clearance)
	return r
}

// replayedLocalizer returns the localizer's recorded answers.
type replayedLocalizer struct {
	estimate robot.Estimate
	speed    float64
}

func (l *replayedLocalizer) Update(robot.Reading)          {}
func (l *replayedLocalizer) SetPose(robot.Pose)            {}
func (l *replayedLocalizer) Estimate() robot.Estimate      { return l.estimate }
func (l *replayedLocalizer) SpeedLimit() (float64, string) { return l.speed, "" }

// replayedPlanner returns the planner's recorded answers.
type replayedPlanner struct {
	core      *Core
	clearance func(robot.Point) float64
	plans     []robot.Reply // for the current step
	gone      bool
}

// Plan returns the recorded answer to this call; without one the path was still being
// planned.
func (p *replayedPlanner) Plan(time.Time, robot.Pose, robot.Pose) (robot.Path, error) {
	for _, r := range p.plans {
		if r.Call == p.core.plans {
			return r.Path, r.Err
		}
	}
	return nil, robot.ErrPlanning
}

func (p *replayedPlanner) Block(time.Time, robot.Point, robot.Point) {}
func (p *replayedPlanner) BlockPoints(time.Time, []robot.Point)      {}
func (p *replayedPlanner) Clearance(at robot.Point) float64          { return p.clearance(at) }

func (p *replayedPlanner) Observe(robot.Reading, []robot.Ray, robot.Pose) bool { return p.gone }

func (p *replayedPlanner) endStep() { p.plans, p.gone = p.plans[:0], false }

// replayedJobs holds the runs that the core took, by number.
type replayedJobs map[uint64]jobs.Program

func (j replayedJobs) Take(number uint64) (*jobs.Run, bool) {
	program, ok := j[number]
	if !ok {
		return nil, false
	}
	delete(j, number)
	return program.Run(), true
}
