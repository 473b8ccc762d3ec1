package rollout

import "mybot/robot"

// A Term is one part of what a rollout costs.
type Term uint8

// The terms.
const (
	Progress  Term = iota // along the path: a gain
	Aside                 // off the path
	Change                // to another lane than before
	Pace                  // to another speed than before
	Tight                 // past what stands
	Near                  // past who moves
	InFront               // across in front of who moves
	Left                  // on the left of who comes
	Collision             // ends in one, later than the robot must decide
	terms
)

// Names are those of the terms, for traces.
var Names = [terms]string{"progress", "aside", "change", "pace", "tight", "near", "in front", "left", "collision"}

// weights is what each term costs, in m of progress for its unit.
type weights [terms]float64

// standard is the table of the weights. Where it names no other source they are those of
// the first experiments with lane rollouts, set once by hand and not tuned since.
var standard = weights{
	Progress:  1,    // for a metre along the path
	Aside:     0.20, // for a metre between the lane and the path
	Change:    0.08, // for a metre between this lane and the one before: it does not waver
	Pace:      0.05, // for 1 m/s between this speed and the one before
	Tight:     1.6,  // for a metre with no clearance; it grows with the square of what lacks of tightBelow
	Near:      3.0,  // for a second that touches; likewise, of nearBelow. Seldom nearer to who walks than 0.2 m was the aim
	InFront:   0.5,  // for a second that is directly in front of who walks; less, the later they are there
	Left:      0.06, // for a metre of lane to the left while somebody comes: people keep to the right
	Collision: 0.6,  // for one that is a horizon early; less, the later it is
}

// Limits of a rollout.
const (
	lanes       = 17   // of the family
	laneStep    = 0.15 // m between them
	narrowLane  = 0.05 // m beside the path that lanes are at most in a narrow place
	period      = 0.15 // s, one step
	minSteps    = 20   // 3 s
	maxSteps    = 40
	wall        = 0.02 // m: nearer to what stands no rollout leads,
	person      = 0.10 // m: and nearer to who moves, where they will be
	decide      = 1.0  // s: a collision later than this is not certain yet
	rollback    = 0.2  // m of the gain of such a rollout that do not count
	tightBelow  = 0.15 // m of clearance that cost nothing
	nearBelow   = 0.6  // m to who moves, likewise
	touching    = 1.0  // s: a rollout that meets people costs as if it touched them for so long
	meetingTime = 4.0  // s after a rollout that people are met in
	frontTime   = 2.0  // s: who walks is at the place later than this
	frontAside  = 0.60 // m beside their line that still count as in front
	attention   = 1.2  // m from who comes nearer within which the robot slows down,
	closing     = 0.3  // m/s, when they do so by so much,
	attentive   = 0.3  // m/s, to this speed: it reads as attention
	comes       = 7.0  // m within which it matters who comes
	outward     = 0.4  // m that a change of lane away from the path counts for in addition: it does not waver
	endTaper    = 0.6  // m beside the path that lanes are at most for each metre to shortly before its last part
	narrowAhead = 0.6  // m before a narrow place from which on it counts,
	narrowAfter = 0.3  // m, and so far behind it: whoever stands behind a door is passed
	narrowRoom  = 0.19 // m more clearance than the robot needs make a place wide
	narrowSpeed = 0.3  // m/s through a narrow place, as long as the robot is turned against it,
	narrowTurn  = 10   // deg, by more than this
	gains       = 0.08 // m of progress in 3 s that are getting on
)

// paces are the speeds of the family, as parts of the robot's own.
var paces = [...]float64{1, 0.6, 0.3}

// horizonSteps returns how many steps a rollout looks ahead: twice the time that it takes to
// brake, and a second.
func horizonSteps(l robot.Limit) int {
	horizon := 2*l.Linear/l.LinearAcceleration + 1
	return int(robot.Clamp(horizon/period+0.999, minSteps, maxSteps))
}
