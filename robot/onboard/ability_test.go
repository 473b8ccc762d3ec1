package onboard

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"mybot/jobs"
	"mybot/robot"
	"mybot/robot/limits"
)

// onWay returns a robot of the description that was sent to a goal 8 m ahead and
// drives there.
func onWay(t *testing.T, d robot.Description) *plant {
	t.Helper()
	p := newPlantOf(d, robot.Pose{})
	p.core.usePlanner(&floor{})
	p.order(t, robot.GoTo{Goal: robot.Pose{X: 8}})
	p.wait(2 * time.Second)
	if p.motion.Twist.Linear < 0.3 {
		t.Fatalf("it drives with %v", p.motion.Twist)
	}
	return p
}

func TestTheOwnEmergencyStopOfTheBaseIsALatchedStop(t *testing.T) {
	const pressed = "The robot's own emergency stop is pressed. Release it at the robot first."
	t.Run("of a driver", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.drive(0.3, 0, 2*time.Second)
		p.estop = true
		p.tick()
		if s := p.state.Stop; !p.told.IsZero() || s == nil || s.By != "the robot's own emergency stop" || !p.state.EStop || p.state.Mode != robot.ModeStopped {
			t.Fatalf("it is told %v, stop %+v", p.told, s)
		}
		if res := p.core.Do(p.now, drive(0.3, 0)); res.Word != robot.Panic || res.Reason != "The robot is stopped by the robot's own emergency stop. Release the stop first." {
			t.Error(res)
		}
		if res := p.core.Do(p.now, robot.ClearStop{}); res.Word != robot.Panic || res.Reason != pressed {
			t.Error(res)
		}
		if res := p.drive(0.3, 0, time.Second); res.Word != robot.Panic || !p.told.IsZero() {
			t.Error(res, p.told)
		}
		p.estop = false
		if res := p.drive(0.3, 0, time.Second); res.Word != robot.Panic || !p.told.IsZero() || p.state.Stop == nil {
			t.Error("it is released by the base alone:", res, p.told)
		}
		p.order(t, robot.ClearStop{})
		if res := p.drive(0.3, 0, 2*time.Second); res.Word != robot.Success || !alike(p.told, robot.Twist{Linear: 0.3}) {
			t.Error(res, p.told)
		}
	})
	t.Run("on the way to a goal, which pauses", func(t *testing.T) {
		p := onWay(t, mybot())
		p.estop = true
		p.tick()
		if !p.told.IsZero() || p.state.Goal.Phase != robot.GoalPaused {
			t.Errorf("it is told %v, the goal is %s", p.told, p.state.Goal.Phase)
		}
		p.estop = false
		p.wait(time.Second)
		p.order(t, robot.ClearStop{})
		p.wait(2 * time.Second)
		if !p.told.IsZero() || p.state.Goal.Phase != robot.GoalPaused {
			t.Errorf("after the release it is told %v, the goal is %s", p.told, p.state.Goal.Phase)
		}
	})
	t.Run("pressed while somebody has stopped the robot", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.core.Do(p.now, robot.Stop{By: "Jin"})
		p.estop = true
		p.tick()
		if p.state.Stop.By != "Jin" {
			t.Errorf("it was stopped by %s", p.state.Stop.By)
		}
		if res := p.core.Do(p.now, robot.ClearStop{}); res.Word != robot.Panic || res.Reason != pressed {
			t.Error(res)
		}
	})
	t.Run("in a reading that cannot be true", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		r := p.reading()
		r.EStop, r.Travel.Left = true, math.NaN()
		p.feel(r)
		if p.state.Stop == nil {
			t.Error("it is not stopped")
		}
	})
}

func TestTheHeadStaysWhenTheBasesOwnEmergencyStopIsPressed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBase()
		r := run(t, b)
		time.Sleep(time.Second)
		b.set(func() { b.estop = true })
		time.Sleep(time.Second)
		synctest.Wait()
		if b.looks != 1 || strings.Count(r.log.String(), "robot stopped") != 1 {
			t.Errorf("the head was held %d times; the log says\n%s", b.looks, r.log)
		}
		r.end(t)
	})
}

func TestABaseThatRefusesIsNotDriven(t *testing.T) {
	const why = "The motors are switched off."
	na := robot.Result{Word: robot.NA, Reason: why}
	t.Run("by hand", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.drive(0.3, 0, 2*time.Second)
		p.refuses = why
		p.tick()
		if !p.told.IsZero() || p.state.Refuses != why || p.state.Drive.Result != na {
			t.Errorf("it is told %v, %+v", p.told, p.state.Drive)
		}
		for name, cmd := range map[string]robot.Command{
			"a sample": drive(0.3, 0), "a path": robot.Follow{Lease: 1, Hold: 1, Seq: 1}, "a goal": robot.GoTo{Goal: robot.Pose{X: 1}}, "a run": robot.RunJob{Run: 1},
			"a queued drive": robot.Enqueue{ID: 1, After: time.Second, Command: robot.Drive{Twist: robot.Twist{Linear: 0.3}, Valid: time.Second}},
			"a motion":       robot.Replay{Lease: 2, Hold: 1, Points: make([]robot.Waypoint, 2)},
		} {
			p.core.usePlanner(&floor{})
			p.core.UseJobs(preparedRuns{1: jobs.NewRun(1, jobs.Job{}, []jobs.PreparedStep{waitFor(1, false)})})
			if res := p.core.Do(p.now, cmd); res != na {
				t.Errorf("%s is answered %v", name, res)
			}
		}
		p.refuses = ""
		p.wait(time.Second)
		if !p.told.IsZero() {
			t.Errorf("it moves by itself: %v", p.told)
		}
	})
	t.Run("to a goal, which goes on only when it is resumed", func(t *testing.T) {
		for _, lasts := range []int{1, 100, 200} { // readings
			p := onWay(t, mybot())
			p.refuses = why
			for range lasts {
				if p.tick(); !p.told.IsZero() {
					t.Fatalf("it is told %v", p.told)
				}
			}
			if g := p.state.Goal; g.Phase != robot.GoalPaused || g.Result.Reason != why {
				t.Errorf("after %d readings the goal is %s: %s", lasts, g.Phase, g.Result.Reason)
			}
			if res := p.core.Do(p.now, robot.Resume{}); res != na {
				t.Errorf("meanwhile a resumption is answered %v", res)
			}
			p.refuses = ""
			for range 150 {
				if p.tick(); !p.told.IsZero() {
					t.Fatalf("after %d readings it drives on: %v", lasts, p.told)
				}
			}
			p.order(t, robot.Resume{})
			if p.wait(2 * time.Second); p.told.IsZero() {
				t.Errorf("resumed after %d readings it is told nothing", lasts)
			}
		}
	})
	t.Run("in a job, which goes on only when it is resumed", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.core.usePlanner(&floor{})
		p.core.UseJobs(preparedRuns{1: jobs.NewRun(1, jobs.Job{}, []jobs.PreparedStep{moveTo(6, 0, "")})})
		p.order(t, robot.RunJob{Run: 1})
		p.wait(2 * time.Second)
		p.refuses = why
		p.tick()
		p.refuses = ""
		p.wait(3 * time.Second)
		if !p.told.IsZero() || p.state.Run.Phase != robot.RunPaused {
			t.Errorf("it is told %v, the run is %s", p.told, p.state.Run.Phase)
		}
		p.order(t, robot.ResumeRun{})
		if p.wait(2 * time.Second); p.told.IsZero() {
			t.Error("resumed it is told nothing")
		}
	})
}

// A key that stays pressed while the motors are switched off and on again moves nothing,
// whether or not a sample came meanwhile.
func TestAHandBeginsAnewAfterTheBaseRefused(t *testing.T) {
	const why = "The motors are switched off."
	t.Run("by samples of a velocity", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.drive(0.3, 0, 2*time.Second)
		for _, p.refuses = range []string{why, ""} {
			p.tick()
		}
		for range 20 {
			want := robot.Result{Word: robot.Interrupted, Reason: why + " Let go and press again."}
			if res := p.core.Do(p.now, drive(0.3, 0)); res != want {
				t.Fatal(res)
			}
			if p.tick(); !p.told.IsZero() {
				t.Fatalf("it drives on: %v", p.told)
			}
		}
		p.order(t, drive(0, 0))
		if res := p.drive(0.3, 0, time.Second); res.Word != robot.Success || p.told.IsZero() {
			t.Errorf("a new press is answered %v, and it is told %v", res, p.told)
		}
	})
	t.Run("by the path of a virtual robot", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.page = newPage(p.desc, robot.Pose{}, p.now)
		p.page.want = robot.Twist{Linear: 0.3}
		p.wait(2 * time.Second)
		p.refuses = why
		p.tick()
		p.refuses = ""
		p.wait(2 * time.Second)
		if h := p.state.Held; !p.told.IsZero() || h == nil || h.Reason != why {
			t.Errorf("it is told %v, held %+v", p.told, h)
		}
	})
	t.Run("and what waits in the queue is given up", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.order(t, robot.Enqueue{ID: 1, After: time.Second, Command: robot.Drive{Twist: robot.Twist{Linear: 0.3}, Valid: time.Second}})
		p.refuses = why
		p.tick()
		p.refuses = ""
		for range 100 {
			if p.tick(); !p.told.IsZero() {
				t.Fatalf("it drives: %v", p.told)
			}
		}
	})
}

func TestARobotThatSeesNoObstaclesIsDrivenSlowlyByHandAlone(t *testing.T) {
	bare := mybot()
	bare.Sonars, bare.Bumper = nil, false
	p := newPlantOf(bare, robot.Pose{})
	p.core.usePlanner(&floor{})
	p.drive(0.5, 0.4, 3*time.Second)
	if want := (robot.Result{Word: robot.Modified, Reason: "This robot sees no obstacles."}); !alike(p.told, robot.Twist{Linear: 0.2, Angular: 0.16}) || p.state.Drive.Result != want {
		t.Errorf("it is told %v, %+v", p.told, p.state.Drive)
	}
	p.drive(-0.5, 0, 3*time.Second)
	if !alike(p.told, robot.Twist{Linear: -0.2}) {
		t.Errorf("backwards it is told %v", p.told)
	}
	p.drive(0.1, 0, time.Second)
	if !alike(p.told, robot.Twist{Linear: 0.1}) || p.state.Drive.Result.Word != robot.Success {
		t.Errorf("slowly it is told %v, %+v", p.told, p.state.Drive)
	}
	const why = "This robot sees no obstacles. It goes nowhere by itself. Drive it by hand."
	for name, cmd := range map[string]robot.Command{"a goal": robot.GoTo{Goal: robot.Pose{X: 3}}, "a preview": robot.Plan{Goal: robot.Pose{X: 3}}} {
		if res := p.core.Do(p.now, cmd); res.Word != robot.NA || res.Reason != why {
			t.Errorf("%s is answered %v", name, res)
		}
	}
}

func TestAJobOfARobotThatSeesNoObstaclesRunsUpToTheStepThatMoves(t *testing.T) {
	bare := mybot()
	bare.Sonars = nil
	p := newPlantOf(bare, robot.Pose{})
	p.core.usePlanner(&floor{})
	p.core.UseJobs(preparedRuns{1: jobs.NewRun(1, jobs.Job{}, []jobs.PreparedStep{waitFor(5, false), moveTo(2, 0, "")})})
	p.order(t, robot.RunJob{Run: 1})
	p.reaches(t, 0, robot.StepFinished)
	p.wait(2 * time.Second)
	s := p.state.Run.Steps[1]
	if s.Result.Reason != "This robot sees no obstacles. It goes nowhere by itself. Drive it by hand." || !p.told.IsZero() {
		t.Errorf("the step that moves is %+v", s)
	}
}

func TestSensorsThatAreAllOutOfOrderCountAsNone(t *testing.T) {
	all := make([]int, len(mybot().Sonars))
	for i := range all {
		all[i] = i
	}
	const why = "No sonar and no lidar of this robot measures anything. It sees no obstacles."
	t.Run("manual driving is slowed down", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.drive(0.5, 0, 2*time.Second)
		p.deaf = all
		p.drive(0.5, 0, 2*time.Second)
		if v := p.told.Linear; v > limits.BlindSpeed || v < 0.05 {
			t.Errorf("it is told %v", p.told)
		}
		p.deaf = nil
		p.drive(0.5, 0, 3*time.Second)
		if v := p.told.Linear; v < 0.45 {
			t.Errorf("when they are back it is told %v", p.told)
		}
	})
	t.Run("the page's virtual robot is slowed down with it", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.page = newPage(p.desc, robot.Pose{}, p.now)
		p.page.delay = 100 * time.Millisecond
		p.page.want.Linear = 0.45
		p.wait(2 * time.Second)
		p.deaf = all
		var behind float64
		for range 400 {
			p.tick()
			if l := p.state.Slow; l != nil {
				p.page.want.Linear = min(0.45, l.Speed)
			}
			behind = max(behind, p.page.motion.Axle.Point().Sub(p.motion.Axle.Point()).Norm())
		}
		want := robot.HandLimit{Speed: 0.15, Why: "Speed reduced to 0.15 m/s. A sonar on that side is out of order."}
		if l := p.state.Slow; l == nil || *l != want || behind > 0.2 || p.state.Held != nil || p.told.Linear < 0.14 {
			t.Errorf("the limit is %+v; %.2f m behind the page, told %v, held %+v", l, behind, p.told, p.state.Held)
		}
		p.deaf = nil
		p.wait(time.Second)
		if p.state.Slow != nil {
			t.Errorf("when they are back the limit is %+v", p.state.Slow)
		}
	})
	t.Run("a goal pauses, and none is taken", func(t *testing.T) {
		p := onWay(t, mybot())
		p.deaf = all
		p.wait(limits.BlindAfter + time.Second)
		if !p.told.IsZero() || p.state.Goal.Phase != robot.GoalDriving {
			t.Errorf("after a second it is told %v, the goal is %s", p.told, p.state.Goal.Phase)
		}
		p.wait(3 * time.Second)
		if g := p.state.Goal; g.Phase != robot.GoalPaused || g.Result.Reason != why {
			t.Errorf("then the goal is %s: %s", g.Phase, g.Result.Reason)
		}
		if res := p.core.Do(p.now, robot.Resume{}); res.Word != robot.NA || !strings.HasPrefix(res.Reason, why) {
			t.Error(res)
		}
		p.deaf = nil
		p.wait(time.Second)
		p.order(t, robot.Resume{})
		p.wait(3 * time.Second)
		if p.told.IsZero() {
			t.Error("it does not go on")
		}
	})
}

func TestARobotThatHasLostAPartIsDrivenByHandAlone(t *testing.T) {
	const why = "Out of reach: lidar. The robot may not see obstacles."
	lost := robot.Lacks{Parts: []string{"lidar"}}
	t.Run("a goal stands, and pauses after 3 s", func(t *testing.T) {
		p := onWay(t, mybot())
		p.order(t, lost)
		p.tick()
		if p.wait(2 * time.Second); !p.told.IsZero() || p.state.Goal.Phase != robot.GoalDriving {
			t.Errorf("it is told %v, the goal is %s", p.told, p.state.Goal.Phase)
		}
		if p.wait(2 * time.Second); p.state.Goal.Phase != robot.GoalPaused || p.state.Goal.Result.Reason != why {
			t.Errorf("the goal is %s: %s", p.state.Goal.Phase, p.state.Goal.Result.Reason)
		}
		if res := p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 3}}); res.Word != robot.NA || !strings.HasPrefix(res.Reason, why) {
			t.Error(res)
		}
		p.drive(0.5, 0, 3*time.Second)
		if p.told.Linear != limits.BlindSpeed || p.state.Drive.Result.Reason != why {
			t.Errorf("the driver is given %v: %+v", p.told, p.state.Drive.Result)
		}
		p.order(t, robot.Lacks{})
		p.drive(0.5, 0, 3*time.Second)
		if p.told.Linear < 0.45 {
			t.Errorf("the driver is given %v", p.told)
		}
	})
	t.Run("a job pauses", func(t *testing.T) {
		p := worker(moveTo(5, 0, "Sofa"))
		p.order(t, robot.RunJob{Run: 1})
		p.wait(2 * time.Second)
		p.order(t, lost)
		p.wait(5 * time.Second)
		if r := p.state.Run; r.Phase != robot.RunPaused || r.Result.Reason != why || !p.told.IsZero() {
			t.Errorf("the run is %s: %s", r.Phase, r.Result.Reason)
		}
	})
	t.Run("the loop hears of it from the line", func(t *testing.T) {
		runLine(t, func(t *testing.T, r *rig, l *line, _ *hanging) {
			r.drive(t, robot.Twist{Linear: 0.4}, 2*time.Second)
			l.lose(robot.LostPart{Name: "speaker"}, robot.LostPart{Name: "lidar", Sees: true})
			r.drive(t, robot.Twist{Linear: 0.4}, 2*time.Second)
			s := r.published()
			if d := s[len(s)-1].Drive; d.Given.Linear != limits.BlindSpeed || d.Result.Reason != why {
				t.Errorf("%+v", d)
			}
			if !strings.Contains(r.log.String(), `"a part of the robot is out of reach" parts="[speaker lidar]"`) {
				t.Errorf("the log says\n%s", r.log)
			}
			l.lose(robot.LostPart{Name: "speaker"}) // the lidar is back
			r.drive(t, robot.Twist{Linear: 0.4}, 2*time.Second)
			s = r.published()
			if d := s[len(s)-1].Drive; d.Given.Linear < 0.35 || d.Result.Word != robot.Success {
				t.Errorf("%+v", d)
			}
		})
	})
}

func TestARobotThatHasLostAPartWithoutSightGoesOn(t *testing.T) {
	runLine(t, func(t *testing.T, r *rig, l *line, _ *hanging) {
		time.Sleep(time.Second)
		r.UsePlanner(t.Context(), &floor{})
		if res := r.Do(t.Context(), robot.GoTo{Goal: robot.Pose{X: 8}}); res.Word != robot.Success {
			t.Fatal(res)
		}
		time.Sleep(2 * time.Second)
		l.lose(robot.LostPart{Name: "speaker"})
		before := time.Now()
		time.Sleep(5 * time.Second)
		s := r.published()
		if g := s[len(s)-1].Goal; g.Phase != robot.GoalDriving {
			t.Errorf("the goal is %s: %s", g.Phase, g.Result.Reason)
		}
		for _, told := range l.since(before) {
			if told.twist.Linear < 0.2 {
				t.Fatalf("it is told %v", told.twist)
			}
		}
		if !strings.Contains(r.log.String(), `"a part of the robot is out of reach" parts=[speaker]`) {
			t.Errorf("the log says\n%s", r.log)
		}
		if res := r.drive(t, robot.Twist{Linear: 0.4}, 2*time.Second); res.Word != robot.Success {
			t.Errorf("the driver is answered %v", res)
		}
	})
}

func TestACarNeitherTurnsTighterThanItCanNorGoesAnywhereByItself(t *testing.T) {
	car := mybot()
	car.TurningRadius = 0.8
	t.Run("whatever is asked for", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			p := newPlantOf(car, robot.Pose{}, wall(0.9, -2, 0.9, 2))
			for range rapid.IntRange(1, 12).Draw(t, "orders") {
				v, w := rapid.Float64Range(-0.6, 0.6).Draw(t, "v"), rapid.Float64Range(-1, 1).Draw(t, "w")
				for range rapid.IntRange(1, 40).Draw(t, "ticks") {
					p.core.Do(p.now, drive(v, w))
					p.tick()
					if math.Abs(p.told.Angular)*car.TurningRadius > math.Abs(p.told.Linear)+1e-12 {
						t.Fatalf("it is told %v", p.told)
					}
				}
			}
		})
	})
	p := newPlantOf(car, robot.Pose{})
	p.core.usePlanner(&floor{})
	if res := p.core.Do(p.now, drive(0.2, 0.7)); res.Word != robot.Modified || res.Reason != "40 deg/s was asked for, but at 0.20 m/s this robot turns with at most 14 deg/s: its turning radius is 0.8 m." {
		t.Error(res)
	}
	if res := p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 3}}); res.Word != robot.NA || res.Reason != "This robot steers like a car, with a turning radius of 0.8 m. It goes nowhere by itself. Drive it by hand." {
		t.Error(res)
	}
	timed := func(v, w float64) robot.Result {
		return p.core.Do(p.now, robot.Enqueue{ID: 1, After: time.Second, Command: robot.Drive{Twist: robot.Twist{Linear: v, Angular: w}, Valid: time.Second}})
	}
	if res := timed(0, 0.5); res.Word != robot.NA || !strings.Contains(res.Reason, "its turning radius is 0.8 m") {
		t.Error(res)
	}
	if res := timed(0.3, 0.3); res.Word != robot.Success {
		t.Error(res)
	}
}

func TestARobotThatLacksPartsStaysOnThePathOfThePage(t *testing.T) {
	blind, car := mybot(), mybot()
	blind.Sonars = nil
	car.TurningRadius = 0.8
	for name, desc := range map[string]robot.Description{"a robot that sees no obstacles": blind, "a car": car} {
		t.Run(name, func(t *testing.T) {
			p := newPlantOf(desc, robot.Pose{})
			p.page = newPage(desc, robot.Pose{}, p.now)
			p.page.delay = 100 * time.Millisecond
			var off, behind float64
			for _, want := range []robot.Twist{{Linear: 0.45, Angular: 0.1}, {Linear: 0.4, Angular: 0.7}, {Angular: 0.7}, {Linear: -0.45, Angular: 0.3}, {}} {
				p.page.want = want
				for range 200 {
					p.tick()
					off = max(off, p.page.off(p.motion.Axle.Point()))
					behind = max(behind, p.page.motion.Axle.Point().Sub(p.motion.Axle.Point()).Norm())
				}
			}
			end := p.page.centre().Point().Sub(p.page.desc.Drivetrain.Centre(p.motion.Axle).Point()).Norm()
			if off > 0.03 || behind > 0.15 || end > 0.03 {
				t.Errorf("%.3f m beside the path, %.3f m behind the page, %.3f m from its end", off, behind, end)
			}
		})
	}
}

// The vectors are those that the page's virtual robot is tested with.
func TestTheTurningRadiusLimitsAsTheSharedVectorsSay(t *testing.T) {
	text, err := os.ReadFile("../testdata/turning_radius.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Radius           float64
		Asked, Permitted [2]float64
	}
	if err := json.Unmarshal(text, &vectors); err != nil || len(vectors) < 8 {
		t.Fatal(len(vectors), err)
	}
	for _, v := range vectors {
		got := robot.Twist{Linear: v.Asked[0], Angular: v.Asked[1]}.LimitTurning(v.Radius)
		if !alike(got, robot.Twist{Linear: v.Permitted[0], Angular: v.Permitted[1]}) {
			t.Errorf("radius %g, asked %v: %v, want %v", v.Radius, v.Asked, got, v.Permitted)
		}
	}
}

func TestAFaultThatIsOverIsNotShownWhileTheRobotDrivesOnByItself(t *testing.T) {
	t.Run("a gap in the readings", func(t *testing.T) {
		p := onWay(t, mybot())
		p.now = p.now.Add(2 * time.Second)
		p.tick()
		if r := p.state.Drive.Result; r.Word != robot.Error {
			t.Fatalf("the state shows %+v", r)
		}
		if p.wait(2 * time.Second); p.told.IsZero() || p.state.Drive.Result.Word != robot.Success {
			t.Errorf("it is told %v, the state shows %+v", p.told, p.state.Drive.Result)
		}
	})
	t.Run("a refusal of the base", func(t *testing.T) {
		p := onWay(t, mybot())
		p.refuses = "The motors are off."
		p.tick()
		p.refuses = ""
		if p.wait(2 * time.Second); p.state.Drive.Result.Word != robot.NA {
			t.Fatalf("while the robot stands, the state shows %+v", p.state.Drive.Result)
		}
		p.order(t, robot.Resume{})
		if p.wait(2 * time.Second); p.told.IsZero() || p.state.Drive.Result.Word != robot.Success {
			t.Errorf("it is told %v, the state shows %+v", p.told, p.state.Drive.Result)
		}
	})
}
