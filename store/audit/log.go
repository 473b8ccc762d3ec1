// Package audit keeps the robot's record of who could do what: an append-only
// file of JSON lines, each carrying the hash of the one before it, so that a
// line that was changed, removed or put in later is found by Verify.
//
// Append never waits for the disk: entries go through a bounded queue to the
// one goroutine of Run, which writes and syncs them. When the disk is slower
// than the events, what had to be left out is counted in an entry of its own.
// The chain shows tampering inside the file; cutting off its end is seen only
// by comparing the last hash with one noted elsewhere.
package audit

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

// An Entry is one line of the log.
type Entry struct {
	N    uint64    `json:"n"`    // counts up from 1
	At   time.Time `json:"at"`   // UTC
	Kind string    `json:"kind"` // lease, role, stop, settings, server, lost
	Who  string    `json:"who"`  // name and id of the person, or "robot"
	Text string    `json:"text"` // what happened, as a sentence
	Prev string    `json:"prev"` // hash of the line before, 64 zeros for the first
	Hash string    `json:"hash"` // SHA-256 of this entry with an empty hash
}

// seal returns the entry's line, hash included, without the line feed.
func (e Entry) seal() (Entry, []byte, error) {
	e.Hash = ""
	body, err := json.Marshal(e)
	if err != nil {
		return e, nil, err
	}
	sum := sha256.Sum256(body)
	e.Hash = hex.EncodeToString(sum[:])
	line, err := json.Marshal(e)
	return e, line, err
}

var genesis = hex.EncodeToString(make([]byte, sha256.Size))

// queueLength is how many entries may wait for the disk.
const queueLength = 1024

// A Log is an open audit file.
type Log struct {
	file  *os.File
	log   *slog.Logger
	queue chan Entry
	lost  atomic.Uint64
	n     uint64
	prev  string
}

// Open opens the file, or makes it with mode 0600, and checks its chain. A
// last line that a crash tore off in the middle is cut away, and the log says
// so in an entry; any other fault is an error that names the line.
func Open(path string, log *slog.Logger) (*Log, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	l := &Log{file: file, log: log, queue: make(chan Entry, queueLength), prev: genesis}
	if err := l.resume(); err != nil {
		return nil, errors.Join(fmt.Errorf("audit: %s: %w", path, err), file.Close())
	}
	return l, nil
}

// resume finds the end of the chain and leaves the file ready to append.
func (l *Log) resume() error {
	data, err := io.ReadAll(l.file)
	if err != nil {
		return err
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	last, err := Verify(bytes.NewReader(whole))
	if err != nil {
		return err
	}
	if last.N > 0 {
		l.n, l.prev = last.N, last.Hash
	}
	torn := len(data) - len(whole)
	if torn > 0 {
		if err := l.file.Truncate(int64(len(whole))); err != nil {
			return err
		}
	}
	if _, err := l.file.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	if torn > 0 {
		return l.write(Entry{At: time.Now(), Kind: "server", Who: "robot", Text: fmt.Sprintf("A line of %d bytes had been cut short, by a crash or a full disk, and was removed.", torn)})
	}
	return nil
}

// Append records what happened. It never waits; see Run.
func (l *Log) Append(at time.Time, kind, who, text string) {
	select {
	case l.queue <- Entry{At: at, Kind: kind, Who: who, Text: text}:
	default:
		l.lost.Add(1)
	}
}

// Run writes what Append was given until ctx ends, then writes what is left,
// and closes the file. A disk that fails is logged once for each run of
// failures and does not end it.
func (l *Log) Run(ctx context.Context) error {
	failing := false
	put := func(e Entry) {
		err := l.writeWithLosses(e)
		if err != nil && !failing {
			l.log.Error("audit log cannot be written", "error", err)
		}
		failing = err != nil
	}
	for {
		select {
		case e := <-l.queue:
			put(e)
		case <-ctx.Done():
			for {
				select {
				case e := <-l.queue:
					put(e)
				default:
					return l.file.Close()
				}
			}
		}
	}
}

// writeWithLosses writes e after a line about the entries that were lost
// before it, if there are any. An entry the disk refuses is a lost one.
func (l *Log) writeWithLosses(e Entry) error {
	if lost := l.lost.Swap(0); lost > 0 {
		note := Entry{At: e.At, Kind: "lost", Who: "robot", Text: fmt.Sprintf("%d entries before this one were lost: the disk was full or too slow.", lost)}
		if err := l.write(note); err != nil {
			l.lost.Add(lost + 1)
			return err
		}
	}
	if err := l.write(e); err != nil {
		l.lost.Add(1)
		return err
	}
	return nil
}

// write appends one entry and syncs it. What a failed write left behind is
// cut away, so that the file always ends with a whole line.
func (l *Log) write(e Entry) error {
	e.N, e.Prev, e.At = l.n+1, l.prev, e.At.UTC()
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
	l.n, l.prev = sealed.N, sealed.Hash
	return nil
}

// longestLine bounds one line that Verify reads, in bytes.
const longestLine = 64 << 10

// Verify reads a log and returns its last entry, N = 0 for an empty one. The
// error names the first line at which the chain does not hold.
func Verify(r io.Reader) (Entry, error) {
	last := Entry{Hash: genesis}
	scan := bufio.NewScanner(r)
	scan.Buffer(make([]byte, 4096), longestLine)
	for scan.Scan() {
		line := last.N + 1
		var e Entry
		if err := json.Unmarshal(scan.Bytes(), &e); err != nil {
			return last, fmt.Errorf("line %d is not an entry: %w", line, err)
		}
		sealed, exact, err := e.seal()
		switch {
		case err != nil:
			return last, fmt.Errorf("line %d: %w", line, err)
		case e.N != line:
			return last, fmt.Errorf("line %d carries the number %d: a line was removed or put in", line, e.N)
		case e.Prev != last.Hash:
			return last, fmt.Errorf("line %d does not follow the line before it: one of them was changed", line)
		case e.Hash != sealed.Hash || !bytes.Equal(exact, scan.Bytes()):
			return last, fmt.Errorf("line %d was changed after it was written", line)
		}
		last = e
	}
	if err := scan.Err(); err != nil {
		return last, fmt.Errorf("line %d: %w", last.N+1, err)
	}
	return last, nil
}
