// Package store stores everything that must outlive the process in one bbolt file:
// the names that people gave themselves, the grants of paired devices, recorded
// drives, jobs and their runs, scripts.
//
// Its users declare small interfaces for its parts (session.Names). Any goroutine
// may call every method; a write has reached the disk when it returns. If there is
// no room on the disk, a write returns ErrFull at once and changes nothing; it
// works again when there is room.
package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// File is the name of the store's file in its directory.
const File = "mybot.db"

// lockWait is how long Open waits for another process to release the file.
const lockWait = time.Second

// namesBucket maps a browser's identity to the name of its user.
var namesBucket = []byte("names")

// grantsBucket maps the public id of a grant to its content.
var grantsBucket = []byte("grants")

// ErrFull says that nothing more can be stored, because the disk or this user's
// share of it is full.
var ErrFull = errors.New("the disk is full")

// A Store is an open state directory.
type Store struct {
	db        *bolt.DB
	path      string
	temporary string // the folder that Close removes; "" = the store is permanent
	setAside  string // the copy of an earlier store that Open set aside; "" = none
}

// Open opens the store in dir and creates both if they are missing: the directory
// for this user alone (0700), the file with mode 0600. It waits one second for
// another process that holds the file. The error is a sentence that names the file
// and says what to do. If the file is missing or empty, Backup would replace the copy
// of an earlier store by one of the new store, so Open sets that copy aside: see
// EarlierCopy.
func Open(dir string) (*Store, error) {
	if dir == "" {
		return nil, errors.New("store: the state directory has no name, give one with --data")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("store: the state directory cannot be made: %w", err)
	}
	path := filepath.Join(dir, File)
	info, missing := os.Stat(path)
	isNew := errors.Is(missing, fs.ErrNotExist) || missing == nil && info.Size() == 0
	db, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("store: %w", explainError(path, err))
	}
	s := &Store{db: db, path: path}
	if isNew {
		if s.setAside, err = setCopyAside(dir); err != nil {
			return nil, errors.Join(fmt.Errorf("store: the copy of the earlier store cannot be set aside: %w", err), db.Close())
		}
	}
	return s, nil
}

// openFile opens the file and reads it completely once. A damaged page makes bbolt
// panic, which becomes an error about the file.
func openFile(path string) (db *bolt.DB, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			if db != nil {
				_ = db.Close()
			}
			db, err = nil, fmt.Errorf("reading it through: %v", fault)
		}
	}()
	db, err = bolt.Open(path, 0o600, &bolt.Options{Timeout: lockWait})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = db.Close()
		return nil, err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		if err := faultsOf(tx); err != nil {
			return err
		}
		for _, bucket := range [][]byte{namesBucket, grantsBucket, motionsBucket, pathsBucket, jobsBucket, runsBucket, runStatesBucket, transitionsBucket, scriptsBucket} {
			if _, err := tx.CreateBucketIfNotExists(bucket); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// explainError converts an error about the file to a sentence for the person who
// starts Mybot, and wraps the cause.
func explainError(path string, err error) error {
	var system syscall.Errno
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return fmt.Errorf("another Mybot is using %s: stop it, or give this one a directory of its own with --data (%w)", path, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("this user may not open %s: give it back its rights, or choose another directory with --data (%w)", path, err)
	case errors.As(err, &system):
		return fmt.Errorf("%s cannot be opened: %w", path, err)
	default: // no error of the system: the content of the file is damaged
		return fmt.Errorf("%s is damaged or was not written by Mybot: move it away and start again; the names that people gave themselves, the recorded drives, the jobs and the scripts are lost with it, and devices have to be paired again%s (%w)", path, copyOf(path), err)
	}
}

// updateData changes the store; what names the data in errors.
func (s *Store) updateData(what string, do func(tx *bolt.Tx) error) error {
	switch err := s.db.Update(do); {
	case err == nil:
		return nil
	case noRoom(err):
		return fmt.Errorf("store: %s in %s: %w: %w", what, s.path, ErrFull, err)
	default:
		return fmt.Errorf("store: %s in %s: %w", what, s.path, err)
	}
}

// noRoom reports whether a write failed because the disk is full. bbolt's error for
// a file that cannot grow is only a text.
func noRoom(err error) bool {
	for _, full := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, full) || strings.HasSuffix(err.Error(), full.Error()) {
			return true
		}
	}
	return false
}

// NameOf returns the name saved for the browser, "" if there is none.
func (s *Store) NameOf(browser string) string {
	var name string
	_ = s.db.View(func(tx *bolt.Tx) error { // fails only when the store is closed, and then no name is known
		name = string(tx.Bucket(namesBucket).Get([]byte(browser)))
		return nil
	})
	return name
}

// SetName saves the name for the browser; an empty name deletes it.
func (s *Store) SetName(browser, name string) error {
	return s.updateData("the name cannot be kept", func(tx *bolt.Tx) error {
		names := tx.Bucket(namesBucket)
		if name == "" {
			return names.Delete([]byte(browser))
		}
		return names.Put([]byte(browser), []byte(name))
	})
}

// Grants returns the contents of all grants, in order of id.
func (s *Store) Grants() ([][]byte, error) {
	var grants [][]byte
	err := s.db.View(func(tx *bolt.Tx) error {
		return tx.Bucket(grantsBucket).ForEach(func(_, grant []byte) error {
			grants = append(grants, bytes.Clone(grant))
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("store: the grants cannot be read from %s: %w", s.path, err)
	}
	return grants, nil
}

// PutGrant saves the content of a grant, replacing the one with the same id.
func (s *Store) PutGrant(id string, grant []byte) error {
	return s.updateData("the grant cannot be kept", func(tx *bolt.Tx) error { return tx.Bucket(grantsBucket).Put([]byte(id), grant) })
}

// DeleteGrant deletes the grant with the id, if it exists.
func (s *Store) DeleteGrant(id string) error {
	return s.updateData("the grant cannot be deleted", func(tx *bolt.Tx) error { return tx.Bucket(grantsBucket).Delete([]byte(id)) })
}

// Close releases the file after waiting for reads and writes in progress.
func (s *Store) Close() error {
	err := s.db.Close()
	if s.temporary != "" {
		err = errors.Join(err, os.RemoveAll(s.temporary))
	}
	if err != nil {
		return fmt.Errorf("store: %s cannot be closed: %w", s.path, err)
	}
	return nil
}
