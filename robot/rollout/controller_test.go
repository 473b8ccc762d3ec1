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
	if r.c.Reset(); r.c.Last() != (Choice{}) {
		t.Errorf("after a reset it still has the choice %+v", r.c.Last())
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
	desc := mybot()
	desc.Body.Hull = []robot.Point{{X: 0.3, Y: 0.3}, {X: -0.2, Y: 0.3}, {X: -0.2, Y: -0.1}, {X: 0.3, Y: -0.1}}
	forward, backward := New(desc), NewBackward(desc)
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

func TestAChangeAwayFromThePathOrAcrossItCountsMore(t *testing.T) {
	for _, c := range []struct{ last, lane, want float64 }{
		{0, 0, 0},
		{0, laneStep / 2, laneStep / 2},
		{0, laneStep, laneStep + outward},
		{0.3, 0.15, 0.15},
		{0.3, 0, 0.3},
		{0.3, 0.45, 0.15 + outward},
		{0.3, -0.15, 0.45 + outward},
		{-0.3, 0.15, 0.45 + outward},
	} {
		control := pointRobot()
		control.last.Lane = c.last
		if got := control.changeLane(c.lane); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("from %.3f to %.3f m it is %.3f m, want %.3f", c.last, c.lane, got, c.want)
		}
	}
}

func TestTheReasonIsWhatCostsThePathMost(t *testing.T) {
	costs := func(tight, near float64) (c [terms]float64) {
		c[Tight], c[Near] = tight, near
		return c
	}
	best := Choice{OK: true, Cost: costs(0.5, 0.5)}
	for _, c := range []struct {
		name  string
		plain rollout
		want  Term
	}{
		{"the path is the best", rollout{ok: true, cost: best.Cost}, Progress},
		{"the path leads into somebody", rollout{hit: Near, cost: costs(1, 0)}, Near},
		{"the path leads into somebody, though everything else costs more", rollout{hit: Near}, Near},
		{"the path is tight", rollout{ok: true, cost: costs(1.5, 1)}, Tight},
		{"the path is near somebody", rollout{ok: true, cost: costs(1, 1.5)}, Near},
		{"both are equal", rollout{ok: true, cost: costs(1, 1)}, Tight},
	} {
		if got := because(&c.plain, best); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, Names[got], Names[c.want])
		}
	}
}

func TestWhoeverWalksIntoThePathIsTheReasonEvenIfTheWayAroundThemCostsMore(t *testing.T) {
	r := newRig(mybot(), &scene{barrels: []robot.Track{barrel(1.23, 0.75)}, discs: []robot.Track{walker(1.47, -0.22, -0.38, 0.21)}})
	r.s.Twist.Linear = 0.108
	if c := r.c.Choose(&r.s); !c.OK || c.Lane == 0 || c.Because != Near {
		t.Errorf("it chooses %+v", c)
	}
}

func TestARolloutThatJustGainsEnoughMakesProgress(t *testing.T) {
	for gain, want := range map[float64]bool{gains: true, below(gains): false} {
		r := newRig(mybot(), &scene{})
		r.s.Along, r.s.Path = 0, []robot.PathPoint{{Along: gain, Speed: 0.5, Clear: 3}} // no rollout gets farther
		if c := r.c.Choose(&r.s); c.OK != want || c.Gain != gain {
			t.Errorf("it chooses %+v", c)
		}
	}
}

func TestATurnLaterOnIsNoTurnAtTheBeginning(t *testing.T) {
	r := still(&scene{})
	for n := range r.s.Path {
		if p := &r.s.Path[n]; p.Along > 0.9 {
			p.Pose = robot.Pose{X: 0.5, Y: 0.9 - p.Along, Theta: 3}
		}
	}
	r.c.prepare(r.s)
	if r.run(0, 0.5); r.turns || r.twist.Angular < 0.3 {
		t.Errorf("before a place where the path goes back, it begins with a turn: %v, and then drives %v", r.turns, r.twist)
	}
}

func TestANarrowPlaceCountsFromBeforeItToAfterIt(t *testing.T) {
	for _, c := range []struct{ at, from, to int }{{0, 0, 3}, {10, 4, 13}, {20, 14, 20}} {
		r := newRig(mybot(), &scene{})
		r.s.Path = straight(2, 0.5)
		limit := r.c.need + narrowRoom
		for clear, narrow := range map[float64]bool{limit: false, below(limit): true} {
			r.s.Path[c.at].Clear = clear
			r.c.prepare(&r.s)
			for n, p := range r.c.path {
				if want := narrow && n >= c.from && n <= c.to; p.narrow != want {
					t.Errorf("place %d of %d, with a clearance of %v m at %d, is narrow: %v", n, len(r.c.path), clear, c.at, p.narrow)
				}
			}
		}
	}
}

func TestTheSpeedIsLessWhereItsBoundsAreExceeded(t *testing.T) {
	person := func(x, vx, vy float64) robot.Track {
		return robot.Track{At: robot.Point{X: x}, Velocity: robot.Point{X: vx, Y: vy}, Radius: 0.25}
	}
	nobody := person(9, 0, 0)
	turned := robot.Radians(narrowTurn)
	for _, c := range []struct {
		name              string
		clear, turn, v    float64 // m, rad, m/s of the robot
		person            robot.Track
		maxSpeed, allowed float64
	}{
		{"turned, in a wide place", 3, 1, 0, nobody, 0.5, 0.5},
		{"turned by little in a narrow place", 0.4, turned, 0, nobody, 0.5, 0.5},
		{"turned in a narrow place", 0.4, above(turned), 0, nobody, 0.5, narrowSpeed},
		{"turned in a narrow place where it must be slow", 0.4, 0.5, 0, nobody, 0.2, 0.2},
		{"somebody comes, far enough away", 3, 0, 0, person(attention+0.5, -1, 0), 0.5, 0.5},
		{"somebody comes nearby", 3, 0, 0, person(1.6, -1, 0), 0.5, attentive},
		{"somebody comes where it must be slow", 3, 0, 0, person(1.6, -1, 0), 0.2, 0.2},
		{"the robot comes slowly to somebody who crosses", 3, 0, closing, person(1, 0, 0.5), 0.5, 0.5},
		{"the robot comes to somebody who crosses", 3, 0, above(closing), person(1, 0, 0.5), 0.5, attentive},
		{"the robot comes to somebody who hardly walks", 3, 0, 0.2, person(1, -closing, 0), 0.5, 0.5},
		{"the robot comes to somebody who walks", 3, 0, 0.2, person(1, -above(closing), 0), 0.5, attentive},
		{"what walks is where the robot is", 3, 0, 0.5, person(0, -1, 0), 0.5, 0.5},
	} {
		r := newRig(mybot(), &scene{discs: []robot.Track{c.person}})
		r.c.wide = 0.25
		for n := range r.s.Path {
			r.s.Path[n].Clear = c.clear
		}
		r.s.Pose.Theta, r.s.Twist.Linear, r.s.MaxSpeed = c.turn, c.v, c.maxSpeed
		r.c.prepare(&r.s)
		if got := r.c.allowSpeed(&r.s); got != c.allowed {
			t.Errorf("%s: %v m/s, want %v", c.name, got, c.allowed)
		}
	}
}

func TestSomebodyComesIfTheyWalkTowardTheRobotAheadOfIt(t *testing.T) {
	for _, c := range []struct {
		name string
		who  robot.Track
		want bool
	}{
		{"ahead", walker(3, 0, -1, 0), true},
		{"just too far ahead", walker(comes, 0, -1, 0), false},
		{"not quite so far ahead", walker(below(comes), 0, -1, 0), true},
		{"beside it", walker(0, 3, -1, 0), false},
		{"behind it", walker(-3, 0, -1, 0), false},
		{"slowly", walker(3, 0, -closing, 0), false},
		{"not quite so slowly", walker(3, 0, -above(closing), 0), true},
	} {
		r := newRig(mybot(), &scene{discs: []robot.Track{c.who}})
		if got := r.c.somebodyComes(&r.s); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestARobotThatMustGetOutTracksItsPathWhateverStandsThere(t *testing.T) {
	for _, c := range []*Controller{New(mybot()), NewBackward(mybot())} {
		r := newRig(mybot(), &scene{barrels: []robot.Track{barrel(0, 0)}})
		want := robot.Twist{Linear: 0.1}
		if c.backward {
			r.s.Pose.Theta, want.Linear = math.Pi, -0.1
		}
		if got := c.Track(&r.s, 0.1); got != want {
			t.Errorf("it drives %v, want %v", got, want)
		}
	}
}
