// Package mcap writes and reads recordings in MCAP (https://mcap.dev/spec), the
// format that Foxglove, Lichtblick and the tools of ROS 2 read. It knows nothing
// of robots: package recording says what is in a recording of Mybot.
//
// Foxglove's own library writes the records and parses their bodies. What it
// leaves open is added here: a Writer can close a chunk at any time, so that a
// program that is killed loses little, and a Reader takes every byte for hostile.
// It reads a file from its beginning to its end and needs no index, so it reads
// pipes and files that were cut off too. It finds damage, says where it is, and
// its memory is bounded whatever the file says.
//
// Writers and Readers are each used by one goroutine.
package mcap

import "time"

// A Schema says how the messages of a channel are to be understood.
type Schema struct {
	Name     string // such as foxglove.LaserScan
	Encoding string // of Data, such as jsonschema
	Data     []byte
}

// A Channel is a stream of messages of one kind.
type Channel struct {
	Topic    string
	Encoding string  // of its messages, such as json
	Schema   *Schema // nil = it has none
	Metadata map[string]string
}

// A Message is one message of a recording.
type Message struct {
	Channel   *Channel
	Sequence  uint32    // counts the messages of the channel, if the writer counted
	Logged    time.Time // when it was recorded: the order of the recording
	Published time.Time // when it was made
	Data      []byte
}

// A Compression is how the chunks of a file are compressed.
type Compression string

// The compressions that a Writer knows; a Reader reads lz4 too.
const (
	None Compression = ""
	Zstd Compression = "zstd"
)

const (
	magic = "\x89MCAP0\r\n"

	// maxRecord is the longest record that is read, in bytes, compressed or not.
	// Attachments may be longer: they are skipped.
	maxRecord = 64 << 20
	// maxDescribed is how long all schemas and channels of a file may be together.
	maxDescribed = 64 << 20
)

// toNanoseconds returns a time as MCAP has it; times before 1970 are 0.
func toNanoseconds(t time.Time) uint64 {
	if t.Before(time.Unix(0, 0)) {
		return 0
	}
	return uint64(t.UnixNano()) //nolint:gosec // it is not negative
}

// timeOf is the inverse of nanoseconds.
func timeOf(ns uint64) time.Time {
	const second = uint64(time.Second)
	return time.Unix(int64(ns/second), int64(ns%second)) //nolint:gosec // both fit
}
