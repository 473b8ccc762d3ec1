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

// newSonarWalk is newWalk with a robot that has sonars alone.
func newSonarWalk(t *testing.T, start robot.Pose, things ...sim.Obstacle) *walk {
	t.Helper()
	return newWalkOf(t, builtIn(t, models.MybotName), corridor(), start, nil, things...)
}

func TestARobotWithSonarsAloneHasTheSameTableOfBehaviors(t *testing.T) {
	computesLong(t)
	w := newSonarWalk(t, robot.Pose{X: 1}, sim.Obstacle{Name: "barrel", Point: robot.Point{X: 5, Y: 0.1}, Radius: 0.25})
	w.do(robot.GoTo{Goal: robot.Pose{X: 11}})
	took := w.arrives(time.Minute)
	if !slices.Contains(w.said, "follow") || !slices.Contains(w.said, "replan") || w.bumps > 0 {
		t.Errorf("it takes %v in the states %v and bumps %d times", took, w.said, w.bumps)
	}
}

// A wall of boxes closes the corridor: the robot waits, moves to hear them from elsewhere,
// keeps its distance from the walls meanwhile, and continues when they are gone.
func TestARobotWithSonarsAloneListensFromElsewhereWhileItWaits(t *testing.T) {
	computesLong(t)
	w := newSonarWalk(t, robot.Pose{X: 1})
	w.do(robot.GoTo{Goal: robot.Pose{X: 11}})
	var boxes []int
	for y := -1.2; y <= 1.2; y += 0.3 {
		id, err := w.world.AddThing(sim.ObstacleKind, robot.Point{X: 5, Y: y}, 0.2)
		if err != nil {
			t.Fatal(err)
		}
		boxes = append(boxes, id)
	}
	moved, hull, reason := false, w.core.desc.Body.Outline(), ""
	for range 60 * 50 {
		w.wait(20 * time.Millisecond)
		if b := w.state.Goal.Blocked; b != nil {
			if b.Reason == "" && reason != "" {
				t.Fatalf("while it looks from elsewhere it forgets that %q", reason)
			}
			reason = b.Reason
		}
		free := w.core.navigator.local.order.State == behavior.Free
		moved = moved || free && !w.told.IsStill()
		for _, h := range hull {
			if at := w.world.Truth().Pose.Apply(h); free && 1.3-math.Abs(at.Y) < limits.UnheardMargin/2 {
				t.Fatalf("to get free it comes to %v, beside the wall", at)
			}
		}
	}
	if !moved || !slices.Contains(w.said, "wait") || w.bumps > 0 {
		t.Fatalf("in a minute before a closed way: moved %t, states %v, %d bumps", moved, w.said, w.bumps)
	}
	for _, id := range boxes {
		if err := w.world.RemoveThing(id); err != nil {
			t.Fatal(err)
		}
	}
	w.arrives(time.Minute)
}

func TestABumperThatStaysPressedLetsTheRobotBackUpOnlyOnce(t *testing.T) {
	computesLong(t)
	for name, w := range map[string]*walk{"lidar": newWalkOn(t, corridor(), robot.Pose{X: 3}, nil), "sonars": newSonarWalk(t, robot.Pose{X: 3})} {
		w.do(robot.GoTo{Goal: robot.Pose{X: 11}})
		w.wait(4 * time.Second)
		w.pressed = true
		w.wait(time.Second)
		at := w.world.Truth().Pose
		w.wait(3 * time.Minute)
		if back := at.X - w.world.Truth().Pose.X; back < 0.05 || back > limits.BumperRetreat {
			t.Errorf("%s: in 3 minutes it backs up by %.2f m", name, back)
		}
		if g := w.state.Goal; g.Behavior.Sentence != bumperPressed || !w.told.IsStill() {
			t.Errorf("%s: in the end it says %+v", name, g)
		}
		w.pressed = false
		w.arrives(time.Minute)
	}
}

func TestARobotThatTouchesSomethingWhileItTurnsTurnsBackAndGoesOn(t *testing.T) {
	computesLong(t)
	start := robot.Pose{X: 3, Theta: math.Pi}
	for name, w := range map[string]*walk{"lidar": newWalkOn(t, corridor(), start, nil), "sonars": newSonarWalk(t, start)} {
		w.do(robot.GoTo{Goal: robot.Pose{X: 11}})
		w.wait(2 * time.Second)
		w.pressed = true
		w.wait(200 * time.Millisecond)
		at := w.world.Truth().Pose
		for limit := w.now.Add(time.Minute); w.pressed && w.now.Before(limit); {
			w.wait(20 * time.Millisecond)
			off := at.Inverse().Compose(w.world.Truth().Pose)
			w.pressed = math.Abs(off.Theta) < 0.1
		}
		if w.pressed {
			t.Errorf("%s: in a minute it does not turn back", name)
		}
		w.arrives(time.Minute)
	}
}

func TestAtItsGoalARobotThatTheGuardHoldsDoesNotTryForLong(t *testing.T) {
	computesLong(t)
	p := newPlant(robot.Pose{})
	p.core.usePlanner(&floor{})
	p.wait(200 * time.Millisecond)
	p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 3}})
	p.wait(4 * time.Second)
	p.posts = []post{{robot.Point{X: 2.9 + 0.26 + limits.StopDistance + 0.05}, 0.05}} // it ends 0.1 m from its goal
	p.wait(15 * time.Second)
	if g := p.state.Goal; g.Phase != robot.GoalEnded || g.Result.Word != robot.Success {
		t.Errorf("beside its goal, at %.2v, the goal is %+v", p.centre(), *g)
	}
}

func TestASonarRobotKeepsItsDistanceFromTheMapWhereItMovesStraightToGetFree(t *testing.T) {
	w := newSonarWalk(t, robot.Pose{X: 5})
	l := w.core.navigator.local
	for _, c := range []struct {
		name     string
		y, ahead float64 // m, of the axle point, and the motion
		turn     float64 // deg
		want     bool
	}{
		{"backward in the middle of the corridor", 0, -0.1, 0, true},
		{"backward toward a wall", 1.3 + l.rear - 0.2, -0.3, -90, false},
		{"backward, away from a wall", 1.3 - l.front - 0.02, -0.3, 90, true},
		{"backward along a wall that is nearer than that", 1.3 - 0.02 - l.wide, -0.1, 0, true},
		{"backward toward it at a slant", 1.3 - 0.05 - l.wide, -0.3, -3, false},
		{"ahead in the middle of the corridor", 0, 0.1, 0, true},
		{"ahead toward a wall, up to 10 cm", 1.3 - l.front - 0.2, 0.1, 90, false},
		{"backward toward a wall, up to 10 cm", 1.3 + l.rear - 0.2, -0.1, -90, true},
		{"ahead, away from a wall", 1.3 + l.rear - 0.02, 0.3, -90, true},
	} {
		at := robot.Pose{X: 5, Y: c.y, Theta: robot.Radians(c.turn)}
		if got := l.hasRoom(at, c.ahead); got != c.want {
			t.Errorf("%s, at %v by %v m: %t", c.name, at, c.ahead, got)
		}
	}
	away := robot.Pose{X: 5}
	for side, near := range map[float64]robot.Pose{
		-1: {X: 5, Y: 1.3 + l.rear - 0.08, Theta: -math.Pi / 2},
		1:  {X: 5, Y: 1.3 - l.front - 0.15, Theta: math.Pi / 2},
	} {
		if stands, moves := l.moveStraight(near, side), l.moveStraight(away, side); !stands.IsZero() || moves.Linear != side*limits.BackOffSpeed {
			t.Errorf("before a wall it moves by %v, elsewhere by %v", stands, moves)
		}
	}
}

// The rear of the robot is nearest to the wall: it can turn to neither side, and backward it
// would come nearer.
func TestASonarRobotBesideAWallMovesAheadIfItCanNeitherTurnNorBackUp(t *testing.T) {
	computesLong(t)
	heading := robot.Radians(8)
	w := newSonarWalk(t, robot.Pose{X: 5, Y: -1.3 + 0.225 + 0.26*math.Sin(heading) + 0.04, Theta: heading})
	w.do(robot.GoTo{Goal: robot.Pose{X: 3, Y: 0.3, Theta: math.Pi}})
	took := w.arrives(time.Minute)
	if !slices.Contains(w.said, "free") {
		t.Errorf("it takes %v in the states %v", took, w.said)
	}
}

// laneAhead is a path that reports a lane.
type laneAhead struct {
	onward
	lane robot.Lane
}

func (a *laneAhead) Watch(robot.Reading, robot.Pose) robot.Lane { return a.lane }

func TestWhatKeepsASonarRobotFromDrivingIsAFactOfTheTable(t *testing.T) {
	onMap, unknown := robot.Point{X: 1, Y: 5}, robot.Point{X: 1}
	seen, blocked := robot.Lane{Seen: true, Face: unknown}, robot.Lane{Seen: true, Face: unknown, Blocked: true}
	turn, drive := robot.Twist{Angular: 0.5}, robot.Twist{Linear: 0.3}
	for _, c := range []struct {
		name    string
		t       robot.Twist
		lane    robot.Lane
		held    *robot.Point
		waiting time.Duration
		trust   robot.Trust
		want    behavior.Facts
		hears   bool
	}{
		{"nothing", drive, robot.Lane{}, nil, time.Minute, robot.TrustOK, behavior.Facts{Gains: true}, false},
		{"a planned turn", turn, robot.Lane{}, nil, time.Minute, robot.TrustOK, behavior.Facts{Gains: true, Turning: true}, false},
		{"held in a turn, for a moment", turn, robot.Lane{}, &onMap, limits.WaitLook / 2, robot.TrustOK, behavior.Facts{Gains: true, Turning: true}, false},
		{"held in a turn", turn, robot.Lane{}, &onMap, 2 * limits.WaitLook, robot.TrustOK, behavior.Facts{Gains: true, Held: true}, false},
		{"held by a wall", drive, robot.Lane{}, &onMap, time.Minute, robot.TrustOK, behavior.Facts{Gains: true, HeldAhead: true}, false},
		{"held by what is not on the map, for a moment", drive, robot.Lane{}, &unknown, limits.HeldAfter / 2, robot.TrustOK, behavior.Facts{Gains: true, HeldAhead: true}, true},
		{"held by what is not on the map", drive, robot.Lane{}, &unknown, limits.HeldAfter + 1, robot.TrustOK, behavior.Facts{HeldAhead: true, Blocked: true}, true},
		{"heard in the lane", drive, seen, nil, 0, robot.TrustOK, behavior.Facts{Gains: true}, true},
		{"heard in the lane for two seconds", drive, blocked, nil, 0, robot.TrustOK, behavior.Facts{Blocked: true}, true},
		{"heard while the position is unsure", drive, blocked, nil, 0, robot.TrustUnsure, behavior.Facts{Gains: true}, false},
	} {
		p := newPlant(robot.Pose{})
		p.core.usePlanner(&floor{known: func(at robot.Point) bool { return at.Y > 4 }})
		n := &p.core.navigator
		n.run.goal.Pose = robot.Pose{X: 9}
		n.run.path, n.held, n.estimate.Trust = &laneAhead{lane: c.lane}, c.held, c.trust
		var f behavior.Facts
		n.followLane(robot.Reading{}, c.t, robot.Progress{Waiting: c.waiting}, &f)
		if f != c.want || n.local.hears != c.hears {
			t.Errorf("%s: the facts are %+v, heard %t", c.name, f, n.local.hears)
		}
		n.local.order.State = behavior.Wait
		if n.followLane(robot.Reading{}, c.t, robot.Progress{Waiting: c.waiting}, &f); f.Gains {
			t.Errorf("%s: a robot that waits drives on before its planner has found a path", c.name)
		}
	}
}

// What was heard on one path is not reported again and again on the next.
func TestWhatWasHeardOnAnotherPathIsForgotten(t *testing.T) {
	f := &floor{}
	p := newPlant(robot.Pose{})
	p.core.usePlanner(f)
	p.wait(200 * time.Millisecond)
	n := &p.core.navigator
	p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 9}})
	n.local.hears, n.local.face, n.run.path, f.slow = true, robot.Point{X: 3}, nil, 5
	p.wait(2 * time.Second)
	if len(f.things) > 0 {
		t.Errorf("without a path it reported %v", f.things)
	}
}

func TestToGetFreeASonarRobotNeedsRoomOnTheMapAndAnEarBehind(t *testing.T) {
	w := newSonarWalk(t, robot.Pose{X: 5})
	l, n := w.core.navigator.local, &w.core.navigator
	beside := robot.Pose{X: 5, Y: 1.3 - l.reach - limits.UnheardMargin/2}
	if mapped := n.planner.Clearance(beside.Point()); l.canTurn(beside, mapped) || !l.canTurn(robot.Pose{X: 5}, 1.3) {
		t.Errorf("with %.2f m around the axle point it may turn", mapped)
	}
	var f behavior.Facts
	l.judgeRoom(&f, robot.Pose{X: 5}, 1.3, 0)
	if !f.CanBack || f.CanAhead || f.RoomAhead || l.near != limits.StopDistance {
		t.Errorf("in the middle of the corridor the facts are %+v, and it stops at %.2f m", f, l.near)
	}
	f = behavior.Facts{Held: true}
	if l.judgeRoom(&f, robot.Pose{X: 5}, 1.3, 0); !f.CanAhead || f.CanTurn {
		t.Errorf("held in a turn in the middle of the corridor the facts are %+v", f)
	}
	if l.judgeRoom(&f, beside, l.reach+limits.UnheardMargin/2, 0); l.near != limits.NearStopDistance {
		t.Errorf("beside a wall it stops at %.2f m", l.near)
	}
	if got, want := l.known.Clearance(robot.Point{X: 5}), l.layer.Clearance(robot.Point{X: 5})-limits.UnheardMargin; got != want {
		t.Errorf("it reckons with %.3f m, not %.3f m", got, want)
	}
	l.order.State = behavior.Free
	if got := n.stopDistance(robot.Twist{Linear: -0.1}); got != l.near {
		t.Errorf("while it frees itself it stops at %.2f m", got)
	}
	deaf := builtIn(t, models.MybotName)
	deaf.Sonars = slices.Clone(deaf.Sonars)[:1] // the one ahead
	w = newWalkOf(t, deaf, corridor(), robot.Pose{X: 5}, nil)
	f = behavior.Facts{}
	if w.core.navigator.local.judgeRoom(&f, robot.Pose{X: 5}, 1.3, 0); f.CanBack {
		t.Errorf("without a sonar behind the facts are %+v", f)
	}
}
