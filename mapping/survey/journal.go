package survey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"syscall"
	"time"

	"mybot/mapping"
	"mybot/mapping/journal"
	"mybot/robot"
)

// syncEvery is how often the journal is synced to the disk, and so how much is lost
// at most in a power cut, besides what the mapper has not received yet.
const syncEvery = 5 * time.Second

// A Journal saves the input of a map, as journal.Writer does. Only Run's goroutine
// calls it. After an error of Sync the same call is repeated.
type Journal interface {
	AddKeyFrame(k mapping.KeyFrame) (saved mapping.KeyFrame, err error)
	AddUndo(keep int) error
	AddFinish() error
	AddPause(at time.Time) error
	AddResume(at time.Time) error
	AddRestart() error
	AddEdit(edit json.RawMessage) error
	Sync() error
}

// Unsaved is the journal of a map that is not saved in progress, because of Err;
// nil = saving was not requested.
type Unsaved struct{ Err error }

// AddKeyFrame returns the key frame unchanged.
func (Unsaved) AddKeyFrame(k mapping.KeyFrame) (mapping.KeyFrame, error) { return k, nil }

// AddUndo saves nothing.
func (Unsaved) AddUndo(int) error { return nil }

// AddFinish saves nothing.
func (Unsaved) AddFinish() error { return nil }

// AddPause saves nothing.
func (Unsaved) AddPause(time.Time) error { return nil }

// AddResume saves nothing.
func (Unsaved) AddResume(time.Time) error { return nil }

// AddRestart saves nothing.
func (Unsaved) AddRestart() error { return nil }

// AddEdit saves nothing.
func (Unsaved) AddEdit(json.RawMessage) error { return nil }

// Sync returns Err.
func (u Unsaved) Sync() error { return u.Err }

// A Replay reads a journal: it calls take with each record and returns the Journal that
// continues it.
type Replay func(take func(journal.Record) error) (Journal, error)

// Recover restores the map that was in progress when the program ended, paused,
// with the robot at its newest key frame. edits are the arguments of SaveEdits,
// newest last.
func (s *Survey) Recover(ctx context.Context, read Replay) (l *Localizer, edits []json.RawMessage, err error) {
	err = s.askRun(ctx, func(now time.Time) error {
		r, j, err := s.replayJournal(read)
		if err != nil {
			return err
		}
		_, at, _, _ := r.Mapper.Newest()
		l, edits = s.beginMap(r.Mapper, j, at), r.Edits
		s.lasted = r.Lasted
		s.mapper.Restart()
		s.noteSaved(s.journal.AddRestart())
		s.stopKeyFrames(now, Paused, "The program was restarted while a map was being made. Drive on from where the robot stands, or back to a part of the map that is finished, and press Resume.")
		return nil
	})
	return l, edits, err
}

// Extend begins to extend a finished map, in whose frame the localizer gives the
// robot's pose.
func (s *Survey) Extend(ctx context.Context, read Replay, at robot.Pose) (l *Localizer, err error) {
	err = s.askRun(ctx, func(now time.Time) error {
		r, j, err := s.replayJournal(read)
		if err != nil {
			return err
		}
		l = s.beginMap(r.Mapper, j, at)
		if _, last, _, ok := r.Mapper.Newest(); ok {
			s.skipped = last.Inverse().Compose(at)
		}
		s.startKeyFrames(now)
		return nil
	})
	return l, err
}

// SaveEdits saves a person's edits of the map in review, all at once.
func (s *Survey) SaveEdits(ctx context.Context, edits json.RawMessage) error {
	return s.askRun(ctx, func(time.Time) error {
		if s.phase != Review {
			return errNotReview
		}
		return s.journal.AddEdit(edits)
	})
}

// replayJournal rebuilds the map of a journal.
func (s *Survey) replayJournal(read Replay) (*journal.Replay, Journal, error) {
	s.clearMap()
	r := &journal.Replay{Mapper: &mapping.Mapper{}}
	j, err := read(func(record journal.Record) error {
		err := r.Take(record)
		for r.Mapper.Waiting() > maxWaiting {
			r.Mapper.Step()
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for r.Mapper.Step() {
	}
	return r, j, nil
}

// noteSaved handles the result of writing to the journal.
func (s *Survey) noteSaved(err error) {
	if err != nil {
		s.tellTrouble(notSaved(err))
	}
}

func (s *Survey) syncJournal(now time.Time) {
	s.synced = now
	trouble := ""
	if err := s.journal.Sync(); err != nil {
		trouble = notSaved(err)
	}
	s.tellTrouble(trouble)
}

func (s *Survey) tellTrouble(trouble string) {
	s.changed = s.changed || trouble != s.trouble
	s.trouble = trouble
}

// notSaved converts an error of the disk to a sentence for people.
func notSaved(err error) string {
	var refusal robot.Refusal
	if errors.Is(err, syscall.ENOSPC) {
		return "The disk is full: what is mapped now would be lost if the program ended. Free some space."
	}
	if errors.As(err, &refusal) {
		return err.Error() + " What is mapped now would be lost if the program ended."
	}
	return fmt.Sprintf("What is mapped now would be lost if the program ended: it cannot be saved (%v).", err)
}
