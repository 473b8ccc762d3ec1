package store

import (
	"errors"
	"fmt"
	"os"
)

// OpenTemporary opens an empty store for a robot without a state directory, in a
// temporary folder that Close removes. It does not sync to the disk, because
// nothing in it has to survive a crash. The error is a sentence that says what to
// do.
func OpenTemporary() (*Store, error) {
	dir, err := os.MkdirTemp("", "mybot-")
	if err != nil {
		return nil, fmt.Errorf("store: no temporary folder can be made: name a state directory with --data, or a folder for temporary files with TMPDIR (%w)", err)
	}
	s, err := Open(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.db.NoSync = true
	s.temporary = dir
	return s, nil
}
