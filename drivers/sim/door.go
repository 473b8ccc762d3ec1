package sim

import (
	"math"

	"mybot/robot"
)

// sweep is how far, in rad, a leaf turns between two checks for obstacles.
const sweep = 2.5 * math.Pi / 180

// SetDoor closes or opens the door with this index in the plan. The leaf passes
// through no person or obstacle. The errors are robot.Refusal.
func (w *World) SetDoor(index int, closed bool) error {
	if index < 0 || index >= len(w.closed) {
		if len(w.closed) == 0 {
			return robot.Refusef("This floor has no doors.")
		}
		return robot.Refusef("There is no door %d; the doors are 0 to %d.", index, len(w.closed)-1)
	}
	if w.closed[index] == closed {
		return nil
	}
	d := w.plan.Doors[index]
	from, to := d.Open, d.Closed
	if !closed {
		from, to = to, from
	}
	turn := robot.WrapAngle(to - from)
	n := int(math.Abs(turn)/sweep) + 1
	for i := 1; i <= n; i++ {
		if who := w.whatTouches(leafSolid(d, from+turn*float64(i)/float64(n))); who != "" {
			return robot.Refusef("%s is in the way of the door.", who)
		}
	}
	w.closed[index] = closed
	w.rebuildSolids()
	return nil
}

// whatTouches names the person, thing or robot that a leaf would touch; "" = none.
func (w *World) whatTouches(s solid) string {
	for _, t := range w.things {
		if t.Kind == ObstacleKind && s.distanceTo(t.Point) < t.Radius {
			return "An obstacle"
		}
	}
	return w.whoIsNear(s, gap/2) // the robot may stand against the leaf
}

// leafSolid returns the door's leaf at an angle.
func leafSolid(d robot.Door, angle float64) solid {
	l := d.Leaf(angle)
	return solid{a: l.A, b: l.B}
}
