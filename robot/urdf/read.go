package urdf

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"mybot/robot"
	"mybot/strictjson"
)

// A Model is the content of a URDF. The frame of its root link is base_link.
type Model struct {
	Name                  string
	Links                 []robot.Link
	Joints                []robot.Joint // home is the position nearest to zero; Speed 0 = not in the file
	Frames                []robot.NamedFrame
	Mass                  float64  // kg, of all links; 0 = not in the file
	WheelBase, AxleOffset float64  // m, from Choices.Wheels; 0 = unknown
	Hidden                []string // links whose size is unknown, because their shape is a mesh
	Notes                 []string // one sentence for each thing that Read skipped or changed
}

// Choices are what a person specifies about a file in advance.
type Choices struct {
	Boxes  map[string][3]float64 // m along x, y and z, instead of the shape of a link
	Fixed  []string              // joints to treat as fixed
	Wheels []string              // the joints of the two driven wheels, which only the base moves; none = unknown
}

// A reader converts a tree of elements into a Model.
type reader struct {
	Model
	choices   Choices
	materials map[string]string // colors by name
	faults    []error
	wheels    []string        // links
	shaped    map[string]bool // links with a shape in the file, even if it was skipped
}

// Read returns the model of a URDF. The error joins one sentence for each fault.
func Read(data []byte, choices Choices) (Model, error) {
	root, err := parseXML(data)
	if err != nil {
		return Model{}, fmt.Errorf("urdf: %w", err)
	}
	if root.name != "robot" {
		return Model{}, fmt.Errorf("urdf: its outermost tag is <%s>; it must be <robot>", clip(root.name))
	}
	r := &reader{choices: choices, materials: map[string]string{}, shaped: map[string]bool{}}
	r.Name = root.attr("name")
	for _, m := range root.each("material") {
		r.materials[m.attr("name")] = r.readColor(m)
	}
	for _, l := range root.each("link") {
		r.readLink(l)
	}
	r.checkChoices()
	r.readJoints(root.each("joint"))
	r.noteSkipped(root)
	if len(r.faults) == 0 {
		r.hangOnBaseLink()
	}
	if len(r.faults) > 0 {
		return Model{}, fmt.Errorf("urdf: the file is not right:\n%w", errors.Join(r.faults...))
	}
	r.takeFrames()
	if err := r.measureWheels(); err != nil {
		return Model{}, fmt.Errorf("urdf: %w", err)
	}
	return r.Model, nil
}

// check adds err, unless it is nil, to the faults.
func (r *reader) check(err error) {
	if err != nil {
		r.faults = append(r.faults, err)
	}
}

func (r *reader) fault(e *element, format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("line %d: %s", e.line, fmt.Sprintf(format, args...)))
}

func (r *reader) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

func (r *reader) findLink(name string) *robot.Link {
	i := slices.IndexFunc(r.Links, func(l robot.Link) bool { return l.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Links[i]
}

func (r *reader) readLink(e *element) {
	l := robot.Link{Name: e.attr("name")}
	switch {
	case len(r.Links) == robot.MaxLinks:
		r.fault(e, "the robot has more than %d links; leave out what only looks good", robot.MaxLinks)
	case l.Name == "":
		r.fault(e, "<link> has no name")
	case r.findLink(l.Name) != nil:
		r.fault(e, "two links are called %q; each must have its own name", clip(l.Name))
	}
	if len(r.Links) >= robot.MaxLinks {
		return
	}
	mass, err := e.first("inertial").first("mass").number("value", 0)
	r.check(err)
	r.Mass += mass
	r.giveShapes(&l, e.each("visual"), e.each("collision"))
	if len(l.Shapes) > robot.MaxShapes {
		r.note("link %q has %d shapes; the first %d are taken", l.Name, len(l.Shapes), robot.MaxShapes)
		l.Shapes = l.Shapes[:robot.MaxShapes]
	}
	r.Links = append(r.Links, l)
}

// giveShapes gives a link its visual shapes, or its collision shapes if some of the visual
// ones are meshes.
func (r *reader) giveShapes(l *robot.Link, visuals, collisions []*element) {
	r.shaped[l.Name] = len(visuals)+len(collisions) > 0
	seen, meshes := r.readShapes(visuals)
	solid, rough := r.readShapes(collisions)
	size, chosen := r.choices.Boxes[l.Name]
	all := append(meshes, rough...)
	switch {
	case chosen:
		l.Shapes = []robot.Shape{{Kind: robot.Box, Length: size[0], Width: size[1], Height: size[2]}}
	case len(all) == 0 && len(seen) > 0:
		l.Shapes = seen
	case len(all) == 0:
		l.Shapes = solid
	case len(meshes) == 0 && len(seen) > 0:
		l.Shapes = seen
		r.note("link %q: the mesh %s of its collision is skipped", clip(l.Name), clip(all[0]))
	case len(rough) == 0 && len(solid) > 0:
		for i := range solid { // collision shapes have no color
			solid[i].Color = r.readColor(visuals[0].first("material"))
		}
		l.Shapes = solid
		r.note("link %q: the mesh %s is skipped; it has the shape of its collision", clip(l.Name), clip(all[0]))
	default:
		l.Shapes = seen
		r.Hidden = append(r.Hidden, l.Name)
		r.note("link %q: the mesh %s is skipped; --box %s=X,Y,Z gives the link a box", clip(l.Name), clip(all[0]), clip(l.Name))
	}
}

// readShapes returns the shapes of visuals or collisions, and the names of meshes.
func (r *reader) readShapes(list []*element) (shapes []robot.Shape, meshes []string) {
	for _, e := range list {
		geometry := e.first("geometry")
		s := robot.Shape{Origin: r.readOrigin(e), Color: r.readColor(e.first("material"))}
		box, cylinder, sphere, mesh := geometry.first("box"), geometry.first("cylinder"), geometry.first("sphere"), geometry.first("mesh")
		var err error
		switch {
		case box != nil:
			var size [3]float64
			err = box.numbers("size", size[:])
			s.Kind, s.Length, s.Width, s.Height = robot.Box, size[0], size[1], size[2]
		case cylinder != nil:
			s.Kind = robot.Cylinder
			s.Radius, err = cylinder.number("radius", 0)
			r.check(err)
			s.Length, err = cylinder.number("length", 0)
		case sphere != nil:
			s.Kind = robot.Sphere
			s.Radius, err = sphere.number("radius", 0)
		case mesh != nil:
			meshes = append(meshes, cmp.Or(mesh.attr("filename"), "without a file name"))
			continue
		default:
			continue // noteSkipped reports shapes of other kinds
		}
		r.check(err)
		shapes = append(shapes, s)
	}
	return shapes, meshes
}

// readOrigin returns the pose of a visual, a collision or a joint in its parent's frame.
func (r *reader) readOrigin(e *element) robot.Transform {
	var at, turned [3]float64
	if origin := e.first("origin"); origin != nil {
		r.check(origin.numbers("xyz", at[:]))
		r.check(origin.numbers("rpy", turned[:]))
	}
	return robot.Transform{
		X: at[0], Y: at[1], Z: at[2],
		Roll: wrap(turned[0]), Pitch: wrap(turned[1]), Yaw: wrap(turned[2]),
	}
}

// wrap reduces an angle, in rad, to the range of a description: at most one turn.
func wrap(angle float64) float64 {
	if math.Abs(angle) <= 2*math.Pi {
		return angle
	}
	return robot.WrapAngle(angle)
}

// readColor returns the color of a material as in #rrggbb; "" = none.
func (r *reader) readColor(e *element) string {
	color := e.first("color")
	if color == nil {
		return r.materials[e.attr("name")]
	}
	var rgba [4]float64
	r.check(color.numbers("rgba", rgba[:]))
	text := "#"
	for _, c := range rgba[:3] {
		text += fmt.Sprintf("%02x", int(math.Round(255*max(0, min(1, c)))))
	}
	return text
}

// checkChoices reports choices for links that do not exist.
func (r *reader) checkChoices() {
	for _, name := range slices.Sorted(maps.Keys(r.choices.Boxes)) {
		if r.findLink(name) == nil {
			r.faults = append(r.faults, fmt.Errorf("--box: there is no link %q; the links are %s", clip(name), r.listLinks()))
		}
	}
}

func (r *reader) listLinks() string {
	names := []string{}
	for _, l := range r.Links {
		names = append(names, clip(l.Name))
	}
	return strings.Join(names, ", ")
}

// readJoints attaches every link to its parent.
func (r *reader) readJoints(joints []*element) {
	names := map[string]bool{}
	for _, e := range joints {
		name, child, parent := e.attr("name"), e.first("child").attr("link"), e.first("parent").attr("link")
		link := r.findLink(child)
		switch {
		case name == "" || names[name]:
			r.fault(e, "<joint name=%q>: each must have a name of its own", clip(name))
		case link == nil:
			r.fault(e, "joint %q: its child %q is no link", clip(name), clip(child))
		case r.findLink(parent) == nil:
			r.fault(e, "joint %q: its parent %q is no link", clip(name), clip(parent))
		case link.Parent != "":
			r.fault(e, "link %q has two parents, %q and %q; a robot is a tree", clip(child), clip(link.Parent), clip(parent))
		default:
			link.Parent, link.Origin = parent, r.readOrigin(e)
			r.readJoint(e, robot.Joint{Name: name, Link: child})
		}
		names[name] = true
	}
	if n := len(r.choices.Wheels); n != 0 && n != 2 {
		r.faults = append(r.faults, fmt.Errorf("--wheels: it names %d joints; it must name those of the two driven wheels, as in left,right", n))
	}
	for flag, chosen := range map[string][]string{"--fix": r.choices.Fixed, "--wheels": r.choices.Wheels} {
		for _, name := range chosen {
			if !names[name] {
				r.faults = append(r.faults, fmt.Errorf("%s: there is no joint %q; the joints are %s", flag, clip(name), strictjson.Printable(strings.Join(slices.Sorted(maps.Keys(names)), ", "))))
			}
		}
	}
}

// readJoint reads how a joint moves, unless it is fixed.
func (r *reader) readJoint(e *element, j robot.Joint) {
	kind := e.attr("type")
	axis := [3]float64{1, 0, 0}
	r.check(e.first("axis").numbers("xyz", axis[:]))
	limit := e.first("limit")
	low, err := limit.number("lower", 0)
	r.check(err)
	high, err := limit.number("upper", 0)
	r.check(err)
	speed, err := limit.number("velocity", 0)
	r.check(err)
	if slices.Contains(r.choices.Wheels, j.Name) {
		r.wheels = append(r.wheels, j.Link)
		return
	}
	if slices.Contains(r.choices.Fixed, j.Name) {
		return
	}
	length := math.Sqrt(axis[0]*axis[0] + axis[1]*axis[1] + axis[2]*axis[2])
	if length < 1e-6 && kind != "fixed" {
		r.fault(e, "joint %q: its axis has no direction", clip(j.Name))
		return
	}
	for i := range axis {
		axis[i] /= length
	}
	j.Axis, j.Min, j.Max, j.Speed = axis, low, high, speed
	switch kind {
	case "fixed":
		return
	case "continuous":
		j.Kind, j.Min, j.Max = robot.Turn, math.Inf(-1), math.Inf(1)
	case "revolute":
		j.Kind = robot.Turn
	case "prismatic":
		j.Kind = robot.Slide
	case "floating", "planar":
		r.note("joint %q is %s; it is taken as fixed", j.Name, kind)
		return
	default:
		r.fault(e, "joint %q: its type is %q; it must be fixed, revolute, continuous or prismatic", clip(j.Name), clip(kind))
		return
	}
	if j.Kind == robot.Slide || kind == "revolute" {
		if !(j.Min < j.Max) {
			r.fault(e, "joint %q: its limits are %g and %g; lower must be less than upper (--fix %s takes it as fixed)", clip(j.Name), j.Min, j.Max, clip(j.Name))
		}
	}
	j.Home = max(j.Min, min(j.Max, 0))
	r.Joints = append(r.Joints, j)
}
