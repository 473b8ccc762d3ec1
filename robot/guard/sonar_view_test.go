package guard

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

func newSonarView() *sonarView {
	inf := math.Inf(1)
	return &sonarView{facing: robot.Point{X: 1}, half: robot.Radians(10), max: 5, heard: inf, before: inf, earlier: inf, echo: inf}
}

func TestASonarViewTakesWhatASonarCanHear(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name  string
		r     float64
		heard float64
		lost  bool
	}{
		{"something", 2, 2, false},
		{"something nearer than it can tell", 0.01, 0.05, false},
		{"something at the sonar itself", 0, 0.05, false},
		{"something as far as it can tell", 5, inf, false},
		{"something a little nearer than that", 4.99, 4.99, false},
		{"nothing", inf, inf, false},
		{"no number", math.NaN(), inf, true},
		{"a negative range", -0.01, inf, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newSonarView()
			e.min = 0.05
			e.takeRange(c.r, time.Second)
			if lost := e.lost == time.Second; e.heard != c.heard || lost != c.lost || !lost && e.lost != 0 {
				t.Errorf("the range is %v m, out of order for %v; want %v m, out of order: %v", e.heard, e.lost, c.heard, c.lost)
			}
		})
	}
}

func TestASonarIsOutOfOrderUntilItTellsARangeAgain(t *testing.T) {
	e := newSonarView()
	e.takeRange(math.NaN(), 300*time.Millisecond)
	e.takeRange(math.NaN(), -time.Second) // the base's clock jumped back
	e.takeRange(math.NaN(), 100*time.Millisecond)
	if e.lost != 400*time.Millisecond {
		t.Errorf("out of order for %v, want 0.4 s", e.lost)
	}
	if e.takeRange(2, 20*time.Millisecond); e.lost != 0 {
		t.Errorf("the sonar reports a range and is out of order for %v", e.lost)
	}
}

func TestARangeThatIsToldForLongIsHeardTwice(t *testing.T) {
	e := newSonarView()
	e.takeRange(2, 20*time.Millisecond)
	if !math.IsInf(e.echo, 1) {
		t.Errorf("one ping shows an obstacle at %v m", e.echo)
	}
	e.takeRange(2, -time.Second)
	e.takeRange(2, sameFor)
	if !math.IsInf(e.echo, 1) {
		t.Errorf("the same ping, repeated for %v, shows an obstacle at %v m", sameFor, e.echo)
	}
	if e.takeRange(2, 1); e.echo != 2 {
		t.Errorf("the next ping is back and shows an obstacle at %v m", e.echo)
	}
}

func TestTwoPingsThatAgreeTellWhereTheEchoIs(t *testing.T) {
	for _, c := range []struct{ before, heard, echo float64 }{
		{2, 1.9, 1.9},
		{1.9, 2, 2},
		{sureOfRange, 0, 0}, // barely
		{2, 1, 2},
		{1, 2, 2},
		{2, math.Inf(1), math.Inf(1)},
	} {
		e := newSonarView()
		e.takeRange(c.before, 20*time.Millisecond)
		e.takeRange(c.heard, 20*time.Millisecond)
		if e.echo != c.echo {
			t.Errorf("%v m and then %v m: something at %v m, want %v m", c.before, c.heard, e.echo, c.echo)
		}
		if !math.IsInf(c.echo, 1) {
			for k, want := range []float64{-robot.Radians(9), 0, robot.Radians(9)} {
				if p := e.points[k]; math.Abs(p.Norm()-c.echo) > 1e-12 || math.Abs(math.Atan2(p.Y, p.X)-want) > 1e-12 && c.echo > 0 {
					t.Errorf("point %d of the echo is %v", k, p)
				}
			}
		}
	}
}

func TestOnePingAmongOthersChangesNothing(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name  string
		pings []float64
		echo  float64
	}{
		{"a lost echo", []float64{0.36, 0.3, inf}, 0.36},
		{"and the thing is nearer when it is heard again", []float64{0.36, 0.3, inf, 0.2}, 0.3},
		{"and once more", []float64{0.36, 0.3, inf, 0.2, 0.19}, 0.19},
		{"another sonar's ping", []float64{2, 2, 0.5}, 2},
		{"and what was there before", []float64{2, 2, 0.5, 2}, 2},
		{"two lost echoes", []float64{0.36, 0.3, inf, inf}, inf},
		{"two pings of something new", []float64{inf, inf, 0.5, 0.5}, 0.5},
	} {
		e := newSonarView()
		for _, r := range c.pings {
			e.takeRange(r, sameFor+1)
		}
		if e.echo != c.echo {
			t.Errorf("%s: something at %v m, want %v m", c.name, e.echo, c.echo)
		}
	}
}

// listening is a guard whose sonars all report the range r for a while.
func listening(r float64) *Guard {
	g := New(mybot())
	now := epoch
	for range 20 {
		g.Observe(heard(g, now, r))
		now = now.Add(20 * time.Millisecond)
	}
	return g
}

func heard(g *Guard, now time.Time, r float64) robot.Reading {
	ranges := make([]float64, len(g.sonars))
	for i := range ranges {
		ranges[i] = r
	}
	return robot.Reading{Time: now, Ranges: ranges}
}

func TestOnlyWhatIsNearIsRemembered(t *testing.T) {
	for _, c := range []struct {
		r    float64
		kept bool
	}{{limits.EchoRange - 0.01, true}, {limits.EchoRange, false}, {4, false}} {
		if g := listening(c.r); (g.echoes.count > 0) != c.kept {
			t.Errorf("at %v m: %d marks", c.r, g.echoes.count)
		}
	}
	t.Run("once two pings agree", func(t *testing.T) {
		g := New(mybot())
		g.Observe(heard(g, epoch, 1.5))
		g.Observe(heard(g, epoch.Add(20*time.Millisecond), 1)) // an obstacle at 1.5 m, unlike the last echo
		if g.echoes.count != 0 {
			t.Errorf("%d marks", g.echoes.count)
		}
		g.Observe(heard(g, epoch.Add(40*time.Millisecond), 1.1))
		if want := 3 * len(g.sonars); g.echoes.count != want {
			t.Errorf("%d marks, want %d", g.echoes.count, want)
		}
	})
	t.Run("the first echo too, wherever it is", func(t *testing.T) {
		g := New(mybot())
		g.echoes.keepEcho(0, robot.Pose{}, &sonarView{echo: 0.01}, epoch)
		if g.echoes.count != 3 {
			t.Errorf("%d marks, want 3", g.echoes.count)
		}
	})
}

func TestOnlyWhatIsWithinThreeMetresCounts(t *testing.T) {
	for _, c := range []struct {
		r    float64
		want int
	}{{limits.GuardRange, 36}, {limits.GuardRange + 0.01, 0}} {
		if g := listening(c.r); len(g.echoPoints) != c.want {
			t.Errorf("at %v m: %d points, want %d", c.r, len(g.echoPoints), c.want)
		}
	}
}

func TestTheNearestEchoIsTheFirstOfThoseAsNear(t *testing.T) {
	g := New(mybot())
	if n := g.Nearest(); !math.IsInf(n.Distance, 1) || n.Sonar != -1 {
		t.Errorf("nothing in sight: %+v", n)
	}
	for _, i := range []int{5, 7, 3} {
		e := &g.sonars[i]
		e.echo, e.points = 1, [3]robot.Point{{X: 3}, {X: 1.34}, {X: 2}}
	}
	g.sonars[7].points[2] = robot.Point{X: -1.08}
	if n := g.Nearest(); math.Abs(n.Distance-0.9) > 1e-12 || n.Sonar != 7 {
		t.Errorf("%+v, want 0.9 m by sonar 7", n)
	}
	g.sonars[7].points[2] = robot.Point{X: 1.34}
	if n := g.Nearest(); math.Abs(n.Distance-1) > 1e-12 || n.Sonar != 3 {
		t.Errorf("%+v, want 1 m by sonar 3", n)
	}
}

func TestABumpWhileTheRobotCreepsBarsTheMotionBefore(t *testing.T) {
	for _, before := range []robot.Twist{{Linear: 0.3, Angular: 0.05}, {Linear: -0.02}, {Linear: 0.01, Angular: -0.1}} {
		g := New(mybot())
		for _, measured := range []robot.Twist{{Linear: -0.4}, before, {Linear: 0.0199, Angular: 0.0999}, {Linear: -0.0023, Angular: -0.0219}, {}} {
			g.Limit(robot.Twist{}, robot.Twist{}, measured, Approach{})
		}
		r := heard(g, epoch, math.Inf(1))
		r.Bump = true
		if g.Observe(r); g.barred != before {
			t.Errorf("barred is %v, want %v", g.barred, before)
		}
	}
}

func TestABumpBarsTheMotionThatItEnded(t *testing.T) {
	g := New(mybot())
	pressed := func(at int, bump bool) {
		r := heard(g, epoch.Add(time.Duration(at)*20*time.Millisecond), math.Inf(1))
		r.Bump = bump
		g.Observe(r)
	}
	forward, back := robot.Twist{Linear: 0.3}, robot.Twist{Linear: -0.1}
	g.last = back
	pressed(0, false)
	g.last = forward
	if pressed(1, true); g.barred != forward {
		t.Errorf("barred is %v, want %v", g.barred, forward)
	}
	g.last = back
	if pressed(2, true); g.barred != forward {
		t.Errorf("while it is pressed, barred becomes %v", g.barred)
	}
	pressed(3, false)
	if pressed(4, true); g.barred != back {
		t.Errorf("at the next bump barred is %v, want %v", g.barred, back)
	}
}
