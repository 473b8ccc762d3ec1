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

// savedRun is what a run was made of, as it is on the shelf.
type savedRun struct {
	Job    jobs.Job        `json:"job"`
	Expect []float64       `json:"expect_s"`
	Ways   [][]robot.Point `json:"ways"`
}

// endInterruptedRuns ends the runs that did not end. One that was made ready may have begun
// the moment before the robot went off, so it has ended too.
func (k *Library) endInterruptedRuns(now time.Time) error {
	all, err := k.shelf.Runs()
	if err != nil {
		return err
	}
	for _, row := range all {
		if row, err = k.shelf.Run(row.N); err != nil {
			return err
		}
		record, err := decodeRecord(row)
		if err != nil {
			k.log.Error("a run cannot be read", "error", err)
			continue
		}
		if record.Run.Phase == robot.RunEnded {
			continue
		}
		k.log.Warn("a job was running when the robot was switched off", "job", record.Run.Name, "run", row.N)
		if record.Run.Began.IsZero() {
			record.Run.Began = now
		}
		ended := jobs.CutOff(record.Run, now, switchedOff)
		k.saved[row.N] = len(record.Run.Log)
		k.news[row.N] = &ended
		k.wakeWriter()
	}
	k.saveAll()
	return nil
}

// encode returns what the run was made of as it is kept.
func (m *ready) encode() []byte {
	row := savedRun{Job: m.Job, Ways: m.Ways}
	for _, s := range m.Steps {
		row.Expect = append(row.Expect, finite(s.Expect))
	}
	return mustEncode(row)
}

// mustEncode returns v in JSON. Of what is kept every value has one.
func mustEncode(v any) []byte {
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
func (k *Library) chore(do func(Store) error) {
	k.pending = append(k.pending, do)
	k.wakeWriter()
}

// Observe looks at every state, in the control loop: what happened to the run is to
// be written down. It does not wait.
func (k *Library) Observe(s robot.State) {
	old := k.observed
	if s.Run == nil || s.Run == old {
		return
	}
	k.observed = s.Run
	if old != nil && old.Number == s.Run.Number && len(old.Log) == len(s.Run.Log) && old.Edition == s.Run.Edition {
		return // only what is left has changed
	}
	k.mu.Lock()
	k.current, k.currentStep = s.Run.Number, s.Run.Step
	k.news[s.Run.Number] = s.Run
	k.mu.Unlock()
	k.wakeWriter()
}

// Write writes down what happens to runs until ctx ends, and once more then.
func (k *Library) Write(ctx context.Context) error {
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			k.saveAll()
			return ctx.Err()
		case <-k.wake:
		case <-again.C:
		}
		if !k.saveAll() {
			again.Reset(writeAgain)
		}
	}
}

// saveAll writes down what waits for it. What cannot be written goes on waiting;
// write tells whether nothing does.
func (k *Library) saveAll() bool {
	k.mu.Lock()
	pending, unsaved := k.pending, k.news
	k.pending, k.news = nil, map[uint64]*robot.Run{}
	k.mu.Unlock()

	var failed error
	for i, do := range pending {
		if failed = do(k.shelf); failed != nil {
			k.mu.Lock()
			k.pending = slices.Concat(pending[i:], k.pending)
			k.mu.Unlock()
			break
		}
	}
	for n, r := range unsaved {
		err := failed
		if err == nil {
			err = k.saveRun(n, r)
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

// saveRun writes down what is new of a run.
func (k *Library) saveRun(n uint64, r *robot.Run) error {
	first := min(k.saved[n], len(r.Log))
	var log [][]byte
	for _, t := range r.Log[first:] {
		log = append(log, mustEncode(t))
	}
	state := *r
	state.Log, state.Left, state.Steps = nil, 0, slices.Clone(r.Steps)
	for i := range state.Steps {
		s := &state.Steps[i]
		s.Left, s.Expect = 0, finite(s.Expect)
	}
	if err := k.shelf.KeepRun(n, mustEncode(state), first, log); err != nil {
		return err
	}
	k.saved[n] = len(r.Log)
	if r.Phase == robot.RunEnded {
		delete(k.saved, n)
	}
	return nil
}

// Runs returns the runs that began, the newest first, as they are on the shelf,
// without their transitions and what they were made of: that is much to read.
func (k *Library) Runs() []session.RunRecord {
	k.reading.Lock()
	defer k.reading.Unlock()
	all, err := k.shelf.Runs()
	if err != nil {
		k.log.Error("the runs cannot be read", "error", err)
	}
	records := make([]session.RunRecord, 0, len(all))
	ended := make(map[uint64]robot.Run, len(all))
	for _, row := range slices.Backward(all) {
		if row.State == nil {
			continue
		}
		r, known := k.ended[row.N]
		if !known {
			if r, err = decodeState(row); err != nil {
				k.log.Error("a run cannot be read", "error", err)
				continue
			}
		}
		if r.Phase == robot.RunEnded {
			ended[row.N] = r
		}
		records = append(records, session.RunRecord{Run: r})
	}
	k.ended = ended
	return records
}

// Run returns a run that began, with its transitions, as it is on the shelf.
func (k *Library) Run(n uint64) (session.RunRecord, bool) {
	row, err := k.shelf.Run(n)
	if err != nil || row.State == nil {
		return session.RunRecord{}, false
	}
	r, err := decodeRecord(row)
	if err != nil {
		k.log.Error("a run cannot be read", "run", n, "error", err)
		return session.RunRecord{}, false
	}
	return r, true
}

// decodeState reads how a run stands that began.
func decodeState(row store.Run) (r robot.Run, err error) {
	err = json.Unmarshal(row.State, &r)
	if err == nil && (r.Step < 0 || r.Step > len(r.Steps)) {
		err = fmt.Errorf("it is at step %d of %d", r.Step+1, len(r.Steps))
	}
	if err != nil {
		return robot.Run{}, fmt.Errorf("run %d cannot be read: %w", row.N, err)
	}
	return r, nil
}

// decodeRecord reads what is kept of a run, which may not have begun.
func decodeRecord(row store.Run) (r session.RunRecord, err error) {
	var made savedRun
	if err := json.Unmarshal(row.Made, &made); err != nil {
		return r, fmt.Errorf("run %d cannot be read: %w", row.N, err)
	}
	r.Job, r.Ways = made.Job, made.Ways
	if row.State == nil {
		steps := make([]jobs.PreparedStep, len(made.Job.Steps))
		for i := range steps {
			if i < len(made.Expect) {
				steps[i].Expect = made.Expect[i]
			}
		}
		r.Run = *jobs.NewRun(row.N, made.Job, steps).State()
		return r, nil
	}
	if r.Run, err = decodeState(row); err != nil {
		return r, err
	}
	for _, text := range row.Log {
		var t robot.Transition
		if err := json.Unmarshal(text, &t); err != nil {
			return r, fmt.Errorf("run %d cannot be read: %w", row.N, err)
		}
		r.Run.Log = append(r.Run.Log, t)
	}
	return r, nil
}
