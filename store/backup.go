package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"mybot/store/atomicfile"
)

// BackupFile is the name of the copy of the store in its directory.
const BackupFile = File + ".backup"

// backupEvery is the age of a copy at which Backup replaces it.
const backupEvery = 24 * time.Hour

// ErrInUse says that another process has the store.
var ErrInUse = errors.New("store: another process is using it")

// Backup copies a snapshot of the store to a file beside it, if the copy there is
// older than backupEvery. Writes continue meanwhile.
func (s *Store) Backup(now time.Time) error {
	path := filepath.Join(filepath.Dir(s.path), BackupFile)
	if info, err := os.Stat(path); err == nil {
		if age := now.Sub(info.ModTime()); age >= 0 && age < backupEvery {
			return nil
		}
	}
	if err := s.copyTo(path); err != nil {
		return fmt.Errorf("store: %s cannot be copied: %w", s.path, err)
	}
	return nil
}

func (s *Store) copyTo(path string) error {
	return atomicfile.WriteFrom(path, 0o600, func(w io.Writer) error {
		return s.db.View(func(tx *bolt.Tx) error {
			_, err := tx.WriteTo(w)
			return err
		})
	})
}

// EarlierCopy returns the path of the copy of an earlier store that Open set aside because
// the store was missing or empty; "" = there was none.
func (s *Store) EarlierCopy() string { return s.setAside }

// setCopyAside gives the copy in dir a name with its time, which Backup does not
// replace, and returns its path; "" = there is no copy.
func setCopyAside(dir string) (path string, err error) {
	from := filepath.Join(dir, BackupFile)
	info, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err == nil {
		path = from + info.ModTime().UTC().Format("-2006-01-02-150405")
		err = os.Rename(from, path)
	}
	return path, err
}

// copyOf describes the copy of a store that cannot be opened; "" = none.
func copyOf(path string) string {
	info, err := os.Stat(filepath.Join(filepath.Dir(path), BackupFile))
	if err != nil {
		return ""
	}
	return fmt.Sprintf("; or put %s in its place, a copy of %s: anyone who was revoked since then must be revoked again", BackupFile, info.ModTime().Format("2006-01-02 15:04"))
}

// Check reads the whole store in dir without changing it. The error is ErrInUse
// while a robot runs, fs.ErrNotExist if there is no store, and otherwise a sentence
// about the damage.
func Check(dir string) (err error) {
	path := filepath.Join(dir, File)
	if _, err := os.Stat(path); err != nil {
		return err
	}
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("store: %w", explainError(path, fmt.Errorf("reading it through: %v", fault)))
		}
	}()
	db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: lockWait, ReadOnly: true})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return ErrInUse
	case err != nil:
		return fmt.Errorf("store: %w", explainError(path, err))
	}
	defer func() { _ = db.Close() }() // it was only read
	if err := db.View(faultsOf); err != nil {
		return fmt.Errorf("store: %w", explainError(path, err))
	}
	return nil
}

// faultsOf reads everything and returns the faults.
func faultsOf(tx *bolt.Tx) error {
	var faults []error
	for fault := range tx.Check() {
		faults = append(faults, fault)
	}
	if len(faults) > 0 {
		return fmt.Errorf("%w, and %d faults more", faults[0], len(faults)-1)
	}
	return nil
}
