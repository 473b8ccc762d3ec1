package navigate

import (
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/testbed"
	"mybot/pathplan"
	"mybot/robot"
	"mybot/robot/onboard"
)

// watchedRover is a robot without a map, which refuses commands.
func watchedRover(t *testing.T, g robot.Goal) *testbed.Rover {
	t.Helper()
	f := officeFloor(t)
	r := &testbed.Rover{Desc: f.Desc, World: sim.NewWorld(f.Desc, f.Plan, sim.Scene{}, sim.Options{Seed: 1}), Core: onboard.NewCore(f.Desc, nil, nil)}
	r.Now, r.State.Goal = time.Unix(1e6, 0), &g
	return r
}

func TestHelpBeforeAClosedDoorIsNoHelp(t *testing.T) {
	r := watchedRover(t, robot.Goal{Phase: robot.GoalBlocked, Blocked: &robot.Blockage{Waited: 20}})
	var w watcher
	if pressed, moves := w.help(r); !pressed || moves {
		t.Errorf("a robot that refuses: pressed %v, moves %v", pressed, moves)
	}
	r.Now = r.Now.Add(helpAfter)
	if pressed, _ := w.help(r); pressed {
		t.Error("the button was pressed again too soon")
	}
	r.Now = r.Now.Add(time.Second)
	if pressed, _ := w.help(r); !pressed {
		t.Error("the button was not pressed again")
	}
	r.Unwatched, w = true, watcher{}
	if pressed, _ := w.help(r); pressed {
		t.Error("a person helps an unwatched robot")
	}
}

func TestNobodyPressesBeforeTheRobotHasShownForAWhileThatItWaits(t *testing.T) {
	blocked := watchedRover(t, robot.Goal{Phase: robot.GoalBlocked, Blocked: &robot.Blockage{Waited: helpAfter.Seconds()}})
	if pressed, _ := new(watcher).help(blocked); pressed {
		t.Error("a robot that was blocked a moment ago is ordered to go around")
	}
	for _, c := range []struct {
		name   string
		trust  func(second int) robot.Trust
		phase  func(second int) robot.GoalPhase
		second int // of the first press; -1 = none in a minute
	}{
		{"paused and its position is good", always(robot.TrustOK), always(robot.GoalPaused), 16},
		{"paused and its position is unsure", always(robot.TrustUnsure), always(robot.GoalPaused), 16},
		{"paused and lost", always(robot.TrustLost), always(robot.GoalPaused), -1},
		{"on its way", always(robot.TrustOK), always(robot.GoalDriving), -1},
		{"found after ten seconds", after(10, robot.TrustLost, robot.TrustOK), always(robot.GoalPaused), 26},
		{"paused anew after ten seconds", always(robot.TrustOK), func(second int) robot.GoalPhase {
			if second == 10 {
				return robot.GoalDriving
			}
			return robot.GoalPaused
		}, 27},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := watchedRover(t, robot.Goal{})
			var w watcher
			first := -1
			for second := 0; second < 60 && first < 0; second++ {
				r.State.Estimate.Trust, r.State.Goal.Phase = c.trust(second), c.phase(second)
				if pressed, _ := w.help(r); pressed {
					first = second
				}
				r.Now = r.Now.Add(time.Second)
			}
			if first != c.second {
				t.Errorf("the button is pressed after %d s, want %d", first, c.second)
			}
		})
	}
}

func always[T any](v T) func(int) T { return func(int) T { return v } }

func after[T any](second int, before, then T) func(int) T {
	return func(now int) T {
		if now < second {
			return before
		}
		return then
	}
}

func TestPeopleInTheOnlyDoorwayAreInEveryWay(t *testing.T) {
	f := officeFloor(t)
	from, goal := robot.Pose{X: 4.5, Y: 7.3}, robot.Pose{X: 5.2, Y: 10.3}
	route, err := pathplan.NewPlanner(f.Plan, f.Desc).FindRoute(time.Time{}, from, goal)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		where func(leaf robot.Segment) robot.Point
		want  bool
	}{
		{"in the doorway", func(l robot.Segment) robot.Point { return robot.Point{X: (l.A.X + l.B.X) / 2, Y: (l.A.Y + l.B.Y) / 2} }, true},
		{"far from it", func(robot.Segment) robot.Point { return robot.Point{X: 12, Y: 7.3} }, false},
	} {
		for _, d := range f.Plan.Doors {
			if !passesDoor(&route, d) {
				continue
			}
			person := sim.Person{Radius: testbed.PersonRadius, Route: []sim.RouteStop{{Point: c.where(d.Leaf(d.Closed))}}}
			r, err := f.NewRover(sim.Scene{Start: from, People: []sim.Person{person}}, &fixedLocalizer{pose: from}, 1)
			if err != nil {
				t.Fatal(err)
			}
			ways := &wayWatch{desc: f.Desc, plan: f.Plan, from: from, goal: goal}
			if got := ways.isPeopled(r); got != c.want || !ways.isOpen(r) {
				t.Errorf("a person %s is in every path: %v, and without people a path exists: %v", c.name, got, ways.isOpen(r))
			}
		}
	}
}
