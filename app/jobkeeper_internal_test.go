package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/session"
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

// A fullStore is a shelf that fails with err while there is one.
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

func (f *fullStore) DeleteJob(id string) error {
	return unless(f.failure(), func() error { return f.Store.DeleteJob(id) })
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

func newTestJobs(t *testing.T, store Store) *Library {
	t.Helper()
	plan := hall()
	_, desc := officePlan(t)
	k, err := Open(jobKit{
		shelf: store, Rehearser: desc, log: quiet(),
		plan: func() *robot.Floorplan { return plan },
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
	return k
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
	for name, k := range map[string]*Library{"with a directory": lasting, "without": newTestJobs(t, nil)} {
		first, err := k.Save(jobs.Job{Name: "Paper to Jin", Steps: atSofa})
		if err != nil || first.ID != "paper-to-jin" || first.Revision != 1 || first.Changed.IsZero() {
			t.Fatalf("%s: %+v, %v", name, first, err)
		}
		second, err := k.Save(jobs.Job{Name: "Paper to Jin", Steps: atSofa})
		if err != nil || second.ID != "paper-to-jin-2" {
			t.Errorf("%s: %+v, %v", name, second, err)
		}
		second.Name = "A letter"
		if second, err = k.Save(second); err != nil || second.Revision != 2 {
			t.Errorf("%s: %+v, %v", name, second, err)
		}
		if list := k.List(); len(list) != 2 || list[0].Name != "A letter" || list[1].Name != "Paper to Jin" {
			t.Errorf("%s: %+v", name, list)
		}
		second.Revision = 1
		if _, err := k.Save(second); !errors.Is(err, session.ErrStale) {
			t.Errorf("%s: a job that was saved meanwhile: %v", name, err)
		}
		if err := k.Delete(first.ID); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := k.Save(first); !errors.Is(err, session.ErrStale) {
			t.Errorf("%s: a job that was deleted meanwhile: %v", name, err)
		}
		if err := k.Delete(first.ID); err == nil || err.Error() != "This job no longer exists." {
			t.Errorf("%s: %v", name, err)
		}
	}
	shut()
	lasting, shut = open()
	defer shut()
	if j, ok := lasting.Get("paper-to-jin-2"); !ok || j.Name != "A letter" || j.Revision != 2 || len(j.Steps) != 2 || len(lasting.List()) != 1 {
		t.Errorf("after a restart: %+v", lasting.List())
	}
	if list := newTestJobs(t, nil).List(); len(list) != 0 {
		t.Errorf("%+v lasts without a directory", list)
	}
}

func TestIdsAreNeverLongerThanTheyMayBe(t *testing.T) {
	k := newTestJobs(t, nil)
	for range 12 {
		j, err := k.Save(jobs.Job{Name: strings.Repeat("ab ", 20), Steps: atSofa})
		if err != nil {
			t.Fatal(err)
		}
		if faults := j.Check(nil); len(faults) > 0 {
			t.Errorf("%q: %v", j.ID, faults)
		}
	}
	if n := len(k.List()); n != 12 {
		t.Errorf("%d jobs", n)
	}
}

func TestAJobIsMadeReadyAsItWillBeDone(t *testing.T) {
	k := newTestJobs(t, nil)
	from := robot.Pose{X: 3, Y: 5}
	job := jobs.Job{Name: "A", Steps: atSofa}
	n, err := k.Prepare(t.Context(), from, job)
	if err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	made, ok := k.Prepared(n)
	if !ok || len(made.Ways) != 2 || len(made.Ways[0]) < 2 || len(made.Ways[1]) != 0 {
		t.Fatalf("%+v", made)
	}
	if goes, stays := made.Steps[0].Expect, made.Steps[1].Expect; goes < 8 || goes > 20 || stays < 1.9 || stays > 2.2 {
		t.Errorf("it should take %g s and %g s", goes, stays)
	}
	run, ok := k.Take(n)
	if !ok || run.Number() != n || len(run.State().Steps) != 2 || run.State().Steps[0].Expect != made.Steps[0].Expect {
		t.Errorf("%+v", run)
	}
	if _, ok := k.Take(n); ok {
		t.Error("a run is handed over twice")
	}
	if _, ok := k.Take(7); ok {
		t.Error("a run that nobody made ready is handed over")
	}
	rehearsal, err := k.Rehearse(t.Context(), from, job)
	if err != nil || len(rehearsal.Steps) != 2 || rehearsal.Steps[0].Time != made.Steps[0].Expect || len(rehearsal.Path) < 50 {
		t.Errorf("%+v, %v", rehearsal, err)
	}
	off := jobs.Step{Type: jobs.Move, Pose: &[3]float64{-5, 5, 0}}
	for want, steps := range map[string][]jobs.Step{
		`Step 2: there is no place "Desk" on the map; choose one that exists, or give a pose.`: {atSofa[0], {Type: jobs.Move, Place: "Desk"}},
		`Step 1: the text cannot be spoken: there is no voice xx.`:                             {{Type: jobs.Voice, Text: "Hello!", Voice: "xx"}},
		`Step 2: Off the map. Choose a place on the floor.`:                                    {atSofa[1], off},
	} {
		if _, err := k.Prepare(t.Context(), from, jobs.Job{Name: "A", Steps: steps}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	off.OnFailure = jobs.FailSkip
	if _, err := k.Prepare(t.Context(), from, jobs.Job{Name: "A", Steps: []jobs.Step{off}}); err != nil {
		t.Errorf("a step that may fail keeps the job from being run: %v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.Prepare(over, from, job); err == nil || err.Error() != "The job was cancelled before it was ready." {
		t.Errorf("%v", err)
	}
}

// a ride is a body that is always there.
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

// begun returns a run of k's that has begun, and how to take it on.
func begun(t *testing.T, k *Library, steps ...jobs.Step) (run *jobs.Run, tick func(after time.Duration)) {
	t.Helper()
	n, err := k.Prepare(t.Context(), robot.Pose{X: 3, Y: 5}, jobs.Job{Name: "A", Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	run, ok := k.Take(n)
	if !ok {
		t.Fatal("it cannot be taken")
	}
	now, b := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC), &ride{}
	see := func() { k.Observe(robot.State{Time: now, Run: run.State()}) }
	run.Begin(now, b)
	see()
	return run, func(after time.Duration) {
		now = now.Add(after)
		run.Tick(now, false, b)
		see()
	}
}

// states returns to which states a run on the shelf has come, in order.
func (k *Library) states(n uint64) (all []string) {
	r, _ := k.Run(n)
	for _, t := range r.Run.Log {
		all = append(all, t.To)
	}
	return all
}

func TestWhatHappensToARunIsWrittenDown(t *testing.T) {
	k := newTestJobs(t, nil)
	if n := len(k.Runs()); n != 0 {
		t.Fatalf("%d runs", n)
	}
	wait := jobs.Step{Type: jobs.Wait, Seconds: 2}
	run, tick := begun(t, k, wait, wait)
	if _, ok := k.Run(1); ok {
		t.Error("a run is told that is not written down")
	}
	k.saveAll()
	if got := k.states(1); !slices.Equal(got, []string{"running", "INITIALIZING", "RUNNING"}) {
		t.Errorf("%v", got)
	}
	tick(2 * time.Second)
	tick(0)
	tick(2 * time.Second)
	k.saveAll()
	want := []string{"running", "INITIALIZING", "RUNNING", "FINISHED", "INITIALIZING", "RUNNING", "FINISHED", "ended"}
	if got := k.states(1); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	r, ok := k.Run(1)
	if !ok || r.Run.Phase != robot.RunEnded || r.Run.Result != run.State().Result || len(r.Job.Steps) != 2 || !r.Run.Ended.Equal(run.State().Ended) {
		t.Errorf("%+v", r)
	}
	if all := k.Runs(); len(all) != 1 || all[0].Run.Number != 1 || len(all[0].Run.Log) != 0 {
		t.Errorf("%+v", all)
	}

	_, _ = begun(t, k, wait)
	n, err := k.Prepare(t.Context(), robot.Pose{X: 3, Y: 5}, jobs.Job{Name: "A", Steps: atSofa})
	if err != nil {
		t.Fatal(err)
	}
	k.Discard(n)
	k.saveAll()
	if all := k.Runs(); len(all) != 2 || all[0].Run.Number != 2 {
		t.Errorf("%+v", all)
	}
	if kept, _ := k.shelf.Run(n); kept.Made != nil {
		t.Error("a run that did not begin is kept")
	}
	if _, ok := k.Prepared(n); ok {
		t.Error("a run that did not begin is remembered")
	}
}

func TestARunGoesToWhereAPlaceWasWhenItWasMadeReady(t *testing.T) {
	for name, after := range map[string][]robot.Place{"deleted": nil, "moved": {{Name: "Sofa", Pose: robot.Pose{X: 15, Y: 5}}}} {
		k, there := newTestJobs(t, nil), hall().Places[0].Pose
		n, err := k.Prepare(t.Context(), robot.Pose{X: 3, Y: 5}, jobs.Job{Name: "A", Steps: atSofa})
		if err != nil {
			t.Fatal(err)
		}
		changed := hall()
		changed.Places = after
		k.plan = func() *robot.Floorplan { return changed }
		run, _ := k.Take(n)
		b := &ride{}
		if run.Begin(time.Unix(0, 0), b); b.to != there {
			t.Errorf("after the place was %s the run goes to %v, want %v", name, b.to, there)
		}
		n, err = k.Prepare(t.Context(), robot.Pose{X: 3, Y: 5}, jobs.Job{Name: "A", Steps: atSofa})
		if after == nil {
			if err == nil {
				t.Error("a job that is run anew finds a place that was deleted")
			}
			continue
		}
		anew, _ := k.Take(n)
		if anew.Begin(time.Unix(0, 0), b); b.to != after[0].Pose {
			t.Errorf("a job that is run anew goes to %v", b.to)
		}
	}
}

func TestAChangeLeavesWhatIsDoneAsItWas(t *testing.T) {
	k := newTestJobs(t, nil)
	_, _ = begun(t, k, atSofa...)
	was, _ := k.Prepared(1)
	n, err := k.Prepare(t.Context(), robot.Pose{X: 8, Y: 5}, jobs.Job{Name: "A", Steps: append(atSofa[:1:1], jobs.Step{Type: jobs.Move, Pose: &[3]float64{12, 5, 0}})})
	if err != nil {
		t.Fatal(err)
	}
	k.ReplaceSteps(1, n)
	k.saveAll()
	now, _ := k.Prepared(1)
	if len(now.Ways) != 2 || !slices.Equal(now.Ways[0], was.Ways[0]) || len(now.Ways[1]) < 2 || now.Steps[0].Expect != was.Steps[0].Expect || now.Steps[1].Expect < 5 {
		t.Errorf("%+v", now)
	}
	if r, ok := k.Run(1); !ok || r.Job.Steps[1].Type != jobs.Move || len(r.Ways[1]) < 2 {
		t.Errorf("%+v", r)
	}
	if kept, _ := k.shelf.Run(n); kept.Made != nil {
		t.Error("the number of the change is still kept")
	}
}

func TestARunThatWasCutOffIsInterruptedAfterARestart(t *testing.T) {
	shelf := newLooseJobs()
	k := newTestJobs(t, shelf)
	wait := jobs.Step{Type: jobs.Wait, Seconds: 2}
	_, tick := begun(t, k, wait, wait)
	tick(2 * time.Second)
	if _, err := k.Prepare(t.Context(), robot.Pose{X: 3, Y: 5}, jobs.Job{Name: "B", Steps: atSofa}); err != nil {
		t.Fatal(err)
	}
	k.saveAll()

	k = newTestJobs(t, shelf)
	all := k.Runs()
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}
	// Nobody knows whether the second one began.
	if r := all[0].Run; r.Name != "B" || r.Phase != robot.RunEnded || r.Result.Word != robot.Interrupted || r.Steps[0].State != robot.StepWaiting || r.Began.IsZero() {
		t.Errorf("%+v", r)
	}
	r, _ := k.Run(1)
	if r.Run.Phase != robot.RunEnded || r.Run.Result != (robot.Result{Word: robot.Interrupted, Reason: "The robot was switched off."}) || r.Run.Ended.IsZero() {
		t.Errorf("%+v", r.Run)
	}
	log := r.Run.Log
	for i, c := range log {
		if !jobs.Legal(c.From, c.To) || i > 0 && c.At.Before(log[i-1].At) {
			t.Errorf("transition %d is %+v", i, c)
		}
	}
	if last := log[len(log)-1]; last.To != "ended" || last.Word != robot.Interrupted {
		t.Errorf("%+v", last)
	}
	for n := range uint64(3) {
		if _, ok := k.Take(n); ok {
			t.Errorf("run %d can be begun again", n)
		}
	}
	again := newTestJobs(t, shelf)
	if got := again.states(1); len(got) != len(log) {
		t.Errorf("a second restart makes %v of it", got)
	}
}

func TestARunThatCannotBeReadIsLeftOut(t *testing.T) {
	shelf := newLooseJobs()
	for _, state := range []string{"not JSON", `{"Number":2,"Phase":"running","Step":-1,"Steps":[{}]}`, `{"Number":3,"Phase":"running","Step":2,"Steps":[{}]}`} {
		n, err := shelf.AddRun(mustEncode(savedRun{Job: jobs.Job{Name: "A", Steps: atSofa}}), mostRuns)
		if err != nil {
			t.Fatal(err)
		}
		if err := shelf.KeepRun(n, []byte(state), 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	k := newTestJobs(t, shelf)
	if all := k.Runs(); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	for n := range uint64(4) {
		if r, ok := k.Run(n); ok {
			t.Errorf("run %d is %+v", n, r)
		}
	}
}

func TestADefinitionThatCannotBeReadIsNeitherListedNorOverwritten(t *testing.T) {
	for _, text := range []string{"not JSON", `{"id":"other","name":"A letter","steps":[{"type":"FLY"}]}`, "{}"} {
		shelf := newLooseJobs()
		if err := shelf.PutJob("a-letter", []byte(text)); err != nil {
			t.Fatal(err)
		}
		k := newTestJobs(t, shelf)
		if list := k.List(); len(list) != 0 {
			t.Errorf("%s is listed as %+v", text, list)
		}
		j, err := k.Save(jobs.Job{Name: "A letter", Steps: atSofa})
		if err != nil || j.ID != "a-letter-2" {
			t.Errorf("a job of the same name is kept as %+v, %v", j, err)
		}
		if _, err := k.Save(jobs.Job{ID: "a-letter", Name: "A letter", Steps: atSofa}); !errors.Is(err, session.ErrStale) {
			t.Errorf("a job in its place is answered %v", err)
		}
		if kept, _ := shelf.Jobs(); string(kept["a-letter"]) != text {
			t.Errorf("%s has become %s", text, kept["a-letter"])
		}
	}
}

func TestManyRehearsalsLeaveTheRehearserToARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTestJobs(t, nil)
		taken := <-k.stage // somebody's rehearsal takes long
		from, job := robot.Pose{X: 3, Y: 5}, jobs.Job{Name: "A", Steps: []jobs.Step{{Type: jobs.Wait, Seconds: 1}}}
		var users sync.WaitGroup
		for range mostActs {
			users.Go(func() {
				if _, err := k.Rehearse(t.Context(), from, job); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		var no robot.Refusal
		if _, err := k.Rehearse(t.Context(), from, job); !errors.As(err, &no) || no.Word != robot.Busy {
			t.Errorf("one too many is answered with %v", err)
		}
		users.Go(func() {
			if _, err := k.Prepare(t.Context(), from, job); err != nil {
				t.Errorf("a run is answered with %v", err)
			}
		})
		synctest.Wait()
		k.stage <- taken
		users.Wait()
	})
}

func TestAFullDiskIsToldAtOnceAndTriedAgainWhenThereIsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf := &fullStore{Store: newLooseJobs()}
		k := newTestJobs(t, shelf)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- k.Write(ctx) }()
		wait := jobs.Step{Type: jobs.Wait, Seconds: 2}
		_, tick := begun(t, k, wait, wait)
		synctest.Wait()

		shelf.fails(fmt.Errorf("store: no: %w", store.ErrFull))
		const full = " The robot's disk is full. Make room on it, then try again."
		_, err := k.Save(jobs.Job{Name: "A", Steps: atSofa})
		if !errors.Is(err, store.ErrFull) || err.Error() != "The job cannot be saved."+full || len(k.List()) != 0 {
			t.Errorf("saving: %v, %+v", err, k.List())
		}
		_, err = k.Prepare(t.Context(), robot.Pose{X: 3, Y: 5}, jobs.Job{Name: "A", Steps: atSofa})
		if !errors.Is(err, store.ErrFull) || err.Error() != "The job cannot be saved, so it is not run."+full {
			t.Errorf("running: %v", err)
		}
		tick(2 * time.Second)
		tick(0)
		time.Sleep(10 * time.Second)
		if got := k.states(1); len(got) != 3 {
			t.Errorf("while the disk is full: %v", got)
		}
		shelf.fails(nil)
		time.Sleep(writeAgain)
		synctest.Wait()
		if got := k.states(1); len(got) != 6 {
			t.Errorf("when there is room: %v", got)
		}
		tick(2 * time.Second)
		cancel()
		<-ended
		if got := k.states(1); len(got) != 8 {
			t.Errorf("at the end: %v", got)
		}
	})
}

func TestARunThatHasEndedIsReadOnceForTheList(t *testing.T) {
	shelf := newLooseJobs()
	k := newTestJobs(t, shelf)
	for n := range uint64(3) {
		_, tick := begun(t, k, jobs.Step{Type: jobs.Wait, Seconds: 2})
		if n < 2 {
			tick(3 * time.Second)
		}
		k.saveAll()
	}
	phases := func() (list []robot.RunPhase) {
		for _, r := range k.Runs() {
			list = append(list, r.Run.Phase)
		}
		return list
	}
	want := []robot.RunPhase{robot.RunRunning, robot.RunEnded, robot.RunEnded}
	if got := phases(); !slices.Equal(got, want) {
		t.Fatalf("the runs are %v, want %v", got, want)
	}
	for n := range uint64(3) { // what is read again from now on cannot be
		if err := shelf.KeepRun(n+1, []byte("{"), 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := phases(); !slices.Equal(got, want[1:]) {
		t.Errorf("the runs are %v, want the two that have ended, which are known: whoever looks on could keep the robot busy with reading", got)
	}
	if err := shelf.DropRun(1); err != nil {
		t.Fatal(err)
	}
	if got := phases(); len(got) != 1 || len(k.ended) != 1 {
		t.Errorf("the runs are %v and %d are in memory, want the one that is still kept", got, len(k.ended))
	}
}
