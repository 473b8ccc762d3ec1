package navigate

import (
	"math"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/testbed"
	"mybot/pathplan"
	"mybot/robot"
)

func TestAWayIsOpenInTruthAsLongAsTheDoorIs(t *testing.T) {
	f := officeFloor(t)
	from, goal := robot.Pose{X: 4.5, Y: 7.3}, robot.Pose{X: 5.2, Y: 10.3}
	r, err := f.NewRover(sim.Scene{Start: from}, &fixedLocalizer{pose: from}, 1)
	if err != nil {
		t.Fatal(err)
	}
	route, err := pathplan.NewPlanner(f.Plan, f.Desc).FindRoute(time.Time{}, from, goal)
	if err != nil {
		t.Fatal(err)
	}
	ways := &wayWatch{desc: f.Desc, plan: f.Plan, from: from, goal: goal}
	for _, closed := range []bool{false, true, false} {
		for n, d := range f.Plan.Doors {
			if passesDoor(&route, d) {
				if err := r.World.SetDoor(n, closed); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 2 { // the second answer is remembered
			if ways.isOpen(r) == closed {
				t.Errorf("the door is closed: %v, but the path is not", closed)
			}
		}
	}
	// Behind the closed door the answer differs.
	for n, d := range f.Plan.Doors {
		if passesDoor(&route, d) {
			_ = r.World.SetDoor(n, true)
		}
	}
	if ways.isOpen(r) {
		t.Error("a path leads through a closed door")
	}
	if err := r.World.CarryRobot(robot.Pose{X: 5.2, Y: 10}); err != nil {
		t.Fatal(err)
	}
	r.UpdateTruth()
	if !ways.isOpen(r) {
		t.Error("in the room of its goal there is no path")
	}
}

// A fixedLocalizer reports the start pose.
type fixedLocalizer struct{ pose robot.Pose }

func (l *fixedLocalizer) Update(robot.Reading)     {}
func (l *fixedLocalizer) Estimate() robot.Estimate { return robot.Estimate{Pose: l.pose} }
func (l *fixedLocalizer) SetPose(p robot.Pose)     { l.pose = p }

// A press counts as needed only if a path exists in truth, not before a door that stays closed.
func TestAPressBeforeAClosedDoorIsNotNeeded(t *testing.T) {
	f := officeFloor(t)
	from, goal := robot.Pose{X: 4.5, Y: 7.3}, robot.Pose{X: 5.2, Y: 10.3}
	for _, open := range []bool{false, true} {
		scene := sim.DefaultScene()
		scene.Start = from
		r, err := f.NewRover(scene, testbed.NewLocalizer("odometry", f.Desc, f.Plan, nil, from, 1), 1)
		if err != nil {
			t.Fatal(err)
		}
		for n := range f.Plan.Doors {
			if err := r.World.SetDoor(n, true); err != nil {
				t.Fatal(err)
			}
		}
		ways := &wayWatch{desc: f.Desc, plan: f.Plan, from: from, goal: goal}
		e := goalTrial{from: from, goal: goal, lasts: time.Minute, isOpen: ways.isOpen}
		if open { // a planner that ignores the door
			e.isOpen = func(*testbed.Rover) bool { return true }
		}
		o, err := driveToGoal(t.Context(), r, e, func(*testbed.Rover) error { return nil })
		if err != nil || o.asked == 0 || (o.needed > 0) != open {
			t.Errorf("a path exists: %v; pressed %d times, needed %d times, %v", open, o.asked, o.needed, err)
		}
	}
}

func TestExcessIsTheTimeAboveTheOraclesOfTheTimeTold(t *testing.T) {
	var o helpOutcome
	o.countHelp([]trialResult{
		{end: arrived, reachable: true, planned: 10, took: 12, oracle: 11},
		{end: arrived, reachable: true, planned: 10, took: 40}, // for which the oracle knows no path
		{end: failed, planned: 10, took: 90, oracle: 11},
	})
	if math.Abs(o.Excess-0.1) > 1e-9 || math.Abs(o.ExcessP95-0.1) > 1e-9 || math.Abs(o.OracleRatio-12.0/11) > 1e-9 || o.Oracles != 1 {
		t.Errorf("%+v", o)
	}
}
