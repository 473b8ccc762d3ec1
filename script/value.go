package script

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

type valueKind uint8

const (
	nothing valueKind = iota // the result of a function without return
	number
	text
	list
	binary
)

// A Value is a number, a text, a list, or binary data.
type Value struct {
	kind   valueKind
	number float64
	text   string // also the bytes of binary data
	more   *more
}

// more holds fields that few values need.
type more struct {
	list   []Value
	format string // of binary data, such as jpeg 208 160
	size   int    // bytes of the elements
	depth  int    // levels of nested lists
}

// Number returns a numeric value.
func Number(f float64) Value { return Value{kind: number, number: f} }

// Text returns a text value.
func Text(s string) Value { return Value{kind: text, text: s} }

// List returns a list value.
func List(elements ...Value) Value {
	m := &more{list: elements, depth: 1}
	for _, e := range elements {
		m.size += e.size()
		if e.kind == list {
			m.depth = max(m.depth, e.more.depth+1)
		}
	}
	return Value{kind: list, more: m}
}

// Binary returns the value of a picture or a sound, with its format, such as
// "jpeg 208 160".
func Binary(format string, data []byte) Value {
	return Value{kind: binary, text: string(data), more: &more{format: format}}
}

func truth(b bool) Value {
	if b {
		return Number(1)
	}
	return Number(0)
}

// Number returns the number in a value, and whether the value is a number.
func (v Value) Number() (float64, bool) { return v.number, v.kind == number }

// Text returns the text in a value, and whether the value is a text.
func (v Value) Text() (string, bool) { return v.text, v.kind == text }

// Binary returns the format and the bytes of a value; ok is false if it is not binary data.
func (v Value) Binary() (format string, data []byte, ok bool) {
	if v.kind != binary {
		return "", nil, false
	}
	return v.more.format, []byte(v.text), true
}

// hasFormat reports whether a value is binary data of a format, whatever follows its name.
func (v Value) hasFormat(name string) bool {
	if v.kind != binary {
		return false
	}
	format, _, _ := strings.Cut(v.more.format, " ")
	return format == name
}

// HasBinary reports whether a value is binary data, or a list that contains some.
func (v Value) HasBinary() bool {
	return v.kind == binary || v.kind == list && slices.ContainsFunc(v.more.list, Value.HasBinary)
}

// List returns the elements of a value, and whether the value is a list.
func (v Value) List() ([]Value, bool) {
	if v.kind != list {
		return nil, false
	}
	return v.more.list, true
}

// Plain returns a value as people read it: a text without quotes, everything else as String
// does, cut to about MaxText bytes.
func (v Value) Plain() string {
	if v.kind == text {
		return v.text
	}
	return v.brief(MaxText)
}

// isTrue reports whether a test with this value holds.
func (v Value) isTrue() bool {
	switch v.kind {
	case number:
		return v.number != 0
	case list:
		return len(v.more.list) > 0
	default:
		return v.text != ""
	}
}

// String returns a value in the format of the line protocol.
func (v Value) String() string {
	switch v.kind {
	case number:
		return formatNumber(v.number)
	case text:
		return `"` + escapes.Replace(v.text) + `"`
	case list:
		return v.brief(math.MaxInt)
	case binary:
		return "BIN " + strconv.Itoa(len(v.text)) + " " + v.more.format
	default:
		return "nothing"
	}
}

// escapes is made once, because making it takes longer than a short text.
var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`)

func formatNumber(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(f, 'f', 6, 64)
	if s == "-0.000000" {
		return s[1:]
	}
	return s
}

// shortNumber formats a number for a sentence.
func shortNumber(f float64) string {
	if math.IsInf(f, 0) {
		return formatNumber(f)
	}
	return strconv.FormatFloat(f, 'g', 10, 64)
}

// describe returns the kind of a value, for a fault.
func (v Value) describe() string {
	switch v.kind {
	case number:
		return "the number " + shortNumber(v.number)
	case text:
		return "the text " + strconv.Quote(clip(v.text))
	case list:
		return "a list"
	case binary:
		return "binary data"
	default:
		return "nothing"
	}
}

// size returns how many bytes of memory a value counts for.
func (v Value) size() int {
	n := 64 + len(v.text)
	if v.more != nil {
		n += v.more.size
	}
	return n
}

func (v Value) equals(w Value) bool {
	if v.kind != w.kind {
		return false
	}
	if v.kind == list {
		if len(v.more.list) != len(w.more.list) {
			return false
		}
		for i := range v.more.list {
			if !v.more.list[i].equals(w.more.list[i]) {
				return false
			}
		}
		return true
	}
	return v.number == w.number && v.text == w.text
}
