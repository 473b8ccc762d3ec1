package app

import (
	"context"
	"math"
	"slices"
	"time"

	"mybot/pathplan"
	"mybot/robot"
)

const (
	maxPolls    = 10          // by others, before a path that is not taken is thrown away
	sameStart   = 0.3         // m that a robot may have moved since its path was asked for
	sameHeading = math.Pi / 6 // rad
)

// A PlanWorker plans paths beside the control loop, in the goroutine of Run, one
// after the other.
type PlanWorker struct{ plans chan func() }

// NewPlanWorker returns one that Run will run.
func NewPlanWorker() *PlanWorker { return &PlanWorker{plans: make(chan func(), 1)} }

// Run plans until ctx ends. It returns when the plan that it is at is made.
func (p *PlanWorker) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case plan := <-p.plans:
			plan()
		}
	}
}

// NewPlanner is NewPlanner for a control loop that must not wait: paths are
// planned by the worker.
func (p *PlanWorker) NewPlanner(plan *robot.Floorplan, desc robot.Description) robot.Planner {
	if !hasFloor(plan) {
		return nil
	}
	return &asyncPlanner{planner: pathplan.NewPlanner(plan, desc), worker: p}
}

// NewPlanner prepares a floor for a robot, which takes some 0.1 s for a million
// cells. The floor plan must not change any more. Without a floor, as with no
// map, there is no planner: nil.
func NewPlanner(plan *robot.Floorplan, desc robot.Description) robot.Planner {
	if !hasFloor(plan) {
		return nil
	}
	return pathplan.NewPlanner(plan, desc)
}

func hasFloor(plan *robot.Floorplan) bool { return plan != nil && len(plan.Grid.Cells) > 0 }

// asyncPlanner has a worker plan. The control loop's goroutine alone uses it.
// While the worker plans, the planner is the worker's, but for Clearance and Path.
type asyncPlanner struct {
	planner *pathplan.Planner
	worker  *PlanWorker
	search  *search    // nil = nothing is being planned
	seen    []sighting // while the worker plans; the planner is told later
}

// A search is a route that a worker looks for.
type search struct {
	from, to robot.Pose
	done     chan struct{} // closed when route and err are there
	route    pathplan.Route
	err      error
	stale    bool // something got in the way meanwhile
	polls    int  // by those who want another path, since it is there
}

// A sighting is something that was seen in the way.
type sighting struct {
	at         time.Time
	from, face robot.Point
	points     []robot.Point // where what lidars see stands, if
	scanned    bool          // lidars see it; else it is that at face
}

// isOver reports whether the search is over. The control loop never waits for it.
func (s *search) isOver() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Plan finds a path, as robot.Planner says.
func (a *asyncPlanner) Plan(now time.Time, from, to robot.Pose) (robot.Path, error) {
	if s := a.search; s != nil && s.to != to {
		// The one that asked for that path takes it at the next reading.
		if !s.isOver() {
			return nil, robot.ErrPlanning
		}
		if s.polls++; s.polls <= maxPolls {
			return nil, robot.ErrPlanning
		}
		a.finishSearch()
	}
	if s := a.search; s != nil {
		if !s.isOver() {
			return nil, robot.ErrPlanning
		}
		if a.finishSearch(); s.servesRequest(from) {
			if s.err != nil {
				return nil, s.err
			}
			return a.planner.Path(s.route), nil
		}
	}
	s := &search{from: from, to: to, done: make(chan struct{})}
	select {
	case a.worker.plans <- func() {
		defer close(s.done)
		s.route, s.err = a.planner.FindRoute(now, from, to)
	}:
	default: // it still plans over the map before this one
		return nil, robot.ErrPlanning
	}
	a.search = s
	return nil, robot.ErrPlanning
}

// servesRequest reports whether the path that was found is one for a robot that is at
// from by now.
func (s *search) servesRequest(from robot.Pose) bool {
	off := s.from.Inverse().Compose(from)
	return !s.stale && off.Point().Norm() < sameStart && math.Abs(off.Theta) < sameHeading
}

// finishSearch ends the search that is over: the planner hears what was seen meanwhile.
func (a *asyncPlanner) finishSearch() {
	a.search = nil
	for _, s := range a.seen {
		if s.scanned {
			a.planner.BlockPoints(s.at, s.points)
		} else {
			a.planner.Block(s.at, s.from, s.face)
		}
	}
	a.seen = nil
}

// Block notes what is in the way, as robot.Planner says.
func (a *asyncPlanner) Block(now time.Time, from, face robot.Point) {
	if a.search != nil {
		a.search.stale = true
	}
	if a.isIdle() {
		a.planner.Block(now, from, face)
	} else {
		a.seen = append(a.seen, sighting{at: now, from: from, face: face})
	}
}

// BlockPoints notes what lidars see in the way, as robot.Planner says.
func (a *asyncPlanner) BlockPoints(now time.Time, points []robot.Point) {
	if a.search != nil {
		a.search.stale = true
	}
	if a.isIdle() {
		a.planner.BlockPoints(now, points)
	} else {
		a.seen = append(a.seen, sighting{at: now, points: slices.Clone(points), scanned: true})
	}
}

// isIdle reports whether the worker does not have the planner.
func (a *asyncPlanner) isIdle() bool { return a.search == nil || a.search.isOver() }

// Observe forgets what the sonars and lidars look through, as robot.Planner says.
func (a *asyncPlanner) Observe(r robot.Reading, rays []robot.Ray, pose robot.Pose) bool {
	return a.isIdle() && a.planner.Observe(r, rays, pose)
}

// Clearance tells what is on the floor plan, as robot.Planner says.
func (a *asyncPlanner) Clearance(at robot.Point) float64 { return a.planner.Clearance(at) }
