package urdf_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/models"
	"mybot/robot/models/modelstest"
	"mybot/robot/urdf"
)

// rover returns the URDF of a robot, with a change.
func rover(t testing.TB, old, new string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/rover.urdf")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("rover.urdf has no %s", old)
	}
	return []byte(strings.Replace(string(text), old, new, 1))
}

// wheels are the choices that the rover needs.
var wheels = urdf.Choices{Wheels: []string{"left_wheel_joint", "right_wheel_joint"}}

// motors are the values that a URDF lacks.
var motors = urdf.Base{Speed: 0.8, Turn: 120, Acceleration: 1, TurnAcceleration: 200, Rate: 50, Hold: 0.1, JointSpeeds: map[string]float64{"camera_tilt": 60}}

func near(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-8 }

func TestARobotIsReadFromItsURDF(t *testing.T) {
	m, err := urdf.Read(rover(t, "", ""), wheels)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, l := range m.Links {
		names = append(names, l.Name+"<"+l.Parent)
	}
	if want := []string{"base_link<", "base<base_link", "left_wheel<base", "right_wheel<base", "caster<base", "lift<base", "camera<lift"}; !slices.Equal(names, want) {
		t.Errorf("the links are %q, want %q", names, want)
	}
	if m.Name != "rover" || m.Mass != 5 || !near(m.WheelBase, 0.28) || !near(m.AxleOffset, -0.02) || len(m.Hidden) != 0 {
		t.Errorf("it is %q of %g kg, its wheels are %g m apart and %g m behind, hidden %q", m.Name, m.Mass, m.WheelBase, m.AxleOffset, m.Hidden)
	}
	want := []robot.Joint{
		{Name: "lift_joint", Link: "lift", Kind: robot.Slide, Axis: [3]float64{0, 0, 1}, Max: 0.4, Speed: 0.1},
		{Name: "camera_tilt", Link: "camera", Kind: robot.Turn, Axis: [3]float64{0, 1, 0}, Min: -0.5, Max: 1},
	}
	if !slices.Equal(m.Joints, want) {
		t.Errorf("the joints are %+v", m.Joints)
	}
	if f := m.Frames; len(f) != 1 || f[0].Name != "camera_optical_frame" || f[0].Link != "camera" || f[0].Origin.Yaw != -math.Pi/2 {
		t.Errorf("the frames are %+v", f)
	}
	if tyre := m.Links[2].Shapes[0]; tyre.Color != "#000000" || tyre.Radius != 0.05 || tyre.Length != 0.02 {
		t.Errorf("the tyre is %+v", tyre)
	}
	if base := m.Links[1].Shapes; len(base) != 1 || base[0].Length != 0.3 || base[0].Origin.X != -0.03 || base[0].Color != "#3366cc" {
		t.Errorf("in place of the mesh there is %+v", base)
	}
}

func TestWhatIsLeftOutOfAURDFIsNamed(t *testing.T) {
	m, err := urdf.Read(rover(t, "", ""), wheels)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`link "base_link": the mesh package://rover/meshes/base.stl is skipped; it has the shape of its collision`,
		`joint "caster_joint" is floating; it is taken as fixed`,
		"skipped: robot/link/inertial/origin in line 19",
		"skipped: robot/link/inertial/inertia in line 19",
		"skipped: robot/joint/dynamics in line 39",
		"skipped: robot/transmission, 2 times, first in line 51",
		"skipped: robot/gazebo in line 53",
		`link "base_link" is called "base" in the description`,
		`link "base_footprint" is called "base_link" in the description`,
	}
	if !slices.Equal(m.Notes, want) {
		t.Errorf("it says\n%s\nwant\n%s", strings.Join(m.Notes, "\n"), strings.Join(want, "\n"))
	}
}

func TestTheDescriptionOfAURDFIsTaken(t *testing.T) {
	m, err := urdf.Read(rover(t, "", ""), wheels)
	if err != nil {
		t.Fatal(err)
	}
	text, err := m.Describe(motors)
	if err != nil {
		t.Fatal(err)
	}
	d, err := robot.ParseDescription(text)
	if err != nil {
		t.Fatal(err)
	}
	if b := d.Body; !near(b.Length, 0.30) || !near(b.Width, 0.30) || !near(b.Height, 0.42) || b.Mass != 5 {
		t.Errorf("the body is %+v", b)
	}
	if low := d.Body.Hull[0]; !near(low.X, -0.18) || !near(low.Y, -0.15) {
		t.Errorf("the hull is %v", d.Body.Hull)
	}
	if d.Name != "rover" || !near(d.Drivetrain.WheelBase, 0.28) || d.Hardware.Linear != 0.8 || d.Safe.Linear != 0.5 || d.Rate != 50 || d.Holds.Seconds() != 0.1 {
		t.Errorf("it is %+v", d)
	}
	sameParts(t, m.Links, d.Links, nil, nil, m.Frames, d.Frames)
	if tilt := d.Joints[1]; !near(tilt.Min, -0.5) || !near(tilt.Max, 1) || !near(tilt.Speed, math.Pi/3) {
		t.Errorf("the tilt is %+v", tilt)
	}
}

func TestAnAxleBelowBaseLinkIsNotBehindIt(t *testing.T) {
	text := strings.ReplaceAll(string(rover(t, "", "")), `xyz="0.02 `, `xyz="0 `)
	m, err := urdf.Read([]byte(text), wheels)
	if err != nil {
		t.Fatal(err)
	}
	description, err := m.Describe(motors)
	if err != nil || !strings.Contains(string(description), `"axle_offset_m":0}`) {
		t.Errorf("%s, %v", description, err)
	}
}

func TestWhatAURDFDoesNotSayIsAskedForAtOnce(t *testing.T) {
	m, err := urdf.Read(rover(t, `<geometry><box size="0.3 0.24 0.14"/></geometry>`, ``), urdf.Choices{Fixed: []string{"left_wheel_joint", "right_wheel_joint"}})
	if err != nil || !slices.Equal(m.Hidden, []string{"base"}) {
		t.Fatalf("%v, hidden %q", err, m.Hidden)
	}
	_, err = m.Describe(urdf.Base{Rate: 50})
	want := "the URDF does not say everything; add --length M, --width M, --height M, --wheel-base M (or --wheels LEFT,RIGHT), --max-speed M_S, --max-turn DEG_S, --max-acceleration M_S2, --max-turn-acceleration DEG_S2, --hold S, --joint-speed camera_tilt=DEG_S (or --fix camera_tilt)"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if !slices.Contains(m.Notes, `link "base_link": the mesh package://rover/meshes/base.stl is skipped; --box base_link=X,Y,Z gives the link a box`) {
		t.Errorf("it says %q", m.Notes)
	}
	m, err = urdf.Read(rover(t, `<geometry><box size="0.3 0.24 0.14"/></geometry>`, ``), urdf.Choices{Wheels: wheels.Wheels, Boxes: map[string][3]float64{"base_link": {0.4, 0.3, 0.2}}})
	if err != nil || len(m.Hidden) != 0 || m.Links[1].Shapes[0].Length != 0.4 {
		t.Fatalf("with a box: %v, %+v", err, m)
	}
}

// TestNothingThatIsSaidOfAURDFSteersATerminal uses names and files with control characters,
// which a terminal would execute, or which reverse the text.
func TestNothingThatIsSaidOfAURDFSteersATerminal(t *testing.T) {
	const evil = "x\u009b2J\u202ey"
	for _, c := range []struct{ old, new string }{
		{"package://rover/meshes/base.stl", evil},
		{`<link name="base_footprint"/>`, `<link name="base_footprint"/><link name="` + evil + `"/>`},
		{`<robot name="rover">`, `<!` + evil + `><robot name="rover">`},
		{"lift_joint", evil},
	} {
		for _, choices := range []urdf.Choices{wheels, {Fixed: []string{"elbow"}}, {Boxes: map[string][3]float64{"arm": {1, 1, 1}}}} {
			m, err := urdf.Read(rover(t, c.old, c.new), choices)
			said := strings.Join(m.Notes, "\n") + fmt.Sprint(err)
			if strings.ContainsFunc(said, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
				t.Errorf("it says %q", said)
			}
		}
	}
}

func TestWhatIsWrongWithAURDFIsSaid(t *testing.T) {
	many := func(n int) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, `<link name="l%d"/><joint name="j%d" type="continuous"><parent link="lift"/><child link="l%d"/><limit velocity="1"/></joint>`, i, i, i)
		}
		return s.String()
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"xacro tags", `<robot name="rover">`, `<robot name="rover" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="x"/>`, "line 3: it is written in xacro (<xacro:include>); expand it first: xacro FILE.urdf.xacro > FILE.urdf"},
		{"xacro tags without their namespace", `<link name="base_footprint"/>`, `<xacro:wheel/>`, "it is written in xacro (<xacro:wheel>)"},
		{"xacro values", `radius="0.03"`, `radius="${r}"`, "line 46: it is written in xacro (<sphere>)"},
		{"two roots", `<link name="base_footprint"/>`, `<link name="base_footprint"/><link name="other"/>`, "2 links have no parent: base_footprint, other; a robot has one outermost link"},
		{"a circle", `<parent link="base_footprint"/>`, `<parent link="lift"/>`, `link "base_link" hangs in a circle of joints and not on "base_footprint"`},
		{"no root", `<link name="base_footprint"/>`, `<link name="base_footprint"/><joint name="x" type="fixed"><parent link="lift"/><child link="base_footprint"/></joint>`, "they go in a circle; one must have none"},
		{"two parents", `<child link="right_wheel"/>`, `<child link="left_wheel"/>`, `link "left_wheel" has two parents, "base_link" and "base_link"`},
		{"an unknown parent", `<parent link="lift"/>`, `<parent link="lfit"/>`, `joint "camera_tilt": its parent "lfit" is no link`},
		{"an unknown child", `<child link="camera"/>`, `<child link="kamera"/>`, `joint "camera_tilt": its child "kamera" is no link`},
		{"two links of a name", `<link name="caster">`, `<link name="lift">`, `two links are called "lift"`},
		{"two joints of a name", `"lift_joint"`, `"camera_tilt"`, `<joint name="camera_tilt">: each must have a name of its own`},
		{"an unknown type", `"prismatic"`, `"hinge"`, `joint "lift_joint": its type is "hinge"; it must be fixed, revolute, continuous or prismatic`},
		{"limits the wrong way round", `lower="0" upper="0.4"`, `lower="1" upper="0.4"`, `joint "lift_joint": its limits are 1 and 0.4; lower must be less than upper (--fix lift_joint takes it as fixed)`},
		{"an axis of nothing", `xyz="0 0 2"`, `xyz="0 0 0"`, `joint "lift_joint": its axis has no direction`},
		{"not a number", `size="0.04 0.04 0.2"`, `size="0.04 0.04 tall"`, `<box size="0.04 0.04 tall">: it must be 3 numbers of at most 1e9 separated by spaces`},
		{"infinite", `size="0.04 0.04 0.2"`, `size="0.04 0.04 Inf"`, `<box size="0.04 0.04 Inf">`},
		{"too few numbers", `size="0.04 0.04 0.2"`, `size="0.04 0.04"`, `<box size="0.04 0.04">`},
		{"an entity", `<robot name="rover">`, `<!DOCTYPE r [<!ENTITY a "aaaa">]><robot name="rover">`, "a URDF has no document type and no entities"},
		{"an entity that is not declared", `<robot name="rover">`, `<robot name="&lol;">`, "it is not XML that can be read"},
		{"deep", `<link name="base_footprint"/>`, strings.Repeat("<a>", 50) + strings.Repeat("</a>", 50), "it must have at most 100000 tags, 32 deep"},
		{"large", `<link name="base_footprint"/>`, strings.Repeat(" ", 9<<20), "it must be at most 8388608"},
		{"many tags", `<link name="base_footprint"/>`, strings.Repeat("<a/>", 100_001), "it must have at most 100000 tags"},
		{"many links", `<link name="base_footprint"/>`, `<link name="base_footprint"/>` + many(130), "the robot has more than 128 links"},
		{"SDF", `<robot name="rover">`, `<sdf/><robot name="rover">`, "it has 2 outermost tags"},
		{"cut off", "</robot>", "", "it is not XML that can be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := urdf.Read(rover(t, c.old, c.new), wheels)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
	for _, c := range []struct {
		choices urdf.Choices
		want    string
	}{
		{urdf.Choices{Wheels: []string{"left_wheel_joint"}}, "--wheels: it names 1 joints"},
		{urdf.Choices{Wheels: []string{"left_wheel_joint", "lift_joint"}}, "--wheels: the two are at x = 0.02, y = 0.14 and x = -0.1, y = 0 m"},
		{urdf.Choices{Fixed: []string{"elbow"}}, `--fix: there is no joint "elbow"; the joints are base_joint, camera_tilt, caster_joint`},
		{urdf.Choices{Boxes: map[string][3]float64{"arm": {1, 1, 1}}}, `--box: there is no link "arm"; the links are base_footprint, base_link, left_wheel`},
	} {
		if _, err := urdf.Read(rover(t, "", ""), c.choices); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
	m, err := urdf.Read(rover(t, `<link name="base_footprint"/>`, `<link name="base_footprint"/>`+many(13)), wheels)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Describe(motors); err == nil || !strings.Contains(err.Error(), "joints has more than 12 entries") {
		t.Errorf("with 15 joints: %v", err)
	}
}

// sameParts reports links, joints and frames that differ by more than rounding.
func sameParts(t rapid.TB, a, b []robot.Link, ja, jb []robot.Joint, fa, fb []robot.NamedFrame) {
	t.Helper()
	same := func(what string, numbers ...float64) {
		for i := 0; i < len(numbers); i += 2 {
			if !near(numbers[i], numbers[i+1]) {
				t.Errorf("%s: %v and %v differ", what, numbers[i], numbers[i+1])
			}
		}
	}
	transform := func(what string, a, b robot.Transform) {
		same(what, a.X, b.X, a.Y, b.Y, a.Z, b.Z, a.Roll, b.Roll, a.Pitch, b.Pitch, a.Yaw, b.Yaw)
	}
	if len(a) != len(b) || len(ja) != len(jb) || len(fa) != len(fb) {
		t.Fatalf("%d and %d links, %d and %d joints, %d and %d frames", len(a), len(b), len(ja), len(jb), len(fa), len(fb))
	}
	for i, l := range a {
		m := b[i]
		if l.Name != m.Name || l.Parent != m.Parent || len(l.Shapes) != len(m.Shapes) {
			t.Fatalf("the links %+v and %+v differ", l, m)
		}
		transform(l.Name, l.Origin, m.Origin)
		for k, s := range l.Shapes {
			r := m.Shapes[k]
			if s.Kind != r.Kind || s.Color != r.Color {
				t.Errorf("the shapes %+v and %+v differ", s, r)
			}
			transform(l.Name, s.Origin, r.Origin)
			same(l.Name, s.Length, r.Length, s.Width, r.Width, s.Height, r.Height, s.Radius, r.Radius)
		}
	}
	for i, j := range ja {
		k := jb[i]
		if j.Name != k.Name || j.Link != k.Link || j.Kind != k.Kind {
			t.Errorf("the joints %+v and %+v differ", j, k)
		}
		same(j.Name, j.Min, k.Min, j.Max, k.Max, j.Speed, k.Speed, j.Home, k.Home, j.Axis[0], k.Axis[0], j.Axis[1], k.Axis[1], j.Axis[2], k.Axis[2])
	}
	for i, f := range fa {
		if f.Name != fb[i].Name || f.Link != fb[i].Link {
			t.Errorf("the frames %+v and %+v differ", f, fb[i])
		}
		transform(f.Name, f.Origin, fb[i].Origin)
	}
}

// drawDescription draws a robot with links, joints and frames.
func drawDescription(t *rapid.T) robot.Description {
	number := func(low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, "number") }
	transform := func() robot.Transform {
		return robot.Transform{X: number(-5, 5), Y: number(-5, 5), Z: number(-5, 5), Roll: number(-3, 3), Pitch: number(-6, 6), Yaw: number(-3, 3)}
	}
	shape := func() robot.Shape {
		s := robot.Shape{Origin: transform(), Color: rapid.StringMatching(`(#[0-9a-f]{6})?`).Draw(t, "color")}
		switch s.Kind = rapid.SampledFrom([]robot.ShapeKind{robot.Box, robot.Cylinder, robot.Sphere}).Draw(t, "kind"); s.Kind {
		case robot.Box:
			s.Length, s.Width, s.Height = number(1e-4, 5), number(1e-4, 5), number(1e-4, 5)
		case robot.Cylinder:
			s.Radius, s.Length = number(1e-4, 5), number(1e-4, 5)
		default:
			s.Radius = number(1e-4, 5)
		}
		return s
	}
	d := modelstest.Mybot(t)
	d.Links = []robot.Link{{Name: "base_link", Shapes: []robot.Shape{shape()}}}
	for i := range rapid.IntRange(0, 8).Draw(t, "links") {
		l := robot.Link{Name: fmt.Sprintf("l<%d>&\"", i), Parent: rapid.SampledFrom(d.Links).Draw(t, "parent").Name, Origin: transform(), Shapes: []robot.Shape{shape()}} // without a shape it would be a named frame
		if d.Links = append(d.Links, l); !rapid.Bool().Draw(t, "moves") {
			continue
		}
		yaw, pitch := number(-3, 3), number(-1.5, 1.5)
		j := robot.Joint{Name: rapid.SampledFrom([]string{"", l.Name + "_fixed"}).Draw(t, "name") + fmt.Sprint(i), Link: l.Name, Kind: robot.Turn, Speed: number(0.01, 5), Axis: [3]float64{math.Cos(yaw) * math.Cos(pitch), math.Sin(yaw) * math.Cos(pitch), math.Sin(pitch)}}
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			j.Min, j.Max = math.Inf(-1), math.Inf(1)
		case 1:
			j.Kind = robot.Slide
			fallthrough
		default:
			j.Min = number(-4, 3)
			j.Max = j.Min + number(0.01, 1)
		}
		j.Home = max(j.Min, min(j.Max, 0)) // a URDF has no other home
		d.Joints = append(d.Joints, j)
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "frames") {
		d.Frames = append(d.Frames, robot.NamedFrame{Name: fmt.Sprintf("f%d", i), Link: rapid.SampledFrom(d.Links).Draw(t, "link").Name, Origin: transform()})
	}
	return d
}

func TestWhatIsExportedIsImportedAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDescription(t)
		d.Sonars, d.Head = nil, nil // they become frames
		m, err := urdf.Read(urdf.Write(d), urdf.Choices{})
		if err != nil {
			t.Fatal(err)
		}
		sameParts(t, d.Links, m.Links, d.Joints, m.Joints, d.Frames, m.Frames)
		if !near(m.Mass, d.Body.Mass) {
			t.Errorf("its mass is %g kg, want %g", m.Mass, d.Body.Mass)
		}
		base := motors
		base.WheelBase, base.Length, base.Width, base.Height = 0.3, 0.5, 0.5, 0.5
		text, err := m.Describe(base)
		if err != nil {
			t.Fatal(err)
		}
		again, err := robot.ParseDescription(text)
		if err != nil {
			t.Fatal(err)
		}
		sameParts(t, d.Links, again.Links, d.Joints, again.Joints, d.Frames, again.Frames)
	})
}

func TestARobotWithoutLinksIsExportedAsOneBox(t *testing.T) {
	d := modelstest.Mybot(t)
	m, err := urdf.Read(urdf.Write(d), urdf.Choices{})
	if err != nil {
		t.Fatal(err)
	}
	if text := string(urdf.Write(d)); strings.Contains(text, " -0 ") {
		t.Errorf("it has an angle of -0:\n%s", text)
	}
	if len(m.Frames) != 13 || m.Frames[12] != (robot.NamedFrame{Name: "head", Link: robot.BaseLinkName, Origin: robot.Transform{X: 0.1, Z: 0.95}}) {
		t.Errorf("its 12 sonars and its head are %+v", m.Frames)
	}
	if len(m.Links) != 1 || m.Name != "Mybot" || m.Mass != 75 || m.Links[0].Shapes[0] != (robot.Shape{Kind: robot.Box, Origin: robot.Transform{Z: 0.375}, Length: 0.52, Width: 0.45, Height: 0.75}) {
		t.Errorf("it is %+v", m)
	}
}

// A sensor of the description becomes a link of the URDF, and a frame of the description that
// is imported from that; a sensor that names the frame has its old pose.
func TestASensorIsExportedAsAFrameOnWhichItSits(t *testing.T) {
	text := strings.Replace(string(models.Mybot()), `"rate_hz"`, `"lidars": [{"link": "eye", "x_m": 0.02, "z_m": 0.05, "heading_deg": 20, "from_deg": -90, "step_deg": 1, "beams": 181, "min_m": 0.1, "max_m": 12, "rate_hz": 10}],
	 "links": [{"name": "base_link"}, {"name": "mast", "parent": "base_link", "x_m": -0.1, "z_m": 0.3, "yaw_deg": 90}, {"name": "lidar_1", "parent": "mast", "y_m": 0.1}],
	 "frames": [{"name": "eye", "link": "mast", "z_m": 0.4, "yaw_deg": 30}], "rate_hz"`, 1)
	d, err := robot.ParseDescription([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := urdf.Read(urdf.Write(d), urdf.Choices{})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(m.Frames, func(f robot.NamedFrame) bool { return f.Name == "lidar_1_" })
	if i < 0 || m.Frames[i].Link != "mast" {
		t.Fatalf("the frames are %+v", m.Frames)
	}
	base := motors
	base.WheelBase, base.Length, base.Width, base.Height = 0.3, 0.5, 0.5, 0.5
	described, err := m.Describe(base)
	if err != nil {
		t.Fatal(err)
	}
	again, err := robot.ParseDescription([]byte(strings.Replace(string(described), `"rate_hz"`, `"lidars": [{"link": "lidar_1_", "from_deg": -90, "step_deg": 1, "beams": 181, "min_m": 0.1, "max_m": 12, "rate_hz": 10}], "rate_hz"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	got, want := again.Lidars[0], d.Lidars[0]
	if !near(got.Pose.X, want.Pose.X) || !near(got.Pose.Y, want.Pose.Y) || !near(got.Pose.Theta, want.Pose.Theta) || !near(got.Height, want.Height) {
		t.Errorf("the lidar is at %+v and %g m, want %+v and %g m", got.Pose, got.Height, want.Pose, want.Height)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(rover(f, "", ""))
	f.Add(rover(f, `<parent link="base_footprint"/>`, `<parent link="lift"/>`))
	f.Add(rover(f, `size="0.04 0.04 0.2"`, `size="1e9 1e9 1e9"`))
	f.Add([]byte(`<robot name="a"><link name="base_link"><visual/><visual><geometry><mesh/></geometry></visual></link><joint/></robot>`))
	f.Add([]byte(`<!DOCTYPE a><robot/>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := urdf.Read(data, urdf.Choices{})
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("an error without words")
			}
			return
		}
		base := urdf.Base{Name: "Any", Length: 0.5, Width: 0.5, Height: 0.5, Mass: 5, WheelBase: 0.3, Speed: 1, Turn: 90, Acceleration: 1, TurnAcceleration: 90, Rate: 50, Hold: 0.1, JointSpeeds: map[string]float64{}}
		for _, j := range m.Joints {
			base.JointSpeeds[j.Name] = 1
		}
		text, err := m.Describe(base)
		if err != nil {
			return
		}
		d, err := robot.ParseDescription(text)
		if err != nil {
			t.Fatalf("what is described is not taken: %v", err)
		}
		if _, err := urdf.Read(urdf.Write(d), urdf.Choices{}); err != nil {
			t.Errorf("what is exported is not taken: %v\n%s", err, urdf.Write(d))
		}
	})
}
