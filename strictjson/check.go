package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A Defect says why a text is not a JSON document.
type Defect int

// The defects of a text.
const (
	Malformed  Defect = iota // it breaks the grammar
	Empty                    // it contains only white space
	Incomplete               // it ends inside a value
	Trailing                 // something follows the document
)

// A SyntaxError says where a text stops being one JSON document.
type SyntaxError struct {
	Defect       Defect
	Line, Column int // of the fault, from 1
	Err          error
}

func (e *SyntaxError) Error() string {
	text := map[Defect]string{
		Malformed: "", Empty: "it is empty: ", Incomplete: "it ends too early: ", Trailing: "there is something behind the closing brace: ",
	}[e.Defect]
	return fmt.Sprintf("line %d, column %d: %s%v", e.Line, e.Column, text, e.Err)
}

func (e *SyntaxError) Unwrap() error { return e.Err }

// Check reports whether data is one JSON document in UTF-8 of at most maxBytes. If
// it is not JSON, or escapes half a character, which encoding/json would replace,
// the error is a *SyntaxError.
func Check(data []byte, maxBytes int) error {
	switch {
	case len(data) > maxBytes:
		return fmt.Errorf("it is %d bytes long; it must be at most %d", len(data), maxBytes)
	case !utf8.Valid(data):
		return errors.New("it is not UTF-8 text")
	case !json.Valid(data):
		return syntaxError(data)
	}
	if at := halfCharacter(data); at >= 0 {
		return newSyntaxError(data, at, Malformed, fmt.Errorf("%s is half a character", data[at:at+escapeSize]))
	}
	return nil
}

// byteOrderMark is what some editors write at the beginning of a text in UTF-8.
var byteOrderMark = []byte("\ufeff")

// escapeSize is the length of an escape such as \u00e9, in bytes.
const escapeSize = 6

// halfCharacter returns where valid JSON escapes one half of a surrogate pair without
// the other one; -1 = nowhere.
func halfCharacter(data []byte) int {
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		switch first := escaped(data[i:]); {
		case !utf16.IsSurrogate(first):
			i++ // the letter behind it may be a \, too
		case utf16.DecodeRune(first, escaped(data[i+escapeSize:])) == utf8.RuneError:
			return i
		default:
			i += 2*escapeSize - 1
		}
	}
	return -1
}

// escaped returns the unit of UTF-16 whose escape the text begins with; -1 = none.
func escaped(text []byte) rune {
	if !bytes.HasPrefix(text, []byte(`\u`)) {
		return -1
	}
	unit, _ := strconv.ParseUint(string(text[2:escapeSize]), 16, 16) // it is valid JSON
	return rune(unit)
}

// syntaxError returns the fault of a text that is not JSON.
func syntaxError(data []byte) *SyntaxError {
	var raw json.RawMessage
	err := json.Unmarshal(data, &raw)
	defect, at := Malformed, len(data)
	var syntax *json.SyntaxError
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		defect = Empty
	case bytes.HasPrefix(data, byteOrderMark):
		at, err = 0, errors.New("it begins with a byte order mark; it must be UTF-8 without one")
	case !errors.As(err, &syntax) || syntax.Error() == "unexpected end of JSON input":
		defect = Incomplete
	default:
		at = min(max(int(syntax.Offset)-1, 0), len(data))
		if strings.HasSuffix(syntax.Error(), "after top-level value") {
			defect = Trailing
		}
	}
	return newSyntaxError(data, at, defect, err)
}

// newSyntaxError returns a fault at an index of the text.
func newSyntaxError(data []byte, at int, defect Defect, err error) *SyntaxError {
	before := data[:at]
	return &SyntaxError{Defect: defect, Line: 1 + bytes.Count(before, []byte("\n")), Column: at - bytes.LastIndexByte(before, '\n'), Err: err}
}
