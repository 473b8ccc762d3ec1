package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// An UnknownFieldError is a field that the struct does not have.
type UnknownFieldError struct{ Name string }

func (e UnknownFieldError) Error() string { return fmt.Sprintf("the field %q is not known", e.Name) }

// Decode reads one JSON document, and nothing behind it, into the struct that
// into points to. The error is a *SyntaxError, an UnknownFieldError, or that of
// encoding/json, a *json.UnmarshalTypeError for a value of a wrong kind.
func Decode(data []byte, into any) error {
	if !json.Valid(data) {
		return syntaxError(data)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		return nil
	}
	if quoted, is := strings.CutPrefix(err.Error(), "json: unknown field "); is {
		name, _ := strconv.Unquote(quoted) // encoding/json quoted it
		return UnknownFieldError{name}
	}
	return err
}
