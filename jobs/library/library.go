// Package library stores jobs and their runs, and prepares runs: it resolves places
// to poses, synthesizes texts, and rehearses the whole job.
//
// Contract. A Library answers from memory at once. The goroutine of Write alone
// writes the progress of runs to the store, and the control loop never waits for
// it. Only the control loop calls Observe; any goroutine may call every other
// method.
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

// Limits of what is stored.
const (
	maxJobs     = 500 // definitions
	maxRuns     = 200 // the oldest are deleted
	maxPrepared = 16  // prepared runs in memory
)

// A Store stores jobs and their runs: store.Store.
type Store interface {
	Jobs() (all map[string][]byte, deleted uint64, err error)
	PutJob(id string, job []byte) error
	DeleteJob(id string, revision uint64) error
	AddRun(made []byte, most int) (n uint64, err error)
	KeepRun(n uint64, state []byte, first int, log [][]byte) error
	ChangeRun(n uint64, made []byte, ready uint64) error
	DropRun(n uint64) error
	Runs() ([]store.Run, error)
	Run(n uint64) (store.Run, error)
}

// A Rehearser rehearses jobs: rehearsal.Rehearser. One goroutine at a time calls
// it.
type Rehearser interface {
	Rehearse(ctx context.Context, plan *robot.Floorplan, from robot.Pose, job jobs.Job, steps []jobs.PreparedStep) (jobs.Rehearsal, error)
}

// A Config configures a Library.
type Config struct {
	Store     Store
	Plan      func() *robot.Floorplan // the map in use
	Speak     func(ctx context.Context, text, voice string, speed float64) (jobs.PreparedSpeech, error)
	Rehearser Rehearser
	Log       *slog.Logger
}

// A Library holds the jobs and runs of one store.
type Library struct {
	cfg Config

	rehearser chan Rehearser // holds the rehearser while it is idle; only one job at a time is rehearsed, because the control loop needs the processor too

	changing   sync.Mutex // held by the goroutine that changes the definitions
	deleted    uint64     // highest revision of those deleted; that of a new one, which may have the id of one of them, is higher
	list       atomic.Pointer[[]jobs.Job]
	owners     sync.Map        // owners of the definitions by id
	unreadable map[string]bool // ids of definitions that cannot be read, and remain unchanged in the store

	observed *robot.Run    // run of the newest state; belongs to the control loop
	wake     chan struct{} // holds one token while a write is pending

	mu          sync.Mutex // guards the following; never held while anything waits
	prepared    map[uint64]*preparedRun
	floor       uint64                // grows with ForgetFloor: runs of an earlier floor do not begin
	current     uint64                // the last observed run
	currentStep int                   // its current step
	began       time.Time             // when it began
	taken       uint64                // the run or change that Core took last, which no state may show yet; 0 = none
	takenAt     time.Time             // when
	unsaved     map[uint64]*robot.Run // runs to be written, by number
	pending     []func(Store) error   // pending changes of the store, in order

	reading sync.Mutex           // held by the goroutine that reads the runs
	ended   map[uint64]robot.Run // ended runs as in the store, because reading them takes long

	saved   map[uint64]int   // transitions that are in the store, by run; belongs to Write
	failing store.FailureLog // of writes; belongs to Write
}

var (
	_ session.Jobs  = (*Library)(nil)
	_ onboard.Jobs  = (*Library)(nil)
	_ handlers.Jobs = (*Library)(nil)
)

// An explainedError is a sentence for users with its cause.
type explainedError struct {
	sentence string
	cause    error
}

func (e explainedError) Error() string { return e.sentence }
func (e explainedError) Unwrap() error { return e.cause }

// Open returns the library of a store. It ends the runs that were in progress when
// the robot was switched off.
func Open(cfg Config) (*Library, error) {
	l := &Library{
		cfg: cfg, rehearser: make(chan Rehearser, 1), wake: make(chan struct{}, 1),
		unreadable: map[string]bool{}, prepared: map[uint64]*preparedRun{}, unsaved: map[uint64]*robot.Run{}, saved: map[uint64]int{},
	}
	l.rehearser <- cfg.Rehearser
	if err := l.loadJobs(); err != nil {
		return nil, err
	}
	return l, l.endInterruptedRuns(time.Now())
}

// loadJobs reads the definitions. It leaves an unreadable one unchanged.
func (l *Library) loadJobs() error {
	all, deleted, err := l.cfg.Store.Jobs()
	if err != nil {
		return err
	}
	l.deleted = deleted
	list := make([]jobs.Job, 0, len(all))
	for id, data := range all {
		var j savedJob
		err := json.Unmarshal(data, &j)
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

// A savedJob is the stored form of a definition.
type savedJob struct {
	jobs.Job
	Owner string `json:"owner,omitempty"` // as session.Owner returns it; "" = unknown
}

// OwnerOf returns the owner of a definition; "" = unknown.
func (l *Library) OwnerOf(id string) string {
	owner, _ := l.owners.Load(id)
	name, _ := owner.(string)
	return name
}

// countOf returns how many definitions an owner has. As in ratelimit.Shares, one who has
// some gets one more only while more than those are free.
func (l *Library) countOf(owner string) (n int) {
	for _, j := range l.List() {
		if l.OwnerOf(j.ID) == owner {
			n++
		}
	}
	return n
}

// setList sorts the definitions by name and publishes them.
func (l *Library) setList(list []jobs.Job) {
	slices.SortFunc(list, func(a, b jobs.Job) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
	l.list.Store(&list)
}

// List returns the definitions, sorted by name.
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

// Save saves a definition, as a new one of the owner if it has no id, and returns
// it as saved. The error is a sentence; it is jobs.ErrStale if the job was saved or
// deleted after this revision was read, and store.ErrFull if the disk is full.
func (l *Library) Save(job jobs.Job, owner string) (jobs.Job, error) {
	l.changing.Lock()
	defer l.changing.Unlock()
	list := l.List()
	at := slices.IndexFunc(list, func(j jobs.Job) bool { return j.ID == job.ID })
	switch {
	case job.ID == "" && len(list) >= maxJobs:
		return jobs.Job{}, robot.Refusef("There are %d jobs already; delete one first.", maxJobs)
	case job.ID == "" && l.countOf(owner) >= maxJobs-len(list):
		return jobs.Job{}, robot.Refusef("This device has made %d of the %d jobs already; the other places are for other devices. Delete one of its own first.", l.countOf(owner), maxJobs)
	case job.ID == "":
		job.ID, job.Revision = l.freeID(job.Name), l.deleted
	case at < 0 || list[at].Revision != job.Revision:
		return jobs.Job{}, jobs.ErrStale
	default:
		owner = l.OwnerOf(job.ID)
	}
	job.Revision++
	job.Changed = time.Now().UTC()
	data, err := json.Marshal(savedJob{job, owner})
	if err == nil {
		err = l.cfg.Store.PutJob(job.ID, data)
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

// freeID returns an id that no job has, not even an unreadable one.
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
	job, ok := l.Get(id)
	if !ok {
		return robot.Refusef("This job no longer exists.")
	}
	if err := l.cfg.Store.DeleteJob(id, job.Revision); err != nil {
		return l.logFailure("The job cannot be deleted.", err)
	}
	l.owners.Delete(id)
	l.deleted = max(l.deleted, job.Revision)
	l.setList(slices.DeleteFunc(slices.Clone(l.List()), func(j jobs.Job) bool { return j.ID == id }))
	return nil
}

// Check returns the faults of a job on the map in use.
func (l *Library) Check(job jobs.Job) []jobs.Fault { return job.Check(l.findPlace) }

// findPlace looks up a place of the map in use.
func (l *Library) findPlace(name string) (robot.Pose, bool) {
	return l.cfg.Plan().Place(name)
}

// wakeWriter wakes Write.
func (l *Library) wakeWriter() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// logFailure logs why an operation failed, and returns the error for the user.
func (l *Library) logFailure(what string, err error) error {
	l.cfg.Log.Error("jobs", "what", what, "error", err)
	if errors.Is(err, store.ErrFull) {
		return explainedError{what + " The robot's disk is full. Make room on it, then try again.", err}
	}
	return explainedError{what + " The robot's log says why.", err}
}
