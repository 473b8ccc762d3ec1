package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func ptr[T any](x T) *T { return &x }

func TestEveryCommandIsRead(t *testing.T) {
	for _, tc := range []struct {
		frame string
		want  any
	}{
		{`{"type":"hello","protocol":"mybot.v1","tab":"k3v9x2","name":"Ana","build":"0.1.0"}`, hello{"mybot.v1", "k3v9x2", "Ana", "0.1.0"}},
		{`{"type":"hello","protocol":"mybot.v1","tab":"k3v9x2","build":"0.1.0"}`, hello{"mybot.v1", "k3v9x2", "", "0.1.0"}},
		{`{"type":"clock","t1":12.3456,"rtt_ms":310}`, clock{12.3456, ptr(310.0)}},
		{`{"type":"clock","t1":-1e3,"rtt_ms":null}`, clock{-1000, nil}},
		{`{"type":"drive","lease":4,"hold":2,"seq":117,"t":12.35,"v":0.3,"w":-0.2,"valid":0.25}`, drive{4, 2, 117, 12.35, 0.3, -0.2, 250 * time.Millisecond}},
		{`{"type":"drive","lease":4,"hold":2,"seq":0,"t":0,"v":-0,"w":0.0}`, drive{4, 2, 0, 0, math.Copysign(0, -1), 0, 250 * time.Millisecond}},
		{" {\n\"v\" : 1E-2 , \"w\":0,\"t\":0,\"seq\":1,\"hold\":1,\"lease\":1,\"valid\":0.5,\"type\":\"drive\"\t}\r\n", drive{1, 1, 1, 0, 0.01, 0, 500 * time.Millisecond}},
		{`{"type":"stop","id":7}`, stop{7}},
		{`{"type":"stop"}`, stop{}},
		{`{"\u0074ype":"st\u006fp"}`, stop{}},
		{`{"type":"unstop","id":8,"lease":4}`, unstop{8, 4}},
		{`{"type":"control","id":9,"action":"take"}`, control{9, "take", 0, ""}},
		{`{"type":"control","id":9,"action":"release"}`, control{9, "release", 0, ""}},
		{`{"type":"control","id":9,"action":"request","reason":" A spill, 진. "}`, control{9, "request", 0, "A spill, 진."}},
		{`{"type":"control","id":9,"action":"request","reason":""}`, control{9, "request", 0, ""}},
		{`{"type":"control","id":9,"action":"request","reason":"` + strings.Repeat("é", mostReason) + `"}`, control{9, "request", 0, strings.Repeat("é", mostReason)}},
		{`{"type":"control","id":9,"action":"request"}`, control{9, "request", 0, ""}},
		{`{"type":"control","id":9,"action":"give","to":3}`, control{9, "give", 3, ""}},
		{`{"type":"control","id":9,"action":"keep","to":3}`, control{9, "keep", 3, ""}},
		{`{"type":"control","id":9,"action":"cancel"}`, control{9, "cancel", 0, ""}},
		{`{"type":"control","id":9,"action":"accept"}`, control{9, "accept", 0, ""}},
		{`{"type":"control","id":9,"action":"decline"}`, control{9, "decline", 0, ""}},
		{`{"type":"control","id":9,"action":"here"}`, control{9, "here", 0, ""}},
		{`{"type":"rename","id":10,"name":"Jin"}`, rename{10, "Jin"}},
		{`{"type":"rename","id":10,"name":"\uc9c4 \"J\" é"}`, rename{10, `진 "J" é`}},
		{`{"type":"ack","n":1234}`, ack{1234}},
		{`{"type":"ack","n":9007199254740991}`, ack{1<<53 - 1}},
	} {
		got, err := decode([]byte(tc.frame))
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s\n is %#v, %v\nwant %#v", tc.frame, got, err, tc.want)
		}
	}
}

func TestARefusedFrameIsToldWhatWouldBeRight(t *testing.T) {
	drive := func(from, to string) string {
		return strings.Replace(`{"type":"drive","lease":4,"hold":2,"seq":117,"t":12.35,"v":0.3,"w":-0.2,"valid":0.25}`, from, to, 1)
	}
	for _, tc := range []struct{ name, frame, want string }{
		{"nothing", ``, `The frame is not JSON (byte 0: unexpected end of JSON input); it should be one JSON object.`},
		{"half an object", `{"type":`, `The frame is not JSON (byte 8: unexpected end of JSON input); it should be one JSON object.`},
		{"NaN", drive("0.3", "NaN"), `The frame is not JSON (byte 60: invalid character 'N' looking for beginning of value); it should be one JSON object.`},
		{"two objects", `{"type":"stop"}{"type":"stop"}`, `The frame is not JSON (byte 16: invalid character '{' after top-level value); it should be one JSON object.`},
		{"a list", `[1]`, `The frame is [1]; it should be one JSON object, for example {"type":"ack","n":1}.`},
		{"a number", ` 12 `, `The frame is 12; it should be one JSON object, for example {"type":"ack","n":1}.`},
		{"not UTF-8", "{\"type\":\"rename\",\"id\":1,\"name\":\"\xff\"}", `The frame is not UTF-8; it should be one JSON object in UTF-8.`},
		{"no type", `{}`, `frame: "type" is missing; it should be the kind of command, for example "drive".`},
		{"type of the wrong kind", `{"type":7}`, `frame: "type" is 7; it should be the kind of command, for example "drive".`},
		{"an unknown type", `{"type":"jump"}`, `"type" is "jump"; it should be hello, clock, drive, stop, unstop, control, rename or ack.`},
		{"another case", `{"type":"Stop"}`, `"type" is "Stop"; it should be hello, clock, drive, stop, unstop, control, rename or ack.`},
		{"a field in another case", `{"Type":"stop"}`, `frame: "type" is missing; it should be the kind of command, for example "drive".`},
		{"an unknown field", `{"type":"stop","id":7,"now":true}`, `stop: "now" is not a field of it; it should be left out.`},
		{"a missing field", drive(`"v":0.3,`, ``), `drive: "v" is missing; it should be a speed in m/s, for example 0.3.`},
		{"a field twice", drive(`"v":0.3`, `"v":0.3,"v":0.3`), `"v" is there twice; it should be there once.`},
		{"a field twice in disguise", drive(`"v":0.3`, `"v":0.3,"\u0076":0.3`), `"v" is there twice; it should be there once.`},
		{"a text for a number", drive(`0.3`, `"0.3"`), `drive: "v" is "0.3"; it should be a speed in m/s, for example 0.3.`},
		{"null for a number", drive(`-0.2`, `null`), `drive: "w" is null; it should be a turning speed in rad/s, for example -0.2.`},
		{"a list for a number", drive(`0.3`, `[0.3,"]"]`), `drive: "v" is [0.3,"]"]; it should be a speed in m/s, for example 0.3.`},
		{"an object for a number", drive(`0.3`, `{"a":{"b":"}"}}`), `drive: "v" is {"a":{"b":"}"}}; it should be a speed in m/s, for example 0.3.`},
		{"infinity", drive(`0.3`, `1e999`), `drive: "v" is 1e999, which is not a finite number; it should be a speed in m/s, for example 0.3.`},
		{"minus infinity", drive(`-0.2`, `-1e999`), `drive: "w" is -1e999, which is not a finite number; it should be a turning speed in rad/s, for example -0.2.`},
		{"a broken number", drive(`117`, `117.5`), `drive: "seq" is 117.5; it should be a whole number from 0 on.`},
		{"a negative number", drive(`"lease":4`, `"lease":-4`), `drive: "lease" is -4; it should be a whole number from 0 on.`},
		{"a number too large to count to", drive(`"hold":2`, `"hold":9007199254740992`), `drive: "hold" is 9007199254740992; it should be a whole number from 0 on.`},
		{"no life", drive(`0.25`, `0`), `drive: "valid" is 0; it should be a time in s above 0 and at most 0.5.`},
		{"too long a life", drive(`0.25`, `0.6`), `drive: "valid" is 0.6; it should be a time in s above 0 and at most 0.5.`},
		{"a life that overflows", drive(`0.25`, `1e300`), `drive: "valid" is 1e+300; it should be a time in s above 0 and at most 0.5.`},
		{"id zero", `{"type":"stop","id":0}`, `stop: "id" is 0; it should be a whole number from 1 on.`},
		{"no id", `{"type":"unstop","lease":4}`, `unstop: "id" is missing; it should be a whole number from 1 on.`},
		{"an unknown action", `{"type":"control","id":9,"action":"grab"}`, `control: "action" is "grab"; it should be take, release, request, cancel, give, keep, accept, decline or here.`},
		{"no action", `{"type":"control","id":9}`, `control: "action" is missing; it should be take, release, request, cancel, give, keep, accept, decline or here.`},
		{"give to nobody", `{"type":"control","id":9,"action":"give"}`, `control: "to" is missing; it should be a whole number from 1 on.`},
		{"keep from nobody", `{"type":"control","id":9,"action":"keep","to":0}`, `control: "to" is 0; it should be a whole number from 1 on.`},
		{"take to somebody", `{"type":"control","id":9,"action":"take","to":3}`, `control: "to" is not a field of it; it should be left out.`},
		{"a long reason", `{"type":"control","id":9,"action":"request","reason":"` + strings.Repeat("x", mostReason+1) + `"}`, `control: "reason" is "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...; it should be one line of at most 80 letters.`},
		{"a reason over two lines", `{"type":"control","id":9,"action":"request","reason":"a\nb"}`, `control: "reason" is "a\nb"; it should be one line of at most 80 letters.`},
		{"a reason that is no text", `{"type":"control","id":9,"action":"request","reason":7}`, `control: "reason" is 7; it should be one line of at most 80 letters.`},
		{"no name", `{"type":"rename","id":9,"name":""}`, `rename: "name" is ""; it should be a name of 1 to 24 letters, for example "Jin".`},
		{"a long name", `{"type":"rename","id":9,"name":"abcdefghijklmnopqrstuvwxy"}`, `rename: "name" is "abcdefghijklmnopqrstuvwxy"; it should be a name of 1 to 24 letters, for example "Jin".`},
		{"a name of spaces", `{"type":"rename","id":9,"name":" Jin"}`, `rename: "name" is " Jin"; it should be a name of 1 to 24 letters, for example "Jin".`},
		{"a name over two lines", `{"type":"rename","id":9,"name":"J\nin"}`, `rename: "name" is "J\nin"; it should be a name of 1 to 24 letters, for example "Jin".`},
		{"a name that turns the text round", `{"type":"rename","id":9,"name":"J\u202ein"}`, `rename: "name" is "J\u202ein"; it should be a name of 1 to 24 letters, for example "Jin".`},
		{"half a letter", `{"type":"rename","id":9,"name":"\ud800"}`, `rename: "name" is "\ud800"; it should be a name of 1 to 24 letters, for example "Jin".`},
		{"no tab", `{"type":"hello","protocol":"mybot.v1","tab":"","build":"1"}`, `hello: "tab" is ""; it should be the tab's random word.`},
		{"a negative round trip", `{"type":"clock","t1":1,"rtt_ms":-1}`, `clock: "rtt_ms" is -1; it should be a time in ms from 0 on, or null.`},
		{"too many fields", `{"type":"ack","n":1,"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1}`, `The frame has more than 12 fields; no command has so many.`},
		{"a long value", `{"type":"` + strings.Repeat("é", 30) + `"}`, `"type" is "éééééééééééééééééééé..."; it should be hello, clock, drive, stop, unstop, control, rename or ack.`},
		{"too long a frame", `{"type":"stop"` + strings.Repeat(" ", MaxFrame) + `}`, `The frame has 32783 bytes; it should have at most 32768.`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cmd, err := decode([]byte(tc.frame))
			if cmd != nil || err == nil {
				t.Fatalf("read as %#v", cmd)
			}
			if err.Error() != tc.want {
				t.Errorf("it says\n%s\nwant\n%s", err, tc.want)
			}
		})
	}
}

func TestARefusedCommandIsAnsweredByItsNumber(t *testing.T) {
	for _, tc := range []struct {
		frame   string
		id, seq *uint64
	}{
		{`{"type":"rename","id":10,"name":""}`, ptr(uint64(10)), nil},
		{`{"id":11,"type":"jump"}`, ptr(uint64(11)), nil},
		{`{"type":"drive","lease":4,"hold":2,"seq":117,"t":12.35,"v":null,"w":-0.2}`, nil, ptr(uint64(117))},
		{`{"type":"rename","id":"x","name":""}`, nil, nil},
		{`{"type":"rename","id":10,"name":""`, nil, nil},
	} {
		_, err := decode([]byte(tc.frame))
		var bad *badFrame
		if !errors.As(err, &bad) {
			t.Fatalf("%s: %v", tc.frame, err)
		}
		if !reflect.DeepEqual(bad.ID, tc.id) || !reflect.DeepEqual(bad.Seq, tc.seq) {
			t.Errorf("%s: id %v, seq %v", tc.frame, bad.ID, bad.Seq)
		}
	}
}

// FuzzDecode holds decode to encoding/json: what it takes is one JSON object
// whose fields have the values it gives, and everything else is refused with a
// sentence.
func FuzzDecode(f *testing.F) {
	for _, frame := range exampleFrames(f, "## Page to robot", "## Robot to page") {
		f.Add([]byte(frame))
	}
	f.Add([]byte(`{"type":"drive","lease":4,"hold":2,"seq":117,"t":12.35,"v":1e999,"w":-0.2}`))
	f.Add([]byte(`{"type":"rename","id":1,"name":"\ud83e\udd16"}`))
	f.Add([]byte(`{"type":"ack","n":{"a":["]}",1]}}`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		whole := bytes.Clone(frame)
		cmd, err := decode(frame)
		if !bytes.Equal(frame, whole) {
			t.Fatal("the frame was written to")
		}
		if err != nil {
			if cmd != nil || err.Error() == "" || len(err.Error()) > 400 || !utf8.ValidString(err.Error()) {
				t.Fatalf("%#v, %q", cmd, err)
			}
			return
		}
		var fields map[string]any
		if err := json.Unmarshal(frame, &fields); err != nil {
			t.Fatalf("taken as %#v, but: %v", cmd, err)
		}
		check := func(name string, got any) {
			if want, ok := fields[name]; ok && want != got {
				t.Fatalf("%s is %v, read as %v", name, want, got)
			}
			delete(fields, name)
		}
		kind := fields["type"]
		delete(fields, "type")
		switch c := cmd.(type) {
		case hello:
			check("protocol", c.Protocol)
			check("tab", c.Tab)
			check("build", c.Build)
			check("name", c.Name)
		case clock:
			check("t1", c.T1)
			if c.RTT == nil {
				check("rtt_ms", nil)
			} else {
				check("rtt_ms", *c.RTT)
			}
		case drive:
			check("lease", float64(c.Lease))
			check("hold", float64(c.Hold))
			check("seq", float64(c.Seq))
			check("t", c.T)
			check("v", c.V)
			check("w", c.W)
			if !c.twist().IsFinite() || c.Valid <= 0 || c.Valid > mostValid {
				t.Fatalf("%+v", c)
			}
			delete(fields, "valid")
		case stop:
			check("id", float64(c.ID))
		case unstop:
			check("id", float64(c.ID))
			check("lease", float64(c.Lease))
		case control:
			check("id", float64(c.ID))
			check("action", c.Action)
			if to, ok := fields["to"]; ok && to != float64(c.To) || ok != (c.Action == "give" || c.Action == "keep") {
				t.Fatalf("to is %v, read as %v", to, c.To)
			}
			if reason, ok := fields["reason"].(string); ok && (strings.TrimSpace(reason) != c.Reason || c.Action != "request") {
				t.Fatalf("reason is %q, read as %q", reason, c.Reason)
			}
			delete(fields, "to")
			delete(fields, "reason")
		case rename:
			check("id", float64(c.ID))
			check("name", c.Name)
		case ack:
			check("n", float64(c.N))
		default:
			t.Fatalf("%#v is no command", cmd)
		}
		if name := reflect.TypeOf(cmd).Name(); name != kind || len(fields) > 0 {
			t.Fatalf("%v was read as %s, left over: %v", kind, name, fields)
		}
	})
}

func BenchmarkDecodeDrive(b *testing.B) {
	frame := []byte(`{"type":"drive","lease":4,"hold":2,"seq":117,"t":12.35,"v":0.3,"w":-0.2,"valid":0.25}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(frame); err != nil {
			b.Fatal(err)
		}
	}
}
