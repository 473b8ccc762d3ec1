package app

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/session"
	"mybot/store"
)

// What happens to runs is written down, by a goroutine that nobody waits for.

// writeAgain is how long the keeper waits after a write that failed.
const writeAgain = time.Second

// switchedOff is why a run ended that was under way when its robot went off.
const switchedOff = "The robot was switched off."

// keptMade is what a run was made of, as it is on the shelf.
type keptMade struct {
	Job    jobs.Job        `json:"job"`
	Expect []float64       `json:"expect_s"`
	Ways   [][]robot.Point `json:"ways"`
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
		k.log.Warn("a job was running when the robot was switched off", "job", record.Run.Name, "run", kept.N)
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

// chore has something done on the shelf, when nobody waits.
func (k *jobKeeper) chore(do func(jobShelf) error) {
	k.chores = append(k.chores, do)
	k.ring()
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
		k.log.Error("the record of jobs cannot be saved; trying again every second", "error", failed)
	case failed == nil && k.refused:
		k.log.Info("the record of jobs is being saved again")
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
	k.looking.Lock()
	defer k.looking.Unlock()
	all, err := k.shelf.Runs()
	if err != nil {
		k.log.Error("the runs cannot be read", "error", err)
	}
	records := make([]session.RunRecord, 0, len(all))
	over := make(map[uint64]robot.Run, len(all))
	for _, kept := range slices.Backward(all) {
		if kept.State == nil {
			continue
		}
		r, known := k.over[kept.N]
		if !known {
			if r, err = stateOf(kept); err != nil {
				k.log.Error("a run cannot be read", "error", err)
				continue
			}
		}
		if r.Phase == robot.RunEnded {
			over[kept.N] = r
		}
		records = append(records, session.RunRecord{Run: r})
	}
	k.over = over
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
		steps := make([]jobs.PreparedStep, len(made.Job.Steps))
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
