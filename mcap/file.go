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
	// longChunk is the duration of the chunks of a file, and longChunkSize the
	// largest size of their messages in bytes. Compression removes repetition only
	// within a chunk, so long chunks make short files.
	longChunk     = 5 * time.Second
	longChunkSize = 1 << 20

	// opFiller is a record without meaning. MCAP reserves its number for programs,
	// and readers skip it.
	opFiller = 0x80
)

// A File can be overwritten and truncated: an *os.File.
type File interface {
	io.WriterAt
	Truncate(size int64) error
}

// NewFileWriter begins a file as NewWriter does, with long chunks. The file can
// still be read up to the last Flush: its end has what the long chunk does not have
// yet, in a short chunk per Flush, and the long chunk replaces these when it is
// closed. Every intermediate state of the file can be read.
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
		err = m.tail.writeLongChunk()
	}
	if err != nil {
		return nil, fmt.Errorf("mcap: %w", err)
	}
	return m, nil
}

// A tail is the end of a file in progress.
type tail struct {
	file     File
	long     bytes.Buffer // replaces the short chunks
	lib      *foxglove.Writer
	settings *foxglove.WriterOptions
	short    bytes.Buffer // the next short chunk, from lib
	pending  int          // bytes of the messages that are only in short chunks
	first    uint64       // ns: log time of the first of them

	mu      sync.Mutex
	settled int64  // bytes of the file that will not change
	rest    []byte // the short chunks after them
}

// Written returns the current content of the file: the length of the first part,
// which will not change, and the rest as it is now. Any goroutine may call it. A
// stream has neither.
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

// isLong reports whether the message completes the long chunk.
func (t *tail) isLong(m *foxglove.Message) bool {
	return t.pending > longChunkSize || t.pending > 0 && (m.LogTime < t.first || m.LogTime-t.first >= uint64(longChunk))
}

// flushTail writes the newest messages, in a short chunk or in the long one.
func (w *Writer) flushTail() error {
	t := w.tail
	if w.holding {
		t.settings.ChunkSize = -1 // every chunk is longer, so the library closes this one
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
		return w.keepError(t.writeLongChunk())
	}
	return w.keepError(t.writeShortChunk())
}

// writeShortChunk writes the next short chunk.
func (t *tail) writeShortChunk() error {
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

// writeLongChunk replaces the short chunks by the long one and whatever else the library
// wrote.
func (t *tail) writeLongChunk() error {
	whole, end := t.long.Bytes(), len(t.rest)
	n := len(whole)
	if n > end {
		// If the disk has no room for more, nothing must be lost.
		more := fillerOf(n - end)
		if _, err := t.file.WriteAt(more, t.settled+int64(end)); err != nil {
			return errors.Join(err, t.file.Truncate(t.settled+int64(end)))
		}
		end += len(more)
	}
	if n < end {
		// Until the file is truncated, a record that readers skip covers the rest
		// of the short chunks.
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

// fillerOf returns a record of n bytes that readers skip, but no shorter than the
// shortest possible record.
func fillerOf(n int) []byte {
	record := make([]byte, max(n, recordHead))
	record[0] = opFiller
	binary.LittleEndian.PutUint64(record[1:], uint64(len(record)-recordHead)) //nolint:gosec // it is not negative
	return record
}
