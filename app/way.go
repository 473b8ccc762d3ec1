package app

import (
	"time"

	"mybot/pathplan"
	"mybot/robot"
	"mybot/robot/onboard"
)

// ways finds the ways of one robot over one floor: it joins pathplan to
// onboard.Core, whose goroutine alone uses it.
type ways struct {
	desc    robot.Description
	planner *pathplan.Planner
	lane    *pathplan.LaneWatch
}

// NewWays prepares a floor for a robot, which takes some 0.2 s for a million
// cells. The floor plan must not change any more. Without a floor, as with no
// map, there are no ways: nil.
func NewWays(plan *robot.Floorplan, desc robot.Description) onboard.Planner {
	if plan == nil || len(plan.Grid.Cells) == 0 {
		return nil
	}
	return &ways{desc: desc, planner: pathplan.NewPlanner(plan, desc), lane: pathplan.NewLaneWatch(desc, plan)}
}

// Plan finds a way, as onboard.Planner says.
func (w *ways) Plan(now time.Time, from, to robot.Pose) (onboard.Way, error) {
	route, err := w.planner.Plan(now, from, to)
	if b, ok := pathplan.IsBlocked(err); ok {
		return nil, onboard.Barred{Refusal: b.Refusal, At: b.At}
	}
	if err != nil {
		return nil, err
	}
	return &way{ways: w, route: &route, follower: pathplan.NewFollower(&route, w.desc), arrival: pathplan.NewArrival()}, nil
}

// Block notes what is in the way, as onboard.Planner says.
func (w *ways) Block(now time.Time, from, face robot.Point) { w.planner.Block(now, from, face) }

// Known tells what is on the floor plan, as onboard.Planner says.
func (w *ways) Known(at robot.Point) bool { return w.lane.Known(at) }

// See forgets what the sonars look through, as onboard.Planner says.
func (w *ways) See(r robot.Reading, pose robot.Pose) bool { return w.planner.See(r, pose) }

// way is a route on which the robot drives.
type way struct {
	ways     *ways
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
		Done: p.Done, Left: p.Left, Time: p.Time, Across: p.Across, Room: p.Room,
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
