package pathplan

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// path implements robot.Path for a route. Only one goroutine may use it.
type path struct {
	desc          robot.Description
	route         *Route
	follower      *follower
	progressWatch progressWatch
	arrival       arrival
	lane          *laneWatch // the planner's; the path that the robot follows uses it
	along         float64    // m driven
	watched       bool
	points        []robot.PathPoint // computed by the first call of Points
}

// Path returns a path that follows the route. Unlike most methods of a planner, it
// may be called while another goroutine plans.
func (p *Planner) Path(route Route) robot.Path {
	return &path{desc: p.desc, route: &route, follower: newFollower(&route, p.desc), arrival: newArrival(), lane: p.lane}
}

// Route returns the route as the page shows it.
func (p *path) Route() robot.Route {
	return robot.Route{Goal: p.route.Goal, Line: p.route.linePoints(p.desc.Drivetrain), Via: p.route.Via, Length: p.route.Length, Time: p.route.Time}
}

// Follow returns the twist that follows the route, and the progress along it.
func (p *path) Follow(now time.Time, pose robot.Pose, twist robot.Twist, maxSpeed float64) (robot.Twist, robot.Progress) {
	waiting := p.progressWatch.waitingFor(now, pose)
	p.follower.heldUp = waiting > limits.HeldAfter
	out, progress := p.follower.followRoute(pose, twist, maxSpeed)
	p.along = progress.Done
	progress.Waiting = waiting
	progress.Arrived = progress.Over && p.arrival.isThere(pose, p.route.Goal, twist)
	return out, progress
}

// Points returns the part of the route that the robot drives forwards.
func (p *path) Points() []robot.PathPoint {
	if p.points == nil {
		p.points = p.route.pathPoints(p.desc.Drivetrain, p.lane.known)
	}
	return p.points
}

// Watch checks the lane ahead for obstacles. The first call on a path discards the
// sightings from other paths.
func (p *path) Watch(r robot.Reading, pose robot.Pose) robot.Lane {
	if !p.watched {
		p.lane.reset()
		p.watched = true
	}
	return p.lane.watchLane(r, pose, true, p.route, p.along)
}

// MarshalJSON writes the route. It may be called while the robot follows the path.
func (p *path) MarshalJSON() ([]byte, error) { return json.Marshal(p.route) }

// ReadPath reads a path that MarshalJSON wrote. The path must have been planned for
// the same robot on the same floor.
func (p *Planner) ReadPath(text []byte) (robot.Path, error) {
	var r Route
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("pathplan: a path: %w", err)
	}
	if len(r.Points) == 0 {
		return nil, errors.New("pathplan: the path has no points")
	}
	return p.Path(r), nil
}
