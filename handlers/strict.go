package handlers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// What one reader of JSON takes and another one does not is a way round a check.

// checkJSON checks that the text begins with a JSON object in which no object has a
// name twice, none of names is written with other capitals, and no field of the
// outermost object is null.
func checkJSON(data []byte, names map[string]bool) error {
	d := json.NewDecoder(bytes.NewReader(data))
	first, err := d.Token()
	if err != nil {
		return err
	}
	if first != json.Delim('{') {
		return errors.New("The body should be one JSON object.")
	}
	return checkObject(d, names, true)
}

// checkObject checks an object up to its end; the brace before it has been read.
func checkObject(d *json.Decoder, names map[string]bool, outermost bool) error {
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if seen[name] {
			return fmt.Errorf("%q is there twice; it should be there once.", clip(name))
		}
		seen[name] = true
		for known := range names {
			if !names[name] && strings.EqualFold(known, name) {
				return fmt.Errorf("%q should be written %q.", clip(name), known)
			}
		}
		if token, err = d.Token(); err != nil {
			return err
		}
		if token == nil && outermost {
			return fmt.Errorf("%q is null; leave it out, or give it a value.", clip(name))
		}
		if err := checkValue(d, token, names); err != nil {
			return err
		}
	}
	_, err := d.Token() // the brace
	return err
}

// checkValue checks the rest of a value that begins with the token.
func checkValue(d *json.Decoder, token json.Token, names map[string]bool) error {
	switch token {
	case json.Delim('{'):
		return checkObject(d, names, false)
	case json.Delim('['):
		for d.More() {
			next, err := d.Token()
			if err != nil {
				return err
			}
			if err := checkValue(d, next, names); err != nil {
				return err
			}
		}
		_, err := d.Token()
		return err
	}
	return nil
}

// namesOf adds the names that fields of the type, and of the types in it, have
// in JSON.
func namesOf(t reflect.Type, names map[string]bool) map[string]bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return namesOf(t.Elem(), names)
	case reflect.Struct:
		for f := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(f).Tag.Get("json"), ",")
			if name != "" && name != "-" {
				names[name] = true
			}
			if t.Field(f).Type != t {
				namesOf(t.Field(f).Type, names)
			}
		}
	}
	return names
}
