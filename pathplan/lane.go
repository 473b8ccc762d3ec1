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

	since, seen time.Time
	face        robot.Point
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
func (w *laneWatch) reset() { w.since, w.seen = time.Time{}, time.Time{} }

// onMap reports whether something on the floor plan may be what is heard at a
// point of map.
func (w *laneWatch) onMap(at robot.Point) bool { return w.known.At(at) < limits.MapMaybe }

// watch reports whether the lane of the route, of which along metres are done,
// has been blocked for two seconds, and where in map the face of that is. pose
// is that of base_link in map; ok says that it can be trusted, else nothing is
// concluded from what is heard.
func (w *laneWatch) watch(reading robot.Reading, pose robot.Pose, ok bool, route *Route, along float64) (face robot.Point, blocked bool) {
	if !ok {
		w.reset()
		return face, false
	}
	now := reading.Time
	if !w.seen.IsZero() && now.Sub(w.seen) > limits.LaneGap {
		w.reset()
	}
	best := limits.LaneAhead
	for n, d := range reading.Ranges {
		if n >= len(w.desc.Sonars) || !(d < best) {
			continue
		}
		if p, in := w.echoInLane(w.desc.Sonars[n], d, pose, route, along); in {
			best, face = d, p
		}
	}
	if best == limits.LaneAhead {
		return face, false
	}
	if w.since.IsZero() {
		w.since = now
	}
	w.seen, w.face = now, face
	if now.Sub(w.since) < limits.LaneBlockedAfter {
		return face, false
	}
	w.reset()
	return face, true
}

// echoInLane returns where in map an echo comes from, if that is in the lane ahead and
// nothing of the floor plan can have sent it.
func (w *laneWatch) echoInLane(s robot.Sonar, d float64, pose robot.Pose, route *Route, along float64) (robot.Point, bool) {
	p := echoPoint(pose, s, d, 0)
	s0 := min(along, route.drivenLength())
	at, n := route.nearestAlong(p, s0, min(route.drivenLength(), along+w.reach+limits.LaneAhead), 0)
	place, _ := route.waypointAt(at, n)
	off := p.Sub(place.Point)
	ahead := at > s0+1e-9
	if !ahead { // next to the robot, or beyond the end of a route that ends here
		sin, cos := math.Sincos(place.Heading)
		ahead = cos*off.X+sin*off.Y > 0 && math.Abs(-sin*off.X+cos*off.Y) < w.wide && route.drivenLength()-s0 > spacing
	} else {
		ahead = off.Norm() < w.wide
	}
	if !ahead {
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
