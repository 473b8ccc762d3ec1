package client

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mybot/script"
)

// A Kind says what a line of the robot is.
type Kind int

// The kinds of lines.
const (
	Value Kind = iota // the value of an expression
	Info              // a report such as "start", which has no value
	Fault             // what was wrong with a command, and what would be right
)

// unreadTag is the tag under which a robot says why it cannot read a command, whose own tag
// it does not know then.
const unreadTag = "error"

// HeldTag is the tag under which a robot says, once until Resume, why it holds motion.
const HeldTag = "held"

// A Message is one line of the robot.
type Message struct {
	// Milliseconds is the time since the robot was switched on; -1 in the first line of a
	// connection, which has none.
	Milliseconds int64
	Tag          string // notag = the command had none, error = it could not be read
	Kind         Kind
	Value        script.Value // of kind Value; it is a text if it is none that a client can read
	Text         string       // of kind Info or Fault: the sentence
}

// Bounds on what a robot sends.
const (
	maxLine  = script.MaxScript + 1<<10 // bytes of a line
	maxDepth = script.MaxNesting        // of lists in each other
)

// A Reader reads the lines of a robot.
type Reader struct{ in *bufio.Reader }

// NewReader returns a reader of a stream.
func NewReader(r io.Reader) *Reader { return &Reader{bufio.NewReaderSize(r, maxLine)} }

// Next returns the next line. The error is io.EOF at the end of the stream between two lines;
// other errors say what is wrong with the stream, and nothing after it can be read.
func (r *Reader) Next() (Message, error) {
	line, err := r.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return Message{}, fmt.Errorf("the robot sent a line of more than %d bytes", maxLine)
	case errors.Is(err, io.EOF) && len(line) > 0:
		return Message{}, fmt.Errorf("the robot stopped in the middle of a line: %w", io.ErrUnexpectedEOF)
	case err != nil:
		return Message{}, err
	}
	text := strings.TrimRight(string(line), "\r\n")
	m, rest, err := readHead(text)
	if err != nil {
		return Message{}, err
	}
	switch {
	case strings.HasPrefix(rest, "*** "):
		m.Kind, m.Text = Info, rest[4:]
	case strings.HasPrefix(rest, "!!! "):
		m.Kind, m.Text = Fault, rest[4:]
	case strings.HasPrefix(rest, "BIN "):
		m.Value, err = r.readBinary(rest)
	default:
		m.Value = readValue(rest)
	}
	return m, err
}

// readHead reads [000041307:mytag] and returns what follows it.
func readHead(line string) (m Message, rest string, err error) {
	wrong := fmt.Errorf("%q is no line of a robot, such as [000041307:mytag] 15.104000: is this the port for scripts?", clip(line))
	inside, rest, ok := strings.Cut(strings.TrimPrefix(line, "["), "] ")
	ms, tag, hasTag := strings.Cut(inside, ":")
	if !strings.HasPrefix(line, "[") || !ok || !hasTag || tag == "" {
		return m, "", wrong
	}
	m.Milliseconds, m.Tag = -1, tag
	if ms == ".." {
		return m, rest, nil
	}
	n, err := strconv.ParseUint(ms, 10, 62)
	if err != nil {
		return m, "", wrong
	}
	m.Milliseconds = int64(n)
	return m, rest, nil
}

// readBinary reads the bytes that follow a line such as BIN 5347 jpeg 208 160.
func (r *Reader) readBinary(head string) (script.Value, error) {
	size, format, _ := strings.Cut(strings.TrimPrefix(head, "BIN "), " ")
	n, err := strconv.Atoi(size)
	if err != nil || n < 0 || n > script.MaxBinary {
		return script.Value{}, fmt.Errorf("%q is no head of binary data: it must have from 0 to %d bytes", clip(head), script.MaxBinary)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(r.in, data); err != nil {
		return script.Value{}, fmt.Errorf("the robot stopped in the middle of %d bytes of binary data: %w", n, io.ErrUnexpectedEOF)
	}
	return script.Binary(format, data), nil
}

// readValue reads a number, a text or a list. Anything else is a text as it stands.
func readValue(s string) script.Value {
	if v, rest, ok := cutValue(s, 0); ok && rest == "" {
		return v
	}
	return script.Text(s)
}

// cutValue reads the value at the beginning of a text.
func cutValue(s string, depth int) (v script.Value, rest string, ok bool) {
	switch {
	case strings.HasPrefix(s, `"`):
		return cutText(s)
	case strings.HasPrefix(s, "["):
		if depth >= maxDepth {
			return v, s, false
		}
		return cutList(s[1:], depth+1)
	}
	end := strings.IndexAny(s, ",]")
	if end < 0 {
		end = len(s)
	}
	f, err := strconv.ParseFloat(s[:end], 64)
	return script.Number(f), s[end:], err == nil
}

// cutList reads the elements of a list, after its bracket.
func cutList(s string, depth int) (v script.Value, rest string, ok bool) {
	var elements []script.Value
	for s != "" && s[0] != ']' {
		if len(elements) > 0 {
			if !strings.HasPrefix(s, ", ") {
				return v, s, false
			}
			s = s[2:]
		}
		if len(elements) >= script.MaxList {
			return v, s, false
		}
		if v, s, ok = cutValue(s, depth); !ok {
			return v, s, false
		}
		elements = append(elements, v)
	}
	if s == "" {
		return v, s, false
	}
	return script.List(elements...), s[1:], true
}

// cutText reads a text in quotes.
func cutText(s string) (v script.Value, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return script.Text(b.String()), s[i+1:], true
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(unescape(s[i]))
		default:
			b.WriteByte(c)
		}
	}
	return v, s, false
}

// unescape returns the letter for which \c stands.
func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	}
	return c
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + ".."
	}
	return s
}

// String returns a message in the format of the line protocol.
func (m Message) String() string {
	text := m.Text
	switch m.Kind {
	case Value:
		text = m.Value.String()
	case Info:
		text = "*** " + text
	case Fault:
		text = "!!! " + text
	}
	if m.Milliseconds < 0 {
		return fmt.Sprintf("[..:%s] %s", m.Tag, text)
	}
	return fmt.Sprintf("[%09d:%s] %s", m.Milliseconds, m.Tag, text)
}
