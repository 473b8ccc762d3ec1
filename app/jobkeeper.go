package app

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

// Bounds of what is kept.
const (
	mostJobs  = 500 // definitions
	mostRuns  = 200 // the oldest make room
	mostReady = 16  // runs in memory that were made ready last
	mostActs  = 4   // rehearsals that may be asked for at once, beside runs that are made ready
)

// Store is where jobs and their runs lie: store.Store, or memory that
// forgets.
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

// A jobKit is what a Library is made of.
type jobKit struct {
	shelf     Store // nil = what is kept is forgotten when the server ends
	plan      func() *robot.Floorplan
	Speak     func(ctx context.Context, text, voice string, speed float64) (jobs.PreparedSpeech, error)
	Rehearser robot.Description
	log       *slog.Logger
}

// A Library keeps jobs and their runs and makes them ready: session.Jobs,
// onboard.Jobs and handlers.Jobs. What it has in memory it answers at once;
// what happens to a run is written down by the goroutine of run, which nobody
// waits for.
type Library struct {
	jobKit

	stage      chan *Rehearser // holds it while no job is rehearsed: one after the other, for the control loop needs the processor too
	rehearsals chan struct{}   // holds one for each rehearsal that was asked for
	changing   sync.Mutex      // of the definitions: one after the other
	list       atomic.Pointer[[]jobs.Job]
	unread     map[string]bool // ids of definitions that cannot be read; they stay where they are

	observed *robot.Run    // of the newest state; the control loop's own
	wake     chan struct{} // holds one token while something waits to be written down

	mu          sync.Mutex // is not held while anything waits
	prepared    map[uint64]*ready
	current     uint64                // the run that was seen last,
	currentStep int                   // and its current step
	news        map[uint64]*robot.Run // to be written down, by their numbers
	pending     []func(Store) error   // to be done on the shelf, in order

	reading sync.Mutex           // of who asks for the runs: one after the other
	ended   map[uint64]robot.Run // those that have ended, as they are on the shelf: to read them is much work

	saved   map[uint64]int // transitions that are on the shelf, by run; run's own
	refused bool           // the last write failed; run's own
}

var (
	_ session.Jobs  = (*Library)(nil)
	_ onboard.Jobs  = (*Library)(nil)
	_ handlers.Jobs = (*Library)(nil)
)

// An explainedError error is a sentence for people, and what is behind it.
type explainedError struct {
	sentence string
	cause    error
}

func (e explainedError) Error() string { return e.sentence }
func (e explainedError) Unwrap() error { return e.cause }

// Open returns the keeper of what lies on the shelf. Runs that were
// under way when the robot was switched off have ended then.
func Open(cfg jobKit) (*Library, error) {
	if cfg.shelf == nil {
		cfg.shelf = newLooseJobs()
	}
	k := &Library{
		jobKit: cfg, stage: make(chan *Rehearser, 1), rehearsals: make(chan struct{}, mostActs), wake: make(chan struct{}, 1),
		unread: map[string]bool{}, prepared: map[uint64]*ready{}, news: map[uint64]*robot.Run{}, saved: map[uint64]int{},
	}
	k.stage <- New(cfg.Rehearser)
	if err := k.load(); err != nil {
		return nil, err
	}
	return k, k.endInterruptedRuns(time.Now())
}

// load reads the definitions there are. One that cannot be read is left where it
// is.
func (k *Library) load() error {
	all, err := k.shelf.Jobs()
	if err != nil {
		return err
	}
	list := make([]jobs.Job, 0, len(all))
	for id, kept := range all {
		var j jobs.Job
		err := json.Unmarshal(kept, &j)
		if err == nil && j.ID != id {
			err = fmt.Errorf("its id is %q", j.ID)
		}
		if err != nil {
			k.log.Error("a job cannot be read; it stays as it is", "id", id, "error", err)
			k.unread[id] = true
			continue
		}
		list = append(list, j)
	}
	k.setList(list)
	return nil
}

// setList has the definitions listed, by name.
func (k *Library) setList(list []jobs.Job) {
	slices.SortFunc(list, func(a, b jobs.Job) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
	k.list.Store(&list)
}

// List returns the definitions, by name.
func (k *Library) List() []jobs.Job { return *k.list.Load() }

// Get returns a definition.
func (k *Library) Get(id string) (jobs.Job, bool) {
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
func (k *Library) Save(job jobs.Job) (jobs.Job, error) {
	k.changing.Lock()
	defer k.changing.Unlock()
	list := k.List()
	at := slices.IndexFunc(list, func(j jobs.Job) bool { return j.ID == job.ID })
	switch {
	case job.ID == "" && len(list) >= mostJobs:
		return jobs.Job{}, refuse("There are %d jobs already; delete one first.", mostJobs)
	case job.ID == "":
		job.ID, job.Revision = k.freeID(job.Name), 0
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
		return jobs.Job{}, k.logFailure("The job cannot be saved.", err)
	}
	list = slices.Clone(list)
	if at < 0 || list[at].ID != job.ID {
		list = append(list, job)
	} else {
		list[at] = job
	}
	k.setList(list)
	return job, nil
}

// freeID returns an id that no job has, nor what cannot be read.
func (k *Library) freeID(name string) string {
	id := jobs.IDOf(name)
	for n := 2; ; n++ {
		if _, taken := k.Get(id); !taken && !k.unread[id] {
			return id
		}
		end := fmt.Sprintf("-%d", n)
		id = jobs.IDOf(name)
		id = strings.TrimRight(id[:min(len(id), jobs.MaxName-len(end))], "-") + end
	}
}

// Delete forgets a definition.
func (k *Library) Delete(id string) error {
	k.changing.Lock()
	defer k.changing.Unlock()
	if _, ok := k.Get(id); !ok {
		return refuse("This job no longer exists.")
	}
	if err := k.shelf.DeleteJob(id); err != nil {
		return k.logFailure("The job cannot be deleted.", err)
	}
	k.setList(slices.DeleteFunc(slices.Clone(k.List()), func(j jobs.Job) bool { return j.ID == id }))
	return nil
}

// Check tells what is wrong with a job, over the map that is in use.
func (k *Library) Check(job jobs.Job) []jobs.Fault { return job.Check(k.place) }

// place finds a place of the map that is in use.
func (k *Library) place(name string) (robot.Pose, bool) {
	for _, p := range k.plan().Places {
		if p.Name == name {
			return p.Pose, true
		}
	}
	return robot.Pose{}, false
}

func (k *Library) wakeWriter() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// logFailure tells people what did not work, and the log why.
func (k *Library) logFailure(what string, err error) error {
	k.log.Error("jobs", "what", what, "error", err)
	if errors.Is(err, store.ErrFull) {
		return explainedError{what + " The robot's disk is full. Make room on it, then try again.", err}
	}
	return explainedError{what + " The robot's log says why.", err}
}
