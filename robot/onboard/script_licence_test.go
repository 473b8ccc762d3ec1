package onboard

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
	"mybot/script"
)

// patrols are programs that move the robot in each way, without end.
var patrols = map[string]string{
	"a speed":        "drive.val = inf speed:0.15, turn.val = inf speed:5,",
	"short drives":   "loop { drive.val = drive.val + 0.05 speed:0.15 | turn.val = turn.val + 5 speed:10 },",
	"a wheel":        "wheelR.val = inf speed:60,",
	"the head":       "headPan.val = 0 sin:4s ampli:40,",
	"a turning head": "loop { look(40, 0) | look(-40, 0) },",
	"a goal":         "loop { goto(30, 0) },",
	"goals":          "loop { goto(2, 0) | goto(0, 0) },",
}

// A holder is something that takes the licence of all scripts.
var holders = map[string]struct {
	do     func(t *testing.T, p *plant)
	undo   func(t *testing.T, p *plant) // makes moving possible again
	reason string
}{
	"a driver": {do: func(t *testing.T, p *plant) { p.order(t, drive(0.1, 0)); p.wait(time.Second) }, reason: drivenByHand},
	"a driver with compensation": {do: func(t *testing.T, p *plant) {
		p.order(t, robot.Follow{Lease: 1, Hold: 1, Seq: 1, Pose: p.core.estimate.Pose, Valid: 400 * time.Millisecond})
		p.order(t, robot.Follow{Lease: 1, Hold: 1, Seq: 2, T: 0.05, Want: robot.Twist{Linear: 0.1}, Pose: p.core.estimate.Pose, Valid: 400 * time.Millisecond})
		p.wait(2 * time.Second)
	}, reason: drivenByHand},
	"a person who turns the head": {do: func(t *testing.T, p *plant) { p.order(t, robot.Look{}) }, reason: headByHand},
	"a queued drive": {do: func(t *testing.T, p *plant) {
		p.order(t, robot.Enqueue{ID: 1, Command: robot.Drive{Valid: time.Second}})
		p.wait(2 * time.Second)
	}, reason: drivenByHand},
	"STOP":                   {do: func(t *testing.T, p *plant) { p.order(t, robot.Stop{By: "Jin"}) }, undo: func(t *testing.T, p *plant) { p.order(t, robot.ClearStop{}) }, reason: "The robot is stopped by Jin."},
	"a queued STOP":          {do: func(t *testing.T, p *plant) { p.order(t, robot.Enqueue{Command: robot.Stop{By: "Jin"}}) }, undo: func(t *testing.T, p *plant) { p.order(t, robot.ClearStop{}) }, reason: "The robot is stopped by Jin."},
	"its own emergency stop": {do: func(_ *testing.T, p *plant) { p.estop = true; p.tick(); p.estop = false; p.tick() }, undo: func(t *testing.T, p *plant) { p.order(t, robot.ClearStop{}) }, reason: "The robot is stopped by the robot's own emergency stop."},
	"a base that refuses":    {do: func(_ *testing.T, p *plant) { p.refuses = "A person holds the robot."; p.tick(); p.refuses = "" }, reason: "A person holds the robot."},
	"a person's goal": {do: func(t *testing.T, p *plant) {
		p.order(t, robot.GoTo{Goal: p.centre()})
		p.wait(2 * time.Second)
		p.core.Do(p.now, robot.Cancel{})
	}, reason: wayByPerson},
	"a person's job": {do: func(t *testing.T, p *plant) { p.order(t, robot.RunJob{Run: 1}); p.order(t, robot.EndRun{}) }, reason: jobByPerson},
	"a set position": {do: func(t *testing.T, p *plant) {
		p.order(t, robot.HoldUnits{})
		p.wait(2 * time.Second)
		p.order(t, robot.ResumeUnits{})
		p.order(t, robot.SetPose{Pose: p.centre()})
	}, reason: "The position was set."},
	"control that passes": {do: func(t *testing.T, p *plant) { p.order(t, robot.HoldUnits{Reason: "Jin took control."}) }, reason: "Jin took control."},
	"a lost position": {do: func(_ *testing.T, p *plant) {
		p.core.loc.(*believed).trust = robot.TrustLost
		p.wait(3500 * time.Millisecond)
	}, undo: func(_ *testing.T, p *plant) { p.core.loc.(*believed).trust = robot.TrustOK; p.wait(time.Second) }, reason: lostReason},
	"a silent base": {do: func(_ *testing.T, p *plant) {
		for range 14 {
			p.now = p.now.Add(250 * time.Millisecond)
			p.core.Do(p.now, robot.StepUnits{})
		}
	}, reason: "The base has reported nothing for 3.0 s. The robot stays put until it does."},
	"a loop that was held up": {do: func(_ *testing.T, p *plant) {
		p.core.Arrive(p.now, p.now)
		p.now = p.now.Add(4 * time.Second)
		p.core.Arrive(p.now, p.now)
	}, reason: "This computer is too busy: the control loop was held up."},
	"a STOP and a late answer": {do: func(t *testing.T, p *plant) {
		p.order(t, robot.Stop{By: "Jin"})
		p.core.Do(p.now, robot.AnswerAsk{ID: 1, Goal: &robot.GoTo{Goal: robot.Pose{X: 3}}})
	}, undo: func(t *testing.T, p *plant) { p.order(t, robot.ClearStop{}) }, reason: "The robot is stopped by Jin."},
}

// moves reports whether wheels or head move within a time.
func (p *plant) moves(d time.Duration) bool {
	at, head, moved := p.motion.Axle, p.head, 0.0
	for range int(d / (20 * time.Millisecond)) {
		p.tick()
		if !p.told.IsZero() || p.head != head {
			moved++
		}
		head = p.head
	}
	return moved > 2 || p.motion.Axle != at
}

// Each of these holds what scripts move, and nothing else. Undoing the reason does not
// continue the motion; only Resume does.
func TestWhatHoldsTheMotionOfScriptsHoldsItUntilResume(t *testing.T) {
	for how, h := range holders {
		for name, text := range patrols {
			t.Run(how+" holds "+name, func(t *testing.T) {
				p := worker(waitFor(9, false))
				p.order(t, robot.OpenUnit{Unit: "A"})
				p.say(t, text+" n = 0; every (100ms) n++,")
				if !p.moves(2 * time.Second) {
					t.Fatalf("the script moves nothing: %s", p.lines())
				}
				h.do(t, p)
				p.wait(1500 * time.Millisecond) // to brake
				before := p.say(t, "n,")
				if p.moves(2 * time.Second) {
					t.Errorf("it moves: told %v, the head is at %v, %+v", p.told, p.head, p.state.Scripts)
				}
				if h.undo != nil {
					h.undo(t, p)
				}
				p.core.Do(p.now, drive(0, 0)) // the driver lets go
				if p.moves(4 * time.Second) {
					t.Errorf("it moves without Resume: told %v, the head is at %v, %+v", p.told, p.head, p.state.Scripts)
				}
				if s := p.state.Scripts; s.Held != h.reason || !s.Units[0].Held || s.Units[0].Why != h.reason || s.Moving {
					t.Errorf("the state is %+v, the reason should be %q", *s, h.reason)
				}
				if after := p.say(t, "n,"); after == before {
					t.Errorf("what does not move stands too: %s", after)
				}
				p.order(t, robot.ResumeUnits{})
				if p.tick(); !p.moves(3*time.Second) || p.state.Scripts.Held != "" || !p.state.Scripts.Moving && !strings.Contains(name, "goal") {
					t.Errorf("after Resume it does not move: %+v, goal %+v, it says %s", *p.state.Scripts, p.state.Goal, p.lines())
				}
			})
		}
	}
}

func TestWhatIsStartedWithoutControlIsHeldFromTheStart(t *testing.T) {
	p := newPlant(robot.Pose{})
	program, _ := script.Parse(patrols["a speed"] + " echo 1; wait(1h);")
	p.order(t, robot.StartUnit{Unit: "patrol", Program: program, Held: true})
	if got := p.lines(); got != "patrol *** "+withoutControl+"\npatrol 1.000000" || p.moves(3*time.Second) {
		t.Errorf("it says %q; told %v", got, p.told)
	}
	if s := p.state.Scripts; s.Units[0].Why != withoutControl {
		t.Errorf("%+v", *s)
	}
	if r := p.core.Do(p.now, robot.StartUnit{Unit: "patrol", Program: program}); r.Word != robot.Error || p.moves(time.Second) {
		t.Errorf("a second patrol: %v; told %v", r, p.told)
	}
	// The licence of one script is not that of another.
	p.order(t, robot.StartUnit{Unit: "other", Program: program, Held: true})
	p.order(t, robot.ResumeUnits{Unit: "other"})
	if p.tick(); !p.moves(time.Second) {
		t.Error("a script that was resumed does not move")
	}
	if s := p.state.Scripts; !s.Units[0].Held || s.Units[1].Held {
		t.Errorf("%+v", *s)
	}
	p.order(t, robot.CloseUnit{Unit: "other"})
	p.wait(time.Second)
	if p.moves(2 * time.Second) {
		t.Error("the robot goes on when its script is over")
	}
}

func TestAScriptThatIsStartedWhereNothingMayMoveIsHeld(t *testing.T) {
	program, _ := script.Parse(patrols["a speed"])
	p := newPlant(robot.Pose{})
	p.order(t, robot.Stop{By: "Jin"})
	p.order(t, robot.StartUnit{Unit: "patrol", Program: program})
	p.order(t, robot.ClearStop{})
	if p.moves(2 * time.Second) {
		t.Error("a script that was started while the robot was stopped moves it when the stop is released")
	}
	for _, stop := range []bool{true, false} {
		if stop {
			p.order(t, robot.Stop{By: "Jin"})
		} else {
			p.order(t, robot.ClearStop{})
		}
		if r := p.core.Do(p.now, robot.ResumeUnits{}); r.Done() == stop {
			t.Errorf("stopped: %v; Resume is answered %v", stop, r)
		}
	}
}

func TestACommandThatMovesIsRefusedWhileAPersonsGoalOrJobIsUnderWay(t *testing.T) {
	for name, c := range map[string]struct {
		begin robot.Command
		why   string
	}{
		"a goal": {robot.GoTo{Goal: robot.Pose{X: 4}, Name: "Sofa"}, "The robot is on its way to Sofa. Scripts do not move it meanwhile."},
		"a job":  {robot.RunJob{Run: 1}, "The job Round is under way. Scripts do not move it meanwhile."},
	} {
		t.Run(name, func(t *testing.T) {
			p := worker(waitFor(60, false), moveTo(4, 0, "Sofa"))
			p.order(t, c.begin)
			program, _ := script.Parse("drive.val = inf speed:0.1; headPan.val = 30; goto(0, 2); echo \"free\";")
			p.order(t, robot.StartUnit{Unit: "S", Program: program})
			want := "S !!! line 1, column 1: " + c.why + "\nS !!! line 1, column 28: " + c.why + "\nS !!! line 1, column 46: goto: " + c.why + "\nS \"free\""
			if got := p.lines(); got != want {
				t.Errorf("it says\n%s, want\n%s", got, want)
			}
			if r := p.core.Do(p.now, robot.ResumeUnits{}); r.Word != robot.Busy || !strings.HasSuffix(r.Reason, "Cancel that first, or wait for its end.") {
				t.Errorf("Resume is answered %v", r)
			}
		})
	}
}

func TestAScriptsOwnGoalEndsForItsOwnWheels(t *testing.T) {
	p := scriptedPlant(t)
	p.say(t, "goto(5, 0); echo \"next\",")
	p.wait(2 * time.Second)
	if g := p.state.Goal; g == nil || g.Phase != robot.GoalDriving {
		t.Fatalf("the goal is %+v", g)
	}
	p.core.ScriptLines()
	p.order(t, robot.OpenUnit{Unit: "B"})
	var r script.Reader
	p.order(t, robot.GiveCommands{Unit: "B", Commands: r.Read("turn.val = inf speed:20,\n")})
	p.wait(time.Second)
	if g := p.state.Goal; g.Phase != robot.GoalEnded || g.Result.Word != robot.Interrupted || p.told.Angular < 0.2 {
		t.Errorf("the goal is %+v, the robot is told %v", g, p.told)
	}
	if got := p.lines(); got != "A !!! line 1, column 1: goto: a script moved the wheels\nA \"next\"" {
		t.Errorf("it says %q", got)
	}
}

func TestTheNewerGoalOfTwoScriptsEndsTheOlder(t *testing.T) {
	p := scriptedPlant(t)
	p.say(t, "a: goto(5, 0), b: { wait(1s) | goto(0, 3) | echo \"there\" },")
	p.wait(1500 * time.Millisecond)
	if got := p.lines(); got != "A !!! line 1, column 4: goto: a newer goto, dock or job ended it" || p.state.Goal.Pose.Y != 3 {
		t.Errorf("it says %q; the goal is %+v", got, p.state.Goal)
	}
	for range 60 * 50 {
		if p.tick(); p.state.Goal.Phase == robot.GoalEnded {
			break
		}
	}
	p.tick()
	if got := p.lines(); got != "A \"there\"" {
		t.Errorf("it says %q; the goal is %+v", got, p.state.Goal)
	}
	// A goal ends with its statement.
	p.say(t, "c: goto(5, 0),")
	p.wait(time.Second)
	if p.say(t, "stop c;"); p.core.navigator.run.goal.Phase != robot.GoalEnded {
		t.Error("the robot goes on when the statement has ended")
	}
}

func TestAPersonsGoalOrJobThatReplacesAScriptsGoalIsNotPaused(t *testing.T) {
	for name, errand := range map[string]robot.Command{"goal": robot.GoTo{Goal: robot.Pose{X: 2, Y: 2}, Name: "Sofa"}, "job": robot.RunJob{Run: 1}} {
		t.Run(name, func(t *testing.T) {
			p := worker(moveTo(2, 2, "Sofa"))
			p.order(t, robot.OpenUnit{Unit: "A"})
			p.say(t, "goto(8, 0) | echo \"there\",")
			p.wait(2 * time.Second)
			p.order(t, errand)
			for range 60 * 50 {
				if p.tick(); p.state.Goal.Phase != robot.GoalDriving {
					break
				}
			}
			if g := p.state.Goal; g.Phase != robot.GoalEnded || g.Result.Word != robot.Success || g.Pose.Y != 2 {
				t.Errorf("the person's goal is %+v", g)
			}
			if held := p.state.Scripts.Held; held == "" || p.moves(2*time.Second) {
				t.Errorf("after it the script moves the robot; it is held by %q", held)
			}
		})
	}
}

func TestAPersonWhoContinuesAScriptsGoalHasIt(t *testing.T) {
	p := scriptedPlant(t)
	p.say(t, "g: goto(8, 0) | echo \"there\" | turn(30),")
	p.wait(2 * time.Second)
	p.order(t, robot.HoldUnits{Reason: "Jin took control."})
	p.wait(2 * time.Second)
	if g := p.state.Goal; g.Phase != robot.GoalPaused {
		t.Fatalf("the goal is %+v", g)
	}
	p.order(t, robot.Resume{})
	if p.say(t, "stop nothing;"); p.core.navigator.run.goal.Phase != robot.GoalDriving {
		t.Errorf("a person resumes the goal; it is %+v", p.state.Goal)
	}
	if r := p.core.Do(p.now, robot.ResumeUnits{}); r.Word != robot.Busy {
		t.Errorf("Resume of the scripts is answered %v", r)
	}
	for range 60 * 50 {
		if p.tick(); p.state.Goal.Phase == robot.GoalEnded {
			break
		}
	}
	if p.moves(2 * time.Second) {
		t.Error("the script turns the robot without a licence")
	}
	p.order(t, robot.ResumeUnits{})
	if p.tick(); !p.moves(2*time.Second) || !strings.Contains(p.lines(), "A \"there\"") {
		t.Error("after Resume the script does not go on")
	}
}

func TestAScriptRunsAJob(t *testing.T) {
	p := worker(moveTo(4, 0, "Sofa"), waitFor(1, false))
	p.order(t, robot.OpenUnit{Unit: "A"})
	p.say(t, "j: { job(\"Round\") | echo \"done\" },")
	asks := p.core.ScriptAsks()
	if len(asks) != 1 || asks[0].Name != "job" {
		t.Fatalf("it asks %v", asks)
	}
	p.order(t, robot.AnswerAsk{ID: asks[0].ID, Run: 1})
	p.wait(2 * time.Second)
	if r := p.state.Run; r == nil || r.Phase != robot.RunRunning || p.told.IsZero() || p.state.Scripts.Held != "" {
		t.Fatalf("the run is %+v, told %v", r, p.told)
	}
	p.order(t, robot.HoldUnits{Reason: "Jin took control."})
	p.wait(time.Second)
	if r := p.state.Run; r.Phase != robot.RunPaused || p.moves(2*time.Second) {
		t.Errorf("held, the run is %+v", r)
	}
	p.order(t, robot.ResumeUnits{})
	for range 60 * 50 {
		if p.tick(); p.state.Run.Phase == robot.RunEnded {
			break
		}
	}
	if p.tick(); p.lines() != "A *** Jin took control.\nA \"done\"" {
		t.Errorf("the run ends as %+v", p.state.Run)
	}
	if r := p.state.Run; r.Steps[1].State != robot.StepFinished {
		t.Errorf("%+v", r)
	}
}

// A command that was given before a STOP and is taken after it moves nothing, even if the
// STOP was released meanwhile.
func TestACommandOfBeforeAStopMovesNothingAfterIt(t *testing.T) {
	program, _ := script.Parse(patrols["a speed"])
	var r script.Reader
	for name, cmd := range map[string]robot.Command{
		"a script":   robot.StartUnit{Unit: "patrol", Program: program},
		"a command":  robot.GiveCommands{Unit: "A", Commands: r.Read("drive.val = inf speed:0.2,\n")},
		"Resume":     robot.ResumeUnits{},
		"connection": robot.OpenUnit{Unit: "B"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBase()
				core := NewCore(b.desc, &believed{drive: b.desc.Drivetrain}, nil)
				h := newLoopState(NewLoop(b, core, func(robot.State) {}, nil))
				defer h.pulse.Stop()
				core.Tick(robot.Reading{Time: time.Now(), Ranges: make([]float64, len(b.desc.Sonars))})
				core.Do(time.Now(), robot.OpenUnit{Unit: "A", Held: name == "Resume"})
				core.Do(time.Now(), robot.GiveCommands{Unit: "A", Commands: r.Read("x = 1;\n")})
				o := order{cmd: cmd, at: time.Now(), stops: h.latch.countStops(), answer: make(chan robot.Result, 1)}
				h.latch.latchStop("Jin")
				core.Do(time.Now(), robot.Stop{By: "Jin"})
				core.Do(time.Now(), robot.ClearStop{})
				if r := core.Do(time.Now(), robot.ResumeUnits{Unit: "A"}); !r.Done() {
					t.Fatal(r)
				}
				if name == "Resume" {
					core.Do(time.Now(), robot.HoldUnits{})
				}
				h.executeOrder(&o)
				s := core.scripts.describe()
				if u := s.Units[len(s.Units)-1]; !u.Held {
					t.Errorf("it may move: %+v", u)
				}
			})
		})
	}
}

// A person who ends what a script does on the way does not send the script to its next
// command, but stops it.
func TestAPersonWhoCancelsAScriptsGoalHoldsIt(t *testing.T) {
	for name, cmd := range map[string]robot.Command{"cancels": robot.Cancel{}, "pauses": robot.Pause{}} {
		p := scriptedPlant(t)
		p.say(t, "loop { goto(5, 0) | goto(0, 0) },")
		p.wait(2 * time.Second)
		p.order(t, cmd)
		p.wait(2 * time.Second)
		if p.moves(4 * time.Second) {
			t.Errorf("a person %s the goal; the robot goes on: %+v, %+v", name, p.state.Goal, *p.state.Scripts)
		}
		p.order(t, robot.ResumeUnits{})
		if p.tick(); !p.moves(3 * time.Second) {
			t.Errorf("a person %s the goal; after Resume it stands: %+v, %s", name, p.state.Goal, p.lines())
		}
	}
}

func TestAtMostSixteenScriptsRun(t *testing.T) {
	p := newPlant(robot.Pose{})
	program, _ := script.Parse("wait(1s)")
	for i := range maxScripts + 1 {
		r := p.core.Do(p.now, robot.StartUnit{Unit: strings.Repeat("s", i+1), Program: program})
		if r.Done() != (i < maxScripts) || !r.Done() && r.Reason != "16 scripts are running, and no more can. Stop one first." {
			t.Errorf("script %d: %v", i+1, r)
		}
	}
	p.wait(2 * time.Second)
	if n := len(p.state.Scripts.Units); n != 0 {
		t.Errorf("%d scripts run after their end", n)
	}
}

// A program whose command waits hears why, once until it may move again.
func TestAProgramHearsWhyItsMotionWaits(t *testing.T) {
	p := newPlant(robot.Pose{})
	p.order(t, robot.OpenUnit{Unit: "A", Held: true})
	for _, step := range []struct {
		what, want string
		do         func() string
	}{
		{"nothing that moves", "A 2.000000", func() string { return p.say(t, "1 + 1,") }},
		{"a motion without control", "A *** " + notTaken, func() string { return p.say(t, "headPan.val = 30,") }},
		{"another one", "", func() string { return p.say(t, "forward(1),") }},
		{"resumed", "", func() string { p.order(t, robot.ResumeUnits{Unit: "A"}); return p.lines() }},
		{"stopped in motion", "A *** The robot is stopped by Jin.", func() string { p.order(t, robot.Stop{By: "Jin"}); return p.lines() }},
		{"a turn while stopped", "", func() string { return p.say(t, "turn(90),") }},
	} {
		if got := step.do(); got != step.want {
			t.Errorf("%s: it hears %q, want %q", step.what, got, step.want)
		}
	}
}

// Timed commands are a person's: a script does not take the wheels between or after them
// without a new Resume.
func TestTimedCommandsHoldScripts(t *testing.T) {
	p := scriptedPlant(t)
	drive := robot.Enqueue{ID: 1, At: p.now.Add(3 * time.Second), Command: robot.Drive{Twist: robot.Twist{Linear: 0.1}, Valid: time.Second}}
	p.order(t, drive)
	if r := p.core.Do(p.now, robot.ResumeUnits{}); r.Word != robot.Busy {
		t.Errorf("Resume before a timed command is answered %v", r)
	}
	// A script that is started with a licence meanwhile has lost it when the command begins.
	program, _ := script.Parse("wait(6s) | drive.val = inf speed:0.1,")
	p.order(t, robot.StartUnit{Unit: "patrol", Program: program})
	p.wait(5 * time.Second)
	if u := p.state.Scripts.Units[1]; u.Why != drivenByHand {
		t.Errorf("after the timed command the script is %+v", u)
	}
	if p.wait(2 * time.Second); p.moves(3 * time.Second) {
		t.Error("the script moves the robot after the timed command, without Resume")
	}
	p.order(t, robot.ResumeUnits{})
	if p.tick(); !p.moves(3 * time.Second) {
		t.Error("after Resume the script does not continue")
	}
}
