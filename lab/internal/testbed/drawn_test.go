package testbed

import (
	"slices"
	"strings"
	"testing"

	"mybot/pathplan"
	"mybot/robot"
)

func TestADrawnBuildingIsTheSameForTheSameSeedAndHasRoomForTheRobot(t *testing.T) {
	before := map[int]bool{}
	for _, name := range []string{"drawn:1", "drawn:2", "drawn:3", "drawn:18446744073709551615"} {
		plan, err := LoadPlan(name)
		if err != nil {
			t.Fatal(err)
		}
		again, err := LoadPlan(name)
		if err != nil || !slices.Equal(plan.Grid.Cells, again.Grid.Cells) || !slices.Equal(plan.Lines, again.Lines) {
			t.Errorf("%s is another building the second time: %v", name, err)
		}
		if plan.Name != name || before[len(plan.Grid.Cells)] {
			t.Errorf("%s is called %s, or like another one", name, plan.Name)
		}
		before[len(plan.Grid.Cells)] = true
		planner, drivable := pathplan.NewPlanner(plan, Mybot()), 0
		for n := range plan.Grid.Cells {
			if planner.IsDrivable(plan.Grid.Origin.Add(robot.Point{X: float64(n%plan.Grid.Width) * drawnCell, Y: float64(n/plan.Grid.Width) * drawnCell})) {
				drivable++
			}
		}
		if area := float64(drivable) * drawnCell * drawnCell; area < 40 || area > 22*15 {
			t.Errorf("%s has %.0f m2 for the robot's centre", name, area)
		}
	}
}

func TestADrawnBuildingIsAskedForByItsSeed(t *testing.T) {
	for _, name := range []string{"drawn:", "drawn:x", "drawn:-1", "drawn:1.5"} {
		if _, err := LoadPlan(name); err == nil || !strings.Contains(err.Error(), "give its seed, as in drawn:7") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
