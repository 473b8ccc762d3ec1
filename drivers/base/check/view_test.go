package check

import (
	"math"
	"strings"
	"testing"

	"mybot/drivers/base/protocol"
	"mybot/robot"
)

// scanFrom returns the noiseless scan of a lidar with few beams in a room of 6 m by 4.5 m, in
// mm.
func scanFrom(l robot.Lidar, p robot.Pose) (mm []int) {
	at := p.Compose(l.Pose)
	for beam := range l.Beams {
		dy, dx := math.Sincos(at.Theta + l.Bearing(beam))
		x, y := 2+at.X, 2.5+at.Y
		if dx > 0 {
			x = 4 - at.X
		}
		if dy > 0 {
			y = 2 - at.Y
		}
		mm = append(mm, int(math.Round(1000*min(x/max(math.Abs(dx), 1e-9), y/max(math.Abs(dy), 1e-9)))))
	}
	return mm
}

func TestAViewFollowsTheRobot(t *testing.T) {
	l := robot.Lidar{Pose: robot.Pose{X: 0.1, Theta: robot.Radians(30)}, Step: robot.Radians(2), Beams: 180, Min: 0.1, Max: 8}
	for _, step := range []robot.Pose{{}, {X: 0.01}, {X: -0.02}, {Theta: 0.1}, {Theta: -0.02}, {X: 0.02, Y: 0.01, Theta: 0.05}} {
		v := newViews([]robot.Lidar{l})[0]
		at := robot.Pose{}
		for i := range 12 {
			v.add(protocol.Scan{At: protocol.Millis(i), Ranges: scanFrom(l, at)})
			if off := at.Inverse().Compose(v.at); off.Point().Norm() > 0.01 || math.Abs(off.Theta) > 0.01 || v.why != "" || v.slides {
				t.Fatalf("step %v: at %v it is seen at %v; %s", step, at, v.at, v.why)
			}
			at = at.Compose(step)
		}
	}
}

func TestACorridorHidesTheWayAlongIt(t *testing.T) {
	l := robot.Lidar{Step: robot.Radians(1), Beams: 360, Min: 0.1, Max: 8}
	v := newViews([]robot.Lidar{l})[0]
	for range 5 {
		var ranges []int
		for beam := range l.Beams {
			r := int(math.Round(1000 / max(math.Abs(math.Sin(l.Bearing(beam))), 1e-9)))
			if r > 8000 {
				r = protocol.NoEcho
			}
			ranges = append(ranges, r)
		}
		v.add(protocol.Scan{Ranges: ranges})
	}
	if why := cannotJudge(sighting{slides: v.slides}, sighting{}); !strings.Contains(why, "as a corridor does") {
		t.Errorf("it says %q", why)
	}
}

func TestWhatALidarSawIsJudged(t *testing.T) {
	l, d := robot.Lidar{Pose: robot.Pose{X: 0.1, Theta: robot.Radians(20)}}, robot.Drivetrain{WheelBase: 0.4, AxleOffset: 0.1}
	turn := func(theta float64) robot.Pose { return d.Roll(robot.Pose{}, d.Wheels(robot.Twist{Angular: theta})) }
	good := sighting{told: robot.Pose{X: 0.2}, seen: robot.Pose{X: 0.19, Y: 0.01}}
	for _, c := range []struct {
		name          string
		ahead, turned sighting
		want          string // "" = no fault
	}{
		{"right", good, sighting{told: turn(0.6), seen: turn(0.55)}, ""},
		{"backwards and right", sighting{told: robot.Pose{X: -0.2}, seen: robot.Pose{X: -0.2}}, sighting{told: turn(0.6), seen: turn(0.6)}, ""},
		{"a wheel base that is too short", good, sighting{told: turn(0.6), seen: turn(0.4)}, "wheel_base_m of the description is 0.400, and by the lidar it would be 0.600"},
		{"in millimetres", sighting{told: robot.Pose{X: 0.2}, seen: robot.Pose{X: 0.0002}}, sighting{told: turn(0.6), seen: turn(0.6)}, "perhaps it is in millimetres"},
		{"a lidar beside its place", good, sighting{told: turn(0.6), seen: robot.Pose{Y: -0.2}.Compose(turn(0.6)).Compose(robot.Pose{Y: 0.2})}, "and -0.20 m to its left: the lidar's x_m is too large by 0.00 and its y_m by -0.20"},
		{"a lidar that looks to the right", sighting{told: robot.Pose{X: 0.2}, seen: robot.Pose{Y: 0.2}}, sighting{told: turn(0.6), seen: turn(0.6)}, "90 degrees to the left of ahead: heading_deg of the lidar is 20 and should be -70"},
	} {
		ok, text := judgeLidar(l, d, c.ahead, c.turned)
		if ok != (c.want == "") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %v, %s", c.name, ok, text)
		}
	}
	if why := cannotJudge(sighting{told: robot.Pose{X: 0.2}}, sighting{}); why != "the wheels hardly turned" {
		t.Errorf("it says %q", why)
	}
}

func TestAScanThatMybotWouldNotUseIsASensorThatIsWrong(t *testing.T) {
	desc := robot.Description{Lidars: []robot.Lidar{{Beams: 4, Min: 0.12, Max: 8}}}
	for _, c := range []struct {
		name string
		mm   []int
		want string // "" = it is right
	}{
		{"a room", []int{2034, 1200, 0, -1}, ""},
		{"few ranges near", []int{2034, 1200, 15, 40}, ""},
		{"one beam that sees nothing", []int{-1, -1, -1, 0}, ""},
		{"metres", []int{2, 1, 3, 2}, "4 of its 4 ranges are less than 20 mm; mm must be in millimetres, not in metres"},
		{"no measurement", []int{-1, -1, -1, -1}, "no beam has measured anything"},
		{"nearer than min_m", []int{90, -1, 100, -1}, "no beam has measured anything"},
		{"too few beams", []int{2034, 1200}, "a scan of lidar 0 had 2 ranges, and the description has 4 beams"},
	} {
		missing := strings.Join(missingSenses(desc, protocol.Senses{}, map[int][]int{0: c.mm}), "; ")
		if !strings.Contains(missing, c.want) || c.want == "" && missing != "" {
			t.Errorf("%s: %q, want %q", c.name, missing, c.want)
		}
	}
	if text := describeEmpty(map[int][]int{0: {0, 0, 0, 0}, 1: {0, 900}}); !strings.Contains(text, "lidar 0 reports 0 in every beam") || strings.Contains(text, "lidar 1") {
		t.Errorf("of a lidar without an echo it says %q", text)
	}
}
