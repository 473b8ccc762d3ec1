package guard

import (
	"math"
	"testing"

	"mybot/robot"
	"mybot/robot/limits"
)

// near reports whether two numbers are equal up to rounding.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestTheSonarThatLooksNearestToAPointIsFound(t *testing.T) {
	g := New(mybot())
	for i := range g.sonars {
		v := &g.sonars[i]
		for _, off := range []float64{0, 0.05, -0.05} {
			at := v.pose.Point().Add(robot.Point{X: math.Cos(v.pose.Theta + off), Y: math.Sin(v.pose.Theta + off)})
			got, half := g.NearestSonar(at)
			if math.Abs(got) > math.Abs(off)+1e-9 || half != v.half {
				t.Errorf("a point %.2f rad beside the axis of sonar %d: turn by %.3f, half a beam %.3f", off, i, got, half)
			}
		}
	}
	first := &g.sonars[0]
	g.sonars = g.sonars[:1]
	at := first.pose.Point().Add(robot.Point{X: math.Cos(first.pose.Theta + 2), Y: math.Sin(first.pose.Theta + 2)})
	if got, _ := g.NearestSonar(at); !near(got, 2) {
		t.Errorf("the only sonar would have to turn by %.3f, want 2 to the left", got)
	}
}

func TestTheNearestIsTheDistanceFromTheFootprintToAnEcho(t *testing.T) {
	g := New(mybot())
	for i := range g.sonars {
		g.sonars[i].echo = math.Inf(1)
	}
	if n := g.Nearest(); !math.IsInf(n.Distance, 1) || n.Sonar != -1 {
		t.Errorf("without an echo the nearest is %+v", n)
	}
	g.sonars[2].echo, g.sonars[2].points = 1, [3]robot.Point{{X: 1.5}, {X: 1.2}, {X: 1.6}}
	g.sonars[3].echo, g.sonars[3].points = 1, [3]robot.Point{{X: 1.3}, {X: 1.4}, {X: 1.3}}
	want := g.body.Distance(robot.Point{X: 1.2})
	if n := g.Nearest(); n.Sonar != 2 || n.Distance != want {
		t.Errorf("the nearest is %+v, want sonar 2 at %.3f m", n, want)
	}
}

func TestTheFootprintEndsBehindTheAxleWhereItsLastCornerIs(t *testing.T) {
	body := box(-0.3, 0.4, 0.2)
	if got := body.Rear(); !near(got, -0.3) {
		t.Errorf("it ends at %.3f m, want -0.3", got)
	}
	if got := New(mybot()).Footprint().Rear(); got >= 0 || got < -0.5 {
		t.Errorf("the guard's footprint ends at %.3f m", got)
	}
	ahead := box(0.1, 0.4, 0.2)
	if got := ahead.Rear(); got != 0 {
		t.Errorf("one that begins before the axle ends at %.3f m, want 0", got)
	}
}

func TestATurnWhileDrivingIsSlowedByWhatItWouldTouch(t *testing.T) {
	next := robot.Twist{Linear: 0.3, Angular: 0.7}
	side := robot.Point{X: 0.3, Y: 0.36}
	out, s := among(side).Limit(next, next, robot.Twist{}, Approach{Stop: 0.02})
	if out.Linear >= next.Linear || out.Angular > next.Angular || out.Linear < 0 || !s.Guard.Active {
		t.Errorf("%v becomes %v: %+v", next, out, s)
	}
	if s.Guard.Limit > math.Abs(out.Linear)+1e-9 && out.Linear > 0 {
		t.Errorf("the limit is %.3f m/s, the robot is given %.3f", s.Guard.Limit, out.Linear)
	}
	if s.At != side {
		t.Errorf("the point named is %v, want %v", s.At, side)
	}
}

func TestWhatTheRobotStillDoesMustNotEndInAContact(t *testing.T) {
	ahead := robot.Point{X: 0.34 + 0.03}
	rolling := robot.Twist{Linear: 0.5}
	back := robot.Twist{Linear: -0.1}
	out, s := among(ahead).Limit(back, back, rolling, Approach{Stop: limits.StopDistance})
	if !out.IsZero() || !s.Guard.Active {
		t.Errorf("rolling at 0.5 m/s, 3 cm before an obstacle, %v becomes %v", back, out)
	}
	out, _ = among(ahead).Limit(back, back, robot.Twist{}, Approach{Stop: limits.StopDistance})
	if out != back {
		t.Errorf("standing there %v becomes %v", back, out)
	}
}

func TestTheGuardExplainsWhatItDidInASentence(t *testing.T) {
	g := among(robot.Point{X: 0.34 + 0.5})
	next := robot.Twist{Linear: 0.5}
	out, s := g.Limit(next, next, robot.Twist{}, Approach{Stop: limits.StopDistance})
	want := New(mybot()).notice.sentenceFor(s)
	if got := g.Explain(s); got != want || got == "" || !s.Guard.Active || out.Linear >= next.Linear {
		t.Errorf("it says %q, want %q", got, want)
	}
}

func TestTheFootprintReachesToItsFarthestCorner(t *testing.T) {
	body := box(-0.3, 0.4, 0.2)
	if got := body.ReachFrom(robot.Point{X: 0.1}); !near(got, math.Hypot(0.4, 0.2)) {
		t.Errorf("from 0.1 m before the axle it reaches %.3f m", got)
	}
}

func TestTheGuardKnowsHowTheRobotMovedLast(t *testing.T) {
	g := among()
	rolling := robot.Twist{Linear: -0.2}
	for _, measured := range []robot.Twist{rolling, {}} {
		g.Limit(robot.Twist{}, robot.Twist{}, measured, Approach{Stop: limits.StopDistance})
		if g.last != rolling {
			t.Errorf("after %v it moved last at %v, want %v", measured, g.last, rolling)
		}
	}
}

func TestAMotionThatContinuesIsSlowedAndNotEndedByWhatItWouldTouch(t *testing.T) {
	next := robot.Twist{Linear: 0.5}
	out, _ := among(robot.Point{X: 0.34 + 0.05}).Limit(next, next, next, Approach{})
	if out.Linear <= 0 || out.Linear >= next.Linear {
		t.Errorf("5 cm before an obstacle %v becomes %v, want a slower one", next, out)
	}
}

func TestByItselfTheRobotBrakesForASinglePing(t *testing.T) {
	g := among()
	g.unconfirmed = []robot.Point{{X: 0.34 + 0.05}}
	next := robot.Twist{Linear: 0.5}
	out, s := g.Limit(next, next, robot.Twist{}, Approach{Stop: limits.StopDistance, Autonomous: true})
	if out.Linear >= limits.PassingSpeed || !near(s.Guard.Limit, out.Linear) || s.At != g.unconfirmed[0] || s.Guard.Ahead > 0.05+1e-9 {
		t.Errorf("before a ping that no other confirmed %v becomes %v: %+v", next, out, s)
	}
	if out, _ := g.Limit(next, next, robot.Twist{}, Approach{Stop: limits.StopDistance}); out != next {
		t.Errorf("under a driver %v becomes %v", next, out)
	}
}

// A robot that leaves a place beside a post corrects its heading all the time, by turns too small
// to matter.
func TestByItselfTheRobotDrivesOnBesideAThingThatASmallTurnWouldTouch(t *testing.T) {
	beside := robot.Point{X: -0.1, Y: mybot().Body.HalfWidth() + limits.PointMargin/2}
	g := among(beside)
	alone := Approach{Stop: limits.StopDistance, Autonomous: true}
	for _, c := range []struct {
		name  string
		next  robot.Twist
		a     Approach
		moves bool
	}{
		{"a small turn into it", robot.Twist{Linear: 0.1, Angular: -0.02}, alone, true},
		{"a small turn into it, backward", robot.Twist{Linear: -0.1, Angular: -0.02}, alone, true},
		{"a turn into it", robot.Twist{Linear: 0.1, Angular: -0.2}, alone, false},
		{"a small turn into it on the spot", robot.Twist{Angular: -0.02}, alone, false},
		{"by hand", robot.Twist{Linear: 0.1, Angular: -0.02}, Approach{Stop: limits.StopDistance}, false},
	} {
		out, s := g.Limit(c.next, c.next, robot.Twist{}, c.a)
		switch {
		case out.IsZero() == c.moves:
			t.Errorf("%s: %v becomes %v", c.name, c.next, out)
		case c.moves && (out.Angular != 0 || math.Abs(out.Linear) > math.Abs(c.next.Linear) || out.Linear*c.next.Linear < 0 || !s.Guard.Active):
			t.Errorf("%s: %v becomes %v, want it straight: %+v", c.name, c.next, out, s)
		}
	}
	ahead := among(beside, robot.Point{X: 0.34 + limits.PointMargin/2})
	if out, _ := ahead.Limit(robot.Twist{Linear: 0.1, Angular: -0.02}, robot.Twist{Linear: 0.1, Angular: -0.02}, robot.Twist{}, alone); !out.IsZero() {
		t.Errorf("toward a thing ahead the motion becomes %v", out)
	}
}
