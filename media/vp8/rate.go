package vp8

import "math"

// A rate chooses the quantizer index of each frame so that the frames together meet
// the bitrate. It knows how many bits the newest frame took at its step and assumes
// that the next one is similar: bits decrease as step^slope. Bits beyond the
// bitrate are a debt, paid back over half a second. Small frames save little for
// later ones, because unused capacity of a link is lost.
type rate struct {
	bitrate float64 // bit/s
	fps     float64
	debt    float64 // bit
	index   int     // of the newest frame that was not a key frame
	inter   float64 // log2 of the bits of such a frame at step 1
	key     float64 // the same for a key frame
}

const (
	slope    = 1.2
	finest   = 4   // quantizer index; finer ones do not improve the visible picture
	coarsest = 127 // quantizer index
	burst    = 3   // shares that one frame may take
	faster   = 12  // by how much the next frame may be coarser
	slower   = 3   // and by how much finer
)

func newRate(bitrate int, fps float64, pixels int) rate {
	// A key frame of an ordinary picture has some 12 bits per pixel at step 1.
	key := math.Log2(12 * float64(pixels))
	return rate{bitrate: float64(bitrate), fps: fps, key: key, inter: key - 2, index: -1}
}

// bitsPerFrame returns the bits that a frame may take.
func (r *rate) bitsPerFrame() float64 { return r.bitrate / r.fps }

// isHopeless reports whether the debt is so high that the next frame should be
// skipped.
func (r *rate) isHopeless() bool { return r.debt > r.bitrate/2 && r.index == coarsest }

// chooseIndex returns the index for the next frame.
func (r *rate) chooseIndex(key bool) int {
	share := r.bitsPerFrame()
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
	limit := burst * r.bitsPerFrame()
	if float64(bits) <= limit || index == coarsest {
		return index, false
	}
	return min(coarsest, max(index+2, indexFor(weightBits(index, bits), 0.8*limit))), true
}

// noteFrame records the size of a frame.
func (r *rate) noteFrame(key bool, index, bits int) {
	share := r.bitsPerFrame()
	r.debt = max(-share, r.debt+float64(bits)-share)
	if key {
		r.key = weightBits(index, bits)
		return
	}
	r.index = index
	// Small changes are partly noise; large ones indicate another scene.
	off := weightBits(index, bits) - r.inter
	if math.Abs(off) < 1 {
		off /= 2
	}
	r.inter += off
}

// noteRepeat records a skipped frame.
func (r *rate) noteRepeat(bits int) { r.debt += float64(bits) - r.bitsPerFrame() }

// weightBits returns log2 of the bits that a frame would have at step 1.
func weightBits(index, bits int) float64 {
	return math.Log2(max(400, float64(bits))) + slope*math.Log2(float64(steps[index]))
}

// indexFor returns the index at which a frame of the given weight has about this
// many bits.
func indexFor(weight, bits float64) int {
	step := math.Exp2((weight - math.Log2(bits)) / slope)
	for i := finest; i < coarsest; i++ {
		if float64(steps[i]) >= step {
			return i
		}
	}
	return coarsest
}
