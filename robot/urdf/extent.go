package urdf

import (
	"fmt"
	"math"
	"slices"

	"mybot/robot"
)

// placeLinks returns the poses of all links in base_link, with their joints at home.
func (m Model) placeLinks() []robot.Placement { return robot.PlaceLinks(m.Links, m.Joints, nil) }

// extent returns the corners of the bounding box of all shapes, in m in base_link; low is
// above high if there are no shapes.
func (m Model) extent() (low, high [3]float64) {
	for i := range 3 {
		low[i], high[i] = math.Inf(1), math.Inf(-1)
	}
	placed := m.placeLinks()
	axes := [3]robot.Point3{{X: 1}, {Y: 1}, {Z: 1}}
	for k, l := range m.Links {
		for _, s := range l.Shapes {
			p := placed[k].Compose(s.Origin.Placement())
			for i, axis := range axes {
				at, reach := p.At.Dot(axis), s.Reach(p.RotateBack(axis))
				low[i], high[i] = min(low[i], at-reach), max(high[i], at+reach)
			}
		}
	}
	return low, high
}

// measureWheels sets the wheel base and the axle offset from the positions of the two
// driven wheels.
func (r *reader) measureWheels() error {
	if len(r.wheels) != 2 {
		return nil // no wheels were named, or not two of them exist
	}
	placed := r.placeLinks()
	wheel := func(name string) robot.Point3 {
		return placed[slices.IndexFunc(r.Links, func(l robot.Link) bool { return l.Name == name })].At
	}
	a, b := wheel(r.wheels[0]), wheel(r.wheels[1])
	if math.Abs(a.X-b.X) > 0.01 || math.Abs(a.Y-b.Y) < 0.01 {
		return fmt.Errorf("--wheels: the two are at x = %.3g, y = %.3g and x = %.3g, y = %.3g m; driven wheels are on one axle, beside each other", a.X, a.Y, b.X, b.Y)
	}
	r.WheelBase, r.AxleOffset = math.Abs(a.Y-b.Y), -(a.X+b.X)/2
	return nil
}
