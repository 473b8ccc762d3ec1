package mapping

import (
	"fmt"
	"math"
	"strings"

	"mybot/robot"
)

// toldShift is the smallest shift of a lidar that is reported, in m.
const toldShift = 0.05

// Explain says how the mounting of a lidar differs from its description l, in a
// clause about "it".
func (m Mounting) Explain(l robot.Lidar) string {
	var parts []string
	if m.Mirrored {
		parts = append(parts, "its beams follow each other the other way around, as when it hangs upside down")
	}
	if degrees := math.Round(robot.Degrees(m.Turned)); math.Abs(degrees) == 180 {
		parts = append(parts, "it is turned by 180 degrees")
	} else if degrees != 0 {
		parts = append(parts, fmt.Sprintf("it is turned by %.0f degrees to the %s", math.Abs(degrees), sideOf(degrees, "left", "right")))
	}
	if off := m.Correct(l).Pose.Point().Sub(l.Pose.Point()); off.Norm() >= toldShift {
		var distances []string
		if math.Abs(off.X) >= toldShift/2 {
			distances = append(distances, fmt.Sprintf("%.2f m %s", math.Abs(off.X), sideOf(off.X, "ahead of", "behind")))
		}
		if math.Abs(off.Y) >= toldShift/2 {
			distances = append(distances, fmt.Sprintf("%.2f m to the %s of", math.Abs(off.Y), sideOf(off.Y, "left", "right")))
		}
		parts = append(parts, fmt.Sprintf("it sits %s its place, or the robot turns about another point", strings.Join(distances, " and ")))
	}
	return strings.Join(parts, ", and ")
}

func sideOf(v float64, positive, negative string) string {
	if v > 0 {
		return positive
	}
	return negative
}

// Remedy returns the keys and values that the description l of a lidar must have
// instead.
func (m Mounting) Remedy(l robot.Lidar) string {
	is := m.Correct(l)
	var keys []string
	add := func(key string, was, is, unit float64) {
		if math.Abs(is-was) >= unit/2 {
			keys = append(keys, fmt.Sprintf("%q: %g", key, math.Round(is/unit)*unit+0))
		}
	}
	if is.Pose.Point().Sub(l.Pose.Point()).Norm() >= toldShift {
		add("x_m", l.Pose.X, is.Pose.X, 0.01)
		add("y_m", l.Pose.Y, is.Pose.Y, 0.01)
	}
	if math.Abs(robot.WrapAngle(is.Pose.Theta-l.Pose.Theta)) > 1e-6 {
		add("heading_deg", math.Inf(1), robot.Degrees(is.Pose.Theta), 1)
	}
	add("from_deg", robot.Degrees(l.From), robot.Degrees(is.From), 1e-4)
	add("step_deg", robot.Degrees(l.Step), robot.Degrees(is.Step), 1e-4)
	return strings.Join(keys, ", ")
}
