package onboard

import (
	"log/slog"
	"math"
	"slices"
	"testing"
	"time"

	"mybot/robot"
)

func TestALentHeadThatLooksAsideSlowsDrivingByHand(t *testing.T) {
	const why = "The head is lent and looks aside: at most 0.2 m/s. Look ahead to drive faster."
	for _, c := range []struct {
		name string
		lent bool
		pan  float64 // deg
		ask  float64 // m/s
		want float64 // m/s
	}{
		{"lent, and looks aside", true, 31, 0.4, 0.2},
		{"to the other side", true, -90, 0.4, 0.2},
		{"and drives back", true, 31, -0.4, -0.2},
		{"and is slow enough", true, 31, 0.15, 0.15},
		{"lent, and looks ahead", true, 29, 0.4, 0.4},
		{"not lent", false, 90, 0.4, 0.4},
		{"and does not report where it looks", true, math.NaN(), 0.4, 0.2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlant(robot.Pose{})
			p.head.Pan = robot.Radians(c.pan)
			p.order(t, robot.Lend{Head: c.lent})
			p.drive(c.ask, 0, 2*time.Second)
			if !alike(p.motion.Twist, robot.Twist{Linear: c.want}) {
				t.Errorf("moves %v, want %v m/s", p.motion.Twist, c.want)
			}
			slow := c.lent && !(math.Abs(c.pan) <= 30)
			if s := p.state.Slow; (s != nil) != slow || slow && (s.Speed != 0.2 || s.Why != why) {
				t.Errorf("the state says %+v", s)
			}
			if got, want := p.state.Drive.Result.Reason == why, c.want != c.ask; got != want {
				t.Errorf("the answer is %v", p.state.Drive.Result)
			}
			p.order(t, robot.Lend{})
			if p.drive(c.ask, 0, 2*time.Second); !alike(p.motion.Twist, robot.Twist{Linear: c.ask}) || p.state.Slow != nil {
				t.Errorf("with the end of the loan it moves %v: %+v", p.motion.Twist, p.state.Slow)
			}
		})
	}
	t.Run("and keeps the arc", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.head.Pan = 1
		p.order(t, robot.Lend{Head: true})
		if p.drive(0.4, 0.3, 2*time.Second); !alike(p.motion.Twist, robot.Twist{Linear: 0.2, Angular: 0.15}) {
			t.Errorf("moves %v", p.motion.Twist)
		}
	})
	t.Run("but not the way to a goal, for which nobody looks", func(t *testing.T) {
		p := onWay(t, mybot())
		p.head.Pan = 1
		p.order(t, robot.Lend{Head: true})
		if p.wait(2 * time.Second); p.motion.Twist.Linear < 0.3 {
			t.Errorf("moves %v", p.motion.Twist)
		}
	})
	t.Run("where there is a head", func(t *testing.T) {
		d := mybot()
		d.Head = nil
		p := newPlantOf(d, robot.Pose{})
		p.head.Pan = 1
		p.order(t, robot.Lend{Head: true})
		if p.drive(0.4, 0, 2*time.Second); !alike(p.motion.Twist, robot.Twist{Linear: 0.4}) {
			t.Errorf("moves %v", p.motion.Twist)
		}
	})
}

func TestAHeadStaysWhereItIsWhenItsLoanEnds(t *testing.T) {
	b := newBase()
	l := NewLoop(b, NewCore(b.desc, &believed{drive: b.desc.Drivetrain}, nil), func(robot.State) {}, slog.New(slog.DiscardHandler))
	h := newLoopState(l)
	defer h.pulse.Stop()
	here := robot.HeadAngles{Pan: 0.3, Tilt: -0.1}
	h.processReading(robot.Reading{Time: time.Now(), Head: here, Ranges: slices.Repeat([]float64{math.Inf(1)}, len(b.desc.Sonars))})
	for _, cmd := range []robot.Command{robot.Lend{}, robot.Lend{Head: true}, robot.Look{HeadAngles: robot.HeadAngles{Pan: 1}}, robot.Lend{Head: true}} {
		if res := h.executeOrder(&order{cmd: cmd, at: time.Now()}); res.Word != robot.Success {
			t.Fatal(res)
		}
	}
	if b.looked.Pan != 1 || b.looks != 1 {
		t.Fatalf("it looks at %v", b.looked)
	}
	if h.executeOrder(&order{cmd: robot.Lend{}, at: time.Now()}); b.looked != here {
		t.Errorf("it turns on to %v from %v", b.looked, here)
	}
}

func TestALentArmMovesOnlyWhileTheRobotStands(t *testing.T) {
	a := newArmPlant()
	a.order(t, robot.Lend{Arm: true})
	if got := a.do(map[string]float64{"shoulder": 1}); got.Word != robot.Success {
		t.Fatal(got)
	}
	a.live(25)
	out := a.at[0]
	if out < 0.2 {
		t.Fatalf("it is at %v", a.at)
	}
	driven := func(n int) {
		for range n {
			a.core.Do(a.now, drive(0.4, 0))
			a.live(1)
		}
	}
	driven(1)
	if at := a.at[0]; math.Abs(at-out) > 0.02 || a.state.Joints.Held != "The arm is lent: it moves only while the robot stands." {
		t.Errorf("it goes on to %v, held: %q", at, a.state.Joints.Held)
	}
	driven(100)
	if got := a.do(map[string]float64{"shoulder": 1}); got != (robot.Result{Word: robot.Busy, Reason: "The arm is lent: it moves only while the robot stands."}) {
		t.Error(got)
	}
	if got := a.motion.Twist.Linear; math.Abs(got-0.2) > 0.01 || a.state.Slow == nil || a.state.Slow.Why != "The arm is lent and out of its home: at most 0.2 m/s." {
		t.Errorf("with the arm out it drives at %v m/s: %+v", got, a.state.Slow)
	}
	a.order(t, robot.Lend{})
	driven(100)
	if got := a.motion.Twist.Linear; math.Abs(got-0.4) > 0.01 || a.state.Slow != nil {
		t.Errorf("with the end of the loan it drives at %v m/s: %+v", got, a.state.Slow)
	}
	if got := a.do(map[string]float64{"shoulder": 1}); got.Word != robot.Success {
		t.Errorf("who drives cannot move the arm: %v", got)
	}
}

func TestALentArmAtItsHomeSlowsNothing(t *testing.T) {
	a := newArmPlant()
	a.at, a.told = []float64{0.01, 0.001, 3}, []float64{0.01, 0.001, 3}
	a.order(t, robot.Lend{Arm: true})
	for range 100 {
		a.core.Do(a.now, drive(0.4, 0))
		a.live(1)
	}
	if got := a.motion.Twist.Linear; math.Abs(got-0.4) > 0.01 || a.state.Slow != nil {
		t.Errorf("it drives at %v m/s: %+v", got, a.state.Slow)
	}
	a.mute = true
	a.live(1)
	if a.state.Slow == nil {
		t.Error("an arm of which the base says nothing counts as home")
	}
}

func TestALentArmOutOfItsHomeSlowsTheWayToAGoalToo(t *testing.T) {
	p := newPlantOf(arm(), robot.Pose{})
	p.core.usePlanner(&floor{})
	p.order(t, robot.Lend{Arm: true})
	p.order(t, robot.GoTo{Goal: robot.Pose{X: 8}})
	if p.wait(2 * time.Second); math.Abs(p.motion.Twist.Linear-0.2) > 0.01 {
		t.Errorf("moves %v", p.motion.Twist)
	}
}

func TestAnArmStaysWhereItIsWhenItsLoanEnds(t *testing.T) {
	a := newArmPlant()
	a.order(t, robot.Lend{Arm: true})
	a.do(map[string]float64{"shoulder": 1})
	a.live(25)
	out := a.at[0]
	a.order(t, robot.Lend{})
	if a.live(50); math.Abs(a.at[0]-out) > 0.02 || a.state.Joints.Held != "The loan of the arm has ended." {
		t.Errorf("it goes on from %v to %v, held: %q", out, a.at[0], a.state.Joints.Held)
	}
}
