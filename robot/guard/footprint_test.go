package guard

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
)

// box is a rectangle in the axle frame, which equals the frame of the centre here. Its numbers
// are integers, so points can lie exactly on its edges.
func box(rear, front, half float64) Footprint {
	return NewFootprint(robot.Description{Body: robot.Body{Hull: []robot.Point{
		{X: rear, Y: -half}, {X: front, Y: -half}, {X: front, Y: half}, {X: rear, Y: half},
	}}}, 0)
}

func TestAHullIsTheRectangleUnlessItIsGiven(t *testing.T) {
	body := robot.Body{Length: 2, Width: 4}
	drivetrain := robot.Drivetrain{AxleOffset: 0.5}
	h := NewFootprint(robot.Description{Body: body, Drivetrain: drivetrain}, 0)
	for _, c := range []struct {
		p    robot.Point
		want float64
	}{{robot.Point{X: 2.5}, 1}, {robot.Point{X: -1.5}, 1}, {robot.Point{Y: 5}, 3}, {robot.Point{Y: -5}, 3}, {robot.Point{X: 4.5, Y: 6}, 5}, {robot.Point{X: 1, Y: -1}, 0}} {
		if got := h.Distance(c.p); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v is %v m from the rectangle, want %v", c.p, got, c.want)
		}
	}
	body.Hull = []robot.Point{{}, {X: 4}, {Y: 3}}
	h = NewFootprint(robot.Description{Body: body}, 0)
	if got := h.Distance(robot.Point{X: 4 + 3, Y: 3 + 4}); math.Abs(got-7.4) > 1e-12 || len(h.Corners) != 3 {
		t.Errorf("the triangle has %d corners and is %v m away", len(h.Corners), got)
	}
	h = NewFootprint(robot.Description{Body: body}, 1)
	for i, want := range []robot.Point{{X: -1, Y: -1}, {X: 7, Y: -1}, {X: -1, Y: 5}} {
		if got := h.Corners[i]; got.Sub(want).Norm() > 1e-9 {
			t.Errorf("grown by 1 m, corner %d is %v, want %v", i, got, want)
		}
	}
}

func TestTheSideOfAPointIsTheEdgeItIsMostOutsideOf(t *testing.T) {
	h := box(-9, 3, 4)
	for _, c := range []struct {
		p    robot.Point
		edge int
		gap  float64
	}{
		{robot.Point{X: 5}, 1, 2},
		{robot.Point{Y: 6}, 2, 2},
		{robot.Point{X: 2}, 1, -1},
		{robot.Point{X: 3}, 1, 0},
		{robot.Point{X: 5, Y: -6}, 0, 2}, // the first of two
		{robot.Point{X: 5, Y: 6}, 1, 2},
	} {
		if edge, gap := h.separatingEdge(c.p); edge != c.edge || gap != c.gap {
			t.Errorf("%v: edge %d, %v m; want %d, %v m", c.p, edge, gap, c.edge, c.gap)
		}
	}
}

func TestWhatIsNeverTouchedIsInfinitelyFar(t *testing.T) {
	if got := noContact().distanceTravelled(); !math.IsInf(got, 1) {
		t.Errorf("%v m", got)
	}
	if got := (contact{time: 2, speed: 3}).distanceTravelled(); got != 6 {
		t.Errorf("2 s at 3 m/s are %v m", got)
	}
}

func TestASweepIsStraightWhenItHardlyTurns(t *testing.T) {
	h := box(-9, 3, 4)
	for _, c := range []struct {
		twist    robot.Twist
		straight bool
	}{
		{robot.Twist{Linear: 1}, true},
		{robot.Twist{Linear: -1, Angular: 1e-3}, true},
		{robot.Twist{Linear: 1, Angular: -1e-3}, true},
		{robot.Twist{Linear: 1, Angular: 1.1e-3}, false},
		{robot.Twist{Angular: 1}, false},
		{robot.Twist{}, true},
	} {
		if s := newSweep(&h, c.twist); s.straight != c.straight {
			t.Errorf("%v is straight: %v", c.twist, s.straight)
		}
	}
}

// same reports whether a contact has a time and a speed; never = -1.
func same(c contact, time, speed float64) bool {
	if time < 0 {
		return math.IsInf(c.time, 1)
	}
	return math.Abs(c.time-time) < 1e-12 && math.Abs(c.speed-speed) < 1e-12
}

func TestAPointIsTouchedWhenTheHullComesToIt(t *testing.T) {
	const atNoTime = -1
	h := box(-9, 3, 4)
	for _, c := range []struct {
		name        string
		twist       robot.Twist
		p           robot.Point
		time, speed float64
	}{
		{"ahead of the front", robot.Twist{Linear: 2}, robot.Point{X: 7}, 2, 2},
		{"ahead, but the robot backs", robot.Twist{Linear: -2}, robot.Point{X: 7}, atNoTime, 0},
		{"behind the rear, and the robot backs", robot.Twist{Linear: -2}, robot.Point{X: -11}, 1, 2},
		{"beside the way", robot.Twist{Linear: 2}, robot.Point{X: 7, Y: 5}, atNoTime, 0},
		{"on the line of the left flank", robot.Twist{Linear: 2}, robot.Point{X: 7, Y: 4}, atNoTime, 0},
		{"on the line of the right flank", robot.Twist{Linear: 2}, robot.Point{X: 7, Y: -4}, atNoTime, 0},
		{"just within the left flank", robot.Twist{Linear: 2}, robot.Point{X: 7, Y: 3.999}, 2, 2},
		{"at the front", robot.Twist{Linear: 2}, robot.Point{X: 3}, 0, 2},
		{"at the front, and the robot backs", robot.Twist{Linear: -2}, robot.Point{X: 3}, atNoTime, 0},
		{"inside, near the front", robot.Twist{Linear: 2}, robot.Point{X: 2}, 0, 2},
		{"inside, near the front, and the robot backs", robot.Twist{Linear: -2}, robot.Point{X: 2}, atNoTime, 0},
		{"inside, near a flank that slides along it", robot.Twist{Linear: 2}, robot.Point{Y: 3}, atNoTime, 0},
		{"inside, near a flank that slides along it but for rounding", robot.Twist{Linear: -2, Angular: 2e-16}, robot.Point{X: 1, Y: 3}, atNoTime, 0},
		{"inside, near a flank that hardly leads into it", robot.Twist{Linear: -2, Angular: 1e-3}, robot.Point{X: 1, Y: 3}, atNoTime, 0},
		{"inside, near a flank that leads into it", robot.Twist{Linear: -2, Angular: 0.01}, robot.Point{X: 1, Y: 3}, 0, math.Hypot(2.03, 0.01)},
		{"turning on the spot, at the axle itself", robot.Twist{Angular: 1}, robot.Point{}, atNoTime, 0},
		{"turning left, a point ahead is met by the right corner", robot.Twist{Angular: 1}, robot.Point{X: 5}, math.Atan2(4, 3), 5},
		{"turning right, by the left one", robot.Twist{Angular: -1}, robot.Point{X: 5}, math.Atan2(4, 3), 5},
		{"turning right, a point to the left is met by the flank", robot.Twist{Angular: -1}, robot.Point{Y: 5}, math.Atan2(3, 4), 5},
		{"turning left, a point to the right is met by the other", robot.Twist{Angular: 1}, robot.Point{Y: -5}, math.Atan2(3, 4), 5},
		{"turning twice as fast, in half the time", robot.Twist{Angular: 2}, robot.Point{X: 5}, math.Atan2(4, 3) / 2, 10},
		{"turning, a point at the front", robot.Twist{Angular: 1}, robot.Point{X: 3, Y: -2}, 0, math.Hypot(2, 3)},
		{"turning, a point at the front that it leaves", robot.Twist{Angular: 1}, robot.Point{X: 3, Y: 2}, atNoTime, 0},
		{"turning, as far as the farthest corner", robot.Twist{Angular: 1}, robot.Point{X: 4, Y: 9}, atNoTime, 0},
		{"turning, at the farthest corner", robot.Twist{Angular: 1}, robot.Point{X: -9, Y: -4}, atNoTime, 0},
		{"turning, farther than that", robot.Twist{Angular: 1}, robot.Point{X: 20}, atNoTime, 0},
		{"on an arc, a point that the flank only grazes", robot.Twist{Linear: 8, Angular: 1}, robot.Point{X: 4, Y: 8}, atNoTime, 0},
		{"on an arc, a point a little farther out", robot.Twist{Linear: 8, Angular: 1}, robot.Point{X: 5, Y: 8}, math.Pi/2 - math.Asin(3.0/5), 5},
		{"on an arc, a point nearer to its centre", robot.Twist{Linear: 8, Angular: 1}, robot.Point{X: 3, Y: 8}, atNoTime, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSweep(&h, c.twist)
			if got := s.touchPoint(c.p); !same(got, c.time, c.speed) {
				t.Errorf("touched after %v s at %v m/s, want %v s at %v m/s", got.time, got.speed, c.time, c.speed)
			}
		})
	}
}

func TestAStraightPathEndsAtTheFirstEdgeAndPassesWhatIsAtTheSide(t *testing.T) {
	h := box(-9, 3, 4)
	s := newSweep(&h, robot.Twist{Linear: 2})
	if got := s.straightTo(robot.Point{X: 7, Y: 4.1}); !same(got, -1, 0) {
		t.Errorf("a point beside the path: %+v", got)
	}
	if got := s.straightTo(robot.Point{X: 7, Y: 4}); !same(got, 2, 2) {
		t.Errorf("a point on the line of the flank: %+v", got)
	}
	if got := s.straightTo(robot.Point{X: -9}); !same(got, 0, 2) {
		t.Errorf("a point that the rear is about to leave: %+v", got)
	}
	if got := s.straightTo(robot.Point{X: -9.1}); !same(got, -1, 0) {
		t.Errorf("a point that lies behind: %+v", got)
	}
}

func TestAnArcBeyondEveryCornerMeetsNothing(t *testing.T) {
	h := box(-9, 3, 4)
	s := newSweep(&h, robot.Twist{Angular: 1})
	for _, p := range []robot.Point{{X: 20}, {X: 1}} { // around the hull, and inside it
		if got := s.arcTo(p); !same(got, -1, 0) {
			t.Errorf("%v: %+v", p, got)
		}
	}
}

func TestAWallIsTouchedByTheFirstCorner(t *testing.T) {
	const never = -1
	h, square := box(-9, 3, 4), box(-3, 3, 4)
	triangle := NewFootprint(robot.Description{Body: robot.Body{Hull: []robot.Point{{X: -5}, {X: 3, Y: -1}, {X: 3, Y: 4}}}}, 0)
	ahead, left := robot.Point{X: 1}, robot.Point{Y: 1}
	for _, c := range []struct {
		name        string
		hull        *Footprint
		twist       robot.Twist
		n           robot.Point
		d           float64
		time, speed float64
	}{
		{"ahead", &h, robot.Twist{Linear: 2}, ahead, 7, 2, 2},
		{"ahead, and the robot backs", &h, robot.Twist{Linear: -2}, ahead, 7, never, 0},
		{"at the front", &h, robot.Twist{Linear: 2}, ahead, 3, 0, 2},
		{"at the front, and the robot backs", &h, robot.Twist{Linear: -2}, ahead, 3, never, 0},
		{"through the front", &h, robot.Twist{Linear: 2}, ahead, 2, 0, 2},
		{"through the front, and the robot backs", &h, robot.Twist{Linear: -2}, ahead, 2, never, 0},
		{"beside the way", &h, robot.Twist{Linear: 2}, left, 5, never, 0},
		{"beside the way, through the flank", &h, robot.Twist{Linear: 2}, left, 3, never, 0},
		{"turning, within the reach of the rear corners", &h, robot.Twist{Angular: -1}, left, 9, math.Asin(9/math.Hypot(9, 4)) - math.Asin(4/math.Hypot(9, 4)), math.Hypot(9, 4)},
		{"turning, just as far as the corners reach", &square, robot.Twist{Angular: 1}, ahead, 5, never, 0},
		{"turning, a little nearer", &square, robot.Twist{Angular: 1}, ahead, 4, math.Acos(3.0/5) - math.Acos(4.0/5), 5},
		{"turning the other way", &square, robot.Twist{Angular: -1}, ahead, 4, math.Acos(3.0/5) - math.Acos(4.0/5), 5},
		{"turning, at a corner that comes nearer", &square, robot.Twist{Angular: -1}, ahead, 3, 0, 5},
		{"turning, at a corner that leaves it", &triangle, robot.Twist{Angular: -1}, left, 4, math.Asin(4.0 / 5), 5},
		{"turning, out of reach", &square, robot.Twist{Angular: 1}, ahead, 6, never, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSweep(c.hull, c.twist)
			if got := s.touchWall(c.n, c.d); !same(got, c.time, c.speed) {
				t.Errorf("touched after %v s at %v m/s, want %v s at %v m/s", got.time, got.speed, c.time, c.speed)
			}
		})
	}
}

func TestATurnIsMeasuredInItsOwnDirection(t *testing.T) {
	for _, c := range []struct{ a, w, want float64 }{
		{1, 1, 1}, {1, -1, 2*math.Pi - 1}, {-1, 1, 2*math.Pi - 1}, {-1, -1, 1}, {0, 1, 0}, {0, -1, 0}, {7, 0.1, 7 - 2*math.Pi}, {-7, -0.1, 7 - 2*math.Pi},
	} {
		if got := turnAngle(c.a, c.w); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("to have turned by %v at %v rad/s takes %v rad, want %v", c.a, c.w, got, c.want)
		}
	}
}

// The sweep is compared with a slow method: move the hull in small steps and test each. The
// numbers are drawn uniformly, because rapid prefers numbers near 0, inside the hull.
func TestTheSweepFindsTheFirstContact(t *testing.T) {
	d := mybot()
	h := NewFootprint(d, limits.PointMargin)
	const dt = 1e-3
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		within := func(most float64) float64 { return most * (2*random.Float64() - 1) }
		twist := robot.Twist{Linear: within(0.5), Angular: within(0.8)}
		if math.Abs(twist.Linear)+math.Abs(twist.Angular) < 0.05 {
			return
		}
		p := robot.Point{X: within(1), Y: within(1)}
		s := newSweep(&h, twist)
		got := s.touchPoint(p).time
		n := robot.Point{X: math.Cos(p.X), Y: math.Sin(p.X)}
		wallAt := 0.5 + math.Abs(p.Y)/4
		gotWall := s.touchWall(n, wallAt).time
		if _, gap := h.separatingEdge(p); gap <= 0 {
			return
		}
		first, firstWall := math.Inf(1), math.Inf(1)
		m := robot.Motion{Twist: twist}
		free := robot.Limit{Linear: 9, Angular: 9, LinearAcceleration: 99, AngularAcceleration: 99}
		for at := 0.0; at < 4; at += dt {
			if _, gap := h.separatingEdge(m.Axle.Inverse().Apply(p)); gap <= 0 {
				first = math.Min(first, at)
			}
			for _, c := range h.Corners {
				if n.Dot(m.Axle.Apply(c)) > wallAt {
					firstWall = math.Min(firstWall, at)
				}
			}
			m = robot.Step(m, twist, free, dt)
		}
		same := func(what string, got, slow float64) {
			if math.Abs(got-slow) > 2*dt && !(got > 4-2*dt && math.IsInf(slow, 1)) {
				// A graze may be shorter than a step.
				if math.IsInf(slow, 1) && !math.IsInf(got, 1) {
					a := robot.Step(robot.Motion{Twist: twist}, twist, free, got).Axle
					if _, gap := h.separatingEdge(a.Inverse().Apply(p)); what == "point" && math.Abs(gap) < 1e-6 {
						return
					}
				}
				t.Fatalf("%s: found %.4f s, slow method %.4f s", what, got, slow)
			}
		}
		same("point", got, first)
		if !math.IsInf(firstWall, 1) || !math.IsInf(gotWall, 1) {
			same("wall", gotWall, firstWall)
		}
	})
}
