package app

import (
	"context"
	"math"
	"time"

	"mybot/pathplan"
	"mybot/robot"
	"mybot/robot/onboard"
)

const (
	mostPolls   = 10          // by others, before a way that nobody fetches is thrown away
	sameStart   = 0.3         // m that a robot may have moved since its way was asked for
	sameHeading = math.Pi / 6 // rad
)

// A PlanWorker plans ways beside the control loop, in the goroutine of Run, one
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

// NewPlanner is NewPlanner for a control loop that must not wait: ways are planned by the
// worker.
func (p *PlanWorker) NewPlanner(plan *robot.Floorplan, desc robot.Description) onboard.Planner {
	found := NewPlanner(plan, desc)
	if w, ok := found.(*asyncPlanner); ok {
		w.worker = p
	}
	return found
}

// asyncPlanner finds the ways of one robot over one floor: it joins pathplan to
// onboard.Core, whose goroutine alone uses it. While a worker plans, the planner
// is the worker's.
type asyncPlanner struct {
	desc    robot.Description
	planner *pathplan.Planner
	lane    *pathplan.LaneWatch

	worker *PlanWorker // nil = ways are planned at once
	search *search     // nil = nothing is being planned
	seen   []sighting  // while a worker plans; the planner is told later
}

// A search is a way that a worker plans.
type search struct {
	from, to robot.Pose
	done     chan struct{} // closed when route and err are there
	route    pathplan.Route
	err      error
	stale    bool // something got in the way meanwhile
	polls    int  // by those who want another way, since it is there
}

// A sighting is something that was seen in the way.
type sighting struct {
	at         time.Time
	from, face robot.Point
}

// over tells whether the search is over. The control loop never waits for it.
func (s *search) over() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// NewPlanner prepares a floor for a robot, which takes some 0.1 s for a million
// cells. The floor plan must not change any more. Without a floor, as with no
// map, there are no ways: nil.
func NewPlanner(plan *robot.Floorplan, desc robot.Description) onboard.Planner {
	if plan == nil || len(plan.Grid.Cells) == 0 {
		return nil
	}
	planner := pathplan.NewPlanner(plan, desc)
	return &asyncPlanner{desc: desc, planner: planner, lane: planner.LaneWatch()}
}

// Plan finds a way, as onboard.Planner says.
func (w *asyncPlanner) Plan(now time.Time, from, to robot.Pose) (onboard.Path, error) {
	if w.worker == nil {
		return w.way(w.planner.FindRoute(now, from, to))
	}
	if s := w.search; s != nil && s.to != to {
		// Whoever asked for that way comes for it at the next reading.
		if !s.over() {
			return nil, onboard.ErrPlanning
		}
		if s.polls++; s.polls <= mostPolls {
			return nil, onboard.ErrPlanning
		}
		w.finish()
	}
	if s := w.search; s != nil {
		if !s.over() {
			return nil, onboard.ErrPlanning
		}
		if w.finish(); s.serves(from) {
			return w.way(s.route, s.err)
		}
	}
	s := &search{from: from, to: to, done: make(chan struct{})}
	select {
	case w.worker.plans <- func() {
		defer close(s.done)
		s.route, s.err = w.planner.FindRoute(now, from, to)
	}:
	default: // it still plans over the map before this one
		return nil, onboard.ErrPlanning
	}
	w.search = s
	return nil, onboard.ErrPlanning
}

// serves tells whether the way that was found is one for a robot that is at from
// by now.
func (s *search) serves(from robot.Pose) bool {
	off := s.from.Inverse().Compose(from)
	return !s.stale && off.Point().Norm() < sameStart && math.Abs(off.Theta) < sameHeading
}

// finish ends the search that is over: the planner hears what was seen meanwhile.
func (w *asyncPlanner) finish() {
	w.search = nil
	for _, s := range w.seen {
		w.planner.Block(s.at, s.from, s.face)
	}
	w.seen = nil
}

// way makes a way of a route.
func (w *asyncPlanner) way(route pathplan.Route, err error) (onboard.Path, error) {
	if b, ok := pathplan.IsBlocked(err); ok {
		return nil, onboard.Barred{Refusal: b.Refusal, At: b.At}
	}
	if err != nil {
		return nil, err
	}
	return &way{ways: w, route: &route, follower: pathplan.NewFollower(&route, w.desc), arrival: pathplan.NewArrival()}, nil
}

// Block notes what is in the way, as onboard.Planner says.
func (w *asyncPlanner) Block(now time.Time, from, face robot.Point) {
	if w.search != nil {
		w.search.stale = true
	}
	if w.idle() {
		w.planner.Block(now, from, face)
	} else {
		w.seen = append(w.seen, sighting{now, from, face})
	}
}

// idle tells whether no worker has the planner.
func (w *asyncPlanner) idle() bool { return w.search == nil || w.search.over() }

// OnMap tells what is on the floor plan, as onboard.Planner says.
func (w *asyncPlanner) OnMap(at robot.Point) bool { return w.lane.Known(at) }

// Observe forgets what the sonars look through, as onboard.Planner says.
func (w *asyncPlanner) Observe(r robot.Reading, pose robot.Pose) bool {
	return w.idle() && w.planner.Observe(r, pose)
}

// way is a route on which the robot drives.
type way struct {
	ways     *asyncPlanner
	route    *pathplan.Route
	follower *pathplan.Follower
	patience pathplan.Patience
	arrival  pathplan.Arrival
	along    float64 // m done
	watched  bool
}

// Route returns the route as people see it.
func (w *way) Route() robot.Route {
	return robot.Route{Goal: w.route.Goal, Line: w.route.Line(w.ways.desc.Drivetrain), Via: w.route.Via, Length: w.route.Length, Time: w.route.Time}
}

// Follow drives along the route.
func (w *way) Follow(now time.Time, pose robot.Pose, twist robot.Twist, most float64) (robot.Twist, onboard.Progress) {
	out, p := w.follower.Follow(pose, twist, most)
	w.along = p.Done
	return out, onboard.Progress{
		Done: p.Done, Left: p.Left, Time: p.Time, Across: p.Across, Clearance: p.Clearance,
		Waiting: w.patience.Waiting(now, pose),
		Lost:    p.Lost,
		Over:    p.Phase == pathplan.Arrived,
		Arrived: p.Phase == pathplan.Arrived && w.arrival.There(pose, w.route.Goal, twist),
	}
}

// Watch looks into the lane ahead. The first look on a way forgets what was
// seen on another.
func (w *way) Watch(r robot.Reading, pose robot.Pose) onboard.Lane {
	if !w.watched {
		w.ways.lane.Reset()
		w.watched = true
	}
	face, blocked := w.ways.lane.Watch(r, pose, true, w.route, w.along)
	return onboard.Lane{Seen: face != robot.Point{}, Face: face, Blocked: blocked}
}
