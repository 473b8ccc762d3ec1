package onboard

import (
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
)

// errands is a run of orders about going somewhere, by hand and to stop, with
// readings between them and a position that comes and goes.
func errands(t *rapid.T) []any {
	reason := rapid.SampledFrom([]string{"", "because"})
	at := rapid.Float64Range(-4, 60)
	now := epoch
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 24).Draw(t, "kind") {
		case 0, 1, 2:
			return robot.Command(robot.GoTo{Goal: robot.Pose{X: at.Draw(t, "x"), Y: at.Draw(t, "y")}})
		case 3:
			return robot.Command(robot.Pause{Reason: reason.Draw(t, "reason")})
		case 4, 5:
			return robot.Command(robot.Resume{})
		case 6:
			return robot.Command(robot.Cancel{Reason: reason.Draw(t, "reason")})
		case 7:
			return robot.Command(robot.GoAround{})
		case 8:
			return robot.Command(robot.Halt{Reason: "because", Goal: rapid.Bool().Draw(t, "goal")})
		case 9:
			return robot.Command(robot.Stop{By: "Jin"})
		case 10, 11:
			return robot.Command(robot.ClearStop{})
		case 12:
			return robot.Command(drive(rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "v"), 0))
		case 13:
			return robot.Command(robot.SetPose{Pose: robot.Pose{X: at.Draw(t, "x")}})
		case 14:
			return robot.Trust(rapid.IntRange(0, 2).Draw(t, "trust"))
		case 15:
			return robot.Command(robot.Plan{Goal: robot.Pose{X: at.Draw(t, "x")}})
		}
		for range rapid.IntRange(0, 40).Draw(t, "skip") {
			now = now.Add(20 * time.Millisecond)
		}
		return rapid.SampledFrom([]float64{math.Inf(1), 0.5, 2}).Draw(t, "ahead")
	}), 1, 150).Draw(t, "errands")
}

func TestNothingMovesWithoutACurrentGoalOrAFreshSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := errands(t)
		aside := rapid.SampledFrom([]float64{0, 1, 20}).Draw(t, "aside")
		slow := rapid.SampledFrom([]int{0, 0, 3}).Draw(t, "slow")
		var states [2][]robot.State
		for k := range states {
			p := newPlant(robot.Pose{})
			p.core.usePlanner(&floor{aside: aside, slow: slow})
			stopped, waiting := false, false // waiting: no motion has been asked for since a stop
			var driven time.Time
			for _, e := range run {
				switch e := e.(type) {
				case robot.Trust:
					p.core.loc.(*believed).trust = e
				case robot.Command:
					answer := p.core.Do(p.now, e)
					taken := answer.Word == robot.Success || answer.Word == robot.Modified
					if !taken && answer.Reason == "" && slow == 0 {
						t.Fatalf("%T is answered %v without a reason", e, answer.Word)
					}
					switch e := e.(type) {
					case robot.Stop:
						stopped, waiting = true, true
					case robot.ClearStop:
						stopped = false
					case robot.GoTo, robot.Resume:
						if stopped && taken {
							t.Fatalf("stopped, and %T is answered %v", e, answer)
						}
						waiting = waiting && !taken
					case robot.Drive:
						if taken {
							driven, waiting = p.now, waiting && e.Twist.IsZero()
						}
					}
				case float64:
					for range 10 {
						before := p.told
						r := p.reading()
						for i := range r.Ranges {
							r.Ranges[i] = e
						}
						p.feel(r)
						s := p.state
						if len(s.Ranges) > 0 && math.IsNaN(s.Ranges[0]) { // sonars out of order; no two NaN are equal
							s.Ranges = nil
						}
						states[k] = append(states[k], s)
						faster := math.Abs(p.told.Linear) > math.Abs(before.Linear)+1e-12 || math.Abs(p.told.Angular) > math.Abs(before.Angular)+1e-12
						going := s.Goal != nil && s.Goal.Phase == robot.GoalDriving
						switch {
						case (stopped || waiting) && faster:
							t.Fatalf("after a stop it is told %v after %v", p.told, before)
						case stopped && !p.told.IsZero():
							t.Fatalf("stopped, it is told %v", p.told)
						case faster && !going && s.Time.Sub(driven) >= limits.RequestValidity:
							t.Fatalf("it is told %v after %v, and nobody asked for it; goal %+v", p.told, before, s.Goal)
						case faster && s.Estimate.Trust == robot.TrustLost && s.Time.Sub(driven) >= limits.RequestValidity:
							t.Fatalf("lost, it is told %v after %v", p.told, before)
						case going && s.Estimate.Trust == robot.TrustUnsure && s.Time.Sub(driven) >= limits.RequestValidity && math.Abs(p.told.Linear) > math.Max(limits.UnsureSpeed, math.Abs(before.Linear))+1e-9:
							t.Fatalf("unsure, it is told %v after %v", p.told, before)
						case s.Goal != nil && (s.Goal.Phase == robot.GoalBlocked) != (s.Goal.Blocked != nil):
							t.Fatalf("the goal is %+v", *s.Goal)
						case s.Goal != nil && (s.Goal.Phase == robot.GoalEnded) != (s.Goal.Result.Word != ""):
							t.Fatalf("the goal is %+v", *s.Goal)
						}
					}
				}
			}
		}
		if !reflect.DeepEqual(states[0], states[1]) {
			t.Fatal("the same orders and readings gave another run")
		}
	})
}

func TestTheRobotStandsOrKeepsItsPathWhileAnotherIsPlanned(t *testing.T) {
	const slow = 30 // readings, more than half a second
	f := &floor{slow: slow, aside: 1}
	p := newPlant(robot.Pose{})
	p.core.usePlanner(f)
	p.wait(200 * time.Millisecond)
	order := func(cmd robot.Command) (r robot.Result, readings int) {
		for ; readings < 2*slow; readings++ {
			if r = p.core.Do(p.now, cmd); r.Word != "" {
				return r, readings
			}
			p.tick()
		}
		return r, readings
	}
	if r, n := order(robot.GoTo{Goal: robot.Pose{X: 60}}); r.Word != robot.Error || n != slow || p.state.Goal != nil {
		t.Fatalf("a goal off the map is answered %v after %d readings, the goal is %+v", r, n, p.state.Goal)
	}
	if r, n := order(robot.GoTo{Goal: robot.Pose{X: 8}}); r.Word != robot.Success || r.Route == nil || n != slow || p.centre().X > 0.001 {
		t.Fatalf("to go is answered %v after %d readings, and the robot is at %v", r, n, p.centre())
	}
	p.wait(2 * time.Second)
	before := p.centre().X
	if r, n := order(robot.Plan{Goal: robot.Pose{X: 3, Y: 3}}); r.Word != robot.Success || n != slow || p.centre().X < before+0.15 {
		t.Errorf("a preview is answered %v after %d readings; the robot on its way came from x = %.2f m to %.2f m", r, n, before, p.centre().X)
	}
	// Something stands in the lane: the robot stands until it knows a way round.
	p.posts = []post{{robot.Point{X: p.centre().X + 1.2}, 0.2}}
	first := p.state.Goal.Route
	for n := 0; !p.core.navigator.local.looking && n < 10*50; n++ {
		p.tick()
	}
	if !p.core.navigator.local.looking {
		t.Fatal("no way round is planned")
	}
	for p.core.navigator.local.looking {
		p.tick()
		if !p.told.IsZero() && p.told.Linear > 0.1 || p.state.Goal.Phase != robot.GoalDriving {
			t.Fatalf("while the way round is planned it is told %v, the goal is %s", p.told, p.state.Goal.Phase)
		}
	}
	if p.state.Goal.Route == first {
		t.Error("it took no way round")
	}
	p.wait(time.Second)
	// A stop while a way is planned: nothing moves afterwards.
	p.core.Do(p.now, robot.Stop{By: "Jin"})
	p.core.Do(p.now, robot.ClearStop{})
	at := p.centre()
	p.wait(3 * time.Second)
	if p.state.Goal.Phase != robot.GoalPaused || p.centre().Point().Sub(at.Point()).Norm() > 0.15 {
		t.Errorf("after a stop the goal is %s and the robot went from %v to %v", p.state.Goal.Phase, at, p.centre())
	}
}

func TestAQueueAndAJobNeedNotAskAgainForAPathThatIsStillPlanned(t *testing.T) {
	for goal, want := range map[robot.Pose]robot.Word{{X: 1}: robot.Success, {X: 60}: robot.Error} {
		p := newPlant(robot.Pose{})
		p.core.usePlanner(&floor{slow: 7})
		p.wait(200 * time.Millisecond)
		if r := p.core.navigator.sendToGoal(p.now, robot.GoTo{Goal: goal}); r.Word != robot.Success || p.core.navigator.run.goal.Phase != robot.GoalDriving {
			t.Fatalf("it is answered %v", r)
		}
		p.wait(10 * time.Second)
		if g := p.state.Goal; g.Phase != robot.GoalEnded || g.Result.Word != want {
			t.Errorf("the goal %v is %+v, it must end %s", goal, *g, want)
		}
	}
	p := newPlant(robot.Pose{})
	p.core.usePlanner(&floor{slow: 7})
	p.wait(200 * time.Millisecond)
	p.core.navigator.sendToGoal(p.now, robot.GoTo{Goal: robot.Pose{X: 4}})
	p.wait(2 * time.Second)
	p.core.pauseGoal(p.now, "because")
	p.wait(2 * time.Second)
	if r := p.core.navigator.resendToGoal(p.now); r.Word != robot.Success {
		t.Fatalf("to go on is answered %v", r)
	}
	p.wait(20 * time.Second)
	if g := p.state.Goal; g.Phase != robot.GoalEnded || g.Result.Word != robot.Success {
		t.Errorf("the goal that went on is %+v", *g)
	}
}

func TestAJobsGoalAtWhichSomethingKnownStandsIsWaitedForAndADriversIsRefused(t *testing.T) {
	for _, slow := range []int{0, 7} {
		p := newPlant(robot.Pose{})
		p.core.usePlanner(&floor{slow: slow, things: []thing{{robot.Point{X: 4}, p.now.Add(30 * time.Second)}}})
		p.wait(200 * time.Millisecond)
		goal := robot.GoTo{Goal: robot.Pose{X: 4}}
		if slow == 0 {
			if r := p.core.Do(p.now, goal); r.Word != robot.Error {
				t.Fatalf("a goal that a driver gives is answered %v", r)
			}
		}
		if r := p.core.navigator.sendToGoal(p.now, goal); r.Word != robot.Success {
			t.Fatalf("a job's goal is answered %v", r)
		}
		p.wait(10 * time.Second)
		if g := p.state.Goal; g.Phase != robot.GoalBlocked || g.Blocked == nil || g.Blocked.At != (robot.Point{X: 4}) || g.Blocked.Reason == "" || !p.told.IsZero() {
			t.Fatalf("while something stands at the goal it is %+v, and the robot is told %v", *g, p.told)
		}
		p.wait(50 * time.Second)
		if g := p.state.Goal; g.Phase != robot.GoalEnded || g.Result.Word != robot.Success {
			t.Errorf("once it has gone the goal is %+v", *g)
		}
	}
}

// reckless is a planner whose ways look at nothing.
type reckless struct {
	floor
	twist robot.Twist
}

type headlong struct{ straight }

func (f *reckless) Plan(time.Time, robot.Pose, robot.Pose) (robot.Path, error) {
	return &headlong{straight{floor: &f.floor, last: robot.Pose{X: f.twist.Linear, Theta: f.twist.Angular}}}, nil
}

func (w *headlong) Watch(robot.Reading, robot.Pose) robot.Lane { return robot.Lane{} }
func (w *headlong) Follow(time.Time, robot.Pose, robot.Twist, float64) (robot.Twist, robot.Progress) {
	return robot.Twist{Linear: w.last.X, Angular: w.last.Theta}, robot.Progress{Left: 9, Clearance: 0}
}

func TestTheGuardHasTheLastWordOnAPath(t *testing.T) {
	computesLong(t)
	for _, twist := range []robot.Twist{{Linear: 0.5}, {Linear: -0.5}, {Linear: 0.5, Angular: 0.2}, {Linear: 9, Angular: -9}, {Angular: 0.7}} {
		p := newPlant(robot.Pose{}, wall(2, -3, 2, 3), wall(-2, -3, -2, 3), wall(-3, 1, 3, 1), wall(-3, -1, 3, -1))
		p.core.usePlanner(&reckless{twist: twist})
		p.wait(200 * time.Millisecond)
		if res := p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 9}}); res.Word != robot.Success {
			t.Fatal(res)
		}
		p.wait(30 * time.Second)
		if p.closest < 0.04 {
			t.Errorf("the way %v leads to %.3f m from a wall", twist, p.closest)
		}
		if twist.Linear > 0 && twist.Angular == 0 && p.centre().X < 2-0.26-limits.StopDistance {
			t.Errorf("on a way that leads near it stands at %.2v, as by hand", p.centre())
		}
	}
}

func TestAPathInTheOpenKeepsTheDistanceThatADriverKeeps(t *testing.T) {
	p := newPlant(robot.Pose{}, wall(2, -3, 2, 3))
	p.core.usePlanner(&floor{})
	p.wait(200 * time.Millisecond)
	p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 9}})
	p.wait(5 * time.Second)
	if free := 2 - 0.26 - p.centre().X; free < limits.StopDistance-0.02 {
		t.Errorf("it stands %.2f m before the wall", free)
	}
}

func TestARobotThatDoesNotGetOnBacksOffAndTriesAnew(t *testing.T) {
	for _, c := range []struct {
		name  string
		known func(robot.Point) bool
		backs bool
	}{
		{"with room behind it on the map", func(at robot.Point) bool { return at.X > 1.85 }, true},
		{"with none, whatever its sonars hear", func(at robot.Point) bool { return at.X > 1.85 || at.X < 1.45 }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &floor{known: c.known}
			p := newPlant(robot.Pose{}, wall(2, -0.3, 2, 0.3))
			p.core.usePlanner(f)
			p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 4}})
			farthest, phases := 0.0, map[robot.GoalPhase]bool{}
			backed := false
			for range 60 * 50 {
				// The lane's sonar hears nothing, so the guard alone knows of the wall.
				r := p.reading()
				r.Ranges[0] = math.Inf(1)
				p.feel(r)
				farthest = math.Max(farthest, p.centre().X)
				backed = backed || p.centre().X < farthest-0.15
				phases[p.state.Goal.Phase] = true
			}
			if backed != c.backs || f.plans < 3 || !phases[robot.GoalBlocked] {
				t.Errorf("backed off %v, %d plans, %v; it stands at %.2v", backed, f.plans, phases, p.centre())
			}
			if p.closest < 0.05 {
				t.Errorf("it came to %.2f m", p.closest)
			}
		})
	}
}

func TestANewMapHasThePathPlannedAnew(t *testing.T) {
	p := newPlant(robot.Pose{})
	p.core.usePlanner(&floor{})
	p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 6}})
	p.wait(2 * time.Second)
	before := p.state.Goal.Route
	again := &floor{}
	p.core.usePlanner(again)
	p.wait(3 * time.Second)
	if g := p.state.Goal; g.Route == before || g.Route.Number != before.Number+1 || again.plans != 1 || g.Phase != robot.GoalDriving {
		t.Errorf("the goal is %+v", *g)
	}
	p.core.usePlanner(nil)
	p.wait(time.Second)
	if g := p.state.Goal; g.Phase != robot.GoalEnded || g.Result.Word != robot.Error || !p.motion.Twist.IsStill() {
		t.Errorf("without a map the goal is %+v and it moves %v", *g, p.motion.Twist)
	}
}

func TestARouteChangesOnlyWhenTheRobotTakesAnother(t *testing.T) {
	p := newPlant(robot.Pose{})
	p.core.usePlanner(&floor{})
	answer := p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 3}})
	var shown []*robot.Goal
	for range 12 * 50 {
		p.tick()
		g := p.state.Goal
		if g.Route != answer.Route {
			t.Fatalf("the route is %+v, the answer was %+v", g.Route, answer.Route)
		}
		shown = append(shown, g)
	}
	if last := shown[len(shown)-1]; last.Phase != robot.GoalEnded || last != shown[len(shown)-2] {
		t.Errorf("a goal that has ended is published anew: %+v", *last)
	}
	if shown[10].Phase != robot.GoalDriving || shown[10].Done >= shown[200].Done {
		t.Error("a published goal was written to")
	}
}

func TestAPathThatOpensIsTakenWhateverAnEarlierDetourWasAllowed(t *testing.T) {
	f := &floor{}
	p := newPlant(robot.Pose{})
	p.core.usePlanner(f)
	do := func(cmd robot.Command) {
		t.Helper()
		if r := p.core.Do(p.now, cmd); r.Word != robot.Success && r.Word != robot.Modified {
			t.Fatalf("%T is answered %v", cmd, r)
		}
		p.wait(time.Second)
	}
	p.wait(time.Second)
	do(robot.GoTo{Goal: robot.Pose{X: 6}})
	f.Block(p.now, robot.Point{}, robot.Point{X: 3})
	do(robot.Pause{})
	do(robot.Resume{})
	if got := p.state.Goal.Phase; got != robot.GoalBlocked {
		t.Fatalf("with no way left the goal is %s", got)
	}
	f.things = nil
	p.wait(10 * time.Second)
	if got := p.state.Goal.Phase; got != robot.GoalDriving {
		t.Errorf("after the way is free the goal is %s", got)
	}
}

func TestTheSonarNearestToWhatHoldsTheRobotTurnsThere(t *testing.T) {
	p := newPlant(robot.Pose{X: 1, Y: 2, Theta: 0.4})
	turned := map[float64]bool{}
	for degrees := -60.0; degrees <= 60; degrees += 2.5 {
		sin, cos := math.Sincos(robot.Radians(degrees))
		at := p.centre().Apply(robot.Point{X: 0.7 * cos, Y: 0.7 * sin})
		p.core.held = &at
		got := p.core.navigator.turnSonarToObstacle(robot.Twist{Linear: 0.3, Angular: 9})
		// off is how far the point is off the axis of the nearest sonar.
		off := func(pose robot.Pose) float64 {
			least := math.Pi
			for _, s := range p.desc.Sonars {
				q := pose.Compose(s.Pose).Inverse().Apply(at)
				least = math.Min(least, math.Abs(math.Atan2(q.Y, q.X)))
			}
			return least
		}
		now, then := off(p.centre()), off(p.desc.Drivetrain.Centre(p.motion.Axle.Compose(robot.Pose{Theta: math.Copysign(0.02, got.Angular)})))
		beam := p.desc.Sonars[0].Beam / 2
		turned[got.Angular] = true
		switch {
		case got.Linear != 0.3 || math.Abs(got.Angular) > limits.LookTurn:
			t.Errorf("%v deg: %v", degrees, got)
		case now < 0.49*beam && got.Angular != 0:
			t.Errorf("%v deg: a sonar looks there by %.2f rad, and it turns by %v", degrees, now, got)
		case now > 0.51*beam && (got.Angular == 0 || then >= now):
			t.Errorf("%v deg: %.2f rad off the nearest sonar it turns by %v, to %.2f rad", degrees, now, got, then)
		}
	}
	if len(turned) != 3 {
		t.Errorf("it turned %v", turned)
	}
}
