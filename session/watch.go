package session

import (
	"fmt"

	"mybot/robot"
)

// A line is one line of the log that the pages show.
type line struct {
	icon icon
	text string
}

// A watch turns what happens to the robot, as its states show it, into lines
// of the log: each thing once, when it begins.
type watch struct {
	began    bool
	bump     bool
	charging bool
	low      float64 // the lowest battery mark that was told; 0 = none
}

// batteryMark returns the lowest charge worth a line that the battery is
// below; 0 = it is full enough.
func batteryMark(charge float64) float64 {
	switch {
	case charge < 0.10:
		return 0.10
	case charge < 0.25:
		return 0.25
	}
	return 0
}

// see returns what is new in the state.
func (w *watch) see(s robot.State) (lines []line) {
	if s.Bump && !w.bump {
		lines = append(lines, line{iconWarn, "The bumper touches something."})
	}
	if w.began && s.Battery.Charging != w.charging {
		text := "The robot is charging."
		if !s.Battery.Charging {
			text = "The robot is no longer charging."
		}
		lines = append(lines, line{iconBattery, text})
	}
	if s.Battery.Charging {
		w.low = 0
	} else if mark := batteryMark(s.Battery.Charge); mark != 0 && (w.low == 0 || mark < w.low) {
		w.low = mark
		lines = append(lines, line{iconBattery, fmt.Sprintf("Battery below %.0f %%.", mark*100)})
	}
	w.began, w.bump, w.charging = true, s.Bump, s.Battery.Charging
	return lines
}
