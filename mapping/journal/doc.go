// Package journal saves the input of a map in progress: an append-only stream of
// records, each with a checksum. After a program was killed, it reads the stream and
// passes a mapping.Mapper the same key frames in the same order, which makes the same
// map. A map folder contains one as well, so that the map can be extended.
//
// A stream is 8 bytes of magic and records of
//
//	kind     1 byte
//	length   4 bytes, little endian: of the payload, at most 1 MiB
//	payload
//	CRC-32C  4 bytes, little endian: of the previous checksum, kind, length, payload
//
// so that a missing, duplicated or exchanged record is detected. The first one is the
// Header. A key frame takes about 300 bytes for 360 beams: bearings in 1/65536 of a
// revolution and ranges in 5 mm, as differences in a Rice code.
//
// The package is pure: it writes to an io.Writer and reads from an io.Reader, which
// the caller owns. Read treats every byte as hostile.
package journal

import (
	"encoding/json"
	"time"

	"mybot/mapping"
	"mybot/robot"
)

// Limits of a journal.
const (
	MaxKeyFrames = 20000    // 4 km of driving
	MaxEdit      = 64 << 10 // bytes of one edit
	MaxBeams     = 4096     // in a key frame
)

const (
	magic      = "\x89mybmap\n"
	version    = 1
	headLength = 5 // bytes of kind and length
	maxRecord  = 1 << 20
)

// A Kind is the kind of a record.
type Kind uint8

// The kinds of records.
const (
	kindHeader Kind = iota + 1
	KeyFrame        // of the map
	Poses           // at which the following key frames are fixed, starting with the first
	Undo            // takes key frames back
	Finish          // asks for the final optimization
	Pause           // of mapping
	Resume          // after a pause
	Edit            // of the draft, by a person
	Restart         // of the program, while the map was in progress
)

func (k Kind) String() string {
	names := [...]string{kindHeader: "header", KeyFrame: "key frame", Poses: "poses", Undo: "undo", Finish: "finish", Pause: "pause", Resume: "resume", Edit: "edit", Restart: "restart"}
	if int(k) < len(names) && names[k] != "" {
		return names[k]
	}
	return "record of an unknown kind"
}

// A Header identifies the map of a journal.
type Header struct {
	Version int           `json:"version"` // of the format; the Writer sets it
	Began   time.Time     `json:"began"`
	Map     string        `json:"map"`    // that is being extended; "" = a new map
	Robot   string        `json:"robot"`  // name in its description
	Lidars  []robot.Lidar `json:"lidars"` // of the robot
}

// A Record is one record of a journal after the header. Fields that its Kind does
// not use are zero.
type Record struct {
	Kind     Kind
	KeyFrame mapping.KeyFrame
	Poses    []robot.Pose    // of base_link in map
	Keep     int             // Undo: number of remaining key frames
	Time     time.Time       // of a pause or its end
	Edit     json.RawMessage // opaque to the journal
}
