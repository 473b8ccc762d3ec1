package behavior

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
)

var epoch = time.Unix(1000, 0)

const tick = 20 * time.Millisecond

// safe are the limits of the robot of the tests, Mybot's.
var safe = robot.Limit{Linear: 0.5, Angular: robot.Radians(45)}

// rig steps a machine by facts that stay as they are set.
type rig struct {
	m Machine
	f Facts
	o Order
}

// newRig is a robot that drives on a path and gets on, with room to turn and to back up.
func newRig() *rig {
	r := &rig{m: New(safe), f: Facts{Now: epoch, Path: true, Gains: true, Left: 20, CanTurn: true, CanBack: true, CanAhead: true}}
	r.m.Start(epoch)
	r.step()
	return r
}

func (r *rig) step() Order {
	r.f.Now = r.f.Now.Add(tick)
	r.o = r.m.Step(r.f)
	if r.o.Take {
		r.f.Way = false
	}
	return r.o
}

// until steps until a state, for so long at most, and returns after how long.
func (r *rig) until(t *testing.T, want State, most time.Duration) time.Duration {
	t.Helper()
	for n := time.Duration(1); n*tick <= most+2*tick; n++ {
		if r.step().State == want {
			return n * tick
		}
	}
	t.Fatalf("after %v it is in %v, not in %v", most, r.o.State, want)
	return 0
}

func near(a, b time.Duration) bool { return a >= b-2*tick && a <= b+2*tick }

func TestARobotThatGetsOnFollowsItsPath(t *testing.T) {
	r := newRig()
	for range 1000 {
		r.f.Left -= 0.01
		if o := r.step(); o.State != Follow || o.Move != Drive || o.Look || o.Take {
			t.Fatalf("the order is %+v", o)
		}
	}
}

func TestItYieldsToWhoMovesAndFollowsWhenTheyHavePassed(t *testing.T) {
	r := newRig()
	r.f.Gains, r.f.Somebody = false, true
	if o := r.step(); o.State != Yield || o.Move != Stand || o.Sentence != "The robot waits until a person has passed." {
		t.Fatalf("the order is %+v", o)
	}
	r.f.Gains = true
	if o := r.step(); o.State != Follow || o.Move != Drive {
		t.Fatalf("when they have passed the order is %+v", o)
	}
}

func TestItYieldsNoLongerThanFourSecondsAndASecondForWhoHasGone(t *testing.T) {
	r := newRig()
	r.f.Gains, r.f.Somebody = false, true
	r.step()
	if took := r.until(t, Replan, limits.YieldFor); !near(took, limits.YieldFor) {
		t.Errorf("it yields for %v", took)
	}
	r = newRig()
	r.f.Gains, r.f.Somebody = false, true
	r.step()
	r.f.Somebody = false
	if took := r.until(t, Replan, limits.YieldGone); !near(took, limits.YieldGone) {
		t.Errorf("it yields for %v to who has gone", took)
	}
}

func TestItBacksUpForWhoComesWhereThereIsNoRoomForTwo(t *testing.T) {
	for _, c := range []struct {
		comes, narrow, room bool
		want                Move
	}{{true, true, true, Back}, {false, true, true, Stand}, {true, false, true, Stand}, {true, true, false, Stand}} {
		r := newRig()
		r.f.Gains, r.f.Somebody, r.f.Comes, r.f.Narrow, r.f.CanBack = false, true, c.comes, c.narrow, c.room
		if o := r.step(); o.State != Yield || o.Move != c.want {
			t.Errorf("%+v: the order is %+v", c, o)
		}
	}
}

// newWaitingRig is a robot that waits where a person wants to pass, with a place to stand
// aside.
func newWaitingRig(t *testing.T) *rig {
	t.Helper()
	r := newRig()
	r.f.Gains = false
	r.until(t, Replan, limits.ReplanAfter)
	r.f.NoWay, r.f.PersonWaits, r.f.CanStandAside = true, true, true
	r.until(t, Wait, tick)
	return r
}

func TestItStandsAsideForWhoWantsThroughWhereItWaitsAndContinuesWhenTheyHavePassed(t *testing.T) {
	r := newWaitingRig(t)
	if took := r.until(t, Yield, limits.AsideAfter); !near(took, limits.AsideAfter) || r.o.Move != Aside || r.o.Sentence != "The robot moves aside to let a person through." {
		t.Fatalf("after %v the order is %+v", took, r.o)
	}
	r.f.Gains = true // the way seems free as soon as it has backed up
	for range 100 {
		if o := r.step(); o.Move != Aside {
			t.Fatalf("on its way to the place the order is %+v", o)
		}
	}
	r.f.IsAside = true
	for range 100 {
		if o := r.step(); o.State != Yield || o.Move != Stand || o.Sentence != "The robot stands aside until a person has passed." {
			t.Fatalf("at the place the order is %+v", o)
		}
	}
	r.f.PersonWaits = false
	if took := r.until(t, Follow, limits.YieldGone+tick); !near(took, limits.YieldGone) || r.o.Move != Drive {
		t.Errorf("%v after they have passed the order is %+v", took, r.o)
	}
}

func TestItStandsAsideOnlyForAPersonAndWhereThereIsAPlace(t *testing.T) {
	for _, c := range []struct {
		name          string
		person, place bool
	}{{"nobody is there", false, true}, {"there is no place", true, false}} {
		r := newWaitingRig(t)
		r.f.PersonWaits, r.f.CanStandAside = c.person, c.place
		for range 50 * 60 {
			if o := r.step(); o.State != Wait || o.Move != Stand {
				t.Fatalf("%s: the order is %+v", c.name, o)
			}
		}
	}
}

func TestWhoComesOnlyNowMayStillPassBeforeItStandsAside(t *testing.T) {
	r := newWaitingRig(t)
	r.f.PersonWaits = false
	for range 50 * 20 {
		r.step()
	}
	for n := range int(limits.AsideAfter/tick) - 1 {
		r.f.PersonWaits = n%40 < 30 // they are not seen for a moment
		if o := r.step(); o.State != Wait {
			t.Fatalf("%v after they came the order is %+v", time.Duration(n)*tick, o)
		}
	}
	r.f.PersonWaits = true
	r.until(t, Yield, 2*tick)
}

// The person holds the robot. That it tries again every few seconds does not keep it
// from standing aside.
func TestARobotThatTriesAgainWithoutProgressStandsAsideAllTheSame(t *testing.T) {
	r := newWaitingRig(t)
	r.f.PersonWaits, r.f.NoWay, r.f.Gains = false, false, true
	r.until(t, Follow, tick)
	for n := 0; r.step().State != Wait || r.m.tries == 0; n++ { // it seems to gain and gets no nearer
		if n > 50*60 {
			t.Fatalf("it does not wait, but has the order %+v", r.o)
		}
	}
	r.f.PersonWaits = true
	for took := time.Duration(0); r.step().Move != Aside; took += tick {
		if took > limits.AsideAfter+limits.VainMoves {
			t.Fatalf("after %v the order is %+v", took, r.o)
		}
	}
}

func TestItStandsAsideForAMomentInCaseAPersonWantsToPassAndLongerApartEachTime(t *testing.T) {
	r := newWaitingRig(t)
	r.f.PersonWaits, r.f.Obstructs = false, true
	for n := range 4 {
		wait := time.Duration(n)*limits.AsidePatience + tick
		if took := r.until(t, Yield, wait); !near(took, wait) || r.o.Move != Aside || !r.o.Waits || r.o.Sentence != "The robot moves aside, in case a person wants to pass." {
			t.Fatalf("%v after it has waited for long for the %d. time, the order is %+v", took, n+1, r.o)
		}
		r.f.IsAside, r.f.At = true, robot.Point{Y: limits.AsideMin}
		if took := r.until(t, Wait, limits.AsideStand+2*tick); !near(took, limits.AsideStand) {
			t.Fatalf("it stands aside for %v", took)
		}
		r.f.IsAside, r.f.At = false, robot.Point{}
	}
}

// Motion to a place aside and back to where the robot waited leads no nearer to the goal,
// although the path to the place aside is longer than that from it.
func TestComingBackFromAsideIsNoProgress(t *testing.T) {
	r := newWaitingRig(t)
	r.f.PersonWaits, r.f.Obstructs = false, true
	since := r.m.Waiting()
	r.until(t, Yield, tick)
	r.f.IsAside, r.f.At, r.f.Left, r.f.NoWay, r.f.Way = true, robot.Point{Y: 2}, 22, false, true
	r.until(t, Follow, limits.AsideStand+2*tick)
	r.f.Gains, r.f.Obstructs, r.f.Way = true, false, false
	for r.f.Left > 20 {
		r.f.Left, r.f.At.Y = r.f.Left-0.01, r.f.At.Y-0.01
		r.step()
	}
	if !r.m.Waiting().Equal(since) {
		t.Fatalf("it has waited since %v, and since %v once it is back", since.Sub(epoch), r.m.Waiting().Sub(epoch))
	}
	for range 20 {
		r.f.Left -= 0.01
		r.step()
	}
	if !r.m.Waiting().IsZero() {
		t.Error("getting nearer than where it waited is no progress")
	}
}

func TestARobotThatStoodAsideWithoutAPathMakesProgressOnTheNextOne(t *testing.T) {
	r := newWaitingRig(t)
	r.f.Path, r.f.Left = false, 0
	r.until(t, Yield, limits.AsideAfter)
	r.f.IsAside, r.f.At, r.f.PersonWaits = true, robot.Point{Y: limits.AsideMin}, false
	r.f.Path, r.f.Left, r.f.Gains, r.f.NoWay, r.f.Way = true, 20, true, false, true
	r.until(t, Follow, limits.YieldGone+2*tick)
	for r.f.Way = false; r.f.Left > 19; r.f.Left, r.f.At.Y = r.f.Left-0.01, r.f.At.Y+0.01 {
		r.step()
	}
	if !r.m.Waiting().IsZero() {
		t.Error("it still counts as waiting")
	}
}

func TestItNeitherDrivesNorStandsAsideForLong(t *testing.T) {
	r := newWaitingRig(t)
	r.until(t, Yield, limits.AsideAfter)
	for took := time.Duration(0); r.step().Move == Aside; took += tick {
		if took > limits.AsideFor {
			t.Fatalf("it drives aside for %v", took)
		}
	}
	if took := r.until(t, Wait, limits.AsideStand); !near(took, limits.AsideStand) {
		t.Errorf("it stands aside for %v", took)
	}
}

func TestARobotThatDidNotGetAsideTriesAgain(t *testing.T) {
	r := newWaitingRig(t)
	r.until(t, Yield, limits.AsideAfter)
	r.f.At.Y += limits.AsideBack / 2
	r.f.IsAside = true // it cannot get nearer to the place
	r.until(t, Wait, limits.AsideStand)
	r.f.IsAside = false
	if took := r.until(t, Yield, 2*limits.AsideAfter); !near(took, limits.AsideAfter) || r.o.Move != Aside {
		t.Errorf("after %v the order is %+v", took, r.o)
	}
}

func TestAtTheSamePlaceItWaitsLongerEachTimeBeforeItStandsAside(t *testing.T) {
	r := newWaitingRig(t)
	for n := range 4 {
		wait := max(1, time.Duration(n)) * limits.AsideAfter
		if took := r.until(t, Yield, wait); !near(took, wait) {
			t.Fatalf("the time before it stands aside for the %d. time is %v", n+1, took)
		}
		r.f.IsAside, r.f.At = true, robot.Point{Y: limits.AsideMin}
		r.until(t, Wait, limits.AsideStand)
		for range 50 * 60 {
			if r.step(); r.o.State != Wait {
				t.Fatalf("where it stands aside already the order is %+v", r.o)
			}
		}
		r.f.IsAside, r.f.At, r.f.Gains = false, robot.Point{}, true
		r.until(t, Follow, 0)
		r.f.Gains, r.f.NoWay = false, true
		r.until(t, Wait, limits.ReplanAfter+tick)
	}
	r.f.At = robot.Point{X: limits.AsideOnce + 0.1} // elsewhere it begins again
	if o := r.step(); o.State != Yield {
		t.Errorf("elsewhere the order is %+v", o)
	}
}

func TestItLooksForAnotherWayWhenItDoesNotGetOnAndTakesOneThatIsNotMuchLonger(t *testing.T) {
	for _, c := range []struct {
		longer float64
		taken  bool
	}{{-3, true}, {limits.DetourLength, true}, {limits.DetourLength + 0.5, false}} {
		r := newRig()
		r.f.Gains = false
		if took := r.until(t, Replan, limits.ReplanAfter); !near(took, limits.ReplanAfter) || !r.o.Look || r.o.Move != Stand {
			t.Fatalf("it looks after %v: %+v", took, r.o)
		}
		r.f.Way, r.f.Longer = true, c.longer
		if o := r.step(); o.Take != c.taken || (o.State == Follow) != c.taken || (o.State == Wait) == c.taken {
			t.Errorf("%v m longer: %+v", c.longer, o)
		}
	}
}

func TestTheLongerItWaitsTheLongerAWayItTakes(t *testing.T) {
	r := newRig()
	r.f.Gains = false
	r.until(t, Replan, limits.ReplanAfter)
	r.f.Way, r.f.Longer = true, limits.DetourLength+7*limits.DetourGrowth
	if took := r.until(t, Follow, 8*time.Second); !near(took, 7*time.Second) || !r.o.Take {
		t.Errorf("it takes the way after %v: %+v", took, r.o)
	}
}

func TestWaitLooksEachSecondAndNeverGivesUp(t *testing.T) {
	r := newRig()
	r.f.Gains = false
	r.until(t, Replan, limits.ReplanAfter)
	r.f.NoWay, r.f.Reason = true, "The door of the lab is closed."
	looks := 0
	for n := range 50 * 3600 {
		o := r.step()
		if o.State != Wait || o.Move != Stand || o.Sentence != r.f.Reason {
			t.Fatalf("after %v the order is %+v", time.Duration(n)*tick, o)
		}
		if o.Look {
			looks++
		}
	}
	if looks < 3590 || looks > 3610 {
		t.Errorf("it looks %d times in an hour", looks)
	}
	r.f.Open = true
	if o := r.step(); !o.Look {
		t.Error("it does not look at once when something has gone")
	}
	r.f.NoWay, r.f.Way = false, true
	if o := r.step(); o.State != Follow || !o.Take {
		t.Errorf("when a way opens the order is %+v", o)
	}
}

func TestAPlannerThatDoesNotAnswerEndsInWaiting(t *testing.T) {
	r := newRig()
	r.f.Gains = false
	r.until(t, Replan, limits.ReplanAfter)
	if took := r.until(t, Wait, limits.ReplanFor); !near(took, limits.ReplanFor) {
		t.Errorf("it waits after %v", took)
	}
}

// tryToGetFree lets some seconds pass in which the planner always finds a path that gets the robot
// no nearer, and returns how often it tried each move to get free. see is given each order.
func (r *rig) tryToGetFree(seconds int, see func(before State, o Order)) map[Move]int {
	tried, before := map[Move]int{}, r.o.State
	for range 50 * seconds {
		o := r.step()
		if o.State == Replan && o.Look {
			r.f.Way, r.f.Longer = true, 0
		}
		if o.State == Free && before != Free {
			tried[o.Move]++
		}
		see(before, o)
		before = o.State
	}
	return tried
}

func TestWhereItGetsNoNearerItTriesEachWayToGetFreeOnceAndThenWaits(t *testing.T) {
	r := newRig()
	moves := time.Duration(0)
	tried := r.tryToGetFree(60, func(_ State, o Order) {
		switch {
		case o.State == Wait:
			moves = 0
		case o.Move != Stand:
			if moves += tick; moves > limits.VainMoves+2*tick {
				t.Fatalf("it moves for %v and gets no nearer", moves)
			}
		}
	})
	before := r.o.State
	if tried[Turn] != 1 || tried[Back] != 1 || tried[Ahead] != 1 || len(tried) != 3 {
		t.Errorf("it tried %v", tried)
	}
	r.f.At = robot.Point{X: limits.FreeOnce + 0.1} // elsewhere it may try again
	r.f.Left -= 3
	for range 50 * 30 {
		if o := r.step(); o.State == Free && before != Free {
			tried[o.Move]++
		}
		before = r.o.State
	}
	if tried[Turn] != 2 {
		t.Errorf("elsewhere it tried %v", tried)
	}
}

// A person or a door that keeps the robot from moving may be gone the next time.
func TestARobotThatCouldNotFreeItselfTriesEachWayAgainAfterAWait(t *testing.T) {
	r := newRig()
	waited := 0
	tried := r.tryToGetFree(300, func(before State, o Order) {
		if o.State == Wait && before != Wait {
			waited++
		}
	})
	if tried[Turn] < 2 || tried[Back] < 2 || tried[Ahead] < 2 || tried[Turn] > waited {
		t.Errorf("in 5 minutes it tried %v and waited %d times", tried, waited)
	}
}

func TestToAndFroOnOnePathAfterTheOtherEndsInWaiting(t *testing.T) {
	r := newRig()
	moved := time.Duration(0)
	for n := 0; r.o.State != Wait; n++ {
		r.f.Left -= 0.003 // it gets nearer on each path, and is not away from where it was
		r.f.At.X = 0.15 * float64(n%2)
		if r.f.Gains = n%100 < 50; r.o.State == Replan && r.o.Look {
			r.f.Way, r.f.Longer = true, 0.2
			r.f.Left += 0.3
		}
		if r.step(); r.o.Move != Stand {
			moved += tick
		}
		if moved > limits.VainMoves+limits.PlannedTurn {
			t.Fatalf("it moves to and fro for %v", moved)
		}
	}
}

func TestItFreesItselfUntilItIsFreeOrForSixSeconds(t *testing.T) {
	for _, free := range []bool{true, false} {
		r := newRig()
		r.f.CanTurn = false
		r.until(t, Free, limits.VainMove)
		if r.o.Move != Back || r.o.Sentence != "The robot backs up to get free." {
			t.Fatalf("the order is %+v", r.o)
		}
		r.f.IsFree = free
		want := limits.FreeMoveFor
		if free {
			want = 0
		}
		if took := r.until(t, Replan, limits.FreeMoveFor); took > want+tick || took < want-tick {
			t.Errorf("free %v: it frees itself for %v", free, took)
		}
	}
}

func TestARobotThatTheGuardHoldsInATurnFreesItselfAtOnce(t *testing.T) {
	r := newRig()
	r.f.Held, r.f.Gains, r.f.Turning, r.f.CanTurn = true, false, true, false
	if o := r.step(); o.State != Free || o.Move != Back {
		t.Errorf("the order is %+v", o)
	}
	r = newRig()
	r.f.Held, r.f.Gains, r.f.Turning, r.f.Somebody = true, false, true, true
	if o := r.step(); o.State != Yield {
		t.Errorf("beside a person the order is %+v", o)
	}
	r = newRig()
	r.f.Held, r.f.Gains, r.f.Turning, r.f.CanTurn, r.f.CanBack, r.f.CanAhead = true, false, true, false, false, false
	if took := r.until(t, Replan, limits.ReplanAfter); !near(took, limits.ReplanAfter) {
		t.Errorf("where it cannot move it looks for another way after %v", took)
	}
}

func TestAPlannedTurnIsNotInVain(t *testing.T) {
	r := newRig()
	r.f.Turning = true
	if took := r.until(t, Free, limits.PlannedTurn+limits.VainMove); !near(took, limits.PlannedTurn+limits.VainMove) {
		t.Errorf("it frees itself after %v", took)
	}
}

// At 12 deg/s a whole turn takes 30 s.
func TestARobotThatTurnsSlowlyEndsItsPlannedTurn(t *testing.T) {
	r := newRig()
	r.m = New(robot.Limit{Linear: 0.4, Angular: robot.Radians(12)})
	r.m.Start(epoch)
	r.f.Turning = true
	if took := r.until(t, Free, 30*time.Second+limits.VainMove); !near(took, 30*time.Second+limits.VainMove) {
		t.Errorf("it frees itself after %v", took)
	}
}

func TestWithoutAPathItLooksForOne(t *testing.T) {
	r := newRig()
	r.f.Path, r.f.Gains = false, false
	if o := r.step(); o.State != Replan || !o.Look {
		t.Fatalf("the order is %+v", o)
	}
	r.f.Way = true
	if o := r.step(); o.State != Follow || !o.Take {
		t.Errorf("the order is %+v", o)
	}
}

func TestAWayThatSomebodyAskedForIsTakenFromAnyState(t *testing.T) {
	r := newRig()
	r.f.Gains = false
	r.until(t, Replan, limits.ReplanAfter)
	r.f.NoWay = true
	r.until(t, Wait, tick)
	r.m.TakeWay(r.f.Now)
	r.f.Gains, r.f.NoWay = true, false
	if o := r.step(); o.State != Follow || o.Move != Drive {
		t.Errorf("the order is %+v", o)
	}
}

// The facts change at random, and the robot gets nearer only now and then.
func TestWhateverHappensItHasASentenceAndNeverMovesForLongInVain(t *testing.T) {
	flag := rapid.Bool()
	rapid.Check(t, func(t *rapid.T) {
		f := Facts{Now: epoch, Path: true, Gains: true, Left: 30}
		m := New(safe)
		m.Start(epoch)
		vain, turned, best := time.Duration(0), time.Duration(0), f.Left
		var last Order
		for range rapid.IntRange(1, 60).Draw(t, "changes") {
			f.Path, f.Gains, f.Turning = flag.Draw(t, "path"), flag.Draw(t, "gains"), flag.Draw(t, "turning")
			f.Somebody, f.Comes, f.Narrow = flag.Draw(t, "somebody"), flag.Draw(t, "comes"), flag.Draw(t, "narrow")
			f.Held, f.IsFree = flag.Draw(t, "held"), flag.Draw(t, "free")
			f.CanTurn, f.CanBack, f.CanAhead = flag.Draw(t, "turn"), flag.Draw(t, "back"), flag.Draw(t, "ahead")
			f.PersonWaits, f.Obstructs, f.CanStandAside, f.IsAside = flag.Draw(t, "person"), flag.Draw(t, "obstructs"), flag.Draw(t, "can aside"), flag.Draw(t, "there")
			f.Way, f.NoWay, f.Open = flag.Draw(t, "way"), flag.Draw(t, "no way"), flag.Draw(t, "open")
			f.Longer = rapid.Float64Range(-5, 60).Draw(t, "longer")
			f.Reason = rapid.SampledFrom([]string{"", "The door is closed."}).Draw(t, "reason")
			gains := rapid.SampledFrom([]float64{0, 0, 0.005}).Draw(t, "m nearer")
			for range rapid.IntRange(1, 500).Draw(t, "ticks") {
				f.Now = f.Now.Add(tick)
				switch {
				case last.Move == Drive && f.Turning && turned < limits.PlannedTurn:
					turned += tick
				case last.Move != Stand:
					vain += tick
				}
				o := m.Step(f)
				switch {
				case o.Sentence == "" || o.State >= states || o.State != m.State():
					t.Fatalf("the order is %+v", o)
				case o.State == Wait && o.Move != Stand, o.State == Replan && o.Move != Stand:
					t.Fatalf("it moves in the state %v", o.State)
				case o.State == Free && o.Move == Drive, o.State == Follow && o.Move != Drive, o.State == Yield && o.Move != Stand && o.Move != Back && o.Move != Aside:
					t.Fatalf("in the state %v it moves by %v", o.State, o.Move)
				case o.Take && !f.Way:
					t.Fatal("it takes a way that was not found")
				}
				if f.Path && o.Move == Drive {
					f.Left -= gains
				}
				if o.Take {
					f.Way, best = false, f.Left
				}
				if o.State == Wait || f.Left <= best-limits.Nearer {
					vain, turned, best = 0, 0, f.Left
				}
				if vain > limits.VainMoves+3*tick {
					t.Fatalf("it moves for %v and gets no nearer, in the state %v", vain, o.State)
				}
				last = o
			}
		}
	})
}

func TestAStepThatChangesNothingAllocatesNothing(t *testing.T) {
	r := newRig()
	if n := testing.AllocsPerRun(100, func() { r.f.Left -= 0.01; r.step() }); n > 0 {
		t.Errorf("following allocates %v times", n)
	}
	r.f.Gains = false
	r.until(t, Replan, limits.ReplanAfter)
	r.f.NoWay, r.f.Reason = true, "The door is closed."
	r.until(t, Wait, tick)
	if n := testing.AllocsPerRun(100, func() { r.step() }); n > 0 {
		t.Errorf("waiting allocates %v times", n)
	}
}

func TestAPlaceToTurnComesBeforeAStraightMove(t *testing.T) {
	for _, c := range []struct {
		name                                   string
		roomBack, roomAhead, canBack, canAhead bool
		want                                   []Move
	}{
		{"ahead is such a place, behind only some room", false, true, true, true, []Move{Ahead, Back}},
		{"such a place is on both sides", true, true, true, true, []Move{Back, Ahead}},
		{"behind is such a place, ahead some room", true, false, true, true, []Move{Back, Ahead}},
		{"there is none", false, false, true, true, []Move{Back, Ahead}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig()
			r.f.Held, r.f.Gains, r.f.CanTurn, r.f.IsFree, r.f.NoWay = true, false, false, true, true
			r.f.RoomBack, r.f.RoomAhead, r.f.CanBack, r.f.CanAhead = c.roomBack, c.roomAhead, c.canBack, c.canAhead
			var tried []Move
			for before := Follow; len(tried) < len(c.want); before = r.o.State {
				if r.step().State == Free && before != Free {
					tried = append(tried, r.o.Move)
				}
				if r.f.Way = r.o.State == Replan; r.f.Now.Sub(epoch) > time.Minute {
					break
				}
			}
			if !slices.Equal(tried, c.want) {
				t.Errorf("it tries %v, want %v", tried, c.want)
			}
		})
	}
}

func TestWhenSomethingBlocksItsPathItLooksForAnotherAtOnceAndFreesItselfIfThatIsBlockedToo(t *testing.T) {
	r := newRig()
	r.f.Gains, r.f.Blocked = false, true
	if o := r.step(); o.State != Replan || !o.Look || o.Move != Stand {
		t.Fatalf("the order is %+v", o)
	}
	r.f.Way, r.f.Blocked = true, false
	if o := r.step(); o.State != Follow || !o.Take {
		t.Fatalf("with another path the order is %+v", o)
	}
	r.f.Blocked = true
	if o := r.step(); o.State != Free || o.Move != Turn {
		t.Errorf("when that is blocked too the order is %+v", o)
	}
}

func TestTheFirstThreeSecondsThatTheGuardHoldsItOnItsWayDoNotCount(t *testing.T) {
	r := newRig()
	r.f.HeldAhead = true
	if took := r.until(t, Free, limits.HeldAfter+limits.VainMove); !near(took, limits.HeldAfter+limits.VainMove) {
		t.Errorf("it frees itself after %v", took)
	}
	r = newRig()
	r.f.HeldAhead = true
	for range 2*limits.HeldAfter/tick - 10 {
		r.step()
	}
	r.f.Left -= 0.2 // nearer to the goal, they begin again
	if took := r.until(t, Free, limits.HeldAfter+limits.VainMove); !near(took, limits.HeldAfter+limits.VainMove) {
		t.Errorf("after it came nearer it frees itself after %v", took)
	}
}

func TestARobotThatOnlyHearsAnObstacleMovesToHearItFromElsewhereAndThenWaitsLongerEachTime(t *testing.T) {
	r := newRig()
	r.f.Gains, r.f.Blocked, r.f.TryElsewhere = false, true, true
	r.step()
	r.f.NoWay, r.f.Blocked = true, false
	r.until(t, Wait, 0)
	tried := map[Move]int{}
	for n := range 5 {
		want := min(limits.TryAgainMax, time.Duration(n+1)*limits.ElsewhereAfter)
		if took := r.until(t, Free, want); !near(took, want) {
			t.Fatalf("%d: it moves after %v, not after %v", n, took, want)
		}
		tried[r.o.Move]++
		if !r.o.Waits || r.o.Sentence == "" {
			t.Errorf("while it moves the order is %+v", r.o)
		}
		r.f.IsFree = true
		r.until(t, Wait, 2*tick)
		r.f.IsFree = false
	}
	if tried[Turn] != 2 || tried[Back] != 2 || tried[Ahead] != 1 {
		t.Errorf("it tried %v", tried)
	}
	r.f.At = robot.Point{X: limits.FreeOnce + 0.1} // elsewhere it begins with the shortest wait again
	if took := r.until(t, Free, limits.ElsewhereAfter); took > limits.ElsewhereAfter+2*tick {
		t.Errorf("elsewhere it moves after %v", took)
	}
	r.f.IsFree = true
	r.until(t, Wait, 2*tick)
	r.f.IsFree, r.f.CanTurn, r.f.CanBack, r.f.CanAhead = false, false, false, false
	for range limits.TryAgainMax * 2 / tick {
		if o := r.step(); o.State != Wait {
			t.Fatalf("without room the order is %+v", o)
		}
	}
	r.f.CanTurn, r.f.TryElsewhere = true, false // a lidar sees it
	for range limits.TryAgainMax * 2 / tick {
		if o := r.step(); o.State != Wait {
			t.Fatalf("what it sees it waits for; the order is %+v", o)
		}
	}
}

// newRigBeforeADetour is a robot that drives toward something that stands on its path, with
// room to turn, and that has once found only a detour.
func newRigBeforeADetour(t *testing.T) *rig {
	t.Helper()
	r := newRig()
	r.f.Ahead, r.f.Longer = true, limits.AheadLonger
	if o := r.step(); !o.Look || o.State != Follow || o.Move != Drive {
		t.Fatalf("toward something that stands on its path the order is %+v", o)
	}
	r.f.Way = true
	if o := r.step(); o.Take || o.State != Follow || o.Move != Drive {
		t.Fatalf("after one search that found a detour the order is %+v", o)
	}
	r.f.Way = false
	return r
}

// untilLook steps until the order is to look for another way.
func (r *rig) untilLook(t *testing.T) time.Duration {
	t.Helper()
	for n := range 100 {
		if r.step().Look {
			return time.Duration(n+1) * tick
		}
	}
	t.Fatal("it does not look for another way")
	return 0
}

func TestOnItsWayItTakesADetourThatTwoSearchesInARowFound(t *testing.T) {
	r := newRigBeforeADetour(t)
	if took := r.untilLook(t); !near(took, limits.AheadLook) {
		t.Errorf("it looks again after %v", took)
	}
	r.f.Way = true
	if o := r.step(); !o.Take || o.State != Follow || o.Move != Drive || o.Waits {
		t.Fatalf("after the second detour the order is %+v", o)
	}
	r.untilLook(t)
	r.f.Way = true
	if o := r.step(); o.Take {
		t.Error("on the new path it takes a detour that one search found")
	}
}

func TestOnItsWayItTakesNoDetourThatItShouldNot(t *testing.T) {
	for name, change := range map[string]func(f *Facts){
		"a bend around the obstacle":      func(f *Facts) { f.Longer = limits.AheadLonger / 2 },
		"where it cannot turn":            func(f *Facts) { f.CanTurn = false },
		"a detour too long to take alone": func(f *Facts) { f.Longer = limits.DetourLength + 1 },
	} {
		r := newRigBeforeADetour(t)
		for range 3 {
			r.untilLook(t)
			way := r.f
			change(&r.f)
			r.f.Way = true
			if o := r.step(); o.Take {
				t.Errorf("%s: it takes the path", name)
			}
			r.f = way
		}
	}
}

func TestOnItsWayTwoDetoursInARowCountOnlyIfNothingElseWasFoundBetween(t *testing.T) {
	for name, between := range map[string]func(f *Facts){
		"a bend around it":    func(f *Facts) { f.Way, f.Longer = true, 0 },
		"no way":              func(f *Facts) { f.NoWay = true },
		"nothing on the path": func(f *Facts) { f.Ahead = false },
	} {
		r := newRigBeforeADetour(t)
		was := r.f
		between(&r.f)
		r.step()
		r.f = was
		r.untilLook(t)
		r.f.Way = true
		if o := r.step(); o.Take {
			t.Errorf("with %s between, it takes the detour", name)
		}
	}
}

func TestOnItsWayItLooksForAnotherOnlyTowardWhatStandsOnItsPath(t *testing.T) {
	r := newRig()
	for range 100 {
		if r.step().Look {
			t.Fatal("it looks for another way, and nothing stands on its path")
		}
	}
	r.f.Ahead, r.f.Gains, r.f.Somebody = true, false, true
	if r.step().Look {
		t.Error("it looks for another way while it makes no progress for a person")
	}
}
