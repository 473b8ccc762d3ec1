package rollout

import (
	"math"

	"mybot/robot"
)

// Spacing is the required distance between the points of a path, in m.
const Spacing = 0.1

// Obstacles is what the robot knows about its surroundings; robot/obstacle implements it.
type Obstacles interface {
	// Clearance returns the distance from a point in map to the nearest standing obstacle,
	// in m.
	Clearance(p robot.Point) float64
	// Discs returns the obstacles that move, which Clearance does not include.
	Discs() []robot.Track
}

// A Situation is the input of a Controller's choice.
type Situation struct {
	Pose      robot.Pose        // of M, in map
	Twist     robot.Twist       // at M, as measured
	Path      []robot.PathPoint // at least from 0.6 m behind the robot to Horizon ahead of it, or to the ends of the path; Spacing apart; not empty
	Along     float64           // m, position of the robot along the path
	End       float64           // m, end of the path, which may lie beyond Path
	Exact     float64           // m before End within which the robot follows the path exactly, however near standing obstacles are: only the guard watches them there
	MaxSpeed  float64           // m/s
	Obstacles Obstacles
}

// A Choice is the rollout that the robot drives.
type Choice struct {
	Lane  float64        // m to the left of the path
	Speed float64        // m/s, maximum
	Gain  float64        // m of progress within the horizon
	OK    bool           // it makes progress; false = the robot stands
	Turns bool           // it begins with a turn on the spot
	Meets bool           // before the horizon it comes too near to something
	Cost  [terms]float64 // m of progress
	// Because is why the robot does not simply follow its path; Progress = it does.
	Because Term
}

// Controller chooses among rollouts; New creates it.
type Controller struct {
	limit robot.Limit
	hull  []disc
	wide  float64 // m, radius of the widest disc of the hull
	need  float64 // m, least clearance that base_link needs
	steps int
	cost  weights
	path  []place
	start float64 // m, position of path[0] along the path
	last  Choice

	backward bool
	turned   Situation // the situation of a controller that drives backward, reused
}

// place is a preprocessed point of the path.
type place struct {
	at       robot.Point
	sin, cos float64
	heading  float64 // rad, not wrapped
	bend     float64
	speed    float64
	narrow   bool // it is in a narrow place, or just before or after one
}

// New returns the controller of a robot.
func New(desc robot.Description) *Controller {
	c := &Controller{limit: desc.Safe, hull: coverHull(desc), need: desc.Body.Clearance(), steps: horizonSteps(desc.Safe), cost: standard}
	for _, d := range c.hull {
		c.wide = math.Max(c.wide, d.radius)
	}
	c.path = make([]place, 0, int(c.Horizon()/Spacing)+20)
	return c
}

// NewBackward returns the controller of a robot that drives backward along its paths: the
// headings of a path are the directions of travel.
func NewBackward(desc robot.Description) *Controller {
	c := New(desc)
	c.backward = true
	for i := range c.hull {
		c.hull[i].ahead, c.hull[i].aside = -c.hull[i].ahead, -c.hull[i].aside
	}
	return c
}

// travel returns the situation of a robot that faces its direction of travel.
func (c *Controller) travel(s *Situation) *Situation {
	if !c.backward {
		return s
	}
	c.turned = *s
	c.turned.Pose.Theta = robot.WrapAngle(s.Pose.Theta + math.Pi)
	c.turned.Twist.Linear = -s.Twist.Linear
	return &c.turned
}

// Horizon returns how far ahead of the robot the path should extend, in m.
func (c *Controller) Horizon() float64 {
	return c.limit.Linear*(float64(c.steps)*period+lookAhead) + Spacing
}

// Reset discards the current lane, after the robot stood or was driven by other means.
func (c *Controller) Reset() { c.last = Choice{} }

// Last returns the last choice.
func (c *Controller) Last() Choice { return c.last }

// Choose simulates all rollouts and chooses the cheapest.
func (c *Controller) Choose(s *Situation) Choice {
	s = c.travel(s)
	c.prepare(s)
	maxSpeed := c.allowSpeed(s)
	left := c.somebodyComes(s)
	best := Choice{}
	bestCost := math.Inf(1)
	var plain rollout
	r := rollout{c: c, s: s}
	r.begin()
	for k := range lanes {
		lane := laneStep * float64((k+1)/2) // from the path outward
		if k%2 == 0 {
			lane = -lane
		}
		for _, part := range paces {
			speed := part * c.limit.Linear
			r.run(lane, math.Min(speed, maxSpeed))
			r.cost[Aside] = c.cost[Aside] * math.Abs(lane)
			r.cost[Change] = c.cost[Change] * c.changeLane(lane)
			r.cost[Pace] = c.cost[Pace] * math.Abs(speed-c.last.Speed)
			if left {
				r.cost[Left] = c.cost[Left] * math.Max(0, lane)
			}
			cost := r.total()
			if k == 0 && part == 1 {
				plain = r
			}
			if r.ok && cost < bestCost {
				bestCost = cost
				best = Choice{Lane: lane, Speed: speed, Gain: r.gain, Turns: r.turns, Meets: r.meets(), Cost: r.cost, OK: true}
			}
		}
	}
	best.OK = best.OK && (best.Gain >= gains || best.Turns)
	best.Because = because(&plain, best)
	if !best.OK {
		best.Lane, best.Speed, best.Turns = c.last.Lane, 0, false
	}
	c.last = best
	return best
}

// changeLane returns the size of the change from the last lane, in m. A change away from
// the path, or to its other side, counts more, so that the return to the path is not
// delayed.
func (c *Controller) changeLane(lane float64) float64 {
	by := math.Abs(lane - c.last.Lane)
	if math.Abs(lane) > math.Abs(c.last.Lane)+laneStep/2 || lane*c.last.Lane < 0 {
		by += outward
	}
	return by
}

// because returns why the plain rollout, along the path at full speed, was not chosen.
func because(plain *rollout, best Choice) Term {
	if !plain.ok {
		return plain.hit
	}
	why, most := Progress, 1e-9
	for t := Tight; t < terms; t++ {
		if more := plain.cost[t] - best.Cost[t]; more > most {
			why, most = t, more
		}
	}
	return why
}

// Steer returns the current twist, at M, of the last choice.
func (c *Controller) Steer(s *Situation) robot.Twist {
	if !c.last.OK {
		return robot.Twist{}
	}
	return c.steerTo(s, c.last.Lane, c.last.Speed)
}

// Track returns the twist, at M, along the path itself at maxSpeed at most, in m/s, whatever
// stands there: for a robot that must get out of a tight place, where only the guard can tell how
// much room there is.
func (c *Controller) Track(s *Situation, maxSpeed float64) robot.Twist {
	return c.steerTo(s, 0, maxSpeed)
}

// steerTo returns the twist to a lane at maxSpeed at most, in m/s.
func (c *Controller) steerTo(s *Situation, lane, maxSpeed float64) robot.Twist {
	s = c.travel(s)
	c.prepare(s)
	r := rollout{c: c, s: s}
	r.begin()
	t, _ := r.law(lane, math.Min(maxSpeed, c.allowSpeed(s)))
	if c.backward {
		t.Linear = -t.Linear
	}
	return c.limit.Clamp(t)
}

// prepare converts the path, with sines and cosines and with continuous headings.
func (c *Controller) prepare(s *Situation) {
	c.path = c.path[:0]
	first := max(0, min(len(s.Path)-1, int((s.Along-s.Path[0].Along-narrowAhead)/Spacing)))
	c.start = s.Path[first].Along
	for n, p := range s.Path[first:] {
		if n == cap(c.path) {
			break
		}
		sin, cos := math.Sincos(p.Pose.Theta)
		q := place{at: p.Pose.Point(), sin: sin, cos: cos, heading: p.Pose.Theta, bend: p.Bend, speed: p.Speed}
		if n > 0 {
			last := c.path[n-1].heading
			q.heading = last + robot.WrapAngle(q.heading-last)
		}
		c.path = append(c.path, q)
	}
	const before, after = narrowAhead / Spacing, narrowAfter / Spacing
	for n := range c.path {
		if s.Path[first+n].Clear < c.need+narrowRoom {
			for k := max(0, n-before); k <= min(n+after, len(c.path)-1); k++ {
				c.path[k].narrow = true
			}
		}
	}
}

// allowSpeed returns the highest speed for the robot's current place, in m/s.
func (c *Controller) allowSpeed(s *Situation) float64 {
	r := rollout{c: c, s: s, along: s.Along}
	here := r.here(0)
	if here.narrow && math.Abs(robot.WrapAngle(here.heading-s.Pose.Theta)) > robot.Radians(narrowTurn) {
		return math.Min(narrowSpeed, c.attend(s))
	}
	return c.attend(s)
}

// attend returns the highest speed in view of people who come nearer, in m/s.
func (c *Controller) attend(s *Situation) float64 {
	sin, cos := math.Sincos(s.Pose.Theta)
	v := robot.Point{X: s.Twist.Linear * cos, Y: s.Twist.Linear * sin}
	for _, d := range s.Obstacles.Discs() {
		to := d.At.Sub(s.Pose.Point())
		far := to.Norm()
		if near := far - d.Radius - c.wide; near < attention && far > 0 {
			if v.Sub(d.Velocity).Dot(to)/far > closing && d.Speed() > closing {
				return math.Min(s.MaxSpeed, attentive)
			}
		}
	}
	return s.MaxSpeed
}

// somebodyComes reports whether a person ahead walks toward the robot.
func (c *Controller) somebodyComes(s *Situation) bool {
	sin, cos := math.Sincos(s.Pose.Theta)
	ahead := robot.Point{X: cos, Y: sin}
	for _, d := range s.Obstacles.Discs() {
		to := d.At.Sub(s.Pose.Point())
		if to.Norm() < comes && to.Dot(ahead) > 0 && d.Velocity.Dot(ahead) < -closing {
			return true
		}
	}
	return false
}
