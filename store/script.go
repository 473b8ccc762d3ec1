package store

import (
	"bytes"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// scriptsBucket maps the id of a script to its content.
var scriptsBucket = []byte("scripts")

// Scripts returns the saved scripts by their ids, and the highest revision of those deleted.
func (s *Store) Scripts() (all map[string][]byte, deleted uint64, err error) {
	all = map[string][]byte{}
	err = s.db.View(func(tx *bolt.Tx) error {
		deleted = tx.Bucket(scriptsBucket).Sequence()
		return tx.Bucket(scriptsBucket).ForEach(func(id, script []byte) error {
			all[string(id)] = bytes.Clone(script)
			return nil
		})
	})
	if err != nil {
		return nil, 0, fmt.Errorf("store: the scripts cannot be read from %s: %w", s.path, err)
	}
	return all, deleted, nil
}

// deleteRevision deletes a key, and saves its revision if no higher one was deleted: the
// sequence of the bucket, which outlives the key.
func deleteRevision(b *bolt.Bucket, id string, revision uint64) error {
	if err := b.SetSequence(max(b.Sequence(), revision)); err != nil {
		return err
	}
	return b.Delete([]byte(id))
}

// PutScript saves a script, replacing the one with the same id.
func (s *Store) PutScript(id string, script []byte) error {
	return s.updateData("the script cannot be saved", func(tx *bolt.Tx) error { return tx.Bucket(scriptsBucket).Put([]byte(id), script) })
}

// DeleteScript deletes a script of this revision, if it exists.
func (s *Store) DeleteScript(id string, revision uint64) error {
	return s.updateData("the script cannot be deleted", func(tx *bolt.Tx) error { return deleteRevision(tx.Bucket(scriptsBucket), id, revision) })
}
