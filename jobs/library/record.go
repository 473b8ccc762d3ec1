package library

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/store"
)

// retryPeriod is how long Write waits after a failed write.
const retryPeriod = time.Second

// switchedOff is the reason for the end of a run that was in progress when the
// robot was switched off.
const switchedOff = "The robot was switched off."

// A savedRun is the stored form of a prepared run.
type savedRun struct {
	Job    jobs.Job        `json:"job"`
	Expect []float64       `json:"expect_s"`
	Ways   [][]robot.Point `json:"ways"`
}

// endInterruptedRuns ends the runs that have not ended. A prepared run may have
// begun just before the robot was switched off, so it counts as ended too.
func (l *Library) endInterruptedRuns(now time.Time) error {
	all, err := l.cfg.Store.Runs()
	if err != nil {
		return err
	}
	for _, row := range all {
		if row, err = l.cfg.Store.Run(row.N); err != nil {
			return err
		}
		record, err := decodeRecord(row)
		if err != nil {
			l.cfg.Log.Error("a run cannot be read", "error", err)
			continue
		}
		if record.Run.Phase == robot.RunEnded {
			continue
		}
		l.cfg.Log.Warn("a job was running when the robot was switched off", "job", record.Run.Name, "run", row.N)
		if record.Run.Began.IsZero() {
			record.Run.Began = now
		}
		ended := jobs.CutOff(record.Run, now, switchedOff)
		l.saved[row.N] = len(record.Run.Log)
		l.unsaved[row.N] = &ended
		l.wakeWriter()
	}
	l.saveAll()
	return nil
}

// encodeRun returns the stored form of the run.
func (m *preparedRun) encodeRun() []byte {
	row := savedRun{Job: m.Job, Ways: m.Ways}
	for _, s := range m.Steps {
		row.Expect = append(row.Expect, finiteOrZero(s.Expect))
	}
	return mustEncode(row)
}

// mustEncode returns v as JSON. Every stored value can be encoded.
func mustEncode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("library: a %T cannot be encoded: %v", v, err))
	}
	return text
}

// finiteOrZero returns x, or 0 if it is not finite.
func finiteOrZero(x float64) float64 {
	if !robot.Finite(x) {
		return 0
	}
	return x
}

// enqueueWrite queues a change of the store for Write. l.mu is held.
func (l *Library) enqueueWrite(do func(Store) error) {
	l.pending = append(l.pending, do)
	l.wakeWriter()
}

// Observe receives every state from the control loop, and lets Write record the
// progress of the run. It does not wait.
func (l *Library) Observe(s robot.State) {
	old := l.observed
	if s.Run == nil || s.Run == old {
		return
	}
	l.observed = s.Run
	if old != nil && old.Number == s.Run.Number && len(old.Log) == len(s.Run.Log) && old.Edition == s.Run.Edition {
		return // only the remaining times have changed
	}
	l.mu.Lock()
	l.current, l.currentStep, l.began = s.Run.Number, s.Run.Step, s.Run.Began
	l.unsaved[s.Run.Number] = s.Run
	l.mu.Unlock()
	l.wakeWriter()
}

// Write records the progress of runs until ctx ends, and once more at the end.
func (l *Library) Write(ctx context.Context) error {
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			l.saveAll()
			return ctx.Err()
		case <-l.wake:
		case <-again.C:
		}
		if !l.saveAll() {
			again.Reset(retryPeriod)
		}
	}
}

// saveAll writes everything that is pending. What cannot be written remains
// pending; saveAll reports whether nothing does.
func (l *Library) saveAll() bool {
	l.mu.Lock()
	pending, unsaved := l.pending, l.unsaved
	l.pending, l.unsaved = nil, map[uint64]*robot.Run{}
	l.mu.Unlock()

	var failed error
	for i, do := range pending {
		if failed = do(l.cfg.Store); failed != nil {
			l.mu.Lock()
			l.pending = slices.Concat(pending[i:], l.pending)
			l.mu.Unlock()
			break
		}
	}
	for n, r := range unsaved {
		err := failed
		if err == nil {
			err = l.saveRun(n, r)
		}
		if err == nil {
			continue
		}
		failed = err
		l.mu.Lock()
		if l.unsaved[n] == nil {
			l.unsaved[n] = r
		}
		l.mu.Unlock()
	}
	l.failing.NoteOutcome(l.cfg.Log, "the record of jobs cannot be saved; trying again every second", failed, time.Now())
	return failed == nil
}

// saveRun writes the changes of a run.
func (l *Library) saveRun(n uint64, r *robot.Run) error {
	first := min(l.saved[n], len(r.Log))
	var log [][]byte
	for _, t := range r.Log[first:] {
		log = append(log, mustEncode(t))
	}
	state := *r
	state.Log, state.Left, state.Steps = nil, 0, slices.Clone(r.Steps)
	for i := range state.Steps {
		s := &state.Steps[i]
		s.Left, s.Expect = 0, finiteOrZero(s.Expect)
	}
	if err := l.cfg.Store.KeepRun(n, mustEncode(state), first, log); err != nil {
		return err
	}
	l.saved[n] = len(r.Log)
	if r.Phase == robot.RunEnded {
		delete(l.saved, n)
	}
	return nil
}

// Runs returns the runs that began, newest first, as in the store, without their
// transitions and definitions, which take long to read.
func (l *Library) Runs() []jobs.RunRecord {
	l.reading.Lock()
	defer l.reading.Unlock()
	all, err := l.cfg.Store.Runs()
	if err != nil {
		l.cfg.Log.Error("the runs cannot be read", "error", err)
	}
	records := make([]jobs.RunRecord, 0, len(all))
	ended := make(map[uint64]robot.Run, len(all))
	for _, row := range slices.Backward(all) {
		if row.State == nil {
			continue
		}
		r, known := l.ended[row.N]
		if !known {
			if r, err = decodeState(row); err != nil {
				l.cfg.Log.Error("a run cannot be read", "error", err)
				continue
			}
		}
		if r.Phase == robot.RunEnded {
			ended[row.N] = r
		}
		records = append(records, jobs.RunRecord{Run: r})
	}
	l.ended = ended
	return records
}

// Run returns a run that began, with its transitions, as in the store. If it has
// just begun and its first state is not saved yet, it appears as prepared.
func (l *Library) Run(n uint64) (jobs.RunRecord, bool) {
	row, err := l.cfg.Store.Run(n)
	if err != nil {
		return jobs.RunRecord{}, false
	}
	l.mu.Lock()
	began, hasBegun := l.began, n == l.current
	if !hasBegun && n == l.taken {
		began, hasBegun = l.takenAt, true
	}
	l.mu.Unlock()
	if row.State == nil && (row.Made == nil || !hasBegun) {
		return jobs.RunRecord{}, false
	}
	r, err := decodeRecord(row)
	if err != nil {
		l.cfg.Log.Error("a run cannot be read", "run", n, "error", err)
		return jobs.RunRecord{}, false
	}
	if row.State == nil {
		r.Run.Phase, r.Run.Began = robot.RunRunning, began
	}
	return r, true
}

// decodeState decodes the state of a run that began.
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

// decodeRecord decodes the stored form of a run, which may not have begun.
func decodeRecord(row store.Run) (r jobs.RunRecord, err error) {
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
