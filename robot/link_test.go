package robot_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"mybot/robot"
)

// arm is a lift with a gripper, as links, joints and frames of a description.
const arm = `"links": [
  {"name": "base_link", "shapes": [{"kind": "box", "z_m": 0.1, "length_m": 0.3, "width_m": 0.25, "height_m": 0.2, "color": "#3366cc"}]},
  {"name": "mast", "parent": "base_link", "x_m": -0.1, "z_m": 0.2, "shapes": [{"kind": "cylinder", "radius_m": 0.02, "length_m": 0.6}]},
  {"name": "lift", "parent": "mast", "yaw_deg": 90, "shapes": [{"kind": "sphere", "radius_m": 0.03}]},
  {"name": "wrist", "parent": "lift", "x_m": 0.2}],
 "joints": [
  {"name": "up", "link": "lift", "kind": "slide", "axis": [0, 0, 2], "min_m": 0.1, "max_m": 0.5, "speed_m_s": 0.1},
  {"name": "twist", "link": "wrist", "kind": "turn", "axis": [1, 0, 0], "min_deg": -90, "max_deg": 180, "home_deg": 90, "speed_deg_s": 60}],
 "frames": [{"name": "gripper", "link": "wrist", "x_m": 0.1, "pitch_deg": 90}]`

// withArm is the smallest description with an arm, with a change.
func withArm(old, new string) []byte {
	return []byte(strings.Replace(bare, `"rate_hz"`, strings.Replace(arm, old, new, 1)+`, "rate_hz"`, 1))
}

func TestLinksJointsAndFramesAreDescribed(t *testing.T) {
	d, err := robot.ParseDescription(withArm("", ""))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Links) != 4 || len(d.Joints) != 2 || len(d.Frames) != 1 {
		t.Fatalf("%d links, %d joints, %d frames", len(d.Links), len(d.Joints), len(d.Frames))
	}
	if box := d.Links[0].Shapes[0]; box != (robot.Shape{Kind: robot.Box, Origin: robot.Transform{Z: 0.1}, Length: 0.3, Width: 0.25, Height: 0.2, Color: "#3366cc"}) {
		t.Errorf("the box is %+v", box)
	}
	if l := d.Links[2]; l.Parent != "mast" || l.Origin != (robot.Transform{Yaw: math.Pi / 2}) || l.Shapes[0] != (robot.Shape{Kind: robot.Sphere, Radius: 0.03}) {
		t.Errorf("the lift is %+v", l)
	}
	if want := (robot.Joint{Name: "up", Link: "lift", Kind: robot.Slide, Axis: [3]float64{0, 0, 1}, Min: 0.1, Max: 0.5, Speed: 0.1, Home: 0.1}); d.Joints[0] != want {
		t.Errorf("the joint is %+v, want %+v", d.Joints[0], want)
	}
	if j := d.Joints[1]; j.Min != -math.Pi/2 || j.Max != math.Pi || j.Home != math.Pi/2 || math.Abs(j.Speed-math.Pi/3) > 1e-12 {
		t.Errorf("the joint is %+v", j)
	}
	if f := d.Frames[0]; f != (robot.NamedFrame{Name: "gripper", Link: "wrist", Origin: robot.Transform{X: 0.1, Pitch: math.Pi / 2}}) {
		t.Errorf("the frame is %+v", f)
	}
	if d, err = robot.ParseDescription(withArm(`"min_deg": -90, "max_deg": 180, "home_deg": 90, `, ``)); err != nil || !d.Joints[1].IsEndless() || d.Joints[0].IsEndless() || d.Joints[1].Home != 0 {
		t.Errorf("without limits: %+v, %v", d.Joints, err)
	}
	if d, err = robot.ParsePart(withArm("", "")); err != nil || len(d.Links) != 4 || len(d.Joints) != 2 || len(d.Frames) != 1 {
		t.Errorf("a part has %d links, %d joints and %d frames, %v", len(d.Links), len(d.Joints), len(d.Frames), err)
	}
}

func TestWhatIsWrongWithLinksJointsAndFramesIsSaid(t *testing.T) {
	joints := func(n int) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, `{"name": "j%d", "link": "lift", "kind": "turn", "axis": [0, 0, 1], "speed_deg_s": 9},`, i)
		}
		return strings.TrimSuffix(s.String(), ",")
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"a circle", `"parent": "base_link"`, `"parent": "wrist"`, "links go in a circle: the parent of mast is wrist is lift is mast; each must lead to base_link"},
		{"its own parent", `"parent": "base_link"`, `"parent": "mast"`, "links go in a circle: the parent of mast is mast"},
		{"two roots", `"parent": "base_link", `, ``, `links[1].parent is missing; only base_link has none, so it must be the name of the link that carries "mast"`},
		{"a root of null", `"parent": "base_link"`, `"parent": null`, "links[1].parent is missing; only base_link has none"},
		{"no root", `"name": "base_link", `, `"name": "trunk", "parent": "mast", `, "links have no base_link; the link that carries all others must have this name and no parent"},
		{"base_link on another", `"name": "base_link", `, `"name": "base_link", "parent": "mast", `, "links[0].name is base_link, which has no parent and no place"},
		{"an unknown parent", `"parent": "lift"`, `"parent": "lfit"`, `links have no "lfit", which is the parent of "wrist"; every parent must be one of them`},
		{"two links of a name", `"name": "wrist"`, `"name": "lift"`, `links[3].name is "lift", as that of another link`},
		{"a name with a space", `"name": "wrist"`, `"name": "left wrist"`, `links[3].name is "left wrist"; it must be a name of 1 to 64 characters without spaces`},
		{"a name that steers a terminal", `"name": "wrist"`, "\"name\": \"wrist\u009b\"", `links[3].name is "wrist\u009b"; it must be a name of 1 to 64 characters without spaces`},
		{"an unknown shape", `"kind": "sphere"`, `"kind": "cone"`, `links[2].shapes[0].kind is "cone"; it must be box, cylinder or sphere`},
		{"a shape of nothing", `"radius_m": 0.03`, `"radius_m": 0`, "links[2].shapes[0].radius_m is 0; it must be between 0.0001 and 5"},
		{"a size of another shape", `"radius_m": 0.03`, `"radius_m": 0.03, "height_m": 1`, "links[2].shapes[0].height_m is not known"},
		{"a color", `"#3366cc"`, `"blue"`, `links[0].shapes[0].color is "blue"; it must be a color such as #3366cc`},
		{"millimetres", `"x_m": 0.2`, `"x_m": 200`, "links[3].x_m is 200; it must be between -5 and 5"},
		{"home outside the limits", `"home_deg": 90`, `"home_deg": 190`, "joints[1].home_deg is 190, outside the limits of the joint; it must be between -90 and 180"},
		{"limits the wrong way round", `"min_m": 0.1`, `"min_m": 0.6`, "joints[0].min_m is 0.6; it must be less than max_m, 0.5"},
		{"one limit", `"min_deg": -90, `, ``, "joints[1].min_deg is missing"},
		{"a slide without limits", `"min_m": 0.1, "max_m": 0.5, `, ``, "joints[0].min_m is missing"},
		{"no speed", `, "speed_m_s": 0.1`, ``, "joints[0].speed_m_s is missing; it must be a number between 0.0001 and 10"},
		{"degrees of a slide", `"speed_m_s": 0.1`, `"speed_m_s": 0.1, "home_deg": 3`, "joints[0].home_deg is not known"},
		{"an axis of nothing", `[1, 0, 0]`, `[0, 0, 0]`, "joints[1].axis is [0, 0, 0]; it must be three numbers"},
		{"no axis", `"axis": [1, 0, 0], `, ``, "joints[1].axis is missing; it must be three numbers"},
		{"a fixed joint", `"kind": "turn"`, `"kind": "fixed"`, `joints[1].kind is "fixed"; it must be turn or slide; a link without a joint is fixed`},
		{"a joint of no link", `"link": "wrist", "kind"`, `"link": "hand", "kind"`, `joints[1].link is "hand", which is not among the links`},
		{"a joint of base_link", `"link": "wrist", "kind"`, `"link": "base_link", "kind"`, "joints[1].link is base_link, which only the wheels move"},
		{"two joints of a link", `"link": "wrist", "kind"`, `"link": "lift", "kind"`, `joints[1].link is "lift", which the joint "up" moves`},
		{"two joints of a name", `"name": "twist"`, `"name": "up"`, `joints[1].name is "up", as that of another joint`},
		{"13 joints", `"joints": [`, `"joints": [` + joints(11) + `,`, "joints has more than 12 entries; it must have at most that many"},
		{"a frame of no link", `"link": "wrist", "x_m": 0.1`, `"link": "hand", "x_m": 0.1`, `frames[0].link is "hand", which is not among the links`},
		{"a frame named as a link", `"name": "gripper"`, `"name": "lift"`, `frames[0].name is "lift", as that of a link or another frame`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(arm, c.old) {
				t.Fatalf("the arm has no %s", c.old)
			}
			_, err := robot.ParseDescription(withArm(c.old, c.new))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// checkLinks reports properties that no accepted description may have.
func checkLinks(t *testing.T, d robot.Description) {
	t.Helper()
	parents := map[string]string{}
	for _, l := range d.Links {
		if _, twice := parents[l.Name]; twice || (l.Parent == "") != (l.Name == "base_link") {
			t.Errorf("taken with the link %+v", l)
		}
		parents[l.Name] = l.Parent
	}
	for name := range parents {
		for range parents {
			if name != "base_link" {
				name = parents[name]
			}
		}
		if name != "base_link" {
			t.Errorf("taken with %q above a link", name)
		}
	}
	moved := map[string]bool{}
	for _, j := range d.Joints {
		length := math.Hypot(math.Hypot(j.Axis[0], j.Axis[1]), j.Axis[2])
		if parents[j.Link] == "" || moved[j.Link] || !(j.Min < j.Max && j.Min <= j.Home && j.Home <= j.Max && j.Speed > 0) || math.Abs(length-1) > 1e-9 {
			t.Errorf("taken with the joint %+v", j)
		}
		moved[j.Link] = true
	}
	for _, f := range d.Frames {
		if _, known := parents[f.Link]; !known {
			t.Errorf("taken with the frame %+v", f)
		}
	}
}
