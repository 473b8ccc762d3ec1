package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
// it is not JSON, the error is a *SyntaxError.
func Check(data []byte, maxBytes int) error {
	switch {
	case len(data) > maxBytes:
		return fmt.Errorf("it is %d bytes long; it must be at most %d", len(data), maxBytes)
	case !utf8.Valid(data):
		return errors.New("it is not UTF-8 text")
	case !json.Valid(data):
		return syntaxError(data)
	}
	return nil
}

// syntaxError returns the fault of a text that is not JSON.
func syntaxError(data []byte) *SyntaxError {
	var raw json.RawMessage
	err := json.Unmarshal(data, &raw)
	e, at := &SyntaxError{Err: err}, len(data)
	var syntax *json.SyntaxError
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		e.Defect = Empty
	case !errors.As(err, &syntax) || syntax.Error() == "unexpected end of JSON input":
		e.Defect = Incomplete
	default:
		at = min(max(int(syntax.Offset)-1, 0), len(data))
		if strings.HasSuffix(syntax.Error(), "after top-level value") {
			e.Defect = Trailing
		}
	}
	before := data[:at]
	e.Line, e.Column = 1+bytes.Count(before, []byte("\n")), at-bytes.LastIndexByte(before, '\n')
	return e
}
