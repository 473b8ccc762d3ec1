package navigate

import (
	"reflect"
	"slices"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/testbed"
	"mybot/pathplan"
	"mybot/robot"
)

// A wayWatch tests whether a path to the goal exists in truth: on the floor plan with all
// obstacles, and the doors in their present state. It ignores people. It belongs to one run.
type wayWatch struct {
	desc robot.Description
	plan *robot.Floorplan
	from robot.Pose // where the run began
	goal robot.Pose

	held    *sim.Contents // contents of the planner's floor; nil = no planner yet
	planner *pathplan.Planner
	at      robot.Point // where open was tested
	open    bool
	known   bool
}

// sameStand is how far, in m, a robot moves before the test is repeated.
const sameStand = 0.05

// isOpen tests for the present pose and world. A robot that has moved too near to something to
// plan from there is tested from its start.
func (w *wayWatch) isOpen(r *testbed.Rover) bool {
	if held := r.World.Contents(); w.held == nil || !reflect.DeepEqual(held, *w.held) {
		w.held, w.known = &held, false
		w.planner = pathplan.NewPlanner(addContents(w.plan, held, thingMargin), w.desc)
	}
	if at := r.Truth.Pose.Point(); !w.known || at.Sub(w.at).Norm() > sameStand {
		from := r.Truth.Pose
		if !w.planner.CanBegin(at) {
			from = w.from
		}
		_, err := w.planner.FindRoute(time.Time{}, from, w.goal)
		w.at, w.open, w.known = at, err == nil, true
	}
	return w.open
}

// isPeopled reports whether people, where they are now, leave no path to the goal. They count
// as barrels of their size. The nearest one may be within the hull's clearance; a robot that
// cannot start because of that has no path either.
func (w *wayWatch) isPeopled(r *testbed.Rover) bool {
	held := r.World.Contents()
	held.Things = slices.Clip(held.Things)
	for _, p := range r.Truth.People {
		held.Things = append(held.Things, sim.Thing{Kind: sim.ObstacleKind, Point: p, Radius: testbed.PersonRadius})
	}
	_, err := pathplan.NewPlanner(addContents(w.plan, held, 0), w.desc).FindRoute(time.Time{}, r.Truth.Pose, w.goal)
	return err != nil
}
