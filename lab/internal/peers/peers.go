// Package peers has other local controllers than the robot's, to compare ways of finding a
// motion on the same obstacle layer, with the same limits, costs and table of behaviors.
package peers

import (
	"fmt"
	"math"

	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/robot/rollout"
)

// Names are the names of the controllers, for people.
const Names = "rollout, dwa or mppi"

// Find returns how to make the controller with a name; nil = the robot's own. seed is that of
// its random numbers.
func Find(name string) (func(desc robot.Description, seed uint64) onboard.LocalController, error) {
	switch name {
	case "", "rollout":
		return nil, nil
	case "dwa":
		return func(desc robot.Description, _ uint64) onboard.LocalController { return newDWA(desc) }, nil
	case "mppi":
		return func(desc robot.Description, seed uint64) onboard.LocalController { return newMPPI(desc, seed) }, nil
	}
	return nil, fmt.Errorf("it must be %s", Names)
}

// What a motion that ends beside its path or turned away from it costs, in m of progress. A
// lane returns to the path by itself; these motions have to be drawn to it. Chosen among
// three values each, for both controllers, on the office with seeds below 1,000.
const (
	acrossCost = 0.8  // per m
	turnCost   = 0.1  // per rad
	gains      = 0.08 // m, least gain of a motion that makes progress, as for rollouts
)

// base is what the controllers have in common.
type base struct {
	rules *rollout.Controller
	limit robot.Limit
	last  rollout.Choice
	twist robot.Twist // of the last choice
}

func newBase(desc robot.Description) base {
	return base{rules: rollout.New(desc), limit: desc.Safe}
}

func (b *base) Last() rollout.Choice { return b.last }

func (b *base) Reset() { b.last, b.twist = rollout.Choice{}, robot.Twist{} }

func (b *base) Horizon() float64 { return b.rules.Horizon() }

// Steer returns the twist of the last choice.
func (b *base) Steer(*rollout.Situation) robot.Twist {
	if !b.last.OK {
		return robot.Twist{}
	}
	return b.twist
}

// turn makes a turn on the spot the choice, if the path begins with one: as with nav2's
// rotation shim, the controllers only do the rest. A turn that would touch something is none.
func (b *base) turn(j *rollout.Judge, wanted []robot.Twist) bool {
	t, turns := j.Follow()
	if !turns {
		return false
	}
	for k := range wanted {
		wanted[k] = t
	}
	b.twist, b.last = t, rollout.Choice{Turns: true, OK: j.Try(wanted[:turnSteps]).OK}
	return true
}

const turnSteps = 3 // of rollout.Period that a turn on the spot is tried for

// choose makes a twist the choice.
func (b *base) choose(t robot.Twist, best rollout.Trial) rollout.Choice {
	b.twist = t
	b.last = rollout.Choice{Speed: math.Abs(t.Linear), Gain: best.Gain, Meets: best.Meets, OK: best.OK && best.Gain >= gains}
	if !b.last.OK {
		b.last.Because = rollout.Tight
	}
	return b.last
}

// cost returns the cost of a motion, in m of progress.
func cost(t rollout.Trial) float64 {
	return t.Cost + acrossCost*math.Abs(t.Across) + turnCost*math.Abs(t.Turn)
}
