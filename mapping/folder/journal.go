package folder

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"mybot/mapping/journal"
	"mybot/robot"
	"mybot/store/atomicfile"
)

// maxPending is how many bytes may wait in memory while the disk refuses them.
const maxPending = 64 << 20

// A Journal is the journal of the map in progress, as a file. What the disk refuses
// waits in memory, and a later append or Sync writes it.
type Journal struct {
	*journal.Writer
	tail *tail
}

// Sync makes sure that everything appended has reached the disk. Any goroutine may
// call it.
func (j *Journal) Sync() error { return j.tail.syncFile() }

// Close syncs and closes the file, which remains for Store.Resume.
func (j *Journal) Close() error { return errors.Join(j.tail.syncFile(), j.tail.file.Close()) }

// Reader returns a reader of the journal, for Version.Journal. Nothing may be
// appended while it is in use. The error is a sentence for people.
func (j *Journal) Reader() (io.ReadSeeker, error) {
	if err := j.tail.flushPending(); err != nil {
		return nil, ExplainDisk("saved", err)
	}
	return io.NewSectionReader(j.tail.file, 0, j.Size()), nil
}

// A tail appends to a file.
type tail struct {
	mu      sync.Mutex
	file    *os.File
	at      int64  // bytes in the file
	pending []byte // bytes to append next
}

// Write fails only if more than maxPending bytes would wait; flushPending returns the
// errors of the disk.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.pending)+len(p) > maxPending {
		return 0, errors.New("the disk has taken nothing for too long")
	}
	t.pending = append(t.pending, p...)
	_ = t.writePending()
	return len(p), nil
}

// writePending writes the pending bytes at their position, overwriting half a
// record that a full disk accepted.
func (t *tail) writePending() error {
	if len(t.pending) == 0 {
		return nil
	}
	n, err := t.file.WriteAt(t.pending, t.at)
	if err != nil {
		return err
	}
	t.at += int64(n)
	t.pending = nil
	return nil
}

func (t *tail) flushPending() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.writePending()
}

func (t *tail) syncFile() error {
	if err := t.flushPending(); err != nil {
		return err
	}
	return t.file.Sync()
}

// Begin begins the journal of a map, replacing one that was not saved. While the
// disk is full it waits in memory.
func (s *Store) Begin(h journal.Header) (*Journal, error) {
	var j *Journal
	err := s.changeDisk(func() error {
		if err := os.MkdirAll(s.dir, 0o755); err != nil {
			return err
		}
		file, err := os.OpenFile(filepath.Join(s.dir, inProgress), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
		if err != nil {
			return err
		}
		t := &tail{file: file}
		w, err := journal.NewWriter(t, h)
		if err == nil {
			err = errors.Join(t.syncFile(), atomicfile.SyncDir(s.dir))
		}
		if errors.Is(err, syscall.ENOSPC) { // it waits in memory
			err = nil
		}
		if err != nil {
			return errors.Join(err, file.Close())
		}
		j = &Journal{w, t}
		return nil
	})
	if err != nil {
		return nil, ExplainDisk("kept while it is made", err)
	}
	return j, nil
}

// Extend begins the journal of a map that extends the one in the map folder dir: it
// begins with the key frames and poses of that map, which are also passed to take.
func (s *Store) Extend(dir string, h journal.Header, take func(journal.Record) error) (*Journal, error) {
	old, err := os.Open(filepath.Join(dir, mappingFolder, journalFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, robot.Refusef("This map cannot be extended: its folder has no %s/%s, which maps have that were made here. Make a new map instead.", mappingFolder, journalFile)
	}
	if err != nil {
		return nil, ExplainDisk("extended", err)
	}
	defer func() { _ = old.Close() }()
	j, err := s.Begin(h)
	if err != nil {
		return nil, err
	}
	c, err := journal.Read(old, func(r journal.Record) error {
		var err error
		switch r.Kind {
		case journal.Poses:
			err = j.AddPoses(r.Poses)
		case journal.KeyFrame:
			_, err = j.AddKeyFrame(r.KeyFrame)
		}
		return errors.Join(err, take(r))
	})
	if err == nil && c.KeyFrames < c.Fixed {
		err = fmt.Errorf("%s/%s is damaged: %s", mappingFolder, journalFile, c.Missing)
	}
	if err == nil {
		err = j.Sync()
	}
	if err != nil {
		return nil, ExplainDisk("extended", errors.Join(err, j.Close(), s.Discard()))
	}
	return j, nil
}

// Discard deletes the journal of a map that is not to be saved. It must be closed.
func (s *Store) Discard() error {
	return s.changeDisk(func() error {
		err := os.Remove(filepath.Join(s.dir, inProgress))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return errors.Join(err, atomicfile.SyncDir(s.dir))
	})
}

// Resume opens the journal of a map that was neither saved nor discarded when the
// program ended, passes its records to take, and continues after the last complete
// one. Without such a journal the error is fs.ErrNotExist. An unreadable one is set
// aside, and the error says so.
func (s *Store) Resume(take func(journal.Record) error) (*Journal, journal.Contents, error) {
	path := filepath.Join(s.dir, inProgress)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, journal.Contents{}, err
	}
	c, err := journal.Read(file, take)
	if err == nil && s.isSaved(c.Header) {
		return nil, c, errors.Join(file.Close(), s.Discard(), fs.ErrNotExist)
	}
	if err != nil {
		aside := filepath.Join(s.dir, damagedFile)
		return nil, c, fmt.Errorf("the map that was being made cannot be read: %w; its journal is now %s", errors.Join(err, file.Close(), s.changeDisk(func() error { return os.Rename(path, aside) })), aside)
	}
	if err := file.Truncate(c.Size); err != nil {
		return nil, c, errors.Join(err, file.Close())
	}
	t := &tail{file: file, at: c.Size}
	return &Journal{c.Continue(t), t}, c, nil
}

// isSaved reports whether a map was saved from the journal with this header,
// because the program was killed before it deleted the journal.
func (s *Store) isSaved(h journal.Header) bool {
	names, _ := s.Names()
	for _, name := range names {
		if saved, err := ReadHeader(s.Path(name)); err == nil && saved.Began.Equal(h.Began) {
			return true
		}
	}
	return false
}

// ReadHeader returns the header of the journal in a map folder, from the mapping of
// its current version.
func ReadHeader(dir string) (journal.Header, error) {
	file, err := os.Open(filepath.Join(dir, mappingFolder, journalFile))
	if err != nil {
		return journal.Header{}, err
	}
	defer func() { _ = file.Close() }()
	enough := errors.New("the header is enough")
	c, err := journal.Read(file, func(journal.Record) error { return enough })
	if errors.Is(err, enough) {
		err = nil
	}
	return c.Header, err
}

// WriteMapping writes the folder "mapping" into a map folder, which is needed to
// extend the map. edits may be nil.
func WriteMapping(dir string, from io.ReadSeeker, poses []robot.Pose, edits []byte) error {
	dir = filepath.Join(dir, mappingFolder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	err := atomicfile.WriteFrom(filepath.Join(dir, journalFile), 0o644, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 64<<10)
		return errors.Join(journal.Compact(b, from, poses), b.Flush())
	})
	if err == nil && edits != nil {
		err = atomicfile.Write(filepath.Join(dir, editsFile), edits, 0o644)
	}
	if err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(dir))
}

// ReadEdits returns the edits of a map folder; nil = none.
func ReadEdits(dir string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(dir, mappingFolder, editsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
