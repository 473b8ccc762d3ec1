package mcap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	foxglove "github.com/foxglove/mcap/go/mcap"
	"github.com/klauspost/compress/zstd"
)

const (
	// longChunk is how much time the chunks of a file span, and longChunkSize how many
	// bytes their messages have at most. What repeats is packed once in a chunk, so
	// long ones make short files.
	longChunk     = 5 * time.Second
	longChunkSize = 1 << 20

	// opFiller is a record that says nothing. MCAP leaves its number to programs, and
	// readers skip it.
	opFiller = 0x80
)

// A File can be written again where it was written before, and be cut off: an *os.File.
type File interface {
	io.WriterAt
	Truncate(size int64) error
}

// NewFileWriter begins a file as NewWriter does, with long chunks. After every Flush too
// the file can be read up to there: the end of the file has what the long chunk does not
// have yet, in a short chunk for each Flush, and the long one takes the place of these
// when it is closed. Each step leaves a file that can be read.
func NewFileWriter(f File, profile, program string, c Compression) (*Writer, error) {
	m := &Writer{schemas: map[*Schema]uint16{}, tail: &tail{file: f}}
	var err error
	if m.lib, m.settings, err = newLibrary(&m.tail.long, c, zstd.SpeedBetterCompression); err != nil {
		return nil, err
	}
	if m.tail.lib, m.tail.settings, err = newLibrary(&m.tail.short, c, zstd.SpeedFastest); err != nil {
		return nil, err
	}
	m.tail.short.Reset() // the file has one magic number
	m.settings.ChunkSize, m.tail.settings.ChunkSize = math.MaxInt64, math.MaxInt64
	if err = m.lib.WriteHeader(&foxglove.Header{Profile: profile, Library: program}); err == nil {
		err = m.tail.settle()
	}
	if err != nil {
		return nil, fmt.Errorf("mcap: %w", err)
	}
	return m, nil
}

// A tail is the end of a file that is being written.
type tail struct {
	file     File
	long     bytes.Buffer // what takes the place of the short chunks
	lib      *foxglove.Writer
	settings *foxglove.WriterOptions
	short    bytes.Buffer // the next short chunk, from lib
	pending  int          // bytes of the messages that are in short chunks only
	first    uint64       // ns: when the first of them was logged

	mu      sync.Mutex
	settled int64  // bytes of the file that stay as they are
	rest    []byte // the short chunks after them
}

// Written returns the file as it is: its first bytes, which stay as they are, and what
// stands after them for now. Any goroutine may call it. A stream has neither.
func (w *Writer) Written() (settled int64, rest []byte) {
	if w.tail == nil {
		return 0, nil
	}
	w.tail.mu.Lock()
	defer w.tail.mu.Unlock()
	return w.tail.settled, w.tail.rest[:len(w.tail.rest):len(w.tail.rest)]
}

// countPending counts a message.
func (t *tail) countPending(m *foxglove.Message) {
	if t.pending == 0 {
		t.first = m.LogTime
	}
	t.pending += recordHead + len(m.Data)
}

// isLong reports whether the long chunk is long enough with the message.
func (t *tail) isLong(m *foxglove.Message) bool {
	return t.pending > longChunkSize || t.pending > 0 && (m.LogTime < t.first || m.LogTime-t.first >= uint64(longChunk))
}

// flushTail writes the newest messages, in a short chunk or in the long one.
func (w *Writer) flushTail() error {
	t := w.tail
	if w.holding {
		t.settings.ChunkSize = -1 // every chunk is longer: the library closes this one
		if t.isLong(&w.held) {
			w.settings.ChunkSize = -1
		}
		err := w.writeHeld()
		w.settings.ChunkSize, t.settings.ChunkSize = math.MaxInt64, math.MaxInt64
		if err != nil {
			return err
		}
	}
	if t.long.Len() > 0 {
		return w.keepError(t.settle())
	}
	return w.keepError(t.extend())
}

// extend writes the next short chunk.
func (t *tail) extend() error {
	if t.short.Len() == 0 {
		return nil
	}
	if _, err := t.file.WriteAt(t.short.Bytes(), t.settled+int64(len(t.rest))); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rest = append(t.rest, t.short.Bytes()...)
	t.short.Reset()
	return nil
}

// settle puts the long chunk, and what else the library wrote, into the place of the
// short ones.
func (t *tail) settle() error {
	whole, end := t.long.Bytes(), len(t.rest)
	n := len(whole)
	if n > end {
		// Where the disk has no room for what is longer, nothing is lost.
		more := fillerOf(n - end)
		if _, err := t.file.WriteAt(more, t.settled+int64(end)); err != nil {
			return errors.Join(err, t.file.Truncate(t.settled+int64(end)))
		}
		end += len(more)
	}
	if n < end {
		// Until the file is cut off, the rest of the short chunks is in a record that
		// readers skip.
		whole = append(whole, fillerOf(end - n)[:recordHead]...)
	}
	if _, err := t.file.WriteAt(whole, t.settled); err != nil {
		return err
	}
	if n < end {
		if err := t.file.Truncate(t.settled + int64(n)); err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.settled += int64(n)
	t.rest, t.pending = nil, 0
	t.long.Reset()
	t.short.Reset()
	return nil
}

// fillerOf returns a record that readers skip, of so many bytes, but no shorter than one
// can be.
func fillerOf(n int) []byte {
	record := make([]byte, max(n, recordHead))
	record[0] = opFiller
	binary.LittleEndian.PutUint64(record[1:], uint64(len(record)-recordHead)) //nolint:gosec // it is not negative
	return record
}
