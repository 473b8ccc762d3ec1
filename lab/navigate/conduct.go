package navigate

import (
	"math"

	"mybot/drivers/sim"
	"mybot/lab/internal/testbed"
	"mybot/robot"
)

const (
	walksFrom = 0.1  // m/s; a faster person walks
	movesFrom = 0.1  // m/s; a faster robot moves
	intrudes  = 0.45 // m from the hull to a walking person; nearer is an intrusion
	tooNear   = 0.35 // m likewise; the distance that considerate people keep
	turnsFrom = 0.1  // rad/s, commanded; a faster robot turns to one side
)

// conduct is how the robot moved on an errand, as seen from outside: by the commanded twists
// and by the truth.
type conduct struct {
	seconds       float64 // underway
	frozen        float64 // s of standing though a path existed in truth
	intruded      float64 // s with a walking person nearer than intrudes
	near          float64 // s with one nearer than tooNear
	nearestPerson float64 // m, least distance from the hull to a walking person while it moved; +Inf = there was none
	nearestThing  float64 // m, likewise to an obstacle that is not on the map
	jerk          [2]float64
	steps         int // number of jerks in the sums of squares above, (m/s3)2 and (rad/s3)2
	reversals     int // of the turning direction
	states        stateTimes
	decisions     []float64 // ms, of each Tick of Core

	given  [2]robot.Twist // the last twist and the one before
	seen   int            // readings
	side   float64        // last turning direction: 1 left, -1 right
	people []robot.Point  // their positions a period ago
}

// stateTimes is the time that the robot was in each state of its behavior table, in s. A robot
// without that table only follows its path or waits.
type stateTimes struct {
	Follow float64 `json:"follow"`
	Yield  float64 `json:"yield"`
	Replan float64 `json:"replan"`
	Wait   float64 `json:"wait"`
	Free   float64 `json:"free"`
}

// nameState returns the state of a goal that is underway, and its field in the times.
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

// look records a reading while the goal is underway. isOpen reports whether a path exists in
// truth.
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

// feelTwist records a commanded twist.
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

// lookAround records people and obstacles around the robot.
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

// gapTo returns the distance between a round thing and the hull, in m; 0 = they touch.
func gapTo(r *testbed.Rover, hull []robot.Point, at robot.Point, radius float64) float64 {
	return max(0, testbed.HullGap(hull, r.Truth.Pose.Inverse().Apply(at))-radius)
}

// gapToThings returns the distance from the hull to the nearest obstacle that is not on the
// map, in m.
func gapToThings(r *testbed.Rover, hull []robot.Point) float64 {
	gap := math.Inf(1)
	for _, t := range r.World.Contents().Things {
		if t.Kind == sim.ObstacleKind {
			gap = min(gap, gapTo(r, hull, t.Point, t.Radius))
		}
	}
	return gap
}
