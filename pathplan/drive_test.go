package pathplan

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// straightRoute is 4 m long on the x axis; at the goal the axle is at its end.
func straightRoute(desc robot.Description) *Route {
	var line []robot.Point
	for n := range 41 {
		line = append(line, robot.Point{X: float64(n) / 10})
	}
	r := newRoute(line, desc.Safe)
	r.Goal = desc.Drivetrain.Centre(robot.Pose{X: 4})
	for n := range r.Points {
		r.Points[n].Clear = 1
	}
	return &r
}

// axleAt calls the follower with the axle at m and a twist.
func axleAt(f *follower, desc robot.Description, m robot.Pose, twist robot.Twist, maxSpeed float64) (robot.Twist, robot.Progress) {
	return f.followRoute(desc.Drivetrain.Centre(m), twist, maxSpeed)
}

func TestTheClearanceAheadIsTheSmallestOfTheNextMetre(t *testing.T) {
	desc := mybot(t)
	route := straightRoute(desc)
	route.Points[20].Clear = 0.4 // 2 m along
	for _, c := range []struct{ along, want float64 }{{0, 1}, {0.95, 1}, {1.05, 0.4}, {1.95, 0.4}, {2.05, 0.4}, {2.15, 1}, {3.9, 1}} {
		f := newFollower(route, desc)
		f.along = c.along
		if _, p := axleAt(f, desc, robot.Pose{X: c.along}, robot.Twist{}, 0.5); p.Clearance != c.want {
			t.Errorf("%g m along there is room of %g m, want %g m", c.along, p.Clearance, c.want)
		}
	}
}

func TestTheTimeToGoIsThatOfThePathLeftAndTheTurns(t *testing.T) {
	desc := mybot(t)
	route := straightRoute(desc)
	route.GoalTurn = math.Pi / 2
	route.Goal = desc.Drivetrain.Centre(robot.Pose{X: 4, Theta: math.Pi / 2})
	turn, drive := turnTime(math.Pi/2, desc.Safe), route.Time
	route.Time += turn
	for _, c := range []struct{ along, want float64 }{{0, drive + turn}, {1, drive*3/4 + turn}, {2, drive/2 + turn}, {4, turn}} {
		f := newFollower(route, desc)
		f.along = c.along
		if _, p := axleAt(f, desc, robot.Pose{X: c.along}, robot.Twist{}, 0.5); math.Abs(p.Time-c.want) > 0.01 {
			t.Errorf("%g m along %.2f s are to go, want %.2f s", c.along, p.Time, c.want)
		}
	}
	// Before it drives, it turns toward the route.
	f := newFollower(route, desc)
	_, p := axleAt(f, desc, robot.Pose{Theta: math.Pi / 2}, robot.Twist{}, 0.5)
	if want := 2*turn + drive; f.phase != turning || math.Abs(p.Time-want) > 0.01 {
		t.Errorf("turned away at the start it is %v with %.2f s to go, want %.2f s", f.phase, p.Time, want)
	}
	// Without anything to drive, it only turns.
	spot := newRoute([]robot.Point{{}}, desc.Safe)
	spot.GoalTurn, spot.Goal = 1, desc.Drivetrain.Centre(robot.Pose{Theta: 1})
	f = newFollower(&spot, desc)
	_, p = axleAt(f, desc, robot.Pose{}, robot.Twist{}, 0.5)
	if want := turnTime(1, desc.Safe); f.phase != finishing || math.Abs(p.Time-want) > 0.01 {
		t.Errorf("on the spot it is %v with %.2f s to go, want %.2f s", f.phase, p.Time, want)
	}
}

func TestARouteIsOverWhenItsEndIsReachedOrPassed(t *testing.T) {
	desc := mybot(t)
	for _, c := range []struct {
		name string
		at   robot.Pose
		over bool
	}{
		{"2 cm before the end", robot.Pose{X: 3.98}, false},
		{"half a centimetre before it", robot.Pose{X: 3.995}, true},
		{"10 cm past it", robot.Pose{X: 4.1}, true},
		{"past it, turned round", robot.Pose{X: 4.015, Theta: math.Pi}, true},
		{"10 cm past it, turned round", robot.Pose{X: 4.1, Theta: math.Pi}, false},
		{"half a metre aside of the end, facing it", robot.Pose{X: 4, Y: 0.5, Theta: -math.Pi / 2}, false},
		{"in the middle, facing back", robot.Pose{X: 2, Theta: math.Pi}, false},
	} {
		f := newFollower(straightRoute(desc), desc)
		f.along = min(4, c.at.X)
		if axleAt(f, desc, c.at, robot.Twist{}, 0.5); (f.phase >= finishing) != c.over {
			t.Errorf("%s: %v", c.name, f.phase)
		}
	}
}

func TestARobotThatIsHeldUpCloseToItsGoalTurnsToTheHeadingThere(t *testing.T) {
	desc := mybot(t)
	for _, c := range []struct {
		before, back float64 // m
		wait         time.Duration
		turns        bool
	}{
		{0.1, 0, limits.HeldAfter + time.Second, true},
		{0.1, 0, limits.HeldAfter - time.Second, false},
		{limits.GoalNear + 0.05, 0, limits.HeldAfter + time.Second, false},
		{0.1, 0.3, limits.HeldAfter + time.Second, false}, // it would back into another place
	} {
		route := straightRoute(desc)
		at := desc.Drivetrain.Centre(robot.Pose{X: 4 - c.before})
		route.Goal, route.Back = desc.Drivetrain.Centre(robot.Pose{X: 4, Theta: -1}), c.back
		p := &path{desc: desc, route: route, follower: newFollower(route, desc)}
		p.follower.along = 4 - c.before - 0.1
		p.Follow(noon, at, robot.Twist{}, 0.5)
		if twist, _ := p.Follow(noon.Add(c.wait), at, robot.Twist{}, 0.5); (twist.Linear == 0 && twist.Angular < 0) != c.turns {
			t.Errorf("after %v, %.2f m before the end, with %g m to back up, it is told %+v", c.wait, c.before, c.back, twist)
		}
	}
}

func TestARobotTurnsOnTheSpotAtTheStartSoonerThanWhileDrivingAndNotAtTheEnd(t *testing.T) {
	desc := mybot(t)
	for _, c := range []struct {
		name         string
		along, theta float64
		turns        bool
	}{
		{"a little off at the start", 0, robot.Radians(18), false},
		{"off at the start", 0, robot.Radians(25), true},
		{"to the other side", 0.05, robot.Radians(-25), true},
		{"as much while driving", 0.15, robot.Radians(25), false},
		{"far off while driving", 1, robot.Radians(58), false},
		{"farther off while driving", 1, robot.Radians(62), true},
		{"as far, 20 cm before the end", 3.8, robot.Radians(-62), true},
		{"as far, 10 cm before the end", 3.9, robot.Radians(-62), false},
	} {
		f := newFollower(straightRoute(desc), desc)
		f.along = c.along
		twist, _ := axleAt(f, desc, robot.Pose{X: c.along, Theta: c.theta}, robot.Twist{}, 0.5)
		if (f.phase == turning) != c.turns || (twist.Linear == 0) != c.turns {
			t.Errorf("%s: %v with %+v", c.name, f.phase, twist)
		}
	}
	// A turn, once begun, ends within 5 deg.
	f := newFollower(straightRoute(desc), desc)
	for _, c := range []struct {
		theta float64
		want  phase
	}{{30, turning}, {10, turning}, {5.5, turning}, {-5.5, turning}, {4.5, driving}, {10, driving}} {
		if axleAt(f, desc, robot.Pose{Theta: robot.Radians(c.theta)}, robot.Twist{}, 0.5); f.phase != c.want {
			t.Errorf("%g deg off: %v, want %v", c.theta, f.phase, c.want)
		}
	}
}

func TestATurnOnTheSpotBrakesBeforeItsEndAndNeverStalls(t *testing.T) {
	desc := mybot(t)
	maxSpeed := turnShare * desc.Safe.Angular
	for _, c := range []struct{ deg, by, want float64 }{
		{90, 0, maxSpeed},
		{-90, 0, -maxSpeed},
		{-170, 1, maxSpeed}, // the longer direction is planned
		{170, -1, -maxSpeed},
		{170, 1, maxSpeed},
		{-46, 1, maxSpeed},                         // most of the turn remains
		{-44, 1, -maxSpeed},                        // the turn is nearly over, and a small error is corrected backward
		{10, 0, headingGain * robot.Radians(10)},   // it slows down
		{-10, 0, -headingGain * robot.Radians(10)}, //
		{1.1, 0, robot.Radians(3)},
		{-1.1, 0, -robot.Radians(3)}, // the motors cannot start with less
		{0.5, 0, robot.Radians(1.25)},
		{-0.5, 0, -robot.Radians(1.25)}, // moving motors can do less
	} {
		f := newFollower(straightRoute(desc), desc)
		f.by = c.by
		if got := f.turnBy(robot.Radians(c.deg)).Angular; math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%g deg left, %g planned: %.3f rad/s, want %.3f rad/s", c.deg, c.by, got, c.want)
		}
	}
	// Weak motors brake earlier.
	desc.Safe.AngularAcceleration = robot.Radians(5)
	f := newFollower(straightRoute(desc), desc)
	if got, want := f.turnBy(robot.Radians(-60)).Angular, -math.Sqrt(accelerationShare*robot.Radians(5)*robot.Radians(60)); math.Abs(got-want) > 1e-9 {
		t.Errorf("with weak motors: %.3f rad/s, want %.3f rad/s", got, want)
	}
}

func TestARobotMovesOffBrisklyAndNeverFasterThanItMay(t *testing.T) {
	desc := mybot(t)
	for _, c := range []struct {
		name                  string
		along, maxSpeed, want float64
	}{
		{"at the start", 0, 0.5, 0.2},
		{"at the start, when it may do less", 0, 0.1, 0.1},
		{"while driving", 2, 0.5, 0.5},
		{"while driving, when it may do less", 2, 0.3, 0.3},
	} {
		f := newFollower(straightRoute(desc), desc)
		f.along = c.along
		twist, _ := axleAt(f, desc, robot.Pose{X: c.along}, robot.Twist{Linear: c.want}, c.maxSpeed)
		if math.Abs(twist.Linear-c.want) > 0.005 || math.Abs(twist.Angular) > 1e-9 {
			t.Errorf("%s: %+v, want %.3f m/s straight on", c.name, twist, c.want)
		}
	}
	f := newFollower(straightRoute(desc), desc)
	f.along = 3.9
	brake := math.Sqrt(2 * accelerationShare * desc.Safe.LinearAcceleration * 0.1)
	if twist, _ := axleAt(f, desc, robot.Pose{X: 3.9}, robot.Twist{Linear: 0.3}, 0.5); twist.Linear > brake || twist.Linear < brake/2 {
		t.Errorf("10 cm before the end it does %.2f m/s, and could brake from %.2f m/s", twist.Linear, brake)
	}
}

func TestACurveIsSteeredIntoAheadOfItAndNotWhileTheRobotIsHeldUp(t *testing.T) {
	desc := mybot(t)
	r := newRoute(quarter(1), desc.Safe) // straight for 3 m, then to the left
	bend := func(along, speed float64) float64 {
		f := newFollower(&r, desc)
		f.along = along
		w, _ := r.waypointAt(along, 0)
		twist, _ := axleAt(f, desc, robot.Pose{X: w.Point.X, Y: w.Point.Y, Theta: w.Heading}, robot.Twist{Linear: speed}, 0.5)
		if f.phase != driving {
			t.Fatalf("%g m along it is %v", along, f.phase)
		}
		return twist.Angular
	}
	// This robot's motors need half a second for the turn: 0.25 m.
	if before, in, slow := bend(2.9, 0.5), bend(3.7, 0.5), bend(2.9, 0.06); before < 0.1 || before > 0.4 || math.Abs(in-0.5) > 0.02 || slow > 0.01 {
		t.Errorf("0.1 m before the bend %.3f rad/s, in it %.3f, slowly before it %.3f; want some, 0.5 and none", before, in, slow)
	}
	if held := bend(3.7, 0); math.Abs(held-limits.RouteCreep/2) > 0.01 {
		t.Errorf("held up in the bend it turns with %.3f rad/s, want %.3f", held, limits.RouteCreep/2)
	}
}

func TestTheFollowerStaysOnItsOwnLegOfARouteThatComesBackNextToItself(t *testing.T) {
	desc := mybot(t)
	var line []robot.Point
	for x := 0.0; x < 3.05; x += 0.1 {
		line = append(line, robot.Point{X: x})
	}
	for x := 3.0; x > -0.05; x -= 0.1 {
		line = append(line, robot.Point{X: x, Y: 0.3})
	}
	r := newRoute(line, desc.Safe)
	f := newFollower(&r, desc)
	f.along = 1
	// The robot is nearer to the returning leg than to its own.
	if _, p := axleAt(f, desc, robot.Pose{X: 1.2, Y: 0.2}, robot.Twist{Linear: 0.3}, 0.5); math.Abs(p.Done-1.2) > 0.01 || math.Abs(p.Across-0.2) > 0.01 {
		t.Errorf("it has done %.2f m and is %.2f m aside; want 1.20 m and 0.20 m", p.Done, p.Across)
	}
}

func TestARobotBacksIntoItsGoalSlowlyAndStops(t *testing.T) {
	desc := mybot(t)
	route := straightRoute(desc)
	route.Back = 0.5
	route.Goal = desc.Drivetrain.Centre(robot.Pose{X: 3.5})
	brake := math.Sqrt(2 * accelerationShare * desc.Safe.LinearAcceleration * 0.02)
	for _, c := range []struct {
		name       string
		at         robot.Pose
		maxSpeed   float64
		phase      phase
		v          float64
		turn       float64 // its sign
		left, time float64
	}{
		{"turned to the goal's heading first", robot.Pose{X: 4, Theta: 0.1}, 0.5, finishing, 0, -1, 0.5, turnTime(0.1, desc.Safe) + 0.5/limits.RouteBackSpeed},
		{"from the end of the route", robot.Pose{X: 4}, 0.5, backing, -limits.RouteBackSpeed, 0, 0.5, 0.5 / limits.RouteBackSpeed},
		{"slower where it has to be", robot.Pose{X: 4}, 0.05, backing, -0.05, 0, 0.5, 0.5 / limits.RouteBackSpeed},
		{"back to the line when it is left of it", robot.Pose{X: 3.8, Y: 0.05}, 0.5, backing, -limits.RouteBackSpeed, 1, 0.3, 0.3 / limits.RouteBackSpeed},
		{"back to the line when it is right of it", robot.Pose{X: 3.8, Y: -0.05}, 0.5, backing, -limits.RouteBackSpeed, -1, 0.3, 0.3 / limits.RouteBackSpeed},
		{"braking at the end", robot.Pose{X: 3.52}, 0.5, backing, -brake - 0.01, 0, 0.02, 0.02 / limits.RouteBackSpeed},
		{"there", robot.Pose{X: 3.505}, 0.5, arrived, 0, 0, 0, 0},
	} {
		f := newFollower(route, desc)
		f.along, f.phase = 4, finishing
		twist, p := axleAt(f, desc, c.at, robot.Twist{}, c.maxSpeed)
		if f.phase != c.phase || math.Abs(twist.Linear-c.v) > 1e-6 || twist.Angular*c.turn < 0 || (twist.Angular == 0) != (c.turn == 0) {
			t.Errorf("%s: %v with %+v, want %v with %.3f m/s", c.name, f.phase, twist, c.phase, c.v)
		}
		if math.Abs(p.Left-c.left) > 1e-6 || math.Abs(p.Time-c.time) > 1e-6 {
			t.Errorf("%s: %.3f m and %.2f s to go, want %.3f m and %.2f s", c.name, p.Left, p.Time, c.left, c.time)
		}
	}
}
