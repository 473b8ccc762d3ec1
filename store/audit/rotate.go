package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mybot/store/atomicfile"
)

// rotateFile renames the full file, begins a new one, and deletes the oldest files
// if all are too large. If it fails, the log continues in the full file.
func (l *Log) rotateFile(at time.Time) error {
	next, err := os.OpenFile(l.path+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	full := olderName(l.path, l.n)
	if err := os.Rename(l.path, full); err != nil {
		return errors.Join(err, next.Close())
	}
	if err := os.Rename(next.Name(), l.path); err != nil {
		return errors.Join(err, next.Close(), os.Rename(full, l.path))
	}
	old := l.file
	l.file, l.size = next, 0
	return errors.Join(old.Close(), atomicfile.SyncDir(filepath.Dir(l.path)), l.pruneFiles(at))
}

// pruneFiles deletes the oldest files while the older ones are too large together.
// At least one remains. The log records the deletion first.
func (l *Log) pruneFiles(at time.Time) error {
	older, err := olderFiles(l.path)
	if err != nil {
		return err
	}
	var sum int64
	gone := len(older)
	for gone > 0 {
		info, err := os.Stat(older[gone-1])
		if err != nil {
			return err
		}
		if sum += info.Size(); sum > l.older && gone < len(older) {
			break
		}
		gone--
	}
	if gone == 0 {
		return nil
	}
	before, err := beforeFirst(older[gone])
	if err != nil { // VerifyFiles reports it as long as the file exists
		before = Entry{Hash: "unknown"}
	}
	if err := l.writeEntry(Entry{At: at, Kind: kindDeleted, Who: "robot", Text: deletedText(before)}); err != nil {
		return err
	}
	var all error
	for _, name := range older[:gone] {
		all = errors.Join(all, os.Remove(name))
	}
	return all
}

// deletedText returns the sentence about the deletion of entries up to last.
func deletedText(last Entry) string {
	return fmt.Sprintf("The entries up to %d, whose hash is %s, were deleted: the log is larger than it may be.", last.N, last.Hash)
}

// beforeFirst returns number and hash of the entry before the first one of a file.
func beforeFirst(name string) (Entry, error) {
	file, err := os.Open(name)
	if err != nil {
		return Entry{}, err
	}
	defer func() { _ = file.Close() }() // it was only read
	line, err := bufio.NewReaderSize(file, longestLine).ReadSlice('\n')
	var e Entry
	if err == nil {
		err = json.Unmarshal(line, &e)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("%s: line 1: %w", filepath.Base(name), err)
	}
	return Entry{N: e.N - 1, Hash: e.Prev}, nil
}
