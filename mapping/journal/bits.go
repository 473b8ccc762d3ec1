package journal

const (
	maxUnary   = 12 // ones that precede a value in full
	valueBits  = 17 // of that value: a folded difference of two 16-bit numbers
	maxDivisor = 15 // the largest parameter of the Rice code
)

// A bitWriter appends bits to bytes, the highest of each byte first.
type bitWriter struct {
	bytes []byte
	free  int // unused bits of the last byte
}

func (w *bitWriter) writeBits(value uint32, n int) {
	for n > 0 {
		if w.free == 0 {
			w.bytes, w.free = append(w.bytes, 0), 8
		}
		k := min(n, w.free)
		part := value >> (n - k) & (1<<k - 1)
		w.bytes[len(w.bytes)-1] |= byte(part << (w.free - k)) //nolint:gosec // k bits
		n, w.free = n-k, w.free-k
	}
}

// writeAll appends values in a Rice code (Rice and Plaunt 1971): its parameter, in four
// bits, and each value as a quotient in unary and a remainder.
func (w *bitWriter) writeAll(values []uint32) {
	k, _ := riceParameter(values)
	w.writeBits(uint32(k), 4) //nolint:gosec // at most maxDivisor
	for _, v := range values {
		if q := v >> k; q < maxUnary {
			w.writeBits(1<<(q+1)-2, int(q)+1)
			w.writeBits(v, k)
		} else {
			w.writeBits(1<<maxUnary-1, maxUnary)
			w.writeBits(v, valueBits)
		}
	}
}

// riceParameter returns the parameter with which the values take the fewest bits,
// and that number.
func riceParameter(values []uint32) (best, size int) {
	for k := range maxDivisor + 1 {
		sum := 0
		for _, v := range values {
			if q := int(v >> k); q < maxUnary {
				sum += q + 1 + k
			} else {
				sum += maxUnary + valueBits
			}
		}
		if k == 0 || sum < size {
			best, size = k, sum
		}
	}
	return best, size
}

// A bitReader reads the output of a bitWriter. After the end it returns zeros and
// records that.
type bitReader struct {
	bytes []byte
	at    int // bits
	ended bool
}

func (r *bitReader) readBits(n int) uint32 {
	if r.at+n > 8*len(r.bytes) {
		r.ended = true
		return 0
	}
	var v uint32
	for n > 0 {
		left := 8 - r.at%8
		k := min(n, left)
		v = v<<k | uint32(r.bytes[r.at/8])>>(left-k)&(1<<k-1)
		n, r.at = n-k, r.at+k
	}
	return v
}

// readAll fills values.
func (r *bitReader) readAll(values []uint32) {
	k := int(r.readBits(4))
	for i := range values {
		q := 0
		for q < maxUnary && r.readBits(1) == 1 {
			q++
		}
		if q == maxUnary {
			values[i] = r.readBits(valueBits)
		} else {
			values[i] = uint32(q)<<k | r.readBits(k)
		}
		if r.ended {
			return
		}
	}
}

// foldSign makes small numbers of small differences: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
func foldSign(d int32) uint32 { return uint32(d<<1 ^ d>>31) } //nolint:gosec // bits

func unfoldSign(v uint32) int32 { return int32(v>>1) ^ -int32(v&1) } //nolint:gosec // bits

// ringDifference returns b - a on a ring of 16 bits, from -32768 to 32767.
func ringDifference(a, b uint16) int32 { return int32(int16(b - a)) } //nolint:gosec // on a ring
