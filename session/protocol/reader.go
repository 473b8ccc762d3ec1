package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"mybot/robot"
	"mybot/strictjson"
)

// A reader reads the fields of one request. Only the first fault counts; what it
// reads after that is meaningless.
type reader struct {
	kind   string
	fields []field
	fault  string
}

// newReader returns a reader of the fields of a frame of the kind.
func newReader(kind string, frame []byte, fields []field) *reader {
	r := &reader{kind: kind}
	switch {
	case len(frame) > MaxFrame:
		r.fault = fmt.Sprintf("The frame has %d bytes; it should have at most %d.", len(frame), MaxFrame)
	case !utf8.Valid(frame):
		r.fault = "The frame is not UTF-8; it should be one JSON object in UTF-8."
	case !json.Valid(frame):
		r.fault = notJSON(frame)
	default:
		r.fields, r.fault = splitFields(frame, fields)
	}
	return r
}

// notJSON says where a frame stops being JSON.
func notJSON(frame []byte) string {
	var syntax *json.SyntaxError
	var value json.RawMessage
	if err := json.Unmarshal(frame, &value); errors.As(err, &syntax) {
		return fmt.Sprintf("The frame is not JSON (byte %d: %s); it should be one JSON object.", syntax.Offset, syntax)
	}
	return "The frame is not JSON; it should be one JSON object."
}

// findField returns the field and marks it as known; nil = missing.
func (r *reader) findField(name string) *field {
	for i := range r.fields {
		if r.fields[i].name == name {
			r.fields[i].known = true
			return &r.fields[i]
		}
	}
	return nil
}

// rejectField records the fault of a field: what it is, and what would be right.
func (r *reader) rejectField(name, is, should string) {
	if r.fault == "" {
		r.fault = fmt.Sprintf("%s: %q %s; it should be %s.", r.kind, name, is, should)
	}
}

// requireField returns the field's value, or records a fault and returns nil if it
// is missing.
func (r *reader) requireField(name, should string) []byte {
	f := r.findField(name)
	if f == nil {
		r.rejectField(name, "is missing", should)
		return nil
	}
	return f.value
}

// rejectUnknown records a fault if there is a field that the request does not have.
func (r *reader) rejectUnknown() {
	for _, f := range r.fields {
		if !f.known && r.fault == "" {
			r.fault = fmt.Sprintf("%s: %q is not a field of it; it should be left out.", r.kind, Clip(f.name))
		}
	}
}

// readText reads a string of 1 to 64 printable characters.
func (r *reader) readText(name, should string) string {
	value := r.requireField(name, should)
	if value == nil {
		return ""
	}
	s, ok := strictjson.Unquote(value)
	if !ok || s == "" || utf8.RuneCountInString(s) > 64 || strings.ContainsFunc(s, isUnprintable) {
		r.rejectField(name, "is "+Clip(string(value)), should)
		return ""
	}
	return s
}

// readLine reads an optional line of at most maxLetters.
func (r *reader) readLine(name string, maxLetters int) string {
	f := r.findField(name)
	if f == nil {
		return ""
	}
	s, ok := strictjson.Unquote(f.value)
	if !ok || !IsLine(s, maxLetters) {
		r.rejectField(name, "is "+Clip(string(f.value)), fmt.Sprintf("one line of at most %d letters", maxLetters))
		return ""
	}
	return strings.TrimSpace(s)
}

// readDocument reads a text of several lines, at most maxBytes long.
func (r *reader) readDocument(name string, maxBytes int, should string) string {
	value := r.requireField(name, should)
	if value == nil {
		return ""
	}
	s, ok := strictjson.Unquote(value)
	if !ok || s == "" || len(s) > maxBytes {
		r.rejectField(name, "is "+Clip(string(value)), fmt.Sprintf("%s of at most %d bytes", should, maxBytes))
		return ""
	}
	return s
}

// readNumber reads a finite number.
func (r *reader) readNumber(name, should string) float64 {
	value := r.requireField(name, should)
	if value == nil {
		return 0
	}
	x, ok := strictjson.Number(value)
	switch {
	case ok:
		return x
	case strictjson.IsNumber(value): // beyond the largest float
		r.rejectField(name, "is "+Clip(string(value))+", which is not a finite number", should)
	default:
		r.rejectField(name, "is "+Clip(string(value)), should)
	}
	return 0
}

// wholeNumber reads a whole number of at least lowest.
func (r *reader) wholeNumber(name string, lowest uint64) uint64 {
	should := "a whole number from " + strconv.FormatUint(lowest, 10) + " on"
	value := r.requireField(name, should)
	if value == nil {
		return 0
	}
	n, err := strconv.ParseUint(string(value), 10, 64)
	if err != nil || n < lowest || n > maxWholeNumber {
		r.rejectField(name, "is "+Clip(string(value)), should)
		return 0
	}
	return n
}

// readNumbers reads as many finite numbers as into has room for.
func (r *reader) readNumbers(name string, into []float64, should string) {
	value := r.requireField(name, should)
	if value == nil {
		return
	}
	if !strictjson.Numbers(value, into) {
		r.rejectField(name, "is "+Clip(string(value)), should)
	}
}

// readPoint reads a place in map.
func (r *reader) readPoint(name string) robot.Point {
	const should = "[x, y] in m, each between -100000 and 100000"
	var p [2]float64
	r.readNumbers(name, p[:], should)
	r.checkCoordinates(name, p[:], should)
	return robot.Point{X: p[0], Y: p[1]}
}

// readPose reads a pose in map; the heading is normalized to (-pi, pi].
func (r *reader) readPose(name string) robot.Pose {
	const should = "[x, y, heading] in m and rad, x and y each between -100000 and 100000"
	var p [3]float64
	r.readNumbers(name, p[:], should)
	r.checkCoordinates(name, p[:2], should)
	return robot.Pose{X: p[0], Y: p[1], Theta: robot.WrapAngle(p[2])}
}

// checkCoordinates rejects coordinates that can be on no map.
func (r *reader) checkCoordinates(name string, xy []float64, should string) {
	for _, x := range xy {
		if r.fault == "" && math.Abs(x) > maxCoordinate {
			r.rejectField(name, fmt.Sprintf("has the coordinate %g", x), should)
		}
	}
}

// readBoolean reads true or false.
func (r *reader) readBoolean(name string) bool {
	const should = "true or false"
	value := string(r.requireField(name, should))
	if value != "true" && value != "false" && value != "" {
		r.rejectField(name, "is "+Clip(value), should)
	}
	return value == "true"
}

// readID reads the number that the answer will carry; 0 = no answer is wanted.
func (r *reader) readID(must bool) uint64 {
	if !must && r.findField("id") == nil {
		return 0
	}
	return r.wholeNumber("id", 1)
}

// peekWholeNumber reads a whole number from a frame that is refused; nil if it
// cannot be read.
func (r *reader) peekWholeNumber(name string, lowest uint64) *uint64 {
	quiet := reader{fields: r.fields}
	n := quiet.wholeNumber(name, lowest)
	if quiet.fault != "" {
		return nil
	}
	return &n
}
