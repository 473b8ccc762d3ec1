package strictjson

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxQuoted is the longest quotation of a value or a name in a fault, in bytes.
const maxQuoted = 60

// A Problem is the kind of a fault.
type Problem int

// The problems that a field can have.
const (
	WrongKind   Problem = iota // the value has another kind
	WrongValue                 // the value has the right kind, but is not allowed
	Missing                    // the field is required but absent
	Twice                      // the field appears twice; the first one counts
	Unknown                    // no reader asked for the field
	Explanation                // Want is the whole predicate of the sentence
)

// A Fault is one thing that is wrong with a document. Error returns it as a
// sentence; a reader with a style of its own can build another one from the parts.
type Fault struct {
	Path    string // of the object, such as "people[0].route[1]"; "" = the document itself
	Key     string // of the field in it; "" = the object itself
	Problem Problem
	Is      string   // the value, shortened
	Want    string   // what would be right, such as "a number between 0 and 1"
	Known   []string // for Unknown: the fields that the object may have
}

// Name names what is wrong, with its path; "" = the document itself.
func (f Fault) Name() string {
	if f.Key == "" && f.Problem == WrongKind { // the object itself
		return f.Path
	}
	return joinPath(f.Path, f.Key)
}

func (f Fault) Error() string {
	name := cmp.Or(f.Name(), "the file")
	switch f.Problem {
	case Missing:
		return fmt.Sprintf("%s is missing; it must be %s", name, f.Want)
	case Twice:
		return name + " comes twice; it must come once"
	case Unknown:
		return fmt.Sprintf("%s is not known; the fields here are %s", name, strings.Join(f.Known, ", "))
	case Explanation:
		return name + " " + f.Want
	default:
		return fmt.Sprintf("%s is %s; it must be %s", name, f.Is, f.Want)
	}
}

// joinPath appends a key to the path of its object.
func joinPath(path, key string) string {
	if utf8.RuneCountInString(key) > maxQuoted || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' }) {
		key = Clip(strconv.Quote(key), maxQuoted)
	}
	key = Printable(key)
	if key == "" {
		key = `""`
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// An Object is a JSON object whose fields a reader takes one by one. Fields that
// remain at End are unknown. An Object that is missing or of another kind returns
// zero values and reports no further faults.
type Object struct {
	path   string
	there  bool
	fields []member
	index  map[string]int // of fields, by name
	known  []string       // fields that were asked for, in that order
	report func(Fault)
}

type member struct {
	name  string
	value []byte
	taken bool
}

// NewObject returns an object of a document that has passed Check, and reports all
// its faults, including those that its readers find.
func NewObject(value []byte, path string, report func(Fault)) *Object {
	o := &Object{path: path, report: report}
	members, ok := OpenObject(value)
	if !ok {
		report(Fault{Path: path, Is: quoteValue(value), Want: "an object in braces"})
		return o
	}
	o.there, o.index = true, map[string]int{}
	for {
		name, value, ok := members.Next()
		if !ok {
			return o
		}
		if o.findMember(name) != nil {
			o.newFault(name, Fault{Problem: Twice})
			continue
		}
		o.index[name] = len(o.fields)
		o.fields = append(o.fields, member{name: name, value: value})
	}
}

// quoteValue returns a value for a quotation in a fault: its JSON in one line.
func quoteValue(value []byte) string {
	return Printable(Clip(string(bytes.Join(bytes.Fields(value), []byte(" "))), maxQuoted))
}

func (o *Object) findMember(key string) *member {
	if i, ok := o.index[key]; ok {
		return &o.fields[i]
	}
	return nil
}

func (o *Object) newFault(key string, f Fault) {
	if o.there {
		f.Path, f.Key = o.path, key
		o.report(f)
	}
}

// There reports whether the object is present.
func (o *Object) There() bool { return o.there }

// Explain reports a fault of a field, given as the predicate of a sentence about
// it.
func (o *Object) Explain(key, format string, args ...any) {
	o.newFault(key, Fault{Problem: Explanation, Want: fmt.Sprintf(format, args...)})
}

// Reject reports that the value of a field is not allowed, and what would be right.
func (o *Object) Reject(key, want string) { o.rejectValue(key, WrongValue, want) }

func (o *Object) rejectValue(key string, p Problem, want string) {
	f := Fault{Problem: p, Want: want, Is: "missing"}
	if m := o.findMember(key); m != nil {
		f.Is = quoteValue(m.value)
	}
	o.newFault(key, f)
}

// Take returns the JSON of a field; nil if it is absent.
func (o *Object) Take(key string) []byte {
	o.known = append(o.known, key)
	if m := o.findMember(key); m != nil {
		m.taken = true
		return m.value
	}
	return nil
}

// Contains reports whether a field is present, with any value.
func (o *Object) Contains(key string) bool { return o.findMember(key) != nil }

// Has reports whether an optional field is present; null counts as absent.
func (o *Object) Has(key string) bool {
	if m := o.findMember(key); m != nil && string(m.value) != "null" {
		return true
	}
	o.Take(key)
	return false
}

// needValue returns the JSON of a field, or reports a fault and returns nil if it
// is absent.
func (o *Object) needValue(key, want string) []byte {
	value := o.Take(key)
	if value == nil {
		o.newFault(key, Fault{Problem: Missing, Want: want})
	}
	return value
}

// Number takes a number within the bounds.
func (o *Object) Number(key string, low, high float64) float64 {
	return o.readNumber(key, o.needValue(key, describeBounds(low, high)), low, high)
}

// NumberOr takes an optional number.
func (o *Object) NumberOr(key string, low, high, otherwise float64) float64 {
	value := o.Take(key)
	if value == nil {
		return otherwise
	}
	return o.readNumber(key, value, low, high)
}

func (o *Object) readNumber(key string, value []byte, low, high float64) float64 {
	if value == nil {
		return 0
	}
	x, ok := Number(value)
	switch {
	case !IsNumber(value):
		o.rejectValue(key, WrongKind, describeBounds(low, high))
	case !ok || !(x >= low && x <= high):
		o.Reject(key, describeBounds(low, high))
	default:
		return x
	}
	return 0
}

func describeBounds(low, high float64) string {
	return fmt.Sprintf("a number between %g and %g", low, high)
}

// Whole takes a whole number within the bounds.
func (o *Object) Whole(key string, low, high int) int {
	want := fmt.Sprintf("a whole number between %d and %d", low, high)
	value := o.needValue(key, want)
	if value == nil {
		return 0
	}
	x, ok := Number(value)
	if !ok || x != math.Trunc(x) || x < float64(low) || x > float64(high) {
		o.Reject(key, want)
		return 0
	}
	return int(x)
}

const trueOrFalse = "true or false"

// Bool takes true or false.
func (o *Object) Bool(key string) bool { return o.readBool(key, o.needValue(key, trueOrFalse)) }

// BoolOr takes an optional true or false; absent is false.
func (o *Object) BoolOr(key string) bool { return o.readBool(key, o.Take(key)) }

func (o *Object) readBool(key string, value []byte) bool {
	if s := string(value); value != nil && s != "true" && s != "false" {
		o.rejectValue(key, WrongKind, trueOrFalse)
	}
	return string(value) == "true"
}

// Text takes a string that allowed accepts; want describes such strings.
func (o *Object) Text(key, want string, allowed func(string) bool) string {
	return o.readText(key, o.needValue(key, want), want, allowed)
}

// TextOr takes an optional string; absent is the same as empty.
func (o *Object) TextOr(key, want string, allowed func(string) bool) string {
	return o.readText(key, o.Take(key), want, allowed)
}

func (o *Object) readText(key string, value []byte, want string, allowed func(string) bool) string {
	if value == nil {
		return ""
	}
	s, ok := Unquote(value)
	switch {
	case !ok:
		o.rejectValue(key, WrongKind, want)
	case !allowed(s):
		o.Reject(key, want)
	default:
		return s
	}
	return ""
}

// Object takes an object.
func (o *Object) Object(key string) *Object {
	return o.readObject(key, o.needValue(key, "an object in braces"))
}

// ObjectOr takes an optional object.
func (o *Object) ObjectOr(key string) *Object { return o.readObject(key, o.Take(key)) }

func (o *Object) readObject(key string, value []byte) *Object {
	path := joinPath(o.path, key)
	if value == nil {
		return &Object{path: path, report: o.report}
	}
	return NewObject(value, path, o.report)
}

// Objects takes a list of objects.
func (o *Object) Objects(key string, maxLength int) []*Object {
	return o.readObjects(key, o.needValue(key, listOf(maxLength)), maxLength)
}

// ObjectsOr takes an optional list of objects.
func (o *Object) ObjectsOr(key string, maxLength int) []*Object {
	return o.readObjects(key, o.Take(key), maxLength)
}

func listOf(maxLength int) string { return fmt.Sprintf("a list of at most %d objects", maxLength) }

func (o *Object) readObjects(key string, value []byte, maxLength int) (list []*Object) {
	if value == nil {
		return nil
	}
	elements, ok := OpenList(value)
	if !ok {
		o.rejectValue(key, WrongKind, listOf(maxLength))
		return nil
	}
	for {
		element, ok := elements.Next()
		if !ok {
			return list
		}
		if len(list) == maxLength {
			o.Explain(key, "has more than %d entries; it must have at most that many", maxLength)
			return nil
		}
		list = append(list, NewObject(element, fmt.Sprintf("%s[%d]", joinPath(o.path, key), len(list)), o.report))
	}
}

// End reports the fields that no reader asked for.
func (o *Object) End() {
	for _, m := range o.fields {
		if !m.taken {
			o.newFault(m.name, Fault{Problem: Unknown, Known: o.known})
		}
	}
}
