package guard

import (
	"math"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// among returns the guard of a robot that knows these points, in the axle frame.
func among(points ...robot.Point) *Guard {
	g := New(mybot())
	g.echoPoints, g.echoCount = points, len(points)
	return g
}

func TestInAFreePlaceTheGuardLeavesAMotionAlone(t *testing.T) {
	for _, next := range []robot.Twist{{}, {Linear: 0.1}, {Linear: -0.5}, {Angular: 0.7}, {Linear: 0.5, Angular: -0.7}} {
		out, s := among().Limit(next, next, robot.Twist{}, Approach{Stop: limits.StopDistance})
		want := robot.Guard{Ahead: math.Inf(1), Limit: 0.5}
		if out != next || s.Guard != want || s.given != next || s.asked != next {
			t.Errorf("%v becomes %v: %+v", next, out, s)
		}
	}
}

func TestTheGuardSlowsWhatTheLimiterHasNotReachedYet(t *testing.T) {
	ahead := robot.Point{X: 0.34 + 0.5}
	for _, c := range []struct {
		name       string
		want, next float64
		active     bool
	}{
		{"on the way to more than is free", 0.5, 0.02, true},
		{"on the way to what is free", 0.1, 0.02, false},
		{"on the way backwards", -0.5, 0.02, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, next := robot.Twist{Linear: c.want}, robot.Twist{Linear: c.next}
			out, s := among(ahead).Limit(want, next, robot.Twist{}, Approach{Stop: limits.StopDistance})
			if out != next || s.Guard.Active != c.active || s.Guard.Limit < 0.15 || s.Guard.Limit > 0.3 || math.Abs(s.Guard.Ahead-0.5) > 1e-9 || s.At != ahead {
				t.Errorf("%v becomes %v: %+v", next, out, s)
			}
		})
	}
	t.Run("and a turn on the spot asks for nothing that is limited", func(t *testing.T) {
		g := among()
		g.bump = true // a person presses the bumper while the robot stands
		next := robot.Twist{Angular: 0.1}
		out, s := g.Limit(robot.Twist{Linear: 0.5, Angular: 0.1}, next, robot.Twist{}, Approach{Stop: limits.StopDistance})
		if out != next || s.Guard.Limit != 0 || s.Guard.Active {
			t.Errorf("%v becomes %v: %+v", next, out, s)
		}
	})
}

func TestStandingBeforeAThingTheRobotTurnsAsFastAsItLikes(t *testing.T) {
	next := robot.Twist{Linear: 0.5, Angular: 0.4}
	out, s := among(robot.Point{X: 0.34 + 0.3}).Limit(next, next, robot.Twist{}, Approach{Stop: limits.StopDistance})
	if want := (robot.Twist{Angular: 0.4}); out != want || s.Guard.Limit != 0 || !s.Guard.Active {
		t.Errorf("%v becomes %v: %+v", next, out, s)
	}
}

// Sonar 3 faces left and hears a wall that the front corner would touch if the robot turned
// left.
func TestATurnIsSlowedBeforeACornerTouchesAWall(t *testing.T) {
	for _, side := range []struct {
		name  string
		sonar int
		w     float64
	}{{"left", 3, 0.7}, {"right", 9, -0.7}} {
		t.Run(side.name, func(t *testing.T) {
			g := among()
			e := &g.sonars[side.sonar]
			e.echo = 0.15
			for k, f := range ends {
				e.points[k] = e.pointAt(e.echo, f)
			}
			next := robot.Twist{Angular: side.w}
			out, s := g.Limit(next, next, robot.Twist{}, Approach{Stop: limits.StopDistance})
			corner := math.Hypot(0.34, 0.225)
			distance := corner * (math.Asin((0.225+0.15-limits.WallMargin)/corner) - math.Asin(0.225/corner))
			if math.Abs(s.Guard.Ahead-distance-limits.WallMargin) > 1e-9 || s.At != e.points[1] || !s.Guard.Active || s.Guard.Limit != 0 {
				t.Errorf("%+v, want %.3f m", s, distance+limits.WallMargin)
			}
			// The rest of the distance is for gentle braking.
			f := out.Angular / side.w
			if need := f*corner*0.7*limits.SensingLatency + f*f*corner*0.7*0.7/(2*limits.BrakingShare*robot.Radians(90)); out.Linear != 0 || math.Abs(need-distance) > 1e-9 {
				t.Errorf("commanded %v, which takes %.4f m to end; %.4f m are free", out, need, distance)
			}
			if text := new(notice).sentenceFor(s); !strings.HasPrefix(text, "Turning reduced to ") || !strings.HasSuffix(text, " m to the "+side.name+".") {
				t.Error(text)
			}
		})
	}
}

func TestPartOfAMotion(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ distance, speed, brake, want float64 }{
		{-1, 1, 1, 0},
		{0, 1, 1, 0},
		{0, 0, 0, 0},
		{inf, 1, 1, inf},
		{1, 0, 1, inf},
		{1, -1, 1, inf},
		{1, 1, 0, inf},
		{1, 1, -1, inf},
		{limits.SensingLatency + 0.5, 1, 1, 1},
		{2*limits.SensingLatency + 2, 1, 1, 2},
	} {
		if got := brakingFactor(c.distance, c.speed, c.brake); math.Abs(got-c.want) > 1e-12 && got != c.want || math.IsNaN(got) {
			t.Errorf("%v m at %v m/s, braked in %v s: %v, want %v", c.distance, c.speed, c.brake, got, c.want)
		}
	}
}

func TestOfTwoThingsAsNearTheFirstIsNamed(t *testing.T) {
	near, far := contact{time: 0.2, speed: 1}, contact{time: 0.4, speed: 1}
	a, b, c := robot.Point{X: 1}, robot.Point{X: 2}, robot.Point{X: 3}
	o := outlook{far: limits.GuardRange, ahead: math.Inf(1), touch: 1, touchGap: math.Inf(1)}
	o.addContact(contact{time: limits.GuardRange, speed: 1}, a, 5)
	if !math.IsInf(o.ahead, 1) || o.touch != 1 {
		t.Errorf("an obstacle 3 m away has an effect: %+v", o)
	}
	o.addContact(far, a, 1)
	o.addContact(near, b, 1)
	o.addContact(near, c, 1)
	if o.at != b || o.touchAt != b || math.Abs(o.ahead-0.2-limits.PointMargin) > 1e-12 || math.Abs(o.touchGap-0.2-limits.PointMargin) > 1e-12 || o.speed != 1 || o.touch != brakingFactor(0.2, 1, 1) {
		t.Errorf("%+v", o)
	}
	t.Run("and of two walls", func(t *testing.T) {
		g := among()
		for _, i := range []int{1, 0, 11} {
			e := &g.sonars[i]
			e.facing, e.echo, e.points = robot.Point{X: 1}, 0.1, [3]robot.Point{{X: 0.44}, {X: 0.44, Y: float64(i)}, {X: 0.44}}
		}
		o := g.predictContacts(robot.Twist{Linear: 0.5})
		if o.touchAt != g.sonars[0].points[1] || math.Abs(o.touchGap-0.1) > 1e-12 {
			t.Errorf("%+v", o)
		}
	})
}

// The braking time is that of the slower motion.
func TestTheSlowerMotionToBrakeDecides(t *testing.T) {
	p := robot.Point{X: 0.34 + 0.2}
	slow := among(p).predictContacts(robot.Twist{Linear: 0.5}).touch
	for _, w := range []float64{1e-4, 0.2} {
		if got := among(p).predictContacts(robot.Twist{Linear: 0.5, Angular: w}).touch; math.Abs(got-slow) > 0.05 {
			t.Errorf("with %v rad/s: %v of the motion, straight %v", w, got, slow)
		}
	}
}

func TestTheRobotIsSlowTowardWhereASonarIsOutOfOrder(t *testing.T) {
	slowed := robot.Twist{Linear: limits.BlindSonarSpeed, Angular: 0.15}
	for _, c := range []struct {
		name  string
		where float64 // rad, direction of the sonar
		lost  int     // ms
		asked robot.Twist
		want  robot.Twist
	}{
		{"ahead", 0, 500, robot.Twist{Linear: 0.3, Angular: 0.3}, slowed},
		{"for less than half a second", 0, 499, robot.Twist{Linear: 0.3, Angular: 0.3}, robot.Twist{Linear: 0.3, Angular: 0.3}},
		{"no slower than that", 0, 500, robot.Twist{Linear: limits.BlindSonarSpeed}, robot.Twist{Linear: limits.BlindSonarSpeed}},
		{"nor when it only turns", 0, 500, robot.Twist{Angular: 0.7}, robot.Twist{Angular: 0.7}},
		{"to one side of where it goes", limits.BlindSonarAngle - 0.01, 500, robot.Twist{Linear: 0.3, Angular: 0.3}, slowed},
		{"to the other", -limits.BlindSonarAngle + 0.01, 500, robot.Twist{Linear: 0.3, Angular: 0.3}, slowed},
		{"too far to the side", limits.BlindSonarAngle, 500, robot.Twist{Linear: 0.3}, robot.Twist{Linear: 0.3}},
		{"behind", math.Pi, 500, robot.Twist{Linear: 0.3}, robot.Twist{Linear: 0.3}},
		{"behind, and it backs", -math.Pi + 0.5, 500, robot.Twist{Linear: -0.3, Angular: 0.3}, robot.Twist{Linear: -limits.BlindSonarSpeed, Angular: 0.15}},
		{"ahead, and it backs", 0.5, 500, robot.Twist{Linear: -0.3}, robot.Twist{Linear: -0.3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := among()
			g.sonars[4].lost, g.sonars[4].pose.Theta = time.Duration(c.lost)*time.Millisecond, c.where
			out, s := g.Limit(c.asked, c.asked, robot.Twist{}, Approach{Stop: limits.StopDistance})
			blind := c.want != c.asked
			if math.Abs(out.Linear-c.want.Linear) > 1e-12 || math.Abs(out.Angular-c.want.Angular) > 1e-12 || s.blind != blind {
				t.Errorf("%v becomes %v, want %v; blind: %v", c.asked, out, c.want, s.blind)
			}
			if limit := map[bool]float64{false: 0.5, true: limits.BlindSonarSpeed}[blind]; s.Guard.Limit != limit {
				t.Errorf("the limit is %v, want %v", s.Guard.Limit, limit)
			}
		})
	}
}

func TestTheBumperBarsTheDirectionItWasPressedIn(t *testing.T) {
	ask := func(v, w float64) robot.Twist { return robot.Twist{Linear: v, Angular: w} }
	for _, c := range []struct{ barred, asked, want robot.Twist }{
		{ask(0.02, 0), ask(0.3, 0.3), ask(0, 0)},
		{ask(0.02, 0.5), ask(-0.3, 0.3), ask(-limits.BumperSpeed, 0)},
		{ask(-0.02, 0), ask(-0.3, 0.3), ask(0, 0)},
		{ask(-0.02, 0), ask(0.05, -0.3), ask(0.05, 0)},
		{ask(0.0199, 0.5), ask(0.3, 0.5), ask(0, 0)},
		{ask(0, 0.5), ask(0.3, -0.5), ask(0, -limits.BumperTurn)},
		{ask(0, -0.5), ask(0.3, -0.1), ask(0, 0)},
		{ask(0, -0.5), ask(-0.3, 0.1), ask(0, 0.1)},
		{ask(0.015, 0), ask(0.3, 0.1), ask(0, 0.1)},
		{ask(0, 0), ask(0.3, -0.5), ask(limits.BumperSpeed, -limits.BumperTurn)},
		{ask(0, 0), ask(-0.3, 0.5), ask(-limits.BumperSpeed, limits.BumperTurn)},
	} {
		g := among()
		if got := g.limitBumped(c.asked, true, &Sight{}); got != c.asked {
			t.Errorf("not pressed, %v becomes %v", c.asked, got)
		}
		g.bump, g.barred = true, c.barred
		s := g.Idle()
		if got := g.limitBumped(c.asked, true, &s); got != c.want || !s.bump || s.Guard.Limit != math.Abs(c.want.Linear) {
			t.Errorf("after %v, %v becomes %v, want %v; %+v", c.barred, c.asked, got, c.want, s)
		}
	}
}

func TestARobotCreepsAwayFromWhatPressesItsBumperTheWayItCame(t *testing.T) {
	for _, c := range []struct{ barred, want robot.Twist }{
		{robot.Twist{Linear: 0.3, Angular: 0.5}, robot.Twist{Linear: -limits.BumperSpeed}},
		{robot.Twist{Linear: -0.02}, robot.Twist{Linear: limits.BumperSpeed}},
		{robot.Twist{Linear: 0.002, Angular: 0.02}, robot.Twist{Angular: -limits.BumperTurn}},
		{robot.Twist{Angular: -0.7}, robot.Twist{Angular: limits.BumperTurn}},
		{robot.Twist{}, robot.Twist{}},
	} {
		g := among()
		g.barred = c.barred
		if got := g.Retreat(); !got.IsZero() {
			t.Errorf("not pressed, it creeps %v", got)
		}
		g.bump = true
		got := g.Retreat()
		if got != c.want {
			t.Errorf("after %v it creeps %v, want %v", c.barred, got, c.want)
		}
		if let := g.limitBumped(got, true, &Sight{}); let != got {
			t.Errorf("after %v the guard makes %v of %v", c.barred, let, got)
		}
		g.crept = limits.BumperRetreat
		if got := g.Retreat(); !got.IsZero() {
			t.Errorf("after %v it creeps %v without an end", c.barred, got)
		}
	}
}

func TestABumperThatStaysPressedEndsWhatTheRobotDoesByItself(t *testing.T) {
	g := New(mybot())
	back := robot.Twist{Linear: -limits.BumperSpeed}
	for i, c := range []struct {
		travel float64 // m
		bump   bool
		want   robot.Twist // of the robot by itself
	}{
		{0.5, false, back},
		{0.01, true, back},
		{-0.28, true, back},
		{-0.02, true, robot.Twist{}},
		{0, true, robot.Twist{}},
		{0, false, back},
		{0, true, back}, // pressed again
	} {
		r := heard(g, epoch.Add(time.Duration(i)*20*time.Millisecond), math.Inf(1))
		r.Travel, r.Bump = robot.Wheels{Left: c.travel, Right: c.travel}, c.bump
		g.Observe(r)
		if got := g.limitBumped(back, true, &Sight{}); got != c.want {
			t.Errorf("after %v m, pressed %t: %v", c.travel, c.bump, got)
		}
		if got := g.limitBumped(back, false, &Sight{}); got != back {
			t.Errorf("after %v m, pressed %t, a driver gets %v", c.travel, c.bump, got)
		}
	}
}

func TestTheSentenceOfTheGuard(t *testing.T) {
	free := robot.Guard{Ahead: math.Inf(1)}
	near := robot.Guard{Ahead: 0.45}
	for _, c := range []struct {
		sight Sight
		want  string
	}{
		{Sight{bump: true, blind: true, Guard: free}, "The bumper is pressed. The robot only creeps back the way it came."},
		{Sight{blind: true, Guard: free}, "Speed reduced to 0.15 m/s. A sonar on that side is out of order."},
		{Sight{Guard: free}, "The robot is braking: it is still rolling toward an obstacle."},
		{Sight{Guard: near, asked: robot.Twist{Linear: 0.5}, given: robot.Twist{Linear: 0.2}, At: robot.Point{X: 1}}, "Speed reduced to 0.20 m/s. Obstacle 0.45 m ahead."},
		{Sight{Guard: near, asked: robot.Twist{Linear: -0.5}, given: robot.Twist{Linear: -0.2}, At: robot.Point{X: -1}}, "Speed reduced to 0.20 m/s. Obstacle 0.45 m behind."},
		{Sight{Guard: near, asked: robot.Twist{Linear: 0.005}, given: robot.Twist{}, At: robot.Point{X: 1}}, "Stopped. Obstacle 0.45 m ahead."},
		{Sight{Guard: near, asked: robot.Twist{Linear: -0.5, Angular: 0.5}, given: robot.Twist{Angular: 0.5}, At: robot.Point{X: -1}}, "The robot can only turn. Obstacle 0.45 m behind."},
		{Sight{Guard: near, asked: robot.Twist{Angular: -0.7}, given: robot.Twist{Angular: robot.Radians(-10)}, At: robot.Point{Y: -1}}, "Turning reduced to 10 deg/s. Obstacle 0.45 m to the right."},
		{Sight{Guard: near, asked: robot.Twist{Linear: 0.0049, Angular: 0.7}, given: robot.Twist{}, At: robot.Point{Y: 1}}, "Turning stopped. Obstacle 0.45 m to the left."},
	} {
		if got := new(notice).sentenceFor(c.sight); got != c.want {
			t.Errorf("%+v:\n%s, want\n%s", c.sight, got, c.want)
		}
	}
	t.Run("is written anew when what it says changes", func(t *testing.T) {
		var n notice
		s := Sight{Guard: near, asked: robot.Twist{Linear: 0.5}, given: robot.Twist{Linear: 0.2}, At: robot.Point{X: 1}}
		first := n.sentenceFor(s)
		s.given.Linear = 0.203
		if again := n.sentenceFor(s); again != first {
			t.Errorf("%q became %q", first, again)
		}
		if n := testing.AllocsPerRun(10, func() { n.sentenceFor(s) }); n > 0 {
			t.Errorf("the same sentence is written again, with %v allocations", n)
		}
		s.given.Linear = 0.21
		if next := n.sentenceFor(s); next != "Speed reduced to 0.21 m/s. Obstacle 0.45 m ahead." {
			t.Error(next)
		}
		zero := Sight{Guard: robot.Guard{}, asked: robot.Twist{Linear: 0.5}, given: robot.Twist{}, At: robot.Point{X: 1}}
		zero.given.Linear = 0.01
		if got := new(notice).sentenceFor(zero); got != "Speed reduced to 0.01 m/s. Obstacle 0.00 m ahead." {
			t.Error(got)
		}
	})
}

func TestASideIsAQuarter(t *testing.T) {
	for _, c := range []struct {
		p    robot.Point
		want string
	}{
		{robot.Point{X: 1}, "ahead"},
		{robot.Point{X: 1, Y: 1}, "ahead"},
		{robot.Point{X: 1, Y: -1}, "ahead"},
		{robot.Point{X: 1, Y: 1.01}, "to the left"},
		{robot.Point{X: 1, Y: -1.01}, "to the right"},
		{robot.Point{X: -1, Y: 1.01}, "to the left"},
		{robot.Point{X: -1, Y: -1.01}, "to the right"},
		{robot.Point{X: -1, Y: 1}, "behind"},
		{robot.Point{X: -1, Y: -1}, "behind"},
		{robot.Point{X: -1}, "behind"},
	} {
		if got := sideName(c.p); got != c.want {
			t.Errorf("%v is %s, want %s", c.p, got, c.want)
		}
	}
}
