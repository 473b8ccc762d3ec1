package peers

import (
	"math"

	"mybot/robot"
	"mybot/robot/rollout"
)

// Parameters of the dynamic window approach, as nav2's DWB has them by default, but for fewer
// speeds: the steps of the simulation are longer than its own.
const (
	dwaSteps  = 12 // of rollout.Period for which a twist is simulated: 1.8 s; DWB's 1.7 s
	dwaSpeeds = 11 // from standing to the speed allowed
	dwaTurns  = 21 // from the largest turn rate to the right to that to the left
)

// A dwa tries constant twists and chooses the best: Fox, Burgard, Thrun, "The dynamic window
// approach to collision avoidance", 1997. Twists that the robot cannot reach within the time
// are simulated as far as it comes.
type dwa struct {
	base
	wanted []robot.Twist
}

func newDWA(desc robot.Description) *dwa {
	return &dwa{newBase(desc), make([]robot.Twist, dwaSteps)}
}

func (d *dwa) Choose(s *rollout.Situation) rollout.Choice {
	j := d.rules.Judge(s)
	if d.turn(&j, d.wanted) {
		return d.last
	}
	var best robot.Twist
	var found rollout.Trial
	least := math.Inf(1)
	for n := range dwaSpeeds {
		for m := range dwaTurns {
			t := robot.Twist{Linear: j.MaxSpeed() * float64(n) / (dwaSpeeds - 1), Angular: d.limit.Angular * (2*float64(m)/(dwaTurns-1) - 1)}
			for k := range d.wanted {
				d.wanted[k] = t
			}
			if trial := j.Try(d.wanted); trial.OK && cost(trial) < least {
				best, found, least = t, trial, cost(trial)
			}
		}
	}
	return d.choose(best, found)
}
