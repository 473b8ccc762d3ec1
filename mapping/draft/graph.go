package draft

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"mybot/robot"
)

const (
	sameVia       = 0.75 // m: a via point this near to a previous one is the same
	splitDistance = 0.3  // m: a via point added this near to an edge splits it
)

// A via is a via point, in map.
type via struct {
	id   int
	name string
	at   robot.Point
}

// A proposed is the proposal for a floor, in map.
type proposed struct {
	floored []change // the changes that affect the floor
	vias    []robot.Point
	edges   [][2]int // indices
	rooms   []room
}

// A namedRoom is a room of the draft, in map.
type namedRoom struct {
	room

	id   int
	name string
}

// changesFloor reports whether the change affects the drivable floor.
func (c *change) changesFloor() bool { return c.op == Keepout || c.changesPicture() }

func (c *change) changesGraph() bool { return c.op == Via || c.op == Edge }

// proposalFor returns the proposal for the floor that results from the given
// changes.
func (d *Draft) proposalFor(floored []change) (*proposed, error) {
	at := slices.IndexFunc(d.proposed, func(p *proposed) bool { return slices.EqualFunc(p.floored, floored, equalChanges) })
	if at >= 0 {
		return d.proposed[at], nil
	}
	f, turn := d.made.floor, d.made.turn
	if f == nil || !slices.EqualFunc(d.made.floored, floored, equalChanges) {
		var m made
		m.setFloored(floored)
		if err := d.makePicture(&m); err != nil {
			return nil, err
		}
		d.makeFloor(&m)
		f, turn = m.floor, m.turn
	}
	mapFromDraft := robot.Pose{Theta: -turn}
	graph := newProposal(f)
	p := &proposed{floored: floored, rooms: findRooms(f, graph.doors)}
	index := map[int]int{}
	for v := range graph.vertices {
		if !graph.vertices[v].gone {
			index[v] = len(p.vias)
			p.vias = append(p.vias, mapFromDraft.Apply(graph.vertices[v].at))
		}
	}
	for _, e := range graph.edges {
		p.edges = append(p.edges, [2]int{index[e[0]], index[e[1]]})
	}
	for i := range p.rooms {
		r := &p.rooms[i]
		r.inside = mapFromDraft.Apply(r.inside)
		for n := range r.outline {
			r.outline[n] = mapFromDraft.Apply(r.outline[n])
		}
	}
	if len(d.proposed) == maxProposed {
		d.proposed = slices.Delete(slices.Clone(d.proposed), 0, 1)
	}
	d.proposed = append(d.proposed, p)
	return p, nil
}

// maxProposed is how many proposals are cached, so that an edit can be undone at
// once.
const maxProposed = 4

// makeFloor builds the drivable floor, in the frame of the draft: the picture
// without the keep-outs.
func (d *Draft) makeFloor(m *made) {
	grid := m.picture
	draftFromMap := robot.Pose{Theta: m.turn}
	for i := range m.floored {
		if c := &m.floored[i]; c.op == Keepout {
			if outline, ok := d.outlineOfChange(c, m.turn); ok {
				if len(grid.Cells) > 0 && &grid.Cells[0] == &m.picture.Cells[0] {
					grid.Cells = slices.Clone(grid.Cells)
				}
				fillOutline(&grid, outline, func(k int) {
					if grid.Cells[k] == robot.Free {
						grid.Cells[k] = robot.Unknown
					}
				})
			}
		}
	}
	var visited []robot.Point
	for i := range d.result.KeyFrames() {
		visited = append(visited, draftFromMap.Apply(d.result.Pose(i).Point()))
	}
	m.floor = newFloor(&grid, d.desc.Body.Clearance(), visited)
}

// makeGraph builds the initial via graph of the edits: the proposal for the floor
// before the first of them, in addition to the stated graph, if there is one.
func (d *Draft) makeGraph(m *made) error {
	before := slices.IndexFunc(d.changes, func(c change) bool { return c.changesGraph() })
	if before < 0 {
		before = len(d.changes)
	}
	var first made
	first.setFloored(d.changes[:before])
	p, err := d.proposalFor(first.floored)
	if err != nil {
		return err
	}
	for i := range d.changes {
		if c := &d.changes[i]; c.op == graphOp && d.joinGraph(m, c, p) {
			return nil
		}
	}
	for i, at := range p.vias {
		m.vias = append(m.vias, via{id: i + 1, at: at})
	}
	for _, e := range p.edges {
		m.edges = append(m.edges, [2]int{e[0] + 1, e[1] + 1})
	}
	m.nextVia = len(p.vias) + 1
	return nil
}

// nearestVia returns the index of the via point at the position of a previous one;
// -1 = none.
func (m *made) nearestVia(at robot.Point) int {
	best, nearest := -1, sameVia
	for i, v := range m.vias {
		if d := v.at.Sub(at).Norm(); d < nearest {
			best, nearest = i, d
		}
	}
	return best
}

func (m *made) viaByID(id int) (at robot.Point, ok bool) {
	i := slices.IndexFunc(m.vias, func(v via) bool { return v.id == id })
	if i < 0 {
		return robot.Point{}, false
	}
	return m.vias[i].at, true
}

// changeGraph applies a change of the via graph. Missing via points and edges are
// ignored.
func (m *made) changeGraph(c *change, spots []robot.Point) {
	switch {
	case c.op == Via && c.drop:
		if i := m.nearestVia(spots[0]); i >= 0 {
			id := m.vias[i].id
			m.vias = slices.Delete(slices.Clone(m.vias), i, i+1)
			m.edges = slices.DeleteFunc(slices.Clone(m.edges), func(e [2]int) bool { return e[0] == id || e[1] == id })
		}
	case c.op == Via && len(spots) == 2:
		if i := m.nearestVia(spots[0]); i >= 0 {
			m.vias = slices.Clone(m.vias)
			m.vias[i].at = spots[1]
			return
		}
		m.addVia(spots[1])
	case c.op == Via:
		m.addVia(spots[0])
	case c.op == Edge:
		i, j := m.nearestVia(spots[0]), m.nearestVia(spots[1])
		if i < 0 || j < 0 || i == j {
			return
		}
		a, b := m.vias[i].id, m.vias[j].id
		delete(m.oneWay, [2]int{a, b})
		delete(m.oneWay, [2]int{b, a})
		m.edges = slices.DeleteFunc(slices.Clone(m.edges), func(e [2]int) bool { return e == [2]int{a, b} || e == [2]int{b, a} })
		if !c.drop {
			m.edges = append(m.edges, [2]int{a, b})
		}
	}
}

// addVia adds a via point, and splits a nearby edge.
func (m *made) addVia(at robot.Point) {
	id := m.nextVia
	m.nextVia++
	edges := slices.Clone(m.edges)
	best, nearest := -1, splitDistance
	for i, e := range edges {
		a, _ := m.viaByID(e[0])
		b, _ := m.viaByID(e[1])
		if d := (robot.Segment{A: a, B: b}).Distance(at); d < nearest {
			best, nearest = i, d
		}
	}
	m.vias = append(slices.Clone(m.vias), via{id: id, at: at})
	if best >= 0 {
		e := edges[best]
		edges[best] = [2]int{e[0], id}
		edges = append(edges, [2]int{id, e[1]})
		if m.oneWay[e] {
			delete(m.oneWay, e)
			m.oneWay[[2]int{e[0], id}], m.oneWay[[2]int{id, e[1]}] = true, true
		}
	}
	m.edges = edges
}

// dropBarred removes via points and edges that the floor does not allow.
func (m *made) dropBarred() {
	draftFromMap := robot.Pose{Theta: m.turn}
	at := map[int]robot.Point{}
	kept := m.vias[:0:0]
	for _, v := range m.vias {
		p := draftFromMap.Apply(v.at)
		if m.floor.isDrivable(p, p) {
			kept = append(kept, v)
			at[v.id] = p
		} else if m.saved[v.id] {
			m.faults = append(m.faults, fmt.Sprintf("the via point %s at (%.2f, %.2f), which was saved before, is left out: the robot needs %.2f m on all sides there", cmp.Or(v.name, strconv.Itoa(v.id)), p.X, p.Y, m.floor.hard))
		}
	}
	m.vias = kept
	edges := m.edges[:0:0]
	for _, e := range m.edges {
		a, known := at[e[0]]
		b, alsoKnown := at[e[1]]
		if known && alsoKnown && m.floor.isDrivable(a, b) {
			edges = append(edges, e)
		}
	}
	m.edges = edges
}

// isDrivable reports whether the robot can drive straight from a to b, in the frame
// of the draft, and stand at both.
func (f *floor) isDrivable(a, b robot.Point) bool {
	for _, p := range []robot.Point{a, b} {
		i, j, ok := f.grid.Index(p)
		if !ok || f.clear.At(f.cellCentre(j*f.grid.Width+i)) < f.hard {
			return false
		}
	}
	return f.clear.IsClear(a, b, f.keep)
}

// checkGraph says what is wrong with an edit of the via graph or of a room.
func (d *Draft) checkGraph(e *Edit) error {
	m := &d.made
	for _, id := range e.viaIDs() {
		if _, ok := m.viaByID(id); !ok {
			return fmt.Errorf("there is no via point %d", id)
		}
	}
	draftFromMap := d.FrameFromMap()
	switch {
	case e.Op == Via && !e.Drop:
		if !m.floor.isDrivable(e.At, e.At) {
			return fmt.Errorf("the via point would be at (%.2f, %.2f), which is too near to a wall, or not on free floor; the robot needs %.2f m on all sides", e.At.X, e.At.Y, m.floor.hard)
		}
	case e.Op == Edge:
		if e.Ends[0] == e.Ends[1] {
			return fmt.Errorf("the edge would join via point %d with itself; it must join two", e.Ends[0])
		}
		a, _ := m.viaByID(e.Ends[0])
		b, _ := m.viaByID(e.Ends[1])
		is := slices.ContainsFunc(m.edges, func(x [2]int) bool { return x == e.Ends || x == [2]int{e.Ends[1], e.Ends[0]} })
		switch {
		case e.Drop && !is:
			return fmt.Errorf("there is no edge between the via points %d and %d", e.Ends[0], e.Ends[1])
		case !e.Drop && is:
			return fmt.Errorf("there is already an edge between the via points %d and %d", e.Ends[0], e.Ends[1])
		case !e.Drop && !m.floor.isDrivable(draftFromMap.Apply(a), draftFromMap.Apply(b)):
			return fmt.Errorf("the robot cannot drive straight from via point %d to %d: it needs %.2f m on both sides; add a via point between them", e.Ends[0], e.Ends[1], m.floor.hard)
		}
	case e.Op == Room && !slices.ContainsFunc(m.rooms, func(r namedRoom) bool { return r.id == e.ID }):
		return fmt.Errorf("there is no room %d", e.ID)
	}
	return nil
}

// viaIDs returns the via points that an edit names.
func (e *Edit) viaIDs() []int {
	switch {
	case e.Op == Edge:
		return e.Ends[:]
	case e.Op == Via && e.ID != 0:
		return []int{e.ID}
	}
	return nil
}

// makeRooms builds the rooms between the doors of the floor.
func (d *Draft) makeRooms(m *made) error {
	p, err := d.proposalFor(m.floored)
	if err != nil {
		return err
	}
	for i, r := range p.rooms {
		m.rooms = append(m.rooms, namedRoom{room: r, id: i + 1})
	}
	return nil
}

// changeRoom names or drops the room that contains a point.
func (m *made) changeRoom(c *change, inside robot.Point) {
	best, nearest := -1, math.Inf(1) // where outlines overlap, the room with the nearest centre
	for i, r := range m.rooms {
		if d := r.inside.Sub(inside).Norm(); robot.Inside(inside, r.outline) && d < nearest {
			best, nearest = i, d
		}
	}
	if best < 0 {
		return
	}
	if c.drop {
		m.rooms = slices.Delete(m.rooms, best, best+1)
		return
	}
	m.rooms[best].name = c.name
}
