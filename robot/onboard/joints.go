package onboard

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// maxJointTurn is the largest position of a continuous joint, in rad.
const maxJointTurn = 1e6

// joints holds the set points of the joints. The set point of a joint moves from its
// measured position to its goal at the joint's speed, at most limits.JointLead ahead of the
// measured position, so that the joint soon stops when the commands do. Positions are in
// rad or m, in the order of Description.Joints.
type joints struct {
	goals   []float64 // NaN = the joint has no goal or has reached it
	told    []float64 // set points; NaN = none yet
	unsent  []bool    // the set point has changed since takeJointMoves
	held    string    // why the joints were held before they reached their goals; "" = they were not
	outside string    // sentence about a link that sticks out of the hull; "" = none
	checked time.Time // when outside was computed
	lapsed  string    // why to hold the joints at the positions of the next reading; "" = do not
}

func newJoints(d robot.Description) joints {
	j := joints{goals: make([]float64, len(d.Joints)), told: make([]float64, len(d.Joints)), unsent: make([]bool, len(d.Joints))}
	for i := range j.goals {
		j.goals[i], j.told[i] = math.NaN(), math.NaN()
	}
	return j
}

// jointAt returns the position of a joint in the newest reading; NaN = unknown.
func (c *Core) jointAt(i int) float64 {
	if i >= len(c.reading.Joints) || !robot.Finite(c.reading.Joints[i]) {
		return math.NaN()
	}
	return c.reading.Joints[i]
}

// moveJoints sets the goals of joints. If it refuses one of them, it refuses all.
func (c *Core) moveJoints(now time.Time, at map[string]float64) robot.Result {
	if c.stop != nil {
		return robot.Result{Word: robot.Panic, Reason: c.stopReason() + " Release the stop first."}
	}
	if len(c.desc.Joints) == 0 {
		return robot.Result{Word: robot.NA, Reason: "This robot has no joints to move."}
	}
	if no := c.refuseWithoutReadings(now); no.Word != "" {
		return no
	}
	if c.lent.Arm && c.drives(velocityRequest{}) {
		return busyResult(armRests)
	}
	answer := robot.Result{Word: robot.Success}
	goals := map[int]float64{}
	for _, name := range slices.Sorted(maps.Keys(at)) {
		i := c.desc.Joint(name)
		if i < 0 {
			return robot.Result{Word: robot.NA, Reason: fmt.Sprintf("This robot has no joint %q; the most similar name is %q.", name, c.similarJoint(name))}
		}
		j, to := c.desc.Joints[i], at[name]
		switch {
		case !robot.Finite(to) || j.IsEndless() && math.Abs(to) > maxJointTurn:
			return failedResult("The position %v of the joint %q is out of all bounds.", to, name)
		case math.IsNaN(c.jointAt(i)):
			return failedResult("The base does not say where the joint %q is, so it is not moved.", name)
		}
		goals[i] = j.Clamp(to)
		if math.Abs(goals[i]-to) > sixDigits*max(1, math.Abs(to)) && answer.Word == robot.Success {
			answer = robot.Result{Word: robot.Modified, Reason: fmt.Sprintf("The joint %q was asked to %s, it goes only to %s.", name, describePosition(j, to), describePosition(j, goals[i]))}
		}
	}
	if len(goals) == 0 {
		return failedResult("No joint is named. Name at least one, with its position.")
	}
	for i, to := range goals {
		if math.IsNaN(c.joints.goals[i]) {
			c.joints.told[i] = c.jointAt(i)
		}
		c.joints.goals[i] = to
	}
	c.joints.held = ""
	return answer
}

// sixDigits is how much a position may be beyond a limit: pages know the limits to six digits.
const sixDigits = 1e-5

// describePosition formats the position of a joint for people.
func describePosition(j robot.Joint, x float64) string {
	if j.Kind == robot.Turn {
		return fmt.Sprintf("%.0f deg", robot.Degrees(x))
	}
	return fmt.Sprintf("%.3f m", x)
}

// similarJoint returns the most similar name of a joint.
func (c *Core) similarJoint(name string) string {
	return slices.MinFunc(c.desc.Joints, func(a, b robot.Joint) int {
		return cmp.Compare(editDistance(a.Name, name), editDistance(b.Name, name))
	}).Name
}

// editDistance returns the Levenshtein distance of two texts.
func editDistance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for k := range row {
		row[k] = k
	}
	for i, r := range from {
		diagonal := row[0]
		row[0] = i + 1
		for k, s := range to {
			change := diagonal
			if r != s {
				change++
			}
			diagonal = row[k+1]
			row[k+1] = min(change, diagonal+1, row[k]+1)
		}
	}
	return row[len(to)]
}

// leadJoints advances the set points of the joints by dt seconds.
func (c *Core) leadJoints(dt float64) {
	if why := c.joints.lapsed; why != "" {
		c.joints.lapsed = ""
		c.holdJoints(why)
	}
	for i, j := range c.desc.Joints {
		to, at := c.joints.goals[i], c.jointAt(i)
		if math.IsNaN(to) {
			continue
		}
		if math.IsNaN(at) {
			c.joints.goals[i] = math.NaN()
			c.joints.held = fmt.Sprintf("The base does not say any more where the joint %q is.", j.Name)
			continue
		}
		told := c.joints.told[i]
		if told == to && math.Abs(at-to) <= nearJoint(j) {
			c.joints.goals[i] = math.NaN()
			continue
		}
		step, lead := j.Speed*dt, j.Speed*limits.JointLead.Seconds()
		if next := j.Clamp(robot.Clamp(stepTo(told, to, step), at-lead, at+lead)); next != told {
			c.joints.told[i], c.joints.unsent[i] = next, true
		}
	}
}

// checkHull checks every HullCheckEvery which link sticks out of the hull: the guard and
// the planner know only the hull.
func (c *Core) checkHull(now time.Time) {
	if len(c.desc.Joints) == 0 || !c.joints.checked.IsZero() && now.Sub(c.joints.checked).Abs() < limits.HullCheckEvery {
		return
	}
	c.joints.checked, c.joints.outside = now, ""
	if link, by := c.desc.FarthestOutside(c.reading.Joints); by > limits.HullTolerance {
		c.joints.outside = fmt.Sprintf("%q sticks out %.2f m beyond the robot's hull. Guard and routes do not know that: mind it.", link, by)
	}
}

// stepTo returns x moved toward to by at most step.
func stepTo(x, to, step float64) float64 {
	if math.Abs(to-x) <= step {
		return to
	}
	return x + math.Copysign(step, to-x)
}

// nearJoint returns the distance within which a joint counts as at its goal, in rad or m.
func nearJoint(j robot.Joint) float64 {
	if j.Kind == robot.Slide {
		return limits.JointNear
	}
	return limits.JointNearTurn
}

// holdJoints holds moving joints at their measured positions.
func (c *Core) holdJoints(reason string) {
	for i, to := range c.joints.goals {
		if math.IsNaN(to) {
			continue
		}
		c.joints.goals[i], c.joints.held = math.NaN(), reason
		if at := c.jointAt(i); !math.IsNaN(at) {
			c.joints.told[i], c.joints.unsent[i] = c.desc.Joints[i].Clamp(at), true
		}
	}
}

// takeJointMoves returns the set points to send to the base, by joint name; nil = none.
func (c *Core) takeJointMoves() (moves map[string]float64) {
	for i, j := range c.desc.Joints {
		if c.joints.unsent[i] {
			if moves == nil {
				moves = map[string]float64{}
			}
			moves[j.Name], c.joints.unsent[i] = c.joints.told[i], false
		}
	}
	return moves
}

// describeJoints returns the joints for a state; nil = the robot has none.
func (c *Core) describeJoints() *robot.JointsState {
	if len(c.desc.Joints) == 0 {
		return nil
	}
	s := &robot.JointsState{At: make([]float64, len(c.desc.Joints)), To: slices.Clone(c.joints.goals), Held: c.joints.held, Outside: c.joints.outside}
	for i := range s.At {
		s.At[i] = c.jointAt(i)
	}
	return s
}
