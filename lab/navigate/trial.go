package navigate

import (
	"context"
	"fmt"
	"math"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/testbed"
	"mybot/robot"
)

// trialResult is the outcome of a trial.
type trialResult struct {
	end       ending
	reason    string
	reachable bool // at the end, a path existed on a map with all obstacles
	planned   float64
	took      float64 // s
	off       float64 // m from the goal in truth
	turned    float64 // rad
	lost      bool    // the robot has reported it
	asked     int     // presses of "go around" or "resume"
	moved     int     // of those, that set the robot in motion
	needed    int     // of those, at which a path existed in truth
	peopled   int     // of needed, at which people were in every path
	elsewhere bool    // it reported arrival, but was elsewhere
	alone     bool    // it arrives without help
	passes    testbed.Passes

	aloneReachable bool   // the same as reachable, without help
	pairs          [2]int // drawn for it, and refused immediately
	bumps          int
	pushed         int
	pushedLate     int       // of those, after the robot was made to brake
	replan         []float64 // ms
	distance       float64
	worst          float64 // m, largest error of the estimate

	oracle  float64 // s, time of the oracle; 0 = unknown
	trace   trace
	conduct conduct
	changes []change        // of the world
	touched []time.Duration // times since the start of the run at which the moving robot and a person touched
}

// ending is how a trial ended.
type ending string

const (
	arrived ending = "arrived"
	refused ending = "refused"
	blocked ending = "blocked"
	paused  ending = "paused"
	failed  ending = "failed"
	onWay   ending = "on its way"
)

const (
	putApart    = 1.0         // m, least distance from the robot's centre to an event
	thereWithin = 0.3         // m in truth; a robot farther from its goal has not arrived, whatever it reports
	thereTurned = math.Pi / 9 // rad
)

// driveToGoal sends the robot to the goal and calls meanwhile, which changes the world, until
// the robot is done or has taken too long.
func driveToGoal(ctx context.Context, r *testbed.Rover, e goalTrial, meanwhile func(*testbed.Rover) error) (trialResult, error) {
	o := trialResult{pairs: [2]int{e.pairs, e.refusedPairs}}
	answer := r.Do(robot.GoTo{Goal: r.Known.Compose(e.goal)})
	if !answer.Done() || answer.Route == nil {
		o.end, o.reason = refused, answer.Reason
		return o, nil
	}
	o.planned = answer.Route.Time
	start := r.Elapsed()
	var person watcher
	for r.Elapsed()-start < e.lasts {
		if ctx.Err() != nil {
			return o, ctx.Err()
		}
		if err := meanwhile(r); err != nil {
			return o, err
		}
		if err := r.Step(); err != nil {
			return o, err
		}
		g := r.State.Goal
		if g == nil {
			return o, fmt.Errorf("lab: goto: seed %d: the robot has started and reports no goal", e.seed)
		}
		o.worst = max(o.worst, r.EstimateInTruth().Point().Sub(r.Truth.Pose.Point()).Norm())
		o.lost = o.lost || r.State.Estimate.Trust == robot.TrustLost
		if pressed, moves := person.help(r); pressed {
			o.countPress(r, moves, e.isOpen, e.isPeopled)
		}
		if g.Phase == robot.GoalEnded {
			break
		}
	}
	o.took = (r.Elapsed() - start).Seconds()
	g := r.State.Goal
	switch {
	case g.Phase == robot.GoalEnded && g.Result.Done():
		o.end = arrived
	case g.Phase == robot.GoalEnded:
		o.end = failed
	case g.Phase == robot.GoalBlocked:
		o.end = blocked
	case g.Phase == robot.GoalPaused:
		o.end = paused
	default:
		o.end = onWay
	}
	o.reason = g.Result.Reason
	o.passes = r.Passes
	off := e.goal.Inverse().Compose(r.Truth.Pose)
	o.off, o.turned = off.Point().Norm(), math.Abs(off.Theta)
	o.bumps, o.pushed, o.replan, o.distance, o.touched = r.Bumps, r.Pushed, r.Replan, r.Way, r.Touched
	return o, nil
}

// judgeByTruth checks by the truth, not by the robot's report, whether it has arrived.
func (o *trialResult) judgeByTruth() {
	if o.elsewhere = o.end == arrived && (o.off > thereWithin || o.turned > thereTurned); o.elsewhere {
		o.end, o.reason = failed, fmt.Sprintf("It reported its arrival %.2f m and %.0f deg off its goal.", o.off, robot.Degrees(o.turned))
	}
}

// applyEvent applies an event to the world, if it is fair to the robot now.
func applyEvent(r *testbed.Rover, plan *robot.Floorplan, e event) bool {
	at := r.Truth.Pose.Point()
	if e.barrel != nil {
		if at.Sub(e.barrel.Point).Norm() < putApart+e.barrel.Radius {
			return false
		}
		_, err := r.World.AddThing(sim.ObstacleKind, e.barrel.Point, e.barrel.Radius)
		return err == nil
	}
	d := plan.Doors[e.door]
	if e.closed && at.Sub(d.Hinge).Norm() < putApart+d.Length {
		return false
	}
	return r.World.SetDoor(e.door, e.closed) == nil
}
