package pathplan

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// laneWatch detects obstacles in the lane of a route that are not on the floor plan. It
// takes readings in order of time; only one goroutine may use it.
type laneWatch struct {
	desc  robot.Description
	known *Clearance
	wide  float64 // m, half the width of the lane
	reach float64 // m from M to the front of the hull

	since, seen time.Time // when the obstacle in the lane was first and last heard; zero = there is none
}

// newLaneWatch returns a watch for the planner's robot on its floor. Another goroutine
// than the planner's may use it.
func (p *Planner) newLaneWatch() *laneWatch {
	w := &laneWatch{desc: p.desc, known: p.base, wide: p.desc.Body.HalfWidth() + limits.LaneMargin}
	for _, h := range p.desc.Body.Hull {
		w.reach = max(w.reach, h.X+p.desc.Drivetrain.AxleOffset)
	}
	return w
}

// reset drops the sighting, after a pause or for another route.
func (w *laneWatch) reset() { w.since, w.seen = time.Time{}, time.Time{} }

// watchLane reports what stands in the lane of the route, of which the robot has driven
// along metres. The lane is blocked if something has been closer than LaneAhead for
// LaneBlockedAfter. pose is that of base_link in map. If ok is false the pose cannot be
// trusted, and watchLane ignores the sonars.
func (w *laneWatch) watchLane(reading robot.Reading, pose robot.Pose, ok bool, route *Route, along float64) (lane robot.Lane) {
	now := reading.Time
	if !ok || now.Sub(w.seen) > limits.LaneGap {
		w.reset()
	}
	if !ok {
		return lane
	}
	best := limits.LaneAhead
	for n, d := range reading.Ranges {
		if n >= len(w.desc.Sonars) || !(d < best) {
			continue
		}
		if p, in := w.echoInLane(w.desc.Sonars[n], d, pose, route, along); in {
			best, lane.Seen, lane.Face = d, true, p
		}
	}
	if !lane.Seen {
		return lane
	}
	if w.since.IsZero() {
		w.since = now
	}
	w.seen = now
	if lane.Blocked = now.Sub(w.since) >= limits.LaneBlockedAfter; lane.Blocked {
		w.reset()
	}
	return lane
}

// inLane reports whether a point in map is in the lane, at most LaneAhead in front of the
// hull.
func (w *laneWatch) inLane(p robot.Point, route *Route, along float64) bool {
	s0 := min(along, route.drivenLength())
	at, n := route.nearestAlong(p, s0, min(route.drivenLength(), along+w.reach+limits.LaneAhead), 0)
	place, _ := route.waypointAt(at, n)
	off := p.Sub(place.Point)
	if at > s0+1e-9 {
		return off.Norm() < w.wide
	}
	// The point is beside the robot, or beyond the end of a route that ends here.
	sin, cos := math.Sincos(place.Heading)
	return cos*off.X+sin*off.Y > 0 && math.Abs(-sin*off.X+cos*off.Y) < w.wide && route.drivenLength()-s0 > spacing
}

// echoInLane returns the point in map of an echo, and reports whether that is in the
// lane ahead and nothing on the floor plan can have caused the echo.
func (w *laneWatch) echoInLane(s robot.Sonar, d float64, pose robot.Pose, route *Route, along float64) (robot.Point, bool) {
	p := echoPoint(pose, s, d, 0)
	if !w.inLane(p, route, along) {
		return p, false
	}
	for _, turn := range [3]float64{0, -s.Beam / 2, s.Beam / 2} {
		if w.known.At(echoPoint(pose, s, d, turn)) < limits.MapNear {
			return p, false
		}
	}
	return p, true
}

// echoPoint returns the point in map of an echo at distance d, in m, and at angle off,
// in rad, from the axis of a sonar.
func echoPoint(pose robot.Pose, s robot.Sonar, d, off float64) robot.Point {
	sin, cos := math.Sincos(off)
	return pose.Compose(s.Pose).Apply(robot.Point{X: d * cos, Y: d * sin})
}
