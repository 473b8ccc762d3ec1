package pathplan

import (
	"math"

	"mybot/robot"
	"mybot/robot/limits"
)

// A Route is a path to a goal for the axle point M, about which the robot turns. With
// M at the last point and the heading of the goal, base_link is at the goal, or Back
// metres ahead of it.
type Route struct {
	Start     robot.Pose // of base_link, in map
	Goal      robot.Pose // of base_link, in map
	Points    []Waypoint // from the robot's position, about 0.1 m apart
	Via       []string   // names of the via points on it, in order
	Length    float64    // m, including Back
	Time      float64    // s, including turns
	Clearance float64    // m, the smallest along the path
	StartTurn float64    // rad, turn on the spot before moving off; 0 = none
	GoalTurn  float64    // rad, turn on the spot at the end
	Back      float64    // m, straight backwards into the goal after GoalTurn
}

// A Waypoint is one point of a route.
type Waypoint struct {
	Point   robot.Point // of M, in map
	Along   float64     // m from the start of the route
	Heading float64     // rad
	Bend    float64     // 1/m, curvature, left positive
	Speed   float64     // m/s, the speed limit here
	Clear   float64     // m from the robot's centre to the nearest obstacle, on the floor plan or reported
}

// A route uses only these shares of the robot's limits, so that the follower has
// room to correct.
const (
	turnShare         = 0.9
	accelerationShare = 0.7
)

// bendAt returns the largest curvature in 1/m that allows the full speed.
func bendAt(l robot.Limit) float64 { return turnShare * l.Angular / l.Linear }

// newRoute computes the waypoints, length and time of a path of M.
func newRoute(path []robot.Point, limit robot.Limit) Route {
	r := Route{Points: make([]Waypoint, len(path))}
	for n, p := range path {
		w := &r.Points[n]
		w.Point = p
		if n > 0 {
			w.Along = r.Points[n-1].Along + p.Sub(path[n-1]).Norm()
		}
		before, after := path[max(0, n-1)], path[min(len(path)-1, n+1)]
		w.Heading = math.Atan2(after.Y-before.Y, after.X-before.X)
		w.Bend = curvatureThrough(before, p, after) // none at the ends
	}
	r.Length = r.drivenLength()
	r.planSpeeds(limit)
	return r
}

// drivenLength is the length in m that the robot drives forwards: to the last waypoint.
func (r *Route) drivenLength() float64 { return r.Points[len(r.Points)-1].Along }

// planSpeeds sets the speed of each waypoint to what curvature, braking and
// acceleration allow, and the time of the route.
func (r *Route) planSpeeds(limit robot.Limit) {
	speeds := r.speedProfile(limit, 0)
	for n, v := range speeds {
		r.Points[n].Speed = v
	}
	r.Time = r.timeAt(speeds)
}

// speedProfile returns the speed at each waypoint, in m/s, within curvature, braking and
// acceleration, and at most limits.PassingSpeed where the clearance is less than passing, in m.
func (r *Route) speedProfile(limit robot.Limit, passing float64) []float64 {
	p, v := r.Points, make([]float64, len(r.Points))
	for n := range p {
		v[n] = max(limits.RouteCreep, min(limit.Linear, turnShare*limit.Angular/math.Abs(p[n].Bend)))
		if p[n].Clear < passing {
			v[n] = min(v[n], limits.PassingSpeed)
		}
	}
	twice := 2 * accelerationShare * limit.LinearAcceleration
	v[0], v[len(v)-1] = 0, 0
	for n := 1; n < len(p); n++ {
		v[n] = min(v[n], math.Sqrt(v[n-1]*v[n-1]+twice*(p[n].Along-p[n-1].Along)))
	}
	for n := len(p) - 2; n >= 0; n-- {
		v[n] = min(v[n], math.Sqrt(v[n+1]*v[n+1]+twice*(p[n+1].Along-p[n].Along)))
	}
	return v
}

// timeAt returns the time of the route in s at the given speeds of its waypoints.
func (r *Route) timeAt(speeds []float64) float64 {
	time := 0.0
	for n := 1; n < len(speeds); n++ {
		if v := speeds[n] + speeds[n-1]; v > 0 {
			time += 2 * (r.Points[n].Along - r.Points[n-1].Along) / v
		}
	}
	return time
}

// turnTime returns the time in s of a turn on the spot by angle, in rad.
func turnTime(angle float64, limit robot.Limit) float64 {
	angle = math.Abs(angle)
	w, a := turnShare*limit.Angular, accelerationShare*limit.AngularAcceleration
	if angle < w*w/a {
		return 2 * math.Sqrt(angle/a)
	}
	return angle/w + w/a
}

// curvatureThrough returns the curvature of the circle through three points, in 1/m,
// left positive.
func curvatureThrough(a, b, c robot.Point) float64 {
	u, v, w := b.Sub(a), c.Sub(b), c.Sub(a)
	d := u.Norm() * v.Norm() * w.Norm()
	if d < 1e-12 {
		return 0
	}
	return 2 * crossProduct(u, v) / d
}

// waypointAt interpolates the waypoint that lies along metres from the start of the
// route, without its clearance. n is a first guess of the index of the waypoint before
// it, usually from the previous call; the second result is the actual one.
func (r *Route) waypointAt(along float64, n int) (Waypoint, int) {
	for n > 0 && r.Points[n].Along > along {
		n--
	}
	for n+2 < len(r.Points) && r.Points[n+1].Along <= along {
		n++
	}
	if n+1 >= len(r.Points) {
		return r.Points[n], n
	}
	a, b := &r.Points[n], &r.Points[n+1]
	f := 0.0
	if b.Along > a.Along {
		f = max(0, min(1, (along-a.Along)/(b.Along-a.Along)))
	}
	return Waypoint{
		Point:   robot.Point{X: a.Point.X + f*(b.Point.X-a.Point.X), Y: a.Point.Y + f*(b.Point.Y-a.Point.Y)},
		Along:   a.Along + f*(b.Along-a.Along),
		Heading: robot.WrapAngle(a.Heading + f*robot.WrapAngle(b.Heading-a.Heading)),
		Bend:    a.Bend + f*(b.Bend-a.Bend),
		Speed:   a.Speed + f*(b.Speed-a.Speed),
	}, n
}

// nearestAlong returns the distance along the route, in m, of the point nearest to p
// between from and to, and the index of the waypoint before it. n is a first guess, as
// for waypointAt.
func (r *Route) nearestAlong(p robot.Point, from, to float64, n int) (along float64, at int) {
	_, n = r.waypointAt(from, n)
	best := math.Inf(1)
	along, at = from, n
	for ; n+1 < len(r.Points) && r.Points[n].Along <= to; n++ {
		a, b := r.Points[n].Point, r.Points[n+1].Point
		leg, off := b.Sub(a), p.Sub(a)
		f := 0.0
		if l := leg.X*leg.X + leg.Y*leg.Y; l > 0 {
			f = max(0, min(1, (off.X*leg.X+off.Y*leg.Y)/l))
		}
		if length := r.Points[n+1].Along - r.Points[n].Along; length > 0 {
			f = max((from-r.Points[n].Along)/length, min((to-r.Points[n].Along)/length, f))
		}
		s := r.Points[n].Along + f*(r.Points[n+1].Along-r.Points[n].Along)
		if d := math.Hypot(off.X-f*leg.X, off.Y-f*leg.Y); d < best {
			best, along, at = d, s, n
		}
	}
	return along, at
}

// startSpeed is the least speed at the start of a route, in m/s, where the planned
// speed is zero.
const startSpeed = 0.2

// pathPoints returns the route up to its last waypoint, with clearances from known.
func (r *Route) pathPoints(train robot.Drivetrain, known *Clearance) []robot.PathPoint {
	points, n := make([]robot.PathPoint, 0, int(r.drivenLength()/spacing)+1), 0
	for k := range cap(points) {
		var w Waypoint
		w, n = r.waypointAt(float64(k)*spacing, n)
		if k == 0 {
			w.Speed = max(w.Speed, startSpeed)
		}
		pose := robot.Pose{X: w.Point.X, Y: w.Point.Y, Theta: w.Heading}
		points = append(points, robot.PathPoint{Pose: pose, Along: float64(k) * spacing, Bend: w.Bend, Speed: w.Speed, Clear: known.At(train.Centre(pose).Point())})
	}
	return points
}

// thinnedBy is by how much the line that a page draws may differ from the route, in m.
const thinnedBy = 0.01

// linePoints returns the path of the axle point M in map, simplified to within
// thinnedBy: to the last waypoint and backwards into the goal.
func (r Route) linePoints(train robot.Drivetrain) []robot.Point {
	line := []robot.Point{}
	for _, n := range r.simplifiedPoints() {
		line = append(line, r.Points[n].Point)
	}
	if r.Back > 0 {
		line = append(line, train.Axle(r.Goal).Point())
	}
	return line
}

// simplifiedPoints returns the indexes of the waypoints that remain when those within
// thinnedBy of the line between others are dropped (Ramer 1972, Douglas and Peucker
// 1973).
func (r Route) simplifiedPoints() []int {
	if len(r.Points) == 0 {
		return nil
	}
	keep := []int{0}
	type span struct{ a, b int }
	for todo := []span{{0, len(r.Points) - 1}}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		worst, at := thinnedBy, -1
		for n := s.a + 1; n < s.b; n++ {
			if d := (robot.Segment{A: r.Points[s.a].Point, B: r.Points[s.b].Point}).Distance(r.Points[n].Point); d > worst {
				worst, at = d, n
			}
		}
		if at < 0 {
			if s.b > s.a {
				keep = append(keep, s.b)
			}
			continue
		}
		todo = append(todo, span{at, s.b}, span{s.a, at})
	}
	return keep
}
