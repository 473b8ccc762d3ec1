package store

import (
	"bytes"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// scriptsBucket maps the id of a script to its content.
var scriptsBucket = []byte("scripts")

// Scripts returns the saved scripts by their ids.
func (s *Store) Scripts() (map[string][]byte, error) {
	all := map[string][]byte{}
	err := s.db.View(func(tx *bolt.Tx) error {
		return tx.Bucket(scriptsBucket).ForEach(func(id, script []byte) error {
			all[string(id)] = bytes.Clone(script)
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("store: the scripts cannot be read from %s: %w", s.path, err)
	}
	return all, nil
}

// PutScript saves a script, replacing the one with the same id.
func (s *Store) PutScript(id string, script []byte) error {
	return s.updateData("the script cannot be saved", func(tx *bolt.Tx) error { return tx.Bucket(scriptsBucket).Put([]byte(id), script) })
}

// DeleteScript deletes a script, if it exists.
func (s *Store) DeleteScript(id string) error {
	return s.updateData("the script cannot be deleted", func(tx *bolt.Tx) error { return tx.Bucket(scriptsBucket).Delete([]byte(id)) })
}
