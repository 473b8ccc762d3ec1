package draft

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"mybot/robot"
	"mybot/robot/floorplan"
)

const (
	cellSize   = 0.05 // m, unless the floor is too large
	maxChanges = 10_000
	minTurn    = 0.002 // rad, the smallest rotation by straightening
)

// A Result is the input of a draft: a mapping.Result of a lidar, or a
// sketch.Result. It is immutable.
type Result interface {
	KeyFrames() int                     // number of known poses of the robot
	Pose(i int) robot.Pose              // of base_link, in map
	Echoes(i int) iter.Seq[robot.Point] // where walls were seen from pose i, in map
	DrawGrid(frameFromMap robot.Pose, size float64, maxCells int) robot.Grid
}

// A Source is a new map with further information.
type Source struct {
	Result Result
	Robot  robot.Description
	Dock   *robot.Pose   // of base_link where it charged, in map; nil = it did not
	Places []robot.Place // in map, initial places of the draft
}

// A Draft is a map in review.
type Draft struct {
	result  Result
	desc    robot.Description
	charged *robot.Pose   // in map
	places  []robot.Place // in map, before any edit
	seen    *points

	changes  []change    // in order
	undone   []change    // the last one is redone first
	bases    []base      // the last ones drawn
	proposed []*proposed // the last ones made
	known    *robot.Grid // in map, of the floor known before; nil = not needed yet
	rev      int         // of the picture
	made     made
}

// A base is the picture without edits, in a rotated frame.
type base struct {
	turn float64 // rad
	grid robot.Grid
}

// A made is the result of the changes.
type made struct {
	turn     float64  // rad, rotation of the frame of the draft relative to map
	pictured []change // the changes that affect picture and walls
	floored  []change // the changes that affect the floor
	floor    *floor   // in the frame of the draft
	vias     []via
	nextVia  int             // id
	edges    [][2]int        // ids; each in both directions,
	oneWay   map[[2]int]bool // except for these, as stated
	saved    map[int]bool    // ids of via points from the stated graph
	rooms    []namedRoom
	picture  robot.Grid      // in the frame of the draft
	traced   []robot.Segment // in map
	walls    []wall          // traced and drawn, in map
	keepouts []keepout       // remaining ones
	places   []robot.Place   // in map
	dock     *robot.Pose     // in map
	faults   []string        // sentences
}

// A keepout is an area that no route crosses.
type keepout struct {
	outline []robot.Point // in map
	spots   []spot        // of its change
}

// New returns a draft of a map, without edits.
func New(s Source) (*Draft, error) {
	d := &Draft{result: s.Result, desc: s.Robot, charged: s.Dock, places: s.Places, seen: thinEchoes(s.Result)}
	if err := d.rebuildAll(); errors.Is(err, errNoFloor) {
		return nil, errors.New("the map has no free floor: the robot saw nothing, or it did not move")
	} else if err != nil {
		return nil, err
	}
	return d, nil
}

// ErrStraight says why a map is not straightened.
var ErrStraight = errors.New("the map is straight already, or has no wall that is long enough to tell")

var errNoFloor = errors.New("no free floor would be left; choose a box with floor in it")

// Apply makes edits. Their places are in the frame of the draft before the first of
// them, and each is checked against that state. The error is a sentence for the
// person, and then nothing has changed.
func (d *Draft) Apply(edits ...Edit) error {
	changes, undone := slices.Clone(d.changes), slices.Clone(d.undone)
	for i := range edits {
		e := &edits[i]
		if err := e.check(); err != nil {
			return err
		}
		switch last := len(changes) - 1; {
		case e.Op == Undo && last < 0:
			return errors.New("there is nothing to undo")
		case e.Op == Undo:
			changes, undone = changes[:last], append(undone, changes[last])
		case e.Op == Redo && len(undone) == 0:
			return errors.New("nothing can be redone: no edit was undone since the last one was made")
		case e.Op == Redo:
			changes, undone = append(changes, undone[len(undone)-1]), undone[:len(undone)-1]
		case len(changes) == maxChanges:
			return fmt.Errorf("the map has %d edits; that is as many as it may have: save it", maxChanges)
		default:
			if err := d.checkHere(e); err != nil {
				return err
			}
			changes, undone = append(changes, d.changeOf(e)), nil
		}
	}
	before := *d
	d.changes, d.undone = changes, undone
	if err := d.rebuildAll(); err != nil {
		*d = before
		return err
	}
	return nil
}

// checkHere says what is wrong with an edit of this draft.
func (d *Draft) checkHere(e *Edit) error {
	g := &d.made.picture
	low, high := g.Origin, g.Origin.Add(robot.Point{X: float64(g.Width) * g.Resolution, Y: float64(g.Height) * g.Resolution})
	points := slices.Clone(e.Outline)
	switch e.Op {
	case Wall, Glass:
		points = []robot.Point{e.Line.A, e.Line.B}
	case Crop:
		points = []robot.Point{e.Low, e.High}
	}
	if len(points) > 0 {
		a, b := points[0], points[0]
		for _, p := range points {
			a = robot.Point{X: min(a.X, p.X), Y: min(a.Y, p.Y)}
			b = robot.Point{X: max(b.X, p.X), Y: max(b.Y, p.Y)}
		}
		if a.X > high.X || a.Y > high.Y || b.X < low.X || b.Y < low.Y {
			return fmt.Errorf("that is outside the map, which reaches from (%.2f, %.2f) to (%.2f, %.2f)", low.X, low.Y, high.X, high.Y)
		}
	}
	switch e.Op {
	case Straighten:
		if math.Abs(d.uprightTurn()) < minTurn {
			return ErrStraight
		}
	case Keepout:
		if n := len(d.made.keepouts); e.Drop && (e.ID < 1 || e.ID > n) {
			return fmt.Errorf("there is no area %d to keep out of; there are %d", e.ID, n)
		}
	case Place:
		if e.Drop {
			if !slices.ContainsFunc(d.made.places, func(p robot.Place) bool { return p.Name == e.Name }) {
				return fmt.Errorf("there is no place called %q", e.Name)
			}
			return nil
		}
		if err := floorplan.CheckNewName(e.Name, d.made.places); err != nil {
			return err
		}
		return d.checkFree(fmt.Sprintf("the place %q", e.Name), e.Pose.Point())
	case Via, Edge, Room:
		return d.checkGraph(e)
	case Dock:
		if e.Drop {
			if d.made.dock == nil {
				return errors.New("there is no dock")
			}
			return nil
		}
		return d.checkFree("the dock", e.Pose.Point())
	}
	return nil
}

// checkFree says that a point, in the frame of the draft, is not on free floor.
func (d *Draft) checkFree(what string, p robot.Point) error {
	if cell := d.made.picture.At(p); cell != robot.Free {
		return fmt.Errorf("%s would be at (%.2f, %.2f), which is %s; it must be on free floor", what, p.X, p.Y, [...]string{"unknown", "free", "occupied"}[cell])
	}
	return nil
}

// basePicture returns the picture without edits, in the frame of the draft.
func (d *Draft) basePicture() *robot.Grid { return d.baseAt(d.made.turn) }

func (d *Draft) baseAt(turn float64) *robot.Grid {
	at := slices.IndexFunc(d.bases, func(b base) bool { return b.turn == turn })
	if at < 0 {
		grid := d.result.DrawGrid(robot.Pose{Theta: turn}, cellSize, floorplan.MaxCells)
		d.bases = append(d.bases, base{turn, grid})
		if len(d.bases) > maxBases {
			d.bases = slices.Delete(d.bases, 0, 1)
		}
		at = len(d.bases) - 1
	}
	return &d.bases[at].grid
}

// maxBases is how many pictures without edits are cached, so that a rotation can be
// undone at once.
const maxBases = 2

// rebuildAll rebuilds everything from the changes; unaffected parts are reused.
func (d *Draft) rebuildAll() error {
	var m made
	m.setFloored(d.changes)
	if d.rev > 0 && slices.EqualFunc(m.pictured, d.made.pictured, equalChanges) {
		m.picture, m.traced = d.made.picture, d.made.traced
	} else if err := d.makePicture(&m); err != nil {
		return err
	} else {
		d.rev++
	}
	if d.made.floor != nil && slices.EqualFunc(m.floored, d.made.floored, equalChanges) {
		m.floor = d.made.floor
	} else {
		d.makeFloor(&m)
	}
	d.made.floor, d.made.floored, d.made.turn = m.floor, m.floored, m.turn
	if err := d.makeGraph(&m); err != nil {
		return err
	}
	if err := d.makeRooms(&m); err != nil {
		return err
	}
	d.makeRest(&m)
	m.dropBarred()
	d.made = m
	return nil
}

// setFloored sets the changes that affect picture and floor, without keep-outs that
// were removed again.
func (m *made) setFloored(changes []change) {
	for _, c := range changes {
		if c.changesPicture() {
			m.pictured = append(m.pictured, c)
		}
		switch {
		case c.op == Keepout && c.drop:
			at := slices.IndexFunc(m.floored, func(k change) bool { return k.op == Keepout && slices.Equal(k.spots, c.spots) })
			if at >= 0 {
				m.floored = slices.Delete(m.floored, at, at+1)
			}
		case c.changesFloor():
			m.floored = append(m.floored, c)
		}
		m.turn = robot.WrapAngle(m.turn + c.turn)
	}
}

func equalChanges(a, b change) bool {
	return a.op == b.op && a.turn == b.turn && slices.Equal(a.spots, b.spots)
}

// makePicture builds the picture and its walls.
func (d *Draft) makePicture(m *made) error {
	g := *d.baseAt(m.turn)
	g.Cells = slices.Clone(g.Cells)
	for i := range m.pictured {
		if c := &m.pictured[i]; c.op == Erase {
			if outline, ok := d.outlineOfChange(c, m.turn); ok {
				eraseOutline(&g, outline)
			}
		}
	}
	crop := func(g *robot.Grid) {
		for i := range m.pictured {
			if c := &m.pictured[i]; c.op == Crop {
				if outline, ok := d.outlineOfChange(c, m.turn); ok {
					keepWithin(g, outline)
				}
			}
		}
	}
	crop(&g)
	cut, ok := trimGrid(&g)
	if !ok {
		return errNoFloor
	}
	traced, err := traceWalls(&cut, robot.Pose{Theta: -m.turn}, d.seen)
	if err != nil {
		return err
	}
	m.traced = traced
	draftFromMap := robot.Pose{Theta: m.turn}
	for _, l := range d.drawnLines(m.pictured) {
		drawLine(&cut, robot.Segment{A: draftFromMap.Apply(l.A), B: draftFromMap.Apply(l.B)})
	}
	m.picture = cut
	return nil
}

// outlineOfChange returns the corners of a change in a rotated frame.
func (d *Draft) outlineOfChange(c *change, turn float64) ([]robot.Point, bool) {
	corners, ok := d.changePoints(c)
	draftFromMap := robot.Pose{Theta: turn}
	for i, p := range corners {
		corners[i] = draftFromMap.Apply(p)
	}
	return corners, ok
}

// drawnLines returns the walls that the person drew, in map, without erased or
// cropped parts.
func (d *Draft) drawnLines(pictured []change) (lines []robot.Segment) {
	for i := range pictured {
		c := &pictured[i]
		corners, ok := d.changePoints(c)
		if !ok {
			continue
		}
		switch c.op {
		case Wall:
			lines = append(lines, robot.Segment{A: corners[0], B: corners[1]})
		case Erase, Crop:
			var left []robot.Segment
			for _, l := range lines {
				left = append(left, clipLine(l, corners, c.op == Crop)...)
			}
			lines = left
		}
	}
	return lines
}

// makeRest builds walls, places, dock and keep-outs, and applies the changes that do
// not affect the picture.
func (d *Draft) makeRest(m *made) {
	for _, l := range m.traced {
		m.walls = append(m.walls, wall{line: l})
	}
	for _, l := range d.drawnLines(m.pictured) {
		m.walls = append(m.walls, wall{line: l, drawn: true})
	}
	m.places = slices.Clone(d.places)
	if d.charged != nil {
		dock := *d.charged
		m.dock = &dock
	}
	for i := range m.floored {
		if c := &m.floored[i]; c.op == Keepout {
			if outline, ok := d.changePoints(c); ok {
				m.keepouts = append(m.keepouts, keepout{outline, c.spots})
			}
		}
	}
	lost := 0
	for i := range d.changes {
		if !d.makeChange(m, &d.changes[i]) {
			lost++
		}
	}
	if lost > 0 {
		m.faults = append(m.faults, fmt.Sprintf("%d edits belong to a part of the map that no longer exists; they have no effect", lost))
	}
}

// makeChange applies a change that does not affect the picture; ok is false if its
// place is not in the result.
func (d *Draft) makeChange(m *made, c *change) (ok bool) {
	corners, ok := d.changePoints(c)
	if !ok {
		return false
	}
	switch c.op {
	case Glass:
		pane := robot.Segment{A: corners[0], B: corners[1]}
		walls, found := markGlass(m.walls, pane)
		if m.walls = walls; !found {
			at := robot.Pose{Theta: m.turn}.Apply(pane.A)
			m.faults = append(m.faults, fmt.Sprintf("there is no wall along the glass at (%.2f, %.2f); draw the wall first", at.X, at.Y))
		}
	case Via, Edge:
		m.changeGraph(c, corners)
	case Room:
		m.changeRoom(c, corners[0])
	case Place:
		m.places = slices.DeleteFunc(m.places, func(p robot.Place) bool { return p.Name == c.name })
		if !c.drop {
			at, _ := d.spotPose(c.spots[0])
			m.places = append(m.places, robot.Place{Name: c.name, Pose: at})
		}
	case Dock:
		m.dock = nil
		if !c.drop {
			at, _ := d.spotPose(c.spots[0])
			m.dock = &at
		}
	}
	return true
}
