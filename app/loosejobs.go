package app

import (
	"maps"
	"slices"
	"sync"

	"mybot/store"
)

// looseJobs is a Store in memory, for a server without a data directory.
type looseJobs struct {
	mu   sync.Mutex
	last uint64
	jobs map[string][]byte
	runs map[uint64]*store.Run
}

func newLooseJobs() *looseJobs {
	return &looseJobs{jobs: map[string][]byte{}, runs: map[uint64]*store.Run{}}
}

// Jobs returns the definitions by their ids.
func (l *looseJobs) Jobs() (map[string][]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.jobs), nil
}

// PutJob keeps a definition.
func (l *looseJobs) PutJob(id string, job []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.jobs[id] = job
	return nil
}

// DeleteJob forgets a definition.
func (l *looseJobs) DeleteJob(id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.jobs, id)
	return nil
}

// AddRun keeps a new run.
func (l *looseJobs) AddRun(made []byte, most int) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	l.runs[l.last] = &store.Run{N: l.last, Made: made}
	for _, n := range l.numbers()[:max(0, len(l.runs)-most)] {
		delete(l.runs, n)
	}
	return l.last, nil
}

// numbers returns those of the runs, in order.
func (l *looseJobs) numbers() []uint64 { return slices.Sorted(maps.Keys(l.runs)) }

// KeepRun keeps how a run stands and its transitions from number first on.
func (l *looseJobs) KeepRun(n uint64, state []byte, first int, log [][]byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.runs[n]; r != nil {
		r.State, r.Log = state, slices.Concat(r.Log[:first], log)
	}
	return nil
}

// ChangeRun keeps what a run is made of from now on.
func (l *looseJobs) ChangeRun(n uint64, made []byte, ready uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.runs[n]; r != nil {
		r.Made = made
	}
	delete(l.runs, ready)
	return nil
}

// DropRun forgets a run.
func (l *looseJobs) DropRun(n uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.runs, n)
	return nil
}

// Runs returns the runs without their transitions and what they were made of,
// the oldest first.
func (l *looseJobs) Runs() ([]store.Run, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]store.Run, 0, len(l.runs))
	for _, n := range l.numbers() {
		r := *l.runs[n]
		r.Made, r.Log = nil, nil
		all = append(all, r)
	}
	return all, nil
}

// Run returns a run; without a number there is none.
func (l *looseJobs) Run(n uint64) (store.Run, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.runs[n]; r != nil {
		return *r, nil
	}
	return store.Run{}, nil
}
