package urdf

import (
	"fmt"
	"math"

	"mybot/robot"
)

// A placement is where a frame is in base_link: a rotation by rows and a place in m.
type placement struct {
	turned [3][3]float64
	at     [3]float64
}

// identity is the placement of base_link.
var identity = placement{turned: [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}

// compose returns where q is, given in the frame p.
func (p placement) compose(q placement) placement {
	var r placement
	for i := range 3 {
		r.at[i] = p.at[i]
		for k := range 3 {
			r.at[i] += p.turned[i][k] * q.at[k]
			for j := range 3 {
				r.turned[i][j] += p.turned[i][k] * q.turned[k][j]
			}
		}
	}
	return r
}

// place returns the placement of a transform: Rz(yaw) Ry(pitch) Rx(roll).
func place(t robot.Transform) placement {
	about := func(i, j int, angle float64) placement {
		p := identity
		sin, cos := math.Sincos(angle)
		p.turned[i][i], p.turned[i][j], p.turned[j][i], p.turned[j][j] = cos, -sin, sin, cos
		return p
	}
	p := about(0, 1, t.Yaw).compose(about(2, 0, t.Pitch)).compose(about(1, 2, t.Roll))
	p.at = [3]float64{t.X, t.Y, t.Z}
	return p
}

// rest returns how far a joint at home moves its link: Rodrigues' formula.
func rest(j robot.Joint) placement {
	p, a := identity, j.Axis
	if j.Kind == robot.Slide {
		p.at = [3]float64{a[0] * j.Home, a[1] * j.Home, a[2] * j.Home}
		return p
	}
	sin, cos := math.Sincos(j.Home)
	cross := [3][3]float64{{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}}
	for i := range 3 {
		for k := range 3 {
			p.turned[i][k] = cos*identity.turned[i][k] + sin*cross[i][k] + (1-cos)*a[i]*a[k]
		}
	}
	return p
}

// placeLinks returns where all links are in base_link, with their joints at home.
func (m Model) placeLinks() map[string]placement {
	links, joints, placed := map[string]robot.Link{}, map[string]robot.Joint{}, map[string]placement{robot.BaseLinkName: identity}
	for _, l := range m.Links {
		links[l.Name] = l
	}
	for _, j := range m.Joints {
		joints[j.Link] = j
	}
	var find func(name string) placement
	find = func(name string) placement {
		p, done := placed[name]
		if !done {
			l := links[name]
			p = find(l.Parent).compose(place(l.Origin))
			if j, moved := joints[name]; moved {
				p = p.compose(rest(j))
			}
			placed[name] = p
		}
		return p
	}
	for _, l := range m.Links {
		find(l.Name)
	}
	return placed
}

// extent returns the corners of the box around all shapes, in base_link in m; low is
// above high where there is no shape.
func (m Model) extent() (low, high [3]float64) {
	for i := range 3 {
		low[i], high[i] = math.Inf(1), math.Inf(-1)
	}
	placed := m.placeLinks()
	for _, l := range m.Links {
		for _, s := range l.Shapes {
			p := placed[l.Name].compose(place(s.Origin))
			for i := range 3 {
				reach := reachAlong(s, p.turned[i])
				low[i], high[i] = min(low[i], p.at[i]-reach), max(high[i], p.at[i]+reach)
			}
		}
	}
	return low, high
}

// measureWheels takes how far apart the driven wheels are, and how far behind base_link
// their axle is.
func (r *reader) measureWheels() error {
	if len(r.wheels) != 2 {
		return nil // none were named, or not two
	}
	placed := r.placeLinks()
	a, b := placed[r.wheels[0]].at, placed[r.wheels[1]].at
	if math.Abs(a[0]-b[0]) > 0.01 || math.Abs(a[1]-b[1]) < 0.01 {
		return fmt.Errorf("--wheels: the two are at x = %.3g, y = %.3g and x = %.3g, y = %.3g m; driven wheels are on one axle, beside each other", a[0], a[1], b[0], b[1])
	}
	r.WheelBase, r.AxleOffset = math.Abs(a[1]-b[1]), -(a[0]+b[0])/2
	return nil
}

// reachAlong returns how far a shape reaches from its middle in a direction of its own
// frame, in m.
func reachAlong(s robot.Shape, d [3]float64) float64 {
	switch s.Kind {
	case robot.Box:
		return (math.Abs(d[0])*s.Length + math.Abs(d[1])*s.Width + math.Abs(d[2])*s.Height) / 2
	case robot.Cylinder:
		return math.Abs(d[2])*s.Length/2 + s.Radius*math.Hypot(d[0], d[1])
	default:
		return s.Radius
	}
}
