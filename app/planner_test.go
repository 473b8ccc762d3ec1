package app

import (
	"math"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/models/modelstest"
	"mybot/robot/onboard"
)

// trip is the robot in the office in virtual time: the control loop that the server
// runs, its own localizer, and the simulator.
type trip struct {
	t     *testing.T
	plan  *robot.Floorplan
	world *sim.World
	core  *onboard.Core
	state robot.State
	now   time.Time
	worst float64 // m, true distance from the route while driving
}

func newTrip(t *testing.T, obstacles ...sim.Obstacle) *trip {
	t.Helper()
	table, plan := tableOf(t)
	scene, err := sim.ReadScene(maps.Office(), "scene.json")
	if err != nil {
		t.Fatal(err)
	}
	scene.People, scene.Obstacles = nil, obstacles
	desc := modelstest.Mybot(t)
	r := &trip{
		t: t, plan: plan,
		world: sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1, Epoch: time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)}),
		core:  onboard.NewCore(desc, localization.NewMCL(desc, table, scene.Start, 1), NewPlanner(plan, desc)),
	}
	r.pass(time.Second, func() bool { return false })
	return r
}

// pass lets time pass until done is true, and reports whether it became true.
func (r *trip) pass(most time.Duration, done func() bool) bool {
	r.t.Helper()
	for begin := r.now; begin.IsZero() || r.now.Sub(begin) < most; {
		reading := r.world.Step()
		r.now = reading.Time
		if begin.IsZero() {
			begin = r.now
		}
		var out robot.Twist
		out, r.state = r.core.Tick(reading)
		if err := r.world.Drive(out); err != nil {
			r.t.Fatal(err)
		}
		truth := r.world.Truth()
		if truth.Contact {
			r.t.Fatalf("it touches something at %.2v; the goal is %+v", truth.Pose, r.state.Goal)
		}
		if g := r.state.Goal; g != nil && g.Phase == robot.GoalDriving {
			r.worst = math.Max(r.worst, math.Abs(g.Across))
		}
		if done() {
			return true
		}
	}
	return false
}

func (r *trip) goTo(name string) robot.Place {
	r.t.Helper()
	for _, p := range r.plan.Places {
		if p.Name == name {
			preview := r.core.Do(r.now, robot.Plan{Goal: p.Pose})
			answer := r.core.Do(r.now, robot.GoTo{Goal: p.Pose, Name: name})
			if answer.Word != robot.Success || preview.Route == nil || preview.Route.Length != answer.Route.Length {
				r.t.Fatalf("%s: the preview is %+v, the answer %+v", name, preview, answer)
			}
			return p
		}
	}
	r.t.Fatal("there is no place ", name)
	return robot.Place{}
}

func (r *trip) phase(p robot.GoalPhase) func() bool {
	return func() bool { return r.state.Goal.Phase == p }
}

// arrive waits until the robot has arrived, and checks its true pose.
func (r *trip) arrive(at robot.Place, most time.Duration) {
	r.t.Helper()
	if !r.pass(most, r.phase(robot.GoalEnded)) || r.state.Goal.Result.Word != robot.Success {
		r.t.Fatalf("%s: after %v the goal is %+v at %.2v, guard %+v", at.Name, most, *r.state.Goal, r.world.Truth().Pose, r.state.Guard)
	}
	off := at.Pose.Inverse().Compose(r.world.Truth().Pose)
	if off.Point().Norm() > 0.15 || math.Abs(off.Theta) > robot.Radians(8) {
		r.t.Errorf("%s: the robot stopped %.2v from the goal", at.Name, off)
	}
}

func TestTheRobotGoesThroughTheOfficeByItself(t *testing.T) {
	t.Parallel()
	r := newTrip(t)
	for _, name := range []string{"Lab 301", "Copy room", "Dock"} {
		to := r.goTo(name)
		r.arrive(to, 3*time.Minute)
	}
	if r.worst > 0.2 {
		t.Errorf("it was %.2f m off its route", r.worst)
	}
}

func TestARobotWaitsBeforeAClosedDoorAndGoesOnWhenItOpens(t *testing.T) {
	t.Parallel()
	r := newTrip(t)
	if err := r.world.SetDoor(0, true); err != nil {
		t.Fatal(err)
	}
	to := r.goTo("Lab 301")
	if !r.pass(time.Minute, r.phase(robot.GoalBlocked)) {
		t.Fatalf("before the closed door the goal is %+v at %.2v", *r.state.Goal, r.world.Truth().Pose)
	}
	door := r.plan.Doors[0]
	if b := r.state.Goal.Blocked; b.At.Sub(door.Hinge).Norm() > door.Length+0.3 {
		t.Errorf("it is blocked at %.2v, the door hangs at %.2v", b.At, door.Hinge)
	}
	if res := r.core.Do(r.now, robot.GoAround{}); res.Word != robot.Error || res.Reason == "" {
		t.Errorf("there is one door, and going around was answered %v", res)
	}
	if r.pass(2*time.Minute, func() bool { return r.state.Goal.Phase == robot.GoalEnded }) {
		t.Fatalf("the goal ended: %+v", *r.state.Goal)
	}
	if err := r.world.SetDoor(0, false); err != nil {
		t.Fatal(err)
	}
	r.arrive(to, 3*time.Minute)
}

func TestARobotGoesRoundABarrelInTheCorridor(t *testing.T) {
	t.Parallel()
	r := newTrip(t, sim.Obstacle{Name: "Barrel", Point: robot.Point{X: 11.5, Y: 7.3}, Radius: 0.2})
	r.arrive(r.goTo("Meeting door"), 3*time.Minute)
	if r.state.Goal.Route.Number < 2 {
		t.Error("the robot did not replan")
	}
}

func TestWithoutAFloorThereAreNoPaths(t *testing.T) {
	if NewPlanner(nil, robot.Description{}) != nil || NewPlanner(&robot.Floorplan{}, robot.Description{}) != nil {
		t.Error("there are paths without a floor")
	}
}
