package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// A field is one member of the object that a frame holds: its name and the
// JSON text of its value. A value that is an object stays unread: no command
// has one, and the lists that some have are of numbers.
type field struct {
	name  string
	value []byte
	known bool // the command has such a field
}

// ackExample is the shortest frame.
const ackExample = `{"type":"ack","n":1}`

// split appends the fields of the frame, which is valid JSON, in their order.
// The fault is a sentence, "" = none.
func split(frame []byte, fields []field) ([]field, string) {
	at := space(frame, 0)
	if frame[at] != '{' {
		return nil, "The frame is " + clip(string(bytes.TrimSpace(frame))) + "; it should be one JSON object, for example " + ackExample + "."
	}
	for at = space(frame, at+1); frame[at] != '}'; at = space(frame, at) {
		if frame[at] == ',' {
			at = space(frame, at+1)
		}
		end := value(frame, at)
		name, _ := unquote(frame[at:end])
		for _, f := range fields {
			if f.name == name {
				return fields, fmt.Sprintf("%q is there twice; it should be there once.", clip(name))
			}
		}
		if len(fields) == mostFields {
			return fields, fmt.Sprintf("The frame has more than %d fields; no command has so many.", mostFields)
		}
		at = space(frame, space(frame, end)+1) // behind the colon
		end = value(frame, at)
		fields = append(fields, field{name: name, value: frame[at:end]})
		at = end
	}
	return fields, ""
}

// space returns where the white space at i ends.
func space(b []byte, i int) int {
	for b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r' {
		i++
	}
	return i
}

// value returns where the JSON value at i ends.
func value(b []byte, i int) int {
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
				return i // the end of what the value stands in
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// unquote returns the text of a JSON string; false for any other value.
func unquote(text []byte) (string, bool) {
	if text[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1]), true
	}
	var s string
	err := json.Unmarshal(text, &s)
	return s, err == nil
}

// numeric tells whether the JSON value is a number.
func numeric(text []byte) bool {
	return text[0] == '-' || text[0] >= '0' && text[0] <= '9'
}

// numbersIn reads a JSON list of as many finite numbers as into has room for,
// and tells whether the value is one.
func numbersIn(text []byte, into []float64) bool {
	if text[0] != '[' {
		return false
	}
	at := space(text, 1)
	for i := range into {
		if i > 0 {
			if text[at] != ',' {
				return false
			}
			at = space(text, at+1)
		}
		end := value(text, at)
		if end == at || !numeric(text[at:end]) {
			return false
		}
		var err error
		if into[i], err = strconv.ParseFloat(string(text[at:end]), 64); err != nil {
			return false
		}
		at = space(text, end)
	}
	return text[at] == ']'
}

// next returns the first value of a JSON list, which need not begin with its
// bracket, and what is behind it; nil at its end. It is not ok when the value
// is no list.
func next(list []byte) (item, rest []byte, ok bool) {
	if list[0] != '[' && list[0] != ',' {
		return nil, nil, false
	}
	at := space(list, 1)
	if list[at] == ']' {
		return nil, nil, true
	}
	end := value(list, at)
	item, at = list[at:end], space(list, end)
	if list[at] == ']' {
		return item, list[:0], true
	}
	return item, list[at:], true
}

// clip shortens what a page sent to what fits into a sentence.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}
