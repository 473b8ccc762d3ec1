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
	detour     = 1.25 // a way by via points may be longer than the one without by this factor
	straightBy = 1.02 // a way that skips a via point is worth it if it is shorter by this factor
	walkShare  = 1.5  // and only those not farther than the nearest by this factor
	slimmer    = 0.06 // m, steps in which a way is looked for that is too narrow
	mostWalk   = 3    // via points to which a way is looked for where none is seen
	shortest   = 0.25 // m, no point of a way is nearer to its ends
)

// A Planner finds routes for one robot on one floor. It remembers for a while
// what was in the way. It is used by one goroutine at a time.
type Planner struct {
	plan   *robot.Floorplan
	desc   robot.Description
	base   *Clearance // by the floor plan alone; read-only
	clear  *Clearance // with what is in the way
	field  *Field
	search *Searcher
	graph  *Graph
	hard   float64 // m, the clearance that the middle of a driveable cell has
	keep   float64 // m, the clearance that every point of a driveable cell has
	lane   *laneWatch
	things []thing
	saw    time.Time // the reading that Observe took last

	cells    []Cell
	taut     []Half
	from, to []Link
	via      []int32
}

// NewPlanner prepares a floor, which takes some 0.1 s for a million cells. The
// floor plan must not change any more.
func NewPlanner(plan *robot.Floorplan, desc robot.Description) *Planner {
	c := NewClearance(standing(plan))
	hard := desc.Body.Clearance()
	p := &Planner{plan: plan, desc: desc, base: c, clear: c.clone(), field: c.Field(hard), hard: hard}
	p.lane = p.newLaneWatch()
	p.keep = hard - c.Resolution*math.Sqrt2/2 - grain
	p.search = NewSearcher(p.field)
	p.graph = NewGraph(&plan.Graph, p.Sees)
	return p
}

// OnMap reports whether something on the floor plan may be what is heard at a
// point of map. It may be called while another goroutine plans.
func (p *Planner) OnMap(at robot.Point) bool { return p.lane.onMap(at) }

// Sees reports whether the robot can go straight from a to b, points of map.
func (p *Planner) Sees(a, b robot.Point) bool { return p.clear.Clear(a, b, p.keep) }

// Drivable reports whether the robot's centre may be at a point of map.
func (p *Planner) Drivable(at robot.Point) bool { return p.field.Free(p.clear.Cell(at)) }

// Begins reports whether a way can begin with the robot's centre at a point of map.
func (p *Planner) Begins(at robot.Point) bool {
	_, ok := p.enter(at)
	return ok
}

// Graph returns the via graph as the robot can use it.
func (p *Planner) Graph() *Graph { return p.graph }

func refuse(format string, args ...any) robot.Refusal {
	return robot.Refusal{Word: robot.Error, Reason: fmt.Sprintf(format, args...)}
}

// Plan finds the path from where base_link is to where it shall be, at once:
// robot.Planner.
func (p *Planner) Plan(now time.Time, start, goal robot.Pose) (robot.Path, error) {
	route, err := p.FindRoute(now, start, goal)
	if err != nil {
		return nil, err
	}
	return p.Path(route), nil
}

// FindRoute finds the way from where base_link is to where it shall be, both in
// map. The error is a robot.Refusal that says why there is none, or robot.Blocked
// around it.
func (p *Planner) FindRoute(now time.Time, start, goal robot.Pose) (Route, error) {
	p.forget(now)
	if reason := p.unfit(goal); reason != "" {
		return Route{}, p.temporary(goal, reason)
	}
	goal.Theta = robot.WrapAngle(goal.Theta)
	entry, ok := p.enter(start.Point())
	if !ok {
		return Route{}, refuse("The robot cannot plan from where it is: %s. Drive it to open floor by hand, or set the position.", p.place(start.Point()))
	}
	path, via, ok := p.find(now, entry, goal.Point())
	if !ok {
		return Route{}, p.explain(entry, goal.Point())
	}
	return p.finish(path, via, start, goal)
}

// find returns the way for the centre from one driveable point to another.
func (p *Planner) find(now time.Time, from, to robot.Point) (path []robot.Point, via []string, ok bool) {
	nodes, length := p.ByGraph(now, from, to)
	limit := detour * to.Sub(from).Norm()
	if length <= limit {
		path, via = p.along(nodes, from, to)
		return path, via, true
	}
	grid, gridLength, ok := p.ByGrid(from, to)
	switch {
	case !math.IsInf(length, 1) && (!ok || length <= detour*gridLength):
		path, via = p.along(nodes, from, to)
		return path, via, true
	case ok:
		return p.clear.relax(grid, p.keep), nil, true
	}
	return nil, nil, false
}

// ByGraph returns the shortest way between two driveable points of map by the
// via graph: the numbers of the via points it leads through, which hold until
// the next call, and its length in m; +Inf when the graph has none.
func (p *Planner) ByGraph(now time.Time, from, to robot.Point) (nodes []int32, length float64) {
	direct := math.Inf(1)
	if p.Sees(from, to) {
		direct = straightBy * to.Sub(from).Norm()
	}
	p.from, p.to = p.join(p.from[:0], from, true), p.join(p.to[:0], to, false)
	p.via, length = p.graph.Shortest(p.via[:0], now, p.from, p.to, to, direct)
	return p.via, length
}

// join links a point to the via points it sees, or to the nearest ones by a way
// over the grid; out says that the way leads from the point. A via point that
// another one lies before is left out, so that a route leads through both.
func (p *Planner) join(links []Link, at robot.Point, out bool) []Link {
	first := len(links)
	links = p.graph.Links(links, at, p.Sees)
	if len(links) == first {
		links = p.walk(links, at)
	}
	var before [mostLinks]bool
	found := links[first:]
	for n, l := range found {
		for _, k := range found[:n] {
			a, b := k.node, l.node
			if !out {
				a, b = b, a
			}
			before[n] = before[n] || p.graph.joined(a, b) && k.length+p.graph.apart(a, b) < straightBy*l.length
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

// walk links a point that sees no via point to those of the near ones to which
// the way is not much longer than to the nearest.
func (p *Planner) walk(links []Link, at robot.Point) []Link {
	first := len(links)
	links = p.graph.bins.near(links, at, p.graph.nodes, mostWalk)
	near := links[first:]
	least := math.Inf(1)
	for n := range near {
		near[n].length = math.Inf(1)
		if _, length, ok := p.ByGrid(at, p.graph.nodes[near[n].node].Point); ok {
			near[n].length = length
			least = min(least, length)
		}
	}
	near = slices.DeleteFunc(near, func(l Link) bool { return l.length > walkShare*least || math.IsInf(l.length, 1) })
	slices.SortFunc(near, func(a, b Link) int { return cmp.Compare(a.length, b.length) })
	return links[:first+len(near)]
}

// ByGrid returns the taut way between two driveable points of map over the grid
// and its length in m.
func (p *Planner) ByGrid(from, to robot.Point) (path []robot.Point, length float64, ok bool) {
	p.cells, _, ok = p.search.Octile(p.cells[:0], p.clear.Cell(from), p.clear.Cell(to))
	if !ok {
		return nil, 0, false
	}
	p.taut = p.search.Taut(p.taut[:0], p.cells)
	taut := p.taut
	path = make([]robot.Point, 0, len(taut)+1)
	path = append(path, from)
	for _, h := range taut[1 : max(2, len(taut))-1] {
		path = append(path, p.clear.Point(h))
	}
	path = append(path, to)
	for n := 1; n < len(path); n++ {
		length += path[n].Sub(path[n-1]).Norm()
	}
	return path, length, true
}

// along returns the way through via points: straight from one to the next,
// and off the walls before the first and behind the last.
func (p *Planner) along(nodes []int32, from, to robot.Point) (path []robot.Point, names []string) {
	if len(nodes) == 0 {
		return p.clear.relax([]robot.Point{from, to}, p.keep), nil
	}
	path = p.reach(from, p.graph.nodes[nodes[0]].Point)
	for _, n := range nodes {
		node := p.graph.nodes[n]
		path = append(path, node.Point)
		names = append(names, cmp.Or(node.Name, fmt.Sprint(node.ID)))
	}
	return append(path, p.reach(path[len(path)-1], to)[1:]...), names
}

// reach returns the way between a point and a via point it is linked to.
func (p *Planner) reach(from, to robot.Point) []robot.Point {
	path := []robot.Point{from, to}
	if !p.Sees(from, to) {
		if grid, _, ok := p.ByGrid(from, to); ok {
			path = grid
		}
	}
	return p.clear.relax(path, p.keep)
}

// finish makes a route of the centre's way, which begins at a driveable point
// near the start: from the axle's place to the one that has the centre at the
// goal, with its corners rounded.
func (p *Planner) finish(path []robot.Point, via []string, start, goal robot.Pose) (Route, error) {
	limit, first := p.desc.Safe, p.desc.Drivetrain.Axle(start)
	whole := func(path []robot.Point) []robot.Point {
		if path[0] != start.Point() {
			path = append([]robot.Point{start.Point()}, path...)
		}
		return path
	}
	r, ok := p.route(whole(path), first, p.desc.Drivetrain.Axle(goal))
	if !ok {
		// No room to turn there: turn a little ahead of it and back in, where
		// there is room for any turn if possible.
		for _, roomy := range [2]bool{true, false} {
			for back := 0.2; back <= limits.RouteBackWay && !ok; back += 0.1 {
				ahead := goal.Compose(robot.Pose{X: back})
				if !p.fits(ahead) {
					break
				}
				if p.turns(p.desc.Drivetrain.Axle(ahead), 2*math.Pi) != roomy {
					continue
				}
				if path, _, free := p.ByGrid(path[0], ahead.Point()); free {
					r, ok = p.route(whole(p.clear.relax(path, p.keep)), first, p.desc.Drivetrain.Axle(ahead))
					r.Back = back
				}
			}
		}
		if !ok {
			return Route{}, refuse("There is no room to turn to %.0f deg there. Choose another heading or a place farther from the %s.", robot.Degrees(goal.Theta), p.nearest(goal.Point()))
		}
		r.Length += r.Back
		r.Time += r.Back / limits.RouteBackSpeed
		via = nil
	}
	r.Start, r.Goal, r.Via = start, goal, via
	r.Time += turnTime(r.StartTurn, limit) + turnTime(r.GoalTurn, limit)
	return r, nil
}

// route makes a route of the centre's way for the axle; ok is false when there
// is no room to turn at its end.
func (p *Planner) route(path []robot.Point, first, last robot.Pose) (r Route, ok bool) {
	// The axle is not where the centre is: what is near the ends would send it
	// to and fro.
	line := []robot.Point{first.Point()}
	for _, q := range path[1 : max(2, len(path))-1] {
		if q.Sub(first.Point()).Norm() > shortest && q.Sub(last.Point()).Norm() > shortest {
			line = append(line, q)
		}
	}
	if len(line) > 1 || last.Point().Sub(first.Point()).Norm() > limits.ArriveWithin {
		line = append(line, last.Point())
	}
	line = resample(divide(line, spacing), spacing)
	p.clear.fillet(line, bendAt(p.desc.Safe), p.keep)
	r = newRoute(resample(line, spacing), p.desc.Safe)
	heading := first.Theta
	if r.Length > 0 {
		aim, _ := r.at(min(r.Length, limits.RouteLookAhead), 0)
		heading = math.Atan2(aim.Point.Y-first.Y, aim.Point.X-first.X)
		if off := robot.WrapAngle(heading - first.Theta); math.Abs(off) > limits.RouteStartTurnFrom {
			// Where there is no room either way the guard has the last word.
			r.StartTurn, _ = p.turn(first, off)
		}
		heading = r.Points[len(r.Points)-1].Heading
	}
	r.Clearance = math.Inf(1)
	for n := range r.Points {
		w := &r.Points[n]
		w.Clear = p.clear.At(p.desc.Drivetrain.Centre(robot.Pose{X: w.Point.X, Y: w.Point.Y, Theta: w.Heading}).Point())
		r.Clearance = min(r.Clearance, w.Clear)
	}
	r.GoalTurn, ok = p.turn(robot.Pose{X: last.X, Y: last.Y, Theta: heading}, robot.WrapAngle(last.Theta-heading))
	return r, ok
}

// turn returns which way to turn on the spot, with the axle at m, by the angle
// or by what is left of a full circle; ok is false when the hull has no room
// either way, and then the angle is as it was.
func (p *Planner) turn(m robot.Pose, angle float64) (by float64, ok bool) {
	if p.turns(m, angle) {
		return angle, true
	}
	other := angle - math.Copysign(2*math.Pi, angle)
	if p.turns(m, other) {
		return other, true
	}
	return angle, false
}

func (p *Planner) turns(m robot.Pose, angle float64) bool {
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
		if !p.fits(p.desc.Drivetrain.Centre(at)) {
			return false
		}
	}
	return true
}

// fits reports whether the hull at a pose has room around it to turn.
func (p *Planner) fits(at robot.Pose) bool {
	hull := p.desc.Body.Hull
	for n, a := range hull {
		way := hull[(n+1)%len(hull)].Sub(a)
		parts := int(math.Ceil(way.Norm() / p.clear.Resolution))
		for k := range parts {
			f := float64(k) / float64(parts)
			if !p.inside(p.clear.Cell(at.Apply(robot.Point{X: a.X + f*way.X, Y: a.Y + f*way.Y}))) {
				return false
			}
		}
	}
	return true
}

// inside reports whether a cell is of the map and has room around it.
func (p *Planner) inside(c Cell) bool {
	return p.clear.cell(c) > limits.RouteTurnMargin
}

// enter returns the driveable point nearest to at that the robot reaches
// straight: at itself, or one a little away when it was parked by a wall.
func (p *Planner) enter(at robot.Point) (robot.Point, bool) {
	c := p.clear.Cell(at)
	if p.field.Free(c) {
		return at, true
	}
	best, found := limits.RouteEnter, at
	reach := int(limits.RouteEnter / p.clear.Resolution)
	least := p.clear.At(at) - p.clear.Resolution/2
	if least <= 0 { // within a wall or nowhere: the position is not right
		return at, false
	}
	for j := c.J - reach; j <= c.J+reach; j++ {
		for i := c.I - reach; i <= c.I+reach; i++ {
			if to := p.clear.Point(Centre(Cell{i, j})); p.field.Free(Cell{i, j}) && to.Sub(at).Norm() < best && p.clear.Clear(at, to, least) {
				best, found = to.Sub(at).Norm(), to
			}
		}
	}
	return found, found != at
}

// unfit says why the robot cannot stand at a goal; "" = it can.
func (p *Planner) unfit(goal robot.Pose) string {
	if math.IsNaN(goal.X+goal.Y+goal.Theta) || math.IsInf(goal.X+goal.Y+goal.Theta, 0) {
		return "The goal is not a place: x, y and heading must be numbers."
	}
	at := goal.Point()
	if p.field.Free(p.clear.Cell(at)) {
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
		return fmt.Sprintf("Inside the %s. Choose a free place.", p.nearest(at))
	}
	return fmt.Sprintf("Too close to the %s: %.2f m. The robot needs %.2f m. Choose a free place.", p.nearest(at), p.clear.At(at), p.hard)
}

// place says where a point is, in words.
func (p *Planner) place(at robot.Point) string {
	switch p.plan.Grid.At(at) {
	case robot.Occupied:
		return "inside the " + p.nearest(at)
	case robot.Free:
		return "too close to the " + p.nearest(at)
	}
	return "off the known floor"
}

// nearest names what stands nearest to a point: a piece of furniture, a wall or
// what is not known.
func (p *Planner) nearest(at robot.Point) string {
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
	for _, t := range p.things {
		if d := max(0, at.Sub(t.at).Norm()-limits.BlockedRadius); d < best {
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
		if w.Distance(at) < best {
			return "wall"
		}
	}
	if best > p.hard+limits.BlockedRadius {
		return "unknown part"
	}
	return name
}

// explain says why there is no way between two driveable points.
func (p *Planner) explain(from, to robot.Point) error {
	// Is it what stands in the way for the moment? Then the way without it
	// leads through it.
	if len(p.things) > 0 {
		search := p.search.on(p.base.Field(p.hard))
		open := &Planner{clear: p.base, search: search}
		path, _, _ := open.ByGrid(from, to)
		if t, in := p.across(path); in {
			return robot.Blocked{Refusal: refuse("No route: %s.", p.what(t)), At: t.at}
		}
	}
	// Would a slimmer robot get through?
	for slim := p.hard - slimmer; slim > slimmer; slim -= slimmer {
		search := p.search.on(p.clear.Field(slim))
		if cells, _, ok := search.Octile(nil, p.clear.Cell(from), p.clear.Cell(to)); ok {
			at, far := p.tightest(cells)
			return refuse("No route: the passage is too narrow %s, about %.1f m. The robot needs %.2f m.", p.where(at), 2*far, 2*p.hard)
		}
	}
	return refuse("No route: walls separate the goal from here.")
}

// where says where a point is: by the nearest via point, else by numbers.
func (p *Planner) where(at robot.Point) string {
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

// tightest returns where a path has the least clearance, and that, in m.
func (p *Planner) tightest(path []Cell) (at robot.Point, far float64) {
	far = math.Inf(1)
	var line []robot.Point
	for _, c := range path {
		line = append(line, p.clear.Point(Centre(c)))
	}
	for _, q := range divide(line, p.clear.Resolution) {
		// The middle of the gap is half a cell off at most.
		if f := p.clear.cell(p.clear.Cell(q)) + p.clear.Resolution/4; f < far {
			at, far = q, f
		}
	}
	return at, far
}
