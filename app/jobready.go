package app

import (
	"context"
	"errors"
	"slices"

	"mybot/handlers"
	"mybot/jobs"
	"mybot/media/voice"
	"mybot/robot"
	"mybot/session"
)

// Jobs are made ready: places become poses, texts are spoken, and all of it is
// rehearsed.

// givenUp is told to whoever no longer waits.
const givenUp = "The job was cancelled before it was ready."

// sayBy has texts spoken by the robot's voice.
func sayBy(v *voice.Voice) func(ctx context.Context, text, by string, speed float64) (jobs.PreparedSpeech, error) {
	return func(ctx context.Context, text, by string, speed float64) (jobs.PreparedSpeech, error) {
		said, err := v.Prepare(ctx, text, by, speed)
		out := jobs.PreparedSpeech{Aloud: said.Aloud, Reason: said.Reason}
		for _, s := range said.Sentences {
			out.Sentences = append(out.Sentences, jobs.Sentence(s))
		}
		return out, err
	}
}

// ready is a run that was made ready.
type ready struct {
	session.Made
	run *jobs.Run // nil = it was handed over
}

// Rehearse does a job on a virtual robot that stands at a pose of base_link in
// map. The error is a sentence.
func (k *Library) Rehearse(ctx context.Context, from robot.Pose, job jobs.Job) (handlers.Rehearsal, error) {
	select { // whoever has control does not wait behind a crowd
	case k.rehearsals <- struct{}{}:
		defer func() { <-k.rehearsals }()
	default:
		return handlers.Rehearsal{}, robot.Refusal{Word: robot.Busy, Reason: "Too many jobs are being rehearsed. Try again in a moment."}
	}
	steps, err := k.prepareSteps(ctx, job)
	if err != nil {
		return handlers.Rehearsal{}, err
	}
	acted, err := k.rehearse(ctx, from, job, steps)
	out := handlers.Rehearsal{Time: acted.Time, Length: acted.Length}
	for _, s := range acted.Steps {
		out.Steps = append(out.Steps, handlers.RehearsedStep(s))
	}
	for _, p := range acted.Path {
		out.Path = append(out.Path, handlers.RehearsedPoint(p))
	}
	return out, err
}

func (k *Library) rehearse(ctx context.Context, from robot.Pose, job jobs.Job, steps []jobs.PreparedStep) (Rehearsal, error) {
	var rehearser *Rehearser
	select {
	case rehearser = <-k.stage:
		defer func() { k.stage <- rehearser }()
	case <-ctx.Done():
		return Rehearsal{}, explainedError{givenUp, ctx.Err()}
	}
	rehearsal, err := rehearser.Rehearse(ctx, k.plan(), from, job, steps)
	var no robot.Refusal
	switch {
	case errors.As(err, &no):
		return Rehearsal{}, no
	case err != nil:
		return Rehearsal{}, explainedError{givenUp, err}
	}
	return rehearsal, nil
}

// prepareSteps finds the places of a job and has its texts spoken.
func (k *Library) prepareSteps(ctx context.Context, job jobs.Job) ([]jobs.PreparedStep, error) {
	if faults := jobs.Faults(k.Check(job)); len(faults) > 0 {
		return nil, refuse("%s", faults.Sentence())
	}
	steps := make([]jobs.PreparedStep, len(job.Steps))
	for i, s := range job.Steps {
		steps[i].Step = s
		switch {
		case s.Type == jobs.Move && s.Pose != nil:
			steps[i].Goal = robot.Pose{X: s.Pose[0], Y: s.Pose[1], Theta: robot.WrapAngle(s.Pose[2])}
		case s.Type == jobs.Move:
			steps[i].Goal, _ = k.place(s.Place)
		case s.Type == jobs.Voice:
			var err error
			if steps[i].Speech, err = k.Speak(ctx, s.Text, s.Voice, s.Speed); err != nil {
				return nil, refuse("Step %d: the text cannot be spoken: %v.", i+1, err)
			}
		}
	}
	return steps, nil
}

// Prepare makes a job ready for a robot that stands at a pose of base_link in map,
// and keeps it as a run that has not begun. The error is a sentence that names
// the step; it is store.ErrFull when there is no room.
func (k *Library) Prepare(ctx context.Context, from robot.Pose, job jobs.Job) (uint64, error) {
	steps, err := k.prepareSteps(ctx, job)
	if err != nil {
		return 0, err
	}
	rehearsal, err := k.rehearse(ctx, from, job, steps)
	if err != nil {
		return 0, err
	}
	m := &ready{Made: session.Made{Job: job, Steps: steps, Ways: make([][]robot.Point, len(steps))}}
	for i, s := range rehearsal.Steps[:min(len(rehearsal.Steps), len(steps))] {
		stops := job.Steps[i].OnFailure == "" || job.Steps[i].OnFailure == jobs.FailStop
		if s.Result.Word == robot.Error && stops {
			return 0, refuse("Step %d: %s", i+1, s.Result.Reason)
		}
		steps[i].Expect, m.Ways[i] = s.Time, s.Way
	}
	n, err := k.shelf.AddRun(m.encode(), mostRuns)
	if err != nil {
		return 0, k.logFailure("The job cannot be saved, so it is not run.", err)
	}
	m.run = jobs.NewRun(n, job, steps)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.prepared[n] = m
	for old := range k.prepared {
		if old+mostReady < n && old != k.current {
			delete(k.prepared, old)
		}
	}
	return n, nil
}

// Prepared tells what a run was made of that goes, or was made ready lately.
func (k *Library) Prepared(run uint64) (session.Made, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if m := k.prepared[run]; m != nil {
		return m.Made, true
	}
	return session.Made{}, false
}

// Take hands a run over to the control core, once.
func (k *Library) Take(run uint64) (*jobs.Run, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	m := k.prepared[run]
	if m == nil || m.run == nil {
		return nil, false
	}
	taken := m.run
	m.run = nil
	return taken, true
}

// Discard forgets a run that was made ready and does not begin.
func (k *Library) Discard(run uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.prepared, run)
	k.chore(func(s Store) error { return s.DropRun(run) })
}

// ReplaceSteps notes that a run goes on with the steps that were made ready under
// another number. Up to the current one they are those it had.
func (k *Library) ReplaceSteps(run, other uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	was, with := k.prepared[run], k.prepared[other]
	if was == nil || with == nil {
		return
	}
	fixed := 0
	if run == k.current {
		fixed = min(k.currentStep+1, len(was.Steps), len(with.Steps))
	}
	now := &ready{Made: session.Made{
		Job:   with.Job,
		Steps: slices.Concat(was.Steps[:fixed], with.Steps[fixed:]),
		Ways:  slices.Concat(was.Ways[:fixed], with.Ways[fixed:]),
	}}
	delete(k.prepared, other)
	k.prepared[run] = now
	k.chore(func(s Store) error { return s.ChangeRun(run, now.encode(), other) })
}
