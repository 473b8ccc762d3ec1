package pathplan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

const (
	detourFactor = 1.25 // a path over via points may be longer than a direct one by this factor
	straightBy   = 1.02 // a path skips a via point only if that makes it shorter by this factor
	walkShare    = 1.5  // linkByGrid drops links longer than the shortest one by this factor
	slimmer      = 0.06 // m, step by which explainFailure reduces the required clearance
	maxWalk      = 3    // via points to which linkByGrid searches a path
	shortest     = 0.25 // m, least distance of a path's inner points from its ends
)

// A Planner finds routes for one robot on one floor. It remembers reported obstacles
// for a limited time. Only one goroutine may use it at a time.
type Planner struct {
	plan      *robot.Floorplan
	desc      robot.Description
	base      *Clearance // from the floor plan alone; read-only
	clear     *Clearance // with the obstacles as well
	field     *Field
	search    *Searcher
	graph     *Graph
	hard      float64 // m, least clearance at the middle of a drivable cell
	keep      float64 // m, least clearance at any point of a drivable cell
	lane      *laneWatch
	obstacles []obstacle
	saw       time.Time // of the last reading that Observe took

	cells    []Cell
	taut     []Half
	from, to []Link
	via      []int32
}

// NewPlanner prepares a floor, which takes about 0.1 s for a million cells. The
// floor plan must not change afterwards.
func NewPlanner(plan *robot.Floorplan, desc robot.Description) *Planner {
	c := NewClearance(gridWithDoors(plan))
	hard := desc.Body.Clearance()
	p := &Planner{plan: plan, desc: desc, base: c, clear: c.clone(), field: c.FieldOf(hard), hard: hard}
	p.lane = p.newLaneWatch()
	p.keep = c.DrivableClearance(hard)
	p.search = NewSearcher(p.field)
	p.graph = newGraph(&plan.Graph, p.CanGoStraight)
	return p
}

// Clearance returns the distance in m from a point in map to the nearest obstacle on
// the floor plan. It may be called while another goroutine plans.
func (p *Planner) Clearance(at robot.Point) float64 { return p.base.At(at) }

// CanGoStraight reports whether the robot can drive straight from a to b, both in map.
func (p *Planner) CanGoStraight(a, b robot.Point) bool { return p.clear.IsClear(a, b, p.keep) }

// IsDrivable reports whether the robot's centre may be at a point in map.
func (p *Planner) IsDrivable(at robot.Point) bool { return p.field.IsFree(p.clear.cellAt(at)) }

// CanBegin reports whether a path can begin with the robot's centre at a point in map.
func (p *Planner) CanBegin(at robot.Point) bool {
	_, ok := p.enterFrom(at)
	return ok
}

// Graph returns the part of the via graph that the robot can use.
func (p *Planner) Graph() *Graph { return p.graph }

// Plan implements robot.Planner: it finds a path for base_link from start to goal,
// both in map. It plans before it returns.
func (p *Planner) Plan(now time.Time, start, goal robot.Pose) (robot.Path, error) {
	route, err := p.FindRoute(now, start, goal)
	if err != nil {
		return nil, err
	}
	return p.Path(route), nil
}

// FindRoute finds a route for base_link from start to goal, both in map. The error
// is a robot.Refusal that says why there is none; robot.Blocked wraps it when an
// obstacle is the reason.
func (p *Planner) FindRoute(now time.Time, start, goal robot.Pose) (Route, error) {
	p.dropExpired(now)
	r, err := p.findRoute(now, start, goal)
	if err != nil && p.dropDoubtful(now, goal.Point()) {
		r, err = p.findRoute(now, start, goal)
	}
	return r, err
}

// findRoute is FindRoute with the present obstacles.
func (p *Planner) findRoute(now time.Time, start, goal robot.Pose) (Route, error) {
	if reason := p.refusalAt(goal); reason != "" {
		return Route{}, p.refuseGoal(goal, reason)
	}
	goal.Theta = robot.WrapAngle(goal.Theta)
	entry, ok := p.enterFrom(start.Point())
	if !ok {
		return Route{}, robot.Refusef("The robot cannot plan from where it is: %s. Drive it to open floor by hand, or set the position.", p.describePoint(start.Point()))
	}
	path, via, ok := p.findPath(now, entry, goal.Point())
	if !ok {
		return Route{}, p.explainFailure(entry, goal.Point())
	}
	return p.finishRoute(path, via, start, goal)
}

// findPath returns a path for the centre between two drivable points, and the names
// of its via points.
func (p *Planner) findPath(now time.Time, from, to robot.Point) (path []robot.Point, via []string, ok bool) {
	nodes, length := p.PathByGraph(now, from, to)
	limit := detourFactor * to.Sub(from).Norm()
	if length <= limit {
		path, via = p.pathThrough(nodes, from, to)
		return path, via, true
	}
	grid, gridLength, ok := p.pathByGrid(from, to)
	switch {
	case !math.IsInf(length, 1) && (!ok || length <= detourFactor*gridLength):
		path, via = p.pathThrough(nodes, from, to)
		return path, via, true
	case ok:
		return p.clear.relaxPath(grid, p.keep), nil, true
	}
	return nil, nil, false
}

// PathByGraph returns the shortest path over the via graph between two drivable
// points in map: the indexes of its via points, valid until the next call, and its
// length in m. The length is +Inf if there is no such path.
func (p *Planner) PathByGraph(now time.Time, from, to robot.Point) (nodes []int32, length float64) {
	direct := math.Inf(1)
	if p.CanGoStraight(from, to) {
		direct = straightBy * to.Sub(from).Norm()
	}
	p.from, p.to = p.linkPoint(p.from[:0], from, true), p.linkPoint(p.to[:0], to, false)
	p.via, length = p.graph.shortestPath(p.via[:0], now, p.from, p.to, to, direct)
	return p.via, length
}

// linkPoint links a point to the via points that are reachable in a straight line, or
// else to the nearest ones by a path over the grid. out tells that the path leads away
// from the point. It drops a via point that lies behind another one, so that a route
// passes through both.
func (p *Planner) linkPoint(links []Link, at robot.Point, out bool) []Link {
	first := len(links)
	links = p.graph.linksFrom(links, at, p.CanGoStraight)
	if len(links) == first {
		links = p.linkByGrid(links, at)
	}
	var before [maxLinks]bool
	found := links[first:]
	for n, l := range found {
		for _, k := range found[:n] {
			a, b := k.node, l.node
			if !out {
				a, b = b, a
			}
			before[n] = before[n] || p.graph.isJoined(a, b) && k.length+p.graph.distanceBetween(a, b) < straightBy*l.length
		}
	}
	kept := links[:first]
	for n, l := range found {
		if !before[n] {
			kept = append(kept, l)
		}
	}
	return kept
}

// linkByGrid links a point to near via points by paths over the grid. It drops those
// whose path is much longer than the shortest one.
func (p *Planner) linkByGrid(links []Link, at robot.Point) []Link {
	first := len(links)
	links = p.graph.bins.appendNearest(links, at, p.graph.nodes, maxWalk)
	near := links[first:]
	shortestLength := math.Inf(1)
	for n := range near {
		near[n].length = math.Inf(1)
		if _, length, ok := p.pathByGrid(at, p.graph.nodes[near[n].node].Point); ok {
			near[n].length = length
			shortestLength = min(shortestLength, length)
		}
	}
	near = slices.DeleteFunc(near, func(l Link) bool { return l.length > walkShare*shortestLength || math.IsInf(l.length, 1) })
	slices.SortFunc(near, func(a, b Link) int { return cmp.Compare(a.length, b.length) })
	return links[:first+len(near)]
}

// pathByGrid returns the taut path over the grid between two drivable points in map,
// and its length in m.
func (p *Planner) pathByGrid(from, to robot.Point) (path []robot.Point, length float64, ok bool) {
	p.cells, _, ok = p.search.FindOctile(p.cells[:0], p.clear.cellAt(from), p.clear.cellAt(to))
	if !ok {
		return nil, 0, false
	}
	p.taut = p.search.PullTaut(p.taut[:0], p.cells)
	taut := p.taut
	path = make([]robot.Point, 0, len(taut)+1)
	path = append(path, from)
	for _, h := range taut[1 : max(2, len(taut))-1] {
		path = append(path, p.clear.pointAt(h))
	}
	path = append(path, to)
	for n := 1; n < len(path); n++ {
		length += path[n].Sub(path[n-1]).Norm()
	}
	return path, length, true
}

// pathThrough returns the path through via points, and their names. The path is
// straight between via points; before the first and after the last it is relaxed away
// from walls.
func (p *Planner) pathThrough(nodes []int32, from, to robot.Point) (path []robot.Point, names []string) {
	if len(nodes) == 0 {
		return p.clear.relaxPath([]robot.Point{from, to}, p.keep), nil
	}
	path = p.pathBetween(from, p.graph.nodes[nodes[0]].Point)
	for _, n := range nodes {
		node := p.graph.nodes[n]
		path = append(path, node.Point)
		names = append(names, cmp.Or(node.Name, fmt.Sprint(node.ID)))
	}
	return append(path, p.pathBetween(path[len(path)-1], to)[1:]...), names
}

// pathBetween returns the path between a point and a via point linked to it.
func (p *Planner) pathBetween(from, to robot.Point) []robot.Point {
	path := []robot.Point{from, to}
	if !p.CanGoStraight(from, to) {
		if grid, _, ok := p.pathByGrid(from, to); ok {
			path = grid
		}
	}
	return p.clear.relaxPath(path, p.keep)
}

// finishRoute turns the centre's path, which begins at a drivable point near the
// start, into a route for the axle with rounded corners. The route ends where the
// centre is at the goal, or ahead of it if the robot then has to back in.
func (p *Planner) finishRoute(path []robot.Point, via []string, start, goal robot.Pose) (Route, error) {
	limit, first := p.desc.Safe, p.desc.Drivetrain.Axle(start)
	whole := func(path []robot.Point) []robot.Point {
		if path[0] != start.Point() {
			path = append([]robot.Point{start.Point()}, path...)
		}
		return path
	}
	r, ok := p.axleRoute(whole(path), first, p.desc.Drivetrain.Axle(goal))
	if !ok {
		// There is no room to turn at the goal: turn ahead of it and back in.
		// Prefer a place with room for a full turn.
		backsIn := p.canBackInto(goal)
		for _, roomy := range [2]bool{true, false} {
			for back := 0.2; backsIn && back <= limits.RouteBackWay && !ok; back += 0.1 {
				ahead := goal.Compose(robot.Pose{X: back})
				if !p.hullFits(ahead) {
					break
				}
				if p.canTurn(p.desc.Drivetrain.Axle(ahead), 2*math.Pi) != roomy {
					continue
				}
				if path, _, free := p.pathByGrid(path[0], ahead.Point()); free {
					r, ok = p.axleRoute(whole(p.clear.relaxPath(path, p.keep)), first, p.desc.Drivetrain.Axle(ahead))
					r.Back = back
				}
			}
		}
		if !ok {
			return Route{}, robot.Refusef("There is no room to turn to %.0f deg there. Choose another heading or a place farther from the %s.", robot.Degrees(goal.Theta), p.nameNearest(goal.Point()))
		}
		r.Length += r.Back
		r.Time += r.Back / limits.RouteBackSpeed
		via = nil
	}
	r.Start, r.Goal, r.Via = start, goal, via
	r.Time += turnTime(r.StartTurn, limit) + turnTime(r.GoalTurn, limit)
	return r, nil
}

// axleRoute turns the centre's path into a route for the axle. ok is false if there
// is no room to turn at its end.
func (p *Planner) axleRoute(path []robot.Point, first, last robot.Pose) (r Route, ok bool) {
	// The axle is not at the centre: points near the ends would make it swerve.
	line := []robot.Point{first.Point()}
	for _, q := range path[1 : max(2, len(path))-1] {
		if q.Sub(first.Point()).Norm() > shortest && q.Sub(last.Point()).Norm() > shortest {
			line = append(line, q)
		}
	}
	if len(line) > 1 || last.Point().Sub(first.Point()).Norm() > limits.ArriveWithin {
		line = append(line, last.Point())
	}
	line = resamplePath(divideLegs(line, spacing), spacing)
	p.clear.roundCorners(line, bendAt(p.desc.Safe), p.keep)
	r = newRoute(resamplePath(line, spacing), p.desc.Safe)
	heading := first.Theta
	if r.Length > 0 {
		aim, _ := r.waypointAt(min(r.Length, limits.RouteLookAhead), 0)
		heading = math.Atan2(aim.Point.Y-first.Y, aim.Point.X-first.X)
		if off := robot.WrapAngle(heading - first.Theta); math.Abs(off) > limits.RouteStartTurnFrom {
			// If there is no room either way, the navigator or the guard stops the turn.
			r.StartTurn, _ = p.chooseTurn(first, off)
		}
		heading = r.Points[len(r.Points)-1].Heading
	}
	r.Clearance = math.Inf(1)
	for n := range r.Points {
		w := &r.Points[n]
		w.Clear = p.clear.At(p.desc.Drivetrain.Centre(robot.Pose{X: w.Point.X, Y: w.Point.Y, Theta: w.Heading}).Point())
		r.Clearance = min(r.Clearance, w.Clear)
	}
	if len(p.desc.Lidars) == 0 {
		// The guard slows it where it passes close to something.
		r.Time = r.timeAt(r.speedProfile(p.desc.Safe, p.desc.Body.HalfWidth()+limits.RoutePassing))
	}
	r.GoalTurn, ok = p.chooseTurn(robot.Pose{X: last.X, Y: last.Y, Theta: heading}, robot.WrapAngle(last.Theta-heading))
	return r, ok
}

// chooseTurn chooses the direction of a turn on the spot with the axle at m: by angle,
// in rad, or the other way round to the same heading. If the hull has no room either
// way it returns angle, and ok is false.
func (p *Planner) chooseTurn(m robot.Pose, angle float64) (by float64, ok bool) {
	if p.canTurn(m, angle) {
		return angle, true
	}
	other := angle - math.Copysign(2*math.Pi, angle)
	if p.canTurn(m, other) {
		return other, true
	}
	return angle, false
}

func (p *Planner) canTurn(m robot.Pose, angle float64) bool {
	reach := 0.0
	for _, h := range p.desc.Body.Hull {
		reach = max(reach, math.Hypot(h.X+p.desc.Drivetrain.AxleOffset, h.Y))
	}
	if p.clear.At(m.Point()) > reach+limits.RouteTurnMargin {
		return true
	}
	parts := int(math.Ceil(math.Abs(angle) / robot.Radians(5)))
	for n := 0; n <= parts; n++ {
		at := m
		at.Theta += angle * float64(n) / float64(max(1, parts))
		if !p.hullFits(p.desc.Drivetrain.Centre(at)) {
			return false
		}
	}
	return true
}

// canBackInto reports whether the guard lets the robot back up to within limits.GoalNear of a
// goal: it stops the robot limits.NearStopDistance before what the robot backs toward.
func (p *Planner) canBackInto(goal robot.Pose) bool {
	const margin = 0.05 // m, of the position and of the ranges that the guard goes by
	near := goal.Compose(robot.Pose{X: limits.GoalNear - margin})
	room := func(at robot.Pose, h robot.Point) float64 { return p.clear.middleOf(p.clear.cellAt(at.Apply(h))) }
	hull := p.desc.Body.Hull
	for n, a := range hull {
		side := hull[(n+1)%len(hull)].Sub(a)
		for _, f := range [2]float64{0, 0.5} { // the corners, and the middles of the sides
			h := robot.Point{X: a.X + f*side.X, Y: a.Y + f*side.Y}
			if r := room(near, h); r < limits.NearStopDistance && room(goal, h) < r {
				return false
			}
		}
	}
	return true
}

// hullFits reports whether the hull at a pose has room around it to turn.
func (p *Planner) hullFits(at robot.Pose) bool {
	hull := p.desc.Body.Hull
	for n, a := range hull {
		leg := hull[(n+1)%len(hull)].Sub(a)
		parts := int(math.Ceil(leg.Norm() / p.clear.Resolution))
		for k := range parts {
			f := float64(k) / float64(parts)
			if !p.hasRoom(p.clear.cellAt(at.Apply(robot.Point{X: a.X + f*leg.X, Y: a.Y + f*leg.Y}))) {
				return false
			}
		}
	}
	return true
}

// hasRoom reports whether a cell is on the map and has room around it.
func (p *Planner) hasRoom(c Cell) bool {
	return p.clear.middleOf(c) > limits.RouteTurnMargin
}

// enterFrom returns the nearest drivable point that the robot can reach from at in a
// straight line: at itself, or a point nearby if the robot is parked beside a wall.
func (p *Planner) enterFrom(at robot.Point) (robot.Point, bool) {
	c := p.clear.cellAt(at)
	if p.field.IsFree(c) {
		return at, true
	}
	best, found := limits.RouteEnter, at
	reach := int(limits.RouteEnter / p.clear.Resolution)
	minClearance := p.clear.At(at) - p.clear.Resolution/2
	if minClearance <= 0 { // inside a wall or off the map: the position is wrong
		return at, false
	}
	for j := c.J - reach; j <= c.J+reach; j++ {
		for i := c.I - reach; i <= c.I+reach; i++ {
			if to := p.clear.pointAt(MiddleOf(Cell{i, j})); p.field.IsFree(Cell{i, j}) && to.Sub(at).Norm() < best && p.clear.IsClear(at, to, minClearance) {
				best, found = to.Sub(at).Norm(), to
			}
		}
	}
	return found, found != at
}

// refusalAt says why the robot cannot stand at a goal, or returns "" if it can.
func (p *Planner) refusalAt(goal robot.Pose) string {
	if math.IsNaN(goal.X+goal.Y+goal.Theta) || math.IsInf(goal.X+goal.Y+goal.Theta, 0) {
		return "The goal is not a place: x, y and heading must be numbers."
	}
	at := goal.Point()
	if p.field.IsFree(p.clear.cellAt(at)) {
		return ""
	}
	i, j, ok := p.plan.Grid.Index(at)
	if !ok {
		return "Off the map. Choose a place on the floor."
	}
	switch p.plan.Grid.Cells[j*p.plan.Grid.Width+i] {
	case robot.Unknown:
		return "Nothing is known about that spot. Choose a place on the floor."
	case robot.Occupied:
		return fmt.Sprintf("Inside the %s. Choose a free place.", p.nameNearest(at))
	}
	return fmt.Sprintf("Too close to the %s: %.2f m. The robot needs %.2f m. Choose a free place.", p.nameNearest(at), p.clear.At(at), p.hard)
}

// describePoint says where a point is, in words.
func (p *Planner) describePoint(at robot.Point) string {
	switch p.plan.Grid.At(at) {
	case robot.Occupied:
		return "inside the " + p.nameNearest(at)
	case robot.Free:
		return "too close to the " + p.nameNearest(at)
	}
	return "off the known floor"
}

// nameNearest names what is nearest to a point: a piece of furniture, an obstacle, an
// open door, a wall or an unknown part of the map.
func (p *Planner) nameNearest(at robot.Point) string {
	name, best := "wall", math.Inf(1)
	for _, f := range p.plan.Furniture {
		d := math.Inf(1)
		if f.Radius > 0 {
			d = max(0, at.Sub(f.Outline[0]).Norm()-f.Radius)
		} else if robot.Inside(at, f.Outline) {
			d = 0
		} else {
			for n, a := range f.Outline {
				d = min(d, robot.Segment{A: a, B: f.Outline[(n+1)%len(f.Outline)]}.Distance(at))
			}
		}
		if d < best {
			best, name = d, cmp.Or(strings.ToLower(f.Name), "furniture")
		}
	}
	for _, t := range p.obstacles {
		if d := max(0, at.Sub(t.at).Norm()-t.radius); d < best {
			best, name = d, "obstacle"
		}
	}
	if best <= 0 {
		return name
	}
	for _, d := range p.plan.Doors {
		if l := d.Leaf(d.Open); l.Distance(at) < best {
			best, name = l.Distance(at), "open door"
		}
	}
	for _, w := range p.plan.Lines {
		if d := w.Distance(at); d < best {
			best, name = d, "wall"
		}
	}
	if best > p.hard+limits.BlockedRadius && p.plan.Grid.At(at) != robot.Occupied {
		return "unknown part"
	}
	return name
}

// explainFailure says why there is no path between two drivable points.
func (p *Planner) explainFailure(from, to robot.Point) error {
	// If a temporary obstacle is the reason, the path without obstacles leads through
	// it.
	if len(p.obstacles) > 0 {
		search := p.search.onField(p.base.FieldOf(p.hard))
		open := &Planner{clear: p.base, search: search}
		path, _, _ := open.pathByGrid(from, to)
		if t, in := p.obstacleOn(path); in {
			return robot.Blocked{Refusal: robot.Refusef("No route: %s.", p.describeObstacle(t)), At: t.at}
		}
	}
	// If a passage is too narrow, a slimmer robot would get through.
	for slim := p.hard - slimmer; slim > slimmer; slim -= slimmer {
		search := p.search.onField(p.clear.FieldOf(slim))
		if cells, _, ok := search.FindOctile(nil, p.clear.cellAt(from), p.clear.cellAt(to)); ok {
			at, far := p.tightestPoint(cells)
			return robot.Refusef("No route: the passage is too narrow %s, about %.1f m. The robot needs %.2f m.", p.namePoint(at), 2*far, 2*p.hard)
		}
	}
	return robot.Refusef("No route: walls separate the goal from here.")
}

// namePoint says where a point is: near a named via point, or by its coordinates.
func (p *Planner) namePoint(at robot.Point) string {
	name, best := "", 2.0
	for _, v := range p.plan.Graph.Nodes {
		if d := v.Point.Sub(at).Norm(); v.Name != "" && d < best {
			name, best = v.Name, d
		}
	}
	if name != "" {
		return "near " + name
	}
	return fmt.Sprintf("at x %.1f, y %.1f", at.X, at.Y)
}

// tightestPoint returns the point of a path with the smallest clearance, and that
// clearance in m.
func (p *Planner) tightestPoint(path []Cell) (at robot.Point, far float64) {
	far = math.Inf(1)
	var line []robot.Point
	for _, c := range path {
		line = append(line, p.clear.pointAt(MiddleOf(c)))
	}
	for _, q := range divideLegs(line, p.clear.Resolution) {
		// The middle of the gap is at most half a cell away.
		if f := p.clear.middleOf(p.clear.cellAt(q)) + p.clear.Resolution/4; f < far {
			at, far = q, f
		}
	}
	return at, far
}
