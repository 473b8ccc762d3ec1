package robot_test

import (
	"testing"

	"mybot/robot"
)

func TestAPlaceIsFoundHoweverItsAccentsAreComposed(t *testing.T) {
	const composed, decomposed = "Caf\u00e9", "Cafe\u0301"
	place := func(name string, x float64) robot.Place { return robot.Place{Name: name, Pose: robot.Pose{X: x}} }
	for _, c := range []struct {
		name   string
		places []robot.Place
		asked  string
		want   float64 // x; 0 = not found
	}{
		{"as it is written", []robot.Place{place(composed, 1)}, composed, 1},
		{"decomposed", []robot.Place{place(composed, 1)}, decomposed, 1},
		{"composed", []robot.Place{place("Sofa", 2), place(decomposed, 1)}, composed, 1},
		{"exactly before otherwise", []robot.Place{place(composed, 1), place(decomposed, 2)}, decomposed, 2},
		{"not without its accent", []robot.Place{place(composed, 1)}, "Cafe", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := robot.Floorplan{Places: c.places}
			if pose, ok := plan.Place(c.asked); ok != (c.want != 0) || pose.X != c.want {
				t.Errorf("%+q is at %v (%t), want %v", c.asked, pose.X, ok, c.want)
			}
		})
	}
}
