package rollout

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
)

func TestOnAFreePathTheRobotKeepsToItAtFullSpeed(t *testing.T) {
	r := newRig(mybot(), &scene{walls: []float64{-1.2, 1.2}})
	c := r.c.Choose(&r.s)
	if c.Lane != 0 || c.Speed != r.desc.Safe.Linear || !c.OK || c.Because != Progress || math.Abs(c.Gain-1.5) > 0.02 {
		t.Errorf("it chooses %+v", c)
	}
	r.drive(4)
	if math.Abs(r.s.Pose.Y) > 1e-6 || math.Abs(r.s.Pose.X-2) > 0.02 {
		t.Errorf("after 4 s it is at %v", r.s.Pose)
	}
}

// TestPassing drives the robot past standing obstacles and walking people.
func TestPassing(t *testing.T) {
	corridor := []float64{-1.2, 1.2}
	for _, c := range []struct {
		name   string
		out    scene
		within float64 // s, time to 6 m
		aside  func(most, least float64) bool
		person float64 // m, distance from people while it moves
	}{
		{"a barrel on the path is gone round and the path taken again", scene{walls: corridor, barrels: []robot.Track{barrel(3, 0)}}, 15, nil, 0},
		{"on the side where there is room", scene{walls: corridor, barrels: []robot.Track{barrel(3, 0.25)}}, 15, func(_, least float64) bool { return least < -0.2 }, 0},
		{"and on the other one", scene{walls: corridor, barrels: []robot.Track{barrel(3, -0.25)}}, 15, func(most, _ float64) bool { return most > 0.2 }, 0},
		{"two barrels one after the other", scene{walls: corridor, barrels: []robot.Track{barrel(2.5, -0.4), barrel(4.2, 0.4)}}, 16, nil, 0},
		{"somebody who comes is passed with room, on the right", scene{walls: corridor, discs: []robot.Track{walker(6, 0, -1, 0)}}, 16, func(_, least float64) bool { return least < -0.2 }, 0.15},
		{"behind somebody who crosses from the left", scene{discs: []robot.Track{walker(2.5, 2.6, 0, -1)}}, 14, func(_, least float64) bool { return least > -0.3 }, 0.2},
		{"behind somebody who crosses from the right", scene{discs: []robot.Track{walker(2.5, -2.6, 0, 1)}}, 14, func(most, _ float64) bool { return most < 0.3 }, 0.2},
		{"somebody who walks ahead more slowly is overtaken", scene{walls: corridor, discs: []robot.Track{walker(1.8, -0.3, 0.2, 0)}}, 22, nil, 0.15},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(mybot(), &c.out)
			most, least := 0.0, 0.0
			for r.s.Pose.X < 6 && r.time < c.within {
				r.drive(0.1)
				most, least = math.Max(most, r.s.Pose.Y), math.Min(least, r.s.Pose.Y)
			}
			if r.s.Pose.X < 6 {
				t.Errorf("after %.0f s it is at %v: %+v", r.time, r.s.Pose, r.c.Last())
			}
			if c.aside != nil && !c.aside(most, least) {
				t.Errorf("it went from %.2f to %.2f m beside its path", least, most)
			}
			if r.nearest < 0 || r.nearestPerson < c.person {
				t.Errorf("the robot came within %.2f m of obstacles and %.2f m of people", r.nearest, r.nearestPerson)
			}
			if r.drive(8); math.Abs(r.s.Pose.Y) > 0.2 {
				t.Errorf("afterwards it is %.2f m beside its path", r.s.Pose.Y)
			}
		})
	}
}

func TestWhereNothingGetsOnTheRobotStandsAndSaysWhy(t *testing.T) {
	shut := scene{walls: []float64{-0.5, 0.5}, barrels: []robot.Track{barrel(1.6, -0.2), barrel(1.6, 0.2)}}
	r := newRig(mybot(), &shut)
	r.drive(6)
	c := r.c.Last()
	if c.OK || !r.c.Steer(&r.s).IsZero() || c.Because != Tight && c.Because != Collision || math.Abs(r.s.Twist.Linear) > 0.01 || r.nearest < 0 {
		t.Errorf("the robot stopped %.2f m before it and chooses %+v", r.nearest, c)
	}
	r.out.barrels = nil
	if c := r.c.Choose(&r.s); !c.OK {
		t.Error("when the path is free the robot does not continue")
	}
	person := scene{walls: []float64{-0.5, 0.5}, discs: []robot.Track{walker(1.5, 0, -0.5, 0)}}
	r = newRig(mybot(), &person)
	if c := r.c.Choose(&r.s); c.OK || c.Because != Near {
		t.Errorf("before a person in the only gap it chooses %+v", c)
	}
}

func TestARobotInATightPlaceMayMoveAwayAndNotNearer(t *testing.T) {
	for _, c := range []struct {
		name string
		y    float64 // m, of a wall beside the robot
		want bool
	}{
		{"a wall that it nearly touches on the right", -0.265, true},
		{"and on the left", 0.265, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(mybot(), &scene{walls: []float64{c.y}})
			r.s.Twist = robot.Twist{}
			choice := r.c.Choose(&r.s)
			if choice.OK != c.want || choice.Lane*c.y > 0 {
				t.Errorf("it chooses %+v", choice)
			}
			r.drive(3)
			if r.s.Pose.X < 0.5 || r.nearest < -0.02 {
				t.Errorf("after 3 s it is at %v, and came within %.3f m", r.s.Pose, r.nearest)
			}
		})
	}
	r := newRig(mybot(), &scene{barrels: []robot.Track{barrel(0.6, 0)}}) // touches the front
	r.s.Twist = robot.Twist{}
	if r.drive(2); r.nearest < -0.02 || r.s.Pose.X > 0.05 {
		t.Errorf("it came nearer to what it touches: %.3f m, at %v", r.nearest, r.s.Pose)
	}
}

func TestInANarrowPlaceTheLanesAreFew(t *testing.T) {
	r := newRig(mybot(), &scene{barrels: []robot.Track{barrel(1.2, 0.6)}})
	for n := range r.s.Path {
		r.s.Path[n].Clear = 0.5
	}
	if r.drive(5); math.Abs(r.s.Pose.Y) > 2*narrowLane || r.s.Pose.X < 2 {
		t.Errorf("it drives to %v", r.s.Pose)
	}
	r.s.Pose.Theta = 0.3
	r.s.Twist.Linear = 0.3
	if r.c.Choose(&r.s); r.c.Steer(&r.s).Linear > narrowSpeed {
		t.Errorf("turned against the door it drives %.2f m/s", r.c.Steer(&r.s).Linear)
	}
}

func TestBehindANarrowPlaceTheLanesAreWideAgain(t *testing.T) {
	r := newRig(mybot(), &scene{barrels: []robot.Track{barrel(2.4, 0)}})
	for n := range r.s.Path {
		if r.s.Path[n].Along < 0.5 {
			r.s.Path[n].Clear = 0.5
		}
	}
	slowest := r.desc.Safe.Linear
	for range 60 {
		r.drive(0.1)
		slowest = math.Min(slowest, r.s.Twist.Linear)
		if r.s.Along < 0.5+narrowAfter-Spacing && math.Abs(r.s.Pose.Y) > 2*narrowLane {
			t.Fatalf("in the narrow place it drives %.2f m beside the path", r.s.Pose.Y)
		}
	}
	if r.nearest < wall || slowest < 0.6*r.desc.Safe.Linear {
		t.Errorf("it comes within %.3f m of the barrel behind, and is as slow as %.2f m/s", r.nearest, slowest)
	}
}

func TestWhoeverStandsBehindADoorIsPassed(t *testing.T) {
	r := newRig(mybot(), &scene{walls: []float64{-1.2, 1.2}, barrels: []robot.Track{barrel(1.95, 0.1)}})
	for n := range r.s.Path { // the door is 0.3 m ahead
		if math.Abs(r.s.Path[n].Along-0.7) < 0.25 {
			r.s.Path[n].Clear = 0.45
		}
	}
	if r.drive(9); r.s.Pose.X < 3 || r.nearest < 0 {
		t.Errorf("after 9 s it is at %v and came within %.2f m: %+v", r.s.Pose, r.nearest, r.c.Last())
	}
}

func TestBeforeTheEndOfThePathTheRobotIsOnItAgain(t *testing.T) {
	for _, c := range []struct {
		name string
		out  scene
	}{
		{"after a barrel", scene{barrels: []robot.Track{barrel(3.3, 0)}}},
		{"beside somebody who walks along", scene{discs: []robot.Track{walker(3.2, -0.6, 0.3, 0)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(mybot(), &c.out)
			r.s.Path, r.s.End = straight(6, r.desc.Safe.Linear), 6
			aside := 0.0
			for r.s.Along < r.s.End-limits.RouteExact && r.time < 30 {
				r.drive(0.1)
				aside = math.Max(aside, math.Abs(r.s.Pose.Y))
			}
			if math.Abs(r.s.Pose.Y) > limits.ExactLost || aside < 0.10 || r.time > 29 {
				t.Errorf("after %.0f s, and up to %.2f m beside its path, it is at %v", r.time, aside, r.s.Pose)
			}
		})
	}
}

func TestWhatStandsBehindTheEndOfThePathDoesNotSlowTheRobot(t *testing.T) {
	timeTo := func(out scene) float64 {
		r := newRig(mybot(), &out)
		r.s.Path, r.s.End, r.s.Exact = straight(6, r.desc.Safe.Linear), 6, limits.RouteExact
		for r.s.Along < r.s.End-limits.RouteExact && r.time < 30 {
			r.drive(0.1)
		}
		return r.time
	}
	behind := barrel(0, 0)
	for _, h := range mybot().Body.Outline() {
		behind.At.X = math.Max(behind.At.X, 5.6+h.X+mybot().Drivetrain.AxleOffset+0.05+behind.Radius)
	}
	if free, before := timeTo(scene{}), timeTo(scene{barrels: []robot.Track{behind}}); before > free+0.15 {
		t.Errorf("a barrel 5 cm behind the end of the path makes the way take %.1f s, without it %.1f s", before, free)
	}
}

func TestATightPlaceIsNotPutOff(t *testing.T) {
	// Between these there are 5 cm on each side.
	r := newRig(mybot(), &scene{barrels: []robot.Track{barrel(1.6, 0.56), barrel(1.6, -0.56), barrel(1.9, 0.56), barrel(1.9, -0.56)}})
	for n := range r.s.Path {
		r.s.Path[n].Clear = 0.45
	}
	if r.drive(6); r.s.Pose.X < 2.6 || r.nearest < 0 {
		t.Errorf("after 6 s it is at %v and came within %.2f m: %+v", r.s.Pose, r.nearest, r.c.Last())
	}
}

func TestALaneThatIsBetterByLittleIsNotTaken(t *testing.T) {
	choose := func(change float64, last Choice) Choice {
		r := newRig(mybot(), &scene{barrels: []robot.Track{barrel(1.2, 0.645)}})
		r.c.last, r.c.cost[Change], r.c.cost[Tight] = last, change, 20
		return r.c.Choose(&r.s)
	}
	before := Choice{Speed: mybot().Safe.Linear}
	if c := choose(0, before); c.Lane == 0 {
		t.Fatalf("where changes cost nothing it chooses %+v", c)
	}
	if c := choose(standard[Change], before); c.Lane != 0 {
		t.Errorf("it chooses %+v", c)
	}
	before.Lane = -laneStep
	if c := choose(standard[Change], before); c.Lane != before.Lane {
		t.Errorf("in the better lane it chooses %+v", c)
	}
}

func TestARolloutIsAsSlowPastThingsAsTheGuardLetsItBe(t *testing.T) {
	r := newRig(mybot(), &scene{walls: []float64{-0.3, 0.3}})
	s := &rollout{c: r.c, s: &r.s}
	r.c.prepare(&r.s)
	s.begin()
	s.run(0, r.desc.Safe.Linear)
	if most := 0.8; !s.ok || s.gain > most {
		t.Errorf("between two walls it gains %.2f m, of which the guard lets it drive %.2f m", s.gain, most)
	}
}

func TestBesideSomebodyWhoComesTheRobotIsSlow(t *testing.T) {
	for _, c := range []struct {
		name string
		who  robot.Track
		slow bool
	}{
		{"who comes", walker(1.3, -0.8, -1, 0), true},
		{"who goes", walker(1.3, -0.8, 1, 0), false},
		{"who is far", walker(3, -0.8, -1, 0), false},
		{"who hardly walks", walker(1.3, -0.8, -0.1, 0), false},
		{"what stands", robot.Track{At: robot.Point{X: 1.3, Y: -0.8}, Radius: 0.25}, false},
	} {
		r := newRig(mybot(), &scene{discs: []robot.Track{c.who}})
		r.c.Choose(&r.s)
		if v := r.c.Steer(&r.s).Linear; (v <= attentive) != c.slow {
			t.Errorf("beside %s it drives %.2f m/s", c.name, v)
		}
	}
}

// TestRobotsOfOtherSizesAndSpeedsDoTheSame changes only their descriptions.
func TestRobotsOfOtherSizesAndSpeedsDoTheSame(t *testing.T) {
	for _, c := range []struct {
		name          string
		length, width float64 // m
		speed         float64 // m/s
	}{
		{"small and slow", 0.45, 0.40, 0.3},
		{"small and fast", 0.45, 0.40, 1.0},
		{"large and slow", 0.90, 0.63, 0.3},
		{"large and fast", 0.90, 0.63, 1.0},
		{"long", 1.2, 0.5, 0.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			desc := mybot()
			desc.Body.Length, desc.Body.Width, desc.Body.Hull = c.length, c.width, nil
			desc.Safe.Linear = c.speed
			r := newRig(desc, &scene{walls: []float64{-1.6, 1.6}, barrels: []robot.Track{barrel(3.5, -0.1)}, discs: []robot.Track{walker(8, 0.5, -1, 0)}})
			for r.s.Pose.X < 6 && r.time < 12/c.speed+6 {
				r.drive(0.1)
			}
			if r.s.Pose.X < 6 || r.nearest < 0 || r.nearestPerson < 0.1 {
				t.Errorf("after %.0f s it is at %v, came within %.2f and %.2f m: %+v", r.time, r.s.Pose, r.nearest, r.nearestPerson, r.c.Last())
			}
		})
	}
}

func TestARobotThatStandsAcrossItsPathTurnsToIt(t *testing.T) {
	for _, theta := range []float64{1.2, -1.2, 3} {
		r := newRig(mybot(), &scene{})
		r.s.Twist, r.s.Pose.Theta = robot.Twist{}, theta
		c := r.c.Choose(&r.s)
		v := r.c.Steer(&r.s)
		if !c.OK || v.Angular*theta >= 0 || theta > 2 && (!c.Turns || v.Linear != 0) {
			t.Errorf("turned by %.1f it chooses %+v and drives %v", theta, c, v)
		}
		if r.drive(14); math.Abs(r.s.Pose.Theta) > 0.05 || math.Abs(r.s.Pose.Y) > 0.05 {
			t.Errorf("turned by %.1f it is at %v later", theta, r.s.Pose)
		}
	}
}

// TestNoChoiceLeadsIntoWhatStands draws barrels. The chosen trajectory, continued unchanged,
// touches nothing within a second, in which the controller can choose ten times.
func TestNoChoiceLeadsIntoWhatStands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
		out := &scene{}
		for range rapid.IntRange(1, 6).Draw(t, "barrels") {
			out.barrels = append(out.barrels, robot.Track{At: robot.Point{X: number("x", 0.9, 4), Y: number("y", -1.5, 1.5)}, Radius: number("radius", 0.05, 0.4)})
		}
		for _, b := range out.barrels {
			if b.At.X-b.Radius < 0.7 {
				return // it could not brake in time
			}
		}
		r := newRig(mybot(), out)
		r.drive(10)
		if r.nearest < -0.01 {
			t.Fatalf("it came within %.3f m", r.nearest)
		}
		if c := r.c.Last(); !robot.Finite(c.Gain, c.Lane, c.Speed) || c.OK && c.Gain < gains && !c.Turns {
			t.Fatalf("it chooses %+v", c)
		}
	})
}

func TestARobotThatBacksUpHasItsHullAndItsSpeed(t *testing.T) {
	out := scene{walls: []float64{-0.7, 1.1}, barrels: []robot.Track{barrel(1, 0.2), barrel(-1.1, -0.1)}}
	forward, backward := New(mybot()), NewBackward(mybot())
	for n := range 16 {
		s := Situation{Pose: robot.Pose{X: 0.1, Y: 0.05, Theta: math.Pi / 8 * float64(n)}, Twist: robot.Twist{Linear: -0.2, Angular: 0.3}, Obstacles: &out}
		want, _ := (&rollout{c: forward, s: &s, pose: s.Pose}).clearance(0)
		turned := backward.travel(&s)
		got, _ := (&rollout{c: backward, s: turned, pose: turned.Pose}).clearance(0)
		if math.Abs(got-want) > 1e-9 || turned.Twist != (robot.Twist{Linear: 0.2, Angular: 0.3}) {
			t.Fatalf("facing %v it has %.3f m of room, backward %.3f m, and moves with %v", s.Pose.Theta, want, got, turned.Twist)
		}
	}
}
