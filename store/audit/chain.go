package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// An Entry is one line of the log.
type Entry struct {
	N    uint64    `json:"n"`    // counts up from 1
	At   time.Time `json:"at"`   // UTC
	Kind string    `json:"kind"` // lease, role, stop, script, settings, server, lost, damaged, deleted
	Who  string    `json:"who"`  // name and id of the person, or "robot"
	Text string    `json:"text"` // what happened, as a sentence
	Prev string    `json:"prev"` // hash of the previous line, 64 zeros for the first
	Hash string    `json:"hash"` // SHA-256 of this entry with an empty hash
}

// seal returns the entry with its hash, and its line without the line feed.
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

// longestLine bounds the length of a line that is read, in bytes.
const longestLine = 64 << 10

// A chain follows lines, each of which must carry the hash of the previous one.
type chain struct {
	last  Entry
	free  bool   // the first line may be anything, because its predecessor is not checked
	lines int    // in this file
	whole int64  // bytes of the intact lines of this file
	first uint64 // number of the first entry in the chain
	owed  string // what must be reported about the entries before the first; "" = nothing
	moved []uint64
}

func newChain() *chain { return &chain{last: Entry{Hash: genesis}} }

// followLine checks the next line, given without its line feed.
func (c *chain) followLine(text []byte) error {
	line := c.lines + 1
	var e Entry
	if err := json.Unmarshal(text, &e); err != nil {
		return fmt.Errorf("line %d is not an entry: %w", line, err)
	}
	if c.free && c.first == 0 && e.N > 1 {
		c.last = Entry{N: e.N - 1, Hash: e.Prev}
		c.owed = deletedText(c.last)
	}
	sealed, exact, err := e.seal()
	switch {
	case err != nil:
		return fmt.Errorf("line %d: %w", line, err)
	case e.N != c.last.N+1:
		return fmt.Errorf("line %d carries the number %d where %d follows: a line was removed or put in", line, e.N, c.last.N+1)
	case e.Prev != c.last.Hash:
		return fmt.Errorf("line %d does not follow the line before it: one of them was changed", line)
	case e.Hash != sealed.Hash || !bytes.Equal(exact, text):
		return fmt.Errorf("line %d was changed after it was written", line)
	}
	switch {
	case e.Kind == kindDamaged:
		c.moved = append(c.moved, e.N)
	case e.Kind == kindDeleted && e.Text == c.owed:
		c.owed = ""
	}
	if c.first == 0 {
		c.first = e.N
	}
	c.last, c.lines, c.whole = e, line, c.whole+int64(len(text))+1
	return nil
}

// followLines checks a file's lines to its end, or to the first damaged one.
func (c *chain) followLines(r io.Reader) error {
	c.lines, c.whole = 0, 0
	scan := bufio.NewScanner(r)
	scan.Buffer(make([]byte, 4096), longestLine)
	scan.Split(splitLines)
	for scan.Scan() {
		if err := c.followLine(scan.Bytes()); err != nil {
			return err
		}
	}
	if err := scan.Err(); err != nil {
		return fmt.Errorf("line %d: %w", c.lines+1, err)
	}
	return nil
}

// splitLines is bufio.ScanLines, but leaves a carriage return in its line, because
// the log writes none.
func splitLines(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// VerifyLog checks a log from its first entry and returns its last one, N = 0 for
// an empty log. The error names the first line at which the chain is broken.
func VerifyLog(r io.Reader) (Entry, error) {
	c := newChain()
	err := c.followLines(r)
	return c.last, err
}

// A Report is the result of VerifyFiles.
type Report struct {
	Files int
	First uint64   // number of the first remaining entry
	Last  Entry    // N = 0: no entries
	Moved []uint64 // entries about damaged lines that were moved aside
}

// VerifyFiles checks the log whose newest file is at path, including the older
// files beside it. The error names the file and the first line at which the chain
// is broken. Missing oldest entries are accepted if the log itself says that they
// were deleted.
func VerifyFiles(path string) (Report, error) {
	older, err := olderFiles(path)
	if err != nil {
		return Report{}, err
	}
	c := newChain()
	c.free = true
	report := func() Report { return Report{len(older) + 1, c.first, c.last, c.moved} }
	for _, name := range append(older, path) {
		file, err := os.Open(name)
		if err != nil {
			return report(), err
		}
		err = errors.Join(c.followLines(file), file.Close())
		if err != nil {
			return report(), fmt.Errorf("%s: %w", filepath.Base(name), err)
		}
	}
	if c.owed != "" {
		return report(), fmt.Errorf("line 1 of the oldest file carries the number %d, and nothing after it says that the entries before it were deleted", c.first)
	}
	return report(), nil
}

// olderFiles lists the older, full files of the log at path, oldest first.
func olderFiles(path string) ([]string, error) {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	all, err := filepath.Glob(quoteGlob(stem) + "-" + strings.Repeat("[0-9]", digits) + filepath.Ext(path))
	if err != nil {
		return nil, err
	}
	return all, nil // Glob sorts
}

// olderName returns the name of a full file; last is the number of its last entry.
func olderName(path string, last uint64) string {
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s-%0*d%s", strings.TrimSuffix(path, ext), digits, last, ext)
}

// digits is the width of the number in the name of an older file.
const digits = 12

// quoteGlob returns a pattern that matches the path only.
func quoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
