// Package testbed provides the robot of the experiments: Core and localizer as the server runs
// them, stepped in virtual time in a simulated world, or served over sockets. A Rover belongs to
// one goroutine; a Floor is shared and read-only.
package testbed

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/robot"
	"mybot/robot/onboard"
)

// A Rover is the robot as the server runs it, including Core, in a world that advances step by
// step.
type Rover struct {
	Desc      robot.Description
	World     *sim.World
	Core      *onboard.Core
	State     robot.State
	Known     robot.Pose // of the true map in the robot's map
	began     time.Time
	Unwatched bool      // no person helps it
	Now       time.Time // of the newest reading

	Truth    sim.Truth
	Passes   Passes
	Rested   bool // it was truly at rest before the last step
	touching bool
	Bumps    int             // contacts that the robot caused
	Pushed   int             // contacts by a person who walked into the robot at rest
	Touched  []time.Duration // times since the start of the run when the moving robot and a person touched
	Way      float64         // m driven

	Route  *robot.Route // that it follows
	Replan []float64    // ms, duration of each Tick that changed the route

	Decision float64       // ms of processor time of the newest Tick
	BrakesAt time.Duration // since the start of the run: the base gets only zero twists from then on; 0 = never
}

// NewRover puts a robot with the localizer loc into a scene.
func (f *Floor) NewRover(scene sim.Scene, loc onboard.Localizer, seed uint64) (*Rover, error) {
	r := &Rover{Desc: f.Desc, began: time.Unix(1e6, 0)}
	actual, known := f.Desc, f.Plan
	if f.Lidars != nil {
		actual.Lidars = f.Lidars
	}
	if f.Known != nil {
		known, r.Known = f.Known.Plan, f.Known.KnownFromMap
	}
	r.World = sim.NewWorld(actual, f.Plan, scene, sim.Options{Seed: seed, Epoch: r.began, Deviation: f.World})
	r.Core = onboard.NewCore(f.Desc, loc, app.NewPlanner(known, f.Desc))
	if f.Controller != nil {
		r.Core.UseLocalController(f.Controller(f.Desc, seed))
	}
	r.UpdateTruth()
	// Let it report its state before the first command.
	for range int(f.Desc.Rate) {
		if err := r.Step(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// EstimateInTruth returns the robot's estimate of its pose, in the true map.
func (r *Rover) EstimateInTruth() robot.Pose {
	return r.Known.Inverse().Compose(r.State.Estimate.Pose)
}

// NewMCL returns the localizer of a robot that is switched on at start.
func (f *Floor) NewMCL(start robot.Pose, seed uint64) *localization.MCL {
	if f.Known != nil {
		return localization.NewMCL(f.Desc, f.Known.Table, f.Known.KnownFromMap.Compose(start), seed)
	}
	return localization.NewMCL(f.Desc, f.Table, start, seed)
}

// Step advances the world by one period.
func (r *Rover) Step() error {
	reading := r.World.Step()
	r.Now = reading.Time
	runtime.LockOSThread()
	begin, used := time.Now(), ThreadTime()
	out, state := r.Core.Tick(reading)
	r.Decision = (ThreadTime() - used).Seconds() * 1000
	took := time.Since(begin)
	runtime.UnlockOSThread()
	r.State = state
	if g := state.Goal; g != nil && g.Route != r.Route {
		if r.Route != nil && g.Route != nil {
			r.Replan = append(r.Replan, took.Seconds()*1000)
		}
		r.Route = g.Route
	}
	if r.BrakesAt > 0 && r.Elapsed() >= r.BrakesAt {
		out = robot.Twist{}
	}
	if err := r.World.Drive(out); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	before := r.Truth.Pose
	r.UpdateTruth()
	r.Way += r.Truth.Pose.Point().Sub(before.Point()).Norm()
	return nil
}

// UpdateTruth updates the truth and attributes contacts to the robot or to a person.
func (r *Rover) UpdateTruth() {
	r.Truth = r.World.Truth()
	if r.Truth.Contact && !r.touching {
		switch byPerson := r.isTouchedByPerson(); {
		case r.Rested && byPerson:
			r.Pushed++
		case byPerson:
			r.Bumps++
			r.Touched = append(r.Touched, r.Elapsed())
		default:
			r.Bumps++
		}
	}
	r.Passes.Look(&r.Truth, r.Desc.Body.Hull)
	r.touching = r.Truth.Contact
	r.Rested = math.Abs(r.Truth.Twist.Linear) < 0.01 && math.Abs(r.Truth.Twist.Angular) < 0.02
}

// Passes records how close the moving robot comes to people.
type Passes struct {
	Near    int     // how often it came closer than nearPass to a person ahead
	Nearest float64 // m, the least distance from the hull to a person ahead; 0 = there was none
	within  bool
}

const (
	moves      = 0.1  // m/s from which the robot counts as moving
	nearPass   = 0.35 // m, the distance that a simulated person keeps by themselves
	passedAt   = 0.5  // m from which the two have passed each other
	looksAhead = 2.0  // m around the hull within which people count
)

// Look measures the distance to people ahead of the robot while it moves. The robot is not
// responsible for people who walk past it at rest, or behind it.
func (p *Passes) Look(t *sim.Truth, hull []robot.Point) {
	gap := looksAhead
	if math.Abs(t.Twist.Linear) > moves {
		for _, at := range t.People {
			q := t.Pose.Inverse().Apply(at)
			if q.X*t.Twist.Linear > 0 {
				gap = min(gap, max(1e-3, HullGap(hull, q)-PersonRadius))
			}
		}
	}
	if gap < looksAhead && (p.Nearest == 0 || gap < p.Nearest) {
		p.Nearest = gap
	}
	if gap < nearPass && !p.within {
		p.Near++
	}
	p.within = gap < nearPass || p.within && gap < passedAt
}

// isTouchedByPerson reports whether a person touches the hull.
func (r *Rover) isTouchedByPerson() bool {
	for _, p := range r.Truth.People {
		if HullGap(r.Desc.Body.Hull, r.Truth.Pose.Inverse().Apply(p)) < PersonRadius+0.02 {
			return true
		}
	}
	return false
}

// HullGap returns the distance of p from a hull in m, both in base_link.
func HullGap(hull []robot.Point, p robot.Point) float64 {
	gap := math.Inf(1)
	for n, a := range hull {
		gap = min(gap, robot.Segment{A: a, B: hull[(n+1)%len(hull)]}.Distance(p))
	}
	return gap
}

// Elapsed returns the virtual time since the start of the run.
func (r *Rover) Elapsed() time.Duration { return r.Now.Sub(r.began) }

// Do gives Core a command.
func (r *Rover) Do(cmd robot.Command) robot.Result { return r.Core.Do(r.Now, cmd) }

// PersonRadius is the radius of the people in NewScene, in m.
const PersonRadius = 0.25

// DistanceToLine returns the distance of p from a polyline, in m.
func DistanceToLine(p robot.Point, line []robot.Point) float64 {
	best := math.Inf(1)
	for n := 1; n < len(line); n++ {
		best = min(best, robot.Segment{A: line[n-1], B: line[n]}.Distance(p))
	}
	return best
}
