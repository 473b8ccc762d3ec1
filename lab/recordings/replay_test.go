package recordings

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/jobs"
	"mybot/lab/internal/testbed"
	"mybot/recording"
	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/script"
)

// A drive is a recorded robot as the server runs it.
type drive struct {
	*onboard.Loop
	t     *testing.T
	jobs  map[uint64]*jobs.Run
	state robot.State
	mu    sync.Mutex
}

func (d *drive) Take(n uint64) (*jobs.Run, bool) { run, ok := d.jobs[n]; return run, ok }

// now returns the newest state.
func (d *drive) now() robot.State {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state
}

// do gives a command that must be accepted.
func (d *drive) do(cmd robot.Command) {
	d.t.Helper()
	if r := d.Do(d.t.Context(), cmd); !r.Done() {
		d.t.Errorf("%T was answered %v", cmd, r)
	}
}

// wait waits until a condition is met.
func (d *drive) wait(most time.Duration, what string, ok func(robot.State) bool) {
	d.t.Helper()
	for end := time.Now().Add(most); !ok(d.now()); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			d.t.Fatalf("after %v it is not true: %s: %+v", most, what, d.now().Goal)
		}
	}
}

// recordDrive records a robot among people in the office from its first reading on, in
// virtual time, and returns the file.
func recordDrive(t *testing.T, desc robot.Description, people string, start robot.Pose, do func(d *drive)) string {
	f, err := testbed.LoadOffice(t.Context(), nil, desc)
	if err != nil {
		t.Fatal(err)
	}
	scene := testbed.NewScene(people, f.Plan, f.Roads, rand.New(rand.NewPCG(3, 4)))
	path := filepath.Join(t.TempDir(), "drive.mcap")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		base := sim.NewDriver(sim.NewWorld(desc, f.Plan, scene, sim.Options{Seed: 1, Start: start}))
		worker := app.NewPlanWorker()
		core := onboard.NewCore(desc, f.NewMCL(start, 1), worker.NewPlanner(f.Plan, desc))
		d := &drive{t: t, jobs: map[uint64]*jobs.Run{}}
		core.UseJobs(d)
		d.Loop = onboard.NewLoop(base, core, func(s robot.State) { d.mu.Lock(); d.state = s; d.mu.Unlock() }, slog.New(slog.DiscardHandler))
		recorder := recording.NewRecorder(recording.About{Robot: desc, Build: "test"})
		recorder.UseFloor(f.Plan)
		d.UseObserver(recorder)
		ctx, end := context.WithCancel(t.Context())
		var recorded, running sync.WaitGroup
		recorded.Go(func() {
			if err := recorder.Record(ctx, file, func() error { return nil }); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		run, stop := context.WithCancel(t.Context())
		running.Go(func() { _ = worker.Run(run) })
		running.Go(func() { _ = d.Run(run) })
		time.Sleep(2 * time.Second)
		do(d)
		stop()
		running.Wait()
		end()
		recorded.Wait()
	})
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// replay computes a file again and checks that nothing differs.
func replay(t *testing.T, path string, least int) replayOutcome {
	t.Helper()
	o, err := replayFiles(t.Context(), []string{path})
	if err != nil || o.Different != 0 || o.Ticks < least || !o.FromStart || o.Missing != 0 {
		t.Errorf("computed again: %v: %+v", err, o)
	}
	return o
}

func TestADriveByHandComesOutTheSameFromItsRecording(t *testing.T) {
	path := recordDrive(t, testbed.Mybot(), "people", robot.Pose{X: 4.5, Y: 7.3}, func(d *drive) {
		for i := range 200 {
			d.Do(d.t.Context(), robot.Drive{Twist: robot.Twist{Linear: 0.4, Angular: 0.7 * math.Sin(float64(i)/20)}})
			time.Sleep(50 * time.Millisecond)
		}
		d.Stop("Ana")
		time.Sleep(time.Second)
		d.do(robot.ClearStop{})
		for i := range 100 { // by a virtual robot with its own clock
			at := float64(i) * 0.05
			d.Do(d.t.Context(), robot.Follow{Lease: 1, Hold: 1, Seq: uint64(i + 1), T: at, Made: time.Now().Add(-40 * time.Millisecond), Want: robot.Twist{Linear: 0.3}, Twist: robot.Twist{Linear: 0.3}, Pose: d.now().Estimate.Pose.Compose(robot.Pose{X: 0.1}), S: 0.3 * at, Valid: 300 * time.Millisecond})
			time.Sleep(50 * time.Millisecond)
		}
		d.do(robot.Enqueue{ID: 1, After: time.Second, Command: robot.Drive{Twist: robot.Twist{Angular: 0.5}, Valid: 2 * time.Second}})
		d.do(robot.Enqueue{ID: 2, At: time.Now().Add(4 * time.Second), Command: robot.Drive{Twist: robot.Twist{Linear: 0.2}, Valid: time.Second}})
		time.Sleep(6 * time.Second)
		d.do(robot.SetPose{Pose: robot.Pose{X: 5, Y: 7.3}})
		time.Sleep(time.Second)
	})
	replay(t, path, 1000)
}

func TestAGoalAmongPeopleComesOutTheSameFromItsRecording(t *testing.T) {
	for name, lidar := range map[string]bool{"sonars": false, "lidar": true} {
		t.Run(name, func(t *testing.T) {
			desc := testbed.Mybot()
			if lidar {
				desc.Lidars = []robot.Lidar{{Height: 0.25, From: -math.Pi, Step: math.Pi / 180, Beams: 360, Min: 0.1, Max: 12, Rate: 10}}
			}
			path := recordDrive(t, desc, "people", testbed.CornerStart, func(d *drive) {
				goal := robot.Pose{X: 20, Y: 7.3}
				if plan, err := testbed.LoadPlan(""); err == nil {
					goal = plan.Places[len(plan.Places)-1].Pose
				}
				d.do(robot.Plan{Goal: goal})
				d.do(robot.GoTo{Goal: goal, Name: "the office of Ana"})
				time.Sleep(20 * time.Second)
				d.do(robot.Pause{Reason: "Ana paused."})
				time.Sleep(2 * time.Second)
				d.do(robot.Resume{})
				for end := time.Now().Add(3 * time.Minute); d.now().Goal.Phase != robot.GoalEnded && time.Now().Before(end); {
					time.Sleep(time.Second)
				}
				if g := d.now().Goal; g.Done == 0 {
					t.Errorf("the robot did not drive: %+v", g)
				}
			})
			replay(t, path, 1000)
		})
	}
}

func TestAJobComesOutTheSameFromItsRecording(t *testing.T) {
	path := recordDrive(t, testbed.Mybot(), "people", testbed.CornerStart, func(d *drive) {
		steps := []jobs.PreparedStep{
			{Step: jobs.Step{Type: jobs.Move, Place: "Ana's desk"}, Goal: testbed.CornerStart.Compose(robot.Pose{X: 3}), Expect: 10},
			{Step: jobs.Step{Type: jobs.Voice, Text: "Hello, Ana."}, Speech: jobs.PreparedSpeech{Aloud: true, Sentences: []jobs.Sentence{{Text: "Hello, Ana.", Duration: 2 * time.Second}}}},
			{Step: jobs.Step{Type: jobs.Voice, Text: "Touch OK."}, Speech: jobs.PreparedSpeech{ByBase: true, Sentences: []jobs.Sentence{{Text: "Touch OK.", Duration: 2 * time.Second}}}},
			{Step: jobs.Step{Type: jobs.Wait, Seconds: 3}},
			{Step: jobs.Step{Type: jobs.Message, Text: "Touch OK.", OK: true, Seconds: 5}},
			{Step: jobs.Step{Type: jobs.Move}, Goal: testbed.CornerStart, Expect: 10},
		}
		d.jobs[7] = jobs.NewRun(7, jobs.Job{Name: "Ana's job"}, steps)
		d.jobs[8] = jobs.NewRun(8, jobs.Job{Name: "Ana's job"}, append(steps[:5:5], jobs.PreparedStep{Step: jobs.Step{Type: jobs.Wait, Seconds: 1}}, steps[5]))
		d.do(robot.RunJob{Run: 7})
		d.wait(time.Minute, "the second step", func(s robot.State) bool { return s.Run != nil && s.Run.Step >= 1 })
		d.do(robot.PauseRun{Reason: "Ana paused."})
		time.Sleep(time.Second)
		d.do(robot.ResumeRun{})
		d.do(robot.ChangeRun{Ready: 8})
		d.wait(2*time.Minute, "the job ended", func(s robot.State) bool { return s.Run != nil && s.Run.Phase == robot.RunEnded })
	})
	replay(t, path, 1000)
}

func TestARecordingThatIsCutOffAtItsBeginningIsNotTakenForAnOlderOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	recorder, err := recording.NewSyncRecorder(file, recording.About{Robot: testbed.Mybot()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(recorder.Close(), os.Truncate(path, 1000)); err != nil {
		t.Fatal(err)
	}
	if _, err := findSeries(path); err == nil || !strings.Contains(err.Error(), "was cut off") {
		t.Errorf("it says %v", err)
	}
}

func TestATwistThatDiffersIsFound(t *testing.T) {
	path := recordDrive(t, testbed.Mybot(), "nominal", robot.Pose{X: 4.5, Y: 7.3}, func(d *drive) {
		d.do(robot.Drive{Twist: robot.Twist{Linear: 0.4}})
		time.Sleep(time.Second)
	})
	r := replayer{}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	steps, err := recording.NewStepReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for {
		s, err := steps.Next()
		if err != nil {
			break
		}
		if s.Tick != nil && !s.Tick.Twist.IsZero() {
			s.Tick.Twist.Linear = math.Nextafter(s.Tick.Twist.Linear, 1)
		}
		if err := r.takeStep(s, true); err != nil {
			t.Fatal(err)
		}
	}
	if r.outcome.Different < 5 || r.outcome.First == "" {
		t.Errorf("of the twists that are slightly too fast, %d are found", r.outcome.Different)
	}
	if _, err := findSeries(os.DevNull); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty file is accepted as a recording: %v", err)
	}
}

// The programs are texts of people and not in a recording; what they wanted is.
func TestADriveByScriptsComesOutTheSameFromItsRecording(t *testing.T) {
	path := recordDrive(t, testbed.Mybot(), "people", robot.Pose{X: 4.5, Y: 7.3}, func(d *drive) {
		program, faults := script.Parse(`
			look: every (3s) { look(30, 0) | look(-30, 0) },
			m: { forward(1) | turn(90deg) | turn(-90deg) | goto(10, 7.3) | goto(4.5, 7.3) | drive.val = inf speed:0.2 },`)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		d.do(robot.StartUnit{Unit: "patrol", Program: program})
		d.wait(time.Minute, "the robot is on its way", func(s robot.State) bool { return s.Goal != nil && s.Goal.Phase == robot.GoalDriving })
		d.do(robot.HoldUnits{Reason: "Jin took control."})
		time.Sleep(3 * time.Second)
		d.do(robot.ResumeUnits{})
		time.Sleep(4 * time.Second)
		d.Do(d.t.Context(), robot.Drive{Twist: robot.Twist{Angular: 0.3}})
		time.Sleep(2 * time.Second)
		d.do(robot.ResumeUnits{})
		time.Sleep(3 * time.Second)
		d.Stop("Ana")
		time.Sleep(time.Second)
		d.do(robot.ClearStop{})
		d.do(robot.ResumeUnits{})
		time.Sleep(5 * time.Second)
		d.do(robot.CloseUnit{Unit: "patrol"})
		time.Sleep(time.Second)
		program, _ = script.Parse("drive.val = inf speed:0.2,")
		d.do(robot.StartUnit{Unit: "rolls", Program: program})
		time.Sleep(2 * time.Second)
		if d.now().Twist.Linear < 0.1 {
			t.Errorf("the script drives at %v", d.now().Twist)
		}
		d.do(robot.SilenceUnit{Unit: "rolls", Reason: "Nothing was heard."})
		time.Sleep(time.Second)
	})
	replay(t, path, 1000)
	data, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(data), "patrol") || strings.Contains(string(data), "every (3s)") {
		t.Errorf("the recording has texts of people, or cannot be read: %v", err)
	}
}
