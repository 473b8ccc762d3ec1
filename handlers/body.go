package handlers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"mybot/strictjson"
)

// Reading the bodies of requests. The answer to a wrong body names the field, the
// fault, and what would be right.

// readJSON reads a body strictly into the struct that v points to; an empty body
// leaves it unchanged. The error is a sentence for writeBodyFault.
func readJSON(r *http.Request, v any) error {
	data, err := io.ReadAll(r.Body)
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return err
	}
	if err := strictjson.Decode(data, v); err != nil {
		return errors.New(bodyFault(err, strings.Join(strictjson.FieldsOf(v), ", ")))
	}
	members, _ := strictjson.OpenObject(data)
	for name, value, ok := members.Next(); ok; name, value, ok = members.Next() {
		if string(value) == "null" {
			return fmt.Errorf("%q is null; leave it out, or give it a value.", clipText(name))
		}
	}
	return nil
}

// readBody reads a body for another decoder. If it cannot, it answers the request
// and ok is false.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		writeBodyFault(w, err)
	}
	return data, err == nil
}

// writeBodyFault answers a request whose body is wrong.
func writeBodyFault(w http.ResponseWriter, err error) {
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		writeSentence(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("The body is too large; it should have at most %s.", sizeOf(long.Limit)))
	case errors.Is(err, os.ErrDeadlineExceeded):
		writeSentence(w, http.StatusRequestTimeout, "The body did not arrive in time; send it without pauses.")
	case errors.Is(err, io.ErrUnexpectedEOF):
		writeSentence(w, http.StatusBadRequest, "The body ended early; send all of it.")
	default:
		writeSentence(w, http.StatusBadRequest, err.Error())
	}
}

func sizeOf(bytes int64) string {
	if bytes >= 1<<20 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}

// bodyFault describes the fault of a body that strictjson refuses; names are the
// allowed fields.
func bodyFault(err error, names string) string {
	should := "it should be one JSON object with the fields " + names
	if names == "" {
		should = "it should be empty"
	}
	var syntax *strictjson.SyntaxError
	var fault strictjson.Fault
	switch {
	case errors.As(err, &syntax) && syntax.Defect == strictjson.Trailing:
		return "Something follows the JSON object; the body should be that one object."
	case errors.As(err, &syntax) && syntax.Defect == strictjson.Incomplete:
		return "The JSON of the body ends early; " + should + "."
	case errors.As(err, &syntax):
		return fmt.Sprintf("The body is not JSON (line %d: %v); %s.", syntax.Line, syntax.Err, should)
	case !errors.As(err, &fault):
		return fmt.Sprintf("The body cannot be read (%v); %s.", err, should)
	}
	what := "The body"
	if fault.Path != "" {
		what = strconv.Quote(fault.Path)
	}
	switch name := strconv.Quote(fault.Name()); {
	case fault.Problem == strictjson.Unknown && len(fault.Known) == 0:
		return fmt.Sprintf("%s has a field %s, which is not known; there are none here.", what, strconv.Quote(clipText(fault.Key)))
	case fault.Problem == strictjson.Unknown:
		return fmt.Sprintf("%s has a field %s, which is not known; the fields are %s.", what, strconv.Quote(clipText(fault.Key)), strings.Join(fault.Known, ", "))
	case fault.Problem == strictjson.Twice:
		return name + " is there twice; it should be there once."
	case fault.Problem == strictjson.Explanation:
		return name + " " + fault.Want + "."
	case fault.Path == "" && fault.Key == "":
		return fmt.Sprintf("The body is %s; %s.", fault.Is, should)
	default:
		return fmt.Sprintf("%s is %s; it should be %s.", name, fault.Is, fault.Want)
	}
}
