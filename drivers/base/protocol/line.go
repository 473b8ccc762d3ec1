package protocol

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mybot/strictjson"
)

// The longest lines, in bytes, without the newline.
const (
	MaxLine     = 4096
	MaxLongLine = 32 << 10 // of Scan and Describe
)

// A LineError says what is wrong with a line. The line is skipped; its sender may
// continue with the next one.
type LineError struct {
	Line   string // its beginning, in printable form
	Reason string // what is wrong and what would be right
}

func (e *LineError) Error() string { return fmt.Sprintf("line %s: %s", e.Line, e.Reason) }

// newLineError returns the error of a line, with a formatted reason.
func newLineError(line []byte, format string, args ...any) *LineError {
	const maxQuoted = 80
	text := strictjson.Clip(string(line[:min(len(line), 2*maxQuoted)]), maxQuoted)
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		text = strconv.QuoteToASCII(text)
	}
	return &LineError{Line: text, Reason: fmt.Sprintf(format, args...)}
}

// Checksum returns the CRC-16/CCITT-FALSE of the bytes: polynomial 0x1021, initial
// value 0xFFFF, not reflected. That of "123456789" is 0x29B1.
func Checksum(data []byte) uint16 {
	crc := uint16(0xFFFF)
	for _, b := range data {
		crc ^= uint16(b) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}

func tooLong(line []byte, maxBytes int) *LineError {
	return newLineError(line, "it is longer than %d bytes; it must be shorter, and end with a newline", maxBytes)
}

// A Splitter splits a stream of bytes into lines. It buffers at most one line.
type Splitter struct {
	maxBytes int
	begun    []byte // of an incomplete line
	skipping bool   // until the next newline, because the line is too long
}

// NewSplitter returns a Splitter for lines of at most maxBytes without the newline.
func NewSplitter(maxBytes int) *Splitter { return &Splitter{maxBytes: maxBytes} }

// Split calls each for every line that the bytes complete, without its newline, and
// with an error for every line that is too long. Empty lines are skipped. A line is
// valid only during the call.
func (s *Splitter) Split(data []byte, each func(line []byte, err error)) {
	for len(data) > 0 {
		part, rest, ended := bytes.Cut(data, []byte("\n"))
		data = rest
		if !s.skipping {
			if room := s.maxBytes + 2 - len(s.begun); len(part) > room { // one byte too many, even with a carriage return
				part = part[:room]
			}
			s.begun = append(s.begun, part...)
			if line := bytes.TrimSuffix(s.begun, []byte("\r")); len(line) > s.maxBytes {
				s.skipping = true
				each(nil, tooLong(line, s.maxBytes))
			} else if ended && len(line) > 0 {
				each(line, nil)
			}
		}
		if ended {
			s.begun, s.skipping = s.begun[:0], false
		}
	}
}
