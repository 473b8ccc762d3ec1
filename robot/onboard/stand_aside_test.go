package onboard

import (
	"math"
	"slices"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/behavior"
	"mybot/robot/limits"
	"mybot/robot/models"
)

// twoRooms is a floor of two rooms, 6 m x 5 m each, with a doorway 0.9 m wide between them at
// the origin.
func twoRooms() *robot.Floorplan {
	g := robot.Grid{Width: 260, Height: 120, Resolution: 0.05, Origin: robot.Point{X: -6.5, Y: -3}}
	inside := func(p robot.Point) bool {
		return math.Abs(p.X) < 6 && math.Abs(p.Y) < 2.5 && (math.Abs(p.X) > 0.05 || math.Abs(p.Y) < 0.45)
	}
	for j := range g.Height {
		for i := range g.Width {
			state := robot.Occupied
			if inside(robot.Point{X: g.Origin.X + (float64(i)+0.5)*g.Resolution, Y: g.Origin.Y + (float64(j)+0.5)*g.Resolution}) {
				state = robot.Free
			}
			g.Cells = append(g.Cells, state)
		}
	}
	lines := []robot.Segment{wall(-6, -2.5, 6, -2.5), wall(-6, 2.5, 6, 2.5), wall(-6, -2.5, -6, 2.5), wall(6, -2.5, 6, 2.5)}
	for _, side := range [2]float64{1, -1} {
		lines = append(lines, wall(-0.05, side*0.45, -0.05, side*2.5), wall(0.05, side*0.45, 0.05, side*2.5), wall(-0.05, side*0.45, 0.05, side*0.45))
	}
	return &robot.Floorplan{Grid: g, Lines: lines}
}

// newDoorwayWalk returns a walk of a robot whose doorway two people want to pass, side by
// side and without looking.
func newDoorwayWalk(t *testing.T, desc robot.Description) *walk {
	t.Helper()
	ana := sim.Person{Name: "Ana", Speed: 0.6, Radius: 0.25, Inattentive: true, Route: []sim.RouteStop{{Point: robot.Point{X: 5.3, Y: 0.1}}, {Point: robot.Point{X: -0.6, Y: 0.1}}, {Point: robot.Point{X: -4, Y: 0.1}, Pause: 60}}}
	ben := sim.Person{Name: "Ben", Speed: 0.6, Radius: 0.25, Inattentive: true, Beside: 1, Route: []sim.RouteStop{{Point: robot.Point{X: 6, Y: 0.1}}}}
	w := newWalkOf(t, desc, twoRooms(), robot.Pose{X: -5}, []sim.Person{ana, ben})
	w.do(robot.GoTo{Goal: robot.Pose{X: 4}})
	return w
}

// Two who do not look and walk side by side want to pass the doorway in which the robot
// stands, and wait for each other. The robot must clear the doorway, or all three stay blocked.
func TestARobotInADoorwayStandsAsideForTwoWhoWantToPass(t *testing.T) {
	computesLong(t)
	w := newDoorwayWalk(t, builtIn(t, models.LidarName))
	met := robot.Pose{}
	for n := 0; w.core.navigator.local.order.Move != behavior.Aside; n++ {
		met = w.world.Truth().Pose
		if w.wait(20 * time.Millisecond); n > 60*50 {
			t.Fatalf("it does not stand aside, but is at %.2v in the states %v", met, w.said)
		}
	}
	for w.core.navigator.local.order.Move == behavior.Aside {
		if b := w.state.Goal.Behavior; b.State != "yield" || b.Sentence != "The robot moves aside to let a person through." {
			t.Fatalf("on its way aside it says %+v", b)
		}
		w.wait(20 * time.Millisecond)
	}
	if at := w.world.Truth().Pose; math.Abs(at.Y) < 0.25 || at.X > met.X-0.5 {
		t.Errorf("it met them at %.2v and moves aside to %.2v", met, at)
	}
	w.arrives(time.Minute) // it waited for minutes before it stood aside
}

// A person who stood in the doorway before the robot came may not want to pass, but they may
// also have nowhere else to go.
func TestARobotThatHasWaitedForLongStandsAsideAlsoForAPersonWhoStoodThereBefore(t *testing.T) {
	computesLong(t)
	ana := sim.Person{Name: "Ana", Speed: 0.8, Radius: 0.25, Route: []sim.RouteStop{{Point: robot.Point{X: 1.5}}, {Point: robot.Point{X: 0.1}, Pause: 600}}}
	w := newWalkOf(t, builtIn(t, models.LidarName), twoRooms(), robot.Pose{X: -2.5}, []sim.Person{ana})
	w.do(robot.GoTo{Goal: robot.Pose{X: 4}})
	waited := 0.0
	for n := 0; w.core.navigator.local.order.Move != behavior.Aside; n++ {
		if w.wait(20 * time.Millisecond); n > 90*50 {
			t.Fatalf("it does not stand aside, but is at %.2v in the states %v", w.world.Truth().Pose, w.said)
		}
		if b := w.state.Goal.Blocked; b != nil {
			waited = b.Waited
		}
	}
	if waited < limits.AsidePatience.Seconds() {
		t.Errorf("it stands aside after %.0f s for a person who talks", waited)
	}
}

// A person whom the robot has never seen walk may be a thing. The goal stays blocked while the
// robot makes room, and as long as it was when it is back.
func TestARobotThatHasWaitedAtADoorwayMakesRoomInCaseAPersonWantsToPass(t *testing.T) {
	computesLong(t)
	ana := sim.Person{Name: "Ana", Speed: 0.8, Radius: 0.25, Route: []sim.RouteStop{{Point: robot.Point{X: 0.1}}}}
	w := newWalkOf(t, builtIn(t, models.LidarName), twoRooms(), robot.Pose{X: -5}, []sim.Person{ana})
	w.do(robot.GoTo{Goal: robot.Pose{X: 4}})
	waited, met, aside := 0.0, robot.Pose{}, 0
	for range 90 * 50 {
		w.wait(20 * time.Millisecond)
		b := w.state.Goal.Blocked
		switch {
		case b == nil && waited > 0 && w.core.navigator.local.order.State == behavior.Yield:
			t.Fatalf("the goal is %+v while the robot makes room", w.state.Goal)
		case b != nil && b.Waited < waited-2 && waited > limits.AsidePatience.Seconds():
			t.Fatalf("after it has waited for %.0f s it has waited for %.0f s", waited, b.Waited)
		case b != nil:
			waited = b.Waited
		}
		if w.core.navigator.local.order.Move != behavior.Aside {
			continue
		}
		if aside++; aside == 1 {
			met = w.world.Truth().Pose
			if waited < limits.AsidePatience.Seconds() {
				t.Errorf("it makes room after %.0f s", waited)
			}
		}
	}
	if at := w.world.Truth().Pose; aside == 0 || waited < 60 {
		t.Errorf("it met her at %.2v, moved aside for %d ticks, is at %.2v and has waited for %.0f s", met, aside, at, waited)
	}
}

// A robot does not back up to where it cannot see, however long it is in the way.
func TestARobotWithoutARearViewDoesNotStandAside(t *testing.T) {
	computesLong(t)
	desc := builtIn(t, models.LidarName)
	desc.Lidars = slices.Clone(desc.Lidars)
	desc.Lidars[0].Mask = append(slices.Clone(desc.Lidars[0].Mask), robot.Sector{From: robot.Radians(120), To: robot.Radians(-120)})
	w := newDoorwayWalk(t, desc)
	waited := false
	for range 60 * 50 {
		w.wait(20 * time.Millisecond)
		waited = waited || w.core.navigator.local.order.State == behavior.Wait
		if w.core.navigator.local.order.Move == behavior.Aside {
			t.Fatalf("it backs up blindly from %.2v", w.world.Truth().Pose)
		}
	}
	if !waited {
		t.Errorf("it did not wait for them: %v", w.said)
	}
}
