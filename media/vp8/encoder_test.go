package vp8

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mybot/robot"
)

func TestTheFirstTwoFramesAndThoseAskedForAreKeyFrames(t *testing.T) {
	e := encoder(t, 64, 48, 100000)
	s := newScene(1, 64, 48, 1)
	var f robot.Frame
	for i := range 8 {
		s.next(&f)
		if got, want := isKey(encode(t, e, &f, i == 5)), i < 2 || i == 5; got != want {
			t.Errorf("frame %d is a key frame: %v", i, got)
		}
	}
}

func TestSizesBitratesAndPicturesOutOfRangeAreRefused(t *testing.T) {
	for _, c := range []struct {
		width, height, bitrate int
		fps                    float64
		want                   string
	}{
		{14, 16, 1e6, 30, "16 x 16"},
		{16, 15, 1e6, 30, "even"},
		{17, 16, 1e6, 30, "even"},
		{1922, 1080, 1e6, 30, "1920 x 1080"},
		{1920, 1082, 1e6, 30, "1920 x 1080"},
		{640, 480, 999, 30, "bitrate"},
		{640, 480, 100000001, 30, "bitrate"},
		{640, 480, 1e6, 0, "frames a second"},
		{640, 480, 1e6, 241, "frames a second"},
	} {
		_, err := NewEncoder(c.width, c.height, c.bitrate, c.fps)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	e := encoder(t, 32, 32, 100000)
	var f robot.Frame
	f.Resize(32, 16)
	if _, err := e.Encode(&f, false); err == nil || !strings.Contains(err.Error(), "32 x 16") {
		t.Errorf("a smaller picture: %v", err)
	}
	f.Resize(32, 32)
	f.V = f.V[:10]
	if _, err := e.Encode(&f, false); err == nil || !strings.Contains(err.Error(), "1024, 256 and 10") {
		t.Errorf("a plane too short: %v", err)
	}
	f.Resize(32, 32)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Encode(&f, false); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if e.MimeType() != "video/VP8" {
		t.Error(e.MimeType())
	}
}

func TestTheSamePicturesGiveTheSameBytes(t *testing.T) {
	run := func() (all []byte) {
		e := encoder(t, 176, 144, 200000)
		s := newScene(2, 176, 144, 3)
		var f robot.Frame
		for range 10 {
			s.next(&f)
			all = append(all, encode(t, e, &f, false)...)
		}
		return all
	}
	first := run()
	for range 3 {
		if !bytes.Equal(run(), first) {
			t.Fatal("the bytes depend on how the goroutines take turns")
		}
	}
}

func TestThePictureIsOnlyRead(t *testing.T) {
	e := encoder(t, 40, 24, 100000)
	s := newScene(3, 40, 24, 3)
	var f robot.Frame
	for range 4 {
		s.next(&f)
		before := bytes.Join([][]byte{f.Y, f.U, f.V}, nil)
		encode(t, e, &f, false)
		if !bytes.Equal(before, bytes.Join([][]byte{f.Y, f.U, f.V}, nil)) {
			t.Fatal("the encoder wrote into the picture")
		}
	}
}

func TestNothingIsAllocatedForAFrame(t *testing.T) {
	for _, size := range [][2]int{{160, 128}, {152, 120}} {
		e := encoder(t, size[0], size[1], 300000)
		s := newScene(4, size[0], size[1], 2)
		frames := make([]robot.Frame, 10)
		for i := range frames {
			s.next(&frames[i])
			encode(t, e, &frames[i], false)
		}
		i := 0
		if n := testing.AllocsPerRun(40, func() {
			encode(t, e, &frames[i%len(frames)], i%10 == 0)
			i++
		}); n > 0 {
			t.Errorf("%v: %v allocations a frame", size, n)
		}
	}
}

// The visible quality must not fall unnoticed. The bounds are 0.5 dB below the
// measured values.
func TestPicturesAreAsGoodAsTheyWere(t *testing.T) {
	computesLong(t)
	for _, c := range []struct {
		bitrate int
		want    float64 // dB, mean of the moving scene
	}{{50000, 38.7}, {150000, 44}, {500000, 47}} {
		e := encoder(t, 176, 144, c.bitrate)
		s := newScene(4, 176, 144, 2.2)
		var f robot.Frame
		sum := 0.0
		for i := range 40 {
			s.next(&f)
			encode(t, e, &f, false)
			if i >= 10 {
				sum += e.psnr(&f) / 30
			}
		}
		t.Logf("%d bit/s: %.2f dB", c.bitrate, sum)
		if sum < c.want {
			t.Errorf("%d bit/s: %.2f dB, want %.2f", c.bitrate, sum, c.want)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, size := range [][2]int{{320, 240}, {640, 480}, {1280, 720}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			e := encoder(b, size[0], size[1], 1000000)
			s := newScene(1, size[0], size[1], 2.2)
			frames := make([]robot.Frame, 60)
			for i := range frames {
				s.next(&frames[i])
			}
			b.ReportAllocs()
			i, bits, psnr := 0, 0, 0.0
			for b.Loop() {
				// There and back, so that there is no cut.
				at := i % (2*len(frames) - 2)
				f := &frames[min(at, 2*len(frames)-2-at)]
				bits += 8 * len(encode(b, e, f, false))
				b.StopTimer()
				psnr += e.psnr(f)
				i++
				b.StartTimer()
			}
			b.ReportMetric(psnr/float64(i), "dB")
			b.ReportMetric(float64(bits)/float64(i)*30/1000, "kbit/s")
		})
	}
}
