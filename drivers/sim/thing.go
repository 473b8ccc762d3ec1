package sim

import (
	"cmp"
	"math"
	"slices"

	"mybot/robot"
)

// Kind is the kind of a thing.
type Kind string

// The kinds of things.
const (
	ObstacleKind Kind = "obstacle" // round; the hull hits it, and sonars detect it unless it is low
	MagnetKind   Kind = "magnet"   // the compass is wrong near it
)

// A Thing is an object beside what is on the map. The scene defines some, and users
// add more at run time.
type Thing struct {
	ID     int // counts the things of a world from 1
	Kind   Kind
	Name   string      // "" = none
	Point  robot.Point // its centre, in map
	Radius float64     // m

	height    float64 // m, of an obstacle; 0 = within the view of sonars and lidars
	dark      bool    // of an obstacle: reflects little light
	deviation float64 // rad, of a magnet
}

// Contents is what a world holds beside the floor plan, without people and the
// robot.
type Contents struct {
	Things []Thing // in the order of their IDs
	Closed []bool  // by door of the plan: whether its leaf is closed
}

// putDeviation is the deviation, in rad, at the centre of a magnet that a user
// adds.
const putDeviation = 35 * math.Pi / 180

// apart is the smallest distance, in m, between a new thing and the robot or a
// person.
const apart = 0.02

// sceneThings returns the things that the scene defines.
func (s Scene) sceneThings() []Thing {
	var out []Thing
	for _, o := range s.Obstacles {
		out = append(out, Thing{ID: len(out) + 1, Kind: ObstacleKind, Name: o.Name, Point: o.Point, Radius: o.Radius, height: o.Height, dark: o.Dark})
	}
	for _, m := range s.Magnets {
		out = append(out, Thing{ID: len(out) + 1, Kind: MagnetKind, Point: m.Point, Radius: m.Radius, deviation: m.Deviation})
	}
	return out
}

// Contents returns what the world holds now, as a copy.
func (w *World) Contents() Contents {
	return Contents{Things: slices.Clone(w.things), Closed: slices.Clone(w.closed)}
}

// AddThing adds a thing around at, in map, with a radius in m, and returns its
// number. An obstacle is high enough for sonars and may not touch the robot or a
// person. The errors are robot.Refusal.
func (w *World) AddThing(kind Kind, at robot.Point, radius float64) (id int, err error) {
	t := Thing{Kind: kind, Point: at, Radius: radius}
	switch {
	case kind != ObstacleKind && kind != MagnetKind:
		return 0, robot.Refusef("There is no such thing as %q; it is %s or %s.", kind, ObstacleKind, MagnetKind)
	case !(radius > 0 && radius <= far):
		return 0, robot.Refusef("The radius is %g m; it must be more than 0 m.", radius)
	}
	if kind == MagnetKind {
		t.deviation = putDeviation
	}
	if err := w.checkThing(t); err != nil {
		return 0, err
	}
	w.lastID++
	t.ID = w.lastID
	w.things = append(w.things, t)
	w.rebuildSolids()
	return t.ID, nil
}

// moveThing moves the thing to another point, in map, by the rules of AddThing.
func (w *World) moveThing(id int, to robot.Point) error {
	k, err := w.indexOfThing(id)
	if err != nil {
		return err
	}
	t := w.things[k]
	t.Point = to
	if err := w.checkThing(t); err != nil {
		return err
	}
	w.things[k] = t
	w.rebuildSolids()
	return nil
}

// RemoveThing removes the thing.
func (w *World) RemoveThing(id int) error {
	k, err := w.indexOfThing(id)
	if err != nil {
		return err
	}
	w.things = slices.Delete(w.things, k, k+1)
	w.rebuildSolids()
	return nil
}

// CarryRobot lifts the robot and puts it down, at rest, at a pose of base_link in
// map. The wheels do not notice. The robot may touch nothing there, and if the plan
// has a grid it must stand on free floor.
func (w *World) CarryRobot(to robot.Pose) error {
	to.Theta = robot.WrapAngle(to.Theta)
	if !w.onFloor(to.Point()) || !robot.Finite(to.Theta) {
		return robot.Refusef("There is no free floor to put the robot down.")
	}
	if g := &w.plan.Grid; len(g.Cells) > 0 && g.At(to.Point()) != robot.Free || w.measureClearance(to) <= gap {
		return robot.Refusef("The robot does not fit there: something is in the way.")
	}
	w.base.pose = to
	w.base.twist, w.base.ground = robot.Twist{}, robot.Twist{}
	w.command, w.age = robot.Twist{}, w.desc.Holds
	return nil
}

// indexOfThing returns the index of a thing.
func (w *World) indexOfThing(id int) (int, error) {
	k, ok := slices.BinarySearchFunc(w.things, id, func(t Thing, id int) int { return cmp.Compare(t.ID, id) })
	if !ok {
		return 0, robot.Refusef("There is no thing %d in the simulated world.", id)
	}
	return k, nil
}

// checkThing says why a thing may not be where it is.
func (w *World) checkThing(t Thing) error {
	if !w.onFloor(t.Point) {
		return robot.Refusef("That is not on the map.")
	}
	if t.Kind != ObstacleKind {
		return nil
	}
	if who := w.whoIsNear(solid{a: t.Point, radius: t.Radius}, apart); who != "" {
		return robot.Refusef("%s stands there.", who)
	}
	return nil
}

// onFloor reports whether a point is on the map, or, without a map, anywhere near.
func (w *World) onFloor(p robot.Point) bool {
	if g := &w.plan.Grid; len(g.Cells) > 0 {
		_, _, ok := g.Index(p)
		return ok
	}
	return math.Abs(p.X) <= far && math.Abs(p.Y) <= far
}

// whoIsNear names the person or robot closer to a thing than away, in m; "" = none.
func (w *World) whoIsNear(s solid, away float64) string {
	if hullDistance(w.placeHull(w.base.pose), s) < away {
		return "The robot"
	}
	for i := range w.walkers {
		if p := &w.walkers[i]; s.distanceTo(p.at) < p.Radius+away {
			return cmp.Or(p.Name, "Somebody")
		}
	}
	return ""
}

// rebuildSolids updates the solids to the current doors and things.
func (w *World) rebuildSolids() {
	w.solids = newSolids(w.plan, w.closed, w.things, w.scene.Sonar.Height)
	for i := range w.lidars.each {
		l := &w.lidars.each[i]
		l.plane = newPlane(w.plan, w.closed, w.things, l.Height, w.scene.Lidar.GlassSlant)
	}
}
