package camera

import (
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
)

func TestABarCodeIsReadBackFromANoisyPicture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f robot.Frame
		f.Resize(rapid.SampledFrom([]int{160, 320, 640, 1280}).Draw(t, "width"), rapid.SampledFrom([]int{120, 480, 720}).Draw(t, "height"))
		v, w := rapid.Uint32().Draw(t, "lower"), rapid.Uint32().Draw(t, "upper")
		writeCode(&f, 0, v)
		writeCode(&f, 1, w)
		for i := range f.Y { // half the contrast, and noise, as over a bad link
			f.Y[i] = byte(64 + int(f.Y[i])/2 + i*7919%41 - 20)
		}
		if got, ok := ReadCode(&f, 0); !ok || got != v {
			t.Fatalf("the lower code is read as %d (%v); it is %d", got, ok, v)
		}
		if got, ok := ReadCode(&f, 1); !ok || got != w {
			t.Fatalf("the upper code is read as %d (%v); it is %d", got, ok, w)
		}
	})
}

func TestAPictureWithoutACodeIsNotRead(t *testing.T) {
	var f robot.Frame
	f.Resize(640, 480)
	if _, ok := ReadCode(&f, 0); ok {
		t.Error("a code is read from a black picture")
	}
	writeCode(&f, 0, 12345)
	fillRectangle(&f, 200, 460, 216, 480, [3]byte{235, 128, 128})
	fillRectangle(&f, 216, 460, 232, 480, [3]byte{235, 128, 128})
	if v, ok := ReadCode(&f, 0); ok {
		t.Errorf("a damaged code is read as %d", v)
	}
}

func TestThePatternTellsItsTimeAndNumberAndMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPattern(640, 480)
		var f robot.Frame
		var before []byte
		for i := range uint32(3) {
			if err := p.Next(t.Context(), &f); err != nil {
				t.Fatal(err)
			}
			if at, ok := ReadCode(&f, 0); !ok || at != timeCode(f.Taken) {
				t.Errorf("picture %d has the time %d (%v); want %d", i, at, ok, timeCode(f.Taken))
			}
			if n, ok := ReadCode(&f, 1); !ok || n != i {
				t.Errorf("picture %d has the number %d (%v)", i, n, ok)
			}
			row := f.Y[100*640:][:640]
			if string(row) == string(before) {
				t.Errorf("picture %d does not move", i)
			}
			before = append(before[:0], row...)
		}
	})
}

func TestTheTimeCodeCountsTenthsOfAMillisecond(t *testing.T) {
	at := time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)
	if d := timeCode(at.Add(1500*time.Microsecond)) - timeCode(at); d != 15 {
		t.Errorf("1.5 ms are %d in the code", d)
	}
}

func TestAllOfThePatternIsInTheLimitedRange(t *testing.T) {
	p := NewPattern(640, 480)
	var f robot.Frame
	if err := p.Next(t.Context(), &f); err != nil {
		t.Fatal(err)
	}
	for i, y := range f.Y {
		if y < 16 || y > 235 {
			t.Fatalf("Y of pixel %d, %d is %d", i%640, i/640, y)
		}
	}
}
