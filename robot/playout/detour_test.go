package playout

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
)

// barrels is a room that knows where its barrels stand.
type barrels struct {
	robot *robotOf
	all   []robot.Point // in map
	wide  float64       // m, their radius
}

// room is how far the hull at a pose of the axle is from a barrel, in m.
func (b *barrels) room(axle robot.Pose) float64 {
	least := math.Inf(1)
	body := b.robot.desc.Body
	for _, p := range b.all {
		q := b.robot.desc.Drivetrain.Centre(axle).Inverse().Apply(p)
		least = math.Min(least, math.Hypot(max(0, math.Abs(q.X)-body.Length/2), max(0, math.Abs(q.Y)-body.Width/2))-b.wide)
	}
	return least
}

func (b *barrels) Risk(way []robot.Pose, margin float64) float64 {
	for _, p := range way {
		if b.room(b.robot.axle.Compose(p)) < margin {
			return 1
		}
	}
	return 0
}

// oneWay drives a hand straight on for 6 m, at a speed, among barrels. It
// returns what the robot did.
func oneWay(t testing.TB, speed float64, wide float64, all ...robot.Point) (p *page, r *robotOf, room *barrels, least, most float64, hold string) {
	desc := mybot(t)
	p, r = newPage(desc, robot.Pose{}), newRobot(desc, robot.Pose{}, 3)
	p.hold(0, 0, 0.2)
	p.hold(speed, 0, 6/speed)
	p.release(0)
	room = &barrels{robot: r, all: all, wide: wide}
	player := NewPlayer(desc, Options{})
	player.Heed(room)
	least = math.Inf(1)
	ride(player, r, straight(p.samples, 0.155), p.now()+25, func(_ float64, _ robot.Twist, s Status) {
		least, most = math.Min(least, room.room(r.axle)), math.Max(most, math.Abs(s.Detour))
		if s.Hold != "" && hold == "" {
			hold = s.Hold
		}
	})
	return p, r, room, least, most, hold
}

func TestWhatStandsOnThePathIsGoneRoundAndThePathComesBack(t *testing.T) {
	for _, c := range []struct {
		beside, wide, speed float64
		most                float64 // m beside the path
	}{
		{0.15, 0.2, 0.45, 0.51},
		{-0.15, 0.2, 0.45, 0.51},
		{0.3, 0.3, 0.3, 0.51},
		{0.02, 0.2, 0.2, 0.61},
		{0.6, 0.2, 0.45, 0}, // it stands beside: there is room
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			p, r, _, least, most, hold := oneWay(t, c.speed, c.wide, robot.Point{X: 3, Y: c.beside})
			if hold != "" || least < 0.06 || most > c.most || c.most > 0 && most < 0.1 {
				t.Errorf("%.2f m from it, %.2f m beside the path, held: %q", least, most, hold)
			}
			if off := p.motion.Axle.Point().Sub(r.axle.Point()).Norm(); off > 0.05 {
				t.Errorf("it ends %.3f m from the virtual robot", off)
			}
		})
	}
}

func TestTwoBarrelsAreGoneRoundOneAfterTheOther(t *testing.T) {
	p, r, _, least, most, hold := oneWay(t, 0.35, 0.2, robot.Point{X: 2.2, Y: 0.3}, robot.Point{X: 4.2, Y: -0.3})
	if off := p.motion.Axle.Point().Sub(r.axle.Point()).Norm(); hold != "" || least < 0.05 || most > 0.6 || off > 0.05 {
		t.Errorf("%.2f m from them, %.2f m beside the path, %.3f m off at the end, held: %q", least, most, off, hold)
	}
}

// Where there is no way round the reference stays on the path: the guard, and
// not the detour, says what happens then.
func TestWhereThereIsNoWayRoundItStaysOnThePath(t *testing.T) {
	var wall []robot.Point
	for y := -2.0; y <= 2; y += 0.2 {
		wall = append(wall, robot.Point{X: 3, Y: y})
	}
	_, r, _, _, most, _ := oneWay(t, 0.4, 0.15, wall...)
	if most > 0 || math.Abs(r.axle.Y) > 0.05 {
		t.Errorf("it went %.2f m beside the path, to %v", most, r.axle)
	}
}

func TestWhoLetsGoBesideSomethingIsToldWhereTheRobotStands(t *testing.T) {
	desc := mybot(t)
	p, r := newPage(desc, robot.Pose{}), newRobot(desc, robot.Pose{}, 3)
	p.hold(0, 0, 0.2)
	p.hold(0.4, 0, 3.0/0.4)
	p.release(0)
	player := NewPlayer(desc, Options{})
	player.Heed(&barrels{robot: r, all: []robot.Point{{X: 3, Y: 0.2}}, wide: 0.2})
	var last Status
	ride(player, r, straight(p.samples, 0.1), p.now()+20, func(_ float64, wish robot.Twist, s Status) {
		if last = s; s.Hold != "" && !wish.IsZero() {
			t.Fatalf("held, it is told %v", wish)
		}
	})
	if !strings.Contains(last.Hold, "m off the path") || math.Abs(r.axle.Y) < 0.2 {
		t.Errorf("it stands at %v: %q", r.axle, last.Hold)
	}
}

// Whatever a room says, the wish is safe, the reference is never more than
// 0.6 m beside the path, and it moves there without a jump.
func TestARoomThatSaysAnythingLeadsNoFartherThanItMay(t *testing.T) {
	desc := mybot(t)
	rapid.Check(t, func(t *rapid.T) {
		p := newPage(desc, robot.Pose{})
		p.wander(6, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "luck"), 3)))
		r, player := newRobot(desc, robot.Pose{}, 1), NewPlayer(desc, Options{})
		player.Heed(liar{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "room"), 4))})
		before, held := 0.0, false
		ride(player, r, straight(p.samples, 0.2), p.now()+3, func(_ float64, wish robot.Twist, s Status) {
			if s.Hold != "" {
				held = true
			}
			switch step := math.Abs(s.Detour - before); {
			case math.Abs(s.Detour) > 0.6+1e-9, math.IsNaN(s.Detour):
				t.Fatalf("%.2f m beside the path", s.Detour)
			case step > 0.02 && s.Detour != 0:
				t.Fatalf("it jumped by %.3f m to %.2f m beside the path", step, s.Detour)
			case math.Abs(wish.Linear) > desc.Safe.Linear+1e-9 || math.Abs(wish.Angular) > desc.Safe.Angular+1e-9:
				t.Fatalf("it wishes for %v", wish)
			case held && !wish.IsZero():
				t.Fatalf("held, it wishes for %v", wish)
			}
			before = s.Detour
		})
	})
}

type liar struct{ luck *rand.Rand }

func (l liar) Risk([]robot.Pose, float64) float64 { return l.luck.Float64() }

func TestATickOnTheWayRoundAllocatesNothing(t *testing.T) {
	player, tick := busy(mybot(t))
	player.Heed(liar{rand.New(rand.NewPCG(1, 2))})
	tick()
	if n := testing.AllocsPerRun(200, tick); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
