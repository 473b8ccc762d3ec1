package robot

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"mybot/strictjson"
)

// maxExtent is the largest coordinate of a link in its parent and the largest size of a
// shape, in m.
const maxExtent = 5

// readLinks reads links, joints and frames, and reports inconsistencies.
func readLinks(o *strictjson.Object, d *Description) {
	for i, l := range o.ObjectsOr("links", MaxLinks) {
		d.Links = append(d.Links, readLink(l, d.Links[:i]))
	}
	for i, j := range o.ObjectsOr("joints", MaxJoints) {
		d.Joints = append(d.Joints, readJoint(j, d.Links, d.Joints[:i]))
	}
	for i, f := range o.ObjectsOr("frames", MaxFrames) {
		d.Frames = append(d.Frames, readFrame(f, d.Links, d.Frames[:i]))
	}
	if len(d.Links) > 0 {
		checkTree(o, d.Links)
	}
}

// checkTree reports missing parents and every link that is not connected to base_link.
func checkTree(o *strictjson.Object, links []Link) {
	if findLink(links, BaseLinkName) == nil {
		o.Explain("links", "have no base_link; the link that carries all others must have this name and no parent")
	}
	inCircle := map[string]bool{}
	for _, l := range links {
		above := []string{l.Name}
		for l.Parent != "" && !inCircle[l.Name] {
			parent := findLink(links, l.Parent)
			if parent == nil {
				if above[0] == l.Name { // reported once, for the link itself
					o.Explain("links", "have no %q, which is the parent of %q; every parent must be one of them", l.Parent, l.Name)
				}
				break
			}
			if i := slices.Index(above, parent.Name); i >= 0 {
				for _, name := range above {
					inCircle[name] = true
				}
				o.Explain("links", "go in a circle: the parent of %s; each must lead to base_link", strings.Join(append(above[i:], parent.Name), " is "))
				break
			}
			above, l = append(above, parent.Name), *parent
		}
	}
}

func findLink(links []Link, name string) *Link {
	for i := range links {
		if links[i].Name == name {
			return &links[i]
		}
	}
	return nil
}

func readLink(o *strictjson.Object, before []Link) Link {
	l := Link{
		Name:   readName(o, "name"),
		Origin: readTransform(o),
	}
	if o.Has("parent") {
		l.Parent = readName(o, "parent")
	}
	for _, s := range o.ObjectsOr("shapes", MaxShapes) {
		l.Shapes = append(l.Shapes, readShape(s))
	}
	o.End()
	switch {
	case l.Name == "":
	case findLink(before, l.Name) != nil:
		o.Explain("name", "is %q, as that of another link; each must have its own", l.Name)
	case l.Name == BaseLinkName && (l.Parent != "" || l.Origin != Transform{}):
		o.Explain("name", "is base_link, which has no parent and no place: it is the frame in which the others are")
	case l.Name != BaseLinkName && !o.Has("parent"):
		o.Explain("parent", "is missing; only base_link has none, so it must be the name of the link that carries %q", l.Name)
	}
	return l
}

func readShape(o *strictjson.Object) Shape {
	const smallest = 1e-4 // m
	kinds := []string{string(Box), string(Cylinder), string(Sphere)}
	s := Shape{
		Kind:   ShapeKind(o.Text("kind", "box, cylinder or sphere", func(s string) bool { return slices.Contains(kinds, s) })),
		Origin: readTransform(o),
		Color:  o.TextOr("color", "a color such as #3366cc", isColor),
	}
	switch s.Kind {
	case Box:
		s.Length = o.Number("length_m", smallest, maxExtent)
		s.Width = o.Number("width_m", smallest, maxExtent)
		s.Height = o.Number("height_m", smallest, maxExtent)
	case Cylinder:
		s.Radius = o.Number("radius_m", smallest, maxExtent)
		s.Length = o.Number("length_m", smallest, maxExtent)
	case Sphere:
		s.Radius = o.Number("radius_m", smallest, maxExtent)
	default:
		return s
	}
	o.End()
	return s
}

// isColor reports whether s has the form #rrggbb.
func isColor(s string) bool {
	return len(s) == 7 && s[0] == '#' && strings.Trim(s[1:], "0123456789abcdefABCDEF") == ""
}

// readTransform reads a transform; missing values are zero.
func readTransform(o *strictjson.Object) Transform {
	angle := func(key string) float64 { return Radians(o.NumberOr(key, -360, 360, 0)) }
	place := func(key string) float64 { return o.NumberOr(key, -maxExtent, maxExtent, 0) }
	return Transform{
		X: place("x_m"), Y: place("y_m"), Z: place("z_m"),
		Roll: angle("roll_deg"), Pitch: angle("pitch_deg"), Yaw: angle("yaw_deg"),
	}
}

func readJoint(o *strictjson.Object, links []Link, before []Joint) Joint {
	j := Joint{
		Name: readName(o, "name"),
		Link: readLinkName(o, links),
		Kind: JointKind(o.Text("kind", "turn or slide; a link without a joint is fixed", func(s string) bool { return s == string(Turn) || s == string(Slide) })),
		Axis: readAxis(o),
	}
	switch j.Kind {
	case Turn:
		j.Speed = Radians(o.Number("speed_deg_s", 0.1, 3600))
		readRange(o, &j, "deg", 3600)
		j.Min, j.Max, j.Home = Radians(j.Min), Radians(j.Max), Radians(j.Home)
	case Slide:
		j.Speed = o.Number("speed_m_s", 0.0001, 10)
		readRange(o, &j, "m", maxExtent)
	default:
		return j
	}
	o.End()
	for _, other := range before {
		if j.Name != "" && other.Name == j.Name {
			o.Explain("name", "is %q, as that of another joint; each must have its own", j.Name)
		}
		if j.Link != "" && other.Link == j.Link {
			o.Explain("link", "is %q, which the joint %q moves; a link has at most one joint", j.Link, other.Name)
		}
	}
	if j.Link == BaseLinkName {
		o.Explain("link", "is base_link, which only the wheels move; it must be another link")
	}
	return j
}

// readRange reads the range and home position of a joint, in the unit of the keys. A
// turning joint may lack limits.
func readRange(o *strictjson.Object, j *Joint, unit string, most float64) {
	low, high, home := "min_"+unit, "max_"+unit, "home_"+unit
	if j.Kind == Turn && !o.Has(low) && !o.Has(high) {
		j.Min, j.Max = math.Inf(-1), math.Inf(1)
	} else {
		j.Min, j.Max = o.Number(low, -most, most), o.Number(high, -most, most)
		if !(j.Min < j.Max) && o.Has(low) && o.Has(high) {
			o.Explain(low, "is %g; it must be less than %s, %g", j.Min, high, j.Max)
			return
		}
	}
	if !o.Has(home) {
		j.Home = max(j.Min, min(j.Max, 0))
		return
	}
	if j.Home = o.Number(home, -most, most); j.Home < j.Min || j.Home > j.Max {
		o.Explain(home, "is %g, outside the limits of the joint; it must be between %g and %g", j.Home, j.Min, j.Max)
	}
}

// readAxis reads a direction and normalizes it.
func readAxis(o *strictjson.Object) (axis [3]float64) {
	const key, want = "axis", "three numbers in the link's own frame, not all 0, such as [0, 0, 1]"
	value := o.Take(key)
	if value == nil {
		o.Reject(key, want)
		return axis
	}
	ok := strictjson.Numbers(value, axis[:])
	largest := max(math.Abs(axis[0]), math.Abs(axis[1]), math.Abs(axis[2]))
	if !ok || !(largest > 1e-9 && largest < 1e9) {
		o.Reject(key, want)
		return [3]float64{}
	}
	length := math.Sqrt(axis[0]*axis[0] + axis[1]*axis[1] + axis[2]*axis[2])
	for i := range axis {
		axis[i] /= length
	}
	return axis
}

func readFrame(o *strictjson.Object, links []Link, before []NamedFrame) NamedFrame {
	f := NamedFrame{
		Name:   readName(o, "name"),
		Link:   readLinkName(o, links),
		Origin: readTransform(o),
	}
	o.End()
	if f.Name != "" && (findLink(links, f.Name) != nil || slices.ContainsFunc(before, func(other NamedFrame) bool { return other.Name == f.Name })) {
		o.Explain("name", "is %q, as that of a link or another frame; each must have its own", f.Name)
	}
	return f
}

// readLinkName reads the name of a link, which must be in links.
func readLinkName(o *strictjson.Object, links []Link) string {
	name := readName(o, "link")
	if name != "" && findLink(links, name) == nil {
		o.Explain("link", "is %q, which is not among the links; it must be the name of one of them", name)
		return ""
	}
	return name
}

// readName reads the name of a link, a joint or a frame.
func readName(o *strictjson.Object, key string) string {
	return o.Text(key, "a name of 1 to 64 characters without spaces", func(s string) bool {
		return s != "" && utf8.RuneCountInString(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool { return r == ' ' || Steers(r) })
	})
}
