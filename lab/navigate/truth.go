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

// A wayWatch says whether a way to the goal is open in truth: on the floor plan with
// everything that stands there and the doors as they are. People are left
// out. It belongs to one run.
type wayWatch struct {
	desc robot.Description
	plan *robot.Floorplan
	from robot.Pose // where the run began
	goal robot.Pose

	held    *sim.Contents // for which planner is; nil = none yet
	planner *pathplan.Planner
	at      robot.Point // for which open is
	open    bool
	known   bool
}

// sameStand is how far, in m, a robot moves until it is asked anew whether a way is open.
const sameStand = 0.05

// isOpen answers for the robot where it is, with the world as it is. A robot that has come
// too near to something by itself is taken to be where it began.
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

// isPeopled reports whether people, where they are now, leave no way to the goal. They are
// taken for barrels of their size; the one who is nearest may be within reach of the robot, so
// a robot that cannot begin among them has no way either.
func (w *wayWatch) isPeopled(r *testbed.Rover) bool {
	held := r.World.Contents()
	held.Things = slices.Clip(held.Things)
	for _, p := range r.Truth.People {
		held.Things = append(held.Things, sim.Thing{Kind: sim.ObstacleKind, Point: p, Radius: testbed.PersonRadius})
	}
	_, err := pathplan.NewPlanner(addContents(w.plan, held, 0), w.desc).FindRoute(time.Time{}, r.Truth.Pose, w.goal)
	return err != nil
}
