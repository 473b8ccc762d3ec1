package session

import (
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
