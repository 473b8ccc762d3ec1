package library

import (
	"context"
	"errors"
	"slices"
	"time"

	"mybot/jobs"
	"mybot/robot"
)

// cancelled is the answer to a user who no longer waits.
const cancelled = "The job was cancelled before it was ready."

// A preparedRun is a run in memory, from its preparation on.
type preparedRun struct {
	jobs.PreparedRun
	run *jobs.Run // nil = Core has taken it
}

// Rehearse rehearses a job on a virtual robot that starts at a pose of base_link in
// map. The error is a sentence. The caller bounds how many wait, because a run that is
// prepared waits behind them.
func (l *Library) Rehearse(ctx context.Context, from robot.Pose, job jobs.Job) (jobs.Rehearsal, error) {
	steps, err := l.prepareSteps(ctx, job, nil, nil)
	if err != nil {
		return jobs.Rehearsal{}, err
	}
	return l.rehearseSteps(ctx, from, job, steps)
}

// rehearseSteps waits for the rehearser and rehearses the steps. The error is a
// sentence.
func (l *Library) rehearseSteps(ctx context.Context, from robot.Pose, job jobs.Job, steps []jobs.PreparedStep) (jobs.Rehearsal, error) {
	var rehearser Rehearser
	select {
	case rehearser = <-l.rehearser:
		defer func() { l.rehearser <- rehearser }()
	case <-ctx.Done():
		return jobs.Rehearsal{}, explainedError{cancelled, ctx.Err()}
	}
	rehearsal, err := rehearser.Rehearse(ctx, l.cfg.Plan(), from, job, steps)
	var no robot.Refusal
	switch {
	case errors.As(err, &no):
		return jobs.Rehearsal{}, no
	case err != nil:
		return jobs.Rehearsal{}, explainedError{cancelled, err}
	}
	return rehearsal, nil
}

// prepareSteps looks up the places of a job and synthesizes its texts. The first steps
// are fixed: they are prepared already, and what is wrong with them by now does not
// matter. A place that is no longer on the map is where the later steps found it.
func (l *Library) prepareSteps(ctx context.Context, job jobs.Job, fixed, later []jobs.PreparedStep) ([]jobs.PreparedStep, error) {
	plan := l.cfg.Plan()
	find := func(place string) (robot.Pose, bool) {
		if pose, ok := plan.Place(place); ok {
			return pose, true
		}
		i := slices.IndexFunc(later, func(s jobs.PreparedStep) bool { return s.Step.Place == place && s.Step.Pose == nil })
		if i < 0 {
			return robot.Pose{}, false
		}
		return later[i].Goal, true
	}
	faults := jobs.Faults(job.Check(find))
	faults = slices.DeleteFunc(faults, func(f jobs.Fault) bool { return f.Step >= 0 && f.Step < len(fixed) })
	if len(faults) > 0 {
		return nil, robot.Refusef("%s", faults.Sentence())
	}
	steps := make([]jobs.PreparedStep, len(job.Steps))
	for i := copy(steps, fixed); i < len(steps); i++ {
		s := job.Steps[i]
		steps[i].Step = s
		switch {
		case s.Type == jobs.Move && s.Pose != nil:
			steps[i].Goal = robot.Pose{X: s.Pose[0], Y: s.Pose[1], Theta: robot.WrapAngle(s.Pose[2])}
		case s.Type == jobs.Move:
			steps[i].Goal, _ = find(s.Place)
		case s.Type == jobs.Voice:
			var err error
			if steps[i].Speech, err = l.cfg.Speak(ctx, s.Text, s.Voice, s.Speed); err != nil {
				return nil, robot.Refusef("Step %d: the text cannot be spoken: %v.", i+1, err)
			}
		}
	}
	return steps, nil
}

// Prepare prepares a job for a robot at a pose of base_link in map, and saves it as
// a run that has not begun. The error is a sentence that names the step; it is
// store.ErrFull if the disk is full.
func (l *Library) Prepare(ctx context.Context, from robot.Pose, job jobs.Job) (uint64, error) {
	return l.prepareAfter(ctx, from, job, nil, nil)
}

// PrepareChange prepares a job whose steps are to replace those of a run, as Prepare does.
// The steps of the run that are done or under way stay as they were prepared: whatever
// has become of their places, the later steps can be changed. A place that was deleted
// stays where it was for a run that is still to drive there.
func (l *Library) PrepareChange(ctx context.Context, run uint64, from robot.Pose, job jobs.Job) (uint64, error) {
	fixed, later := l.stepsOfRun(run, job.Steps)
	return l.prepareAfter(ctx, from, job, fixed, later)
}

// stepsOfRun returns the steps of a run that are done or under way, as far as they are
// the first of the given steps, and those that are still to come.
func (l *Library) stepsOfRun(run uint64, steps []jobs.Step) (fixed, later []jobs.PreparedStep) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.prepared[run]
	if m == nil || run != l.current {
		return nil, nil
	}
	begun := min(l.currentStep+1, len(m.Steps))
	n := 0
	for n < min(begun, len(steps)) && m.Steps[n].Step.Equal(steps[n]) {
		n++
	}
	return m.Steps[:n], m.Steps[begun:]
}

// prepareAfter prepares a job whose first steps are fixed, in place of the later steps
// of a run.
func (l *Library) prepareAfter(ctx context.Context, from robot.Pose, job jobs.Job, fixed, later []jobs.PreparedStep) (uint64, error) {
	floor := l.floorNow()
	steps, err := l.prepareSteps(ctx, job, fixed, later)
	if err != nil {
		return 0, err
	}
	rehearsal, err := l.rehearseSteps(ctx, from, job, steps)
	if err != nil {
		return 0, err
	}
	m := &preparedRun{PreparedRun: jobs.PreparedRun{Job: job, Steps: steps, Ways: make([][]robot.Point, len(steps))}}
	for i, s := range rehearsal.Steps[:min(len(rehearsal.Steps), len(steps))] {
		stops := job.Steps[i].OnFailure == "" || job.Steps[i].OnFailure == jobs.FailStop
		if s.Result.Word == robot.Error && stops && i >= len(fixed) {
			return 0, robot.Refusef("Step %d: %s", i+1, s.Result.Reason)
		}
		steps[i].Expect, m.Ways[i] = s.Time, s.Way
	}
	n, err := l.cfg.Store.AddRun(m.encodeRun(), maxRuns)
	if err != nil {
		return 0, l.logFailure("The job cannot be saved, so it is not run.", err)
	}
	m.run = jobs.NewRun(n, job, steps)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.floor != floor {
		l.enqueueWrite(func(s Store) error { return s.DropRun(n) })
		return 0, robot.Refusal{Word: robot.Interrupted, Reason: "The map was changed for another one while the job was being prepared. Look at the map, then run the job again."}
	}
	l.prepared[n] = m
	for old := range l.prepared {
		if old+maxPrepared < n && old != l.current {
			delete(l.prepared, old)
		}
	}
	return n, nil
}

// floorNow returns the number of the floor in use.
func (l *Library) floorNow() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.floor
}

// ForgetFloor is called before and after another floor comes into use: the poses of the
// runs that have not begun, or are still being prepared, belong to the floor before, and
// such a run does not begin. Moving a place does not make another floor.
func (l *Library) ForgetFloor() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.floor++
	for n, m := range l.prepared {
		if m.run != nil {
			delete(l.prepared, n)
			l.enqueueWrite(func(s Store) error { return s.DropRun(n) })
		}
	}
}

// Prepared returns the current run, or a recently prepared one.
func (l *Library) Prepared(run uint64) (jobs.PreparedRun, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m := l.prepared[run]; m != nil {
		return m.PreparedRun, true
	}
	return jobs.PreparedRun{}, false
}

// Take hands a run over to Core, once.
func (l *Library) Take(run uint64) (*jobs.Run, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.prepared[run]
	if m == nil || m.run == nil {
		return nil, false
	}
	taken := m.run
	m.run = nil
	l.taken, l.takenAt = run, time.Now()
	return taken, true
}

// Discard deletes a prepared run that will not begin.
func (l *Library) Discard(run uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.prepared, run)
	l.enqueueWrite(func(s Store) error { return s.DropRun(run) })
}

// ReplaceSteps replaces the remaining steps of a run by those that were prepared
// under another number.
func (l *Library) ReplaceSteps(run, other uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was, with := l.prepared[run], l.prepared[other]
	if was == nil || with == nil {
		return
	}
	fixed := 0
	if run == l.current {
		// Among the steps that are done or under way, those from the first one that differs on
		// began after the run had taken the change.
		for fixed < min(l.currentStep+1, len(was.Steps), len(with.Steps)) && was.Steps[fixed].Step.Equal(with.Steps[fixed].Step) {
			fixed++
		}
	}
	now := &preparedRun{PreparedRun: jobs.PreparedRun{
		Job:   with.Job,
		Steps: slices.Concat(was.Steps[:fixed], with.Steps[fixed:]),
		Ways:  slices.Concat(was.Ways[:fixed], with.Ways[fixed:]),
	}}
	delete(l.prepared, other)
	if l.taken == other {
		l.taken = 0 // it was a change, not a run that begins
	}
	l.prepared[run] = now
	l.enqueueWrite(func(s Store) error { return s.ChangeRun(run, now.encodeRun(), other) })
}
