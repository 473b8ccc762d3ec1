package strictjson_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"mybot/strictjson"
)

func TestEveryFaultNamesTheFieldWhatItIsAndWhatWouldBeRight(t *testing.T) {
	for text, want := range map[string]string{
		`{"n":3,"w":4,"t":"a","b":true,"o":{"x":1},"l":[{"x":1},{"x":2}]}`: "",
		`[1,  2]`:                         "the file is [1, 2]; it must be an object in braces",
		`{"w":4}`:                         "n is missing; it must be a number between 1 and 9",
		`{"n":"3"}`:                       `n is "3"; it must be a number between 1 and 9`,
		`{"n":1e999}`:                     "n is 1e999; it must be a number between 1 and 9",
		`{"n":10}`:                        "n is 10; it must be a number between 1 and 9",
		`{"w":4.5}`:                       "w is 4.5; it must be a whole number between 1 and 9",
		`{"t":7}`:                         "t is 7; it must be the letter a",
		`{"t":"b"}`:                       `t is "b"; it must be the letter a`,
		`{"b":null}`:                      "b is null; it must be true or false",
		`{"o":7}`:                         "o is 7; it must be an object in braces",
		`{"o":{}}`:                        "o.x is missing; it must be a number between 1 and 9",
		`{"l":{}}`:                        "l is {}; it must be a list of at most 2 objects",
		`{"l":[{},7]}`:                    "l[1] is 7; it must be an object in braces",
		`{"l":[{"x":1},{"x":1},{"x":1}]}`: "l has more than 2 entries; it must have at most that many",
		`{"n":3,"n":4}`:                   "n comes twice; it must come once",
		`{"z":1}`:                         "z is not known; the fields here are n, w, t, b, o, l",
		`{"":1}`:                          `"" is not known`,
		`{"o":{"` + strings.Repeat("y", 99) + `":1}}`: `o."` + strings.Repeat("y", 59) + "... is not known",
	} {
		var faults []string
		o := strictjson.NewObject([]byte(text), "", func(f strictjson.Fault) { faults = append(faults, f.Error()) })
		x := func(o *strictjson.Object) { o.Number("x", 1, 9); o.End() }
		o.Number("n", 1, 9)
		o.Whole("w", 1, 9)
		o.Text("t", "the letter a", func(s string) bool { return s == "a" })
		o.Bool("b")
		x(o.Object("o"))
		for _, e := range o.Objects("l", 2) {
			x(e)
		}
		o.End()
		if got := strings.Join(faults, "\n"); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: the faults are\n%s\nwant %s", text, got, want)
		}
	}
}

func TestWhatMayBeAbsentIsNoFault(t *testing.T) {
	o := strictjson.NewObject([]byte(`{"null":null}`), "", func(f strictjson.Fault) { t.Error(f) })
	if o.NumberOr("n", 1, 9, 7) != 7 || o.BoolOr("b") || o.TextOr("t", "", nil) != "" || o.ObjectOr("o").There() || o.ObjectsOr("l", 2) != nil || o.Has("null") || o.Contains("n") {
		t.Error("what is absent has another value")
	}
	o.ObjectOr("o").Number("x", 1, 9) // below an object that is not there nothing is said
	o.End()
}

func TestATextThatIsNoDocumentIsToldWithLineAndColumn(t *testing.T) {
	for text, want := range map[string]strictjson.SyntaxError{
		"":                  {Defect: strictjson.Empty, Line: 1, Column: 1},
		" \n":               {Defect: strictjson.Empty, Line: 2, Column: 1},
		"{\n  \"start\": }": {Defect: strictjson.Malformed, Line: 2, Column: 12},
		"{\"a\": ":          {Defect: strictjson.Incomplete, Line: 1, Column: 7},
		"{} {}":             {Defect: strictjson.Trailing, Line: 1, Column: 4},
	} {
		err := strictjson.Check([]byte(text), 100)
		var got *strictjson.SyntaxError
		if !errors.As(err, &got) || got.Defect != want.Defect || got.Line != want.Line || got.Column != want.Column {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	for text, want := range map[string]string{"\"\xff\"": "UTF-8", strings.Repeat(" ", 101): "at most 100"} {
		if err := strictjson.Check([]byte(text), 100); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestDecodeTakesNothingThatTheStructDoesNotHave(t *testing.T) {
	var v struct{ A int }
	if err := strictjson.Decode([]byte(`{"a": 7}`), &v); err != nil || v.A != 7 {
		t.Error(v, err)
	}
	var unknown strictjson.UnknownFieldError
	var kind *json.UnmarshalTypeError
	var syntax *strictjson.SyntaxError
	if err := strictjson.Decode([]byte(`{"\"b": 1}`), &v); !errors.As(err, &unknown) || unknown.Name != `"b` {
		t.Error(err)
	}
	if err := strictjson.Decode([]byte(`{"a": "7"}`), &v); !errors.As(err, &kind) || kind.Field != "A" && kind.Field != "a" {
		t.Error(err)
	}
	if err := strictjson.Decode([]byte(`{"a": 7} {}`), &v); !errors.As(err, &syntax) || syntax.Defect != strictjson.Trailing {
		t.Error(err)
	}
}

// read rebuilds a document from what Members, Elements, Unquote and Number give.
func read(value []byte) any {
	if members, ok := strictjson.OpenObject(value); ok {
		object := map[string]any{}
		for {
			name, v, ok := members.Next()
			if !ok {
				return object
			}
			object[name] = read(v)
		}
	}
	if elements, ok := strictjson.OpenList(value); ok {
		list := []any{}
		for {
			v, ok := elements.Next()
			if !ok {
				return list
			}
			list = append(list, read(v))
		}
	}
	if s, ok := strictjson.Unquote(value); ok {
		return s
	}
	if x, ok := strictjson.Number(value); ok {
		return x
	}
	var v any
	_ = json.Unmarshal(value, &v)
	return v
}

func FuzzTheScannerReadsWhatEncodingJSONReads(f *testing.F) {
	for _, text := range []string{
		` {"a" : [1 , -2.5e3,{"b":"x\"]}"}, [ ] ,{}] , "c":null,"d\u0041": true } `, `[]`, `"\\"`, ` 7 `, `{"a":"\ud800"}`, `[[[1],2],"]"]`, `{"":{"":""}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want any
		if strictjson.Check(data, 1<<20) != nil || json.Unmarshal(data, &want) != nil {
			return
		}
		if got := read(data); !reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as %#v, want %#v", data, got, want)
		}
	})
}
