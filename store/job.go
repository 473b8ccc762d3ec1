package store

import (
	"bytes"
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// Buckets of jobs: definitions by id; content and state of runs by number; and
// transitions by the numbers of the run and of the transition.
var (
	jobsBucket        = []byte("jobs")
	runsBucket        = []byte("runs")
	runStatesBucket   = []byte("run states")
	transitionsBucket = []byte("run transitions")
)

// Jobs returns the definitions by their ids, and the highest revision of those deleted.
func (s *Store) Jobs() (all map[string][]byte, deleted uint64, err error) {
	all = map[string][]byte{}
	err = s.db.View(func(tx *bolt.Tx) error {
		deleted = tx.Bucket(jobsBucket).Sequence()
		return tx.Bucket(jobsBucket).ForEach(func(id, job []byte) error {
			all[string(id)] = bytes.Clone(job)
			return nil
		})
	})
	if err != nil {
		return nil, 0, fmt.Errorf("store: the jobs cannot be read from %s: %w", s.path, err)
	}
	return all, deleted, nil
}

// PutJob saves a definition, replacing the one with the same id.
func (s *Store) PutJob(id string, job []byte) error {
	return s.updateData("the job cannot be saved", func(tx *bolt.Tx) error { return tx.Bucket(jobsBucket).Put([]byte(id), job) })
}

// DeleteJob deletes a definition of this revision, if it exists.
func (s *Store) DeleteJob(id string, revision uint64) error {
	return s.updateData("the job cannot be deleted", func(tx *bolt.Tx) error { return deleteRevision(tx.Bucket(jobsBucket), id, revision) })
}

// A Run is the stored form of a run.
type Run struct {
	N     uint64   // counts from 1 and is never reused
	Made  []byte   // its content
	State []byte   // its state; nil = it has not begun
	Log   [][]byte // its transitions
}

// AddRun saves a new run, which has not begun, and returns its number. If there are
// more than most, it deletes the oldest ones.
func (s *Store) AddRun(made []byte, most int) (n uint64, err error) {
	err = s.updateData("the run cannot be kept", func(tx *bolt.Tx) error {
		runs := tx.Bucket(runsBucket)
		if n, err = runs.NextSequence(); err != nil {
			return err
		}
		if err := runs.Put(numberKey(n), made); err != nil {
			return err
		}
		var keys [][]byte
		c := runs.Cursor()
		for key, _ := c.First(); key != nil; key, _ = c.Next() {
			keys = append(keys, bytes.Clone(key))
		}
		for _, key := range keys[:max(0, len(keys)-most)] {
			if err := forgetRun(tx, key); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// KeepRun saves the state of a run and its transitions from number first on.
func (s *Store) KeepRun(n uint64, state []byte, first int, log [][]byte) error {
	return s.updateData("what happened to the run cannot be kept", func(tx *bolt.Tx) error {
		if tx.Bucket(runsBucket).Get(numberKey(n)) == nil {
			return nil // it has been deleted
		}
		for i, t := range log {
			if err := tx.Bucket(transitionsBucket).Put(binary.BigEndian.AppendUint64(numberKey(n), uint64(first+i)), t); err != nil {
				return err
			}
		}
		return tx.Bucket(runStatesBucket).Put(numberKey(n), state)
	})
}

// ChangeRun saves new content of a run, and deletes the run ready, under which that
// content was prepared.
func (s *Store) ChangeRun(n uint64, made []byte, ready uint64) error {
	return s.updateData("the change of the run cannot be kept", func(tx *bolt.Tx) error {
		if err := tx.Bucket(runsBucket).Put(numberKey(n), made); err != nil {
			return err
		}
		return forgetRun(tx, numberKey(ready))
	})
}

// DropRun deletes a run, if it exists.
func (s *Store) DropRun(n uint64) error {
	return s.updateData("the run cannot be deleted", func(tx *bolt.Tx) error { return forgetRun(tx, numberKey(n)) })
}

func forgetRun(tx *bolt.Tx, key []byte) error {
	for _, bucket := range [][]byte{runsBucket, runStatesBucket} {
		if err := tx.Bucket(bucket).Delete(key); err != nil {
			return err
		}
	}
	c := tx.Bucket(transitionsBucket).Cursor()
	for k, _ := c.Seek(key); bytes.HasPrefix(k, key); k, _ = c.Seek(key) {
		if err := c.Delete(); err != nil {
			return err
		}
	}
	return nil
}

// Runs returns the runs, oldest first, without their transitions and content, which
// would take long to read.
func (s *Store) Runs() ([]Run, error) {
	var all []Run
	err := s.db.View(func(tx *bolt.Tx) error {
		states := tx.Bucket(runStatesBucket)
		return tx.Bucket(runsBucket).ForEach(func(key, _ []byte) error {
			all = append(all, Run{N: binary.BigEndian.Uint64(key), State: bytes.Clone(states.Get(key))})
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("store: the runs cannot be read from %s: %w", s.path, err)
	}
	return all, nil
}

// Run returns a run with its transitions; its number is 0 if there is none.
func (s *Store) Run(n uint64) (Run, error) {
	var r Run
	err := s.db.View(func(tx *bolt.Tx) error {
		key := numberKey(n)
		made := tx.Bucket(runsBucket).Get(key)
		if made == nil {
			return nil
		}
		r = Run{N: n, Made: bytes.Clone(made), State: bytes.Clone(tx.Bucket(runStatesBucket).Get(key))}
		c := tx.Bucket(transitionsBucket).Cursor()
		for k, t := c.Seek(key); bytes.HasPrefix(k, key); k, t = c.Next() {
			r.Log = append(r.Log, bytes.Clone(t))
		}
		return nil
	})
	if err != nil {
		return Run{}, fmt.Errorf("store: the run cannot be read from %s: %w", s.path, err)
	}
	return r, nil
}
