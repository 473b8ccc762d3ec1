package playout

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
)

// barrels is an obstacle map of barrels.
type barrels struct {
	robot *robotOf
	all   []robot.Point // in map
	wide  float64       // m, radius
}

// obstacles returns the distance between the hull, with the axle at a pose, and the nearest
// barrel, in m.
func (b *barrels) obstacles(axle robot.Pose) float64 {
	minClearance := math.Inf(1)
	body := b.robot.desc.Body
	for _, p := range b.all {
		q := b.robot.desc.Drivetrain.Centre(axle).Inverse().Apply(p)
		minClearance = math.Min(minClearance, math.Hypot(max(0, math.Abs(q.X)-body.Length/2), max(0, math.Abs(q.Y)-body.Width/2))-b.wide)
	}
	return minClearance
}

func (b *barrels) Risk(poses []robot.Pose, margin float64) float64 {
	for _, p := range poses {
		if b.obstacles(b.robot.axle.Compose(p)) < margin {
			return 1
		}
	}
	return 0
}

// driveAmong simulates a driver who drives straight ahead for 6 m, at a speed, among barrels.
// It returns what the robot did.
func driveAmong(t testing.TB, speed float64, wide float64, all ...robot.Point) (p *page, r *robotOf, obstacles *barrels, minClearance, maxAside float64, hold string) {
	desc := mybot(t)
	p, r = newPage(desc, robot.Pose{}), newRobot(desc, robot.Pose{}, 3)
	p.press(0, 0, 0.2)
	p.press(speed, 0, 6/speed)
	p.release(0)
	obstacles = &barrels{robot: r, all: all, wide: wide}
	player := NewPlayer(desc, Options{})
	player.SetObstacles(obstacles)
	minClearance = math.Inf(1)
	ride(player, r, straight(p.samples, 0.155), p.now()+25, func(_ float64, _ robot.Twist, s Status) {
		minClearance, maxAside = math.Min(minClearance, obstacles.obstacles(r.axle)), math.Max(maxAside, math.Abs(s.Detour))
		if s.Hold != "" && hold == "" {
			hold = s.Hold
		}
	})
	return p, r, obstacles, minClearance, maxAside, hold
}

func TestAnObstacleOnThePathIsAvoidedAndTheRobotComesBackToIt(t *testing.T) {
	for _, c := range []struct {
		aside, wide, speed float64
		maxAside           float64 // m off the path
	}{
		{0.15, 0.2, 0.45, 0.51},
		{-0.15, 0.2, 0.45, 0.51},
		{0.3, 0.3, 0.3, 0.51},
		{0.02, 0.2, 0.2, 0.61},
		{0.25, 0.1, 0.3, 0.31},
		{0.1, 0.3, 0.3, 0.61}, // the tail swings out on the way back
		{0.4, 0.2, 0.45, 0.31},
		{0.6, 0.2, 0.45, 0}, // it is at the side, with enough room
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			p, r, _, minClearance, maxAside, hold := driveAmong(t, c.speed, c.wide, robot.Point{X: 3, Y: c.aside})
			// The robot keeps 0.18 m if it can, less a centimetre for errors of the estimate
			// and the wheels.
			if hold != "" || minClearance < limits.AvoidWideMargin-0.015 || maxAside > c.maxAside || c.maxAside > 0 && maxAside < c.maxAside-0.11 {
				t.Errorf("%.2f m from it, %.2f m off the path, held: %q", minClearance, maxAside, hold)
			}
			if off := p.motion.Axle.Point().Sub(r.axle.Point()).Norm(); off > 0.05 {
				t.Errorf("it ends %.3f m from the virtual robot", off)
			}
		})
	}
}

func TestTwoBarrelsAreAvoidedOneAfterTheOther(t *testing.T) {
	p, r, _, minClearance, maxAside, hold := driveAmong(t, 0.35, 0.2, robot.Point{X: 2.2, Y: 0.3}, robot.Point{X: 4.2, Y: -0.3})
	if off := p.motion.Axle.Point().Sub(r.axle.Point()).Norm(); hold != "" || minClearance < 0.05 || maxAside > 0.6 || off > 0.05 {
		t.Errorf("%.2f m from them, %.2f m off the path, %.3f m off at the end, held: %q", minClearance, maxAside, off, hold)
	}
}

// If no detour is possible, the reference stays on the path; what happens then is up to the
// guard.
func TestWhereNoDetourIsPossibleItStaysOnThePath(t *testing.T) {
	var wall []robot.Point
	for y := -2.0; y <= 2; y += 0.2 {
		wall = append(wall, robot.Point{X: 3, Y: y})
	}
	_, r, _, _, maxAside, _ := driveAmong(t, 0.4, 0.15, wall...)
	if maxAside > 0 || math.Abs(r.axle.Y) > 0.05 {
		t.Errorf("it went %.2f m off the path, to %v", maxAside, r.axle)
	}
}

func TestADriverWhoLetsGoOnADetourIsToldWhereTheRobotStands(t *testing.T) {
	desc := mybot(t)
	p, r := newPage(desc, robot.Pose{}), newRobot(desc, robot.Pose{}, 3)
	p.press(0, 0, 0.2)
	p.press(0.4, 0, 3.0/0.4)
	p.release(0)
	player := NewPlayer(desc, Options{})
	player.SetObstacles(&barrels{robot: r, all: []robot.Point{{X: 3, Y: 0.2}}, wide: 0.2})
	var last Status
	ride(player, r, straight(p.samples, 0.1), p.now()+20, func(_ float64, twist robot.Twist, s Status) {
		if last = s; s.Hold != "" && !twist.IsZero() {
			t.Fatalf("held, the command is %v", twist)
		}
	})
	if !strings.Contains(last.Hold, "m off the path") || math.Abs(r.axle.Y) < 0.2 {
		t.Errorf("the robot stopped at %v: %q", r.axle, last.Hold)
	}
}

// For any obstacle map, the twist is safe, and the reference is never more than 0.6 m off the
// path and never jumps.
func TestAnObstacleMapThatSaysAnythingLeadsNoFartherThanItMay(t *testing.T) {
	desc := mybot(t)
	rapid.Check(t, func(t *rapid.T) {
		p := newPage(desc, robot.Pose{})
		p.wander(6, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "luck"), 3)))
		r, player := newRobot(desc, robot.Pose{}, 1), NewPlayer(desc, Options{})
		player.SetObstacles(liar{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "room"), 4))})
		before, held := 0.0, false
		ride(player, r, straight(p.samples, 0.2), p.now()+3, func(_ float64, twist robot.Twist, s Status) {
			if s.Hold != "" {
				held = true
			}
			switch step := math.Abs(s.Detour - before); {
			case math.Abs(s.Detour) > 0.6+1e-9, math.IsNaN(s.Detour):
				t.Fatalf("%.2f m off the path", s.Detour)
			case step > 0.02 && s.Detour != 0:
				t.Fatalf("it jumped by %.3f m to %.2f m off the path", step, s.Detour)
			case math.Abs(twist.Linear) > desc.Safe.Linear+1e-9 || math.Abs(twist.Angular) > desc.Safe.Angular+1e-9:
				t.Fatalf("the command is %v", twist)
			case held && !twist.IsZero():
				t.Fatalf("held, the command is %v", twist)
			}
			before = s.Detour
		})
	})
}

type liar struct{ luck *rand.Rand }

func (l liar) Risk([]robot.Pose, float64) float64 { return l.luck.Float64() }

func TestATickOnADetourAllocatesNothing(t *testing.T) {
	player, tick := busy(mybot(t))
	player.SetObstacles(liar{rand.New(rand.NewPCG(1, 2))})
	tick()
	if n := testing.AllocsPerRun(200, tick); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func TestADetourLeavesThePathAndComesBackToItWithoutAKink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := detour{}
		back := rapid.Bool().Draw(t, "backwards")
		for _, to := range []float64{rapid.Float64Range(-0.6, 0.6).Draw(t, "to"), rapid.Float64Range(-0.6, 0.6).Draw(t, "and to"), 0} {
			d.to = to
			for range 400 { // 4 m each
				h := 0.01
				if back {
					h = -h
				}
				before := d
				d.advanceBy(h)
				if kink, side := math.Abs(d.slope-before.slope), math.Abs(d.aside-before.aside); kink > 2*maxBend*0.01+1e-9 || side > steepest*0.01+0.002+1e-9 {
					t.Fatalf("in a centimetre the slope changes by %.3f, to %.3f, and the aside by %.4f m", kink, d.slope, side)
				}
			}
			if d.aside != to || d.slope != 0 {
				t.Fatalf("after 4 m it is %.4f m aside with a slope of %.3f, want %.4f m", d.aside, d.slope, to)
			}
		}
		if !d.onPath() {
			t.Fatal("it does not come back to the path")
		}
	})
}

func TestTheReferenceOnADetourMovesAsItsTwistSays(t *testing.T) {
	limit := robot.Limit{Linear: 9, Angular: 9, LinearAcceleration: 1e6, AngularAcceleration: 1e6}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(0.1, 0.5).Draw(t, "v")
		if rapid.Bool().Draw(t, "backwards") {
			v = -v
		}
		on := robot.Motion{Axle: robot.Pose{X: 1, Y: -2, Theta: rapid.Float64Range(-3, 3).Draw(t, "theta")}, Twist: robot.Twist{Linear: v, Angular: rapid.Float64Range(-0.4, 0.4).Draw(t, "w")}}
		d := detour{aside: rapid.Float64Range(-0.5, 0.5).Draw(t, "aside"), slope: rapid.Float64Range(-0.6, 0.6).Draw(t, "slope"), to: rapid.Float64Range(-0.6, 0.6).Draw(t, "to")}
		switch rapid.IntRange(0, 2).Draw(t, "which") {
		case 0: // it is just leaving the path
			d.aside, on.Twist.Angular = 0, 0
		case 1: // oblique to a straight path
			on.Twist.Angular = 0
		case 2: // along a bend
			d.slope = 0
		}
		if math.Abs(d.to-d.aside) < 0.01 || on.Twist.Angular*d.aside/v > 0.9 {
			return // the last millimetres are one step, and within its bend a robot does not turn in place
		}
		dt := 1e-3 / math.Abs(v) // a millimetre of the path
		aside := d.shiftMotion(on)
		next := robot.Step(on, on.Twist, limit, dt)
		d.advanceBy(v * dt)
		got, want := d.shiftMotion(next).Axle, robot.Step(robot.Motion{Axle: aside.Axle, Twist: aside.Twist}, aside.Twist, limit, dt).Axle
		if off := got.Point().Sub(want.Point()).Norm(); off > 1e-5 || math.Abs(robot.WrapAngle(got.Theta-want.Theta)) > 3e-5 {
			t.Fatalf("%+v of %+v moves to %v and not to %v", aside, on, got, want)
		}
	})
}

func TestThePathAheadIsSeenEveryTenCentimetresForAsFarAsItLooks(t *testing.T) {
	desc := mybot(t)
	for _, speed := range []float64{0.45, 0.2, 0.05} {
		p := newPage(desc, robot.Pose{})
		p.press(0, 0, 0.1)
		p.press(speed, 0, 4)
		known := pathOf(NewPlayer(desc, Options{}), p.samples)
		poses := known.appendAhead(nil, 3)
		for n := 1; n < len(poses); n++ {
			if d := poses[n].Axle.Point().Sub(poses[n-1].Axle.Point()).Norm(); d > sightStep+1e-6 || d < min(sightStep, 0.3*speed)-0.01 {
				t.Errorf("at %g m/s the path ahead leads from %v to %v", speed, poses[n-1].Axle, poses[n].Axle)
			}
		}
		if far := poses[len(poses)-1].Axle.Point().Sub(poses[0].Axle.Point()).Norm(); far < min(sights, 0.3*speed*(maxSights-1))-0.01 || far > sights+sightStep {
			t.Errorf("at %g m/s it looks %.2f m ahead", speed, far)
		}
	}
}

// same is an obstacle map with the same risk everywhere.
type same float64

func (s same) Risk([]robot.Pose, float64) float64 { return float64(s) }

func TestARiskDecidesHowFastTheRobotDrivesADetour(t *testing.T) {
	desc := mybot(t)
	for _, c := range []struct {
		name     string
		risk     float64
		maxAside float64 // m/s
	}{
		{"none to speak of", 0.02, 0.45},
		{"little", 0.04, limits.AvoidSpeed},
		{"some", 0.2, limits.AvoidCarefulSpeed},
		{"so much that nothing can be gone round", 0.6, 0.45},
	} {
		p, r := newPage(desc, robot.Pose{}), newRobot(desc, robot.Pose{}, 3)
		p.press(0, 0, 0.2)
		p.press(0.45, 0, 4)
		player := NewPlayer(desc, Options{})
		player.SetObstacles(same(c.risk))
		fastest, last := 0.0, Status{}
		ride(player, r, straight(p.samples, 0.1), 4, func(now float64, _ robot.Twist, s Status) {
			if now > 3 && s.Active && last.Active {
				fastest = max(fastest, s.Reference.Point().Sub(last.Reference.Point()).Norm()/0.02)
			}
			last = s
		})
		if math.Abs(fastest-c.maxAside) > 0.1*c.maxAside || last.Detour != 0 {
			t.Errorf("%s: the reference moves with %.2f m/s, want %.2f m/s, %.2f m off the path", c.name, fastest, c.maxAside, last.Detour)
		}
	}
}

func TestOfTwoDetoursTheShorterOneIsTaken(t *testing.T) {
	for _, c := range []struct {
		name string
		all  []robot.Point
		side float64
	}{
		{"it stands more to the left", []robot.Point{{X: 3, Y: 0.1}}, -1},
		{"it stands more to the right", []robot.Point{{X: 3, Y: -0.1}}, 1},
		{"it stands more to the left, and the right is closed", []robot.Point{{X: 3, Y: 0.05}, {X: 3, Y: -0.6}, {X: 3, Y: -0.9}}, 1},
	} {
		desc := mybot(t)
		p, r := newPage(desc, robot.Pose{}), newRobot(desc, robot.Pose{}, 3)
		p.press(0, 0, 0.2)
		p.press(0.3, 0, 6/0.3)
		p.release(0)
		player := NewPlayer(desc, Options{})
		player.SetObstacles(&barrels{robot: r, all: c.all, wide: 0.15})
		far, clear := 0.0, 0
		ride(player, r, straight(p.samples, 0.155), p.now()+20, func(_ float64, _ robot.Twist, s Status) {
			if math.Abs(s.Detour) > math.Abs(far) {
				far = s.Detour
			}
			if s.Clear {
				clear++
			}
		})
		if clear < 100 {
			t.Errorf("%s: it expects to keep its distance for %d ticks only", c.name, clear)
		}
		if far*c.side < 0.2 {
			t.Errorf("%s: the robot drives %.2f m to the left", c.name, far)
		}
	}
}
