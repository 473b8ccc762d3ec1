package library

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/jobs"
	"mybot/jobs/rehearsal"
	"mybot/robot"
	"mybot/robot/models/modelstest"
	"mybot/store"
)

// hall is an empty floor of 20 m by 10 m with a place.
func hall() *robot.Floorplan {
	g := robot.Grid{Width: 200, Height: 100, Resolution: 0.1}
	g.Cells = make([]robot.Cell, g.Width*g.Height)
	for i := range g.Cells {
		g.Cells[i] = robot.Free
	}
	return &robot.Floorplan{Name: "hall", Grid: g, Places: []robot.Place{{Name: "Sofa", Pose: robot.Pose{X: 8, Y: 5}}}}
}

// A fullStore is a store that fails with err unless it is nil.
type fullStore struct {
	Store
	mu  sync.Mutex
	err error
}

func (f *fullStore) fails(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *fullStore) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *fullStore) PutJob(id string, job []byte) error {
	return unless(f.failure(), func() error { return f.Store.PutJob(id, job) })
}

func (f *fullStore) DeleteJob(id string, revision uint64) error {
	return unless(f.failure(), func() error { return f.Store.DeleteJob(id, revision) })
}

func (f *fullStore) AddRun(made []byte, most int) (n uint64, err error) {
	err = unless(f.failure(), func() error { n, err = f.Store.AddRun(made, most); return err })
	return n, err
}

func (f *fullStore) KeepRun(n uint64, state []byte, first int, log [][]byte) error {
	return unless(f.failure(), func() error { return f.Store.KeepRun(n, state, first, log) })
}

func (f *fullStore) DropRun(n uint64) error {
	return unless(f.failure(), func() error { return f.Store.DropRun(n) })
}

func unless(err error, do func() error) error {
	if err != nil {
		return err
	}
	return do()
}

// temporaryStore returns a store that is removed with the test.
func temporaryStore(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.OpenTemporary()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func newTestJobs(t *testing.T, store Store) *Library {
	t.Helper()
	return newTestJobsOf(t, store, mybot(t))
}

var mybot = modelstest.Mybot

// newTestJobsOf returns the jobs of a robot with a description.
func newTestJobsOf(t *testing.T, store Store, desc robot.Description) *Library {
	t.Helper()
	plan := hall()
	l, err := Open(Config{
		Store: store, Rehearser: rehearsal.New(desc), Log: slog.New(slog.DiscardHandler),
		Plan: func() *robot.Floorplan { return plan },
		Speak: func(_ context.Context, text, voice string, _ float64) (jobs.PreparedSpeech, error) {
			if voice == "xx" {
				return jobs.PreparedSpeech{}, errors.New("there is no voice xx")
			}
			return jobs.PreparedSpeech{Aloud: true, Sentences: []jobs.Sentence{{Text: text, Duration: 2 * time.Second}}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var atSofa = []jobs.Step{{Type: jobs.Move, Place: "Sofa"}, {Type: jobs.Voice, Text: "Hello!"}}

func TestJobsLastWithADataDirectoryAndNotWithout(t *testing.T) {
	dir := t.TempDir()
	open := func() (*Library, func()) {
		s, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		return newTestJobs(t, s), func() { _ = s.Close() }
	}
	lasting, shut := open()
	for name, l := range map[string]*Library{"with a directory": lasting, "without": newTestJobs(t, temporaryStore(t))} {
		first, err := l.Save(jobs.Job{Name: "Paper to Jin", Steps: atSofa}, "Ana")
		if err != nil || first.ID != "paper-to-jin" || first.Revision != 1 || first.Changed.IsZero() {
			t.Fatalf("%s: %+v, %v", name, first, err)
		}
		second, err := l.Save(jobs.Job{Name: "Paper to Jin", Steps: atSofa}, "Ana")
		if err != nil || second.ID != "paper-to-jin-2" {
			t.Errorf("%s: %+v, %v", name, second, err)
		}
		second.Name = "A letter"
		if second, err = l.Save(second, "Ana"); err != nil || second.Revision != 2 {
			t.Errorf("%s: %+v, %v", name, second, err)
		}
		if list := l.List(); len(list) != 2 || list[0].Name != "A letter" || list[1].Name != "Paper to Jin" {
			t.Errorf("%s: %+v", name, list)
		}
		second.Revision = 1
		if _, err := l.Save(second, "Ana"); !errors.Is(err, jobs.ErrStale) {
			t.Errorf("%s: a job that was saved meanwhile: %v", name, err)
		}
		if err := l.Delete(first.ID); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := l.Save(first, "Ana"); !errors.Is(err, jobs.ErrStale) {
			t.Errorf("%s: a job that was deleted meanwhile: %v", name, err)
		}
		if err := l.Delete(first.ID); err == nil || err.Error() != "This job no longer exists." {
			t.Errorf("%s: %v", name, err)
		}
	}
	shut()
	lasting, shut = open()
	defer shut()
	if j, ok := lasting.Get("paper-to-jin-2"); !ok || j.Name != "A letter" || j.Revision != 2 || len(j.Steps) != 2 || len(lasting.List()) != 1 {
		t.Errorf("after a restart: %+v", lasting.List())
	}
	if list := newTestJobs(t, temporaryStore(t)).List(); len(list) != 0 {
		t.Errorf("%+v lasts without a directory", list)
	}
}

func TestANewJobIsNotTakenForADeletedOneOfItsName(t *testing.T) {
	s := temporaryStore(t)
	l := newTestJobs(t, s)
	seen, err := l.Save(jobs.Job{Name: "Round", Steps: atSofa}, "Jin")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Delete(seen.ID); err != nil {
		t.Fatal(err)
	}
	l = newTestJobs(t, s) // as after a restart
	other, err := l.Save(jobs.Job{Name: "Round", Steps: atSofa[1:]}, "Jin")
	if err != nil || other.ID != seen.ID {
		t.Fatalf("%+v, %v", other, err)
	}
	if _, err := l.Save(seen, "Ana"); !errors.Is(err, jobs.ErrStale) {
		t.Errorf("a change of the deleted job replaces the new one: %v", err)
	}
}

func TestOneDeviceLeavesPlacesForTheJobsOfOthers(t *testing.T) {
	l := newTestJobs(t, temporaryStore(t))
	saveAll := func(owner string) (n int, says string) {
		for ; ; n++ {
			if _, err := l.Save(jobs.Job{Name: "Full", Steps: atSofa}, owner); err != nil {
				return n, err.Error()
			}
		}
	}
	if n, says := saveAll("a"); n != maxJobs/2 || !strings.HasPrefix(says, "This device has made 250 of the 500 jobs already") {
		t.Errorf("one device saves %d of %d: %s", n, maxJobs, says)
	}
	if n, _ := saveAll("b"); n != maxJobs/4 {
		t.Errorf("the next one saves %d of %d", n, maxJobs/2)
	}
}

func TestIdsAreNeverLongerThanTheyMayBe(t *testing.T) {
	l := newTestJobs(t, temporaryStore(t))
	for range 12 {
		j, err := l.Save(jobs.Job{Name: strings.Repeat("ab ", 20), Steps: atSofa}, "Ana")
		if err != nil {
			t.Fatal(err)
		}
		if faults := j.Check(nil); len(faults) > 0 {
			t.Errorf("%q: %v", j.ID, faults)
		}
	}
	if n := len(l.List()); n != 12 {
		t.Errorf("%d jobs", n)
	}
}

func TestAJobIsMadeReadyAsItWillBeDone(t *testing.T) {
	l := newTestJobs(t, temporaryStore(t))
	from := robot.Pose{X: 3, Y: 5}
	job := jobs.Job{Name: "A", Steps: atSofa}
	n, err := l.Prepare(t.Context(), from, job)
	if err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	made, ok := l.Prepared(n)
	if !ok || len(made.Ways) != 2 || len(made.Ways[0]) < 2 || len(made.Ways[1]) != 0 {
		t.Fatalf("%+v", made)
	}
	if goes, stays := made.Steps[0].Expect, made.Steps[1].Expect; goes < 8 || goes > 20 || stays < 1.9 || stays > 2.2 {
		t.Errorf("it should take %g s and %g s", goes, stays)
	}
	if _, ok := l.Run(n); ok {
		t.Error("a run is shown before it has begun")
	}
	run, ok := l.Take(n)
	if record, ok := l.Run(n); !ok || record.Run.Phase != robot.RunRunning || record.Run.Began.IsZero() || len(record.Run.Steps) != 2 {
		t.Errorf("before its first state the run is %+v, %v", record.Run, ok)
	}
	if !ok || run.Number() != n || len(run.State().Steps) != 2 || run.State().Steps[0].Expect != made.Steps[0].Expect {
		t.Errorf("%+v", run)
	}
	if _, ok := l.Take(n); ok {
		t.Error("a run is handed over twice")
	}
	if _, ok := l.Take(7); ok {
		t.Error("an unprepared run is handed over")
	}
	rehearsal, err := l.Rehearse(t.Context(), from, job)
	if err != nil || len(rehearsal.Steps) != 2 || rehearsal.Steps[0].Time != made.Steps[0].Expect || len(rehearsal.Path) < 50 {
		t.Errorf("%+v, %v", rehearsal, err)
	}
	off := jobs.Step{Type: jobs.Move, Pose: &[3]float64{-5, 5, 0}}
	for want, steps := range map[string][]jobs.Step{
		`Step 2: there is no place "Desk" on the map; choose one that exists, or give a pose.`: {atSofa[0], {Type: jobs.Move, Place: "Desk"}},
		`Step 1: the text cannot be spoken: there is no voice xx.`:                             {{Type: jobs.Voice, Text: "Hello!", Voice: "xx"}},
		`Step 2: Off the map. Choose a place on the floor.`:                                    {atSofa[1], off},
	} {
		if _, err := l.Prepare(t.Context(), from, jobs.Job{Name: "A", Steps: steps}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	off.OnFailure = jobs.FailSkip
	if _, err := l.Prepare(t.Context(), from, jobs.Job{Name: "A", Steps: []jobs.Step{off}}); err != nil {
		t.Errorf("a step that may fail prevents the run: %v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Prepare(over, from, job); err == nil || err.Error() != "The job was cancelled before it was ready." {
		t.Errorf("%v", err)
	}
}

func TestARunOfAnotherFloorDoesNotBegin(t *testing.T) {
	l := newTestJobs(t, temporaryStore(t))
	from, job := robot.Pose{X: 3, Y: 5}, jobs.Job{Name: "A", Steps: atSofa}
	waits, err := l.Prepare(t.Context(), from, job)
	if err != nil {
		t.Fatal(err)
	}
	l.ForgetFloor()
	if _, ok := l.Take(waits); ok {
		t.Error("a run of the floor before is handed over")
	}
	plan := l.cfg.Plan
	l.cfg.Plan = func() *robot.Floorplan { l.ForgetFloor(); return plan() }
	_, err = l.Prepare(t.Context(), from, job)
	if no := (robot.Refusal{}); !errors.As(err, &no) || no.Word != robot.Interrupted || !strings.HasPrefix(no.Reason, "The map was changed for another one") {
		t.Errorf("a job whose floor changes while it is prepared is answered %v", err)
	}
	l.cfg.Plan = plan
	if _, err := l.Prepare(t.Context(), from, job); err != nil {
		t.Errorf("on the new floor the job is answered %v", err)
	}
	if n := len(l.Runs()); n != 0 {
		t.Errorf("%d runs began", n)
	}
}

func TestAJobThatMovesARobotThatGoesNowhereByItselfIsRefused(t *testing.T) {
	blind, car := mybot(t), mybot(t)
	blind.Sonars, blind.Lidars = nil, nil
	car.TurningRadius = 0.8
	for want, desc := range map[string]robot.Description{
		"Step 2: This robot sees no obstacles. It goes nowhere by itself. Drive it by hand.":                                 blind,
		"Step 2: This robot steers like a car, with a turning radius of 0.8 m. It goes nowhere by itself. Drive it by hand.": car,
	} {
		l := newTestJobsOf(t, temporaryStore(t), desc)
		from, wait := robot.Pose{X: 3, Y: 5}, jobs.Step{Type: jobs.Wait, Seconds: 2}
		for _, failing := range []jobs.OnFailure{"", jobs.FailStop, jobs.FailSkip, jobs.FailRetry} {
			job := jobs.Job{Name: "A", Steps: []jobs.Step{wait, {Type: jobs.Move, Place: "Sofa", OnFailure: failing}}}
			_, prepared := l.Prepare(t.Context(), from, job)
			_, rehearsed := l.Rehearse(t.Context(), from, job)
			for _, err := range []error{prepared, rehearsed} {
				if no := (robot.Refusal{}); !errors.As(err, &no) || no.Word != robot.NA || no.Reason != want {
					t.Errorf("on failure %q: %v, want %s", failing, err, want)
				}
			}
		}
		if _, err := l.Prepare(t.Context(), from, jobs.Job{Name: "A", Steps: []jobs.Step{wait, wait}}); err != nil {
			t.Errorf("a job that moves nothing is refused: %v", err)
		}
		if n := len(l.Runs()); n != 0 {
			t.Errorf("%d runs began", n)
		}
	}
}

// A ride is a body that is always at its goal.
type ride struct {
	n  uint64
	to robot.Pose
}

func (r *ride) GoTo(g robot.GoTo) robot.Result {
	r.n, r.to = r.n+1, g.Goal
	return robot.Result{Word: robot.Success}
}

func (r *ride) Goal() robot.Goal {
	return robot.Goal{Number: r.n, Phase: robot.GoalEnded, Result: robot.Result{Word: robot.Success}}
}
func (r *ride) PauseGoal(string)         {}
func (r *ride) ResumeGoal() robot.Result { return robot.Result{Word: robot.Success} }
func (r *ride) CancelGoal(string)        {}

// begun returns a run of l that has begun, and a function that advances it.
func begun(t *testing.T, l *Library, steps ...jobs.Step) (run *jobs.Run, tick func(after time.Duration)) {
	t.Helper()
	n, err := l.Prepare(t.Context(), robot.Pose{X: 3, Y: 5}, jobs.Job{Name: "A", Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	run, ok := l.Take(n)
	if !ok {
		t.Fatal("it cannot be taken")
	}
	now, b := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC), &ride{}
	see := func() { l.Observe(robot.State{Time: now, Run: run.State()}) }
	run.Begin(now, b)
	see()
	return run, func(after time.Duration) {
		now = now.Add(after)
		run.Tick(now, false, b)
		see()
	}
}

// states returns the states that a run in the store has reached, in order.
func (l *Library) states(n uint64) (all []string) {
	r, _ := l.Run(n)
	for _, t := range r.Run.Log {
		all = append(all, t.To)
	}
	return all
}

func TestWhatHappensToARunIsWrittenDown(t *testing.T) {
	l := newTestJobs(t, temporaryStore(t))
	if n := len(l.Runs()); n != 0 {
		t.Fatalf("%d runs", n)
	}
	wait := jobs.Step{Type: jobs.Wait, Seconds: 2}
	run, tick := begun(t, l, wait, wait)
	if r, ok := l.Run(1); !ok || r.Run.Phase != robot.RunRunning || len(r.Run.Log) != 0 || r.Run.Steps[0].State != robot.StepWaiting || !r.Run.Began.Equal(run.State().Began) {
		t.Errorf("a run that has just begun is reported as %+v; only its preparation is saved", r.Run)
	}
	if _, ok := l.Run(2); ok {
		t.Error("an unsaved run is reported")
	}
	l.saveAll()
	if got := l.states(1); !slices.Equal(got, []string{"running", "INITIALIZING", "RUNNING"}) {
		t.Errorf("%v", got)
	}
	tick(2 * time.Second)
	tick(0)
	tick(2 * time.Second)
	l.saveAll()
	want := []string{"running", "INITIALIZING", "RUNNING", "FINISHED", "INITIALIZING", "RUNNING", "FINISHED", "ended"}
	if got := l.states(1); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	r, ok := l.Run(1)
	if !ok || r.Run.Phase != robot.RunEnded || r.Run.Result != run.State().Result || len(r.Job.Steps) != 2 || !r.Run.Ended.Equal(run.State().Ended) {
		t.Errorf("%+v", r)
	}
	if all := l.Runs(); len(all) != 1 || all[0].Run.Number != 1 || len(all[0].Run.Log) != 0 {
		t.Errorf("%+v", all)
	}

	_, _ = begun(t, l, wait)
	n, err := l.Prepare(t.Context(), robot.Pose{X: 3, Y: 5}, jobs.Job{Name: "A", Steps: atSofa})
	if err != nil {
		t.Fatal(err)
	}
	l.Discard(n)
	l.saveAll()
	if all := l.Runs(); len(all) != 2 || all[0].Run.Number != 2 {
		t.Errorf("%+v", all)
	}
	if kept, _ := l.cfg.Store.Run(n); kept.Made != nil {
		t.Error("a run that did not begin is saved")
	}
	if _, ok := l.Prepared(n); ok {
		t.Error("a run that did not begin is remembered")
	}
}

func TestARunGoesToWhereAPlaceWasWhenItWasMadeReady(t *testing.T) {
	for name, after := range map[string][]robot.Place{"deleted": nil, "moved": {{Name: "Sofa", Pose: robot.Pose{X: 15, Y: 5}}}} {
		l, there := newTestJobs(t, temporaryStore(t)), hall().Places[0].Pose
		n, err := l.Prepare(t.Context(), robot.Pose{X: 3, Y: 5}, jobs.Job{Name: "A", Steps: atSofa})
		if err != nil {
			t.Fatal(err)
		}
		changed := hall()
		changed.Places = after
		l.cfg.Plan = func() *robot.Floorplan { return changed }
		run, _ := l.Take(n)
		b := &ride{}
		if run.Begin(time.Unix(0, 0), b); b.to != there {
			t.Errorf("after the place was %s the run drives to %v, want %v", name, b.to, there)
		}
		n, err = l.Prepare(t.Context(), robot.Pose{X: 3, Y: 5}, jobs.Job{Name: "A", Steps: atSofa})
		if after == nil {
			if err == nil {
				t.Error("a repeated run finds a deleted place")
			}
			continue
		}
		anew, _ := l.Take(n)
		if anew.Begin(time.Unix(0, 0), b); b.to != after[0].Pose {
			t.Errorf("a repeated run drives to %v", b.to)
		}
	}
}

func TestAChangeLeavesWhatIsDoneAsItWas(t *testing.T) {
	l := newTestJobs(t, temporaryStore(t))
	_, _ = begun(t, l, atSofa...)
	was, _ := l.Prepared(1)
	n, err := l.Prepare(t.Context(), robot.Pose{X: 8, Y: 5}, jobs.Job{Name: "A", Steps: append(atSofa[:1:1], jobs.Step{Type: jobs.Move, Pose: &[3]float64{12, 5, 0}})})
	if err != nil {
		t.Fatal(err)
	}
	l.ReplaceSteps(1, n)
	l.saveAll()
	now, _ := l.Prepared(1)
	if len(now.Ways) != 2 || !slices.Equal(now.Ways[0], was.Ways[0]) || len(now.Ways[1]) < 2 || now.Steps[0].Expect != was.Steps[0].Expect || now.Steps[1].Expect < 5 {
		t.Errorf("%+v", now)
	}
	if r, ok := l.Run(1); !ok || r.Job.Steps[1].Type != jobs.Move || len(r.Ways[1]) < 2 {
		t.Errorf("%+v", r)
	}
	if kept, _ := l.cfg.Store.Run(n); kept.Made != nil {
		t.Error("the number of the change is still stored")
	}
}

func TestTheLaterStepsCanBeChangedWhateverHasBecomeOfThePlacesOfTheOthers(t *testing.T) {
	l, there := newTestJobs(t, temporaryStore(t)), hall().Places[0].Pose
	_, _ = begun(t, l, atSofa...)
	changed := hall()
	changed.Places = nil
	l.cfg.Plan = func() *robot.Floorplan { return changed }
	wait := jobs.Step{Type: jobs.Wait, Seconds: 7}
	n, err := l.PrepareChange(t.Context(), 1, robot.Pose{X: 5, Y: 5}, jobs.Job{Name: "A", Steps: []jobs.Step{atSofa[0], wait}})
	if err != nil {
		t.Fatal(err)
	}
	if m, _ := l.Prepared(n); m.Steps[0].Goal != there || m.Steps[1].Step.Seconds != 7 {
		t.Errorf("the change is prepared as %+v", m.Steps)
	}
	for _, steps := range [][]jobs.Step{{atSofa[0], atSofa[0]}, {wait, atSofa[0]}} {
		_, err := l.PrepareChange(t.Context(), 1, robot.Pose{X: 5, Y: 5}, jobs.Job{Name: "A", Steps: steps})
		if want := `Step 2: there is no place "Sofa" on the map; choose one that exists, or give a pose.`; err == nil || err.Error() != want {
			t.Errorf("a later step to a deleted place is answered %v", err)
		}
	}
	changed.Grid.Cells = nil // and no paths either
	if _, err := l.PrepareChange(t.Context(), 1, robot.Pose{X: 5, Y: 5}, jobs.Job{Name: "A", Steps: []jobs.Step{atSofa[0], wait}}); err != nil {
		t.Errorf("a step under way without a path refuses the change of others: %v", err)
	}
}

func TestAStepIsAddedToARunThatIsStillToDriveToADeletedPlace(t *testing.T) {
	l, there := newTestJobs(t, temporaryStore(t)), hall().Places[0].Pose
	wait := jobs.Step{Type: jobs.Wait, Seconds: 2}
	_, tick := begun(t, l, wait, atSofa[0])
	changed := hall()
	changed.Places = nil
	l.cfg.Plan = func() *robot.Floorplan { return changed }
	change := func(steps ...jobs.Step) (uint64, error) {
		return l.PrepareChange(t.Context(), 1, robot.Pose{X: 5, Y: 5}, jobs.Job{Name: "A", Steps: steps})
	}
	n, err := change(wait, wait, atSofa[0])
	if err != nil {
		t.Fatal(err)
	}
	if m, _ := l.Prepared(n); m.Steps[2].Goal != there {
		t.Errorf("the robot is to drive to %+v, not to %+v, where the place was", m.Steps[2].Goal, there)
	}
	l.Discard(n)
	if _, err := change(wait, jobs.Step{Type: jobs.Move, Place: "Shelf"}, atSofa[0]); err == nil {
		t.Error("a place that never was is accepted")
	}
	tick(2 * time.Second)
	want := `Step 3: there is no place "Sofa" on the map; choose one that exists, or give a pose.`
	if _, err := change(wait, atSofa[0], atSofa[0]); err == nil || err.Error() != want {
		t.Errorf("a new drive to a deleted place is answered %v", err)
	}
}

func TestAStepThatBeginsRightAfterItsChangeIsStoredAsItWasChanged(t *testing.T) {
	l := newTestJobs(t, temporaryStore(t))
	wait := jobs.Step{Type: jobs.Wait, Seconds: 2}
	_, tick := begun(t, l, wait, wait)
	n, err := l.Prepare(t.Context(), robot.Pose{X: 3, Y: 5}, jobs.Job{Name: "A", Steps: []jobs.Step{wait, {Type: jobs.Wait, Seconds: 7}}})
	if err != nil {
		t.Fatal(err)
	}
	tick(2 * time.Second)
	l.ReplaceSteps(1, n)
	if now, _ := l.Prepared(1); now.Steps[1].Step.Seconds != 7 {
		t.Errorf("the second step is stored as %+v", now.Steps[1].Step)
	}
}

func TestARunThatWasCutOffIsInterruptedAfterARestart(t *testing.T) {
	jobStore := temporaryStore(t)
	l := newTestJobs(t, jobStore)
	wait := jobs.Step{Type: jobs.Wait, Seconds: 2}
	_, tick := begun(t, l, wait, wait)
	tick(2 * time.Second)
	if _, err := l.Prepare(t.Context(), robot.Pose{X: 3, Y: 5}, jobs.Job{Name: "B", Steps: atSofa}); err != nil {
		t.Fatal(err)
	}
	l.saveAll()

	l = newTestJobs(t, jobStore)
	all := l.Runs()
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}
	// No one knows whether the second one began.
	if r := all[0].Run; r.Name != "B" || r.Phase != robot.RunEnded || r.Result.Word != robot.Interrupted || r.Steps[0].State != robot.StepWaiting || r.Began.IsZero() {
		t.Errorf("%+v", r)
	}
	r, _ := l.Run(1)
	if r.Run.Phase != robot.RunEnded || r.Run.Result != (robot.Result{Word: robot.Interrupted, Reason: "The robot was switched off."}) || r.Run.Ended.IsZero() {
		t.Errorf("%+v", r.Run)
	}
	log := r.Run.Log
	for i, c := range log {
		if !jobs.IsLegalChange(c.From, c.To) || i > 0 && c.At.Before(log[i-1].At) {
			t.Errorf("transition %d is %+v", i, c)
		}
	}
	if last := log[len(log)-1]; last.To != "ended" || last.Word != robot.Interrupted {
		t.Errorf("%+v", last)
	}
	for n := range uint64(3) {
		if _, ok := l.Take(n); ok {
			t.Errorf("run %d can be begun again", n)
		}
	}
	again := newTestJobs(t, jobStore)
	if got := again.states(1); len(got) != len(log) {
		t.Errorf("a second restart makes %v of it", got)
	}
}

func TestARunThatCannotBeReadIsLeftOut(t *testing.T) {
	jobStore := temporaryStore(t)
	for _, state := range []string{"not JSON", `{"Number":2,"Phase":"running","Step":-1,"Steps":[{}]}`, `{"Number":3,"Phase":"running","Step":2,"Steps":[{}]}`} {
		n, err := jobStore.AddRun(mustEncode(savedRun{Job: jobs.Job{Name: "A", Steps: atSofa}}), maxRuns)
		if err != nil {
			t.Fatal(err)
		}
		if err := jobStore.KeepRun(n, []byte(state), 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	l := newTestJobs(t, jobStore)
	if all := l.Runs(); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	for n := range uint64(4) {
		if r, ok := l.Run(n); ok {
			t.Errorf("run %d is %+v", n, r)
		}
	}
}

func TestADefinitionThatCannotBeReadIsNeitherListedNorOverwritten(t *testing.T) {
	for _, text := range []string{"not JSON", `{"id":"other","name":"A letter","steps":[{"type":"FLY"}]}`, "{}"} {
		jobStore := temporaryStore(t)
		if err := jobStore.PutJob("a-letter", []byte(text)); err != nil {
			t.Fatal(err)
		}
		l := newTestJobs(t, jobStore)
		if list := l.List(); len(list) != 0 {
			t.Errorf("%s is listed as %+v", text, list)
		}
		j, err := l.Save(jobs.Job{Name: "A letter", Steps: atSofa}, "Ana")
		if err != nil || j.ID != "a-letter-2" {
			t.Errorf("a job of the same name is saved as %+v, %v", j, err)
		}
		if _, err := l.Save(jobs.Job{ID: "a-letter", Name: "A letter", Steps: atSofa}, "Ana"); !errors.Is(err, jobs.ErrStale) {
			t.Errorf("a job in its place is answered %v", err)
		}
		if kept, _, _ := jobStore.Jobs(); string(kept["a-letter"]) != text {
			t.Errorf("%s has become %s", text, kept["a-letter"])
		}
	}
}

func TestAFullDiskIsToldAtOnceAndTriedAgainWhenThereIsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobStore := &fullStore{Store: temporaryStore(t)}
		l := newTestJobs(t, jobStore)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.Write(ctx) }()
		wait := jobs.Step{Type: jobs.Wait, Seconds: 2}
		_, tick := begun(t, l, wait, wait)
		synctest.Wait()

		jobStore.fails(fmt.Errorf("store: no: %w", store.ErrFull))
		const full = " The robot's disk is full. Make room on it, then try again."
		_, err := l.Save(jobs.Job{Name: "A", Steps: atSofa}, "Ana")
		if !errors.Is(err, store.ErrFull) || err.Error() != "The job cannot be saved."+full || len(l.List()) != 0 {
			t.Errorf("saving: %v, %+v", err, l.List())
		}
		_, err = l.Prepare(t.Context(), robot.Pose{X: 3, Y: 5}, jobs.Job{Name: "A", Steps: atSofa})
		if !errors.Is(err, store.ErrFull) || err.Error() != "The job cannot be saved, so it is not run."+full {
			t.Errorf("running: %v", err)
		}
		tick(2 * time.Second)
		tick(0)
		time.Sleep(10 * time.Second)
		if got := l.states(1); len(got) != 3 {
			t.Errorf("while the disk is full: %v", got)
		}
		jobStore.fails(nil)
		time.Sleep(retryPeriod)
		synctest.Wait()
		if got := l.states(1); len(got) != 6 {
			t.Errorf("when there is room: %v", got)
		}
		tick(2 * time.Second)
		cancel()
		<-ended
		if got := l.states(1); len(got) != 8 {
			t.Errorf("at the end: %v", got)
		}
	})
}

func TestARunThatHasEndedIsReadOnceForTheList(t *testing.T) {
	jobStore := temporaryStore(t)
	l := newTestJobs(t, jobStore)
	for n := range uint64(3) {
		_, tick := begun(t, l, jobs.Step{Type: jobs.Wait, Seconds: 2})
		if n < 2 {
			tick(3 * time.Second)
		}
		l.saveAll()
	}
	phases := func() (list []robot.RunPhase) {
		for _, r := range l.Runs() {
			list = append(list, r.Run.Phase)
		}
		return list
	}
	want := []robot.RunPhase{robot.RunRunning, robot.RunEnded, robot.RunEnded}
	if got := phases(); !slices.Equal(got, want) {
		t.Fatalf("the runs are %v, want %v", got, want)
	}
	for n := range uint64(3) { // what is read again from now on cannot be
		if err := jobStore.KeepRun(n+1, []byte("{"), 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := phases(); !slices.Equal(got, want[1:]) {
		t.Errorf("the runs are %v, want the two that have ended, which are known: whoever looks on could keep the robot busy with reading", got)
	}
	if err := jobStore.DropRun(1); err != nil {
		t.Fatal(err)
	}
	if got := phases(); len(got) != 1 || len(l.ended) != 1 {
		t.Errorf("the runs are %v and %d are in memory, want the saved one", got, len(l.ended))
	}
}
