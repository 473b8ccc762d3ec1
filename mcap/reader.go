package mcap

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	foxglove "github.com/foxglove/mcap/go/mcap"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A CutError says that the file ends before its footer: the program that wrote it
// was killed, the disk was full, or it is still being written. Every message that
// was read before the error is complete.
type CutError struct {
	At     int64  // bytes: end of the last complete record
	Within string // the kind of the missing or incomplete record
	Whole  bool   // the data section is complete: only parts of the index are missing
}

func (e *CutError) Error() string {
	what := "the recording was cut off"
	if e.Whole {
		what = "the index of the recording was cut off, but no message is missing"
	}
	return fmt.Sprintf("mcap: %s: after byte %d there is no whole %s", what, e.At, e.Within)
}

// A FormatError says where a file violates the format. The messages before it are
// as they were written.
type FormatError struct {
	At     int64 // bytes: beginning of the record
	Record string
	Reason string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("mcap: %s at byte %d: %s", e.Record, e.At, e.Reason)
}

// A Reader reads one file from the beginning, each message once.
type Reader struct {
	in   *bufio.Reader
	at   int64  // bytes read so far
	crc  uint32 // of those bytes
	err  error  // that ended the reading
	data bool   // the data section continues

	chunk   []byte // unread records of the open chunk
	chunkAt int64  // position of that chunk

	schemas   map[uint16]*Schema
	channels  map[uint16]*Channel
	described int // total bytes of schemas and channels

	record   bytes.Buffer // the newest record outside chunks
	unpacked bytes.Buffer // the open chunk
	zstd     *zstd.Decoder
	lz4      *lz4.Reader

	// Profile and Program are the writer's description of the file and of itself.
	Profile, Program string

	// Next calls TakeAttachment with each attachment of at most 64 MiB before the
	// next message; an error ends the reading. nil = attachments are skipped.
	TakeAttachment func(Attachment) error
}

// NewReader reads the beginning of a file. It refuses files of another kind.
func NewReader(in io.Reader) (*Reader, error) {
	r := &Reader{
		in: bufio.NewReaderSize(in, 64<<10), data: true,
		schemas: map[uint16]*Schema{}, channels: map[uint16]*Channel{},
	}
	head, err := r.in.Peek(16)
	if len(head) < len(magic) && err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("mcap: %w", err)
	}
	if !bytes.HasPrefix(head, []byte(magic)) {
		return nil, fmt.Errorf("mcap: %s", describeStranger(head))
	}
	r.readBytes(len(magic)) //nolint:errcheck // it was peeked at
	op, body, err := r.nextRecord()
	if err != nil {
		return nil, err
	}
	header, err := foxglove.ParseHeader(body)
	if op != foxglove.OpHeader || err != nil {
		return nil, &FormatError{int64(len(magic)), nameOf(op), "a file begins with a header, which names profile and library"}
	}
	r.Profile, r.Program = header.Profile, header.Library
	return r, nil
}

// describeStranger says what a file is if it is not MCAP.
func describeStranger(head []byte) string {
	for begin, what := range map[string]string{
		"#ROSBAG V":        "this is a rosbag of ROS 1; the program mcap of Foxglove makes MCAP of it (mcap convert)",
		"SQLite format 3":  "this is an SQLite database, perhaps a rosbag of ROS 2; the program mcap of Foxglove makes MCAP of it (mcap convert)",
		"\x28\xb5\x2f\xfd": "this is a file compressed with zstd; unpack it first",
		"\x1f\x8b":         "this is a file compressed with gzip; unpack it first",
	} {
		if bytes.HasPrefix(head, []byte(begin)) {
			return what
		}
	}
	if len(head) == 0 {
		return "the file is empty"
	}
	return fmt.Sprintf("this is not an MCAP file: it begins with %q instead of %q", head[:min(len(head), len(magic))], magic)
}

// Next returns the next message, in the order of the file; Data is valid until the
// next call. The error after the last message is io.EOF for a complete file, a
// *CutError for a truncated one, and a *FormatError for a damaged one; all later
// calls return it too.
func (r *Reader) Next() (Message, error) {
	for r.err == nil {
		var m Message
		var ok bool
		if len(r.chunk) > 0 {
			m, ok, r.err = r.nextInChunk()
		} else {
			m, ok, r.err = r.nextOutside()
		}
		if r.err == nil && ok {
			return m, nil
		}
	}
	return Message{}, r.err
}

// nextInChunk takes one record of the open chunk; ok is false if it is not a
// message.
func (r *Reader) nextInChunk() (m Message, ok bool, err error) {
	op := foxglove.OpCode(r.chunk[0])
	if len(r.chunk) < recordHead {
		return m, false, r.faultAt(r.chunkAt, foxglove.OpChunk, "its records end within the head of one")
	}
	length := binary.LittleEndian.Uint64(r.chunk[1:])
	rest := r.chunk[recordHead:]
	if length > uint64(len(rest)) {
		return m, false, r.faultAt(r.chunkAt, foxglove.OpChunk, "a %s in it says that it has %d bytes, but the chunk ends %d bytes after", nameOf(op), length, len(rest))
	}
	r.chunk = rest[length:]
	return r.takeRecord(op, rest[:length], r.chunkAt)
}

// nextOutside takes one record outside chunks; ok is false if it is not a message.
func (r *Reader) nextOutside() (m Message, ok bool, err error) {
	begin, crc := r.at, r.crc
	op, body, err := r.nextRecord()
	if err != nil {
		return m, false, err
	}
	switch op {
	case foxglove.OpChunk:
		return m, false, r.openChunk(body, begin)
	case foxglove.OpDataEnd:
		r.data = false
		if len(body) < 4 {
			return m, false, r.faultAt(begin, op, "it has %d bytes, not 4", len(body))
		}
		if want := binary.LittleEndian.Uint32(body); want != 0 && want != crc {
			return m, false, r.faultAt(begin, op, "the CRC-32 of everything before it is %08x, but it says %08x: the file was damaged", crc, want)
		}
		return m, false, nil
	case foxglove.OpFooter:
		if end, err := r.readBytes(len(magic)); err != nil || string(end) != magic {
			return m, false, r.cutAt(begin+recordHead+int64(len(body)), "magic number of the end", err)
		}
		return m, false, io.EOF
	}
	if !r.data {
		return m, false, nil // the summary repeats what was read
	}
	if op == foxglove.OpAttachment && body != nil {
		a, err := r.readAttachment(body, begin)
		if err == nil {
			err = r.TakeAttachment(a)
		}
		return m, false, err
	}
	return r.takeRecord(op, body, begin)
}

// takeRecord takes a schema, a channel or a message; ok is false if it is not a
// message. It skips other records, including unknown kinds.
func (r *Reader) takeRecord(op foxglove.OpCode, body []byte, at int64) (m Message, ok bool, err error) {
	switch op {
	case foxglove.OpSchema, foxglove.OpChannel:
		if r.described += len(body); r.described > maxDescribed {
			return m, false, r.faultAt(at, op, "schemas and channels have more than %d MiB together, the limit", maxDescribed>>20)
		}
		if op == foxglove.OpSchema {
			return m, false, r.takeSchema(body, at)
		}
		return m, false, r.takeChannel(body, at)
	case foxglove.OpMessage:
		raw, err := foxglove.ParseMessage(body)
		if err != nil {
			return m, false, r.faultAt(at, op, "%v", err)
		}
		channel := r.channels[raw.ChannelID]
		if channel == nil {
			return m, false, r.faultAt(at, op, "it belongs to channel %d, which the file has not described before", raw.ChannelID)
		}
		return Message{channel, raw.Sequence, timeOf(raw.LogTime), timeOf(raw.PublishTime), raw.Data}, true, nil
	}
	return m, false, nil
}

func (r *Reader) takeSchema(body []byte, at int64) error {
	s, err := foxglove.ParseSchema(body)
	switch {
	case err != nil:
		return r.faultAt(at, foxglove.OpSchema, "%v", err)
	case s.ID == 0:
		return r.faultAt(at, foxglove.OpSchema, "it has the number 0, which stands for none")
	case r.schemas[s.ID] == nil:
		r.schemas[s.ID] = &Schema{s.Name, s.Encoding, s.Data}
	}
	return nil
}

func (r *Reader) takeChannel(body []byte, at int64) error {
	c, err := foxglove.ParseChannel(body)
	if err != nil {
		return r.faultAt(at, foxglove.OpChannel, "%v", err)
	}
	schema := r.schemas[c.SchemaID]
	switch {
	case c.SchemaID != 0 && schema == nil:
		return r.faultAt(at, foxglove.OpChannel, "%q has schema %d, which the file has not described before", c.Topic, c.SchemaID)
	case r.channels[c.ID] == nil:
		r.channels[c.ID] = &Channel{c.Topic, c.MessageEncoding, schema, c.Metadata}
	}
	return nil
}

// recordHead is the length of a record's opcode and length, in bytes.
const recordHead = 9

// nextRecord reads one record outside chunks. It skips the body of an attachment
// that no one takes, and returns nil for it.
func (r *Reader) nextRecord() (op foxglove.OpCode, body []byte, err error) {
	begin := r.at
	head, err := r.readBytes(recordHead)
	if err != nil {
		return 0, nil, r.cutAt(begin, "record", err)
	}
	op = foxglove.OpCode(head[0])
	length := binary.LittleEndian.Uint64(head[1:])
	switch {
	case op == foxglove.OpReserved:
		return op, nil, r.faultAt(begin, op, "no record has the number 0")
	case op == foxglove.OpAttachment && length < 1<<62 && (r.TakeAttachment == nil || length > maxRecord):
		n, err := io.CopyN(&skipped{r}, r.in, int64(length))
		if err != nil {
			return op, nil, r.cutAt(begin, fmt.Sprintf("%s: it has %d bytes, and %d are there", nameOf(op), length, n), err)
		}
		return op, nil, nil
	case length > maxRecord:
		return op, nil, r.faultAt(begin, op, "it says that it has %d bytes; the limit is %d MiB", length, maxRecord>>20)
	}
	body, err = r.readBytes(int(length)) //nolint:gosec // looked at above
	if err != nil {
		return op, nil, r.cutAt(begin, fmt.Sprintf("%s: it has %d bytes, and %d are there", nameOf(op), length, len(body)), err)
	}
	return op, body, nil
}

// readBytes reads n bytes, valid until the next call. It never allocates more
// memory than there are bytes in the file, whatever n is.
func (r *Reader) readBytes(n int) ([]byte, error) {
	r.record.Reset()
	_, err := io.CopyN(&r.record, r.in, int64(n))
	r.countBytes(r.record.Bytes())
	return r.record.Bytes(), err
}

// countBytes counts bytes that have been read.
func (r *Reader) countBytes(b []byte) {
	r.at += int64(len(b))
	if r.data {
		r.crc = crc32.Update(r.crc, crc32.IEEETable, b)
	}
}

// skipped counts the bytes written to it.
type skipped struct{ *Reader }

func (s *skipped) Write(b []byte) (int, error) {
	s.countBytes(b)
	return len(b), nil
}

// openChunk decompresses a chunk, whose body is: start and end time, length and
// CRC-32 of the records, compression, records with their length.
func (r *Reader) openChunk(body []byte, at int64) error {
	const fixed = 8 + 8 + 8 + 4 + 4
	if len(body) < fixed {
		return r.faultAt(at, foxglove.OpChunk, "it has %d bytes, too few for its head", len(body))
	}
	size := binary.LittleEndian.Uint64(body[16:])
	crc := binary.LittleEndian.Uint32(body[24:])
	named := uint64(binary.LittleEndian.Uint32(body[28:]))
	body = body[fixed:]
	if uint64(len(body)) < named+8 {
		return r.faultAt(at, foxglove.OpChunk, "the name of its compression has %d bytes, but %d are left in it", named, len(body))
	}
	compression := string(body[:named])
	packed := binary.LittleEndian.Uint64(body[named:])
	body = body[named+8:]
	switch {
	case packed > uint64(len(body)):
		return r.faultAt(at, foxglove.OpChunk, "its records have %d bytes, but %d are left in it", packed, len(body))
	case size > maxRecord:
		return r.faultAt(at, foxglove.OpChunk, "it says that it unpacks to %d bytes; the limit is %d MiB", size, maxRecord>>20)
	}
	records, err := r.unpackChunk(compression, body[:packed], int(size)) //nolint:gosec // looked at above
	if err != nil {
		return r.faultAt(at, foxglove.OpChunk, "%v", err)
	}
	if uint64(len(records)) != size {
		return r.faultAt(at, foxglove.OpChunk, "it unpacks to %d bytes, but says %d", len(records), size)
	}
	if sum := crc32.ChecksumIEEE(records); crc != 0 && sum != crc {
		return r.faultAt(at, foxglove.OpChunk, "the CRC-32 of its records is %08x, but it says %08x: the file was damaged", sum, crc)
	}
	r.chunk, r.chunkAt = records, at
	return nil
}

// unpackChunk decompresses packed, to at most one byte more than size.
func (r *Reader) unpackChunk(compression string, packed []byte, size int) ([]byte, error) {
	r.unpacked.Reset()
	var from io.Reader
	switch compression {
	case "":
		from = bytes.NewReader(packed) // a copy, because the next record overwrites this one
	case string(Zstd):
		if r.zstd == nil {
			var err error
			if r.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxRecord), zstd.WithDecoderMaxMemory(maxRecord)); err != nil {
				return nil, err
			}
		}
		if err := r.zstd.Reset(bytes.NewReader(packed)); err != nil {
			return nil, fmt.Errorf("its zstd data is damaged: %w", err)
		}
		from = r.zstd
	case "lz4":
		if r.lz4 == nil {
			r.lz4 = lz4.NewReader(nil)
		}
		r.lz4.Reset(bytes.NewReader(packed))
		from = r.lz4
	default:
		return nil, fmt.Errorf("its compression %q is not known; none, zstd and lz4 can be read", clipText(compression))
	}
	if _, err := io.Copy(&r.unpacked, io.LimitReader(from, int64(size)+1)); err != nil {
		return nil, fmt.Errorf("its %s data is damaged: %w", compression, err)
	}
	return r.unpacked.Bytes(), nil
}

func (r *Reader) faultAt(at int64, op foxglove.OpCode, format string, args ...any) error {
	return &FormatError{at, nameOf(op), fmt.Sprintf(format, args...)}
}

// cutAt returns the error for a file that ends within what follows the byte at;
// errors of the disk or the network are returned unchanged.
func (r *Reader) cutAt(at int64, within string, err error) error {
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("mcap: reading at byte %d: %w", r.at, err)
	}
	return &CutError{At: at, Within: within, Whole: !r.data}
}

// nameOf names a kind of record.
func nameOf(op foxglove.OpCode) string {
	if op > foxglove.OpDataEnd {
		return fmt.Sprintf("record of kind %#02x", byte(op))
	}
	return strings.ToLower(op.String())
}

// clipText shortens text from a file for a quotation.
func clipText(s string) string {
	const longest = 40
	if len(s) > longest {
		return strings.ToValidUTF8(s[:longest], "") + "..."
	}
	return s
}
