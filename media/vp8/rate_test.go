package vp8

import (
	"math"
	"math/rand/v2"
	"testing"

	"mybot/robot"
)

// A course is a rate control on a synthetic scene: the complexity of its frames
// drifts.
type course struct {
	rate
	r      *rand.Rand
	weight float64 // log2 of the bits of a frame with step 1
}

func newCourse(seed uint64, bitrate int) *course {
	return &course{rate: newRate(bitrate, 30, 640*480), r: rand.New(rand.NewPCG(seed, 3)), weight: 19.5}
}

// bits is the size of the frame; the true slope differs from the one that the rate
// control assumes.
func (c *course) bits(key bool, index int) int {
	w := c.weight + 0.2*c.r.NormFloat64()
	if key {
		w += 2
	}
	return int(math.Exp2(w - 1.5*math.Log2(float64(steps[index]))))
}

// frame encodes one and returns its size in bits.
func (c *course) frame(key bool) int {
	if !key && c.isHopeless() {
		c.noteRepeat(300)
		return 300
	}
	index := c.chooseIndex(key)
	bits := c.bits(key, index)
	for again := true; again; {
		if index, again = c.coarserIndex(index, bits); again {
			bits = c.bits(key, index)
		}
	}
	c.noteFrame(key, index, bits)
	return bits
}

// second returns the bits of 30 frames, and of the largest.
func (c *course) second() (sum, most int) {
	for range 30 {
		b := c.frame(false)
		sum, most = sum+b, max(most, b)
	}
	return sum, most
}

func near(t *testing.T, what string, bits int, bitrate, tolerance float64) {
	t.Helper()
	if off := float64(bits)/bitrate - 1; math.Abs(off) > tolerance {
		t.Errorf("%s: %d bit/s at %.0f, %+.0f %%", what, bits, bitrate, 100*off)
	}
}

func TestTheBitrateIsFollowedWithinASecond(t *testing.T) {
	for seed := range uint64(50) {
		c := newCourse(seed, 1000000)
		c.frame(true)
		c.frame(true)
		for range 60 {
			c.frame(false)
		}
		sum, _ := c.second()
		near(t, "at first", sum, 1000000, 0.12)
		c.bitrate = 300000
		for range 30 {
			c.frame(false)
		}
		sum, _ = c.second()
		near(t, "after the step down", sum, 300000, 0.12)
		c.bitrate = 1000000
		for range 30 {
			c.frame(false)
		}
		sum, _ = c.second()
		near(t, "after the step up", sum, 1000000, 0.12)
	}
}

func TestNoFrameIsLargerThanThree(t *testing.T) {
	for seed := range uint64(50) {
		c := newCourse(seed, 1000000)
		for i := range 300 {
			if i%40 == 20 {
				c.weight = 17 + 6*c.r.Float64() // another scene
			}
			if bits := float64(c.frame(i < 2 || c.r.IntN(20) == 0)); bits > burst*c.bitsPerFrame() && c.index < coarsest {
				t.Fatalf("seed %d: frame %d has %.0f bits, the share is %.0f", seed, i, bits, c.bitsPerFrame())
			}
		}
	}
}

func TestKeyFramesArePaidBack(t *testing.T) {
	c := newCourse(1, 500000)
	for range 60 {
		c.frame(false)
	}
	sum := 0
	for i := range 300 {
		sum += c.frame(i%30 == 0)
	}
	near(t, "a key frame each second", sum, 10*500000, 0.05)
}

func TestFramesAreLeftOutOnlyWhenNothingElseHelps(t *testing.T) {
	c := newCourse(2, 1000000)
	c.weight = 30 // with the coarsest step a frame takes seven shares
	for range 30 {
		c.frame(false)
	}
	if c.index != coarsest {
		t.Fatalf("index %d for more than the bitrate can carry", c.index)
	}
	sum, _ := c.second()
	near(t, "hopeless", sum, 1000000, 0.5)
	c.weight = 19
	for range 60 {
		c.frame(false)
	}
	for range 300 {
		if c.isHopeless() {
			t.Fatal("a frame is left out of an easy scene")
		}
		c.frame(false)
	}
}

// The same with pictures: a moving scene, its bitrate reduced to a third and back.
func TestRealFramesFollowTheBitrate(t *testing.T) {
	computesLong(t)
	e := encoder(t, 176, 144, 150000)
	s := newScene(4, 176, 144, 2.2)
	var f robot.Frame
	second := func(name string, bitrate float64) {
		t.Helper()
		var sum, most int
		for i := range 45 {
			s.next(&f)
			n := 8 * len(encode(t, e, &f, false))
			if i >= 15 {
				sum, most = sum+n, max(most, n)
			}
		}
		near(t, name, sum, bitrate, 0.15)
		if float64(most) > burst*bitrate/30 {
			t.Errorf("%s: a frame has %d bits, more than %d times its share", name, most, burst)
		}
	}
	second("at first", 150000)
	e.SetBitrate(50000)
	second("after the step down", 50000)
	e.SetBitrate(150000)
	second("after the step up", 150000)
}

func TestAHopelessBitrateRepeatsFramesAndStaysDecodable(t *testing.T) {
	found := decoders(t)
	e := encoder(t, 320, 240, slowest)
	s := newScene(6, 320, 240, 3)
	var all stream
	var f robot.Frame
	repeated := 0
	for range 40 {
		s.next(&f)
		b := encode(t, e, &f, false)
		if len(b) < 60 {
			repeated++
		}
		all.add(e, b)
	}
	if repeated < 30 {
		t.Errorf("%d of 40 frames are repeated", repeated)
	}
	for _, d := range found {
		all.check(t, d)
	}
}
