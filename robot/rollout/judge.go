package rollout

import "mybot/robot"

// Period is the duration of a simulated step, in s.
const Period = period

// A Judge simulates motions in one situation, with the limits and the costs of a
// Controller's rollouts. With it the lab compares other ways to find a motion.
type Judge struct {
	r        rollout
	maxSpeed float64
}

// A Trial is what comes of a simulated motion.
type Trial struct {
	Cost   float64 // m of progress, of the terms that do not depend on lanes
	Gain   float64 // m of progress
	OK     bool    // it comes too near to nothing, or so late that it need not be decided yet
	Meets  bool    // before its end it comes too near to something
	Across float64 // m from the path in the end, left positive
	Turn   float64 // rad to the direction of the path in the end, left positive
}

// Judge returns the judge of a situation of a controller that drives forward. It is valid
// until c is used again.
func (c *Controller) Judge(s *Situation) Judge {
	c.prepare(s)
	j := Judge{r: rollout{c: c, s: s}, maxSpeed: c.allowSpeed(s)}
	j.r.begin()
	return j
}

// MaxSpeed returns the highest speed at the robot's place, in view of people, in m/s.
func (j *Judge) MaxSpeed() float64 { return j.maxSpeed }

// Follow returns the twist that follows the path, whatever stands there, and whether the
// robot turns on the spot for it.
func (j *Judge) Follow() (t robot.Twist, turns bool) {
	j.r.restart()
	return j.r.law(0, j.maxSpeed)
}

// Try simulates a robot that wants the twists, one each Period.
func (j *Judge) Try(wanted []robot.Twist) Trial {
	r := &j.r
	r.restart()
	for k, want := range wanted {
		if !r.step(k, len(wanted), want) {
			break
		}
	}
	if !r.meets() {
		r.finish(len(wanted))
	}
	here := r.here(0)
	off := r.pose.Point().Sub(here.at)
	return Trial{Cost: r.total(), Gain: r.gain, OK: r.ok, Meets: r.meets(), Across: here.cos*off.Y - here.sin*off.X, Turn: robot.WrapAngle(here.heading - r.pose.Theta)}
}
