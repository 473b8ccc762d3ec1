package client

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestSamplesAreReadAsTheyWereWritten(t *testing.T) {
	var b strings.Builder
	if err := WriteHead(&b, []string{"headPan.val", "drive.val"}); err != nil {
		t.Fatal(err)
	}
	all := []Sample{{0, []float64{1.5, -0.25}}, {20, []float64{0, 1e6}}, {20, []float64{3, 4}}}
	for _, s := range all {
		if err := WriteSample(&b, s); err != nil {
			t.Fatal(err)
		}
	}
	r, err := NewSampleReader(strings.NewReader("\n# by hand\n" + b.String()))
	if err != nil || strings.Join(r.Columns, " ") != "headPan.val drive.val" {
		t.Fatalf("the columns are %v, %v", r, err)
	}
	for _, want := range all {
		got, err := r.Next()
		if err != nil || got.Milliseconds != want.Milliseconds || got.Values[0] != want.Values[0] || got.Values[1] != want.Values[1] {
			t.Errorf("%v is read as %v, %v", want, got, err)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last sample comes %v", err)
	}
}

func TestWhatIsWrongInARecordIsNamedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "it is empty",
		"hello\n":                       `line 1: "hello"; the first line of a record names its columns`,
		"ms\n":                          "line 1",
		"ms 5x\n":                       `line 1: "5x" is no name of a column`,
		"ms loop\n":                     `"loop" is no name`,
		"ms a;killall\n":                "is no name of a column",
		"ms a a\n":                      "line 1: the column a comes twice",
		"ms" + strings.Repeat(" a", 33): "line 1: a record has from 1 to 32 columns, not 33",
		"ms a\nx 1\n":                   `line 2: "x" is no time`,
		"ms a\n-1 1\n":                  `"-1" is no time`,
		"ms a\n20 1\n0 1\n":             "line 3: the time 0 is before 20",
		"ms a\n20 1 2\n":                "line 2: it has 2 values; there are 1 columns",
		"ms a\n20 inf\n":                `line 2: a is "inf"; it must be a finite number`,
		"ms a\n20 1;motoron\n":          "it must be a finite number",
		"ms a\n\n" + strings.Repeat("x", maxSampleLine+1): "line 3 has more than 4096 bytes",
	} {
		r, err := NewSampleReader(strings.NewReader(text))
		for err == nil {
			_, err = r.Next()
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v; it must say %q", text, err, want)
		}
	}
}

func FuzzSampleReader(f *testing.F) {
	f.Add("# mybot script record 1\nms headPan.val drive.val\n0 1.000000 2.000000\n20 1 2\n")
	f.Add("ms a\n0 1e5\n\n# x\n20 -0\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := NewSampleReader(strings.NewReader(text))
		for n := 0; err == nil; n++ {
			if n > len(text) {
				t.Fatal("the reader does not end")
			}
			var s Sample
			if s, err = r.Next(); err == nil && len(s.Values) != len(r.Columns) {
				t.Fatalf("%d values for %d columns", len(s.Values), len(r.Columns))
			}
		}
	})
}
