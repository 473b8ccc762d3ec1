package onboard

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
)

func drive(v, w float64) robot.Drive {
	return robot.Drive{Twist: robot.Twist{Linear: v, Angular: w}}
}

func TestTooFastIsDoneSafelyAndSaidSo(t *testing.T) {
	for _, c := range []struct {
		asked, given robot.Twist
		answer       robot.Result
	}{
		{robot.Twist{Linear: 0.5}, robot.Twist{Linear: 0.5}, robot.Result{Word: robot.Success}},
		{robot.Twist{Linear: 1}, robot.Twist{Linear: 0.5}, robot.Result{Word: robot.Modified, Reason: "1.00 m/s was asked for, 0.50 m/s is the safe limit."}},
		{robot.Twist{Linear: -2}, robot.Twist{Linear: -0.5}, robot.Result{Word: robot.Modified, Reason: "2.00 m/s was asked for, 0.50 m/s is the safe limit."}},
		{robot.Twist{Angular: math.Pi / 2}, robot.Twist{Angular: math.Pi / 4}, robot.Result{Word: robot.Modified, Reason: "90 deg/s was asked for, 45 deg/s is the safe limit."}},
		{robot.Twist{Linear: 1, Angular: 0.4}, robot.Twist{Linear: 0.5, Angular: 0.2}, robot.Result{Word: robot.Modified, Reason: "1.00 m/s was asked for, 0.50 m/s is the safe limit."}},
	} {
		t.Run(fmt.Sprintf("%v", c.asked), func(t *testing.T) {
			p := newPlant(robot.Pose{})
			if got := p.drive(c.asked.Linear, c.asked.Angular, 3*time.Second); got != c.answer {
				t.Errorf("answered %v, want %v", got, c.answer)
			}
			if d := p.state.Drive; d.Asked != c.asked || !alike(d.Given, c.given) || d.Result != c.answer {
				t.Errorf("state tells %+v, want given %v and %v", d, c.given, c.answer)
			}
			if !alike(p.motion.Twist, c.given) {
				t.Errorf("moves with %v, want %v", p.motion.Twist, c.given)
			}
		})
	}
}

func alike(a, b robot.Twist) bool {
	return math.Abs(a.Linear-b.Linear) < 1e-6 && math.Abs(a.Angular-b.Angular) < 1e-6
}

func TestTheSpeedChangesNoFasterThanIsSafe(t *testing.T) {
	p := newPlant(robot.Pose{})
	safe := p.desc.Safe
	last := robot.Twist{}
	for i := range 400 {
		v, w := 0.5, 0.7
		if i/50%2 == 1 {
			v, w = -0.5, -0.7
		}
		p.drive(v, w, 20*time.Millisecond)
		if dv, dw := p.told.Linear-last.Linear, p.told.Angular-last.Angular; math.Abs(dv) > safe.LinearAcceleration*0.02+1e-9 || math.Abs(dw) > safe.AngularAcceleration*0.02+1e-9 {
			t.Fatalf("from %v to %v within a tick", last, p.told)
		}
		last = p.told
	}
}

func TestTheRobotStopsWhenTheDriverLetsGo(t *testing.T) {
	t.Run("and says nothing when it was let go properly", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.drive(0.4, 0, 2*time.Second)
		p.core.Do(p.now, drive(0, 0))
		p.wait(2 * time.Second)
		if !p.motion.Twist.IsZero() || p.state.Drive.Result.Word != robot.Success || p.state.Mode != robot.ModeReady {
			t.Errorf("moves %v, %v, %v", p.motion.Twist, p.state.Drive.Result, p.state.Mode)
		}
	})
	for _, c := range []struct {
		valid time.Duration
		lives time.Duration
	}{{0, 250 * time.Millisecond}, {100 * time.Millisecond, 100 * time.Millisecond}, {time.Hour, 500 * time.Millisecond}} {
		t.Run(fmt.Sprintf("after %v when the orders stop coming", c.lives), func(t *testing.T) {
			p := newPlant(robot.Pose{})
			p.drive(0.4, 0, 2*time.Second)
			d := drive(0.4, 0)
			d.Valid = c.valid
			if res := p.core.Do(p.now, d); (res.Word == robot.Modified) != (c.valid > c.lives) {
				t.Errorf("answered %v", res)
			}
			last := p.now
			for p.now.Sub(last) < 3*time.Second {
				at := p.now.Sub(last)
				p.tick()
				if slowing := p.told.Linear < 0.4; slowing != (at >= c.lives) {
					t.Fatalf("after %v told %v", at, p.told)
				}
			}
			if !p.motion.Twist.IsZero() {
				t.Errorf("still moves %v", p.motion.Twist)
			}
			want := robot.Result{Word: robot.Interrupted, Reason: "The commands stopped arriving."}
			if p.state.Drive.Result != want {
				t.Errorf("state tells %v", p.state.Drive.Result)
			}
		})
	}
	t.Run("and when control is lost", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.drive(0.4, 0, 2*time.Second)
		p.core.Do(p.now, robot.Halt{Reason: "Ana left."})
		p.wait(20 * time.Millisecond)
		if p.told.Linear >= 0.4 || p.state.Drive.Result != (robot.Result{Word: robot.Interrupted, Reason: "Ana left."}) {
			t.Errorf("told %v, %v", p.told, p.state.Drive.Result)
		}
	})
	t.Run("and a sample from the future is no order", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.core.Do(p.now.Add(time.Hour), drive(0.4, 0))
		p.wait(100 * time.Millisecond)
		if !p.told.IsZero() {
			t.Errorf("told %v", p.told)
		}
	})
}

func TestARobotThatHasStoppedMeasuresNoMotionAtAll(t *testing.T) {
	p := newPlant(robot.Pose{})
	p.drive(0.4, 0.3, time.Second)
	if p.state.Twist.IsStill() {
		t.Fatal("the robot does not drive")
	}
	p.wait(5 * time.Second)
	if !p.state.Twist.IsZero() {
		t.Errorf("5 s later it measures %v", p.state.Twist)
	}
}

func TestStop(t *testing.T) {
	moving := func(t *testing.T) *plant {
		p := newPlant(robot.Pose{})
		p.drive(0.5, 0.2, 2*time.Second)
		if res := p.core.Do(p.now, robot.Stop{By: "Jin"}); res.Word != robot.Success {
			t.Fatal(res)
		}
		return p
	}
	panicked := robot.Result{Word: robot.Panic, Reason: "The robot is stopped by Jin. Release the stop first."}
	t.Run("brakes as hard as the motors can, at once", func(t *testing.T) {
		p := moving(t)
		p.tick()
		if !p.told.IsZero() {
			t.Errorf("told %v", p.told)
		}
		p.wait(time.Second)
		if !p.motion.Twist.IsZero() {
			t.Errorf("moves %v after 1 s", p.motion.Twist)
		}
	})
	t.Run("tells who and when, and what was given up", func(t *testing.T) {
		p := moving(t)
		at := p.now
		p.tick()
		p.core.Do(p.now, robot.Stop{By: "Ana"})
		p.tick()
		if s := p.state.Stop; s == nil || s.By != "Jin" || !s.At.Equal(at) {
			t.Errorf("stop %+v, want the first", s)
		}
		if p.state.Mode != robot.ModeStopped || p.state.Drive.Result.Word != robot.Interrupted {
			t.Errorf("%v %v", p.state.Mode, p.state.Drive.Result)
		}
	})
	t.Run("stays until it is released, whatever is ordered", func(t *testing.T) {
		p := moving(t)
		for range 500 {
			if res := p.core.Do(p.now, drive(0.3, 0)); res != panicked {
				t.Fatal(res)
			}
			p.tick()
			if !p.told.IsZero() {
				t.Fatal(p.told)
			}
		}
	})
	t.Run("is followed by nothing that was asked for before its release", func(t *testing.T) {
		p := moving(t)
		p.tick()
		p.core.Do(p.now, drive(0.3, 0))
		p.core.Do(p.now, robot.ClearStop{})
		p.wait(time.Second)
		if !p.motion.Twist.IsZero() || p.state.Stop != nil || p.state.Mode != robot.ModeReady {
			t.Errorf("moves %v, stop %v, %v", p.motion.Twist, p.state.Stop, p.state.Mode)
		}
		p.drive(0.3, 0, time.Second)
		if p.motion.Twist.Linear < 0.29 {
			t.Errorf("a new order moves it with %v", p.motion.Twist)
		}
	})
	t.Run("keeps the head from turning until its release", func(t *testing.T) {
		p := moving(t)
		look := robot.Look{HeadAngles: robot.HeadAngles{Pan: 0.5}}
		if res := p.core.Do(p.now, look); res != panicked {
			t.Error(res)
		}
		p.core.Do(p.now, robot.ClearStop{})
		if res := p.core.Do(p.now, look); res.Word != robot.Success {
			t.Error(res)
		}
	})
}

func TestAReadingThatCannotBeTrueGivesStandstill(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, spoil := range map[string]func(*robot.Reading){
		"The base reports a wheel travel that is not a number":   func(r *robot.Reading) { r.Travel.Left = nan },
		"The base reports a wheel travel that is not a number; ": func(r *robot.Reading) { r.Travel.Right = inf },
		"The base reports a wheel travel of 3.00 m in 20 ms":     func(r *robot.Reading) { r.Travel.Left = 3 },
		"The compass reports a heading that is not a number":     func(r *robot.Reading) { r.Heading = inf },
		"The base reports 11 sonar ranges":                       func(r *robot.Reading) { r.Ranges = r.Ranges[:11] },
		"The time of the base's readings jumped by 0.30 s":       func(r *robot.Reading) { r.Time = r.Time.Add(280 * time.Millisecond) },
		"The time of the base's readings jumped by -0.08 s":      func(r *robot.Reading) { r.Time = r.Time.Add(-100 * time.Millisecond) },
		"The time of the base's readings jumped by 0.00 s":       func(r *robot.Reading) { r.Time = r.Time.Add(-20 * time.Millisecond) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlant(robot.Pose{})
			p.drive(0.4, 0, 2*time.Second)
			r := p.reading()
			spoil(&r)
			p.feel(r)
			if !p.told.IsZero() {
				t.Errorf("told %v", p.told)
			}
			if res := p.state.Drive.Result; res.Word != robot.Error || !strings.HasPrefix(res.Reason, name) {
				t.Errorf("answer %v", res)
			}
			if e := p.state.Estimate.Pose; !robot.Finite(e.X, e.Y, e.Theta) {
				t.Errorf("the estimate is %v", e)
			}
			p.now = r.Time.Add(20 * time.Millisecond)
			p.wait(2 * time.Second)
			if !p.motion.Twist.IsZero() {
				t.Errorf("goes on with %v", p.motion.Twist)
			}
			if p.drive(0.4, 0, time.Second); p.motion.Twist.Linear < 0.3 {
				t.Errorf("does not drive again: %v, %v", p.motion.Twist, p.state.Drive.Result)
			}
		})
	}
	t.Run("and so does a position that is no number", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.drive(0.4, 0, 2*time.Second)
		p.core.loc.SetPose(robot.Pose{X: math.NaN()})
		p.core.Do(p.now, drive(0.4, 0))
		p.tick()
		if !p.told.IsZero() || p.state.Drive.Result.Reason != "The position came out as no number; the robot has stopped." {
			t.Errorf("told %v, %v", p.told, p.state.Drive.Result)
		}
	})
	t.Run("and so does a motion that is no number", func(t *testing.T) {
		p := newPlant(robot.Pose{}, wall(1, -3, 1, 3))
		p.core.desc.Safe.LinearAcceleration = math.NaN()
		p.wait(200 * time.Millisecond)
		p.drive(0.4, 0, time.Second)
		if !p.told.IsZero() || p.state.Drive.Result.Reason != "The motion came out as no number; the robot has stopped." {
			t.Errorf("told %v, %v", p.told, p.state.Drive.Result)
		}
	})
	t.Run("an order while the base is silent is refused", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		res := p.core.Do(p.now.Add(time.Second), drive(0.4, 0))
		if res.Word != robot.Error || res.Reason != "The base has reported nothing for 1.0 s. The robot stays put until it does." {
			t.Error(res)
		}
	})
	t.Run("an order before the first reading is too early", func(t *testing.T) {
		c := NewCore(mybot(), &believed{}, nil)
		if res := c.Do(epoch, drive(0.4, 0)); res.Word != robot.Busy {
			t.Error(res)
		}
	})
}

func TestAWrongOrderIsRefusedWithASentence(t *testing.T) {
	for _, c := range []struct {
		cmd  robot.Command
		want robot.Result
	}{
		{drive(math.NaN(), 0), robot.Result{Word: robot.Error, Reason: "The speed NaN m/s, 0 rad/s is not a number."}},
		{drive(0, math.Inf(-1)), robot.Result{Word: robot.Error, Reason: "The speed 0 m/s, -Inf rad/s is not a number."}},
		{robot.Drive{Valid: -1}, robot.Result{Word: robot.Error, Reason: "A command cannot be valid for -1ns; give more than 0 s and at most 500ms."}},
		{robot.SetPose{Pose: robot.Pose{X: math.NaN()}}, robot.Result{Word: robot.Error, Reason: "The position {NaN 0 0} is not a number. Give x and y in metres and theta in radians."}},
		{robot.Look{HeadAngles: robot.HeadAngles{Pan: math.NaN()}}, robot.Result{Word: robot.Error, Reason: "The head's angles NaN and 0 are not numbers."}},
		{robot.Look{HeadAngles: robot.HeadAngles{Pan: math.Pi}}, robot.Result{Word: robot.Modified, Reason: "A pan of 180 deg was asked for, the head turns only to 120 deg."}},
		{robot.Look{HeadAngles: robot.HeadAngles{Tilt: -math.Pi}}, robot.Result{Word: robot.Modified, Reason: "A tilt of -180 deg was asked for, the head tilts only to -45 deg."}},
		{robot.Look{HeadAngles: robot.HeadAngles{Pan: 1}}, robot.Result{Word: robot.Success}},
		{nil, robot.Result{Word: robot.Error, Reason: "The robot does not know the command <nil>."}},
	} {
		p := newPlant(robot.Pose{})
		p.drive(0.3, 0, time.Second)
		if got := p.core.Do(p.now, c.cmd); got != c.want {
			t.Errorf("%v: got %v, want %v", c.cmd, got, c.want)
		}
	}
	t.Run("and one that is not a number ends the one before", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.drive(0.4, 0, time.Second)
		p.core.Do(p.now, drive(math.NaN(), 0))
		before := p.told
		p.tick()
		if p.told.Linear >= before.Linear {
			t.Errorf("told %v after %v", p.told, before)
		}
	})
	t.Run("and a robot without a head says so", func(t *testing.T) {
		d := mybot()
		d.Head = nil
		if res := NewCore(d, &believed{}, nil).Do(epoch, robot.Look{}); res.Word != robot.NA {
			t.Error(res)
		}
	})
}

func TestTheBumperLetsTheRobotOnlyCreepBack(t *testing.T) {
	for _, c := range []struct{ into, ask, want robot.Twist }{
		{robot.Twist{Linear: 0.3}, robot.Twist{Linear: 0.3}, robot.Twist{}},
		{robot.Twist{Linear: 0.3}, robot.Twist{Linear: -0.5, Angular: 0.5}, robot.Twist{Linear: -0.1}},
		{robot.Twist{Linear: -0.3}, robot.Twist{Linear: -0.3}, robot.Twist{}},
		{robot.Twist{Linear: -0.3}, robot.Twist{Linear: 0.3}, robot.Twist{Linear: 0.1}},
		{robot.Twist{Linear: 0.3}, robot.Twist{Angular: 0.5}, robot.Twist{}},
		{robot.Twist{Angular: 0.5}, robot.Twist{Angular: 0.5}, robot.Twist{}},
		{robot.Twist{Angular: 0.5}, robot.Twist{Angular: -0.5}, robot.Twist{Angular: -0.2}},
		{robot.Twist{Angular: 0.5}, robot.Twist{Linear: 0.3}, robot.Twist{}},
		{robot.Twist{}, robot.Twist{Linear: 0.3}, robot.Twist{Linear: 0.1}},
	} {
		p := newPlant(robot.Pose{})
		p.drive(c.into.Linear, c.into.Angular, 2*time.Second)
		p.pressed = true
		p.wait(2 * time.Second)
		p.drive(c.ask.Linear, c.ask.Angular, 2*time.Second)
		if !alike(p.motion.Twist, c.want) {
			t.Errorf("into %v, then asked for %v: moves %v, want %v", c.into, c.ask, p.motion.Twist, c.want)
		}
		if r := p.state.Drive.Result; r.Word != robot.Modified || !strings.HasPrefix(r.Reason, "The bumper is pressed.") {
			t.Errorf("answer %v", r)
		}
		p.pressed = false
		p.drive(0.3, 0, 3*time.Second)
		if !alike(p.motion.Twist, robot.Twist{Linear: 0.3}) {
			t.Errorf("after the bumper is free: %v", p.motion.Twist)
		}
	}
}

func TestAStateSharesNothingWithTheCore(t *testing.T) {
	p := newPlant(robot.Pose{}, wall(2, -3, 2, 3))
	p.drive(0.3, 0, time.Second)
	r := p.reading()
	_, s := p.core.Tick(r)
	ranges := append([]float64(nil), s.Ranges...)
	r.Ranges[0] = 99
	p.core.Do(p.now, robot.Stop{By: "Jin"})
	p.wait(time.Second)
	if !reflect.DeepEqual(s.Ranges, ranges) || s.Stop != nil {
		t.Errorf("the state changed after publication: %v, %v", s.Ranges, s.Stop)
	}
	stopped := p.state.Stop
	p.core.Do(p.now, robot.ClearStop{})
	p.core.Do(p.now, robot.Stop{By: "Ana"})
	if stopped.By != "Jin" {
		t.Error("the state's stop was written to")
	}
}

// history is a run of orders and readings as wild as they come.
func history(t *rapid.T) []any {
	wild := rapid.OneOf(rapid.Float64Range(-2, 2), rapid.SampledFrom([]float64{0, 1e9, math.NaN(), math.Inf(1), math.Inf(-1)}))
	span := rapid.OneOf(rapid.Just(20), rapid.IntRange(-100, 600))
	n := len(mybot().Sonars)
	now := epoch
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			return robot.Command(robot.Stop{By: "Jin"})
		case 1:
			return robot.Command(robot.ClearStop{})
		case 2, 3, 4:
			d := drive(wild.Draw(t, "v"), wild.Draw(t, "w"))
			d.Valid = time.Duration(rapid.IntRange(-100, 3000).Draw(t, "valid")) * time.Millisecond
			return robot.Command(d)
		}
		now = now.Add(time.Duration(span.Draw(t, "dt")) * time.Millisecond)
		r := robot.Reading{Time: now, Travel: robot.Wheels{Left: 0.01, Right: 0.01}, Ranges: make([]float64, n)}
		if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
			r.Travel = robot.Wheels{Left: wild.Draw(t, "left"), Right: wild.Draw(t, "right")}
			r.Heading = wild.Draw(t, "heading")
			r.Bump = rapid.Bool().Draw(t, "bump")
		}
		for i := range r.Ranges {
			r.Ranges[i] = rapid.OneOf(rapid.Float64Range(-1, 6), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)})).Draw(t, "range")
		}
		return r
	}), 1, 120).Draw(t, "history")
}

func TestWhateverComesTheWheelsGetASafeMotion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := mybot()
		run := history(t)
		var outs [2][]robot.Twist
		for k := range outs {
			c := NewCore(d, &believed{drive: d.Drivetrain}, nil)
			now, stopped := epoch, false
			var ordered time.Time // when the last Drive came
			for _, e := range run {
				switch e := e.(type) {
				case robot.Command:
					c.Do(now, e)
					switch e.(type) {
					case robot.Stop:
						stopped = true
					case robot.ClearStop:
						stopped = false
					case robot.Drive:
						ordered = now
					}
				case robot.Reading:
					now = e.Time
					out, s := c.Tick(e)
					outs[k] = append(outs[k], out)
					if !out.IsFinite() || math.Abs(out.Linear) > d.Safe.Linear+1e-9 || math.Abs(out.Angular) > d.Safe.Angular+1e-9 {
						t.Fatalf("the wheels get %v", out)
					}
					if stopped && (!out.IsZero() || s.Mode != robot.ModeStopped || s.Stop == nil) {
						t.Fatalf("stopped, but %v, %v", out, s.Mode)
					}
					if s.Drive.Result.Word != robot.Success && s.Drive.Result.Reason == "" {
						t.Fatalf("%v without a reason", s.Drive.Result.Word)
					}
					if s.Mode == robot.ModeManual && now.Sub(ordered) >= limits.RequestValidity {
						t.Fatalf("driven by hand %v after the last order", now.Sub(ordered))
					}
				}
			}
		}
		if !reflect.DeepEqual(outs[0], outs[1]) {
			t.Fatal("the same orders and readings gave another motion")
		}
	})
}
