// Package mcap writes and reads recordings in MCAP (https://mcap.dev/spec), the
// format that Foxglove, Lichtblick and the tools of ROS 2 read. It knows nothing
// about robots: package recording defines the contents of a recording of Mybot.
//
// Foxglove's own library writes the records and parses their bodies. This package
// adds two things: a Writer can close a chunk at any time, so that a program that
// is killed loses little, and a Reader treats every byte as hostile. The Reader
// reads a file from beginning to end without an index, so it also reads pipes and
// truncated files. It detects damage and says where it is, and its memory is
// bounded whatever the file contains.
//
// One goroutine uses each Writer or Reader.
package mcap

import "time"

// A Schema describes the messages of a channel.
type Schema struct {
	Name     string // such as foxglove.LaserScan
	Encoding string // of Data, such as jsonschema
	Data     []byte
}

// A Channel is a stream of messages of one kind.
type Channel struct {
	Topic    string
	Encoding string  // of its messages, such as json
	Schema   *Schema // nil = none
	Metadata map[string]string
}

// A Message is one message of a recording.
type Message struct {
	Channel   *Channel
	Sequence  uint32    // number of the message within the channel, if the writer counts
	Logged    time.Time // when it was recorded, which determines the order of the recording
	Published time.Time // when it was made
	Data      []byte
}

// A Compression is how the chunks of a file are compressed.
type Compression string

// The compressions of a Writer; a Reader also reads lz4.
const (
	None Compression = ""
	Zstd Compression = "zstd"
)

const (
	magic = "\x89MCAP0\r\n"

	// maxRecord is the longest record that is read, in bytes, compressed or not.
	// Longer attachments are skipped.
	maxRecord = 64 << 20
	// maxDescribed is the largest total size of a file's schemas and channels.
	maxDescribed = 64 << 20
)

// toNanoseconds converts a time to that of MCAP; times before 1970 become 0.
func toNanoseconds(t time.Time) uint64 {
	if t.Before(time.Unix(0, 0)) {
		return 0
	}
	return uint64(t.UnixNano()) //nolint:gosec // it is not negative
}

// timeOf is the inverse of toNanoseconds.
func timeOf(ns uint64) time.Time {
	const second = uint64(time.Second)
	return time.Unix(int64(ns/second), int64(ns%second)) //nolint:gosec // both fit
}
