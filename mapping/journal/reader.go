package journal

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"mybot/robot"
)

// Contents describes what was read from a journal.
type Contents struct {
	Header    Header
	Size      int64  // bytes up to the end of the last complete record, where Continue appends
	Records   int    // without the header
	KeyFrames int    // remaining ones, without those that were taken back
	Fixed     int    // number of the first ones whose poses are given
	Missing   string // a sentence for people about what could not be read; "" = nothing

	chain uint32
}

// Continue returns a Writer that appends to a journal of which Size bytes were
// read. The caller must truncate the rest first.
func (c *Contents) Continue(out io.Writer) *Writer {
	return &Writer{out: out, size: c.Size, chain: c.chain, frames: c.KeyFrames, fixed: c.Fixed}
}

// Read reads a journal from the beginning and passes every record before the first
// damaged one to take; what follows cannot be trusted, and Missing describes it. An
// error means that the data is not a journal, that its header is damaged, or that
// in or take failed. Memory is bounded by one record, whatever the
// bytes are.
func Read(in io.Reader, take func(Record) error) (Contents, error) {
	r := reader{in: bufio.NewReaderSize(in, 64<<10)}
	if err := r.readHeader(); err != nil {
		return r.Contents, fmt.Errorf("journal: %w", err)
	}
	for {
		kind, payload, err := r.readRecord()
		if errors.Is(err, io.EOF) {
			return r.Contents, nil
		}
		var record Record
		if err == nil {
			record, err = r.decodeRecord(kind, payload)
		}
		var damage damageError
		if errors.As(err, &damage) {
			return r.Contents, r.describeDamage(damage)
		}
		if err != nil {
			return r.Contents, fmt.Errorf("journal: %w", err)
		}
		if err := take(record); err != nil {
			return r.Contents, err
		}
		r.countRecord(record)
	}
}

// A damageError says why a record cannot be used.
type damageError string

func (e damageError) Error() string { return string(e) }

const cut = damageError("it ends in the middle")

type reader struct {
	in *bufio.Reader
	Contents

	record bytes.Buffer // the newest
	sum    uint32       // its checksum
}

// readHeader reads the magic and the first record.
func (r *reader) readHeader() error {
	head := make([]byte, len(magic))
	n, err := io.ReadFull(r.in, head)
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return errors.New("the file is empty")
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case string(head[:n]) != magic:
		return fmt.Errorf("this is no journal of a map: it begins with %q instead of %q", head[:n], magic)
	}
	r.Size = int64(len(magic))
	kind, payload, err := r.readRecord()
	var damage damageError
	switch {
	case errors.Is(err, io.EOF), errors.As(err, &damage):
		return errors.New("its header is damaged, so nothing after it can be used")
	case err != nil:
		return err
	}
	if kind != kindHeader || json.Unmarshal(payload, &r.Header) != nil {
		return errors.New("its header is not one")
	}
	if r.Header.Version != version {
		return fmt.Errorf("it has version %d of the format, and this program reads version %d", r.Header.Version, version)
	}
	r.Size += int64(r.record.Len())
	r.chain = r.sum
	return nil
}

// readRecord reads one record and verifies its checksum; io.EOF if there is none.
func (r *reader) readRecord() (Kind, []byte, error) {
	r.record.Reset()
	if err := r.readBytes(headLength); err != nil {
		if r.record.Len() == 0 && errors.Is(err, cut) {
			err = io.EOF
		}
		return 0, nil, err
	}
	head := r.record.Bytes()
	kind, length := Kind(head[0]), binary.LittleEndian.Uint32(head[1:])
	if length > maxRecord {
		return 0, nil, damageError(fmt.Sprintf("it says that it has %d bytes; the limit is %d", length, maxRecord))
	}
	if err := r.readBytes(int(length) + crc32.Size); err != nil {
		return 0, nil, err
	}
	data := r.record.Bytes()
	end := len(data) - crc32.Size
	if r.sum = checksumOf(r.chain, data[:end]); r.sum != binary.LittleEndian.Uint32(data[end:]) {
		return 0, nil, damageError("its checksum is wrong")
	}
	return kind, data[headLength:end], nil
}

// readBytes reads n more bytes of a record. It never allocates more memory than
// there are bytes.
func (r *reader) readBytes(n int) error {
	_, err := io.CopyN(&r.record, r.in, int64(n))
	if errors.Is(err, io.EOF) {
		return cut
	}
	return err
}

// decodeRecord decodes a record, if it may occur here.
func (r *reader) decodeRecord(kind Kind, payload []byte) (Record, error) {
	record := Record{Kind: kind}
	d := decoder{data: payload}
	switch kind {
	case KeyFrame:
		k, err := readKeyFrame(payload)
		if err != nil {
			return record, damageError(err.Error())
		}
		if r.KeyFrames >= MaxKeyFrames {
			return record, damageError(fmt.Sprintf("a map has at most %d key frames", MaxKeyFrames))
		}
		record.KeyFrame = k
		return record, nil
	case Poses:
		poses, ok := readPoses(payload)
		if !ok || r.KeyFrames+r.Fixed > 0 {
			return record, damageError("its poses are not finite numbers before the first key frame")
		}
		record.Poses = poses
		return record, nil
	case Edit:
		if len(payload) > MaxEdit || !json.Valid(payload) {
			return record, damageError(fmt.Sprintf("its edit is not JSON of at most %d bytes", MaxEdit))
		}
		record.Edit = bytes.Clone(payload)
		return record, nil
	case Undo:
		keep := d.readUvarint()
		if d.failed || keep > uint64(r.KeyFrames) || int(keep) < r.Fixed { //nolint:gosec // not negative, and small
			return record, damageError("it takes back key frames that do not exist")
		}
		record.Keep = int(keep) //nolint:gosec // looked at above
	case Pause, Resume:
		at := d.readVarint()
		record.Time = timeOf(at)
	case Finish, Restart:
	default:
		return record, damageError("its kind is not known")
	}
	if d.failed || len(d.data) > 0 {
		return record, damageError("its length is wrong")
	}
	return record, nil
}

func readPoses(payload []byte) ([]robot.Pose, bool) {
	const length = 3 * 8
	n := len(payload) / length
	if len(payload)%length != 0 || n > MaxKeyFrames {
		return nil, false
	}
	poses := make([]robot.Pose, n)
	for i := range poses {
		number := func(k int) float64 {
			return math.Float64frombits(binary.LittleEndian.Uint64(payload[i*length+8*k:]))
		}
		poses[i] = robot.Pose{X: number(0), Y: number(1), Theta: number(2)}
		if !robot.Finite(poses[i].X, poses[i].Y, poses[i].Theta) {
			return nil, false
		}
	}
	return poses, true
}

// countRecord counts a record after take.
func (r *reader) countRecord(record Record) {
	switch record.Kind {
	case KeyFrame:
		r.KeyFrames++
	case Poses:
		r.Fixed = len(record.Poses)
	case Undo:
		r.KeyFrames = record.Keep
	}
	r.Records++
	r.Size += int64(r.record.Len())
	r.chain = r.sum
}

// describeDamage describes what is missing, in a sentence.
func (r *reader) describeDamage(damage damageError) error {
	rest, err := io.Copy(io.Discard, r.in)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	lost := rest + int64(r.record.Len())
	if damage == cut {
		r.Missing = fmt.Sprintf("the journal ends in the middle of a record; its last %d bytes, after %d key frames, are left out", lost, r.KeyFrames)
		return nil
	}
	r.Missing = fmt.Sprintf("the journal is damaged at byte %d (%s); its last %d bytes, after %d key frames, are left out", r.Size, damage, lost, r.KeyFrames)
	return nil
}
