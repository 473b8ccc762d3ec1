package strictjson_test

import (
	"encoding/json"
	"errors"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

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
		"{\"t\":\"\u009b2J\u202eb\"}":     `t is "\u009b2J\u202eb"; it must be the letter a`,
		"{\"z\u009b\":1}":                 `z\u009b is not known`,
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
		t.Error("an absent field has another value")
	}
	o.ObjectOr("o").Number("x", 1, 9) // below an absent object there is no fault
	o.End()
}

func TestATextThatIsNoDocumentIsToldWithLineAndColumn(t *testing.T) {
	for text, want := range map[string]strictjson.SyntaxError{
		"":                  {Defect: strictjson.Empty, Line: 1, Column: 1},
		" \n":               {Defect: strictjson.Empty, Line: 2, Column: 1},
		"{\n  \"start\": }": {Defect: strictjson.Malformed, Line: 2, Column: 12},
		"{\"a\": ":          {Defect: strictjson.Incomplete, Line: 1, Column: 7},
		"{} {}":             {Defect: strictjson.Trailing, Line: 1, Column: 4},
		"\ufeff{}":          {Defect: strictjson.Malformed, Line: 1, Column: 1},
	} {
		err := strictjson.Check([]byte(text), 100)
		var got *strictjson.SyntaxError
		if !errors.As(err, &got) || got.Defect != want.Defect || got.Line != want.Line || got.Column != want.Column {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	for text, want := range map[string]string{"\"\xff\"": "UTF-8", strings.Repeat(" ", 101): "at most 100", "\ufeff{}": "byte order mark"} {
		if err := strictjson.Check([]byte(text), 100); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestATextThatWouldBeReadAlteredIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{\"t\":\"caf\xe9\"}":          "it is not UTF-8 text",
		`{"t":"\ud800"}`:               `line 1, column 7: \ud800 is half a character`,
		`{"t":"\\\uDE00"}`:             `line 1, column 9: \uDE00 is half a character`,
		`{"t":"\ud83d\ud83d\ude00"}`:   `line 1, column 7: \ud83d is half a character`,
		`{"t":"\ud83dude00"}`:          `line 1, column 7: \ud83d is half a character`,
		`{"t":"\ud83d\u0041"}`:         `line 1, column 7: \ud83d is half a character`,
		`{"t":"\ud83d\ude00"}`:         "",
		`{"t":"\\ud83d \u00e9 \""}`:    "",
		"{\"t\":\"caf\u00e9 \ufffd\"}": "",
	} {
		var v struct {
			T string `json:"t"`
		}
		for name, err := range map[string]error{"Check": strictjson.Check([]byte(text), 100), "Decode": strictjson.Decode([]byte(text), &v)} {
			if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
				t.Errorf("%s of %q: %v, want %q", name, text, err, want)
			}
		}
	}
}

func TestDecodeTakesNothingThatTheStructDoesNotHave(t *testing.T) {
	type inner struct {
		X *int8    `json:"x"`
		L []uint16 `json:"l"`
	}
	type embedded struct {
		E string `json:"e"`
	}
	var v struct {
		embedded
		Plain   float64
		A       int             `json:"a"`
		U       uint64          `json:"u"`
		B       bool            `json:"b"`
		In      []inner         `json:"in"`
		Raw     json.RawMessage `json:"raw"`
		Any     any             `json:"any"`
		When    time.Time       `json:"when"`
		Address netip.Addr      `json:"address"` // reads text
		Hidden  int             `json:"-"`
	}
	good := `{"e": "e", "Plain": 1e3, "a": -7, "u": 0, "b": true, "in": [{"x": null, "l": [65535]}, {"x": -128}],
		"raw": {"x": 1, "x": 2}, "any": {"y": [1]}, "when": "2026-11-20T14:21:00Z", "address": "::1"}`
	if err := strictjson.Decode([]byte(good), &v); err != nil || v.E != "e" || v.A != -7 || len(v.In) != 2 || *v.In[1].X != -128 || v.Address != netip.IPv6Loopback() {
		t.Error(v, err)
	}
	if want := []string{"e", "Plain", "a", "u", "b", "in", "raw", "any", "when", "address"}; !slices.Equal(strictjson.FieldsOf(&v), want) {
		t.Errorf("the fields are %q", strictjson.FieldsOf(&v))
	}
	for text, want := range map[string]string{
		`null`:                        "the file is null; it must be an object in braces",
		`{"a": 1, "a": 1}`:            "a comes twice; it must come once",
		`{"A": 1}`:                    `A should be written "a"`,
		`{"Hidden": 1}`:               "Hidden is not known; the fields here are e, Plain, a",
		`{"\"b": 1}`:                  `"b is not known`,
		`{"in": [{}, {"y": 1}]}`:      "in[1].y is not known; the fields here are x, l",
		`{"in": [{"l": [1, 65536]}]}`: "in[0].l[1] is 65536; it must be a whole number between 0 and 65535",
		`{"in": [7]}`:                 "in[0] is 7; it must be an object in braces",
		`{"in": {}}`:                  "in is {}; it must be a list",
		`{"in": [{"x": 128}]}`:        "in[0].x is 128; it must be a whole number",
		`{"a": "7"}`:                  `a is "7"; it must be a whole number`,
		`{"a": 1e1}`:                  "a is 1e1; it must be a whole number",
		`{"u": -1}`:                   "u is -1; it must be a whole number, 0 or more",
		`{"Plain": 1e999}`:            "Plain is 1e999; it must be a number between -1.79",
		`{"Plain": []}`:               "Plain is []; it must be a number",
		`{"b": 0}`:                    "b is 0; it must be true or false",
		`{"e": 0}`:                    "e is 0; it must be text in quotes",
		`{"address": 0}`:              "address is 0; it must be text in quotes",
		`{"address": "here"}`:         "here",
		`{"when": "noon"}`:            "noon",
		`{"a": 7} {}`:                 "behind the closing brace",
	} {
		if err := strictjson.Decode([]byte(text), &v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}

// read rebuilds a document from the results of Members, Elements, Unquote and
// Number.
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

func FuzzDecodeIsNoMoreLenientThanEncodingJSON(f *testing.F) {
	type document struct {
		A int8                 `json:"a"`
		F float32              `json:"f"`
		L []*document          `json:"l"`
		M map[string]*document `json:"m"`
		T string               `json:"t"`
	}
	for _, text := range []string{`{"a":1,"f":1e38,"l":[{"a":-128},null],"t":"x"}`, `{"m":{"x":{"b":1}}}`, `{"l":[{"l":[{"f":1e39}]}]}`, `{"A":1}`, `{"a":1}x`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want document
		err := strictjson.Decode(data, &got)
		if lenient := json.Unmarshal(data, &want); err == nil && (lenient != nil || !reflect.DeepEqual(got, want)) {
			t.Errorf("%q is read as %+v, by encoding/json as %+v, %v", data, got, want, lenient)
		}
	})
}
