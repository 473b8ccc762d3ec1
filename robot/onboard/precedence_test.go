package onboard

import (
	"math"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// ahead is a planner for whom every way leads straight on, without an end, and
// has so much room, in m.
type ahead struct{ room float64 }

func (a ahead) Plan(time.Time, robot.Pose, robot.Pose) (robot.Path, error) { return onward(a), nil }
func (ahead) Block(_ time.Time, _, _ robot.Point)                          {}
func (ahead) BlockPoints(time.Time, []robot.Point)                         {}
func (ahead) Clearance(robot.Point) float64                                { return 0 }
func (onward) Points() []robot.PathPoint                                   { return nil }
func (ahead) Observe(robot.Reading, []robot.Ray, robot.Pose) bool          { return false }
func (onward) Route() robot.Route                                          { return robot.Route{Length: 100, Time: 300} }
func (onward) Watch(robot.Reading, robot.Pose) robot.Lane                  { return robot.Lane{} }
func (o onward) Follow(_ time.Time, pose robot.Pose, _ robot.Twist, most float64) (robot.Twist, robot.Progress) {
	return robot.Twist{Linear: math.Min(0.3, most)}, robot.Progress{Left: 100 - pose.X, Clearance: o.room}
}

// onward is its way.
type onward ahead

// underWay is a robot that drives to a goal.
func underWay(t *testing.T, walls ...robot.Segment) *plant {
	t.Helper()
	p := newPlant(robot.Pose{}, walls...)
	p.core.usePlanner(ahead{})
	if r := p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 100}, Name: "Far"}); r.Word != robot.Success {
		t.Fatalf("the goal is answered %v", r)
	}
	for range 100 {
		p.tick()
	}
	if p.state.Mode != robot.ModeGoal || p.told.Linear < 0.25 || p.state.Goal.Phase != robot.GoalDriving {
		t.Fatalf("the robot is told %v in the mode %v", p.told, p.state.Mode)
	}
	return p
}

func TestWhatEndsAHoldAndWhatPausesAGoal(t *testing.T) {
	for _, c := range []struct {
		name  string
		order robot.Command
		phase robot.GoalPhase
		mode  robot.Mode
		says  string
	}{
		{"the driver lets go", robot.Halt{Reason: "Ana let go."}, robot.GoalDriving, robot.ModeGoal, ""},
		{"a halt is meant for the goal too", robot.Halt{Reason: "Ana has control.", Goal: true}, robot.GoalPaused, robot.ModePaused, "Ana has control."},
		{"the driver asks for nothing", drive(0, 0), robot.GoalDriving, robot.ModeManual, ""},
		{"the driver drives", drive(0.1, 0), robot.GoalPaused, robot.ModeManual, "driven by hand"},
		{"the driver turns", drive(0, 0.1), robot.GoalPaused, robot.ModeManual, "driven by hand"},
		{"somebody stops", robot.Stop{By: "Jin"}, robot.GoalPaused, robot.ModeStopped, "stopped by Jin"},
		{"somebody pauses", robot.Pause{Reason: "Ana paused it."}, robot.GoalPaused, robot.ModePaused, "Ana paused it."},
		{"what nobody knows", nil, robot.GoalDriving, robot.ModeGoal, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := underWay(t)
			if r := p.core.Do(p.now, c.order); (r.Word == robot.Error) != (c.order == nil) {
				t.Fatalf("it is answered %v", r)
			}
			p.tick()
			if g := p.state.Goal; g.Phase != c.phase || !strings.Contains(g.Result.Reason, c.says) || c.says == "" && g.Result.Reason != "" {
				t.Errorf("the goal is %v: %v", g.Phase, g.Result)
			}
			if p.state.Mode != c.mode {
				t.Errorf("the mode is %v, want %v", p.state.Mode, c.mode)
			}
			for range 100 { // the hand says nothing more
				p.tick()
			}
			if still := math.Abs(p.told.Linear) < 1e-9; still != (c.phase == robot.GoalPaused) {
				t.Errorf("the robot is told %v", p.told)
			}
		})
	}
}

func TestAfterAStopAGoalGoesOnOnlyWhenTheDriverSaysSo(t *testing.T) {
	p := underWay(t)
	p.core.Do(p.now, robot.Stop{By: "Jin"})
	if r := p.core.Do(p.now, robot.Resume{}); r.Word != robot.Panic {
		t.Errorf("to go on while it is stopped is answered %v", r)
	}
	p.core.Do(p.now, robot.ClearStop{})
	for range 100 {
		if p.tick(); p.told.Linear > 0.3 {
			t.Fatalf("the robot is told %v", p.told)
		}
	}
	if !p.told.IsZero() || p.state.Mode != robot.ModePaused {
		t.Errorf("after the release it is told %v in the mode %v", p.told, p.state.Mode)
	}
	if r := p.core.Do(p.now, robot.Resume{}); r.Word != robot.Success {
		t.Errorf("to go on is answered %v", r)
	}
	if p.tick(); p.told.IsZero() || p.state.Mode != robot.ModeGoal {
		t.Errorf("it is told %v in the mode %v", p.told, p.state.Mode)
	}
}

func TestAPositionIsSetOnlyWhereTheRobotStands(t *testing.T) {
	there := robot.SetPose{Pose: robot.Pose{X: 3, Y: 4, Theta: 1}}
	set := func(p *plant, want robot.Word) {
		t.Helper()
		r := p.core.Do(p.now, there)
		if moved := p.core.estimate.Pose == there.Pose; r.Word != want || moved != (want == robot.Success) {
			t.Errorf("it is answered %v; the estimate is %v", r, p.core.estimate.Pose)
		}
	}
	p := newPlant(robot.Pose{})
	set(p, robot.Success)

	p = newPlant(robot.Pose{})
	p.core.Do(p.now, drive(0.3, 0))
	p.tick()
	if p.told.IsZero() || !p.core.measured.IsStill() {
		t.Fatalf("it is told %v and moves %v", p.told, p.core.measured)
	}
	set(p, robot.Error) // motion is commanded, but the base does not move yet

	p.drive(0.3, 0, time.Second)
	p.core.given = robot.Twist{}
	set(p, robot.Error) // it rolls on by itself

	for _, bad := range []robot.Pose{{X: math.NaN()}, {Y: math.Inf(1)}, {Theta: math.NaN()}} {
		p := newPlant(robot.Pose{})
		if r := p.core.Do(p.now, robot.SetPose{Pose: bad}); r.Word != robot.Error || !strings.Contains(r.Reason, "radians") {
			t.Errorf("%v is answered %v", bad, r)
		}
	}

	p = underWay(t)
	p.core.Do(p.now, robot.Pause{Reason: "Ana paused it."})
	for range 100 {
		p.tick()
	}
	set(p, robot.Success)
}

func TestAfterALeapOfThePositionThePathIsPlannedAnewFromStandstill(t *testing.T) {
	for _, c := range []struct {
		leap  float64 // m
		route uint64
	}{{0.29, 1}, {0.31, 2}} {
		p := underWay(t)
		p.core.loc.(*believed).pose.Y += c.leap
		stood := false
		for range 200 {
			p.tick()
			stood = stood || p.told.IsZero()
		}
		if p.state.Goal.Route.Number != c.route || stood != (c.route == 2) || p.told.Linear < 0.25 {
			t.Errorf("after %v m it drives route %d at %v, having stood: %v", c.leap, p.state.Goal.Route.Number, p.told, stood)
		}
	}
}

func TestOnANarrowPathTheGuardKeepsLessDistanceThanForADriver(t *testing.T) {
	front := wall(3, -2, 3, 2)
	p := underWay(t, front) // the way has no room to spare
	for range 800 {
		p.tick()
	}
	if p.closest < 0.05 || p.closest > 0.2 {
		t.Errorf("on its way the robot comes within %.3f m", p.closest)
	}
	p = underWay(t, front)
	p.drive(0.3, 0, 8*time.Second)
	if p.closest < 0.3 || p.closest > 0.4 {
		t.Errorf("by hand, after it was on its way, the robot comes within %.3f m", p.closest)
	}
}

func TestOnlyWhatHoldsAGoalUpBlocksThePath(t *testing.T) {
	walls := []robot.Segment{wall(4, -2, 4, 2)}
	p := underWay(t, walls...)
	for !p.state.Guard.Active {
		if p.core.held != nil {
			t.Fatalf("with nothing to slow it down, %.2f m before the wall, it is held up at %v", p.state.Guard.Ahead, *p.core.held)
		}
		p.tick()
	}
	for range 100 {
		p.tick()
	}
	if !p.state.Guard.Active || p.core.held == nil || math.Abs(p.core.held.X-4) > 0.3 {
		t.Errorf("before the wall at 4 m the goal is held up at %v, guard %+v", p.core.held, p.state.Guard)
	}

	driven := newPlant(robot.Pose{}, wall(1.2, -2, 1.2, 2))
	active := false
	for range 100 {
		driven.drive(0.3, 0, 20*time.Millisecond)
		active = active || driven.state.Guard.Active
		if driven.core.held != nil {
			t.Fatalf("a driver is held up at %v", *driven.core.held)
		}
	}
	if !active {
		t.Error("the hand has met nothing")
	}
}

func TestADriverKeepsTheUsualDistanceThoughAGoalWaits(t *testing.T) {
	p := underWay(t)
	if got, want := p.core.reach, math.Hypot(p.desc.Body.Length/2, p.desc.Body.Width/2); math.Abs(got-want) > 1e-9 {
		t.Errorf("the hull reaches %v m from its middle, not %v m", want, got)
	}
	p.walls = append(p.walls, wall(p.centre().X+3, -2, p.centre().X+3, 2))
	p.drive(0.3, 0, 20*time.Second)
	if room := p.room(); room < limits.StopDistance-0.05 {
		t.Errorf("driven by hand it stands %.2f m before the wall", room)
	}
}
