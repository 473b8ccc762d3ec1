package onboard

import (
	"errors"
	"fmt"

	"mybot/robot"
	"mybot/script"
)

// FindScriptGoal answers goto(place) or dock() with a goal on the plan; a nil plan has
// none. The error is a sentence for the script.
func FindScriptGoal(plan *robot.Floorplan, a script.Ask) (answer robot.AnswerAsk, err error) {
	if plan == nil {
		plan = &robot.Floorplan{}
	}
	if a.Name == "dock" {
		if plan.Dock == nil {
			return answer, errors.New("the map has no dock")
		}
		answer.Goal = &robot.GoTo{Goal: *plan.Dock, Name: "the dock"}
		return answer, nil
	}
	name := a.Values[0].Plain()
	place, ok := plan.Place(name)
	if !ok {
		return answer, fmt.Errorf("the map has no place %q", name)
	}
	answer.Goal = &robot.GoTo{Goal: place, Name: name}
	return answer, nil
}
