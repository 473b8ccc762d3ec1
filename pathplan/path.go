package pathplan

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mybot/robot"
)

// path is a route on which the robot drives: robot.Path. One goroutine uses it.
type path struct {
	desc          robot.Description
	route         *Route
	follower      *follower
	progressWatch progressWatch
	arrival       arrival
	lane          *laneWatch // of the planner, for whichever of its paths is driven
	along         float64    // m done
	watched       bool
	points        []robot.PathPoint // nil = nobody has asked for them
}

// Path returns the route as a path to drive on. Unlike the rest of a planner, it
// may be called while another goroutine plans.
func (p *Planner) Path(route Route) robot.Path {
	return &path{desc: p.desc, route: &route, follower: newFollower(&route, p.desc), arrival: newArrival(), lane: p.lane}
}

// Route returns the route as people see it.
func (p *path) Route() robot.Route {
	return robot.Route{Goal: p.route.Goal, Line: p.route.linePoints(p.desc.Drivetrain), Via: p.route.Via, Length: p.route.Length, Time: p.route.Time}
}

// Follow drives along the route.
func (p *path) Follow(now time.Time, pose robot.Pose, twist robot.Twist, maxSpeed float64) (robot.Twist, robot.Progress) {
	out, progress := p.follower.followRoute(pose, twist, maxSpeed)
	p.along = progress.Done
	progress.Waiting = p.progressWatch.waitingFor(now, pose)
	progress.Arrived = progress.Over && p.arrival.isThere(pose, p.route.Goal, twist)
	return out, progress
}

// Points returns the route as it is driven forwards.
func (p *path) Points() []robot.PathPoint {
	if p.points == nil {
		p.points = p.route.pathPoints(p.desc.Drivetrain, p.lane.known)
	}
	return p.points
}

// Watch looks into the lane ahead. The first look on a path forgets what was
// seen on another.
func (p *path) Watch(r robot.Reading, rays []robot.Ray, pose robot.Pose) robot.Lane {
	if !p.watched {
		p.lane.reset()
		p.watched = true
	}
	return p.lane.watchLane(r, rays, pose, true, p.route, p.along)
}

// MarshalJSON writes the route. It may be called while the path is driven on.
func (p *path) MarshalJSON() ([]byte, error) { return json.Marshal(p.route) }

// ReadPath reads a path that was found on the same floor for the same robot, as its
// MarshalJSON wrote it.
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
