package robot_test

import (
	"math"
	"strings"
	"testing"

	"mybot/robot"
)

// lidarOn, sonarOn and headOn are parts of a description, without their mountings.
const (
	lidarOn = `"from_deg": -135, "step_deg": 1, "beams": 271, "min_m": 0.1, "max_m": 12, "rate_hz": 10`
	sonarOn = `"beam_deg": 20, "min_m": 0.05, "max_m": 3`
	headOn  = `"pan_min_deg": -90, "pan_max_deg": 90, "tilt_min_deg": -30, "tilt_max_deg": 30, "speed_deg_s": 60,
	 "camera": {"forward_m": 0.02, "width_px": 640, "height_px": 480, "field_of_view_deg": 60}`
)

// withMounted is the robot with an arm and additional parts.
func withMounted(parts string) []byte {
	return []byte(strings.Replace(string(withArm(`{"name": "wrist"`, `{"name": "roof", "parent": "mast", "x_m": 0.1, "z_m": 0.4, "yaw_deg": 90},
	 {"name": "below", "parent": "mast", "z_m": 0.3, "roll_deg": 180}, {"name": "beside", "parent": "mast", "y_m": 0.1}, {"name": "slope", "parent": "mast", "pitch_deg": 12},
	 {"name": "pole", "parent": "mast", "z_m": 4}, {"name": "wrist"`)), `"frames": [`, parts+`, "frames": [{"name": "eye", "link": "roof", "x_m": 0.05, "yaw_deg": -90}, `, 1))
}

func TestWhatSitsOnALinkIsWhereTheLinkIs(t *testing.T) {
	d, err := robot.ParseDescription(withMounted(`
		"sonars": [{"link": "roof", "x_m": 0.2, "heading_deg": -90, ` + sonarOn + `}, {"x_m": 0.15, "y_m": 0, "heading_deg": 30, ` + sonarOn + `}],
		"lidars": [{"link": "eye", "z_m": 0.05, ` + lidarOn + `}, {"link": "below", "heading_deg": 10, "mask_deg": [[80, 95]], ` + lidarOn + `}],
		"head": {"link": "mast", "x_m": 0.05, "z_m": 0.6, ` + headOn + `}`))
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string, pose robot.Pose, height float64, want robot.Pose, wantHeight float64) {
		t.Helper()
		if math.Hypot(pose.X-want.X, pose.Y-want.Y) > 1e-9 || math.Abs(robot.WrapAngle(pose.Theta-want.Theta)) > 1e-9 || math.Abs(height-wantHeight) > 1e-9 {
			t.Errorf("%s is at %+v and %g m, want %+v and %g m", what, pose, height, want, wantHeight)
		}
	}
	// The roof is turned to the left, so that its x is the robot's y.
	same("the sonar on the roof", d.Sonars[0].Pose, d.Sonars[0].Height, robot.Pose{X: 0, Y: 0.2}, 0.6)
	same("the sonar on base_link", d.Sonars[1].Pose, d.Sonars[1].Height, robot.Pose{X: 0.15, Theta: robot.Radians(30)}, 0)
	same("the lidar at the frame", d.Lidars[0].Pose, d.Lidars[0].Height, robot.Pose{X: 0, Y: 0.05}, 0.65)
	same("the lidar upside down", d.Lidars[1].Pose, d.Lidars[1].Height, robot.Pose{X: -0.1, Theta: robot.Radians(-10)}, 0.5)
	same("the head", robot.Pose{X: d.Head.X}, d.Head.Z, robot.Pose{X: -0.05}, 0.8)
	if d.Sonars[0].Link != "roof" || d.Sonars[1].Link != "" || d.Lidars[0].Link != "eye" || d.Head.Link != "mast" {
		t.Errorf("they are on %q, %q, %q and %q", d.Sonars[0].Link, d.Sonars[1].Link, d.Lidars[0].Link, d.Head.Link)
	}
	// Upside down, the first beam is the leftmost one, and the masked side is the right one.
	l := d.Lidars[1]
	if l.From != robot.Radians(135) || l.Step != robot.Radians(-1) || l.Mask[0] != (robot.Sector{From: robot.Radians(-95), To: robot.Radians(-80)}) {
		t.Errorf("the lidar upside down turns by %+v", l)
	}
	if part, err := robot.ParsePart(withMounted(`"lidars": [{"link": "roof", ` + lidarOn + `}]`)); err != nil || part.Lidars[0].Link != "roof" {
		t.Errorf("a part is %+v, %v", part.Lidars, err)
	}
}

func TestWhatIsWrongWithTheLinkOfASensorIsSaid(t *testing.T) {
	for _, c := range []struct{ name, parts, want string }{
		{"an unknown link", `"lidars": [{"link": "rof", ` + lidarOn + `}]`, `lidars[0].link is "rof", which is not among the links and frames; it must be the name of one of them`},
		{"a link that moves", `"sonars": [{"link": "lift", ` + sonarOn + `}]`, `sonars[0].link is "lift", which the joint "up" moves; it must be one that stands still in base_link`},
		{"a link on one that moves", `"lidars": [{"link": "wrist", ` + lidarOn + `}]`, `lidars[0].link is "wrist", which the joint "twist" moves`},
		{"a frame of a link that moves", `"lidars": [{"link": "gripper", ` + lidarOn + `}]`, `lidars[0].link is "gripper", which the joint "twist" moves`},
		{"a head that moves", `"head": {"link": "lift", ` + headOn + `}`, `head.link is "lift", which the joint "up" moves`},
		{"a head beside the middle", `"head": {"link": "beside", ` + headOn + `}`, `head.link is "beside", where the head is at y 0.1 m and looks 0 degrees to the left; it must be in the middle`},
		{"a head that looks aside", `"head": {"link": "roof", ` + headOn + `}`, `head.link is "roof", where the head is at y 0 m and looks 90 degrees to the left`},
		{"a lidar that looks at the floor", `"lidars": [{"link": "slope", ` + lidarOn + `}]`, `lidars[0].link is "slope", where it is tilted by 12 degrees; it must be level within 2`},
		{"a sonar that looks at the floor", `"sonars": [{"link": "slope", ` + sonarOn + `}]`, `sonars[0].link is "slope", where it is tilted by 12 degrees; it must be level within 10`},
		{"a height above the floor", `"lidars": [{"link": "roof", "height_m": 0.3, ` + lidarOn + `}]`, `lidars[0].height_m is that of a sensor without a link; on "roof" it must be z_m`},
		{"too high", `"lidars": [{"link": "pole", ` + lidarOn + `}]`, `lidars[0].link is "pole", where it is at x -0.1, y 0 and z 4.2 m of base_link; it must be within 2 m, and not higher than 3 m above the floor`},
		{"no link and no place", `"lidars": [{"x_m": 0, "y_m": 0, ` + lidarOn + `}]`, `lidars[0].heading_deg is missing`},
		{"a number", `"lidars": [{"link": 3, ` + lidarOn + `}]`, `lidars[0].link is 3; it must be a name of 1 to 64 characters without spaces`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := robot.ParseDescription(withMounted(c.parts))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
	// Faults of the links themselves are reported once.
	for _, c := range []struct{ name, old, new, want string }{
		{"a circle", `"name": "mast", "parent": "base_link"`, `"name": "mast", "parent": "roof"`, "links go in a circle: the parent of mast is roof is mast"},
		{"an unknown parent", `"name": "mast", "parent": "base_link"`, `"name": "mast", "parent": "trunk"`, `links have no "trunk", which is the parent of "mast"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := string(withMounted(`"lidars": [{"link": "roof", ` + lidarOn + `}]`))
			_, err := robot.ParseDescription([]byte(strings.Replace(text, c.old, c.new, 1)))
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "lidars") {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}
