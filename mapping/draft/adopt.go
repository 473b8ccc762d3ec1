package draft

import (
	"cmp"
	"math"
	"slices"

	"mybot/mapping"
	"mybot/robot"
	"mybot/robot/floorplan"
)

// A stated is the via graph as saved, in a change whose spots are its via points.
type stated struct {
	vias  []statedVia
	edges [][2]int // ids, each one way
}

// A statedVia is what a stated graph records about a via point besides its
// position.
type statedVia struct {
	id   int
	name string
}

const (
	unmoved   = 1e-3 // m and rad: a place this near to where the draft has it was not moved
	knownCell = 0.1  // m, of the picture of the previously known floor
)

// Adopt takes over via points, edges, places, dock and the names of rooms from a
// plan that this draft made earlier, in its frame, because people may have changed
// them since. It is for a map that is being extended. Everything is stored relative
// to the old key frames, so that it stays in place relative to the walls. Proposals
// for newly known floor are added to the via graph. Undone edits cannot be redone
// afterwards.
func (d *Draft) Adopt(plan *robot.Floorplan) error {
	before := *d
	changes := slices.DeleteFunc(slices.Clone(d.changes), func(c change) bool { return c.changesGraph() || c.op == graphOp })
	mapFromDraft := d.FrameFromMap().Inverse()
	if len(plan.Graph.Nodes) > 0 {
		changes = append(changes, d.stateGraph(plan.Graph, mapFromDraft))
	}
	changes = append(changes, d.placeChanges(plan.Places, mapFromDraft)...)
	if plan.Dock != nil && d.charged == nil {
		if at := mapFromDraft.Compose(*plan.Dock); d.made.dock == nil || !isAt(at, *d.made.dock) {
			changes = append(changes, change{op: Dock, spots: []spot{d.anchorBefore(at)}})
		}
	}
	for _, r := range plan.Rooms {
		changes = append(changes, d.nameChanges(r, mapFromDraft)...)
	}
	d.changes, d.undone = changes, nil
	if err := d.rebuildAll(); err != nil {
		*d = before
		return err
	}
	return nil
}

func isAt(a, b robot.Pose) bool {
	return a.Point().Sub(b.Point()).Norm() < unmoved && math.Abs(robot.WrapAngle(a.Theta-b.Theta)) < unmoved
}

// mappedBefore returns the original map if this one extends it; otherwise an empty one.
func (d *Draft) mappedBefore() *mapping.Result {
	if r, ok := d.result.(*mapping.Result); ok {
		return r.Before()
	}
	return &mapping.Result{}
}

// anchorBefore is anchorSpot among the old key frames, or among all if there are no
// old ones.
func (d *Draft) anchorBefore(at robot.Pose) spot {
	return d.anchorAmong(at, cmp.Or(d.mappedBefore().KeyFrames(), d.result.KeyFrames()))
}

// stateGraph returns the change that states a via graph.
func (d *Draft) stateGraph(g robot.Graph, mapFromDraft robot.Pose) change {
	c := change{op: graphOp}
	for _, v := range g.Nodes {
		c.graph.vias = append(c.graph.vias, statedVia{v.ID, v.Name})
		at := mapFromDraft.Apply(v.Point)
		c.spots = append(c.spots, d.anchorBefore(robot.Pose{X: at.X, Y: at.Y}))
	}
	seen := map[[2]int]bool{}
	for _, e := range g.Edges {
		if ends := [2]int{e.Start, e.End}; e.Start != e.End && !seen[ends] {
			seen[ends] = true
			c.graph.edges = append(c.graph.edges, ends)
		}
	}
	return c
}

// placeChanges returns the changes that give the draft these places.
func (d *Draft) placeChanges(places []robot.Place, mapFromDraft robot.Pose) (changes []change) {
	find := func(list []robot.Place, name string) int {
		return slices.IndexFunc(list, func(p robot.Place) bool { return p.Name == name })
	}
	for _, old := range d.made.places {
		if find(places, old.Name) < 0 {
			changes = append(changes, change{op: Place, name: old.Name, drop: true})
		}
	}
	for _, p := range places {
		at := mapFromDraft.Compose(p.Pose)
		if i := find(d.made.places, p.Name); i < 0 || !isAt(at, d.made.places[i].Pose) {
			changes = append(changes, change{op: Place, name: p.Name, spots: []spot{d.anchorBefore(at)}})
		}
	}
	return changes
}

// nameChanges returns the changes that rename the room at r's position like r.
func (d *Draft) nameChanges(r robot.Room, mapFromDraft robot.Pose) []change {
	if r.Label == nil || !isName(r.Name) {
		return nil
	}
	at := mapFromDraft.Apply(*r.Label)
	i := slices.IndexFunc(d.made.rooms, func(now namedRoom) bool { return robot.Inside(at, now.outline) })
	if i < 0 || d.made.rooms[i].name == r.Name {
		return nil
	}
	return []change{{op: Room, name: r.Name, spots: []spot{d.anchorBefore(robot.Pose{X: at.X, Y: at.Y})}}}
}

// wasKnown reports whether a point in map was free floor before the map was
// extended.
func (d *Draft) wasKnown(p robot.Point) bool {
	if d.known == nil {
		grid := d.mappedBefore().Draw(robot.Pose{}, knownCell, floorplan.MaxCells).Grid()
		d.known = &grid
	}
	return d.known.At(p) == robot.Free
}

// joinGraph builds the via graph from a stated one and the proposals for newly
// known floor. ok is false if a via point is relative to a missing key frame.
func (d *Draft) joinGraph(m *made, c *change, p *proposed) (ok bool) {
	at, ok := d.changePoints(c)
	if !ok {
		return false
	}
	m.oneWay, m.saved = map[[2]int]bool{}, map[int]bool{}
	for i, v := range c.graph.vias {
		m.saved[v.id] = true
		m.vias = append(m.vias, via{v.id, v.name, at[i]})
		m.nextVia = max(m.nextVia, v.id+1)
	}
	for _, e := range c.graph.edges {
		if back := [2]int{e[1], e[0]}; m.oneWay[back] {
			delete(m.oneWay, back)
			continue
		}
		m.edges = append(m.edges, e)
		m.oneWay[e] = true
	}
	if d.mappedBefore().KeyFrames() > 0 {
		(&joining{d, m, p, len(m.vias), map[int]int{}}).joinProposal()
	}
	return true
}

// A joining adds a proposal to a stated graph.
type joining struct {
	d      *Draft
	m      *made
	p      *proposed
	stated int         // number of the first via points of m, which were stated
	ids    map[int]int // the via point that stands for each proposed one
}

func (j *joining) joinProposal() {
	isStated := func(at robot.Point) bool {
		return slices.ContainsFunc(j.m.vias[:j.stated], func(v via) bool { return v.at.Sub(at).Norm() < sameVia })
	}
	for i, at := range j.p.vias {
		if !j.d.wasKnown(at) && !isStated(at) {
			j.ids[i] = j.m.nextVia
			j.m.vias = append(j.m.vias, via{id: j.m.nextVia, at: at})
			j.m.nextVia++
		}
	}
	isNew := map[int]bool{}
	for i := range j.ids {
		isNew[i] = true
	}
	for _, e := range j.p.edges {
		if !isNew[e[0]] && !isNew[e[1]] && !j.leadsOverNewFloor(e) {
			continue
		}
		a, b := j.standFor(e[0]), j.standFor(e[1])
		if a != b && !j.m.hasEdge(a, b) {
			j.m.edges = append(j.m.edges, [2]int{a, b})
		}
	}
}

// leadsOverNewFloor reports whether an edge between via points on old floor crosses
// new floor.
func (j *joining) leadsOverNewFloor(e [2]int) bool {
	a, b := j.p.vias[e[0]], j.p.vias[e[1]]
	way := b.Sub(a)
	n := math.Ceil(way.Norm() / (2 * knownCell))
	for k := 1.0; k < n; k++ {
		if !j.d.wasKnown(robot.Point{X: a.X + way.X*k/n, Y: a.Y + way.Y*k/n}) {
			return true
		}
	}
	return false
}

// standFor returns the id of the via point that stands for a proposed one: itself
// on new floor, otherwise a stated one close enough to count as the same, or else a
// new one, connected to the nearest stated one that the robot can drive straight
// to.
func (j *joining) standFor(i int) int {
	if id, ok := j.ids[i]; ok {
		return id
	}
	m, at := j.m, j.p.vias[i]
	draftFromMap := robot.Pose{Theta: m.turn}
	canDrive := func(to robot.Point) bool { return m.floor.isDrivable(draftFromMap.Apply(at), draftFromMap.Apply(to)) }
	near := slices.Clone(m.vias[:j.stated])
	slices.SortStableFunc(near, func(a, b via) int { return cmp.Compare(a.at.Sub(at).Norm(), b.at.Sub(at).Norm()) })
	best := slices.IndexFunc(near, func(v via) bool { return canDrive(v.at) })
	if best >= 0 && near[best].at.Sub(at).Norm() < sameVia {
		j.ids[i] = near[best].id
		return near[best].id
	}
	edges := len(m.edges)
	id := m.nextVia
	m.addVia(at)
	j.ids[i] = id
	if len(m.edges) == edges && best >= 0 { // it splits no edge
		m.edges = append(m.edges, [2]int{id, near[best].id})
	}
	return id
}

func (m *made) hasEdge(a, b int) bool {
	return slices.Contains(m.edges, [2]int{a, b}) || slices.Contains(m.edges, [2]int{b, a})
}
