// Package audit is the robot's record of who did what: append-only files of JSON
// lines, each with the hash of the previous one, so that VerifyFiles finds a line
// that was changed, removed or inserted.
//
// AppendEntry never waits for the disk: entries go through a bounded queue to the
// goroutine of Run, which writes and syncs them. When the disk is slower than the
// events, an entry of its own counts the ones that were left out. Repeated actions
// of one person are counted in one entry a minute. A full file is renamed and a new
// one continues its chain; when all files together are too large the oldest is
// deleted, and the log says so. The chain reveals tampering inside the files; a
// truncated end is revealed only by comparing the last hash with one noted
// elsewhere.
package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// queueLength is how many entries may wait for the disk.
const queueLength = 1024

// The size in bytes at which a new file begins, and the largest total of the older
// ones.
const (
	fileBytes  = 8 << 20
	olderBytes = 56 << 20
)

// Kinds of entries that the log makes itself.
const (
	kindServer  = "server"
	kindLost    = "lost"
	kindDamaged = "damaged"
	kindDeleted = "deleted"
)

// A Log is an open audit log.
type Log struct {
	path    string // of the newest file
	file    *os.File
	log     *slog.Logger
	queue   chan Entry
	lost    atomic.Uint64
	repeats repeats
	n       uint64
	prev    string
	size    int64 // of the newest file, bytes
	most    int64 // bytes at which a new file begins
	older   int64 // largest total of the older files, bytes
}

// Open opens the log whose newest file is at path, or creates it with mode 0600,
// and checks the end of its chain. A last line that a crash cut off is removed.
// From the first damaged line on, the file is moved aside, and the chain continues
// after the last intact line. An entry of the log reports both.
func Open(path string, log *slog.Logger) (*Log, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	l := &Log{path: path, file: file, log: log, queue: make(chan Entry, queueLength), repeats: repeats{}, prev: genesis, most: fileBytes, older: olderBytes}
	if err := l.resumeChain(); err != nil {
		return nil, errors.Join(fmt.Errorf("audit: %s: %w", path, err), l.file.Close())
	}
	return l, nil
}

// resumeChain finds the end of the chain and prepares the file for appending.
func (l *Log) resumeChain() error {
	last, end, err := readTail(l.file)
	if err != nil {
		return err
	}
	var note Entry
	switch {
	case end.fault != nil:
		if last, note, err = l.setAside(); err != nil {
			return err
		}
		l.log.Error("the audit log is damaged; it continues after the last line that holds", "file", l.path, "note", note.Text)
	case end.torn > 0:
		if err := l.file.Truncate(end.whole); err != nil {
			return err
		}
		note = Entry{Kind: kindServer, Text: fmt.Sprintf("A line of %d bytes had been cut short, by a crash or a full disk, and was removed.", end.torn)}
	}
	if last.N == 0 { // the file is new, or nothing in it is intact
		if last, err = l.lastOlder(); err != nil {
			return err
		}
	}
	if last.N > 0 {
		l.n, l.prev = last.N, last.Hash
	}
	if l.size, err = l.file.Seek(0, io.SeekEnd); err != nil || note.Kind == "" {
		return err
	}
	note.At, note.Who = time.Now(), "robot"
	return l.writeEntry(note)
}

// lastOlder returns the last entry of the newest older file.
func (l *Log) lastOlder() (Entry, error) {
	older, err := olderFiles(l.path)
	if err != nil || len(older) == 0 {
		return Entry{}, err
	}
	file, err := os.Open(older[len(older)-1])
	if err != nil {
		return Entry{}, err
	}
	defer func() { _ = file.Close() }() // it was only read
	last, end, err := readTail(file)
	if err == nil && end.fault != nil {
		l.log.Error("the audit log is damaged", "file", file.Name(), "error", end.fault)
	}
	return last, err
}

// An ending describes the end of a file.
type ending struct {
	whole int64 // bytes of complete lines
	torn  int   // bytes after them
	fault error // a line near the end is damaged
}

// readTail reads the end of a file and returns its last intact entry.
func readTail(file *os.File) (last Entry, end ending, err error) {
	info, err := file.Stat()
	if err != nil {
		return last, end, err
	}
	from := max(0, info.Size()-2*longestLine)
	data := make([]byte, info.Size()-from)
	if _, err := file.ReadAt(data, from); err != nil {
		return last, end, err
	}
	lines := bytes.LastIndexByte(data, '\n') + 1
	end.torn, end.whole = len(data)-lines, from+int64(lines)
	begin := 0
	if from > 0 { // from is in the middle of a line
		begin = min(bytes.IndexByte(data, '\n')+1, lines)
	}
	c := newChain()
	c.free = true
	end.fault = c.followLines(bytes.NewReader(data[begin:lines]))
	if c.first == 0 && from > 0 && end.fault == nil {
		end.fault = errors.New("its last line is too long to be an entry")
	}
	if c.first == 0 {
		return Entry{}, end, nil
	}
	return c.last, end, nil
}

// setAside moves everything from the first damaged line on to a file of its own,
// and returns the last entry before it and a note about it.
func (l *Log) setAside() (last, note Entry, err error) {
	if _, err := l.file.Seek(0, io.SeekStart); err != nil {
		return last, note, err
	}
	c := newChain()
	c.free = true
	fault := c.followLines(l.file)
	if fault == nil {
		return last, note, errors.New("a line that did not hold does now; the file is being changed")
	}
	if _, err := l.file.Seek(c.whole, io.SeekStart); err != nil {
		return last, note, err
	}
	aside, err := os.CreateTemp(filepath.Dir(l.path), filepath.Base(l.path)+".damaged-*")
	if err != nil {
		return last, note, err
	}
	damaged, err := io.Copy(aside, l.file)
	if err = errors.Join(err, aside.Sync(), aside.Close()); err == nil {
		err = l.file.Truncate(c.whole)
	}
	if err != nil {
		return last, note, err
	}
	if c.first > 0 {
		last = c.last
	}
	return last, Entry{Kind: kindDamaged, Text: fmt.Sprintf("%d bytes were damaged (%v) and were moved to %s.", damaged, fault, filepath.Base(aside.Name()))}, nil
}

// AppendEntry records what happened. It never waits; see Run.
func (l *Log) AppendEntry(at time.Time, kind, who, text string) {
	select {
	case l.queue <- Entry{At: at, Kind: kind, Who: who, Text: text}:
	default:
		l.lost.Add(1)
	}
}

// Run writes the entries of AppendEntry until ctx ends, then writes the rest and
// closes the file. It logs a failing disk once per series of failures and
// continues.
func (l *Log) Run(ctx context.Context) error {
	failing := false
	check := func(err error) {
		if err != nil && !failing {
			l.log.Error("audit log cannot be written", "error", err)
		}
		failing = err != nil
	}
	every := time.NewTicker(repeatTime)
	defer every.Stop()
	for {
		select {
		case e := <-l.queue:
			check(l.takeEntry(e))
		case now := <-every.C:
			if counts := l.repeats.endStreaks(now, false); len(counts) > 0 {
				check(l.writeAll(counts))
			}
		case <-ctx.Done():
			for {
				select {
				case e := <-l.queue:
					check(l.takeEntry(e))
				default:
					if counts := l.repeats.endStreaks(time.Time{}, true); len(counts) > 0 {
						check(l.writeAll(counts))
					}
					return l.file.Close()
				}
			}
		}
	}
}

// takeEntry first writes the counts of streaks that have ended, then the entry,
// unless it is one of many repeats.
func (l *Log) takeEntry(e Entry) error {
	entries := l.repeats.endStreaks(e.At, false)
	if !l.repeats.isRepeat(e) {
		entries = append(entries, e)
	}
	return l.writeAll(entries)
}

func (l *Log) writeAll(entries []Entry) error {
	var all error
	for _, e := range entries {
		all = errors.Join(all, l.writeWithLosses(e))
	}
	return all
}

// writeWithLosses writes e after an entry about the lost entries before it, if
// there are any. An entry that the disk refuses counts as lost.
func (l *Log) writeWithLosses(e Entry) error {
	if lost := l.lost.Swap(0); lost > 0 {
		note := Entry{At: e.At, Kind: kindLost, Who: "robot", Text: fmt.Sprintf("%d entries before this one were lost: the disk was full or too slow.", lost)}
		if err := l.writeEntry(note); err != nil {
			l.lost.Add(lost + 1)
			return err
		}
	}
	if err := l.writeEntry(e); err != nil {
		l.lost.Add(1)
		return err
	}
	if l.size >= l.most {
		return l.rotateFile(e.At)
	}
	return nil
}

// writeEntry appends one entry and syncs it. It removes what a failed write left
// behind, so that the file always ends with a complete line.
func (l *Log) writeEntry(e Entry) error {
	e.N, e.Prev, e.At = l.n+1, l.prev, e.At.UTC()
	for _, text := range []*string{&e.Kind, &e.Who, &e.Text} {
		*text = strings.ToValidUTF8(*text, "\uFFFD") // JSON writes a wrong byte in another way than it reads it
	}
	sealed, line, err := e.seal()
	if err != nil {
		return err
	}
	end, err := l.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	_, err = l.file.Write(append(line, '\n'))
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return errors.Join(err, l.file.Truncate(end))
	}
	l.n, l.prev, l.size = sealed.N, sealed.Hash, end+int64(len(line))+1
	return nil
}
