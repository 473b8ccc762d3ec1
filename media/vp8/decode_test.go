package vp8

import (
	"bytes"
	"image"
	"math/rand/v2"
	"os/exec"
	"testing"

	"golang.org/x/image/vp8"

	"mybot/robot"
)

// random is a stream of sizes, content, cuts, bitrates and requests for key frames
// from a seed.
func random(t testing.TB, seed uint64, frames int) *stream {
	r := rand.New(rand.NewPCG(seed, 7))
	width, height := 2*(8+r.IntN(130)), 2*(8+r.IntN(90))
	e := encoder(t, width, height, 20000+r.IntN(3000000))
	s := newScene(seed, width, height, r.Float64()*20)
	var all stream
	var f robot.Frame
	for range frames {
		switch r.IntN(16) {
		case 0:
			s.noise()
		case 1:
			s.texture()
		case 2:
			e.SetBitrate(1000 << r.IntN(13))
		case 3:
			s.speed = r.Float64() * 20
		case 4:
			s.x, s.y = 1, 1
		}
		s.next(&f)
		all.add(e, encode(t, e, &f, r.IntN(15) == 0))
	}
	return &all
}

func TestDecodersShowBitByBitWhatTheEncoderRebuilt(t *testing.T) {
	computesLong(t)
	found := decoders(t)
	for seed := range uint64(8) {
		s := random(t, seed+1, 24)
		for _, d := range found {
			s.check(t, d)
		}
	}
}

func TestDecodersShowTheSmallestTheLargestAndOddSizes(t *testing.T) {
	computesLong(t)
	found := decoders(t)
	for _, size := range [][2]int{{16, 16}, {18, 16}, {16, 30}, {34, 1080}, {1920, 16}, {1920, 1080}} {
		e := encoder(t, size[0], size[1], 40000000)
		s := newScene(5, size[0], size[1], 3.3)
		var all stream
		var f robot.Frame
		for range min(3, 1+200000/(size[0]*size[1])) {
			s.next(&f)
			all.add(e, encode(t, e, &f, false))
		}
		for _, d := range found {
			all.check(t, d)
		}
	}
}

// Each frame of a still, flat, black or white picture is legal, too.
func TestDecodersShowFlatPictures(t *testing.T) {
	found := decoders(t)
	e := encoder(t, 64, 48, 100000)
	var f robot.Frame
	f.Resize(64, 48)
	var all stream
	for i := range 12 {
		fillBytes(f.Y, byte(i/4*127))
		fillBytes(f.U, byte(i/2*51))
		fillBytes(f.V, byte(255-i/2*51))
		all.add(e, encode(t, e, &f, false))
	}
	for _, d := range found {
		all.check(t, d)
	}
}

// keyImage decodes a key frame with the decoder of golang.org/x/image.
func keyImage(t testing.TB, frame []byte) *image.YCbCr {
	t.Helper()
	d := vp8.NewDecoder()
	d.Init(bytes.NewReader(frame), len(frame))
	if _, err := d.DecodeFrameHeader(); err != nil {
		t.Fatal(err)
	}
	m, err := d.DecodeFrame()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkKey fails if another decoder shows a key frame differently.
func (e *Encoder) checkKey(t testing.TB, frame []byte) {
	t.Helper()
	m := keyImage(t, frame)
	var got []byte
	for y := range e.height {
		got = append(got, m.Y[y*m.YStride:][:e.width]...)
	}
	for _, p := range [][]byte{m.Cb, m.Cr} {
		for y := range e.height / 2 {
			got = append(got, p[y*m.CStride:][:e.width/2]...)
		}
	}
	want := e.rebuilt()
	if len(got) != len(want) {
		t.Fatalf("the other decoder has %d bytes, the encoder %d", len(got), len(want))
	}
	if n := differ(got, want); n >= 0 {
		t.Fatalf("%dx%d: the key frame differs from byte %d on", e.width, e.height, n)
	}
}

func TestAnotherDecoderShowsKeyFramesBitByBit(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		width, height := 2*(8+r.IntN(120)), 2*(8+r.IntN(80))
		e := encoder(t, width, height, 1000<<r.IntN(14))
		s := newScene(seed, width, height, 4)
		var f robot.Frame
		for i := range 3 {
			if i == 2 && r.IntN(2) == 0 {
				s.noise()
			}
			s.next(&f)
			e.checkKey(t, encode(t, e, &f, true))
		}
	}
}

// Whatever the size, content, bitrate and requests: the encoder does not fail, and
// decoders show its reconstruction. Two bytes of moves are one frame.
func FuzzEncoder(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint32(1000000), uint64(1), []byte{0, 0, 0, 0, 10, 1, 20, 2})
	f.Add(uint8(40), uint8(13), uint32(20000), uint64(2), []byte{200, 4, 30, 3, 0, 9, 0, 8})
	f.Add(uint8(7), uint8(200), uint32(90000000), uint64(3), []byte{1, 16, 255, 0, 255, 32, 255, 3, 3, 3})
	_, missing := exec.LookPath("ffmpeg")
	f.Fuzz(func(t *testing.T, width, height uint8, bitrate uint32, seed uint64, moves []byte) {
		e := encoder(t, 16+2*int(width%64), 16+2*int(height%64), max(slowest, min(fastest, int(bitrate))))
		s := newScene(seed, e.width, e.height, 0)
		var all stream
		var frame robot.Frame
		for ; len(moves) > 1 && len(all.frames) < 8; moves = moves[2:] {
			s.x, s.y = 1+float64(moves[0]%128)/3, 1+float64(moves[0]/2)/5
			switch moves[1] & 15 {
			case 1:
				s.noise()
			case 2:
				s.texture()
			case 3:
				e.SetBitrate(1 << (moves[1] >> 4 * 2))
			}
			s.next(&frame)
			b := encode(t, e, &frame, moves[1]&16 != 0)
			all.add(e, b)
			if isKey(b) {
				e.checkKey(t, b)
			}
		}
		if missing == nil && len(all.frames) > 0 {
			all.check(t, "vp8")
		}
	})
}
