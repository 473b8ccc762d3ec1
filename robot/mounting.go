package robot

import (
	"math"
	"slices"

	"mybot/strictjson"
)

// The largest tilt of a sensor or the head on a link.
var (
	maxLidarTilt = Radians(2)  // of the scan plane and of the head
	maxSonarTilt = Radians(10) // of the beam's axis
)

// A mounting is what carries a sensor or the head: base_link, or a link or named frame that
// is fixed in it.
type mounting struct {
	name string    // of the link or frame; "" = base_link
	on   Placement // of the link or frame in base_link
	ok   bool      // on is valid
}

// readMounting reads the link or frame that carries a sensor or the head, if one is named.
func readMounting(o *strictjson.Object, d *Description) mounting {
	m := mounting{on: unplaced, ok: true}
	if !o.Has("link") {
		return m
	}
	m.name, m.ok = readName(o, "link"), false
	if m.name == "" {
		return m
	}
	link := m.name
	if i := slices.IndexFunc(d.Frames, func(f NamedFrame) bool { return f.Name == m.name }); i >= 0 {
		link, m.on = d.Frames[i].Link, d.Frames[i].Origin.Placement()
	}
	if findLink(d.Links, link) == nil {
		o.Explain("link", "is %q, which is not among the links and frames; it must be the name of one of them", m.name)
		return m
	}
	for range MaxLinks { // checkTree reports a circle or a missing parent
		l := findLink(d.Links, link)
		if l == nil || l.Name == BaseLinkName {
			m.ok = l != nil
			break
		}
		if i := slices.IndexFunc(d.Joints, func(j Joint) bool { return j.Link == l.Name }); i >= 0 {
			o.Explain("link", "is %q, which the joint %q moves; it must be one that stands still in base_link", m.name, d.Joints[i].Name)
			break
		}
		link, m.on = l.Parent, l.Origin.Placement().Compose(m.on)
	}
	return m
}

// readPlace reads the pose of a sensor and returns it in base_link. On a link, missing
// coordinates are 0, and z_m is the height above the link's origin. Without a link, the key
// height gives the height above the floor; "" = there is no such key.
func (m mounting) readPlace(o *strictjson.Object, height string) (Pose, Placement) {
	if m.name == "" {
		at := Pose{X: o.Number("x_m", -2, 2), Y: o.Number("y_m", -2, 2), Theta: WrapAngle(Radians(o.Number("heading_deg", -180, 360)))}
		t := Transform{X: at.X, Y: at.Y, Yaw: at.Theta}
		if height != "" {
			t.Z = o.Number(height, 0, 3)
		}
		return at, t.Placement()
	}
	if o.Has("height_m") {
		o.Take("height_m")
		o.Explain("height_m", "is that of a sensor without a link; on %q it must be z_m, above the origin of the link", m.name)
	}
	p := m.on.Compose(m.readOrigin(o, Radians(o.NumberOr("heading_deg", -180, 360, 0))).Placement())
	return p.pose(), p
}

// readOrigin reads the pose of a sensor or the head on its link.
func (m mounting) readOrigin(o *strictjson.Object, yaw float64) Transform {
	place := func(key string) float64 { return o.NumberOr(key, -maxExtent, maxExtent, 0) }
	return Transform{X: place("x_m"), Y: place("y_m"), Z: place("z_m"), Yaw: yaw}
}

// checkPlace reports a sensor or head on a link that is too far from the centre or not
// level. off is its tilt and most the largest one, in rad.
func (m mounting) checkPlace(o *strictjson.Object, p Placement, off, most float64) {
	switch far := math.Max(math.Abs(p.At.X), math.Abs(p.At.Y)); {
	case m.name == "" || !m.ok:
	case far > 2 || p.At.Z < 0 || p.At.Z > 3:
		o.Explain("link", "is %q, where it is at x %.3g, y %.3g and z %.3g m of base_link; it must be within 2 m, and not higher than 3 m above the floor", m.name, p.At.X, p.At.Y, p.At.Z)
	case !(off <= most):
		o.Explain("link", "is %q, where it is tilted by %.3g degrees; it must be level within %.3g", m.name, Degrees(off), Degrees(most))
	}
}

// pose returns the placement's position on the floor and the heading of its x axis.
func (p Placement) pose() Pose {
	ahead := p.Rotate(Point3{X: 1})
	return Pose{X: p.At.X, Y: p.At.Y, Theta: WrapAngle(math.Atan2(ahead.Y, ahead.X))}
}

// rise returns the angle by which a direction in the frame points up, in rad.
func (p Placement) rise(d Point3) float64 {
	return math.Asin(math.Max(-1, math.Min(1, p.Rotate(d).Z)))
}

// mountSonar reads the mounting of a sonar.
func mountSonar(o *strictjson.Object, d *Description, s *Sonar) {
	m := readMounting(o, d)
	at, p := m.readPlace(o, "")
	m.checkPlace(o, p, math.Abs(p.rise(Point3{X: 1})), maxSonarTilt)
	s.Pose, s.Height, s.Link = at, p.At.Z, m.name
}

// mountLidar reads the mounting of a lidar. One that is mounted upside down turns the other
// way.
func mountLidar(o *strictjson.Object, d *Description, l *Lidar) {
	m := readMounting(o, d)
	at, p := m.readPlace(o, "height_m")
	up := p.rise(Point3{Z: 1})
	m.checkPlace(o, p, math.Pi/2-math.Abs(up), maxLidarTilt)
	l.Pose, l.Height, l.Link = at, p.At.Z, m.name
	if up < 0 {
		l.From, l.Step = -l.From, -l.Step
		for i, s := range l.Mask {
			l.Mask[i] = Sector{From: -s.To, To: -s.From}
		}
	}
}

// mountHead reads the mounting of the head's pan axis, which must be upright and on the
// robot's x axis.
func mountHead(o *strictjson.Object, d *Description, h *Head) {
	m := readMounting(o, d)
	if m.name == "" {
		h.X, h.Z = o.Number("x_m", -2, 2), o.Number("z_m", 0, 3)
		return
	}
	p := m.on.Compose(m.readOrigin(o, 0).Placement())
	m.checkPlace(o, p, math.Pi/2-p.rise(Point3{Z: 1}), maxLidarTilt)
	if pose := p.pose(); m.ok && (math.Abs(pose.Y) > 0.001 || math.Abs(pose.Theta) > maxLidarTilt) {
		o.Explain("link", "is %q, where the head is at y %.3g m and looks %.3g degrees to the left; it must be in the middle, y 0, and look ahead", m.name, pose.Y, Degrees(pose.Theta))
	}
	h.X, h.Z, h.Link = p.At.X, p.At.Z, m.name
}
