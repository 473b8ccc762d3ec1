package mcap

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	foxglove "github.com/foxglove/mcap/go/mcap"
	"github.com/klauspost/compress/zstd"
)

// chunkSize is the size of a chunk's messages at which it is closed, in bytes.
const chunkSize = 256 << 10

// A Writer writes one file. The file can be read up to the last Flush, and after
// Close it has an index too. After an error nothing more is written, so that
// flushed data stays readable; all later calls return that error.
type Writer struct {
	out      *bufio.Writer
	lib      *foxglove.Writer
	settings *foxglove.WriterOptions // the library checks its ChunkSize after every message
	schemas  map[*Schema]uint16
	channels []uint32 // by ID less 1: sequence number of the last message
	// held is the newest message. The library closes a chunk only after a message,
	// so one is held back for Flush to write.
	held    foxglove.Message
	holding bool
	tail    *tail // nil = a stream
	err     error
}

// NewWriter begins a file. profile is "" unless the messages follow a profile that
// is registered with MCAP; program names the writer, for people.
func NewWriter(w io.Writer, profile, program string, c Compression) (*Writer, error) {
	m := &Writer{out: bufio.NewWriterSize(w, 64<<10), schemas: map[*Schema]uint16{}}
	var err error
	if m.lib, m.settings, err = newLibrary(m.out, c, zstd.SpeedBetterCompression); err != nil {
		return nil, err
	}
	if err := m.lib.WriteHeader(&foxglove.Header{Profile: profile, Library: program}); err != nil {
		return nil, fmt.Errorf("mcap: %w", err)
	}
	return m, nil
}

// newLibrary returns a writer of the library, and its settings.
func newLibrary(w io.Writer, c Compression, level zstd.EncoderLevel) (*foxglove.Writer, *foxglove.WriterOptions, error) {
	settings := &foxglove.WriterOptions{IncludeCRC: true, Chunked: true, ChunkSize: chunkSize, OverrideLibrary: true}
	switch c {
	case None:
	case Zstd:
		// One goroutine, to cost the robot as little as possible.
		encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, nil, fmt.Errorf("mcap: %w", err)
		}
		settings.Compressor = foxglove.NewCustomCompressor(foxglove.CompressionZSTD, encoder)
	default:
		return nil, nil, fmt.Errorf("mcap: the compression %q cannot be written; it is none (\"\") or zstd", c)
	}
	lib, err := foxglove.NewWriter(w, settings)
	if err != nil {
		return nil, nil, fmt.Errorf("mcap: %w", err)
	}
	return lib, settings, nil
}

// AddChannel adds a channel and returns its ID, for Write. Channels with the same
// *Schema share it.
func (w *Writer) AddChannel(c Channel) (id uint16, err error) {
	if w.err != nil {
		return 0, w.err
	}
	if len(w.channels) == 1<<16-1 {
		return 0, errors.New("mcap: a file has at most 65535 channels")
	}
	schema := uint16(0) // none
	if c.Schema != nil {
		var known bool
		if schema, known = w.schemas[c.Schema]; !known {
			schema = uint16(len(w.schemas) + 1) //nolint:gosec // there are no more schemas than channels
			s := &foxglove.Schema{ID: schema, Name: c.Schema.Name, Encoding: c.Schema.Encoding, Data: c.Schema.Data}
			if err := w.lib.WriteSchema(s); err != nil {
				return 0, w.keepError(err)
			}
			if w.tail != nil {
				if err := w.tail.lib.WriteSchema(s); err != nil {
					return 0, w.keepError(err)
				}
			}
			w.schemas[c.Schema] = schema
		}
	}
	id = uint16(len(w.channels) + 1) //nolint:gosec // looked at above
	channel := &foxglove.Channel{ID: id, SchemaID: schema, Topic: c.Topic, MessageEncoding: c.Encoding, Metadata: c.Metadata}
	err = w.lib.WriteChannel(channel)
	if err == nil && w.tail != nil {
		err = w.tail.lib.WriteChannel(channel)
	}
	if err != nil {
		return 0, w.keepError(err)
	}
	w.channels = append(w.channels, 0)
	return id, nil
}

// Write adds a message to the channel with the ID, with the next sequence number.
// It ignores the message's own Channel and Sequence; the caller may reuse Data
// afterwards.
func (w *Writer) Write(id uint16, m Message) error {
	switch {
	case w.err != nil:
		return w.err
	case id == 0 || int(id) > len(w.channels):
		return fmt.Errorf("mcap: no channel %d was added; there are %d", id, len(w.channels))
	}
	if w.holding && w.tail != nil && w.tail.pending > longChunkSize {
		if err := w.flushTail(); err != nil {
			return err
		}
	}
	if err := w.writeHeld(); err != nil {
		return err
	}
	w.channels[id-1]++
	w.held.ChannelID, w.held.Sequence = id, w.channels[id-1]
	w.held.LogTime, w.held.PublishTime = toNanoseconds(m.Logged), toNanoseconds(m.Published)
	w.held.Data = append(w.held.Data[:0], m.Data...)
	w.holding = true
	return nil
}

// Flush closes the chunk, so that everything written so far can be read.
func (w *Writer) Flush() error {
	if w.err != nil {
		return w.err
	}
	if w.tail != nil {
		return w.flushTail()
	}
	w.settings.ChunkSize = -1 // every chunk is longer, so the library closes this one
	err := w.writeHeld()
	w.settings.ChunkSize = chunkSize
	if err != nil {
		return err
	}
	return w.keepError(w.out.Flush())
}

// Close flushes, and writes the summary and the index. It does not close the
// underlying writer.
func (w *Writer) Close() error {
	if err := w.Flush(); err != nil {
		return err
	}
	err := w.lib.Close()
	if err == nil && w.tail != nil {
		err = w.tail.writeLongChunk()
	} else if err == nil {
		err = w.out.Flush()
	}
	if err != nil {
		return w.keepError(err)
	}
	w.err = errors.New("mcap: the file is closed")
	return nil
}

// writeHeld writes the message that was held back.
func (w *Writer) writeHeld() error {
	if !w.holding {
		return nil
	}
	w.holding = false
	if w.tail != nil {
		w.tail.countPending(&w.held)
		if err := w.tail.lib.WriteMessage(&w.held); err != nil {
			return w.keepError(err)
		}
	}
	return w.keepError(w.lib.WriteMessage(&w.held))
}

// keepError stores the first error.
func (w *Writer) keepError(err error) error {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("mcap: %w", err)
	}
	return w.err
}
