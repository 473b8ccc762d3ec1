package handlers

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
)

// What a request sends in its body, and what is said of one that is wrong: the
// field, the fault, and what would be right.

// readJSON reads a body strictly into the struct that v points to; one that is
// empty leaves it as it is. The error is a sentence for sayBody.
func readJSON(r *http.Request, v any) error {
	data, err := io.ReadAll(r.Body)
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return errors.New(jsonFault(data, err, v))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("Something follows the JSON object; the body should be that one object.")
	}
	return checkJSON(data, namesOf(reflect.TypeOf(v), map[string]bool{}))
}

// readBody reads a body for another decoder; when it cannot be read, it answers the
// request and ok is false.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		sayBody(w, err)
	}
	return data, err == nil
}

// sayBody answers a request whose body is wrong.
func sayBody(w http.ResponseWriter, err error) {
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		say(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("The body is too large; it should have at most %s.", sizeOf(long.Limit)))
	case errors.Is(err, io.ErrUnexpectedEOF):
		say(w, http.StatusBadRequest, "The body ended early; send all of it.")
	default:
		say(w, http.StatusBadRequest, err.Error())
	}
}

func sizeOf(bytes int64) string {
	if bytes >= 1<<20 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}

// jsonFault says why the data is not what v holds.
func jsonFault(data []byte, err error, v any) string {
	t := reflect.TypeOf(v).Elem()
	names := strings.Join(fieldsOf(t), ", ")
	should := "it should be one JSON object with the fields " + names
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch unknown, is := strings.CutPrefix(err.Error(), "json: unknown field "); {
	case is:
		return fmt.Sprintf("The body has a field %s, which is not known; the fields are %s.", clip(unknown), names)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Sprintf("The body is %s; %s.", withArticle(kind.Value), should)
	case errors.As(err, &kind):
		return fmt.Sprintf("%q is %s; it should be %s.", clip(kind.Field), withArticle(kind.Value), rightFor(kind.Type))
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
		return fmt.Sprintf("The body is not JSON (line %d: %v); %s.", line, syntax, should)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "The JSON of the body ends early; " + should + "."
	}
	return fmt.Sprintf("The body cannot be read (%v); %s.", err, should)
}

// fieldsOf returns the names of a struct's fields in JSON.
func fieldsOf(t reflect.Type) (names []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// withArticle puts an article before what encoding/json calls a value.
func withArticle(value string) string {
	switch {
	case strings.HasPrefix(value, "number "):
		return "the " + value
	case value == "number":
		return "a number"
	case value == "array":
		return "a list"
	case value == "object":
		return "an object"
	case value == "bool":
		return "true or false"
	case value == "string":
		return "text"
	}
	return "a " + value
}

// rightFor says what JSON a Go type takes.
func rightFor(t reflect.Type) string {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return "text in quotes"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text in quotes"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number, 0 or more"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	}
	return "an object"
}
