package pathplan

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// laneWatch looks for what stands in the lane of a route and is not on the
// floor plan. It is fed with readings in the order of their times; one
// goroutine uses it. The zero time has no echo behind it.
type laneWatch struct {
	desc  robot.Description
	known *Clearance
	wide  float64 // m, half the width of the lane
	reach float64 // m from M to the front of the hull

	near laneSighting // within LaneAhead
	far  laneSighting // by lidars, within LaneFarAhead, always at the same place
}

// A laneSighting is something that has been seen in the lane.
type laneSighting struct {
	since, seen time.Time
	at          robot.Point // in map, when it was first seen
}

// sees takes a sighting and reports whether there has been one for so long.
func (s *laneSighting) sees(now time.Time, at robot.Point, forSo time.Duration) bool {
	if s.since.IsZero() {
		s.since, s.at = now, at
	}
	s.seen = now
	return now.Sub(s.since) >= forSo
}

// expire forgets what has not been seen for LaneGap.
func (s *laneSighting) expire(now time.Time) {
	if !s.seen.IsZero() && now.Sub(s.seen) > limits.LaneGap {
		*s = laneSighting{}
	}
}

// newLaneWatch returns a watch for the planner's robot on its floor. The watch and
// the planner may be used by two goroutines.
func (p *Planner) newLaneWatch() *laneWatch {
	w := &laneWatch{desc: p.desc, known: p.base}
	for _, h := range p.desc.Body.Hull {
		w.wide = max(w.wide, math.Abs(h.Y)+limits.LaneMargin)
		w.reach = max(w.reach, h.X+p.desc.Drivetrain.AxleOffset)
	}
	return w
}

// reset forgets what was seen: after a pause, or for another route.
func (w *laneWatch) reset() { w.near, w.far = laneSighting{}, laneSighting{} }

// watchLane tells what stands in the lane of the route, of which along metres are done:
// it is blocked by what has been nearer than LaneAhead for two seconds, and early by
// what a lidar has seen farther ahead and always at the same place, which a person
// who walks is not. rays are those of the scans of the reading. pose is that of
// base_link in map; ok says that it can be trusted, else nothing is concluded from
// what is heard and seen.
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

// nearestRay returns where in map a ray meets something in the lane ahead that is not
// on the floor plan, and how far, in m along the route, that is before the hull;
// +Inf = no ray does.
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
		if far > limits.LaneAhead { // a small error of the heading moves it
			near = limits.MapMaybe
		}
		if w.known.At(p) >= near {
			at, gap = p, far
		}
	}
	return at, gap
}

// inLane reports whether a point of map is in the lane ahead, at most so many metres
// before the hull, and how far ahead of M, along the route, it is.
func (w *laneWatch) inLane(p robot.Point, route *Route, along, ahead float64) (far float64, in bool) {
	s0 := min(along, route.drivenLength())
	at, n := route.nearestAlong(p, s0, min(route.drivenLength(), along+w.reach+ahead), 0)
	place, _ := route.waypointAt(at, n)
	off := p.Sub(place.Point)
	if at > s0+1e-9 {
		return at - s0, off.Norm() < w.wide
	}
	// next to the robot, or beyond the end of a route that ends here
	sin, cos := math.Sincos(place.Heading)
	far = cos*off.X + sin*off.Y
	return far, far > 0 && math.Abs(-sin*off.X+cos*off.Y) < w.wide && route.drivenLength()-s0 > spacing
}

// echoInLane returns where in map an echo comes from, if that is in the lane ahead and
// nothing of the floor plan can have sent it.
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

// echoPoint returns the point of map that a sonar on a robot hears at d, in m, by
// the angle off its axis, in rad.
func echoPoint(pose robot.Pose, s robot.Sonar, d, off float64) robot.Point {
	sin, cos := math.Sincos(off)
	return pose.Compose(s.Pose).Apply(robot.Point{X: d * cos, Y: d * sin})
}
