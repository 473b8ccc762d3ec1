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
	goal     uint64  // the goal that was looked at last
	told     string  // what was told of it last; "" = nothing
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
	lines = append(lines, w.way(s.Goal)...)
	w.began, w.bump, w.charging = true, s.Bump, s.Battery.Charging
	return lines
}

// blockedFor is how long the way has to be blocked to be worth a line, in s.
const blockedFor = 10

// way returns what is new about the goal.
func (w *watch) way(g *robot.Goal) []line {
	if g == nil {
		return nil
	}
	place, l := placeName(g.Name, g.Pose), line{icon: iconGoal}
	switch {
	case g.Phase == robot.GoalEnded && g.Result.Word == robot.Success:
		l.text = fmt.Sprintf("Arrived at %s, %s off.", place, offText(g.Off))
	case g.Phase == robot.GoalEnded && g.Result.Word == robot.Interrupted:
		l.text = fmt.Sprintf("Gave up %s: %s", place, g.Result.Reason)
	case g.Phase == robot.GoalEnded:
		l = line{iconWarn, fmt.Sprintf("Did not reach %s: %s", place, g.Result.Reason)}
	case g.Phase == robot.GoalPaused:
		l.text = fmt.Sprintf("The way to %s is paused: %s", place, g.Result.Reason)
	case g.Phase == robot.GoalBlocked && g.Blocked != nil && g.Blocked.Waited >= blockedFor:
		l = line{iconWarn, fmt.Sprintf("The way to %s is blocked.", place)}
	}
	fresh := g.Number != w.goal || l.text != w.told
	w.goal, w.told = g.Number, l.text
	if !fresh || l.text == "" {
		return nil
	}
	return []line{l}
}

// offText says how far from its goal a robot came to stand.
func offText(m float64) string {
	if m < 1 {
		return fmt.Sprintf("%.0f cm", m*100)
	}
	return fmt.Sprintf("%.1f m", m)
}
