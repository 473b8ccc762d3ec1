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

// A licenceModel says which units may move the robot. It follows the commands and their
// answers, not the state of Core.
type licenceModel struct {
	stopped  bool
	running  map[string]bool // units
	licensed map[string]bool // units that a person has licensed since the last hold
}

// note takes a command that was given, with its answer.
func (m *licenceModel) note(cmd robot.Command, r robot.Result) {
	if !r.Done() {
		return
	}
	switch cmd := cmd.(type) {
	case robot.Stop:
		m.stopped = true
		clear(m.licensed)
	case robot.ClearStop:
		m.stopped = false
	case robot.Drive:
		if !cmd.Twist.IsZero() {
			clear(m.licensed)
		}
	case robot.HoldUnits:
		clear(m.licensed)
	case robot.StartUnit:
		m.running[cmd.Unit] = true
		if !cmd.Held && !m.stopped {
			m.licensed[cmd.Unit] = true
		}
	case robot.CloseUnit:
		delete(m.running, cmd.Unit)
		delete(m.licensed, cmd.Unit)
	case robot.ResumeUnits:
		for unit := range m.running {
			m.licensed[unit] = true
		}
	}
}

// mayRest reports whether units are running and none of them may move the robot.
func (m *licenceModel) mayRest() bool { return len(m.running) > 0 && len(m.licensed) == 0 }

// A quiet time has no commands, and is long enough for the robot to stand if none of its
// scripts may move it.
const (
	quiet       = 70 // readings
	quietPeriod = 50 * time.Millisecond
)

// Whatever programs, readings and orders come, the wheels get a motion within the limits, a
// stopped robot none, and a robot whose scripts are all held none but that of a driver.
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
		units := rapid.SliceOfN(rapid.SampledFrom([]string{"p", "q", "held"}), len(run), len(run)).Draw(t, "units")
		var outs [2][]robot.Twist
		for k := range outs {
			r := newLicenceRun(d)
			for i, e := range run {
				switch kind := kinds[i]; {
				case kind < len(programs):
					r.do(robot.StartUnit{Unit: units[i], Program: programs[kind], Held: units[i] == "held"})
				case kind == len(programs):
					r.do(robot.CloseUnit{Unit: units[i]})
				case kind == len(programs)+1:
					r.do(robot.HoldUnits{})
				case kind == len(programs)+2:
					r.do(robot.ResumeUnits{})
				case r.model.mayRest():
					r.rest(t, len(d.Sonars))
				}
				switch e := e.(type) {
				case robot.Command:
					r.do(e)
				case robot.Reading:
					e.Time = e.Time.Add(r.rested)
					r.tick(t, e)
				}
			}
			outs[k] = r.outs
		}
		if !reflect.DeepEqual(outs[0], outs[1]) {
			t.Fatal("the same orders and readings gave another motion")
		}
	})
}

// A licenceRun is a Core under random commands and readings, beside the model.
type licenceRun struct {
	core    *Core
	desc    robot.Description
	model   licenceModel
	outs    []robot.Twist
	now     time.Time
	heldAt  time.Time     // when the model last had a licence
	ordered time.Time     // when the last Drive came
	rested  time.Duration // that quiet times have taken
}

func newLicenceRun(d robot.Description) *licenceRun {
	return &licenceRun{
		core: NewCore(d, &believed{drive: d.Drivetrain}, &floor{}), desc: d, now: epoch, heldAt: epoch,
		model: licenceModel{running: map[string]bool{}, licensed: map[string]bool{}},
	}
}

func (r *licenceRun) do(cmd robot.Command) {
	r.model.note(cmd, r.core.Do(r.now, cmd))
	if _, ok := cmd.(robot.Drive); ok {
		r.ordered = r.now
	}
}

// rest passes a quiet time.
func (r *licenceRun) rest(t *rapid.T, sonars int) {
	ranges := make([]float64, sonars)
	for i := range ranges {
		ranges[i] = math.Inf(1)
	}
	for range quiet {
		r.tick(t, robot.Reading{Time: r.now.Add(quietPeriod), Travel: robot.Wheels{Left: 0.01, Right: 0.01}, Ranges: ranges})
	}
	r.rested += quiet * quietPeriod
}

// tick passes a reading and judges the motion.
func (r *licenceRun) tick(t *rapid.T, reading robot.Reading) {
	r.now = reading.Time
	out, s := r.core.Tick(reading)
	r.outs = append(r.outs, out)
	if !out.IsFinite() || math.Abs(out.Linear) > r.desc.Safe.Linear+1e-9 || math.Abs(out.Angular) > r.desc.Safe.Angular+1e-9 {
		t.Fatalf("the wheels get %v", out)
	}
	if a, ok := r.core.ScriptLook(); ok && !robot.Finite(a.Pan, a.Tilt) {
		t.Fatalf("the head gets %v", a)
	}
	if s.Stop != nil && !out.IsZero() {
		t.Fatalf("stopped, but told %v", out)
	}
	if len(r.model.licensed) > 0 {
		r.heldAt = r.now
	}
	if since := r.now.Sub(r.heldAt); since > 2*time.Second && r.now.Sub(r.ordered) > limits.RequestValidity+2*time.Second && !out.IsZero() {
		t.Fatalf("held for %v, but told %v", since, out)
	}
}
