package floorplan

import (
	"strings"
	"testing"

	"mybot/robot"
)

func TestGreyMeansWhatMapServerSays(t *testing.T) {
	trinary := settings{mode: "trinary", occupied: 0.65, free: 0.196}
	generous := settings{mode: "trinary", occupied: 0.65, free: 0.25}
	negated := settings{mode: "trinary", occupied: 0.65, free: 0.196, negate: true}
	scale := settings{mode: "scale", occupied: 0.65, free: 0.25}
	raw := settings{mode: "raw", occupied: 0.65, free: 0.25}
	for _, c := range []struct {
		name  string
		s     settings
		v     uint8
		white uint8
		want  robot.Cell
	}{
		{"black is occupied", trinary, 0, 255, robot.Occupied},
		{"white is free", trinary, 254, 255, robot.Free},
		{"grey 205 is unknown", trinary, 205, 255, robot.Unknown},
		{"grey 205 is unknown even where free_thresh would take it", generous, 205, 255, robot.Unknown},
		{"a little lighter is free", generous, 206, 255, robot.Free},
		{"between the thresholds nothing is known", trinary, 128, 255, robot.Unknown},
		{"negated black is free", negated, 0, 255, robot.Free},
		{"negated white is occupied", negated, 255, 255, robot.Occupied},
		{"a smaller white is white too", trinary, 15, 15, robot.Free},
		{"205 of a smaller white is nothing special", trinary, 205, 205, robot.Free},
		{"scale takes 205 by the thresholds", scale, 205, 255, robot.Free},
		{"scale between the thresholds is not known", scale, 128, 255, robot.Unknown},
		{"scale black is occupied", scale, 0, 255, robot.Occupied},
		{"raw 0 is free", raw, 0, 255, robot.Free},
		{"raw 100 is occupied", raw, 100, 255, robot.Occupied},
		{"raw 50 is not known", raw, 50, 255, robot.Unknown},
		{"raw 101 is unknown", raw, 101, 255, robot.Unknown},
		{"raw 255 is unknown", raw, 255, 255, robot.Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.s.cellOf(float64(c.v) / float64(c.white)); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}

func TestAPGMIsReadWithItsComments(t *testing.T) {
	for name, data := range map[string]string{
		"plain":           "P2\n3 2\n9\n1 2 3\n4 5 6",
		"plain, comments": "P2 # one\n#two\n3 # three\n2\n9\n1 2 # four\n3 4 5 6 7 8",
		"binary":          "P5\n# CREATOR: map_saver.cpp 0.050 m/pix\n3 2\n9\n\x01\x02\x03\x04\x05\x06",
		"one line":        "P5 3 2 9 \x01\x02\x03\x04\x05\x06",
		"CRLF":            "P5\r\n# from a tool of Windows\r\n3 2\r\n9\r\n\x01\x02\x03\x04\x05\x06",
		"CR":              "P5\r3 2\r9\r\x01\x02\x03\x04\x05\x06",
		"comment at 9":    "P5\n3 2\n9# the largest\n\x01\x02\x03\x04\x05\x06\x07\x08\x09\x01\x02\x03\x04\x05\x06\x07\x08\x09",
		"more behind":     "P5#\n3 2\n9\n\x01\x02\x03\x04\x05\x06\x07",
	} {
		t.Run(name, func(t *testing.T) {
			p, err := decodePGM([]byte(data))
			if err != nil {
				t.Fatal(err)
			}
			if p.width != 3 || p.height != 2 || p.white != 9 || string(p.pixels) != "\x01\x02\x03\x04\x05\x06" {
				t.Errorf("%+v", p)
			}
		})
	}
}

func TestABrokenPGMIsRefusedWithWords(t *testing.T) {
	for data, want := range map[string]string{
		"":                           "is not a PGM or PNG picture",
		"P5":                         "has no proper header",
		"P5\n3\n":                    "has no proper header",
		"P5\n3 x 255\n":              "has no proper header",
		"P5\n-3 2 255\n":             "has no proper header",
		"P5\n0 2 255\n":              "has no proper header",
		"P5\n3 2 256\n":              "must fit in 8 bits",
		"P5\n5000 5000 255\n":        "at most 16777216",
		"P5\n3 2 255\n12345":         "ends after 5 good grey values; 3 x 2 cells need 6",
		"P2\n3 2 9\n1 2 3 4 10 6":    "has the grey value 10 in row 2, column 2; the header says at most 9: it must say the largest grey value, up to 255",
		"P2\n3 2 9\n1 2 3 4 x 6":     "has no whole number in row 2, column 2; a grey value must be 0 to 9",
		"P2\n3 2 9\n1 2 3 4 -1 6":    "has no whole number in row 2, column 2",
		"P5\n2 1 9\n\x01\x0a":        "has the grey value 10 in row 1, column 2; the header says at most 9",
		"P2\n3 2 9\n1 2 3 4 5 # 6\n": "ends after 5 good grey values",
	} {
		if _, err := decodePGM([]byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", data, err, want)
		}
	}
}

func FuzzPGM(f *testing.F) {
	f.Add([]byte("P5\n# c\n3 2\n9\n\x01\x02\x03\x04\x05\x06"))
	f.Add([]byte("P2\n3 2\n9\n1 2 3\n4 5 6"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := decodePGM(data)
		if err != nil {
			return
		}
		if p.width < 1 || p.height < 1 || p.width*p.height > MaxCells || len(p.pixels) != p.width*p.height {
			t.Fatalf("%d x %d with %d values", p.width, p.height, len(p.pixels))
		}
		for _, v := range p.pixels {
			if v > p.white {
				t.Fatalf("%d is more than %d", v, p.white)
			}
		}
	})
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte("image: map.pgm\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"))
	f.Add([]byte("a: &a [*a]\nimage: *a\n? [x]\n: y\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var faults faults
		s := parseSettings(data, &faults)
		if faults.err() != nil {
			return
		}
		if !(s.resolution >= 0.005 && s.resolution <= 1) || !isCoordinate(s.origin.X) || !isCoordinate(s.origin.Y) || !(s.free < s.occupied) || s.image == "" || s.name == "" {
			t.Fatalf("taken, but out of range: %+v", s)
		}
	})
}

func TestTheSizeOfAPGMTellsWhetherALineFeedIsAGreyValue(t *testing.T) {
	for data, want := range map[string]string{
		"P5 2 2 255\r\nabc":  "\nabc",
		"P5 2 2 255\r\nabcd": "abcd",
		"P5 2 2 255\n\nabc":  "\nabc",
		"P5 2 2 255\n\nabcd": "\nabc",
	} {
		if p, err := decodePGM([]byte(data)); err != nil || string(p.pixels) != want {
			t.Errorf("%q has the grey values %q, want %q; %v", data, p.pixels, want, err)
		}
	}
}
