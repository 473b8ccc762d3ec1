package app

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models/modelstest"
)

// besideWays returns the planner of the office with a worker that plans only when
// the test lets it.
func besideWays(t *testing.T) (w *asyncPlanner, work func()) {
	t.Helper()
	desc := modelstest.Mybot(t)
	plan, err := floorplan.Load(maps.Office())
	if err != nil {
		t.Fatal(err)
	}
	worker := NewPlanWorker()
	return worker.NewPlanner(plan, desc).(*asyncPlanner), func() { (<-worker.plans)() }
}

func TestTheControlLoopNeverWaitsForAPath(t *testing.T) {
	from, sofa, copyRoom := robot.Pose{X: 4.7, Y: 7.3}, robot.Pose{X: 12, Y: 7.3}, robot.Pose{X: 8.5, Y: 7.3}
	now := time.Unix(1e6, 0)
	w, work := besideWays(t)
	synctest.Test(t, func(t *testing.T) {
		ask := func(from, to robot.Pose) robot.Path {
			t.Helper()
			begin := time.Now()
			path, err := w.Plan(now, from, to)
			if took := time.Since(begin); took > 0 {
				t.Errorf("the control loop waited for %v", took)
			}
			if errors.Is(err, robot.ErrPlanning) != (path == nil) {
				t.Fatal(err)
			}
			return path
		}
		for range 3 {
			if ask(from, sofa) != nil || ask(from, copyRoom) != nil {
				t.Fatal("there is a path before anything was planned")
			}
		}
		work()
		if ask(from, copyRoom) != nil {
			t.Error("a request got the path of another one")
		}
		if path := ask(from, sofa); path == nil || path.Route().Goal != sofa {
			t.Error("the planned path is missing")
		}

		// An obstacle that appears while a path is being planned counts for that
		// path.
		ask(from, sofa)
		w.Block(now, from.Point(), robot.Point{X: 7, Y: 7.3})
		work()
		if ask(from, sofa) != nil {
			t.Error("a path leads through an obstacle that was seen meanwhile")
		}
		work()
		path := ask(from, sofa)
		if path == nil {
			t.Fatal("there is no path around it")
		}
		for _, p := range path.Route().Line {
			if p.Sub(robot.Point{X: 7.15, Y: 7.3}).Norm() < 0.5 {
				t.Errorf("the path around leads through %v", p)
			}
		}

		// So do points that a lidar sees.
		ask(from, sofa)
		w.BlockPoints(now, []robot.Point{{X: 9, Y: 7.3}, {X: 9, Y: 7.4}})
		work()
		if ask(from, sofa) != nil {
			t.Error("a path leads through an obstacle that a lidar saw meanwhile")
		}
		work()
		if path := ask(from, sofa); path == nil || path.Route().Length <= robot.Point.Sub(sofa.Point(), from.Point()).Norm()+0.05 {
			t.Error("there is no path around what the lidar saw")
		}

		// A robot that has moved on needs another path.
		ask(from, sofa)
		work()
		if ask(robot.Pose{X: 6, Y: 7.3}, sofa) != nil {
			t.Error("the path starts at the robot's old pose")
		}
		work()
		if ask(robot.Pose{X: 6, Y: 7.3}, sofa) == nil {
			t.Error("there is no path from the robot's present pose")
		}

		// An unclaimed path does not block others for long.
		ask(from, sofa)
		work()
		polls := 0
		for ask(from, copyRoom); len(w.worker.plans) == 0 && polls < 100; polls++ {
			ask(from, copyRoom)
		}
		if polls > maxPolls {
			t.Errorf("after %d readings the other path is not planned", polls)
		}
	})
}

func TestALidarThatSeesNothingInTheWayTellsOfNoObstacle(t *testing.T) {
	desc := modelstest.Mybot(t)
	grid := robot.Grid{Width: 200, Height: 120, Resolution: 0.05, Origin: robot.Point{X: -5, Y: -3}}
	for range grid.Width * grid.Height {
		grid.Cells = append(grid.Cells, robot.Free)
	}
	worker := NewPlanWorker()
	w := worker.NewPlanner(&robot.Floorplan{Grid: grid}, desc).(*asyncPlanner)
	from, to, now := robot.Pose{X: -3}, robot.Pose{X: 3}, time.Unix(1e6, 0)
	plan := func() robot.Path { // as the control loop asks for it
		path, _ := w.Plan(now, from, to)
		return path
	}
	plan()
	w.BlockPoints(now, nil)
	for range 2 { // the first is older than the request
		(<-worker.plans)()
		if path := plan(); path != nil {
			if length := path.Route().Length; length > 6.01 {
				t.Errorf("the path of 6 m through the origin of the map is %.2f m long", length)
			}
			return
		}
	}
	t.Error("there is no path")
}

func TestThePlanWorkerEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPlanWorker()
		ended := make(chan error)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { ended <- p.Run(ctx) }()
		did := make(chan struct{})
		p.plans <- func() { close(did) }
		<-did
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
