// Package library keeps jobs and their runs, and prepares runs: places become
// poses, texts are spoken, and all of it is rehearsed.
//
// Contract. What a Library has in memory it answers at once; what happens to a run
// is written to the store by the one goroutine of Write, for which the control loop
// never waits. Observe is called by the control loop alone; every other method may
// be called from any goroutine.
package library

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mybot/handlers"
	"mybot/jobs"
	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/session"
	"mybot/store"
)

// Limits of what is saved.
const (
	maxJobs       = 500 // definitions
	maxRuns       = 200 // the oldest are deleted
	maxPrepared   = 16  // runs in memory that were prepared last
	maxRehearsals = 4   // rehearsals that may be asked for at once, beside runs that are being prepared
)

// A Store has jobs and their runs: store.Store.
type Store interface {
	Jobs() (map[string][]byte, error)
	PutJob(id string, job []byte) error
	DeleteJob(id string) error
	AddRun(made []byte, most int) (n uint64, err error)
	KeepRun(n uint64, state []byte, first int, log [][]byte) error
	ChangeRun(n uint64, made []byte, ready uint64) error
	DropRun(n uint64) error
	Runs() ([]store.Run, error)
	Run(n uint64) (store.Run, error)
}

// A Rehearser rehearses jobs: rehearsal.Rehearser. One goroutine at a time calls it.
type Rehearser interface {
	Rehearse(ctx context.Context, plan *robot.Floorplan, from robot.Pose, job jobs.Job, steps []jobs.PreparedStep) (jobs.Rehearsal, error)
}

// A Config is what a Library is made of.
type Config struct {
	Store     Store
	Plan      func() *robot.Floorplan // the map in use
	Speak     func(ctx context.Context, text, voice string, speed float64) (jobs.PreparedSpeech, error)
	Rehearser Rehearser
	Log       *slog.Logger
}

// A Library has the jobs and runs of one store.
type Library struct {
	cfg Config

	rehearser  chan Rehearser // holds it while no job is rehearsed: one after the other, for the control loop needs the processor too
	rehearsals chan struct{}  // holds one token for each rehearsal that was asked for

	changing   sync.Mutex // held by the one goroutine that changes the definitions
	list       atomic.Pointer[[]jobs.Job]
	owners     sync.Map        // ids of the definitions to their owners
	unreadable map[string]bool // ids of definitions that cannot be read; they stay as they are in the store

	observed *robot.Run    // of the newest state; the control loop's own
	wake     chan struct{} // holds one token while something waits to be written

	mu          sync.Mutex // guards what follows; is not held while anything waits
	prepared    map[uint64]*preparedRun
	current     uint64                // the run that was observed last,
	currentStep int                   // its current step,
	began       time.Time             // and when it began
	unsaved     map[uint64]*robot.Run // to be written, by their numbers
	pending     []func(Store) error   // changes of the store that wait, in order

	reading sync.Mutex           // held by the one goroutine that reads the runs
	ended   map[uint64]robot.Run // those that have ended, as they are in the store: reading them takes long

	saved   map[uint64]int   // transitions that are in the store, by run; Write's own
	failing store.FailureLog // of writes; Write's own
}

var (
	_ session.Jobs  = (*Library)(nil)
	_ onboard.Jobs  = (*Library)(nil)
	_ handlers.Jobs = (*Library)(nil)
)

// An explainedError is a sentence for users, and its cause.
type explainedError struct {
	sentence string
	cause    error
}

func (e explainedError) Error() string { return e.sentence }
func (e explainedError) Unwrap() error { return e.cause }

// Open returns the library of a store. Runs that were under way when the robot was
// switched off have ended then.
func Open(cfg Config) (*Library, error) {
	l := &Library{
		cfg: cfg, rehearser: make(chan Rehearser, 1), rehearsals: make(chan struct{}, maxRehearsals), wake: make(chan struct{}, 1),
		unreadable: map[string]bool{}, prepared: map[uint64]*preparedRun{}, unsaved: map[uint64]*robot.Run{}, saved: map[uint64]int{},
	}
	l.rehearser <- cfg.Rehearser
	if err := l.loadJobs(); err != nil {
		return nil, err
	}
	return l, l.endInterruptedRuns(time.Now())
}

// loadJobs reads the definitions. One that cannot be read stays as it is.
func (l *Library) loadJobs() error {
	all, err := l.cfg.Store.Jobs()
	if err != nil {
		return err
	}
	list := make([]jobs.Job, 0, len(all))
	for id, kept := range all {
		var j savedJob
		err := json.Unmarshal(kept, &j)
		if err == nil && j.ID != id {
			err = fmt.Errorf("its id is %q", j.ID)
		}
		if err != nil {
			l.cfg.Log.Error("a job cannot be read; it stays as it is", "id", id, "error", err)
			l.unreadable[id] = true
			continue
		}
		list = append(list, j.Job)
		l.owners.Store(id, j.Owner)
	}
	l.setList(list)
	return nil
}

// A savedJob is a definition as it is in the store.
type savedJob struct {
	jobs.Job
	Owner string `json:"owner,omitempty"` // as session.Owner names them; "" = not known
}

// OwnerOf returns the owner of a definition; "" = not known.
func (l *Library) OwnerOf(id string) string {
	owner, _ := l.owners.Load(id)
	name, _ := owner.(string)
	return name
}

// setList sorts the definitions by name and lists them.
func (l *Library) setList(list []jobs.Job) {
	slices.SortFunc(list, func(a, b jobs.Job) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
	l.list.Store(&list)
}

// List returns the definitions, by name.
func (l *Library) List() []jobs.Job { return *l.list.Load() }

// Get returns a definition.
func (l *Library) Get(id string) (jobs.Job, bool) {
	list := l.List()
	i := slices.IndexFunc(list, func(j jobs.Job) bool { return j.ID == id })
	if i < 0 {
		return jobs.Job{}, false
	}
	return list[i], true
}

// Save saves a definition, a new one of the owner when it has no id, and returns it
// as it is saved. The error is a sentence; it is jobs.ErrStale when the job was saved
// or deleted since this revision was read, and store.ErrFull when the disk is full.
func (l *Library) Save(job jobs.Job, owner string) (jobs.Job, error) {
	l.changing.Lock()
	defer l.changing.Unlock()
	list := l.List()
	at := slices.IndexFunc(list, func(j jobs.Job) bool { return j.ID == job.ID })
	switch {
	case job.ID == "" && len(list) >= maxJobs:
		return jobs.Job{}, robot.Refusef("There are %d jobs already; delete one first.", maxJobs)
	case job.ID == "":
		job.ID, job.Revision = l.freeID(job.Name), 0
	case at < 0 || list[at].Revision != job.Revision:
		return jobs.Job{}, jobs.ErrStale
	default:
		owner = l.OwnerOf(job.ID)
	}
	job.Revision++
	job.Changed = time.Now().UTC()
	kept, err := json.Marshal(savedJob{job, owner})
	if err == nil {
		err = l.cfg.Store.PutJob(job.ID, kept)
	}
	if err != nil {
		return jobs.Job{}, l.logFailure("The job cannot be saved.", err)
	}
	l.owners.Store(job.ID, owner)
	list = slices.Clone(list)
	if at < 0 || list[at].ID != job.ID {
		list = append(list, job)
	} else {
		list[at] = job
	}
	l.setList(list)
	return job, nil
}

// freeID returns an id that no job has, not even one that cannot be read.
func (l *Library) freeID(name string) string {
	id := jobs.IDOf(name)
	for n := 2; ; n++ {
		if _, taken := l.Get(id); !taken && !l.unreadable[id] {
			return id
		}
		end := fmt.Sprintf("-%d", n)
		id = jobs.IDOf(name)
		id = strings.TrimRight(id[:min(len(id), jobs.MaxName-len(end))], "-") + end
	}
}

// Delete deletes a definition.
func (l *Library) Delete(id string) error {
	l.changing.Lock()
	defer l.changing.Unlock()
	if _, ok := l.Get(id); !ok {
		return robot.Refusef("This job no longer exists.")
	}
	if err := l.cfg.Store.DeleteJob(id); err != nil {
		return l.logFailure("The job cannot be deleted.", err)
	}
	l.owners.Delete(id)
	l.setList(slices.DeleteFunc(slices.Clone(l.List()), func(j jobs.Job) bool { return j.ID == id }))
	return nil
}

// Check returns what is wrong with a job, over the map that is in use.
func (l *Library) Check(job jobs.Job) []jobs.Fault { return job.Check(l.findPlace) }

// findPlace finds a place of the map that is in use.
func (l *Library) findPlace(name string) (robot.Pose, bool) {
	return l.cfg.Plan().Place(name)
}

// wakeWriter has Write look at what waits.
func (l *Library) wakeWriter() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// logFailure logs why something did not work, and returns what the user is told.
func (l *Library) logFailure(what string, err error) error {
	l.cfg.Log.Error("jobs", "what", what, "error", err)
	if errors.Is(err, store.ErrFull) {
		return explainedError{what + " The robot's disk is full. Make room on it, then try again.", err}
	}
	return explainedError{what + " The robot's log says why.", err}
}
