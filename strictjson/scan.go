package strictjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Members steps through the members of an object.
type Members struct {
	text []byte
	at   int
}

// OpenObject returns the members of the value, which is valid JSON, in order; ok is
// false if it is not an object.
func OpenObject(value []byte) (m Members, ok bool) {
	at := skipSpace(value, 0)
	return Members{value, at + 1}, value[at] == '{'
}

// Next returns the next member; ok is false after the last one. The value is part
// of the object's text.
func (m *Members) Next() (name string, value []byte, ok bool) {
	key, ok := nextItem(m.text, &m.at, '}')
	if !ok {
		return "", nil, false
	}
	name, _ = Unquote(key)
	m.at = skipSpace(m.text, skipSpace(m.text, m.at)+1) // after the colon
	end := valueEnd(m.text, m.at)
	value, m.at = m.text[m.at:end], end
	return name, value, true
}

// Elements steps through the elements of a list.
type Elements struct {
	text []byte
	at   int
}

// OpenList returns the elements of the value, which is valid JSON; ok is false if
// it is not a list.
func OpenList(value []byte) (e Elements, ok bool) {
	at := skipSpace(value, 0)
	return Elements{value, at + 1}, value[at] == '['
}

// Next returns the next element; ok is false after the last one.
func (e *Elements) Next() (value []byte, ok bool) { return nextItem(e.text, &e.at, ']') }

// nextItem skips a comma at *at, returns the value there and moves past it; ok is
// false at the closing bracket.
func nextItem(text []byte, at *int, closing byte) (value []byte, ok bool) {
	i := skipSpace(text, *at)
	if text[i] == closing {
		return nil, false
	}
	if text[i] == ',' {
		i = skipSpace(text, i+1)
	}
	*at = valueEnd(text, i)
	return text[i:*at], true
}

// skipSpace returns the end of the white space at i.
func skipSpace(b []byte, i int) int {
	for b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r' {
		i++
	}
	return i
}

// valueEnd returns the end of the value at i.
func valueEnd(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // the end of the enclosing object or list
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// Unquote returns the text of a string; false for other values.
func Unquote(value []byte) (string, bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1]), true
	}
	var s string
	err := json.Unmarshal(value, &s)
	return s, err == nil
}

// IsNumber reports whether the value is a number, of any size.
func IsNumber(value []byte) bool {
	return len(value) > 0 && (value[0] == '-' || value[0] >= '0' && value[0] <= '9')
}

// Number returns a finite number; false for other values.
func Number(value []byte) (float64, bool) {
	if !IsNumber(value) {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(value), 64)
	return x, err == nil
}

// Numbers reads a list of exactly as many finite numbers as into has room for;
// false for other values.
func Numbers(value []byte, into []float64) bool {
	list, ok := OpenList(value)
	for i := 0; ok && i < len(into); i++ {
		var element []byte
		if element, ok = list.Next(); ok {
			into[i], ok = Number(element)
		}
	}
	if !ok {
		return false
	}
	_, more := list.Next()
	return !more
}

// Printable returns a text with every letter escaped that is not shown as what it is,
// such as one that steers a terminal or turns the text around it.
func Printable(s string) string {
	if !strings.ContainsFunc(s, isHidden) && utf8.ValidString(s) {
		return s
	}
	var out strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if isHidden(r) || r == utf8.RuneError && size == 1 {
			quoted := strconv.QuoteToASCII(s[:size])
			out.WriteString(quoted[1 : len(quoted)-1])
		} else {
			out.WriteString(s[:size])
		}
		s = s[size:]
	}
	return out.String()
}

func isHidden(r rune) bool { return !unicode.IsPrint(r) }

// Clip shortens what an error quotes to at most so many bytes.
func Clip(s string, maxBytes int) string {
	if len(s) <= maxBytes {
		return s
	}
	return strings.ToValidUTF8(s[:maxBytes], "") + "..."
}
