package h264

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mybot/robot"
)

// there returns an encoder; without the library the test is skipped.
func there(t *testing.T, width, height, bitrate int) *Encoder {
	t.Helper()
	e, err := NewEncoder(width, height, bitrate, 30)
	if errors.Is(err, ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// picture is a slanted pattern that moves with n.
func picture(width, height, n int) *robot.Frame {
	var f robot.Frame
	f.Resize(width, height)
	for i := range f.Y {
		x, y := i%width+3*n, i/width+n
		f.Y[i] = byte(40 + (x+2*y)%150 + (x/16+y/16)%2*20)
	}
	for i := range f.U {
		f.U[i], f.V[i] = byte(100+n), byte(150-n)
	}
	return &f
}

// isKey reports whether a frame has a key picture and its parameter sets.
func isKey(frame []byte) bool {
	return bytes.Contains(frame, []byte{0, 0, 1, 0x65}) && bytes.Contains(frame, []byte{0, 0, 1, 0x67}) && bytes.Contains(frame, []byte{0, 0, 1, 0x68})
}

func TestFramesDecodeToWhatWentIn(t *testing.T) {
	const width, height = 176, 144
	e := there(t, width, height, 2000000)
	defer e.Close()
	var stream []byte
	for n := range 10 {
		b, err := e.Encode(picture(width, height, n), n == 7)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) == 0 {
			t.Fatalf("frame %d is skipped", n)
		}
		if got, want := isKey(b), n < 2 || n == 7; got != want {
			t.Errorf("frame %d is a key frame: %v", n, got)
		}
		stream = append(stream, b...)
	}
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("there is no ffmpeg to decode with")
	}
	name := filepath.Join(t.TempDir(), "stream.h264")
	if err := os.WriteFile(name, stream, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("ffmpeg", "-v", "error", "-f", "h264", "-i", name, "-vsync", "passthrough", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	const size = width * height * 3 / 2
	if len(out) != 10*size {
		t.Fatalf("%d bytes are returned, not %d", len(out), 10*size)
	}
	for n := range 10 {
		sum := 0
		for i, v := range picture(width, height, n).Y {
			d := int(v) - int(out[n*size+i])
			sum += max(d, -d)
		}
		if mean := float64(sum) / (width * height); mean > 4 {
			t.Errorf("frame %d is off by %.1f a pixel", n, mean)
		}
	}
}

func TestTheBitrateIsFollowed(t *testing.T) {
	e := there(t, 320, 240, 800000)
	defer e.Close()
	rate := func() float64 {
		sum := 0
		for n := range 60 {
			b, err := e.Encode(picture(320, 240, n), false)
			if err != nil {
				t.Fatal(err)
			}
			if n >= 30 {
				sum += 8 * len(b)
			}
		}
		return float64(sum)
	}
	fast := rate()
	e.SetBitrate(100000)
	slow := rate()
	if !(slow < 150000 && fast > 1.5*slow) {
		t.Errorf("%.0f bit/s at 800000 and %.0f at 100000", fast, slow)
	}
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	for _, size := range [][2]int{{15, 16}, {16, 14}, {1922, 1080}} {
		if _, err := NewEncoder(size[0], size[1], 1000000, 30); err == nil {
			t.Errorf("%v is taken", size)
		}
	}
	e := there(t, 64, 48, 100000)
	if e.MimeType() != "video/H264" {
		t.Error(e.MimeType())
	}
	if _, err := e.Encode(picture(64, 32, 0), false); err == nil || !strings.Contains(err.Error(), "64 x 32") {
		t.Error(err)
	}
	f := picture(64, 48, 0)
	f.U = f.U[:5]
	if _, err := e.Encode(f, false); err == nil || !strings.Contains(err.Error(), "3072, 5 and 768") {
		t.Error(err)
	}
	for range 2 {
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Encode(picture(64, 48, 0), false); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	e.SetBitrate(200000) // nothing from a closed one
}
