package mapping

import (
	"math"
	"strings"
	"testing"

	"mybot/robot"
)

func TestWhatIsToldOfAMountingIsWhatTheDescriptionMustSay(t *testing.T) {
	l := robot.Lidar{Pose: robot.Pose{X: 0.1, Y: 0.02, Theta: robot.Radians(10)}, From: -math.Pi, Step: robot.Radians(0.5), Beams: 720}
	for _, c := range []struct {
		is            Mounting
		told, correct string
	}{
		{Mounting{Mirrored: true, Shifted: robot.Point{Y: 0.04}}, "its beams follow each other the other way around, as when it hangs upside down", `"heading_deg": -10, "from_deg": 180, "step_deg": -0.5`},
		{Mounting{Turned: math.Pi / 2, Shifted: robot.Point{X: 0.12, Y: -0.08}}, "it is turned by 90 degrees to the left", `"heading_deg": 100`},
		{Mounting{Turned: -math.Pi / 2, Shifted: robot.Point{X: 0.08, Y: 0.12}}, "it is turned by 90 degrees to the right", `"heading_deg": -80`},
		{Mounting{Turned: math.Pi, Shifted: robot.Point{X: 0.2, Y: 0.04}}, "it is turned by 180 degrees", `"heading_deg": -170`},
		{Mounting{Shifted: robot.Point{X: -0.3, Y: 0.01}}, "it sits 0.30 m behind its place, or the robot turns about another point", `"x_m": -0.2, "y_m": 0.03`},
		{Mounting{Shifted: robot.Point{X: 0.2, Y: -0.2}}, "it sits 0.20 m ahead of and 0.20 m to the right of its place", `"x_m": 0.3, "y_m": -0.18`},
	} {
		told, correct := c.is.Explain(l), c.is.Remedy(l)
		if !strings.HasPrefix(told, c.told) || correct != c.correct {
			t.Errorf("%+v: %s; %s, want %s", c.is, told, correct, c.correct)
		}
		// The corrected description puts a point of the lidar where it is.
		at, is := l.Pose.Apply(robot.Point{X: 2 * math.Cos(l.Bearing(7)), Y: 2 * math.Sin(l.Bearing(7))}), c.is.Correct(l)
		if c.is.Mirrored {
			at.Y = -at.Y
		}
		at = robot.Pose{X: c.is.Shifted.X, Y: c.is.Shifted.Y, Theta: c.is.Turned}.Apply(at)
		if off := at.Sub(is.Pose.Apply(robot.Point{X: 2 * math.Cos(is.Bearing(7)), Y: 2 * math.Sin(is.Bearing(7))})).Norm(); off > 1e-9 {
			t.Errorf("%+v: a point is %g m off by the corrected description", c.is, off)
		}
	}
}
