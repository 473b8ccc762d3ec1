package mapping

import (
	"math"

	"mybot/drivers/sim"
	"mybot/robot"
)

const (
	reached    = 0.30 // m, distance at which a point of the tour counts as reached
	handSpeed  = 0.5  // m/s
	handTurn   = 0.7  // rad/s
	stillFor   = 4.0  // s without motion, after which the hand backs off
	backsFor   = 1.0  // s of backing off
	maxTrials  = 4    // attempts at one point before it is skipped
	waitsAhead = 1.0  // m ahead in which the hand waits for people
)

// A hand drives along a tour as a person does who stands beside the robot and sees everything:
// it waits for people, backs off if the robot is stuck, and continues.
type hand struct {
	tour    []robot.Point
	next    int     // index into tour
	still   float64 // s
	backs   float64 // s of backing off that remain
	aside   float64 // rad/s, meanwhile
	trials  int     // at this point
	skipped int     // points
}

// done reports whether the tour is over.
func (h *hand) done() bool { return h.next == len(h.tour) }

// ask returns the twist that the hand asks for, dt s after the previous one.
func (h *hand) ask(t sim.Truth, dt float64) robot.Twist {
	if h.backs > 0 {
		h.backs -= dt
		return robot.Twist{Linear: -0.25, Angular: h.aside}
	}
	to := t.Pose.Inverse().Apply(h.tour[h.next])
	if to.Norm() < reached {
		h.next, h.trials, h.still = h.next+1, 0, 0
		if h.done() {
			return robot.Twist{}
		}
		to = t.Pose.Inverse().Apply(h.tour[h.next])
	}
	aside := math.Atan2(to.Y, to.X)
	ask := robot.Twist{Angular: robot.Clamp(2*aside, -handTurn, handTurn)}
	if math.Abs(aside) < 0.6 {
		ask.Linear = math.Min(handSpeed, 0.2+0.6*to.Norm()) * math.Cos(aside)
	}
	for _, p := range t.People {
		if v := t.Pose.Inverse().Apply(p); v.X > 0 && v.X < waitsAhead && math.Abs(v.Y) < 0.6 {
			ask.Linear = 0
		}
	}
	if math.Abs(t.Twist.Linear) > 0.02 || math.Abs(t.Twist.Angular) > 0.05 {
		h.still = 0
	} else if h.still += dt; h.still > stillFor {
		h.still, h.backs, h.trials = 0, backsFor, h.trials+1
		h.aside = 0.5 * float64(h.trials%3-1)
		if h.trials == maxTrials && h.next+1 < len(h.tour) {
			h.skipped, h.next, h.trials = h.skipped+1, h.next+1, 0
		}
	}
	return ask
}
