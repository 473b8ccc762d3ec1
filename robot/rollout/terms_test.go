package rollout

import (
	"fmt"
	"math"
	"testing"

	"mybot/robot"
)

// TestEachWeightHasItsEffect compares the choice without a term to that with the term alone,
// weighted enough to see its effect.
func TestEachWeightHasItsEffect(t *testing.T) {
	lane := func(c Choice) float64 { return c.Lane }
	aside := func(c Choice) float64 { return math.Abs(c.Lane) }
	speed := func(c Choice) float64 { return c.Speed }
	walls := []float64{-0.33, 0.33}
	for _, c := range []struct {
		term   Term
		times  float64 // multiple of the standard weight
		out    scene
		last   Choice
		what   func(Choice) float64
		lesser bool // the weight reduces it
	}{
		{Progress, 1, scene{walls: walls}, Choice{Speed: 0.15}, speed, false},
		{Aside, 1, scene{}, Choice{Lane: 0.6, Speed: 0.5}, aside, true},
		{Change, 2, scene{barrels: []robot.Track{barrel(2, 0.1)}}, Choice{Lane: 0.75, Speed: 0.5}, lane, false},
		{Pace, 100, scene{}, Choice{Speed: 0.3}, speed, true},
		{Tight, 500, scene{barrels: []robot.Track{barrel(1, 0.65)}}, Choice{Speed: 0.5}, aside, false},
		{Near, 1, scene{discs: []robot.Track{walker(2, 0.7, -0.5, 0)}}, Choice{Speed: 0.5}, aside, false},
		{InFront, 10, scene{discs: []robot.Track{walker(1.0, 2.3, 0, -0.8)}}, Choice{Speed: 0.5}, speed, true},
		{Left, 1, scene{discs: []robot.Track{walker(5, 0, -1, 0)}}, Choice{Speed: 0.5}, lane, true},
		{Collision, 30, scene{walls: []float64{-0.5, 0.5}, barrels: []robot.Track{barrel(1.5, -0.2), barrel(1.5, 0.2)}}, Choice{Speed: 0.5}, speed, true},
	} {
		t.Run(Names[c.term], func(t *testing.T) {
			r := newRig(mybot(), &c.out)
			r.c.last = c.last
			r.c.cost[c.term] = 0
			if c.term == Aside {
				r.s.Pose.Y = c.last.Lane
			}
			without := r.c.Choose(&r.s)
			r.c.last = c.last
			r.c.cost[c.term] = c.times * standard[c.term]
			with := r.c.Choose(&r.s)
			if a, b := c.what(without), c.what(with); c.lesser && b >= a || !c.lesser && b <= a {
				t.Errorf("without it %.2f, with it %.2f:\n%+v\n%+v", a, b, without, with)
			}
		})
	}
}

func TestEveryTermHasANameAndAWeight(t *testing.T) {
	for n := range Names {
		if Names[n] == "" || !(standard[n] > 0) {
			t.Errorf("term %d is called %q and weighs %v", n, Names[n], standard[n])
		}
	}
}

func TestTheHorizonIsLongEnoughToBrakeTwice(t *testing.T) {
	for _, c := range []struct {
		speed, brake float64
		want         int
	}{{0.3, 0.52, 20}, {0.5, 0.52, 20}, {0.5, 0.4, 24}, {1, 0.52, 33}, {2, 0.5, 40}} {
		if got := horizonSteps(robot.Limit{Linear: c.speed, LinearAcceleration: c.brake}); got != c.want {
			t.Errorf("at %.1f m/s and %.2f m/s2 it is %d steps, want %d", c.speed, c.brake, got, c.want)
		}
	}
}

// TestTheSameGivesTheSame drives twice in the same surroundings.
func TestTheSameGivesTheSame(t *testing.T) {
	run := func() (log string) {
		r := busy()
		for range 80 {
			r.drive(0.1)
			log += fmt.Sprintln(r.s.Pose, r.c.Last())
		}
		return log
	}
	if first, again := run(), run(); first != again {
		t.Error("it does not")
	}
}

// busy is a robot in a busy scene.
func busy() *rig {
	out := &scene{walls: []float64{-1.5, 1.5}}
	for n := range 4 {
		out.barrels = append(out.barrels, barrel(2+2*float64(n), 0.8-0.5*float64(n)))
	}
	for n := range 6 {
		out.discs = append(out.discs, walker(3+float64(n), -1.2+0.4*float64(n), -0.4, 0.1*float64(n-3)))
	}
	return newRig(mybot(), out)
}

func TestNothingIsAllocated(t *testing.T) {
	r := busy()
	r.s.Obstacles = Obstacles(r.out)
	if n := testing.AllocsPerRun(20, func() {
		r.c.Choose(&r.s)
		r.c.Steer(&r.s)
	}); n > 0 {
		t.Errorf("%.0f allocations a decision", n)
	}
}

func BenchmarkChoose(b *testing.B) {
	r := busy()
	b.ReportAllocs()
	for b.Loop() {
		r.c.Choose(&r.s)
	}
}
