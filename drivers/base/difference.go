package base

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// findDifference describes the first difference between two descriptions; "" =
// none.
func findDifference(before, now []byte) string {
	var a, b any
	if decodeJSON(before, &a) != nil || decodeJSON(now, &b) != nil {
		return "its description is not JSON"
	}
	return compareJSON("", a, b)
}

func decodeJSON(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}

// compareJSON compares two values at a path.
func compareJSON(path string, before, now any) string {
	a, isObject := before.(map[string]any)
	if b, both := now.(map[string]any); isObject && both {
		keys := slices.Sorted(maps.Keys(a))
		for key := range maps.Keys(b) {
			if _, known := a[key]; !known {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		for _, key := range keys {
			if d := compareJSON(joinPath(path, key), a[key], b[key]); d != "" {
				return d
			}
		}
		return ""
	}
	list, isList := before.([]any)
	if b, both := now.([]any); isList && both && len(list) == len(b) {
		for i := range list {
			if d := compareJSON(fmt.Sprintf("%s[%d]", path, i), list[i], b[i]); d != "" {
				return d
			}
		}
		return ""
	}
	if sameNumber(before, now) || reflect.DeepEqual(before, now) {
		return ""
	}
	return fmt.Sprintf("%s was %s and is %s", path, quoteJSON(before), quoteJSON(now))
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// sameNumber reports whether two values are the same number, possibly written
// differently.
func sameNumber(a, b any) bool {
	x, okX := a.(json.Number)
	y, okY := b.(json.Number)
	if !okX || !okY {
		return false
	}
	v, errV := x.Float64()
	w, errW := y.Float64()
	return errV == nil && errW == nil && v == w
}

// quoteJSON returns a value for a sentence.
func quoteJSON(v any) string {
	switch v := v.(type) {
	case nil:
		return "absent"
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case map[string]any:
		return "an object"
	}
	text, _ := json.Marshal(v) //nolint:errchkjson // it was JSON
	if len(text) > 60 {
		text = append(text[:60], "..."...)
	}
	return string(text)
}
