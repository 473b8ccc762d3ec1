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
	maxPolls    = 10          // for other paths, before an unclaimed path is dropped
	sameStart   = 0.3         // m that the robot may have moved since it asked for the path
	sameHeading = math.Pi / 6 // rad
)

// A PlanWorker plans paths in the goroutine of Run, beside the control loop, one
// at a time.
type PlanWorker struct{ plans chan func() }

// NewPlanWorker returns a worker; Run must be called.
func NewPlanWorker() *PlanWorker { return &PlanWorker{plans: make(chan func(), 1)} }

// Run plans until ctx ends. It returns when the current plan is finished.
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

// NewPlanner is the function NewPlanner for a control loop that must not wait: the
// worker plans the paths.
func (p *PlanWorker) NewPlanner(plan *robot.Floorplan, desc robot.Description) robot.Planner {
	if !hasFloor(plan) {
		return nil
	}
	return &asyncPlanner{planner: pathplan.NewPlanner(plan, desc), worker: p}
}

// NewPlanner prepares a floor for a robot, which takes some 0.1 s for a million
// cells. The floor plan must not change afterwards. Without a floor it returns nil.
func NewPlanner(plan *robot.Floorplan, desc robot.Description) robot.Planner {
	if !hasFloor(plan) {
		return nil
	}
	return pathplan.NewPlanner(plan, desc)
}

func hasFloor(plan *robot.Floorplan) bool { return plan != nil && len(plan.Grid.Cells) > 0 }

// asyncPlanner plans by a worker. Only the control loop's goroutine uses it. While
// the worker plans, the planner belongs to the worker, except for Clearance and
// Path.
type asyncPlanner struct {
	planner *pathplan.Planner
	worker  *PlanWorker
	search  *search    // nil = no search in progress
	seen    []sighting // while the worker plans, to be passed to the planner afterwards
}

// A search is a path that a worker plans.
type search struct {
	from, to robot.Pose
	done     chan struct{} // closed when route and err are set
	route    pathplan.Route
	err      error
	stale    bool // a new obstacle was seen meanwhile
	polls    int  // calls for other paths since the search finished
}

// A sighting is an obstacle that was seen.
type sighting struct {
	at         time.Time
	from, face robot.Point
	points     []robot.Point // positions, if scanned
	scanned    bool          // lidars saw it; otherwise it is at face
}

// isOver reports whether the search is finished. The control loop never waits for
// it.
func (s *search) isOver() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Plan implements robot.Planner.
func (a *asyncPlanner) Plan(now time.Time, from, to robot.Pose) (robot.Path, error) {
	if s := a.search; s != nil && s.to != to {
		// The caller that asked for that path takes it at the next reading.
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
	default: // the worker still plans over the previous map
		return nil, robot.ErrPlanning
	}
	a.search = s
	return nil, robot.ErrPlanning
}

// servesRequest reports whether the path suits a robot that is now at from.
func (s *search) servesRequest(from robot.Pose) bool {
	off := s.from.Inverse().Compose(from)
	return !s.stale && off.Point().Norm() < sameStart && math.Abs(off.Theta) < sameHeading
}

// finishSearch ends a finished search, and passes the sightings to the planner.
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

// Block implements robot.Planner.
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

// BlockPoints implements robot.Planner.
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

// isIdle reports whether the worker is not using the planner.
func (a *asyncPlanner) isIdle() bool { return a.search == nil || a.search.isOver() }

// Observe implements robot.Planner.
func (a *asyncPlanner) Observe(r robot.Reading, rays []robot.Ray, pose robot.Pose) bool {
	return a.isIdle() && a.planner.Observe(r, rays, pose)
}

// Clearance implements robot.Planner.
func (a *asyncPlanner) Clearance(at robot.Point) float64 { return a.planner.Clearance(at) }
