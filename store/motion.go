package store

import (
	"bytes"
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// Buckets of motions, which are recorded drives: description and path by number.
var (
	motionsBucket = []byte("motions")
	pathsBucket   = []byte("motion paths")
)

// A Motion is the stored form of a recorded drive.
type Motion struct {
	N     uint64 // counts from 1 and is never reused
	About []byte
}

// Motions returns the descriptions of all motions, in order of number.
func (s *Store) Motions() ([]Motion, error) {
	var all []Motion
	err := s.db.View(func(tx *bolt.Tx) error {
		return tx.Bucket(motionsBucket).ForEach(func(key, about []byte) error {
			all = append(all, Motion{binary.BigEndian.Uint64(key), bytes.Clone(about)})
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("store: the motions cannot be read from %s: %w", s.path, err)
	}
	return all, nil
}

// AddMotion saves a motion and returns its number. If there are more than most, it
// deletes the oldest ones.
func (s *Store) AddMotion(about, path []byte, most int) (n uint64, err error) {
	err = s.updateData("the motion cannot be kept", func(tx *bolt.Tx) error {
		abouts, paths := tx.Bucket(motionsBucket), tx.Bucket(pathsBucket)
		if n, err = abouts.NextSequence(); err != nil {
			return err
		}
		if err := abouts.Put(numberKey(n), about); err != nil {
			return err
		}
		if err := paths.Put(numberKey(n), path); err != nil {
			return err
		}
		var keys [][]byte
		c := abouts.Cursor()
		for key, _ := c.First(); key != nil; key, _ = c.Next() {
			keys = append(keys, bytes.Clone(key))
		}
		for len(keys) > most {
			if err := deleteKey(tx, keys[0]); err != nil {
				return err
			}
			keys = keys[1:]
		}
		return nil
	})
	return n, err
}

// SayOfMotion changes the description of an existing motion.
func (s *Store) SayOfMotion(n uint64, about []byte) error {
	return s.updateData("the motion cannot be changed", func(tx *bolt.Tx) error {
		b := tx.Bucket(motionsBucket)
		if b.Get(numberKey(n)) == nil {
			return fmt.Errorf("there is no motion %d", n)
		}
		return b.Put(numberKey(n), about)
	})
}

// MotionPath returns the path of a motion; nil if there is none.
func (s *Store) MotionPath(n uint64) ([]byte, error) {
	var path []byte
	err := s.db.View(func(tx *bolt.Tx) error {
		path = bytes.Clone(tx.Bucket(pathsBucket).Get(numberKey(n)))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("store: the motion cannot be read from %s: %w", s.path, err)
	}
	return path, nil
}

// DeleteMotion deletes a motion, if it exists.
func (s *Store) DeleteMotion(n uint64) error {
	return s.updateData("the motion cannot be deleted", func(tx *bolt.Tx) error { return deleteKey(tx, numberKey(n)) })
}

func deleteKey(tx *bolt.Tx, key []byte) error {
	if err := tx.Bucket(motionsBucket).Delete(key); err != nil {
		return err
	}
	return tx.Bucket(pathsBucket).Delete(key)
}

// numberKey returns a key that sorts like the number.
func numberKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
