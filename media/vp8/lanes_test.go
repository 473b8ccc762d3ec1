package vp8

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Every shortcut gives the same result as the plain computation.

// pixels draws n of them. Shortcuts break at extremes, so half of them are extreme.
func pixels(t *rapid.T, n int, name string) []byte {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, name), 4))
	extremes := []byte{0, 0, 1, 16, 127, 128, 235, 254, 255, 255}
	b := make([]byte, n)
	for i := range b {
		if b[i] = byte(r.Uint32()); r.IntN(2) == 0 {
			b[i] = extremes[r.IntN(len(extremes))]
		}
	}
	return b
}

func TestDifferencesOfBlocksAreTheirSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := pixels(t, 16*16, "a"), pixels(t, 20*16, "b")
		off := func(width, height int) (sum, signed int) {
			for y := range height {
				for x := range width {
					d := int(a[16*y+x]) - int(b[20*y+x])
					sum += max(d, -d)
					signed += d
				}
			}
			return sum, signed
		}
		want, _ := off(16, 16)
		if got := sad16(a, 16, b, 20, math.MaxInt); got != want {
			t.Fatalf("16 x 16: %d, want %d", got, want)
		}
		if want, _ = off(8, 8); sad8(a, 16, b, 20) != want {
			t.Fatalf("8 x 8: %d, want %d", sad8(a, 16, b, 20), want)
		}
		var block [16]byte
		for y := range 4 {
			copy(block[4*y:], b[20*y:][:4])
		}
		want, signed := off(4, 4)
		if got := sad4(a, 16, &block); got != want {
			t.Fatalf("4 x 4: %d, want %d", got, want)
		}
		sums, apart := blockDifferences(a, 16, b, 20)
		if sums[0] != signed || apart[0] != want {
			t.Fatalf("left block: %d and %d, want %d and %d", sums[0], apart[0], signed, want)
		}
		both, all := off(8, 4)
		if apart[0]+apart[1] != both || sums[0]+sums[1] != all {
			t.Fatalf("both blocks: %d and %d, want %d and %d", sums[0]+sums[1], apart[0]+apart[1], all, both)
		}
	})
}

// plainTaps are the filters as RFC 6386, section 18.3, prints them.
var plainTaps = [8][6]int{
	{0, 0, 128, 0, 0, 0},
	{0, -6, 123, 12, -1, 0},
	{2, -11, 108, 36, -8, 1},
	{0, -9, 93, 50, -6, 0},
	{3, -16, 77, 77, -16, 3},
	{0, -6, 50, 93, -9, 0},
	{1, -8, 36, 108, -11, 2},
	{0, -1, 12, 123, -6, 0},
}

func TestMotionIsPredictedAsTheStandardSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPlane(16, 16, lumaBorder)
		copy(p.pix, pixels(t, len(p.pix), "pixels"))
		v := vector{int16(rapid.IntRange(-128, 128).Draw(t, "x")), int16(rapid.IntRange(-128, 128).Draw(t, "y"))}
		size := rapid.SampledFrom([]int{8, 16}).Draw(t, "size")
		tap := func(at, step int, f [6]int, pix func(int) byte) byte {
			sum := 64
			for i, n := range f {
				sum += n * int(pix(at+(i-2)*step))
			}
			return byte(max(0, min(255, sum>>7)))
		}
		row := func(at int) byte {
			return tap(at, 1, plainTaps[v.x&7], func(i int) byte { return p.pix[i] })
		}
		got := make([]byte, 16*16)
		p.predictMotion(got, 16, 0, 0, v, size)
		for y := range size {
			for x := range size {
				want := tap(p.at(x+int(v.x>>3), y+int(v.y>>3)), p.stride, plainTaps[v.y&7], row)
				if got[16*y+x] != want {
					t.Fatalf("by %v, at %d, %d: %d, want %d", v, x, y, got[16*y+x], want)
				}
			}
		}
	})
}

func TestTransformsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := pixels(t, 16, "a"), pixels(t, 16, "b")
		var c coefficients
		c.forward(a, 4, b, 4)
		c.addTo(b, 4)
		for i := range a {
			if d := int(a[i]) - int(b[i]); max(d, -d) > 2 {
				t.Fatalf("pixel %d is %d and comes back as %d", i, a[i], b[i])
			}
		}
		var means, back [16]int16
		for i := range means {
			means[i] = int16(rapid.IntRange(-2040, 2040).Draw(t, "mean"))
		}
		c.forwardMeans(&means)
		c.means(&back)
		for i := range means {
			if d := means[i] - back[i]; max(d, -d) > 2 {
				t.Fatalf("mean %d is %d and comes back as %d", i, means[i], back[i])
			}
		}
	})
}

func TestFlatBlocksHaveNoLevelsButTheMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newQuantizer(rapid.IntRange(0, 127).Draw(t, "index"))
		b := pixels(t, 8*4, "b")
		a := append([]byte{}, b...)
		for i := range a {
			a[i] = byte(max(0, min(255, int(a[i])+rapid.IntRange(-4, 4).Draw(t, "d"))))
		}
		sums, off := blockDifferences(a, 8, b, 8)
		if off[0] > q.chroma.flat {
			return
		}
		var full, short coefficients
		var fullLevels, shortLevels [16]int16
		full.forward(a, 8, b, 8)
		short[0] = meanOf(sums[0])
		fullEnd := q.chroma.quantize(&full, &fullLevels, 0)
		end := q.chroma.quantizeMean(&short, &shortLevels)
		if end != fullEnd || full[0] != short[0] || end > 0 && fullLevels != shortLevels {
			t.Fatalf("off by %d: %d %v, in full %d %v", off[0], end, shortLevels, fullEnd, fullLevels)
		}
	})
}

func TestTheFilterSmoothesSmallStepsAndLeavesEdges(t *testing.T) {
	for _, c := range []struct {
		p1, p0, q0, q1, limit int
		p, q                  byte
	}{
		{100, 100, 100, 100, 9, 100, 100},
		{100, 100, 104, 104, 9, 100, 104}, // 2 x 4 + 4/2 is more than 9
		{100, 100, 104, 104, 10, 101, 103},
		{100, 100, 200, 200, 200, 100, 200},
		{0, 0, 1, 0, 63, 0, 1},
		{255, 254, 255, 255, 63, 254, 255},
	} {
		if p, q := smoothEdge(c.p1, c.p0, c.q0, c.q1, c.limit); p != c.p || q != c.q {
			t.Errorf("%+v: %d, %d", c, p, q)
		}
	}
}
