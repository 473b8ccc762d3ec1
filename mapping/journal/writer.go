package journal

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"time"

	"mybot/mapping"
	"mybot/robot"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A Writer appends records, each in one Write. After an error of its io.Writer the
// stream may end in half a record, and the Writer refuses further records: read
// what exists, truncate it to Contents.Size and Continue. One goroutine uses it.
type Writer struct {
	out     io.Writer
	size    int64  // bytes of the stream
	chain   uint32 // checksum of the last record
	frames  int    // remaining key frames
	fixed   int    // number of the first ones whose poses are given
	err     error
	payload []byte // of the last record, for reuse
}

// NewWriter begins a journal.
func NewWriter(out io.Writer, h Header) (*Writer, error) {
	h.Version = version
	data, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("journal: header: %w", err)
	}
	w := &Writer{out: out}
	if _, err := io.WriteString(out, magic); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	w.size = int64(len(magic))
	return w, w.appendRecord(kindHeader, data)
}

// Size returns the size of the journal in bytes.
func (w *Writer) Size() int64 { return w.size }

// AddKeyFrame appends a key frame and returns it as Read will return it: rounded,
// and without useless beams. A Mapper that gets this one makes the same map as from
// the journal, to the last bit.
func (w *Writer) AddKeyFrame(k mapping.KeyFrame) (saved mapping.KeyFrame, err error) {
	if w.frames >= MaxKeyFrames {
		return saved, fmt.Errorf("journal: a map has at most %d key frames; save this one and begin another", MaxKeyFrames)
	}
	payload, err := appendKeyFrame(w.payload[:0], k)
	if err == nil {
		saved, err = readKeyFrame(payload)
	}
	if err != nil {
		return saved, fmt.Errorf("journal: %w", err)
	}
	w.payload = payload
	if err := w.appendRecord(KeyFrame, payload); err != nil {
		return saved, err
	}
	w.frames++
	return saved, nil
}

// AddPoses says that the following key frames, as many as there are poses, are
// fixed at these: they are a finished map. It comes before the first key frame.
func (w *Writer) AddPoses(poses []robot.Pose) error {
	if w.frames+w.fixed > 0 || len(poses) > MaxKeyFrames {
		return fmt.Errorf("journal: %d poses: they come before the first key frame, at most %d", len(poses), MaxKeyFrames)
	}
	payload := w.payload[:0]
	for i, p := range poses {
		if !robot.Finite(p.X, p.Y, p.Theta) {
			return fmt.Errorf("journal: pose %d is %v; it needs finite numbers", i, p)
		}
		for _, v := range []float64{p.X, p.Y, p.Theta} {
			payload = binary.LittleEndian.AppendUint64(payload, math.Float64bits(v))
		}
	}
	w.payload = payload
	if err := w.appendRecord(Poses, payload); err != nil {
		return err
	}
	w.fixed = len(poses)
	return nil
}

// AddUndo says that all key frames except the first keep were taken back.
func (w *Writer) AddUndo(keep int) error {
	if keep < w.fixed || keep > w.frames {
		return fmt.Errorf("journal: %d key frames cannot be kept of %d, the first %d of them fixed", keep, w.frames, w.fixed)
	}
	if err := w.appendRecord(Undo, binary.AppendUvarint(nil, uint64(keep))); err != nil { //nolint:gosec // not negative
		return err
	}
	w.frames = keep
	return nil
}

// AddFinish says that Mapper.Finish was called.
func (w *Writer) AddFinish() error { return w.appendRecord(Finish, nil) }

// AddRestart says that the program was restarted, and Mapper.Restart called.
func (w *Writer) AddRestart() error { return w.appendRecord(Restart, nil) }

// AddPause says that mapping was paused.
func (w *Writer) AddPause(at time.Time) error { return w.addTime(Pause, at) }

// AddResume says that mapping began, or was resumed after Mapper.Interrupt.
func (w *Writer) AddResume(at time.Time) error { return w.addTime(Resume, at) }

func (w *Writer) addTime(kind Kind, at time.Time) error {
	return w.appendRecord(kind, binary.AppendVarint(nil, toNanoseconds(at)))
}

// AddEdit appends an edit of the draft, encoded in JSON by its owner.
func (w *Writer) AddEdit(edit json.RawMessage) error {
	if len(edit) > MaxEdit || !json.Valid(edit) {
		return fmt.Errorf("journal: an edit of %d bytes; it is valid JSON of at most %d", len(edit), MaxEdit)
	}
	return w.appendRecord(Edit, edit)
}

// appendRecord writes one record.
func (w *Writer) appendRecord(kind Kind, payload []byte) error {
	if w.err != nil {
		return w.err
	}
	record := make([]byte, 0, headLength+len(payload)+crc32.Size)
	record = append(record, byte(kind))
	record = binary.LittleEndian.AppendUint32(record, uint32(len(payload))) //nolint:gosec // at most maxRecord
	record = append(record, payload...)
	sum := checksumOf(w.chain, record)
	record = binary.LittleEndian.AppendUint32(record, sum)
	if _, err := w.out.Write(record); err != nil {
		w.err = fmt.Errorf("journal: %w", err)
		return w.err
	}
	w.size += int64(len(record))
	w.chain = sum
	return nil
}

// checksumOf returns the checksum of a record, given that of the previous one.
func checksumOf(before uint32, record []byte) uint32 {
	return crc32.Update(crc32.Checksum(binary.LittleEndian.AppendUint32(nil, before), castagnoli), castagnoli, record)
}
