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

	near laneSighting // within LaneAhead
	far  laneSighting // by lidars, within LaneFarAhead, of something that does not move
}

// A laneSighting is an obstacle seen in the lane.
type laneSighting struct {
	since, seen time.Time
	at          robot.Point // in map, when it was first seen
}

// sees records a sighting and reports whether the obstacle has been there for forSo.
func (s *laneSighting) sees(now time.Time, at robot.Point, forSo time.Duration) bool {
	if s.since.IsZero() {
		s.since, s.at = now, at
	}
	s.seen = now
	return now.Sub(s.since) >= forSo
}

// expire drops an obstacle that has not been seen for LaneGap.
func (s *laneSighting) expire(now time.Time) {
	if !s.seen.IsZero() && now.Sub(s.seen) > limits.LaneGap {
		*s = laneSighting{}
	}
}

// newLaneWatch returns a watch for the planner's robot on its floor. Another goroutine
// than the planner's may use it.
func (p *Planner) newLaneWatch() *laneWatch {
	w := &laneWatch{desc: p.desc, known: p.base}
	for _, h := range p.desc.Body.Hull {
		w.wide = max(w.wide, math.Abs(h.Y)+limits.LaneMargin)
		w.reach = max(w.reach, h.X+p.desc.Drivetrain.AxleOffset)
	}
	return w
}

// reset drops all sightings, after a pause or for another route.
func (w *laneWatch) reset() { w.near, w.far = laneSighting{}, laneSighting{} }

// watchLane reports what stands in the lane of the route, of which the robot has driven
// along metres. The lane is blocked if something has been closer than LaneAhead for
// LaneBlockedAfter. It is blocked early if a lidar has seen something farther ahead in
// the same place for LaneStillFor, which excludes people who walk. rays are those of the
// reading's scans, and pose is that of base_link in map. If ok is false the pose cannot
// be trusted, and watchLane ignores the sensors.
func (w *laneWatch) watchLane(reading robot.Reading, rays []robot.Ray, pose robot.Pose, ok bool, route *Route, along float64) (lane robot.Lane) {
	if !ok {
		w.reset()
		return lane
	}
	now := reading.Time
	w.near.expire(now)
	w.far.expire(now)
	best := limits.LaneAhead
	for n, d := range reading.Ranges {
		if n >= len(w.desc.Sonars) || !(d < best) {
			continue
		}
		if p, in := w.echoInLane(w.desc.Sonars[n], d, pose, route, along); in {
			best, lane.Seen, lane.Face = d, true, p
		}
	}
	at, gap := w.nearestRay(rays, pose, route, along)
	if gap < best || !lane.Seen && !math.IsInf(gap, 1) {
		best, lane.Seen, lane.Face = gap, true, at
	}
	switch {
	case !lane.Seen:
		return lane
	case best < limits.LaneAhead:
		lane.Blocked = w.near.sees(now, lane.Face, limits.LaneBlockedAfter)
	default:
		if w.far.at.Sub(at).Norm() > limits.LaneSame {
			w.far = laneSighting{}
		}
		lane.Blocked = w.far.sees(now, at, limits.LaneStillFor)
		lane.Early = lane.Blocked
	}
	if lane.Blocked {
		w.reset()
	}
	return lane
}

// nearestRay returns the nearest point in map where a ray hits something in the lane
// ahead that is not on the floor plan, and its distance, in m along the route, from the
// front of the hull. The distance is +Inf if there is none.
func (w *laneWatch) nearestRay(rays []robot.Ray, pose robot.Pose, route *Route, along float64) (at robot.Point, gap float64) {
	gap = math.Inf(1)
	for _, r := range rays {
		if !r.Echo || r.To.Norm() > limits.LaneFarAhead+w.reach {
			continue
		}
		p := pose.Apply(r.To)
		far, in := w.inLane(p, route, along, limits.LaneFarAhead)
		if far -= w.reach; !in || far >= gap {
			continue
		}
		near := limits.MapNear
		if far > limits.LaneAhead { // a small heading error displaces it
			near = limits.MapMaybe
		}
		if w.known.At(p) >= near {
			at, gap = p, far
		}
	}
	return at, gap
}

// inLane reports whether a point in map is in the lane, at most ahead metres in front of
// the hull. far is its distance from M along the route, in m.
func (w *laneWatch) inLane(p robot.Point, route *Route, along, ahead float64) (far float64, in bool) {
	s0 := min(along, route.drivenLength())
	at, n := route.nearestAlong(p, s0, min(route.drivenLength(), along+w.reach+ahead), 0)
	place, _ := route.waypointAt(at, n)
	off := p.Sub(place.Point)
	if at > s0+1e-9 {
		return at - s0, off.Norm() < w.wide
	}
	// The point is beside the robot, or beyond the end of a route that ends here.
	sin, cos := math.Sincos(place.Heading)
	far = cos*off.X + sin*off.Y
	return far, far > 0 && math.Abs(-sin*off.X+cos*off.Y) < w.wide && route.drivenLength()-s0 > spacing
}

// echoInLane returns the point in map of an echo, and reports whether that is in the
// lane ahead and nothing on the floor plan can have caused the echo.
func (w *laneWatch) echoInLane(s robot.Sonar, d float64, pose robot.Pose, route *Route, along float64) (robot.Point, bool) {
	p := echoPoint(pose, s, d, 0)
	if _, in := w.inLane(p, route, along, limits.LaneAhead); !in {
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
