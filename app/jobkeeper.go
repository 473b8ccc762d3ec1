package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mybot/handlers"
	"mybot/jobs"
	"mybot/media/voice"
	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/session"
	"mybot/store"
)

// Bounds of what is kept.
const (
	mostJobs  = 500 // definitions
	mostRuns  = 200 // the oldest make room
	mostReady = 16  // runs in memory that were made ready last
	mostActs  = 4   // rehearsals that may be asked for at once, beside runs that are made ready
)

// writeAgain is how long the keeper waits after a write that failed.
const writeAgain = time.Second

// switchedOff is why a run ended that was under way when its robot went off.
const switchedOff = "The robot was switched off."

// givenUp is told to whoever no longer waits.
const givenUp = "The job was given up before it was ready."

// jobShelf is where jobs and their runs lie: store.Store, or memory that
// forgets.
type jobShelf interface {
	Jobs() ([][]byte, error)
	PutJob(id string, job []byte) error
	DeleteJob(id string) error
	AddRun(made []byte, most int) (n uint64, err error)
	KeepRun(n uint64, state []byte, first int, log [][]byte) error
	ChangeRun(n uint64, made []byte, ready uint64) error
	DropRun(n uint64) error
	Runs() ([]store.Run, error)
	Run(n uint64) (store.Run, error)
}

// A jobKit is what a jobKeeper is made of.
type jobKit struct {
	shelf jobShelf // nil = what is kept is forgotten when the server ends
	plan  func() *robot.Floorplan
	say   func(ctx context.Context, text, voice string, speed float64) (jobs.Said, error)
	desc  robot.Description
	log   *slog.Logger
}

// sayBy has texts spoken by the robot's voice.
func sayBy(v *voice.Voice) func(ctx context.Context, text, by string, speed float64) (jobs.Said, error) {
	return func(ctx context.Context, text, by string, speed float64) (jobs.Said, error) {
		said, err := v.Said(ctx, text, by, speed)
		out := jobs.Said{Aloud: said.Aloud, Reason: said.Reason}
		for _, s := range said.Sentences {
			out.Sentences = append(out.Sentences, jobs.Sentence(s))
		}
		return out, err
	}
}

// A jobKeeper keeps jobs and their runs and makes them ready: session.Jobs,
// onboard.Jobs and handlers.Jobs. What it has in memory it answers at once;
// what happens to a run is written down by the goroutine of run, which nobody
// waits for.
type jobKeeper struct {
	jobKit

	stage    chan struct{} // holds one token while a job is rehearsed
	acts     chan struct{} // holds one for each rehearsal that was asked for
	changing sync.Mutex    // of the definitions: one after the other
	list     atomic.Pointer[[]jobs.Job]

	seen *robot.Run    // of the newest state; the control loop's own
	wake chan struct{} // holds one token while something waits to be written down

	mu     sync.Mutex // is not held while anything waits
	made   map[uint64]*ready
	goes   uint64                 // the run that was seen last,
	step   int                    // and its current step
	news   map[uint64]*robot.Run  // to be written down, by their numbers
	chores []func(jobShelf) error // to be done on the shelf, in order

	written map[uint64]int // transitions that are on the shelf, by run; run's own
	refused bool           // the last write failed; run's own
}

var (
	_ session.Jobs  = (*jobKeeper)(nil)
	_ onboard.Jobs  = (*jobKeeper)(nil)
	_ handlers.Jobs = (*jobKeeper)(nil)
)

// ready is a run that was made ready.
type ready struct {
	session.Made
	run *jobs.Run // nil = it was handed over
}

// keptMade is what a run was made of, as it is on the shelf.
type keptMade struct {
	Job    jobs.Job        `json:"job"`
	Expect []float64       `json:"expect_s"`
	Ways   [][]robot.Point `json:"ways"`
}

// An explained error is a sentence for people, and what is behind it.
type explained struct {
	sentence string
	cause    error
}

func (e explained) Error() string { return e.sentence }
func (e explained) Unwrap() error { return e.cause }

// newJobKeeper returns the keeper of what lies on the shelf. Runs that were
// under way when the robot was switched off have ended then.
func newJobKeeper(kit jobKit) (*jobKeeper, error) {
	if kit.shelf == nil {
		kit.shelf = newLooseJobs()
	}
	k := &jobKeeper{
		jobKit: kit, stage: make(chan struct{}, 1), acts: make(chan struct{}, mostActs), wake: make(chan struct{}, 1),
		made: map[uint64]*ready{}, news: map[uint64]*robot.Run{}, written: map[uint64]int{},
	}
	if err := k.look(); err != nil {
		return nil, err
	}
	return k, k.cutOff(time.Now())
}

// look reads the definitions there are. One that cannot be read is left where it
// is.
func (k *jobKeeper) look() error {
	all, err := k.shelf.Jobs()
	if err != nil {
		return err
	}
	list := make([]jobs.Job, 0, len(all))
	for _, kept := range all {
		var j jobs.Job
		if err := json.Unmarshal(kept, &j); err != nil {
			k.log.Error("a job cannot be read", "error", err)
			continue
		}
		list = append(list, j)
	}
	k.show(list)
	return nil
}

// show has the definitions listed, by name.
func (k *jobKeeper) show(list []jobs.Job) {
	slices.SortFunc(list, func(a, b jobs.Job) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
	k.list.Store(&list)
}

// cutOff ends the runs that did not end. One that was made ready may have begun
// the moment before the robot went off, so it has ended too.
func (k *jobKeeper) cutOff(now time.Time) error {
	all, err := k.shelf.Runs()
	if err != nil {
		return err
	}
	for _, kept := range all {
		if kept, err = k.shelf.Run(kept.N); err != nil {
			return err
		}
		record, err := recordOf(kept)
		if err != nil {
			k.log.Error("a run cannot be read", "error", err)
			continue
		}
		if record.Run.Phase == robot.RunEnded {
			continue
		}
		k.log.Warn("a job was under way when the robot was switched off", "job", record.Run.Name, "run", kept.N)
		if record.Run.Began.IsZero() {
			record.Run.Began = now
		}
		over := jobs.CutOff(record.Run, now, switchedOff)
		k.written[kept.N] = len(record.Run.Log)
		k.news[kept.N] = &over
		k.ring()
	}
	k.write()
	return nil
}

// List returns the definitions, by name.
func (k *jobKeeper) List() []jobs.Job { return *k.list.Load() }

// Get returns a definition.
func (k *jobKeeper) Get(id string) (jobs.Job, bool) {
	list := k.List()
	i := slices.IndexFunc(list, func(j jobs.Job) bool { return j.ID == id })
	if i < 0 {
		return jobs.Job{}, false
	}
	return list[i], true
}

// Save keeps a definition, a new one when it has no id, and returns it as it is
// kept. The error is a sentence; it is session.ErrStale when somebody saved or
// deleted the job since this revision was read, and store.ErrFull when there is no room.
func (k *jobKeeper) Save(job jobs.Job) (jobs.Job, error) {
	k.changing.Lock()
	defer k.changing.Unlock()
	list := k.List()
	at := slices.IndexFunc(list, func(j jobs.Job) bool { return j.ID == job.ID })
	switch {
	case job.ID == "" && len(list) >= mostJobs:
		return jobs.Job{}, refuse("There are %d jobs already; delete one first.", mostJobs)
	case job.ID == "":
		job.ID, job.Revision = k.idFor(job.Name), 0
	case at < 0 || list[at].Revision != job.Revision:
		return jobs.Job{}, session.ErrStale
	}
	job.Revision++
	job.Changed = time.Now().UTC()
	kept, err := json.Marshal(job)
	if err == nil {
		err = k.shelf.PutJob(job.ID, kept)
	}
	if err != nil {
		return jobs.Job{}, k.failed("The job cannot be saved.", err)
	}
	list = slices.Clone(list)
	if at < 0 || list[at].ID != job.ID {
		list = append(list, job)
	} else {
		list[at] = job
	}
	k.show(list)
	return job, nil
}

// idFor returns an id that no job has.
func (k *jobKeeper) idFor(name string) string {
	id := jobs.IDOf(name)
	for n := 2; ; n++ {
		if _, taken := k.Get(id); !taken {
			return id
		}
		end := fmt.Sprintf("-%d", n)
		id = jobs.IDOf(name)
		id = strings.TrimRight(id[:min(len(id), jobs.MostName-len(end))], "-") + end
	}
}

// Delete forgets a definition.
func (k *jobKeeper) Delete(id string) error {
	k.changing.Lock()
	defer k.changing.Unlock()
	if _, ok := k.Get(id); !ok {
		return refuse("There is no such job any more.")
	}
	if err := k.shelf.DeleteJob(id); err != nil {
		return k.failed("The job cannot be deleted.", err)
	}
	k.show(slices.DeleteFunc(slices.Clone(k.List()), func(j jobs.Job) bool { return j.ID == id }))
	return nil
}

// Check tells what is wrong with a job, over the map that is in use.
func (k *jobKeeper) Check(job jobs.Job) []jobs.Fault { return job.Check(k.place) }

// place finds a place of the map that is in use.
func (k *jobKeeper) place(name string) (robot.Pose, bool) {
	for _, p := range k.plan().Places {
		if p.Name == name {
			return p.Pose, true
		}
	}
	return robot.Pose{}, false
}

// Rehearse does a job on a virtual robot that stands at a pose of base_link in
// map. The error is a sentence.
func (k *jobKeeper) Rehearse(ctx context.Context, from robot.Pose, job jobs.Job) (handlers.Rehearsal, error) {
	select { // whoever has control does not wait behind a crowd
	case k.acts <- struct{}{}:
		defer func() { <-k.acts }()
	default:
		return handlers.Rehearsal{}, robot.Refusal{Word: robot.Busy, Reason: "Too many jobs are being rehearsed. Try again in a moment."}
	}
	steps, err := k.resolve(ctx, job)
	if err != nil {
		return handlers.Rehearsal{}, err
	}
	acted, err := k.act(ctx, from, job, steps)
	out := handlers.Rehearsal{Time: acted.Time, Length: acted.Length}
	for _, s := range acted.Steps {
		out.Steps = append(out.Steps, handlers.RehearsedStep(s))
	}
	for _, p := range acted.Path {
		out.Path = append(out.Path, handlers.RehearsedPoint(p))
	}
	return out, err
}

func (k *jobKeeper) act(ctx context.Context, from robot.Pose, job jobs.Job, steps []jobs.Ready) (Rehearsal, error) {
	select { // one after the other: the control loop needs the processor too
	case k.stage <- struct{}{}:
		defer func() { <-k.stage }()
	case <-ctx.Done():
		return Rehearsal{}, explained{givenUp, ctx.Err()}
	}
	acted, err := Rehearse(ctx, k.plan(), k.desc, from, job, steps)
	var no robot.Refusal
	switch {
	case errors.As(err, &no):
		return Rehearsal{}, no
	case err != nil:
		return Rehearsal{}, explained{givenUp, err}
	}
	return acted, nil
}

// resolve finds the places of a job and has its texts spoken.
func (k *jobKeeper) resolve(ctx context.Context, job jobs.Job) ([]jobs.Ready, error) {
	if faults := jobs.Faults(k.Check(job)); len(faults) > 0 {
		return nil, refuse("%s", faults.Sentence())
	}
	steps := make([]jobs.Ready, len(job.Steps))
	for i, s := range job.Steps {
		steps[i].Step = s
		switch {
		case s.Type == jobs.Move && s.Pose != nil:
			steps[i].Goal = robot.Pose{X: s.Pose[0], Y: s.Pose[1], Theta: robot.WrapAngle(s.Pose[2])}
		case s.Type == jobs.Move:
			steps[i].Goal, _ = k.place(s.Place)
		case s.Type == jobs.Voice:
			var err error
			if steps[i].Said, err = k.say(ctx, s.Text, s.Voice, s.Speed); err != nil {
				return nil, refuse("Step %d: the text cannot be spoken: %v.", i+1, err)
			}
		}
	}
	return steps, nil
}

// Ready makes a job ready for a robot that stands at a pose of base_link in map,
// and keeps it as a run that has not begun. The error is a sentence that names
// the step; it is store.ErrFull when there is no room.
func (k *jobKeeper) Ready(ctx context.Context, from robot.Pose, job jobs.Job) (uint64, error) {
	steps, err := k.resolve(ctx, job)
	if err != nil {
		return 0, err
	}
	acted, err := k.act(ctx, from, job, steps)
	if err != nil {
		return 0, err
	}
	m := &ready{Made: session.Made{Job: job, Steps: steps, Ways: make([][]robot.Point, len(steps))}}
	for i, s := range acted.Steps[:min(len(acted.Steps), len(steps))] {
		stops := job.Steps[i].OnFailure == "" || job.Steps[i].OnFailure == jobs.FailStop
		if s.Result.Word == robot.Error && stops {
			return 0, refuse("Step %d: %s", i+1, s.Result.Reason)
		}
		steps[i].Expect, m.Ways[i] = s.Time, s.Way
	}
	n, err := k.shelf.AddRun(m.kept(), mostRuns)
	if err != nil {
		return 0, k.failed("The job cannot be written down, so it is not run.", err)
	}
	m.run = jobs.NewRun(n, job, steps)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.made[n] = m
	for old := range k.made {
		if old+mostReady < n && old != k.goes {
			delete(k.made, old)
		}
	}
	return n, nil
}

// kept returns what the run was made of as it is kept.
func (m *ready) kept() []byte {
	kept := keptMade{Job: m.Job, Ways: m.Ways}
	for _, s := range m.Steps {
		kept.Expect = append(kept.Expect, finite(s.Expect))
	}
	return plain(kept)
}

// plain returns v in JSON. Of what is kept every value has one.
func plain(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("app: a %T cannot be encoded: %v", v, err))
	}
	return text
}

// finite returns x, 0 when it is not a finite number.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// Made tells what a run was made of that goes, or was made ready lately.
func (k *jobKeeper) Made(run uint64) (session.Made, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if m := k.made[run]; m != nil {
		return m.Made, true
	}
	return session.Made{}, false
}

// Take hands a run over to the control core, once.
func (k *jobKeeper) Take(run uint64) (*jobs.Run, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	m := k.made[run]
	if m == nil || m.run == nil {
		return nil, false
	}
	taken := m.run
	m.run = nil
	return taken, true
}

// Drop forgets a run that was made ready and does not begin.
func (k *jobKeeper) Drop(run uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.made, run)
	k.chore(func(s jobShelf) error { return s.DropRun(run) })
}

// Changed notes that a run goes on with the steps that were made ready under
// another number. Up to the current one they are those it had.
func (k *jobKeeper) Changed(run, other uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	was, with := k.made[run], k.made[other]
	if was == nil || with == nil {
		return
	}
	fixed := 0
	if run == k.goes {
		fixed = min(k.step+1, len(was.Steps), len(with.Steps))
	}
	now := &ready{Made: session.Made{
		Job:   with.Job,
		Steps: slices.Concat(was.Steps[:fixed], with.Steps[fixed:]),
		Ways:  slices.Concat(was.Ways[:fixed], with.Ways[fixed:]),
	}}
	delete(k.made, other)
	k.made[run] = now
	k.chore(func(s jobShelf) error { return s.ChangeRun(run, now.kept(), other) })
}

// chore has something done on the shelf, when nobody waits.
func (k *jobKeeper) chore(do func(jobShelf) error) {
	k.chores = append(k.chores, do)
	k.ring()
}

func (k *jobKeeper) ring() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// See looks at every state, in the control loop: what happened to the run is to
// be written down. It does not wait.
func (k *jobKeeper) See(s robot.State) {
	old := k.seen
	if s.Run == nil || s.Run == old {
		return
	}
	k.seen = s.Run
	if old != nil && old.Number == s.Run.Number && len(old.Log) == len(s.Run.Log) && old.Edition == s.Run.Edition {
		return // only what is left has changed
	}
	k.mu.Lock()
	k.goes, k.step = s.Run.Number, s.Run.Step
	k.news[s.Run.Number] = s.Run
	k.mu.Unlock()
	k.ring()
}

// run writes down what happens to runs until ctx ends, and once more then.
func (k *jobKeeper) run(ctx context.Context) error {
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			k.write()
			return ctx.Err()
		case <-k.wake:
		case <-again.C:
		}
		if !k.write() {
			again.Reset(writeAgain)
		}
	}
}

// write writes down what waits for it. What cannot be written goes on waiting;
// write tells whether nothing does.
func (k *jobKeeper) write() bool {
	k.mu.Lock()
	chores, news := k.chores, k.news
	k.chores, k.news = nil, map[uint64]*robot.Run{}
	k.mu.Unlock()

	var failed error
	for i, do := range chores {
		if failed = do(k.shelf); failed != nil {
			k.mu.Lock()
			k.chores = slices.Concat(chores[i:], k.chores)
			k.mu.Unlock()
			break
		}
	}
	for n, r := range news {
		err := failed
		if err == nil {
			err = k.keep(n, r)
		}
		if err == nil {
			continue
		}
		failed = err
		k.mu.Lock()
		if k.news[n] == nil {
			k.news[n] = r
		}
		k.mu.Unlock()
	}
	switch {
	case failed != nil && !k.refused:
		k.log.Error("what happens to jobs cannot be written down; it is tried again every second", "error", failed)
	case failed == nil && k.refused:
		k.log.Info("what happens to jobs is written down again")
	}
	k.refused = failed != nil
	return failed == nil
}

// keep writes down what is new of a run.
func (k *jobKeeper) keep(n uint64, r *robot.Run) error {
	first := min(k.written[n], len(r.Log))
	var log [][]byte
	for _, t := range r.Log[first:] {
		log = append(log, plain(t))
	}
	state := *r
	state.Log, state.Left, state.Steps = nil, 0, slices.Clone(r.Steps)
	for i := range state.Steps {
		s := &state.Steps[i]
		s.Left, s.Expect = 0, finite(s.Expect)
	}
	if err := k.shelf.KeepRun(n, plain(state), first, log); err != nil {
		return err
	}
	k.written[n] = len(r.Log)
	if r.Phase == robot.RunEnded {
		delete(k.written, n)
	}
	return nil
}

// Runs returns the runs that began, the newest first, as they are on the shelf,
// without their transitions and what they were made of: that is much to read.
func (k *jobKeeper) Runs() []session.RunRecord {
	all, err := k.shelf.Runs()
	if err != nil {
		k.log.Error("the runs cannot be read", "error", err)
	}
	records := make([]session.RunRecord, 0, len(all))
	for _, kept := range slices.Backward(all) {
		if kept.State != nil {
			r, err := stateOf(kept)
			if err != nil {
				k.log.Error("a run cannot be read", "error", err)
				continue
			}
			records = append(records, session.RunRecord{Run: r})
		}
	}
	return records
}

// Run returns a run that began, with its transitions, as it is on the shelf.
func (k *jobKeeper) Run(n uint64) (session.RunRecord, bool) {
	kept, err := k.shelf.Run(n)
	if err != nil || kept.State == nil {
		return session.RunRecord{}, false
	}
	r, err := recordOf(kept)
	if err != nil {
		k.log.Error("a run cannot be read", "run", n, "error", err)
		return session.RunRecord{}, false
	}
	return r, true
}

// stateOf reads how a run stands that began.
func stateOf(kept store.Run) (r robot.Run, err error) {
	err = json.Unmarshal(kept.State, &r)
	if err == nil && (r.Step < 0 || r.Step > len(r.Steps)) {
		err = fmt.Errorf("it is at step %d of %d", r.Step+1, len(r.Steps))
	}
	if err != nil {
		return robot.Run{}, fmt.Errorf("run %d cannot be read: %w", kept.N, err)
	}
	return r, nil
}

// recordOf reads what is kept of a run, which may not have begun.
func recordOf(kept store.Run) (r session.RunRecord, err error) {
	var made keptMade
	if err := json.Unmarshal(kept.Made, &made); err != nil {
		return r, fmt.Errorf("run %d cannot be read: %w", kept.N, err)
	}
	r.Job, r.Ways = made.Job, made.Ways
	if kept.State == nil {
		steps := make([]jobs.Ready, len(made.Job.Steps))
		for i := range steps {
			if i < len(made.Expect) {
				steps[i].Expect = made.Expect[i]
			}
		}
		r.Run = *jobs.NewRun(kept.N, made.Job, steps).State()
		return r, nil
	}
	if r.Run, err = stateOf(kept); err != nil {
		return r, err
	}
	for _, text := range kept.Log {
		var t robot.Transition
		if err := json.Unmarshal(text, &t); err != nil {
			return r, fmt.Errorf("run %d cannot be read: %w", kept.N, err)
		}
		r.Run.Log = append(r.Run.Log, t)
	}
	return r, nil
}

// failed tells people what did not work, and the log why.
func (k *jobKeeper) failed(what string, err error) error {
	k.log.Error("jobs", "what", what, "error", err)
	if errors.Is(err, store.ErrFull) {
		return explained{what + " The robot's disk is full. Make room on it, then try again.", err}
	}
	return explained{what + " The robot's log says why.", err}
}
