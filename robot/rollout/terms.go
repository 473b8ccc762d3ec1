package rollout

import "mybot/robot"

// A Term is one term of a rollout's cost.
type Term uint8

// The terms.
const (
	Progress  Term = iota // along the path; negative cost
	Aside                 // offset from the path
	Change                // change of lane
	Pace                  // change of speed
	Tight                 // close to standing obstacles
	Near                  // close to moving obstacles
	InFront               // crossing in front of a moving obstacle
	Left                  // left lane while a person approaches
	Collision             // a collision, later than the robot has to decide
	terms
)

// Names are the names of the terms, for traces.
var Names = [terms]string{"progress", "aside", "change", "pace", "tight", "near", "in front", "left", "collision"}

// weights holds the cost of each term, in m of progress per unit.
type weights [terms]float64

// standard is the table of weights. Unless another source is named, they come from the
// first experiments with lane rollouts, set once by hand and not tuned since.
var standard = weights{
	Progress:  1,    // per metre along the path
	Aside:     0.20, // per metre between the lane and the path
	Change:    0.08, // per metre between this lane and the last: prevents wavering
	Pace:      0.05, // per 1 m/s between this speed and the last
	Tight:     1.6,  // per metre without clearance; quadratic in the lack of clearance below tightBelow
	Near:      3.0,  // per second of contact; quadratic below nearBelow. The aim: seldom nearer than 0.2 m to a walking person
	InFront:   0.5,  // per second directly in front of a walking person; less, the later the person gets there
	Left:      0.06, // per metre of lane to the left while a person approaches: people keep to the right
	Collision: 0.6,  // for an immediate collision; less, the later it is
}

// Limits of a rollout.
const (
	lanes       = 17   // number of lanes
	laneStep    = 0.15 // m between lanes
	narrowLane  = 0.05 // m, largest offset of a lane in a narrow place
	period      = 0.15 // s, one step
	minSteps    = 20   // 3 s
	maxSteps    = 40
	wall        = 0.02 // m, least distance to standing obstacles
	person      = 0.10 // m, least distance to moving obstacles, where they will be
	decide      = 1.0  // s, a later collision is not certain yet
	rollback    = 0.2  // m of progress that such a rollout loses
	tightBelow  = 0.15 // m, clearance from which on standing obstacles cost nothing
	nearBelow   = 0.6  // m, the same for moving obstacles
	touching    = 1.0  // s, a rollout that meets a person costs as much as contact for this long
	meetingTime = 4.0  // s after a rollout within which meetings count
	frontTime   = 2.0  // s, a person who arrives later than this does not count
	frontAside  = 0.60 // m, lateral distance from the person's line that counts as in front
	attention   = 1.2  // m, distance from an approaching person within which the robot slows down
	closing     = 0.3  // m/s, closing speed from which that applies
	attentive   = 0.3  // m/s, to this speed: people read it as attention
	comes       = 7.0  // m, range in which approaching people count
	outward     = 0.4  // m, added to a change of lane away from the path or across it: prevents wavering
	endTaper    = 0.6  // m, largest offset of a lane per metre to shortly before the end of the path
	narrowAhead = 0.6  // m, a narrow place counts from this far before it
	narrowAfter = 0.3  // m, to this far after it, so that the robot has passed a person behind a door
	narrowRoom  = 0.19 // m, a place with this much more clearance than the robot needs is not narrow
	narrowSpeed = 0.3  // m/s, through a narrow place while the robot is not aligned with the path
	narrowTurn  = 10   // deg, misaligned by more than this
	gains       = 0.08 // m, least gain of a rollout that makes progress
)

// paces are the simulated speeds, as fractions of the robot's safe speed.
var paces = [...]float64{1, 0.6, 0.3}

// horizonSteps returns the number of steps of a rollout: twice the braking time plus one
// second, within minSteps and maxSteps.
func horizonSteps(l robot.Limit) int {
	horizon := 2*l.Linear/l.LinearAcceleration + 1
	return int(robot.Clamp(horizon/period+0.999, minSteps, maxSteps))
}
