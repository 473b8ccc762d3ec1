package lab

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/pathplan"
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
	began     time.Time
	Unwatched bool      // nobody helps it
	Now       time.Time // of the newest reading

	Truth    sim.Truth
	Passes   passes
	Rested   bool // it stood in truth before the last step
	touching bool
	Bumps    int     // contacts that are the robot's
	Pushed   int     // contacts by somebody who walked into the standing robot
	Way      float64 // m driven

	Route  *robot.Route // on which it drives
	Replan []float64    // ms that each Tick took in which it changed its route
}

// Floor is what all runs on one floor share.
type Floor struct {
	Desc  robot.Description
	Plan  *robot.Floorplan
	Roads *Roads
	Table *localization.Table
	World sim.Deviation // of the robots on it
}

func (c call) newFloor(ctx context.Context, desc robot.Description, plan *robot.Floorplan) (*Floor, error) {
	roads, err := NewRoads(plan)
	if err != nil {
		return nil, err
	}
	table, err := localization.NewTable(ctx, plan, desc.Sonars, c.tables)
	if err != nil {
		return nil, fmt.Errorf("lab: %w", err)
	}
	return &Floor{Desc: desc, Plan: plan, Roads: roads, Table: table}, nil
}

// NewRover puts a robot with the localizer loc into a scene.
func (f *Floor) NewRover(scene sim.Scene, loc onboard.Localizer, seed uint64) (*Rover, error) {
	r := &Rover{Desc: f.Desc, began: time.Unix(1e6, 0)}
	r.World = sim.NewWorld(f.Desc, f.Plan, scene, sim.Options{Seed: seed, Epoch: r.began, Deviation: f.World})
	r.Core = onboard.NewCore(f.Desc, loc, app.NewPlanner(f.Plan, f.Desc))
	r.UpdateTruth()
	// It has told of itself before anybody asks it for something.
	for range int(f.Desc.Rate) {
		if err := r.Step(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// NewMCL returns the localizer of a robot that is switched on at start.
func (f *Floor) NewMCL(start robot.Pose, seed uint64) *localization.MCL {
	return localization.NewMCL(f.Desc, f.Table, start, seed)
}

// Step lets one period pass.
func (r *Rover) Step() error {
	reading := r.World.Step()
	r.Now = reading.Time
	begin := time.Now()
	out, state := r.Core.Tick(reading)
	took := time.Since(begin)
	r.State = state
	if g := state.Goal; g != nil && g.Route != r.Route {
		if r.Route != nil && g.Route != nil {
			r.Replan = append(r.Replan, took.Seconds()*1000)
		}
		r.Route = g.Route
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
		if r.Rested && r.isTouchedByPerson() {
			r.Pushed++
		} else {
			r.Bumps++
		}
	}
	r.Passes.Look(&r.Truth, r.Desc.Body.Hull)
	r.touching = r.Truth.Contact
	r.Rested = math.Abs(r.Truth.Twist.Linear) < 0.01 && math.Abs(r.Truth.Twist.Angular) < 0.02
}

// passes are how near the moving robot comes to people.
type passes struct {
	near    int     // times that it came nearer than nearPass to somebody ahead
	nearest float64 // m from the hull to somebody ahead, at least; 0 = nobody was
	within  bool
}

const (
	moves      = 0.1  // m/s, from here on the robot counts as moving
	nearPass   = 0.35 // m, what a simulated person keeps of their own
	passedAt   = 0.5  // m, from here on they have passed
	looksAhead = 2.0  // m around the hull in which somebody is looked for
)

// Look sees who is ahead of the robot, while it moves. People who walk past a
// standing robot, or behind a moving one, are their own masters.
func (p *passes) Look(t *sim.Truth, hull []robot.Point) {
	gap := looksAhead
	if math.Abs(t.Twist.Linear) > moves {
		for _, at := range t.People {
			q := t.Pose.Inverse().Apply(at)
			if q.X*t.Twist.Linear > 0 {
				gap = min(gap, max(1e-3, HullGap(hull, q)-personRadius))
			}
		}
	}
	if gap < looksAhead && (p.nearest == 0 || gap < p.nearest) {
		p.nearest = gap
	}
	if gap < nearPass && !p.within {
		p.near++
	}
	p.within = gap < nearPass || p.within && gap < passedAt
}

// isTouchedByPerson tells whether it is a person who touches the hull.
func (r *Rover) isTouchedByPerson() bool {
	for _, p := range r.Truth.People {
		if HullGap(r.Desc.Body.Hull, r.Truth.Pose.Inverse().Apply(p)) < personRadius+0.02 {
			return true
		}
	}
	return false
}

// HullGap returns how far p is from a hull, both in base_link, in m.
func HullGap(hull []robot.Point, p robot.Point) float64 {
	gap := math.Inf(1)
	for n, a := range hull {
		gap = min(gap, legDistance(p, robot.Segment{A: a, B: hull[(n+1)%len(hull)]}))
	}
	return gap
}

// Elapsed returns how long the world has lived since the run began.
func (r *Rover) Elapsed() time.Duration { return r.Now.Sub(r.began) }

// Do gives an order.
func (r *Rover) Do(cmd robot.Command) robot.Result { return r.Core.Do(r.Now, cmd) }

// trialResult is what became of an errand.
type trialResult struct {
	end       ending
	reason    string
	reachable bool // at the end the way was free, as far as a map with everything on it can tell
	planned   float64
	took      float64 // s
	off       float64 // m from the goal in truth
	turned    float64 // rad
	lost      bool    // the robot has said so
	asked     int     // how often somebody said "go around" or "resume"
	helped    int     // how often that set the robot in motion
	elsewhere bool    // it said that it had arrived, and had not
	alone     bool    // it arrives with nobody to help,
	passes    passes

	aloneReachable bool   // and with nobody to help the way is free at the end
	pairs          [2]int // drawn for it, and of those refused at once
	routes         int
	bumps          int
	pushed         int
	replan         []float64 // ms
	way            float64
	worst          float64 // m the estimate was off
}

// ending is how an errand ended.
type ending string

const (
	arrived ending = "arrived"
	refused ending = "refused"
	blocked ending = "blocked"
	paused  ending = "paused"
	failed  ending = "failed"
	onWay   ending = "on its way"
)

const (
	personRadius = 0.25             // m, of those that NewScene draws
	putApart     = 1.0              // m from the robot's centre to what is put down or closed at least
	helpAfter    = 15 * time.Second // that somebody watches a blocked robot
	thereWithin  = 0.3              // m in truth; a robot farther off its goal has not arrived, whatever it says
	thereTurned  = math.Pi / 9      // rad
)

// run carries an errand out, and when somebody helped once more with nobody
// who helps.
func (f *Floor) run(ctx context.Context, e goalTrial) (trialResult, error) {
	o, err := f.attempt(ctx, e, true)
	alone := o
	if err == nil && o.helped > 0 {
		alone, err = f.attempt(ctx, e, false)
	}
	o.alone, o.aloneReachable = alone.end == arrived, alone.reachable
	return o, err
}

// attempt carries an errand out.
func (f *Floor) attempt(ctx context.Context, e goalTrial, helps bool) (trialResult, error) {
	r, err := f.NewRover(e.scene, f.NewMCL(e.from, e.seed), e.seed)
	if err != nil {
		return trialResult{}, err
	}
	r.Unwatched = !helps
	events, start := slices.Clone(e.events), r.Elapsed()
	o, err := r.carryOut(ctx, e, func(r *Rover) error {
		// Those that are not fair to the robot now happen later.
		for n := 0; n < len(events); n++ {
			if r.Elapsed()-start >= events[n].at && r.happen(f.Plan, events[n]) {
				events = slices.Delete(events, n, n+1)
				n--
			}
		}
		return nil
	})
	if err != nil || o.end == refused {
		return o, err
	}
	o.judgeByTruth()
	o.reachable = o.end == arrived
	if !o.reachable {
		planner := pathplan.NewPlanner(addContents(f.Plan, r.World.Contents()), f.Desc)
		from := r.Truth.Pose
		if !planner.Begins(from.Point()) { // it has come too near to a barrel and has nobody else to blame
			from = e.from
		}
		_, err := planner.FindRoute(time.Time{}, from, e.goal)
		o.reachable = err == nil
	}
	return o, nil
}

// runUntilEnd sends the robot to the goal and lets meanwhile change the world,
// until the robot is done or it has taken too long.
func (r *Rover) carryOut(ctx context.Context, e goalTrial, meanwhile func(*Rover) error) (trialResult, error) {
	o := trialResult{pairs: [2]int{e.pairs, e.refusedPairs}}
	answer := r.Do(robot.GoTo{Goal: e.goal})
	if answer.Word != robot.Success && answer.Word != robot.Modified || answer.Route == nil {
		o.end, o.reason = refused, answer.Reason
		return o, nil
	}
	o.planned = answer.Route.Time
	start := r.Elapsed()
	var helped time.Time
	for r.Elapsed()-start < e.lasts {
		if ctx.Err() != nil {
			return o, ctx.Err()
		}
		if err := meanwhile(r); err != nil {
			return o, err
		}
		if err := r.Step(); err != nil {
			return o, err
		}
		g := r.State.Goal
		if g == nil {
			return o, fmt.Errorf("lab: goto: seed %d: the robot has set out and tells of no goal", e.seed)
		}
		o.worst = max(o.worst, r.State.Estimate.Pose.Point().Sub(r.Truth.Pose.Point()).Norm())
		o.lost = o.lost || r.State.Estimate.Trust == robot.TrustLost
		if g.Route != nil {
			o.routes = int(g.Route.Number)
		}
		if asked, helps := r.help(helped); asked {
			helped = r.Now
			o.asked++
			if helps {
				o.helped++
			}
		}
		if g.Phase == robot.GoalEnded {
			break
		}
	}
	o.took = (r.Elapsed() - start).Seconds()
	g := r.State.Goal
	switch {
	case g.Phase == robot.GoalEnded && g.Result.Word == robot.Success:
		o.end = arrived
	case g.Phase == robot.GoalEnded:
		o.end = failed
	case g.Phase == robot.GoalBlocked:
		o.end = blocked
	case g.Phase == robot.GoalPaused:
		o.end = paused
	default:
		o.end = onWay
	}
	o.reason = g.Result.Reason
	o.passes = r.Passes
	off := e.goal.Inverse().Compose(r.Truth.Pose)
	o.off, o.turned = off.Point().Norm(), math.Abs(off.Theta)
	o.bumps, o.pushed, o.replan, o.way = r.Bumps, r.Pushed, r.Replan, r.Way
	return o, nil
}

// judgeByTruth asks the truth and not the robot whether it has arrived.
func (o *trialResult) judgeByTruth() {
	if o.elsewhere = o.end == arrived && (o.off > thereWithin || o.turned > thereTurned); o.elsewhere {
		o.end, o.reason = failed, fmt.Sprintf("It said SUCCESS %.2f m and %.0f deg off its goal.", o.off, robot.Degrees(o.turned))
	}
}

// help does what somebody does who watches the page: says "go around" to a
// robot that is blocked, and "resume" to one that has paused because it did not
// know where it was and is no longer lost. It tells whether something was said,
// for the first time since a while after last, and whether that set the robot
// in motion: before a closed door it does not.
func (r *Rover) help(last time.Time) (asked, helped bool) {
	if r.Unwatched || r.Now.Sub(last) <= helpAfter {
		return false, false
	}
	var answer robot.Result
	switch g := r.State.Goal; {
	case g.Phase == robot.GoalBlocked && g.Blocked != nil && g.Blocked.Waited > helpAfter.Seconds():
		answer = r.Do(robot.GoAround{})
	case g.Phase == robot.GoalPaused && r.State.Estimate.Trust != robot.TrustLost:
		answer = r.Do(robot.Resume{})
	default:
		return false, false
	}
	return true, answer.Word == robot.Success
}

// happen lets an event happen, if it is fair to the robot now.
func (r *Rover) happen(plan *robot.Floorplan, e event) bool {
	at := r.Truth.Pose.Point()
	if e.barrel != nil {
		if at.Sub(e.barrel.Point).Norm() < putApart+e.barrel.Radius {
			return false
		}
		_, err := r.World.Put(sim.ObstacleKind, e.barrel.Point, e.barrel.Radius)
		return err == nil
	}
	d := plan.Doors[e.door]
	if e.closed && at.Sub(d.Hinge).Norm() < putApart+d.Length {
		return false
	}
	return r.World.Door(e.door, e.closed) == nil
}
