package urdf

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"

	"mybot/robot"
)

// Write returns the URDF of a described robot: its links, joints and named frames, or a
// box of the size of its body if it has no links. For each sonar, each lidar and the head
// it adds a link without a shape, which Read converts to a named frame. A URDF cannot
// express home positions, the properties of sensors or the limits of the base.
func Write(d robot.Description) []byte {
	links := d.Links
	if len(links) == 0 {
		links = []robot.Link{{Name: robot.BaseLinkName, Shapes: []robot.Shape{{Kind: robot.Box, Origin: robot.Transform{Z: d.Body.Height / 2}, Length: d.Body.Length, Width: d.Body.Width, Height: d.Body.Height}}}}
	}
	w := &writer{joints: map[string]robot.Joint{}, names: map[string]bool{}}
	for _, j := range d.Joints {
		w.joints[j.Link], w.names[j.Name] = j, true
	}
	w.line("<?xml version=\"1.0\"?>\n<robot name=%s>", quote(d.Name))
	for _, l := range links {
		w.writeLink(l, d.Body)
		if l.Parent != "" {
			w.writeJoint(l)
		}
	}
	for _, f := range append(slices.Clone(d.Frames), placeSensors(d, links)...) {
		link := robot.Link{Name: f.Name, Parent: f.Link, Origin: f.Origin}
		w.writeLink(link, d.Body)
		w.writeJoint(link)
	}
	w.line("</robot>")
	return w.text.Bytes()
}

// placeSensors returns a named frame for each sonar, each lidar and the head, on the link
// that carries it. It appends _ to a name that is taken. A sonar without a known height is
// on the floor.
func placeSensors(d robot.Description, links []robot.Link) (frames []robot.NamedFrame) {
	taken, index, placed := map[string]bool{}, map[string]int{}, robot.PlaceLinks(links, d.Joints, nil)
	for i, l := range links {
		taken[l.Name], index[l.Name] = true, i
	}
	for _, f := range d.Frames {
		taken[f.Name], index[f.Name] = true, index[f.Link]
	}
	place := func(name, on string, at robot.Transform) {
		for taken[name] {
			name += "_"
		}
		if on == "" {
			on = robot.BaseLinkName
		}
		i := index[on]
		taken[name] = true
		frames = append(frames, robot.NamedFrame{Name: name, Link: links[i].Name, Origin: placed[i].Inverse().Compose(at.Placement()).Transform()})
	}
	for i, s := range d.Sonars {
		place(fmt.Sprintf("sonar_%d", i+1), s.Link, robot.Transform{X: s.Pose.X, Y: s.Pose.Y, Z: s.Height, Yaw: s.Pose.Theta})
	}
	for i, l := range d.Lidars {
		place(fmt.Sprintf("lidar_%d", i+1), l.Link, robot.Transform{X: l.Pose.X, Y: l.Pose.Y, Z: l.Height, Yaw: l.Pose.Theta})
	}
	if h := d.Head; h != nil {
		place("head", h.Link, robot.Transform{X: h.X, Z: h.Z})
	}
	return frames
}

// A writer writes the text of a URDF.
type writer struct {
	text   bytes.Buffer
	joints map[string]robot.Joint // by the link that they move
	names  map[string]bool        // of joints
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

func (w *writer) writeLink(l robot.Link, body robot.Body) {
	w.line("  <link name=%s>", quote(l.Name))
	for _, s := range l.Shapes {
		geometry := map[robot.ShapeKind]string{
			robot.Box:      fmt.Sprintf("<box size=%s/>", numbers(s.Length, s.Width, s.Height)),
			robot.Cylinder: fmt.Sprintf("<cylinder radius=%s length=%s/>", numbers(s.Radius), numbers(s.Length)),
			robot.Sphere:   fmt.Sprintf("<sphere radius=%s/>", numbers(s.Radius)),
		}[s.Kind]
		for _, what := range []string{"visual", "collision"} {
			color := ""
			if rgb, err := strconv.ParseUint(s.Color[min(1, len(s.Color)):], 16, 24); err == nil && what == "visual" {
				color = fmt.Sprintf("<material name=%s><color rgba=%s/></material>", quote(s.Color), numbers(float64(rgb>>16)/255, float64(rgb>>8&255)/255, float64(rgb&255)/255, 1))
			}
			w.line("    <%s>%s<geometry>%s</geometry>%s</%s>", what, origin(s.Origin), geometry, color, what)
		}
	}
	if l.Name == robot.BaseLinkName { // only the mass of the whole body is known: treat it as a box
		x, y, z, m := body.Length*body.Length, body.Width*body.Width, body.Height*body.Height, body.Mass/12
		w.line("    <inertial>%s<mass value=%s/><inertia ixx=%s iyy=%s izz=%s ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>",
			origin(robot.Transform{Z: body.Height / 2}), numbers(body.Mass), numbers(m*(y+z)), numbers(m*(x+z)), numbers(m*(x+y)))
	}
	w.line("  </link>")
}

// writeJoint writes the joint between a link and its parent.
func (w *writer) writeJoint(l robot.Link) {
	j, moves := w.joints[l.Name]
	kind := "fixed"
	switch {
	case !moves:
		for j.Name = l.Name + "_fixed"; w.names[j.Name]; {
			j.Name += "_"
		}
		w.names[j.Name] = true
	case j.Kind == robot.Slide:
		kind = "prismatic"
	case j.IsEndless():
		kind = "continuous"
	default:
		kind = "revolute"
	}
	w.line("  <joint name=%s type=%q>", quote(j.Name), kind)
	w.line("    <parent link=%s/><child link=%s/>%s", quote(l.Parent), quote(l.Name), origin(l.Origin))
	if moves {
		ends := ""
		if !j.IsEndless() {
			ends = fmt.Sprintf(" lower=%s upper=%s", numbers(j.Min), numbers(j.Max))
		}
		w.line("    <axis xyz=%s/><limit%s velocity=%s effort=\"1\"/>", numbers(j.Axis[:]...), ends, numbers(j.Speed)) // URDF requires an effort, which descriptions do not have
	}
	w.line("  </joint>")
}

func origin(t robot.Transform) string {
	return fmt.Sprintf("<origin xyz=%s rpy=%s/>", numbers(t.X, t.Y, t.Z), numbers(t.Roll, t.Pitch, t.Yaw))
}

// numbers returns an attribute's value in quotes.
func numbers(list ...float64) string {
	text := ""
	for i, x := range list {
		if i > 0 {
			text += " "
		}
		text += strconv.FormatFloat(x, 'g', -1, 64)
	}
	return `"` + text + `"`
}

// quote returns a text as an attribute's value.
func quote(s string) string {
	var text bytes.Buffer
	_ = xml.EscapeText(&text, []byte(s)) // a buffer never fails
	return `"` + text.String() + `"`
}
