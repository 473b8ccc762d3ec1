package onboard

import (
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/script"
)

// wildPrograms set what moves the robot to whatever a number can be.
var wildPrograms = []string{
	"drive.val = inf speed:1e90, turn.val = -inf speed:1e90,",
	"drive.val = 1e308, turn.val = -1e308, wheelL.val = 1e300 time:20,",
	"loop { drive.val = drive.val + random(-1e9, 1e9) | turn.val = turn.val + random(-1e9, 1e9) time:40 },",
	"blend[add] drive.val; drive.val = 0 sin:40 ampli:1e99, drive.val = 5 smooth:500, loop drive.val = drive.val + 1 speed:1,",
	"blend[mix] turn.val; turn.val = inf speed:20, turn.val = -inf speed:20, loop { turn.val = 3 | turn.val = 3e5 },",
	"headPan.val = 1e99, headTilt.val = -1e99 sin:20 ampli:1e99, wheelR.val = wheelR.val / 0,",
	"at (bump.val == 1) forward(0.3) onleave turn(90), whenever (near.val < 1) forward(-0.1),",
	"loop { goto(random(-99, 99), 1e99) }, stop.val;",
}

// Whatever programs, readings and orders come, the wheels get a motion within the limits, a
// stopped robot none, and a robot whose scripts are all held none but that of a hand.
func TestWhateverScriptsWantTheWheelsGetASafeMotion(t *testing.T) {
	programs := make([]*script.Program, len(wildPrograms))
	for i, text := range wildPrograms {
		var faults []*script.Fault
		if programs[i], faults = script.Parse(text); len(faults) > 0 {
			t.Fatal(faults)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := mybot()
		run := history(t)
		kinds := rapid.SliceOfN(rapid.IntRange(0, 20), len(run), len(run)).Draw(t, "scripts")
		units := rapid.SliceOfN(rapid.SampledFrom([]string{"p", "q"}), len(run), len(run)).Draw(t, "units")
		var outs [2][]robot.Twist
		for k := range outs {
			c := NewCore(d, &believed{drive: d.Drivetrain}, &floor{})
			now, heldAt := epoch, epoch
			var ordered time.Time // when the last Drive came
			for i, e := range run {
				switch kind := kinds[i]; {
				case kind < len(programs):
					c.Do(now, robot.StartUnit{Unit: units[i], Program: programs[kind], Held: i%3 == 0})
				case kind == len(programs):
					c.Do(now, robot.CloseUnit{Unit: units[i]})
				case kind == len(programs)+1:
					c.Do(now, robot.HoldUnits{})
				case kind == len(programs)+2:
					c.Do(now, robot.ResumeUnits{})
				}
				switch e := e.(type) {
				case robot.Command:
					c.Do(now, e)
					if _, ok := e.(robot.Drive); ok {
						ordered = now
					}
				case robot.Reading:
					now = e.Time
					out, s := c.Tick(e)
					outs[k] = append(outs[k], out)
					if !out.IsFinite() || math.Abs(out.Linear) > d.Safe.Linear+1e-9 || math.Abs(out.Angular) > d.Safe.Angular+1e-9 {
						t.Fatalf("the wheels get %v", out)
					}
					if a, ok := c.ScriptLook(); ok && !robot.Finite(a.Pan, a.Tilt) {
						t.Fatalf("the head gets %v", a)
					}
					if s.Stop != nil && !out.IsZero() {
						t.Fatalf("stopped, but told %v", out)
					}
					if c.scripts.licence.licensed {
						heldAt = now
					}
					if since := now.Sub(heldAt); since > 2*time.Second && now.Sub(ordered) > limits.RequestValidity+2*time.Second && !out.IsZero() {
						t.Fatalf("held for %v, but told %v", since, out)
					}
				}
			}
		}
		if !reflect.DeepEqual(outs[0], outs[1]) {
			t.Fatal("the same orders and readings gave another motion")
		}
	})
}
