package navigate

import (
	"math"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/testbed"
	"mybot/robot"
)

func TestJerkAndReversalsAreThoseOfTheGivenTwist(t *testing.T) {
	const period = 0.02
	turns := func(w ...float64) (all []robot.Twist) {
		for _, a := range w {
			all = append(all, robot.Twist{Angular: a})
		}
		return all
	}
	for _, c := range []struct {
		name            string
		given           []robot.Twist
		linear, angular float64 // root mean square
		reversals       int
	}{
		{"one twist has no jerk", turns(0.5), 0, 0, 0},
		{"constant", turns(0.3, 0.3, 0.3, 0.3), 0, 0, 0},
		{"an even slew has none", []robot.Twist{{Linear: 0}, {Linear: 0.01}, {Linear: 0.02}, {Linear: 0.03}}, 0, 0, 0},
		{"a slew that begins", []robot.Twist{{}, {}, {Linear: 0.01}}, 25, 0, 0},
		{"a step of the turn rate", turns(0, 0, 0.5, 0.5), 0, 1250, 0},
		{"to the left and to the right", turns(0.2, 0.2, -0.2, 0.2), 0, math.Sqrt((1000*1000 + 2000*2000) / 2), 2},
		{"straight between", turns(0.2, 0, 0, -0.2), 0, 500, 1},
		{"hardly any turn is none", turns(0.2, 0.05, -0.05, 0.2), 0, math.Sqrt((125*125 + 875*875) / 2), 0},
	} {
		watch := newConduct()
		for _, given := range c.given {
			watch.feelTwist(given, period)
		}
		rms := func(sum float64) float64 { return math.Sqrt(sum / max(1, float64(watch.steps))) }
		if math.Abs(rms(watch.jerk[0])-c.linear) > 1e-6 || math.Abs(rms(watch.jerk[1])-c.angular) > 1e-6 || watch.reversals != c.reversals {
			t.Errorf("%s: jerk %g, %g, %d reversals; want %g, %g, %d", c.name, rms(watch.jerk[0]), rms(watch.jerk[1]), watch.reversals, c.linear, c.angular, c.reversals)
		}
	}
}

// besideRobot returns a robot in an empty world with a person and a barrel at distances from
// its front, in m.
func besideRobot(person, barrel float64) *testbed.Rover {
	desc := testbed.Mybot()
	ahead := func(gap, radius float64) robot.Point { return robot.Point{X: desc.Body.Length/2 + gap + radius} }
	r := &testbed.Rover{Desc: desc, World: sim.NewWorld(desc, nil, sim.Scene{
		Obstacles: []sim.Obstacle{{Point: ahead(barrel, 0.2), Radius: 0.2}},
	}, sim.Options{Seed: 1})}
	r.State.Goal = &robot.Goal{Phase: robot.GoalDriving}
	r.Truth.People = []robot.Point{ahead(person, testbed.PersonRadius)}
	return r
}

func TestWhatComesNearCountsWhileItWalksAndTheRobotMoves(t *testing.T) {
	never := func(*testbed.Rover) bool { return false }
	step := robot.Point{Y: 0.02} // a person at 1 m/s
	for _, c := range []struct {
		name           string
		gap            float64 // to the person
		walks          bool
		speed          float64 // of the robot
		person, thing  float64
		intruded, near int // periods
	}{
		{"both move", 0.4, true, 0.3, 0.4, 0.6, 1, 0},
		{"the person stands", 0.4, false, 0.3, math.Inf(1), 0.6, 0, 0},
		{"the robot stands", 0.4, true, 0, math.Inf(1), math.Inf(1), 1, 0},
		{"backwards is moving", 0.3, true, -0.2, 0.3, 0.6, 1, 1},
		{"far away", 0.5, true, 0.3, 0.5, 0.6, 0, 0},
	} {
		watch := newConduct()
		r := besideRobot(c.gap, 0.6)
		r.Truth.Twist.Linear = c.speed
		watch.people = r.Truth.People
		if c.walks {
			watch.people = []robot.Point{r.Truth.People[0].Sub(step)}
		}
		watch.look(r, never)
		periods := func(s float64) int { return int(math.Round(s * r.Desc.Rate)) }
		if !near(watch.nearestPerson, c.person) || !near(watch.nearestThing, c.thing) || periods(watch.intruded) != c.intruded || periods(watch.near) != c.near {
			t.Errorf("%s: person %.2f m, thing %.2f m, %d and %d periods; want %.2f, %.2f, %d, %d", c.name,
				watch.nearestPerson, watch.nearestThing, periods(watch.intruded), periods(watch.near), c.person, c.thing, c.intruded, c.near)
		}
		if periods(watch.seconds) != 1 || periods(watch.states.Follow) != 1 {
			t.Errorf("%s: %g s underway, following for %g s", c.name, watch.seconds, watch.states.Follow)
		}
	}
}

func near(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-3 }

func TestARobotIsFrozenWhileItStandsAndAWayIsOpen(t *testing.T) {
	for _, c := range []struct{ rests, open, frozen bool }{{true, true, true}, {true, false, false}, {false, true, false}} {
		watch := newConduct()
		r := besideRobot(3, 3)
		r.Rested = c.rests
		r.State.Goal = &robot.Goal{Phase: robot.GoalBlocked}
		watch.look(r, func(*testbed.Rover) bool { return c.open })
		if (watch.frozen > 0) != c.frozen || watch.states.Wait == 0 || watch.states.Follow != 0 {
			t.Errorf("rests %v, open %v: frozen for %g s, %+v", c.rests, c.open, watch.frozen, watch.states)
		}
	}
}

func TestConductIsSummedUpOverTheErrands(t *testing.T) {
	one := trialResult{end: arrived, reachable: true, conduct: conduct{
		seconds: 12, frozen: 3, intruded: 2, near: 1, nearestPerson: 0.2, nearestThing: math.Inf(1), jerk: [2]float64{8, 18}, steps: 2, reversals: 1,
		states: stateTimes{Follow: 10, Wait: 2}, decisions: []float64{1, 1, 4},
	}}
	two := trialResult{end: failed, asked: 1, conduct: conduct{
		seconds: 18, nearestPerson: math.Inf(1), nearestThing: 0.3, jerk: [2]float64{0, 0}, steps: 2, reversals: 2, states: stateTimes{Follow: 18}, decisions: []float64{2},
	}}
	var o conductOutcome
	o.countConduct([]trialResult{one, two, {end: refused}})
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"frozen", o.Frozen, 0.1},
		{"nearest person", o.PersonP05, 0.2},
		{"nearest thing", o.ThingP05, 0.3},
		{"intrusion", o.Intrusion, 1},
		{"near", o.Near, 0.5},
		{"linear jerk", o.JerkLinear, math.Sqrt2},
		{"angular jerk", o.JerkAngular, math.Sqrt(4.5)},
		{"reversals", o.Reversals, 6},
		{"follow", o.States.Follow, 28},
		{"wait", o.States.Wait, 2},
		{"decision", o.Decision, 2},
		{"decision, 99th percentile", o.DecisionP99, 4},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", c.what, c.got, c.want)
		}
	}
}

func TestAContactIsThePersonsWhenTheyTouchTheRobotThatHasBrakedToo(t *testing.T) {
	desc := testbed.Mybot()
	for _, late := range []int{0, 1} {
		o := trialResult{bumps: 2, pushed: 1, touched: []time.Duration{20 * time.Second}}
		var how attempt
		if err := o.judgeContacts(desc, func(a attempt) (trialResult, error) { how = a; return trialResult{pushedLate: late, pushed: 5}, nil }); err != nil {
			t.Fatal(err)
		}
		if o.bumps != 2-late || o.pushed != 1+late {
			t.Errorf("%d touched the robot in the replay: %d collisions, %d by people", late, o.bumps, o.pushed)
		}
		// 0.5 m/s at 0.52 m/s2, and half a second.
		if before := (20*time.Second - how.brakesAt).Seconds(); math.Abs(before-1.46) > 0.01 || how.endsAt != 21*time.Second {
			t.Errorf("the robot brakes %.2f s before, and the replay ends at %v", before, how.endsAt)
		}
	}
}

func TestARobotThatIsMadeToBrakeStands(t *testing.T) {
	f := officeFloor(t)
	start := robot.Pose{X: 4.5, Y: 7.3}
	scene := sim.DefaultScene()
	scene.Start = start
	r, err := f.NewRover(scene, testbed.NewLocalizer("odometry", f.Desc, f.Plan, nil, start, 1), 1)
	if err != nil {
		t.Fatal(err)
	}
	r.BrakesAt = 5 * time.Second
	o, err := driveToGoal(t.Context(), r, goalTrial{goal: robot.Pose{X: 15, Y: 7.3}, lasts: 9 * time.Second}, func(r *testbed.Rover) error {
		if s := r.Elapsed(); s > 3*time.Second && s < 5*time.Second && r.Truth.Twist.Linear < 0.2 || s > 7*time.Second && !r.Rested {
			t.Fatalf("after %v the robot drives at %.2f m/s", s, r.Truth.Twist.Linear)
		}
		return nil
	})
	if err != nil || o.end == arrived {
		t.Errorf("%+v, %v", o, err)
	}
}
