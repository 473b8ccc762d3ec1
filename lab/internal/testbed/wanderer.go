package testbed

import (
	"math"
	"math/rand/v2"

	"mybot/drivers/sim"
	"mybot/robot"
)

// Wanderer follows the roads from via point to via point, and waits for people in its way.
type Wanderer struct {
	World    *sim.World
	Roads    *Roads
	Rng      *rand.Rand
	From, To int // via points
	still    int // steps without moving
}

// CarryTo places the robot at a via point with a random heading.
func (d *Wanderer) CarryTo(to int) error {
	p := d.Roads.At[to]
	d.From, d.To = to, to
	return d.World.CarryRobot(robot.Pose{X: p.X, Y: p.Y, Theta: (2*d.Rng.Float64() - 1) * math.Pi})
}

// NextTwist returns the twist towards the next via point.
func (d *Wanderer) NextTwist() robot.Twist {
	truth := d.World.Truth()
	toNext := truth.Pose.Inverse().Apply(d.Roads.At[d.To])
	if toNext.Norm() < 0.25 {
		d.chooseNext()
		toNext = truth.Pose.Inverse().Apply(d.Roads.At[d.To])
	}
	aside := math.Atan2(toNext.Y, toNext.X)
	t := robot.Twist{Angular: max(-0.7, min(0.7, 2*aside))}
	if math.Abs(aside) < 0.6 {
		t.Linear = min(0.5, 0.25+0.5*toNext.Norm()) * math.Cos(aside)
	}
	for _, p := range truth.People {
		if v := truth.Pose.Inverse().Apply(p); v.X > 0 && v.X < 1 && math.Abs(v.Y) < 0.6 {
			t.Linear = 0
		}
	}
	if math.Abs(truth.Twist.Linear) > 0.02 || math.Abs(truth.Twist.Angular) > 0.05 {
		d.still = 0
	} else if d.still++; d.still > 200 {
		d.still = 0
		d.From, d.To = d.To, d.From
		if d.Rng.IntN(2) == 0 {
			return robot.Twist{Linear: -0.3}
		}
	}
	return t
}

// chooseNext chooses the next via point, if possible not the previous one.
func (d *Wanderer) chooseNext() {
	next := d.Roads.next[d.To]
	if len(next) == 0 {
		return
	}
	k := next[d.Rng.IntN(len(next))]
	if k == d.From && len(next) > 1 {
		k = next[d.Rng.IntN(len(next))]
	}
	d.From, d.To = d.To, k
}
