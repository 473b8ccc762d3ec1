package vp8

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"mybot/robot"
)

// A scene is a window that moves over a large picture, with sudden changes.
type scene struct {
	r             *rand.Rand
	width, height int
	stride        int // of the large picture
	large         []byte
	x, y          float64
	speed         float64 // pixels a frame
	heading       float64
}

func newScene(seed uint64, width, height int, speed float64) *scene {
	s := &scene{
		r: rand.New(rand.NewPCG(seed, 8)), width: width, height: height,
		stride: width + margin, x: 60, y: 60, speed: speed,
	}
	s.large = make([]byte, s.stride*(height+margin))
	s.texture()
	return s
}

// margin is how much larger than the window the picture is.
const margin = 160

// texture makes the picture one of walls and boards: soft gradients, hard edges and
// a little grain.
func (s *scene) texture() {
	waves := func(n int) []int {
		wave := make([]int, n)
		a, b, c := 0.2*s.r.Float64(), 0.05*s.r.Float64(), 6*s.r.Float64()
		for i := range wave {
			wave[i] = int(30*math.Sin(a*float64(i)+c) + 25*math.Sin(b*float64(i)))
		}
		return wave
	}
	across, down, slanted := waves(s.stride), waves(len(s.large)/s.stride), waves(2*s.stride+len(s.large)/s.stride)
	for i := range s.large {
		x, y := i%s.stride, i/s.stride
		v := 126 + across[x] + down[y] + slanted[2*x+y]/2 + s.r.IntN(3)
		if (x/37+y/29)%3 == 0 {
			v -= 40
		}
		s.large[i] = byte(max(16, min(235, v)))
	}
}

// noise makes the picture as hard to encode as possible.
func (s *scene) noise() {
	for i := range s.large {
		s.large[i] = byte(s.r.Uint32())
	}
}

// next draws the next picture into f.
func (s *scene) next(f *robot.Frame) {
	f.Resize(s.width, s.height)
	if s.speed > 0 {
		s.heading += s.r.NormFloat64() * 0.2
		s.x += s.speed * math.Cos(s.heading)
		s.y += s.speed * math.Sin(s.heading)
		if s.x < 1 || s.y < 1 || s.x > margin-2 || s.y > margin-2 {
			s.heading += math.Pi
			s.x, s.y = max(1, min(margin-2, s.x)), max(1, min(margin-2, s.y))
		}
	}
	// in 1/16 of a pixel
	x, y := int(16*s.x), int(16*s.y)
	a, b := x&15, y&15
	for j := range s.height {
		above := s.large[(y/16+j)*s.stride+x/16:][:s.width+1]
		below := s.large[(y/16+j+1)*s.stride+x/16:][:s.width+1]
		row := f.Y[j*s.width:][:s.width]
		for i := range row {
			row[i] = byte(((int(above[i])*(16-a)+int(above[i+1])*a)*(16-b) + (int(below[i])*(16-a)+int(below[i+1])*a)*b + 128) >> 8)
		}
	}
	for y := range s.height / 2 {
		for x := range s.width / 2 {
			v := f.Y[2*y*s.width+2*x]
			f.U[y*s.width/2+x], f.V[y*s.width/2+x] = 64+v/2, 192-v/2
		}
	}
}

func encoder(t testing.TB, width, height, bitrate int) *Encoder {
	t.Helper()
	e, err := NewEncoder(width, height, bitrate, 30)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func encode(t testing.TB, e *Encoder, f *robot.Frame, key bool) []byte {
	t.Helper()
	b, err := e.Encode(f, key)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func isKey(frame []byte) bool { return frame[0]&1 == 0 }

// rebuilt is the encoder's reconstruction, plane after plane.
func (e *Encoder) rebuilt() []byte {
	var f robot.Frame
	e.CopyShown(&f)
	return slices.Concat(f.Y, f.U, f.V)
}

// psnr is the PSNR of the reconstructed luma against f, in dB.
func (e *Encoder) psnr(f *robot.Frame) float64 {
	var shown robot.Frame
	e.CopyShown(&shown)
	sum := 0.0
	for i, v := range shown.Y {
		d := float64(v) - float64(f.Y[i])
		sum += d * d
	}
	return 10 * math.Log10(255*255*float64(len(f.Y))/sum)
}

// A stream is the encoder's output with its reconstruction of each frame.
type stream struct {
	width, height  int
	frames, images [][]byte
}

func (s *stream) add(e *Encoder, frame []byte) {
	s.width, s.height = e.width, e.height
	s.frames = append(s.frames, bytes.Clone(frame))
	s.images = append(s.images, e.rebuilt())
}

// ivf is the file that decoders read.
func (s *stream) ivf() []byte {
	b := binary.LittleEndian.AppendUint32([]byte("DKIF"), 32<<16)
	b = append(b, "VP80"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(s.width))
	b = binary.LittleEndian.AppendUint16(b, uint16(s.height))
	for _, v := range []uint32{30, 1, uint32(len(s.frames)), 0} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	for i, f := range s.frames {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(f)))
		b = binary.LittleEndian.AppendUint64(b, uint64(i))
		b = append(b, f...)
	}
	return b
}

// decoded is a stream as one of ffmpeg's decoders shows it.
func (s *stream) decoded(t testing.TB, decoder string) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "stream.ivf")
	if err := os.WriteFile(name, s.ivf(), 0o600); err != nil {
		t.Fatal(err)
	}
	var problem bytes.Buffer
	c := exec.Command("ffmpeg", "-v", "error", "-threads", "1", "-c:v", decoder, "-i", name, "-vsync", "passthrough", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-")
	c.Stderr = &problem
	out, err := c.Output()
	if err != nil || problem.Len() > 0 {
		t.Fatalf("ffmpeg's %s: %v: %s", decoder, err, &problem)
	}
	return out
}

// check fails if a decoder's output differs from the encoder's reconstruction.
func (s *stream) check(t testing.TB, decoder string) {
	t.Helper()
	out := s.decoded(t, decoder)
	for i, want := range s.images {
		if len(out) < len(want) {
			t.Fatalf("%s shows only %d of %d frames", decoder, i, len(s.images))
		}
		if n := differ(out, want); n >= 0 {
			t.Fatalf("%s, %dx%d: frame %d of %d differs from byte %d on", decoder, s.width, s.height, i, len(s.images), n)
		}
		out = out[len(want):]
	}
	if len(out) > 0 {
		t.Fatalf("%s shows %d bytes more than there are frames", decoder, len(out))
	}
}

// differ returns the first index at which a is not b, -1 if there is none.
func differ(a, b []byte) int {
	for i, v := range b {
		if a[i] != v {
			return i
		}
	}
	return -1
}

// decoders are those that the installed ffmpeg has. Without ffmpeg the test is
// skipped.
func decoders(t testing.TB) []string {
	t.Helper()
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("there is no ffmpeg to decode with")
	}
	list, err := exec.Command("ffmpeg", "-hide_banner", "-decoders").Output()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, d := range []string{"vp8", "libvpx"} {
		if bytes.Contains(list, fmt.Appendf(nil, " %s ", d)) {
			found = append(found, d)
		}
	}
	if len(found) == 0 {
		t.Fatalf("this ffmpeg has no decoder of VP8")
	}
	return found
}

// computesLong skips a test with -short: the race detector makes it ten times
// slower, and it runs in full without.
func computesLong(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it computes for long; -short leaves it out")
	}
}
