package navigate

import (
	"math"

	"mybot/drivers/sim"
	"mybot/lab/internal/testbed"
	"mybot/robot"
)

const (
	walksFrom = 0.1  // m/s, from here on a person walks
	movesFrom = 0.1  // m/s, from here on the robot moves
	intrudes  = 0.45 // m from the hull to a walking person: nearer is an intrusion
	tooNear   = 0.35 // m likewise: what considerate people keep of their own
	turnsFrom = 0.1  // rad/s that are given, from here on the robot turns to one side
)

// conduct is how the robot moved on an errand, seen from outside: by the twist that the
// wheels were given and by the truth.
type conduct struct {
	seconds       float64 // underway
	frozen        float64 // s that it stood though a way was open in truth
	intruded      float64 // s with a walking person nearer than intrudes
	near          float64 // s with one nearer than tooNear
	nearestPerson float64 // m from the hull to a walking person while it moved, at least; +Inf = there was none
	nearestThing  float64 // m from the hull to an obstacle that is on no map, likewise
	jerk          [2]float64
	steps         int // whose jerks are in the sums of squares above, (m/s3)2 and (rad/s3)2
	reversals     int // of the side to which it turns
	states        stateTimes
	decisions     []float64 // ms, of each Tick of Core

	given  [2]robot.Twist // the last one and the one before
	seen   int            // readings
	side   float64        // to which it turned last: 1 left, -1 right
	people []robot.Point  // where they were a period ago
}

// stateTimes is for how long the robot was in each state of its table of behaviours, in s.
// A robot without that table only follows its path or waits.
type stateTimes struct {
	Follow float64 `json:"follow"`
	Yield  float64 `json:"yield"`
	Replan float64 `json:"replan"`
	Wait   float64 `json:"wait"`
	Free   float64 `json:"free"`
}

// nameState returns the state of a goal that is underway, and its place in the times.
func (s *stateTimes) nameState(g *robot.Goal) (name string, seconds *float64) {
	switch {
	case g.Behavior.State == "yield":
		return "yield", &s.Yield
	case g.Behavior.State == "replan":
		return "replan", &s.Replan
	case g.Behavior.State == "free":
		return "free", &s.Free
	case g.Phase == robot.GoalBlocked || g.Phase == robot.GoalPaused:
		return "wait", &s.Wait
	}
	return "follow", &s.Follow
}

func (s *stateTimes) add(o stateTimes) {
	s.Follow, s.Yield, s.Replan, s.Wait, s.Free = s.Follow+o.Follow, s.Yield+o.Yield, s.Replan+o.Replan, s.Wait+o.Wait, s.Free+o.Free
}

func newConduct() conduct {
	return conduct{nearestPerson: math.Inf(1), nearestThing: math.Inf(1)}
}

// look takes what there is after a reading, with the robot on its way. isOpen says whether a way
// is open in truth.
func (c *conduct) look(r *testbed.Rover, isOpen func(*testbed.Rover) bool) {
	period := 1 / r.Desc.Rate
	c.seconds += period
	_, in := c.states.nameState(r.State.Goal)
	*in += period
	c.decisions = append(c.decisions, r.Decision)
	if r.Rested && isOpen(r) {
		c.frozen += period
	}
	c.feelTwist(r.State.Drive.Given, period)
	c.lookAround(r, period)
}

// feelTwist takes the twist that the wheels were given.
func (c *conduct) feelTwist(given robot.Twist, period float64) {
	if c.seen++; c.seen > 2 {
		jerk := func(now, before, first float64) float64 { return (now - 2*before + first) / (period * period) }
		linear := jerk(given.Linear, c.given[0].Linear, c.given[1].Linear)
		angular := jerk(given.Angular, c.given[0].Angular, c.given[1].Angular)
		c.jerk[0], c.jerk[1], c.steps = c.jerk[0]+linear*linear, c.jerk[1]+angular*angular, c.steps+1
	}
	c.given = [2]robot.Twist{given, c.given[0]}
	if math.Abs(given.Angular) >= turnsFrom {
		side := math.Copysign(1, given.Angular)
		if side == -c.side {
			c.reversals++
		}
		c.side = side
	}
}

// lookAround takes who walks and what stands around the robot.
func (c *conduct) lookAround(r *testbed.Rover, period float64) {
	hull, moves := r.Desc.Body.Hull, math.Abs(r.Truth.Twist.Linear) > movesFrom
	gap := math.Inf(1)
	for n, p := range r.Truth.People {
		if n < len(c.people) && p.Sub(c.people[n]).Norm() > walksFrom*period {
			gap = min(gap, gapTo(r, hull, p, testbed.PersonRadius))
		}
	}
	c.people = r.Truth.People
	if gap < intrudes {
		c.intruded += period
	}
	if gap < tooNear {
		c.near += period
	}
	if !moves {
		return
	}
	c.nearestPerson = min(c.nearestPerson, gap)
	c.nearestThing = min(c.nearestThing, gapToThings(r, hull))
}

// gapTo returns how far a round thing is from the hull, in m; 0 where they touch.
func gapTo(r *testbed.Rover, hull []robot.Point, at robot.Point, radius float64) float64 {
	return max(0, testbed.HullGap(hull, r.Truth.Pose.Inverse().Apply(at))-radius)
}

// gapToThings returns how far the nearest obstacle that is on no map is from the hull, in m.
func gapToThings(r *testbed.Rover, hull []robot.Point) float64 {
	gap := math.Inf(1)
	for _, t := range r.World.Contents().Things {
		if t.Kind == sim.ObstacleKind {
			gap = min(gap, gapTo(r, hull, t.Point, t.Radius))
		}
	}
	return gap
}
