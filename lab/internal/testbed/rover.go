// Package testbed is the robot of the experiments: as the server runs it, Core
// and localizer, stepped in virtual time in a simulated world, or served over
// sockets. A Rover belongs to one goroutine; a Floor is shared and is only read.
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

// A Rover is the robot as the server runs it, Core and all, in a world that
// passes step by step.
type Rover struct {
	Desc      robot.Description
	World     *sim.World
	Core      *onboard.Core
	State     robot.State
	Known     robot.Pose // of the map in which truth is told, in the map that the robot has
	began     time.Time
	Unwatched bool      // no person helps it
	Now       time.Time // of the newest reading

	Truth    sim.Truth
	Passes   Passes
	Rested   bool // it stood in truth before the last step
	touching bool
	Bumps    int             // contacts that are the robot's
	Pushed   int             // contacts by a person who walked into the standing robot
	Touched  []time.Duration // since the run began, when the moving robot and a person touched
	Way      float64         // m driven

	Route  *robot.Route // on which it drives
	Replan []float64    // ms that each Tick took in which it changed its route

	Decision float64       // ms of processor time that the newest Tick took
	BrakesAt time.Duration // since the run began; from then on the base gets no twist but zero. 0 = never
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
	r.UpdateTruth()
	// It has reported its state before the first command.
	for range int(f.Desc.Rate) {
		if err := r.Step(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// EstimateInTruth returns where the robot believes that it is, in the map in which truth is told.
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

// Step lets one period pass.
func (r *Rover) Step() error {
	reading := r.World.Step()
	r.Now = reading.Time
	runtime.LockOSThread()
	begin, used := time.Now(), threadTime()
	out, state := r.Core.Tick(reading)
	r.Decision = (threadTime() - used).Seconds() * 1000
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

// UpdateTruth sees what is true now, and whose contact it is.
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

// Passes are how near the moving robot comes to people.
type Passes struct {
	Near    int     // times that it came nearer than nearPass to a person ahead
	Nearest float64 // m from the hull to a person ahead, at least; 0 = there was none
	within  bool
}

const (
	moves      = 0.1  // m/s, from here on the robot counts as moving
	nearPass   = 0.35 // m, what a simulated person keeps of their own
	passedAt   = 0.5  // m, from here on they have passed
	looksAhead = 2.0  // m around the hull in which a person is looked for
)

// Look sees who is ahead of the robot, while it moves. People who walk past a
// standing robot, or behind a moving one, are their own masters.
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

// isTouchedByPerson reports whether it is a person who touches the hull.
func (r *Rover) isTouchedByPerson() bool {
	for _, p := range r.Truth.People {
		if HullGap(r.Desc.Body.Hull, r.Truth.Pose.Inverse().Apply(p)) < PersonRadius+0.02 {
			return true
		}
	}
	return false
}

// HullGap returns how far p is from a hull, both in base_link, in m.
func HullGap(hull []robot.Point, p robot.Point) float64 {
	gap := math.Inf(1)
	for n, a := range hull {
		gap = min(gap, robot.Segment{A: a, B: hull[(n+1)%len(hull)]}.Distance(p))
	}
	return gap
}

// Elapsed returns how long the world has lived since the run began.
func (r *Rover) Elapsed() time.Duration { return r.Now.Sub(r.began) }

// Do gives an order.
func (r *Rover) Do(cmd robot.Command) robot.Result { return r.Core.Do(r.Now, cmd) }

// PersonRadius is that of the people whom newScene draws, in m.
const PersonRadius = 0.25

// DistanceToLine returns how far p is off a line, in m.
func DistanceToLine(p robot.Point, line []robot.Point) float64 {
	best := math.Inf(1)
	for n := 1; n < len(line); n++ {
		best = min(best, robot.Segment{A: line[n-1], B: line[n]}.Distance(p))
	}
	return best
}
