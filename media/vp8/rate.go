package vp8

import "math"

// A rate chooses the quantizer index of each frame so that the frames together
// keep the bitrate. It knows how many bits the newest frame needed at its step
// and takes it that the next one is alike: bits go down with step^slope. What
// the frames took beyond the bitrate is a debt, paid back over half a second.
// One whose frames are small saves little for later ones: what is not sent now
// does not make room on a link that is full afterwards.
type rate struct {
	bitrate float64 // bit/s
	fps     float64
	debt    float64 // bit
	index   int     // of the newest frame that was not a key frame
	inter   float64 // log2 of the bits that such a frame would have with step 1
	key     float64 // that of a key frame
}

const (
	slope    = 1.2
	finest   = 4   // quantizer index; a finer one makes no picture better to look at
	coarsest = 127 // quantizer index
	burst    = 3   // frames that one frame may be worth
	faster   = 12  // how much coarser the next frame may be at once
	slower   = 3   // and how much finer
)

func newRate(bitrate int, fps float64, pixels int) rate {
	// A key frame of an ordinary picture has some 12 bits a pixel with step 1.
	key := math.Log2(12 * float64(pixels))
	return rate{bitrate: float64(bitrate), fps: fps, key: key, inter: key - 2, index: -1}
}

// share is what a frame may take, in bits.
func (r *rate) share() float64 { return r.bitrate / r.fps }

// isHopeless reports whether the debt is so high that the next frame had better be
// left out.
func (r *rate) isHopeless() bool { return r.debt > r.bitrate/2 && r.index == coarsest }

// chooseIndex returns the index for the next frame.
func (r *rate) chooseIndex(key bool) int {
	share := r.share()
	if key {
		return indexFor(r.key, burst*share*0.85)
	}
	want := max(share/4, min(2*share, share-r.debt/(r.fps/2)))
	index := indexFor(r.inter, want)
	if r.index >= 0 {
		index = max(r.index-slower, min(r.index+faster, index))
	}
	return index
}

// coarserIndex returns a coarser index for a frame that has become too large.
func (r *rate) coarserIndex(index, bits int) (coarser int, ok bool) {
	limit := burst * r.share()
	if float64(bits) <= limit || index == coarsest {
		return index, false
	}
	return min(coarsest, max(index+2, indexFor(weightBits(index, bits), 0.8*limit))), true
}

// noteFrame takes note of a frame.
func (r *rate) noteFrame(key bool, index, bits int) {
	share := r.share()
	r.debt = max(-share, r.debt+float64(bits)-share)
	if key {
		r.key = weightBits(index, bits)
		return
	}
	r.index = index
	// Small changes are half noise; large ones are another scene.
	off := weightBits(index, bits) - r.inter
	if math.Abs(off) < 1 {
		off /= 2
	}
	r.inter += off
}

// noteRepeat takes note of a frame that was left out.
func (r *rate) noteRepeat(bits int) { r.debt += float64(bits) - r.share() }

// weightBits is log2 of the bits that a frame would have with step 1.
func weightBits(index, bits int) float64 {
	return math.Log2(max(400, float64(bits))) + slope*math.Log2(float64(steps[index]))
}

// indexFor returns the index with which a frame of a weight has about so many
// bits.
func indexFor(weight, bits float64) int {
	step := math.Exp2((weight - math.Log2(bits)) / slope)
	for i := finest; i < coarsest; i++ {
		if float64(steps[i]) >= step {
			return i
		}
	}
	return coarsest
}
