package session

import (
	"math"
	"slices"
	"testing"
	"time"

	"mybot/robot"
)

// watched returns the lines about states that come 20 ms apart.
func watched(w *watch, from time.Time, dock *robot.Pose, lasts time.Duration, state func(n int) robot.State) (lines []string) {
	for n := range int(lasts / (20 * time.Millisecond)) {
		s := state(n)
		s.Time = from.Add(time.Duration(n) * 20 * time.Millisecond)
		for _, l := range w.observeState(s, dock) {
			lines = append(lines, l.text)
		}
	}
	return lines
}

func TestContactsThatFlickerOnTheWayIntoTheDockFillNoLog(t *testing.T) {
	begin := time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)
	dock := robot.Pose{X: 1.42, Y: 7.3}
	goal := robot.Goal{Number: 1, Name: "the dock", Pose: dock, Phase: robot.GoalDriving}
	var w watch
	got := watched(&w, begin, &dock, 10*time.Second, func(n int) robot.State {
		return robot.State{Mode: robot.ModeGoal, Goal: &goal, Battery: robot.Battery{Charge: 0.2, Charging: n > 50 && n/10%2 == 1}}
	})
	if want := []string{"Battery below 25%.", "The robot is charging."}; !slices.Equal(got, want) {
		t.Errorf("docking, the log says %q, not %q", got, want)
	}
	away := robot.Goal{Number: 2, Name: "Sofa", Pose: robot.Pose{X: 10}, Phase: robot.GoalDriving}
	got = watched(&w, begin.Add(time.Minute), &dock, 10*time.Second, func(int) robot.State {
		return robot.State{Mode: robot.ModeGoal, Goal: &away, Battery: robot.Battery{Charge: 0.2}}
	})
	if want := []string{"The robot has left its charger on the way to Sofa.", "Battery below 25%.", "Gave up the dock: the robot was sent elsewhere."}; !slices.Equal(got, want) {
		t.Errorf("then the log says %q, not %q", got, want)
	}
}

func TestARobotThatDoesNotChargeAtItsDockSaysSoOnce(t *testing.T) {
	begin := time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)
	dock := robot.Pose{X: 1.42, Y: 7.3}
	const uncharged = "The robot stands at its dock, but its base reports no charging."
	at := func(pose robot.Pose, mode robot.Mode, b robot.Battery) robot.State {
		return robot.State{Mode: mode, Estimate: robot.Estimate{Pose: pose}, Battery: b}
	}
	half := robot.Battery{Charge: 0.5}
	beside := robot.Pose{X: 1.55, Y: 7.3}
	for name, c := range map[string]struct {
		state func(n int) robot.State
		dock  *robot.Pose
		want  []string
	}{
		"it stands there": {func(int) robot.State { return at(beside, robot.ModeReady, half) }, &dock, []string{uncharged}},
		"in a job":        {func(int) robot.State { return at(dock, robot.ModeJob, half) }, &dock, []string{uncharged}},
		"it charges soon": {func(n int) robot.State {
			return at(dock, robot.ModeReady, robot.Battery{Charge: 0.5, Charging: n > 150})
		}, &dock, []string{"The robot is charging."}},
		"the battery is not measured": {func(int) robot.State { return at(dock, robot.ModeReady, robot.Battery{Charge: math.NaN()}) }, &dock, nil},
		"it is driven there":          {func(int) robot.State { return at(dock, robot.ModeManual, half) }, &dock, nil},
		"it is on its way": {func(int) robot.State {
			s := at(dock, robot.ModeGoal, half)
			s.Goal = &robot.Goal{Number: 1, Pose: robot.Pose{X: 10}, Phase: robot.GoalDriving}
			return s
		}, &dock, nil},
		"it stands elsewhere": {func(int) robot.State { return at(robot.Pose{X: 2, Y: 7.3}, robot.ModeReady, half) }, &dock, nil},
		"the map has no dock": {func(int) robot.State { return at(dock, robot.ModeReady, half) }, nil, nil},
		"it comes there again": {func(n int) robot.State {
			if n > 400 && n < 420 {
				return at(robot.Pose{X: 3, Y: 7.3}, robot.ModeReady, half)
			}
			return at(dock, robot.ModeReady, half)
		}, &dock, []string{uncharged, uncharged}},
	} {
		var w watch
		if got := watched(&w, begin, c.dock, 20*time.Second, c.state); !slices.Equal(got, c.want) {
			t.Errorf("%s: the log says %q, not %q", name, got, c.want)
		}
	}
}
