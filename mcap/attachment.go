package mcap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"

	foxglove "github.com/foxglove/mcap/go/mcap"
)

// An Attachment is a file inside a recording.
type Attachment struct {
	Name      string // such as robot.json
	MediaType string // such as application/json
	Logged    time.Time
	Made      time.Time
	Data      []byte
}

// Attach adds an attachment, before the first message.
func (w *Writer) Attach(a Attachment) error {
	if w.err != nil {
		return w.err
	}
	for _, messages := range w.channels {
		if messages > 0 {
			return errors.New("mcap: attachments come before the first message")
		}
	}
	err := w.lib.WriteAttachment(&foxglove.Attachment{
		LogTime: toNanoseconds(a.Logged), CreateTime: toNanoseconds(a.Made), Name: a.Name, MediaType: a.MediaType,
		DataSize: uint64(len(a.Data)), Data: bytes.NewReader(a.Data),
	})
	if err == nil && w.tail != nil {
		err = w.tail.writeLongChunk()
	}
	return w.keepError(err)
}

// readAttachment reads the body of an attachment.
func (r *Reader) readAttachment(body []byte, at int64) (a Attachment, err error) {
	const fixed = 8 + 8
	if len(body) < fixed+4 {
		return a, r.faultAt(at, foxglove.OpAttachment, "it has %d bytes, too few for its head", len(body))
	}
	a.Logged, a.Made = timeOf(binary.LittleEndian.Uint64(body)), timeOf(binary.LittleEndian.Uint64(body[8:]))
	rest := body[fixed : len(body)-4]
	for _, text := range []*string{&a.Name, &a.MediaType} {
		if len(rest) < 4 || uint64(binary.LittleEndian.Uint32(rest)) > uint64(len(rest)-4) {
			return a, r.faultAt(at, foxglove.OpAttachment, "it ends within its name or its media type")
		}
		n := binary.LittleEndian.Uint32(rest)
		*text, rest = string(rest[4:4+n]), rest[4+n:]
	}
	if len(rest) < 8 || binary.LittleEndian.Uint64(rest) != uint64(len(rest)-8) {
		return a, r.faultAt(at, foxglove.OpAttachment, "%q is not as long as it says", clipText(a.Name))
	}
	a.Data = bytes.Clone(rest[8:])
	want := binary.LittleEndian.Uint32(body[len(body)-4:])
	if sum := crc32.ChecksumIEEE(body[:len(body)-4]); want != 0 && sum != want {
		return a, r.faultAt(at, foxglove.OpAttachment, "the CRC-32 of %q is %08x, but it says %08x: the file was damaged", clipText(a.Name), sum, want)
	}
	return a, nil
}
