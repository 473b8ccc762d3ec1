package talk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// MaxTime is the latest time in a conversation, in ms: nine digits.
	MaxTime = 999_999_999
	// MaxBytes is the largest size of the file of a conversation.
	MaxBytes = 4 << 20
	// Patience is how long a conversation continues at most, in ms, after its last line.
	Patience = 60_000
)

// An utterance is one text that a client sends.
type utterance struct {
	at   int64 // ms
	name string
	text string
	end  bool // the client leaves
}

// A Conversation lists who says what, in order of time.
type Conversation struct{ said []utterance }

// byteOrderMark is what some editors write before a text.
const byteOrderMark = "\ufeff"

// Read reads a conversation. The error gives the number of the invalid line.
func Read(text string) (*Conversation, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("it has %d bytes; a conversation has at most %d", len(text), MaxBytes)
	}
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("it is not UTF-8 text")
	}
	c := &Conversation{}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(text, byteOrderMark)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line != "" && (line[0] == ' ' || line[0] == '\t') && len(c.said) > 0:
			last := &c.said[len(c.said)-1]
			if last.end && strings.TrimSpace(line) != "" {
				return nil, fmt.Errorf("line %d: nothing can follow an END", n)
			}
			last.text += line + "\n"
		case strings.TrimSpace(line) == "", line[0] == '#':
		case line[0] == '@':
			u, err := readUtterance(line)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			c.said = append(c.said, u)
		default:
			return nil, fmt.Errorf("line %d: %q; a line begins with @MS:NAME, such as @500:A, or with a space if it belongs to the line before", n, clip(line))
		}
	}
	slices.SortStableFunc(c.said, func(a, b utterance) int { return int(a.at - b.at) })
	return c, nil
}

func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + ".."
	}
	return s
}

// readUtterance reads one line.
func readUtterance(line string) (utterance, error) {
	head, text := line[1:], ""
	if i := strings.IndexAny(head, " \t"); i >= 0 {
		head, text = head[:i], head[i+1:]
	}
	ms, name, ok := strings.Cut(head, ":")
	at, err := strconv.ParseInt(ms, 10, 64)
	switch {
	case !ok:
		return utterance{}, fmt.Errorf("%q has no name; a line begins with @MS:NAME, such as @500:A", clip(line))
	case err != nil || at < 0 || at > MaxTime || ms[0] == '+':
		return utterance{}, fmt.Errorf("%q is no time; it must be whole milliseconds from 0 to %d", clip(ms), MaxTime)
	case name == "":
		return utterance{}, fmt.Errorf("the client's name is missing; a line begins with @MS:NAME, such as @500:A")
	}
	return utterance{at: at, name: name, text: text + "\n", end: strings.TrimSpace(text) == "END"}, nil
}
