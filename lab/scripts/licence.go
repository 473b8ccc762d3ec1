package scripts

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/testbed"
	"mybot/localization"
	"mybot/pathplan"
	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/script"
	"mybot/script/library"
)

// licenceOutcome is what became of many random programs.
type licenceOutcome struct {
	Programs     int      `json:"programs"`
	Seed         uint64   `json:"seed"`                  // of the first; the others count up
	Moving       int      `json:"moving"`                // programs that moved the robot
	Without      int      `json:"moved_without_licence"` // programs that moved it before they had ever a licence
	BeforeResume int      `json:"moved_before_resume"`   // programs that moved it after they were held
	Differences  int      `json:"differences"`           // programs that did something else in a second run
	Examples     int      `json:"examples"`
	ExamplesHeld int      `json:"examples_held"` // that stood from a STOP until Resume
	Panics       int      `json:"panics"`
	TickCost     float64  `json:"us_per_tick_100_rules"`
	StepCost     float64  `json:"ms_per_10000_steps"`
	Rehearsal    float64  `json:"rehearsal_factor"` // how much faster than the clock a program runs, on one core
	Odd          []string `json:"odd"`              // the programs in which something was wrong
}

func (o licenceOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d random programs in the built-in office, seeds %d to %d: real core, random STOPs, manual driving, handovers and freezes.\n\n", o.Programs, o.Seed, o.Seed+uint64(o.Programs)-1)
	report.Fact(&b, 60, "moved the robot", "%d", o.Moving)
	report.Fact(&b, 60, "moved it without ever having a licence", "%d", o.Without)
	report.Fact(&b, 60, "moved it after a hold and before Resume", "%d", o.BeforeResume)
	report.Fact(&b, 60, "did something else in a second run", "%d", o.Differences)
	report.Fact(&b, 60, "panics", "%d", o.Panics)
	report.Fact(&b, 60, "examples, and those that a STOP held until Resume", "%d, %d", o.Examples, o.ExamplesHeld)
	report.Fact(&b, 60, "a tick with 100 rules that wait", "%.1f us more", o.TickCost)
	report.Fact(&b, 60, "10,000 steps", "%.2f ms", o.StepCost)
	report.Fact(&b, 60, "a program against the clock, on one core", "%.0f times as fast", o.Rehearsal)
	for _, odd := range o.Odd {
		fmt.Fprintln(&b, " ", odd)
	}
	return strings.TrimSpace(b.String())
}

// Licence runs random programs on simulated robots, and checks that none moves the robot
// without a licence.
func Licence(ctx context.Context, c experiment.Call) error {
	o := licenceOutcome{Odd: []string{}}
	if err := c.Parse(func(f *experiment.Flags) {
		f.Uint64Var(&o.Seed, "seed", 10000, "the first `seed`")
		f.Int(&o.Programs, "programs", 1000, 0, 100000, "`how many` programs")
	}); err != nil {
		return err
	}
	f, err := newTestOffice()
	if err != nil {
		return err
	}
	trials, err := experiment.RunParallel(ctx, c.Err, "programs", o.Programs, func(_ context.Context, n int) (trial, error) {
		return f.runTwice(o.Seed + uint64(n)), nil
	})
	if err != nil {
		return err
	}
	for n, t := range trials {
		o.count(o.Seed+uint64(n), t)
	}
	if err := o.tryExamples(f, c.Err); err != nil {
		return err
	}
	if o.TickCost, o.StepCost, err = measureCosts(f); err != nil {
		return err
	}
	o.Rehearsal = f.measureSpeed()
	return c.Print(o)
}

func (o *licenceOutcome) count(seed uint64, t trial) {
	for _, c := range []struct {
		is    bool
		total *int
		what  string
	}{
		{t.moved, &o.Moving, ""},
		{t.without != "", &o.Without, t.without},
		{t.before != "", &o.BeforeResume, t.before},
		{t.differs, &o.Differences, "a second run did something else"},
		{t.panicked != "", &o.Panics, t.panicked},
	} {
		if c.is {
			*c.total++
			if c.what != "" {
				o.Odd = append(o.Odd, fmt.Sprintf("seed %d: %s", seed, c.what))
			}
		}
	}
}

// tryExamples starts each example with a licence and stops the robot: it must stand until
// Resume.
func (o *licenceOutcome) tryExamples(f *testOffice, errOut io.Writer) error {
	for _, e := range library.Examples() {
		o.Examples++
		program, faults := script.Parse(e.Text)
		if len(faults) > 0 {
			return fmt.Errorf("lab: the example %s: %w", e.Name, faults[0])
		}
		t := f.newTrial(1)
		t.start("example", program, false)
		t.pass(5 * time.Second)
		t.do(robot.Stop{By: "the lab"})
		t.holdAll()
		t.pass(5 * time.Second)
		t.do(robot.ClearStop{})
		t.pass(5 * time.Second)
		held := t.before == "" && t.state.Scripts != nil && t.state.Scripts.Held != ""
		if r := t.do(robot.ResumeUnits{}); held && r.Done() && t.state.Scripts.Units[0].Held {
			o.ExamplesHeld++
		} else {
			_, _ = fmt.Fprintf(errOut, "the example %s is not held: %s, %v\n", e.Name, t.before, r)
		}
	}
	return nil
}

// A testOffice is where the programs run: the built-in office, with its robot.
type testOffice struct {
	desc robot.Description
	plan *robot.Floorplan
}

func newTestOffice() (*testOffice, error) {
	plan, err := testbed.LoadPlan("office")
	return &testOffice{testbed.Mybot(), plan}, err
}

// trial is one program with its robot, and what was seen of it.
type trial struct {
	office *testOffice
	core   *onboard.Core
	world  *sim.World
	rng    *rand.Rand
	state  robot.State
	now    time.Time
	began  time.Time
	head   robot.HeadAngles
	out    robot.Twist

	licensed   map[string]bool // units that may move the robot, as the lab knows it
	everHad    bool            // a unit has had a licence
	stopped    bool
	personGoal bool
	mayUntil   time.Time // until then the robot may still brake

	sum      uint64 // of what the program said and did
	moved    bool
	without  string // how it moved without ever having a licence; "" = it did not
	before   string // how it moved before Resume
	differs  bool
	panicked string
}

// newTrial puts a robot without errors into the office.
func (f *testOffice) newTrial(seed uint64) *trial {
	scene := sim.DefaultScene()
	scene.Start, scene.Wheels, scene.Compass = robot.Pose{X: 6, Y: 7.3}, sim.WheelErrors{}, sim.CompassErrors{}
	t := &trial{office: f, rng: rand.New(rand.NewPCG(seed, 17)), licensed: map[string]bool{}, began: time.Unix(1e6, 0)}
	t.world = sim.NewWorld(f.desc, f.plan, scene, sim.Options{Seed: seed, Epoch: t.began})
	t.core = onboard.NewCore(f.desc, localization.NewOdometry(f.desc, scene.Start), pathplan.NewPlanner(f.plan, f.desc))
	t.head = t.world.Step().Head
	t.pass(200 * time.Millisecond)
	return t
}

// runTwice runs the program of a seed twice.
func (f *testOffice) runTwice(seed uint64) trial {
	first, second := f.newTrial(seed), f.newTrial(seed)
	first.run()
	second.run()
	first.differs = first.sum != second.sum
	return *first
}

// run runs a random program under random disturbances.
func (t *trial) run() {
	defer func() {
		if r := recover(); r != nil {
			t.panicked = fmt.Sprint("it panics: ", r)
		}
	}()
	text := randomProgram(t.rng)
	program, faults := script.Parse(text)
	if len(faults) > 0 {
		panic(fmt.Sprintf("the lab's program has a fault: %v in\n%s", faults[0], text))
	}
	held := t.rng.IntN(3) == 0
	t.start("first", program, held)
	const lasts = 15 * time.Second
	for t.now.Sub(t.began) < lasts {
		t.pass(time.Duration(500+t.rng.IntN(4500)) * time.Millisecond)
		t.disturb(program)
	}
	t.pass(3 * time.Second)
}

// start starts a unit.
func (t *trial) start(name string, p *script.Program, held bool) {
	if r := t.do(robot.StartUnit{Unit: name, Program: p, Held: held}); r.Done() && !held && !t.stopped {
		t.licensed[name], t.everHad = true, true
	}
}

// holdAll notes that no unit has the licence any more.
func (t *trial) holdAll() { clear(t.licensed) }

// disturb does one thing at random.
func (t *trial) disturb(program *script.Program) {
	switch t.rng.IntN(12) {
	case 0, 1:
		t.do(robot.Stop{By: "the lab"})
		t.stopped = true
		t.holdAll()
	case 2:
		t.do(robot.HoldUnits{Reason: "Another person took control."})
		t.holdAll()
	case 3:
		twist := robot.Twist{Linear: 0.3 * t.rng.Float64(), Angular: t.rng.Float64() - 0.5}
		for range 20 {
			if r := t.do(robot.Drive{Twist: twist}); r.Done() {
				t.holdAll()
			}
			t.allow(500 * time.Millisecond)
			t.pass(40 * time.Millisecond)
		}
	case 4:
		if r := t.do(robot.GoTo{Goal: robot.Pose{X: 10, Y: 7.3}}); r.Done() {
			t.holdAll()
			t.personGoal = true
		}
	case 5:
		if r := t.do(robot.Look{HeadAngles: robot.HeadAngles{Pan: t.rng.Float64()}}); r.Done() {
			_ = t.world.Look(robot.HeadAngles{Pan: t.rng.Float64()})
			t.holdAll()
			t.allow(2 * time.Second)
		}
	case 6:
		t.do(robot.Cancel{})
		t.personGoal = false
	case 7, 8:
		if t.stopped {
			t.do(robot.ClearStop{})
			t.stopped = false
		}
	case 9:
		t.give([]string{"stop", "freeze", "unfreeze", "block", "unblock"}[t.rng.IntN(5)] + " " + randomTag(t.rng) + ";")
	case 10:
		t.start("second", program, t.rng.IntN(2) == 0)
	case 11:
		if r := t.do(robot.ResumeUnits{}); r.Done() {
			for _, u := range t.state.Scripts.Units {
				t.licensed[u.Name], t.everHad = true, true
			}
			t.licensed["console"] = true
		}
	}
}

// give gives a command by a connection without a licence.
func (t *trial) give(text string) {
	t.do(robot.OpenUnit{Unit: "console", Held: true})
	var r script.Reader
	t.do(robot.GiveCommands{Unit: "console", Commands: r.Read(text + "\n")})
}

func (t *trial) do(cmd robot.Command) robot.Result {
	r := t.core.Do(t.now, cmd)
	t.drain()
	return r
}

// allow lets the robot move for a time, because a person moves it.
func (t *trial) allow(d time.Duration) {
	if until := t.now.Add(d + brakes); until.After(t.mayUntil) {
		t.mayUntil = until
	}
}

// brakes is how long a robot may take to stand.
const brakes = 2 * time.Second

// pass lets time pass.
func (t *trial) pass(d time.Duration) {
	for range int(d / (20 * time.Millisecond)) {
		t.tick()
	}
}

// tick is one reading.
func (t *trial) tick() {
	r := t.world.Step()
	t.now = r.Time
	t.out, t.state = t.core.Tick(r)
	_ = t.world.Drive(t.out)
	if a, ok := t.core.ScriptLook(); ok {
		_ = t.world.Look(a)
	}
	t.drain()
	t.judge(r.Head)
}

// drain takes what the scripts say, and answers what they ask.
func (t *trial) drain() {
	h := fnv.New64a()
	for _, l := range t.core.ScriptLines() {
		fmt.Fprintln(h, l.Unit, l) //nolint:errcheck // it takes everything
	}
	fmt.Fprintln(h, t.sum, t.out, t.head) //nolint:errcheck // it takes everything
	t.sum = h.Sum64()
	for _, a := range t.core.ScriptAsks() {
		if !a.Cancelled {
			t.core.Do(t.now, t.answer(a))
		}
	}
}

// answer answers a request as the server does.
func (t *trial) answer(a script.Ask) (answer robot.AnswerAsk) {
	switch a.Name {
	case "goto", "dock":
		var err error
		if answer, err = onboard.FindScriptGoal(t.office.plan, a); err != nil {
			answer.Refusal = err.Error()
		}
	case "say":
		answer.Speech = []robot.Speech{{Text: "Hello.", Duration: time.Second, Aloud: true}}
	default:
		answer.Refusal = "the lab has none"
	}
	answer.ID = a.ID
	return answer
}

// judge notes that the robot moves, and whether it may.
func (t *trial) judge(head robot.HeadAngles) {
	twist := t.world.Truth().Twist
	moves := !t.out.IsZero() || math.Abs(twist.Linear) > 0.01 || math.Abs(twist.Angular) > 0.02
	turns := math.Abs(head.Pan-t.head.Pan) > 1e-6 || math.Abs(head.Tilt-t.head.Tilt) > 1e-6
	t.head = head
	for _, may := range t.licensed {
		if may {
			t.moved = t.moved || moves || turns
			t.allow(0)
		}
	}
	if g := t.state.Goal; t.personGoal && g != nil && (g.Phase == robot.GoalDriving || g.Phase == robot.GoalBlocked) {
		t.allow(0)
	}
	if !moves && !turns || t.now.Before(t.mayUntil) {
		return
	}
	how := fmt.Sprintf("after %v: command %v, motion %v, head %v", t.now.Sub(t.began), t.out, twist, head)
	if !t.everHad && t.without == "" {
		t.without = how
	} else if t.everHad && t.before == "" {
		t.before = how
	}
}
