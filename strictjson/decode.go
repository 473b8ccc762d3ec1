package strictjson

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Decode decodes one JSON document, with nothing after it, into the struct that
// into points to. null leaves a field unchanged. The content of a field with a
// reader of its own (a json.Unmarshaler, a json.RawMessage, an any, a map) is left
// to that reader. The error is that of Check, a Fault (the first of the document), or
// that of an encoding.TextUnmarshaler.
func Decode(data []byte, into any) error {
	if err := Check(data, len(data)); err != nil {
		return err
	}
	s := structs{}
	if f := s.checkObject(data, reflect.TypeOf(into).Elem(), ""); f != nil {
		return *f
	}
	return json.Unmarshal(data, into)
}

// FieldsOf returns the JSON names of the fields of the struct that into points to.
func FieldsOf(into any) []string { return structs{}.fieldsOf(reflect.TypeOf(into).Elem()).names }

// structs caches the fields of the structs in one document.
type structs map[reflect.Type]*structFields

type structFields struct {
	names []string // in JSON, in the order of the struct
	types map[string]reflect.Type
}

func (s structs) fieldsOf(t reflect.Type) *structFields {
	if known := s[t]; known != nil {
		return known
	}
	f := &structFields{types: map[string]reflect.Type{}}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "" && field.Type.Kind() == reflect.Struct:
			inner := s.fieldsOf(field.Type)
			f.names = append(f.names, inner.names...)
			for name, t := range inner.types {
				f.types[name] = t
			}
		case field.IsExported() && name != "-":
			name = cmp.Or(name, field.Name)
			f.names = append(f.names, name)
			f.types[name] = field.Type
		}
	}
	s[t] = f
	return f
}

// checkObject returns the first fault of the object at the path; nil = none.
func (s structs) checkObject(value []byte, t reflect.Type, path string) *Fault {
	members, ok := OpenObject(value)
	if !ok {
		return &Fault{Path: path, Is: quoteValue(value), Want: "an object in braces"}
	}
	fields, seen := s.fieldsOf(t), map[string]bool{}
	for name, value, ok := members.Next(); ok; name, value, ok = members.Next() {
		switch field, known := fields.types[name]; {
		case !known:
			return fields.unknownField(path, name)
		case seen[name]:
			return &Fault{Path: path, Key: name, Problem: Twice}
		default:
			seen[name] = true
			if f := s.checkValue(value, field, path, name); f != nil {
				return f
			}
		}
	}
	return nil
}

// unknownField returns the fault of a name that no field has. encoding/json would
// accept it if only its case differed.
func (f *structFields) unknownField(path, name string) *Fault {
	for _, known := range f.names {
		if strings.EqualFold(known, name) {
			return &Fault{Path: path, Key: name, Problem: Explanation, Want: fmt.Sprintf("should be written %q", known)}
		}
	}
	return &Fault{Path: path, Key: name, Problem: Unknown, Known: f.names}
}

// Interfaces and types with readers of their own.
var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// checkValue returns the first fault of the value of the field key in the object at
// the path; nil = none.
func (s structs) checkValue(value []byte, t reflect.Type, path, key string) *Fault {
	if string(value) == "null" || reflect.PointerTo(t).Implements(unmarshaler) {
		return nil
	}
	_, isText := Unquote(value)
	var right bool
	var want string
	switch kind := t.Kind(); {
	case kind == reflect.Pointer:
		return s.checkValue(value, t.Elem(), path, key)
	case reflect.PointerTo(t).Implements(textUnmarshaler), kind == reflect.String:
		right, want = isText, "text in quotes"
	case kind == reflect.Struct:
		return s.checkObject(value, t, joinPath(path, key))
	case kind == reflect.Slice, kind == reflect.Array:
		return s.checkList(value, t.Elem(), path, key)
	case kind == reflect.Bool:
		right, want = string(value) == "true" || string(value) == "false", trueOrFalse
	default:
		right, want = isNumberOf(value, t)
	}
	if right {
		return nil
	}
	return &Fault{Path: path, Key: key, Is: quoteValue(value), Want: want}
}

func (s structs) checkList(value []byte, t reflect.Type, path, key string) *Fault {
	elements, ok := OpenList(value)
	if !ok {
		return &Fault{Path: path, Key: key, Is: quoteValue(value), Want: "a list"}
	}
	n := 0
	for element, ok := elements.Next(); ok; element, ok = elements.Next() {
		if f := s.checkValue(element, t, path, fmt.Sprintf("%s[%d]", key, n)); f != nil {
			return f
		}
		n++
	}
	return nil
}

// isNumberOf reports whether the value is a number that the type can hold, and what
// would be right. For other types it reports true.
func isNumberOf(value []byte, t reflect.Type) (right bool, want string) {
	v, err := reflect.New(t).Elem(), error(nil)
	switch {
	case v.CanInt():
		want = "a whole number"
		_, err = strconv.ParseInt(string(value), 10, t.Bits())
	case v.CanUint():
		want = "a whole number, 0 or more"
		if t.Bits() < 64 {
			want = fmt.Sprintf("a whole number between 0 and %d", uint64(1)<<t.Bits()-1)
		}
		_, err = strconv.ParseUint(string(value), 10, t.Bits())
	case !v.CanFloat():
		return true, ""
	default:
		want = "a number"
		if IsNumber(value) {
			want = describeBounds(-math.MaxFloat64, math.MaxFloat64)
		}
		_, err = strconv.ParseFloat(string(value), t.Bits())
	}
	return err == nil && IsNumber(value), want
}
