package camera

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
)

// y4m is a file of 16x16 pictures; picture n has n+20 in all of Y.
func y4m(header string, pictures int) []byte {
	b := bytes.NewBufferString("YUV4MPEG2 " + header + "\n")
	for n := range pictures {
		b.WriteString("FRAME\n")
		b.Write(bytes.Repeat([]byte{byte(n + 20)}, 16*16))
		b.Write(bytes.Repeat([]byte{100}, 8*8))
		b.Write(bytes.Repeat([]byte{150}, 8*8))
	}
	return b.Bytes()
}

func film(data []byte) (*Film, error) { return newFilm(bytes.NewReader(data), "test.y4m") }

func TestAFilmIsReplayedAtItsRateWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := film(y4m("W16 H16 F10:1 Ip A1:1 C420jpeg XYSCSS=420JPEG", 3))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		var f robot.Frame
		for i := range 8 {
			if err := m.Next(t.Context(), &f); err != nil {
				t.Fatal(err)
			}
			if f.Width != 16 || f.Height != 16 || f.Y[0] != byte(20+i%3) || f.Y[255] != f.Y[0] || f.U[63] != 100 || f.V[63] != 150 {
				t.Errorf("picture %d is %dx%d of %d, %d, %d", i, f.Width, f.Height, f.Y[0], f.U[0], f.V[0])
			}
			if at := time.Since(began); at != time.Duration(i)*100*time.Millisecond || !f.Taken.Equal(time.Now()) {
				t.Errorf("picture %d comes after %v", i, at)
			}
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if err := m.Next(t.Context(), &f); !errors.Is(err, robot.ErrClosed) {
			t.Errorf("Next says %v after Close", err)
		}
	})
}

func TestAFilmOfTheFullRangeIsChangedToTheLimitedOne(t *testing.T) {
	data := y4m("W16 H16 F30:1 XCOLORRANGE=FULL", 1)
	data = bytes.ReplaceAll(data, []byte{20}, []byte{255})
	data = bytes.ReplaceAll(data, []byte{100}, []byte{0})
	m, err := film(data)
	if err != nil {
		t.Fatal(err)
	}
	var f robot.Frame
	if err := m.Next(t.Context(), &f); err != nil {
		t.Fatal(err)
	}
	if f.Y[0] != 235 || f.U[0] != 16 {
		t.Errorf("255 becomes %d in Y, 0 becomes %d in U; want 235 and 16", f.Y[0], f.U[0])
	}
}

func TestAFilmThatCannotBeShownIsToldWhy(t *testing.T) {
	good := string(y4m("W16 H16 F30:1", 1))
	for _, c := range []struct{ name, data, want string }{
		{"no film", "RIFF....", "not a y4m file"},
		{"another first word", "YUV4MPEG W16 H16\n", "not a y4m file"},
		{"an empty file", "", "not a y4m file"},
		{"an odd size", "YUV4MPEG2 W17 H16 F30:1\n", "its pictures are 17x16 pixels; both must be even, from 16 to 4096"},
		{"no size", "YUV4MPEG2 F30:1\n", "0x0"},
		{"another colour format", "YUV4MPEG2 W16 H16 C444\n", `its colours are "444"; they must be 420`},
		{"10 bits", "YUV4MPEG2 W16 H16 C420p10\n", "8 bits"},
		{"interlaced", "YUV4MPEG2 W16 H16 It\n", "interlaced"},
		{"a rate of nothing", "YUV4MPEG2 W16 H16 F30:0\n", `"F30:0"`},
		{"a size in letters", "YUV4MPEG2 Wide H16\n", `"Wide"`},
		{"a first line without end", "YUV4MPEG2 " + strings.Repeat("X", 9999), "not a y4m file"},
	} {
		if _, err := film([]byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; it must say %q", c.name, err, c.want)
		}
	}
	for _, c := range []struct{ name, data, want string }{
		{"half a picture", good[:len(good)-10], "picture 1: the file ends in the middle of a picture"},
		{"no picture", "YUV4MPEG2 W16 H16 F30:1\n", "picture 1: EOF"},
		{"no FRAME", strings.Replace(good, "FRAME", "PHASE", 1), "a picture must begin with the line FRAME"},
	} {
		m, err := film([]byte(c.data))
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Next(t.Context(), new(robot.Frame)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; it must say %q", c.name, err, c.want)
		}
	}
}

func FuzzFilm(f *testing.F) {
	f.Add(y4m("W16 H16 F30:1 Ip C420", 2))
	f.Add([]byte("YUV4MPEG2 W4096 H16 F1:1\nFRAME Ip\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := film(data)
		if err != nil {
			return
		}
		m.pace.every = 0
		var frame robot.Frame
		for range 3 {
			if err := m.Next(t.Context(), &frame); err != nil {
				return
			}
			if len(frame.Y) != frame.Width*frame.Height || len(frame.U) != len(frame.Y)/4 || len(frame.V) != len(frame.U) {
				t.Fatalf("a picture of %dx%d has planes of %d, %d, %d bytes", frame.Width, frame.Height, len(frame.Y), len(frame.U), len(frame.V))
			}
		}
	})
}
