package client

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"mybot/script"
)

func TestALineOfTheRobotIsReadWithItsTimeTagAndValue(t *testing.T) {
	for line, want := range map[string]Message{
		`[000041307:mytag] 15.104000`:       {41307, "mytag", Value, script.Number(15.104), ""},
		`[000041307:notag] "a \"b\"\n\\"`:   {41307, "notag", Value, script.Text("a \"b\"\n\\"), ""},
		`[000000001:a.b] [1.000000, "x, "]`: {1, "a.b", Value, script.List(script.Number(1), script.Text("x, ")), ""},
		`[000000001:t] []`:                  {1, "t", Value, script.List(), ""},
		`[000000001:t] [[], [1]]`:           {1, "t", Value, script.List(script.List(), script.List(script.Number(1))), ""},
		`[1234567890:t] -inf`:               {1234567890, "t", Value, script.Number(math.Inf(-1)), ""},
		`[000000001:t] [1.0`:                {1, "t", Value, script.Text("[1.0"), ""},
		`[000000001:t] *** start`:           {1, "t", Info, script.Value{}, "start"},
		`[000000001:error] !!! line 1`:      {1, "error", Fault, script.Value{}, "line 1"},
		`[..:ident] *** ID: U7`:             {-1, "ident", Info, script.Value{}, "ID: U7"},
	} {
		got, err := NewReader(strings.NewReader(line + "\r\n")).Next()
		if err != nil || got.String() != want.String() || got.Milliseconds != want.Milliseconds {
			t.Errorf("%s is read as %v, %v; want %v", line, got, err, want)
		}
	}
}

func TestBinaryDataFollowsItsLine(t *testing.T) {
	r := NewReader(strings.NewReader("[000000001:pic] BIN 5 jpeg 208 160\n\n\x00ab]" + "[000000002:x] 1.000000\n"))
	m, err := r.Next()
	format, data, ok := m.Value.Binary()
	if err != nil || !ok || format != "jpeg 208 160" || string(data) != "\n\x00ab]" {
		t.Fatalf("the picture is read as %q %q, %v", format, data, err)
	}
	if m, err = r.Next(); err != nil || m.Tag != "x" {
		t.Errorf("the line after it is read as %v, %v", m, err)
	}
}

func TestAStreamThatIsNotTheRobotsIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"HTTP/1.1 400 Bad Request\n":  `"HTTP/1.1 400 Bad Request" is no line of a robot`,
		"[12] 3\n":                    "is no line of a robot",
		"[x:y] 3\n":                   "is no line of a robot",
		"[-5:y] 3\n":                  "is no line of a robot",
		"[000000001:x] 3":             "in the middle of a line",
		"[000000001:x] BIN 9 wav\nab": "in the middle of 9 bytes",
		"[000000001:x] BIN -1 wav\n":  "from 0 to 1048576 bytes",
		"[000000001:x] BIN z\n":       "no head of binary data",
		strings.Repeat("x", maxLine):  "a line of more than",
	} {
		if _, err := NewReader(strings.NewReader(text)).Next(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v; it must say %q", text, err, want)
		}
	}
	if _, err := NewReader(strings.NewReader("")).Next(); !errors.Is(err, io.EOF) {
		t.Errorf("the end of the stream is %v", err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add("[000041307:mytag] 15.104000\n[..:ident] *** ID: U7\n")
	f.Add("[000000001:x] BIN 3 wav\nabc[000000001:x] [[\"a\\n\", 1.0], inf]\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := NewReader(strings.NewReader(text))
		for range len(text) + 1 {
			m, err := r.Next()
			if err != nil {
				return
			}
			if _, _, isBinary := m.Value.Binary(); isBinary || m.Milliseconds < 0 {
				continue
			}
			again, err := NewReader(strings.NewReader(m.String() + "\n")).Next()
			if err != nil || again.String() != m.String() {
				t.Fatalf("%q is read as %q, and that as %q, %v", text, m, again, err)
			}
		}
		t.Fatal("the reader does not end")
	})
}
