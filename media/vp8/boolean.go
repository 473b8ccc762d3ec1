package vp8

import "math/bits"

// A boolWriter is the arithmetic coder of RFC 6386, section 7.3: it encodes bits,
// and likely ones take less than a bit.
type boolWriter struct {
	out   []byte
	low   uint32
	width uint32 // of the interval, 128 to 255 between calls
	count int    // bits in low beyond the next output byte, less 24
}

func (w *boolWriter) reset() {
	*w = boolWriter{out: w.out[:0], width: 255, count: -24}
}

// putBit writes a bit that is 0 with a probability of prob/256.
func (w *boolWriter) putBit(bit bool, prob uint8) {
	split := 1 + ((w.width-1)*uint32(prob))>>8
	low, width := w.low, split
	if bit {
		low += split
		width = w.width - split
	}
	shift := bits.LeadingZeros8(uint8(width))
	width <<= shift
	count := w.count + shift
	if count >= 0 {
		offset := shift - count
		if (low<<(offset-1))&0x80000000 != 0 {
			w.addCarry()
		}
		w.out = append(w.out, byte(low>>(24-offset)))
		low <<= offset
		shift = count
		low &= 0xffffff
		count -= 8
	}
	w.low, w.width, w.count = low<<shift, width, count
}

// addCarry propagates a carry into the output.
func (w *boolWriter) addCarry() {
	i := len(w.out) - 1
	for ; w.out[i] == 255; i-- {
		w.out[i] = 0
	}
	w.out[i]++
}

// putFlag writes a bit with equal probabilities.
func (w *boolWriter) putFlag(bit bool) { w.putBit(bit, 128) }

// putLiteral writes the lowest n bits of v, the highest first.
func (w *boolWriter) putLiteral(v, n int) {
	for i := n - 1; i >= 0; i-- {
		w.putFlag(v>>i&1 == 1)
	}
}

// finish flushes the coder and returns the output.
func (w *boolWriter) finish() []byte {
	w.putLiteral(0, 32)
	return w.out
}
